"""Finds the command-line program."""

from pathlib import Path

__all__ = ["program"]


def program() -> Path:
    """Path of the program in the package."""
    path = Path(__file__).with_name("bin") / "fermat"
    if not path.is_file():
        raise RuntimeError(
            f"the program is not in this installation ({path} does not exist; install again with: "
            "pip install --force-reinstall .)"
        )
    return path
