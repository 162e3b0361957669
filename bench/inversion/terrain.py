"""Inversions below hills: a grid that follows the ground beside a staircase of air.

    python bench/inversion/terrain.py [--seeds 5] [--first 10] [--slopes 0.3,0.6,0.9] [--threads 0]

Truths are those of `truths.py`, with hills of several slopes: a weathered layer over bedrock with a
fault zone, times by fast marching on a staircase eight times as fine. Both grids have the same
spacing, the same start model and the same options. Prints means over the seeds: RMS and median error
of velocity in per cent over nodes that true rays cross, correlation of the change with the true one,
chi2, and picks without a ray.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

import fermat as fm
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
import truths  # noqa: E402

WIDE = 16.0  # of the hill, m


def hill(seed: int, slope: float) -> truths.Truth:
    """The truth `hill` below ground whose steepest slope is given."""
    rng = np.random.default_rng(seed)
    height = slope * WIDE * np.sqrt(np.e / 2)
    depth0, v_top = rng.uniform(5, 8), rng.uniform(320, 450)
    v_weathered, v_rock = rng.uniform(700, 1000), rng.uniform(2200, 3200)
    fault = rng.uniform(40, 54)

    def ground(x):
        return -height * np.exp(-(((np.asarray(x) - 50) / WIDE) ** 2))

    def velocity(x, z):
        below = z - ground(x)
        weathered = v_top + (v_weathered - v_top) * np.clip(below / depth0, 0, 1)
        rock = v_rock + 15 * np.clip(below - depth0, 0, None)
        rock = rock * np.where(np.abs(x - fault - 0.3 * (below - depth0)) < 4, 0.6, 1.0)
        return np.where(below < depth0, weathered, rock)

    top = -np.ceil(height) - 1
    shape = (101, int(30 - top) + 1)
    x, s = np.arange(0, 96, 2.0), np.linspace(0, 94, 9)
    px, pz = np.meshgrid(-3 + np.arange(shape[0]), top + np.arange(shape[1]), indexing="ij")
    start = fm.Model(start_velocity(px, pz, ground), spacing=1, origin=(-3, top))
    line = np.linspace(-3, 97, 400)
    return truths.Truth(
        f"{100 * slope:.0f} %", velocity, start.with_topography(np.column_stack([line, ground(line)])),
        np.column_stack([s, ground(s)]), np.column_stack([x, ground(x)]), 3e-4, seed, ground,
        {"axis_weights": (1, 0.5)},
    )


def start_velocity(x, z, ground):
    return (500 + 110 * np.clip(z - ground(x), 0, None)).astype(np.float32)


def following(truth: truths.Truth) -> fm.Model:
    """The start model on a grid that follows the ground, with the same spacing at its top."""
    x = truth.start.coords[0]
    bottom = float(truth.start.coords[1][-1])
    surface = truth.ground(x)
    grid = fm.Model(np.ones((len(x), int(bottom) + 1), np.float32), spacing=1, origin=(x[0], 0),
                    surface=surface)
    at = grid.node_positions()
    return fm.Model(start_velocity(at[..., 0], at[..., 1], truth.ground), spacing=1,
                    origin=(x[0], 0), surface=surface)


def on_truth(truth: truths.Truth, found: fm.Model) -> fm.Model:
    """A model that follows the ground on the nodes of the truth: both have the same columns."""
    if found.coordinates != "terrain":
        return found
    depth = found.node_positions()[..., 1]
    z = truth.start.coords[1]
    columns = [1 / np.interp(z, d, 1 / v) for d, v in zip(depth, found.velocity)]
    return fm.Model(np.array(columns), spacing=truth.start.spacing, origin=truth.start.origin)


def numbers_of(truth: truths.Truth, start: fm.Model, threads: int) -> list[float]:
    run = fm.invert(start, truth.picks, regularisation="second", threads=threads, **truth.options)
    score = truths.score(truth, on_truth(truth, run.model))
    return [score["rms"], score["median"], score["correlation"], run.chi2,
            float((run.use != "used").sum())]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=10, help="seed")
    parser.add_argument("--slopes", default="0.3,0.6,0.9")
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| slope | grid | rms % | median % | correlation | chi2 | not used |\n|---|---|---|---|---|---|---|")
    for slope in (float(part) for part in options.slopes.split(",")):
        seeds = range(options.first, options.first + options.seeds)
        made = [truths.observed(hill(seed, slope)) for seed in seeds]
        for name in ("staircase", "following"):
            rows = [
                numbers_of(truth, following(truth) if name == "following" else truth.start,
                           options.threads)
                for truth in made
            ]
            rms, median, correlation, chi2, left = np.mean(rows, axis=0)
            print(f"| {100 * slope:.0f} % | {name} | {rms:.3g} | {median:.3g} | {correlation:.3f} | "
                  f"{chi2:.2f} | {left:.0f} |", flush=True)


main()
