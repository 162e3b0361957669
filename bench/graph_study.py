"""Figures of docs/graph-study.md, from the table of `fermat bench graph` and from one run of rays.

    fermat bench graph --csv graph.csv
    python bench/graph_study.py graph.csv --program build/release/fermat --out docs/images

Needs NumPy, matplotlib and h5py.
"""

import argparse
import csv
import subprocess
import tempfile
from pathlib import Path

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

COLOURS = plt.get_cmap("viridis")(np.linspace(0.0, 0.9, 6))
plt.rcParams.update({
    "font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "grid.alpha": 0.25, "grid.linewidth": 0.6, "figure.dpi": 110, "savefig.dpi": 160,
    "savefig.bbox": "tight", "legend.frameon": False,
})


def read(path):
    with open(path, newline="") as file:
        rows = [{key: float(value) for key, value in row.items() if key != "medium"}
                for row in csv.DictReader(file)]
    radii = sorted({int(row["radius"]) for row in rows})
    return {r: {key: np.array([row[key] for row in rows if row["radius"] == r])
                for key in rows[0]} for r in radii}


def accuracy_figure(table, out):
    """Error against seconds: each line a radius, each point a size."""
    figure, axes = plt.subplots(figsize=(6.4, 4.4))
    for radius, rows in table.items():
        colour = COLOURS[radius - 1]
        axes.loglog(rows["dijkstra_s"], rows["error"], "o-", color=colour, ms=4, lw=1.4)
        axes.annotate(f"r = {radius}", (rows["dijkstra_s"][-1], rows["error"][-1]),
                      xytext=(6, 0), textcoords="offset points", color=colour, va="center")
    axes.margins(x=0.1)
    first = next(iter(table.values()))
    sizes = first["nodes"]
    axes.set(xlabel="seconds of one source, Dijkstra with buckets",
             ylabel="mean relative error",
             title=f"Radius buys accuracy, resolution does not ({sizes[0]:.0f}² to "
                   f"{sizes[-1]:.0f}² nodes)")
    figure.savefig(out / "graph-accuracy.png")
    plt.close(figure)


def work_figure(table, out):
    """What the update map and edge reduction spare, at the largest size."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.6, 3.6))
    radii = list(table)
    series = [("work", "bellman_ford_s", "map, coprime star", COLOURS[1]),
              ("full_star_work", "full_star_s", "map, full star", COLOURS[3]),
              ("no_map_work", "no_map_s", "no map, coprime star", "0.6")]
    for n, (work, seconds, label, colour) in enumerate(series):
        place = np.arange(len(radii)) + 0.26 * (n - 1)
        left.bar(place, [table[r][work][-1] for r in radii], 0.24, color=colour, label=label)
        right.bar(place, [table[r][seconds][-1] for r in radii], 0.24, color=colour, label=label)
    nodes = table[radii[0]]["nodes"][-1]
    for axes, name in ((left, "edges looked at per node"), (right, "seconds")):
        axes.set(yscale="log", xlabel="radius", ylabel=name, xticks=range(len(radii)),
                 xticklabels=radii)
        axes.grid(axis="x", visible=False)
    left.legend(fontsize=8, loc="upper left")
    figure.suptitle(f"Bellman–Ford by tiles, {nodes:.0f}² nodes", y=1.0)
    figure.subplots_adjust(wspace=0.3)
    figure.savefig(out / "graph-work.png")
    plt.close(figure)


def paper1_figure(table, out):
    """Paper 1's Figures 7 and 8: seconds against size, a panel a radius."""
    figure, panels = plt.subplots(2, 3, figsize=(9, 5.2), sharex=True, sharey=True)
    for axes, (radius, rows) in zip(panels.flat, table.items()):
        axes.loglog(rows["nodes"], rows["heap_s"], "o-", color="0.6", ms=3,
                    label="Dijkstra, std::priority_queue")
        axes.loglog(rows["nodes"], rows["bellman_ford_s"], "o-", color=COLOURS[3], ms=3,
                    label="Bellman–Ford, tiles")
        axes.loglog(rows["nodes"], rows["dijkstra_s"], "o-", color=COLOURS[1], ms=3,
                    label="Dijkstra, buckets")
        axes.set_title(f"radius {radius}", fontsize=10)
        ends = [rows["nodes"][0], rows["nodes"][-1]]
        axes.set_xticks(ends, [f"{n:.0f}" for n in ends], minor=False)
        axes.set_xticks([], minor=True)
    for axes in panels[1]:
        axes.set_xlabel("nodes a side")
    for axes in panels[:, 0]:
        axes.set_ylabel("seconds")
    panels[0, 0].legend(fontsize=7, loc="upper left")
    figure.tight_layout()
    figure.savefig(out / "graph-paper1.png")
    plt.close(figure)


def traced(program, nodes):
    """Times and rays of `fermat times` and `fermat rays`, from a corner to points all round."""
    with tempfile.TemporaryDirectory() as folder:
        def run(*arguments):
            subprocess.run([program, *arguments, "--quiet"], cwd=folder, check=True)

        along = np.linspace(0, nodes - 1, 11)[1:]
        points = [(x, 0) for x in along] + [(nodes - 1, z) for z in along]
        points += [(x, nodes - 1) for x in along[:-1]]
        Path(folder, "r.csv").write_text(
            "x,z\n" + "".join(f"{x:g},{z:g}\n" for x, z in points))
        run("model", "gradient", "--shape", f"{nodes},{nodes}", "--spacing", "1", "--v0", "0.5",
            "--gradient", "0.005", "-o", "m.h5")
        graph = ["--model", "m.h5", "--source", "0,0", "--solver", "dijkstra", "--radius", "6"]
        run("times", *graph, "-o", "t.h5")
        run("rays", *graph, "--receivers", "r.csv", "--tracer", "graph", "-o", "rays.h5")
        with h5py.File(Path(folder, "t.h5")) as file:
            times = np.squeeze(file["VTKHDF/PointData/time"][:])  # [z][x]
        with h5py.File(Path(folder, "rays.h5")) as file:
            xyz = file["VTKHDF/Points"][:]
            offsets = file["VTKHDF/Lines/Offsets"][:]
    return times, [xyz[a:b, [0, 2]] for a, b in zip(offsets[:-1], offsets[1:])]


def rays_figure(times, paths, out):
    """Paper 1's Figure 10: times and rays in v = 0.5 + 0.005 z, radius 6, source at (0, 0)."""
    side = times.shape[0] - 1
    figure, axes = plt.subplots(figsize=(6.4, 5.2))
    image = axes.imshow(times, extent=(0, side, side, 0), cmap="viridis")
    axes.contour(times, levels=np.arange(0, times.max(), 25), colors="white", linewidths=0.5,
                 alpha=0.6)
    for path in paths:
        axes.plot(path[:, 0], path[:, 1], color="#ffb000", lw=1.0)
    axes.plot(0, 0, "*", color="white", ms=14, mec="black", clip_on=False, zorder=5)
    axes.set(xlabel="x (km)", ylabel="z (km)", xlim=(0, side), ylim=(side, 0))
    axes.set_title("v = 0.5 + 0.005 z km/s, shortest paths of radius 6", pad=12)
    axes.grid(visible=False)
    figure.colorbar(image, label="time (s)", shrink=0.85)
    figure.savefig(out / "graph-rays.png")
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=Path, help="CSV of `fermat bench graph`")
    parser.add_argument("--program", type=Path, default=Path("build/release/fermat"))
    parser.add_argument("--out", type=Path, default=Path("docs/images"))
    arguments = parser.parse_args()
    table = read(arguments.table)
    accuracy_figure(table, arguments.out)
    work_figure(table, arguments.out)
    paper1_figure(table, arguments.out)
    rays_figure(*traced(arguments.program.resolve(), 501), arguments.out)


if __name__ == "__main__":
    main()
