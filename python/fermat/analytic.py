"""Exact first arrivals in simple media, for comparison with computed times.

Points are (x, y, z), or (x, z) in 2-D; z is depth. Arrays of points may have any shape; the last
axis holds the 2 or 3 coordinates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _core
from ._arguments import numbers
from ._metric_forms import (
    diffeomorphic_time,
    elliptical_time,
    power_law_time,
    pulled_back_tensor,
    thomsen_time,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "crossover_distance",
    "diffeomorphic_time",
    "elliptical_time",
    "gradient_ray",
    "gradient_time",
    "homogeneous_time",
    "power_law_time",
    "pulled_back_tensor",
    "thomsen_time",
    "two_layers_time",
]


def homogeneous_time(
    source: ArrayLike, receivers: ArrayLike, *, velocity: float
) -> NDArray[np.float64]:
    """Distance over velocity.

    >>> import fermat as fm
    >>> float(fm.analytic.homogeneous_time((0, 0), (3, 4), velocity=2))
    2.5
    """
    points, shape = _points(receivers, "receivers")
    return _core.homogeneous_times(velocity, _triple(source, "source"), points).reshape(shape)


def gradient_time(
    source: ArrayLike, receivers: ArrayLike, *, v0: float, gradient: ArrayLike
) -> NDArray[np.float64]:
    """First arrivals where velocity is v0 + gradient * z, or v0 + gradient . (x, y, z).

    v0 is the velocity at z = 0. In Model.gradient, v0 is the velocity at the top of the grid: for
    a model that begins at another depth, give v0 - gradient * depth here.

    A gradient (gx, gz) or (gx, gy, gz) that is not vertical is a half-space below a slope.

    With r the distance and g the gradient's size, T = acosh(1 + g^2 r^2 / (2 v_s v_r)) / g.

    >>> import fermat as fm
    >>> fm.analytic.gradient_time((0, 0), [(10, 0), (0, 5)], v0=2, gradient=0.5).round(4)
    array([4.1904, 1.6219])
    """
    points, shape = _points(receivers, "receivers")
    slope = _slope(gradient)
    return _core.linear_times(v0, slope, _triple(source, "source"), points).reshape(shape)


def gradient_ray(
    source: ArrayLike, receiver: ArrayLike, *, v0: float, gradient: ArrayLike, count: int = 101
) -> NDArray[np.float64]:
    """Points of the ray in the medium of `gradient_time`, evenly spaced from receiver to source.
    The ray is an arc of a circle.

    >>> import fermat as fm
    >>> ray = fm.analytic.gradient_ray((0, 0), (6, 0), v0=2, gradient=0.5)
    >>> ray.shape, float(ray[:, 1].max())
    ((101, 2), 1.0)
    """
    ends = _triple(source, "source"), _triple(receiver, "receiver")
    ray = _core.linear_ray(v0, _slope(gradient), *ends, count).reshape(-1, 3)
    return ray[:, ::2] if np.shape(receiver)[-1] == 2 else ray


def two_layers_time(
    offset: ArrayLike, *, v1: float, v2: float, thickness: float, depth: float = 0.0
) -> NDArray[np.float64]:
    """First arrivals at the surface of a layer over a half-space: direct, then the head wave.

    offset is the horizontal distance between source and receiver; depth is the depth of the
    source, which must lie in the layer.

    >>> import fermat as fm
    >>> fm.analytic.two_layers_time([100, 400], v1=2, v2=5, thickness=50).round(3)
    array([ 50.   , 125.826])
    """
    distance = numbers(offset, "offset")
    times = _core.two_layer_times(v1, v2, thickness, depth, distance.reshape(-1))
    return times.reshape(distance.shape)


def crossover_distance(*, v1: float, v2: float, thickness: float, depth: float = 0.0) -> float:
    """The offset beyond which the head wave arrives first; infinite where v2 <= v1.

    >>> import fermat as fm
    >>> round(fm.analytic.crossover_distance(v1=2, v2=5, thickness=50), 1)
    152.8
    """
    return _core.crossover_distance(v1, v2, thickness, depth)


def _points(values: ArrayLike, what: str) -> tuple[NDArray[np.float64], tuple[int, ...]]:
    array = numbers(values, what)
    if array.ndim == 0 or array.shape[-1] not in (2, 3):
        raise ValueError(
            f"{what} has shape {array.shape} (the last axis must hold (x, z) or (x, y, z))"
        )
    return array.reshape(-1, array.shape[-1]), array.shape[:-1]


def _triple(point: ArrayLike, what: str) -> list[float]:
    array = numbers(point, what)
    if array.shape not in ((2,), (3,)):
        raise ValueError(f"{what} has shape {array.shape} (must be (x, z) or (x, y, z))")
    x, *y, z = array.tolist()
    return [x, *(y or [0.0]), z]


def _slope(gradient: ArrayLike) -> list[float]:
    array = numbers(gradient, "gradient")
    return [0.0, 0.0, float(array)] if array.ndim == 0 else _triple(array, "gradient")
