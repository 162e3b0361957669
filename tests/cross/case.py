"""One cell of the cross test: a medium, its phases, the kind of input and the precision."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fermat as fm
import numpy as np
from media import VP_VS, Medium, on_sphere

ORIGIN_TIME = 100.0


@dataclass
class Case:
    medium: Medium
    phases: str  # "P" or "P,S"
    given: str  # "array", "table" or "file"
    precision: str  # "single" or "double"
    folder: Path
    fermat: Any = None  # runs the program

    @property
    def both(self) -> bool:
        return self.phases == "P,S"

    @property
    def vp_vs(self) -> dict[str, float]:
        return {"vp_vs": VP_VS} if self.both else {}

    @property
    def flags(self) -> list[str]:
        return ["--vp-vs", str(VP_VS)] if self.both else []

    def model(self) -> fm.Model:
        model = self.medium.make(np.float32 if self.precision == "single" else np.float64)
        if self.given == "file":
            model.save(self.folder / "given.h5")
            return fm.Model.load(self.folder / "given.h5")
        if self.given == "table" and "metric" not in self.medium.kinds:
            half = 0.5 if model.cells else 0
            at = np.stack(np.meshgrid(*(np.arange(n) + half for n in model.velocity.shape), indexing="ij"))
            table = dict(zip(self.medium.columns, at.reshape(model.ndim, -1), strict=True))
            self.write("given.csv", table | {"velocity": model.velocity.ravel()})
            return fm.Model.load(self.folder / "given.csv", cells=model.cells)
        return model

    def file(self, model: fm.Model | None = None, name: str = "model.h5") -> str:
        (model or self.model()).save(self.folder / name)
        return name

    # -- points, stations, events and picks as arrays, tables and files

    def table(self, points: np.ndarray) -> dict[str, np.ndarray]:
        return dict(zip(self.medium.columns, points.T, strict=True))

    def write(self, name: str, table: dict[str, Any]) -> str:
        with open(self.folder / name, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(table)
            writer.writerows(zip(*table.values(), strict=True))
        return name

    def sources_and_receivers(self) -> list[str]:
        """Flags of the program for the points of the medium."""
        return ["--sources", self.write("sources.csv", self.table(self.medium.events)),
                "--receivers", self.write("receivers.csv", self.table(self.medium.stations))]

    def rows(self) -> list[tuple[int, int, str, float]]:
        """Event, station, phase and time of travel of each pick."""
        return [(e, s, phase, time)
                for phase in self.phases.split(",")
                for e, row in enumerate(self.medium.times(phase))
                for s, time in enumerate(row)]

    def picks(self, events: np.ndarray | None = None) -> Any:
        """Times of travel, as fm.invert takes them; `events`: other places for those of an array."""
        event, station, phase, time = zip(*self.rows(), strict=True)
        if self.given == "array":
            return fm.Picks(self.medium.events if events is None else events, self.medium.stations,
                            source=event, receiver=station,
                            time=time, phase=list(phase), error=0.01)
        columns = self.pick_columns()
        if self.given == "table":
            # Python's tables have the model's coordinates under x, y and z.
            turned = {"latitude": "x", "longitude": "y"}
            for name in list(columns):
                end, _, axis = name.partition("_")
                columns[f"{end}_{turned[axis]}" if axis in turned else name] = columns.pop(name)
            return fm.picks(columns)
        found = fm.picks(self.folder / self.write("travel.csv", columns))
        return found.geographic() if "sphere" in self.medium.kinds else found

    def pick_columns(self) -> dict[str, Any]:
        event, station, phase, time = zip(*self.rows(), strict=True)
        columns: dict[str, Any] = {}
        for end, points in (("source", self.medium.events[list(event)]),
                            ("receiver", self.medium.stations[list(station)])):
            for name, values in self.table(points).items():
                columns[f"{end}_{'z' if name == 'depth' else name}"] = values.tolist()
        return columns | {"time": time, "error": [0.01] * len(time), "phase": phase}

    def stations(self) -> Any:
        table = {"station": [f"S{n}" for n in range(len(self.medium.stations))],
                 **self.table(self.medium.stations)}
        return self.folder / self.write("stations.csv", table) if self.given == "file" else table

    def arrivals(self) -> dict[str, Any]:
        """Times on the clock: a table of phases, as locate takes it."""
        event, station, phase, time = zip(*self.rows(), strict=True)
        return {"event": [f"q{n}" for n in event], "station": [f"S{n}" for n in station], "phase": phase,
                "time": ORIGIN_TIME + np.array(time), "error": [0.01] * len(time)}

    def arrival_picks(self) -> fm.Picks:
        """The same as Picks of events whose places are not known."""
        event, station, phase, time = zip(*self.rows(), strict=True)
        return fm.Picks(np.full_like(self.medium.events, np.nan), self.medium.stations, source=event,
                        receiver=station, time=ORIGIN_TIME + np.array(time), phase=list(phase), error=0.01,
                        event=[f"q{n}" for n in range(len(self.medium.events))],
                        station=[f"S{n}" for n in range(len(self.medium.stations))])

    def displaced(self) -> np.ndarray:
        """The events off their places, by shifts whose mean is 0."""
        off = np.array([(0.3, -0.2, 0.2), (-0.2, 0.3, -0.3), (-0.3, -0.2, 0.2), (0.2, 0.1, -0.1)])
        size = np.array((0.02, 0.02, 1)) if "sphere" in self.medium.kinds else 1
        off = (off * size)[:, [0, 2]] if self.medium.ndim == 2 else off * size
        return self.medium.events + off

    def lengths(self, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """The straight ways between two sets of points."""
        if "sphere" in self.medium.kinds:
            start, end = (np.array([on_sphere(p) for p in at]) for at in (start, end))
        return np.linalg.norm(end - start, axis=1)

    def displaced_picks(self) -> fm.Picks:
        """Times of travel of the events off their places, with names of events and stations."""
        event, station, phase, time = zip(*self.rows(), strict=True)
        return fm.Picks(self.displaced(), self.medium.stations, source=event, receiver=station, time=time,
                        phase=list(phase), error=0.01, event=[str(n) for n in range(len(self.medium.events))],
                        station=[f"S{n}" for n in range(len(self.medium.stations))])

    def displaced_table(self) -> Any:
        table = {"event": [str(n) for n in range(len(self.medium.events))], **self.table(self.displaced()),
                 "origin_time": [0.0] * len(self.medium.events)}
        return self.folder / self.write("events.csv", table) if self.given == "file" else table

    def differences(self) -> Any:
        """Times of travel of one event minus those of another, of all pairs."""
        rows = [(str(a), str(b), f"S{s}", phase, times[a, s] - times[b, s], "correlation")
                for phase in self.phases.split(",")
                for times in [self.medium.times(phase)]
                for a in range(len(times)) for b in range(a)
                for s in range(times.shape[1])]
        names = ("first", "second", "station", "phase", "time", "kind")
        if self.given == "table":
            return {name: [row[n] for row in rows] for n, name in enumerate(names)}
        lines = [f"# {a} {b} 0.0\n{s} {time:.9f} 1.0 {phase}\n" for a, b, s, phase, time, _ in rows]
        (self.folder / "dt.cc").write_text("".join(lines))
        return [self.folder / "dt.cc"]

    # -- what results must be

    def agree(self, times: Any, phase: str = "P") -> None:
        """Times (events, stations) against the closed form."""
        got, want = np.asarray(times, float), self.medium.times(phase)
        assert got.shape == want.shape
        assert np.abs(got / want - 1).max() < self.medium.tolerance

    def at_events(self, places: np.ndarray, relative: bool = False, events: slice = slice(None)) -> None:
        """Places against those of the events, to a share of a step of the grid."""
        got, want = np.array(places, float), self.medium.events[events]
        assert got.shape == want.shape
        step = 1.0
        if "sphere" in self.medium.kinds:
            got, want, step = *(np.array([on_sphere(p) for p in at]) for at in (got, want)), 10.0
        off = got - want
        if relative:
            off = off - off.mean(axis=0)
        assert np.linalg.norm(off, axis=1).max() < step * (0.02 + 30 * self.medium.tolerance)

    def read(self, name: str) -> list[dict[str, str]]:
        with open(self.folder / name) as file:
            return list(csv.DictReader(file))

    def read_places(self, name: str) -> np.ndarray:
        rows = self.read(name)
        axes = [axis if axis in rows[0] else "z" for axis in self.medium.columns]
        return np.array([[float(row[axis]) for axis in axes] for row in rows])
