"""How far it goes: memory per node, threads, ranks and catalogues.

    python bench/scale/run.py memory [--nodes 129]
    python bench/scale/run.py threads [--nodes 257] [--sources 64] [--most 16]
    python bench/scale/run.py ranks [--nodes 129] [--sources 32] [--most 16] [--program fermat]
    python bench/scale/run.py catalogue [--picks 1e7] [--stations 300] [--heard any] [--threads 0]

`memory`: each solver in a process of its own; bytes per node that its peak takes beyond the model and
the result. `threads`: one source of a cube of `nodes` a side, and `sources` of a cube of half of it,
with 1, 2, 4 ... threads. `ranks`: an iteration of `fermat invert` under mpirun, one thread a rank:
`sources` in all (strong) and per rank (weak), with 200 picks each. `catalogue`: P and S picks of local earthquakes on 101 x 101 x 31 nodes,
each event at 30 stations, any or its nearest, two iterations of joint inversion with relocation. Each is a few minutes on 16 cores.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

import fermat as fm

SOLVES = ("fim", "fim double", "fim of cells with jumps", "fmm", "fsm", "vidale", "dijkstra", "sphere",
          "tensor", "Thomsen", "adjoint", "adjoint double", "adjoint of a sphere", "amplitudes")


def peak() -> float:
    """Bytes that this process has held at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0


def solve(name: str, nodes: int) -> tuple[float, float]:
    """Bytes per node beyond the model and the result, and seconds of the processor."""
    shape = (nodes,) * 3
    options: dict = {"spacing": 0.1}
    source = (0.05 * nodes,) * 3
    if "sphere" in name:
        options = {"spacing": (5 / nodes, 5 / nodes, 200 / nodes), "origin": (40, 10, 0), "coordinates": "spherical"}
        source = (42.5, 12.5, 100)
    if name == "tensor":
        options["tensor"] = np.array([[1.2, 0.1, 0], [0.1, 1, 0.1], [0, 0.1, 0.9]])
    if name == "Thomsen":
        options |= {"epsilon": 0.1, "delta": 0.05, "tilt": 20}
    depth = np.arange(nodes, dtype=np.float32)
    values = 2 + depth / nodes
    if "cells" in name:
        shape = (nodes - 1,) * 3
        values = np.where(depth[1:] > nodes // 2, 4, 2)
        options["cells"] = True
    velocity = np.empty(shape, np.float32)  # without arrays on the way, which a peak would tell of
    velocity[...] = values
    model = fm.Model(velocity, **options)
    small = fm.Model.constant((9, 9, 9), velocity=2)
    fm.traveltimes(small, (4, 4, 4), device="cpu", threads=1)  # what libraries take once
    before, start = peak(), time.process_time()
    given = {"device": "cpu", "threads": 1}
    result = 4
    if name.startswith("adjoint"):
        middle = tuple(np.add(source, model.spacing))
        precision = "double" if "double" in name else "single"
        fm.adjoint(model, source, receivers=[middle], by_receiver_times=[1.0], precision=precision, **given)
        result = 8
    elif name == "amplitudes":
        fm.amplitudes(model, source, threads=1)
        result = 48
    else:
        solver = name if name in ("fmm", "fsm", "vidale", "dijkstra") else "fim"
        precision = "double" if "double" in name else "single"
        fm.traveltimes(model, source, solver=solver, precision=precision, **given)
        result = 8 if precision == "double" else 4
    return (peak() - before) / nodes**3 - result, time.process_time() - start


def memory(nodes: int) -> None:
    print(f"| solve of {nodes}^3 nodes | bytes per node | processor, s |\n|---|---|---|")
    for name in SOLVES:
        code = f"import run; print(*run.solve({name!r}, {nodes}))"
        done = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parent, text=True,
                              capture_output=True, check=False)
        words = done.stdout.split()
        told = f"{float(words[0]):.0f} | {float(words[1]):.2f}" if len(words) == 2 else done.stderr.strip()[-80:]
        print(f"| {name} | {told} |", flush=True)


def counts(most: int) -> list[int]:
    return [n for n in (1, 2, 4, 8, 16, 32, 64) if n <= most]


def threads(nodes: int, sources: int, most: int) -> None:
    large = fm.Model.gradient((nodes,) * 3, v0=2, gradient=0.5, spacing=10 / nodes)
    small = fm.Model.gradient((nodes // 2 + 1,) * 3, v0=2, gradient=0.5, spacing=20 / nodes)
    places = np.random.default_rng(1).uniform(1, 9, size=(sources, 3))
    print(f"| threads | one source of {nodes}^3, s | gain | {sources} of {nodes // 2 + 1}^3, s | gain |\n|---|---|---|---|---|")
    first: tuple[float, float] | None = None
    for count in counts(most):
        start = time.perf_counter()
        fm.traveltimes(large, (5, 5, 0.5), device="cpu", threads=count)
        middle = time.perf_counter()
        fm.receiver_times(small, places, [(1, 1, 0), (9, 9, 0)] * sources, device="cpu", threads=count)
        found = middle - start, time.perf_counter() - middle
        first = first or found
        print(f"| {count} | {found[0]:.2f} | {first[0] / found[0]:.1f} | {found[1]:.2f} | {first[1] / found[1]:.1f} |", flush=True)


def ranks(nodes: int, sources: int, most: int, program: str) -> None:
    if shutil.which("mpirun") is None:
        raise SystemExit("mpirun was not found (install Open MPI)")
    rng = np.random.default_rng(1)
    print(f"| ranks | {sources} sources of {nodes}^3, s an iteration | gain | {sources} per rank, s | share of one |\n"
          "|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        model = fm.Model.gradient((nodes,) * 3, v0=2, gradient=0.5, spacing=10 / nodes)
        model.save(f"{folder}/model.h5")
        places = rng.uniform(1, 9, (sources * most, 3))
        receivers = rng.uniform(0, 9, (2 * sources * most, 3))
        truth = fm.Model(model.velocity * np.float32(1.03), spacing=model.spacing)

        def run(count: int, rows: int) -> float:
            heard = rng.integers(0, len(receivers), (rows, 200))
            pairs = np.column_stack([np.repeat(np.arange(rows), 200), heard.ravel()])
            times = fm.receiver_times(truth, places[:rows], receivers, device="cpu")
            fm.Picks(places[:rows], receivers, source=pairs[:, 0], receiver=pairs[:, 1], error=0.01,
                     time=times[pairs[:, 0], pairs[:, 1]]).save(f"{folder}/picks.csv")
            command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-np", str(count),
                       program, "invert", "--model", "model.h5", "--picks", "picks.csv", "--unknown-ratio", "4",
                       "--method", "gauss-newton", "--regularisation", "second", "--smoothing", "1", "--iterations", "2",
                       "--outliers", "0", "--threads", "1", "--device", "cpu", "--quiet", "-o", f"run{count}-{rows}"]
            subprocess.run(command, cwd=folder, check=True, capture_output=True)
            return float(np.median(np.genfromtxt(f"{folder}/run{count}-{rows}/history.csv", delimiter=",",
                                                 names=True)["seconds"]))

        first: tuple[float, float] | None = None
        for count in counts(most):
            found = run(count, sources), run(count, sources * count)
            first = first or found
            print(f"| {count} | {found[0]:.2f} | {first[0] / found[0]:.1f} | {found[1]:.2f} | {first[1] / found[1]:.2f} |", flush=True)


def catalogue(picks: int, stations: int, at: str, count: int) -> None:
    rng = np.random.default_rng(1)
    model = fm.Model.gradient((101, 101, 31), v0=5, gradient=0.06, spacing=1)
    truth = fm.Model(model.velocity * np.float32(1.02), spacing=1)
    heard = 30
    events = max(1, picks // (2 * heard))
    where = np.column_stack([rng.uniform(3, 97, (stations, 2)), np.zeros(stations)])
    places = rng.uniform((5, 5, 2), (95, 95, 25), (events, 3))
    times = fm.receiver_times(truth, where, places, threads=count, device="cpu")  # (stations, events)
    if at == "nearest":
        parts = np.array_split(np.arange(events), 1 + events // 1000)
        which = np.concatenate([np.argsort(times[:, part], axis=0)[:heard].T for part in parts])
    elif events * stations < 5e7:
        which = np.argsort(rng.random((events, stations)), axis=1)[:, :heard]
    else:
        which = (rng.integers(0, stations, (events, 1)) + np.arange(heard) * (stations // heard)) % stations
    event = np.repeat(np.arange(events), heard)
    station = which.ravel()
    p = times[station, event]
    origin = np.sort(rng.uniform(0, 1e7, events))
    noise = 0.03 * rng.standard_normal((2, len(event)))
    table = fm.Picks(
        places + rng.normal(size=places.shape) * (1, 1, 0.5), where, source=np.tile(event, 2),
        receiver=np.tile(station, 2), time=np.concatenate([origin[event] + p + noise[0], origin[event] + 1.75 * p + noise[1]]),
        error=0.03, phase=np.repeat(["P", "S"], len(event)), origin_time=origin,
    )
    del times, p, noise
    before, start = peak(), time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = fm.invert(model, table, vp_vs=1.75, relocate="all", iterations=2, smoothing=1.0,
                        regularisation="second", threads=count, device="cpu")
    seconds = time.perf_counter() - start
    passes = run.history["seconds"]
    print(f"{len(table.time):,} picks of {events:,} events at {heard} ({at}) of {stations} stations, {os.cpu_count()} cores: "
          f"{seconds:.1f} s in all, {float(np.median(passes)):.1f} s an iteration, peak {peak() / 2**30:.2f} GiB "
          f"({before / 2**30:.2f} before)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("memory", "threads", "ranks", "catalogue"))
    parser.add_argument("--nodes", type=int)
    parser.add_argument("--sources", type=int)
    parser.add_argument("--most", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--program", default=shutil.which("fermat") or "build/release/fermat")
    parser.add_argument("--picks", type=float, default=1e7)
    parser.add_argument("--stations", type=int, default=300)
    parser.add_argument("--heard", choices=("any", "nearest"), default="any")
    parser.add_argument("--threads", type=int, default=0)
    given = parser.parse_args()
    if given.what == "memory":
        memory(given.nodes or 129)
    elif given.what == "threads":
        threads(given.nodes or 257, given.sources or 64, given.most)
    elif given.what == "ranks":
        ranks(given.nodes or 129, given.sources or 32, given.most, str(Path(given.program).resolve()))
    else:
        catalogue(int(given.picks), given.stations, given.heard, given.threads)


if __name__ == "__main__":
    main()
