"""Pictures that follow one another, as a GIF or as a page with a slider."""

from __future__ import annotations

import base64
import html
import io
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._files import renamed_to

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def checked_target(path: str | os.PathLike[str], seconds: float) -> Path:
    """The file to write; raises ValueError if it is of another kind or frames have no time."""
    target = Path(path)
    if target.suffix.lower() not in (".gif", ".html"):
        raise ValueError(f"path is '{target}' (must end in .gif or .html)")
    if not seconds > 0:
        raise ValueError(f"seconds is {seconds} (must be > 0)")
    return target


def write_moving(target: Path, pictures: list[Any], seconds: float, title: str, *,
                 even: bool = False) -> None:
    """Writes what the suffix of `target` asks for; the last picture is seen three times as long.

    `even`: rare colours of a GIF count as much as others, as those of a scale of two hues do of
    which the pictures have one.
    """
    if target.suffix.lower() == ".html":
        _write_page(target, pictures, seconds, title)
    else:
        _write_gif(target, pictures, seconds, even=even)


def picture_of(figure: Figure, dpi: int) -> Any:
    """What the figure shows, as an image."""
    from PIL import Image

    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=dpi)
    return Image.open(file).convert("RGB")


def _write_gif(target: Path, pictures: list[Any], seconds: float, *, even: bool) -> None:
    """One palette for all, so that what does not move costs nothing."""
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


def _write_page(target: Path, pictures: list[Any], seconds: float, title: str) -> None:
    """One file that plays the frames, and a slider to step through them."""
    coded = []
    for picture in pictures:
        file = io.BytesIO()
        picture.save(file, format="PNG", optimize=True)
        coded.append(base64.b64encode(file.getvalue()).decode())
    page = PAGE.format(
        title=html.escape(title),
        width=pictures[0].width,
        last=len(coded) - 1,
        frames=json.dumps(coded),
        pause=round(1000 * seconds),
    )
    with renamed_to(target) as part:
        part.write_text(page, encoding="utf-8")
