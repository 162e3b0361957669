"""Tomography of the Königssee refraction line: 2-D with topography, from picks to a section.

    python examples/koenigsee/run.py KOENIGSEE.SGT FOLDER

The data are those of https://github.com/gimli-org/example-data (traveltime/koenigsee.sgt). Leaves
the run in FOLDER, with section.png and misfit.png.
"""

import sys
from pathlib import Path

import fermat as fm
import numpy as np
from matplotlib.colors import LogNorm

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import tomography as tomo  # noqa: E402

DEPTH = 14  # of the section, below the datum; no ray goes deeper


def draw_section(run: tomo.Run, rays: fm.Rays, path: Path) -> None:
    x, z = tomo.axes_of(run.found)
    shown = z <= DEPTH
    rock = run.found.velocity > 0
    cells = np.pad(run.coverage, (0, 1), mode="edge")
    near = fm.smooth(cells > 0, 7) > 0  # what the rays' smoothing reached
    fig, (top, bottom) = tomo.plt.subplots(2, 1, figsize=(11, 8), sharex=True, layout="constrained")
    velocity = np.where(rock & near, run.found.velocity, np.nan)[:, shown]
    tomo.draw_section(top, x, z[shown], velocity, "Velocity, where rays are", "m/s",
                      (300, 500, 1000, 2000, 3000), cmap="viridis", norm=LogNorm(300, 3000))
    counts = np.where(cells > 0, cells, np.nan)[:, shown]
    tomo.draw_section(bottom, x, z[shown], counts, "Coverage and rays", "rays a cell",
                      (1, 10, 100), cmap="magma_r", norm="log")
    for points in rays.paths[::3]:
        bottom.plot(points[:, 0], points[:, 1], color="k", lw=0.15, alpha=0.5)
    for ax in (top, bottom):
        ax.plot(x, z[rock.argmax(axis=1)] - run.found.spacing[1] / 2, color="k", lw=0.8)
        ax.set(ylabel="depth (m)", ylim=(DEPTH, z[0]))
    bottom.set_xlabel("x (m)")
    fig.savefig(path, dpi=110)


def main(data: str, folder: Path) -> None:
    run = tomo.invert(folder, HERE, ("model", "gradient"), ("model", "topography"),
                      data=(data, "koenigsee.sgt"))
    picks = fm.picks(data)
    rays = fm.rays(run.found, picks.sources, picks.receivers, pairs=picks.pairs)
    draw_section(run, rays, folder / "section.png")
    tomo.draw_misfit(run, None, "ms", 1e3).savefig(folder / "misfit.png", dpi=110)
    rms = 1e3 * run.column("rms")
    print(f"  RMS {rms[0]:.3g} -> {rms[-1]:.3g} ms in {len(rms) - 1} iterations and "
          f"{run.column('seconds').sum():.2f} s; {run.column('lost')[-1]:.0f} rays lost")


if len(sys.argv) != 3:
    sys.exit(__doc__)
main(sys.argv[1], Path(sys.argv[2]))
