"""Tomography of the Königssee refraction line: 2-D with topography, from picks to a section.

    python examples/koenigsee/run.py KOENIGSEE.SGT FOLDER

The data are those of https://github.com/gimli-org/example-data (traveltime/koenigsee.sgt). Leaves
the run in FOLDER, with section.png and misfit.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.colors import LogNorm

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import fermat as fm  # noqa: E402
import tomography as tomo  # noqa: E402

plt = tomo.plt
DEPTH = 14  # of the section, below the datum; no ray goes deeper


def draw_section(run: tomo.Run, rays: fm.Rays, path: Path) -> None:
    x, z = tomo.axes_of(run.found)
    shown = z <= DEPTH
    rock = run.found.velocity > 0
    cells = np.pad(run.coverage, ((0, 1), (0, 1)), mode="edge")
    near = fm.smooth(cells > 0, 7) > 0  # what the rays' smoothing reached
    fig, (top, bottom) = plt.subplots(2, 1, figsize=(11, 8), sharex=True, layout="constrained")
    velocity = np.where(rock & near, run.found.velocity, np.nan)
    tomo.draw_section(top, x, z[shown], velocity[:, shown], "Velocity, where rays are", "m/s",
                      (300, 500, 1000, 2000, 3000), cmap="viridis", norm=LogNorm(300, 3000))
    counts = np.where(cells > 0, cells, np.nan)
    tomo.draw_section(bottom, x, z[shown], counts[:, shown], "Coverage and rays", "rays a cell",
                      (1, 10, 100), cmap="magma_r", norm="log")
    for path_points in rays.paths:
        bottom.plot(path_points[:, 0], path_points[:, 1], color="k", lw=0.15, alpha=0.5)
    surface = z[rock.argmax(axis=1)]
    for ax in (top, bottom):
        ax.plot(x, surface - run.found.spacing[1] / 2, color="k", lw=0.8)
        ax.set(ylabel="depth (m)", ylim=(DEPTH, z[0]))
    bottom.set_xlabel("x (m)")
    fig.savefig(path, dpi=110)
    plt.close(fig)


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit("usage: run.py KOENIGSEE.SGT FOLDER")
    folder = Path(sys.argv[2])
    tomo.lay_out(folder, HERE / "koenigsee.toml", HERE / "schedule.csv")
    (folder / "koenigsee.sgt").write_bytes(Path(sys.argv[1]).read_bytes())
    for command in (("model", "gradient"), ("model", "topography"), ("invert",)):
        tomo.fermat(folder, *command, "--config", "koenigsee.toml")
    run = tomo.Run.load(folder, "start.h5")
    r = run.residuals
    sources = np.column_stack([r["source_x"], r["source_z"]])
    receivers = np.column_stack([r["receiver_x"], r["receiver_z"]])
    some = np.arange(0, len(sources), 3)
    pairs = np.column_stack([np.arange(len(some))] * 2)
    rays = fm.rays(run.found, sources[some], receivers[some], pairs=pairs)
    draw_section(run, rays, folder / "section.png")
    fig, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    tomo.draw_convergence(axes[0], run, None, "ms", 1e3)
    tomo.draw_residuals(axes[1], run, "ms", 1e3)
    fig.savefig(folder / "misfit.png", dpi=110)
    rms = 1e3 * run.column("rms")
    print(f"  RMS {rms[0]:.3g} -> {rms[-1]:.3g} ms in {len(rms) - 1} iterations and "
          f"{run.column('seconds').sum():.2f} s; {run.column('lost')[-1]:.0f} rays lost")


if __name__ == "__main__":
    main()
