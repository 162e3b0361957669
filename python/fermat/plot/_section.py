"""A vertical section with isochrons, rays, sources and receivers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _overlay as overlay
from ._frame import SEQUENTIAL, cut, draw, hide_air, new_axes, scale

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

    from .._core import Model
    from .._rays import Rays


def section(
    model: Model,
    *,
    times: NDArray[Any] | None = None,
    rays: Rays | None = None,
    sources: ArrayLike | None = None,
    receivers: ArrayLike | None = None,
    covered: ArrayLike | None = None,
    x: float | None = None,
    y: float | None = None,
    ax: Axes | None = None,
    length: str = "km",
    time: str = "s",
    cmap: str = SEQUENTIAL,
    vmin: float | None = None,
    vmax: float | None = None,
    levels: int | Sequence[float] = 10,
    colorbar: bool = True,
) -> Axes:
    """Draw a vertical section of a model with isochrons, rays, sources and receivers over it.

    Parameters
    ----------
    model
        Velocity, as colours; air is grey.
    times
        A field of the model's shape, drawn as isochrons; infinite values are left out.
    rays
        Drawn as lines. In 3-D, rays, sources and receivers are projected onto the section.
    sources, receivers
        Positions, drawn as stars and triangles. Default: the ends of the rays.
    covered
        Rays in each cell, as of Rays.coverage(): cells without any are drawn pale.
    x, y
        Where a 3-D model is cut, at the nearest nodes. Default: the middle of y.
    ax
        Axes to draw on. Default: a new figure.
    length, time
        Names of your units.
    cmap, vmin, vmax
        Colour scale of the velocity.
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
    plane = cut(model, hide_air(model.velocity), x=x, y=y)
    overlay.check(model, times, rays)
    ax = new_axes(plane, ax)
    image = draw(ax, plane, length=length, cmap=cmap, vmin=vmin, vmax=vmax)
    if colorbar:
        scale(ax, image, f"velocity ({length}/{time})")
    if covered is not None:
        overlay.pale(ax, model, np.asarray(covered), x=x, y=y)
    if times is not None:
        field = cut(model, np.asarray(times), x=x, y=y)
        overlay.isochrons(ax, field, levels, time)
    overlay.lines_and_points(ax, model, plane, rays, sources, receivers)
    return ax
