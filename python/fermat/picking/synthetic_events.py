"""Earthquakes at a small network whose places and times are known, for tests and documentation."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from .._earth import Earth
from .._plane import Plane
from .extras import need
from .hypocentres import VP_VS

__all__ = ["synthetic_network"]


def synthetic_network(
    folder: str | os.PathLike[str], *, events: int = 2, stations: int = 8, frequency: float = 8.0, noise: float = 0.05,
    seed: int = 1,
) -> dict[str, Any]:
    """Write miniSEED of three components, one file per station and event, and `stations.csv`; return the
    true places, origin times and times of P and S.

    Parameters
    ----------
    folder
        Made if it is not there; 100 Hz, 40 s per event, one event a minute.
    events, stations
        Stations lie within 30 km, events among them at 5 to 15 km depth.
    frequency, noise
        Of P in Hz, and RMS of the noise over the largest P of the furthest station.
    seed
        Of places and noise.

    Returns
    -------
    dict
        `position` (events, 3) as longitude, latitude and depth in km, `origin_time`, and `P` and `S`
        (events, stations) in s since 1970.

    >>> from fermat.picking import synthetic_network
    >>> synthetic_network("network", events=1)["P"].shape
    (1, 8)
    """
    obspy = need("obspy", "writing records")
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(seed)
    plane = Plane.round([7.3], [46.2])
    angle = 2 * np.pi * (np.arange(stations) + 0.3 * random.random(stations)) / stations
    far = 5 + 25 * random.random(stations)
    x, y = far * np.cos(angle), far * np.sin(angle)
    height = 0.4 + random.random(stations)
    degrees = plane.to_geographic(x, y)
    rows = [f"XX.S{n:02d},{degrees[0][n]:.6f},{degrees[1][n]:.6f},{1000 * height[n]:.1f}" for n in range(stations)]
    (out / "stations.csv").write_text("\n".join(["station,longitude,latitude,elevation", *rows]) + "\n")
    rate, samples = 100.0, 4000
    begun = obspy.UTCDateTime(2024, 5, 6, 7, 8, 0)
    places, origins = [], []
    times: dict[str, list[Any]] = {"P": [], "S": []}
    for event in range(events):
        place = np.array([*(12 * random.standard_normal(2)), 5 + 10 * random.random()])
        slant = np.sqrt((x - place[0]) ** 2 + (y - place[1]) ** 2 + (place[2] + height) ** 2)
        p = slant / float(Earth("iasp91").velocity([place[2]])[0])
        start, origin = begun + 60 * event, 8.0 + random.random()
        size = (5 / slant) ** 1.3
        floor = noise * size.min()
        for n in range(stations):
            clock = np.arange(samples) / rate
            stream = obspy.Stream()
            for channel, shares in (("HHZ", (1.0, 0.5)), ("HHN", (0.35, 2.2)), ("HHE", (-0.3, 1.8))):
                signal = floor * _coloured(random, samples, rate)
                for phase, share, when, pitch in (
                    ("P", shares[0], origin + p[n], frequency), ("S", shares[1], origin + VP_VS * p[n], 0.7 * frequency),
                ):
                    wave = _wave(random, clock - when, pitch) * size[n] * share
                    signal = signal + wave
                trace = obspy.Trace(signal.astype(np.float32))
                trace.id = f"XX.S{n:02d}..{channel}"
                trace.stats.sampling_rate, trace.stats.starttime = rate, start
                stream.append(trace)
            stream.write(str(out / f"S{n:02d}_{event + 1:02d}.mseed"), format="MSEED")
        longitude, latitude = plane.to_geographic(place[:1], place[1:2])
        places.append((float(longitude[0]), float(latitude[0]), place[2]))
        origins.append(float(start.timestamp) + origin)
        times["P"].append(origins[-1] + p)
        times["S"].append(origins[-1] + VP_VS * p)
    return {"position": np.array(places), "origin_time": np.array(origins), **{k: np.array(v) for k, v in times.items()}}


def _wave(random: Any, after: Any, frequency: float) -> Any:
    """A first swing and a coda of filtered noise that dies away over two seconds."""
    phase = 2 * np.pi * frequency * np.maximum(after, 0)
    first = np.sin(phase) * np.exp(-phase / 6)
    rise = 1 - np.exp(-phase / 8)
    coda = np.convolve(random.standard_normal(len(after)), np.sin(np.arange(12) * 2 * np.pi * frequency / 100), "same")
    return np.where(after > 0, first + 0.12 * rise * coda * np.exp(-np.maximum(after, 0) / 2), 0.0)


def _coloured(random: Any, count: int, rate: float) -> Any:
    """Noise of unit RMS, stronger at low frequencies."""
    power = np.fft.rfft(random.standard_normal(count))
    power /= np.maximum(np.fft.rfftfreq(count, 1 / rate), 0.3) ** 0.7
    noise = np.fft.irfft(power, count)
    return noise / noise.std()
