"""Longitudes and latitudes on the axes of a map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from numpy.typing import NDArray

    from .._plane import Plane

STEPS = [1, 1.5, 2, 2.5, 3, 5, 10]


def degrees(ax: Axes, plane: Plane) -> Axes:
    """Label the axes of a map with longitudes and latitudes instead of x and y.

    Longitudes are those along the middle of the map's height and latitudes those along the middle
    of its width: on a map of 300 km at 50 degrees, a meridian is up to 4 km away from its tick at
    the upper and lower edges.

    Parameters
    ----------
    ax
        Axes whose x and y are those of the plane, as of `map`, or of `views(...).axes[0]`.
    plane
        That of the picks: `picks.plane`.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes.

    Examples
    --------
    >>> import fermat as fm
    >>> model = fm.Model.gradient((41, 31, 21), v0=4, gradient=0.05, origin=(-20, -15, 0))
    >>> ax = fm.plot.degrees(fm.plot.map(model, depth=5), fm.Plane.round([12.0], [47.5]))
    >>> ax.get_xlabel()
    'longitude (°)'
    """
    if plane.is_line:
        raise ValueError("the plane is that of a line, whose sections have no map")
    limits = ax.get_xlim(), ax.get_ylim()
    x, y = (sum(ends) / 2 for ends in limits)
    longitude, _ = plane.to_geographic(limits[0], [y, y])
    _, latitude = plane.to_geographic([x, x], limits[1])
    middle = plane.to_geographic(x, y)
    east, north = _round(longitude), _round(latitude)
    _label(ax.xaxis, plane.to_plane(east, np.full(len(east), middle[1]))[0], east)
    _label(ax.yaxis, plane.to_plane(np.full(len(north), middle[0]), north)[1], north)
    ax.set(xlim=limits[0], ylim=limits[1])
    # Sections below and beside a map share its axes, and may have the names of both.
    for other in ax.get_shared_x_axes().get_siblings(ax):
        if other.get_xlabel():
            other.set_xlabel("longitude (°)")
    for other in ax.get_shared_y_axes().get_siblings(ax):
        if other.get_ylabel():
            other.set_ylabel("latitude (°)")
    return ax


def _round(ends: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round values between two ends, also across the date line."""
    from matplotlib.ticker import MaxNLocator

    first = float(ends[0])
    last = first + float(np.remainder(ends[1] - first + 180, 360) - 180)
    low, high = min(first, last), max(first, last)
    ticks = np.asarray(MaxNLocator(5, steps=STEPS).tick_values(low, high))
    return ticks[(ticks >= low) & (ticks <= high)]


def _label(axis: Axis, places: NDArray[np.float64], values: NDArray[np.float64]) -> None:
    digits = 0
    while digits < 6 and not np.allclose(values, np.round(values, digits), rtol=0, atol=1e-9):
        digits += 1
    shown = np.remainder(values + 180, 360) - 180
    axis.set_ticks(list(places), labels=[f"{v:.{digits}f}" for v in shown])
