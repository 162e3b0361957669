"""Local earthquakes over a dipping slab, in the manner of Koulakov's (2009) Costa Rica experiment:
rays by bending, which needs no time field, and by descent, which does; the two check one another.

    python examples/costa-rica-like/costa_rica_like.py OUTPUT_FOLDER [EARTHQUAKES]
"""

import sys
import time
from pathlib import Path

import fermat as fm
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def survey(earthquakes: int, stations: int = 24):
    """Model, hypocentres and stations, in km: a checkerboard of columns on a 1-D velocity."""
    profile = [(0, 4.5), (10, 5.8), (25, 6.8), (40, 7.8), (120, 8.4)]
    model = fm.Model.profile((61, 51, 25), profile=profile, spacing=5)
    model = model.checkerboard(size=(20, 20, np.inf), amplitude=0.1)
    rng = np.random.default_rng(1)
    x, y = rng.uniform(80, 260, earthquakes), rng.uniform(30, 220, earthquakes)
    depth = np.clip(0.45 * (x - 60) * rng.uniform(0.2, 1, earthquakes), 3, 100)  # above the slab
    places = rng.uniform((100, 20), (290, 230), (stations, 2))
    return model, np.column_stack([x, y, depth]), np.column_stack([places, np.zeros(stations)])


def main(folder: Path, earthquakes: int = 60) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    model, quakes, stations = survey(earthquakes)
    rays = {}
    for tracer in ("descent", "bending"):
        start = time.perf_counter()
        rays[tracer] = fm.rays(model, quakes, stations, tracer=tracer)
        took = time.perf_counter() - start
        print(f"{tracer}: {len(rays[tracer])} rays in {took:.2f} s")
    late = rays["bending"].times / rays["descent"].times - 1
    print(f"bending against descent: median {100 * np.median(late):+.3f} %, "
          f"99 of 100 within {100 * np.quantile(abs(late), 0.99):.2f} %")

    figure = plt.figure(figsize=(8, 8.2), layout="constrained")
    above, below = figure.subplots(2, 1, height_ratios=(2.1, 1))
    bent = rays["bending"]
    fm.plot.map(model, depth=10, rays=bent, ax=above)
    fm.plot.section(model, y=125, rays=bent, ax=below)
    figure.savefig(folder / "costa-rica-like.png", dpi=120)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *(int(n) for n in sys.argv[2:]))
