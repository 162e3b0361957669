"""An inversion of later phases: its section with rays and interfaces, and how well times are met."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._medium import Medium
from ._phases import _COLOURS, _layers

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

__all__ = ["is_layer_run", "layers"]

Table = dict[str, "NDArray[Any]"]


def is_layer_run(run: Any) -> bool:
    """Whether it is a folder of an inversion of later phases."""
    return isinstance(run, (str, os.PathLike)) and (Path(run) / "layers.csv").is_file()


def _read(path: Path) -> Table:
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    out: Table = {}
    for name in rows[0] if rows else ():
        texts = [row[name] for row in rows]
        try:
            out[name] = np.array([float(text) if text else np.nan for text in texts])
        except ValueError:
            out[name] = np.array(texts)
    return out


def layers(
    run: str | os.PathLike[str],
    *,
    reduce: float | None = None,
    length: str = "km",
    time: str = "s",
    most_rays: int = 60,
    title: str | None = None,
) -> Figure:
    """Draw an inversion of later phases: times by distance, residuals, and the section.

    Parameters
    ----------
    run
        A folder of `fermat invert` with picks of later phases, in 2-D.
    reduce
        Velocity of reduction: times are drawn less distance over it. Default: the fastest half of
        the picks' distances over times.
    length, time
        Names of your units.
    most_rays
        Of a phase that are drawn, evenly taken; the title says if there are more.
    title
        Over the picture.

    Examples
    --------
    >>> import fermat as fm
    >>> fm.plot.layers("run").savefig("layers.png")  # doctest: +SKIP
    """
    import matplotlib.pyplot as plt

    from .._phases import phase_rays

    folder = Path(run)
    medium = Medium.load(folder / "model.h5")
    if len(medium._axes) != 2:
        raise ValueError(f"the medium of '{run}' has 3 axes (pictures of layers are of 2-D sections)")
    picks = _read(folder / "residuals.csv")
    found = _read(folder / "layers.csv")
    names = list(dict.fromkeys(picks["phase"].tolist()))
    offset = np.abs(picks["receiver_x"] - picks["source_x"])
    if reduce is None:
        reduce = round(float(np.median((offset / picks["time"])[picks["time"] > 0])) * 1.1, 1)
    figure, (curves, misfit, section) = plt.subplots(
        3, 1, figsize=(9, 9), layout="constrained", gridspec_kw={"height_ratios": [1.1, 0.6, 1.2]}
    )
    left_out = 0
    used = picks["use"] == "used"
    for number, name in enumerate(names):
        colour = _COLOURS[number % len(_COLOURS)]
        own = picks["phase"] == name
        good = own & used
        _curve(curves, picks, offset, own, used, colour, reduce, name)
        misfit.errorbar(
            offset[good],
            picks["final_residual"][good],
            yerr=picks["error"][good],
            fmt=".",
            ms=3,
            lw=0.4,
            alpha=0.6,
            color=colour,
        )
        chosen = np.flatnonzero(good)
        few = chosen[:: max(1, -(-len(chosen) // most_rays))]
        left_out += len(chosen) - len(few)
        if len(few) == 0:
            continue
        sources = np.column_stack([picks["source_x"][few], picks["source_z"][few]])
        receivers = np.column_stack([picks["receiver_x"][few], picks["receiver_z"][few]])
        pairs = [(i, i) for i in range(len(few))]
        rays = phase_rays(medium, name, sources, receivers, pairs=pairs)
        for ray in np.flatnonzero(rays.arrived):
            section.plot(*rays.path(int(ray)).T, color=colour, lw=0.5, alpha=0.6)
    _layers(section, medium, length, time)
    for of in dict.fromkeys(found["of"][found["kind"] == "depth"].tolist()):
        one = found["of"] == of
        section.errorbar(
            found["x"][one],
            found["z"][one],
            yerr=found["deviation"][one],
            fmt="none",
            ecolor="black",
            elinewidth=1.4,
            capsize=3,
            zorder=5,
        )
    curves.set_ylabel(f"time − distance / {reduce:g} {length}/{time} ({time})")
    curves.legend(frameon=False, ncols=min(len(names), 6))
    misfit.set_xlabel(f"distance ({length})")
    misfit.set_ylabel(f"residual ({time})")
    misfit.axhline(0, color="black", lw=0.8)
    misfit.sharex(curves)
    for ax in (curves, misfit):
        ax.grid(alpha=0.25, lw=0.5)
    section.set_xlabel(f"x ({length})")
    section.set_ylabel(f"depth ({length})")
    words = [title or "", f"{left_out} rays are not drawn (most_rays={most_rays})" if left_out else ""]
    if any(words):
        curves.set_title("; ".join(word for word in words if word), fontsize="medium")
    return figure


def _curve(
    ax: Axes,
    picks: Table,
    offset: NDArray[Any],
    own: NDArray[np.bool_],
    used: NDArray[np.bool_],
    colour: str,
    reduce: float,
    name: str,
) -> None:
    """Picks as bars of their errors, the model's times as dots, and picks that were left out."""
    good = own & used
    less = picks["time"] - offset / reduce
    ax.errorbar(offset[good], less[good], yerr=picks["error"][good], fmt="none", ecolor=colour, lw=0.8, alpha=0.5)
    computed = less - picks["final_residual"]
    count = int(good.sum())
    ax.plot(offset[good], computed[good], ".", ms=3, color=colour, label=f"{name} ({count})")
    bad = own & ~used
    if bad.any():
        ax.plot(offset[bad], less[bad], "x", ms=4, color="0.4", label=f"{name}: {int(bad.sum())} not used")
