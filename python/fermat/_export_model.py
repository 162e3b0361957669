"""Models with longitudes and latitudes, as `fermat.export.model` writes them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _netcdf
from ._core import Model
from ._files import renamed_to
from ._grid import axes_of, grid_of
from ._notes import tell

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._plane import Plane


def model(run: Any, path: str | os.PathLike[str], *, plane: Plane | None = None) -> None:
    """Write a model as a table (`.csv`, `.xyz`), as NetCDF (`.nc`) or for VTK (`.vtk`).

    With a plane the model is 3-D, or a section whose plane is that of a line. NetCDF has `velocity`
    over x, y and z, and `longitude` and `latitude` of every x and y (of every x of a section); the
    table has the columns longitude, latitude, depth and velocity, which GMT reads, one row per node
    or per cell. Without a plane the table has x, y, depth and velocity, no y in 2-D. `.xyz` has the
    same numbers with blanks between and no header. Nodes of air are not in the table; a UserWarning
    says how many. Depth has the model's unit. `.vtk` is VTK's legacy file in x, y and depth.

    Parameters
    ----------
    run
        A model, what `fermat.invert` returned, or the folder of a run.
    path
        `.csv`, `.xyz`, `.vtk`, or `.nc`, which needs xarray and a plane.
    plane
        That of the picks: `picks.plane`. Spherical models have degrees of their own and take none,
        and neither does `.vtk`.

    Examples
    --------
    >>> import fermat as fm, os, tempfile
    >>> model = fm.Model.constant((3, 3, 2), velocity=5)
    >>> file = os.path.join(tempfile.mkdtemp(), "model.csv")
    >>> fm.export.model(model, file, plane=fm.Plane.round([12], [47]))
    >>> print(open(file).readline().strip())
    longitude,latitude,depth,velocity
    """
    from .plot._runs import run_of

    found = run if isinstance(run, Model) else run_of(run).model
    suffix = Path(path).suffix.lower()
    if suffix not in (".nc", ".csv", ".xyz", ".vtk"):
        raise ValueError(f"cannot write '{path}' (must end in .csv, .xyz, .vtk or .nc)")
    if suffix == ".vtk":
        if plane is not None:
            raise ValueError("plane is given, and .vtk has x, y and depth (leave it out)")
        found.save(path)
        return
    sphere = found.coordinates == "spherical"
    if sphere and plane is not None:
        raise ValueError("plane is given, and the model has latitudes and longitudes (leave it out)")
    if suffix == ".nc":
        _netcdf.refuse_mapped(found, path)
    if sphere:
        latitude, longitude, z = np.moveaxis(found.node_positions(), -1, 0)
        _write_table(found.velocity, longitude, latitude, z, path)
        return
    if plane is None and suffix != ".nc":
        _write_places(found, path)
        return
    if plane is None:
        raise ValueError("plane is missing (must be the one of the picks: picks.plane)")
    if found.ndim == 2 and not plane.is_line:
        raise ValueError(
            "a model in (x, z) has no place on a map (must be 3-D, or its plane that of a line: "
            "picks(..., line=True).plane)"
        )
    *level, z = _places(found)
    if found.coordinates == "terrain":
        z = found.node_positions()[..., -1]
    if found.ndim == 2:
        level.append(np.zeros(()))
        longitude, latitude = plane.to_geographic(*level)
    else:
        longitude, latitude = plane.to_geographic(*np.meshgrid(*level, indexing="ij"))
    if suffix != ".nc":
        _write_table(found.velocity, longitude, latitude, z, path)
        return
    data = found.to_xarray()
    over = [axis + "_cell" * found.cells for axis in ("x", "y")[: found.ndim - 1]]
    data = data.assign_coords(longitude=(over, longitude), latitude=(over, latitude))
    data["longitude"].attrs.update(units="degrees_east", standard_name="longitude")
    data["latitude"].attrs.update(units="degrees_north", standard_name="latitude")
    data.attrs["plane"] = str(plane)
    _netcdf.write(data, path)


def _places(model: Model) -> list[NDArray[np.float64]]:
    """Where values are, one array per axis: at nodes, or in the middles of cells."""
    grid = grid_of(model)
    if not model.cells:
        return axes_of(model)
    return [at[:-1] + step / 2 for at, step in zip(grid.coords, grid.spacing, strict=True)]


def _write_table(
    velocity: NDArray[Any], longitude: Any, latitude: Any, z: Any, path: str | os.PathLike[str]
) -> None:
    if longitude.ndim < velocity.ndim:  # of the horizontal axes alone
        longitude, latitude = longitude[..., None], latitude[..., None]
    columns = np.broadcast_arrays(longitude, latitude, z, velocity)
    names = {"longitude": "%.8f", "latitude": "%.8f", "depth": "%.7g", "velocity": "%.7g"}
    _write_rows(np.column_stack([column.reshape(-1) for column in columns]), names, path)


def _write_places(model: Model, path: str | os.PathLike[str]) -> None:
    """A table of x, y, depth and velocity, wherever the nodes of the model lie."""
    if model.cells:
        places = np.stack(np.meshgrid(*_places(model), indexing="ij"), axis=-1)
    else:
        places = model.node_positions()
    rows = np.concatenate([places, model.velocity[..., None]], axis=-1).reshape(-1, model.ndim + 1)
    axes = ("x", "depth") if model.ndim == 2 else ("x", "y", "depth")
    _write_rows(rows, dict.fromkeys((*axes, "velocity"), "%.7g"), path)


def _write_rows(rows: NDArray[Any], names: dict[str, str], path: str | os.PathLike[str]) -> None:
    """Rows of rock, whose last column is velocity; `names` have the forms of their numbers."""
    solid = rows[:, -1] > 0
    if not solid.all():
        tell([f"{(~solid).sum()} of {len(rows)} values are air and were left out"])
    plain = Path(path).suffix.lower() == ".xyz"
    with renamed_to(path) as file:
        np.savetxt(file, rows[solid], fmt=tuple(names.values()), delimiter=" " if plain else ",",
                   header="" if plain else ",".join(names), comments="")
