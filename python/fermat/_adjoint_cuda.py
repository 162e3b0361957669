"""Times of a medium on a CUDA device and their derivatives: arrays of its library in and out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _cuda

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ._adjoint import Given
    from ._core import CudaModel

__all__ = ["OnDevice", "on_device"]


class OnDevice:
    """The same as `Differentiable`, of a float32 medium on nodes that lies on a CUDA device.

    Medium, times and their derivatives stay there, and all work runs on the current stream of
    the medium's library. Positions and start times are NumPy arrays, as their derivatives are.
    """

    def __init__(
        self,
        medium: Any,
        sources: NDArray[np.float64],
        start_times: NDArray[np.float64],
        receivers: NDArray[np.float64] | None,
        *,
        spacing: float | Sequence[float],
        origin: float | Sequence[float],
        given: Given,
        order: int,
    ) -> None:
        self.given = given
        self.velocity = _velocity(medium, given)
        self.at_nodes = receivers is None
        self.starts = np.ascontiguousarray(start_times, dtype=np.float64)
        self.sources = np.ascontiguousarray(sources, dtype=np.float64)
        self.spots = np.empty((0, sources.shape[1])) if receivers is None else receivers
        self.spots = np.ascontiguousarray(self.spots, dtype=np.float64)
        self.grid = {"spacing": spacing, "origin": origin, "order": order}
        self.counts = (len(self.sources), len(self.spots))
        self.swapped = receivers is not None and 0 < self.counts[1] < self.counts[0]
        self.survey = self._survey()
        self.unsettled = 0
        """Nodes that the last gradient went through and whose equations are not solved."""

    def _survey(self) -> _core.TimesOnCuda:
        places, starts, others = self.sources, self.starts, self.spots
        if self.swapped:
            places, starts, others = self.spots, np.zeros(self.counts[1]), self.sources
        return _core.TimesOnCuda(
            self.velocity,
            sources=places,
            start_times=starts,
            receivers=others,
            stream=_cuda.stream_of(self.velocity),
            **self.grid,  # type: ignore[arg-type]
        )

    def times(self, keep: bool = True, most_bytes: int = 2**30, out: Any = None) -> Any:
        """Times (n, *shape) or (n, receivers), of the medium's library; in `out` if it is given."""
        shape = tuple(self.velocity.shape)
        solves = self.counts[1] if self.swapped else self.counts[0]
        keep = keep and 4 * solves * int(np.prod(shape)) <= most_bytes
        if self.swapped:
            try:
                turned = _cuda.empty(self.velocity, self.counts[::-1])
                self.survey.solve(turned, False, keep, _cuda.stream_of(self.velocity))
                return _cuda.transposed(turned, plus=self.starts, out=out)
            except ValueError:  # a receiver in air is no source
                self.swapped = False
                self.survey = self._survey()
        times = out
        if times is None:
            times = _cuda.empty(
                self.velocity, (self.counts[0], *shape) if self.at_nodes else self.counts
            )
        self.survey.solve(times, self.at_nodes, keep, _cuda.stream_of(self.velocity))
        return times

    def by_slowness(
        self, by_times: Any, out: Any = None
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """dJ by slowness (in `out` if it is given), the sources, the start times and the receivers."""
        by = _cuda.placed(self.velocity, by_times)
        if not self.at_nodes:
            by = by.reshape(self.counts)
        by_medium = _cuda.empty(self.velocity, tuple(self.velocity.shape)) if out is None else out
        try:
            turned = _cuda.transposed(by) if self.swapped else by
            found = self.survey.gradient(
                turned, self.at_nodes, by_medium, _cuda.stream_of(self.velocity)
            )
        except ValueError:  # a receiver in air is no source
            if not self.swapped:
                raise
            self.swapped = False
            self.survey = self._survey()
            return self.by_slowness(by_times, by_medium)
        sources, starts, receivers, self.unsettled = found
        if self.swapped:
            starts = _cuda.row_sums(by)
            sources, receivers = receivers, sources
        return by_medium, sources, starts, receivers

    def gradient(
        self, by_times: Any
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """dJ by the medium, the sources, the start times and the receivers."""
        by_medium, sources, starts, receivers = self.by_slowness(by_times)
        if self.given == "velocity":
            v, library = self.velocity, _cuda.library_of(self.velocity)
            by_medium = library.where(v > 0, -by_medium / (v * v), library.zeros_like(v))
        return by_medium, sources, starts, receivers


def on_device(
    model: CudaModel,
    sources: NDArray[np.float64],
    start_times: NDArray[np.float64],
    receivers: NDArray[np.float64],
    by_times: Any,
    by_receiver_times: Any,
    order: int,
) -> tuple[Any, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], int]:
    """dJ by slowness, sources, start times and receivers, and the nodes that are not settled."""
    velocity, stream = model.velocity, _cuda.stream_of(model.velocity)
    survey = _core.TimesOnCuda(
        velocity, model.spacing, model.origin, sources, start_times, receivers, order, stream
    )
    parts = []
    for by, at_nodes in ((by_times, True), (by_receiver_times, False)):
        if by is None:
            continue
        what = "by_times" if at_nodes else "by_receiver_times"
        shape = model.shape if at_nodes else (len(receivers),)
        given = _cuda.placed(velocity, by)
        if tuple(given.shape) not in ((len(sources), *shape), shape)[: 3 - min(len(sources), 2)]:
            raise ValueError(
                f"{what} has shape {tuple(given.shape)} (must be {(len(sources), *shape)})"
            )
        by_slowness = _cuda.empty(velocity, model.shape)
        parts.append((by_slowness, *survey.gradient(given, at_nodes, by_slowness, stream)))
    if len(parts) == 1:
        return parts[0]
    return tuple(a + b for a, b in zip(*parts, strict=True))


def _velocity(medium: Any, given: Given) -> Any:
    """Velocity on the device: the medium itself, or one over a slowness, 0 in air."""
    if given == "velocity":
        return medium
    if given != "slowness":
        raise ValueError(f"given is {given!r} (must be 'velocity' or 'slowness')")
    bad = ~(medium > 0)
    if bool(bad.any()):
        where = tuple(int(i[0]) for i in _cuda.library_of(medium).where(bad))
        raise ValueError(
            f"slowness at {where} is {float(medium[where]):g} (must be > 0, or inf for air)"
        )
    return 1 / medium
