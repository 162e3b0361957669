"""Horizontal cuts of 3-D models: one map, or several depths side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _fade as fading
from . import _mapped as mapped
from . import _overlay as overlay
from ._colours import SEQUENTIAL, bar, extends, is_log, named, norm_of, plain_log_axis
from ._frame import cut, draw, figure_of, hide_air, new_axes, plain_part, subplots
from ._runs import is_run, run_of
from ._units import named_units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

    from .._core import Model
    from .._rays import Rays
    from ._runs import Run


@named_units
def map(
    model: Model | Any,
    *,
    depth: float | None = None,
    times: NDArray[Any] | None = None,
    rays: Rays | None = None,
    sources: ArrayLike | None = None,
    receivers: ArrayLike | None = None,
    covered: ArrayLike | None = None,
    resolution: ArrayLike | None = None,
    ax: Axes | None = None,
    length: str = "",
    time: str = "",
    cmap: str = SEQUENTIAL,
    vmin: float | None = None,
    vmax: float | None = None,
    log: bool | None = None,
    levels: int | Sequence[float] = 10,
    colorbar: bool = True,
) -> Axes:
    """Draw a 3-D model from above at one depth, with rays, sources and receivers over it.

    Parameters
    ----------
    model
        Velocity, as colours; air is blank. Or a run, as in `section`.
    depth
        Where it is cut, at the nearest nodes. Default: the middle.
    times, rays, sources, receivers, covered, resolution
        As in `section`; rays and points are projected onto the map.
    ax, length, time, cmap, vmin, vmax, log, levels, colorbar
        As in `section`.

    Examples
    --------
    >>> import fermat as fm
    >>> model = fm.Model.gradient((41, 31, 21), v0=2, gradient=0.5, spacing=0.25)
    >>> rays = fm.rays(model, (1, 1, 0), [(9, 2, 0), (9, 6, 0)])
    >>> ax = fm.plot.map(model, depth=1.0, rays=rays)
    """
    run, model, fade = _parts(model, covered, resolution)
    _require_3d(model, "map")
    if run is not None:
        sources = run.sources if sources is None else sources
        receivers = run.receivers if receivers is None else receivers
    z = grid_middle(model) if depth is None else depth
    if mapped.is_mapped(model):
        return mapped.draw(
            model, z=z, times=times, rays=rays, sources=sources, receivers=receivers, fade=fade,
            ax=ax, length=length, time=time, cmap=cmap, vmin=vmin, vmax=vmax, log=log, levels=levels,
            colorbar=colorbar,
        )
    plane = cut(model, hide_air(model.velocity), z=z)
    overlay.check(model, times, rays)
    ax = new_axes(plane, ax)
    shown = None if fade is None else cut(model, fade, z=z)
    norm = norm_of(plane.values, plain_part(shown, plane), vmin=vmin, vmax=vmax, log=log)
    image = draw(ax, plane, length=length, fade=shown, cmap=cmap, norm=norm)
    if colorbar:
        label = named("velocity", f"{length}/{time}", norm)
        bar(ax, image, label, extend=extends(plane.values, norm), tall=plane.tall())
    if times is not None:
        overlay.isochrons(ax, cut(model, np.asarray(times), z=z), levels, time)
    overlay.lines_and_points(ax, model, plane, rays, sources, receivers)
    ax.set_title(f"depth {z:.4g} {length}", fontsize="medium")
    return ax


def _parts(
    model: Any, covered: Any, resolution: Any
) -> tuple[Run | None, Model, NDArray[np.float32] | None]:
    """The run where one was given, its model, and how plainly each node is shown."""
    run = run_of(model) if is_run(model) else None
    rock = model if run is None else run.model
    if run is not None and covered is None and resolution is None:
        return run, rock, fading.of_run(run)
    return run, rock, fading.of_model(rock, covered, resolution)


@named_units
def depth_slices(
    model: Model | Any,
    depths: Sequence[float] | None = None,
    *,
    columns: int = 2,
    covered: ArrayLike | None = None,
    resolution: ArrayLike | None = None,
    length: str = "",
    time: str = "",
    cmap: str = SEQUENTIAL,
    vmin: float | None = None,
    vmax: float | None = None,
    log: bool | None = None,
) -> Figure:
    """Draw a 3-D model at several depths, all with one colour scale.

    `model` may be a run; depths defaults to six from top to bottom; the rest is as in `section`.
    Returns the figure.

    Examples
    --------
    >>> import fermat as fm
    >>> model = fm.Model.gradient((41, 31, 21), v0=2, gradient=0.5, spacing=0.25)
    >>> figure = fm.plot.depth_slices(model, [0, 1, 2, 4])
    """
    _, model, fade = _parts(model, covered, resolution)
    _require_3d(model, "depth_slices")
    z = model.coords[2]
    if depths is None:
        depths = [float(z[n]) for n in np.unique(np.linspace(0, len(z) - 1, 6).round().astype(int))]
    wanted = list(depths)
    if not wanted:
        raise ValueError("depths is empty (give at least one)")
    on_nodes = None if fade is None or model.cells else fade
    norm = norm_of(hide_air(model.velocity), on_nodes, vmin=vmin, vmax=vmax, log=log)
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
        shown = None if fade is None else cut(model, fade, z=depth)
        image = draw(ax, plane, length=length, fade=shown, cmap=cmap, norm=norm)
        ax.set_title(f"depth {depth:.4g} {length}", fontsize="medium")
        if number + columns < len(wanted):
            ax.set_xlabel("")
        if number % columns:
            ax.set_ylabel("")
    figure = figure_of(axes[0])
    side = figure.colorbar(
        image,
        ax=axes,
        label=named("velocity", f"{length}/{time}", norm),
        shrink=0.6,
        aspect=28,
        extend=extends(hide_air(model.velocity), norm),
    )
    if is_log(norm):
        plain_log_axis(side.ax.yaxis, float(norm.vmin or 1), float(norm.vmax or 1))
    return figure


def grid_middle(model: Model) -> float:
    z = model.coords[2]
    return float(z[len(z) // 2])


def _require_3d(model: Model, what: str) -> None:
    if model.ndim == 2:
        raise ValueError(f"{what} needs a 3-D model (this one is 2-D; use section)")
