"""The ground of a vertical section: a line, below which the colours end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage
    from numpy.typing import NDArray

    from ._frame import Cut

Line = tuple["NDArray[np.float64]", "NDArray[np.float64]"]


def hidden(values: NDArray[Any]) -> NDArray[np.int64]:
    """Air nodes (or cells) on top of each column."""
    rock = ~np.ma.getmaskarray(np.ma.asarray(values))  # type: ignore[no-untyped-call,unused-ignore]
    return np.asarray(np.where(rock.any(axis=1), rock.argmax(axis=1), values.shape[1]))


def line_of(plane: Cut, points: NDArray[Any] | None = None) -> Line | None:
    """The ground from the left to the right of a section; None where no column has air on top.

    A grid knows the ground to half a cell: between columns of equal height the line runs straight.
    Points that lie at it, as shots and receivers do, say it better, where there are any.
    """
    above = hidden(plane.values)
    if plane.is_map or not above.any():
        return None
    x, z = plane.coords
    step = z[1] - z[0]
    edges = z if plane.is_cells else np.append(z - step / 2, z[-1] + step / 2)
    height = edges[np.minimum(above, len(edges) - 1)]
    middle = (x[1:] + x[:-1]) / 2 if plane.is_cells else x
    left, right = plane.extent()[:2]
    knots_x, knots_z = _ramps(middle, height)
    if points is not None and len(points):
        flat = np.unique(points, axis=0)
        near = np.abs(np.interp(flat[:, 0], middle, height) - flat[:, 1]) <= 1.01 * abs(step)
        own_x, first = np.unique(flat[near, 0], return_index=True)
        if len(own_x) > 1:
            outside = (knots_x < own_x[0] - abs(step)) | (knots_x > own_x[-1] + abs(step))
            knots_x = np.concatenate([knots_x[outside], own_x])
            knots_z = np.concatenate([knots_z[outside], flat[near, 1][first]])
            order = np.argsort(knots_x, kind="stable")
            knots_x, knots_z = knots_x[order], knots_z[order]
    every = np.unique(np.concatenate([[left, right], np.clip(knots_x, left, right)]))
    return every, np.interp(every, knots_x, knots_z)


def _ramps(x: NDArray[Any], height: NDArray[Any]) -> Line:
    """The middles of runs of equal height, and both ends: steps of a grid become slopes."""
    changes = np.flatnonzero(np.diff(height)) + 1
    starts, ends = np.append(0, changes), np.append(changes, len(x)) - 1
    knots_x = (x[starts] + x[ends]) / 2
    knots_x[0], knots_x[-1] = x[0], x[-1]
    return knots_x, height[starts]


def fill_up(values: NDArray[Any], above: NDArray[np.int64]) -> NDArray[Any]:
    """The first value of each column drawn on upward, for the line to cut off."""
    rows = np.arange(values.shape[1])[None, :]
    first = np.minimum(above, values.shape[1] - 1)[:, None]
    return np.take_along_axis(values, np.maximum(rows, first), axis=1)


def draw(
    ax: Axes,
    image: AxesImage,
    line: Line,
    extent: tuple[float, float, float, float],
    *,
    on_side: bool = False,
) -> None:
    """The line, and the image cut off above it; `on_side` where depth runs to the right."""
    from matplotlib.path import Path

    x, z = line
    bottom = extent[1] if on_side else extent[2]
    outline = np.vstack([np.column_stack([x, z]), [(x[-1], bottom), (x[0], bottom), (x[0], z[0])]])
    sides = [1, 0] if on_side else [0, 1]
    image.set_clip_path(Path(outline[:, sides]), ax.transData)
    drawn = np.column_stack([x, z])[:, sides].T
    ax.plot(*drawn, color="0.15", linewidth=1.1, zorder=2.2, solid_joinstyle="round", gid="ground")
