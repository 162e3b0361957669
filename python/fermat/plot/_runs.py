"""What an inversion left, from a run in memory, its folder, or columns."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Columns = dict[str, "NDArray[np.float64]"]


def columns(run: Any, what: str) -> Columns:
    """The table `what` ("history" or "residuals"): of an object that has it, of a run's folder,
    of a CSV file, or of a mapping of columns."""
    table = getattr(run, what, run)
    if isinstance(table, (str, os.PathLike)):
        path = Path(table)
        return _read(path / f"{what}.csv" if path.is_dir() else path)
    if isinstance(table, Mapping) or hasattr(table, "keys"):
        return {str(name): np.asarray(table[name], float) for name in table.keys()}
    names = getattr(getattr(table, "dtype", None), "names", None)
    if names:
        return {name: np.asarray(table[name], float) for name in names}
    raise ValueError(
        f"{what} of type {type(run).__name__} is not understood (must be a run, its folder, a CSV "
        "file or a mapping of columns)"
    )


def _read(path: Path) -> Columns:
    """Columns of numbers; an empty field is NaN, and a column of words is left out."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    if not rows:
        raise ValueError(f"{path} has no rows")
    table: Columns = {}
    for name in rows[0]:
        try:
            table[name] = np.array([float(row[name] or "nan") for row in rows])
        except ValueError:
            continue
    return table
