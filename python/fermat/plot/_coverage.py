"""How rays sample the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._rays import Rays
from ._colours import bar
from ._frame import cut, draw, new_axes
from ._units import named_units

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from .._core import Model


@named_units
def coverage(
    rays: Rays | Model,
    count: ArrayLike | None = None,
    *,
    x: float | None = None,
    y: float | None = None,
    depth: float | None = None,
    ax: Axes | None = None,
    length: str = "",
    cmap: str = "magma_r",
    label: str = "rays in the cell",
    colorbar: bool = True,
) -> Axes:
    """Draw the number of rays in each cell, on a logarithmic scale; cells without any are blank.

    Parameters
    ----------
    rays
        Rays to count; or a model, with `count`.
    count
        Number or length of rays in each cell, as of Rays.coverage() or coverage.h5.
    x, y, depth
        Where a 3-D model is cut. Default: the middle of y.
    ax, length, cmap, colorbar
        As in `section`.
    label
        What the colours mean, if not the number of rays.

    Examples
    --------
    >>> import fermat as fm
    >>> model = fm.Model.gradient((101, 41), v0=2, gradient=0.5, spacing=0.1)
    >>> rays = fm.rays(model, [(1, 0), (5, 0)], [(x, 0) for x in range(2, 10)])
    >>> ax = fm.plot.coverage(rays)
    """
    from matplotlib.colors import LogNorm

    if isinstance(rays, Rays):
        model = rays.model
        values = rays.coverage()[0] if count is None else np.asarray(count)
    elif count is None:
        raise ValueError("count is missing (a model alone has no rays to count)")
    else:
        model, values = rays, np.asarray(count)
    cells = tuple(n - 1 for n in model.shape)
    if values.shape != cells:
        raise ValueError(f"count has shape {values.shape} (must be {cells} cells)")
    crossed = values[values > 0]
    plane = cut(model, np.where(values > 0, values, np.nan), x=x, y=y, z=depth)
    ax = new_axes(plane, ax)
    least, most = (crossed.min(), crossed.max()) if crossed.size else (1, 1)
    norm = LogNorm(float(least), float(max(most, least * 1.01)))
    image = draw(ax, plane, length=length, cmap=cmap, norm=norm)
    if colorbar:
        bar(ax, image, label, tall=plane.tall())
    return ax
