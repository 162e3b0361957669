"""Draws the figures of `fermat bench paper N`.

    fermat bench paper 5 --csv paper5.csv --figure paper5.png

runs this module as `python -m fermat.papers`. The CSV file has one line per value; the folder of
scenes has the models, sources and receivers of the papers' pictures. Needs matplotlib.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ._arguments import Device

__all__ = ["Value", "draw", "read"]


@dataclass(frozen=True)
class Value:
    """One value of a paper's table, beside the published one."""

    paper: int
    table: str
    case: dict[str, str]  #: what tells the row apart, such as radius and nodes
    quantity: str
    unit: str
    published: str  #: a number, words such as "2 to 3", or empty
    ours: float | None
    ratio: float | None  #: published over ours
    device: str
    date: str


def read(path: str | Path) -> list[Value]:
    """The values of a CSV file that `fermat bench paper N --csv` wrote."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if not rows:
        raise ValueError(f"'{path}' has no rows (write it with: fermat bench paper N --csv FILE)")
    missing = {"paper", "table", "case", "quantity", "ours"} - set(rows[0])
    if missing:
        raise ValueError(
            f"'{path}' has no column '{min(missing)}' (is it of fermat bench paper N --csv?)"
        )
    return [_value(row) for row in rows]


def _value(row: dict[str, str]) -> Value:
    def number(text: str) -> float | None:
        return float(text) if text else None

    return Value(
        int(row["paper"]),
        row["table"],
        dict(part.split("=", 1) for part in row["case"].split(";")),
        row["quantity"],
        row["unit"],
        row["published"],
        number(row["ours"]),
        number(row["ratio"]),
        row["device"],
        row["date"],
    )


def draw(values: list[Value], scenes: Path | None = None, device: Device = "cpu") -> Figure:
    """The figures of the paper that the values are of.

    Parameters
    ----------
    values
        As `read` returns them.
    scenes
        Folder that `fermat bench paper` filled with models, sources and receivers; without it the
        pictures of times and rays are left out.
    device
        For the times and rays of those pictures.
    """
    import matplotlib

    matplotlib.use("Agg")
    paper = values[0].paper
    figure = _PAPERS[paper](values, scenes, device)
    figure.suptitle(
        f"Paper {paper} on {values[0].device}, {values[0].date}", fontsize="medium", x=0.01, ha="left"
    )
    return figure


def _series(
    values: Iterable[Value], quantity: str, along: str, **case: str
) -> tuple[list[float], list[float]]:
    """Ours by what `along` says, of the rows whose case has the given entries."""
    found = [
        (float(v.case[along]), v.ours)
        for v in values
        if v.quantity == quantity
        and v.ours is not None
        and all(v.case.get(name) == text for name, text in case.items())
    ]
    return [x for x, _ in found], [y for _, y in found]


def _of(values: list[Value], table: str) -> list[Value]:
    return [v for v in values if v.table == table]


def _cases(values: list[Value], name: str) -> list[str]:
    return list(dict.fromkeys(v.case[name] for v in values))


def _quantities(values: list[Value]) -> list[str]:
    return list(dict.fromkeys(v.quantity for v in values))


def _figure(rows: int, columns: int, width: float, height: float) -> tuple[Figure, Any]:
    import matplotlib.pyplot as plt

    return plt.subplots(rows, columns, figsize=(width, height), layout="constrained", squeeze=False)


_COLOURS = {"heap": "0.55", "buckets": "#31688e", "letter": "#e8a33d", "tiles": "#35b779", "CUDA": "#35b779",
            "OpenGL": "#b5367a"}


def _sizes(axes: Axes, sizes: tuple[int, ...]) -> None:
    """Plain numbers along a logarithmic axis of sizes."""
    low, high = axes.get_xlim()
    shown = [size for size in sizes if low <= size <= high]
    axes.set_xticks(shown, [str(size) for size in shown])
    axes.set_xticks([], minor=True)


@dataclass(frozen=True)
class _Scene:
    """A model with a source and receivers that `fermat bench paper` wrote."""

    model: Any
    source: np.ndarray
    receivers: np.ndarray
    paths: list[np.ndarray]  #: rays of the paper's own method, if it has one


def _read_scene(folder: Path, name: str) -> _Scene:
    import fermat as fm

    def rows(file: Path) -> list[dict[str, str]]:
        with open(file, newline="", encoding="utf-8") as lines:
            return list(csv.DictReader(lines))

    points = rows(folder / f"{name}.csv")
    places = {
        role: np.array([[float(r["x"]), float(r["z"])] for r in points if r["role"] == role])
        for role in ("source", "receiver")
    }
    own = folder / f"{name}-paper.csv"
    numbered: dict[str, list[list[float]]] = {}
    for r in rows(own) if own.exists() else []:
        numbered.setdefault(r["ray"], []).append([float(r["x"]), float(r["z"])])
    paths = [np.array(path) for path in numbered.values()]
    return _Scene(fm.Model.load(folder / f"{name}.h5"), places["source"][0], places["receiver"], paths)


def _image(axes: Axes, scene: _Scene, values: np.ndarray, label: str, colours: str) -> None:
    """Values on the nodes as colours, depth downwards."""
    x, z = scene.model.coords
    image = axes.imshow(values.T, extent=(x[0], x[-1], z[-1], z[0]), cmap=colours, aspect="equal")
    axes.figure.colorbar(image, ax=axes, label=label, shrink=0.85)
    axes.set(xlabel="x", ylabel="z")


def _times(axes: Axes, scene: _Scene, device: Device, solver: Any = "fim") -> None:
    """Times as colours, with lines of equal time."""
    import fermat as fm

    times = np.asarray(fm.traveltimes(scene.model, scene.source, solver=solver, device=device))
    _image(axes, scene, times, "time", "viridis")
    x, z = scene.model.coords
    axes.contour(x, z, times.T, 12, colors="white", linewidths=0.4)
    axes.plot(*scene.source, "*", color="#e8a33d", ms=9, clip_on=False, zorder=5)


def _paper_1(values: list[Value], scenes: Path | None, device: Device) -> Figure:
    import fermat as fm

    both = _of(values, "Figure 7") + _of(values, "Figure 8")
    radii = sorted(_cases(both, "radius"))
    panels = len(radii) + (2 if scenes else 0)
    columns = min(panels, 4)
    rows = -(-panels // columns)
    figure, axes = _figure(rows, columns, 3.0 * columns, 2.7 * rows)
    flat = axes.flatten()
    names = {"heap": "heap (the paper's CPU version)", "letter": "letter (the paper's GPU version)",
             "buckets": "buckets, one core", "CUDA": "ours on the GPU"}
    for ax, radius in zip(flat, radii):
        for quantity in [q for q in _quantities(both) if not q.endswith("speed-up")]:
            ax.loglog(*_series(both, quantity, "nodes", radius=radius), ".-",
                      color=_COLOURS[quantity], label=names.get(quantity, quantity))
        ax.set_title(f"Figure {7 if int(radius) < 4 else 8}: radius {radius}", fontsize="medium")
        ax.set(xlabel="vertices per side", ylabel="seconds")
        _sizes(ax, (128, 320, 800, 1600))
    if radii:
        flat[0].set_ylim(top=60 * flat[0].get_ylim()[1])  # room for the legend
        flat[0].legend(fontsize="x-small", loc="upper left")
    if scenes:
        scene = _read_scene(scenes, "figure-10")
        graph = fm.Graph(solver="bellman-ford", radius=6)
        _times(flat[len(radii)], scene, device, graph)
        flat[len(radii)].set_title("Figure 9: times", fontsize="medium")
        ax = flat[len(radii) + 1]
        _times(ax, scene, device, graph)
        rays = fm.rays(scene.model, scene.source[None], scene.receivers, tracer=graph, device=device)
        for path in rays.paths:
            ax.plot(path[:, 0], path[:, -1], color="white", lw=0.8)
        ax.set_title("Figure 10: rays, radius 6", fontsize="medium")
    for ax in flat[panels:]:
        ax.set_visible(False)
    return figure


def _squares(values: list[Value]) -> list[Value]:
    """Those whose radius is the same along both axes, with one number for it."""
    found = []
    for value in values:
        across, along = value.case["radius"].split("x")
        if across == along:
            found.append(replace(value, case=value.case | {"radius": across}))
    return found


def _paper_2(values: list[Value], _scenes: Path | None, _device: Device) -> Figure:
    figure, axes = _figure(1, 4, 14, 3.6)
    letter, tiles, radial, gradient = axes[0]
    maps = _squares(_of(values, "Edge reduction and update map"))
    styles = {"none": "0.55", "marked": "#31688e", "ordered": "#35b779"}
    for work, method, title in ((letter, "letter", "The papers' own"), (tiles, "tiles", "Fermat's tiles")):
        for star, line in (("all edges", "--"), ("reduced", "-")):
            for name, colour in styles.items():
                x, y = _series(maps, "edges", "radius", method=method, star=star, map=name)
                if x:
                    work.semilogy(x, y, line + "o", ms=3, color=colour, label=f"{name}, {star}")
        work.set(xlabel="radius", ylabel="edges looked at per node", title=title)
        work.legend(fontsize="x-small", title="map, star", title_fontsize="x-small",
                    loc="lower right", ncols=2)
    tiles.sharey(letter)
    for ax, medium in ((radial, "radial"), (gradient, "gradient")):
        rows = _of(values, f"Resolution and radius: {medium}")
        for radius in _cases(rows, "radius"):
            seconds = _series(rows, "seconds", "nodes", radius=radius)[1]
            error = _series(rows, "error", "nodes", radius=radius)[1]
            square = len(set(radius.split("x"))) == 1
            ax.loglog(seconds, error, "o-" if square else "x:", ms=3, lw=1, label=radius)
        ax.set(xlabel="seconds", ylabel="mean relative error", title=f"{medium}: by radius")
    gradient.legend(fontsize="x-small", title="R_x x R_z", title_fontsize="x-small",
                    loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def _paper_3(values: list[Value], _scenes: Path | None, _device: Device) -> Figure:
    import matplotlib.pyplot as plt

    panels = [t for t in ("Figure 7a", "Figure 7b", "Figure 7c") if _of(values, t)]
    if not panels:
        raise ValueError("the table has no Figure 7 (measure it with --device cpu)")
    names = {"Figure 7a": "sections", "Figure 7b": "sources", "Figure 7c": "paths"}
    figure, axes = _figure(2, len(panels), 3.6 * len(panels), 5.4)
    for column, panel in enumerate(panels):
        rows = _of(values, panel)
        threads = _cases(rows, "threads")
        colours = plt.get_cmap("viridis")(np.linspace(0, 0.85, len(threads)))
        for algorithm, line in (("paper", "-"), ("fermat", "--")):
            for count, colour in zip(threads, colours):
                axes[0, column].loglog(
                    *_series(rows, "seconds", "sources", algorithm=algorithm, threads=count),
                    line + "o", ms=3, color=colour, label=f"{count} ({algorithm})")
        most = _cases(rows, "sources")[-1]
        for n, algorithm in enumerate(("paper", "fermat")):
            x, y = _series(rows, "seconds", "threads", algorithm=algorithm, sources=most)
            axes[1, column].bar(np.array(x) + 0.4 * n - 0.2, y, 0.38, label=algorithm)
        axes[0, column].set(title=f"{panel}: {names[panel]}", xlabel="sources", ylabel="seconds")
        axes[1, column].set(xlabel="threads", ylabel="seconds", title=f"{most} sources",
                            xticks=[int(t) for t in threads])
    axes[0, 0].legend(fontsize="x-small", title="threads", title_fontsize="x-small")
    axes[1, 0].legend(fontsize="x-small")
    return figure


_SMOOTHERS = {"basic": "0.55", "caching": "#31688e", "SVT": "#35b779", "SVT_CUDA": "#b5367a",
              "running": "#e8a33d", "table_CUDA": "#7a0177", "running_CUDA": "#d94801"}


def _iterations(ax: Axes, rows: list[Value], quantities: Iterable[str], ending: str = "") -> None:
    """Ours by iteration, and the paper's as dotted lines."""
    for quantity in quantities:
        some = [v for v in rows if v.quantity == quantity + ending]
        x = [float(v.case["iteration"]) for v in some]
        ax.plot(x, [np.nan if v.ours is None else v.ours for v in some], "-", marker=".", ms=4,
                color=_SMOOTHERS[quantity], label=quantity)
        ax.plot(x, [float(v.published or "nan") for v in some], ":", lw=1, color=_SMOOTHERS[quantity])
    ax.set(xlabel="iteration", yscale="log")
    low, high = ax.get_ylim()
    ax.set_ylim(low, high * (high / low) ** 0.6)  # room for the legend
    ax.legend(fontsize="x-small", title="dotted: paper", title_fontsize="x-small", ncols=2,
              loc="upper right")


_PARTS = {"host_tables": "#bdbdbd", "to_device": "#31688e", "kernels": "#35b779", "to_host": "#e8a33d"}


def _gpu_time(shares: Axes, spans: Axes, rows: list[Value]) -> None:
    """Where the GPU's time goes: in per cent, and one after another."""
    names = _cases(rows, "smoother")

    def of(name: str, quantity: str) -> float:
        return next(v.ours or 0 for v in rows if v.case["smoother"] == name and v.quantity == quantity)

    published = {v.quantity: float(v.published) for v in rows if v.published}
    for n, name in enumerate(["Quadro 5000", *names]):
        left = begin = 0.0
        for part in ("to_device", "kernels", "to_host"):
            quantity = {"kernels": "kernel_share"}.get(part, f"{part}_share")
            share = published[quantity] if n == 0 else of(name, quantity)
            shares.barh(n, share, left=left, color=_PARTS[part], label=part if n == 0 else None)
            left += share
        for part, colour in _PARTS.items() if n > 0 else ():
            spans.barh(n - 1, of(name, part), left=begin, color=colour, label=part if n == 1 else None)
            begin += of(name, part)
    labels = ["its own version" if name == "paper" else name for name in names]
    shares.set_yticks(range(len(names) + 1), ["paper: Quadro 5000", *labels])
    spans.set_yticks(range(len(names)), labels)
    shares.set(xlabel="per cent of the GPU's time")
    spans.set(xlabel="microseconds since the start")
    for ax in (shares, spans):
        ax.invert_yaxis()
    spans.legend(fontsize="x-small")


def _paper_4(values: list[Value], _scenes: Path | None, _device: Device) -> Figure:
    split = {"Tables 6 to 10": (23, 24, "cells"), "Tables 12 to 16": (29, 30, "vertices")}
    on_gpu = [table for table in split if _of(values, table)]
    figure, axes = _figure(2 + bool(on_gpu), 4, 14, 5.6 + 2.6 * bool(on_gpu))
    for row, (table, first, what) in enumerate((("Table 5", 19, "cells"), ("Table 11", 25, "vertices"))):
        rows = _of(values, table)
        shown = (("basic", "caching", "SVT", "SVT_CUDA"), ("caching", "SVT", "SVT_CUDA"),
                 ("SVT", "SVT_CUDA", "running", "table_CUDA", "running_CUDA"))
        for column, quantities in enumerate(shown):
            _iterations(axes[row, column], rows, quantities)
            axes[row, column].set(title=f"Figure {first + column}: {what}", ylabel="ms")
        _iterations(axes[row, 3], rows, ("caching", "SVT", "SVT_CUDA"), "_improvement")
        axes[row, 3].set(title=f"Figure {first + 3}: {what}", ylabel="improvement (%)")
    for n, table in enumerate(on_gpu):
        shares, spans, what = split[table]
        _gpu_time(axes[2, 2 * n], axes[2, 2 * n + 1], _of(values, table))
        axes[2, 2 * n].set(title=f"Figure {shares}: {what}")
        axes[2, 2 * n + 1].set(title=f"Figure {spans}: {what}")
    return figure


def _paper_5(values: list[Value], scenes: Path | None, device: Device) -> Figure:
    import fermat as fm

    names = {"figure-2": "homogeneous", "figure-3": "layer", "figure-4": "gradient"}
    figure, axes = _figure(1 if scenes is None else 3, 3, 11, 3 if scenes is None else 9.4)
    rows = _of(values, "Table 2")
    for ax, scenario in zip(axes[0], names.values()):
        for method, colour in (("paper", "#31688e"), ("fermat", "#35b779")):
            x, y = _series(rows, "total", "points", scenario=scenario, method=method)
            ax.loglog(x, y, "o-", color=colour, label=f"{method} method, here")
        some = [v for v in rows if v.quantity == "total" and v.case["scenario"] == scenario
                and v.case["method"] == "paper"]
        ax.loglog([float(v.case["points"]) for v in some], [float(v.published) for v in some],
                  "o:", color="0.55", label="paper, Jetson Nano")
        ax.set(title=scenario, xlabel="grid points per side", ylabel="seconds in all")
        _sizes(ax, (100, 200, 500))
    axes[0, 0].legend(fontsize="x-small")
    for column, (file, scenario) in enumerate(names.items() if scenes is not None else ()):
        assert scenes is not None
        scene = _read_scene(scenes, file)
        number = file.removeprefix("figure-")
        _image(axes[1, column], scene, np.asarray(scene.model.velocity), "velocity", "cividis")
        axes[1, column].set_title(f"Figure {number} (a): {scenario}", fontsize="medium")
        ax = axes[2, column]
        _times(ax, scene, device)
        rays = fm.rays(scene.model, scene.source[None], scene.receivers, device=device)
        for n, path in enumerate(rays.paths):
            ax.plot(path[:, 0], path[:, -1], color="#e8a33d", lw=1.6, label="fermat" if n == 0 else None)
        for n, path in enumerate(scene.paths):
            ax.plot(path[:, 0], path[:, 1], color="white", lw=0.8,
                    label="the paper's, 16 directions" if n == 0 else None)
        ax.plot(*scene.receivers.T, "v", color="white", mec="0.2", ms=5, clip_on=False)
        ax.set_title(f"Figure {number} (b)", fontsize="medium")
        ax.legend(fontsize="x-small", loc="lower right", facecolor="0.35", labelcolor="white")
    return figure


_PAPERS: dict[int, Callable[[list[Value], Path | None, Device], Figure]] = {
    1: _paper_1, 2: _paper_2, 3: _paper_3, 4: _paper_4, 5: _paper_5
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m fermat.papers", description=__doc__)
    parser.add_argument("--csv", required=True, type=Path, help="of fermat bench paper N")
    parser.add_argument("--scenes", type=Path, help="folder that fermat bench paper N filled")
    parser.add_argument("--device", default="cpu", help="of the pictures' times and rays")
    parser.add_argument("--out", required=True, type=Path, help="picture to write")
    given = parser.parse_args(arguments)
    try:
        figure = draw(read(given.csv), given.scenes, given.device)
        kind = given.out.suffix[1:] or "png"
        temporary = given.out.with_name(f".{given.out.name}.part")
        figure.savefig(temporary, dpi=110, format=kind)
        temporary.replace(given.out)
    except (OSError, ValueError) as error:
        print(f"fermat.papers: error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
