"""Picks and located events into files, by the names of the files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._nordic import is_nordic, write_nordic
from ._notes import tell
from ._plane import Plane
from ._units import Units

__all__ = ["Saved", "save_picks"]

File = str | os.PathLike[str]


class Saved(NamedTuple):
    """What goes out: arrays of events, stations and picks; `found` is what a location knows."""

    events: NDArray[np.float64]
    stations: NDArray[np.float64]
    event: NDArray[np.int32]
    station: NDArray[np.int32]
    time: NDArray[np.float64]
    error: NDArray[np.float64]
    phase: NDArray[np.int32]
    event_ids: list[str]
    station_ids: list[str]
    origin_time: NDArray[np.float64]
    plane: Plane | None
    found: dict[str, Any] | None = None
    units: Units = Units()
    polarity: NDArray[np.int32] | None = None
    phases: list[str] | None = None


def save_picks(
    path: File,
    saved: Saved,
    *,
    geographic: bool = False,
    output_format: str = "auto",
    output_stations: File | None = None,
) -> None:
    """Write in the format of the name, or the one wanted; what it cannot hold is told."""
    if output_format == "nordic" or (output_format == "auto" and is_nordic(path)):
        def write_quakeml(file: Path) -> None:
            save_picks(file, saved, output_format="quakeml", output_stations=output_stations)

        write_nordic(path, write_quakeml, stations=output_stations is not None)
        return
    places, plane = [saved.events, saved.stations], saved.plane
    turned = geographic or _core.written_format(path, output_format) not in ("csv", "sgt")
    if turned and plane is not None and str(plane).startswith("proj:"):
        everywhere = np.vstack([points[np.isfinite(points).all(axis=1)] for points in places])
        degrees = plane.to_geographic(everywhere[:, 0], everywhere[:, 1])
        local = Plane.round(*degrees, metres=plane.metres)
        places = [_onto(local, plane, points) for points in places]
        plane = local
    how: dict[str, Any] = {
        "geographic": geographic,
        "output_format": output_format,
        **saved.units._asdict(),
        "output_stations": None if output_stations is None else Path(output_stations),
    }
    if saved.found is not None:
        how["found"] = saved.found
    if saved.polarity is not None and np.any(saved.polarity):
        how["polarity"] = np.ascontiguousarray(saved.polarity, dtype=np.int32)
    if saved.phases is not None:
        how["phases"] = list(saved.phases)
    labels = (saved.phase, list(saved.event_ids), list(saved.station_ids), saved.origin_time)
    tell(_core.save_picks(
        path, places[0], places[1], saved.event, saved.station, saved.time, saved.error, labels,
        str(plane or ""), how,
    ))


def _onto(plane: Plane, found: Plane, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points of one plane on another; those that are not known stay so."""
    if points.shape[1] == 2:
        return points
    out = np.full_like(points, np.nan)
    known = np.isfinite(points).all(axis=1)
    x, y = plane.to_plane(*found.to_geographic(points[known, 0], points[known, 1]))
    out[known] = np.column_stack([x, y, points[known, 2] * found.metres / plane.metres])
    return out
