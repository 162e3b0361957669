"""The page of `fermat report` about later phases: what arrived, where and when."""

from __future__ import annotations

import html
import io
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from . import plot as pictures
from ._files import renamed_to
from ._medium import Medium
from ._phases import PhaseRays
from .plot._units import units_of

__all__ = ["report"]

_STYLE = """
:root { color-scheme: light dark; --line: #8886; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
  overflow-wrap: anywhere; }
.scroll { overflow-x: auto; overflow-wrap: normal; margin: 1rem 0; }
table { border-collapse: collapse; }
th, td { padding: .25rem .8rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
figure { margin: 1.5rem 0; background: white; } svg { display: block; width: 100%; min-width: 36rem; height: auto; }
@media (max-width: 40rem) { body { margin-top: 1rem; } th, td { padding: .2rem .45rem; } }
"""


def report(arguments: Any) -> str:
    """Writes the page of a file of `fermat phases` and returns the line that tells it."""
    if arguments.model is None:
        raise ValueError(f"--model is not given ('{arguments.what}' needs the medium of its rays)")
    medium = Medium.load(arguments.model)
    rays = PhaseRays.load(arguments.what, medium)
    title = arguments.title or Path(arguments.what).name
    units = units_of(medium.layer(0))
    length, time = arguments.length_unit or units.length, arguments.time_unit or units.time
    page = _page(title, rays, _picture(rays, arguments.reduce, length, time), length, time)
    with renamed_to(arguments.output) as file:
        file.write_text(page, encoding="utf-8")
    return f"wrote {arguments.output}"


def _distances(rays: PhaseRays) -> np.ndarray[Any, Any]:
    """Along the ground from the source to the receiver of each ray that arrived."""
    place = rays.medium.layer(0)
    found = []
    for ray in np.flatnonzero(rays.arrived):
        path = rays.path(int(ray))
        a, b = path[0].copy(), path[-1].copy()
        if place.coordinates == "spherical":
            one, other = (_on_sphere(p) for p in (a, b))
            found.append(np.degrees(np.arccos(np.clip(one @ other, -1, 1))))
        else:
            found.append(float(np.linalg.norm((b - a)[:-1])))
    return np.array(found)


def _on_sphere(point: Any) -> Any:
    latitude, longitude = np.radians(point[:2])
    return np.array([np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)])


def _picture(rays: list[PhaseRays], reduce: float | None, length: str, time: str) -> str:
    """Of a section its rays and times; else times by distance."""
    import matplotlib.pyplot as plt

    if len(rays[0].medium._axes) == 2:
        figure = pictures.phases(rays, reduce=reduce, length=length, time=time)
    else:
        figure, ax = plt.subplots(figsize=(9, 4.5), layout="constrained")
        sphere = rays[0].medium.layer(0).coordinates == "spherical"
        for one in rays:
            at, times = _distances(one), one.times[one.arrived]
            ax.plot(at, times - (at / reduce if reduce else 0), ".", ms=4, label=one.phase)
        less = f" − distance / {reduce:g}" if reduce else ""
        ax.set(xlabel=f"distance ({'degrees' if sphere else length})", ylabel=f"time{less} ({time})")
        ax.grid(alpha=0.25, lw=0.5)
        ax.legend(frameon=False, ncols=min(len(rays), 6))
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg")
    plt.close(figure)
    text = drawn.getvalue()
    return text[text.index("<svg") :]


def _ends(values: Any) -> str:
    """The least and the largest of the values, once where they are one."""
    ends = dict.fromkeys(f"{v:.4g}" for v in (values.min(), values.max())) if len(values) else ["–"]
    return " to ".join(ends)


def _page(title: str, rays: list[PhaseRays], picture: str, length: str, time: str) -> str:
    medium = rays[0].medium
    sphere = medium.layer(0).coordinates == "spherical"
    statuses = [name for name in ("ok", "along", "doubtful", "absent", "crosses", "outside", "unsettled")
                if any(name in one.status for one in rays)]
    head = "".join(f"<th>{name}</th>" for name in
                   ("phase", "rays", *statuses, f"distance ({'degrees' if sphere else length})", f"time ({time})"))
    rows = []
    for one in rays:
        counts = Counter(one.status)
        at, times = _distances(one), one.times[one.arrived]
        span = [_ends(values) for values in (at, times)]
        cells = (html.escape(one.phase), len(one), *(counts[name] for name in statuses), *span)
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    return (
        f"<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport "
        f"content='width=device-width'><title>{html.escape(title)}</title><style>{_STYLE}</style></head>\n"
        f"<body><h1>{html.escape(title)}</h1>\n<p>{html.escape(repr(medium))}</p>\n"
        f"<div class=scroll><table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>\n"
        f"<figure class=scroll>{picture}</figure>\n<p>ok: a path of stationary time; along: follows an interface for a "
        "while; doubtful: an earlier arrival may have been missed; absent: there is no such path; crosses: its only "
        "path would leave its layer; outside: would leave the model; unsettled: a path was begun and did not settle."
        "</p>\n</body></html>\n"
    )
