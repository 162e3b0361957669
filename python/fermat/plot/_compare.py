"""Models beside each other on one scale: before and after, several runs, what can be trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _fade as fading
from . import _ground as ground
from ._colours import SEQUENTIAL, bar, diverging, extends, named, norm_of
from ._frame import (
    crop,
    cut,
    draw,
    figure_of,
    hide_air,
    panel_size,
    plain_part,
    stretch_of,
    subplots,
)
from ._runs import Run, run_of
from ._units import named_units

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from .._core import Model
    from ._frame import Cut


class Panels:
    """Axes for planes of one shape, below each other where they are wide."""

    def __init__(self, plane: Cut, count: int, stretch: float) -> None:
        tall = stretch * plane.tall()
        self.below = tall < 0.8
        wide, high = panel_size(tall, 5.6 if self.below else 3.6, 3.6 if self.below else 5.2)
        # Room for titles, axes and the scale beside each panel.
        size = (
            (wide + 1.6, count * (high + 0.4) + 0.5)
            if self.below
            else (count * (wide + 1.2) + 0.5, high + 0.9)
        )
        self.axes = subplots(
            count, columns=1 if self.below else count, size=size, sharex=True, sharey=True
        )

    def tidy(self) -> None:
        """Names of shared axes once."""
        for number, ax in enumerate(self.axes):
            if self.below and number + 1 < len(self.axes):
                ax.set_xlabel("")
            if not self.below and number:
                ax.set_ylabel("")


@named_units
def before_after(
    run: Any,
    *,
    x: float | None = None,
    y: float | None = None,
    depth: float | None = None,
    length: str = "",
    time: str = "",
    cmap: str = SEQUENTIAL,
    vmin: float | None = None,
    vmax: float | None = None,
    log: bool | None = None,
    elevation: bool = False,
    exaggeration: float | None = None,
) -> Figure:
    """Draw the start model, the model found on the same scale, and the change in per cent.

    What the data say nothing of fades away in the last two.

    Parameters
    ----------
    run
        What `invert` returned, or a folder of `fermat invert` that has its `start.h5`.
    x, y, depth
        Where a 3-D model is cut. Default: the middle of y.
    length, time, cmap, vmin, vmax, log, elevation, exaggeration
        As in `section`.

    Examples
    --------
    >>> import fermat as fm
    >>> truth = fm.Model.gradient((41, 21), v0=2, gradient=0.3, spacing=0.25)
    >>> points = [(x, 0) for x in range(11)]
    >>> picks = fm.synthetic_picks(truth, points[::5], points, noise=0.01)
    >>> figure = fm.plot.before_after(fm.invert(picks))
    """
    found = run_of(run)
    if found.start is None:
        raise ValueError(
            "the run's folder has no start.h5 (its start model was a file of yours: draw "
            "fm.plot.section of both)"
        )
    place: dict[str, Any] = {"x": x, "y": y, "z": depth, "elevation": elevation}
    planes = [cut(m, hide_air(m.velocity), **place) for m in (found.start, found.model)]
    fade = fading.of_run(found)
    whole = None if fade is None else cut(found.model, fade, **place)
    planes, shown = [crop(plane, whole)[0] for plane in planes], crop(planes[1], whole)[1]
    stretch = stretch_of(planes[0], exaggeration)
    panels = Panels(planes[0], 3, stretch)
    both = np.ma.concatenate([plane.values for plane in planes])  # type: ignore[no-untyped-call,unused-ignore]
    part = plain_part(shown, planes[1])
    norm = norm_of(
        both, None if part is None else np.concatenate([part, part]), vmin=vmin, vmax=vmax, log=log
    )
    line = ground.line_of(planes[1], survey_of(found, planes[1]))
    style: dict[str, Any] = {"length": length, "line": line, "stretch": stretch}
    for ax, plane, pale, title in zip(
        panels.axes, planes, (None, shown), ("start model", "model found"), strict=False
    ):
        image = draw(ax, plane, fade=pale, cmap=cmap, norm=norm, **style)
        ax.set_title(title, fontsize="medium")
        if panels.below or ax is panels.axes[1]:
            label = named("velocity", f"{length}/{time}", norm)
            bar(ax, image, label, extend=extends(both, norm), tall=stretch * plane.tall())
    draw_change(panels.axes[2], found, place, whole, style)
    panels.axes[2].set_title("change", fontsize="medium")
    panels.tidy()
    figure = figure_of(panels.axes[0])
    if found.model.ndim == 3:
        figure.suptitle(place_name(found.model, place, length), fontsize="medium")
    return figure


def place_name(model: Model, place: dict[str, Any], length: str) -> str:
    """Where a 3-D model is cut: "depth 6 km"."""
    given = [(name, place[key]) for name, key in (("x", "x"), ("y", "y"), ("depth", "z"))]
    line = model.coords[1]
    name, at = next(((n, at) for n, at in given if at is not None), ("y", line[len(line) // 2]))
    return f"{name} {at:.4g} {length}"


def draw_change(
    ax: Axes, run: Run, place: dict[str, Any], shown: Cut | None, style: dict[str, Any]
) -> None:
    """The change from the start model in per cent, on a scale with 0 in the middle."""
    if run.start is None:
        raise ValueError("the run has no start model")
    change, shown = crop(cut(run.model, _per_cent(run.model, run.start), **place), shown)
    part = plain_part(shown, change)
    seen = change.values if part is None else change.values[part > 0.5]
    seen = np.ma.compressed(np.ma.masked_invalid(seen))  # type: ignore[no-untyped-call,unused-ignore]
    end = float(np.percentile(np.abs(seen), 99)) if seen.size else 0.0
    end = max(end, 0.1)  # less is noise
    image = draw(ax, change, fade=shown, cmap=diverging(), vmin=-end, vmax=end, **style)
    stretch = style.get("stretch", 1.0)
    bar(ax, image, "change (%)", extend=extends(change.values, image.norm),
        tall=stretch * change.tall())


def _per_cent(model: Model, start: Model) -> NDArray[Any]:
    change: NDArray[Any] = 100 * (hide_air(model.velocity) / hide_air(start.velocity) - 1)
    return change


def survey_of(run: Run, plane: Cut) -> NDArray[Any] | None:
    """Points of a 2-D survey, which lie at the ground."""
    if run.model.ndim == 3:
        return None
    return plane.project(np.vstack([run.sources, run.receivers]))


@named_units
def trust(
    run: Any,
    *,
    x: float | None = None,
    y: float | None = None,
    depth: float | None = None,
    length: str = "",
    time: str = "",
    elevation: bool = False,
    exaggeration: float | None = None,
) -> Figure:
    """Draw how far a model can be trusted: its resolution and the deviation of its velocity.

    Parameters
    ----------
    run
        What `invert` returned, or a folder of `fermat invert`, with resolution or deviation.
    x, y, depth, length, time, elevation, exaggeration
        As in `before_after`.

    Examples
    --------
    >>> import fermat as fm, numpy as np
    >>> truth = fm.Model.gradient((41, 21), v0=2, gradient=0.3, spacing=0.25)
    >>> points = [(x, 0) for x in range(11)]
    >>> run = fm.invert(fm.synthetic_picks(truth, points[::5], points, noise=0.01))
    >>> run.resolution = np.full(run.model.shape, 0.1)
    >>> figure = fm.plot.trust(run)
    """
    found = run_of(run)
    fields = [
        ("resolution (0 none, 1 full)", found.resolution, "magma"),
        (f"standard deviation ({length}/{time})", found.deviation, "cividis_r"),
    ]
    drawn = [(name, field, cmap) for name, field, cmap in fields if field is not None]
    if not drawn:
        raise ValueError("the run has neither resolution nor deviation (ask invert for them)")
    place: dict[str, Any] = {"x": x, "y": y, "z": depth, "elevation": elevation}
    base = cut(found.model, hide_air(found.model.velocity), **place)
    stretch = stretch_of(base, exaggeration)
    panels = Panels(base, len(drawn), stretch)
    line = ground.line_of(base, survey_of(found, base))
    for ax, (name, field, cmap) in zip(panels.axes, drawn, strict=True):
        plane = cut(found.model, _rock_only(found.model, np.asarray(field)), **place)
        image = draw(ax, plane, length=length, line=line, stretch=stretch, cmap=cmap, vmin=0)
        bar(ax, image, name, tall=stretch * plane.tall())
    panels.tidy()
    figure = figure_of(panels.axes[0])
    if found.model.ndim == 3:
        figure.suptitle(place_name(found.model, place, length), fontsize="medium")
    return figure


def _rock_only(model: Model, field: NDArray[Any]) -> NDArray[Any]:
    air = model.velocity == 0
    masked: NDArray[Any] = np.ma.masked_where(air | ~np.isfinite(field), field)  # type: ignore[no-untyped-call,unused-ignore]
    return masked
