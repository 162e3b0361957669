"""Where the command line's program is."""

from pathlib import Path

__all__ = ["program"]


def program() -> Path:
    """The program that came with the package."""
    path = Path(__file__).with_name("bin") / "fermat"
    if not path.is_file():
        raise RuntimeError(
            f"the program is not in this installation ({path} does not exist; install again with: "
            "pip install --force-reinstall .)"
        )
    return path
