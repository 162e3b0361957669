"""Makes five models, writes them as VTKHDF files and draws them.

    python examples/demo.py demo-output

Each FOLDER/name.h5 opens in ParaView, PyVista and h5py; FOLDER/name.png is its picture.
"""

from __future__ import annotations

import sys
from pathlib import Path

import fermat as fm
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def hills() -> np.ndarray:
    """Points (x, z) of a surface up to 0.6 km above the datum; z is depth, so hills are negative."""
    x = np.linspace(0, 12, 61)
    return np.column_stack([x, -0.4 - 0.2 * np.sin(1.3 * x) * np.cos(0.4 * x)])


def models() -> dict[str, tuple[str, fm.Model]]:
    gradient = fm.Model.gradient((129, 129, 129), v0=2, gradient=0.5, spacing=0.1)
    section = fm.Model.gradient((241, 101), v0=2, gradient=0.5, spacing=0.05, origin=(0, -1))
    return {
        "gradient": ("Gradient, 2 + 0.5 z km/s (section of a 3-D model)", gradient),
        "layers": (
            "Two layers, 2 over 5 km/s",
            fm.Model.layers((501, 126), layers=[(0, 2), (50, 5)], spacing=1),
        ),
        "checkerboard": ("Checkerboard, 10 % on a gradient", section.checkerboard(size=(1, 1))),
        "random": (
            "Random medium, 20 % about 4 km/s",
            fm.Model.random(
                (241, 101), velocity=4, amplitude=0.2, correlation=0.5, seed=1, spacing=0.05
            ),
        ),
        "topography": ("Gradient below hills (air is white)", section.cut_by_surface(hills())),
    }


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, (title, model) in models().items():
        model.save(folder / f"{name}.h5")
        ax = fm.plot.section(model)
        ax.set_title(title, fontsize="medium")
        picture = folder / f"{name}.png"
        ax.figure.savefig(picture, dpi=150)
        plt.close(ax.figure)
        print(f"{picture}: {model!r}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
