"""How models, picks, rays and runs show themselves in Jupyter: a summary and a small picture."""

from __future__ import annotations

import base64
import html
import io
from typing import TYPE_CHECKING, Any

import numpy as np

from ._grid import grid_of

if TYPE_CHECKING:
    from ._core import Model

MOST_RAYS = 200
MOST_PICKS = 5000


def of_model(model: Model) -> str:
    velocity = np.asarray(model.velocity)
    ground = velocity[velocity > 0]
    rows = {
        "shape": " × ".join(map(str, model.shape)) + " nodes",
        "velocity": f"{ground.min():g} to {ground.max():g}" if ground.size else "air only",
        "given on": "cells" if model.cells else "nodes",
    }
    for axis, at in zip("xz" if model.ndim == 2 else "xyz", grid_of(model).coords, strict=True):
        rows[axis] = f"{at[0]:g} to {at[-1]:g}"
    return _page(repr(model), rows, lambda axes: _draw_model(axes, model))


def of_picks(picks: Any) -> str:
    rows = {
        "picks": f"{len(picks)} in {picks.ndim}-D",
        "sources": len(picks.sources),
        "receivers": len(picks.receivers),
    }
    if len(picks):
        rows["time"] = f"{picks.travel_time.min():g} to {picks.travel_time.max():g}"
        rows["offset"] = f"{picks.offset.min():g} to {picks.offset.max():g}"
    rows["error"] = "none" if picks.error is None else f"median {np.median(picks.error):g}"
    if picks.plane is not None:
        rows["plane"] = str(picks.plane)

    def draw(axes: Any) -> None:
        step = len(picks) // MOST_PICKS + 1
        axes.plot(picks.offset[::step], picks.travel_time[::step], ".", ms=2)
        axes.set(xlabel="offset", ylabel="time")

    return _page(repr(picks), rows, draw)


def of_rays(rays: Any) -> str:
    names, counts = np.unique(rays.status, return_counts=True)
    rows: dict[str, Any] = {"rays": len(rays)} | {str(n): int(c) for n, c in zip(names, counts, strict=True)}
    arrived = np.asarray(rays.times)[np.isfinite(rays.times)]
    if len(arrived):
        rows["time"] = f"{arrived.min():g} to {arrived.max():g}"

    def draw(axes: Any) -> None:
        for r in range(0, len(rays), len(rays) // MOST_RAYS + 1):
            way = rays.paths[r]
            axes.plot(way[:, 0], way[:, 1], "k-", lw=0.4)
        if rays.points.shape[1] == 2:
            axes.invert_yaxis()
        axes.set(xlabel="x", ylabel="z" if rays.points.shape[1] == 2 else "y")

    return _page(repr(rays), rows, draw)


def of_run(run: Any) -> str:
    rms, chi2 = run.history["rms"], run.history["chi2"]
    used = int((run.use == "used").sum())
    rows = {
        "iterations": len(rms) - 1,
        "RMS": f"{rms[0]:.4g} → {rms[-1]:.4g}",
        "picks": f"{used} used of {len(run.use)}",
        "ended by": run.reason,
    }
    if np.isfinite(chi2[-1]):
        rows["χ²"] = f"{chi2[-1]:.3g}"
    for n, doubt in enumerate(run.warnings):
        rows["doubts" if n == 0 else f"doubts {n + 1}"] = doubt
    title = f"Inversion(RMS {rms[-1]:.4g} after {len(rms) - 1} iterations)"
    return _page(title, rows, lambda axes: _draw_model(axes, run.model))


def _draw_model(axes: Any, model: Model) -> None:
    """The section of a 2-D model, the plane in the middle of the depths of a 3-D one."""
    if model.coordinates != "cartesian":
        from .plot import _mapped as mapped

        mapped.draw(model, ax=axes, cmap="viridis")
        return
    values = np.asarray(model.velocity)
    coords = grid_of(model).coords
    flat = model.ndim == 2
    if not flat:
        values = values[:, :, values.shape[2] // 2]
    low, high = coords[-1 if flat else 1][[0, -1]]
    shown = np.ma.masked_less_equal(values.T, 0)
    image = axes.imshow(
        shown,
        extent=(coords[0][0], coords[0][-1], *((high, low) if flat else (low, high))),
        origin="upper" if flat else "lower",
        aspect="auto",
        cmap="viridis",
    )
    axes.figure.colorbar(image, ax=axes, label="velocity")
    axes.set(xlabel="x", ylabel="z" if flat else "y")


def _page(title: str, rows: dict[str, Any], draw: Any) -> str:
    table = "".join(
        f"<tr><th style='text-align:left'>{html.escape(str(name))}</th>"
        f"<td style='text-align:left'>{html.escape(str(value))}</td></tr>"
        for name, value in rows.items()
    )
    return (
        f"<div><b>{html.escape(title)}</b><div style='display:flex;gap:1em;align-items:center'>"
        f"<table>{table}</table>{_picture(draw)}</div></div>"
    )


def _picture(draw: Any) -> str:
    """A small PNG in the page; nothing without Matplotlib. No open figure is touched."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return ""
    figure = Figure(figsize=(3.6, 2.2), dpi=100, layout="constrained")
    FigureCanvasAgg(figure)
    draw(figure.add_subplot())
    out = io.BytesIO()
    figure.savefig(out, format="png")
    return f"<img alt='' src='data:image/png;base64,{base64.b64encode(out.getvalue()).decode()}'>"
