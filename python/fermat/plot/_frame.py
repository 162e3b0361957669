"""What all pictures share: colours, axes with units, cuts through models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._grid import grid_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage
    from numpy.typing import NDArray

    from .._core import Model

AIR = "0.85"  # light grey: no colour of the velocity scale
RAY = "#ff5a36"  # not on the scale either, and of another hue to the colour-blind
# Okabe & Ito's colours, told apart by all eyes.
BLUE, ORANGE, GREEN, GREY = "#0072b2", "#e69f00", "#009e73", "0.45"
SEQUENTIAL = "viridis"
DIVERGING = "RdBu"  # red is slow, as in seismology; its two ends differ in hue to all eyes


class Cut(NamedTuple):
    """A plane through a model, as it is drawn: the first axis across, the second down or up."""

    values: NDArray[Any]
    across: int
    """Number of the axis that runs to the right."""
    along: int
    """Number of the axis that runs down (depth) or up (y of a map)."""
    coords: tuple[NDArray[np.float64], NDArray[np.float64]]
    """Positions of the nodes along both."""

    @property
    def is_map(self) -> bool:
        return self.values.ndim == 2 and self.across == 0 and self.along == 1

    @property
    def is_cells(self) -> bool:
        return self.values.shape != tuple(len(line) for line in self.coords)

    def extent(self) -> tuple[float, float, float, float]:
        """Left, right, bottom, top. A node is drawn as the box round it, a cell as it is."""
        (x, z) = self.coords
        half_x, half_z = (0.0, 0.0) if self.is_cells else ((x[1] - x[0]) / 2, (z[1] - z[0]) / 2)
        left, right = float(x[0] - half_x), float(x[-1] + half_x)
        low, high = float(z[0] - half_z), float(z[-1] + half_z)
        return (left, right, low, high) if self.is_map else (left, right, high, low)


def cut(
    model: Model,
    values: NDArray[Any],
    *,
    x: float | None = None,
    y: float | None = None,
    z: float | None = None,
) -> Cut:
    """The plane of a 3-D field through the nodes (or cells) nearest to x, y or z; by default the
    vertical one through the middle of y. A 2-D field is its own plane."""
    coords = grid_of(model).coords
    given = {n: at for n, at in enumerate((x, y, z)) if at is not None}
    if model.ndim == 2:
        if given:
            name = "xyz"[next(iter(given))]
            raise ValueError(f"{name} is {given.popitem()[1]} (a 2-D model is drawn whole)")
        return Cut(values, 0, 2, (coords[0], coords[1]))
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
    return Cut(plane, across, along, (coords[across], coords[along]))


def new_axes(plane: Cut, ax: Axes | None) -> Axes:
    """The user's axes, or those of a new figure as tall as the plane asks for."""
    if ax is not None:
        return ax
    left, right, bottom, top = plane.extent()
    tall = abs(bottom - top) / (right - left)
    return subplots(1, size=(7.0, min(max(5.5 * tall + 1, 2.2), 9.0)))[0]


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


def draw(ax: Axes, plane: Cut, *, length: str, **options: Any) -> AxesImage:
    """The plane as colours at its own scale, with names and units on its axes."""
    ax.set_facecolor(AIR)
    image = ax.imshow(
        plane.values.T,
        extent=plane.extent(),
        origin="lower" if plane.is_map else "upper",
        aspect="equal",
        interpolation="nearest",
        **options,
    )
    ax.set_xlabel(f"{'xyz'[plane.across]} ({length})")
    ax.set_ylabel(f"y ({length})" if plane.is_map else f"depth ({length})")
    return image


def scale(ax: Axes, image: AxesImage, label: str) -> None:
    """The colour scale beside the axes, exactly as high as they are."""
    bar = ax.inset_axes((1.02, 0, 0.03, 1))
    figure_of(ax).colorbar(image, cax=bar, label=label)


def figure_of(ax: Axes) -> Figure:
    return ax.get_figure(root=True) if _knows_root() else ax.figure  # type: ignore[return-value,unused-ignore]


def _knows_root() -> bool:
    """Since matplotlib 3.10."""
    import matplotlib

    return tuple(int(part) for part in matplotlib.__version__.split(".")[:2]) >= (3, 10)


def hide_air(velocity: NDArray[Any]) -> NDArray[Any]:
    masked: NDArray[Any] = np.ma.masked_equal(velocity, 0)  # type: ignore[no-untyped-call,unused-ignore]
    return masked
