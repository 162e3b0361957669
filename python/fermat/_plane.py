"""Longitude and latitude on a plane, kept with the data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arguments import numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Plane"]

Project = Callable[[float, float], tuple[float, float]]


class Plane:
    """A plane on which longitudes and latitudes have x to the east and y to the north.

    `Plane.round` makes a local one, the transverse Mercator projection of WGS84 about the middle of
    some places. `Plane.proj` takes any coordinate system that PROJ knows, if pyproj is installed.
    The plane of a survey along a line (`picks(..., line=True)`) is turned: x is the distance along
    the line, and y that to its left.

    Examples
    --------
    >>> import fermat as fm
    >>> plane = fm.Plane.round([12.0, 13.0], [47.0, 48.0])
    >>> x, y = plane.to_plane(12.5, 47.5)
    >>> round(abs(float(x)) + abs(float(y)), 9)
    0.0
    >>> longitude, latitude = plane.to_geographic(10, 20)   # 10 km east, 20 km north
    >>> round(float(longitude), 4), round(float(latitude), 4)
    (12.6332, 47.6798)
    """

    def __init__(self, text: str) -> None:
        """The plane that `str(plane)` wrote, as it is kept with picks."""
        self.text = text
        self._proj = None
        if text.startswith("proj:"):
            self._proj, self._unit, self._metres = _transformer(text.removeprefix("proj:").strip())
        else:
            _core.to_plane(text, np.empty(0), np.empty(0))

    @classmethod
    def round(cls, longitude: ArrayLike, latitude: ArrayLike, *, metres: float = 1000) -> Plane:
        """The local plane about the mean of some places, in units of `metres` (km by default).

        >>> import fermat as fm
        >>> print(fm.Plane.round([12.0, 13.0], [47.0, 48.0], metres=1))
        local plane: longitude=12.5 latitude=47.5 metres=1
        """
        east, north = _both(longitude, latitude, "longitude", "latitude")
        return cls(_core.plane_round(east.reshape(-1), north.reshape(-1), metres))

    @classmethod
    def proj(cls, crs: Any, *, metres: float | None = None) -> Plane:
        """A coordinate system of PROJ, such as "EPSG:32633".

        x and y are in units of `metres` (1000 for km); by default in the system's own, most often m.
        Needs pyproj.

        >>> import fermat as fm
        >>> zone33 = fm.Plane.proj("EPSG:32633", metres=1000)  # doctest: +SKIP
        >>> picks = fm.picks("quakes.csv", plane=zone33)  # doctest: +SKIP
        """
        unit = "" if metres is None else f"metres={float(metres):g} "
        return cls(f"proj: {unit}{crs}")

    def to_plane(
        self, longitude: ArrayLike, latitude: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """x and y of places in degrees.

        >>> import fermat as fm
        >>> x, y = fm.Plane.round([12.0], [47.0]).to_plane([12.0, 12.0], [47.0, 47.1])
        >>> y.round(2).tolist()
        [0.0, 11.12]
        """
        east, north = _both(longitude, latitude, "longitude", "latitude")
        if self._proj is not None:
            x, y = (np.asarray(v) * self._unit for v in self._proj.transform(east, north))
        else:
            x, y = _core.to_plane(self.text, east.reshape(-1), north.reshape(-1))
        return np.reshape(x, east.shape), np.reshape(y, east.shape)

    def to_geographic(
        self, x: ArrayLike, y: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Longitude and latitude in degrees of points of the plane.

        >>> import fermat as fm
        >>> longitude, latitude = fm.Plane.round([12.0], [47.0]).to_geographic(0, 11.12)
        >>> round(float(latitude), 3)
        47.1
        """
        east, north = _both(x, y, "x", "y")
        if self._proj is not None:
            longitude, latitude = self._proj.transform(
                east / self._unit, north / self._unit, direction="INVERSE"
            )
        else:
            longitude, latitude = _core.to_geographic(
                self.text, east.reshape(-1), north.reshape(-1)
            )
        return np.reshape(longitude, east.shape), np.reshape(latitude, east.shape)

    @property
    def metres(self) -> float:
        """Metres in one unit of x and y."""
        if self._proj is not None:
            return self._metres
        return float(self.text.partition("metres=")[2].split()[0])

    @property
    def is_line(self) -> bool:
        """Whether x is the distance along a line: then sections have places on a map."""
        return "azimuth=" in self.text

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Plane({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plane) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)


def _both(
    first: ArrayLike, second: ArrayLike, name: str, other: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    a, b = np.broadcast_arrays(numbers(first, name), numbers(second, other))
    return np.array(a, order="C"), np.array(b, order="C")


def _transformer(text: str) -> tuple[Any, float, float]:
    """What projects, units of ours in one of the system's, and metres in one of ours."""
    given, crs = 0.0, text
    if text.startswith("metres="):
        word, _, crs = text.partition(" ")
        given = float(word.removeprefix("metres="))
        if not 0 < given < np.inf:
            raise ValueError(f"metres is {given:g} (must be > 0)")
    try:
        import pyproj  # type: ignore[import-not-found,unused-ignore]
    except ImportError as error:
        raise ImportError(
            f"the plane {crs!r} needs pyproj (pip install pyproj, or use Plane.round)"
        ) from error
    try:
        system = pyproj.CRS.from_user_input(crs)
    except pyproj.exceptions.CRSError as error:
        raise ValueError(f"{crs!r} is no coordinate system that PROJ knows") from error
    if not system.is_projected:
        raise ValueError(f"{crs!r} has no x and y on a plane (must be projected, such as UTM)")
    own = float(system.axis_info[0].unit_conversion_factor)
    metres = given or own
    return pyproj.Transformer.from_crs("EPSG:4326", system, always_xy=True), own / metres, metres
