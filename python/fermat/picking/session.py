"""Records and their project together: what the page asks for and what it changes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .auto import Picked, pick_all, picks_of, reciprocal_times
from .export import write_picks
from .gather import SMEAR, Gather, frequency_of
from .live import fitted
from .onset import lobes_of
from .path import lobe_scores
from .signal import band_pass, dead, without_offset
from .statics import Static

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._picks import Picks
    from .project import Project
    from .records import Records

__all__ = ["Session"]

PHASES = ("P", "S")
LONGEST_NOTE = 500
SNAP = 0.6  # a click finds onsets within so many periods


class Session:
    """One project of one set of records. What differs for a network is in `NetworkSession`."""

    exports = {"csv": "picks.csv", "sgt": "picks.sgt", "tx": "tx.in", "pyrefra": "pyrefra", "segy": "segy",
               "hypodd": "phase.dat"}

    def __init__(self, records: Records, project: Project) -> None:
        self.records = records
        self.project = project
        self.index = {record.name: n for n, record in enumerate(records)}
        if len(self.index) < len(records):
            raise ValueError(f"{len(records) - len(self.index)} records have the name of another (rename their files)")
        self._frequency: float | None = None
        self._gathers: dict[int, Gather] = {}
        self._given = [(record.source.copy(), record.receivers.copy()) for record in records]
        self.take_places()

    # What is known ----------------------------------------------------------------------------

    @property
    def frequency(self) -> float:
        """Of the first arrivals in Hz, measured once on a few records."""
        if self._frequency is None:
            self._frequency = self._measure()
        return self._frequency

    def _measure(self) -> float:
        step = max(len(self.records) // 5, 1)
        found = [frequency_of(self.records[n]) for n in range(0, len(self.records), step)]
        return float(np.nanmedian(found)) if np.isfinite(found).any() else 50.0

    def meta(self) -> dict[str, Any]:
        """All that the page needs to begin, without samples."""
        line = self.records.line
        shown = []
        for record in self.records:
            known = bool(np.isfinite(record.receivers).all())
            x = line.onto(record.receivers)[:, 0] if known else np.arange(len(record), dtype=float)
            source = line.onto(record.source)[0, 0] if np.isfinite(record.source).all() else math.nan
            shown.append({
                "name": record.name, "traces": len(record), "samples": record.samples,
                "interval": record.interval, "start": record.start, "shot": record.shot,
                "placed": record.placed, "source": _numbers(record.source), "sourceX": _number(source),
                "x": _numbers(x), "receivers": [_numbers(place) for place in record.receivers],
                "channels": record.channels.tolist(), "offset": _numbers(record.offset),
            })
        return {"records": shown, "ndim": line.ndim, "notes": [*self.records.notes, *self.project.notes]}

    def state(self) -> dict[str, Any]:
        """What changes: picks, statics, settings, and what undo and redo would do."""
        project = self.project
        return {
            "revision": project.revision, "picks": project.state["pick"], "statics": project.state["static"],
            "settings": project.state["setting"],
            "undo": project.done[-1]["what"] if project.done else None,
            "redo": project.undone[-1]["what"] if project.undone else None,
            "changes": len(project.done),
        }

    def samples(self, n: int, low: float | None, high: float | None) -> NDArray[np.float32]:
        """For drawing: the largest amplitude of each trace, then the traces over it; dead ones are 0."""
        record = self.records[n]
        data = np.nan_to_num(without_offset(record.data))
        if low or high:
            data = band_pass(data, record.interval, low, high)
        most = np.abs(data).max(axis=1, keepdims=True)
        data = np.divide(data, most, out=np.zeros_like(data), where=most > 0)
        data[dead(record.data)] = 0
        return np.concatenate([most.ravel(), data.ravel()]).astype("<f4")

    def picked(self, phase: str = "P") -> Picked:
        """The picks of the project as the picker's own result; those marked as bad are not in it."""
        out = Picked(self.records, self._frequency or 0.0)
        for key, pick in self.project.state["pick"].items():
            name, trace, kind = key.rsplit("/", 2)
            n = self.index.get(name)
            if n is None or kind != phase or pick.get("bad"):
                continue
            k = int(trace)
            if k < len(self.records[n]):
                out.time[n][k], out.error[n][k] = pick["time"], pick["error"]
        for name, static in self.project.state["static"].items():
            if name in self.index:
                out.statics[self.index[name]] = Static(static["time"], static.get("zero", False), static.get("pairs", 0))
        return out

    def held(self) -> Any:
        """What a model is made of."""
        return self.picked()

    def fitted(self, found: Any, revision: int) -> dict[str, Any]:
        """A model of what `held` gave, as the page draws it."""
        return fitted(self.records, found, revision)

    def write(self, form: str, folder: Path) -> Path:
        """Picks in a format of `exports`, into a folder."""
        place = folder / self.exports[form]
        write_picks(self.picks(), place, records=self.records, picked=self.picked())
        return place

    def picks(self) -> Picks:
        """For files and inversion: P, and S beside them."""
        found = self.picked()
        statics = [static.time for static in found.statics]
        return picks_of(self.records, found.time, found.error, statics, later=self.picked("S"))

    def reciprocal(self) -> list[list[Any]]:
        """Per record, what the shot at a trace's place says of it."""
        return [_numbers(row) for row in reciprocal_times(self.picked())]

    # What is changed --------------------------------------------------------------------------

    def change(self, rows: Any, what: str) -> None:
        """Set or remove (time None) picks; one step of undo. Refuses what is out of range."""
        items: list[tuple[str, str, Any]] = []
        for row in rows:
            n, trace = _whole(row.get("record"), len(self.records), "record"), row.get("trace")
            record = self.records[n]
            trace = _whole(trace, len(record), "trace")
            phase = row.get("phase", "P")
            if phase not in PHASES:
                raise ValueError(f"phase is {phase!r} (must be P or S)")
            key = f"{record.name}/{trace}/{phase}"
            if row.get("time") is None:
                items.append(("pick", key, None))
                continue
            before = self.project.get("pick", key) or {}
            time, error = _finite(row["time"], "time"), row.get("error")
            last = record.start + record.interval * record.samples
            if not record.start <= time <= last:
                raise ValueError(f"time is {time:g} s (the record has {record.start:g} to {last:g} s)")
            error = before.get("error", 0.05 / self.frequency) if error is None else _finite(error, "error")
            if not error > 0:
                raise ValueError(f"error is {error:g} s (must be > 0)")
            pick = {"time": time, "error": error, "by": str(row.get("by", "hand"))[:20]}
            for name in ("note", "bad", "quality"):
                value = row.get(name, before.get(name))
                if value:
                    pick[name] = str(value)[:LONGEST_NOTE] if name == "note" else (
                        True if name == "bad" else _finite(value, name))
            items.append(("pick", key, pick))
        self.project.change(items, what)

    def set_static(self, n: int, time: float | None) -> None:
        """By hand; None takes it away."""
        name = self.records[_whole(n, len(self.records), "record")].name
        value = None if time is None else {"time": _finite(time, "time"), "by": "hand"}
        self.project.change([("static", name, value)], f"static of {name}")

    def set_place(self, kind: str, key: str, place: Any) -> None:
        """Of a shot (key: record) or a receiver (key: number), as x, y, z with z downward."""
        if kind not in ("shot", "receiver"):
            raise ValueError(f"a place is of a {kind!r} (must be shot or receiver)")
        point = [_finite(value, "place") for value in place]
        if len(point) != 3:
            raise ValueError(f"a place has {len(point)} numbers (must be x, y, z)")
        if kind == "shot" and key not in self.index:
            raise ValueError(f"no record is named {key!r}")
        self.project.change([("place", f"{kind}/{key}", point)], f"place of {kind} {key}")
        self.take_places()

    def turn_back(self) -> None:
        """Undo."""
        self.project.undo()
        self.take_places()

    def turn_on(self) -> None:
        """Redo."""
        self.project.redo()
        self.take_places()

    def take_places(self) -> None:
        """Typed places over those of headers and tables."""
        for record, (source, receivers) in zip(self.records, self._given):
            record.source, record.receivers = source.copy(), receivers.copy()
        for key, place in self.project.state["place"].items():
            kind, _, name = key.partition("/")
            for record in self.records:
                if kind == "shot" and record.name == name:
                    record.source = np.array(place, dtype=float)
                elif kind == "receiver":
                    record.receivers[record.channels.astype(str) == name] = place

    def snap(self, n: int, trace: int, time: float, phase: str = "P") -> dict[str, Any] | None:
        """The likeliest onset of P near a time; None where there is none."""
        if phase != "P":
            return None
        record = self.records[_whole(n, len(self.records), "record")]
        trace = _whole(trace, len(record), "trace")
        if n not in self._gathers:
            if len(self._gathers) > 8:
                self._gathers.clear()
            self._gathers[n] = Gather(record, np.arange(len(record), dtype=float), self.frequency)
        gather = self._gathers[n]
        centre = (_finite(time, "time") - record.start) / record.interval
        row, period = gather.traces[trace], gather.period
        reach = (SNAP + 0.3) * period
        lobes = lobes_of(row, int(centre - reach), int(centre + reach), period, gather._noise(row, int(centre)))
        lobes = [one for one in lobes if abs(one.onset + SMEAR * period - centre) <= SNAP * period]
        if not lobes:
            return None
        away = np.array([abs(one.onset + SMEAR * period - centre) / period for one in lobes])
        best = lobes[int((lobe_scores(lobes) - 4 * away).argmax())]
        spread = math.hypot(0.03 * period, best.doubt)
        return {
            "time": record.start + (best.onset + SMEAR * period) * record.interval,
            "error": spread * record.interval, "polarity": best.sign,
        }

    def find(self, rounds: int, progress: Any = None) -> Any:
        """First arrivals by the automatic picker."""
        return pick_all(self.records, rounds=rounds, frequency=self.frequency, progress=progress)

    def take(self, found: Picked, keep_hand: bool = True) -> str:
        """The picker's result as one change; what was done by hand stays."""
        items: list[tuple[str, str, Any]] = []
        count = 0
        phases: list[tuple[str, Any]] = [("P", found)]
        if hasattr(found, "later"):
            phases.append(("S", found.later))
        for phase, each in phases:
            for n, record in enumerate(self.records):
                for k in range(len(record)):
                    key = f"{record.name}/{k}/{phase}"
                    before = self.project.get("pick", key)
                    if keep_hand and before and before["by"] == "hand":
                        continue
                    time = each.time[n][k]
                    count += bool(np.isfinite(time))
                    items.append(("pick", key, None if not np.isfinite(time) else {
                        "time": float(time), "error": float(each.error[n][k]), "by": "auto",
                        "quality": round(float(each.quality[n][k]), 3)}))
        for n, record in enumerate(self.records):
            static, before = found.statics[n], self.project.get("static", record.name)
            if not (keep_hand and before and before.get("by") == "hand"):
                items.append(("static", record.name, {
                    "time": static.time, "by": "auto", "zero": static.zero_offset, "pairs": static.pairs,
                } if static.zero_offset or static.pairs else None))
        self.project.change(items, f"{count} automatic picks")
        return f"{count} picks on {sum(len(record) for record in self.records)} traces"


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _numbers(values: Any) -> list[Any]:
    return [_number(float(value)) for value in values]


def _finite(value: Any, what: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{what} is {value!r} (must be a number)") from None
    if not math.isfinite(number):
        raise ValueError(f"{what} is {number} (must be a number)")
    return number


def _whole(value: Any, count: int, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < count:
        raise ValueError(f"{what} is {value!r} (must be 0 to {count - 1})")
    return value
