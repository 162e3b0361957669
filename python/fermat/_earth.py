"""One-dimensional models of the Earth and their spherical `Model`s.

`ak135` (Kennett, Engdahl & Buland 1995; to the core), `iasp91` (Kennett & Engdahl 1991), `prem`
(Dziewonski & Anderson 1981, isotropic; its upper crust continues to the surface in place of the
ocean of 3 km), `prem-ocean` (the same with the ocean), and files of TauP: .tvel and .nd.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from . import _core
from ._checked import checked
from ._notes import tell

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = ["Earth"]

RADIUS = 6371.0

# Polynomials in r / 6371 km between radii: (lower radius, upper radius, P, S).
_PREM = [
    (6356.0, 6371.0, (5.8,), (3.2,)),
    (6346.6, 6356.0, (6.8,), (3.9,)),
    (6151.0, 6346.6, (4.1875, 3.9382), (2.1519, 2.3481)),
    (5971.0, 6151.0, (20.3926, -12.2569), (8.9496, -4.4597)),
    (5771.0, 5971.0, (39.7027, -32.6166), (22.3512, -18.5856)),
    (5701.0, 5771.0, (19.0957, -9.8672), (9.9839, -4.9324)),
    (5600.0, 5701.0, (29.2766, -23.6027, 5.5242, -2.5514), (22.3459, -17.2473, -2.0834, 0.9783)),
    (3630.0, 5600.0, (24.9520, -40.4673, 51.4832, -26.6419), (11.1671, -13.7818, 17.4575, -9.2777)),
    (3480.0, 3630.0, (15.3891, -5.3181, 5.5242, -2.5514), (6.9254, 1.4672, -2.0834, 0.9783)),
    (1221.5, 3480.0, (11.0487, -4.0362, 4.8023, -13.5732), (0.0,)),
    (0.0, 1221.5, (11.2622, 0.0, -6.3640), (3.6678, 0.0, -4.4475)),
]
_PREM_OCEAN = [
    (6368.0, 6371.0, (1.45,), (0.0,)),
    (6356.0, 6368.0, (5.8,), (3.2,)),
    *_PREM[1:],
]
_IASP91 = [
    (6351.0, 6371.0, (5.8,), (3.36,)),
    (6336.0, 6351.0, (6.5,), (3.75,)),
    (6251.0, 6336.0, (8.78541, -0.74953), (6.706231, -2.248585)),
    (6161.0, 6251.0, (25.41389, -17.69722), (5.75020, -1.27420)),
    (5961.0, 6161.0, (30.78765, -23.25415), (15.24213, -11.08552)),
    (5711.0, 5961.0, (29.38896, -21.40656), (17.70732, -13.50652)),
    (5611.0, 5711.0, (25.96984, -16.93412), (20.76890, -16.53147)),
    (3631.0, 5611.0, (25.1486, -41.1538, 51.9932, -26.6083), (12.9303, -21.2590, 27.8988, -14.1080)),
    (3482.0, 3631.0, (14.49470, -1.47089), (8.16616, -1.58206)),
    (1217.1, 3482.0, (10.03904, 3.75665, -13.67046), (0.0,)),
    (0.0, 1217.1, (11.24094, 0.0, -4.09689), (3.56454, 0.0, -3.45241)),
]
#: Height of the highest stations in km.
HIGHEST = 5.0
# Depth, P and S of ak135 to the core.
_AK135 = """
0 5.8 3.46 20 5.8 3.46 20 6.5 3.85 35 6.5 3.85 35 8.04 4.48 77.5 8.045 4.49 120 8.05 4.5
165 8.175 4.509 210 8.3 4.518 210 8.3 4.523 260 8.4825 4.609 310 8.665 4.696 360 8.8475 4.783
410 9.03 4.87 410 9.36 5.08 460 9.528 5.186 510 9.696 5.292 560 9.864 5.398 610 10.032 5.504
660 10.2 5.61 660 10.79 5.96 710 10.9229 6.0897 760 11.0558 6.2095 809.5 11.1353 6.2426
859 11.2221 6.2798 908.5 11.3068 6.316 958 11.3896 6.3512 1007.5 11.4705 6.3854
1057 11.5495 6.4187 1106.5 11.6269 6.451 1156 11.7026 6.4828 1205.5 11.7766 6.5138
1255 11.8491 6.5439 1304.5 11.92 6.5727 1354 11.9895 6.6008 1403.5 12.0577 6.6285
1453 12.1245 6.6555 1502.5 12.1912 6.6815 1552 12.255 6.7073 1601.5 12.3185 6.7326
1651 12.3819 6.7573 1700.5 12.4426 6.7815 1750 12.5031 6.8052 1799.5 12.5631 6.8286
1849 12.6221 6.8515 1898.5 12.6804 6.8742 1948 12.7382 6.8972 1997.5 12.7956 6.9194
2047 12.8526 6.9418 2096.5 12.9096 6.9627 2146 12.9668 6.9855 2195.5 13.0222 7.0063
2245 13.0783 7.0281 2294.5 13.1336 7.05 2344 13.1894 7.072 2393.5 13.2465 7.0931
2443 13.3018 7.1144 2492.5 13.3585 7.1369 2542 13.4156 7.1586 2591.5 13.4741 7.1807
2640 13.5312 7.2031 2690 13.59 7.2258 2740 13.6494 7.249 2789.67 13.653 7.2597
2839.33 13.6566 7.2704 2891.5 13.6602 7.2811
"""


_POLYNOMIALS = {"iasp91": _IASP91, "prem": _PREM, "prem-ocean": _PREM_OCEAN}


def _of_polynomials(
    layers: list[tuple[float, float, tuple[float, ...], tuple[float, ...]]], step: float = 2.0
) -> NDArray[np.float64]:
    """Rows of depth, P and S, dense enough for linear interpolation."""
    rows = []
    for low, high, p, s in layers:
        r = np.linspace(high, low, 2 + int((high - low) / step))
        x = r / RADIUS
        rows.append(np.column_stack([RADIUS - r, np.polyval(p[::-1], x), np.polyval(s[::-1], x)]))
    return np.concatenate(rows)


def _read(path: Path) -> NDArray[np.float64]:
    """Rows of a .tvel (two lines of title) or .nd file (names of discontinuities between rows)."""
    # Titles and comments may be in any encoding; numbers are not.
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    skip = 2 if path.suffix.lower() == ".tvel" else 0
    rows: list[tuple[float, ...]] = []
    for number, line in enumerate(lines[skip:], skip + 1):
        words = line.split("#")[0].split()
        if len(words) < 2:  # empty, or a name such as "mantle"
            continue
        try:
            rows.append(tuple(float(word) for word in words[:3]))
        except ValueError:
            raise ValueError(
                f"line {number} of '{path}' is '{line.strip()}' (must be depth, P and S velocity)"
            ) from None
        if len(rows[-1]) < 3:
            raise ValueError(f"line {number} of '{path}' has 2 numbers (must have 3 or more)")
    if len(rows) < 2:
        raise ValueError(f"'{path}' has {len(rows)} rows of depth, P and S (must have 2 or more)")
    return np.array(rows)


class Earth:
    """Velocity by depth, linear between the rows of a table; a depth given twice is a jump.

    name is "ak135", "iasp91", "prem" (without its ocean), "prem-ocean" or the path of a .tvel or
    .nd file.

    >>> import fermat as fm
    >>> fm.Earth("iasp91").velocity([10, 410.001, 1000]).round(3)
    array([ 5.8  ,  9.36 , 11.464])
    """

    @checked
    def __init__(self, name: str | os.PathLike[str]) -> None:
        if name == "ak135":
            table = np.array(_AK135.split(), float).reshape(-1, 3)
        elif name in _POLYNOMIALS:
            table = _of_polynomials(_POLYNOMIALS[str(name)])
        else:
            path = Path(name)
            if path.suffix.lower() not in (".tvel", ".nd"):
                raise ValueError(
                    f"Earth model '{name}' is unknown (must be ak135, iasp91, prem, prem-ocean, or "
                    "a .tvel or .nd file)"
                )
            table = _read(path)
        self.name = str(name)
        self.depth, self._p, self._s = table.T.copy()
        if self.depth[0] != 0 or (np.diff(self.depth) < 0).any():
            raise ValueError(f"depths of '{name}' must start at 0 and not fall")
        if not (np.isfinite(table).all() and (self._p > 0).all() and (self._s >= 0).all()):
            raise ValueError(f"velocities of '{name}' must be positive (S may be 0 in liquids)")

    def __repr__(self) -> str:
        return f"Earth({self.name!r}, {len(self.depth)} rows to {self.depth[-1]:g} km)"

    def _of(self, phase: str) -> NDArray[np.float64]:
        if phase not in ("P", "S"):
            raise ValueError(f"phase is '{phase}' (must be 'P' or 'S')")
        return self._p if phase == "P" else self._s

    def _require(self, depths: NDArray[np.float64]) -> None:
        if (depths < 0).any() or (depths > self.depth[-1]).any():
            raise ValueError(
                f"depths go from {depths.min():g} to {depths.max():g} km ('{self.name}' has 0 to "
                f"{self.depth[-1]:g} km)"
            )

    def _require_solid(self, depths: NDArray[np.float64]) -> None:
        liquid = depths[self.velocity(depths, "S") == 0]
        if len(liquid) == 0:
            return
        ocean = liquid[0] == 0
        remedy = "take a model without an ocean, such as prem" if ocean else "choose a smaller depth"
        raise ValueError(
            f"'{self.name}' has no S velocity in liquids, here at {liquid[0]:g} km ({remedy})"
        )

    @checked
    def velocity(self, depth: ArrayLike, phase: Literal["P", "S"] = "P") -> NDArray[np.float64]:
        """Velocity at depths in km; at a jump, that below it.

        >>> import fermat as fm
        >>> fm.Earth("ak135").velocity([0, 35, 660]).round(2).tolist()
        [5.8, 8.04, 10.79]
        """
        at = np.asarray(depth, float)
        self._require(at)
        v = self._of(phase)
        row = np.clip(np.searchsorted(self.depth, at, side="right") - 1, 0, len(v) - 2)
        step = self.depth[row + 1] - self.depth[row]
        part = np.divide(at - self.depth[row], step, out=np.zeros_like(at), where=step > 0)
        return np.asarray(v[row] + part * (v[row + 1] - v[row]), float)

    def _vertical_time(self, depth: NDArray[np.float64], phase: str) -> NDArray[np.float64]:
        """Integral of the slowness from the surface, exact for linear velocities."""
        v = self._of(phase)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.diff(self.depth)
            ratio = v[1:] / v[:-1]
            mean = np.where(np.abs(ratio - 1) < 1e-9, 1 / v[:-1], np.log(ratio) / (v[1:] - v[:-1]))
            upto = np.concatenate([[0], np.cumsum(np.where(step > 0, step * mean, 0))])
        row = np.clip(np.searchsorted(self.depth, depth, side="right") - 1, 0, len(v) - 2)
        here = self.velocity(depth, "P" if phase == "P" else "S")
        rest = depth - self.depth[row]
        # Simpson's rule in one layer is exact enough for a part of it.
        middle = self.velocity(self.depth[row] + rest / 2, "P" if phase == "P" else "S")
        return np.asarray(upto[row] + rest / 6 * (1 / v[row] + 4 / middle + 1 / here), float)

    def _jump_rows(self, phase: str) -> list[int]:
        """Rows of the table above jumps of the velocity, between rock and rock."""
        v = self._of(phase)
        twice = np.flatnonzero(np.diff(self.depth) == 0)
        rock = [int(row) for row in twice if v[row] > 0 and v[row + 1] > 0]
        return [row for row in rock if abs(v[row + 1] / v[row] - 1) > 1e-3]  # else a kink

    def _smearing(
        self, smeared: list[float], inside: list[float], depth: float, step: float
    ) -> str:
        tenths = [round(10 * at) for at in (*inside, depth)]
        common = math.gcd(*tenths) / 10
        even = all(abs(10 * at - t) < 1e-6 for at, t in zip((*inside, depth), tenths, strict=True))
        remedy = (
            f"steps of {common:g} km have all jumps on rows"
            if even and common >= step / 8
            else "finer steps of depth smear less"
        )
        return (
            f"{len(smeared)} of {len(inside)} jumps of '{self.name}' lie between rows of nodes and "
            f"are smeared over {step:g} km, at {', '.join(f'{at:g}' for at in smeared)} km "
            f"({remedy}: see spacing)"
        )

    @checked
    def model(
        self,
        latitude: tuple[float, float],
        longitude: tuple[float, float],
        depth: float,
        *,
        spacing: Sequence[float],
        top: float | None = None,
        phase: Literal["P", "S"] = "P",
        geodetic: bool = False,
    ) -> _core.Model:
        """A spherical model of a region: ranges in degrees and the lowest depth in km.

        spacing is (degrees of latitude, degrees of longitude, km). Jumps on rows of nodes stay
        sharp: the nodes have the velocity above, and `jumps` of the model the ratio to that below.
        With 5 km these are all of ak135 and iasp91. A jump between rows is smeared, and a
        UserWarning names its depth: nodes have the mean slowness of half a step above and below
        them. top is the depth of the highest row, negative above sea level; by default it is 5 km
        above, or the next whole step, so that stations on mountains lie in the model. The velocity
        of the surface goes on there.

        >>> import fermat as fm
        >>> model = fm.Earth("ak135").model((40, 44), (10, 15), 100, spacing=(0.1, 0.1, 5))
        >>> model.shape
        (41, 51, 22)
        """
        rise = math.ceil(HIGHEST / spacing[2] - 1e-9) * spacing[2] if top is None else -float(top)
        if not 0 <= rise < math.inf:
            raise ValueError(f"top is {top} (must be 0, or negative: above sea level)")
        ranges = (latitude, longitude, (-rise, depth))
        counts = [
            round((high - low) / step) + 1 for (low, high), step in zip(ranges, spacing, strict=True)
        ]
        for what, (low, high), step, count in zip(
            ("latitude", "longitude", "depth"), ranges, spacing, counts, strict=True
        ):
            if count < 2 or abs(low + (count - 1) * step - high) > 1e-6 * abs(high - low):
                raise ValueError(
                    f"{what} from {low:g} to {high:g} is no whole number of steps of {step:g}"
                )
        grid = np.linspace(-rise, depth, counts[2])
        z = np.maximum(grid, 0.0)  # the velocity of the surface goes on above it
        self._require(z)
        above = np.maximum(z - spacing[2] / 2, 0)
        below = np.minimum(z + spacing[2] / 2, self.depth[-1])
        if phase == "S":
            self._require_solid(z)
        time = self._vertical_time(below, phase) - self._vertical_time(above, phase)
        v = (below - above) / time
        jumps = np.ones_like(z)
        known = self._of(phase)
        inside = []
        smeared = []
        for row in self._jump_rows(phase):
            at = float(self.depth[row])
            if not 0 < at <= depth:
                continue
            inside.append(at)
            k = round((at + rise) / spacing[2])
            if abs(z[min(k, len(z) - 1)] - at) < 1e-6:
                v[k] = known[row]
                jumps[k] = known[row + 1] / known[row]
            else:
                smeared.append(at)
        if smeared:
            tell([self._smearing(smeared, inside, depth, spacing[2])])
        v = v.astype(np.float32)
        return _core.Model(
            np.broadcast_to(v, counts).copy(),
            spacing=list(spacing),
            origin=[latitude[0], longitude[0], 0.0 - rise],
            coordinates="spherical",
            geodetic=geodetic,
            jumps=jumps if (jumps != 1).any() else None,
        )
