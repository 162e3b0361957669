"""Means over a moving box, by which tomography smooths its perturbations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from . import _arguments as arguments
from . import _core
from ._checked import checked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from ._arguments import Device

__all__ = ["Smoother", "smooth"]

Smoother = Literal["basic", "cached", "table", "running"]


@checked
def smooth(
    values: ArrayLike,
    size: int | Sequence[int],
    *,
    coverage: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    passes: int = 1,
    smoother: Smoother = "running",
    device: Device = "auto",
    threads: int = 0,
) -> NDArray[np.float64]:
    """Mean of `values` (nx, ny, nz), or (nx, nz) in 2-D, over a box of `size` elements.

    `size` is one number for all axes or one per axis. An odd box is centred on its element; an even
    box of n reaches n / 2 back and n / 2 - 1 forward. Boxes are clipped at the faces. With
    `coverage` (rays per cell), `values` are sums over rays, and the result is the sum of values
    divided by the sum of coverage in the box; boxes without rays leave the value unchanged. With
    `mask`, elements where it is false do not change and do not enter a mean. All smoothers give
    the same means; "running" is the fastest. Sums are in double precision. device "cuda" works for
    "table" and "running"; "auto" uses the CPU, because the transfer to the device takes longer.

        >>> import fermat as fm
        >>> fm.smooth([[0, 0, 3, 0, 0, 0]], size=(1, 3))
        array([[0., 1., 1., 1., 0., 0.]])
    """
    array = arguments.numbers(values, "values")
    if array.ndim not in (2, 3):
        raise ValueError(f"values have shape {array.shape} (must be (nx, nz) or (nx, ny, nz))")
    lengths = [size] * array.ndim if isinstance(size, (int, np.integer)) else list(size)
    if len(lengths) != array.ndim:
        raise ValueError(
            f"size has {len(lengths)} numbers (must have one, or {array.ndim} as values have axes)"
        )
    if coverage is not None and mask is not None:
        raise ValueError("coverage and mask are both given (rays weigh cells, a mask nodes)")

    rays = None if coverage is None else arguments.numbers(coverage, "coverage")
    where = None if mask is None else np.ascontiguousarray(mask, dtype=bool)
    for weights, what in ((rays, "coverage"), (where, "mask")):
        if weights is not None and weights.shape != array.shape:
            raise ValueError(
                f"{what} has shape {weights.shape} (must be that of values, {array.shape})"
            )
    if rays is not None and not (np.isfinite(rays).all() and (rays >= 0).all()):
        raise ValueError("coverage has a count that is negative or not finite (must be >= 0)")
    if not np.isfinite(array if where is None else array[where]).all():
        raise ValueError("values are not all finite (leave the others out by mask)")

    box = [int(n) for n in (lengths if array.ndim == 3 else (lengths[0], 1, lengths[1]))]
    shape = array.shape if array.ndim == 3 else (array.shape[0], 1, array.shape[1])
    result = (array if where is None else np.where(where, array, 0)).reshape(shape).copy()
    _core.smooth(
        result,
        box,
        None if rays is None else rays.reshape(shape),
        None if where is None else where.view(np.uint8).reshape(shape),
        passes,
        smoother,
        device,
        threads,
    )
    smoothed = result.reshape(array.shape)
    return smoothed if where is None else np.where(where, smoothed, array)
