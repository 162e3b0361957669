"""Best paths along the traces of one shot (Viterbi 1967): coherence between neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .onset import Lobe

__all__ = ["lobe_path", "lobe_scores", "step_path"]

GRID = 24  # nodes per period: the lobes are found about the path, not on it
SHIFT_COST = 0.4  # of a step's path, per period between neighbours
MOVE_COST, TURN_COST = 4.6, 2.0  # of a lobe's path: per period between neighbours, and if the sign changes
CAP, UNREST = 2.0, 0.8  # how far size counts, and how much what stands before a lobe costs
LEAP = 2.0  # a neighbour further away than so many periods costs no more


def step_path(
    step: NDArray[np.float64], period: float, lead: NDArray[np.float64] | None = None
) -> NDArray[np.int64]:
    """One sample per trace, so that the sum of the steps less the cost of shifts is largest. `lead` is
    a moveout in samples that costs nothing."""
    count, length = step.shape
    stride = max(int(period / GRID), 1)
    moved = np.zeros(count, dtype=np.int64) if lead is None else np.round(lead).astype(np.int64)
    grid = np.arange(0, length, stride)
    rows = [_shifted(step[n], moved[n])[grid] for n in range(count)]
    reach = max(int(0.8 * period / stride), 2)
    best, back = rows[0].copy(), []
    for row in rows[1:]:
        top, move = best.copy(), np.zeros(len(grid), dtype=np.int64)
        for shift in range(1, reach + 1):
            cost = SHIFT_COST * shift * stride / period
            for sign in (-1, 1):
                rest = np.full(len(grid), -np.inf)
                if sign > 0:
                    rest[shift:] = best[:-shift] - cost
                else:
                    rest[:-shift] = best[shift:] - cost
                better = rest > top
                top[better] = rest[better]
                move[better] = sign * shift
        back.append(move)
        best = top + row
    at = int(best.argmax())
    path = [at]
    for move in reversed(back):
        at -= int(move[at])
        path.append(at)
    return np.clip(np.array(path[::-1]) * stride + moved, 0, length - 1)


def _shifted(row: NDArray[np.float64], by: int) -> NDArray[np.float64]:
    """The row `by` samples earlier, with zeros where it ends."""
    out = np.zeros_like(row)
    if by >= len(row) or -by >= len(row):
        return out
    if by >= 0:
        out[: len(row) - by] = row[by:]
    else:
        out[-by:] = row[:by]
    return out


def lobe_scores(lobes: Sequence[Lobe]) -> NDArray[np.float64]:
    """How much each looks like a first arrival: it stands above the noise and is quiet before."""
    size = np.array([lobe.size for lobe in lobes])
    before = np.array([lobe.before for lobe in lobes])
    return np.asarray(np.minimum(np.log(size), CAP) - UNREST * np.log(np.maximum(before, 1)))


def lobe_path(
    choices: Sequence[Sequence[Lobe]], scores: Sequence[NDArray[np.float64]], period: float
) -> list[int | None]:
    """Which lobe of each trace is its first arrival; None for a trace that has none."""
    back: list[tuple[int, NDArray[np.int64]] | None] = []
    best = np.empty(0)
    last: Sequence[Lobe] = ()
    for n, lobes in enumerate(choices):
        if not lobes:
            back.append(None)
            continue
        score = np.asarray(scores[n])
        if not len(last):
            top, origin = score, np.zeros(len(lobes), dtype=np.int64)
        else:
            apart = np.abs(_onsets(lobes)[:, None] - _onsets(last)[None]) / period
            turned = _signs(lobes)[:, None] != _signs(last)[None]
            total = best[None] - MOVE_COST * np.minimum(apart, LEAP) - TURN_COST * turned
            origin = total.argmax(axis=1)
            top = score + total.max(axis=1)
        back.append((n, origin))
        best, last = top, lobes
    chosen: list[int | None] = [None] * len(choices)
    if not len(best):
        return chosen
    at = int(best.argmax())
    for n in range(len(choices) - 1, -1, -1):
        step = back[n]
        if step is None:
            continue
        chosen[n] = at
        at = int(step[1][at])
    return chosen


def _onsets(lobes: Sequence[Lobe]) -> NDArray[np.float64]:
    return np.array([lobe.onset for lobe in lobes])


def _signs(lobes: Sequence[Lobe]) -> NDArray[np.int64]:
    return np.array([lobe.sign for lobe in lobes])
