"""Closed forms of `fermat.analytic` for spherical and anisotropic media."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _core
from ._arguments import numbers

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray


def power_law_time(
    source: ArrayLike, receivers: ArrayLike, *, surface_velocity: float, exponent: float,
    radius: float = 6371.0,
) -> NDArray[np.float64]:
    """First arrivals in a sphere where velocity is surface_velocity (r / radius)^exponent.

    Points are (latitude, longitude, depth) in degrees and km, with geocentric latitudes. A conformal
    map makes the medium homogeneous: with rho = r^(1-b), b the exponent, and phi = (1-b) times the
    angle between the points at the centre, T is the distance of the points (rho, phi) of a plane over
    (1-b) times the velocity at radius 1. The exponent must not be 1.

    >>> import fermat as fm
    >>> points = [(0, 1, 0), (0, 10, 0)]
    >>> fm.analytic.power_law_time((0, 0, 0), points, surface_velocity=8, exponent=-2).round(3)
    array([ 13.898, 137.411])
    """
    points, shape = _points(receivers)
    if not (surface_velocity > 0 and radius > 0) or exponent == 1:
        raise ValueError(
            f"surface_velocity is {surface_velocity}, radius {radius} and exponent {exponent} (must "
            "be positive, and the exponent not 1)"
        )
    times = _core.power_law_times(radius, surface_velocity, exponent, _triple(source), points)
    return times.reshape(shape)


def elliptical_time(
    source: ArrayLike, receivers: ArrayLike, *, velocity: float, tensor: ArrayLike
) -> NDArray[np.float64]:
    """First arrivals in a homogeneous elliptical medium: squared velocity is velocity^2 tensor, as of
    `Model`, so T^2 = d . tensor^-1 d / velocity^2 for the way d.

    >>> import fermat as fm, numpy as np
    >>> tensor = np.diag([2.25, 1, 1])
    >>> fm.analytic.elliptical_time((0, 0, 0), [(3, 0, 0), (0, 3, 0)], velocity=2, tensor=tensor)
    array([1. , 1.5])
    """
    points, shape = _points(receivers)
    full = numbers(tensor, "tensor")
    if full.shape == (2, 2):
        full = np.array([[full[0, 0], 0, full[0, 1]], [0, 1, 0], [full[1, 0], 0, full[1, 1]]])
    if full.shape != (3, 3) or not np.allclose(full, full.T) or np.linalg.eigvalsh(full)[0] <= 0:
        raise ValueError("tensor must be (3, 3) or (2, 2), symmetric and positive definite")
    times = _core.elliptical_times(velocity, full.ravel().tolist(), _triple(source), points)
    return times.reshape(shape)


def thomsen_time(
    source: ArrayLike, receivers: ArrayLike, *, velocity: float, epsilon: float, delta: float,
    tilt: float = 0.0, azimuth: float = 0.0, vs: float = 0.0,
) -> NDArray[np.float64]:
    """First P arrivals in a homogeneous medium of Thomsen's parameters: distance over the group
    velocity. velocity is along the axis, whose tilt from z and azimuth from x to y are in degrees, as
    of `Model`. vs is the shear velocity along the axis; 0 is the acoustic approximation.

    >>> import fermat as fm
    >>> points = [(0, 0, 3), (3, 0, 0)]
    >>> fm.analytic.thomsen_time((0, 0, 0), points, velocity=3, epsilon=0.2, delta=0.1).round(4)
    array([1.    , 0.8452])
    """
    points, shape = _points(receivers)
    times = _core.thomsen_times(
        velocity, epsilon, delta, tilt, azimuth, _triple(source), points, vs)
    return times.reshape(shape)


def diffeomorphic_time(
    source: ArrayLike, receivers: ArrayLike, *, map: Callable[[NDArray[np.float64]], ArrayLike]
) -> NDArray[np.float64]:
    """First arrivals in a medium that `map` makes homogeneous with velocity 1: the distance of the
    images, as long as straight lines join them. map takes points (..., 3). The medium's tensors are
    `pulled_back_tensor` of the map's derivative.

    >>> import fermat as fm
    >>> fm.analytic.diffeomorphic_time((0, 0, 0), [(1, 0, 0)], map=lambda p: 2 * p)
    array([2.])
    """
    to = numbers(receivers, "receivers")
    apart = np.asarray(map(to), float) - np.asarray(map(numbers(source, "source")), float)
    return np.asarray(np.sqrt((apart**2).sum(axis=-1)))


def pulled_back_tensor(jacobian: ArrayLike) -> NDArray[np.float64]:
    """Tensors (..., n, n) of a medium whose map has the derivatives `jacobian` (..., n, n), row i the
    gradient of coordinate i: F^-1 F^-T. `Model(ones, tensor=...)` is that medium.

    >>> import fermat as fm, numpy as np
    >>> fm.analytic.pulled_back_tensor(np.diag([2.0, 1, 1])).diagonal()
    array([0.25, 1.  , 1.  ])
    """
    back = np.linalg.inv(numbers(jacobian, "jacobian"))
    return np.asarray(back @ np.swapaxes(back, -1, -2))


def _points(values: ArrayLike) -> tuple[NDArray[np.float64], tuple[int, ...]]:
    from .analytic import _points

    return _points(values, "receivers")


def _triple(point: ArrayLike) -> list[float]:
    from .analytic import _triple

    return _triple(point, "source")
