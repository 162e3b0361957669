"""Picks of a known model: first arrivals as if they had been picked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _arguments as arguments
from . import _core, _cuda
from ._checked import checked
from ._picks import Picks
from ._progress import listener
from ._rays import _pairs

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ._arguments import Device, Progress, Solver
    from ._core import CudaModel, Model

__all__ = ["synthetic_picks"]


@checked
def synthetic_picks(
    model: Model | CudaModel,
    sources: ArrayLike,
    receivers: ArrayLike,
    *,
    pairs: ArrayLike | None = None,
    noise: float = 0.0,
    seed: int = 1,
    solver: Solver = "fim",
    order: int = 2,
    device: Device = "auto",
    threads: int = 0,
    progress: Progress | None = None,
) -> Picks:
    """First arrivals of a model as if they had been picked.

    Pairs without a time (air lies at or between their points) are left out. Gaussian noise of the
    standard deviation `noise` is added, which is then also the picks' error; the same `seed` gives
    the same noise everywhere. Other parameters are those of `rays`.

    >>> import fermat as fm
    >>> model = fm.Model.constant((11, 6), velocity=2)
    >>> fm.synthetic_picks(model, (0, 0), [(4, 0), (10, 0)]).time
    array([2., 5.])
    """
    model = _cuda.on_host(model)
    places = arguments.points(model, sources, "sources")
    stations = arguments.points(model, receivers, "receivers")
    if pairs is None:
        grid = np.indices((len(places), len(stations)), dtype=np.int32)
        which = np.ascontiguousarray(grid.reshape(2, -1).T)
    else:
        which = _pairs(pairs)
    source, receiver, time, _ = _core.synthetic_picks(
        model,
        places,
        stations,
        which,
        noise,
        seed,
        solver,
        order,
        device,
        threads,
        listener(progress),
    )
    return Picks(
        places,
        stations,
        source=source,
        receiver=receiver,
        time=time,
        error=noise if noise > 0 else None,
    )
