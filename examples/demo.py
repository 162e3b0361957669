"""Draws the models that scripts/demo made.

    python examples/demo.py FOLDER

reads FOLDER/*.h5, which `fermat model` wrote, and leaves FOLDER/*.png. Any VTKHDF reader would do:
h5py is enough, since a file is one array [nz][ny][nx] with its spacing and origin.
"""

from __future__ import annotations

import sys
from pathlib import Path

import fermat as fm
import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

TITLES = {
    "gradient": "Constant gradient, v = 2 + 0.5 z (section of a 3-D model)",
    "layers": "Two layers",
    "checkerboard": "Checkerboard on a gradient",
    "random": "Random medium, seed 1",
    "topography": "Gradient below topography (air is white)",
}


def read_model(path: Path) -> fm.Model:
    with h5py.File(path) as file:
        image = file["VTKHDF"]
        velocity = image["PointData/velocity"][:].transpose(2, 1, 0)
        spacing, origin = image.attrs["Spacing"], image.attrs["Origin"]
    if velocity.shape[1] == 1:
        return fm.Model(velocity[:, 0], spacing=spacing[[0, 2]], origin=origin[[0, 2]])
    return fm.Model(velocity, spacing=spacing, origin=origin)


def main(folder: Path) -> None:
    for name, title in TITLES.items():
        ax = fm.plot.section(read_model(folder / f"{name}.h5"))
        ax.set_title(title)
        picture = folder / f"{name}.png"
        ax.figure.savefig(picture, dpi=150)
        plt.close(ax.figure)
        print(picture)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
