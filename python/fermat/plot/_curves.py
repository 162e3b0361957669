"""Traveltime curves: picks and computed times along the spread, in one picture or shot by shot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._arguments import numbers
from .._picks import Picks
from ._colours import BLUE
from ._frame import figure_of, subplots
from ._runs import is_run, run_of
from ._units import named_units, small_times

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

REJECTED = "0.55"


class Curves(NamedTuple):
    """One entry per pick."""

    sources: NDArray[Any]
    """Positions, one per source."""
    source: NDArray[Any]
    across: NDArray[Any]
    """Where it is drawn, and what that is."""
    name: str
    observed: NDArray[Any]
    computed: NDArray[Any] | None
    error: NDArray[Any] | None
    rejected: NDArray[Any]
    unit: str
    beyond: NDArray[Any]
    """Drawn by offset: whether it lies on the far side of its source, whose curve is another."""


@named_units
def traveltime_curves(
    picks: Picks | Any,
    computed: ArrayLike | None = None,
    *,
    by: str = "auto",
    reduce: float | None = None,
    ax: Axes | None = None,
    length: str = "",
    time: str = "",
    cmap: str = "viridis",
) -> Axes:
    """Draw picks as dots and computed times as lines, one colour a source.

    Parameters
    ----------
    picks
        Observed times; or a run, as in `section`, which has its computed times with it, and whose
        rejected picks are drawn as grey crosses.
    computed
        Times of a model at the picks, one each, as of `rays(...).times` or of `receiver_times`.
    by
        "x" or "z" the receiver's position, or "offset" its horizontal distance from the source.
        "auto": the axis along which receivers lie in 2-D, and "offset" in 3-D.
    reduce
        Reduction velocity: offset / reduce is taken off every time.
    ax, length, time, cmap
        As in `section`; the colour scale runs over the sources. Times below 0.1 s are drawn in ms.

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

    curves = _curves(picks, computed, by, reduce, length, time)
    ax = subplots(1, size=(7.0, 3.6))[0] if ax is None else ax
    used = np.unique(curves.source)
    # The palest end of a scale is hard to see on white.
    colours = matplotlib.colormaps[cmap](np.linspace(0, 0.85, len(used)))
    size = float(np.clip(60 / np.sqrt(max(len(curves.source), 1)), 1.5, 4))
    for source, colour in zip(used, colours, strict=True):
        _draw_shot(ax, curves, source, colour, colour, size)
    _name_axes(ax, curves, reduce, length, time)
    _explain(ax, curves)
    return ax


@named_units
def shots(
    picks: Picks | Any,
    computed: ArrayLike | None = None,
    *,
    by: str = "auto",
    reduce: float | None = None,
    most: int = 24,
    columns: int | None = None,
    length: str = "",
    time: str = "",
) -> Figure:
    """Draw picks with their errors and the fitted curve of each shot, a panel a shot.

    Parameters
    ----------
    picks, computed, by, reduce, length, time
        As in `traveltime_curves`.
    most
        Panels at most, spread evenly over the shots; the title says how many there are.
    columns
        Panels side by side. Default: up to five, or six where there are many.

    Examples
    --------
    >>> import fermat as fm, numpy as np
    >>> model = fm.Model.gradient((101, 41), v0=2, gradient=0.5, spacing=0.1)
    >>> places = [(x, 0) for x in range(10)]
    >>> picks = fm.synthetic_picks(model, places[::3], places, noise=0.05)
    >>> figure = fm.plot.shots(picks, picks.time)
    """
    if most < 1:
        raise ValueError(f"most is {most} (must be 1 or more)")
    curves = _curves(picks, computed, by, reduce, length, time)
    every = np.unique(curves.source)
    widest = int(np.ptp(curves.sources[every], axis=0).argmax())
    every = every[np.argsort(curves.sources[every, widest], kind="stable")]
    drawn = every[np.unique(np.linspace(0, len(every) - 1, min(most, len(every))).round().astype(int))]
    rows = -(-len(drawn) // (columns or (5 if len(drawn) <= 20 else 6)))
    columns = columns or -(-len(drawn) // rows)
    axes = subplots(
        len(drawn),
        columns=columns,
        size=(max(1.9 * columns, 4.2) + 0.8, 1.5 * rows + 1.1),
        sharex=True,
        sharey=True,
    )
    for number, (ax, source) in enumerate(zip(axes, drawn, strict=True)):
        _draw_shot(ax, curves, source, "0.2", BLUE, 3.0, with_errors=True)
        ax.set_title(_place(curves, int(source), length), fontsize="x-small", pad=3)
        ax.tick_params(labelsize="x-small", labelbottom=number + columns >= len(drawn))
    figure = figure_of(axes[0])
    figure.supxlabel(_across(curves, length), fontsize="medium")
    figure.supylabel(_time_label(curves, reduce, length, time), fontsize="medium")
    title = f"{len(drawn)} of {len(every)} shots" if len(drawn) < len(every) else ""
    handles = _handles(curves, "0.2", BLUE)
    figure.legend(
        handles=handles, loc="outside upper center", ncols=len(handles), frameon=False,
        fontsize="small", title=title or None, title_fontsize="small",
    )
    return figure


def _curves(
    picks: Any, computed: Any, by: str, reduce: float | None, length: str, time: str
) -> Curves:
    if by not in ("auto", "x", "z", "offset"):
        raise ValueError(f"by is {by!r} (must be 'auto', 'x', 'z' or 'offset')")
    if reduce is not None and not reduce > 0:
        raise ValueError(f"reduce is {reduce} (must be a velocity > 0)")
    rejected = None
    if not isinstance(picks, Picks) and is_run(picks):
        run = run_of(picks)
        computed = run.computed if computed is None else computed
        rejected = run.use == "rejected"
        picks = _picks_of(run)
    lines = None if computed is None else numbers(computed, "computed").reshape(-1)
    if lines is not None and len(lines) != len(picks):
        raise ValueError(f"computed has {len(lines)} times (must have one per pick: {len(picks)})")
    offset = picks.offset
    if by == "auto":
        spread = np.ptp(picks.receivers, axis=0)
        by = "offset" if picks.ndim == 3 else "x" if spread[0] >= spread[-1] else "z"
    place = {"x": 0, "z": -1}
    across = offset if by == "offset" else picks.receivers[picks.receiver, place[by]]
    late = np.zeros(len(picks)) if reduce is None else offset / reduce
    factor, unit = small_times(time, picks.travel_time)
    return Curves(
        picks.sources,
        picks.source,
        across,
        {"x": "receiver x", "z": "receiver depth", "offset": "offset"}[by],
        factor * (picks.travel_time - late),
        None if lines is None else factor * (lines - late),
        None if picks.error is None else factor * picks.error,
        np.zeros(len(picks), bool) if rejected is None else rejected,
        unit,
        picks.receivers[picks.receiver, 0] > picks.sources[picks.source, 0]
        if by == "offset" and picks.ndim == 2
        else np.zeros(len(picks), bool),
    )


def _picks_of(run: Any) -> Picks:
    error = run.residuals.get("error")
    table = {name: run.residuals[name] for name in run.residuals if name != "error"}
    if error is not None and np.isfinite(error).all():
        table["error"] = error
    keep = [n for n in table if n.startswith(("source_", "receiver_")) or n in ("time", "error")]
    return Picks.from_columns({name: table[name] for name in keep})


def _draw_shot(
    ax: Axes, curves: Curves, source: Any, dots: Any, line: Any, size: float,
    *, with_errors: bool = False,
) -> None:
    mine = np.flatnonzero(curves.source == source)
    mine = mine[np.argsort(curves.across[mine], kind="stable")]
    kept, left_out = mine[~curves.rejected[mine]], mine[curves.rejected[mine]]
    ax.plot(curves.across[kept], curves.observed[kept], ".", color=dots, markersize=size, zorder=3)
    if with_errors and curves.error is not None:
        ax.errorbar(
            curves.across[kept], curves.observed[kept], curves.error[kept],
            fmt="none", ecolor="0.6", elinewidth=0.7, zorder=2.5,
        )
    if curves.computed is not None:
        style = _computed_style(curves, size)
        for side in (mine[~curves.beyond[mine]], mine[curves.beyond[mine]]):
            if len(side):
                ax.plot(curves.across[side], curves.computed[side], color=line, **style)
    if len(left_out):
        ax.plot(
            curves.across[left_out], curves.observed[left_out], "x", color=REJECTED,
            markersize=size + 1, markeredgewidth=0.8, zorder=3,
        )


def _computed_style(curves: Curves, size: float) -> dict[str, Any]:
    """A line along a spread; circles in 3-D, where neighbours in offset are no neighbours."""
    if curves.sources.shape[1] == 2:
        return {"linewidth": 0.9}
    return {"linestyle": "", "marker": "o", "markersize": size, "fillstyle": "none",
            "markeredgewidth": 0.5}


def _place(curves: Curves, source: int, length: str) -> str:
    point = curves.sources[source]
    if curves.name == "receiver depth":
        return f"shot at depth {point[-1]:.4g} {length}"
    if len(point) == 3:
        return f"shot at ({point[0]:.4g}, {point[1]:.4g}) {length}"
    return f"shot at x = {point[0]:.4g} {length}"


def _across(curves: Curves, length: str) -> str:
    return f"{curves.name} ({length})"


def _time_label(curves: Curves, reduce: float | None, length: str, time: str) -> str:
    reduced = "" if reduce is None else f" − offset / ({reduce:g} {length}/{time})"
    return f"time{reduced} ({curves.unit})"


def _name_axes(ax: Axes, curves: Curves, reduce: float | None, length: str, time: str) -> None:
    ax.set_xlabel(_across(curves, length))
    ax.set_ylabel(_time_label(curves, reduce, length, time))
    if reduce is None:
        low, high = ax.get_ylim()
        # Times far from 0, as between boreholes, keep their own range.
        if low < 0.4 * high:
            ax.set_ylim(min(0.0, low), high)


def _handles(curves: Curves, dots: str, line: str) -> list[Any]:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], linestyle="", marker=".", color=dots, label="picked")]
    if curves.computed is not None:
        style = _computed_style(curves, 4)
        handles.append(Line2D([], [], color=line, label="computed", **style))
    if curves.rejected.any():
        count = int(curves.rejected.sum())
        cross = Line2D([], [], linestyle="", marker="x", color=REJECTED, label=f"left out ({count})")
        handles.append(cross)
    return handles


def _explain(ax: Axes, curves: Curves) -> None:
    """Above the axes, where no data are."""
    handles = _handles(curves, "0.3", "0.3")
    ax.legend(
        handles=handles, frameon=False, fontsize="small", loc="lower right",
        bbox_to_anchor=(1.0, 1.0), ncols=len(handles), borderaxespad=0.1,
    )
