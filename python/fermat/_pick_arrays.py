"""Checked arrays of picks: positions, phases, names and rows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arguments import numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ._plane import Plane

PHASES = ("P", "S")


def positions_of(values: ArrayLike, what: str, *, unknown: bool = False) -> NDArray[np.float64]:
    array = np.atleast_2d(numbers(values, what))
    if array.ndim != 2 or array.shape[1] not in (2, 3):
        raise ValueError(
            f"{what} has shape {array.shape} (must be (n, 3), or (n, 2) as (x, z) in 2-D)"
        )
    finite = np.isfinite(array)
    nowhere = np.isnan(array).all(axis=1) if unknown else np.zeros(len(array), dtype=bool)
    if not (finite.all(axis=1) | nowhere).all():
        raise ValueError(f"{what} holds a coordinate that is not finite")
    return array


def phases_of(phase: ArrayLike, count: int) -> NDArray[np.str_]:
    names = per_pick(np.asarray(phase, dtype=str), count, "phase")
    wrong = [name for name in names if name not in PHASES]
    if wrong:
        raise ValueError(f"phase is {str(wrong[0])!r} (must be 'P' or 'S')")
    return names


def per_pick(values: NDArray[Any], count: int, what: str) -> NDArray[Any]:
    """One value per pick, of one per pick or one for all."""
    if values.ndim == 0 or values.shape == (count,):
        return np.array(np.broadcast_to(values, (count,)), order="C")
    raise ValueError(
        f"{what} has the shape {values.shape} (must be one value, or one per pick: {count})"
    )


def names_of(names: Sequence[str] | None, count: int, what: str) -> tuple[str, ...]:
    given = ("",) * count if names is None else tuple(str(name) for name in names)
    if len(given) != count:
        raise ValueError(f"{what} has {len(given)} names for {count} points (must be one each)")
    return given


def rows_of(values: ArrayLike, limit: int, count: int, what: str) -> NDArray[np.int32]:
    array = np.asarray(values).reshape(-1)
    if len(array) != count:
        raise ValueError(f"{what} has {len(array)} entries (must have one per pick: {count})")
    if count and array.dtype.kind not in "iu":
        raise ValueError(f"{what} is an array of {array.dtype} (must be whole numbers: rows, from 0)")
    if count and (array.min() < 0 or array.max() >= limit):
        raise ValueError(
            f"{what} runs from {array.min()} to {array.max()} (there are {limit}, from 0)"
        )
    return np.ascontiguousarray(array, dtype=np.int32)


def origin_times_of(values: ArrayLike | None, sources: int) -> NDArray[np.float64]:
    """One origin time per source; 0 if none are given."""
    array = numbers(np.zeros(sources) if values is None else values, "origin_time").reshape(-1)
    if len(array) != sources:
        raise ValueError(
            f"origin_time has {len(array)} values for {sources} sources (must be one per source)"
        )
    return array


def in_order(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """The distinct points in order of appearance, and the index of each given point."""
    _, first, which = np.unique(points, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return points[first[order]], rank[which.reshape(-1)]


def onto_plane(
    plane: Plane, found: Plane | None, points: NDArray[np.float64], path: str | os.PathLike[str]
) -> NDArray[np.float64]:
    """Points of one plane on another; z gets its unit of length."""
    if found is None:
        raise ValueError(f"plane is given, and '{path}' has no longitudes and latitudes")
    if points.shape[1] == 2:
        raise ValueError("plane is given with line=True (x is the distance along the line)")
    x, y = plane.to_plane(*found.to_geographic(points[:, 0], points[:, 1]))
    return np.column_stack([x, y, points[:, 2] * found.metres / plane.metres])
