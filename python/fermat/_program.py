"""Finds the command-line program."""

from pathlib import Path

from . import _level

__all__ = ["program"]


def program() -> Path:
    """Path of the program in the package, of the level that suits the processor."""
    level = _level.folder()
    path = (Path(__file__).with_name("bin") if level is None else level) / "fermat"
    if not path.is_file():
        raise RuntimeError(
            f"the program is not in this installation ({path} does not exist; install again with: "
            "pip install --force-reinstall .)"
        )
    return path
