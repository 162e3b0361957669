"""What changed between two surveys."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ._colours import bar
from ._compare import Panels
from ._frame import cut, draw, figure_of, hide_air, stretch_of
from ._moving import checked_target, picture_of, write_moving
from ._units import named_units, units_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .._lapse import Change
    from ._frame import Cut

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
    place: dict[str, Any] = {"x": x, "y": y, "z": depth, "elevation": elevation}
    return _panels(run, place, _extent([run], place), length=length, exaggeration=exaggeration)


def change_animation(
    changes: Sequence[Change],
    path: str | os.PathLike[str],
    *,
    labels: Sequence[str] | None = None,
    seconds: float = 1.0,
    x: float | None = None,
    y: float | None = None,
    depth: float | None = None,
    length: str = "",
    time: str = "",
    elevation: bool = False,
    exaggeration: float | None = None,
    title: str | None = None,
    dpi: int = 90,
) -> Path:
    """Write the changes of several repeats as a GIF that repeats, or as a page with a slider.

    Every frame is drawn as by `change`, with the colours and scales of all.

    Parameters
    ----------
    changes
        What `time_lapse` returned for a list of repeats.
    path
        The file to write: .gif or .html.
    labels
        One per repeat, such as its date. Default: its number, from 1.
    seconds
        How long a frame is seen; the last one is seen three times as long.
    x, y, depth, length, time, elevation, exaggeration
        As in `change`.
    title
        Heading.
    dpi
        Dots per inch.

    Returns
    -------
    pathlib.Path
        The file.

    Examples
    --------
    >>> import fermat as fm
    >>> before = fm.Model.gradient((41, 21), v0=2, gradient=0.3, spacing=0.25)
    >>> line = [(x, 0) for x in range(11)]
    >>> first = fm.invert(before, fm.synthetic_picks(before, line, line, noise=0.001))
    >>> again = [fm.synthetic_picks(before, line, line, noise=0.001, seed=n) for n in (2, 3)]
    >>> found = fm.time_lapse(first, again)
    >>> file = fm.plot.change_animation(found, "changes.gif", labels=["May", "June"])
    """
    import matplotlib.pyplot as plt

    target = checked_target(path, seconds)
    runs = list(changes) if isinstance(changes, Iterable) else [changes]
    if not runs:
        raise ValueError("changes has no change (must be what time_lapse returned for some repeats)")
    names = [f"repeat {n}" for n in range(1, len(runs) + 1)] if labels is None else list(labels)
    if len(names) != len(runs):
        raise ValueError(f"labels has {len(names)} names for {len(runs)} changes (must be one each)")
    if any(one.model.shape != runs[0].model.shape for one in runs):
        raise ValueError("changes are on several grids (must be of one reference)")
    units = units_of(runs[0])
    place: dict[str, Any] = {"x": x, "y": y, "z": depth, "elevation": elevation}
    most = _extent(runs, place)
    pictures = []
    for run, name in zip(runs, names, strict=True):
        figure = _panels(run, place, most, length=length or units.length, exaggeration=exaggeration)
        figure.suptitle(f"{title}: {name}" if title else name)
        pictures.append(picture_of(figure, dpi))
        plt.close(figure)
    write_moving(target, pictures, seconds, title or "changes", even=True)
    return target


def _planes(run: Change, place: dict[str, Any]) -> tuple[Cut, Cut]:
    """The change in per cent, and how many of its deviations it is."""
    air = np.ma.getmaskarray(hide_air(run.model.velocity))
    change = cut(run.model, np.ma.masked_array(100 * run.change, air), **place)
    return change, cut(run.model, np.ma.masked_array(run.significance, air), **place)


def _extent(runs: Sequence[Change], place: dict[str, Any]) -> list[float]:
    """Largest size of a change in per cent, and of its significance, where they are drawn."""
    planes = [_planes(run, place) for run in runs]
    return [
        max(1e-9, *(float(np.ma.max(np.ma.abs(each[n].values))) for each in planes)) for n in (0, 1)
    ]


def _panels(
    run: Change,
    place: dict[str, Any],
    most: list[float],
    *,
    length: str,
    exaggeration: float | None,
) -> Figure:
    """Change and significance below each other, by scales that reach `most`."""
    from matplotlib.colors import Normalize

    planes = _planes(run, place)
    names = "change of velocity / %", "change / its standard deviation"
    sure = np.clip(np.abs(run.significance) / 2, 0, 1)
    fade = cut(run.model, np.where(sure < 1, 0.6 * sure, 1.0), **place)
    stretch = stretch_of(planes[0], exaggeration)
    axes = Panels(planes[0], 2, stretch)
    for ax, plane, name, pale, far in zip(axes.axes, planes, names, (fade, None), most, strict=True):
        image = draw(ax, plane, fade=pale, cmap=DIVERGING, norm=Normalize(-far, far),
                     length=length, line=None, stretch=stretch)
        bar(ax, image, name, extend="neither", tall=stretch * plane.tall())
    axes.tidy()
    return figure_of(axes.axes[0])
