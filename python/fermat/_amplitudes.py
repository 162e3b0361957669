"""What rays carry: geometrical spreading and directions of take-off, from a time field."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from . import _arguments as arguments
from . import _core, _cuda
from ._checked import checked
from ._progress import listener

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ._arguments import Progress
    from ._core import CudaModel, Model

__all__ = ["Amplitudes", "amplitudes"]


class Amplitudes(NamedTuple):
    """Times of a point source and what its rays carry, on the nodes."""

    times: NDArray[np.float64]
    """First arrivals; infinite where no wave arrives."""
    spreading: NDArray[np.float64]
    """L, of which L**2 is the area of a wavefront per solid angle of take-off; in 2-D, its length
    per angle. Where velocity is constant it is the distance r, in 2-D sqrt(r). Infinite where no
    wave arrives; NaN where rays cross, as behind a slow body, where there is no one ray."""
    amplitude: NDArray[np.float64]
    """sqrt(v / v_source) / spreading: of pressure where density is constant, without loss at
    interfaces; 1/r at the distance r where velocity is constant."""
    takeoff: NDArray[np.float64]
    """The direction in which the ray to a node leaves the source, of length 1, with one more axis:
    (x, y, z), or (x, z) in 2-D. z is depth: a ray that leaves upwards has a negative z. 0 at the
    source and where no wave arrives."""


@checked
def amplitudes(
    model: Model | CudaModel,
    source: ArrayLike,
    *,
    start_time: float = 0.0,
    order: int = 2,
    threads: int = 0,
    progress: Progress | None = None,
) -> Amplitudes:
    """Geometrical spreading, amplitude and take-off directions of first arrivals.

    They follow from derivatives of the time by places of nodes and of the source. The derivative
    by the source is that of the solver's own equations (see `adjoint`), in double precision on
    the CPU.

    Parameters
    ----------
    model
        Isotropic velocity on nodes of a Cartesian grid, or in cells between which it does not jump.
        Amplitudes hang on the curvature of the velocity: smooth media are needed.
    source
        A position (x, y, z), or (x, z) in 2-D.
    start_time
        Start time of the source.
    order
        Order of the differences, 1 or 2.
    threads
        Number of threads, 0 for all cores. The result does not depend on it.
    progress
        True for a bar, or a function progress(done, total, task).

    Returns
    -------
    Amplitudes
        times, spreading, amplitude, takeoff.

    Examples
    --------
    >>> import fermat as fm
    >>> model = fm.Model.constant((21, 21, 21), velocity=2, spacing=0.1)
    >>> found = fm.amplitudes(model, (1, 1, 0))
    >>> round(float(found.spreading[10, 10, 20]), 6)  # 2 below the source
    2.0
    >>> (found.takeoff[10, 10, 20].round(6) + 0.0).tolist()
    [0.0, 0.0, 1.0]
    """
    model = _cuda.on_host(model)
    if np.ndim(source) != 1:
        raise ValueError(f"source has {np.ndim(source)} axes (must be one position)")
    place = arguments.points(model, source, "source")
    times, spreading, takeoff = _core.amplitudes(
        model, place, np.array([float(start_time)]), order, threads, listener(progress)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        slowness = model.to_nodes().slowness.astype(np.float64)
        ratio = _core.slowness_at(model, place)[0] / slowness
        amplitude = np.where(np.isfinite(times), np.sqrt(ratio) / spreading, 0.0)
    return Amplitudes(times, spreading, amplitude, takeoff.reshape(*model.shape, model.ndim))

