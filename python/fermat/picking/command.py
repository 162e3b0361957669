"""`fermat pick`: a page in the browser, or picks without one."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .auto import Picked, pick_all
from .events import pick_events
from .export import write_events, write_picks
from .network import stations_in
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
    network = _network(arguments)
    if arguments.auto and arguments.output is None:
        raise ValueError("--auto needs --output, the file of picks to write")
    if arguments.output is not None and not arguments.auto:
        raise ValueError("--output is written with --auto (the page has its own exports)")
    with warnings.catch_warnings():
        if not arguments.auto:  # the page says them while it is open
            warnings.simplefilter("ignore")
        found = records(arguments.records, shots=arguments.shots, receivers=arguments.receivers, delay=delay)
    if network and not found.network:
        given = ", ".join(f"--{name.replace('_', '-')}" for name in network)
        raise ValueError(f"{given} is for records of a network (these are of shots)")
    if arguments.seisbench:
        from .deep import deep_picker

        network["picker"] = deep_picker(network.pop("seisbench"))
    if not arguments.auto:
        from .server import serve

        folder = arguments.project or _beside(arguments.records)
        port = int(_number(arguments.port or "0", "--port", "must be a whole number"))
        said: str = serve(found, folder, port=port, browser=not arguments.no_browser, **network)
        return said
    watched = sys.stderr.isatty() and not arguments.quiet
    progress = (lambda text: print(text, file=sys.stderr, flush=True)) if watched else None
    if found.network:
        return _pick_events(found, arguments.output, rounds=rounds, frequency=frequency, progress=progress, **network)
    picked = pick_all(found, rounds=rounds, frequency=frequency, progress=progress)
    picks = picked.picks
    write_picks(picks, arguments.output, records=found, picked=picked)
    return f"wrote {arguments.output} with {len(picks)} picks of {len(found)} records{_chosen(found, picked)}"


def _network(arguments: Any) -> dict[str, Any]:
    """What is said of a network; empty where nothing is."""
    said: dict[str, Any] = {}
    if arguments.model is not None:
        said["model"] = arguments.model
    if arguments.vp_vs:
        said["vp_vs"] = _number(arguments.vp_vs, "--vp-vs", "must be a number > 1")
    if arguments.seisbench:
        said["seisbench"] = arguments.seisbench
    return said


def _pick_events(found: Records, output: Path, **options: Any) -> str:
    picked = pick_events(found, **options)
    picks = picked.picks
    write_events(picks, picked.located, output)
    counts = {phase: int((np.asarray(picks.phase) == phase).sum()) for phase in "PS"}
    placed = 0 if picked.catalogue is None else int(picked.catalogue.located.sum())
    said = f"wrote {output} with {counts['P']} P and {counts['S']} S of {len(found)} events, {placed} located"
    silent = sum(len(stations_in(record)) for record in found) - counts["P"]
    return said + (f"; {silent} times a station has no P (it is dead, nothing on it is sure, or it does not fit)" if silent else "")


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
