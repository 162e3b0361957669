"""Rays by bending in velocities without a grid: functions of a point, and profiles of depth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _arguments as arguments
from . import _core

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Profile", "trace"]

Velocity = Callable[..., float]


@dataclass(frozen=True)
class Profile:
    """Velocity that depends on depth only, for `fermat.rays` with tracer="bending".

    Parameters
    ----------
    points
        Pairs (depth, velocity), depths increasing. Velocity is constant above the first point and
        below the last.
    kind
        "linear" between the points, or "layers": constant down to the next depth.

    Examples
    --------
    >>> import fermat as fm
    >>> profile = fm.Profile([(0, 5.5), (30, 8.0)])
    >>> rays = fm.rays(profile, (0, 0, 20), (60, 40, 0), tracer="bending")
    >>> bool(rays.times[0] < (60**2 + 40**2 + 20**2) ** 0.5 / 5.5)
    True
    """

    points: Sequence[tuple[float, float]]
    kind: Literal["linear", "layers"] = "linear"


@dataclass(frozen=True)
class Medium:
    """The velocity of rays that were traced without a model."""

    velocity: Profile | Velocity
    ndim: int


def trace(
    velocity: Profile | Velocity,
    sources: ArrayLike,
    receivers: ArrayLike,
    start_time: ArrayLike,
    pairs: NDArray[np.int32] | None,
    bounds: ArrayLike | None,
    options: dict[str, Any],
    progress: object | None,
) -> tuple[Medium, _core.RaySet]:
    """Rays in a function or a profile; the positions decide between 2-D and 3-D."""
    from_ = np.atleast_2d(arguments.numbers(sources, "sources"))
    to = np.atleast_2d(arguments.numbers(receivers, "receivers"))
    ndim = from_.shape[-1]
    if from_.ndim != 2 or to.ndim != 2 or ndim not in (2, 3) or to.shape[1] != ndim:
        raise ValueError(
            f"sources have shape {from_.shape} and receivers {to.shape} (must be (n, 3) both, or "
            "(n, 2) both as (x, z))"
        )
    starts = arguments.start_times(start_time, len(from_))
    ends = (from_, starts, to, pairs)
    survey: tuple[Any, ...] = (_corners(bounds, ndim), *ends, options, progress)
    if isinstance(velocity, Profile):
        points = [(float(z), float(v)) for z, v in velocity.points]
        rays = _core.bend_profile(points, velocity.kind, *survey)
    else:
        rays = _core.bend_function(velocity, *survey)
    return Medium(velocity, ndim), rays


def _corners(bounds: ArrayLike | None, ndim: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Low and high corner; rays in 2-D keep y = 0."""
    array = np.array([[-np.inf] * ndim, [np.inf] * ndim])
    if bounds is not None:
        array = arguments.numbers(bounds, "bounds")
        if array.shape != (2, ndim) or not (array[0] <= array[1]).all():
            raise ValueError(
                f"bounds are {array.tolist()} (must be two corners of {ndim} numbers, the low one "
                "first)"
            )
    if ndim == 2:
        array = np.insert(array, 1, 0.0, axis=1)
    return tuple(map(float, array[0])), tuple(map(float, array[1]))
