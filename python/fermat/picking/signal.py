"""Filters and measures of traces (traces, samples); what has a clock is in samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .extras import need

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["agc", "band_pass", "dead", "running_mean", "without_offset"]

SAME = 1e-6  # a trace whose samples differ by less than this share of their size holds nothing


def without_offset(data: Any) -> NDArray[np.float64]:
    """Each trace less its median."""
    traces = np.asarray(data, dtype=float)
    return np.asarray(traces - np.median(traces, axis=1, keepdims=True))


def dead(data: Any) -> NDArray[np.bool_]:
    """Traces of zeros, of one value, or with samples that are no numbers."""
    traces = np.asarray(data, dtype=float)
    span = traces.max(axis=1) - traces.min(axis=1)
    return np.asarray(~(span > SAME * np.abs(traces).max(axis=1)))


def band_pass(
    data: Any, interval: float, low: float | None, high: float | None, *, causal: bool = False
) -> NDArray[np.float64]:
    """Between two frequencies in Hz, None: no limit there. Without a shift of phase, which puts a little of
    an onset before it; or `causal`, which delays it by about 0.1 / high."""
    traces = np.asarray(data, dtype=float)
    nyquist = 0.5 / interval
    for name, value in (("low", low), ("high", high)):
        if value is not None and not 0 < value:
            raise ValueError(f"{name} is {value:g} Hz (must be > 0)")
    if low is not None and low >= (nyquist if high is None else min(high, nyquist)):
        raise ValueError(f"low is {low:g} Hz (must be below high and below {nyquist:g} Hz, half the sampling)")
    if high is not None and high >= nyquist:
        high = None  # all that is there passes
    if low is None and high is None:
        return traces
    scipy_signal = need("scipy.signal", "filtering records")
    kind, edges = ("band", [low, high]) if low and high else ("high", low) if low else ("low", high)
    sections = scipy_signal.butter(2, edges, kind, fs=1 / interval, output="sos")
    if causal:
        return np.asarray(scipy_signal.sosfilt(sections, traces - traces[:, :1], axis=1))
    pad = min(traces.shape[1] - 1, int(3 / (interval * (low or high or nyquist))))
    return np.asarray(scipy_signal.sosfiltfilt(sections, traces, axis=1, padlen=max(pad, 0)))


def running_mean(values: NDArray[np.float64], length: int) -> NDArray[np.float64]:
    """Mean of `length` samples up to and with each one, of fewer at the start."""
    total = np.cumsum(np.pad(values, ((0, 0), (1, 0))), axis=1)
    at = np.arange(1, values.shape[1] + 1)
    first = np.maximum(at - length, 0)
    return np.asarray((total[:, at] - total[:, first]) / (at - first))


def agc(data: Any, interval: float, window: float) -> NDArray[np.float64]:
    """Automatic gain: each sample by the RMS of `window` seconds about it."""
    traces = np.asarray(data, dtype=float)
    length = max(int(round(window / interval)), 1)
    power = running_mean(np.pad(traces**2, ((0, 0), (0, length // 2))), length)[:, length // 2 :]
    floor = 1e-3 * np.sqrt((traces**2).mean(axis=1, keepdims=True))
    return np.asarray(traces / np.maximum(np.sqrt(power[:, : traces.shape[1]]), floor + 1e-30))
