"""Pictures of models: depth downward, equal scales, units on the axes.

matplotlib is imported when a picture is drawn, so that the package works without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from ._core import Model

__all__ = ["section"]


def section(
    model: Model,
    *,
    y: float | None = None,
    times: NDArray[Any] | None = None,
    ax: Axes | None = None,
    length: str = "km",
    time: str = "s",
    cmap: str = "viridis",
    vmin: float | None = None,
    vmax: float | None = None,
    levels: int = 12,
) -> Axes:
    """Draw a vertical section of a model and, over it, isochrons of a time field.

    A 3-D model is cut at the nodes nearest to y (default: the middle). times is an array of the
    model's shape; infinite values are left out. Air is left white. length and time are the names
    of your units.

        ax = fermat.plot.section(model, y=5.0)
        ax.figure.savefig("model.png")
    """
    import matplotlib.pyplot as plt

    velocity, extent = _slice(model, model.velocity, y)
    if ax is None:
        tall = (extent[2] - extent[3]) / (extent[1] - extent[0])
        size = (7.0, min(max(5.5 * tall + 1, 2.0), 9.0))
        _, ax = plt.subplots(figsize=size, layout="constrained")
    image = ax.imshow(
        np.ma.masked_equal(velocity, 0).T,
        extent=extent,
        origin="upper",
        aspect="equal",
        cmap=cmap,
        vmin=vmin,
        vmax=vmax,
        interpolation="nearest",
    )
    bar = ax.inset_axes((1.02, 0, 0.03, 1))
    ax.figure.colorbar(image, cax=bar, label=f"velocity ({length}/{time})")
    if times is not None:
        if times.shape != model.shape:
            raise ValueError(
                f"times has shape {times.shape} (must be {model.shape} nodes, as the model)"
            )
        values, _ = _slice(model, times, y)
        x, z = _axes(model)
        lines = ax.contour(
            x, z, np.ma.masked_invalid(values).T, levels=levels, colors="white", linewidths=0.8
        )
        ax.clabel(lines, fontsize="x-small")
    ax.set_xlabel(f"x ({length})")
    ax.set_ylabel(f"depth ({length})")
    return ax


def _axes(model: Model) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Positions of the nodes along x and z."""
    x, z = (
        model.origin[axis] + model.spacing[axis] * np.arange(model.shape[axis]) for axis in (0, -1)
    )
    return x, z


def _slice(
    model: Model, values: NDArray[Any], y: float | None
) -> tuple[NDArray[Any], tuple[float, float, float, float]]:
    """Values (nx, nz) of the section at y, and its frame: each node is drawn as the box round it."""
    if model.ndim == 2:
        if y is not None:
            raise ValueError(f"y is {y} (a 2-D model has no y; leave it out)")
    else:
        ny, dy, y0 = model.shape[1], model.spacing[1], model.origin[1]
        row = ny // 2 if y is None else round((y - y0) / dy)
        if not 0 <= row < ny:
            raise ValueError(f"y is {y} (must lie between {y0} and {y0 + (ny - 1) * dy})")
        values = values[:, row, :]
    x, z = _axes(model)
    half_x, half_z = model.spacing[0] / 2, model.spacing[-1] / 2
    return values, (x[0] - half_x, x[-1] + half_x, z[-1] + half_z, z[0] - half_z)
