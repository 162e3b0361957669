"""First-arrival times as a differentiable function of JAX.

    import jax, fermat.jax as fj
    def misfit(velocity):
        times = fj.traveltimes(velocity, (1., 0.), 0.05, receivers=((3., 0.), (3.5, 0.)))
        return (times ** 2).sum()
    jax.grad(misfit)(velocity)

Works under jit, grad and vmap: a call of the host inside, which computes on the CPU. JAX is not a
dependency of fermat: this module imports it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

try:
    import jax  # type: ignore[import-not-found,unused-ignore]
    import jax.numpy as jnp  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    raise ImportError("fermat.jax needs JAX (pip install jax)") from None

from ._adjoint import Differentiable, batch_shape, one_per_model, reduced, tell_unsettled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ._adjoint import Given

__all__ = ["traveltimes"]


def traveltimes(
    medium: Any,
    source: Any,
    spacing: float | Sequence[float],
    *,
    receivers: Any = None,
    start_time: Any = 0.0,
    given: Given = "velocity",
    origin: float | Sequence[float] = 0.0,
    cells: bool = False,
    order: int = 2,
    threads: int = 0,
) -> Any:
    """First-arrival times, differentiable by everything they depend on.

    Arguments and result are those of `fermat.torch.traveltimes`, of JAX arrays. Spacing, origin and
    the keywords from `given` on are numbers and names known when a function is traced. The
    computation is in the medium's type; float64 needs JAX's jax_enable_x64. The backward pass
    solves the fields again. `vmap` runs one call after the other; several models in one array
    (models, *shape) are the same.
    """
    medium = jnp.asarray(medium)
    if medium.dtype not in (jnp.float32, jnp.float64):
        raise ValueError(f"medium is of {medium.dtype} (must be float32 or float64)")
    real = medium.dtype
    call = _differentiable(
        _numbers(spacing),
        _numbers(origin),
        given,
        bool(cells),
        int(order),
        int(threads),
        receivers is None,
    )
    spots = jnp.zeros((0,), real) if receivers is None else jnp.asarray(receivers, real)
    return call(medium, jnp.asarray(source, real), jnp.asarray(start_time, real), spots)


def _numbers(values: Any) -> float | tuple[float, ...]:
    array = np.asarray(values, dtype=float)
    return float(array) if array.ndim == 0 else tuple(float(v) for v in array)


@lru_cache(maxsize=64)
def _differentiable(
    spacing: Any, origin: Any, given: Given, cells: bool, order: int, threads: int, at_nodes: bool
) -> Callable[..., Any]:
    """The function of arrays alone, with its derivative."""
    options = {
        "spacing": spacing,
        "origin": origin,
        "given": given,
        "cells": cells,
        "order": order,
        "threads": threads,
    }

    def surveys(medium: Any, source: Any, start_time: Any, receivers: Any) -> list[Differentiable]:
        medium, source, start_time, receivers = map(
            np.asarray, (medium, source, start_time, receivers)
        )
        models = batch_shape(medium.shape, source.shape)
        places, starts = one_per_model(source, start_time, models)
        spots = None if at_nodes else receivers.reshape(-1, places.shape[-1]).astype(float)
        media = medium.reshape(places.shape[0], *medium.shape[len(models) :])
        return [
            Differentiable(values, at, start, spots, **options)
            for values, at, start in zip(media, places, starts, strict=True)
        ]

    def result(medium: Any, source: Any, receivers: Any) -> Any:
        models = batch_shape(medium.shape, source.shape)
        nodes = tuple(n + int(cells) for n in medium.shape[len(models) :])
        ends = nodes if at_nodes else (receivers.size // source.shape[-1],)
        sources = source.shape[-2:-1] if source.ndim > 1 else ()
        return jax.ShapeDtypeStruct((*models, *sources, *ends), medium.dtype)

    def solve_on_host(medium: Any, source: Any, start_time: Any, receivers: Any) -> Any:
        shape = result(np.asarray(medium), np.asarray(source), np.asarray(receivers)).shape
        each = [s.times(keep=False) for s in surveys(medium, source, start_time, receivers)]
        return np.stack(each).reshape(shape)

    def derive_on_host(
        medium: Any, source: Any, start_time: Any, receivers: Any, by_times: Any
    ) -> Any:
        all_ = surveys(medium, source, start_time, receivers)
        by = np.asarray(by_times).reshape(len(all_), -1)
        parts = [s.gradient(part) for s, part in zip(all_, by, strict=True)]
        tell_unsettled(sum(s.unsettled for s in all_))
        by_medium, places, starts, spots = (np.stack(p) for p in zip(*parts, strict=True))
        source, start_time, receivers = map(np.asarray, (source, start_time, receivers))
        real = np.asarray(medium).dtype
        places = places if source.ndim == 3 else places.sum(axis=0).reshape(source.shape)
        found = (
            by_medium.reshape(np.shape(medium)),
            places,
            reduced(starts, start_time.shape),
            np.zeros(receivers.shape) if at_nodes else spots.sum(axis=0).reshape(receivers.shape),
        )
        return tuple(np.asarray(f, dtype=real) for f in found)

    @jax.custom_vjp  # type: ignore[misc,untyped-decorator,unused-ignore]
    def call(medium: Any, source: Any, start_time: Any, receivers: Any) -> Any:
        return jax.pure_callback(
            solve_on_host,
            result(medium, source, receivers),
            medium,
            source,
            start_time,
            receivers,
            vmap_method="sequential",
        )

    def forward(*arrays: Any) -> Any:
        return call(*arrays), arrays

    def backward(arrays: Any, by_times: Any) -> Any:
        shapes = tuple(jax.ShapeDtypeStruct(a.shape, arrays[0].dtype) for a in arrays)
        return jax.pure_callback(
            derive_on_host, shapes, *arrays, by_times, vmap_method="sequential"
        )

    call.defvjp(forward, backward)
    made: Callable[..., Any] = call
    return made
