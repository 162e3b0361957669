"""A vertical section with isochrons, rays, sources and receivers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _fade as fading
from . import _ground as ground
from . import _mapped as mapped
from . import _overlay as overlay
from ._colours import SEQUENTIAL, bar, extends, named, norm_of
from ._frame import crop, cut, draw, hide_air, new_axes, plain_part, stretch_of
from ._runs import is_run, run_of
from ._units import named_units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

    from .._core import Model
    from .._rays import Rays


@named_units
def section(
    model: Model | Any,
    *,
    times: NDArray[Any] | None = None,
    rays: Rays | None = None,
    sources: ArrayLike | None = None,
    receivers: ArrayLike | None = None,
    covered: ArrayLike | None = None,
    resolution: ArrayLike | None = None,
    x: float | None = None,
    y: float | None = None,
    ax: Axes | None = None,
    length: str = "",
    time: str = "",
    cmap: str = SEQUENTIAL,
    vmin: float | None = None,
    vmax: float | None = None,
    log: bool | None = None,
    elevation: bool = False,
    exaggeration: float | None = None,
    levels: int | Sequence[float] = 10,
    colorbar: bool = True,
) -> Axes:
    """Draw a vertical section of a model with isochrons, rays, sources and receivers over it.

    Parameters
    ----------
    model
        Velocity, as colours; air is blank, and the ground a line. Or what `invert` returned, or a
        folder of `fermat invert`: then what its data say nothing of fades away, the section ends
        below what they see, and in 2-D its sources and receivers are drawn.
    times
        A field of the model's shape, drawn as isochrons; infinite values are left out.
    rays
        Drawn as lines. In 3-D, rays, sources and receivers are projected onto the section.
    sources, receivers
        Positions, drawn as stars and triangles. Default: the ends of the rays.
    covered
        Rays in each cell, as of Rays.coverage(): what no ray passes near by fades away.
    resolution
        From 0 to 1 at each node: what is resolved little beside the rest fades away.
    x, y
        Where a 3-D model is cut, at the nearest nodes. Default: the middle of y. In a spherical
        model x is a latitude and y a longitude.
    ax
        Axes to draw on. Default: a new figure.
    length, time
        Names of your units; by default those that the run or its picks tell, else as velocities are:
        m where their median is over 50, m and ns where none is over 0.3, else km and s.
    cmap, vmin, vmax
        Colour scale of the velocity. Default: its range, or, where something fades, that of what
        is seen without the last per cent at either end (the scale then ends in points).
    log
        Whether colours are spread over the logarithm. Default: where velocities differ by a
        factor of 6 or more; the scale says so.
    elevation
        Heights upward in place of depths downward: elevation = -z.
    exaggeration
        How many times heights are drawn too high. Default: 1, or more where a section is over 12
        times longer than deep; it is said above it.
    levels
        Number of isochrons, or their times.
    colorbar
        Whether to draw the scale of the velocity.

    Returns
    -------
    matplotlib.axes.Axes
        To add to, or to save: ax.figure.savefig("section.png").

    Examples
    --------
    >>> import fermat as fm
    >>> model = fm.Model.gradient((101, 41), v0=2, gradient=0.5, spacing=0.1)
    >>> times = fm.traveltimes(model, source=(1, 0))
    >>> rays = fm.rays(model, (1, 0), [(6, 0), (9, 0)])
    >>> ax = fm.plot.section(model, times=times, rays=rays)
    """
    fade = None
    of_run = is_run(model)
    if of_run:
        run = run_of(model)
        model = run.model
        if covered is None and resolution is None:
            fade = fading.of_run(run)
        if model.ndim == 2:
            sources = run.sources if sources is None else sources
            receivers = run.receivers if receivers is None else receivers
    if covered is not None or resolution is not None:
        fade = fading.of_model(model, covered, resolution)
    if mapped.is_mapped(model):
        return mapped.draw(
            model, x=x, y=y, times=times, rays=rays, sources=sources, receivers=receivers, fade=fade,
            ax=ax, length=length, time=time, cmap=cmap, vmin=vmin, vmax=vmax, log=log, levels=levels,
            colorbar=colorbar, elevation=elevation, exaggeration=exaggeration,
        )
    place: dict[str, Any] = {"x": x, "y": y, "elevation": elevation}
    plane = cut(model, hide_air(model.velocity), **place)
    overlay.check(model, times, rays)
    shown = None if fade is None else cut(model, fade, **place)
    if of_run:
        plane, shown = crop(plane, shown)
    stretch = stretch_of(plane, exaggeration)
    ax = new_axes(plane, ax, stretch)
    norm = norm_of(
        plane.values, plain_part(shown, plane), vmin=vmin, vmax=vmax, log=log
    )
    known = [plane.project(np.asarray(p, float)) for p in (sources, receivers) if p is not None]
    line = ground.line_of(plane, _at_ground(model, known))
    image = draw(
        ax, plane, length=length, fade=shown, line=line, stretch=stretch, cmap=cmap, norm=norm
    )
    if colorbar:
        label = named("velocity", f"{length}/{time}", norm)
        bar(ax, image, label, extend=extends(plane.values, norm), tall=stretch * plane.tall())
    if times is not None:
        field = cut(model, np.asarray(times), **place)
        overlay.isochrons(ax, field, levels, time)
    overlay.lines_and_points(ax, model, plane, rays, sources, receivers)
    return ax


def _at_ground(model: Model, known: list[NDArray[Any]]) -> NDArray[Any] | None:
    """Points that may say where the ground is: those of a 2-D survey."""
    points = [np.atleast_2d(each) for each in known if each.shape[-1] == 2]
    return np.vstack(points) if model.ndim == 2 and points else None
