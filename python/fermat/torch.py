"""First-arrival times as a differentiable function of PyTorch.

    import torch, fermat.torch as ft
    velocity = torch.full((81, 41), 2.0, dtype=torch.float64, requires_grad=True)
    times = ft.traveltimes(velocity, source=(1, 0), spacing=0.05, receivers=[(3, 0), (3.5, 0)])
    times.sum().backward()
    velocity.grad

PyTorch is not a dependency of fermat: this module imports it.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

try:
    import torch  # type: ignore[import-not-found,unused-ignore]
    from torch.autograd import forward_ad  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    raise ImportError("fermat.torch needs PyTorch (pip install torch)") from None

from ._adjoint import (
    Differentiable,
    batch_shape,
    one_per_model,
    receiver_places,
    reduced,
    tell_unsettled,
)
from ._adjoint_cuda import OnDevice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._adjoint import Given
    from ._core import Model

__all__ = ["traveltimes"]


def traveltimes(
    medium: Any,
    source: Any,
    spacing: float | Sequence[float] | None = None,
    *,
    receivers: Any = None,
    start_time: Any = 0.0,
    given: Given = "velocity",
    origin: float | Sequence[float] = 0.0,
    cells: bool = False,
    like: Model | None = None,
    order: int = 2,
    threads: int = 0,
) -> Any:
    """First-arrival times, differentiable by everything they depend on.

    Parameters
    ----------
    medium
        Velocity (0 is air) or, with given="slowness", slowness (inf is air): a tensor of the
        grid's shape, or (models, *shape) for several models. Its type, float32 or float64, is
        that of the computation and of the times. If it is on a CUDA device, times and gradients
        are too. A float32 tensor of nodes stays there: neither it nor times nor gradients pass
        through the memory of the host, and all work runs on the current stream. The CPU computes
        float64 and cells.
    source
        A position (x, z) or (x, y, z), a tensor (n, 2) or (n, 3) of them, or (models, n, ...).
    spacing
        Distance of the nodes: one number, or one per axis. 1 if it is not given.
    receivers
        Positions (m, 2) or (m, 3): then times are returned there, not on the nodes.
    start_time
        Start time: one number, or one per source.
    given
        "velocity" or "slowness".
    origin
        Position of the first node.
    cells
        Whether the values are those of the cells between nodes.
    like
        A model whose grid, coordinates and anisotropy are meant, in place of spacing, origin and
        cells. Positions are then those of its users, such as latitude, longitude and depth.
        Where velocity jumps, times are those along rays, and receivers are needed (see
        `fermat.adjoint`). The CPU computes.
    order
        Order of the differences, 1 or 2.
    threads
        Number of threads, 0 for all cores.

    Returns
    -------
    Tensor
        (*models, *sources, *shape), or (*models, *sources, m) at receivers; infinite where no
        wave arrives, which no derivative passes through. Gradients flow to medium, source,
        receivers and start_time. Fields are kept for the backward pass up to a gibibyte per
        model; beyond, they are solved again. A UserWarning of the backward pass tells how many
        nodes have times that do not solve their equations, through which gradients are not exact.
        `torch.func` works too (`grad`, `vjp`, `jacrev`, `vmap`; of float64 also `jvp`, `jacfwd` and
        `hessian`). Second derivatives and forward mode are central differences of the adjoint's
        gradients and of times, in double precision and along one direction; of float32 they raise
        NotImplementedError. Third derivatives are NaN.
    """
    medium = _tensor(medium, "medium")
    real = medium.dtype
    if real not in (torch.float32, torch.float64):
        raise ValueError(f"medium is of {real} (must be float32 or float64)")
    inputs = (
        medium,
        _numbers(source, "source"),
        _numbers(start_time, "start_time"),
        None if receivers is None else _numbers(receivers, "receivers"),
    )
    if like is not None and spacing is not None:
        raise ValueError("spacing and like are given (leave one out: like has a grid)")
    options = {
        "spacing": 1.0 if spacing is None else spacing,
        "origin": origin,
        "given": given,
        "cells": cells if like is None else like.cells,
        "like": like,
        "order": order,
        "threads": threads,
        "device": "cuda" if medium.is_cuda else "cpu",
    }
    options["keep"] = torch.is_grad_enabled() and any(
        isinstance(t, torch.Tensor) and t.requires_grad for t in inputs
    )
    if not options["keep"] and _is_plain():
        return _solved(*inputs, options)[0]
    return _Traveltimes.apply(*inputs, options, _Solved())


def _is_plain() -> bool:
    """Whether neither a transform of torch.func nor forward mode is under way, which a tensor does
    not tell by requires_grad."""
    transformed = getattr(torch._C, "_are_functorch_transforms_active", lambda: True)
    return not transformed() and getattr(forward_ad, "_current_level", 0) < 0


def _tensor(values: Any, what: str) -> Any:
    """A tensor on the CPU or a CUDA device."""
    tensor = values if isinstance(values, torch.Tensor) else torch.as_tensor(np.asarray(values))
    if tensor.device.type not in ("cpu", "cuda"):
        raise ValueError(
            f"{what} is on {tensor.device} (must be on the CPU or a CUDA device; give "
            f"{what}.cpu(), through which gradients come back)"
        )
    return tensor


def _numbers(values: Any, what: str) -> Any:
    """Numbers in double: a tensor if they are one, else an array, which has no gradient."""
    if isinstance(values, torch.Tensor):
        return _tensor(values, what).to(torch.float64)
    return np.asarray(values, dtype=np.float64)


def _array(values: Any) -> Any:
    return values.detach().cpu().numpy() if isinstance(values, torch.Tensor) else values


def _survey(medium: Any, places: Any, starts: Any, spots: Any, options: dict[str, Any]) -> Any:
    """Times of one medium and their derivatives, where the medium lies and the device can do it."""
    on_device = medium.is_cuda and medium.dtype == torch.float32
    if on_device and not options["cells"] and options["like"] is None:
        grid = {name: options[name] for name in ("spacing", "origin", "given", "order")}
        return OnDevice(medium.detach().contiguous(), places, starts, spots, **grid)
    names = ("spacing", "origin", "given", "cells", "order", "threads", "device", "like")
    taken = {name: options[name] for name in names}
    return Differentiable(_array(medium), places, starts, spots, **taken)


def _solved(
    medium: Any, source: Any, start_time: Any, receivers: Any, options: Any
) -> tuple[Any, list[Any], tuple[int, ...]]:
    """Times, what they were made by, and the models' part of the medium's shape."""
    models = batch_shape(tuple(medium.shape), tuple(source.shape))
    places, starts = one_per_model(_array(source), _array(start_time), models)
    spots = None if receivers is None else receiver_places(_array(receivers), places.shape[-1])
    media = medium.detach()
    surveys = []
    times = []
    for values, of_model, at in zip(media if models else [media], places, starts, strict=True):
        survey = _survey(values, of_model, at, spots, options)
        found = survey.times(keep=options["keep"])
        if not isinstance(found, torch.Tensor):
            found = torch.as_tensor(found, device=medium.device)
        times.append(found)
        surveys.append(survey)
    sources = places.shape[1:2] if source.ndim > 1 else ()
    found = times[0] if len(times) == 1 else torch.stack(times)
    return found.reshape(*models, *sources, *times[0].shape[1:]), surveys, models


class _Solved:
    """What the backward pass of one call needs of its forward pass. Under vmap, `parts` holds this
    for every element."""

    surveys: list[Any]
    models: tuple[int, ...]
    parts: list[_Solved]
    options: dict[str, Any]


NO_SINGLE = (
    "fermat.torch has forward mode and second derivatives in float64 only (they are differences of "
    "times and gradients, which single precision does not hold: give a medium of float64)"
)
NO_THIRD_DERIVATIVES = "fermat.torch has no derivatives beyond the second (take differences of them)"
"""In forward mode. In reverse mode they are NaN: PyTorch asks for them on its way to derivatives by the
direction, and does not say whether they are needed."""


class _Traveltimes(torch.autograd.Function):  # type: ignore[misc,unused-ignore]
    """Times of (medium, source, start_time, receivers); options; what is kept for later."""

    @staticmethod
    def forward(  # type: ignore[override,unused-ignore]
        medium: Any, source: Any, start_time: Any, receivers: Any, options: Any, solved: _Solved
    ) -> Any:
        times, solved.surveys, solved.models = _solved(
            medium, source, start_time, receivers, options
        )
        solved.options = options
        return times

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.solved = inputs[5]
        ctx.is_tensor = [isinstance(t, torch.Tensor) for t in inputs[:4]]
        ctx.others = [t for t in inputs[:4] if not isinstance(t, torch.Tensor)]
        ctx.options = inputs[4]
        tensors = [t for t in inputs[:4] if isinstance(t, torch.Tensor)]
        ctx.save_for_backward(*tensors)
        ctx.save_for_forward(*tensors)

    @staticmethod
    def backward(ctx: Any, by_times: Any) -> Any:
        # A function of its own, of the same inputs: PyTorch then sees that the gradient depends on
        # them, and asks for its derivative where it would take it for a constant otherwise.
        inputs = _inputs_of(ctx)
        needed = tuple(ctx.needs_input_grad[:4])
        found = iter(_Gradient.apply(by_times, *inputs, ctx.solved, needed))
        return (*(next(found) if it else None for it in needed), None, None)

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        inputs = _inputs_of(ctx)
        return _Along.apply(None, *inputs, *tangents[:4], ctx.options)[0]

    @staticmethod
    def vmap(info: Any, in_dims: Any, *inputs: Any) -> Any:
        *arrays, options, solved = inputs
        solved.parts = [_Solved() for _ in range(info.batch_size)]
        times = [
            _Traveltimes.apply(*_element(arrays, in_dims, n), options, part)
            for n, part in enumerate(solved.parts)
        ]
        return torch.stack(times), 0


class _Gradient(torch.autograd.Function):  # type: ignore[misc,unused-ignore]
    """Derivatives by the needed ones of (medium, source, start_time, receivers), from those by
    times."""

    @staticmethod
    def forward(  # type: ignore[override,unused-ignore]
        by_times: Any, medium: Any, source: Any, start_time: Any, receivers: Any, solved: _Solved,
        needed: tuple[bool, ...],
    ) -> Any:
        inputs = (medium, source, start_time, receivers)
        gradients = _gradients(by_times, inputs, solved, needed)
        return tuple(g for g, wanted in zip(gradients, needed, strict=True) if wanted)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.solved, ctx.needed = inputs[5:]
        ctx.is_tensor = [isinstance(t, torch.Tensor) for t in inputs[:5]]
        ctx.others = [t for t in inputs[:5] if not isinstance(t, torch.Tensor)]
        tensors = [t for t in inputs[:5] if isinstance(t, torch.Tensor)]
        ctx.save_for_backward(*tensors)
        ctx.save_for_forward(*tensors)

    @staticmethod
    def backward(ctx: Any, *by_gradients: Any) -> Any:
        # The gradient is J^T b, b = dJ/dT; of c . J^T b, with c by the gradient, the derivatives are
        # J c by b, and by the inputs x those of J(x + e c)^T b by e: the Hessian of b . T times c.
        inputs = _inputs_of(ctx)
        given = iter(by_gradients)
        along = [next(given) if it else None for it in ctx.needed]
        found = _Along.apply(*inputs, *along, _options_of(ctx.solved))
        return (found[0], *_where_needed(found[1:], inputs[1:], ctx.needs_input_grad[1:5]), None, None)

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        inputs = _inputs_of(ctx)
        found = _Along.apply(*inputs, *tangents[1:5], _options_of(ctx.solved))
        curved = [part for part, it in zip(found[1:], ctx.needed, strict=True) if it]
        if tangents[0] is None:
            return tuple(curved)
        straight = _Gradient.apply(tangents[0], *inputs[1:], ctx.solved, ctx.needed)
        return tuple(a + b for a, b in zip(straight, curved, strict=True))

    @staticmethod
    def vmap(info: Any, in_dims: Any, *inputs: Any) -> Any:
        *arrays, solved, needed = inputs
        # The times were those of one call unless vmap went over their inputs as well.
        each = any(dim is not None for dim in in_dims[1:5])
        found = [
            _Gradient.apply(
                *_element(arrays, in_dims, n), solved.parts[n] if each else solved, needed
            )
            for n in range(info.batch_size)
        ]
        stacked = tuple(torch.stack(part) for part in zip(*found, strict=True))
        return stacked, (0,) * len(stacked)


class _Along(torch.autograd.Function):  # type: ignore[misc,unused-ignore]
    """Of (dJ/dT or None; medium, source, start_time, receivers; a direction for each, or None;
    options): how times change along the direction and, given dJ/dT, how its gradient by each of
    the four does. Central differences in double precision: their error is about 1e-9."""

    @staticmethod
    def forward(by_times: Any, *arguments: Any) -> Any:  # type: ignore[override,unused-ignore]
        inputs, along, options = arguments[:4], arguments[4:8], arguments[8]
        if inputs[0].dtype != torch.float64:
            raise NotImplementedError(NO_SINGLE)
        return _differences(by_times, inputs, along, options)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.options = inputs[9]
        ctx.is_tensor = [isinstance(t, torch.Tensor) for t in inputs[:9]]
        ctx.others = [t for t in inputs[:9] if not isinstance(t, torch.Tensor)]
        ctx.save_for_backward(*(t for t in inputs[:9] if isinstance(t, torch.Tensor)))

    @staticmethod
    def backward(ctx: Any, by_times: Any, *by_curved: Any) -> Any:
        # J c and H c are linear in the direction c, and H is symmetric.
        inputs = _inputs_of(ctx)
        tensor = ctx.is_tensor[1:5]
        ways = [by if it else None for by, it in zip(by_curved, tensor, strict=True)]
        found = list(_Along.apply(*inputs[:5], *ways, ctx.options)[1:])
        solved = _Solved()
        with torch.no_grad():
            _, solved.surveys, solved.models = _solved(*inputs[1:5], {**ctx.options, "keep": True})
        solved.options = ctx.options
        straight = iter(_Gradient.apply(by_times, *inputs[1:5], solved, tuple(tensor)))
        by_ways = [
            (next(straight) if it else None, part) for part, it in zip(found, tensor, strict=True)
        ]
        back = [
            None if first is None or way is None else (first + part if part.numel() else first)
            for (first, part), way in zip(by_ways, inputs[5:], strict=True)
        ]
        unknown = [torch.full_like(t, torch.nan) if isinstance(t, torch.Tensor) else None
                   for t in inputs[:5]]  # fmt: skip
        return (*unknown, *back, None)

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        raise NotImplementedError(NO_THIRD_DERIVATIVES)

    @staticmethod
    def vmap(info: Any, in_dims: Any, *inputs: Any) -> Any:
        *arrays, options = inputs
        found = [
            _Along.apply(*_element(arrays, in_dims, n), options) for n in range(info.batch_size)
        ]
        stacked = tuple(torch.stack(part) for part in zip(*found, strict=True))
        return stacked, (0,) * len(stacked)


def _inputs_of(ctx: Any) -> list[Any]:
    """The inputs of a function, of which tensors were saved and others kept."""
    tensors, others = iter(ctx.saved_tensors), iter(ctx.others)
    return [next(tensors if is_one else others) for is_one in ctx.is_tensor]


def _options_of(solved: _Solved) -> dict[str, Any]:
    return solved.options if hasattr(solved, "options") else _options_of(solved.parts[0])


def _where_needed(found: Any, inputs: Any, needed: Any) -> list[Any]:
    return [
        part if it and isinstance(value, torch.Tensor) else None
        for part, value, it in zip(found, inputs, needed, strict=True)
    ]


STEP = 1e-5
"""Of central differences: of the medium relative to its mean, of positions in nodes."""


def _differences(by_times: Any, inputs: Any, along: Any, options: dict[str, Any]) -> Any:
    """What `_Along` returns."""
    values = [None if t is None else np.asarray(_array(t), dtype=np.float64) for t in inputs]
    ways = [None if t is None else np.asarray(_array(t), dtype=np.float64) for t in along]
    finite = values[0][np.isfinite(values[0]) & (values[0] != 0)]
    length = _shortest_step(options)
    scales = (float(np.abs(finite).mean()), length, np.inf, length)
    size = max(
        (float(np.abs(way).max(initial=0)) / scale for way, scale in zip(ways, scales, strict=True)
         if way is not None), default=0.0,
    )  # fmt: skip
    step = STEP / size if size > 0 else STEP
    ends = []
    for sign in (-1, 1):
        moved = [
            value if way is None else value + sign * step * way
            for value, way in zip(values, ways, strict=True)
        ]
        tensors = [None if value is None else torch.from_numpy(np.asarray(value)) for value in moved]
        chosen = {**options, "keep": True, "device": "cpu"}
        times, surveys, models = _solved(*tensors, chosen)
        of = _Solved()
        of.surveys, of.models = surveys, models
        gradients = [None] * 4
        if by_times is not None:
            wanted = tuple(value is not None for value in values)
            gradients = _gradients(by_times.detach().cpu(), tensors, of, wanted)
        ends.append((times, *gradients))
    device = inputs[0].device
    apart = 2 * step
    times = (ends[1][0] - ends[0][0]) / apart
    # Where no wave arrives, times are infinite and do not change.
    times = torch.nan_to_num(times, nan=0.0, posinf=0.0, neginf=0.0)
    curved = [
        torch.zeros(0) if high is None else (high - low) / apart
        for low, high in zip(ends[0][1:], ends[1][1:], strict=True)
    ]
    return (times.to(device), *(part.to(device) for part in curved))


def _shortest_step(options: dict[str, Any]) -> float:
    like = options["like"]
    return float(np.min(like.spacing if like is not None else options["spacing"]))


# PyTorch asks for the signature of `forward` in every call, which takes longer than a small solve.
for _forward in (_Traveltimes.forward, _Gradient.forward):
    vars(_forward)["__signature__"] = inspect.signature(_forward)


def _element(arrays: Any, in_dims: Any, n: int) -> list[Any]:
    """The inputs of element n of vmap."""
    return [
        array if dim is None else array.select(dim, n)
        for array, dim in zip(arrays, in_dims, strict=False)
    ]


def _gradients(by_times: Any, inputs: Any, solved: _Solved, needed: tuple[bool, ...]) -> list[Any]:
    """Derivatives by medium, source, start time and receivers, or None where not needed."""
    count = len(solved.surveys)
    parts = []
    by_position = needed[1] or needed[3]
    for survey, by in zip(solved.surveys, by_times.reshape(count, -1), strict=True):
        if isinstance(survey, OnDevice):
            parts.append(survey.gradient(by, by_position=by_position))
        else:
            parts.append(survey.gradient(_array(by)))
    tell_unsettled(sum(survey.unsettled for survey in solved.surveys))
    found: list[Any] = [None, None, None, None]
    if needed[0]:
        of_media = [torch.as_tensor(part[0], device=inputs[0].device) for part in parts]
        medium = of_media[0] if count == 1 else torch.stack(of_media)
        found[0] = medium.reshape(*solved.models, *of_media[0].shape)
    if not any(needed[1:]):
        return found
    places, starts, spots = (np.stack(part) for part in zip(*(p[1:] for p in parts), strict=True))
    source, start_time, receivers = inputs[1:]
    gradients = [
        places if source.ndim == 3 else places.sum(axis=0).reshape(tuple(source.shape)),
        reduced(starts, tuple(start_time.shape)),
        None if receivers is None else spots.sum(axis=0).reshape(tuple(receivers.shape)),
    ]
    for n, gradient in enumerate(gradients, start=1):
        if needed[n]:
            made = torch.from_numpy(np.ascontiguousarray(gradient))
            found[n] = made.to(inputs[n].device)
    return found
