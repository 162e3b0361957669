"""Records of a seismic network: traces with names of stations, of many files, as one record per event.

A file of miniSEED, SAC or GSE holds one channel or many. Files whose times overlap belong together;
traces of one channel are joined over their gaps, and all get the clock of the finest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .extras import need
from .record import Record

__all__ = ["Station", "component_of", "events_of", "is_named", "named_record", "stations_in"]

OVERLAP = 0.5  # of the shorter: files that overlap by more are of one event
HORIZONTAL = "NE12XYRT"


class Station:
    """The traces of one station in a record: `vertical` is one of them or None, `across` the others."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.vertical: int | None = None
        self.across: list[int] = []

    @property
    def for_p(self) -> int:
        """The trace on which P is picked."""
        return self.across[0] if self.vertical is None else self.vertical

    @property
    def for_s(self) -> int:
        """The trace on which S is shown."""
        return self.across[0] if self.across else self.for_p

    @property
    def traces(self) -> list[int]:
        """All of them."""
        return ([] if self.vertical is None else [self.vertical]) + self.across


def stations_in(record: Record) -> list[Station]:
    """The stations of a record, in the order of its traces. Of several instruments at one station
    (broad-band and strong-motion, or several locations) each is one."""
    found: dict[str, Station] = {}
    for n, name in enumerate(record.stations):
        words = name.split(".")
        key = ".".join([*words[:3], words[-1][:2]]) if len(words) == 4 else name
        station = found.setdefault(key, Station(".".join(words[:2]) if len(words) == 4 else name))
        if name[-1:] in HORIZONTAL:
            station.across.append(n)
        elif station.vertical is None:
            station.vertical = n
        else:
            station.across.append(n)
    return list(found.values())


def is_named(trace: Any) -> bool:
    """Whether a trace of ObsPy is known by its station, not by a header of shots."""
    stats = trace.stats
    return bool(stats.station) and not any(hasattr(stats, kind) for kind in ("segy", "su", "seg2"))


def named_record(name: str, traces: Sequence[Any]) -> tuple[Record, list[str]]:
    """One record of traces of ObsPy, and what was done to them."""
    obspy = need("obspy", "reading records")
    stream = obspy.Stream([trace.copy() for trace in traces])
    notes = []
    rate = max(trace.stats.sampling_rate for trace in stream)
    slow = [trace for trace in stream if abs(trace.stats.sampling_rate - rate) > 1e-6 * rate]
    for trace in slow:
        trace.data = np.asarray(trace.data, dtype=float)
        trace.interpolate(rate, method="weighted_average_slopes")
    if slow:
        notes.append(f"{len(slow)} of {len(stream)} traces of {name} have fewer samples per second: interpolated to {rate:g} Hz")
    pieces = len(stream)
    for trace in stream:
        trace.data = np.nan_to_num(np.asarray(trace.data, dtype=np.float32))
        trace.stats.sampling_rate = rate
    stream.merge(method=1, fill_value="interpolate")  # a gap is a straight line, which is no onset
    if len(stream) < pieces:
        notes.append(f"{pieces - len(stream)} gaps or overlaps in traces of {name} are joined")
    stream.sort(keys=["network", "station", "location", "channel"])
    began = min(trace.stats.starttime for trace in stream)
    first = [int(round((trace.stats.starttime - began) * rate)) for trace in stream]
    samples = max(at + trace.stats.npts for at, trace in zip(first, stream))
    data = np.zeros((len(stream), samples), dtype=np.float32)
    for row, at, trace in zip(data, first, stream):
        row[at : at + trace.stats.npts] = trace.data
        row[:at], row[at + trace.stats.npts :] = trace.data[0], trace.data[-1]  # no step where it ends
    record = Record(
        name, lambda: data, interval=1 / rate, samples=samples, channels=np.arange(1, len(stream) + 1),
        stations=tuple(trace.id for trace in stream), began=began, receivers=_places(stream),
    )
    record.in_degrees = bool(np.isfinite(record.receivers).any())
    record.named = tuple(traces)
    return record, notes


def _places(stream: Any) -> Any:
    """Longitude, latitude and depth in km where headers have them, as those of SAC."""
    places = np.full((len(stream), 3), np.nan)
    for row, trace in zip(places, stream):
        sac = getattr(trace.stats, "sac", None) or {}
        held = getattr(trace.stats, "coordinates", None) or {}
        found = [sac.get("stlo", held.get("longitude")), sac.get("stla", held.get("latitude"))]
        if None not in found:
            row[:] = (*found, -1e-3 * float(sac.get("stel", held.get("elevation", 0)) or 0))
    return places


def events_of(found: Sequence[Record]) -> tuple[list[Record], list[str]]:
    """Records with named traces that overlap in time become one each; others stay as they are."""
    named = sorted((record for record in found if record.named), key=lambda record: record.began)
    groups: list[list[Record]] = []
    for record in named:
        if groups and _together(groups[-1], record):
            groups[-1].append(record)
        else:
            groups.append([record])
    out = [record for record in found if not record.named]
    notes: list[str] = []
    for group in groups:
        if len(group) == 1:
            out.append(group[0])
            continue
        merged, said = named_record(
            group[0].began.strftime("%Y%m%dT%H%M%S"), [trace for record in group for trace in record.named])
        out.append(merged)
        notes += said
    if any(len(group) > 1 for group in groups):
        notes.insert(0, f"{len(named)} files of stations are {len(groups)} records, by their times")
    return out, notes


def _together(group: Sequence[Record], record: Record) -> bool:
    begins = min(one.began for one in group)
    ends = max(one.began + one.samples * one.interval for one in group)
    length = record.samples * record.interval
    shared = min(float(ends - record.began), length)
    return shared > OVERLAP * min(length, float(ends - begins))


def component_of(record: Record, trace: int) -> str:
    """The last letter of a channel, Z for the vertical one."""
    return record.stations[trace][-1:]
