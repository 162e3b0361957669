"""Accuracy per second: error against time of every package and order, drawn from the results."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

# Okabe and Ito's colours, which people with any kind of colour vision can tell apart.
COLOURS = {"fermat": "#000000", "pyekfmm": "#0072B2", "fteikpy": "#D55E00", "ttcrpy": "#009E73",
           "scikit-fmm": "#CC79A7", "pykonal": "#E69F00"}
PANELS = {"volumes": ("cube", "3-D, v = 2 + 0.5 z", "³"),
          "paper1": ("paper 1", "2-D, paper 1's gradient", "²")}


def style(row):
    """Dashed with squares for the first order."""
    first = "order 1" in row["method"]
    return {"color": COLOURS[row["distribution"]], "ls": "--" if first else "-",
            "marker": "s" if first else "o", "lw": 2.2 if row["distribution"] == "fermat" else 1.3,
            "ms": 4.5}


def lines(rows, medium):
    """Rows of one method and one thread, by size of the grid."""
    found = {}
    for row in rows:
        if row["medium"] == medium and row["threads"] == 1 and "failed" not in row:
            found.setdefault(row["method"], []).append(row)
    return {name: sorted(some, key=lambda row: row["nodes"]) for name, some in found.items()}


def spread(heights, gap):
    """Heights moved up and down so that neighbours are a gap apart, in their order."""
    order = np.argsort(heights)
    placed = np.array(heights, float)[order]
    for _ in range(200):
        close = np.diff(placed) < gap - 1e-9
        if not close.any():
            break
        for i in np.flatnonzero(close):
            middle = 0.5 * (placed[i] + placed[i + 1])
            placed[i], placed[i + 1] = middle - gap / 2, middle + gap / 2
    back = np.empty_like(placed)
    back[order] = placed
    return back


def draw_panel(ax, rows, medium, title, power):
    found = lines(rows, medium)
    sizes = sorted({row["nodes"] for some in found.values() for row in some})
    title += f": {sizes[0]}{power} to {sizes[-1]}{power} nodes"
    ends = []
    for name, some in found.items():
        seconds = [row["seconds"] for row in some]
        errors = [row["mean_error"] for row in some]
        ax.loglog(seconds, errors, **style(some[0]))
        ends.append((seconds[-1], errors[-1], name, style(some[0])["color"]))
    ax.set(title=title, xlabel="seconds, one thread", ylabel="mean relative error")
    ax.grid(True, which="major", lw=0.4, alpha=0.5)
    ax.spines[["top", "right"]].set_visible(False)
    # Labels stand in a column at the right, each at the height of its line's last point if it can.
    low, high = (np.log10(limit) for limit in ax.get_ylim())
    heights = spread([np.log10(error) for _, error, _, _ in ends], 0.043 * (high - low))
    for (x, y, name, colour), height in zip(ends, heights):
        ax.annotate(name, (x, y), (1.03, (height - low) / (high - low)), xycoords="data",
                    textcoords="axes fraction", va="center", fontsize=8, color=colour,
                    annotation_clip=False, fontweight="bold" if "Fermat" in name else "normal",
                    arrowprops={"arrowstyle": "-", "lw": 0.5, "color": colour, "alpha": 0.6,
                                "shrinkA": 1, "shrinkB": 4})


def draw(results, path):
    """results: name of a workload -> its rows. False where there is nothing to draw."""
    shown = [name for name, (medium, _, _) in PANELS.items() if lines(results.get(name, []), medium)]
    if not shown:
        return False
    figure, axes = plt.subplots(1, len(shown), figsize=(7 * len(shown), 5.2), squeeze=False,
                                layout="constrained")
    for ax, name in zip(axes[0], shown):
        draw_panel(ax, results[name], *PANELS[name])
    figure.savefig(path, dpi=110, bbox_inches="tight")
    plt.close(figure)
    return True
