"""Phases of an ObsPy catalogue, or of any file that ObsPy reads, as the tables that `locate` reads."""

from __future__ import annotations

import csv
import importlib
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._catalogue import LeftOut, _error, _key
from ._notes import tell

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Files = tuple[Path, Path, Path | None]


FOLDER_MARK = ".fermat-catalogue"


def plain(note: str) -> str:
    """A sentence about our own table of a catalogue names the catalogue."""
    for name, shown in (("catalogue.csv", "the catalogue"), ("origins.csv", "the origins"),
                        ("inventory.csv", "the inventory")):
        for part in note.split("'"):
            if part.endswith(f"{FOLDER_MARK}{os.sep}{name}"):
                note = note.replace(f"'{part}'", shown)
    return note


@contextmanager
def own_folder() -> Iterator[Path]:
    """A folder for our own tables of a catalogue, which no message names."""
    with tempfile.TemporaryDirectory(suffix=FOLDER_MARK) as folder:
        try:
            yield Path(folder)
        except ValueError as error:
            raise ValueError(plain(str(error))) from None


def is_catalogue(picks: Any) -> bool:
    """Whether it is a catalogue of ObsPy: a list of events that have picks."""
    events = getattr(picks, "events", None)
    if events is None and isinstance(picks, list):
        events = picks
    return events is not None and all(hasattr(event, "picks") for event in events)


def write_tables(picks: Any, inventory: Any, folder: Path) -> Files:
    """Write the tables of picks, stations and known events (None if none is known)."""
    catalogue = _opened(picks, "read_events")
    network = _opened(inventory, "read_inventory")
    try:
        stations = {
            (one.code, station.code): (station.longitude, station.latitude, station.elevation)
            for one in network
            for station in one
        }
    except (TypeError, AttributeError):
        raise TypeError(
            f"inventory is a {type(network).__name__} (must be an inventory of ObsPy, or its file)"
        ) from None
    if not stations:
        raise ValueError("the inventory has no station")
    left_out = LeftOut(stations)
    rows: list[tuple[Any, ...]] = []
    events: list[tuple[Any, ...]] = []
    for number, event in enumerate(catalogue):
        name = _name(event, number)
        hints = _arrival_phases(event)
        for pick in event.picks:
            left_out.total += 1
            key = left_out.known(_key(pick))
            if key is None:
                continue
            phase = pick.phase_hint or hints.get(str(getattr(pick, "resource_id", "")), "")
            spread = _error(pick)
            rows.append((name, ".".join(key), phase, _date(pick.time),
                         spread if spread > 0 else ""))
        origin = event.preferred_origin() or (event.origins[0] if event.origins else None)
        if origin is not None and None not in (origin.longitude, origin.latitude, origin.depth):
            events.append((name, origin.longitude, origin.latitude, origin.depth / 1000,
                           _date(origin.time)))
    tell(left_out.completed())
    reasons = left_out.reasons()
    if reasons:
        lost = f"{left_out.total - len(rows)} of {left_out.total} picks of the catalogue"
        tell([f"{lost} were left out: {'; '.join(reasons)}"])
    if not rows:
        raise ValueError(
            f"no pick at a station of the inventory was found in {len(catalogue)} events"
        )
    places = [(".".join(key), *at) for key, at in stations.items()]
    return (
        _write(folder / "catalogue.csv", ("event", "station", "phase", "time", "error"), rows),
        _write(folder / "inventory.csv", ("station", "longitude", "latitude", "elevation"), places),
        _write(folder / "origins.csv", ("event", "longitude", "latitude", "z", "origin_time"), events)
        if events else None,
    )


def _opened(given: Any, reader: str) -> Any:
    if not isinstance(given, (str, os.PathLike)):
        return given
    try:
        obspy = importlib.import_module("obspy")
    except ImportError as missing:
        raise ImportError(
            f"reading {os.fspath(given)!r} needs ObsPy (pip install obspy)"
        ) from missing
    return getattr(obspy, reader)(os.fspath(given))


def _name(event: Any, number: int) -> str:
    """The end of the event's resource id, or its number."""
    text = str(getattr(event, "resource_id", "") or "").rsplit("/", 1)[-1]
    kept = "".join(letter for letter in text if letter not in ',#"' and letter.isprintable())
    return kept or str(number + 1)


def _arrival_phases(event: Any) -> dict[str, str]:
    """Phases that origins give to picks without a hint."""
    found: dict[str, str] = {}
    for origin in event.origins or []:
        for arrival in getattr(origin, "arrivals", None) or []:
            found.setdefault(str(arrival.pick_id), arrival.phase or "")
    return found


def _date(time: Any) -> str:
    """A date of ObsPy's UTCDateTime, or seconds since 1970 as a date."""
    from datetime import datetime, timedelta, timezone

    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(
        seconds=float(getattr(time, "timestamp", time))
    )
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%f")


def _write(path: Path, names: Iterable[str], rows: Iterable[tuple[Any, ...]]) -> Path:
    with open(path, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(names)
        table.writerows(rows)
    return path
