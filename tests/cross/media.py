"""The media of the cross test: one line each in `MEDIA`, with a closed form of its times.

Stations lie on the ground and events below it, in the model's own coordinates. Every straight way
between two of them stays in rock, and events of layered media lie below the interface.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import fermat as fm
import numpy as np

VP_VS = 1.75
RADIUS = 6371.0
TTI = {"epsilon": 0.15, "delta": 0.08, "tilt": 30.0}

# As shares of a model's length, width and depth.
STATIONS = np.array([(0.1, 0.1, 0), (0.9, 0.2, 0), (0.2, 0.8, 0), (0.8, 0.9, 0), (0.5, 0.4, 0),
                     (0.1, 0.5, 0), (0.6, 0.7, 0), (0.9, 0.6, 0)])
EVENTS = np.array([(0.43, 0.52, 0.62), (0.52, 0.47, 0.71), (0.47, 0.61, 0.56), (0.57, 0.55, 0.66)])
# The line of a 2-D model.
STATIONS_2D = np.array([(s, 0) for s in (0.1, 0.25, 0.4, 0.55, 0.65, 0.75, 0.85, 0.95)])
EVENTS_2D = EVENTS[:, [0, 2]]


@dataclass(frozen=True)
class Medium:
    name: str
    make: Callable[..., fm.Model]  # from the type of its numbers and a factor on velocity
    time: Callable[[Any, Any], float]  # P's, from an event to a station
    places: Callable[[np.ndarray], np.ndarray]  # from shares of the model to its coordinates
    tolerance: float  # of times, relative
    ndim: int = 3
    kinds: frozenset[str] = field(default_factory=frozenset)  # what refusals ask for

    @property
    def stations(self) -> np.ndarray:
        return self.places(STATIONS if self.ndim == 3 else STATIONS_2D)

    @property
    def events(self) -> np.ndarray:
        return self.places(EVENTS if self.ndim == 3 else EVENTS_2D)

    @property
    def columns(self) -> tuple[str, ...]:
        """Of a point, as tables name them."""
        if "sphere" in self.kinds:
            return ("latitude", "longitude", "depth")
        return ("x", "y", "z") if self.ndim == 3 else ("x", "z")

    def times(self, phase: str = "P") -> np.ndarray:
        """(events, stations)"""
        factor = VP_VS if phase == "S" else 1.0
        return factor * np.array([[self.time(a, b) for b in self.stations] for a in self.events])

    def slower(self, factor: float) -> fm.Model:
        """The same medium with all velocities divided by a factor."""
        return self.make(np.float32, 1 / factor)


def straight(velocity: float) -> Callable[[Any, Any], float]:
    return lambda a, b: float(np.linalg.norm(np.subtract(a, b))) / velocity


def box(size: tuple[float, ...], low: tuple[float, ...] | float = 0.0) -> Callable[..., np.ndarray]:
    return lambda shares: shares * np.array(size) + low


def least(cost: Callable[[np.ndarray], np.ndarray], low: float, high: float) -> float:
    """The least value of a convex function between two bounds."""
    for _ in range(12):
        at = np.linspace(low, high, 41)
        best = int(np.argmin(cost(at)))
        low, high = at[max(best - 1, 0)], at[min(best + 1, 40)]
    return float(cost(np.array([low, high])).min())


def through_interface(depth: float, above: float, below: float) -> Callable[[Any, Any], float]:
    """From below a flat interface to above it: the crossing with the least time."""

    def time(event: Any, station: Any) -> float:
        event, station = np.asarray(event), np.asarray(station)
        reach = float(np.linalg.norm((event - station)[:-1]))
        up, down = depth - station[-1], event[-1] - depth
        return least(lambda x: np.hypot(x, up) / above + np.hypot(reach - x, down) / below, 0, reach)

    return time


def on_sphere(point: Any) -> np.ndarray:
    latitude, longitude = np.radians(point[:2])
    way = [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)]
    return (RADIUS - point[2]) * np.array(way)


def chord(velocity: float) -> Callable[[Any, Any], float]:
    return lambda a, b: float(np.linalg.norm(on_sphere(a) - on_sphere(b))) / velocity


def through_shell(depth: float, above: float, below: float) -> Callable[[Any, Any], float]:
    """From below a spherical interface to above it, in the plane of both points and the centre."""

    def time(event: Any, station: Any) -> float:
        a, b = on_sphere(event), on_sphere(station)
        ra, rb, rc = np.linalg.norm(a), np.linalg.norm(b), RADIUS - depth
        angle = float(np.arccos(np.clip(a @ b / (ra * rb), -1, 1)))

        def cost(turn: np.ndarray) -> np.ndarray:
            lower = np.sqrt(ra**2 + rc**2 - 2 * ra * rc * np.cos(turn))
            upper = np.sqrt(rb**2 + rc**2 - 2 * rb * rc * np.cos(angle - turn))
            return lower / below + upper / above

        return least(cost, 0, angle)

    return time


def values(shape: tuple[int, ...], rows: Any) -> Any:
    """Velocity that depends on depth alone, of a type and a factor."""
    return lambda dtype, factor=1.0: np.broadcast_to(np.asarray(rows) * factor, shape).astype(dtype)


def model(velocity: Callable[..., np.ndarray], **options: Any) -> Callable[..., fm.Model]:
    return lambda dtype=np.float32, factor=1.0: fm.Model(velocity(dtype, factor), **options)


def gradient_time(a: Any, b: Any) -> float:
    return float(fm.analytic.gradient_time(tuple(a), [tuple(b)], v0=4, gradient=0.2)[0])


def tti_time(a: Any, b: Any) -> float:
    # The tilt of a 2-D model is in its plane, towards x.
    flat = len(a) == 2
    a, b = ((p[0], 0.0, p[1]) if flat else tuple(p) for p in (a, b))
    return float(fm.analytic.thomsen_time(a, [b], velocity=4, **TTI)[0])


N3, N2 = (11, 11, 9), (21, 17)  # nodes
LAYERS = [3.0] * 3 + [5.0] * 5  # of cells
LAYERS_2D = [3.0] * 6 + [5.0] * 10
ROCK = [0.0] * 2 + [4.0] * 7  # nodes below two rows of air
ROCK_2D = [0.0] * 4 + [4.0] * 13
SHELL = [6.0] * 4 + [8.0] * 5  # nodes, of which the fourth has the velocity above
RATIOS = [1.0] * 3 + [8 / 6] + [1.0] * 5
FINER = np.linspace(0, 1, 9) ** 1.3 * 8  # depths of a graded model
FINER_2D = np.linspace(0, 1, 17) ** 1.3 * 16
SLOPE = 0.1 * np.add.outer(np.arange(11.0), np.arange(11.0))  # a ground that is a plane
SLOPE_2D = 0.1 * np.arange(21.0)
REGION = {"spacing": (0.2, 0.2, 10.0), "origin": (40.0, 179.0, 0.0), "coordinates": "spherical"}
in_region = box((2, 2, 80), (40, 179, 0))


def below_slope(size: float, depth: float) -> Callable[[np.ndarray], np.ndarray]:
    """Places between a plane ground, which sinks by 0.1 per length along each horizontal axis, and
    a flat bottom: stations, of share 0, lie on the ground."""

    def places(shares: np.ndarray) -> np.ndarray:
        flat = shares[:, :-1] * size
        ground = 0.1 * flat.sum(axis=1)
        return np.column_stack([flat, ground + shares[:, -1] * (depth - ground)])

    return places


def medium(name: str, make: Any, time: Any, places: Any, tolerance: float, ndim: int = 3,
           *kinds: str) -> Medium:
    return Medium(name, make, time, places, tolerance, ndim, frozenset(kinds))


MEDIA = {
    found.name: found
    for found in (
        medium("nodes", model(values(N3, 4 + 0.2 * np.arange(9))), gradient_time, box((10, 10, 8)),
               0.001, 3, "plain"),
        medium("nodes 2-D", model(values(N2, 4 + 0.2 * np.arange(17))), gradient_time,
               box((20, 16)), 0.001, 2, "plain"),
        medium("cells with jumps", model(values((10, 10, 8), LAYERS), cells=True),
               through_interface(3, 3, 5), box((10, 10, 8)), 0.01, 3, "cells"),
        medium("cells with jumps 2-D", model(values((20, 16), LAYERS_2D), cells=True),
               through_interface(6, 3, 5), box((20, 16)), 0.005, 2, "cells"),
        medium("air", model(values(N3, ROCK)), straight(4), box((10, 10, 6), (0, 0, 2)), 0.0001,
               3, "air", "plain"),
        medium("air 2-D", model(values(N2, ROCK_2D)), straight(4), box((20, 12), (0, 4)), 0.0001,
               2, "air", "plain"),
        medium("graded", model(values(N3, [4.0] * 9), axes=(np.arange(11.0), np.arange(11.0), FINER)),
               straight(4), box((10, 10, 8)), 0.0001, 3, "metric", "graded"),
        medium("graded 2-D", model(values(N2, [4.0] * 17), axes=(np.arange(21.0), FINER_2D)),
               straight(4), box((20, 16)), 0.0001, 2, "metric", "graded"),
        medium("terrain", model(values(N3, [4.0] * 9), surface=SLOPE), straight(4),
               below_slope(10, 8), 0.0001, 3, "metric", "terrain"),
        medium("terrain 2-D", model(values(N2, [4.0] * 17), surface=SLOPE_2D), straight(4),
               below_slope(20, 16), 0.0001, 2, "metric", "terrain"),
        medium("sphere", model(values(N3, [8.0] * 9), **REGION), chord(8), in_region, 0.0001,
               3, "metric", "sphere"),
        medium("sphere with jumps", model(values(N3, SHELL), jumps=RATIOS, **REGION),
               through_shell(30, 6, 8), in_region, 0.001, 3, "metric", "sphere", "slow"),
        medium("TTI", model(values(N3, [4.0] * 9), **TTI), tti_time, box((10, 10, 8)), 0.0001,
               3, "metric", "TTI"),
        medium("TTI 2-D", model(values(N2, [4.0] * 17), **TTI), tti_time, box((20, 16)), 0.0001,
               2, "metric", "TTI"),
    )
}
