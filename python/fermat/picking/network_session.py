"""Records of a network and their project: P and S, located while they are picked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .auto import Picked
from .events import BAND, DELAY, S_PERIOD, arrivals_of, event_picks, frequency_of_events, pick_events
from .export import write_events
from .hypocentres import VP_VS, Ground, Located, locate_events
from .network import component_of, stations_in
from .phases import onset_near
from .session import Session, _finite, _numbers, _whole
from .signal import band_pass, without_offset

if TYPE_CHECKING:
    from .._picks import Picks
    from .project import Project
    from .records import Records

__all__ = ["NetworkSession"]

SNAP = 3.0  # a click finds onsets within so many periods
ELLIPSE = 48  # points of an ellipse


class NetworkSession(Session):
    """One project of one network's records."""

    exports = {"csv": "picks.csv", "quakeml": "events.xml", "hypodd": "hypodd", "nonlinloc": "nonlinloc"}

    def __init__(
        self, records: Records, project: Project, *, model: Any = None, vp_vs: float = VP_VS,
        picker: Callable[..., Any] | None = None,
    ) -> None:
        super().__init__(records, project)
        self.picker = picker
        placed = any(np.isfinite(record.receivers).all(axis=1).any() for record in records)
        self.ground = Ground.of(model, records, vp_vs) if placed else None
        self._filtered: dict[int, Any] = {}

    def _measure(self) -> float:
        try:
            return frequency_of_events(self.records)
        except ValueError:
            return 5.0

    def meta(self) -> dict[str, Any]:
        """All that the page needs to begin; traces have a station, a component and a place."""
        shown = super().meta()
        for record, row in zip(self.records, shown["records"]):
            names = [""] * len(record)
            for station in stations_in(record):
                for k in station.traces:
                    names[k] = station.name
            row["stations"] = names
            row["components"] = [component_of(record, k) for k in range(len(record))]
            row["began"] = None if record.began is None else str(record.began)
        return shown | {"network": True, "unit": "km" if self.records.plane is not None else ""}

    def held(self) -> Any:
        """P and S of the project."""
        return self.picked("P"), self.picked("S")

    def picks(self) -> Picks:
        """Of all events, at the places that they locate to."""
        first, later = self.held()
        arrivals = arrivals_of(first, later)
        return event_picks(self.records, arrivals, self._located(first, later))

    def _located(self, first: Picked, later: Picked) -> Located | None:
        if self.ground is None:
            return None
        try:
            return locate_events(self.records, self.ground, arrivals_of(first, later))
        except ValueError:
            return None

    def fitted(self, found: Any, revision: int) -> dict[str, Any]:
        """Where events are, as the page draws it."""
        if self.ground is None:
            raise ValueError("places of the stations are not known: nothing is located (start with --receivers)")
        first, later = found
        located = locate_events(self.records, self.ground, arrivals_of(first, later))
        catalogue = located.catalogue
        events = []
        for n, row in sorted(located.row.items()):
            event = {"record": n, "status": catalogue.status[row], "picks": int(catalogue.picks[row])}
            if catalogue.located[row]:
                event |= self._shown(located, n, row)
            events.append(event)
        residuals = np.asarray(catalogue.fits["residual"], dtype=float)
        known = np.isfinite(residuals)
        return {
            "revision": revision, "events": events, "picks": int(known.sum()),
            "rejected": int((np.asarray(catalogue.fits["weight"])[known] < 0.5).sum()),
            "rms": float(np.sqrt((residuals[known] ** 2).mean())) if known.any() else None, "chi2": None,
            "predicted": [_numbers(row) for row in located.first], "predictedS": [_numbers(row) for row in located.later],
            "notes": [],
        }

    def _shown(self, located: Located, n: int, row: int) -> dict[str, Any]:
        """One event: its place, its ellipse, distances of traces, and curves of time over distance."""
        assert self.ground is not None
        catalogue, record = located.catalogue, self.records[n]
        place = catalogue.position[row]
        far = np.hypot(record.receivers[:, 0] - place[0], record.receivers[:, 1] - place[1])
        furthest = float(np.nanmax(far)) if np.isfinite(far).any() else 1.0
        x, p = self.ground.curve(float(place[2]), 1.05 * furthest)
        angle = np.linspace(0, 2 * np.pi, ELLIPSE)
        values, axes = np.linalg.eigh(catalogue.covariance[row][:2, :2])
        ring = (1.515 * np.sqrt(np.maximum(values, 0)) * axes) @ np.array([np.cos(angle), np.sin(angle)])  # 68 % in 2-D
        began = 0.0 if record.began is None else float(record.began.timestamp)
        out = {
            "place": _numbers(place), "errors": _numbers(np.sqrt(np.diag(catalogue.covariance[row]))),
            "origin": float(catalogue.origin_time[row]) - began, "rms": float(catalogue.rms[row]),
            "gap": float(catalogue.gap[row]), "used": int(catalogue.used[row]), "distance": _numbers(far),
            "ellipse": [_numbers(point) for point in (ring.T + place[:2])],
            "curve": {"x": _numbers(x), "p": _numbers(p), "s": _numbers(self.ground.vp_vs * p)},
        }
        if self.records.plane is not None:
            east, north = self.records.plane.to_geographic(place[:1], place[1:2])
            out["degrees"] = [float(east[0]), float(north[0])]
        return out

    def find(self, rounds: int, progress: Any = None) -> Any:
        """P and S by the automatic picker."""
        ground: dict[str, Any] = {} if self.ground is None else {"model": self.ground.model, "vp_vs": self.ground.vp_vs}
        return pick_events(self.records, rounds=rounds, frequency=self.frequency, picker=self.picker,
                           progress=progress, **ground)

    def snap(self, n: int, trace: int, time: float, phase: str = "P") -> dict[str, Any] | None:
        """The onset near a time: of P on this trace, of S on the horizontal ones of its station."""
        record = self.records[_whole(n, len(self.records), "record")]
        trace = _whole(trace, len(record), "trace")
        station = next(one for one in stations_in(record) if trace in one.traces)
        which = [trace] if phase == "P" or not station.across else station.across
        if n not in self._filtered:
            if len(self._filtered) > 4:
                self._filtered.clear()
            self._filtered[n] = band_pass(
                without_offset(record.data), record.interval, BAND[0] * self.frequency, BAND[1] * self.frequency, causal=True)
        period = 1 / (self.frequency * record.interval)
        late = DELAY * period
        centre = (_finite(time, "time") - record.start) / record.interval + late
        onset = onset_near(
            self._filtered[n][which], centre, SNAP * period, period * (1 if phase == "P" else S_PERIOD))
        if onset is None:
            return None
        return {"time": record.start + (onset.at - late) * record.interval, "error": onset.error * record.interval,
                "polarity": onset.sign}

    def write(self, form: str, folder: Path) -> Path:
        """Events with their picks, by the name of the format."""
        first, later = self.held()
        place = folder / self.exports[form]
        located = self._located(first, later)
        if form in ("hypodd", "nonlinloc"):
            place.mkdir(exist_ok=True)
            names = {"hypodd": ("phase.dat", "station.dat"), "nonlinloc": ("events.obs", "stations.txt")}[form]
            write_events(self.picks(), located, place / names[0], place / names[1])
        else:
            write_events(self.picks(), located, place)
        return place
