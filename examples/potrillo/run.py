"""Tomography of a crustal survey like the Potrillo experiment, from its making to its pictures.

    python examples/potrillo/run.py FOLDER

Leaves models, picks and the run in FOLDER, with models.png, misfit.png and summary.csv.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import fermat as fm  # noqa: E402
import survey  # noqa: E402
import tomography as tomo  # noqa: E402

plt = tomo.plt
NOISE = 0.05


def along_line(values: np.ndarray, distance: np.ndarray) -> np.ndarray:
    """Values (x, y, z) on the vertical section below the line, between neighbouring y linearly."""
    points = survey.line(distance)
    i = np.clip(np.rint(points[:, 0]).astype(int), 0, values.shape[0] - 1)
    j = np.clip(points[:, 1].astype(int), 0, values.shape[1] - 2)
    part = (points[:, 1] - j)[:, np.newaxis]
    return (1 - part) * values[i, j] + part * values[i, j + 1]


def draw_models(run: tomo.Run, true: fm.Model, path: Path) -> None:
    distance = np.arange(0.0, 205.5)
    depth = np.arange(26.0)
    start, truth, found = (np.asarray(m.velocity, float) for m in (run.start, true, run.found))
    seen = along_line(run.covered().astype(float), distance) > 0.5
    velocity = {"cmap": "viridis", "vmin": 4.6, "vmax": 7.2}
    change = {"cmap": "RdBu", "vmin": -10, "vmax": 10}
    fig, axes = plt.subplots(6, 1, figsize=(11, 14), sharex=True, layout="constrained")
    for ax, values, title in (
        (axes[0], truth, "True velocity along the line"),
        (axes[1], start, "Start: a 1-D profile"),
        (axes[2], found, "Found after 36 iterations"),
    ):
        tomo.draw_section(ax, distance, depth, along_line(values, distance), title, "km/s",
                          **velocity)
    wanted = 100 * along_line(truth / start - 1, distance)
    got = np.where(seen, 100 * along_line(found / start - 1, distance), np.nan)
    tomo.draw_section(axes[3], distance, depth, wanted, "True − start", "%", **change)
    tomo.draw_section(axes[4], distance, depth, got, "Found − start, where rays are", "%", **change)
    rays = np.pad(run.coverage, ((0, 1),) * 3, mode="edge")
    rays = along_line(rays, distance)
    tomo.draw_section(axes[5], distance, depth, np.where(rays >= 1, rays, np.nan), "Coverage",
                      "rays a cell", (1, 10, 100, 1000), cmap="magma_r", norm="log")
    shots = np.loadtxt(path.parent / "sources.csv", delimiter=",", skiprows=1)
    for ax in axes:
        ax.plot(shots[:, 0] - 0.8, np.zeros(len(shots)), "k*", ms=9, clip_on=False)
        ax.set_ylabel("depth (km)")
    axes[-1].set_xlabel("distance along the line (km)")
    fig.savefig(path, dpi=110)
    plt.close(fig)


def draw_misfit(run: tomo.Run, path: Path) -> None:
    fig, axes = plt.subplots(1, 3, figsize=(14, 4), layout="constrained")
    tomo.draw_convergence(axes[0], run, 1e3 * NOISE, "ms", 1e3)
    tomo.draw_residuals(axes[1], run, "ms", 1e3)
    r = run.residuals
    offset = np.hypot(r["source_x"] - r["receiver_x"], r["source_y"] - r["receiver_y"])
    for name, colour, label in (("initial_residual", "0.7", "start model"),
                                ("final_residual", "C0", "found model")):
        axes[2].plot(offset, 1e3 * r[name], ".", ms=2, color=colour, label=label)
    axes[2].set(xlabel="offset (km)", ylabel="observed − computed (ms)", title="By offset")
    axes[2].legend(frameon=False, markerscale=5)
    fig.savefig(path, dpi=110)
    plt.close(fig)


def summary(run: tomo.Run, true: fm.Model) -> list[tuple[str, float, str]]:
    seen = run.covered(10)
    wanted = (true.velocity / run.start.velocity - 1)[seen]
    got = (run.found.velocity / run.start.velocity - 1)[seen]
    rms = run.column("rms")
    seconds = run.column("seconds").sum()
    smoothing = sum(run.column(name).sum() for name in run.history[0] if "smoothing" in name)
    return [
        ("iterations", len(rms) - 1, ""),
        ("picks", run.column("picks")[-1], ""),
        ("rays lost", run.column("lost")[-1], ""),
        ("RMS of the start model", 1e3 * rms[0], "ms"),
        ("RMS of the found model", 1e3 * rms[-1], "ms"),
        ("final RMS over noise", rms[-1] / NOISE, ""),
        ("correlation with the truth (10 rays or more)", np.corrcoef(wanted, got)[0, 1], ""),
        ("time of all iterations", seconds, "s"),
        ("of it smoothing", 100 * smoothing / seconds, "%"),
    ]


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: run.py FOLDER")
    folder = Path(sys.argv[1])
    survey.write_survey(folder)
    tomo.lay_out(folder, HERE / "potrillo.toml", HERE / "schedule.csv")
    for command in ("picks", "invert"):
        tomo.fermat(folder, command, "--config", "potrillo.toml")
    run, true = tomo.Run.load(folder, "start.h5"), fm.Model.load(folder / "true.h5")
    draw_models(run, true, folder / "models.png")
    draw_misfit(run, folder / "misfit.png")
    rows = summary(run, true)
    with open(folder / "summary.csv", "w", newline="") as file:
        csv.writer(file).writerows([("what", "value", "unit"), *rows])
    for what, value, unit in rows:
        print(f"  {what:<46}{value:10.4g} {unit}")


if __name__ == "__main__":
    main()
