"""What fermat.torch computes with: surveys of tensors, their times and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch  # type: ignore[import-not-found,unused-ignore]

from ._adjoint import (
    Differentiable,
    batch_shape,
    one_per_model,
    receiver_places,
    reduced,
    tell_unsettled,
)
from ._adjoint_cuda import OnDevice

__all__ = ["Solved", "as_numbers", "as_tensor", "differences", "gradients_of", "solved_of"]


def as_tensor(values: Any, what: str) -> Any:
    """A tensor on the CPU or a CUDA device."""
    tensor = values if isinstance(values, torch.Tensor) else torch.as_tensor(np.asarray(values))
    if tensor.device.type not in ("cpu", "cuda"):
        raise ValueError(
            f"{what} is on {tensor.device} (must be on the CPU or a CUDA device; give "
            f"{what}.cpu(), through which gradients come back)"
        )
    return tensor


def as_numbers(values: Any, what: str) -> Any:
    """Numbers in double: a tensor if they are one, else an array, which has no gradient."""
    if isinstance(values, torch.Tensor):
        return as_tensor(values, what).to(torch.float64)
    return np.asarray(values, dtype=np.float64)


def _array(values: Any) -> Any:
    if not isinstance(values, torch.Tensor):
        return values
    return (values.detach().cpu() if values.is_cuda else values.detach()).numpy()


def _survey(medium: Any, places: Any, starts: Any, spots: Any, options: dict[str, Any]) -> Any:
    """Times of one medium and their derivatives, where the medium lies and the device can do it."""
    on_device = medium.is_cuda and medium.dtype == torch.float32
    if on_device and not options["cells"] and options["like"] is None:
        grid = {name: options[name] for name in ("spacing", "origin", "given", "order")}
        return OnDevice(medium.detach().contiguous(), places, starts, spots, **grid)
    names = ("spacing", "origin", "given", "cells", "order", "threads", "device", "like")
    taken = {name: options[name] for name in names}
    return Differentiable(_array(medium), places, starts, spots, **taken)


def solved_of(
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


class Solved:
    """What the backward pass of one call needs of its forward pass. Under vmap, `parts` holds this
    for every element."""

    surveys: list[Any]
    models: tuple[int, ...]
    parts: list[Solved]
    options: dict[str, Any]


def gradients_of(by_times: Any, inputs: Any, solved: Solved, needed: tuple[bool, ...]) -> list[Any]:
    """Derivatives by medium, source, start time and receivers, or None where not needed."""
    count = len(solved.surveys)
    parts = []
    by_position = needed[1] or needed[3]
    rows = [by_times] if count == 1 else by_times.reshape(count, -1)
    for survey, by in zip(solved.surveys, rows, strict=True):
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


STEP = 1e-5
"""Of central differences: of the medium relative to its mean, of positions in nodes."""


def differences(by_times: Any, inputs: Any, along: Any, options: dict[str, Any]) -> Any:
    """What `_Along` returns."""
    values: list[Any] = [
        None if t is None else np.asarray(_array(t), dtype=np.float64) for t in inputs
    ]
    ways: list[Any] = [None if t is None else np.asarray(_array(t), dtype=np.float64) for t in along]
    if ways[0] is not None:  # air stays air, whatever the direction says
        ways[0] = np.where(np.isfinite(values[0]) & (values[0] != 0), ways[0], 0.0)
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
        times, surveys, models = solved_of(tensors[0], tensors[1], tensors[2], tensors[3], chosen)
        of = Solved()
        of.surveys, of.models = surveys, models
        gradients = [None] * 4
        if by_times is not None:
            wanted = tuple(value is not None for value in values)
            gradients = gradients_of(by_times.detach().cpu(), tensors, of, wanted)
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
