"""Compares two builds of the program: the same cases, and every output byte by byte.

    python3 scripts/compare_builds.py OLD/fermat NEW/fermat [--device cpu] [--only PATTERN] [--keep DIR]

A change that is to leave the numerics alone runs it against the program of before. The cases are
small: times by every solver, order and precision on nodes and cells, with air, in 2-D and 3-D; rays
by every tracer, their sensitivity and coverage; picks, smoothing and inversions with fixed settings.
Datasets of .h5 are compared one by one, and of CSV every column but those of seconds. Prints one
line per difference, then the count, and ends with status 1 if there is one. Needs h5py and numpy.
"""

from __future__ import annotations

import argparse
import csv
import io
import subprocess
import sys
import tempfile
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

import h5py
import numpy as np

# How columns of CSV that hold wall-clock time begin, and files that name the program's version or settings.
CLOCKS = "seconds"
SKIPPED_FILES = {"*.toml", "*.lock", "*.html"}
# What a checkpoint keeps of the clock, and the digest over it.
SKIPPED_DATA = {"@version", "@digest", "reports"}


class Case(NamedTuple):
    """Command lines run one after another in an empty folder; words are split at blanks."""

    name: str
    commands: tuple[str, ...]


MODELS = {
    "flat": "model random --shape 67,41 --spacing 0.1,0.12 --origin 1,-0.5 --velocity 3"
    " --amplitude 0.3 --correlation 0.8 --seed 3",
    "cube": "model random --shape 37,33,29 --spacing 0.1,0.11,0.09 --velocity 3 --amplitude 0.3"
    " --correlation 0.6 --seed 5",
    "long": "model gradient --shape 61,25 --spacing 2,0.2 --v0 2 --gradient 0.4",
    "cells": "model layers --cells --shape 61,41 --spacing 0.1 --layer 0:2 --layer 1.7:4.5",
    "cellcube": "model layers --cells --shape 25,23,19 --spacing 0.1 --layer 0:2 --layer 0.9:4.5",
}
HILLS = "x,z\n1,0.1\n2.5,-0.2\n4,0.4\n6,0\n7.6,0.3\n"
POINTS = {
    "flat": ("3.03,0.77", "x,z\n1,3.2\n7.6,1.1\n4.21,0.9\n2.2,4.1\n"),
    "hills": ("3.03,0.77", "x,z\n1,3.2\n7.6,1.1\n4.21,0.9\n2.2,4.1\n"),
    "cube": ("1.53,1.21,0.4", "x,y,z\n0,0,2\n3.6,3.4,0.1\n1.1,3.01,1.7\n3.1,0.2,2.4\n"),
    "long": ("31,0.33", "x,z\n0,0\n118,4.1\n60,4.8\n"),
    "cells": ("1.53,0.41", "x,z\n0,3.2\n5.9,0.1\n4.21,0.9\n2.2,3.9\n"),
    "cellcube": ("1.03,0.61,0.4", "x,y,z\n0,0,1.7\n2.3,2.1,0.1\n1.1,1.01,1.5\n"),
}
FIELD_SOLVERS = ("fim", "fmm", "fsm")
GRAPH_SOLVERS = ("dijkstra", "bellman-ford")
NODE_MODELS = ("flat", "hills", "cube", "long")
CELL_MODELS = ("cells", "cellcube")


def make(name: str) -> tuple[str, ...]:
    """Commands that leave model.h5."""
    if name != "hills":
        return (f"{MODELS[name]} -o model.h5",)
    return (
        f"{MODELS['flat']} -o whole.h5",
        "model topography --base whole.h5 --surface hills.csv -o model.h5",
    )


def times_cases() -> list[Case]:
    cases = []
    for model in NODE_MODELS + CELL_MODELS:
        source = POINTS[model][0]
        base = f"times --model model.h5 --source {source}"
        pairs = "--receivers receivers.csv --table times.csv"
        for solver in FIELD_SOLVERS:
            for order in (1, 2):
                for precision in ("single", "double"):
                    what = f"--solver {solver} --order {order} --precision {precision}"
                    name = f"times-{model}-{solver}-{order}-{precision}"
                    cases.append(Case(name, (*make(model), f"{base} {what} -o times.h5 {pairs}")))
        if model in NODE_MODELS:
            cases.append(
                Case(
                    f"times-{model}-vidale",
                    (*make(model), f"{base} --solver vidale -o times.h5 {pairs}"),
                )
            )
            cases.extend(
                Case(
                    f"times-{model}-{solver}",
                    (*make(model), f"{base} --solver {solver} -o times.h5 {pairs}"),
                )
                for solver in GRAPH_SOLVERS
            )
        several = f"{base} --sources receivers.csv --together -o times.h5 {pairs}"
        cases.append(Case(f"times-{model}-together", (*make(model), several)))
    return cases


def rays_cases() -> list[Case]:
    cases = []
    for model in NODE_MODELS + CELL_MODELS:
        tracers = ["descent"]
        if model in NODE_MODELS:
            tracers += ["cells", "bending", "graph"] + ["grid"] * (model != "cube")
        base = f"rays --model model.h5 --source {POINTS[model][0]} --receivers receivers.csv"
        for tracer in tracers:
            outputs = "-o rays.h5 --table rays.csv"
            if model in NODE_MODELS and tracer != "grid":
                outputs += " --sensitivity nodes.h5 --coverage coverage.h5"
            run = f"{base} --tracer {tracer} {outputs}"
            cases.append(Case(f"rays-{model}-{tracer}", (*make(model), run)))
        run = f"{base} --sensitivity cells.h5 --basis cells --reciprocity off --table rays.csv"
        cases.append(Case(f"rays-{model}-cells-basis", (*make(model), run)))
    return cases


def inversion_cases() -> list[Case]:
    start = "model gradient --shape 61,25 --spacing 0.1 --v0 2 --gradient 0.5 -o start.h5"
    board = "model checkerboard --base start.h5 --size 1.5,1.2 --amplitude 0.05 -o true.h5"
    picks = (
        "picks --model true.h5 --sources shots.csv --receivers line.csv --noise 0.002 -o picks.csv"
    )
    ready = (start, board, picks)
    hole = "invert --model start.h5 --picks picks.csv --schedule schedule.csv -o run"
    newton = "invert --picks picks.csv --iterations 3 -o run"
    return [
        Case("picks", ready),
        Case("smooth", (*ready, "smooth --in true.h5 --size 5,3 --passes 2 -o smooth.h5")),
        Case("invert-hole", (*ready, hole)),
        Case("invert-hole-fmm", (*ready, f"{hole} --solver fmm --order 1 --share length")),
        Case("invert-newton", (*ready, newton)),
        Case("invert-newton-first", (*ready, f"{newton} --model start.h5 --regularisation first")),
        Case("invert-newton-blocky", (*ready, f"{newton} --regularisation blocky")),
    ]


INPUTS = {"receivers.csv", "hills.csv", "shots.csv", "line.csv", "schedule.csv"}


def prepare(case: Case, folder: Path) -> None:
    """Files that the commands read: INPUTS."""
    model = case.name.split("-")[1] if "-" in case.name else ""
    if model in POINTS:
        (folder / "receivers.csv").write_text(POINTS[model][1])
    (folder / "hills.csv").write_text(HILLS)
    shots = "".join(f"{x},0\n" for x in (0.2, 1.6, 3.2, 4.8, 5.9))
    line = "".join(f"{0.15 + 0.4 * n:g},0\n" for n in range(15))
    (folder / "shots.csv").write_text("x,z\n" + shots)
    (folder / "line.csv").write_text("x,z\n" + line)
    (folder / "schedule.csv").write_text(
        "iterations,cell_x,cell_z,vertex_x,vertex_z\n2,9,5,5,3\n2,5,3,3,3\n"
    )


def run(program: Path, case: Case, folder: Path, device: str, threads: int) -> str:
    """Runs a case in its folder; what the program said where it failed."""
    folder.mkdir(parents=True)
    prepare(case, folder)
    for command in case.commands:
        words = [str(program), *command.split(), "--device", device, "--threads", str(threads)]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return f"status {done.returncode}: {done.stderr.strip()}"
    return ""


def datasets(path: Path) -> dict[str, np.ndarray]:
    found: dict[str, np.ndarray] = {}

    def take(name: str, item: h5py.Dataset | h5py.Group) -> None:
        if isinstance(item, h5py.Dataset):
            found[name] = item[()]
        for key, value in item.attrs.items():
            found[f"{name}@{key}"] = np.asarray(value)

    with h5py.File(path) as file:
        take("", file)
        file.visititems(take)
    return found


def same(one: np.ndarray, other: np.ndarray) -> bool:
    one, other = np.asarray(one), np.asarray(other)
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    return one.tolist() == other.tolist() if one.dtype == object else one.tobytes() == other.tobytes()


def compare_hdf5(one: Path, other: Path) -> list[str]:
    left, right = datasets(one), datasets(other)
    found = [f"{name} is in one of them only" for name in sorted(left.keys() ^ right.keys())]
    for name in sorted(left.keys() & right.keys()):
        skipped = name in SKIPPED_DATA or name.split("/")[-1].startswith(CLOCKS)
        if not skipped and not same(left[name], right[name]):
            found.append(f"{name} differs")
    return found


def columns(path: Path) -> list[list[str]]:
    rows = list(csv.reader(io.StringIO(path.read_text())))
    kept = [n for n, name in enumerate(rows[0]) if not name.startswith(CLOCKS)] if rows else []
    return [[row[n] for n in kept if n < len(row)] for row in rows]


def compare_files(one: Path, other: Path) -> list[str]:
    if one.suffix == ".h5":
        return compare_hdf5(one, other)
    if one.suffix == ".csv":
        return [] if columns(one) == columns(other) else ["rows differ"]
    return [] if one.read_bytes() == other.read_bytes() else ["bytes differ"]


def outputs(folder: Path) -> set[str]:
    files = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {
        file.as_posix()
        for file in files
        if file.as_posix() not in INPUTS
        and not any(fnmatch(file.name, pattern) for pattern in SKIPPED_FILES)
    }


def compare_case(one: Path, other: Path) -> tuple[int, list[str]]:
    """How many files were compared, and what differs."""
    left, right = outputs(one), outputs(other)
    found = [f"{name} is written by one of them only" for name in sorted(left ^ right)]
    for name in sorted(left & right):
        found += [f"{name}: {text}" for text in compare_files(one / name, other / name)]
    return len(left & right), found


def compare(
    programs: tuple[Path, Path], cases: list[Case], folder: Path, device: str, threads: int
) -> int:
    files = differences = failed = 0
    for case in cases:
        places = (folder / "one" / case.name, folder / "other" / case.name)
        said = [
            run(program, case, place, device, threads)
            for program, place in zip(programs, places, strict=True)
        ]
        if said[0] or said[1]:
            failed += 1
            if said[0] != said[1]:
                differences += 1
                print(f"{case.name}: one says {said[0]!r}, the other {said[1]!r}")
            elif said[0]:
                print(f"{case.name}: both fail with {said[0]!r}")
            continue
        count, found = compare_case(*places)
        files += count
        differences += len(found)
        for text in found:
            print(f"{case.name}: {text}")
    print(
        f"{len(cases)} cases ({failed} refused), {files} files compared: "
        + (f"{differences} differences" if differences else "the same bytes")
    )
    return 1 if differences else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs=2, type=Path, metavar="PROGRAM")
    parser.add_argument("--device", default="cpu", help="where both compute (default: cpu)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default="*", help="cases whose name matches, as times-*-fim-*")
    parser.add_argument("--keep", type=Path, help="folder for the outputs (default: removed)")
    flags = parser.parse_args()
    programs = (flags.programs[0].resolve(), flags.programs[1].resolve())
    cases = [
        case
        for case in times_cases() + rays_cases() + inversion_cases()
        if fnmatch(case.name, flags.only)
    ]
    with tempfile.TemporaryDirectory() as scratch:
        folder = flags.keep.resolve() if flags.keep else Path(scratch)
        return compare(programs, cases, folder, flags.device, flags.threads)


if __name__ == "__main__":
    sys.exit(main())
