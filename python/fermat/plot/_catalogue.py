"""Earthquakes: map, section, depths, residuals of stations, and how far events were moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._colours import BLUE, GREY, ORANGE, RAY, SEQUENTIAL
from ._units import named_units

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

    from .._locate import Catalogue
    from .._relocate import Relocation


@named_units
def catalogue(
    found: Catalogue | Relocation,
    *,
    before: ArrayLike | None = None,
    stations: ArrayLike | None = None,
    azimuth: float | None = None,
    length: str = "",
    time: str = "",
) -> Figure:
    """Draw earthquakes in 3-D: a map, a vertical section, depths, and residuals.

    Parameters
    ----------
    found
        What `locate` or `relocate` returned. Events that were not located are not drawn.
    before
        Positions that the events had, (n, 3): lines go from them to those found. Default: those
        that `relocate` was given.
    stations
        Positions of stations, (n, 3). Default: those of `locate`.
    azimuth
        Of the section, degrees clockwise from y (north); the section goes through the middle of
        the events and all are projected onto it. Default: along which they spread most.
    length, time
        Units that the axes name; km and s by default.

    Examples
    --------
    >>> import fermat as fm
    >>> fm.plot.catalogue(found).savefig("quakes.png")  # doctest: +SKIP
    """
    from matplotlib import pyplot

    if found.ndim == 2:
        raise ValueError("the events are 2-D (a catalogue is drawn from above: it must be 3-D)")
    place = found.position
    shown = np.isfinite(place).all(axis=1)
    if not shown.any():
        raise ValueError("no event was located")
    if before is None and hasattr(found, "given"):
        before = found.given
    earlier = None if before is None else np.asarray(before, dtype=float)[shown]
    place = place[shown]
    if stations is None:
        stations = getattr(found, "station_position", None)
    middle = np.median(place, axis=0)
    angle = _strike(place) if azimuth is None else float(azimuth)
    along = np.array([np.sin(np.radians(angle)), np.cos(np.radians(angle))])

    figure, axes = pyplot.subplots(
        2, 2, figsize=(11, 9), width_ratios=[1.5, 1], layout="constrained"
    )
    colours = place[:, 2]
    _map(axes[0, 0], place, earlier, stations, middle, along, colours, length)
    _section(axes[1, 0], place, earlier, middle, along, angle, colours, length)
    _depths(axes[0, 1], place, earlier, length)
    if hasattr(found, "fits"):
        _station_residuals(axes[1, 1], found.fits, time)
    else:
        _difference_residuals(axes[1, 1], found, time)
    figure.suptitle(repr(found))
    return figure


def _strike(place: NDArray[Any]) -> float:
    """The azimuth along which events spread most, from 0 to 180."""
    if len(place) < 2:
        return 90.0
    off = place[:, :2] - place[:, :2].mean(axis=0)
    _, _, rows = np.linalg.svd(off, full_matrices=False)
    return float(np.degrees(np.arctan2(rows[0, 0], rows[0, 1])) % 180)


def _size(count: int) -> float:
    return float(np.clip(900 / max(count, 1), 4, 40))


def _arrows(ax: Axes, start: NDArray[Any], end: NDArray[Any]) -> None:
    from matplotlib.collections import LineCollection

    ax.add_collection(LineCollection(list(np.stack([start, end], axis=1)), colors=GREY, lw=0.5, zorder=2))
    ax.scatter(start[:, 0], start[:, 1], s=3, c=GREY, zorder=2, label="before")


def _map(ax: Axes, place: Any, earlier: Any, stations: Any, middle: Any, along: Any, colours: Any,
         length: str) -> None:
    if earlier is not None:
        _arrows(ax, earlier[:, :2], place[:, :2])
    dots = ax.scatter(place[:, 0], place[:, 1], c=colours, cmap=SEQUENTIAL, s=_size(len(place)),
                      zorder=3, ec="white", lw=0.2)
    left, right = ax.get_xlim()
    low, high = ax.get_ylim()
    if stations is not None:
        at = np.asarray(stations, dtype=float)
        ax.scatter(at[:, 0], at[:, 1], marker="^", s=28, c=ORANGE, ec="black", lw=0.4, zorder=4,
                   label="stations")
        # The nearer stations; those far outside would make the events a dot.
        pad = max(right - left, high - low)
        near = (np.abs(at[:, 0] - middle[0]) < 1.5 * pad) & (np.abs(at[:, 1] - middle[1]) < 1.5 * pad)
        if near.any():
            left, right = min(left, at[near, 0].min()), max(right, at[near, 0].max())
            low, high = min(low, at[near, 1].min()), max(high, at[near, 1].max())
        if (~near).any():
            ax.set_title(f"{int((~near).sum())} of {len(at)} stations lie outside", fontsize=8)
    edge = 0.03 * max(right - left, high - low)
    ax.set_xlim(left - edge, right + edge)
    ax.set_ylim(low - edge, high + edge)
    reach = max(right - left, high - low)
    line = middle[:2] + np.outer([-reach, reach], along)
    ax.plot(*line.T, c=RAY, lw=0.8, ls="--", zorder=1, label="section")
    ax.set_aspect("equal", adjustable="box")
    ax.set_xlabel(f"x ({length})")
    ax.set_ylabel(f"y ({length})")
    ax.legend(fontsize=8, loc="best")
    ax.figure.colorbar(dots, ax=ax, label=f"depth ({length})", shrink=0.8).ax.invert_yaxis()


def _section(ax: Axes, place: Any, earlier: Any, middle: Any, along: Any, angle: float,
             colours: Any, length: str) -> None:
    def project(points: Any) -> Any:
        return np.column_stack([(points[:, :2] - middle[:2]) @ along, points[:, 2]])

    if earlier is not None:
        _arrows(ax, project(earlier), project(place))
    at = project(place)
    ax.scatter(at[:, 0], at[:, 1], c=colours, cmap=SEQUENTIAL, s=_size(len(place)), zorder=3,
               ec="white", lw=0.2)
    ax.set_aspect("equal", adjustable="datalim")
    ax.invert_yaxis()
    ax.set_xlabel(f"along azimuth {angle:.0f}° ({length})")
    ax.set_ylabel(f"depth ({length})")


def _depths(ax: Axes, place: Any, earlier: Any, length: str) -> None:
    depth = place[:, 2] if earlier is None else np.concatenate([place[:, 2], earlier[:, 2]])
    bins = list(np.histogram_bin_edges(depth, bins=min(30, max(5, len(place) // 5))))
    if earlier is not None:
        ax.hist(earlier[:, 2], bins=bins, orientation="horizontal", histtype="step", color=GREY,
                label="before")
    ax.hist(place[:, 2], bins=bins, orientation="horizontal", color=BLUE, alpha=0.7, label="found")
    ax.invert_yaxis()
    ax.set_xlabel("events")
    ax.set_ylabel(f"depth ({length})")
    if earlier is not None:
        ax.legend(fontsize=8)


def _station_residuals(ax: Axes, fits: dict[str, Any], time: str) -> None:
    """Medians with the quartiles of P and S, the stations with the largest ones first."""
    station, phase = np.asarray(fits["station"]), np.asarray(fits["phase"])
    residual = np.asarray(fits["residual"])
    good = np.isfinite(residual) & (np.asarray(fits["weight"]) >= 0.5)
    names = [name for name in dict.fromkeys(station[good])]
    if not names:
        ax.set_axis_off()
        return
    medians = {name: np.median(residual[good & (station == name)]) for name in names}
    most = 25
    names = sorted(names, key=lambda name: -abs(medians[name]))[:most]
    names.sort(key=lambda name: medians[name])
    for kind, colour, shift in (("P", BLUE, -0.15), ("S", ORANGE, 0.15)):
        rows, middles, spans = [], [], []
        for n, name in enumerate(names):
            own = residual[good & (station == name) & (phase == kind)]
            if len(own):
                quarter, half, three = np.percentile(own, [25, 50, 75])
                rows.append(n + shift)
                middles.append(half)
                spans.append((half - quarter, three - half))
        if rows:
            ax.errorbar(middles, rows, xerr=np.array(spans).T, fmt="o", ms=3, lw=1, c=colour,
                        label=kind)
    ax.axvline(0, c=GREY, lw=0.6)
    ax.set_yticks(range(len(names)), names, fontsize=6)
    ax.set_xlabel(f"residual: median and quartiles ({time})")
    shown = f"{len(names)} of {len(medians)} stations" if len(medians) > most else "stations"
    ax.set_title(shown, fontsize=8)
    ax.legend(fontsize=8)


def _difference_residuals(ax: Axes, found: Relocation, time: str) -> None:
    kinds, residual = found.differences["kind"], found.differences["residual"]
    used = found.differences["weight"] > 0
    for kind, colour in (("catalogue", BLUE), ("correlation", ORANGE)):
        own = residual[used & (kinds == kind)]
        if not len(own):
            continue
        ax.hist(own, bins=60, histtype="step", density=True, color=colour,
                label=f"{kind}: {len(own)}")
    ax.set_yscale("log")
    ax.set_xlabel(f"residual of differences ({time})")
    ax.set_ylabel("density")
    ax.legend(fontsize=8)
