"""What changed between two surveys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._colours import bar
from ._compare import Panels
from ._frame import cut, draw, figure_of, hide_air, stretch_of
from ._units import named_units

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .._lapse import Change

DIVERGING = "RdBu"


@named_units
def change(
    run: Change,
    *,
    x: float | None = None,
    y: float | None = None,
    depth: float | None = None,
    length: str = "",
    time: str = "",
    elevation: bool = False,
    exaggeration: float | None = None,
) -> Figure:
    """Draw the change of velocity in per cent, and below it how many deviations it is.

    Changes of less than two deviations are pale in the first.

    Parameters
    ----------
    run
        What `time_lapse` returned.
    x, y, depth
        Where a 3-D model is cut. Default: the middle of y.
    length, time, elevation, exaggeration
        As in `section`.

    Examples
    --------
    >>> import fermat as fm
    >>> before = fm.Model.gradient((41, 21), v0=2, gradient=0.3, spacing=0.25)
    >>> line = [(x, 0) for x in range(11)]
    >>> first = fm.invert(before, fm.synthetic_picks(before, line, line, noise=0.001))
    >>> found = fm.time_lapse(first, fm.synthetic_picks(before, line, line, noise=0.001, seed=2))
    >>> figure = fm.plot.change(found)
    """
    from matplotlib.colors import Normalize

    place: dict[str, Any] = {"x": x, "y": y, "z": depth, "elevation": elevation}
    air = np.ma.getmaskarray(hide_air(run.model.velocity))
    panels: list[Any] = []
    for values, name in ((100 * run.change, "change of velocity / %"),
                         (run.significance, "change / its standard deviation")):
        panels.append((cut(run.model, np.ma.masked_array(values, air), **place), name))
    sure = np.clip(np.abs(run.significance) / 2, 0, 1)
    fade = cut(run.model, np.where(sure < 1, 0.6 * sure, 1.0), **place)
    stretch = stretch_of(panels[0][0], exaggeration)
    axes = Panels(panels[0][0], 2, stretch)
    for ax, (plane, name), pale in zip(axes.axes, panels, (fade, None), strict=True):
        most = max(float(np.ma.max(np.ma.abs(plane.values))), 1e-9)
        image = draw(ax, plane, fade=pale, cmap=DIVERGING, norm=Normalize(-most, most),
                     length=length, line=None, stretch=stretch)
        bar(ax, image, name, extend="neither", tall=stretch * plane.tall())
    axes.tidy()
    return figure_of(axes.axes[0])
