"""Rays from receivers to sources, and their sensitivities for tomography."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from . import _arguments as arguments
from . import _bending as bend
from . import _core, _cuda, _grid
from ._checked import checked
from ._methods import Bending, Graph
from ._notes import tell
from ._progress import listener

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike, NDArray

    from ._arguments import (
        Basis,
        BendingTasks,
        Device,
        Parameter,
        Progress,
        Queue,
        Reading,
        Relaxation,
        Reciprocity,
        Solver,
        Star,
        Start,
        Tracer,
        Visits,
        Weights,
    )
    from ._core import CudaModel, Model

__all__ = ["Paths", "Rays", "rays"]


class Paths(Sequence["NDArray[np.float64]"]):
    """The points of each ray, an array (points, 2 or 3), as views of `Rays.points`."""

    def __init__(self, points: NDArray[np.float64], offsets: NDArray[np.int64]) -> None:
        self._points = points
        self._offsets = offsets

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, ray: int) -> NDArray[np.float64]: ...
    @overload
    def __getitem__(self, ray: slice) -> list[NDArray[np.float64]]: ...
    def __getitem__(self, ray: int | slice) -> NDArray[np.float64] | list[NDArray[np.float64]]:
        numbers = range(len(self))[ray]
        if isinstance(numbers, range):
            return [self[n] for n in numbers]
        return self._points[self._offsets[numbers] : self._offsets[numbers + 1]]

    def __repr__(self) -> str:
        return f"Paths({len(self)} rays, {len(self._points)} points)"


class Rays:
    """Rays of a model, grouped by source; `fermat.rays` makes them.

    Arrays have one entry per ray and are read-only views of the memory of the rays.
    """

    def __init__(self, model: Model, rays: _core.RaySet) -> None:
        self._model = model
        self._rays = rays

    def __len__(self) -> int:
        return len(self._rays)

    def __repr__(self) -> str:
        names, counts = np.unique(self.status, return_counts=True)
        ends = ", ".join(f"{count} {name}" for name, count in zip(names, counts, strict=True))
        return f"Rays({len(self)} rays{': ' if ends else ''}{ends}; {len(self.points)} points)"

    @property
    def model(self) -> Model:
        """The velocity that the rays were traced in."""
        return self._model

    @property
    def points(self) -> NDArray[np.float64]:
        """Points of all rays, (n, 3), or (n, 2) as (x, z) in 2-D, each from receiver to source."""
        return self._rays.points(self._model.ndim == 2)

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Ray r has the points from offsets[r] up to, not including, offsets[r + 1]."""
        return self._rays.offsets

    @property
    def paths(self) -> Paths:
        """Points of each ray: rays.paths[r] is an array (n, 2 or 3), without a copy."""
        return Paths(self.points, self.offsets)

    @property
    def times(self) -> NDArray[np.float64]:
        """Start time plus slowness integrated along the ray; infinite if it did not arrive."""
        return self._rays.times

    @property
    def field_times(self) -> NDArray[np.float64]:
        """Time of the field at the receiver."""
        return self._rays.field_times

    @property
    def lengths(self) -> NDArray[np.float64]:
        return self._rays.lengths

    @property
    def source(self) -> NDArray[np.int32]:
        """Number of the ray's source, from 0."""
        return self._rays.source

    @property
    def receiver(self) -> NDArray[np.int32]:
        """Number of the ray's receiver, from 0."""
        return self._rays.receiver

    @property
    def status(self) -> NDArray[np.str_]:
        """How the ray ended: "ok"; "late" if it arrived more than a thousandth later than its
        field (in cells, and of tracer "cells"); or why it did not reach its source:
        "receiver_in_air", "source_in_air", "unreachable", "stalled"."""
        return np.array(_core.ray_status_names())[self._rays.status]

    @property
    def start(self) -> NDArray[np.str_]:
        """The start of a bent ray, the fastest of `starts`; "none" for other tracers."""
        return np.array(_core.ray_start_names())[_core.ray_starts(self._rays)]

    def sensitivity(
        self, basis: Basis = "nodes", *, parameter: Parameter = "slowness", threads: int = 0
    ) -> Any:
        """Derivatives of the rays' times: a scipy.sparse.csr_array, one row per ray.

        With "nodes", columns are the model's nodes in C order and a row times their slowness is
        the time along the ray. With "cells", columns are cells and values are the ray's length
        in each; velocity given in cells has that basis only. Rays that did not arrive have empty
        rows. With curved coordinates lengths are true lengths.

        In an anisotropic medium `parameter` may be "epsilon" or "delta", or "xx", "yy", "zz", "xy",
        "xz", "yz" of a tensor ("xy" stands for xy and yx, which are equal): the derivatives by that
        parameter at each node, with velocity and the others kept.

        >>> import fermat as fm, numpy as np
        >>> model = fm.Model.gradient((41, 21), v0=2, gradient=0.5, spacing=0.25)
        >>> rays = fm.rays(model, (0, 0), [(9, 0), (10, 3)])
        >>> matrix = rays.sensitivity()
        >>> matrix.shape
        (2, 861)
        >>> np.allclose(matrix @ model.slowness.ravel(), rays.times, rtol=1e-6)
        True
        """
        try:
            from scipy.sparse import csr_array  # type: ignore[import-untyped,unused-ignore]
        except ImportError:
            raise ImportError("sensitivity needs SciPy (pip install scipy)") from None
        if parameter == "slowness":
            found = _core.sensitivity(self._model, self._rays, basis, threads)
        elif basis == "nodes":
            found = _core.anisotropy_sensitivity(self._model, self._rays, parameter, threads)
        else:
            raise ValueError(f"basis is {basis!r} and parameter {parameter!r} (must be 'nodes')")
        values, columns, starts, width = found
        return csr_array((values, columns, starts), shape=(len(self), width))

    def coverage(
        self, *, threads: int = 0
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Number and total length of the rays in each cell: two arrays with the shape of the
        model's cells.

        >>> import fermat as fm
        >>> model = fm.Model.constant((3, 2), velocity=2)
        >>> count, length = fm.rays(model, (0, 0.5), (2, 0.5)).coverage()
        >>> count.ravel().tolist(), length.sum().item()
        ([1.0, 1.0], 2.0)
        """
        cells = tuple(n - 1 for n in self._model.shape)
        count, length = _core.coverage(self._model, self._rays, threads)
        return count.reshape(cells), length.reshape(cells)

    def to_pyvista(self) -> Any:
        """The rays as lines of a pyvista.PolyData, with source, receiver, time and length of each;
        rays without a path are left out. 2-D rays lie in the plane y = 0.

        >>> import fermat as fm
        >>> model = fm.Model.constant((3, 2), velocity=2)
        >>> fm.rays(model, (0, 0.5), [(2, 0.5), (2, 0)]).to_pyvista().n_lines
        2
        """
        return _grid.rays_to_pyvista(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the rays as lines for ParaView, PyVista and h5py (VTKHDF PolyData, .h5).

        If writing fails, an existing file is not changed.

        >>> import fermat as fm
        >>> fm.rays(fm.Model.constant((3, 2), velocity=2), (0, 0), (2, 1)).save("rays.h5")
        """
        self._rays.save(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], model: Model) -> Rays:
        """Read rays that `save` or `fermat rays -o` wrote, of the model that they were traced in.

        Examples
        --------
        >>> import fermat as fm, os, tempfile
        >>> model = fm.Model.constant((11, 11), velocity=2)
        >>> file = os.path.join(tempfile.mkdtemp(), "rays.h5")
        >>> fm.rays(model, (1, 1), [(9, 1), (9, 9)]).save(file)
        >>> fm.Rays.load(file, model).times.round(3).tolist()
        [4.0, 5.657]
        """
        return cls(model, _core.load_rays(path))

    def save_vector_coverage(
        self, path: str | os.PathLike[str], *, pick_times: ArrayLike | None = None
    ) -> None:
        """Write the vector coverage file of tomography programs (XML): for each ray that arrived
        its shotpoint, receiver, pick time and vertices.

        pick_times has one time per ray; default: the times along the rays.

        >>> import fermat as fm
        >>> model = fm.Model.constant((3, 2), velocity=2)
        >>> fm.rays(model, (0, 0), (2, 1)).save_vector_coverage("rays.xml")
        >>> rays, pick_times = fm.Rays.load_vector_coverage(model, "rays.xml")
        """
        times = arguments.numbers(self.times if pick_times is None else pick_times, "pick_times")
        if times.shape != (len(self),):
            raise ValueError(
                f"pick_times has shape {times.shape} (must be ({len(self)},): one time a ray)"
            )
        self._rays.save_vector_coverage(path, times)

    @staticmethod
    def load_vector_coverage(
        model: Model | CudaModel, path: str | os.PathLike[str]
    ) -> tuple[Rays, NDArray[np.float64]]:
        """Rays of a vector coverage file (XML) in a model, and the pick time of each: what
        `save_vector_coverage` and `fermat invert --keep` wrote. Times are integrated along the
        rays; all points must lie in the model.

        >>> import fermat as fm
        >>> model = fm.Model.constant((3, 2), velocity=2)
        >>> fm.rays(model, (0, 0), (2, 0)).save_vector_coverage("one.xml")
        >>> rays, pick_times = fm.Rays.load_vector_coverage(model, "one.xml")
        >>> pick_times.tolist()
        [1.0]
        """
        model = _cuda.on_host(model)
        rays, pick_times, notes = _core.load_vector_coverage(model, path)
        tell(notes)
        return Rays(model, rays), pick_times


class FreeRays(Rays):
    """Rays of a profile or a function, which have no cells."""

    def __init__(self, medium: bend.Medium, rays: _core.RaySet) -> None:
        super().__init__(medium, rays)  # type: ignore[arg-type]

    def sensitivity(
        self, basis: Basis = "nodes", *, parameter: Parameter = "slowness", threads: int = 0
    ) -> Any:
        raise ValueError("sensitivity needs rays of a model (profiles and functions have no nodes)")

    def coverage(
        self, *, threads: int = 0
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        raise ValueError("coverage needs rays of a model (profiles and functions have no cells)")


@checked
def rays(
    model: Model | CudaModel | bend.Profile | bend.Velocity,
    sources: ArrayLike,
    receivers: ArrayLike,
    *,
    pairs: ArrayLike | None = None,
    tracer: Tracer | Graph | Bending = "descent",
    directions: int = 16,
    starts: Start | Sequence[Start] | None = None,
    segment: float | None = None,
    tasks: BendingTasks | None = None,
    bounds: ArrayLike | None = None,
    start_time: ArrayLike = 0.0,
    solver: Solver | Graph = "fim",
    order: int = 2,
    radius: int | Sequence[int] | None = None,
    star: Star | None = None,
    reading: Reading | None = None,
    weights: Weights | None = None,
    queue: Queue | None = None,
    visits: Visits | None = None,
    relaxation: Relaxation | None = None,
    reciprocity: Reciprocity = "auto",
    device: Device = "auto",
    devices: Sequence[int] | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> Rays:
    """Rays of first arrivals from receivers to sources.

    Parameters
    ----------
    model
        Velocity. With tracer="bending" it may also be a `Profile`, or any function v(x, y, z) > 0
        of three numbers (v(x, z) in 2-D), 0 for air. A Python function is slow, because every
        thread waits for the interpreter.
    sources, receivers
        Positions (n, 3), or (n, 2) as (x, z) in 2-D, or a single position.
    pairs
        Which rays to trace: an array (n, 2) of source and receiver numbers from 0. Default: every
        source with every receiver. Rays are grouped by source, within a source in this order.
    tracer
        "descent" continuous descent of the time field (default), "cells" straight through each
        cell, "grid" from node to node (2-D), "graph" shortest paths on the grid graph, with the
        solvers "dijkstra" (default) and "bellman-ford", "bending" between two points, without a
        time field; or `Graph` and `Bending` with their options.
    directions
        For tracer "grid": 8 or 16.
    starts
        For tracer "bending": "straight", "deep", "sides" (default: these three), and for models also
        the rays of "descent" and "graph". The fastest ray wins; `Rays.start` says where it started.
    segment
        For tracer "bending": longest segment of a ray. Default: half the model's least spacing;
        64 segments without a model.
    tasks
        For tracer "bending": the unit of parallel work, "pairs" (default), "sources", "stations" or
        "sections". The rays do not depend on it.
    bounds
        Two corners of the box for rays of a profile or a function. Default: none.
    reciprocity
        "auto": with tracer="descent" and fewer receivers than sources, solve the receivers' fields
        and reverse the rays. "off": always solve the sources' fields.
    start_time, solver, order, radius, star, reading, weights, queue, visits, relaxation
        As in `traveltimes`.
    device, devices, threads, progress
        As in `traveltimes`. A model on a CUDA device is copied to the host, once.

    Returns
    -------
    Rays
        Each ray ends exactly at its source, or its status says why not.

    Examples
    --------
    >>> import fermat as fm
    >>> model = fm.Model.layers((501, 101), layers=[(0, 2), (50, 5)])
    >>> rays = fm.rays(model, (0, 0), [(x, 0) for x in (100, 300, 500)])
    >>> rays
    Rays(3 rays: 3 ok; ... points)
    >>> [int(path[:, 1].max().round(-1)) for path in rays.paths]  # direct, then along the interface
    [0, 50, 50]
    """
    bending = _bending(tracer, {"starts": starts, "segment": segment, "tasks": tasks})
    if isinstance(tracer, Graph):
        solver, tracer = tracer, "graph"
    elif isinstance(tracer, Bending):
        tracer = "bending"
    if isinstance(model, _core.CudaModel):
        model = _cuda.on_host(model)
    if not isinstance(model, _core.Model):
        if tracer != "bending":
            raise ValueError(
                f"tracer '{tracer}' needs a model (use 'bending' for profiles and functions)"
            )
        return FreeRays(
            *bend.trace(
                model,
                sources,
                receivers,
                start_time,
                None if pairs is None else _pairs(pairs),
                bounds,
                bending | {"threads": threads},
                listener(progress),
            )
        )
    places = arguments.points(model, sources, "sources")
    stations = arguments.points(model, receivers, "receivers")
    start_times = arguments.start_times(start_time, len(places))
    which = None if pairs is None else _pairs(pairs)
    graph = {"radius": radius, "star": star, "reading": reading, "weights": weights, "queue": queue,
             "visits": visits, "relaxation": relaxation}
    options = arguments.solver(model, solver, order, graph) | bending
    options |= {"tracer": tracer, "directions": directions, "reciprocity": reciprocity}
    with _cuda.shared_by(devices, device) as chosen:
        options |= {"device": chosen, "threads": threads}
        traced = _core.rays(
            model, places, start_times, stations, which, options, listener(progress)
        )
    return Rays(model, traced)


def _bending(
    tracer: Tracer | Graph | Bending, given: dict[str, Any]
) -> dict[str, Any]:
    """Options of the bending tracer, from the keywords or from the method that carries them."""
    given = {name: value for name, value in given.items() if value is not None}
    if not isinstance(tracer, Bending):
        return Bending(**given).options() if given else {}
    if given:
        raise ValueError(
            f"{', '.join(given)} is given beside tracer=Bending(...) (give it to Bending)"
        )
    return tracer.options()


def _pairs(values: ArrayLike) -> NDArray[np.int32]:
    array = np.asarray(values)
    if array.size == 0:
        array = np.empty((0, 2), np.int32)
    if array.ndim != 2 or array.shape[1] != 2 or not np.issubdtype(array.dtype, np.integer):
        raise ValueError(
            f"pairs is an array of {array.dtype} of shape {array.shape} (must be whole numbers of "
            "shape (n, 2): source and receiver, from 0)"
        )
    limit = np.iinfo(np.int32)
    if array.size and (array.min() < limit.min or array.max() > limit.max):
        raise ValueError(f"pairs holds {array.max()} (must be below 2^31)")
    return np.ascontiguousarray(array, dtype=np.int32)
