"""Where earthquakes were relative to one another, from differences of times."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _arguments as arguments
from . import _core
from ._arguments import numbers
from ._notes import tell
from ._plane import Plane
from ._progress import listener

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ._arguments import Device, Progress
    from ._core import Model

    File = str | os.PathLike[str]
    Table = File | Mapping[str, Any]

__all__ = ["Relocation", "relocate"]

KINDS = ("catalogue", "correlation")


class Relocation:
    """Relocated events, as `relocate` returns them. Arrays have one row per event.

    Attributes
    ----------
    event
        Ids of the events.
    position, origin_time
        Where and when they were; `given` and `given_time` are those before.
    cluster
        Number of the cluster from 0, the largest first; -1 for events that nothing links, which
        stay where they were.
    error, time_error
        Standard deviations while the neighbours stay.
    used
        (n, 2, 2): differences that count, of catalogue and correlation, of P and S.
    rms, rms_before
        Of all differences, weighted: of catalogue and of correlation; NaN where there are none.
    event_rms
        The same of each event, (n, 2).
    differences
        A dict of arrays with one entry per difference: first, second, station, phase, kind, time,
        residual and weight.
    plane
        The `Plane` of x and y if places had longitudes and latitudes.
    """

    def __init__(self, event: list[str], given: dict[str, Any], found: dict[str, Any],
                 differences: dict[str, Any], ndim: int, plane: Plane | None) -> None:
        axes = [0, 2] if ndim == 2 else [0, 1, 2]
        self.event = event
        self.given: NDArray[np.float64] = given["events"]
        self.given_time: NDArray[np.float64] = given["origin_time"]
        self.position: NDArray[np.float64] = found["position"].reshape(-1, 3)[:, axes]
        self.error: NDArray[np.float64] = found["error"].reshape(-1, 3)[:, axes]
        self.origin_time: NDArray[np.float64] = found["origin_time"]
        self.time_error: NDArray[np.float64] = found["time_error"]
        self.cluster: NDArray[np.int32] = found["cluster"]
        self.used: NDArray[np.int32] = found["used"].reshape(-1, 2, 2)
        self.event_rms: NDArray[np.float64] = found["event_rms"].reshape(-1, 2)
        self.rms: tuple[float, float] = found["rms"]
        self.rms_before: tuple[float, float] = found["rms_before"]
        self.iterations: int = found["iterations"]
        self.differences = differences
        self.plane = plane
        self.ndim = ndim

    def __len__(self) -> int:
        return len(self.event)

    @property
    def shift(self) -> NDArray[np.float64]:
        """How far each event was moved."""
        return self.position - self.given

    def to_columns(self) -> dict[str, Any]:
        """One entry per column: `pandas.DataFrame(relocation.to_columns())`."""
        table: dict[str, Any] = {"event": self.event, "cluster": self.cluster}
        names = "xz" if self.ndim == 2 else "xyz"
        for n, name in enumerate(names):
            table[name] = self.position[:, n]
        if self.plane is not None:
            place = self.plane.to_geographic(self.position[:, 0], self.position[:, 1])
            table["longitude"], table["latitude"] = place
        table["origin_time"] = self.origin_time
        for n, name in enumerate(names):
            table[f"error_{name}"] = self.error[:, n]
        return table

    def __repr__(self) -> str:
        each = [f"{kind} {rms:.3g}" for kind, rms in zip(KINDS, self.rms, strict=True)
                if not np.isnan(rms)]
        moved = int((self.cluster >= 0).sum())
        return f"Relocation({moved} of {len(self)} events moved, rms {', '.join(each)})"


def relocate(
    model: Model,
    events: Table,
    stations: Table,
    differences: File | Sequence[File] | Mapping[str, Any],
    *,
    centre: tuple[float, float] | None = None,
    s_model: Model | None = None,
    vp_vs: float | None = None,
    surface: ArrayLike | None = None,
    iterations: int = 30,
    damping: float = 1e-4,
    trim: float = 4,
    catalogue_reach: float = 0,
    correlation_reach: float = 0,
    least_links: int = 4,
    solver: Literal["fim", "fmm", "fsm", "vidale"] = "fim",
    order: int = 2,
    device: Device = "auto",
    threads: int = 0,
    progress: Progress | None = None,
) -> Relocation:
    """Move earthquakes so that differences of their times of travel fit (double differences).

    What hypoDD does, in any 3-D model by the time fields of the stations. Places relative to
    neighbours become sharp; the centroid of each cluster of linked events stays.

    Parameters
    ----------
    model
        Velocity of P. If it depends on depth alone, stations may lie beside the model.
    events
        Where and when events were: a CSV file or table with event,x,y,z,origin_time, or hypoDD's
        event.dat or phase.dat.
    stations
        A CSV file or table with station,x,y,z, hypoDD's station.dat, or NonLinLoc's GTSRCE lines.
    differences
        hypoDD's dt.ct and dt.cc, one file or several; or a table with first, second (ids of
        events), station, phase, time (travel time of the first minus that of the second), and
        perhaps weight and kind ("catalogue" or "correlation").
    centre
        Longitude and latitude of x = y = 0. Default: the middle of all places.
    s_model, vp_vs
        Velocity of S on the same grid, or the ratio of both velocities.
    surface
        Points (n, 3) of the ground, above which no event is.
    iterations
        At most.
    damping
        Of each step, as a share of its curvature.
    trim
        Standard deviations beyond which a difference counts for nothing (biweight).
    catalogue_reach, correlation_reach
        Distance of two events at which differences count for nothing; 0: any.
    least_links
        Differences that two events must share to be linked.
    solver, order, device, threads, progress
        As in `traveltimes`.

    Examples
    --------
    >>> import fermat as fm
    >>> model = fm.Model.gradient((41, 41, 21), v0=5, gradient=0.05)
    >>> stations = {"station": list("ABCD"), "x": [5, 35, 6, 33], "y": [5, 6, 34, 35], "z": [0] * 4}
    >>> events = {"event": [1, 2], "x": [20, 20.5], "y": [20, 20], "z": [8, 8],
    ...           "origin_time": [0, 60]}
    >>> differences = {"first": [1] * 4, "second": [2] * 4, "station": list("ABCD"),
    ...                "phase": ["P"] * 4, "time": [-0.07, 0.08, -0.07, 0.08],
    ...                "kind": ["correlation"] * 4}
    >>> len(fm.relocate(model, events, stations, differences))
    2
    """
    if s_model is not None and vp_vs is not None:
        raise ValueError("s_model and vp_vs are both given (must be one of them)")
    given, event_ids, station_ids, plane = _places(model, events, stations, centre)
    given |= _differences(differences, event_ids, station_ids)
    options: dict[str, Any] = {
        "iterations": int(iterations), "damping": float(damping), "trim": float(trim),
        "catalogue_reach": float(catalogue_reach), "correlation_reach": float(correlation_reach),
        "least_links": int(least_links), "solver": solver, "order": int(order), "device": device,
        "threads": int(threads),
    }
    ground = None if surface is None else arguments.points(model, surface, "surface")
    found = _core.relocate(
        model, s_model, 0.0 if vp_vs is None else float(vp_vs), given, ground, options,
        listener(progress),
    )
    tell(found["notes"])
    columns = {
        "first": np.array(event_ids)[given["first"]],
        "second": np.array(event_ids)[given["second"]],
        "station": np.array(station_ids)[given["station"]],
        "phase": np.array(["P", "S"])[given["phase"]],
        "kind": np.array(KINDS)[given["kind"]],
        "time": given["time"], "residual": found["residual"], "weight": found["weight"],
    }
    return Relocation(event_ids, given, found, columns, model.ndim, plane)


def _is_file(table: Any) -> bool:
    return isinstance(table, (str, os.PathLike))


def _places(
    model: Model, events: Table, stations: Table, centre: tuple[float, float] | None
) -> tuple[dict[str, Any], list[str], list[str], Plane | None]:
    if _is_file(events) != _is_file(stations):
        raise ValueError("events and stations must both be files, or both be tables")
    axes = [0, 2] if model.ndim == 2 else [0, 1, 2]
    if _is_file(events):
        event_ids, at_events, times, station_ids, at_stations, _, plane, notes = (
            _core.load_hypocentres(events, stations, centre)  # type: ignore[arg-type]
        )
        tell(notes)
        given = {
            "events": np.ascontiguousarray(at_events.reshape(-1, 3)[:, axes]),
            "stations": np.ascontiguousarray(at_stations.reshape(-1, 3)[:, axes]),
            "origin_time": times,
        }
        return given, list(event_ids), list(station_ids), Plane(plane) if plane else None
    if centre is not None:
        raise ValueError("centre is for files (tables have x and y)")
    event_ids, at_events = _table(model, events, "event")  # type: ignore[arg-type]
    station_ids, at_stations = _table(model, stations, "station")  # type: ignore[arg-type]
    if "origin_time" not in events:  # type: ignore[operator]
        raise ValueError("events has no column 'origin_time'")
    times = numbers(events["origin_time"], "origin_time").reshape(-1)  # type: ignore[index]
    if len(times) != len(event_ids):
        raise ValueError(f"origin_time has {len(times)} values for {len(event_ids)} events")
    given = {"events": at_events, "stations": at_stations, "origin_time": times}
    return given, event_ids, station_ids, None


def _table(
    model: Model, table: Mapping[str, Any], key: str
) -> tuple[list[str], NDArray[np.float64]]:
    axes = "xz" if model.ndim == 2 else "xyz"
    for name in (key, *axes):
        if name not in table:
            raise ValueError(f"{key}s has no column {name!r} (it has {list(table)})")
    ids = [str(name) for name in table[key]]
    if len(set(ids)) != len(ids):
        raise ValueError(f"{key}s has an id twice (ids must differ)")
    columns = [numbers(table[axis], axis).reshape(-1) for axis in axes]
    return ids, np.ascontiguousarray(np.column_stack(columns))


NAMES = ("first", "second", "station", "phase", "kind", "time", "weight")


def _differences(given: Any, events: list[str], stations: list[str]) -> dict[str, Any]:
    if isinstance(given, Mapping):
        return _difference_table(given, events, stations)
    files = [given] if _is_file(given) else list(given)
    if not files:
        raise ValueError("differences is empty (must be files or a table)")
    parts = []
    for file in files:
        *columns, notes = _core.load_differences(file, events, stations)
        tell(notes)
        parts.append(columns)
    return {name: np.concatenate(each) for name, each in zip(NAMES, zip(*parts, strict=True),
                                                             strict=True)}


def _difference_table(
    table: Mapping[str, Any], events: list[str], stations: list[str]
) -> dict[str, Any]:
    for name in ("first", "second", "station", "time"):
        if name not in table:
            raise ValueError(f"differences has no column {name!r} (it has {list(table)})")
    time = numbers(table["time"], "time").reshape(-1)

    def rows(name: str, ids: list[str]) -> NDArray[np.int32]:
        known = {one: n for n, one in enumerate(ids)}
        texts = [str(one) for one in table[name]]
        missing = [one for one in texts if one not in known]
        if missing:
            raise ValueError(
                f"{len(missing)} of {len(texts)} differences name a {name} that is not known "
                f"(the first is {missing[0]!r})"
            )
        return np.array([known[one] for one in texts], dtype=np.int32)

    def choice(name: str, choices: Sequence[str]) -> NDArray[np.int32]:
        texts = [str(one) for one in table[name]] if name in table else [choices[0]] * len(time)
        wrong = [one for one in texts if one not in choices]
        if wrong:
            raise ValueError(f"{name} is {wrong[0]!r} (must be {' or '.join(choices)})")
        return np.array([choices.index(one) for one in texts], dtype=np.int32)

    weight = numbers(table["weight"], "weight").reshape(-1) if "weight" in table else (
        np.ones(len(time)))
    out: dict[str, Any] = {
        "first": rows("first", events), "second": rows("second", events),
        "station": rows("station", stations), "phase": choice("phase", ("P", "S")),
        "kind": choice("kind", KINDS), "time": time, "weight": weight,
    }
    if len({len(column) for column in out.values()}) > 1:
        raise ValueError("columns of differences have different lengths")
    return out
