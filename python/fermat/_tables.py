"""Tables of events, stations and picks that `locate`, `relocate` and `read_picks` share."""

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

    File = str | os.PathLike[str]
    Table = File | Mapping[str, Any]


def is_file(table: Any) -> bool:
    return isinstance(table, (str, os.PathLike))


def column(table: Mapping[str, Any], name: str, what: str) -> Any:
    if name not in table:
        raise ValueError(f"{what} has no column {name!r} (it has {list(table.keys())})")
    return table[name]


def places(
    model: Model, table: Mapping[str, Any], key: str
) -> tuple[list[str], NDArray[np.float64]]:
    """Ids and positions of a table of events or stations."""
    names = [str(name) for name in column(table, key, f"{key}s")]
    table = as_xyz(table, model)
    axes = "xz" if model.ndim == 2 else "xyz"
    columns = [numbers(column(table, axis, f"{key}s"), axis).reshape(-1) for axis in axes]
    if len(set(names)) != len(names):
        raise ValueError(f"{key}s has an id twice (ids must differ)")
    return names, np.ascontiguousarray(np.column_stack(columns))


def ids_of(names: Sequence[str]) -> list[str]:
    """Ids, or numbers from 0 where there is none, as messages and files have them."""
    return [name or str(n) for n, name in enumerate(names)]


def on_axes(model: Model, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Positions (n, 3) of the C++ side on the axes of a model."""
    axes = [0, 2] if model.ndim == 2 else [0, 1, 2]
    return np.ascontiguousarray(positions.reshape(-1, 3)[:, axes])
