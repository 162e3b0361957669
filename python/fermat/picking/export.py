"""Picks into files of other programs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._files import renamed_to
from .headers import write_segy

if TYPE_CHECKING:
    from .._picks import Picks
    from .records import Records

__all__ = ["write_events", "write_picks", "write_pyrefra", "write_rayinvr"]

CODE = 1  # of first arrivals in tx.in


def write_picks(
    picks: Picks, output: str | os.PathLike[str], *, records: Records | None = None, picked: Any = None
) -> None:
    """By the name: `tx.in` of rayinvr, a folder `segy` of SEG-Y with picks in its headers, another folder
    for PyRefra, else what `Picks.save` writes."""
    place = Path(output)
    if place.suffix.lower() == ".in":
        write_rayinvr(picks, place)
    elif place.name == "segy" and records is not None and picked is not None:
        write_segy(records, picked, place)
    elif not place.suffix and records is not None and picked is not None:
        write_pyrefra(records, picked, place)
    else:
        picks.save(place)


def write_events(picks: Picks, located: Any, output: str | os.PathLike[str], stations: Path | None = None) -> None:
    """Picks of a network: a table by `Picks.save`, else the events that were located, with them."""
    place = Path(output)
    if place.suffix.lower() == ".csv" or located is None:
        picks.save(place, output_stations=stations)
    else:
        located.catalogue.save(place, output_stations=stations)


def write_rayinvr(picks: Picks, file: Path) -> None:
    """`tx.in` (Zelt and Smith 1992): per shot and side a line of its place and +1 or -1, then place,
    time, error and code of each pick; a line of -1 ends it."""
    if picks.ndim != 2:
        raise ValueError("tx.in holds a line (these picks are in 3-D)")
    lines = []
    error = np.zeros(len(picks)) if picks.error is None else picks.error
    for shot, place in enumerate(picks.sources):
        rows = np.flatnonzero(picks.source == shot)
        x = picks.receivers[picks.receiver[rows], 0]
        for side in (-1, 1):
            there = rows[(x < place[0]) if side < 0 else (x >= place[0])]
            if not len(there):
                continue
            lines.append(f"{place[0]:10.3f}{side:10.3f}{0:10.3f}{0:10d}")
            for row in there[np.argsort(picks.receivers[picks.receiver[there], 0], kind="stable")]:
                at = picks.receivers[picks.receiver[row], 0]
                lines.append(f"{at:10.3f}{picks.travel_time[row]:10.5f}{error[row]:10.5f}{CODE:10d}")
    lines.append(f"{0:10.3f}{0:10.3f}{0:10.3f}{-1:10d}")
    with renamed_to(file) as out:
        out.write_text("\n".join(lines) + "\n")


def write_pyrefra(records: Records, picked: Any, folder: Path) -> None:
    """picks.dat (shot, receiver, time, earliest, latest), shots.geo and receivers.geo; z is height."""
    folder.mkdir(parents=True, exist_ok=True)
    shots: dict[int, Any] = {}
    geophones: dict[int, Any] = {}
    rows = []
    for n, record in enumerate(records):
        if not record.placed:
            continue
        number = record.shot if record.shot and record.shot not in shots else max(shots, default=0) + 1
        shots[number] = record.source
        for k, channel in enumerate(record.channels):
            geophones[int(channel)] = record.receivers[k]
            time = picked.time[n][k] - picked.statics[n].time
            if np.isfinite(time):
                e = picked.error[n][k]
                rows.append(f"{number} {int(channel)} {time:.6f} {time - e:.6f} {time + e:.6f}")
    for name, places in (("shots.geo", shots), ("receivers.geo", geophones)):
        text = "".join(f"{k}\t{p[0]:.3f}\t{p[1]:.3f}\t{0.0 - p[2]:.3f}\n" for k, p in sorted(places.items()))
        with renamed_to(folder / name) as out:
            out.write_text(text)
    with renamed_to(folder / "picks.dat") as out:
        out.write_text("\n".join(rows) + "\n")
