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

from ._torch_surveys import (
    Solved,
    as_numbers,
    as_tensor,
    differences,
    gradients_of,
    solved_of,
)

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
        `fermat.adjoint`), by the CPU. In curved coordinates and anisotropic media the device of the
        medium computes, in double precision, and values pass through the host.
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
    medium = as_tensor(medium, "medium")
    real = medium.dtype
    if real not in (torch.float32, torch.float64):
        raise ValueError(f"medium is of {real} (must be float32 or float64)")
    inputs = (
        medium,
        as_numbers(source, "source"),
        as_numbers(start_time, "start_time"),
        None if receivers is None else as_numbers(receivers, "receivers"),
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
    if _is_plain():
        if not options["keep"]:
            return solved_of(*inputs, options)[0]
        return _Quick.apply(*inputs, options)
    return _Traveltimes.apply(*inputs, options, Solved())


def _is_plain() -> bool:
    """Whether neither a transform of torch.func nor forward mode is under way, which a tensor does
    not tell by requires_grad."""
    transformed = getattr(torch._C, "_are_functorch_transforms_active", lambda: True)
    return not transformed() and getattr(forward_ad, "_current_level", 0) < 0


NO_SINGLE = (
    "fermat.torch has forward mode and second derivatives in float64 only (they are differences of "
    "times and gradients, which single precision does not hold: give a medium of float64)"
)
NO_THIRD_DERIVATIVES = "fermat.torch has no derivatives beyond the second (take differences of them)"
"""In forward mode. In reverse mode they are NaN: PyTorch asks for them on its way to derivatives by the
direction, and does not say whether they are needed."""


class _Quick(torch.autograd.Function):  # type: ignore[misc,unused-ignore]
    """`_Traveltimes` where no transform of torch.func is under way: PyTorch then takes a third of
    the time for a call."""

    @staticmethod
    def forward(  # type: ignore[override,unused-ignore]
        ctx: Any, medium: Any, source: Any, start_time: Any, receivers: Any, options: Any
    ) -> Any:
        inputs = (medium, source, start_time, receivers)
        ctx.solved = Solved()
        times, ctx.solved.surveys, ctx.solved.models = solved_of(*inputs, options)
        ctx.solved.options = options
        _keep_inputs(ctx, inputs)
        return times

    @staticmethod
    def backward(ctx: Any, by_times: Any) -> Any:
        inputs = _inputs_of(ctx)
        needed = tuple(ctx.needs_input_grad[:4])
        if not torch.is_grad_enabled():
            return (*gradients_of(by_times, inputs, ctx.solved, needed), None)
        found = iter(_Gradient.apply(by_times, *inputs, ctx.solved, needed))
        return (*(next(found) if it else None for it in needed), None)


class _Traveltimes(torch.autograd.Function):  # type: ignore[misc,unused-ignore]
    """Times of (medium, source, start_time, receivers); options; what is kept for later."""

    @staticmethod
    def forward(  # type: ignore[override,unused-ignore]
        medium: Any, source: Any, start_time: Any, receivers: Any, options: Any, solved: Solved
    ) -> Any:
        times, solved.surveys, solved.models = solved_of(
            medium, source, start_time, receivers, options
        )
        solved.options = options
        return times

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.options, ctx.solved = inputs[4:]
        _keep_inputs(ctx, inputs[:4], forward=True)

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
        solved.parts = [Solved() for _ in range(info.batch_size)]
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
        by_times: Any, medium: Any, source: Any, start_time: Any, receivers: Any, solved: Solved,
        needed: tuple[bool, ...],
    ) -> Any:
        inputs = (medium, source, start_time, receivers)
        gradients = gradients_of(by_times, inputs, solved, needed)
        return tuple(g for g, wanted in zip(gradients, needed, strict=True) if wanted)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.solved, ctx.needed = inputs[5:]
        _keep_inputs(ctx, inputs[:5], forward=True)

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
        return differences(by_times, inputs, along, options)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.options = inputs[9]
        _keep_inputs(ctx, inputs[:9])

    @staticmethod
    def backward(ctx: Any, by_times: Any, *by_curved: Any) -> Any:
        # J c and H c are linear in the direction c, and H is symmetric.
        inputs = _inputs_of(ctx)
        tensor = ctx.is_tensor[1:5]
        ways = [by if it else None for by, it in zip(by_curved, tensor, strict=True)]
        found = list(_Along.apply(*inputs[:5], *ways, ctx.options)[1:])
        solved = Solved()
        with torch.no_grad():
            medium, source, start, receivers = inputs[1:5]
            kept = {**ctx.options, "keep": True}
            _, solved.surveys, solved.models = solved_of(medium, source, start, receivers, kept)
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


def _keep_inputs(ctx: Any, inputs: Any, forward: bool = False) -> None:
    ctx.is_tensor = [isinstance(t, torch.Tensor) for t in inputs]
    ctx.others = [t for t in inputs if not isinstance(t, torch.Tensor)]
    tensors = [t for t in inputs if isinstance(t, torch.Tensor)]
    ctx.save_for_backward(*tensors)
    if forward:
        ctx.save_for_forward(*tensors)


def _inputs_of(ctx: Any) -> list[Any]:
    """The inputs of a function, of which tensors were saved and others kept."""
    tensors, others = iter(ctx.saved_tensors), iter(ctx.others)
    return [next(tensors if is_one else others) for is_one in ctx.is_tensor]


def _options_of(solved: Solved) -> dict[str, Any]:
    return solved.options if hasattr(solved, "options") else _options_of(solved.parts[0])


def _where_needed(found: Any, inputs: Any, needed: Any) -> list[Any]:
    return [
        part if it and isinstance(value, torch.Tensor) else None
        for part, value, it in zip(found, inputs, needed, strict=True)
    ]


# PyTorch asks for the signature of `forward` in every call, which takes longer than a small solve.
for _forward in (_Traveltimes.forward, _Gradient.forward):
    vars(_forward)["__signature__"] = inspect.signature(_forward)


def _element(arrays: Any, in_dims: Any, n: int) -> list[Any]:
    """The inputs of element n of vmap."""
    return [
        array if dim is None else array.select(dim, n)
        for array, dim in zip(arrays, in_dims, strict=False)
    ]
