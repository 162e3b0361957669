"""Where a trace may break: a step of its energy, and the lobes that could be the first.

Lengths are in periods T of the first arrivals, so that a hammer and a quarry blast are picked alike.
A trace is quiet, then a small first lobe comes and larger ones behind it. The step of the mean
logarithm of energy finds the break to about a period. A *lobe* is an extremum near it: how far it
stands above the noise, how quiet it was before, its sign, and its onset, which is the tangent of its
flank (50 to 80 % of its height) drawn down to the level before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .signal import running_mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Lobe", "aic_curve", "aic_onset", "dominant_frequency", "lobes_of", "noise_levels", "step_of_energy"]

BEFORE, AFTER = 1.1, 0.27  # windows of the step
QUIET = 0.65  # window before a lobe in which it should be quiet
LOW, HIGH = 0.5, 0.8  # of the flank
FOLLOW, FOLLOWED = 2.0, 2.0  # waves follow a first arrival: periods, and their RMS over that of the noise
MARGIN = 4  # samples at the ends of a piece that are no onset
LEAST = 3.5  # lobes below so many times the RMS of the noise may be noise


class Lobe(NamedTuple):
    """An extremum that could be the first arrival; times are in samples."""

    peak: int
    onset: float
    sign: int
    size: float  # over the RMS of the noise
    before: float  # largest amplitude shortly before, over the RMS of the noise
    doubt: float  # noise over the slope of the flank, in samples


def noise_levels(traces: NDArray[np.float64], length: int) -> NDArray[np.float64]:
    """RMS of the quietest tenth of each trace, over `length` samples."""
    power = running_mean(traces**2, length)[:, length:]
    if power.shape[1] == 0:
        power = (traces**2).mean(axis=1, keepdims=True)
    quiet = np.sqrt(np.quantile(power, 0.1, axis=1))
    return np.asarray(np.maximum(quiet, 1e-6 * np.abs(traces).max(axis=1)))


def step_of_energy(traces: NDArray[np.float64], period: float) -> NDArray[np.float64]:
    """Mean logarithm of energy after each sample less that before it; `period` in samples."""
    before, after = max(int(BEFORE * period), 4), max(int(AFTER * period), 2)
    noise = noise_levels(traces, max(int(1.35 * period), 8))
    with np.errstate(divide="ignore", invalid="ignore"):
        level = np.log1p(np.nan_to_num(traces / (3 * noise[:, None])) ** 2)
    total = np.cumsum(np.pad(level, ((0, 0), (1, 0))), axis=1)
    count = traces.shape[1]
    at = np.arange(count)
    last, first = np.minimum(at + after, count), np.maximum(at - before, 0)
    step = (total[:, last] - total[:, at]) / after - (total[:, at] - total[:, first]) / before
    step[:, :before] = 0
    step[:, max(count - after, 0) :] = 0
    return np.asarray(step)


def dominant_frequency(traces: NDArray[np.float64], at: NDArray[np.int64], period: float) -> float:
    """Mean frequency of the first arrivals in cycles per sample, the median over the clearer half of the
    traces. The power of the noise before them is subtracted."""
    first, last = int(2.1 * period), int(4.3 * period)
    found, clear = [], []
    for row, where in zip(traces, at):
        begin = max(where - first, 0)
        piece, ahead = row[begin : where + last], row[max(begin - first - last, 0) : begin]
        power = _power(piece)
        noise = _power(ahead) if len(ahead) == len(piece) else np.zeros(len(power))
        rest = np.maximum(power - noise, 0)
        if rest.sum() > 0:
            found.append((np.linspace(0, 0.5, len(rest)) * rest).sum() / rest.sum())
            clear.append(power.sum() / max(noise.sum(), 1e-12 * power.sum()))
    if not found:
        return 1 / period
    return float(np.median(np.array(found)[np.argsort(clear, kind="stable")[len(found) // 2 :]]))


def _power(piece: NDArray[np.float64]) -> NDArray[np.float64]:
    """Spectrum of a piece, smoothed by its taper."""
    if len(piece) <= 8:
        return np.zeros(1)
    return np.asarray(np.abs(np.fft.rfft(piece * np.hanning(len(piece)), 8 * len(piece))) ** 2)


def lobes_of(
    trace: NDArray[np.float64], first: int, last: int, period: float, noise: float
) -> list[Lobe]:
    """The lobes with their peaks between two samples, in order."""
    count = len(trace)
    first, last = max(first, 2), min(last, count - 2)
    if last <= first or not noise > 0:
        return []
    slope = np.diff(trace)
    at = np.arange(first, last)
    peaks = at[(slope[at - 1] * slope[at] <= 0) & (slope[at - 1] != 0)]
    quiet = max(int(QUIET * period), 4)
    ahead = trace[max(first - quiet, 0) : first]
    base = float(np.median(ahead)) if len(ahead) > 4 else 0.0
    found = []
    for peak in peaks:
        sign = 1 if slope[peak - 1] > 0 else -1
        height = sign * (trace[peak] - base)
        follows = trace[peak : peak + int(FOLLOW * period)]
        if height < LEAST * noise or len(follows) < period or follows.std() < FOLLOWED * noise:
            continue
        rise = sign * (trace[: peak + 1] - base) / height
        foot, low, high = (_crossing(rise, peak, level) for level in (0.1, LOW, HIGH))
        tail = np.abs(trace[max(int(foot) - quiet, 0) : int(foot) + 1] - base)
        steep = (high - low) / (HIGH - LOW)  # samples per height of the lobe
        found.append(Lobe(
            int(peak), low - LOW * steep, sign, height / noise,
            float(tail.max()) / noise if len(tail) else 1.0, noise / height * steep,
        ))
    return found


def _crossing(rise: NDArray[np.float64], peak: int, level: float) -> float:
    """Where the flank before the peak crosses a share of its height."""
    below = np.flatnonzero(rise[:peak] <= level)
    if not len(below):
        return 0.0
    n = int(below[-1])
    return float(n + (level - rise[n]) / (rise[n + 1] - rise[n]))


def aic_onset(piece: Any) -> int:
    """Sample at which the Akaike criterion splits a piece best into noise and signal."""
    criterion = aic_curve(piece)
    return len(np.atleast_2d(piece)[0]) // 2 if criterion is None else MARGIN + int(criterion.argmin())


def aic_curve(piece: Any) -> NDArray[np.float64] | None:
    """Akaike criterion (Maeda 1985) of splits after MARGIN samples and later, summed over components:
    k log var(x[:k]) + (n - k) log var(x[k:]). None where the piece is too short."""
    x = np.atleast_2d(np.asarray(piece, dtype=float))
    count = x.shape[1]
    if count < 3 * MARGIN:
        return None
    split = np.arange(MARGIN, count - MARGIN)
    total, square = np.cumsum(x, axis=1), np.cumsum(x * x, axis=1)
    ahead = square[:, split - 1] / split - (total[:, split - 1] / split) ** 2
    rest = count - split
    behind = (square[:, -1:] - square[:, split - 1]) / rest - ((total[:, -1:] - total[:, split - 1]) / rest) ** 2
    least = 1e-12 * (square[:, -1:] / count + 1e-300)
    return np.asarray(
        (split * np.log(np.maximum(ahead, least)) + rest * np.log(np.maximum(behind, least))).sum(axis=0))
