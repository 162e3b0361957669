"""Residuals before and after an inversion, and its convergence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._arguments import numbers
from ._colours import BLUE, GREEN, GREY, ORANGE
from ._frame import figure_of, subplots
from ._runs import columns, uses
from ._units import named_units, small_times

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike


@named_units
def residuals(
    run: Any,
    before: ArrayLike | None = None,
    after: ArrayLike | None = None,
    *,
    bins: int = 40,
    length: str = "",
    time: str = "",
) -> Figure:
    """Draw residuals (observed less computed) by offset and as a histogram.

    The RMS it names is the plain one, all picks alike; the weighted one, where picks have errors,
    counts each by 1 / error^2. Of a run, outliers that were left out count in neither; they are
    grey crosses.

    Parameters
    ----------
    run
        What `invert` returned, a run's folder or its `residuals.csv`; or horizontal distances of source and receiver, one
        a pick, as of `picks.offset`.
    before, after
        With distances: residuals of the start model, and of the last one where there is one.
    bins
        Of the histogram.
    length, time
        Names of your units; by default those of the run. Residuals below 0.1 s are drawn in ms.

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
    error = left_out = None
    if before is None:
        run, before, after, error, left_out = _of_run(run)
    distance = numbers(run, "offset")
    drawn = [("before", numbers(before, "before"), ORANGE)]
    if after is not None:
        drawn.append(("after", numbers(after, "after"), BLUE))
    for name, values, _ in drawn:
        if values.shape != distance.shape:
            raise ValueError(
                f"{name} has shape {values.shape} (must be {distance.shape}, as offset)"
            )
    out = np.zeros(distance.shape, bool) if left_out is None else left_out
    finite = np.concatenate([values[np.isfinite(values)] for _, values, _ in drawn])
    if finite.size == 0:
        raise ValueError("no residual is finite (nothing to draw)")
    factor, unit = small_times(time, finite)
    left, right = subplots(2, columns=2, size=(8.4, 3.2), sharey=True, width_ratios=(2, 1))
    edges: Any = bins
    if np.ptp(finite) > 0:
        edges = factor * np.linspace(finite.min(), finite.max(), bins + 1)
    size = float(np.clip(200 / np.sqrt(max(distance.size, 1)), 1, 14))
    for name, values, colour in drawn:
        kept = np.isfinite(values) & ~out
        left.scatter(
            distance[~out], factor * values[~out], s=size, color=colour, alpha=0.6, linewidths=0
        )
        right.hist(
            factor * values[kept],
            bins=edges,
            color=colour,
            label=f"{name}: {_named_rms(factor * values[kept], _at(error, kept), unit)}",
            histtype="stepfilled",
            orientation="horizontal",
            alpha=0.55,
        )
    if out.any():
        left.scatter(
            distance[out], factor * drawn[-1][1][out], s=14, marker="x", color="0.55",
            linewidths=0.8, label=f"left out ({out.sum()})",
        )
    for ax in (left, right):
        ax.axhline(0, color=GREY, linewidth=0.8, zorder=0)
    left.set_xlabel(f"offset ({length})")
    left.set_ylabel(f"observed − computed ({unit})")
    right.set_xlabel("picks")
    figure = figure_of(left)
    figure.legend(loc="outside upper center", ncols=3, frameon=False, fontsize="small")
    return figure


def _at(error: Any, kept: Any) -> Any:
    return None if error is None else error[kept]


def _named_rms(values: Any, error: Any, unit: str) -> str:
    """ "plain RMS 0.71 ms, weighted 0.62 ms"."""
    if values.size == 0:
        return "no pick used"
    text = f"plain RMS {np.sqrt(np.mean(values**2)):.3g} {unit}"
    if error is not None:
        weighted = np.sqrt(np.sum((values / error) ** 2) / np.sum(error**-2.0))
        text += f", weighted {weighted:.3g} {unit}"
    return text


def _of_run(run: Any) -> tuple[Any, Any, Any, Any, Any]:
    """Offsets, first and last residuals, errors, and which picks were left out."""
    table = columns(run, "residuals")
    axes = [axis for axis in "xy" if f"source_{axis}" in table]
    apart = [table[f"receiver_{axis}"] - table[f"source_{axis}"] for axis in axes]
    offset = np.sqrt(np.sum(np.square(apart), axis=0))
    error = table.get("error")
    error = error if error is not None and np.isfinite(error).all() else None
    use = uses(run)
    left_out = None if use is None else use == "rejected"
    return offset, table["initial_residual"], table["final_residual"], error, left_out


@named_units
def convergence(
    run: Any, *, target: float | None = None, ax: Axes | None = None, time: str = ""
) -> Axes:
    """Draw the RMS residual of each iteration; every second stage of the schedule is shaded.

    The plain RMS counts all picks alike, the weighted one, drawn where picks have errors, each by
    1 / error^2.

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
    factor, unit = small_times(time, rms)
    _shade_stages(ax, table)
    ax.plot(iteration, factor * rms, "o-", color=BLUE, markersize=4, zorder=2, label="plain RMS")
    top = factor * float(np.nanmax(rms))
    weighted = table.get("weighted_rms")
    # Equal errors make both the same: one line then.
    if weighted is not None and np.isfinite(weighted).any() and not np.allclose(weighted, rms):
        ax.plot(
            iteration, factor * weighted, "s--", color=GREEN, markersize=3.5, label="weighted RMS"
        )
        top = max(top, factor * float(np.nanmax(weighted)))
    if target is not None:
        aim = factor * target
        ax.axhline(aim, color=ORANGE, linestyle="--", label=f"target {aim:g} {unit}")
        top = max(top, aim)
    if len(ax.get_legend_handles_labels()[1]) > 1:
        ax.legend(frameon=False, fontsize="small")
    ax.set_ylim(0, 1.08 * top)
    ax.set_xlabel("iteration")
    ax.set_ylabel(f"plain RMS residual ({unit})" if ax.get_legend() is None else f"RMS residual ({unit})")
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
