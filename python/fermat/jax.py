"""First-arrival times as a differentiable function of JAX.

    import jax, fermat.jax as fj
    def misfit(velocity):
        times = fj.traveltimes(velocity, (1., 0.), 0.05, receivers=((3., 0.), (3.5, 0.)))
        return (times ** 2).sum()
    jax.grad(misfit)(velocity)

Works under jit, grad and vmap, by custom calls of XLA on the CPU and on CUDA devices: the solver
reads and writes the memory of JAX's arrays. JAX is not a dependency of fermat: this module imports
it.
"""

from __future__ import annotations

import json
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

try:
    import jax  # type: ignore[import-not-found,unused-ignore]
    import jax.numpy as jnp  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    raise ImportError("fermat.jax needs JAX (pip install jax)") from None

from . import _core, _jax_calls
from ._adjoint import batch_shape, one_per_model, receiver_places
from ._xla import buffer_of, capsule

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ._adjoint import Given
    from ._core import Model

__all__ = ["traveltimes"]

STEP = 1e-5
"""Of central differences: of slowness relative to its mean, of positions in nodes."""

NO_SINGLE = (
    "fermat.jax has second derivatives in float64 only (they are differences of gradients, which "
    "single precision does not hold: set jax_enable_x64 and give a medium of float64)"
)


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

    Arguments and result are those of `fermat.torch.traveltimes`, of JAX arrays. Spacing, origin and
    the keywords from `given` on are numbers and names known when a function is traced. The
    computation is in the medium's type; float64 needs JAX's jax_enable_x64. On a CUDA device
    float32 on nodes is computed there, on XLA's stream; the CPU computes float64 and cells. The
    backward pass solves the fields again. Under `vmap`, sources of one medium are one survey, and
    media follow one another, as do several models in one array (models, *shape). Wrong values in
    arrays are known when they are computed with: JAX raises JaxRuntimeError with their sentence.
    Of float64 there are second derivatives in reverse mode (the gradient of a function of the
    gradient, such as a Hessian times a vector), but no forward mode.
    """
    medium = jnp.asarray(medium)
    if medium.dtype not in (jnp.float32, jnp.float64):
        raise ValueError(f"medium is of {medium.dtype} (must be float32 or float64)")
    if given not in ("velocity", "slowness"):
        raise ValueError(f"given is {given!r} (must be 'velocity' or 'slowness')")
    real = medium.dtype
    velocity = medium if given == "velocity" else _velocity(medium)
    if like is not None and spacing is not None:
        raise ValueError("spacing and like are given (leave one out: like has a grid)")
    call = _differentiable(
        1.0 if spacing is None else _numbers(spacing),
        _numbers(origin),
        given,
        bool(cells if like is None else like.cells),
        None if like is None else _jax_calls.known_model(like),
        int(order),
        int(threads),
        receivers is None,
    )
    spots = jnp.zeros((0,), real) if receivers is None else jnp.asarray(receivers, real)
    return call(velocity, jnp.asarray(source, real), jnp.asarray(start_time, real), spots)


def _velocity(slowness: Any) -> Any:
    """0 where slowness is infinite; what is no slowness is no velocity either."""
    return jnp.where(slowness == jnp.inf, 0, jnp.where(slowness == -jnp.inf, jnp.nan, 1 / slowness))


def _numbers(values: Any) -> float | tuple[float, ...]:
    array = np.asarray(values, dtype=float)
    return float(array) if array.ndim == 0 else tuple(float(v) for v in array)


@lru_cache(maxsize=64)
def _differentiable(
    spacing: Any,
    origin: Any,
    given: Given,
    cells: bool,
    like: int | None,
    order: int,
    threads: int,
    at_nodes: bool,
) -> Callable[..., Any]:
    """The function of arrays alone, with its derivative."""
    options = {
        "spacing": spacing,
        "origin": origin,
        "given": given,
        "cells": cells,
        "like": like,
        "order": order,
        "threads": threads,
        "at_nodes": at_nodes,
    }

    def result(velocity: Any, source: Any, start_time: Any, receivers: Any) -> Any:
        """Shape and type of the times. Raises ValueError where shapes do not belong together."""
        models = batch_shape(velocity.shape, source.shape)
        one_per_model(np.empty(source.shape), np.empty(start_time.shape), models)
        if not at_nodes:
            receiver_places(np.empty(receivers.shape), source.shape[-1])
        nodes = tuple(n + int(cells) for n in velocity.shape[len(models) :])
        ends = nodes if at_nodes else (receivers.size // source.shape[-1],)
        sources = source.shape[-2:-1] if source.ndim > 1 else ()
        return jax.ShapeDtypeStruct((*models, *sources, *ends), velocity.dtype)

    @jax.custom_vjp  # type: ignore[misc,untyped-decorator,unused-ignore]
    def call(*arrays: Any) -> Any:
        return _called("solve", [result(*arrays)], arrays, options)[0]

    def forward(*arrays: Any) -> Any:
        return call(*arrays), arrays

    @jax.custom_vjp  # type: ignore[misc,untyped-decorator,unused-ignore]
    def derive(*arrays: Any) -> Any:
        """dJ by slowness, sources, start times and receivers, from those and dJ/dT."""
        shapes = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in arrays[:4]]
        return tuple(_called("derive", shapes, arrays, options))

    def derive_forward(*arrays: Any) -> Any:
        return derive(*arrays), arrays

    def derive_backward(arrays: Any, along: Any) -> Any:
        """Of c . J^T b: J c by b, and the Hessian of b . T times c by the others, as central
        differences in double precision."""
        if arrays[0].dtype != jnp.float64:
            raise NotImplementedError(NO_SINGLE)
        velocity, by_times = arrays[0], arrays[4]
        rock = velocity > 0
        slowness = jnp.where(rock, 1 / jnp.where(rock, velocity, 1), 0)
        scales = (jnp.sum(slowness) / jnp.sum(rock), np.min(spacing), np.inf, np.min(spacing))
        sizes = [jnp.max(jnp.abs(c), initial=0) / s for c, s in zip(along, scales, strict=True)]
        step = STEP / jnp.maximum(jnp.max(jnp.stack(sizes)), 1e-300)

        def at(sign: int) -> Any:
            moved = slowness + sign * step * along[0]
            others = [a + sign * step * c for a, c in zip(arrays[1:4], along[1:], strict=True)]
            there = (jnp.where(rock, 1 / jnp.where(rock, moved, 1), 0), *others)
            return (call(*there), *derive(*there, by_times))

        times, *curved = (
            jnp.where(jnp.isfinite(high - low), high - low, 0) / (2 * step)
            for low, high in zip(at(-1), at(1), strict=True)
        )
        return (-(slowness**2) * curved[0], *curved[1:], times)

    derive.defvjp(derive_forward, derive_backward)

    def backward(arrays: Any, by_times: Any) -> Any:
        by_slowness, *rest = derive(*arrays, by_times)
        velocity = arrays[0]
        safe = jnp.where(velocity > 0, velocity, 1)
        return (jnp.where(velocity > 0, -by_slowness / (safe * safe), 0), *rest)

    call.defvjp(forward, backward)
    made: Callable[..., Any] = call
    return made


def _called(name: str, shapes: Any, arrays: Any, options: dict[str, Any]) -> Any:
    """A function of `_jax_calls` as part of a computation of JAX."""
    ranks = [array.ndim for array in arrays]
    given = json.dumps({**options, "ranks": ranks})
    if _custom_calls():
        call = jax.ffi.ffi_call(f"fermat_{name}", shapes, vmap_method="expand_dims")
        return call(*arrays, options=given)

    def on_host(*arrays: Any) -> Any:
        inside = [np.asarray(array, order="C") for array in arrays]
        axes = inside[0].ndim - ranks[0]
        vmapped = np.broadcast_shapes(*(array.shape[:axes] for array in inside))
        out = [np.empty((*vmapped, *shape.shape), shape.dtype) for shape in shapes]
        buffers = [buffer_of(array) for array in (*inside, *out)]
        parts = buffers[: len(inside)], buffers[len(inside) :]
        _jax_calls.run(name, *parts, json.loads(given), _jax_calls.HostMemory())
        return out

    return jax.pure_callback(on_host, shapes, *arrays, vmap_method="expand_dims")


@cache
def _custom_calls() -> bool:
    """Whether XLA calls this module's functions, which are made known to it once; else JAX calls
    back with copies on the host: before jax.ffi, on devices that are neither CPU nor CUDA, and on
    CUDA devices where fermat has no CUDA."""
    if not hasattr(jax, "ffi"):
        return False
    platforms = {device.platform for device in jax.devices()} - {"cpu"}
    on_cuda = bool(platforms) and _core.build_info()["cuda"] != "no"
    if platforms - {"gpu", "cuda"} or (platforms and not on_cuda):
        return False
    try:
        for name in ("solve", "derive"):
            for platform in ("cpu", "CUDA") if on_cuda else ("cpu",):
                _register(name, platform)
    except Exception:  # XLA refuses functions of another version of its interface
        return False
    return True


def _register(name: str, platform: str) -> None:
    def work(arguments: Any, results: Any, options: dict[str, Any], stream: int) -> None:
        memory = _jax_calls.CudaMemory(stream) if platform == "CUDA" else _jax_calls.HostMemory()
        _jax_calls.run(name, arguments, results, options, memory)

    made = capsule(work, streams=platform == "CUDA")
    jax.ffi.register_ffi_target(f"fermat_{name}", made, platform=platform)
