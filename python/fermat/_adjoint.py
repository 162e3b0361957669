"""Derivatives of first-arrival times: the adjoint of the solver, and what torch and jax share."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from . import _arguments as arguments
from . import _core, _cuda
from ._adjoint_cuda import on_device
from ._checked import checked
from ._differentiable import Survey, differentiable_times, goes_by_rays
from ._notes import tell
from ._progress import listener

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from ._arguments import Device, Precision, Progress
    from ._core import CudaModel, Model

__all__ = ["Adjoint", "adjoint"]

Given = Literal["velocity", "slowness"]

KEPT_BYTES = 2**30
"""Fields of up to so many bytes are kept from forward to backward; more are solved again."""

METRIC_BYTES = 56
"""Per node of a field in curved coordinates or an anisotropic medium: tau, T0 and its slopes."""


class Adjoint(NamedTuple):
    """Derivatives of an objective J by all that the times depend on.

    J's derivative by velocity is -slowness / velocity**2.
    """

    slowness: Any
    """By the slowness of every node, or of every cell in a model of cells. 0 in air. Of a model on
    a CUDA device, a float32 array of the velocity's library there."""
    source: NDArray[np.float64]
    """By the position of the source, or of each source."""
    start_time: NDArray[np.float64]
    """By the start time of the source, or of each source."""
    receivers: NDArray[np.float64]
    """By the position of each receiver, all sources together."""
    anisotropy: dict[str, NDArray[np.float64]] = {}
    """By the parameters of anisotropy of every node: "epsilon", "delta", "tilt" and "azimuth" (per
    degree), or the entries "xx", "yy", "zz", "xy", "xz", "yz" of the tensor ("xy" stands for xy and
    yx, which are equal); in 2-D those without y. Empty in isotropic media."""


@checked
def adjoint(
    model: Model | CudaModel,
    source: ArrayLike | None = None,
    *,
    front: ArrayLike | None = None,
    together: bool = False,
    by_times: ArrayLike | None = None,
    receivers: ArrayLike | None = None,
    by_receiver_times: ArrayLike | None = None,
    start_time: ArrayLike = 0.0,
    solver: Literal["fim", "fmm", "fsm"] = "fim",
    order: int = 2,
    precision: Precision = "single",
    device: Device = "auto",
    devices: Sequence[int] | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> Adjoint:
    """Derivatives of an objective J of first-arrival times, by the adjoint of the solver.

    From dJ/dT at nodes, at receivers or both: the derivatives by the slowness of every node or
    cell, by the positions of sources and receivers, and by start times. They are those of the
    computed times, exact to rounding wherever the scheme is differentiable. The price is about
    one more solve per source, whatever the number of receivers.

    Parameters
    ----------
    model
        Velocity on nodes or in cells, with any coordinates and anisotropy. In curved coordinates
        and anisotropic media the derivatives are those of times in double precision, which agree
        with `traveltimes` to single precision. Where velocity jumps, between cells or on rows,
        they are those of the times along rays, by the CPU, and only `by_receiver_times` can be
        given. If velocity is an array on a CUDA device, nothing but positions passes
        through the host, and all work runs on the current stream of the array's library.
    source
        A position (x, y, z), or (x, z) in 2-D; or an array (n, 3) or (n, 2) of them.
    front
        Instead of a source: start times on the nodes, as `traveltimes` takes them. `start_time` of
        the result is then an array of the model's shape: the derivative by each given time.
        Computed in double precision on the CPU.
    together
        The times are the earliest of any source: one field, as with `traveltimes(together=True)`.
        What J asks of a time goes to the source that it comes from.
    by_times
        dJ/dT on the nodes: the shape that `traveltimes` returns. Values where no wave arrives
        count for nothing.
    receivers
        Positions (m, 3) or (m, 2).
    by_receiver_times
        dJ/dT at the receivers: (m,) for one source, (n, m) for an array of sources. Needs
        `receivers`.
    start_time
        Start time of the source: one number, or one per source.
    solver
        "fim", "fmm" or "fsm", which solve the same equations.
    order
        Order of the differences, 1 or 2.
    precision
        Precision of the times: "single" or "double". Derivatives are summed up in double.
    device
        "auto", "cpu" or "cuda". A CUDA device computes with "fim", in single precision, and in
        curved coordinates and anisotropic media in double.
    devices
        Numbers of the CUDA devices that share the sources, such as [0, 1]. The result does not
        depend on it.
    threads
        Number of threads, 0 for all cores. The result does not depend on it.
    progress
        True for a bar, or a function progress(done, total, task).

    Returns
    -------
    Adjoint
        slowness, source, start_time, receivers, anisotropy.

    Examples
    --------
    The derivative of a time by slowness is how far the wave travels through each node's part of
    the medium; in a medium of one velocity the sum is the distance:

    >>> import fermat as fm
    >>> model = fm.Model.constant((31, 31), velocity=2, spacing=0.1)
    >>> found = fm.adjoint(model, (0.5, 0.5), receivers=[(2.5, 0.5)], by_receiver_times=[1])
    >>> round(float(found.slowness.sum()), 3)
    2.0
    >>> found.source.round(3) + 0.0
    array([-0.5,  0. ])
    """
    if (source is None) == (front is None):
        raise ValueError("source and front are both missing or both given (give one of them)")
    if by_times is None and by_receiver_times is None:
        raise ValueError(
            "neither by_times nor by_receiver_times is given (one is needed: dJ/dT)"
        )
    if (receivers is None) != (by_receiver_times is None):
        raise ValueError("receivers and by_receiver_times belong together (give both or none)")
    spots = np.empty((0, model.ndim)) if receivers is None else _spots(model, receivers)
    if front is not None:
        if together:
            raise ValueError("together is given with a front (it is for several sources)")
        return _of_front(
            _cuda.on_host(model), front, spots, by_times, by_receiver_times, solver, order, device,
            threads, progress,
        )  # fmt: skip
    assert source is not None
    places = arguments.points(model, source, "source")
    one = np.ndim(source) == 1
    starts = arguments.start_times(start_time, len(places))
    if isinstance(model, _core.CudaModel):
        if device != "cpu" and not together:
            if solver != "fim" or precision != "single":
                raise ValueError(
                    f"solver is {solver!r} and precision {precision!r} (the adjoint on the device "
                    "is of 'fim' in 'single': use them, or model.to_host())"
                )
            _cuda.refuse(devices, "a model on a device")
            there = on_device(model, places, starts, spots, by_times, by_receiver_times, order)
            tell_unsettled(there[4])
            sources, begins = (part[0] if one else part for part in there[1:3])
            return Adjoint(there[0], sources, begins, there[3])
        model = model.to_host()
    count = () if one or together else (len(places),)
    by_nodes = _shaped(by_times, (*count, *model.shape), "by_times", masked=0.0)
    by_spots = _shaped(by_receiver_times, (*count, len(spots)), "by_receiver_times")
    if _core.gradient_kind(model) != "plain":
        _cuda.refuse(devices, "those of curved coordinates, anisotropic media and jumps")
    with _cuda.shared_by(devices, device) as chosen:
        times = differentiable_times(
            model, None, places, starts, spots,
            solver=solver, order=order, precision=precision, device=chosen,
        )  # fmt: skip
        if together:
            by_nodes, by_spots = _to_the_first(times, by_nodes, by_spots, len(places), threads)
        found = times.gradient(by_nodes, by_spots, threads, listener(progress))
    tell_unsettled(found.unsettled)
    by_source, by_start = found.sources, found.start_times
    if one:
        by_source, by_start = by_source[0], by_start[0]
    return Adjoint(found.slowness, by_source, by_start, found.receivers, found.anisotropy)


def _to_the_first(
    times: Survey,
    by_nodes: NDArray[np.float64] | None,
    by_spots: NDArray[np.float64] | None,
    sources: int,
    threads: int,
) -> tuple[NDArray[np.float64] | None, NDArray[np.float64] | None]:
    """dJ by the times of every source from those by the earliest of them."""
    found: list[NDArray[np.float64] | None] = []
    for by, at_nodes in ((by_nodes, True), (by_spots, False)):
        if by is None:
            found.append(None)
            continue
        of_source = times.solve(at_nodes, False, threads, None).reshape(sources, *by.shape)
        first = of_source.argmin(axis=0)
        number = np.arange(sources).reshape(-1, *(1,) * by.ndim)
        found.append(np.where(number == first, by, 0.0))
    return found[0], found[1]


def _of_front(
    model: Model,
    front: ArrayLike,
    spots: NDArray[np.float64],
    by_times: ArrayLike | None,
    by_receiver_times: ArrayLike | None,
    solver: str,
    order: int,
    device: Device,
    threads: int,
    progress: Progress | None,
) -> Adjoint:
    """The adjoint of a wave that starts from times on nodes."""
    if device == "cuda":
        raise ValueError("device is 'cuda' (the adjoint of a front is computed by the CPU)")
    times = _shaped(front, model.shape, "front", masked=np.inf)
    assert times is not None
    by_nodes = _shaped(by_times, model.shape, "by_times", masked=0.0)
    by_spots = _shaped(by_receiver_times, (len(spots),), "by_receiver_times")
    found = _core.front_gradient(
        model, times, np.ascontiguousarray(spots), by_nodes, by_spots, solver, order, threads,
        listener(progress),
    )  # fmt: skip
    tell(found.notes)
    tell_unsettled(found.unsettled)
    return Adjoint(found.slowness, np.zeros(model.ndim), found.start_times, found.receivers)


def tell_unsettled(count: int) -> None:
    """Says how many nodes' equations are not solved, whose derivatives are not exact."""
    if count:
        one = count == 1
        tell(
            [
                f"{count} {'node' if one else 'nodes'} on the way {'has a time' if one else 'have times'} "
                f"that {'does not solve its equation' if one else 'do not solve their equations'} "
                "(fronts collide in a rough medium, where second order may not settle): derivatives "
                "through them are not exact (order=1 settles everywhere)"
            ]
        )


def _spots(model: Model | CudaModel, receivers: ArrayLike) -> NDArray[np.float64]:
    return arguments.points(model, receivers, "receivers")


def _shaped(
    values: ArrayLike | None, shape: tuple[int, ...], what: str, masked: float | None = None
) -> NDArray[np.float64] | None:
    if values is None:
        return None
    array = arguments.numbers(values, what, masked=masked)
    if array.shape == (1, *shape):  # of one source, as receiver_times returns it
        array = array[0]
    if array.shape != shape:
        raise ValueError(f"{what} has shape {array.shape} (must be {shape})")
    return array


class Differentiable:
    """Times of one medium and their derivatives, from arrays to arrays.

    Precision follows the medium's type. Positions are (n, 2) or (n, 3), start times (n,). Times
    at receivers are solved from the side that has fewer points (reciprocity).
    """

    def __init__(
        self,
        medium: NDArray[Any],
        sources: NDArray[np.float64],
        start_times: NDArray[np.float64],
        receivers: NDArray[np.float64] | None,
        *,
        spacing: float | Sequence[float],
        origin: float | Sequence[float],
        given: Given,
        cells: bool,
        order: int,
        threads: int,
        device: Device = "cpu",
        like: Model | None = None,
    ) -> None:
        self.medium = np.array(medium)
        self.given = given
        self.threads = threads
        self.at_nodes = receivers is None
        full = self.medium.dtype == np.float64
        velocity, exact = _velocity_and_slowness(self.medium, given)
        if like is None:
            self.model = _core.Model(velocity, spacing=spacing, origin=origin, cells=cells)
        else:
            self.model = _core.with_velocity(like, velocity)
        self.starts = start_times
        spots = np.empty((0, sources.shape[1])) if receivers is None else receivers
        if cells and device == "cuda" and not full:
            _tell_cells_on_cpu()
        self.is_plain = _core.gradient_kind(self.model) == "plain"
        on_cpu_alone = full or cells or like is not None
        needs_cpu = on_cpu_alone if self.is_plain else goes_by_rays(self.model)

        def survey(
            places: NDArray[np.float64], starts: NDArray[np.float64], others: NDArray[np.float64]
        ) -> Survey:
            return differentiable_times(
                self.model,
                exact,
                places,
                starts,
                others,
                order=order,
                precision="double" if full else "single",
                device="cpu" if needs_cpu else device,
            )

        self.survey = survey(sources, start_times, spots)
        self.swapped = receivers is not None and 0 < len(spots) < len(sources)
        if self.swapped:
            try:
                self.survey = survey(spots, np.zeros(len(spots)), sources)
            except ValueError:  # a receiver in air is no source
                self.swapped = False
        self.counts = (len(sources), len(spots))
        self.unsettled = 0
        """Nodes that the last gradient went through and whose equations are not solved."""

    def times(self, keep: bool = True) -> NDArray[Any]:
        """Times (n, *shape) or (n, receivers), of the medium's type."""
        solves = self.counts[1] if self.swapped else self.counts[0]
        per_node = self.medium.dtype.itemsize if self.is_plain else METRIC_BYTES
        bytes_ = solves * int(np.prod(self.model.shape)) * per_node
        flat = self.survey.solve(
            self.at_nodes, keep and bytes_ <= KEPT_BYTES, self.threads, None
        )
        flat = np.asarray(flat, dtype=self.medium.dtype)
        if self.at_nodes:
            return flat.reshape(self.counts[0], *self.model.shape)
        if not self.swapped:
            return flat.reshape(self.counts)
        found = flat.reshape(self.counts[::-1]).T + self.starts[:, None]
        return np.ascontiguousarray(found, dtype=self.medium.dtype)

    def by_slowness(
        self, by_times: NDArray[Any]
    ) -> tuple[NDArray[np.float64], NDArray[Any], NDArray[Any], NDArray[Any]]:
        """dJ by slowness in double, the sources, the start times and the receivers."""
        by = np.asarray(by_times, dtype=np.float64)
        if self.at_nodes:
            found = self.survey.gradient(np.ascontiguousarray(by), None, self.threads, None)
        else:
            by = by.reshape(self.counts)
            turned = np.ascontiguousarray(by.T if self.swapped else by)
            found = self.survey.gradient(None, turned, self.threads, None)
        self.unsettled = found.unsettled
        if self.swapped:
            return found.slowness, found.receivers, by.sum(axis=1), found.sources
        return found.slowness, found.sources, found.start_times, found.receivers

    def gradient(
        self, by_times: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
        """dJ by the medium, the sources, the start times and the receivers."""
        slowness, *rest = self.by_slowness(by_times)
        if self.given == "velocity":
            v = self.medium.astype(np.float64)
            safe = np.where(v > 0, v, 1)
            slowness = np.where(v > 0, -slowness / safe**2, 0)
        return slowness.astype(self.medium.dtype), rest[0], rest[1], rest[2]


@cache
def _tell_cells_on_cpu() -> None:
    """Once, not in every iteration. Cells without jumps may have some after the next one, and only
    the CPU has derivatives there."""
    tell(
        [
            "cells are computed by the CPU, also where the medium is on a CUDA device (where "
            "velocity jumps between them, only the CPU has derivatives; a medium of nodes stays on "
            "its device)"
        ]
    )


def _velocity_and_slowness(
    medium: NDArray[Any], given: Given
) -> tuple[NDArray[np.float32], NDArray[np.float64] | None]:
    """Velocity in single precision, 0 in air, and of a medium in double its slowness, infinite in
    air."""
    full = medium.dtype == np.float64
    if given == "velocity":
        if not (medium.min(initial=0) >= 0 and medium.max(initial=0) < np.inf):
            _refuse(medium, ~(medium >= 0) | np.isinf(medium), "velocity", "0")
        with np.errstate(divide="ignore"):
            return medium.astype(np.float32, copy=False), 1 / medium if full else None
    if given != "slowness":
        raise ValueError(f"given is {given!r} (must be 'velocity' or 'slowness')")
    if not medium.min(initial=np.inf) > 0:
        _refuse(medium, ~(medium > 0), "slowness", "inf")
    velocity = (1 / medium.astype(np.float64, copy=False)).astype(np.float32)
    return velocity, medium if full else None


def _refuse(values: NDArray[Any], bad: NDArray[np.bool_], what: str, air: str) -> None:
    where = tuple(int(i) for i in np.argwhere(bad)[0])
    raise ValueError(f"{what} at {where} is {values[where]:g} (must be > 0, or {air} for air)")


def batch_shape(medium: tuple[int, ...], source: tuple[int, ...]) -> tuple[int, ...]:
    """The models' part of a medium's shape, () or (models,), by the dimension of the source."""
    dim = source[-1] if source else 0
    if dim not in (2, 3):
        raise ValueError(
            f"source has shape {source} (must be (x, z) or (x, y, z), or an array of them)"
        )
    models = medium[:-dim] if len(medium) >= dim else None
    if models is None or len(models) > 1:
        raise ValueError(
            f"medium has shape {medium} (must have {dim} axes, as the source has {dim} "
            f"coordinates, or {dim + 1}: one model after another)"
        )
    return models


def one_per_model(
    source: NDArray[Any], start_time: NDArray[Any], models: tuple[int, ...]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sources (models, n, dim) and start times (models, n)."""
    count = models[0] if models else 1
    dim = source.shape[-1]
    if source.ndim > 2 + len(models) or (source.ndim == 3 and source.shape[0] != count):
        raise ValueError(
            f"source has shape {source.shape} (must be ({dim},), (n, {dim})"
            + (f" or ({count}, n, {dim}), one row per model)" if models else ")")
        )
    if not models and source.ndim < 3 and start_time.ndim == 0:  # the common case
        one = source.astype(np.float64).reshape(1, -1, dim)
        return one, np.full(one.shape[:2], float(start_time))
    places = np.broadcast_to(
        source.reshape((-1, dim)) if source.ndim < 3 else source,
        (count, 1 if source.ndim == 1 else source.shape[-2], dim),
    )
    try:
        starts = np.broadcast_to(start_time, places.shape[:2])
    except ValueError:
        raise ValueError(
            f"start_time has shape {start_time.shape} (must be one number, or one for each of "
            f"the {places.shape[1]} sources)"
        ) from None
    return places.astype(np.float64), starts.astype(np.float64)


def receiver_places(receivers: NDArray[Any], dim: int) -> NDArray[Any]:
    """Receivers (m, dim), from those or from one position."""
    if receivers.ndim not in (1, 2) or receivers.shape[-1] != dim:
        raise ValueError(
            f"receivers has shape {tuple(receivers.shape)} (must be (m, {dim}), as the source has "
            f"{dim} coordinates)"
        )
    return receivers.reshape(-1, dim)


def reduced(values: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """A derivative by what was broadcast: summed back to the given shape."""
    extra = values.ndim - len(shape)
    values = values.sum(axis=tuple(range(extra))) if extra else values
    axes = tuple(i for i, n in enumerate(shape) if n == 1 and values.shape[i] != 1)
    return values.sum(axis=axes, keepdims=True) if axes else values.reshape(shape)
