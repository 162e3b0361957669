"""What a user knows of the ground beside the picks, as the library takes it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ._core import Model

File: TypeAlias = "str | os.PathLike[str]"
Log: TypeAlias = "File | tuple[ArrayLike, ArrayLike, ArrayLike]"
Regions: TypeAlias = "File | Mapping[str, tuple[ArrayLike, float, float]]"
Edges: TypeAlias = "File | ArrayLike | Mapping[str, ArrayLike]"


def known_ground(
    ndim: int,
    log: Log | None,
    regions: Regions | None,
    edges: Edges | None,
    guide: Model | None,
    prior_model: Model | None,
    prior_deviation: float,
) -> dict[str, Any]:
    """Keywords of the library: names of files, or arrays and lists of tuples."""
    options: dict[str, Any] = {}
    if _is_file(log):
        options["log"] = os.fspath(log)  # type: ignore[arg-type]
    elif log is not None:
        if isinstance(log, str) or not isinstance(log, Sequence) or len(log) != 3:
            raise ValueError("log is no file and no triple (must be points, velocities and errors)")
        points, velocity, error = tuple(log)
        at = _points(points, ndim, "points of log")
        each = [np.broadcast_to(np.asarray(v, float), len(at)).copy() for v in (velocity, error)]
        options["log"] = (at, *each)
    if _is_file(regions):
        options["regions"] = os.fspath(regions)  # type: ignore[arg-type]
    elif regions is not None:
        if not isinstance(regions, Mapping):
            raise ValueError("regions is no file and no mapping (must have names and corners, velocity, error)")
        options["regions"] = [_region(name, each, ndim) for name, each in regions.items()]
    if _is_file(edges):
        options["edges"] = os.fspath(edges)  # type: ignore[arg-type]
    elif edges is not None:
        named = edges if isinstance(edges, Mapping) else {"edges": edges}
        options["edges"] = [
            (str(name), _points(points, ndim, f"points of {name!r} of edges"))
            for name, points in named.items()
        ]
    if guide is not None:
        options["guide"] = guide
    if prior_model is not None:
        options["prior_model"] = prior_model
        options["prior_deviation"] = float(prior_deviation)
    return options


def _region(name: str, each: Any, ndim: int) -> tuple[str, NDArray[np.float64], float, float]:
    try:
        corners, velocity, error = each
        numbers = float(velocity), float(error)
    except (TypeError, ValueError):
        raise ValueError(f"regions has {name!r} without corners, velocity and error") from None
    return str(name), _points(corners, ndim, f"corners of region {name!r} of regions"), *numbers


def _is_file(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def _points(points: Any, ndim: int, what: str) -> NDArray[np.float64]:
    try:
        out = np.ascontiguousarray(points, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{what} are no numbers (must be (n, {ndim}))") from None
    if out.ndim != 2 or out.shape[1] != ndim:
        raise ValueError(f"{what} have shape {out.shape} (must be (n, {ndim}))")
    return out
