"""From shot records to picks: reading, the automatic picker, a project, and a page in the browser.

Needs the packages of the extra `pick`: `pip install 'fermat-rays[pick]'`.
"""

from __future__ import annotations

from typing import Any

from .record import Record
from .records import Records, records

__all__ = ["Picked", "Project", "Record", "Records", "pick_all", "records", "synthetic_line"]

LATER = {"Picked": "auto", "pick_all": "auto", "Project": "project", "synthetic_line": "synthetic"}


def __getattr__(name: str) -> Any:
    """What `import fermat` does not need is imported when it is asked for."""
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{LATER[name]}", __name__), name)
