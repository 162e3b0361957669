"""Rays of later phases through their layers, and their times by distance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._colours import bar

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from .._medium import Medium
    from .._phases import PhaseRays

#: Colours that all eyes tell apart (Okabe & Ito 2008), dark ones first.
_COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#000000", "#56B4E9")


def phases(
    rays: PhaseRays | Sequence[PhaseRays],
    *,
    reduce: float | None = None,
    source: int | None = None,
    length: str = "km",
    time: str = "s",
    most_rays: int = 40,
    exaggeration: float | None = None,
    title: str | None = None,
) -> Figure:
    """Draw rays of later phases in their layers, and above them their times by distance.

    Parameters
    ----------
    rays
        What `phase_rays` returned, one or several of one medium of two dimensions.
    reduce
        Velocity of reduction: times are drawn less distance over it.
    source
        Number of the source whose rays are drawn. Default: all.
    length, time
        Names of your units.
    most_rays
        Of a phase that are drawn, evenly taken; the title says if there are more.
    exaggeration
        How much depth is stretched. Default: as fits the picture.
    title
        Over the picture.

    >>> import fermat as fm
    >>> medium = fm.Medium([6.0, 8.0], {"moho": 30.0}, shape=(101, 41), spacing=1.0)
    >>> stations = [(float(x), 0.0) for x in range(20, 100, 10)]
    >>> rays = fm.phase_rays(medium, "PmP", (5, 0), stations)
    >>> figure = fm.plot.phases(rays, reduce=6.0)
    """
    import matplotlib.pyplot as plt

    drawn = list(rays) if isinstance(rays, Sequence) else [rays]
    if not drawn:
        raise ValueError("rays is empty (must have what phase_rays returned)")
    medium = drawn[0].medium
    if any(one.medium is not medium for one in drawn):
        raise ValueError("rays are of several media (must be of one)")
    if len(medium._axes) != 2:
        raise ValueError(f"the medium has {len(medium._axes)} axes (pictures of phases are of 2-D sections)")
    if reduce is not None and not reduce > 0:
        raise ValueError(f"reduce is {reduce:g} (must be a velocity > 0)")
    figure, (above, below) = plt.subplots(
        2, 1, sharex=True, figsize=(9, 6.5), layout="constrained", gridspec_kw={"height_ratios": [1, 1.1]}
    )
    left_out = 0
    for number, one in enumerate(drawn):
        colour = _COLOURS[number % len(_COLOURS)]
        chosen = np.flatnonzero(one.arrived & ((source is None) | (one.sources == source)))
        few = chosen[:: max(1, -(-len(chosen) // most_rays))]
        left_out += len(chosen) - len(few)
        _times(above, one, chosen, colour, reduce)
        for ray in few:
            path = one.path(int(ray))
            below.plot(*path.T, color=colour, lw=0.7, alpha=0.8)
    _layers(below, medium, length, time)
    if exaggeration is not None:
        below.set_aspect(exaggeration)
    less = "" if reduce is None else f" − distance / {reduce:g} {length}/{time}"
    above.set_ylabel(f"time{less} ({time})")
    above.legend(frameon=False, ncols=min(len(drawn), 6))
    above.grid(alpha=0.25, lw=0.5)
    below.set_xlabel(f"x ({length})")
    below.set_ylabel(f"depth ({length})")
    words = [title or "", f"{left_out} rays are not drawn (most_rays={most_rays})" if left_out else ""]
    if any(words):
        above.set_title("; ".join(word for word in words if word), fontsize="medium")
    return figure


def _times(ax: Axes, rays: PhaseRays, chosen: NDArray[Any], colour: str, reduce: float | None) -> None:
    """Times of each source as dots joined by lines, at the places of the receivers."""
    label: str | None = rays.phase
    if len(chosen) == 0:
        ax.plot([], [], color=colour, marker=".", label=f"{label} (none arrives)")
        return
    ends = np.array([rays.path(int(ray))[[0, -1], 0] for ray in chosen])
    for source in np.unique(rays.sources[chosen]):
        of_source = rays.sources[chosen] == source
        start, x = ends[of_source].T
        times = rays.times[chosen][of_source]
        if reduce is not None:
            times = times - np.abs(x - start) / reduce
        order = np.lexsort((times, x))
        # A line joins single arrivals; several at one receiver are dots.
        single = len(np.unique(x)) == len(x)
        right = x[order] >= start[order]
        for side in (right, ~right):
            if side.any():
                ax.plot(
                    x[order][side],
                    times[order][side],
                    color=colour,
                    marker=".",
                    ms=4,
                    lw=1 if single else 0,
                    label=label,
                )
                label = None


def _layers(ax: Axes, medium: Medium, length: str, time: str) -> None:
    """Velocities of the layers, each up to its interfaces, with their names."""
    x, z = medium._axes
    fine = np.linspace(x[0], x[-1], 4 * len(x))
    # A hill may rise above the first row of a grid that follows it.
    top = min(z[0], float(medium.depth(medium.interfaces[0], fine).min()))
    image = ax.imshow(
        _fine(medium, top),
        extent=(x[0], x[-1], z[-1], top),
        cmap="Greys",
        aspect="auto",
        alpha=0.5,
        interpolation="nearest",
    )
    bar(ax, image, f"velocity ({length}/{time})")
    above = None
    for name in medium.interfaces:
        depth = medium.depth(name, fine)
        ax.plot(fine, depth, color="black", lw=1.2)
        at = -1 if above is None else _roomy(depth - above, 0.05 * (z[-1] - top))
        ax.annotate(
            name, (fine[at], depth[at]), (-4, 3), textcoords="offset points", ha="right", fontsize="small"
        )
        above = depth
    ax.set_xlim(x[0], x[-1])
    ax.set_ylim(z[-1], top)


def _roomy(thickness: NDArray[np.float64], least: float) -> int:
    """The last point with room for a name above an interface, or the one with most."""
    enough = np.flatnonzero(thickness >= least)
    return int(enough[-1] if len(enough) else np.argmax(thickness))


def _fine(medium: Medium, top: float) -> NDArray[np.float64]:
    """Velocity at more points than nodes, so that layers end at their interfaces: rows are depths."""
    x, z = medium._axes
    across = np.linspace(x[0], x[-1], 600)
    down = np.linspace(top, z[-1], 400)
    out = np.full((len(down), len(across)), np.nan)
    columns = np.clip(np.searchsorted(x, across), 1, len(x) - 1)
    columns -= across - x[columns - 1] < x[columns] - across
    # Below terrain rows of nodes follow the ground.
    follows = medium._template.coordinates == "terrain"
    depths = medium._template.node_positions()[..., -1] if follows else np.broadcast_to(z, (len(x), len(z)))
    rows = np.empty((len(across), len(down)), int)
    for number, column in enumerate(columns):
        at = depths[column]
        near = np.clip(np.searchsorted(at, down), 1, len(at) - 1)
        rows[number] = near - (down - at[near - 1] < at[near] - down)
    for number, name in enumerate(medium.interfaces):
        velocity = np.asarray(medium.layer(number).velocity)[columns[:, None], rows].T
        inside = down[:, None] >= medium.depth(name, across)[None, :]
        out[inside] = velocity[inside]
    return out
