"""Truth and recovery of a checkerboard test, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _fade as fading
from ._colours import diverging
from ._frame import cut, draw, figure_of, subplots
from ._units import named_units

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

    from .._core import Model


@named_units
def checkerboard(
    truth: Model,
    recovery: Model,
    base: Model,
    *,
    covered: ArrayLike | None = None,
    x: float | None = None,
    y: float | None = None,
    depth: float | None = None,
    limit: float | None = None,
    length: str = "",
    cmap: str | None = None,
) -> Figure:
    """Draw what was put in and what came out, in per cent of the velocity of `base`.

    Parameters
    ----------
    truth, recovery
        The checkerboard, and what an inversion of its times gave.
    base
        The model without the checkerboard.
    covered
        Rays in each cell: what no ray passes near by fades away in the recovery.
    x, y, depth
        Where 3-D models are cut. Default: the middle of y.
    limit
        End of the colour scale, in per cent. Default: the truth's largest.
    length
        As in `section`.
    cmap
        Default: red (slow) over white to blue, in even steps.

    Examples
    --------
    >>> import fermat as fm
    >>> base = fm.Model.gradient((41, 21), v0=2, gradient=0.1)
    >>> truth = base.checkerboard(size=5, amplitude=0.1)
    >>> figure = fm.plot.checkerboard(truth, base, base)
    """
    for name, model in (("truth", truth), ("recovery", recovery)):
        if model.shape != base.shape:
            raise ValueError(f"{name} has shape {model.shape} (must be {base.shape}, as base)")
        if model.cells != base.cells:
            own, other = ("cells", "nodes") if model.cells else ("nodes", "cells")
            raise ValueError(f"{name} has velocity in {own} and base in {other} (use to_nodes())")
    parts = [_per_cent(model, base) for model in (truth, recovery)]
    end = limit if limit is not None else float(np.nanmax(np.abs(parts[0])))
    if not end > 0:
        raise ValueError("truth equals base (nothing to recover)")
    planes = [cut(base, part, x=x, y=y, z=depth) for part in parts]
    left, right, bottom, top = planes[0].extent()
    tall = abs(bottom - top) / (right - left)
    wide = tall < 0.6
    axes = subplots(
        2,
        columns=1 if wide else 2,
        size=(7.0, min(max(10 * tall + 1.6, 3.4), 9.0)) if wide else (8.6, 3.4 * min(tall, 2) + 0.9),
        sharex=True,
        sharey=True,
    )
    fade = fading.of_model(base, covered)
    shown = None if fade is None else cut(base, fade, x=x, y=y, z=depth)
    colours = diverging() if cmap is None else cmap
    for ax, plane, title in zip(axes, planes, ("truth", "recovery"), strict=True):
        pale = shown if title == "recovery" else None
        image = draw(ax, plane, length=length, fade=pale, cmap=colours, vmin=-end, vmax=end)
        ax.set_title(title, fontsize="medium")
    axes[0 if wide else 1].set(**({"xlabel": ""} if wide else {"ylabel": ""}))
    figure = figure_of(axes[0])
    figure.colorbar(image, ax=axes, label="velocity perturbation (%)")
    return figure


def _per_cent(model: Model, base: Model) -> NDArray[Any]:
    """NaN in air, which is blank."""
    rock = (base.velocity > 0) & (model.velocity > 0)
    change = np.full(base.velocity.shape, np.nan)
    change[rock] = 100 * (model.velocity[rock] / base.velocity[rock] - 1)
    return change
