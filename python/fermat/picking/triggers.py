"""When the first sample was taken: the delay of the header, whose sign instruments do not agree on.

SEG-2 (Pullan 1990) has DELAY as the time from the shot to the first sample, so that a record which
began before the shot has a negative one. Some instruments write that time without its sign. The
traces tell: where the break comes after as long a silence as the delay, the record began before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .record import Record

__all__ = ["settle_delays"]

CHOICES = ("auto", "after", "before")
QUIET = 0.1  # amplitudes before the shot are below this share of the strongest


def settle_delays(records: Sequence[Record], delay: Any) -> list[str]:
    """Sets `start` of each record by `delay`: "auto", "after" or "before" the shot, or a time in s."""
    if isinstance(delay, str) and delay not in CHOICES:
        raise ValueError(f"delay is '{delay}' (must be {', '.join(CHOICES)}, or the time of the first sample)")
    if not isinstance(delay, str):
        value = float(delay)
        if not np.isfinite(value):
            raise ValueError(f"delay is {value} (must be a time in s)")
        for record in records:
            record.start = value
        return []
    turned: list[Record] = []
    doubtful = [record for record in records if record.delay]
    before = delay == "before"
    if delay == "auto" and doubtful:
        # One instrument writes all records in one way.
        asked = [record for record in doubtful if (record.delay or 0) > 0][:24]
        votes = [_began_before(record) for record in asked]
        before = sum(votes) * 2 > len(votes)
    for record in doubtful:
        written = float(record.delay or 0)
        record.start = written
        if before and written > 0:
            record.start = -written
            turned.append(record)
    if not turned or delay == "before":
        return []
    return [
        f"the headers of {len(turned)} records write a delay of +{turned[0].delay:g} s, and their traces are "
        f"quiet for so long: they are read as begun {turned[0].delay:g} s before the shot (delay \"after\" "
        "reads them as written)"
    ]


def _began_before(record: Record) -> bool:
    """Whether the strongest traces are silent for as long as the delay."""
    data = np.abs(record.data - np.median(record.data, axis=1, keepdims=True))
    count = int(round(abs(record.delay or 0) / record.interval))
    if not 0 < count < record.samples:
        return False
    peaks: NDArray[np.float32] = data.max(axis=1)
    live = np.flatnonzero(peaks > 0)
    if not len(live):
        return False
    # Nine tenths of the silence are asked: a trigger may be a little early.
    early = np.quantile(data[live, : max(int(0.9 * count), 1)], 0.99, axis=1)
    return bool(np.median(early / peaks[live]) < QUIET)
