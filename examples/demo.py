"""Times and rays in six media, as pictures and as files.

    python examples/demo.py demo-output

FOLDER/name.png is a medium with isochrons and rays; FOLDER/name.vtkhdf the model and
FOLDER/name-rays.vtkhdf the rays, for ParaView, PyVista and h5py.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import fermat as fm
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

Case = tuple[str, fm.Model, np.ndarray, np.ndarray]


def edge_of_square(size: float, count: int) -> np.ndarray:
    """Points evenly round the edge of a square, from its upper left corner."""
    t = np.arange(count) * 4 / count
    x = np.clip(1.5 - abs(t - 1.5), 0, 1)
    z = np.clip(1.5 - abs(t - 2.5), 0, 1)
    return size * np.column_stack([x, z])


def along_surface(x: np.ndarray) -> np.ndarray:
    return np.column_stack([x, np.zeros_like(x)])


def hill(x: np.ndarray) -> np.ndarray:
    """Depth of a surface with hills of up to 0.75 km above the datum, so that z is negative."""
    return -0.4 - 0.25 * np.sin(1.3 * x) - 0.1 * np.cos(3 * x)


def cases() -> dict[str, Case]:
    """Title, model, source and receivers; the first three are the scenarios of Shin et al.'s
    figures 2 to 4 (a ray tracer by the fast iterative method on a small GPU)."""
    corner = np.zeros(2)
    line = along_surface(np.linspace(25, 475, 19))
    below = 0.04  # two cells under the surface, so that every receiver is in rock
    x = np.linspace(0.4, 11.6, 29)
    ground = np.column_stack([np.linspace(0, 12, 241), hill(np.linspace(0, 12, 241))])
    crossline = [(x, 6.4, 0) for x in np.arange(2, 12.5, 1)]
    return {
        "homogeneous": (
            "Homogeneous",
            fm.Model.constant((501, 501), velocity=2),
            np.array([250, 250]),
            edge_of_square(500, 16),
        ),
        "layers": (
            "Two layers: the direct wave, then the head wave",
            fm.Model.layers((501, 501), layers=[(0, 2), (50, 5)]),
            corner,
            line,
        ),
        "gradient": (
            "Gradient: diving waves",
            fm.Model.gradient((501, 501), v0=2, gradient=0.01),
            corner,
            line,
        ),
        "cube": (
            "Section of a 3-D model, 2.1 million nodes",
            fm.Model.gradient((129, 129, 129), v0=2, gradient=0.5, spacing=0.1),
            np.array([1, 6.4, 0.5]),
            np.array(crossline + [(12.4, 6.4, z) for z in np.arange(1, 12.5, 1)]),
        ),
        "topography": (
            "Below hills; air is white",
            fm.Model.gradient(
                (601, 276), v0=0.6, gradient=0.9, spacing=0.02, origin=(0, -1)
            ).with_topography(ground),
            np.array([1, hill(1) + below]),
            np.column_stack([x, hill(x) + below]),
        ),
        "random": (
            "Random medium, 30 % about 4 km/s",
            fm.Model.random(
                (601, 301), velocity=4, amplitude=0.3, correlation=0.4, seed=3, spacing=0.02
            ),
            np.array([0.5, 3]),
            np.column_stack([np.full(25, 12.0), np.linspace(0, 6, 25)]),
        ),
    }


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, (title, model, source, receivers) in cases().items():
        start = time.perf_counter()
        times = fm.traveltimes(model, source)
        rays = fm.rays(model, source, receivers)
        seconds = time.perf_counter() - start

        model.save(folder / f"{name}.vtkhdf")
        rays.save(folder / f"{name}-rays.vtkhdf")
        ax = fm.plot.section(model, times=times, rays=rays)
        ax.set_title(title, fontsize="medium")
        ax.figure.savefig(folder / f"{name}.png", dpi=130)
        plt.close(ax.figure)
        apart = abs(rays.times / rays.field_times - 1).max()
        print(
            f"{folder / name}.png: {model.velocity.size:,} nodes and {len(rays)} rays in "
            f"{seconds:.2f} s; times along rays and of the field agree to {100 * apart:.2g} %"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
