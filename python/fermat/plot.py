"""Pictures of models, times and rays: depth downward, equal scales, units on the axes.

matplotlib is imported when a picture is drawn, so that the package works without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._arguments import points as points_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

    from ._core import Model
    from ._rays import Rays

__all__ = ["section"]

AIR = "0.85"  # light grey: no colour of the velocity scale
RAY = "#ff5a36"  # not on the scale either, and of another hue to the colour-blind


def section(
    model: Model,
    *,
    times: NDArray[Any] | None = None,
    rays: Rays | None = None,
    sources: ArrayLike | None = None,
    receivers: ArrayLike | None = None,
    y: float | None = None,
    ax: Axes | None = None,
    length: str = "km",
    time: str = "s",
    cmap: str = "viridis",
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
    y
        Where a 3-D model is cut, at the nearest nodes. Default: the middle.
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
    import matplotlib.pyplot as plt

    velocity, extent = _slice(model, model.velocity, y)
    if times is not None and np.shape(times) != model.shape:
        raise ValueError(
            f"times has shape {np.shape(times)} (must be {model.shape} nodes, as the model)"
        )
    if rays is not None and rays.model.ndim != model.ndim:
        raise ValueError(f"rays are {rays.model.ndim}-D (must be {model.ndim}-D, as the model)")
    if ax is None:
        tall = (extent[2] - extent[3]) / (extent[1] - extent[0])
        size = (7.0, min(max(5.5 * tall + 1, 2.0), 9.0))
        _, ax = plt.subplots(figsize=size, layout="compressed")
    ax.set_facecolor(AIR)
    image = ax.imshow(
        np.ma.masked_equal(velocity, 0).T,
        extent=extent,
        origin="upper",
        aspect="equal",
        cmap=cmap,
        vmin=vmin,
        vmax=vmax,
        interpolation="nearest",
    )
    if colorbar:
        bar = ax.inset_axes((1.02, 0, 0.03, 1))
        ax.figure.colorbar(image, cax=bar, label=f"velocity ({length}/{time})")
    if times is not None:
        _draw_isochrons(ax, model, times, y, levels, time)
    if rays is not None:
        _draw_rays(ax, rays)
    _draw_points(ax, model, rays, sources, receivers)
    ax.set_xlabel(f"x ({length})")
    ax.set_ylabel(f"depth ({length})")
    return ax


def _draw_isochrons(
    ax: Axes,
    model: Model,
    times: NDArray[Any],
    y: float | None,
    levels: int | Sequence[float],
    unit: str,
) -> None:
    """White lines with dark rims: they show on every colour of the scale."""
    from matplotlib.patheffects import AbstractPathEffect, withStroke

    values, extent = _slice(model, np.asarray(times), y)
    x, z = _axes(model)
    lines = ax.contour(
        x, z, np.ma.masked_invalid(values).T, levels=levels, colors="white", linewidths=0.8
    )
    rim: list[AbstractPathEffect] = [withStroke(linewidth=1.8, foreground=(0, 0, 0, 0.45))]
    lines.set_path_effects(rim)
    corners = [np.asarray(path.vertices) for path in lines.get_paths()]
    places = [place for line in corners if (place := _inmost(line, extent))]
    if places:
        texts = ax.clabel(lines, fontsize="x-small", fmt=f"%g {unit}", manual=places)
        for text in texts or []:
            text.set_path_effects(rim)


def _inmost(
    points: NDArray[Any], extent: tuple[float, float, float, float]
) -> tuple[float, float] | None:
    """The point of a line farthest from the frame, where a label has room; none for a line that
    is small, such as time 0 at the source, or near the frame all along."""
    left, right, bottom, top = extent
    small = 0.05 * min(right - left, bottom - top)
    if len(points) == 0 or np.ptp(points, axis=0).max() < small:
        return None
    x, z = points.T
    room = np.minimum.reduce([x - left, right - x, z - top, bottom - z])
    best = int(room.argmax())
    return (float(x[best]), float(z[best])) if room[best] > small else None


def _draw_rays(ax: Axes, rays: Rays) -> None:
    """All rays as one line with breaks: thousands of artists would be slow."""
    from matplotlib.collections import LineCollection

    segments = [path[:, [0, -1]] for path in rays.paths if len(path) > 1]
    ax.add_collection(
        LineCollection(segments, colors=RAY, linewidths=0.9, zorder=2.5), autolim=False
    )


def _draw_points(
    ax: Axes,
    model: Model,
    rays: Rays | None,
    sources: ArrayLike | None,
    receivers: ArrayLike | None,
) -> None:
    """Stars and triangles with dark rims, whole even where they lie on the frame."""
    if rays is not None and len(rays):
        if receivers is None:
            receivers = rays.points[rays.offsets[:-1]]
        if sources is None and (arrived := rays.status == "ok").any():
            sources = rays.points[rays.offsets[1:][arrived] - 1]
    for what, positions, marker, size, colour in (
        ("receivers", receivers, "v", 5.5, "white"),
        ("sources", sources, "*", 12, "gold"),
    ):
        if positions is None:
            continue
        x, z = np.unique(points_of(model, positions, what)[:, [0, -1]], axis=0).T
        ax.plot(
            x,
            z,
            marker,
            markersize=size,
            color=colour,
            markeredgecolor="black",
            markeredgewidth=0.7,
            clip_on=False,
            zorder=3,
        )


def _axes(model: Model) -> tuple[NDArray[Any], NDArray[Any]]:
    """Positions of the nodes along x and z."""
    x, z = (
        model.origin[axis] + model.spacing[axis] * np.arange(model.shape[axis]) for axis in (0, -1)
    )
    return x, z


def _slice(
    model: Model, values: NDArray[Any], y: float | None
) -> tuple[NDArray[Any], tuple[float, float, float, float]]:
    """Values (nx, nz) of the section at y, and its frame: each node is drawn as the box round it."""
    if model.ndim == 2:
        if y is not None:
            raise ValueError(f"y is {y} (a 2-D model has no y; leave it out)")
    else:
        ny, dy, y0 = model.shape[1], model.spacing[1], model.origin[1]
        row = ny // 2 if y is None else round((y - y0) / dy)
        if not 0 <= row < ny:
            raise ValueError(f"y is {y} (must lie between {y0} and {y0 + (ny - 1) * dy})")
        values = values[:, row, :]
    x, z = _axes(model)
    half_x, half_z = model.spacing[0] / 2, model.spacing[-1] / 2
    return values, (x[0] - half_x, x[-1] + half_x, z[-1] + half_z, z[0] - half_z)
