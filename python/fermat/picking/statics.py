"""Times by which a record's clock is off: from zero offset and reciprocity.

The time from A to B is that from B to A. With c the static of a record, t_A(B) - c_A = t_B(A) - c_B
for each pair of shots that have a receiver at each other's place, and t_A(A) - c_A = 0. Sums of
absolute values are minimised, so that a wrong pick does no harm. A trigger is right or it is wrong: what
is less than picks can tell, a share of a period, is no static.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Static", "find_statics", "reciprocal_pairs"]

NEAR = 0.3  # of the receivers' distance: as close counts as one place
ROUNDS = 40


class Static(NamedTuple):
    """Of one record: its static in s, by what it was found, and how many pairs were used."""

    time: float
    zero_offset: bool
    pairs: int


def _closest(points: NDArray[np.float64], place: NDArray[np.float64]) -> tuple[int, float]:
    apart = np.linalg.norm(points - place, axis=1)
    n = int(apart.argmin())
    return n, float(apart[n])


def spacing_of(points: NDArray[np.float64]) -> float:
    """Median distance of a receiver to its nearest neighbour."""
    if len(points) < 2:
        return 1.0
    order = np.argsort(points[:, 0], kind="stable")
    apart = np.linalg.norm(np.diff(points[order], axis=0), axis=1)
    return float(np.median(apart[apart > 0])) if (apart > 0).any() else 1.0


def reciprocal_pairs(
    sources: NDArray[np.float64], receivers: Sequence[NDArray[np.float64]]
) -> list[tuple[int, int, int, int]]:
    """Records a and b and the trace of a at b's shot and of b at a's; a = b is zero offset."""
    near = [NEAR * spacing_of(points) for points in receivers]
    pairs = []
    for a, source in enumerate(sources):
        for b in range(a, len(sources)):
            one, far = _closest(receivers[a], sources[b])
            other, too = _closest(receivers[b], source)
            if far <= near[a] and too <= near[b]:
                pairs.append((a, b, one, other))
    return pairs


def find_statics(
    sources: NDArray[np.float64], receivers: Sequence[NDArray[np.float64]],
    times: Sequence[NDArray[np.float64]], *, scale: float, least: float = 0.0,
) -> list[Static]:
    """Statics of records whose times (s, NaN where there is no pick) are those of their clocks; `scale`
    is a time in s below which differences count as none, and a static below `least` is 0."""
    count = len(sources)
    rows, values, weights = [], [], []
    zero, used = np.zeros(count, dtype=bool), np.zeros(count, dtype=int)
    for a, b, one, other in reciprocal_pairs(sources, receivers):
        row = np.zeros(count)
        if a == b:
            if not np.isfinite(times[a][one]):
                continue
            row[a], value, weight = 1, times[a][one], 1.0
            zero[a] = True
        else:
            value = times[a][one] - times[b][other]
            if not np.isfinite(value):
                continue
            row[a], row[b], weight = 1, -1, 1.0
            used[[a, b]] += 1
        rows.append(row)
        values.append(value)
        weights.append(weight)
    # Without any sign a clock is right: a weak wish that all statics be 0.
    rows.extend(np.eye(count))
    values.extend([0.0] * count)
    weights.extend([0.05] * count)
    matrix, right, trust = np.array(rows), np.array(values), np.array(weights)
    free = np.ones(count, dtype=bool)
    found = np.zeros(count)
    while free.any():  # those that are 0 stay so, and the others are found beside them
        found[:] = 0
        found[free] = _least_sum(matrix[:, free], right, trust, scale)
        small = free & (np.abs(found) < least)
        if not small.any():
            break
        free &= ~small
        found[small] = 0
    return [Static(float(t), bool(z), int(n)) for t, z, n in zip(found, zero, used)]


def _least_sum(
    matrix: NDArray[np.float64], right: NDArray[np.float64], trust: NDArray[np.float64], scale: float
) -> NDArray[np.float64]:
    """The numbers whose weighted sum of absolute misfits is least, by weighted least squares."""
    found: NDArray[np.float64] = np.zeros(matrix.shape[1])
    for _ in range(ROUNDS):
        off = np.abs(right - matrix @ found)
        each = np.sqrt(trust / np.maximum(off, scale))
        found = np.asarray(np.linalg.lstsq(each[:, None] * matrix, each * right, rcond=None)[0], dtype=np.float64)
    return found
