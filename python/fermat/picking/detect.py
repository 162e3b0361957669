"""Events in long records of a network: short over long means of energy (Allen 1978), at several stations
within the time that waves take to cross it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from .network import stations_in
from .record import Record
from .signal import band_pass, dead, running_mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["cut_events"]

SHORTEST, LONGEST = 90.0, 300.0  # s: a record is one event, and between them one unless there are two
BIN, SHORT, LONG, WARM = 0.1, 1.0, 30.0, 10.0  # s: of the means of energy, and what the long one needs at least
RATIO = 4.0  # short over long that is an arrival
TOGETHER = 15.0  # s: arrivals so close are of one event
SHARE, LEAST = 0.4, 3  # of the stations that must have one, and at least so many
BEFORE, AFTER = 15.0, 45.0  # s about the first arrival
LOW = 1.0  # Hz: what is slower is the sea


def cut_events(record: Record) -> list[Record]:
    """One record per event, or the record itself if it is short or nothing is found in it."""
    length = record.samples * record.interval
    if length <= SHORTEST or record.began is None:
        return [record]
    found = _first_arrivals(record)
    if length <= LONGEST and len(found) < 2:
        return [record]
    out = []
    for begin in found:
        first = max(int((begin - BEFORE) / record.interval), 0)
        last = min(int((begin + AFTER) / record.interval), record.samples)
        began = record.began + first * record.interval
        piece = Record(
            began.strftime("%Y%m%dT%H%M%S"), _part(record, first, last), interval=record.interval, samples=last - first,
            channels=record.channels, receivers=record.receivers.copy(), stations=record.stations, began=began,
        )
        piece.in_degrees = record.in_degrees
        out.append(piece)
    return out or [record]


def _part(record: Record, first: int, last: int) -> Callable[[], NDArray[np.float32]]:
    return lambda: record.data[:, first:last]


def _first_arrivals(record: Record) -> list[float]:
    """Times in s after the first sample at which events begin."""
    step = max(int(round(BIN / record.interval)), 1)
    count = record.samples // step
    stations = stations_in(record)
    nyquist = 0.5 / record.interval
    arrivals = np.zeros((len(stations), count), dtype=bool)
    for row, station in zip(arrivals, stations):
        trace = record.data[station.for_p][None]
        if not dead(trace)[0]:
            row[:] = _rises(band_pass(trace, record.interval, min(LOW, 0.2 * nyquist), None, causal=True)[0], step, count)
    reach = int(TOGETHER / BIN)
    near = np.cumsum(np.pad(arrivals, ((0, 0), (0, reach))), axis=1)
    ahead = near[:, reach:] - np.pad(near, ((0, 0), (1, 0)))[:, :count]
    enough = (ahead > 0).sum(axis=0) >= max(LEAST, int(np.ceil(SHARE * len(stations))))
    found: list[float] = []
    for at in np.flatnonzero(enough & arrivals.any(axis=0)):
        time = float(at) * step * record.interval
        if not found or time - found[-1] > AFTER:
            found.append(time)
    return found


def _rises(trace: NDArray[np.float64], step: int, count: int) -> NDArray[np.bool_]:
    energy = (trace[: count * step].reshape(count, step) ** 2).mean(axis=1)[None]
    short = running_mean(energy, int(SHORT / BIN))[0]
    long = running_mean(energy, int(LONG / BIN))[0]
    before = np.roll(long, int(SHORT / BIN))
    before[: int(WARM / BIN)] = np.inf
    return np.asarray(short > RATIO * np.maximum(before, 1e-30))
