"""Traveltime curves: picks and computed times against distance, shot by shot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._arguments import numbers
from ._frame import subplots

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from .._picks import Picks


def traveltime_curves(
    picks: Picks,
    computed: ArrayLike | None = None,
    *,
    by: str = "x",
    reduce: float | None = None,
    ax: Axes | None = None,
    length: str = "km",
    time: str = "s",
    cmap: str = "viridis",
) -> Axes:
    """Draw picks as dots and computed times as lines, one colour a source.

    Parameters
    ----------
    picks
        Observed times.
    computed
        Times of a model at the picks, one each, as of `rays(...).times` or of `receiver_times`.
    by
        "x" the receiver's position, or "offset" its horizontal distance from the source.
    reduce
        Reduction velocity: offset / reduce is taken off every time.
    ax, length, time, cmap
        As in `section`; the colour scale runs over the sources.

    Examples
    --------
    >>> import fermat as fm, numpy as np
    >>> model = fm.Model.gradient((101, 41), v0=2, gradient=0.5, spacing=0.1)
    >>> receivers = [(x, 0) for x in np.arange(0.5, 10, 0.5)]
    >>> times = fm.receiver_times(model, [(0, 0), (5, 0)], receivers)
    >>> source, receiver = np.indices(times.shape).reshape(2, -1)
    >>> picks = fm.Picks([(0, 0), (5, 0)], receivers, source=source, receiver=receiver,
    ...                  time=times.ravel())
    >>> ax = fm.plot.traveltime_curves(picks, times.ravel())
    """
    import matplotlib

    if by not in ("x", "offset"):
        raise ValueError(f"by is {by!r} (must be 'x' or 'offset')")
    if reduce is not None and not reduce > 0:
        raise ValueError(f"reduce is {reduce} (must be a velocity > 0)")
    lines = None if computed is None else numbers(computed, "computed").reshape(-1)
    if lines is not None and len(lines) != len(picks):
        raise ValueError(f"computed has {len(lines)} times (must have one a pick: {len(picks)})")
    ax = subplots(1, size=(7.0, 3.6))[0] if ax is None else ax
    across = picks.offset if by == "offset" else picks.receivers[picks.receiver, 0]
    late = np.zeros(len(picks)) if reduce is None else picks.offset / reduce
    used = np.unique(picks.source)
    # The palest end of a scale is hard to see on white.
    colours = matplotlib.colormaps[cmap](np.linspace(0, 0.85, len(used)))
    for source, colour in zip(used, colours, strict=True):
        mine = np.flatnonzero(picks.source == source)
        mine = mine[np.argsort(across[mine], kind="stable")]
        observed = picks.time[mine] - late[mine]
        ax.plot(across[mine], observed, ".", color=colour, markersize=4, zorder=3)
        if lines is not None:
            ax.plot(across[mine], lines[mine] - late[mine], color=colour, linewidth=0.9)
    ax.set_xlabel(f"offset ({length})" if by == "offset" else f"receiver x ({length})")
    reduced = "" if reduce is None else f" − offset / ({reduce:g} {length}/{time})"
    ax.set_ylabel(f"time{reduced} ({time})")
    if reduce is None:
        ax.set_ylim(bottom=min(0.0, ax.get_ylim()[0]))
    _explain(ax, lines is not None)
    return ax


def _explain(ax: Axes, has_lines: bool) -> None:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], linestyle="", marker=".", color="0.3", label="picked")]
    if has_lines:
        handles.append(Line2D([], [], color="0.3", label="computed"))
    ax.legend(handles=handles, frameon=False, fontsize="small")
