"""What the tomography examples share: calling the program, reading its run, drawing it."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import fermat as fm
import h5py
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.axis import Axis  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.ticker import FixedLocator, FuncFormatter  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]


def program() -> str:
    """The program: FERMAT_PROGRAM, that of this tree's build, or the one on the path."""
    built = ROOT / "build" / "release" / "fermat"
    found = os.environ.get("FERMAT_PROGRAM") or (str(built) if built.is_file() else None)
    found = found or shutil.which("fermat")
    if found is None:
        sys.exit("no program 'fermat' (run scripts/build, or set FERMAT_PROGRAM)")
    return str(Path(found).resolve())


def fermat(folder: Path, *words: str) -> None:
    """Runs one command inside a folder and shows it as a user would type it."""
    print("$ fermat", *words, flush=True)
    done = subprocess.run([program(), *words], cwd=folder, check=False)
    if done.returncode != 0:
        sys.exit(done.returncode)


@dataclass
class Run:
    """A folder of `fermat invert`."""

    start: fm.Model
    found: fm.Model
    coverage: np.ndarray  # rays a cell, like the model with one less along each axis
    history: list[dict[str, str]]
    residuals: dict[str, np.ndarray]

    @classmethod
    def load(cls, folder: Path, start: str) -> Run:
        with h5py.File(folder / "run" / "coverage.h5") as file:
            coverage = np.array(file["VTKHDF/CellData/coverage"]).T
        with open(folder / "run" / "history.csv", newline="") as file:
            history = list(csv.DictReader(file))
        table = np.genfromtxt(folder / "run" / "residuals.csv", delimiter=",", names=True,
                              dtype=None, encoding="utf8")
        return cls(fm.Model.load(folder / start), fm.Model.load(folder / "run" / "model.h5"),
                   coverage, history, {name: table[name] for name in table.dtype.names})

    def column(self, name: str) -> np.ndarray:
        return np.array([float(row[name] or "nan") for row in self.history])

    def covered(self, rays: float = 1) -> np.ndarray:
        """Nodes that belong to a cell of at least so many rays."""
        nodes = np.zeros(self.found.shape, dtype=bool)
        cells = self.coverage >= rays
        for corner in np.ndindex(*(2,) * nodes.ndim):
            part = tuple(slice(c, c + n) for c, n in zip(corner, cells.shape, strict=True))
            nodes[part] |= cells
        return nodes


def invert(folder: Path, example: Path, *commands: tuple[str, ...],
           data: tuple[str, str] | None = None) -> Run:
    """Runs the commands of an example's configuration, and `invert` after them, in a folder that
    holds what they name; `data` is a file from elsewhere and its name there."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in [*example.glob("*.toml"), *example.glob("*.csv")]:
        shutil.copy(file, folder)
    if data:
        shutil.copy(data[0], folder / data[1])
    for command in (*commands, ("invert",)):
        fermat(folder, *command, "--config", f"{example.name}.toml")
    return Run.load(folder, "start.h5")


def plain_ticks(axis: Axis, at: tuple[float, ...] = ()) -> None:
    """Numbers in place of powers of ten on a logarithmic axis."""
    if at:
        axis.set_major_locator(FixedLocator(at))
    for kind in ("major", "minor"):
        getattr(axis, f"set_{kind}_formatter")(FuncFormatter(lambda value, _: f"{value:g}"))
    if at:
        axis.set_minor_locator(FixedLocator(()))


def draw_convergence(ax: Axes, run: Run, noise: float | None, unit: str, factor: float) -> None:
    rms = factor * run.column("rms")
    stage = run.column("stage")
    for first in np.flatnonzero(np.diff(stage) > 0):
        ax.axvline(first + 0.5, color="0.88", lw=1)
    ax.semilogy(np.arange(len(rms)), rms, "o-", ms=3, color="C0")
    if noise:
        ax.axhline(noise, color="C3", ls="--", lw=1)
        ax.text(len(rms) - 1, 1.03 * noise, "noise", color="C3", ha="right")
    plain_ticks(ax.yaxis)
    ax.set(xlabel="iteration (lines: stages)", ylabel=f"RMS residual ({unit})",
           title="Convergence")


def draw_residuals(ax: Axes, run: Run, unit: str, factor: float) -> None:
    before = factor * run.residuals["initial_residual"]
    after = factor * run.residuals["final_residual"]
    bins = np.linspace(*np.nanpercentile(np.r_[before, after], (0.3, 99.7)), 61)
    ax.hist(before, bins, color="0.7", label="start model")
    ax.hist(after, bins, histtype="step", color="C0", lw=1.5, label="found model")
    ax.set(xlabel=f"observed − computed ({unit})", ylabel="picks", title="Residuals")
    ax.legend(frameon=False)


def draw_misfit(run: Run, noise: float | None, unit: str, factor: float,
                length: str = "m") -> Figure:
    """Convergence, residuals, and residuals by offset."""
    fig, axes = plt.subplots(1, 3, figsize=(14, 4), layout="constrained")
    draw_convergence(axes[0], run, noise, unit, factor)
    draw_residuals(axes[1], run, unit, factor)
    r = run.residuals
    across = r["source_y"] - r["receiver_y"] if "source_y" in r else 0.0
    offset = np.hypot(r["source_x"] - r["receiver_x"], across)
    for name, colour, label in (("initial_residual", "0.7", "start model"),
                                ("final_residual", "C0", "found model")):
        axes[2].plot(offset, factor * r[name], ".", ms=2, color=colour, label=label)
    axes[2].set(xlabel=f"offset ({length})", ylabel=f"observed − computed ({unit})",
                title="By offset")
    axes[2].legend(frameon=False, markerscale=5)
    return fig


def draw_section(ax: Axes, x: np.ndarray, z: np.ndarray, values: np.ndarray, title: str,
                 label: str, ticks: tuple[float, ...] = (), **style: object) -> None:
    """Values (x, z) as an image with depth downwards; ticks of a logarithmic colour scale."""
    step_x, step_z = x[1] - x[0], z[1] - z[0]
    extent = (x[0] - step_x / 2, x[-1] + step_x / 2, z[-1] + step_z / 2, z[0] - step_z / 2)
    image = ax.imshow(values.T, extent=extent, aspect="auto", interpolation="nearest", **style)
    ax.set_title(title, fontsize="medium")
    bar = plt.colorbar(image, ax=ax, label=label, pad=0.02)
    if ticks:
        plain_ticks(bar.ax.yaxis, ticks)


def axes_of(model: fm.Model) -> list[np.ndarray]:
    return [o + h * np.arange(n) for o, h, n in
            zip(model.origin, model.spacing, model.shape, strict=True)]
