"""A 3-D survey from above and from two sides: stations, events and rays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._arguments import points as points_of
from . import _fade as fading
from . import _mapped as mapped
from . import _ground as ground
from . import _overlay as overlay
from ._colours import RAY, SEQUENTIAL, extends, is_log, named, norm_of, plain_log_axis
from ._frame import cut, draw, hide_air, say_stretch
from ._runs import is_run, run_of
from ._units import named_units

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from .._core import Model
    from .._rays import Rays
    from ._frame import Cut


@named_units
def views(
    model: Model | Any,
    *,
    rays: Rays | None = None,
    sources: ArrayLike | None = None,
    receivers: ArrayLike | None = None,
    x: float | None = None,
    y: float | None = None,
    depth: float | None = None,
    length: str = "",
    time: str = "",
    cmap: str = SEQUENTIAL,
    vmin: float | None = None,
    vmax: float | None = None,
    log: bool | None = None,
    elevation: bool = False,
) -> Figure:
    """Draw a 3-D model from above and from two sides, with rays, stations and events.

    The map is cut at `depth`, the section below it at `y` and the one beside it at `x`; dashed
    lines say where. Rays, sources (events) and receivers (stations) are projected.

    Parameters
    ----------
    model
        A 3-D model, or a run, whose sources and receivers are drawn and which fades as in
        `section`.
    rays, sources, receivers
        As in `section`.
    x, y, depth
        Where it is cut, at the nearest nodes. Default: the middle; with a run, the depth that the
        data see most of.
    length, time, cmap, vmin, vmax, log, elevation
        As in `section`.

    Examples
    --------
    >>> import fermat as fm
    >>> model = fm.Model.gradient((41, 31, 21), v0=2, gradient=0.5, spacing=0.25)
    >>> rays = fm.rays(model, [(5, 3, 4), (7, 5, 3)], [(1, 1, 0), (9, 2, 0), (9, 6, 0)])
    >>> figure = fm.plot.views(model, rays=rays)
    """
    import matplotlib.pyplot as plt

    fade = None
    if is_run(model):
        run = run_of(model)
        model, fade = run.model, fading.of_run(run)
        sources = run.sources if sources is None else sources
        receivers = run.receivers if receivers is None else receivers
    if model.ndim == 2:
        raise ValueError("views needs a 3-D model (this one is 2-D; use section)")
    overlay.check(model, None, rays)
    if mapped.is_mapped(model):
        return mapped.views(  # type: ignore[no-any-return]
            model, x=x, y=y, depth=depth, rays=rays, sources=sources, receivers=receivers, fade=fade,
            length=length, time=time, cmap=cmap, vmin=vmin, vmax=vmax, log=log,
        )
    middle = [float(line[len(line) // 2]) for line in model.coords]
    if fade is not None and depth is None:
        middle[2] = float(model.coords[2][int(fade.sum(axis=(0, 1)).argmax())])
    at = [middle[n] if given is None else given for n, given in enumerate((x, y, depth))]
    values = hide_air(model.velocity)
    norm = norm_of(values, None if model.cells else fade, vmin=vmin, vmax=vmax, log=log)
    wide, deep, tall = (float(np.ptp(line)) for line in model.coords)
    # Depth has at least a fifth of the map's width: flat models are stretched, and it is said.
    stretch = max(1.0, round(wide / (5 * tall))) if tall < wide / 5 else 1.0
    high = stretch * tall
    unit = 6.0 / (wide + high)
    if unit * (deep + high) > 8.0:
        unit = 8.0 / (deep + high)
    figure = plt.figure(
        figsize=(unit * (wide + high) + 1.3, unit * (deep + high) + 1.7), layout="constrained"
    )
    grid = figure.add_gridspec(2, 2, width_ratios=(wide, high), height_ratios=(deep, high))
    above = figure.add_subplot(grid[0, 0])
    below = figure.add_subplot(grid[1, 0], sharex=above)
    beside = figure.add_subplot(grid[0, 1], sharey=above)
    corner = figure.add_subplot(grid[1, 1])
    for ax, place in ((above, {"z": at[2]}), (below, {"y": at[1]}), (beside, {"x": at[0]})):
        plane = cut(model, values, elevation=elevation, **place)
        shown = None if fade is None else cut(model, fade, elevation=elevation, **place)
        line = ground.line_of(plane)
        if ax is beside:
            plane, shown = _on_side(plane, line), None if shown is None else shown.turned()
        inner = None if ax is beside else line
        image = draw(ax, plane, length=length, fade=shown, line=inner, cmap=cmap, norm=norm)
        if ax is beside and line is not None:
            ground.draw(ax, image, line, plane.extent(), on_side=True)
        overlay.lines_and_points(ax, model, plane, rays, sources, receivers)
        ax.set_aspect("auto")
    sign = -1 if elevation else 1
    name = "elevation" if elevation else "depth"
    below.set_ylabel(f"{name} ({length})")
    if stretch != 1:
        say_stretch(below, stretch)
    beside.set(xlabel=f"{name} ({length})", ylabel="")
    above.set_xlabel("")
    for ax in (above, beside):
        ax.tick_params(labelleft=ax is above, labelbottom=ax is beside)
    dashed: dict[str, Any] = {"color": "0.1", "linestyle": (0, (4, 4)), "linewidth": 0.6}
    above.axvline(at[0], **dashed)
    above.axhline(at[1], **dashed)
    below.axhline(sign * at[2], **dashed)
    beside.axvline(sign * at[2], **dashed)
    _legend(corner, model, rays, sources, receivers)
    bar = figure.colorbar(
        image,
        cax=corner.inset_axes((0.12, 0.3, 0.84, 0.09)),
        orientation="horizontal",
        extend=extends(values, norm),
        label=named("velocity", f"{length}/{time}", norm),
    )
    if is_log(norm):
        plain_log_axis(bar.ax.xaxis, float(norm.vmin or 1), float(norm.vmax or 1))
    bar.ax.tick_params(labelsize="small")
    return figure


def _on_side(plane: Cut, line: Any) -> Cut:
    """Turned, with the first rock of each column drawn on upward for the ground to cut off."""
    if line is None:
        return plane.turned()
    filled = ground.fill_up(plane.values, ground.hidden(plane.values))
    return plane._replace(values=filled).turned()


def _legend(
    corner: Axes, model: Model, rays: Rays | None, sources: Any, receivers: Any
) -> None:
    """In the corner that the three views leave free."""
    from matplotlib.lines import Line2D

    edge: dict[str, Any] = {"linestyle": "", "markeredgecolor": "black", "markeredgewidth": 0.7}
    counts = {
        "receivers": _different(model, receivers, "receivers"),
        "sources": _different(model, sources, "sources"),
    }
    handles = []
    if rays is not None:
        counts["receivers"] = counts["receivers"] or len(np.unique(rays.receiver))
        counts["sources"] = counts["sources"] or len(np.unique(rays.source))
        handles.append(Line2D([], [], color=RAY, label=f"{len(rays)} rays"))
    if counts["sources"]:
        label = f"{counts['sources']} sources"
        handles.append(Line2D([], [], marker="*", markersize=10, color="gold", label=label, **edge))
    if counts["receivers"]:
        label = f"{counts['receivers']} receivers"
        handles.append(Line2D([], [], marker="v", markersize=6, color="white", label=label, **edge))
    if handles:
        corner.legend(handles=handles, frameon=False, fontsize="small", loc="upper center")
    corner.set_axis_off()


def _different(model: Model, positions: Any, what: str) -> int:
    return 0 if positions is None else len(np.unique(points_of(model, positions, what), axis=0))
