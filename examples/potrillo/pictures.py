"""Pictures of the survey like Potrillo: models along its line, and the misfit."""

import sys
from pathlib import Path

import fermat as fm
import numpy as np
import survey

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import tomography as tomo  # noqa: E402

plt = tomo.plt


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
