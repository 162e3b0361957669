"""Tomography of the AM13 ground-radar crosshole data: straight from picks with errors to a section.

    python examples/crosshole/run.py CROSSHOLE_AM13.CSV FOLDER

The data are those of https://github.com/cultpenguin/sippi (Arrenæs, AM13), as CSV. Leaves the run
in FOLDER, with section.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import fermat as fm  # noqa: E402
import tomography as tomo  # noqa: E402

plt = tomo.plt


def draw(run: tomo.Run, path: Path) -> None:
    x, z = tomo.axes_of(run.found)
    r = run.residuals
    sources = np.column_stack([r["source_x"], r["source_z"]])
    receivers = np.column_stack([r["receiver_x"], r["receiver_z"]])
    pairs = np.column_stack([np.arange(len(sources))] * 2)
    rays = fm.rays(run.found, sources, receivers, pairs=pairs)
    fig = plt.figure(figsize=(13, 7), layout="constrained")
    grid = fig.add_gridspec(2, 3)
    left, middle = fig.add_subplot(grid[:, 0]), fig.add_subplot(grid[:, 1])
    velocity = np.where(run.covered(), run.found.velocity, np.nan)
    tomo.draw_section(left, x, z, velocity, "Velocity, where rays are", "m/ns", cmap="viridis")
    tomo.draw_section(middle, x[:-1] + 0.05, z[:-1] + 0.05,
                      np.where(run.coverage > 0, run.coverage, np.nan), "Coverage and rays",
                      "rays a cell", cmap="magma_r")
    for points in rays.paths[::4]:
        middle.plot(points[:, 0], points[:, 1], color="w", lw=0.2)
    for ax in (left, middle):
        ax.plot(sources[:, 0], sources[:, 1], "r*", ms=5)
        ax.plot(receivers[:, 0], receivers[:, 1], "kv", ms=3)
        ax.set(xlabel="x (m)", ylabel="depth (m)", aspect="equal")
    chi2 = run.column("chi2")
    top = fig.add_subplot(grid[0, 2])
    top.semilogy(chi2, "o-", ms=3)
    top.axhline(1, color="C3", ls="--", lw=1)
    top.set(xlabel="iteration", ylabel="χ²", title="Convergence")
    tomo.draw_residuals(fig.add_subplot(grid[1, 2]), run, "ns", 1)
    fig.savefig(path, dpi=110)
    plt.close(fig)


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit("usage: run.py CROSSHOLE_AM13.CSV FOLDER")
    folder = Path(sys.argv[2])
    tomo.lay_out(folder, HERE / "crosshole.toml", HERE / "schedule.csv")
    (folder / "crosshole_am13.csv").write_bytes(Path(sys.argv[1]).read_bytes())
    for command in (("model", "constant"), ("invert",)):
        tomo.fermat(folder, *command, "--config", "crosshole.toml")
    run = tomo.Run.load(folder, "start.h5")
    draw(run, folder / "section.png")
    chi2 = run.column("chi2")
    v = run.found.velocity
    print(f"  χ² {chi2[0]:.3g} -> {chi2[-1]:.3g} in {len(chi2) - 1} iterations and "
          f"{run.column('seconds').sum():.2f} s; velocities {v.min():.3g} to {v.max():.3g} m/ns")


if __name__ == "__main__":
    main()
