"""The traces of one shot as the picker sees them: filtered, in order along the line, with a path."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .onset import aic_onset, dominant_frequency, lobes_of, step_of_energy
from .path import lobe_path, lobe_scores, step_path
from .signal import band_pass, dead, without_offset

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .onset import Lobe
    from .record import Record

__all__ = ["Gather", "frequency_of"]

BAND = (0.15, 3.0)  # of the frequency of the first arrivals
# A filter without a shift of phase spreads an onset to both sides: half the rise time, 0.35 / high.
SMEAR = 0.5 * 0.35 / BAND[1]
EARLY, LATE = 1.35, 0.55  # window of lobes about a path, in periods
WINDOW = 1.0  # the same about a predicted time
TOLERANCE, PRIOR_COST = 0.08, 12.0  # about a predicted time: free so far, and then per period
RIPPLE = 0.015  # of the amplitudes that follow
STRAY = 0.4  # a pick further from what is predicted, in periods, is a guess


def frequency_of(record: Record) -> float:
    """Frequency in Hz of the first arrivals of a record; NaN where no trace is alive."""
    traces = without_offset(record.data)[~dead(record.data)]
    if not len(traces):
        return float("nan")
    power = np.abs(np.fft.rfft(traces, axis=1)) ** 2
    scale = np.linspace(0, 0.5, power.shape[1])
    found = float(np.median((power * scale).sum(axis=1) / power.sum(axis=1)))
    for _ in range(2):  # the first guess is that of the whole record, mostly of surface waves
        period = 1 / max(found, 4 / record.samples)
        narrow = band_pass(traces, 1.0, None, min(8 * found, 0.49))
        found = dominant_frequency(narrow, step_path(step_of_energy(narrow, period), period), period)
    return found / record.interval


class Gather:
    """One record in the band of the survey's first arrivals."""

    def __init__(self, record: Record, position: NDArray[np.float64], frequency: float) -> None:
        self.record = record
        self.order = np.argsort(position, kind="stable")
        self.period = 1 / (frequency * record.interval)  # in samples
        raw = without_offset(record.data)[self.order]
        self.raw = raw
        self.dead = dead(record.data)[self.order]
        nyquist = 0.5 / record.interval
        low = min(BAND[0] * frequency, 0.4 * nyquist)
        traces = band_pass(raw, record.interval, low, BAND[1] * frequency)
        traces[self.dead] = 0
        self.traces = traces
        self.path = np.zeros(len(raw), dtype=np.int64)
        live = np.flatnonzero(~self.dead)
        if len(live):
            self.path[live] = step_path(step_of_energy(traces[live], self.period), self.period)

    def first_picks(self) -> list[Lobe | None]:
        """By the record alone."""
        return self._picks(None)

    def guided_picks(self, predicted: NDArray[np.float64]) -> list[Lobe | None]:
        """With predicted times, in samples and in the order of this gather, NaN where there is none."""
        return self._picks(predicted)

    def _picks(self, predicted: NDArray[np.float64] | None) -> list[Lobe | None]:
        choices, scores = [], []
        for n, trace in enumerate(self.traces):
            centre, early, late = float(self.path[n]), EARLY, LATE
            known = predicted is not None and np.isfinite(predicted[n])
            if known:
                # An onset is about a quarter of a period before the peak of its lobe.
                centre, early, late = float(predicted[n]), WINDOW - 0.25, WINDOW + 0.25  # type: ignore[index]
            first, last = int(centre - early * self.period), int(centre + late * self.period)
            lobes = [] if self.dead[n] else lobes_of(
                trace, first, last, self.period, self._noise(trace, int(centre)))
            score = lobe_scores(lobes) if lobes else np.empty(0)
            if known and lobes:
                away = np.abs([lobe.onset + SMEAR * self.period - centre for lobe in lobes]) / self.period
                score = score - PRIOR_COST * np.maximum(away - TOLERANCE, 0)
                choices.append([lobe for lobe, far in zip(lobes, away) if far <= STRAY])
                scores.append(score[away <= STRAY])
            else:
                choices.append(lobes)
                scores.append(score)
        chosen = lobe_path(choices, scores, self.period)
        return [None if k is None else choices[n][k] for n, k in enumerate(chosen)]

    def _noise(self, trace: NDArray[np.float64], at: int) -> float:
        """RMS of the five periods that end a period before the break; not less than the ripple that the
        filter puts before a strong onset."""
        last = max(int(at - 0.8 * self.period), int(self.period))
        piece = trace[max(int(last - 4.6 * self.period), 0) : last]
        noise = float(piece.std()) if len(piece) > 4 else float(trace.std())
        follows = trace[max(int(at - 0.5 * self.period), 0) : int(at + 0.5 * self.period)]
        return max(noise, RIPPLE * float(np.abs(follows).max())) if len(follows) else noise

    def broad_onset(self, trace: int, about: float) -> float:
        """Onset without the filter about a sample, for traces at the shot: they are clipped."""
        first = max(int(about - self.period), 0)
        piece = self.raw[trace, first : int(about + 0.5 * self.period)]
        return first + float(aic_onset(piece))
