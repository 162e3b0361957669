"""What users give, as the C++ side wants it; every error says what came and what is right."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ._core import Model

Solver = Literal["fim", "fmm", "fsm", "vidale"]
Precision = Literal["single", "double"]
Device = Literal["auto", "cpu", "cuda"]
Tracer = Literal["descent", "cells", "grid"]
Basis = Literal["nodes", "cells"]
Progress = Callable[[int, int, str], object] | bool


def numbers(values: ArrayLike, what: str) -> NDArray[np.float64]:
    try:
        return np.asarray(values, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what} is not an array of numbers ({error})") from None


def points(model: Model, values: ArrayLike, what: str) -> NDArray[np.float64]:
    """One position or many as (n, 2) or (n, 3), as the model has axes."""
    array = numbers(values, what)
    if array.ndim not in (1, 2) or array.shape[-1] != model.ndim:
        axes = "(x, z)" if model.ndim == 2 else "(x, y, z)"
        raise ValueError(
            f"{what} has shape {array.shape} (must be {axes} or an array (n, {model.ndim}) of "
            f"them, as the model is {model.ndim}-D)"
        )
    return array.reshape(-1, model.ndim)


def start_times(values: ArrayLike, count: int) -> NDArray[np.float64]:
    """One for all sources, or one each."""
    array = numbers(values, "start_time")
    if array.ndim > 1 or (array.ndim == 1 and len(array) != count):
        raise ValueError(
            f"start_time has shape {array.shape} (must be one number, or one for each of the "
            f"{count} sources)"
        )
    if not np.isfinite(array).all():
        raise ValueError("start_time is not finite (must be a number)")
    return np.ascontiguousarray(np.broadcast_to(array, (count,)))


def is_single(values: ArrayLike) -> bool:
    return np.ndim(values) == 1
