"""Places of spherical models: latitude, longitude and depth instead of x, y, z on a plane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._arguments import numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._core import Model
    from ._picks import Picks
    from ._plane import Plane

NAMES = ("latitude", "longitude", "depth")


def on_sphere(model: Any) -> bool:
    """Whether points of a model are latitudes, longitudes and depths."""
    return getattr(model, "coordinates", "cartesian") == "spherical"


def off_plane(points: NDArray[np.float64], plane: Plane | None) -> NDArray[np.float64]:
    """Latitude, longitude in degrees and depth in km of points (n, 3) of a plane, rounded to 1e-9
    degrees (0.1 mm), so that they are again those of the file."""
    if plane is None:
        raise ValueError("the stations have x and y (a spherical model needs longitude and latitude)")
    longitude, latitude = plane.to_geographic(points[:, 0], points[:, 1])
    depth = points[:, 2] * plane.metres / 1000
    return np.column_stack([np.round(latitude, 9), np.round(longitude, 9), depth])


def onto_plane(points: NDArray[np.float64], plane: Plane) -> NDArray[np.float64]:
    """Latitudes, longitudes and depths (n, 3) as points of a plane; those not known stay so."""
    out = np.full((len(points), 3), np.nan)
    known = np.isfinite(points).all(axis=1)
    x, y = plane.to_plane(points[known, 1], points[known, 0])
    out[known] = np.column_stack([x, y, points[known, 2] * 1000 / plane.metres])
    return out


def geographic(picks: Picks) -> Picks:
    """Picks whose places are latitudes, longitudes and depths in km, for spherical models."""
    from ._picks import Picks

    if picks.plane is None:
        raise ValueError(
            "the picks have no plane to take latitudes and longitudes back from (it is made by "
            "files and catalogues with longitudes and latitudes)"
        )
    surface = None if picks._surface is None else off_plane(picks._surface, picks.plane)
    return Picks(
        off_plane(picks.sources, picks.plane), off_plane(picks.receivers, picks.plane),
        source=picks.source, receiver=picks.receiver, time=picks.time, error=picks.error,
        surface=surface, phase=picks.phase, event=list(picks.event) or None,
        station=list(picks.station) or None, origin_time=picks.origin_time, polarity=picks.polarity,
    )


# Columns that hold the third coordinate, and what makes a depth in km of them.
_DEPTHS = (("z", 1.0), ("depth", 1.0), ("height", -1.0), ("elevation", -1e-3))


def as_xyz(table: dict[str, Any], model: Model, plane: Plane | None = None) -> dict[str, Any]:
    """A table whose columns are named as those of points: latitude, longitude and depth of a sphere,
    or longitudes and latitudes on a plane. Depths may be heights (km) or elevations (m), as in files.
    """
    out = dict(table)
    found = next(((name, factor) for name, factor in _DEPTHS if name in out), None)
    if "z" not in out and found is not None:
        out["z"] = found[1] * numbers(out[found[0]], found[0])
    if "x" in out or not {"latitude", "longitude"} <= out.keys():
        return out
    if "z" not in out:
        raise ValueError(f"the table has no column 'depth' (it has {list(table)})")
    latitude, longitude = (numbers(out[name], name) for name in ("latitude", "longitude"))
    if on_sphere(model):
        out["x"], out["y"] = latitude, longitude
    elif plane is not None:
        out["x"], out["y"] = plane.to_plane(longitude, latitude)
    return out
