"""The schedule of boxes of an inversion by `hole`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._notes import tell

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Schedule", "Stage", "schedule_rows"]

Stage = tuple[Any, ...]
Schedule = Sequence[Stage] | str | os.PathLike[str]


def schedule_rows(schedule: Schedule | None, ndim: int) -> NDArray[np.int32]:
    """Stages as the C++ side wants them: 9 whole numbers each."""
    if schedule is None:
        return np.empty((0, 9), np.int32)
    if isinstance(schedule, (str, os.PathLike)):
        stages, notes = _core.load_schedule(schedule)
        tell(notes)
        return np.array(stages, np.int32)
    rows = [_row(stage, number, ndim) for number, stage in enumerate(schedule, 1)]
    if not rows:
        raise ValueError("schedule has no stage (leave it out for the default)")
    return np.array(rows, np.int32)


def _row(stage: Stage, number: int, ndim: int) -> list[int]:
    axes = "(x, z)" if ndim == 2 else "(x, y, z)"
    wrong = ValueError(
        f"stage {number} of schedule is {stage!r} (must be (iterations, cell box, vertex box), "
        f"boxes as {axes}, perhaps with cell passes and vertex passes behind)"
    )
    if len(stage) not in (3, 5):
        raise wrong
    row = [stage[0]]
    for box in stage[1:3]:
        if np.shape(box) != (ndim,):
            raise wrong
        row += [box[0], 1, box[1]] if ndim == 2 else list(box)
    row += stage[3:] if len(stage) == 5 else [1, 1]
    if not all(isinstance(value, (int, np.integer)) for value in row):
        raise wrong
    return [int(value) for value in row]
