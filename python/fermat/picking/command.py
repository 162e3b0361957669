"""`fermat pick`: a page in the browser, or picks without one."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .auto import Picked, pick_all
from .export import write_picks
from .records import records

if TYPE_CHECKING:
    from .records import Records

__all__ = ["pick"]


def pick(arguments: Any) -> str:
    """Does what the flags say; returns the line to print."""
    delay: Any = arguments.delay or "auto"
    if delay not in ("auto", "after", "before"):
        delay = _number(delay, "--delay", "must be auto, after, before, or seconds")
    frequency = None if not arguments.frequency else _number(arguments.frequency, "--frequency", "must be in Hz")
    rounds = int(_number(arguments.rounds or "3", "--rounds", "must be a whole number"))
    if arguments.auto and arguments.output is None:
        raise ValueError("--auto needs --output, the file of picks to write")
    if arguments.output is not None and not arguments.auto:
        raise ValueError("--output is written with --auto (the page has its own exports)")
    with warnings.catch_warnings():
        if not arguments.auto:  # the page says them while it is open
            warnings.simplefilter("ignore")
        found = records(arguments.records, shots=arguments.shots, receivers=arguments.receivers, delay=delay)
    if not arguments.auto:
        from .server import serve

        folder = arguments.project or _beside(arguments.records)
        port = int(_number(arguments.port or "0", "--port", "must be a whole number"))
        said: str = serve(found, folder, port=port, browser=not arguments.no_browser)
        return said
    watched = sys.stderr.isatty() and not arguments.quiet
    picked = pick_all(
        found, rounds=rounds, frequency=frequency,
        progress=(lambda text: print(text, file=sys.stderr, flush=True)) if watched else None,
    )
    picks = picked.picks
    write_picks(picks, arguments.output, records=found, picked=picked)
    return f"wrote {arguments.output} with {len(picks)} picks of {len(found)} records{_chosen(found, picked)}"


def _beside(path: Path) -> Path:
    return (path if path.is_dir() else path.parent) / "fermat-project"


def _number(text: str, flag: str, rule: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{flag} is '{text}' ({rule})") from None


def _chosen(found: Records, picked: Picked) -> str:
    """Statics and silent traces, which were chosen for the user."""
    said = ""
    moved = [(record.name, static.time) for record, static in zip(found, picked.statics) if static.time]
    if moved:
        name, time = max(moved, key=lambda row: abs(row[1]))
        said += (
            f"; statics of {len(moved)} records by zero offset and reciprocity are subtracted, the largest is "
            f"{1e3 * time:.3g} ms of {name}"
        )
    silent = sum(int(np.isnan(row).sum()) for row in picked.time)
    if silent:
        said += (
            f"; {silent} of {sum(map(len, picked.time))} traces have no pick (they are dead, or nothing on them is sure)"
        )
    return said
