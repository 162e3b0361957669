"""From shot records to picks: reading, the automatic picker, a project, and a page in the browser.

Needs the packages of the extra `pick`: `pip install 'fermat-rays[pick]'`.
"""

from __future__ import annotations

from typing import Any

from .record import Record
from .records import Records, records

__all__ = [
    "Picked", "PickedEvents", "Project", "Record", "Records", "deep_picker", "pick_all", "pick_events", "records",
    "synthetic_line", "synthetic_network",
]

LATER = {
    "Picked": "auto", "pick_all": "auto", "PickedEvents": "events", "pick_events": "events", "Project": "project",
    "deep_picker": "deep", "synthetic_line": "synthetic", "synthetic_network": "synthetic_events",
}


def __getattr__(name: str) -> Any:
    """What `import fermat` does not need is imported when it is asked for."""
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{LATER[name]}", __name__), name)
