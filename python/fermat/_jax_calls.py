"""What XLA's custom calls of fermat.jax do: times and their derivatives, from memory to memory.

Nothing here imports JAX. Arguments are the velocity, sources, start times and receivers, and of
`derive` also dJ/dT. Each of them may have axes of vmap in front, of size 1 where it is the same for
all; results have these axes in full.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._adjoint import Differentiable, batch_shape, one_per_model, reduced, tell_unsettled
from ._adjoint_cuda import OnDevice
from ._cuda_memory import DeviceFloats, fetched, sent
from ._xla import Buffer, on_host

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ._arguments import Device
    from ._core import Model

__all__ = ["CudaMemory", "HostMemory", "known_model", "run"]

Options = dict[str, Any]
"""spacing, origin, given, cells, like, order, threads, at_nodes; ranks: axes of each argument without
vmap's."""

_known: dict[int, Model] = {}
"""Models that computations refer to, by number: XLA keeps options as text."""


def known_model(model: Model) -> int:
    """The number by which `like` names a model from now on."""
    for number, known in _known.items():
        if known is model:
            return number
    _known[len(_known)] = model
    return len(_known) - 1


class HostMemory:
    """Buffers that lie in the memory of the host: no copies."""

    device: Device = "cpu"
    _last: tuple[tuple[int, ...], Differentiable] | None = None

    def read(self, buffer: Buffer) -> NDArray[Any]:
        return on_host(buffer)

    def write(self, buffer: Buffer, values: Any) -> None:
        on_host(buffer)[...] = np.reshape(values, buffer.shape)

    def solve(self, task: Task, options: Options, times: Buffer) -> None:
        self.write(times, _through_host(self.read(task.velocity), task, options, self.device).times(keep=False))

    def derive(self, task: Task, options: Options, by: Buffer, by_slowness: Buffer) -> Any:
        survey = self._shared(task, options)
        slowness, *rest = survey.by_slowness(self.read(by))
        self.write(by_slowness, slowness)
        return (*rest, survey.unsettled)

    def _shared(self, task: Task, options: Options) -> Differentiable:
        """The survey of a task. Rows of a Jacobian follow one another: they share theirs, with its
        fields."""
        if self._last is None or self._last[0] != task.inputs:
            self._last = (task.inputs, _through_host(self.read(task.velocity), task, options, self.device))
            if task.is_shared:
                self._last[1].times(keep=True)
        return self._last[1]


class CudaMemory(HostMemory):
    """Buffers of a CUDA device. Velocity, times and their derivatives stay there, positions are
    fetched; float64 and cells are computed by the CPU, and pass through the host, through which
    media of another model's coordinates and anisotropy pass too."""

    device: Device = "cuda"

    def __init__(self, stream: int) -> None:
        self.stream = stream

    def read(self, buffer: Buffer) -> NDArray[Any]:
        return fetched(buffer, self.stream)

    def write(self, buffer: Buffer, values: Any) -> None:
        sent(np.reshape(np.asarray(values, dtype=buffer.dtype), buffer.shape), buffer, self.stream)

    def solve(self, task: Task, options: Options, times: Buffer) -> None:
        survey = self._survey(task, options)
        if survey is None:
            super().solve(task, options, times)
        else:
            survey.times(keep=False, out=DeviceFloats(times, self.stream))

    def derive(self, task: Task, options: Options, by: Buffer, by_slowness: Buffer) -> Any:
        survey = self._survey(task, options)
        if survey is None:
            return super().derive(task, options, by, by_slowness)
        out = DeviceFloats(by_slowness, self.stream)
        found = survey.gradient(DeviceFloats(by, self.stream), by_slowness=True, out=out)
        return (*found[1:], survey.unsettled)

    def _survey(self, task: Task, options: Options) -> OnDevice | None:
        plain = not options["cells"] and options.get("like") is None
        if task.velocity.dtype != np.float32 or not plain:
            return None
        grid = {name: options[name] for name in ("spacing", "origin", "order")}
        velocity = DeviceFloats(task.velocity, self.stream)
        return OnDevice(velocity, *task[1:4], given="velocity", **grid)


class Task(NamedTuple):
    """One medium with its sources and receivers."""

    velocity: Buffer
    sources: NDArray[np.float64]
    starts: NDArray[np.float64]
    receivers: NDArray[np.float64] | None
    number: int
    """Which part of the results it fills."""
    inputs: tuple[int, ...] = ()
    """Which elements of the arguments it takes: tasks with the same ones have the same times."""
    is_shared: bool = False
    """Whether other tasks have the same times."""


def _through_host(
    velocity: NDArray[Any], task: Task, options: Options, device: Device
) -> Differentiable:
    grid = {name: options[name] for name in ("spacing", "origin", "cells", "order", "threads")}
    number = options.get("like")
    like = None if number is None else _known[number]
    return Differentiable(
        velocity, *task[1:4], given="velocity", like=like,
        device="cpu" if like is None else device, **grid,
    )  # fmt: skip


def run(
    name: str,
    arguments: list[Buffer],
    results: list[Buffer],
    options: Options,
    memory: HostMemory,
) -> None:
    """`solve` or `derive`, whose messages also fit a medium that was given by its slowness."""
    try:
        {"solve": solve, "derive": derive}[name](arguments, results, options, memory)
    except ValueError as error:
        if options["given"] == "slowness" and str(error).startswith("velocity at"):
            raise ValueError(f"{error}; it is one over the slowness that was given") from None
        raise


def solve(
    arguments: list[Buffer], results: list[Buffer], options: Options, memory: HostMemory
) -> None:
    """Fills results[0] with times (*vmap, *models, *sources, *ends)."""
    times = results[0]
    axes = len(arguments[0].shape) - options["ranks"][0]
    tasks = list(_together(arguments, options, memory)) or list(
        _tasks(arguments, options, memory, times.shape[:axes])
    )
    for task in tasks:
        memory.solve(task, options, times.part(task.number, _ends(task, options)))


def derive(
    arguments: list[Buffer], results: list[Buffer], options: Options, memory: HostMemory
) -> None:
    """Fills in dJ by slowness, sources, start times and receivers."""
    axes = len(arguments[0].shape) - options["ranks"][0]
    vmapped = results[0].shape[:axes]
    by = arguments[4]
    models = _models(arguments, options)
    count = models[0] if models else 1
    parts: list[tuple[Any, ...]] = []
    unsettled = 0
    tasks = list(_tasks(arguments, options, memory, vmapped))
    for task in tasks:
        index = np.unravel_index(task.number // count, vmapped) if vmapped else ()
        ends = _ends(task, options)
        of_by = _place(by.shape[:axes], index) * count + task.number % count
        *found, left = memory.derive(
            task,
            options,
            by.part(of_by, ends),
            results[0].part(task.number, task.velocity.shape),
        )
        unsettled += left
        parts.append(tuple(found))
        if len(parts) == count:
            _write_positions(results, axes, task.number // count, parts, options, memory)
            parts = []
    tell_unsettled(unsettled)


def _write_positions(
    results: list[Buffer],
    axes: int,
    number: int,
    parts: list[tuple[Any, ...]],
    options: Options,
    memory: HostMemory,
) -> None:
    """Derivatives by sources, start times and receivers of all models, summed over them where the
    argument is one for all."""
    sources, starts, receivers = (np.stack(part) for part in zip(*parts, strict=True))
    shapes = [result.shape[axes:] for result in results[1:]]
    if len(shapes[0]) < 3:
        sources = sources.sum(axis=0)
    found = [sources, reduced(starts, shapes[1])]
    found.append(np.zeros(shapes[2]) if options["at_nodes"] else receivers.sum(axis=0))
    for result, shape, values in zip(results[1:], shapes, found, strict=True):
        memory.write(result.part(number, shape), values)


def _models(arguments: list[Buffer], options: Options) -> tuple[int, ...]:
    axes = len(arguments[0].shape) - options["ranks"][0]
    return batch_shape(arguments[0].shape[axes:], arguments[1].shape[axes:])


def _place(sizes: tuple[int, ...], index: tuple[Any, ...]) -> int:
    """Number of an element of vmap's axes, where an axis of size 1 is the same for all."""
    number = 0
    for size, at in zip(sizes, index, strict=True):
        number = number * size + (int(at) if size > 1 else 0)
    return number


def _ends(task: Task, options: Options) -> tuple[int, ...]:
    """Shape of the times of a task."""
    count = len(task.sources)
    if task.receivers is not None:
        return (count, len(task.receivers))
    return (count, *(n + int(options["cells"]) for n in task.velocity.shape))


def _tasks(
    arguments: list[Buffer], options: Options, memory: HostMemory, vmapped: tuple[int, ...]
) -> Iterator[Task]:
    """One after another: vmap's elements, and the models of each."""
    velocity = arguments[0]
    axes = len(velocity.shape) - options["ranks"][0]
    models = _models(arguments, options)
    grid = velocity.shape[axes + len(models) :]
    count = models[0] if models else 1
    small = [memory.read(argument) for argument in arguments[1:4]]
    sizes = [argument.shape[:axes] for argument in arguments[:4]]
    is_shared = prod(vmapped) > prod(np.broadcast_shapes(*sizes))
    for n, index in enumerate(np.ndindex(vmapped)):
        source, start, receivers = (
            a[tuple(i if size > 1 else 0 for i, size in zip(index, a.shape[:axes], strict=True))]
            for a in small
        )
        places, starts = one_per_model(source, start, models)
        spots = None
        if not options["at_nodes"]:
            spots = receivers.reshape(-1, places.shape[-1]).astype(np.float64)
        first = _place(velocity.shape[:axes], index) * count
        for m in range(count):
            part = velocity.part(first + m, grid)
            inputs = (first + m, *(_place(size, index) for size in sizes[1:]))
            yield Task(part, places[m], starts[m], spots, n * count + m, inputs, is_shared)


def _together(
    arguments: list[Buffer], options: Options, memory: HostMemory
) -> Iterator[Task]:
    """All sources of vmap as one survey, where medium and receivers are the same for all."""
    velocity, source, start, receivers = arguments[:4]
    axes = len(velocity.shape) - options["ranks"][0]
    same = [a.shape[:axes] for a in (velocity, receivers)]
    if not axes or _models(arguments, options) or any(n > 1 for sizes in same for n in sizes):
        return
    vmapped = np.broadcast_shapes(source.shape[:axes], start.shape[:axes])
    dim = source.shape[-1]
    each = source.shape[axes:-1]
    places = np.broadcast_to(memory.read(source), (*vmapped, *each, dim))
    per_source = (start.shape[axes:] or (1,)) if each else ()
    begins = memory.read(start).reshape(*start.shape[:axes], *per_source)
    starts = np.broadcast_to(begins, (*vmapped, *each))
    spots = None if options["at_nodes"] else memory.read(receivers).reshape(-1, dim).astype(float)
    yield Task(
        velocity.part(0, velocity.shape[axes:]),
        places.reshape(-1, dim).astype(np.float64),
        starts.reshape(-1).astype(np.float64),
        spots,
        0,
    )
