"""Azimuthal anisotropy by the parameters that tomography codes use, as tensors for `Model`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ._arguments import numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["azimuthal_tensor"]


def azimuthal_tensor(
    *,
    strength: ArrayLike | None = None,
    fast: ArrayLike = 0.0,
    xi: ArrayLike | None = None,
    eta: ArrayLike = 0.0,
) -> NDArray[np.float64]:
    """Tensors (..., 3, 3) of azimuthal anisotropy: `fm.Model(v, tensor=fm.azimuthal_tensor(...))`.

    Either by a strength and a fast direction: velocity is v (1 + strength) along the direction and
    v (1 - strength) across it, both horizontal, and v vertically, which is the 2-theta term
    v (1 + strength cos 2(azimuth - fast)) to first order; it is an ellipse. Or by xi and eta of
    TomoATT (Chen et al. 2023): squared velocity is v^2 (1 - 2 xi) to the north and v^2 (1 + 2 xi) to
    the east, and 2 eta v^2 is the term between them.

    Parameters
    ----------
    strength
        As a share of velocity, between -1 and 1: one number or an array of the model's nodes.
    fast
        Degrees from the first axis towards the second: on a sphere clockwise from north; in a model
        of x, y, z from x towards y.
    xi, eta
        Of TomoATT, with the axes north and east, as spherical models have them.

    Examples
    --------
    >>> import fermat as fm
    >>> fm.azimuthal_tensor(strength=0.1, fast=90).diagonal().round(2)
    array([0.81, 1.21, 1.  ])
    >>> fm.azimuthal_tensor(xi=0.05, eta=0.02)[:2, :2]
    array([[0.9 , 0.04],
           [0.04, 1.1 ]])
    """
    if (strength is None) == (xi is None):
        raise ValueError("give either strength (and fast), or xi (and eta)")
    if strength is not None:
        part, angle = np.broadcast_arrays(
            numbers(strength, "strength"), np.radians(numbers(fast, "fast"))
        )
        if not (np.abs(part) < 1).all():
            raise ValueError(
                f"strength is {float(part.flat[np.abs(part).argmax()]):g} (must be between -1 and 1)"
            )
        along, across = (1 + part) ** 2, (1 - part) ** 2
        c, s = np.cos(angle), np.sin(angle)
        xx, yy, xy = along * c * c + across * s * s, along * s * s + across * c * c, c * s * (along - across)
    else:
        assert xi is not None
        a, b = np.broadcast_arrays(numbers(xi, "xi"), numbers(eta, "eta"))
        size = np.hypot(a, b)
        if not (size < 0.5).all():
            raise ValueError(
                f"xi and eta have the length {float(size.max()):g} (must be below 0.5: velocity must "
                "be positive in every direction)"
            )
        xx, yy, xy = 1 - 2 * a, 1 + 2 * a, 2 * b
    out = np.zeros((*np.shape(xx), 3, 3))
    out[..., 0, 0], out[..., 1, 1], out[..., 2, 2] = xx, yy, 1.0
    out[..., 0, 1] = out[..., 1, 0] = xy
    return out
