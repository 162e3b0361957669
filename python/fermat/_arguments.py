"""Converts arguments for the C++ side; every error names the argument and what would be right."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ._core import CudaModel, Model

from . import _core
from ._methods import Graph
from ._notes import tell

Solver = Literal["fim", "fmm", "fsm", "vidale", "dijkstra", "bellman-ford"]
Precision = Literal["single", "double"]
Device = Literal["auto", "cpu", "cuda", "opengl"]
Tracer = Literal["descent", "cells", "grid", "bending", "graph"]
Start = Literal["straight", "deep", "sides", "descent", "graph"]
BendingTasks = Literal["pairs", "sources", "stations", "sections"]
Star = Literal["coprime", "full"]
Reading = Literal["linear", "nearest"]
Weights = Literal["auto", "stored", "computed", "swapped"]
Queue = Literal["buckets", "heap"]
Visits = Literal["auto", "ordered", "marked", "none"]
Relaxation = Literal["tiles", "jacobi"]
Reciprocity = Literal["auto", "off"]
Basis = Literal["nodes", "cells"]
Parameter = Literal["slowness", "epsilon", "delta", "xx", "yy", "zz", "xy", "xz", "yz"]
Progress = Callable[[int, int, str], object] | bool


def numbers(
    values: ArrayLike, what: str, *, masked: float | None = None
) -> NDArray[np.float64]:
    """Values as doubles; `masked` replaces masked values, which are refused if it is not given."""
    if isinstance(values, np.ma.MaskedArray) and (hidden := int(np.sum(values.mask))):
        if masked is None:
            raise ValueError(
                f"{what} has {hidden} masked values (fill them, or leave such entries out)"
            )
        values = np.where(values.mask, masked, values.data)
    try:
        given = np.asarray(values)
        if given.dtype.kind not in "cmM":
            return np.asarray(given, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what} is not an array of numbers ({error})") from None
    # NumPy would make days of dates, and drop imaginary parts.
    raise ValueError(f"{what} has dtype {given.dtype} (must be real numbers)")


def points(model: Model | CudaModel, values: ArrayLike, what: str) -> NDArray[np.float64]:
    """One position or many as (n, 2) or (n, 3), by the dimension of the model. The columns of a
    DataFrame count by their names, not by their order."""
    axes = ["x", "z"] if model.ndim == 2 else ["x", "y", "z"]
    table: Any = values
    if hasattr(table, "columns") and set(axes) <= {str(name) for name in table.columns}:
        table = np.column_stack([numbers(table[axis], f"{axis} of {what}") for axis in axes])
    array = numbers(table, what)
    if array.ndim not in (1, 2) or array.shape[-1] != model.ndim:
        raise ValueError(
            f"{what} has shape {array.shape} (must be ({', '.join(axes)}) or an array (n, {model.ndim}) of "
            f"them, as the model is {model.ndim}-D)"
        )
    array = array.reshape(-1, model.ndim)
    if isinstance(model, _core.Model):
        tell(_core.above_ground(model, array, what))
    return array


def start_times(values: ArrayLike, count: int) -> NDArray[np.float64]:
    """Start times: one for all sources, or one per source."""
    if isinstance(values, float) and math.isfinite(values):  # the common case
        return np.full(count, values)
    array = numbers(values, "start_time")
    if array.ndim > 1 or (array.ndim == 1 and len(array) != count):
        raise ValueError(
            f"start_time has shape {array.shape} (must be one number, or one for each of the "
            f"{count} sources)"
        )
    if not np.isfinite(array).all():
        raise ValueError("start_time is not finite (must be a number)")
    return np.ascontiguousarray(np.broadcast_to(array, (count,)))


def radius(ndim: int, value: int | Sequence[int]) -> tuple[int, int, int]:
    """Radius of the graph's star along x, y, z."""
    array = np.asarray(value)
    if (
        array.ndim > 1
        or not np.issubdtype(array.dtype, np.integer)
        or (array.ndim == 1 and len(array) != ndim)
        or not array.any()
        or abs(array).max() > 1_000_000
    ):
        raise ValueError(
            f"radius is {value!r} (must be one whole number > 0, or {ndim} of them, as the "
            f"model is {ndim}-D)"
        )
    each = [int(r) for r in np.broadcast_to(array, (ndim,))]
    return (each[0], 0, each[1]) if ndim == 2 else (each[0], each[1], each[2])


def solver(
    model: Model, solver: Solver | Graph, order: int, given: dict[str, Any]
) -> dict[str, Any]:
    """Options of a solver. `given` holds those of the graph that were named beside it."""
    given = {name: value for name, value in given.items() if value is not None}
    if isinstance(solver, Graph):
        if given:
            raise ValueError(
                f"{', '.join(given)} is given beside solver=Graph(...) (give it to Graph)"
            )
        options = {"solver": solver.solver, "order": order} | solver.options()
    else:
        options = {"solver": solver, "order": order} | given
    if "radius" in options:
        options["radius"] = radius(model.ndim, options["radius"])
    return options
