"""Nordic of SEISAN through ObsPy, which makes it of QuakeML."""

from __future__ import annotations

import importlib
import os
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ._notes import tell

__all__ = ["is_nordic", "write_nordic"]

SUFFIXES = (".nordic", ".sfile")
LETTERS = 4  # of the names of stations


def is_nordic(path: str | os.PathLike[str]) -> bool:
    """Whether the name of a file is one of Nordic."""
    return Path(path).suffix.lower() in SUFFIXES


def write_nordic(
    path: str | os.PathLike[str], write_quakeml: Callable[[Path], None], *, stations: bool
) -> None:
    """Write QuakeML to a file of its own, and what ObsPy makes of it to `path`. It is read back, so
    that nothing is lost silently."""
    target = Path(path)
    shown = f"'{os.fspath(path)}'"
    try:
        obspy = importlib.import_module("obspy")
        nordic = importlib.import_module("obspy.io.nordic.core")
    except ImportError as missing:
        raise ImportError(f"writing {shown} needs ObsPy (pip install obspy)") from missing
    with tempfile.TemporaryDirectory(dir=target.resolve().parent, prefix=".fermat-") as folder:
        plain = Path(folder) / "events.xml"
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            write_quakeml(plain)
        ours = [str(note.message).replace(str(plain), os.fspath(path)) for note in told]
        tell([note for note in ours if stations or "output_stations" not in note])
        catalogue = obspy.read_events(str(plain))
        lost = [event for event in catalogue if not event.origins]
        if lost:
            tell([f"{shown}: {len(lost)} of {len(catalogue)} events are left out: Nordic has no "
                  "event without an origin (locate them)"])
            catalogue.events = [event for event in catalogue if event.origins]
        if not catalogue:
            raise ValueError(f"no event can be written to {shown} (locate them first)")
        _require_short(catalogue, shown)
        for event in catalogue:
            for pick in event.picks:
                pick.evaluation_mode = "manual"  # a blank in Nordic, which says nothing
        made = Path(folder) / "select.out"
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            nordic.write_select(catalogue, str(made), userid="FERM", evtype="L")
            again = obspy.read_events(str(made))
        tell(sorted({f"{shown}: ObsPy says: {note.message}" for note in told}))
        _require_same(catalogue, again, shown)
        tell([f"{shown}: Nordic holds times of picks to 0.001 s and of origins to 0.1 s, places to "
              "0.001 degrees and 0.1 km, and neither networks of stations nor errors of picks"])
        os.replace(made, target)


def _require_short(catalogue: Any, shown: str) -> None:
    codes = {pick.waveform_id.station_code for event in catalogue for pick in event.picks}
    long = sorted(code for code in codes if len(code) > LETTERS)
    if long:
        raise ValueError(
            f"{shown} cannot hold the names of {len(long)} of {len(codes)} stations, which have more "
            f"than {LETTERS} letters (rename {', '.join(long[:5])}, or write QuakeML)"
        )


def _require_same(before: Any, after: Any, shown: str) -> None:
    """Refuse a file that merges stations or lacks picks."""
    if len(before) != len(after):
        raise ValueError(f"ObsPy reads {len(after)} of {len(before)} events back from {shown}")
    for ours, theirs in zip(before, after, strict=True):
        names = {(pick.waveform_id.network_code, pick.waveform_id.station_code)
                 for pick in ours.picks}
        kept = {pick.waveform_id.station_code for pick in theirs.picks}
        if len(kept) != len(names) or len(ours.picks) != len(theirs.picks):
            raise ValueError(
                f"{shown} would hold {len(theirs.picks)} of {len(ours.picks)} picks and {len(kept)} "
                f"of {len(names)} stations of an event, as Nordic has no networks (rename stations "
                "of one name, or write QuakeML)"
            )
