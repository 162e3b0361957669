"""Models of arrays and tables that name their axes: xarray's and pandas' objects."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _netcdf
from ._arguments import numbers
from ._core import Model
from ._tables import columns_of

__all__ = ["model_of"]

VELOCITIES = ("velocity", "vp", "v")


def model_of(
    velocity: Any, spacing: Any, origin: Any, cells: bool, metric: dict[str, Any]
) -> Model:
    """What `Model(velocity)` makes of a DataArray, a Dataset or a DataFrame.

    Its coordinates are those of the grid, whatever the order of its axes.
    """
    kind = type(velocity).__name__
    if metric:
        raise ValueError(
            f"velocity is a {kind} and {', '.join(metric)} is given (give velocity.to_numpy() with "
            "its axes in the order x, y, z)"
        )
    has_places = not hasattr(velocity, "dims") or any(dim in velocity.coords for dim in velocity.dims)
    if has_places and (spacing != 1.0 or origin != 0.0):
        raise ValueError(
            f"velocity is a {kind} with coordinates of its own (leave out spacing and origin)"
        )
    if hasattr(velocity, "columns"):
        return _of_rows(velocity, kind, cells)
    data = velocity if hasattr(velocity, "data_vars") else velocity.to_dataset(name="velocity")
    model = _netcdf.model_of(data, kind, False, cells)
    if has_places:
        return model
    return Model(model.velocity, spacing=spacing, origin=origin, cells=cells)


def _of_rows(table: Any, kind: str, cells: bool) -> Model:
    """One row per node (or cell), in any order, with columns x, y, z (no y in 2-D) and velocity."""
    columns = columns_of(table, kind)
    name = next((name for name in VELOCITIES if name in columns), None)
    axes = [axis for axis in "xyz" if axis in columns]
    if name is None or axes not in (["x", "z"], ["x", "y", "z"]):
        raise ValueError(
            f"velocity is a {kind} with the columns {list(columns)} (must be x, y, z and velocity, "
            "no y in 2-D; an array of velocities is given as velocity.to_numpy())"
        )
    places, indices = [], []
    for axis in axes:
        place, index = np.unique(numbers(columns[axis], axis), return_inverse=True)
        places.append(place)
        indices.append(index.reshape(-1))
    shape = tuple(len(place) for place in places)
    values = np.full(shape, np.nan, dtype=np.float32)
    values[tuple(indices)] = numbers(columns[name], name)
    rows, nodes = len(indices[0]), values.size
    if rows != nodes or len(np.unique(np.ravel_multi_index(indices, shape))) != nodes:
        raise ValueError(
            f"velocity is a {kind} of {rows} rows on a grid of {' x '.join(map(str, shape))} places "
            "(must have each place once)"
        )
    steps = [_netcdf.even(place, axis, kind) for axis, place in zip(axes, places, strict=True)]
    return Model(
        values,
        spacing=[step for _, step in steps],
        origin=[first - step / 2 if cells else first for first, step in steps],
        cells=cells,
    )
