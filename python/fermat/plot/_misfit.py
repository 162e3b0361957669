"""Where a model misses its picks, and what its smoothness cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._colours import BLUE, GREY, ORANGE, plain_log_axis
from ._frame import figure_of, subplots
from ._runs import Run, columns, run_of
from ._units import named_units, small_times

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray


@named_units
def misfit(run: Any, *, bins: int = 12, length: str = "", time: str = "") -> Figure:
    """Draw how well each shot and each range of offsets is explained, before and after.

    Left, the plain RMS residual of each shot (all its picks alike), and its mean as a short line:
    a mean far from 0 is a static or a wrong position. Right, median and middle two thirds of the
    residuals in bins of equal numbers of picks; a median that drifts with offset is a bias of the
    model. Dashed: plus and minus the median error of the picks.

    Parameters
    ----------
    run
        What `invert` returned, or a folder of `fermat invert`.
    bins
        Of offsets.
    length, time
        Names of your units; by default those of the run. Residuals below 0.1 s are drawn in ms.

    Examples
    --------
    >>> import fermat as fm
    >>> truth = fm.Model.gradient((41, 21), v0=2, gradient=0.3, spacing=0.25)
    >>> points = [(x, 0) for x in range(11)]
    >>> picks = fm.synthetic_picks(truth, points[::5], points, noise=0.01)
    >>> figure = fm.plot.misfit(fm.invert(picks))
    """
    if bins < 1:
        raise ValueError(f"bins is {bins} (must be 1 or more)")
    found = run_of(run)
    left, right = subplots(2, columns=2, size=(8.4, 3.2), width_ratios=(1, 1))
    by_shot(left, found, length=length, time=time)
    by_offset(right, found, bins=bins, length=length, time=time)
    explain(left)
    handles, labels = right.get_legend_handles_labels()
    figure_of(left).legend(
        handles, labels, loc="outside upper center", ncols=3, frameon=False, fontsize="small"
    )
    return figure_of(left)


def explain(ax: Axes) -> None:
    """What dots and dashes are, above the axes of the shots."""
    from matplotlib.lines import Line2D

    style: dict[str, Any] = {"linestyle": "", "color": "0.4"}
    handles = [
        Line2D([], [], marker="o", markersize=4, label="plain RMS", **style),
        Line2D([], [], marker="_", markersize=8, label="mean", **style),
    ]
    ax.legend(
        handles=handles, frameon=False, fontsize="small", loc="lower right", ncols=2,
        bbox_to_anchor=(1.0, 1.0), borderaxespad=0.1,
    )


def _sets(run: Run) -> list[tuple[str, NDArray[Any], str]]:
    table = run.residuals
    return [
        ("start model", table["initial_residual"], ORANGE),
        ("final model", table["final_residual"], BLUE),
    ]


def _used(run: Run, values: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(np.isfinite(values) & (run.use != "rejected"))


def by_shot(ax: Axes, run: Run, *, length: str, time: str) -> None:
    factor, unit = small_times(time, *(values for _, values, _ in _sets(run)))
    shot, places = run.shot, run.sources
    axis = int(np.ptp(places, axis=0).argmax()) if len(places) else 0
    along = places[:, axis]
    # Two shots at one place along the line would hide each other.
    numbered = places.shape[1] == 3 or len(np.unique(along)) < len(along)
    x = np.arange(1, len(places) + 1) if numbered else along
    for _, values, colour in _sets(run):
        keep = _used(run, values)
        sums = [values[keep & (shot == n)] for n in range(len(places))]
        rms = np.array([np.sqrt(np.mean(s**2)) if s.size else np.nan for s in sums])
        mean = np.array([s.mean() if s.size else np.nan for s in sums])
        ax.plot(x, factor * rms, "o", color=colour, markersize=4, zorder=3)
        ax.plot(x, factor * mean, "_", color=colour, markersize=8, zorder=2.5)
    ax.axhline(0, color=GREY, linewidth=0.8, zorder=0)
    name = "depth" if axis == places.shape[1] - 1 else "xyz"[axis]
    ax.set_xlabel("shot (number)" if numbered else f"shot {name} ({length})")
    ax.set_ylabel(f"residuals of the shot ({unit})")


def by_offset(ax: Axes, run: Run, *, bins: int, length: str, time: str) -> None:
    factor, unit = small_times(time, *(values for _, values, _ in _sets(run)))
    offset = run.offset
    if len(offset) and np.ptp(offset) <= 1e-9 * np.abs(offset).max():
        offset = np.linalg.norm(run.points("receiver") - run.points("source"), axis=1)
        name = "distance"
    else:
        name = "offset"
    for label, values, colour in _sets(run):
        keep = _used(run, values)
        if not keep.any():
            continue
        parts = np.array_split(np.argsort(offset[keep], kind="stable"), min(bins, keep.sum()))
        far = np.array([offset[keep][part].mean() for part in parts])
        low, middle, high = np.array(
            [np.percentile(values[keep][part], (16.7, 50, 83.3)) for part in parts]
        ).T
        ax.fill_between(far, factor * low, factor * high, color=colour, alpha=0.25, linewidth=0)
        ax.plot(far, factor * middle, ".-", color=colour, label=label)
    error = run.residuals.get("error")
    if error is not None and np.isfinite(error).any():
        usual = factor * float(np.nanmedian(error))
        for sign in (1, -1):
            ax.axhline(
                sign * usual, color=GREY, linestyle="--", linewidth=0.9,
                label="± median error" if sign > 0 else None,
            )
    ax.axhline(0, color=GREY, linewidth=0.8, zorder=0)
    ax.set_xlabel(f"{name} ({length})")
    ax.set_ylabel(f"observed − computed ({unit})")


@named_units
def trade_off(run: Any, *, ax: Axes | None = None, time: str = "") -> Axes:
    """Draw misfit against roughness, a point a model: the trade-off curve of an inversion.

    Numbers beside the points are the weights of the roughness (lambda); the star is the model
    found. The misfit is chi2, or the plain RMS where the picks have no errors.

    Parameters
    ----------
    run
        What `invert` returned, a run's folder, a `history.csv`, or a mapping of its columns.
    ax, time
        As in `section`.

    Examples
    --------
    >>> import fermat as fm
    >>> ax = fm.plot.trade_off({"lambda": [0, 100, 50], "roughness": [0, 0.1, 0.3],
    ...                         "chi2": [9, 3, 1.0]})
    """
    table = columns(run, "history")
    for name in ("lambda", "roughness"):
        if name not in table:
            raise ValueError(
                f"the history has no column {name!r} (the trade-off is that of gauss-newton)"
            )
    chi2 = table.get("chi2")
    has_chi2 = chi2 is not None and np.isfinite(chi2[-1])
    factor, unit = (1.0, "") if has_chi2 else small_times(time, table["rms"])
    value = np.asarray(chi2) if chi2 is not None and has_chi2 else factor * table["rms"]
    keep = (table["lambda"] > 0) & (table["roughness"] > 0) & (value > 0)
    if not keep.any():
        raise ValueError("no model of the history has a roughness > 0 (the start model alone was kept)")
    ax = subplots(1, size=(4.8, 3.6))[0] if ax is None else ax
    rough, value, weight = table["roughness"][keep], value[keep], table["lambda"][keep]
    ax.plot(rough, value, "o-", color=BLUE, markersize=4, linewidth=0.9)
    ax.plot(rough[-1], value[-1], "*", color=ORANGE, markersize=13, markeredgecolor="0.2",
            markeredgewidth=0.6, zorder=4)
    if has_chi2:
        ax.axhline(1, color=GREY, linestyle="--", linewidth=0.9, zorder=0)
    _label_some(ax, rough, value, weight)
    for name, numbers in (("x", rough), ("y", value)):
        getattr(ax, f"set_{name}scale")("log")
        low, high = float(numbers.min()), float(numbers.max())
        low, high = low / 1.15 - 1e-300, high * 1.35
        if name == "y" and has_chi2:
            low = min(low, 0.85)
        getattr(ax, f"set_{name}lim")(low, high)
        plain_log_axis(getattr(ax, f"{name}axis"), low, high)
    ax.set_xlabel("roughness")
    ax.set_ylabel("χ² per pick" if has_chi2 else f"plain RMS residual ({unit})")
    return ax


def _label_some(ax: Axes, x: NDArray[Any], y: NDArray[Any], weight: NDArray[Any]) -> None:
    """Lambda beside points that stand far enough apart to be read."""
    spans = [max(float(np.ptp(np.log(v))), 1e-12) for v in (x, y)]
    taken: list[tuple[float, float]] = []
    for n in [len(x) - 1, *range(len(x) - 1)]:
        place = (np.log(x[n]) / spans[0], np.log(y[n]) / spans[1])
        if all(np.hypot(place[0] - a, place[1] - b) > 0.16 for a, b in taken):
            taken.append(place)
            ax.annotate(f"λ {float(f'{weight[n]:.2g}'):g}", (x[n], y[n]),
                        xytext=(-8, -10) if n == len(x) - 1 else (6, 4),
                        ha="right" if n == len(x) - 1 else "left",
                        textcoords="offset points", fontsize="x-small", color="0.3")
