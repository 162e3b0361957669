"""Tables of events, stations, picks and differences: every one is checked here as it enters."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arguments import numbers
from ._sphere import as_xyz

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ._core import Model
    from ._plane import Plane

    File = str | os.PathLike[str]
    Table = File | Mapping[str, Any]


def is_file(table: Any) -> bool:
    return isinstance(table, (str, os.PathLike))


def columns_of(table: Any, what: str) -> dict[str, Any]:
    """Columns of a table by their names. All must have one value per row: a DataFrame sees to that,
    a dict does not. Every table enters here."""
    if not hasattr(table, "keys"):
        raise ValueError(
            f"{what} is of type {type(table).__name__} (must be a DataFrame or a dict of columns)"
        )
    columns = {str(name): table[name] for name in table.keys()}
    first, rows = "", 0
    for name, values in columns.items():
        shape = _shape_of(values)
        if shape is None or len(shape) != 1:
            shown = "rows of different lengths" if shape is None else f"the shape {shape}"
            raise ValueError(
                f"column {name!r} of {what} has {shown} (must be a list or an array with one value "
                "per row)"
            )
        if not first:
            first, rows = name, shape[0]
        if shape[0] != rows:
            raise ValueError(
                f"column {name!r} of {what} has {shape[0]} values and {first!r} has {rows} (must "
                "have one value per row)"
            )
    return columns


def _shape_of(values: Any) -> tuple[int, ...] | None:
    if isinstance(values, (list, tuple)) and all(isinstance(one, str) for one in values):
        return (len(values),)
    try:
        shape: tuple[int, ...] = np.shape(values)
    except ValueError:  # lists of different lengths
        return None
    return shape


def column(table: Mapping[str, Any], name: str, what: str) -> Any:
    if name not in table:
        raise ValueError(f"{what} has no column {name!r} (it has {list(table.keys())})")
    return table[name]


def names_in(table: Mapping[str, Any], name: str, what: str) -> list[str]:
    """A column of ids. One that is missing would become an id of its own, such as "nan"."""
    values = list(column(table, name, what))
    for row, one in enumerate(values):
        if _is_missing(one) or not str(one):
            raise ValueError(f"{name} in row {row} of {what} is missing (leave out such rows)")
    return [str(one) for one in values]


def _is_missing(value: Any) -> bool:
    if value is None or value is np.ma.masked or type(value).__name__ == "NAType":
        return True
    return isinstance(value, (float, np.floating, np.datetime64)) and bool(value != value)


def seconds_of(values: Any, what: str) -> NDArray[np.float64]:
    """Times as seconds; dates (datetime64) as seconds since 1970."""
    array = np.asarray(values)
    if array.dtype.kind != "M":
        return numbers(values, what).reshape(-1)
    fine = array.astype("datetime64[ns]")
    lost = int(np.isnat(array).sum())
    if lost:
        raise ValueError(f"{what} has {lost} missing dates in {array.size} (leave out such rows)")
    if (fine.astype(array.dtype) != array).any():
        raise ValueError(f"{what} has a date that is not between the years 1678 and 2262")
    return np.asarray(fine.astype(np.int64) * 1e-9).reshape(-1)


def places(
    model: Model, table: Any, key: str, *, unknown: bool = False, plane: Plane | None = None
) -> tuple[list[str], NDArray[np.float64]]:
    """Ids and positions of a table of events or stations; `unknown` allows NaN, and longitudes and
    latitudes are put on `plane`."""
    what = f"{key}s"
    columns = columns_of(table, what)
    names = names_in(columns, key, what)
    if not names:
        raise ValueError(f"{what} has no rows")
    columns = as_xyz(columns, model, plane)
    axes = "xz" if model.ndim == 2 else "xyz"
    at = {axis: numbers(column(columns, axis, what), axis) for axis in axes}
    if len(set(names)) != len(names):
        raise ValueError(f"{what} has an id twice (ids must differ)")
    for axis, values in at.items():
        bad = np.isinf(values) if unknown else ~np.isfinite(values)
        if bad.any():
            row = int(np.argmax(bad))
            raise ValueError(
                f"{axis} of {key} {names[row]!r} is {values[row]} (must be finite; so it is of "
                f"{int(bad.sum())} of {len(names)})"
            )
    return names, np.ascontiguousarray(np.column_stack(list(at.values())))


def ids_of(names: Sequence[str]) -> list[str]:
    """Ids, or numbers from 0 where there is none, as messages and files have them."""
    return [name or str(n) for n, name in enumerate(names)]


def on_axes(model: Model, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Positions (n, 3) of the C++ side on the axes of a model."""
    axes = [0, 2] if model.ndim == 2 else [0, 1, 2]
    return np.ascontiguousarray(positions.reshape(-1, 3)[:, axes])
