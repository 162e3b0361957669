"""A hard medium, in the manner of the Marmousi model: thin folded layers, three faults, water, a
fast wedge, contrasts of 1 to 3.6. Times by three solvers, rays of a whole spread.

    python examples/marmousi-like/marmousi_like.py OUTPUT_FOLDER
"""

import sys
import time
from pathlib import Path

import fermat as fm
import matplotlib
import numpy as np

matplotlib.use("Agg")


def marmousi_like(shape: tuple[int, int] = (737, 241), spacing: float = 0.0125) -> fm.Model:
    """Velocity of 9.2 by 3 km."""
    x, z = np.meshgrid(*(spacing * np.arange(n) for n in shape), indexing="ij")
    depth = z + 0.25 * np.sin(2 * np.pi * x / 5) * z / 3  # folds, stronger downwards
    for at, slope, throw in ((3.3, 0.45, 0.22), (4.6, 0.55, 0.30), (5.7, 0.65, 0.18)):
        depth = depth + throw * (x > at + slope * z)  # normal faults that dip to the right
    layer = np.floor(depth / 0.11).astype(int)
    step = np.random.default_rng(7).uniform(-0.45, 0.45, layer.max() + 1)
    velocity = 1.6 + 0.95 * depth + step[layer]
    wedge = (z > 2.1 - 0.28 * (x - 5.5)) & (z < 2.3) & (x > 5.2) & (x < 8.6)
    velocity[wedge] = 4.6
    velocity[z < 0.06] = 1.5  # water
    return fm.Model(np.clip(velocity, 1.5, 5.5), spacing=spacing)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    model = marmousi_like()
    source = (2.0, 0.02)
    fields = {}
    for solver in ("fim", "fmm", "fsm"):
        start = time.perf_counter()
        fields[solver] = fm.traveltimes(model, source, solver=solver)
        print(f"{solver}: {time.perf_counter() - start:.3f} s for {model.velocity.size:,} nodes")
    apart = max(abs(fields["fim"] - fields[name]).max() for name in ("fmm", "fsm"))
    print(f"largest difference of the three: {1000 * apart:.2f} ms")

    receivers = [(x, 0.02) for x in np.arange(0.2, 9.2, 0.2)]
    rays = fm.rays(model, source, receivers)
    print(rays)
    ax = fm.plot.section(model, times=fields["fim"], rays=rays, levels=14)
    ax.figure.savefig(folder / "marmousi-like.png", dpi=120)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
