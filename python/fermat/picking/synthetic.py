"""A line of shot records whose ground and first arrivals are known, for tests and documentation."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from .._core import Model
from .._files import renamed_to
from .._times import receiver_times
from .extras import need

__all__ = ["synthetic_line"]


def synthetic_line(
    folder: str | os.PathLike[str], *, shots: int = 7, receivers: int = 24, spacing: float = 2.0,
    frequency: float = 50.0, noise: float = 0.02, seed: int = 1, triggers: Any = None,
) -> Any:
    """Write SEG-Y records of hammer shots over slow soil on a faster ground, and return their true
    times (shots, receivers) in s.

    Parameters
    ----------
    folder
        Made if it is not there; one file per shot, `shot_01.sgy` and so on, 4 kHz, with 50 ms before
        the shot.
    shots, receivers, spacing
        Geophones stand every `spacing` metres, shots are spread over them.
    frequency, noise
        Of the first arrivals in Hz, and RMS over the first lobe at the far end.
    seed
        Of the noise.
    triggers
        Seconds by which each record's clock is late; default 0.

    >>> from fermat.picking import synthetic_line
    >>> synthetic_line("line", shots=3, receivers=12).shape
    (3, 12)
    """
    obspy = need("obspy", "writing records")
    header_of = need("obspy.io.segy.segy", "writing records").SEGYTraceHeader
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    interval, samples, ahead = 2.5e-4, 1200, 0.05
    length = (receivers - 1) * spacing
    x = spacing * np.arange(receivers)
    which = np.unique(np.linspace(0, receivers - 1, shots).round().astype(int))
    fine = spacing / 4
    columns = int(length / fine) + 1
    place = fine * np.arange(columns)
    cover = 3.0 + 1.5 * np.sin(2 * np.pi * place / length)  # thickness of the soil
    depth = fine * np.arange(int(0.4 * length / fine) + 2)
    ground = np.where(depth[None] < cover[:, None], 350 + 40 * depth[None], 1500 + 25 * depth[None])
    model = Model(ground.astype(np.float32), spacing=fine)
    there = np.column_stack([x, np.zeros(receivers)])
    true = np.asarray(receiver_times(model, there[which], there))
    late = np.zeros(len(which)) if triggers is None else np.asarray(triggers, dtype=float)
    random = np.random.default_rng(seed)
    clock = interval * np.arange(samples) - ahead
    for n, shot in enumerate(which):
        stream = obspy.Stream()
        for k in range(receivers):
            after = clock - true[n, k] - late[n]
            signal = np.where(after > 0, _wavelet(after, frequency), 0)
            size = 1 / (1 + np.abs(x[k] - x[shot]) / (2 * spacing)) ** 1.2
            floor = noise / (1 + length / (2 * spacing)) ** 1.2 * random.standard_normal(samples)
            trace = obspy.Trace((size * signal + floor).astype(np.float32))
            trace.stats.delta = interval
            header = header_of()
            header.original_field_record_number = n + 1
            header.energy_source_point_number = int(shot) + 1
            header.trace_number_within_the_original_field_record = k + 1
            header.scalar_to_be_applied_to_all_coordinates = -100
            header.source_coordinate_x = int(round(100 * x[shot])) or 0
            header.group_coordinate_x = int(round(100 * x[k]))
            header.delay_recording_time = int(round(-1e3 * ahead))
            trace.stats.segy = {"trace_header": header}
            stream.append(trace)
        with renamed_to(out / f"shot_{n + 1:02d}.sgy") as file:
            stream.write(str(file), format="SEGY", data_encoding=5, byteorder=">")
    return true


def _wavelet(after: Any, frequency: float) -> Any:
    """A small first lobe, larger ones behind, as geophones write it."""
    phase = 2 * np.pi * frequency * np.maximum(after, 0)
    return -np.sin(phase) * (1 - 0.7 * np.exp(-phase / 3)) * np.exp(-phase / 14)
