"""Residuals before and after an inversion, and its convergence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._arguments import numbers
from ._frame import BLUE, GREY, ORANGE, figure_of, subplots
from ._runs import columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike


def residuals(
    run: Any,
    before: ArrayLike | None = None,
    after: ArrayLike | None = None,
    *,
    bins: int = 40,
    length: str = "km",
    time: str = "s",
) -> Figure:
    """Draw residuals (observed less computed) by offset and as a histogram.

    Parameters
    ----------
    run
        A run's folder or its `residuals.csv`; or horizontal distances of source and receiver, one
        a pick, as of `picks.offset`.
    before, after
        With distances: residuals of the start model, and of the last one where there is one.
    bins
        Of the histogram.
    length, time
        Names of your units.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import fermat as fm, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> figure = fm.plot.residuals(rng.uniform(0, 9, 99), rng.normal(0.1, 0.2, 99),
    ...                            rng.normal(0, 0.05, 99))
    """
    distance, before, after = _of_run(run) if before is None else (run, before, after)
    distance = numbers(distance, "offset")
    sets = [("before", before, ORANGE)]
    if after is not None:
        sets.append(("after", after, BLUE))
    left, right = subplots(2, columns=2, size=(8.4, 3.2), sharey=True, width_ratios=(2, 1))
    drawn = [(name, numbers(values, name), colour) for name, values, colour in sets]
    for name, values, _ in drawn:
        if values.shape != distance.shape:
            raise ValueError(
                f"{name} has shape {values.shape} (must be {distance.shape}, as offset)"
            )
    finite = np.concatenate([values[np.isfinite(values)] for _, values, _ in drawn])
    if finite.size == 0:
        raise ValueError("no residual is finite (nothing to draw)")
    edges: Any = np.linspace(finite.min(), finite.max(), bins + 1) if np.ptp(finite) > 0 else bins
    size = float(np.clip(200 / np.sqrt(max(distance.size, 1)), 1, 14))
    for name, values, colour in drawn:
        rms = np.sqrt(np.nanmean(np.where(np.isfinite(values), values, np.nan) ** 2))
        left.scatter(distance, values, s=size, color=colour, alpha=0.6, linewidths=0)
        right.hist(
            values[np.isfinite(values)],
            bins=edges,
            color=colour,
            label=f"{name}: RMS {rms:.3g} {time}",
            histtype="stepfilled",
            orientation="horizontal",
            alpha=0.55,
        )
    for ax in (left, right):
        ax.axhline(0, color=GREY, linewidth=0.8, zorder=0)
    left.set_xlabel(f"offset ({length})")
    left.set_ylabel(f"observed − computed ({time})")
    right.set_xlabel("picks")
    figure = figure_of(left)
    figure.legend(loc="outside upper center", ncols=2, frameon=False, fontsize="small")
    return figure


def _of_run(run: Any) -> tuple[Any, Any, Any]:
    """Offsets, first and last residuals of what `fermat invert` wrote."""
    table = columns(run, "residuals")
    axes = [axis for axis in "xy" if f"source_{axis}" in table]
    apart = [table[f"receiver_{axis}"] - table[f"source_{axis}"] for axis in axes]
    offset = np.sqrt(np.sum(np.square(apart), axis=0))
    return offset, table["initial_residual"], table["final_residual"]


def convergence(
    run: Any, *, target: float | None = None, ax: Axes | None = None, time: str = "s"
) -> Axes:
    """Draw the RMS residual of each iteration; every second stage of the schedule is shaded.

    Parameters
    ----------
    run
        What `invert` returned, a run's folder, a `history.csv`, or a mapping with the columns
        `iteration` and `rms`.
    target
        RMS that was aimed at, drawn as a line.
    ax, time
        As in `section`.

    Examples
    --------
    >>> import fermat as fm
    >>> ax = fm.plot.convergence({"iteration": [0, 1, 2], "rms": [0.4, 0.2, 0.1]}, target=0.05)
    """
    from matplotlib.ticker import MaxNLocator

    table = columns(run, "history")
    for name in ("iteration", "rms"):
        if name not in table:
            raise ValueError(f"the history has no column {name!r} (it has {', '.join(table)})")
    ax = subplots(1, size=(5.6, 3.2))[0] if ax is None else ax
    iteration, rms = table["iteration"], table["rms"]
    _shade_stages(ax, table)
    ax.plot(iteration, rms, "o-", color=BLUE, markersize=4, zorder=2)
    top = float(np.nanmax(rms))
    if target is not None:
        ax.axhline(target, color=ORANGE, linestyle="--", label=f"target {target:g} {time}")
        ax.legend(frameon=False)
        top = max(top, target)
    ax.set_ylim(0, 1.08 * top)
    ax.set_xlabel("iteration")
    ax.set_ylabel(f"RMS residual ({time})")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return ax


def _shade_stages(ax: Axes, table: dict[str, Any]) -> None:
    """Every second stage of the schedule."""
    iteration = table["iteration"]
    if "stage" not in table:
        return
    changes = 1 + np.flatnonzero(np.diff(table["stage"]))
    edges = [0, *changes.tolist(), len(iteration)]
    for number, (first, last) in enumerate(zip(edges[:-1], edges[1:], strict=True)):
        if number % 2:
            ax.axvspan(iteration[first] - 0.5, iteration[last - 1] + 0.5, color="0.93", zorder=0)
