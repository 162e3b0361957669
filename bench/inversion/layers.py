"""Crustal lines with relief of the Moho: what an inversion of Pg, PmP and Pn finds of known truths.

    python bench/inversion/layers.py [--seeds 10] [--first 0] [--threads 0]

Each truth has a Moho of 30 +- 3 km with three wavelengths of 48 to 200 km, and a crust whose velocity
differs by 3 % from that of the start; 61 shots and 10 stations on a line of 250 km, with noise of 30,
50 and 60 ms. The start has a flat Moho at 31 km. Told per truth: chi2, the RMS error of the Moho and
how many of its depths lie within one standard deviation, both where rays reach it (x from 40 to 210
km), and the correlation of the crust's velocity with the truth's.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np

import fermat as fm

GRID = {"shape": (251, 51), "spacing": 1.0}
PHASES = (("Pg", 5, 110, 0.03), ("PmP", 50, 160, 0.05), ("Pn", 130, 230, 0.06))
NAMES = ("source_x", "source_z", "receiver_x", "receiver_z", "time", "error", "phase")


def start_crust(x, z):
    return 5.8 + 0.03 * z + 0 * x


def mantle(x, z):
    return 8 + 0.01 * (z - 30) + 0 * x


def truth(seed):
    """The depth of the Moho and the velocity of the crust."""
    rng = np.random.default_rng(seed)
    phase = rng.uniform(0, 2 * np.pi, 3)
    size = rng.uniform(0.4, 1, 3)
    wave = np.array([60, 100, 170]) * rng.uniform(0.8, 1.2, 3)
    turn = rng.uniform(0, 2 * np.pi, 2)

    def shape(x):
        return sum(a * np.sin(2 * np.pi * x / w + p) for a, w, p in zip(size, wave, phase, strict=True))

    scale = 3 / np.abs(shape(np.linspace(0, 250, 501))).max()

    def moho(x):
        return 30 + scale * shape(x)

    def crust(x, z):
        waves = np.sin(2 * np.pi * x / 90 + turn[0]) * np.cos(2 * np.pi * z / 60 + turn[1])
        return start_crust(x, z) * (1 + 0.03 * waves)

    return moho, crust


def picks_of(medium, seed):
    rng = np.random.default_rng(seed + 1000)
    stations = np.column_stack([np.linspace(15, 235, 10), np.zeros(10)])
    shots = np.column_stack([np.arange(5, 246, 4.0), np.zeros(61)])
    columns = {name: [] for name in NAMES}
    for phase, low, high, error in PHASES:
        pairs = [
            (i, j)
            for i in range(len(shots))
            for j in range(len(stations))
            if low < abs(shots[i, 0] - stations[j, 0]) < high
        ]
        rays = fm.phase_rays(medium, phase, shots, stations, pairs=pairs)
        for k in np.flatnonzero(rays.arrived):
            i, j = pairs[k]
            seen = rays.times[k] + rng.normal(0, error)
            row = (shots[i, 0], 0.0, stations[j, 0], 0.0, seen, error, phase)
            for name, value in zip(NAMES, row, strict=True):
                columns[name].append(value)
    return columns


def judge(seed, threads):
    moho, crust = truth(seed)
    picks = picks_of(fm.Medium([crust, mantle], {"moho": moho}, **GRID), seed)
    start = fm.Medium([start_crust, mantle], {"moho": 31.0}, **GRID)
    begin = time.perf_counter()
    run = fm.invert_phases(
        start, picks, velocity_length=(30, 20), interface_length=25.0, threads=threads
    )
    seconds = time.perf_counter() - begin
    x = np.linspace(40, 210, 171)
    rms = np.sqrt(np.mean((run.medium.depth("moho", x) - moho(x)) ** 2))
    change = run.changes["moho"]
    inside = (change.points[:, 0] > 40) & (change.points[:, 0] < 210)
    at = change.points[inside, 0]
    sizes = np.abs(run.medium.depth("moho", at) - moho(at)) / change.deviation[inside]
    nodes = np.meshgrid(np.arange(20.0, 231), np.arange(1.0, 24), indexing="ij")
    found = np.asarray(run.medium.layer(0).velocity)[20:231, 1:24]
    likeness = np.corrcoef(found.ravel(), crust(*nodes).ravel())[0, 1]
    change_likeness = np.corrcoef(
        (found - start_crust(*nodes)).ravel(), (crust(*nodes) - start_crust(*nodes)).ravel()
    )[0, 1]
    print(
        f"{seed:5d} {len(picks['time']):5d} {run.chi2[0]:6.1f} {run.chi2[-1]:6.3f} {rms:7.3f} "
        f"{likeness:8.3f} {change_likeness:8.3f} {np.mean(sizes < 1):7.2f} {np.mean(sizes < 2):7.2f} "
        f"{seconds:7.1f}",
        flush=True,
    )
    return rms, likeness, change_likeness, sizes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--threads", type=int, default=0)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print(" seed picks  chi2 0   chi2    Moho  velocity   change     1 s     2 s seconds")
    rows = [judge(seed, given.threads) for seed in range(given.first, given.first + given.seeds)]
    rms, likeness, change, sizes = zip(*rows, strict=True)
    every = np.concatenate(sizes)
    print(
        f"mean {np.mean(rms):27.3f} {np.mean(likeness):8.3f} {np.mean(change):8.3f} "
        f"{np.mean(every < 1):7.2f} {np.mean(every < 2):7.2f}"
    )


if __name__ == "__main__":
    main()
