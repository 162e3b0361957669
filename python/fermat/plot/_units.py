"""Units as people write them: 0.7 ms, not 0.0007 s; and those of what is drawn."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np

from .. import _units
from .._core import Model
from .._sphere import on_sphere
from .._units import Units

P = ParamSpec("P")
R = TypeVar("R")


def units_of(drawn: Any) -> Units:
    """Those of a run, of picks or of a model: told, or as its velocities are; else km and s."""
    if isinstance(drawn, (str, os.PathLike)):
        folder = Path(drawn)
        model = folder / "model.h5"
        if not model.is_file():
            return Units("km", "s")
        return _of_model(_units.of_settings(folder), Model.load(model))
    told = getattr(drawn, "units", Units())
    if isinstance(drawn, Model):
        return _of_model(told, drawn)
    if isinstance(getattr(drawn, "model", None), Model):
        return _of_model(told, drawn.model)
    if hasattr(drawn, "travel_time") and hasattr(drawn, "offset"):
        moving = drawn.travel_time > 0
        return _units.guessed(told, drawn.offset[moving] / drawn.travel_time[moving], plane=drawn.plane)
    return Units(told.length or "km", told.time or "s")


def _of_model(told: Units, model: Model) -> Units:
    return _units.guessed(told, model.velocity, sphere=on_sphere(model))


def named_units(draw: Callable[P, R]) -> Callable[P, R]:
    """A picture whose keywords `length` and `time`, where they are left out, are the units of what
    is drawn, its first argument."""
    wanted = [name for name in Units._fields if name in inspect.signature(draw).parameters]

    @functools.wraps(draw)
    def named(*args: P.args, **kwargs: P.kwargs) -> R:
        if not all(kwargs.get(name) for name in wanted):
            units = units_of(args[0] if args else next(iter(kwargs.values()), None))
            for name in wanted:
                kwargs[name] = kwargs.get(name) or getattr(units, name)
        return draw(*args, **kwargs)

    return named


def small_times(time: str, *values: Any) -> tuple[float, str]:
    """Factor and unit: milliseconds where your unit is "s" and nothing reaches 0.1 s."""
    if time != "s":
        return 1.0, time
    finite = [np.asarray(each, float)[np.isfinite(each)] for each in values]
    most = max((float(np.abs(each).max()) for each in finite if each.size), default=1.0)
    return (1000.0, "ms") if 0 < most < 0.1 else (1.0, time)
