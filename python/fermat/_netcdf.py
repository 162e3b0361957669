"""Models in NetCDF, through xarray."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ._core import Model
from ._files import renamed_to
from ._notes import tell

AXES = {
    "x": ("x", "easting", "east"),
    "y": ("y", "northing", "north"),
    "z": ("z", "depth", "height", "elevation"),
}


# Those of the models of the EarthScope collection (EMC).
DEGREES = {
    "latitude": ("latitude", "lat"),
    "longitude": ("longitude", "lon"),
    "depth": ("depth",),
}


def load(path: str, depths: bool) -> Model:
    """The variable `velocity`, or the only one, on the axes x, y and z (or depth, or height)."""
    # xarray's engines raise what they like for damaged files, some only when values are read.
    try:
        with _xarray().open_dataset(path) as data:
            return model_of(data, path, depths)
    except (FileNotFoundError, PermissionError, ImportError):
        raise
    except Exception as error:
        said = str(error).splitlines()
        if said and path in said[0] and isinstance(error, ValueError):
            raise
        reason = said[0] if said else type(error).__name__
        raise ValueError(f"cannot read '{path}' as NetCDF ({reason})") from None


def save(model: Model, path: str) -> None:
    """Write `velocity` with its coordinates; z is depth."""
    refuse_mapped(model, path)
    write(model.to_xarray(), path)


def refuse_mapped(model: Model, path: str | os.PathLike[str]) -> None:
    """Axes of x, y and z say nothing of a mapping or of anisotropy, which would be lost."""
    lost = [f"{model.coordinates} coordinates"] * (model.coordinates != "cartesian")
    kind = model.anisotropy.replace("thomsen", "Thomsen")
    lost += [f"{kind} anisotropy"] * (kind != "none")
    if lost:
        raise ValueError(
            f"'{path}' cannot hold {' and '.join(lost)} (write .h5, or .vts for ParaView)"
        )


def write(data: Any, path: str | os.PathLike[str]) -> None:
    """Writes an xarray.Dataset."""
    with renamed_to(path) as file:
        data.to_netcdf(file)


def _xarray() -> Any:
    try:
        import xarray
    except ImportError as error:
        raise ImportError("a .nc file needs xarray and scipy (pip install xarray scipy)") from error
    return xarray


def model_of(data: Any, path: str, depths: bool, in_cells: bool = False) -> Model:
    """The model of a Dataset; `path` is what messages call it."""
    names = [name for name in data.data_vars if data[name].ndim in (2, 3)]
    velocity = next((n for n in ("velocity", "vp", "v") if n in names), None)
    if velocity is None:
        if len(names) != 1:
            raise ValueError(
                f"'{path}' has the variables {sorted(map(str, names))} (one must be named velocity)"
            )
        velocity = names[0]
    if len(names) > 1:
        others = len(names) - 1
        tell([f"'{path}': variable {velocity!r} is taken, and {others} others are not used"])
    array = data[velocity]
    if array.ndim == 3 and all(_dimension(array, axis) is not None for axis in DEGREES):
        return _on_sphere(array, path)
    found = {axis: _dimension(array, axis) for axis in ("xyz" if array.ndim == 3 else "xz")}
    missing = [axis for axis, name in found.items() if name is None]
    if missing:
        raise ValueError(
            f"'{path}' has the dimensions {tuple(map(str, array.dims))} (there must be one named "
            f"{' or '.join(AXES[missing[0]])})"
        )
    cells = in_cells or all(str(name).endswith("_cell") for name in found.values())
    vertical = found["z"]
    upward = _is_upward(data, vertical, depths)
    if upward:
        array = array.assign_coords({vertical: -data[vertical]})
    array = array.transpose(*found.values()).sortby(list(found.values()))
    origin, spacing = [], []
    for name in found.values():
        first, step = even(np.asarray(array[name], dtype=float), str(name), path)
        origin.append(first - step / 2 if cells else first)
        spacing.append(step)
    values = np.asarray(array.values, dtype=np.float32)
    return Model(values, spacing=spacing, origin=origin, cells=cells)


def _dimension(array: Any, axis: str) -> Any:
    """The dimension along an axis; `to_xarray` names that of cells x_cell and so on."""
    names = {str(dim).lower().removesuffix("_cell"): dim for dim in array.dims}
    known = AXES[axis] if axis in AXES else DEGREES[axis]
    return next((names[name] for name in known if name in names), None)


def _on_sphere(array: Any, path: str) -> Model:
    """A model of latitude, longitude and depth in km, as EMC has them. Depths that are not even are
    resampled; nodes without a value take that of the nearest one. Both are told."""
    dims = [_dimension(array, axis) for axis in DEGREES]
    array = array.transpose(*dims).sortby(dims)
    values = np.asarray(array.values, dtype=np.float64)
    axes = [np.asarray(array[name], dtype=float) for name in dims]
    units = str(array[dims[2]].attrs.get("units", "km")).lower()
    if units in ("m", "meter", "meters", "metre", "metres"):
        axes[2] = axes[2] / 1000
    values = _filled(values, path)
    steps = np.diff(axes[2])
    if len(steps) > 0 and not np.allclose(steps, steps.mean(), rtol=1e-3):
        count = int(np.ceil((axes[2][-1] - axes[2][0]) / steps.min())) + 1
        most = 2000
        if count > most:
            raise ValueError(
                f"'{path}': depth has steps from {steps.min():g} to {steps.max():g}, whose even grid "
                f"would have {count} layers (resample it: xarray's interp)"
            )
        even_depths = np.linspace(axes[2][0], axes[2][-1], count)
        at = np.searchsorted(axes[2], even_depths, side="right").clip(1, len(axes[2]) - 1)
        part = (even_depths - axes[2][at - 1]) / (axes[2][at] - axes[2][at - 1])
        values = values[..., at - 1] * (1 - part) + values[..., at] * part
        axes[2] = even_depths
        tell([f"'{path}': depths have uneven steps and were resampled to {count} even layers"])
    places = [even(axis, str(name), path) for axis, name in zip(axes, dims, strict=True)]
    return Model(
        values.astype(np.float32), spacing=[step for _, step in places],
        origin=[first for first, _ in places], coordinates="spherical",
    )


def _filled(values: Any, path: str) -> Any:
    missing = ~np.isfinite(values)
    if not missing.any():
        return values
    if missing.all():
        raise ValueError(f"'{path}' has no values (all are missing)")
    from scipy.ndimage import distance_transform_edt  # type: ignore[import-untyped,unused-ignore]

    nearest = distance_transform_edt(missing, return_distances=False, return_indices=True)
    tell([f"'{path}': {missing.sum()} of {missing.size} nodes have no value and took that of the "
          "nearest node"])
    return values[tuple(nearest)]


def _is_upward(data: Any, vertical: Any, depths: bool) -> bool:
    if depths:
        return False
    said = str(data[vertical].attrs.get("positive", "")).lower()
    return said == "up" or (not said and str(vertical).lower() in ("height", "elevation"))


def even(values: Any, name: str, path: str) -> tuple[float, float]:
    if len(values) < 2:
        return float(values[0]), 1.0
    steps = np.diff(values)
    step = float(steps.mean())
    if not (step > 0 and np.allclose(steps, step, rtol=1e-3)):
        raise ValueError(f"'{path}': {name} is not evenly spaced (resample it: xarray's interp)")
    return float(values[0]), step
