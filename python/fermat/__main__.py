"""`python -m fermat` runs the command-line program of the package."""

import os
import sys

from fermat._program import program


def main() -> None:
    try:
        path = program()
    except RuntimeError as error:
        sys.exit(f"fermat: error: {error}")
    os.environ.setdefault("FERMAT_PYTHON", sys.executable)  # draws the papers' figures
    os.execv(path, [str(path), *sys.argv[1:]])


if __name__ == "__main__":
    main()
