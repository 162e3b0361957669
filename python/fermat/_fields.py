"""Fields that start from a front, stop at a time or come with their gradient."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arguments as arguments
from . import _core
from ._progress import listener

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ._arguments import Device, Precision, Progress, Solver
    from ._core import CudaModel, Model

GRAPH_SOLVERS = ("dijkstra", "bellman-ford")


def check(
    model: Model | CudaModel,
    source: ArrayLike | None,
    front: ArrayLike | None,
    until: float,
    gradient: bool,
    solver: Solver,
    device: Device,
) -> None:
    """Refuses what does not go together."""
    if (source is None) == (front is None):
        raise ValueError(
            "both source and front are given (leave one out)"
            if front is not None
            else "no source is given (give a source, or a front)"
        )
    special = [
        name
        for name, given in (
            ("front", front is not None),
            ("until", until != math.inf),
            ("gradient", gradient),
        )
        if given
    ]
    if special and solver in GRAPH_SOLVERS:
        raise ValueError(
            f"{special[0]} is given with solver {solver!r} (the grid graph has none: use 'fim', "
            "'fmm' or 'fsm')"
        )
    if special and isinstance(model, _core.CudaModel) and device != "cpu":
        raise ValueError(
            f"{special[0]} is given with a model in the device's memory (use model.to_host(), or "
            "device='cpu')"
        )


def given_front(model: Model, front: ArrayLike) -> NDArray[np.float64]:
    """A front of the model's shape; masked values are unknown."""
    values = arguments.numbers(front, "front", masked=np.nan)
    if values.shape != model.shape:
        raise ValueError(f"front has shape {values.shape} (must be the model's, {model.shape})")
    return values


def solve(
    model: Model,
    places: NDArray[np.float64],
    starts: NDArray[np.float64],
    front: ArrayLike | None,
    one: bool,
    together: bool,
    solver: Solver,
    order: int,
    until: float,
    gradient: bool,
    precision: Precision,
    device: Device,
    threads: int,
    progress: Progress | None,
) -> Any:
    """Times as `traveltimes` returns them, or (times, gradient)."""
    if together and not one and len(places) == 0:
        raise ValueError("no source is given (at least one is needed)")
    fields = _core.time_fields(
        model,
        places,
        starts,
        None if front is None else given_front(model, front),
        solver,
        order,
        until,
        gradient,
        precision,
        device,
        threads,
        listener(progress),
    )
    real = np.float64 if precision == "double" else np.float32
    times = np.array([field[0] for field in fields], dtype=real).reshape(-1, *model.shape)
    alone = one or front is not None
    first = times.argmin(axis=0)
    found = times[0] if alone else times.min(axis=0) if together else times
    if not gradient:
        return found
    slopes = np.array([np.stack(field[1], axis=-1) for field in fields], dtype=real)
    slopes = slopes.reshape(-1, *model.shape, model.ndim)
    if alone:
        slopes = slopes[0]
    elif together:
        slopes = np.take_along_axis(slopes, first[None, ..., None], axis=0)[0]
    return found, slopes
