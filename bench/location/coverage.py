"""How often the regions of `fermat.locate` hold the true places, in a model that is wrong.

    python bench/location/coverage.py [--kinds blocks,random,fault,basin] [--seeds 5] [--first 1]
                                      [--events 200] [--stations 30] [--likelihood gaussian]
                                      [--independent] [--samples 0] [--threads 0]

A crust of 60 x 60 x 30 km, 5 to 6.8 km/s, below stations at random. Its truth is 3-D: blocks of 10 km
and +-8 %; a random field of 12 km and 5 %; a fault that dips between sides that differ by 10 %; a basin
of -20 % with a smooth trend beside it. Events are located in the 1-D model that has the mean velocity
of each depth, with Vp/Vs 1.73, from picks of P (70 %) and S (40 %) with errors of 0.03 and 0.06 s.

Prints per kind, as means over seeds: the share of true places in the regions of 68 and 95 %, of
epicentres in the 68 % ellipses and of depths within one deviation, the median errors of epicentre and depth, and the length and
sizes of the model's errors that were found. `--independent` takes errors of the model as independent
(`error_length=0`), as other programs do.
"""

from __future__ import annotations

import argparse
import time
import warnings

import fermat as fm
import numpy as np

VP_VS = 1.73
SPACING = 1.5


def nodes() -> np.ndarray:
    axes = [SPACING * np.arange(n) for n in (41, 41, 21)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)


def blocks(at: np.ndarray, _: np.random.Generator) -> np.ndarray:
    wave = [np.clip(3 * np.sin(np.pi * at[..., k] / 10), -1, 1) for k in range(3)]
    return 0.08 * wave[0] * wave[1] * wave[2]


def random(at: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A Gaussian random field: cosines whose wave numbers are those of exp(-d^2 / 2 a^2)."""
    waves = 200
    number = rng.standard_normal((waves, 3)) / 12
    phase = rng.uniform(0, 2 * np.pi, waves)
    out = np.zeros(at.shape[:-1])
    for k, p in zip(number, phase, strict=True):
        out += np.cos(at @ k + p)
    return 0.05 * np.sqrt(2 / waves) * out


def fault(at: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    strike = rng.uniform(0, np.pi)
    across = (at[..., 0] - 30) * np.cos(strike) + (at[..., 1] - 30) * np.sin(strike)
    return 0.05 * np.tanh((across - 0.3 * at[..., 2]) / 3)


def basin(at: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    middle = rng.uniform(20, 40, 2)
    radius = ((at[..., 0] - middle[0]) / 15) ** 2 + ((at[..., 1] - middle[1]) / 12) ** 2
    trend = 0.03 * np.tanh((at[..., 0] - 30) / 20)
    return -0.2 * np.exp(-radius - at[..., 2] / 4) + trend


KINDS = {"blocks": blocks, "random": random, "fault": fault, "basin": basin}


def picks_of(kind: str, seed: int, events: int, stations: int):
    rng = np.random.default_rng(seed)
    at = nodes()
    change = KINDS[kind](at, rng)
    truth = fm.Model((5 + 0.06 * at[..., 2]) * (1 + change), spacing=SPACING)
    mean = 1 / (1 / truth.velocity).mean(axis=(0, 1))
    flat = fm.Model(np.broadcast_to(mean, truth.shape).copy(), spacing=SPACING)
    heard = np.column_stack([rng.uniform(3, 57, (stations, 2)), np.zeros(stations)])
    places = rng.uniform((10, 10, 4), (50, 50, 20), (events, 3))
    made = fm.synthetic_picks(truth, heard, places)
    table: dict[str, list] = {name: [] for name in ("event", "station", "phase", "time", "error")}
    for phase, ratio, share, error in (("P", 1, 0.7, 0.03), ("S", VP_VS, 0.4, 0.06)):
        keep = rng.uniform(size=len(made.time)) < share
        table["event"].append(made.receiver[keep])
        table["station"].append(made.source[keep])
        table["phase"].append(np.full(keep.sum(), phase))
        table["time"].append(ratio * made.time[keep] + error * rng.standard_normal(keep.sum()))
        table["error"].append(np.full(keep.sum(), error))
    columns = {name: np.concatenate(parts) for name, parts in table.items()}
    columns["time"] += 100.0 * columns["event"]
    order = np.argsort(columns["event"], kind="stable")
    columns = {name: values[order] for name, values in columns.items()}
    where = {"station": np.arange(stations), **dict(zip("xyz", heard.T, strict=True))}
    return flat, columns, where, places


def judge(found: fm.Catalogue, places: np.ndarray) -> list[float]:
    at = places[[int(name) for name in found.event]]
    off = at - found.position
    inside = found.located
    off, spread = off[inside], found.covariance[inside]
    squares = np.einsum("ni,nij,nj->n", off, np.linalg.inv(spread), off)
    flat = np.einsum("ni,nij,nj->n", off[:, :2], np.linalg.inv(spread[:, :2, :2]), off[:, :2])
    deep = off[:, 2] ** 2 / spread[:, 2, 2]
    return [np.mean(squares < 1.872401**2), np.mean(squares < 2.795483**2), np.mean(flat < 1.509592**2),
            np.mean(deep < 0.994458**2), np.median(np.hypot(off[:, 0], off[:, 1])),
            np.median(np.abs(off[:, 2])), found.error_length, *found.model_error]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kinds", default="blocks,random,fault,basin")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--events", type=int, default=200)
    parser.add_argument("--stations", type=int, default=30)
    parser.add_argument("--samples", type=int, default=0)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--likelihood", default="gaussian", choices=["gaussian", "edt"])
    parser.add_argument("--independent", action="store_true")
    parser.add_argument("--each", action="store_true", help="print every seed")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    names = ("68 %", "95 %", "epicentre 68 %", "depth 68 %", "epicentre km", "depth km", "length km",
             "P s", "S s", "events/s")
    print("| truth | " + " | ".join(names) + " |\n|---|" + "---|" * len(names))
    more = {"error_length": 0} if options.independent else {}
    for kind in options.kinds.split(","):
        rows = []
        for seed in range(options.first, options.first + options.seeds):
            flat, picks, stations, places = picks_of(kind, seed, options.events, options.stations)
            begin = time.perf_counter()
            found = fm.locate(flat, picks, stations=stations, vp_vs=VP_VS, threads=options.threads,
                              likelihood=options.likelihood, samples=options.samples, **more)
            spent = time.perf_counter() - begin
            rows.append([*judge(found, places), options.events / spent])
            if options.each:
                print(f"| {kind} {seed} | " + " | ".join(f"{n:.3g}" for n in rows[-1]) + " |", flush=True)
        cells = " | ".join(f"{n:.3g}" for n in np.mean(rows, axis=0))
        print(f"| {kind} | {cells} |", flush=True)


main()
