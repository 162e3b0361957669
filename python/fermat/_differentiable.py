"""Differentiable times of every medium: which of the core's surveys a model needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from . import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._arguments import Device, Precision, Progress

__all__ = ["Found", "Survey", "differentiable_times", "goes_by_rays"]


class Found(Protocol):
    """What an adjoint found: dJ by all that times depend on."""

    @property
    def slowness(self) -> Any: ...
    @property
    def sources(self) -> Any: ...
    @property
    def start_times(self) -> Any: ...
    @property
    def receivers(self) -> Any: ...
    @property
    def unsettled(self) -> int: ...
    @property
    def anisotropy(self) -> dict[str, Any]: ...


class _AlongRays(NamedTuple):
    """What derivatives along rays found."""

    slowness: NDArray[np.float64]
    sources: NDArray[np.float64]
    start_times: NDArray[np.float64]
    receivers: NDArray[np.float64]
    unsettled: int
    anisotropy: dict[str, NDArray[np.float64]]



class Survey(Protocol):
    """Times of sources at nodes or receivers, and what dJ/dT says of all that they depend on."""

    def solve(
        self, at_nodes: bool, keep: bool, threads: int, progress: Any
    ) -> NDArray[Any]: ...

    def gradient(
        self,
        by_nodes: NDArray[np.float64] | None,
        by_receivers: NDArray[np.float64] | None,
        threads: int,
        progress: Any,
    ) -> Found: ...


def goes_by_rays(model: _core.Model) -> bool:
    """Whether derivatives are those along rays: where velocity jumps between cells or on rows."""
    return _core.gradient_kind(model) == "rays"


def differentiable_times(
    model: _core.Model,
    slowness: NDArray[np.float64] | None,
    sources: NDArray[np.float64],
    start_times: NDArray[np.float64],
    receivers: NDArray[np.float64],
    *,
    solver: str = "fim",
    order: int = 2,
    precision: Precision = "single",
    device: Device = "cpu",
) -> Survey:
    """The survey that a model needs. `slowness` is what its velocities are rounded from."""
    places = (
        np.ascontiguousarray(sources, dtype=np.float64),
        np.ascontiguousarray(start_times, dtype=np.float64),
        np.ascontiguousarray(receivers, dtype=np.float64),
    )
    kind = _core.gradient_kind(model)
    if kind != "plain" and solver != "fim":
        raise ValueError(
            f"solver is {solver!r} (must be 'fim': gradients in other than plain models are of its "
            "fields)"
        )
    if kind == "rays":
        if device == "cuda":
            raise ValueError(
                "device is 'cuda' (gradients where velocity jumps are computed by the CPU: use "
                "'auto' or 'cpu')"
            )
        return RayTimes(model, slowness, *places, order=order)
    if kind == "metric":
        return _core.MetricTimes(model, slowness, *places, order, device)
    return _core.DifferentiableTimes(model, slowness, *places, solver, order, precision, device)


class RayTimes:
    """Times along rays and their derivatives, where velocity jumps. By Fermat's principle a ray
    need not move: the derivative of its time is its length in each cell, or its weight on each
    node. Times are these rows times slowness: in cells, along the ray with one velocity in each."""

    def __init__(
        self,
        model: _core.Model,
        slowness: NDArray[np.float64] | None,
        sources: NDArray[np.float64],
        start_times: NDArray[np.float64],
        receivers: NDArray[np.float64],
        *,
        order: int,
    ) -> None:
        self.model = model
        self.sources = sources
        self.starts = start_times
        self.receivers = receivers
        self.order = order
        if slowness is None:
            with np.errstate(divide="ignore"):
                slowness = 1 / model.velocity.astype(np.float64)
        self.slowness = np.where(np.isfinite(slowness), slowness, 0.0).ravel()
        self._rays: Any = None
        self._rows: Any = None

    def _traced(self, threads: int, progress: Progress | None) -> tuple[Any, Any]:
        """Rays and their rows."""
        from ._rays import rays

        if self._rays is None:
            self._rays = rays(
                self.model,
                self.sources,
                self.receivers,
                order=self.order,
                start_time=self.starts,
                device="cpu",
                threads=threads,
                progress=progress,
            )
            basis = "cells" if self.model.cells else "nodes"
            self._rows = self._rays.sensitivity(basis, threads=threads)
        return self._rays, self._rows

    def solve(self, at_nodes: bool, keep: bool, threads: int, progress: Any) -> NDArray[Any]:
        if at_nodes:
            raise ValueError(_NO_NODES)
        traced, rows = self._traced(threads, progress)
        times = self.starts[traced.source] + rows @ self.slowness
        if not keep:
            self._rays = self._rows = None
        return np.where(np.isfinite(traced.times), times, np.inf)

    def gradient(
        self,
        by_nodes: NDArray[np.float64] | None,
        by_receivers: NDArray[np.float64] | None,
        threads: int,
        progress: Any,
    ) -> Found:
        if by_nodes is not None or by_receivers is None:
            raise ValueError(_NO_NODES)
        traced, rows = self._traced(threads, progress)
        count = len(self.sources), len(self.receivers)
        arrived = np.isfinite(traced.times)
        by = np.where(arrived, by_receivers.ravel(), 0.0)
        if not np.isfinite(by).all():
            raise ValueError(
                "a derivative by a time at a receiver is not finite (must be, where a wave arrives)"
            )
        slowness = np.asarray(rows.T @ by).reshape(self.model.velocity.shape)
        at_source, at_receiver = _core.ray_end_slopes(self.model, traced._rays)
        grid = by.reshape(count)
        return _AlongRays(
            slowness,
            (by[:, None] * at_source).reshape(*count, -1).sum(axis=1),
            grid.sum(axis=1),
            (by[:, None] * at_receiver).reshape(*count, -1).sum(axis=0),
            0,
            self._by_anisotropy(traced, by, threads),
        )

    def _by_anisotropy(
        self, traced: Any, by: NDArray[np.float64], threads: int
    ) -> dict[str, NDArray[np.float64]]:
        axes = "xz" if self.model.ndim == 2 else "xyz"
        names = {
            "none": [],
            "thomsen": ["epsilon", "delta"],
            "elliptical": [a + b for a in axes for b in axes if a <= b],
        }[self.model.anisotropy]
        return {
            name: np.asarray(
                traced.sensitivity("nodes", parameter=name, threads=threads).T @ by
            ).reshape(self.model.shape)
            for name in names
        }


_NO_NODES = (
    "times on nodes have no gradient where velocity jumps (derivatives there go by rays: give "
    "receivers and by_receiver_times)"
)
