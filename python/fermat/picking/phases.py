"""Onsets of P and S at a station: steps of energy, and the Akaike criterion about them.

Lengths are in periods T of P. A candidate is a step of the mean logarithm of energy; its score is how
far it stands above the noise less how loud it was before, so that S, which has P before it, is no
first arrival. The split of the Akaike criterion about it is the onset; how sharp its minimum is, with
the least error that a filter leaves, is the error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .onset import MARGIN, aic_curve, noise_levels, step_of_energy

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Onset", "first_onsets", "later_onset", "onset_near"]

STEP = 3.0  # windows of the step are those of shots, so many times as long: earthquakes rise slowly
APART = 1.5  # between candidates
BEHIND, AHEAD = 2.5, 1.5  # the piece about a candidate that is split
MOST = 5  # candidates of a trace
CAP, UNREST = 3.0, 0.8  # how far loudness counts, and how much what stands before it costs
LEAST = 3.0  # an onset below so many times the noise may be noise
RISE = 1.4  # S stands above the waves before it by so much
LEAST_ERROR, SPREAD = 0.06, 1.5  # in periods, and of the width of the criterion


class Onset(NamedTuple):
    """A time at which a phase may begin, in samples."""

    at: float
    error: float
    score: float
    size: float  # RMS behind it over that of the noise
    sign: int


def first_onsets(trace: NDArray[np.float64], period: float) -> list[Onset]:
    """Candidates for P on one trace, the best first; `period` in samples."""
    rows = trace[None]
    step = step_of_energy(rows, STEP * period)[0]
    noise = float(noise_levels(rows, max(int(5 * period), 8))[0])
    if not noise > 0:
        return []
    found: list[Onset] = []
    left = step.copy()
    for _ in range(MOST):
        peak = int(left.argmax())
        if left[peak] <= 0:
            break
        left[max(peak - int(APART * period), 0) : peak + int(APART * period) + 1] = 0
        onset = _split(rows, peak - BEHIND * period, peak + AHEAD * period, period, noise)
        if onset is not None and onset.size >= LEAST and not any(abs(onset.at - one.at) < 0.5 * period for one in found):
            found.append(onset)
    return sorted(found, key=lambda one: -one.score)


def later_onset(rows: NDArray[np.float64], first: float, last: float, period: float) -> Onset | None:
    """The onset of S on the horizontal traces (components, samples) between two samples."""
    first, last = max(first, 0.0), min(last, rows.shape[1] - 1.0)
    if last - first < 2 * period:
        return None
    step = step_of_energy(rows, STEP * period).sum(axis=0)[int(first) : int(last)]
    if not len(step) or step.max() <= 0:
        return None
    peak = first + int(step.argmax())
    onset = _split(rows, max(peak - BEHIND * period, first - period), peak + AHEAD * period, period, None)
    return None if onset is None or onset.size < RISE else onset


def onset_near(rows: NDArray[np.float64], centre: float, reach: float, period: float) -> Onset | None:
    """The best split within `reach` samples of a sample; None where nothing rises there."""
    onset = _split(rows, centre - reach, centre + reach, period, None)
    return None if onset is None or onset.size < RISE else onset


def _split(
    rows: NDArray[np.float64], first: float, last: float, period: float, noise: float | None
) -> Onset | None:
    """The best split of a piece; loudness is over `noise`, or over what is before it."""
    begin, end = max(int(first), 0), min(int(last) + 1, rows.shape[1])
    criterion = aic_curve(rows[:, begin:end])
    if criterion is None:
        return None
    best = int(criterion.argmin())
    at = begin + MARGIN + best
    likely = np.exp(-0.5 * np.minimum(criterion - criterion[best], 60))
    beside = np.arange(len(likely)) - best
    width = float(np.sqrt((likely * beside**2).sum() / likely.sum()))
    behind = _rms(rows[:, at : at + int(1.5 * period) + 1])
    ahead = _rms(rows[:, max(at - int(3 * period), 0) : at])
    if noise is None:
        size, score = behind / max(ahead, 1e-30), 0.0
    else:
        size = behind / noise
        score = min(float(np.log(max(size, 1e-3))), CAP) - UNREST * float(np.log(max(ahead / noise, 1.0)))
    piece = rows[0, at : at + max(int(0.6 * period), 2)]
    level = float(rows[0, max(at - int(period), 0) : at].mean()) if at > 0 else 0.0
    away = piece - level
    large = np.flatnonzero(np.abs(away) >= 0.4 * np.abs(away).max()) if len(away) else away
    sign = int(np.sign(away[large[0]])) if len(large) else 0  # of the first swing, not of the largest
    return Onset(float(at), float(np.hypot(LEAST_ERROR * period, SPREAD * width)), score, size, sign)


def _rms(rows: NDArray[np.float64]) -> float:
    return float(np.sqrt((rows**2).mean())) if rows.size else 0.0
