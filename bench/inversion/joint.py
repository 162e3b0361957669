"""Velocities and hypocentres together: earthquakes that a catalogue has in the wrong place.

    python bench/inversion/joint.py [--events 300] [--seeds 1] [--first 10] [--threads 0] [--noise 0.03]
                                    [--phases P,S] [--off 2] [--late 0.3] [--quick] [--stations 49]
                                    [--start-places auto|given|located] [--runs true,kept,relocated,terms] [--each]

A box of 60 x 60 x 30 km below 49 stations (or as many at random) with blocks of 10 km and +-8 % (Vs has them too, and Vp/Vs
blocks of +-3 %). Events are mislocated by `off` km in a random direction and `late` s (standard
deviation). Times come from fast marching on a grid twice as fine. Prints one row per run: the true
locations kept; the wrong ones kept; the wrong ones relocated, with and without station terms. Columns:
median distance from the true places and median error of origin times, correlation of Vp (and of Vp/Vs)
with the truth over nodes that at least 10 rays pass by, chi2, iterations, seconds per iteration. `--each`
prints a row per seed too.
"""

from __future__ import annotations

import argparse
import time
import warnings
from dataclasses import dataclass

import fermat as fm
import numpy as np

VP_VS = 1.75


@dataclass
class Scene:
    start: fm.Model
    truth: fm.Model
    vp_vs: np.ndarray  # true, on nodes
    places: np.ndarray
    origins: np.ndarray
    real: fm.Picks
    catalogue: fm.Picks


def blocks(model: fm.Model, size: float, amplitude: float) -> np.ndarray:
    """Factors of velocity in alternating cubes, smooth at their faces."""
    axes = [o + h * np.arange(n) for o, h, n in zip(model.origin, model.spacing, model.shape)]
    x, y, z = np.meshgrid(*axes, indexing="ij")
    wave = [np.clip(3 * np.sin(np.pi * a / size), -1, 1) for a in (x, y, z)]
    return 1 + amplitude * wave[0] * wave[1] * wave[2]


def gradient(cells: tuple[int, int, int], spacing: float) -> fm.Model:
    return fm.Model.gradient([n + 1 for n in cells], v0=5.0, gradient=0.06, spacing=spacing)


def scene(seed: int, events: int, phases: list[str], noise: float, off: float, late: float,
          quick: bool, count: int = 49) -> Scene:
    rng = np.random.default_rng(seed)
    cells, h = ((30, 30, 15), 2.0) if quick else ((60, 60, 30), 1.0)
    start = gradient(cells, h)
    fine = gradient(tuple(2 * n for n in cells), h / 2)
    truth, fine_p = (fm.Model(m.velocity * blocks(m, 10, 0.08), spacing=m.spacing)
                     for m in (start, fine))
    ratio, fine_ratio = (VP_VS * blocks(m, 15, 0.03) for m in (start, fine))
    fine_s = fm.Model(fine_p.velocity / fine_ratio, spacing=fine.spacing)
    at = np.linspace(3, 57, 7)
    stations = np.array([(x, y, 0) for x in at for y in at]) + rng.uniform(-2, 2, (49, 3)) * (1, 1, 0)
    if count != 49:
        stations = rng.uniform((3, 3, 0), (57, 57, 0), (count, 3))
    places = rng.uniform((6, 6, 3), (54, 54, 22), (events, 3))
    origins = np.sort(rng.uniform(0, 1e5, events))
    table: dict[str, list] = {name: [] for name in ("e", "s", "time", "phase", "error")}
    for phase in phases:
        made = fm.synthetic_picks(fine_p if phase == "P" else fine_s, stations, places, solver="fmm")
        keep = rng.uniform(size=len(made.time)) < (0.6 if phase == "P" else 0.35)
        error = noise if phase == "P" else 2 * noise
        event = made.receiver[keep]
        table["e"].append(event)
        table["s"].append(made.source[keep])
        table["time"].append(origins[event] + made.time[keep] + error * rng.standard_normal(keep.sum()))
        table["phase"].append(np.full(keep.sum(), phase))
        table["error"].append(np.full(keep.sum(), error))
    columns = {name: np.concatenate(parts) for name, parts in table.items()}

    def picks(at: np.ndarray, when: np.ndarray) -> fm.Picks:
        return fm.Picks(at, stations, source=columns["e"], receiver=columns["s"], time=columns["time"],
                        error=columns["error"], phase=columns["phase"], origin_time=when)

    way = rng.standard_normal((events, 3))
    way *= off / np.linalg.norm(way, axis=1, keepdims=True)
    wrong = np.clip(places + way, (0, 0, 0), (60, 60, 30))
    return Scene(start, truth, ratio, places, origins, picks(places, origins),
                 picks(wrong, origins + late * rng.standard_normal(events)))


def numbers_of(made: Scene, run: fm.Inversion, seconds: float) -> list[float]:
    cells = run.coverage >= 10
    at = np.zeros(made.start.shape, bool)
    at[1:, 1:, 1:] = cells
    start = made.start.velocity[at]
    change = np.log(run.model.velocity[at] / start), np.log(made.truth.velocity[at] / start)
    found = [np.nan, np.nan]
    if run.events is not None:
        far = np.linalg.norm(run.events["position"] - made.places, axis=1)
        found = [np.median(far), np.median(np.abs(run.events["origin_time"] - made.origins))]
    ratio = np.nan
    if run.vp_vs is not None:
        ratio = np.corrcoef(run.vp_vs[at], made.vp_vs[at])[0, 1]
    passes = run.history["passes"][-1]
    return [*found, np.corrcoef(*change)[0, 1], ratio, run.chi2, run.history["iteration"][-1],
            seconds / passes]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first", type=int, default=10, help="seed")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--noise", type=float, default=0.03)
    parser.add_argument("--off", type=float, default=2.0)
    parser.add_argument("--late", type=float, default=0.3)
    parser.add_argument("--phases", default="P,S")
    parser.add_argument("--stations", type=int, default=49)
    parser.add_argument("--start-places", default="auto", help="where relocated events begin")
    parser.add_argument("--quick", action="store_true", help="on a grid of 2 km")
    parser.add_argument("--runs", default="true,kept,relocated,terms")
    parser.add_argument("--each", action="store_true", help="a row per seed too")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    phases = options.phases.split(",")
    more = {"vp_vs": VP_VS} if len(phases) > 1 else {}
    moves = {"relocate": True, "start_places": options.start_places}
    every = {"true": ("true places", "real", {}), "kept": ("wrong places, kept", "catalogue", {}),
             "relocated": ("relocated", "catalogue", moves),
             "terms": ("relocated, station terms", "catalogue", {**moves, "terms": "receiver"})}
    runs = [every[name] for name in options.runs.split(",")]
    names = ("place km", "origin s", "corr. Vp", "corr. Vp/Vs", "chi2", "iterations", "s per pass")
    print("| run | " + " | ".join(names) + " |\n|---|" + "---|" * len(names))

    def tell(name: str, numbers: np.ndarray) -> None:
        cells = (f"{n:.3g}" if np.isfinite(n) else "" for n in numbers)
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)

    rows: dict[str, list] = {name: [] for name, _, _ in runs}
    for seed in range(options.first, options.first + options.seeds):
        made = scene(seed, options.events, phases, options.noise, options.off, options.late,
                     options.quick, options.stations)
        for name, which, keywords in runs:
            begin = time.perf_counter()
            run = fm.invert(made.start, getattr(made, which), threads=options.threads, **more, **keywords)
            rows[name].append(numbers_of(made, run, time.perf_counter() - begin))
            if options.each:
                tell(f"{name}, seed {seed}", rows[name][-1])
    for name, numbers in rows.items():
        tell(name, np.mean(numbers, axis=0))


main()
