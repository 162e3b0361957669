"""What all pictures share: cuts through models, axes with units, colours that fade."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._grid import grid_of
from . import _ground as ground
from ._colours import AIR

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage
    from numpy.typing import NDArray

    from .._core import Model

THIN = 12.0
"""Sections that are so many times longer than deep are drawn higher than they are."""


class Cut(NamedTuple):
    """A plane through a model, as it is drawn: the first axis across, the second down or up."""

    values: NDArray[Any]
    across: int
    """Number of the axis that runs to the right."""
    along: int
    """Number of the axis that runs down (depth) or up (y of a map)."""
    coords: tuple[NDArray[np.float64], NDArray[np.float64]]
    """Positions of the nodes along both; heights in place of depths with `is_elevation`."""
    is_elevation: bool = False

    @property
    def is_map(self) -> bool:
        """Whether y runs up."""
        return self.along == 1

    @property
    def is_cells(self) -> bool:
        return self.values.shape != tuple(len(line) for line in self.coords)

    def extent(self) -> tuple[float, float, float, float]:
        """Left, right, bottom, top. A node is drawn as the box round it, a cell as it is."""
        (x, z) = self.coords
        half_x, half_z = (0.0, 0.0) if self.is_cells else ((x[1] - x[0]) / 2, (z[1] - z[0]) / 2)
        left, right = float(x[0] - half_x), float(x[-1] + half_x)
        first, last = float(z[0] - half_z), float(z[-1] + half_z)
        return (left, right, first, last) if self.is_map else (left, right, last, first)

    def tall(self) -> float:
        """Height in widths."""
        left, right, bottom, top = self.extent()
        return abs(bottom - top) / (right - left)

    def project(self, points: NDArray[Any]) -> NDArray[Any]:
        """Points of the model, (n, 2) or (n, 3), as they lie on the picture."""
        axes = [self.across, self.along]
        found = points[..., [0, 1] if points.shape[-1] == 2 else axes]
        return found * [-1 if axis == 2 else 1 for axis in axes] if self.is_elevation else found

    def turned(self) -> Cut:
        """A section across x on its side: depth to the right, y up."""
        return self._replace(
            values=self.values.T, across=self.along, along=self.across, coords=self.coords[::-1]
        )


def cut(
    model: Model,
    values: NDArray[Any],
    *,
    x: float | None = None,
    y: float | None = None,
    z: float | None = None,
    elevation: bool = False,
) -> Cut:
    """The plane of a 3-D field through the nodes (or cells) nearest to x, y or z; by default the
    vertical one through the middle of y. A 2-D field is its own plane."""
    if model.coordinates != "cartesian":
        raise ValueError(
            f"this picture is of regular grids of x, y, z, and the model has {model.coordinates} "
            "coordinates (section, map, views and overview draw it)"
        )
    coords = grid_of(model).coords
    given = {n: at for n, at in enumerate((x, y, z)) if at is not None}
    sign = -1 if elevation else 1
    if model.ndim == 2:
        if given:
            name = "xyz"[next(iter(given))]
            raise ValueError(f"{name} is {given.popitem()[1]} (a 2-D model is drawn whole)")
        return Cut(values, 0, 2, (coords[0], sign * coords[1]), elevation)
    if len(given) > 1:
        raise ValueError("more than one of x, y and z was given (a plane is at one of them)")
    axis, at = next(iter(given.items())) if given else (1, None)
    line = coords[axis]
    if at is not None and not line[0] <= at <= line[-1]:
        raise ValueError(f"{'xyz'[axis]} is {at} (must lie between {line[0]} and {line[-1]})")
    position = (at - line[0]) / (line[1] - line[0]) if at is not None else len(line) // 2
    is_cells = values.shape != model.shape
    row = int(position) if is_cells else round(position)
    across, along = (n for n in range(3) if n != axis)
    plane = values.take(min(row, values.shape[axis] - 1), axis=axis)
    heights = elevation and along == 2
    second = -coords[along] if heights else coords[along]
    return Cut(plane, across, along, (coords[across], second), heights)


def crop(plane: Cut, fade: Cut | None) -> tuple[Cut, Cut | None]:
    """A vertical section without what lies below all that is seen, but for a tenth of its depth."""
    if fade is None or plane.is_map:
        return plane, fade
    seen = np.flatnonzero((fade.values > 0.02).any(axis=0))
    count = fade.values.shape[1]
    last = min(count, int(1.1 * seen[-1]) + 3) if len(seen) else count
    rows = last - 1 if plane.is_cells else last
    coords = (plane.coords[0], plane.coords[1][:last])
    return (
        plane._replace(values=plane.values[:, :rows], coords=coords),
        fade._replace(values=fade.values[:, :last], coords=coords),
    )


def new_axes(plane: Cut, ax: Axes | None, stretch: float = 1.0) -> Axes:
    """The user's axes, or those of a new figure as tall as the plane asks for."""
    if ax is not None:
        return ax
    wide, high = panel_size(stretch * plane.tall(), 5.4, 6.4)
    return subplots(1, size=(wide + 1.6, high + 0.8))[0]


def panel_size(tall: float, most_wide: float, most_high: float) -> tuple[float, float]:
    """Inches of a panel that is so many times higher than wide and keeps within both."""
    wide = min(most_wide, most_high / tall)
    return max(wide, 0.9), max(wide * tall, 0.7)


def subplots(
    count: int, *, size: tuple[float, float], columns: int = 1, **options: Any
) -> list[Axes]:
    import matplotlib.pyplot as plt

    rows = -(-count // columns)
    _, axes = plt.subplots(
        rows, columns, figsize=size, layout="compressed", squeeze=False, **options
    )
    for spare in axes.flat[count:]:
        spare.remove()
    return list(axes.flat[:count])


def stretch_of(plane: Cut, exaggeration: float | None) -> float:
    """How many times heights are drawn too high: 1, unless the user or a very thin section asks."""
    if exaggeration is not None:
        if not 0 < exaggeration < np.inf:
            raise ValueError(f"exaggeration is {exaggeration} (must be a number > 0)")
        return float(exaggeration)
    wide = 1 / plane.tall()
    if plane.is_map or wide <= THIN:
        return 1.0
    return float(max(n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500) if n <= max(1, wide / 5)))


def draw(
    ax: Axes,
    plane: Cut,
    *,
    length: str,
    fade: Cut | None = None,
    line: tuple[NDArray[Any], NDArray[Any]] | None = None,
    stretch: float = 1.0,
    **options: Any,
) -> AxesImage:
    """The plane as colours at its own scale, with names and units on its axes.

    Velocity on nodes runs evenly from node to node, that of cells does not. `fade` says how plainly
    each node is shown, and `line` is the ground, above which nothing is.
    """
    ax.set_facecolor(AIR)
    values = plane.values
    alpha = plain_part(fade, plane)
    if line is not None:
        hidden = ground.hidden(values)
        values = ground.fill_up(values, hidden)
        alpha = None if alpha is None else ground.fill_up(alpha, hidden)
    image = ax.imshow(
        values.T,
        extent=plane.extent(),
        origin="lower" if plane.is_map else "upper",
        aspect=stretch,
        interpolation="nearest" if plane.is_cells else "bilinear",
        interpolation_stage="data",
        alpha=None if alpha is None else np.clip(alpha.T, 0, 1),
        **options,
    )
    if line is not None:
        ground.draw(ax, image, line, plane.extent())
    ax.set_xlabel(f"{'xyz'[plane.across]} ({length})")
    if plane.is_map:
        ax.set_ylabel(f"y ({length})")
    else:
        ax.set_ylabel(f"{'elevation' if plane.is_elevation else 'depth'} ({length})")
        if stretch != 1:
            say_stretch(ax, stretch)
    return image


def say_stretch(ax: Axes, stretch: float) -> None:
    """Above the right end of the axes."""
    ax.set_title(f"heights × {stretch:g}", loc="right", fontsize="x-small", color="0.3", pad=3)


def plain_part(fade: Cut | None, plane: Cut) -> NDArray[Any] | None:
    """How plainly each value of the plane is shown; None where all are."""
    return None if fade is None else _like(fade.values, plane)


def _like(nodes: NDArray[Any], plane: Cut) -> NDArray[Any]:
    """Values at nodes as values of the plane's cells, where it has cells."""
    if nodes.shape == plane.values.shape:
        return nodes
    return np.asarray((nodes[1:, 1:] + nodes[:-1, 1:] + nodes[1:, :-1] + nodes[:-1, :-1]) / 4)


def figure_of(ax: Axes) -> Figure:
    return ax.get_figure(root=True) if _knows_root() else ax.figure  # type: ignore[return-value,unused-ignore]


def _knows_root() -> bool:
    """Since matplotlib 3.10."""
    import matplotlib

    return tuple(int(part) for part in matplotlib.__version__.split(".")[:2]) >= (3, 10)


def hide_air(velocity: NDArray[Any]) -> NDArray[Any]:
    masked: NDArray[Any] = np.ma.masked_equal(velocity, 0)  # type: ignore[no-untyped-call,unused-ignore]
    return masked
