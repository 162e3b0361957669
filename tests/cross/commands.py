"""Commands of the program, each on one case of the cross test.

Every command gets its model as a file and must end with status 0, or say one line and stop.
"""

from __future__ import annotations

from typing import Any

import fermat as fm
import numpy as np
from case import ORIGIN_TIME, Case


class Refusal(Exception):
    """The program ended with an error: its line."""


def files(case: Case) -> list[str]:
    return sorted(str(path) for path in case.folder.rglob("*") if path.is_file())


def call(case: Case, *arguments: Any) -> str:
    """Runs the program; a failure must be one line with status 2 that leaves no file behind."""
    before = files(case)
    done = case.fermat.call(*arguments, "--threads", "1")
    lines = [line for line in done.stderr.splitlines() if not line.startswith("fermat: warning: ")]
    if done.returncode == 0:
        assert not lines, done.stderr
        return done.stdout
    assert done.returncode == 2 and len(lines) == 1, done
    assert lines[0].startswith("fermat: error: "), done.stderr
    assert files(case) == before
    raise Refusal(lines[0].removeprefix("fermat: error: "))


def matrix(case: Case, name: str, phase: str = "P") -> np.ndarray:
    """The column time of a table, as (events, stations)."""
    rows = [row for row in case.read(name) if row.get("phase", phase) == phase]
    return np.array([float(row["time"]) for row in rows]).reshape(len(case.medium.events), -1)


def times(case: Case) -> None:
    call(case, "times", "--model", case.file(), *case.sources_and_receivers(), "--precision",
         case.precision, "--table", "times.csv")
    case.agree(matrix(case, "times.csv"))


def times_fields(case: Case) -> None:
    """Fields with their gradients: as long as the slowness of a node below."""
    model = case.model()
    call(case, "times", "--model", case.file(model), "--source",
         ",".join(map(str, case.medium.stations[0])), "--gradient", "--precision", case.precision,
         "-o", "times.h5")
    axes = "xyz" if case.medium.ndim == 3 else "xz"
    found = [case.fermat.array("times.h5", f"gradient_{axis}").T for axis in axes]
    got = case.fermat.array("times.h5", "time").T
    node = tuple(int(n * 0.75) for n in model.shape)
    found = [np.squeeze(array) for array in found]
    length = np.linalg.norm([array[node] for array in found])
    assert abs(length * model.velocity[node] - 1) < (0.15 if "TTI" in case.medium.kinds else 0.02)
    want = case.medium.time(model.node_positions()[node], case.medium.stations[0])
    assert abs(np.squeeze(got)[node] / want - 1) < case.medium.tolerance


def rays(case: Case) -> None:
    call(case, "rays", "--model", case.file(), *case.flags, "--phases", case.phases,
         *case.sources_and_receivers(), "-o", "rays.h5", "--table", "rays.csv", "--coverage",
         "coverage.h5")
    assert {row["status"] for row in case.read("rays.csv")} == {"ok"}
    for phase in case.phases.split(","):
        case.agree(matrix(case, "rays.csv", phase), phase)


def sensitivity(case: Case) -> None:
    model = case.model()
    call(case, "rays", "--model", case.file(model), *case.sources_and_receivers(), "--sensitivity",
         "matrix.h5", "--basis", "cells" if model.cells else "nodes")
    assert (case.folder / "matrix.h5").is_file()


def picks(case: Case) -> None:
    call(case, "picks", "--model", case.file(), *case.flags, "--phases", case.phases,
         *case.sources_and_receivers(), "-o", "picks.csv")
    for phase in case.phases.split(","):
        case.agree(matrix(case, "picks.csv", phase), phase)


def run_invert(case: Case, *flags: str, iterations: int = 2) -> None:
    case.file(case.medium.slower(1.05), "start.h5")
    case.write("travel.csv", case.pick_columns())
    call(case, "invert", "--model", "start.h5", "--picks", "travel.csv", *case.flags, *flags,
         "--iterations", iterations, "-o", "run", "--quiet")


def invert(*flags: str) -> Any:
    def work(case: Case) -> None:
        run_invert(case, *flags)
        rms = [float(row["rms"]) for row in case.read("run/history.csv")]
        assert np.isfinite(rms).all() and rms[-1] < 0.6 * rms[0], rms
        found = fm.Model.load(case.folder / "run" / "model.h5")
        start = case.medium.make()
        assert (found.coordinates, found.anisotropy) == (start.coordinates, start.anisotropy)

    return work


def locate(case: Case) -> None:
    case.given = "file"
    call(case, "locate", "--model", case.file(), *case.flags, "--stations", case.stations(), "--picks",
         case.write("arrivals.csv", case.arrivals()), "-o", "found.csv", "--fits", "fits.csv")
    case.at_events(case.read_places("found.csv"))
    assert {abs(float(row["origin_time"]) - ORIGIN_TIME) < 0.05 for row in case.read("found.csv")} == {True}


def relocate(case: Case) -> None:
    case.given = "file"
    call(case, "relocate", "--model", case.file(), *case.flags, "--stations", case.stations(), "--events",
         case.displaced_table(), "--differences", *case.differences(), "-o", "found.csv")
    case.at_events(case.read_places("found.csv"), relative=True)


def report(case: Case) -> None:
    run_invert(case, "--regularisation", "second", iterations=1)
    call(case, "report", "run", "--start", "start.h5", "-o", "report.html")
    text = (case.folder / "report.html").read_text()
    assert "</html>" in text and "NaN" not in text.split("<body", 1)[0]


def report_events(case: Case) -> None:
    locate(case)
    call(case, "report", "found.csv", "--stations", "stations.csv", "--fits", "fits.csv", "-o",
         "report.html")
    assert "</html>" in (case.folder / "report.html").read_text()


def plot(case: Case) -> None:
    call(case, "plot", case.file(), "-o", "model.png")
    assert (case.folder / "model.png").stat().st_size > 5000


def plot_run(case: Case) -> None:
    run_invert(case, "--regularisation", "second", iterations=1)
    call(case, "plot", "run", "-o", "run.png")
    assert (case.folder / "run.png").stat().st_size > 5000


def export(output: str) -> Any:
    def work(case: Case) -> None:
        call(case, "export", case.file(), "-o", output)
        assert (case.folder / output).exists()

    return work


def convert(suffix: str) -> Any:
    """A model that is written and comes back has the same times."""

    def work(case: Case) -> None:
        model = case.model()
        call(case, "model", "convert", case.file(model), "-o", f"out{suffix}")
        assert (case.folder / f"out{suffix}").is_file()
        if suffix in (".vts", ".vtk"):
            return  # for other programs: it is not read back
        how = ["--cells" if model.cells else "--nodes"] if suffix in (".npy", ".csv", ".hdr") else []
        if suffix == ".npy":
            how += ["--spacing", ",".join(map(str, model.spacing)), "--origin",
                    ",".join(map(str, model.origin))]
        call(case, "model", "convert", f"out{suffix}", *how, "-o", "back.h5")
        ends = case.medium.events, case.medium.stations
        again = fm.receiver_times(fm.Model.load(case.folder / "back.h5"), *ends)
        assert np.abs(again / fm.receiver_times(model, *ends) - 1).max() < 1e-6

    return work
