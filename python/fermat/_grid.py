"""The grid of a model, and conversion of models to other libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._arguments import numbers
from ._picks import Picks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from ._core import Model
    from ._rays import Rays

__all__ = ["Grid"]


class Grid(NamedTuple):
    """A regular grid of nodes. Attributes have two entries in 2-D, (x, z).

    >>> import fermat as fm
    >>> grid = fm.Model.constant((11, 6), velocity=2, spacing=0.5, origin=(1, -1)).grid
    >>> grid.end, grid.cells
    ((6.0, 1.5), (10, 5))
    >>> grid.coords[1]
    array([-1. , -0.5,  0. ,  0.5,  1. ,  1.5])
    """

    shape: tuple[int, ...]
    """Number of nodes along each axis."""
    spacing: tuple[float, ...]
    """Distance of neighbouring nodes."""
    origin: tuple[float, ...]
    """Position of the first node."""

    @property
    def ndim(self) -> int:
        """Number of dimensions: 2 or 3."""
        return len(self.shape)

    @property
    def cells(self) -> tuple[int, ...]:
        """Number of cells along each axis: one less than the number of nodes."""
        return tuple(n - 1 for n in self.shape)

    @property
    def end(self) -> tuple[float, ...]:
        """Position of the last node."""
        return tuple(float(line[-1]) for line in self.coords)

    @property
    def coords(self) -> tuple[NDArray[np.float64], ...]:
        """Positions of the nodes, one array per axis: x, z, or x, y, z."""
        steps = zip(self.shape, self.spacing, self.origin, strict=True)
        return tuple(first + step * np.arange(count, dtype=float) for count, step, first in steps)


def grid_of(model: Model) -> Grid:
    return Grid(model.shape, model.spacing, model.origin)


def surface_points(model: Model, surface: ArrayLike | Picks, height: bool) -> list[list[float]]:
    """The surface of the ground as points (x, z) or (x, y, z), from any accepted input."""
    if isinstance(surface, Picks):
        return _turned(surface.surface, height)
    values = numbers(surface, "surface")
    columns = model.shape[:-1]
    if values.ndim == 2 and values.shape[1] == model.ndim:
        return _turned(values, height)
    if values.shape != columns:
        wanted = "(x, z)" if model.ndim == 2 else "(x, y, z)"
        raise ValueError(
            f"surface has shape {values.shape} (must be points {wanted}, or {columns}: one depth "
            "a column of nodes)"
        )
    places = np.meshgrid(*grid_of(model).coords[:-1], indexing="ij")
    return _turned(np.column_stack([*(p.ravel() for p in places), values.ravel()]), height)


def _turned(points: NDArray[np.float64], height: bool) -> list[list[float]]:
    turned = points.copy()
    if height:
        turned[:, -1] *= -1
    return [[float(value) for value in row] for row in turned]


def axes_of(model: Model) -> list[NDArray[np.float64]]:
    """Where nodes lie along each axis, also with steps that grow. Below a ground that rows follow,
    z is that of the flat grid."""
    if model.coordinates != "graded":
        return list(grid_of(model).coords)
    at, axes = model.node_positions(), range(model.ndim)
    return [at[tuple(slice(None) if n == axis else 0 for n in axes)][:, axis] for axis in axes]


def to_xarray(model: Model, fields: Mapping[str, ArrayLike]) -> Any:
    """The model and fields of its shape as an xarray.Dataset."""
    try:
        import xarray  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise ImportError("to_xarray needs xarray (pip install xarray)") from None
    names = ("x", "z") if model.ndim == 2 else ("x", "y", "z")
    grid = grid_of(model)
    axes: dict[str, Any] = dict(zip(names, axes_of(model), strict=True))
    if model.coordinates == "terrain":
        axes["depth"] = (names, model.node_positions()[..., -1])
    middles = tuple(f"{name}_cell" for name in names)
    if model.cells:
        halves = zip(grid.coords, grid.spacing, strict=True)
        axes.update(zip(middles, (at[:-1] + step / 2 for at, step in halves), strict=True))
    data = {"velocity": (middles if model.cells else names, model.velocity)}
    for name, field in fields.items():
        values = np.asarray(field)
        if values.shape != grid.shape:
            raise ValueError(f"{name} has shape {values.shape} (must be {grid.shape} nodes)")
        data[name] = (names, values)
    set_ = xarray.Dataset(data, coords=axes)
    set_["z"].attrs.update(long_name="depth", positive="down")
    return set_


def to_pyvista(model: Model, fields: Mapping[str, ArrayLike]) -> Any:
    """The model as a pyvista.ImageData with point data, or, in curved coordinates, a StructuredGrid
    whose points lie where the nodes lie in space; a 2-D model lies in the plane y = 0."""
    pyvista = import_pyvista("to_pyvista")
    grid = grid_of(model)
    flat = grid.ndim == 2
    image: Any
    if model.coordinates != "cartesian":
        at = model.places(np.ascontiguousarray(model.node_positions().reshape(-1, grid.ndim)))
        nodes = at.reshape((grid.shape[0], 1, grid.shape[1], 3) if flat else (*grid.shape, 3))
        image = pyvista.StructuredGrid(*(np.ascontiguousarray(nodes[..., n]) for n in range(3)))
    else:
        image = pyvista.ImageData(
            dimensions=(grid.shape[0], 1, grid.shape[1]) if flat else grid.shape,
            spacing=(grid.spacing[0], 1.0, grid.spacing[1]) if flat else grid.spacing,
            origin=(grid.origin[0], 0.0, grid.origin[1]) if flat else grid.origin,
        )
    for name, field in {"velocity": model.velocity, **fields}.items():
        values = np.asarray(field)
        if values.shape == grid.shape:
            image.point_data[name] = values.ravel(order="F")
        elif values.shape == grid.cells:
            image.cell_data[name] = values.ravel(order="F")
        else:
            raise ValueError(
                f"{name} has shape {values.shape} (must be {grid.shape} nodes or {grid.cells} "
                "cells)"
            )
    return image


def rays_to_pyvista(rays: Rays) -> Any:
    """Rays as lines of a pyvista.PolyData."""
    pyvista = import_pyvista("to_pyvista")
    points = np.zeros((len(rays.points), 3))
    points[:, [0, -1] if rays.points.shape[1] == 2 else slice(None)] = rays.points
    counts = np.diff(rays.offsets)
    drawn = counts > 1
    lines = np.empty(int((counts[drawn] + 1).sum()), np.int64)
    starts = np.concatenate([[0], np.cumsum(counts[drawn] + 1)])[:-1].astype(np.int64)
    inner = np.ones(len(lines), bool)
    inner[starts] = False
    lines[starts] = counts[drawn]
    lines[inner] = np.flatnonzero(np.repeat(drawn, counts))
    mesh = pyvista.PolyData(points, lines=lines)
    for name in ("source", "receiver", "times", "lengths"):
        mesh.cell_data[name.rstrip("s")] = getattr(rays, name)[drawn]
    return mesh


def import_pyvista(caller: str) -> Any:
    try:
        import pyvista  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise ImportError(f"{caller} needs PyVista (pip install pyvista)") from None
    return pyvista
