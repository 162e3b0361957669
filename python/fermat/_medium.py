"""Media of layers between interfaces, for later phases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _core
from ._earth import RADIUS, Earth
from ._grid import axes_of
from ._notes import tell

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Medium"]

#: Names of the Earth's discontinuities near these depths in km; others are called by their depth.
_NAMES = {"moho": (25.0, 75.0), "cmb": (2885.0, 2895.0)}


class Medium:
    """Layers between interfaces, each with velocities of its own.

    layers: from the top, one more than interfaces. Each is a velocity of P, or a pair or dict of P
    and S (`{"p": 6.0, "s": 3.5}`). A velocity is a number, a table of (depth, velocity) rows, a
    function of (x, z) or (x, y, z) arrays, an array on the nodes, or a `Model`. It holds on the
    whole grid: outside its layer it continues, so that nothing is smeared across an interface.

    interfaces: depths below the surface, by id and from the top: `{"moho": 30.0}`. A depth is a
    number, a table of (x, depth) or (x, y, depth) rows, an array on the columns of the grid, a
    function of x or (x, y), an xarray.DataArray, or a file: a grid of Surfer, NetCDF (GMT's among them), or a table
    (XYZ, CSV; on a sphere of longitude, latitude and depth). heights says that files have heights,
    not depths. Interfaces may touch, where a layer pinches out, and never cross.

    surface: the depth of the ground likewise; that of the models' terrain or the top of the grid if not
    given. vp_over_vs makes S
    of P where a layer has no S. smooth=False joins points of tables by straight lines. shape,
    spacing and origin are those of the grid (see `Model`), and are taken from layers that are
    models. Other keywords are coordinates of `Model`, such as coordinates="spherical".

    >>> import fermat as fm
    >>> medium = fm.Medium([5.0, 8.0], {"moho": 30.0}, shape=(201, 51), spacing=1.0)
    >>> medium.interfaces
    ['surface', 'moho']
    """

    def __init__(
        self,
        layers: Sequence[Any],
        interfaces: Mapping[str, Any] | Sequence[tuple[str, Any]],
        *,
        shape: Sequence[int] | None = None,
        spacing: ArrayLike = 1.0,
        origin: ArrayLike = 0.0,
        surface: Any = None,
        vp_over_vs: float | None = None,
        smooth: bool = True,
        heights: bool = False,
        **coordinates: Any,
    ) -> None:
        if isinstance(layers, Mapping) or len(layers) == 0:
            raise ValueError("layers is empty or no list (must be one velocity per layer)")
        pairs = [_two(layer) for layer in layers]
        known = next((v for pair in pairs for v in pair if isinstance(v, _core.Model)), None)
        if known is not None:
            template = known
            coordinates = {"spacing": known.spacing, "origin": known.origin}
            others = (v for pair in pairs for v in pair if v is not None and not isinstance(v, _core.Model))
            if known.coordinates != "cartesian" and any(callable(v) or np.ndim(v) > 0 for v in others):
                raise ValueError(
                    f"layers are models in {known.coordinates} coordinates and others (must all be "
                    "models there, or numbers)"
                )
        else:
            coordinates = {"spacing": spacing, "origin": origin, **coordinates}
            if shape is None:
                arrays = (np.asarray(v) for pair in pairs for v in pair if v is not None and not callable(v))
                shape = next((a.shape for a in arrays if a.ndim >= 2 and a.shape[-1] > 2), None)
            if shape is None:
                raise ValueError("shape is not given (must be that of the grid's nodes)")
            template = _core.Model(np.ones(tuple(shape), np.float32), **coordinates)
        self._template = template
        self._coordinates = coordinates
        self._axes = axes_of(template)
        models = []
        for number, (p, s) in enumerate(pairs):
            fast = self._model(p, f"layer {number}")
            slow = None if s is None else self._model(s, f"S of layer {number}")
            models.append((fast, slow))
        listed = list(interfaces.items()) if isinstance(interfaces, Mapping) else list(interfaces)
        if len(listed) + 1 != len(models):
            raise ValueError(
                f"{len(models)} layers have {len(listed)} interfaces between them (must be one less)"
            )
        ground = _core.Interface.ground(template)
        found = [ground if surface is None else self._interface("surface", surface, smooth, heights)]
        found += [self._interface(str(name), depth, smooth, heights) for name, depth in listed]
        core = _core.LayeredMedium(found, models)
        self._core = core if vp_over_vs is None else core.with_s(vp_over_vs)

    @classmethod
    def earth(
        cls,
        name: str,
        latitude: tuple[float, float],
        longitude: tuple[float, float],
        depth: float,
        *,
        spacing: Sequence[float],
        jumps: float = 0.01,
    ) -> Medium:
        """A region of a one-dimensional Earth (see `Earth`) with its discontinuities as interfaces.

        They are called by their depth in km, `moho` and `cmb` by these names; a kink of less than
        `jumps`, relative, is none. The core below has P only.

        >>> import fermat as fm
        >>> fm.Medium.earth("ak135", (0, 10), (0, 10), 700, spacing=(1, 1, 10)).interfaces
        ['surface', '20', 'moho', '410', '660']
        """
        earth = Earth(name)
        rows = [
            row
            for row in np.flatnonzero(np.diff(earth.depth) == 0)
            if abs(earth._p[row + 1] / earth._p[row] - 1) > jumps and earth.depth[row] < depth
        ]
        edges = [0, *(int(row) + 1 for row in rows), len(earth.depth)]
        layers = []
        interfaces = {}
        ends = list(zip(edges[:-1], edges[1:], strict=True))
        if depth > earth.depth[-1]:
            raise ValueError(f"depth is {depth:g} km ('{name}' has {earth.depth[-1]:g} km)")
        at_bottom = depth == earth.depth[-1]
        for low, high in ends:
            part = slice(low, high)
            z = earth.depth[part]
            layers.append(
                {
                    "p": np.column_stack([z, earth._p[part]]),
                    "s": np.column_stack([z, earth._s[part]]) if (earth._s[part] > 0).all() else None,
                }
            )
            if low:
                interfaces[_name_of(float(z[0]))] = float(z[0])
        if at_bottom:
            interfaces[_name_of(depth)] = depth
            layers.append(dict(layers[-1]))
        extents = [high - low for low, high in (latitude, longitude, (0.0, depth))]
        shape = [round(extent / step) + 1 for extent, step in zip(extents, spacing, strict=True)]
        # The grid ends where it was asked to, as at the core.
        steps = [extent / (n - 1) if n > 1 else step for extent, n, step in zip(extents, shape, spacing, strict=True)]
        if not np.allclose(steps, spacing, rtol=1e-9):
            tell([
                f"spacing is ({', '.join(f'{step:.6g}' for step in steps)}), so that the grid ends at the "
                "latitudes, longitudes and depth given"
            ])
        return cls(
            layers,
            interfaces,
            shape=shape,
            spacing=steps,
            origin=[latitude[0], longitude[0], 0.0],
            coordinates="spherical",
            radius=RADIUS,
        )

    @classmethod
    def load(
        cls,
        path: str | PathLike[str],
        *,
        spacing: ArrayLike | None = None,
        interfaces: str | PathLike[str] | None = None,
        names: Sequence[str] = (),
        vp_over_vs: float | None = None,
    ) -> Medium:
        """Reads a medium that `save` or `fermat model layers` wrote, rayinvr's v.in, tomo2d's smesh
        or FMTOMO's vgrids.in.

        spacing: of the grid, for the files of other programs. interfaces: tomo2d's reflector or
        FMTOMO's interfaces.in (looked for beside vgrids.in if not given). names: ids of the
        interfaces, the surface first. vp_over_vs makes S where the file has none.

        >>> import fermat as fm
        >>> medium = fm.Medium([5.0, 8.0], {"moho": 30.0}, shape=(21, 11), spacing=5.0)
        >>> medium.save("crust.h5")
        >>> fm.Medium.load("crust.h5").interfaces
        ['surface', 'moho']
        """
        steps = None if spacing is None else [float(h) for h in np.atleast_1d(spacing)]
        core = _core.LayeredMedium.load(
            Path(path), steps, None if interfaces is None else Path(interfaces), list(names), vp_over_vs
        )
        return cls._of_core(core)

    def save(
        self,
        path: str | PathLike[str],
        *,
        format: Literal["h5", "rayinvr", "tomo2d", "fmtomo"] | None = None,
        interfaces: str | PathLike[str] | None = None,
        reflector: str = "",
    ) -> None:
        """Writes .h5: a model of all layers that ParaView and all of Fermat read, with the layers
        and interfaces beside it, which `load` and `fermat phases` read. Or, by the name or by
        `format`, the files of other programs: rayinvr's v.in, tomo2d's line.smesh with the
        reflector line.refl, FMTOMO's vgrids.in with interfaces.in. A warning says what of the
        medium they cannot hold.

        interfaces: another name for the file of interfaces. reflector: the id of the one interface
        that tomo2d has; the lowest if not given.

        >>> import fermat as fm
        >>> medium = fm.Medium([5.0, 8.0], {"moho": 30.0}, shape=(21, 11), spacing=5.0)
        >>> medium.save("crust.h5")
        """
        self._core.save(Path(path), format, None if interfaces is None else Path(interfaces), reflector)

    @classmethod
    def _of_core(cls, core: _core.LayeredMedium) -> Medium:
        medium = cls.__new__(cls)
        template = core.model(0, "P")
        medium._core = core
        medium._template = template
        medium._coordinates = {"spacing": template.spacing, "origin": template.origin}
        medium._axes = axes_of(template)
        return medium

    @property
    def interfaces(self) -> list[str]:
        """Ids of the interfaces, the surface first."""
        return [one.id for one in self._core.interfaces]

    def __len__(self) -> int:
        return int(self._core.layer_count)

    def __repr__(self) -> str:
        below = " | ".join(self.interfaces)
        waves = "P and S" if self._core.has_s else "P"
        return f"Medium({below}; {waves} on {tuple(self._template.shape)} nodes)"

    def depth(self, interface: str, x: ArrayLike, y: ArrayLike = 0.0) -> NDArray[np.float64]:
        """Depth of an interface at x (and y); on a sphere at latitude and longitude.

        >>> import fermat as fm
        >>> medium = fm.Medium([5.0, 8.0], {"moho": 30.0}, shape=(201, 51), spacing=1.0)
        >>> medium.depth("moho", [10, 20]).tolist()
        [30.0, 30.0]
        """
        for one in self._core.interfaces:
            if one.id == interface:
                at = np.broadcast(np.asarray(x, float), np.asarray(y, float))
                return np.array([one.depth_at(a, b) for a, b in at]).reshape(at.shape)
        raise ValueError(f"no interface is called '{interface}' (there are {', '.join(self.interfaces)})")

    def layer(self, number: int, phase: Literal["P", "S"] = "P") -> _core.Model:
        """The velocity of a layer, on the whole grid.

        >>> import fermat as fm
        >>> medium = fm.Medium([5.0, 8.0], {"moho": 30.0}, shape=(201, 51), spacing=1.0)
        >>> float(medium.layer(1).velocity[0, 0])
        8.0
        """
        if not 0 <= number < len(self):
            raise ValueError(f"layer is {number} (must be 0 to {len(self) - 1})")
        return self._core.model(number, phase)

    def model(self, phase: Literal["P", "S"] = "P") -> _core.Model:
        """One model of all layers, each node with the velocity of its layer: for first arrivals and
        pictures.

        >>> import fermat as fm
        >>> medium = fm.Medium([5.0, 8.0], {"moho": 30.0}, shape=(201, 51), spacing=1.0)
        >>> medium.model().velocity[0, [29, 30]].tolist()
        [5.0, 8.0]
        """
        return self._core.merged(phase)

    def _with_core(self, core: Any) -> Medium:
        """This grid with other layers and interfaces."""
        other = object.__new__(Medium)
        other.__dict__.update(self.__dict__)
        other._core = core
        return other

    def _like(self, velocity: NDArray[Any]) -> _core.Model:
        return _core.Model(np.ascontiguousarray(velocity, np.float32), **self._coordinates)

    def _model(self, value: Any, what: str) -> _core.Model:
        if isinstance(value, _core.Model):
            return value
        if callable(value):
            grids = np.meshgrid(*self._axes, indexing="ij")
            return self._like(np.broadcast_to(np.asarray(value(*grids), float), self._template.shape))
        given = np.asarray(value, float)
        if given.ndim == 0:
            return _core.even_model(self._template, float(given))
        if given.shape == tuple(self._template.shape):
            return self._like(given)
        if given.ndim == 2 and given.shape[1] == 2 and len(given) > 1:
            column = _along(given, self._axes[-1])
            return self._like(np.broadcast_to(column, self._template.shape))
        raise ValueError(
            f"{what} has shape {given.shape} (must be a number, rows of depth and velocity, a "
            f"function, or values on the {tuple(self._template.shape)} nodes)"
        )

    def _interface(self, name: str, value: Any, smooth: bool, heights: bool) -> Any:
        if isinstance(value, (str, PathLike)):
            return _core.Interface.of_file(name, Path(value), self._template, smooth, heights)
        lateral = self._axes[:-1]
        columns = tuple(len(a) for a in lateral)
        grids = np.meshgrid(*lateral, indexing="ij")
        if hasattr(value, "dims") and hasattr(value, "coords"):
            value = _rows_of(value, name, len(lateral), self._template.coordinates == "spherical")
        given = value(*grids) if callable(value) else value
        given = np.asarray(given, float)
        if given.ndim == 0:
            return _core.Interface.flat(name, float(given))
        if given.shape == columns:
            table = np.column_stack([*(g.ravel() for g in grids), given.ravel()])
        elif given.ndim == 2 and given.shape[1] == len(lateral) + 1:
            table = given
        else:
            raise ValueError(
                f"interface '{name}' has shape {given.shape} (must be a number, rows of "
                f"{'x, depth' if len(lateral) == 1 else 'x, y, depth'}, a function, or depths on the "
                f"{columns} columns)"
            )
        _tell_cover(name, table, lateral)
        x, z = table[:, 0], table[:, -1]
        y = table[:, 1] if len(lateral) == 2 else np.zeros(len(table))
        parts = [np.ascontiguousarray(a, np.float64) for a in (x, y, z)]
        return _core.Interface.of_points(
            name, parts[0], parts[1], parts[2], self._template, smooth
        )


def _tell_cover(name: str, table: NDArray[Any], lateral: Sequence[NDArray[Any]]) -> None:
    """Says where an interface of a table goes on beyond its points, or hardly has any in the model."""
    if len(table) < 2:
        return
    inside = np.ones(len(table), bool)
    beyond = []
    for axis, (letter, columns) in enumerate(zip("xy", lateral, strict=False)):
        at, low, high = table[:, axis], float(columns.min()), float(columns.max())
        step = (high - low) / max(len(columns) - 1, 1)
        inside &= (at >= low - step) & (at <= high + step)
        if at.min() > low + step or at.max() < high - step:
            beyond.append(f"{letter} from {at.min():g} to {at.max():g} of {low:g} to {high:g}")
    if inside.sum() < min(2, len(table)) or (len(table) > 2 and inside.sum() < 0.1 * len(table)):
        tell([
            f"{inside.sum()} of {len(table)} points of interface '{name}' lie in the model, whose x is from "
            f"{lateral[0].min():g} to {lateral[0].max():g} (are the units the same?)"
        ])
    elif beyond:
        tell([
            f"interface '{name}' is given for {' and '.join(beyond)}; beyond, it keeps the depth of its last point"
        ])


def _rows_of(array: Any, name: str, count: int, sphere: bool) -> NDArray[np.float64]:
    """Rows of coordinates and depth of an xarray.DataArray, whose dimensions are known by name."""
    known = [("latitude", "lat"), ("longitude", "lon")] if sphere else [("x", "easting"), ("y", "northing")]
    names = {str(dim).lower(): dim for dim in array.dims}
    dims = [next((names[n] for n in either if n in names), None) for either in known[:count]]
    if None in dims or len(array.dims) != count:
        wanted = " and ".join(either[0] for either in known[:count])
        raise ValueError(f"interface '{name}' has the dimensions {tuple(map(str, array.dims))} (must be {wanted})")
    array = array.transpose(*dims)
    at = np.meshgrid(*(np.asarray(array[dim], float) for dim in dims), indexing="ij")
    return np.column_stack([*(a.ravel() for a in at), np.asarray(array.values, float).ravel()])


def _two(layer: Any) -> tuple[Any, Any]:
    """P and S of a layer."""
    if isinstance(layer, Mapping):
        unknown = set(layer) - {"p", "s"}
        if unknown or "p" not in layer:
            raise ValueError(f"a layer has the keys {sorted(layer)} (must be p, and s if there is one)")
        return layer["p"], layer.get("s")
    if isinstance(layer, tuple) and len(layer) == 2:
        return layer
    return layer, None


def _along(table: NDArray[np.float64], depth: NDArray[np.float64]) -> NDArray[np.float64]:
    """Velocity by depth, linear, and beyond the ends of the table along its last rows for half of
    its height, so that what is interpolated beside an interface is right there."""
    z, v = table.T
    out: NDArray[np.float64] = np.interp(depth, z, v)
    for end, inner in ((0, 1), (-1, -2)):
        if z[end] == z[inner]:
            continue
        slope = (v[end] - v[inner]) / (z[end] - z[inner])
        beyond = depth < z[0] if end == 0 else depth > z[-1]
        reach = np.clip(depth[beyond] - z[end], -30 * _step(depth), 30 * _step(depth))
        out[beyond] = np.maximum(v[end] + slope * reach, 0.5 * v[end])
    return out


def _step(depth: NDArray[np.float64]) -> float:
    return float(depth[1] - depth[0]) if len(depth) > 1 else 1.0


def _name_of(depth: float) -> str:
    for name, (low, high) in _NAMES.items():
        if low <= depth <= high:
            return name
    return f"{depth:g}"
