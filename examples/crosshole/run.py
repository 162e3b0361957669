"""Tomography of the AM13 ground-radar crosshole data: straight from picks with errors to a section.

    python examples/crosshole/run.py CROSSHOLE_AM13.CSV FOLDER

The data are those of https://github.com/cultpenguin/sippi (Arrenæs, AM13), as CSV. Leaves the run
in FOLDER, with section.png.
"""

import sys
from pathlib import Path

import fermat as fm
import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import tomography as tomo  # noqa: E402


def draw(run: tomo.Run, picks: fm.Picks, path: Path) -> None:
    x, z = tomo.axes_of(run.found)
    rays = fm.rays(run.found, picks.sources, picks.receivers, pairs=picks.pairs)
    fig = tomo.plt.figure(figsize=(13, 7), layout="constrained")
    grid = fig.add_gridspec(2, 3)
    left, middle = fig.add_subplot(grid[:, 0]), fig.add_subplot(grid[:, 1])
    velocity = np.where(run.covered(), run.found.velocity, np.nan)
    tomo.draw_section(left, x, z, velocity, "Velocity, where rays are", "m/ns", cmap="viridis")
    counts = np.where(run.coverage > 0, run.coverage, np.nan)
    tomo.draw_section(middle, x[:-1] + 0.05, z[:-1] + 0.05, counts, "Coverage and rays",
                      "rays a cell", cmap="magma_r")
    for points in rays.paths[::4]:
        middle.plot(points[:, 0], points[:, 1], color="w", lw=0.2)
    for ax in (left, middle):
        ax.plot(*picks.sources.T, "r*", ms=5)
        ax.plot(*picks.receivers.T, "kv", ms=3)
        ax.set(xlabel="x (m)", ylabel="depth (m)", aspect="equal")
    top = fig.add_subplot(grid[0, 2])
    top.semilogy(run.column("chi2"), "o-", ms=3)
    top.axhline(1, color="C3", ls="--", lw=1)
    top.set(xlabel="iteration", ylabel="χ²", title="Convergence", xticks=range(len(run.history)))
    tomo.plain_ticks(top.yaxis, (1, 2, 5, 10))
    tomo.draw_residuals(fig.add_subplot(grid[1, 2]), run, "ns", 1)
    fig.savefig(path, dpi=110)


def main(data: str, folder: Path) -> None:
    run = tomo.invert(folder, HERE, ("model", "constant"), data=(data, "crosshole_am13.csv"))
    draw(run, fm.picks(data), folder / "section.png")
    chi2, v = run.column("chi2"), run.found.velocity
    print(f"  χ² {chi2[0]:.3g} -> {chi2[-1]:.3g} in {len(chi2) - 1} iterations and "
          f"{run.column('seconds').sum():.2f} s; velocities {v.min():.3g} to {v.max():.3g} m/ns")


if len(sys.argv) != 3:
    sys.exit(__doc__)
main(sys.argv[1], Path(sys.argv[2]))
