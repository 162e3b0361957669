"""All that one wants to see of an inversion first, on one sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _fade as fading
from . import _ground as ground
from . import _mapped as mapped
from ._colours import SEQUENTIAL
from ._compare import draw_change, survey_of
from ._curves import traveltime_curves
from ._frame import crop, cut, hide_air, panel_size, stretch_of
from ._maps import map as draw_map
from ._misfit import by_offset, by_shot, explain
from ._residuals import convergence
from ._runs import Run, run_of
from ._section import section
from ._units import named_units, small_times

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@named_units
def overview(
    run: Any,
    *,
    title: str | None = None,
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
    """Draw an inversion on one sheet: the model and its change, picks and fitted curves, misfit by
    shot and by offset, convergence.

    Parameters
    ----------
    run
        What `invert` returned, or the name of a folder of `fermat invert`.
    title
        Above the numbers of the run. Default: the folder's name.
    y, depth
        Of a 3-D model: where its section and its map are cut. Default: the middle, and the depth
        that the data see most of.
    length, time, cmap, vmin, vmax, log, elevation, exaggeration
        As in `section`.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import fermat as fm
    >>> truth = fm.Model.gradient((41, 21), v0=2, gradient=0.3, spacing=0.25)
    >>> points = [(x, 0) for x in range(11)]
    >>> picks = fm.synthetic_picks(truth, points[::2], points, noise=0.01)
    >>> figure = fm.plot.overview(fm.invert(picks))
    """
    found = run_of(run)
    style: dict[str, Any] = {"length": length, "time": time, "cmap": cmap, "vmin": vmin}
    style |= {"vmax": vmax, "log": log}
    frame: dict[str, Any] = {"elevation": elevation, "exaggeration": exaggeration}
    if mapped.is_mapped(found.model):
        return mapped.views(  # type: ignore[no-any-return]
            found.model, x=None, y=y, depth=depth, title=title, fade=fading.of_run(found),
            sources=found.sources, receivers=found.receivers,
            last=lambda ax: convergence(found, ax=ax, time=time), **style,
        )
    plane = cut(found.model, hide_air(found.model.velocity), y=y, elevation=elevation)
    fade = fading.of_run(found)
    plane, _ = crop(plane, None if fade is None else cut(found.model, fade, y=y))
    tall = stretch_of(plane, exaggeration) * plane.tall()
    if found.model.ndim == 3:
        figure, models, charts = _sheet_3d(found, tall)
        at = _seen_depth(found) if depth is None else depth
        draw_map(found, depth=at, ax=models[0], **style)
        if elevation:
            models[0].set_title(f"elevation {-at:.4g} {length}", fontsize="medium")
        section(found, y=y, ax=models[1], **style, **frame)
        line = found.model.coords[1]
        models[1].set_title(f"y {line[len(line) // 2] if y is None else y:.4g} {length}",
                            fontsize="medium")
        if len(models) > 2:
            models[1].set_xlabel("")
            _change(models[2], found, length, frame, y)
    else:
        figure, models, charts = _sheet_2d(found, tall)
        section(found, ax=models[0], **style, **frame)
        models[0].set_title("velocity", fontsize="medium")
        if found.start is not None:
            _change(models[1], found, length, frame)
            models[0 if tall < 0.8 else 1].set(**{"xlabel" if tall < 0.8 else "ylabel": ""})
    _charts(charts, found, length, time)
    figure.suptitle("\n".join(_words(found, title, time)), fontsize="medium")
    return figure


def _sheet_2d(run: Run, tall: float) -> tuple[Figure, list[Axes], list[Axes]]:
    """Wide sections stand above each other over the charts, tall ones beside them."""
    import matplotlib.pyplot as plt

    count = 1 if run.start is None else 2
    if tall < 0.8:
        _, high = panel_size(tall, 7.6, 3.4)
        rows = [count * (high + 0.55), 5.2]
        figure = plt.figure(figsize=(9.6, sum(rows) + 0.6), layout="constrained")
        parts: Any = figure.subfigures(2, 1, height_ratios=rows)
        above, below = parts
        models = above.subplots(count, 1, squeeze=False, sharex=True)
        charts = below.subplots(2, 2)
    else:
        wide, high = panel_size(tall, 3.0, 6.4)
        columns = [count * (wide + 1.5), 7.4]
        figure = plt.figure(figsize=(sum(columns), max(high + 1.4, 5.6)), layout="constrained")
        parts = figure.subfigures(1, 2, width_ratios=columns)
        left, right = parts
        models = left.subplots(1, count, squeeze=False, sharey=True)
        charts = right.subplots(2, 2)
    return figure, list(models.flat), list(charts.flat)


def _sheet_3d(run: Run, tall: float) -> tuple[Figure, list[Axes], list[Axes]]:
    import matplotlib.pyplot as plt

    x, y = run.model.coords[:2]
    across = float(np.ptp(y) / np.ptp(x))
    high = panel_size(max(across, tall), 3.6, 5.0)[1]
    stacked = run.start is not None and tall < 0.7
    rows = [max(high + 0.9, 2 * (3.6 * tall + 0.8) if stacked else 0), 5.2]
    figure = plt.figure(figsize=(10.4, sum(rows) + 0.6), layout="constrained")
    parts: Any = figure.subfigures(2, 1, height_ratios=rows)
    above, below = parts
    panels = above.subplot_mosaic("AB;AC" if stacked else "AB")
    return figure, [panels[name] for name in sorted(panels)], list(below.subplots(2, 2).flat)


def _change(
    ax: Axes, run: Run, length: str, frame: dict[str, Any], y: float | None = None
) -> None:
    place = {"elevation": frame["elevation"], "y": y}
    plane = cut(run.model, hide_air(run.model.velocity), **place)
    fade = fading.of_run(run)
    shown = None if fade is None else cut(run.model, fade, **place)
    line = ground.line_of(plane, survey_of(run, plane))
    stretch = stretch_of(crop(plane, shown)[0], frame["exaggeration"])
    draw_change(ax, run, place, shown, {"length": length, "line": line, "stretch": stretch})
    ax.set_title("change from the start model", fontsize="medium")


def _seen_depth(run: Run) -> float:
    """Where least fades."""
    fade = fading.of_run(run)
    z = run.model.coords[2]
    return float(z[len(z) // 2] if fade is None else z[int(fade.sum(axis=(0, 1)).argmax())])


def _charts(charts: list[Axes], run: Run, length: str, time: str) -> None:
    curves, converging, shots, offsets = charts
    traveltime_curves(run, ax=curves, length=length, time=time)
    convergence(run, ax=converging, time=time)
    by_shot(shots, run, length=length, time=time)
    explain(shots)
    by_offset(offsets, run, bins=12, length=length, time=time)
    offsets.legend(
        frameon=False, fontsize="small", loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3,
        borderaxespad=0.1, columnspacing=1.0, handlelength=1.4,
    )


def _words(run: Run, title: str | None, time: str) -> list[str]:
    """The numbers of the run, and why parts are pale."""
    history = run.history
    factor, unit = small_times(time, history["rms"])
    first, last = (f"{factor * history['rms'][n]:.3g}" for n in (0, -1))
    words = [f"plain RMS {first} → {last} {unit}"]
    weighted = history.get("weighted_rms")
    if weighted is not None and np.isfinite(weighted[-1]):
        words.append(f"weighted RMS {factor * weighted[-1]:.3g} {unit}")
    chi2 = history.get("chi2")
    if chi2 is not None and np.isfinite(chi2[-1]):
        words.append(f"χ² {chi2[-1]:.3g}")
    words.append(f"{(run.use == 'used').sum()} of {len(run.use)} picks")
    words.append(f"{int(history['iteration'][-1])} iterations")
    lines = [" · ".join(words)]
    heading = run.name if title is None else title
    pale = fading.reason(run)
    return [*([heading] if heading else []), *lines, *([pale] if pale else [])]
