"""The iterations of an inversion as a moving picture."""

from __future__ import annotations

import base64
import html
import io
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._files import renamed_to
from . import _fade as fading
from . import _ground as ground
from ._colours import SEQUENTIAL, bar, named, norm_of
from ._compare import survey_of
from ._frame import crop, cut, draw, figure_of, hide_air, new_axes, plain_part, stretch_of
from ._runs import Run, run_of
from ._units import named_units, small_times

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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

    target = Path(path)
    if target.suffix.lower() not in (".gif", ".html"):
        raise ValueError(f"path is '{target}' (must end in .gif or .html)")
    if not seconds > 0:
        raise ValueError(f"seconds is {seconds} (must be > 0)")
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
    if target.suffix.lower() == ".html":
        write_page(target, pictures, seconds, title)
    else:
        write_gif(target, pictures, seconds)
    return target


def picture_of(figure: Figure, dpi: int) -> Any:
    """What the figure shows, as an image."""
    from PIL import Image

    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=dpi)
    return Image.open(file).convert("RGB")


def write_gif(target: Path, pictures: list[Any], seconds: float, *, even: bool = False) -> None:
    """One palette for all, so that what does not move costs nothing.

    `even`: rare colours count as much as others, as those of a scale of two hues do of which the
    pictures have one.
    """
    from PIL import Image

    method = Image.Quantize.MAXCOVERAGE if even else None
    palette = pictures[-1].quantize(256 if even else 160, method=method)
    flat = [each.quantize(palette=palette, dither=Image.Dither.NONE) for each in pictures]
    usual = round(1000 * seconds)
    times = [usual] * (len(flat) - 1) + [3 * usual]
    with renamed_to(target) as part:
        flat[0].save(part, format="GIF", save_all=True, append_images=flat[1:], duration=times, loop=0)


PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>body {{ font-family: sans-serif; margin: 1em; max-width: {width}px }}
img {{ width: 100% }} input {{ width: 70% }}</style>
<img id="frame" alt="{title}">
<p><button id="play">pause</button> <input id="at" type="range" min="0" max="{last}" value="0"
aria-label="frame"></p>
<script>
"use strict";
const frames = {frames};
const at = document.getElementById("at"), play = document.getElementById("play");
let timer = null;
function show(n) {{
  at.value = n;
  document.getElementById("frame").src = "data:image/png;base64," + frames[n];
}}
function step() {{
  const n = (Number(at.value) + 1) % frames.length;
  show(n);
  timer = setTimeout(step, {pause} * (n === frames.length - 1 ? 3 : 1));
}}
function stop() {{ clearTimeout(timer); timer = null; play.textContent = "play"; }}
play.onclick = () => {{ if (timer) stop(); else {{ play.textContent = "pause"; step(); }} }};
at.oninput = () => {{ stop(); show(Number(at.value)); }};
show(0);
timer = setTimeout(step, {pause});
</script></html>
"""


def write_page(target: Path, pictures: list[Any], seconds: float, title: str | None) -> None:
    """One file that plays the frames, and a slider to step through them."""
    coded = []
    for picture in pictures:
        file = io.BytesIO()
        picture.save(file, format="PNG", optimize=True)
        coded.append(base64.b64encode(file.getvalue()).decode())
    page = PAGE.format(
        title=html.escape(title or "iterations of an inversion"),
        width=pictures[0].width,
        last=len(coded) - 1,
        frames=json.dumps(coded),
        pause=round(1000 * seconds),
    )
    with renamed_to(target) as part:
        part.write_text(page, encoding="utf-8")


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
