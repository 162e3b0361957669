"""What is drawn over a model's colours: isochrons, rays, points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._arguments import points as points_of
from ._colours import RAY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

    from .._core import Model
    from .._rays import Rays
    from ._frame import Cut


def check(model: Model, times: NDArray[Any] | None, rays: Rays | None) -> None:
    if times is not None and np.shape(times) != model.shape:
        raise ValueError(
            f"times has shape {np.shape(times)} (must be {model.shape} nodes, as the model)"
        )
    if rays is not None and rays.model.ndim != model.ndim:
        raise ValueError(f"rays are {rays.model.ndim}-D (must be {model.ndim}-D, as the model)")


def isochrons(ax: Axes, field: Cut, levels: int | Sequence[float], unit: str) -> None:
    """White lines with dark rims: they show on every colour of the scale."""
    from matplotlib.patheffects import AbstractPathEffect, withStroke

    values: Any = np.ma.masked_invalid(field.values)  # type: ignore[no-untyped-call,unused-ignore]
    if values.mask.all():
        return
    lines = ax.contour(*field.coords, values.T, levels=levels, colors="white", linewidths=0.8)
    rim: list[AbstractPathEffect] = [withStroke(linewidth=1.8, foreground=(0, 0, 0, 0.45))]
    lines.set_path_effects(rim)
    corners = [np.asarray(path.vertices) for path in lines.get_paths()]
    places = [place for line in corners if (place := _inmost(line, field.extent()))]
    if places:
        texts = ax.clabel(lines, fontsize="x-small", fmt=f"%g {unit}", manual=places)
        for text in texts or []:
            text.set_path_effects(rim)


def _inmost(
    points: NDArray[Any], extent: tuple[float, float, float, float]
) -> tuple[float, float] | None:
    """The point of a line farthest from the frame, where a label has room; none for a line that
    is small, such as time 0 at the source, or near the frame all along."""
    left, right = extent[:2]
    low, high = sorted(extent[2:])
    small = 0.05 * min(right - left, high - low)
    if len(points) == 0 or np.ptp(points, axis=0).max() < small:
        return None
    x, z = points.T
    room = np.minimum.reduce([x - left, right - x, z - low, high - z])
    best = int(room.argmax())
    return (float(x[best]), float(z[best])) if room[best] > small else None


def lines_and_points(
    ax: Axes,
    model: Model,
    plane: Cut,
    rays: Rays | None,
    sources: ArrayLike | None,
    receivers: ArrayLike | None,
) -> None:
    """Rays as lines, sources as stars, receivers as triangles, projected onto the plane."""
    frame = plane.extent()
    if rays is not None:
        _draw_rays(ax, rays, plane)
        if len(rays):
            if receivers is None:
                receivers = rays.points[rays.offsets[:-1]]
            if sources is None and (arrived := rays.status == "ok").any():
                sources = rays.points[rays.offsets[1:][arrived] - 1]
    for what, positions, marker, size, colour in (
        ("receivers", receivers, "v", 5.5, "white"),
        ("sources", sources, "*", 10, "gold"),
    ):
        if positions is None:
            continue
        first, second = np.unique(plane.project(points_of(model, positions, what)), axis=0).T
        size *= min(1.0, max(0.45, (120 / max(len(first), 1)) ** 0.5))
        # Whole even where they lie on the frame.
        style: dict[str, Any] = {"markeredgecolor": "black", "markeredgewidth": 0.7, "zorder": 3}
        ax.plot(first, second, marker, markersize=size, color=colour, clip_on=False, **style)
    ax.set_xlim(frame[:2])
    ax.set_ylim(frame[2:])


def _draw_rays(ax: Axes, rays: Rays, plane: Cut) -> None:
    """One collection: thousands of artists would be slow. Many rays are drawn thin."""
    from matplotlib.collections import LineCollection

    segments = [plane.project(path) for path in rays.paths if len(path) > 1]
    many = min(1.0, (200 / max(len(segments), 1)) ** 0.5)
    width, alpha = max(0.25, 0.9 * many), max(0.12, many**1.5)
    ax.add_collection(
        LineCollection(segments, colors=RAY, linewidths=width, alpha=alpha, zorder=2.5),
        autolim=False,
    )
