"""`python -m fermat` is the command line: it runs the program that came with the package."""

import os
import sys
from pathlib import Path


def program() -> Path:
    """The program that came with the package."""
    path = Path(__file__).with_name("bin") / "fermat"
    if not path.is_file():
        raise RuntimeError(
            f"the program is not in this installation ({path} does not exist; install again with: "
            "pip install --force-reinstall .)"
        )
    return path


def main() -> None:
    try:
        path = program()
    except RuntimeError as error:
        sys.exit(f"fermat: error: {error}")
    os.execv(path, [str(path), *sys.argv[1:]])


if __name__ == "__main__":
    main()
