"""Pictures of models whose nodes do not lie on a regular grid of x, y, z: spheres, grids that follow
the ground, graded grids. `section` and `map` draw them by this."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _overlay as overlay
from ._colours import AIR, bar, extends, named, norm_of
from ._frame import hide_air, panel_size, subplots
from ._units import named_units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

    from .._core import Model
    from .._rays import Rays


class Plane(NamedTuple):
    """A plane of nodes, as it is drawn."""

    across: NDArray[np.float64]
    """Coordinates of the nodes to the right, and `along` down or up; both (n, m)."""
    along: NDArray[np.float64]
    axes: tuple[int, int]
    """Numbers of the coordinates of points that these are."""
    labels: tuple[str, str]
    where: tuple[Any, ...]
    """Picks the plane's values out of a field."""
    aspect: float | str
    is_map: bool

    @property
    def coords(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self.across, self.along

    def extent(self) -> tuple[float, float, float, float]:
        left, right = float(self.across.min()), float(self.across.max())
        low, high = float(self.along.min()), float(self.along.max())
        return (left, right, low, high) if self.is_map else (left, right, high, low)

    def tall(self) -> float:
        """Height of the picture in widths."""
        left, right, bottom, top = self.extent()
        stretch = self.aspect if isinstance(self.aspect, float) else 0.5 * (right - left) / abs(bottom - top)
        return stretch * abs(bottom - top) / (right - left)

    def project(self, points: NDArray[Any]) -> NDArray[Any]:
        if points.shape[-1] == 2:
            return points
        found = points[..., list(self.axes)].astype(float)
        if 1 in self.axes:  # a longitude is the same 360 degrees on; others never differ so much
            at = self.axes.index(1)
            middle = float(np.mean(self.coords[at]))
            if self.labels[at].startswith("longitude"):
                found[..., at] += 360 * np.round((middle - found[..., at]) / 360)
        return found


def is_mapped(model: Any) -> bool:
    return getattr(model, "coordinates", "cartesian") != "cartesian"


@named_units
def plane_of(
    model: Model, *, x: float | None = None, y: float | None = None, z: float | None = None,
    length: str = "",
) -> Plane:
    """The plane of nodes nearest to x, y or z of a 3-D model, by default the middle of y; a 2-D model
    is its own plane."""
    at = model.node_positions()
    if model.ndim == 2:
        return Plane(at[..., 0], at[..., 1], (0, 1), (f"x ({length})", f"depth ({length})"),
                     (), 1.0, False)
    sphere = model.coordinates == "spherical"
    names = ("latitude", "longitude", "depth") if sphere else ("x", "y", "depth")
    given = {n: value for n, value in enumerate((x, y, z)) if value is not None}
    if len(given) > 1:
        raise ValueError("more than one of x, y and z was given (a plane is at one of them)")
    axis, value = next(iter(given.items())) if given else (1, None)
    middle = [n // 2 for n in model.shape]
    line = at[tuple(slice(None) if n == axis else middle[n] for n in range(3))][:, axis]
    if value is None:
        row = middle[axis]
    else:
        low, high = float(line[0]), float(line[-1])
        if axis == 1 and sphere:
            value += 360 * round((0.5 * (low + high) - value) / 360)
        if not low <= value <= high:
            raise ValueError(f"{names[axis]} is {value:g} (must lie between {low:g} and {high:g})")
        row = int(np.abs(line - value).argmin())
    index = tuple(slice(None) if n != axis else row for n in range(3))
    nodes = at[index]
    units = ["°" if sphere and n < 2 else length for n in range(3)]
    if axis == 2:
        axes = (1, 0) if sphere else (0, 1)
        aspect: float | str = 1.0
        if sphere:
            aspect = float(1 / np.cos(np.radians(np.mean(nodes[..., 0]))))
        return Plane(nodes[..., axes[0]], nodes[..., axes[1]], axes,
                     (f"{names[axes[0]]} ({units[axes[0]]})", f"{names[axes[1]]} ({units[axes[1]]})"),
                     index, aspect, True)
    other = 1 - axis
    return Plane(nodes[..., other], nodes[..., 2], (other, 2),
                 (f"{names[other]} ({units[other]})", f"depth ({length})"), index,
                 "auto" if sphere else 1.0, False)


@named_units
def draw(
    model: Model,
    *,
    x: float | None = None,
    y: float | None = None,
    z: float | None = None,
    times: NDArray[Any] | None = None,
    rays: Rays | None = None,
    sources: ArrayLike | None = None,
    receivers: ArrayLike | None = None,
    fade: NDArray[Any] | None = None,
    ax: Axes | None = None,
    length: str = "",
    time: str = "",
    cmap: str,
    vmin: float | None = None,
    vmax: float | None = None,
    log: bool | None = None,
    levels: int | Sequence[float] = 10,
    colorbar: bool = True,
    **other: Any,
) -> Axes:
    """Colours where the nodes lie, with isochrons, rays and points over them."""
    for name, value in other.items():
        if value not in (None, False):
            raise ValueError(f"{name} is for models on a regular grid of x, y, z (leave it out)")
    plane = plane_of(model, x=x, y=y, z=z, length=length)
    overlay.check(model, times, rays)
    values = hide_air(model.velocity)[plane.where]
    shown = None if fade is None else np.clip(fade[plane.where], 0, 1)
    norm = norm_of(values, shown, vmin=vmin, vmax=vmax, log=log)
    if ax is None:
        wide, high = panel_size(plane.tall(), 5.4, 6.4)
        ax = subplots(1, size=(wide + 1.6, high + 0.8))[0]
    ax.set_facecolor(AIR)
    if shown is None:
        image = ax.pcolormesh(plane.across, plane.along, values, shading="gouraud", cmap=cmap,
                              norm=norm, rasterized=True)
    else:  # shaded triangles would show their edges
        image = ax.pcolormesh(
            _edges(_finer(plane.across)), _edges(_finer(plane.along)), _finer(values), shading="flat",
            alpha=_finer(shown),  # type: ignore[arg-type]
            cmap=cmap, norm=norm, rasterized=True,
        )
    if not plane.is_map and model.coordinates == "terrain":
        ax.plot(plane.across[:, 0], plane.along[:, 0], color="0.15", linewidth=1.1, zorder=2.2,
                gid="ground")
    if times is not None:
        overlay.isochrons(ax, _Field(plane, np.asarray(times)[plane.where]), levels, time)  # type: ignore[arg-type]
    _points(ax, model, plane, rays, sources, receivers)
    ax.set_xlabel(plane.labels[0])
    ax.set_ylabel(plane.labels[1])
    ax.set_aspect(plane.aspect)  # type: ignore[arg-type]
    if plane.is_map:
        depth = float(model.node_positions()[plane.where][..., 2].mean())
        ax.set_title(f"depth {depth:.4g} {length}", fontsize="medium")
    if colorbar:
        label = named("velocity", f"{length}/{time}", norm)
        bar(ax, image, label, extend=extends(values, norm), tall=plane.tall())
    return ax


def _finer(nodes: NDArray[Any], parts: int = 4) -> NDArray[Any]:
    """Values between nodes, linear along both axes."""
    for axis in (0, 1):
        low = nodes.take(range(nodes.shape[axis] - 1), axis=axis)
        high = nodes.take(range(1, nodes.shape[axis]), axis=axis)
        between = [low + part / parts * (high - low) for part in range(parts)]
        shape = list(low.shape)
        shape[axis] *= parts
        mixed = np.ma.stack(between, axis=axis + 1).reshape(shape)  # type: ignore[no-untyped-call,unused-ignore]
        last = nodes.take([nodes.shape[axis] - 1], axis=axis)
        nodes = np.ma.concatenate([mixed, last], axis=axis)  # type: ignore[no-untyped-call,unused-ignore]
    return nodes


def _edges(nodes: NDArray[Any]) -> NDArray[Any]:
    """Corners of the boxes round nodes."""
    at = np.asarray(nodes)
    for axis in (0, 1):
        first, second = at.take([0], axis=axis), at.take([1], axis=axis)
        last, before = at.take([-1], axis=axis), at.take([-2], axis=axis)
        at = np.concatenate([2 * first - second, at, 2 * last - before], axis=axis)
        count = at.shape[axis] - 1
        at = (at.take(range(count), axis=axis) + at.take(range(1, count + 1), axis=axis)) / 2
    return at


class _Field:
    """A field of the plane, as isochrons take it: contours of curved grids need (m, n) arrays."""

    def __init__(self, plane: Plane, values: NDArray[Any]) -> None:
        self.coords = (plane.across.T, plane.along.T)
        self.values = values
        self.extent = plane.extent


def _points(
    ax: Axes, model: Model, plane: Plane, rays: Rays | None, sources: ArrayLike | None,
    receivers: ArrayLike | None,
) -> None:
    left, right, bottom, top = plane.extent()
    overlay.lines_and_points(ax, model, plane, rays, sources, receivers)  # type: ignore[arg-type]
    # Room for points on the frame, such as stations on a ground.
    across, along = 0.02 * (right - left), 0.03 * (top - bottom)
    ax.set_xlim(left - across, right + across)
    ax.set_ylim(bottom - along, top + along)


def views(
    model: Model, *, x: float | None, y: float | None, depth: float | None, title: str | None = None,
    last: Any = None, **options: Any,
) -> Any:
    """A map and sections along both axes of a 3-D model, or the section of a 2-D one; `last` draws on
    one more panel."""
    from matplotlib.pyplot import subplots as panels

    if model.ndim == 2:
        count = 1 + (last is not None)
        figure, axes = panels(count, 1, figsize=(7.2, 3.4 * count), layout="compressed", squeeze=False)
        draw(model, ax=axes[0, 0], **options)
    else:
        figure, axes = panels(2, 2, figsize=(10.5, 7.6), layout="compressed")
        at = model.node_positions()
        middle = at[tuple(n // 2 for n in model.shape)]
        z = float(middle[2]) if depth is None else depth
        sphere = model.coordinates == "spherical"
        draw(model, z=z, ax=axes[0, 0], **options)
        for panel, axis, given in ((axes[0, 1], 0, x), (axes[1, 0], 1, y)):
            value = float(middle[axis]) if given is None else given
            at_value: dict[str, Any] = {"xy"[axis]: value}
            draw(model, ax=panel, **at_value, **options)
            name = ("latitude", "longitude")[axis] if sphere else "xy"[axis]
            panel.set_title(f"{name} {value:g}{'°' if sphere else ''}", fontsize="medium")
    if last is not None:
        last(axes.flat[-1])
    elif model.ndim == 3:
        axes.flat[-1].remove()
    if title:
        figure.suptitle(title)
    return figure
