"""First arrivals: fields on the model's nodes and times at receivers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from . import _arguments as arguments
from . import _core, _cuda, _fields
from ._checked import checked
from ._methods import Graph
from ._progress import listener

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from ._arguments import (
        Device,
        Precision,
        Progress,
        Queue,
        Reading,
        Relaxation,
        Solver,
        Star,
        Visits,
        Weights,
    )
    from ._core import CudaModel, Model

__all__ = ["receiver_times", "traveltimes"]


@overload
def traveltimes(
    model: Model,
    source: ArrayLike | None = ...,
    *,
    front: ArrayLike | None = ...,
    start_time: ArrayLike = ...,
    together: bool = ...,
    until: float = ...,
    gradient: Literal[False] = ...,
    solver: Solver | Graph = ...,
    order: int = ...,
    radius: int | Sequence[int] | None = ...,
    star: Star | None = ...,
    reading: Reading | None = ...,
    weights: Weights | None = ...,
    queue: Queue | None = ...,
    visits: Visits | None = ...,
    relaxation: Relaxation | None = ...,
    precision: Literal["single"] = ...,
    device: Device = ...,
    devices: Sequence[int] | None = ...,
    threads: int = ...,
    progress: Progress | None = ...,
) -> NDArray[np.float32]: ...
@overload
def traveltimes(
    model: Model,
    source: ArrayLike | None = ...,
    *,
    front: ArrayLike | None = ...,
    start_time: ArrayLike = ...,
    together: bool = ...,
    until: float = ...,
    gradient: Literal[False] = ...,
    solver: Solver | Graph = ...,
    order: int = ...,
    radius: int | Sequence[int] | None = ...,
    star: Star | None = ...,
    reading: Reading | None = ...,
    weights: Weights | None = ...,
    queue: Queue | None = ...,
    visits: Visits | None = ...,
    relaxation: Relaxation | None = ...,
    precision: Literal["double"],
    device: Device = ...,
    devices: Sequence[int] | None = ...,
    threads: int = ...,
    progress: Progress | None = ...,
) -> NDArray[np.float64]: ...
@overload
def traveltimes(
    model: Model | CudaModel,
    source: ArrayLike | None = ...,
    *,
    front: ArrayLike | None = ...,
    start_time: ArrayLike = ...,
    together: bool = ...,
    until: float = ...,
    gradient: bool = ...,
    solver: Solver | Graph = ...,
    order: int = ...,
    radius: int | Sequence[int] | None = ...,
    star: Star | None = ...,
    reading: Reading | None = ...,
    weights: Weights | None = ...,
    queue: Queue | None = ...,
    visits: Visits | None = ...,
    relaxation: Relaxation | None = ...,
    precision: Precision = ...,
    device: Device = ...,
    devices: Sequence[int] | None = ...,
    threads: int = ...,
    progress: Progress | None = ...,
) -> Any: ...
@checked
def traveltimes(
    model: Model | CudaModel,
    source: ArrayLike | None = None,
    *,
    front: ArrayLike | None = None,
    start_time: ArrayLike = 0.0,
    together: bool = False,
    until: float = math.inf,
    gradient: bool = False,
    solver: Solver | Graph = "fim",
    order: int = 2,
    radius: int | Sequence[int] | None = None,
    star: Star | None = None,
    reading: Reading | None = None,
    weights: Weights | None = None,
    queue: Queue | None = None,
    visits: Visits | None = None,
    relaxation: Relaxation | None = None,
    precision: Precision = "single",
    device: Device = "auto",
    devices: Sequence[int] | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> Any:
    """First-arrival times on the model's nodes.

    Parameters
    ----------
    model
        Velocity; times are in its length unit over its velocity unit (km and km/s give s).
    source
        A position (x, y, z), or (x, z) in 2-D, anywhere in the model's closed box, on a node or
        between nodes; or an array (n, 3) or (n, 2) of them.
    front
        In place of a source: times of a wavefront on nodes, an array of the model's shape. A node
        with a finite time of at least 0 belongs to the front; NaN, infinite, negative and masked
        mean unknown. Not with "vidale" or the graph.
    start_time
        Start time of the source: one number, or one per source.
    together
        Return one field for all sources, with the earliest arrival of any of them.
    until
        The largest time of interest: later nodes are infinite, and most of them are not computed.
        Not with the graph.
    gradient
        Also return the gradient of the times: the direction of the wave, as long as the slowness.
        Not with the graph.
    solver
        "fim" fast iterative (default), "fmm" fast marching, "fsm" fast sweeping, "vidale" expanding
        box; "dijkstra" and "bellman-ford" shortest paths on the grid graph (single precision), or
        `Graph` with its options.
    order
        Order of the differences, 1 or 2. Not for graph solvers.
    radius
        Radius of the graph's star in nodes, one for all axes or one per axis (default: 5 in 2-D,
        3 in 3-D).
    star
        Edges of the graph: "coprime" (default) each direction once, "full" to every node of the
        star's box.
    reading
        Slowness along an edge: "linear" between nodes (default), "nearest" constant in cells around
        nodes.
    weights
        Times of the edges: "stored" once for all sources, "computed" when needed, "swapped" (stored
        in the host's memory, from which a CUDA device fetches them tile by tile), or "auto" (default).
    queue
        Queue of "dijkstra": "buckets" (default), or "heap" as in the papers.
    visits
        Tiles that a pass of "bellman-ford" visits: "ordered" (default) those that the wave is about to
        cross, "marked" all that a change can reach (paper 2's update map), "none" all (no map).
    relaxation
        What a visit of "bellman-ford" does: "tiles" (default) relaxes a tile until it rests; "jacobi" is
        papers 1 and 2 to the letter, once per node and pass, with visits "marked" (default) or "none".
    precision
        Precision of the computation and the result: "single" (float32) or "double" (float64).
    device
        "cpu", "cuda", "opengl" (solvers fim and bellman-ford), or "auto": the CUDA device if there is
        one and the solver supports it.
    devices
        Numbers of the CUDA devices that share the sources, such as [0, 1]; a device may be named
        twice. The result is that of one device, bit by bit. Default: the current one. For "fim".
    threads
        Number of threads, 0 for all cores. The result does not depend on it.
    progress
        True for a bar (by tqdm if it is installed, else plain lines on stderr), or a function that
        is called at intervals as progress(done, total, task).

    Returns
    -------
    ndarray
        The model's shape for one source or with `together`; (n, *shape) for an array of sources.
        Times are infinite where no wave arrives, as in air. If the velocity of the model is a CuPy
        or PyTorch array on a CUDA device, the result is an array of that library on the device,
        and nothing is copied; device="cpu" gives a NumPy array.
    (ndarray, ndarray)
        With gradient=True: the times, and an array with one more axis of 3 components (x, y, z), or
        2 (x, z) in 2-D. NaN where no wave arrives and at the source itself.

    Examples
    --------
    >>> import fermat as fm
    >>> model = fm.Model.gradient((51, 51), v0=2, gradient=0.5, spacing=0.1)  # km, km/s
    >>> import numpy as np
    >>> times = fm.traveltimes(model, source=(2.5, 0))
    >>> times.shape
    (51, 51)
    >>> print(f"{times[25, 50]:.3f} s straight down; exactly {2 * np.log(4.5 / 2):.3f} s")
    1.622 s straight down; exactly 1.622 s
    """
    name = solver.solver if isinstance(solver, Graph) else solver
    _fields.check(model, source, front, until, gradient, name, device)
    given = np.empty((0, model.ndim)) if source is None else arguments.numbers(source, "source")
    places = arguments.points(model, given, "source")
    starts = arguments.start_times(start_time, len(places))
    one = given.ndim == 1
    if front is not None or gradient or until != math.inf:
        _cuda.refuse(devices, "front, gradient and until")
        model = _cuda.on_host(model)
        return _fields.solve(
            model,
            places,
            starts,
            front,
            one,
            together,
            name,
            order,
            until,
            gradient,
            precision,
            device,
            threads,
            progress,
        )
    if isinstance(model, _core.CudaModel):
        _cuda.refuse(devices, "a model on a device")
        if device != "cpu":
            times = _core.cuda_traveltimes(
                model,
                places,
                starts,
                one or together,
                name,
                order,
                precision,
                listener(progress),
                _cuda.stream_of(model.velocity),
            )
            return _cuda.given_back(model, times)
        model = model.to_host()
    graph = {"radius": radius, "star": star, "reading": reading, "weights": weights, "queue": queue,
             "visits": visits, "relaxation": relaxation}
    options = arguments.solver(model, solver, order, graph)
    with _cuda.shared_by(devices, device) as chosen:
        options |= {"precision": precision, "device": chosen, "threads": threads}
        return _core.traveltimes(
            model, places, starts, one or together, options, listener(progress)
        )


@checked
def receiver_times(
    model: Model | CudaModel,
    sources: ArrayLike,
    receivers: ArrayLike,
    *,
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
    precision: Precision = "single",
    device: Device = "auto",
    devices: Sequence[int] | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> NDArray[np.float64]:
    """First-arrival times of every source at every receiver: an array (sources, receivers).

    Fields are not kept. Eikonal solvers solve one field per source or one per receiver, whichever
    is fewer; with precision="double" one per source. Options are those of `traveltimes`. Times are infinite where no wave arrives.

    >>> import fermat as fm
    >>> model = fm.Model.constant((101, 51), velocity=2.0, spacing=0.1)
    >>> fm.receiver_times(model, [(0, 0), (4, 0)], [(0, 3), (4, 3), (8, 3)]).round(3)
    array([[1.5  , 2.5  , 4.272],
           [2.5  , 1.5  , 2.5  ]])
    """
    model = _cuda.on_host(model)
    places = arguments.points(model, sources, "sources")
    stations = arguments.points(model, receivers, "receivers")
    starts = arguments.start_times(start_time, len(places))
    graph = {"radius": radius, "star": star, "reading": reading, "weights": weights, "queue": queue,
             "visits": visits, "relaxation": relaxation}
    options = arguments.solver(model, solver, order, graph)
    with _cuda.shared_by(devices, device) as chosen:
        options |= {"precision": precision, "device": chosen, "threads": threads}
        times = _core.receiver_times(
            model, places, starts, stations, options, listener(progress)
        )
    return times.reshape(len(places), len(stations))
