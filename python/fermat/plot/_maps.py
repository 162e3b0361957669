"""Horizontal cuts of 3-D models: one map, or several depths side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _overlay as overlay
from ._frame import SEQUENTIAL, cut, draw, figure_of, hide_air, new_axes, scale, subplots

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

    from .._core import Model
    from .._rays import Rays


def map(
    model: Model,
    *,
    depth: float | None = None,
    times: NDArray[Any] | None = None,
    rays: Rays | None = None,
    sources: ArrayLike | None = None,
    receivers: ArrayLike | None = None,
    covered: ArrayLike | None = None,
    ax: Axes | None = None,
    length: str = "km",
    time: str = "s",
    cmap: str = SEQUENTIAL,
    vmin: float | None = None,
    vmax: float | None = None,
    levels: int | Sequence[float] = 10,
    colorbar: bool = True,
) -> Axes:
    """Draw a 3-D model from above at one depth, with rays, sources and receivers over it.

    Parameters
    ----------
    model
        Velocity, as colours; air is grey.
    depth
        Where it is cut, at the nearest nodes. Default: the middle.
    times, rays, sources, receivers, covered, ax, length, time, cmap, vmin, vmax, levels, colorbar
        As in `section`; rays and points are projected onto the map.

    Examples
    --------
    >>> import fermat as fm
    >>> model = fm.Model.gradient((41, 31, 21), v0=2, gradient=0.5, spacing=0.25)
    >>> rays = fm.rays(model, (1, 1, 0), [(9, 2, 0), (9, 6, 0)])
    >>> ax = fm.plot.map(model, depth=1.0, rays=rays)
    """
    _require_3d(model, "map")
    z = grid_middle(model) if depth is None else depth
    plane = cut(model, hide_air(model.velocity), z=z)
    overlay.check(model, times, rays)
    ax = new_axes(plane, ax)
    image = draw(ax, plane, length=length, cmap=cmap, vmin=vmin, vmax=vmax)
    if colorbar:
        scale(ax, image, f"velocity ({length}/{time})")
    if covered is not None:
        overlay.pale(ax, model, np.asarray(covered), z=z)
    if times is not None:
        overlay.isochrons(ax, cut(model, np.asarray(times), z=z), levels, time)
    overlay.lines_and_points(ax, model, plane, rays, sources, receivers)
    ax.set_title(f"depth {z:g} {length}", fontsize="medium")
    return ax


def depth_slices(
    model: Model,
    depths: Sequence[float] | None = None,
    *,
    columns: int = 2,
    covered: ArrayLike | None = None,
    length: str = "km",
    time: str = "s",
    cmap: str = SEQUENTIAL,
    vmin: float | None = None,
    vmax: float | None = None,
) -> Figure:
    """Draw a 3-D model at several depths, all with one colour scale.

    depths defaults to six from top to bottom. Returns the figure.

    Examples
    --------
    >>> import fermat as fm
    >>> model = fm.Model.gradient((41, 31, 21), v0=2, gradient=0.5, spacing=0.25)
    >>> figure = fm.plot.depth_slices(model, [0, 1, 2, 4])
    """
    _require_3d(model, "depth_slices")
    z = model.coords[2]
    if depths is None:
        depths = [float(z[n]) for n in np.unique(np.linspace(0, len(z) - 1, 6).round().astype(int))]
    wanted = list(depths)
    if not wanted:
        raise ValueError("depths is empty (give at least one)")
    solid = model.velocity[model.velocity > 0]
    low = float(solid.min()) if vmin is None else vmin
    high = float(solid.max()) if vmax is None else vmax
    columns = min(columns, len(wanted))
    rows = -(-len(wanted) // columns)
    x, y = model.coords[:2]
    tall = min(max((y[-1] - y[0]) / (x[-1] - x[0]), 0.15), 2.0)
    width = 8.0 / columns
    axes = subplots(
        len(wanted),
        columns=columns,
        size=(8.8, min(rows * (0.8 * width * tall + 0.4) + 0.4, 14.0)),
        sharex=True,
        sharey=True,
    )
    for number, (ax, depth) in enumerate(zip(axes, wanted, strict=True)):
        plane = cut(model, hide_air(model.velocity), z=depth)
        image = draw(ax, plane, length=length, cmap=cmap, vmin=low, vmax=high)
        if covered is not None:
            overlay.pale(ax, model, np.asarray(covered), z=depth)
        ax.set_title(f"depth {depth:g} {length}", fontsize="medium")
        if number + columns < len(wanted):
            ax.set_xlabel("")
        if number % columns:
            ax.set_ylabel("")
    figure = figure_of(axes[0])
    figure.colorbar(image, ax=axes, label=f"velocity ({length}/{time})", shrink=0.9)
    return figure


def grid_middle(model: Model) -> float:
    z = model.coords[2]
    return float(z[len(z) // 2])


def _require_3d(model: Model, what: str) -> None:
    if model.ndim == 2:
        raise ValueError(f"{what} needs a 3-D model (this one is 2-D; use section)")
