"""Where earthquakes were relative to one another, from differences of times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _arguments as arguments
from . import _core
from ._checked import checked
from ._differences import KINDS, differences_of, fitted, made_differences
from ._notes import tell
from ._picks import Picks
from ._plane import Plane
from ._progress import listener
from ._sphere import NAMES, off_plane, on_sphere
from ._tables import column, columns_of, ids_of, is_file, on_axes, places, seconds_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ._arguments import Device, Progress
    from ._core import Model
    from ._tables import File, Table

__all__ = ["Relocation", "relocate"]


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
        Standard deviations while the neighbours stay, or with `bootstrap` those of the place relative
        to the centroid of its cluster. On a sphere those of the place are lengths to
        the east, to the north and down.
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
        self.axis_names: tuple[str, ...] = ("x", "z") if ndim == 2 else ("x", "y", "z")

    def __len__(self) -> int:
        return len(self.event)

    @property
    def shift(self) -> NDArray[np.float64]:
        """How far each event was moved."""
        return self.position - self.given

    def to_columns(self) -> dict[str, Any]:
        """One entry per column: `pandas.DataFrame(relocation.to_columns())`.

        Examples
        --------
        >>> import fermat as fm
        >>> model = fm.Model.gradient((41, 41, 21), v0=5, gradient=0.05)
        >>> stations = {"station": list("ABCD"), "x": [5, 35, 6, 33], "y": [5, 6, 34, 35], "z": [0] * 4}
        >>> events = {"event": [1, 2], "x": [20, 20.5], "y": [20, 20], "z": [8, 8],
        ...           "origin_time": [0, 0]}
        >>> differences = {"first": [1] * 4, "second": [2] * 4, "station": list("ABCD"),
        ...                "phase": ["P"] * 4, "time": [0.03, -0.03, 0.03, -0.03]}
        >>> columns = fm.relocate(model, events, stations, differences).to_columns()
        >>> list(columns)[:5], columns["event"]
        (['event', 'cluster', 'x', 'y', 'z'], ['1', '2'])
        """
        table: dict[str, Any] = {"event": self.event, "cluster": self.cluster}
        names = "xz" if self.ndim == 2 else "xyz"
        for n, name in enumerate(self.axis_names):
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


@checked
def relocate(
    model: Model,
    events: Table | Picks,
    stations: Table | None = None,
    differences: File | Sequence[File] | Mapping[str, Any] = (),
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
    bootstrap: int = 0,
    separation: float = 10,
    neighbours: int = 10,
    least_shared: int = 8,
    most_shared: int = 50,
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
        Velocity of P, in any coordinates. If it depends on depth alone, on a Cartesian grid,
        stations may lie beside the model.
    events
        Where and when events were: a CSV file or table with event,x,y,z,origin_time, or hypoDD's
        event.dat or phase.dat. Or `Picks` with places and origin times, as `read_picks` gives them:
        stations are then in them, and without `differences` these are made of the picks of
        neighbouring events (see `separation`).
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
    bootstrap
        Relocations with stations weighted by chance, whose spread is the error of relative places;
        0: errors are those while neighbours stay.
    separation, neighbours, least_shared, most_shared
        Of differences made of picks: largest distance of two events that are paired, how many
        each is paired with, the nearest first, and how many stations and phases a pair must and
        may share.
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
    pairs = {"separation": float(separation), "neighbours": int(neighbours),
             "least_shared": int(least_shared), "most_shared": int(most_shared)}
    none = isinstance(differences, (tuple, list)) and not differences
    if none and isinstance(events, Picks):
        given |= made_differences(model, events, pairs)
    else:
        given |= differences_of(differences, event_ids, station_ids)
    options: dict[str, Any] = {
        "iterations": int(iterations), "damping": float(damping), "trim": float(trim),
        "catalogue_reach": float(catalogue_reach), "correlation_reach": float(correlation_reach),
        "least_links": int(least_links), "bootstrap": int(bootstrap), "solver": solver, "order": int(order), "device": device,
        "threads": int(threads),
    }
    ground = None if surface is None else arguments.points(model, surface, "surface")
    found = _core.relocate(
        model, s_model, 0.0 if vp_vs is None else float(vp_vs), given, ground, options,
        listener(progress),
    )
    tell(found["notes"])
    columns = fitted(given, found, event_ids, station_ids)
    relocation = Relocation(event_ids, given, found, columns, model.ndim, plane)
    if on_sphere(model):
        relocation.axis_names = NAMES
    return relocation


def _places(
    model: Model, events: Table | Picks, stations: Table | None,
    centre: tuple[float, float] | None
) -> tuple[dict[str, Any], list[str], list[str], Plane | None]:
    if isinstance(events, Picks):
        return _places_of_picks(model, events, stations, centre)
    if stations is None:
        raise ValueError("stations is missing (must be a file or table with station,x,y,z)")
    if is_file(events) != is_file(stations):
        raise ValueError("events and stations must both be files, or both be tables")
    if is_file(events):
        read = _core.load_hypocentres(events, stations, centre)  # type: ignore[arg-type]
        tell(read.notes)
        given = {"events": on_axes(model, read.event_places), "stations": on_axes(model, read.station_places)}
        on_plane = Plane(read.plane) if read.plane else None
        if on_sphere(model):
            given = {name: off_plane(at, on_plane) for name, at in given.items()}
            on_plane = None
        given["origin_time"] = read.origin_time
        return given, read.event_ids, read.station_ids, on_plane
    if centre is not None:
        raise ValueError("centre is for files (tables have x and y)")
    event_ids, at_events = places(model, events, "event", unknown=True)
    station_ids, at_stations = places(model, stations, "station")
    origin = column(columns_of(events, "events"), "origin_time", "events")
    times = seconds_of(origin, "origin_time")
    given = {"events": at_events, "stations": at_stations, "origin_time": times}
    return given, event_ids, station_ids, None


def _places_of_picks(
    model: Model, picks: Picks, stations: Table | None, centre: tuple[float, float] | None
) -> tuple[dict[str, Any], list[str], list[str], Plane | None]:
    if stations is not None or centre is not None:
        raise ValueError("stations and their plane are in the picks (leave stations and centre out)")
    picks._require_places("relocate")
    if picks.ndim != model.ndim:
        raise ValueError(f"picks are {picks.ndim}-D and the model is {model.ndim}-D")
    given = {"events": picks.sources, "stations": picks.receivers, "origin_time": picks.origin_time}
    return given, ids_of(picks.event), ids_of(picks.station), picks.plane
