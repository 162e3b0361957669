"""`python -m fermat` is the command line: it runs the program that came with the package."""

import os
import sys
from pathlib import Path


def main() -> None:
    program = Path(__file__).with_name("bin") / "fermat"
    if not program.is_file():
        sys.exit(
            f"fermat: error: the program is not in this installation ({program} does not exist; "
            "install again with: pip install --force-reinstall .)"
        )
    os.execv(program, [str(program), *sys.argv[1:]])


if __name__ == "__main__":
    main()
