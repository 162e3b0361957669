"""Times of a medium on a CUDA device and their derivatives: arrays of its library in and out."""

from __future__ import annotations

from math import prod
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
        self.medium = medium
        self.given = given
        self.at_nodes = receivers is None
        self.starts = np.ascontiguousarray(start_times, dtype=np.float64)
        self.sources = np.ascontiguousarray(sources, dtype=np.float64)
        spots = np.empty((0, sources.shape[1])) if receivers is None else receivers
        self.spots = np.ascontiguousarray(spots, dtype=np.float64)
        self.grid = (spacing, origin)
        self.order = order
        self.shape = tuple(medium.shape)
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
            _cuda.address_of(self.medium),
            self.shape,
            *self.grid,
            places,
            starts,
            others,
            self.order,
            _cuda.stream_of(self.medium),
            self.given,
        )

    def times(self, keep: bool = True, most_bytes: int = 2**30, out: Any = None) -> Any:
        """Times (n, *shape) or (n, receivers), of the medium's library; in `out` if it is given."""
        solves = self.counts[1] if self.swapped else self.counts[0]
        keep = keep and 4 * solves * prod(self.shape) <= most_bytes
        stream = _cuda.stream_of(self.medium)
        if self.swapped:
            try:
                turned = _cuda.empty(self.medium, self.counts[::-1])
                self.survey.solve(_cuda.address_of(turned), False, keep, stream)
                return _cuda.transposed(turned, plus=self.starts, out=out)
            except ValueError:  # a receiver in air is no source
                self.swapped = False
                self.survey = self._survey()
        times = out
        if times is None:
            shape = (self.counts[0], *self.shape) if self.at_nodes else self.counts
            times = _cuda.empty(self.medium, shape)
        self.survey.solve(_cuda.address_of(times), self.at_nodes, keep, stream)
        return times

    def gradient(
        self, by_times: Any, by_slowness: bool = False, out: Any = None, by_position: bool = True
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """dJ by the medium, or its slowness (in `out` if it is given), the sources, the start times
        and the receivers. Without `by_position`, those of sources or receivers may be NaN."""
        by = _cuda.placed(self.medium, by_times)
        if not self.at_nodes:
            by = by.reshape(self.counts)
        by_medium = _cuda.empty(self.medium, self.shape) if out is None else out
        by_velocity = self.given == "velocity" and not by_slowness
        try:
            turned = _cuda.transposed(by) if self.swapped else by
            found = self.survey.gradient(
                _cuda.address_of(turned),
                self.at_nodes,
                _cuda.address_of(by_medium),
                by_velocity,
                _cuda.stream_of(self.medium),
                by_position,
            )
        except ValueError:  # a receiver in air is no source
            if not self.swapped:
                raise
            self.swapped = False
            self.survey = self._survey()
            return self.gradient(by_times, by_slowness, by_medium, by_position)
        sources, starts, receivers, self.unsettled = found
        if self.swapped:
            starts = _cuda.row_sums(by)
            sources, receivers = receivers, sources
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
        _cuda.address_of(velocity),
        model.shape,
        model.spacing,
        model.origin,
        sources,
        start_times,
        receivers,
        order,
        stream,
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
        found = survey.gradient(
            _cuda.address_of(given), at_nodes, _cuda.address_of(by_slowness), False, stream
        )
        parts.append((by_slowness, *found))
    if len(parts) == 1:
        return parts[0]
    return tuple(a + b for a, b in zip(*parts, strict=True))
