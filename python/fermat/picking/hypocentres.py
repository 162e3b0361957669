"""Where the events of a network were: a ground to locate in, and the times that it predicts."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._core import Model
from .._earth import Earth
from .._locate import Catalogue, locate
from .._times import receiver_times
from .network import stations_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .records import Records

__all__ = ["Arrival", "Ground", "Located", "locate_events"]

VP_VS = 1.73
NODES = 60  # across the box of the default ground
LEAST_PICKS = 4


class Arrival(NamedTuple):
    """One pick of an event's record, in s after its first sample."""

    record: int
    station: str
    phase: str
    time: float
    error: float


class Ground:
    """A model of P, the ratio of velocities, and whether it depends on depth alone."""

    def __init__(self, model: Model, vp_vs: float = VP_VS) -> None:
        if model.ndim != 3:
            raise ValueError(f"model is {model.ndim}-D (earthquakes need a 3-D one)")
        if not vp_vs > 1:
            raise ValueError(f"vp_vs is {vp_vs:g} (must be > 1)")
        self.model, self.vp_vs = model, float(vp_vs)
        velocity = np.asarray(model.velocity, dtype=float)
        self.origin = np.asarray(model.origin, dtype=float)
        self.spacing = np.broadcast_to(np.asarray(model.spacing, dtype=float), 3)
        self.profile = velocity[velocity.shape[0] // 2, velocity.shape[1] // 2]
        self.layered = bool((velocity == velocity[:1, :1]).all())

    @classmethod
    def of(cls, model: Any, records: Records, vp_vs: float = VP_VS) -> Ground:
        """Of a model, of a file of one, or by default iasp91 below and round the stations."""
        if isinstance(model, Model):
            return cls(model, vp_vs)
        if model is not None:
            return cls(Model.load(os.fspath(model)), vp_vs)
        points = _station_places(records)
        if not len(points):
            raise ValueError("places of the stations are not known (give `receivers`: StationXML, or a CSV with "
                             "station, longitude, latitude and elevation)")
        low, high = points.min(axis=0), points.max(axis=0)
        km = 1.0 if records.plane is not None or np.ptp(points[:, :2], axis=0).max() < 2000 else 1000.0
        wide = max(float((high - low)[:2].max()), 5 * km)
        deep = float(np.clip(wide, 30 * km, 200 * km))
        margin, step = 0.6 * wide, 2.2 * wide / NODES
        top = min(float(low[2]), 0.0) - 0.5 * km
        shape = [int((high[n] - low[n] + 2 * margin) / step) + 2 for n in (0, 1)]
        depth = top + step * np.arange(int((deep - top) / step) + 2)
        profile = Earth("iasp91").velocity(np.maximum(depth, 0.0) / km) * km
        velocity = np.broadcast_to(profile, (*shape, len(depth))).astype(np.float32)
        return cls(Model(
            np.ascontiguousarray(velocity), spacing=step, origin=(low[0] - margin, low[1] - margin, top)), vp_vs)

    def times(self, place: NDArray[np.float64], stations: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of P from a place to stations (n, 3)."""
        if not self.layered:
            return np.asarray(receiver_times(self.model, [place], stations)).reshape(-1)
        far = np.hypot(*(stations[:, :2] - place[:2]).T)
        return self._flat_times(place[2], far, stations[:, 2])

    def curve(self, depth: float, furthest: float, count: int = 40) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Distances, and times of P there at z = 0 (or at the top of the model, if it is deeper)."""
        far = np.linspace(0, furthest, count)
        return far, self._flat_times(depth, far, np.full(count, max(0.0, self.origin[2])))

    def _flat_times(self, depth: float, far: NDArray[np.float64], z: NDArray[np.float64]) -> NDArray[np.float64]:
        step = self.spacing[2]
        columns = int(far.max() / step) + 3
        section = Model(
            np.ascontiguousarray(np.broadcast_to(self.profile, (columns, len(self.profile))).astype(np.float32)),
            spacing=float(step), origin=(0.0, float(self.origin[2])))
        bottom = self.origin[2] + step * (len(self.profile) - 1)
        inside = np.clip(z, self.origin[2], bottom)
        return np.asarray(receiver_times(
            section, [(0.0, float(np.clip(depth, self.origin[2], bottom)))], np.column_stack([far, inside]))).reshape(-1)


class Located(NamedTuple):
    """A catalogue with one event per record that has one, its rows, and times of P and S per record and
    trace after the first sample; NaN where an event has no place."""

    catalogue: Catalogue
    row: dict[int, int]
    first: list[NDArray[np.float64]]
    later: list[NDArray[np.float64]]


def locate_events(records: Records, ground: Ground, arrivals: list[Arrival], **options: Any) -> Located:
    """Locates each record's event from its arrivals; the first of a station and phase by error counts."""
    best: dict[tuple[int, str, str], Arrival] = {}
    places = _places_by_name(records)
    for one in arrivals:
        key = one[:3]
        if one.station in places and (key not in best or one.error < best[key].error):
            best[key] = one
    rows = sorted(best.values())
    if len(rows) < LEAST_PICKS:
        raise ValueError(f"{len(rows)} picks at known stations are too few to locate (at least {LEAST_PICKS})")
    names = sorted({one.station for one in rows})
    table = {
        "event": [records[one.record].name for one in rows], "station": [one.station for one in rows],
        "phase": [one.phase for one in rows], "error": [one.error for one in rows],
        "time": [_clock(records[one.record]) + one.time for one in rows],
    }
    where = {"station": names} | {axis: [float(places[name][n]) for name in names] for n, axis in enumerate("xyz")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = locate(ground.model, table, stations=where, vp_vs=ground.vp_vs, least_picks=LEAST_PICKS, **options)
    found.plane = records.plane
    numbered = {name: n for n, name in enumerate(found.event)}
    row = {n: numbered[record.name] for n, record in enumerate(records) if record.name in numbered}
    first, later = [], []
    for n, record in enumerate(records):
        p, s = np.full(len(record), np.nan), np.full(len(record), np.nan)
        known = np.flatnonzero(np.isfinite(record.receivers).all(axis=1))
        if n in row and found.located[row[n]] and len(known):
            began = float(found.origin_time[row[n]]) - _clock(record)
            took = ground.times(found.position[row[n]], record.receivers[known])
            p[known], s[known] = began + took, began + ground.vp_vs * took
        first.append(p)
        later.append(s)
    return Located(found, row, first, later)


def _clock(record: Any) -> float:
    return float(record.began.timestamp) if record.began is not None else 0.0


def _places_by_name(records: Records) -> dict[str, NDArray[np.float64]]:
    found: dict[str, NDArray[np.float64]] = {}
    for record in records:
        for station in stations_in(record):
            place = record.receivers[station.traces[0]]
            if np.isfinite(place).all():
                found.setdefault(station.name, place)
    return found


def _station_places(records: Records) -> NDArray[np.float64]:
    return np.array(list(_places_by_name(records).values())).reshape(-1, 3)
