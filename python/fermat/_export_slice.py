"""Horizontal slices of models for maps, as `fermat.export.slice` writes them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ._core import Model
from ._files import renamed_to
from ._grid import grid_of
from ._notes import tell

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._plane import Plane

BLANK = 1.70141e38


def slice(
    run: Any, path: str | os.PathLike[str], *, depth: float, plane: Plane | None = None
) -> None:
    """Write the velocity at a depth as a grid of Surfer (`.grd`) or as GeoTIFF (`.tif`).

    Between layers of nodes, velocity is interpolated linearly; of cells, the layer that holds the
    depth is taken. Spherical models give longitudes and latitudes, others x and y. Air is blank.

    Parameters
    ----------
    run
        A 3-D model, what `fermat.invert` returned, or the folder of a run.
    path
        `.grd`, or `.tif`, which needs rasterio.
    depth
        In the unit of the model.
    plane
        That of the picks, which tells a `.tif` where x and y are: `picks.plane`.

    Examples
    --------
    >>> import fermat as fm, os, tempfile
    >>> model = fm.Model.gradient((3, 4, 5), v0=4, gradient=0.5)
    >>> file = os.path.join(tempfile.mkdtemp(), "slice.grd")
    >>> fm.export.slice(model, file, depth=1.5)
    >>> print(open(file).read().split()[:3], open(file).read().split()[-1])
    ['DSAA', '3', '4'] 4.75
    """
    from .plot._runs import run_of

    model = run if isinstance(run, Model) else run_of(run).model
    suffix = Path(path).suffix.lower()
    if suffix not in (".grd", ".tif", ".tiff"):
        raise ValueError(f"cannot write '{path}' (slices are .grd or .tif)")
    if model.ndim != 3:
        raise ValueError("the model is 2-D (slices are of 3-D models; a section is saved as .grd)")
    if model.coordinates not in ("cartesian", "spherical"):
        raise ValueError(f"the model has {model.coordinates} coordinates (slices are of x, y, z or "
                         "of latitude, longitude and depth)")
    east, north, values = _layer(model, float(depth))
    if suffix == ".grd":
        with renamed_to(path) as file:
            _write_surfer(file, east, north, values)
        return
    _write_tiff(path, east, north, values, _system(model, plane))


def _layer(
    model: Model, depth: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Places along both axes, and values [north, east] with NaN for air."""
    grid = grid_of(model)
    axes = [np.asarray(axis, dtype=float) for axis in grid.coords]
    z = axes[2]
    if not z[0] <= depth <= z[-1]:
        raise ValueError(f"depth is {depth:g} (must be from {z[0]:g} to {z[-1]:g})")
    velocity = np.asarray(model.velocity, dtype=float)
    if model.cells:
        row = min(int(np.searchsorted(z, depth, side="right")) - 1, velocity.shape[2] - 1)
        values = velocity[..., row]
        axes = [(axis[1:] + axis[:-1]) / 2 for axis in axes]
    else:
        below = int(np.clip(np.searchsorted(z, depth, side="right"), 1, len(z) - 1))
        part = (depth - z[below - 1]) / (z[below] - z[below - 1])
        upper, lower = velocity[..., below - 1], velocity[..., below]
        values = np.where((upper > 0) & (lower > 0), (1 - part) * upper + part * lower,
                          np.where(part < 0.5, upper, lower))
    values = np.where(values > 0, values, np.nan)
    if model.coordinates == "spherical":  # its x is latitude
        return axes[1], axes[0], values
    return axes[0], axes[1], values.T


def _write_surfer(
    file: Path, east: NDArray[np.float64], north: NDArray[np.float64], values: NDArray[np.float64]
) -> None:
    """Surfer's text grid: rows from the south, each from the west."""
    lines = ["DSAA", f"{len(east)} {len(north)}", f"{east[0]!r} {east[-1]!r}",
             f"{north[0]!r} {north[-1]!r}", f"{np.nanmin(values):.7g} {np.nanmax(values):.7g}"]
    lines = [line.replace("np.float64(", "").replace(")", "") for line in lines]
    for row in np.where(np.isnan(values), BLANK, values):
        lines.append(" ".join(f"{value:.7g}" for value in row))
    file.write_text("\n".join(lines) + "\n", encoding="ascii")


def _system(model: Model, plane: Plane | None) -> tuple[str | None, float]:
    """The coordinate system of a GeoTIFF, and its units in one of the model's."""
    if model.coordinates == "spherical":
        return "EPSG:4326", 1.0
    if plane is None:
        tell(["the slice has no plane, so its GeoTIFF has no place on the earth (plane=picks.plane)"])
        return None, 1.0
    if plane.text.startswith("proj:"):
        text = plane.text.removeprefix("proj:").strip()
        return text.partition(" ")[2] if text.startswith("metres=") else text, plane.metres
    words = dict(word.split("=") for word in plane.text.split() if "=" in word)
    if float(words.get("azimuth", 90)) != 90:
        raise ValueError("the plane is that of a line (a GeoTIFF needs x to the east)")
    return (
        f"+proj=tmerc +lat_0={words['latitude']} +lon_0={words['longitude']} +k=1 "
        f"+x_0={-float(words.get('east', 0)) * plane.metres} "
        f"+y_0={-float(words.get('north', 0)) * plane.metres} +ellps=WGS84 +units=m",
        plane.metres,
    )


def _write_tiff(
    path: str | os.PathLike[str], east: NDArray[np.float64], north: NDArray[np.float64],
    values: NDArray[np.float64], system: tuple[str | None, float],
) -> None:
    try:
        import rasterio  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError as error:
        raise ImportError("a .tif file needs rasterio (pip install rasterio)") from error
    crs, unit = system
    dx, dy = (unit * (axis[-1] - axis[0]) / max(len(axis) - 1, 1) for axis in (east, north))
    corner = rasterio.transform.from_origin(unit * east[0] - dx / 2, unit * north[-1] + dy / 2,
                                            dx, dy)
    with renamed_to(path) as file, rasterio.open(
        file, "w", driver="GTiff", height=len(north), width=len(east), count=1, dtype="float32",
        crs=crs, transform=corner, nodata=float("nan"),
    ) as raster:
        raster.write(values[::-1].astype(np.float32), 1)
