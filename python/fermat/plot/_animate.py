"""The iterations of an inversion as a moving picture."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _fade as fading
from . import _ground as ground
from ._colours import SEQUENTIAL, bar, named, norm_of
from ._compare import survey_of
from ._frame import crop, cut, draw, figure_of, hide_air, new_axes, plain_part, stretch_of
from ._moving import checked_target, picture_of, write_moving
from ._runs import Run, run_of
from ._units import named_units, small_times

if TYPE_CHECKING:
    from .._core import Model


@named_units
def animate(
    run: Any,
    path: str | os.PathLike[str],
    *,
    seconds: float = 0.6,
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
    title: str | None = None,
    dpi: int = 90,
) -> Path:
    """Write the models of all iterations as a GIF that repeats, or as a page with a slider.

    Every frame has the colours, the scale and the pale parts of the last. A run of
    `invert(..., keep_models=True)` or `fermat invert --keep all` has a frame per model; any other has
    its start and its end.

    Parameters
    ----------
    run
        What `invert` returned, or a folder of `fermat invert`.
    path
        The file to write: .gif or .html.
    seconds
        How long a frame is seen; the last one is seen three times as long.
    x, y, depth, length, time, cmap, vmin, vmax, log, elevation, exaggeration
        As in `before_after`.
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
    >>> truth = fm.Model.gradient((41, 21), v0=2, gradient=0.3, spacing=0.25)
    >>> points = [(x, 0) for x in range(11)]
    >>> picks = fm.synthetic_picks(truth, points[::5], points, noise=0.01)
    >>> run = fm.invert(picks, keep_models=True)
    >>> file = fm.plot.animate(run, "iterations.gif")
    """
    import matplotlib.pyplot as plt

    target = checked_target(path, seconds)
    found = run_of(run)
    frames = _frames(found, time)
    place: dict[str, Any] = {"x": x, "y": y, "z": depth, "elevation": elevation}
    planes = [cut(model, hide_air(model.velocity), **place) for model, _ in frames]
    fade = fading.of_run(found)
    whole = None if fade is None else cut(found.model, fade, **place)
    planes, shown = [crop(plane, whole)[0] for plane in planes], crop(planes[-1], whole)[1]
    stretch = stretch_of(planes[-1], exaggeration)
    part = plain_part(shown, planes[-1])
    norm = norm_of(planes[-1].values, part, vmin=vmin, vmax=vmax, log=log)
    ax = new_axes(planes[-1], None, stretch)
    line = ground.line_of(planes[-1], survey_of(found, planes[-1]))
    style: dict[str, Any] = {"length": length, "fade": shown, "line": line, "stretch": stretch}
    image = draw(ax, planes[-1], cmap=cmap, norm=norm, **style)
    bar(ax, image, named("velocity", f"{length}/{time}", norm), tall=stretch * planes[-1].tall())
    above = ax.set_title(frames[-1][1], fontsize="medium")
    figure = figure_of(ax)
    if title:
        figure.suptitle(title)
    figure.canvas.draw()
    figure.set_layout_engine("none")  # else every frame would be laid out anew

    pictures = []
    for plane, (_, words) in zip(planes, frames, strict=True):
        values = plane.values
        filled = values if line is None else ground.fill_up(values, ground.hidden(values))
        image.set_data(filled.T)
        above.set_text(words)
        pictures.append(picture_of(figure, dpi))
    plt.close(figure)
    write_moving(target, pictures, seconds, title or "iterations of an inversion")
    return target


def _frames(run: Run, time: str) -> list[tuple[Model, str]]:
    rms = run.history["rms"]
    factor, unit = small_times(time, rms)
    models = run.models
    if len(models) == len(rms):
        numbers = run.history["iteration"].astype(int)
    elif run.start is not None:
        models, rms = [run.start, run.model], rms[[0, -1]]
        numbers = run.history["iteration"][[0, -1]].astype(int)
    else:
        raise ValueError(
            "the run has one model (its folder has no start.h5; invert(..., keep_models=True) "
            "keeps all)"
        )
    titles = [
        f"{'start model' if n == 0 else f'iteration {n}'}: plain RMS {factor * value:.3g} {unit}"
        for n, value in zip(np.asarray(numbers), rms, strict=True)
    ]
    return list(zip(models, titles, strict=True))
