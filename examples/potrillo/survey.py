"""A crustal survey like the Potrillo Volcanic Field experiment of 2003, made from a seed.

The start model is a 1-D profile; 8 shots and 793 receivers stand along a slightly bent line of
205 km. Kilometres and seconds; 207 x 77 x 26 nodes at 1 km. The true model has what such a survey
goes out for: a basin, a rift-like low through the middle crust and a high in the lower crust, all
within 10 % of the start model, and a little roughness.
"""

from pathlib import Path

import fermat as fm
import numpy as np

SHAPE = (207, 77, 26)
PROFILE = [(0, 5.2), (3, 5.9), (12, 6.25), (25, 7.0)]  # depth, velocity
SHOTS, RECEIVERS, SEED = 8, 793, 2003


def start_model() -> fm.Model:
    return fm.Model.profile(SHAPE, profile=PROFILE)


def bump(u: np.ndarray, centre: float, half_width: float) -> np.ndarray:
    """1 at the centre, 1/2 at half a width from it, smoothly to 0."""
    return np.exp(-np.log(2) * ((u - centre) / half_width) ** 2)


def true_model() -> fm.Model:
    start = start_model()
    x, y, z = np.meshgrid(*(np.arange(n, dtype=float) for n in SHAPE), indexing="ij")
    across = x + 0.25 * (y - 38)  # structures strike obliquely to the line
    basin = -0.10 * bump(across, 52, 14) * bump(z, 0, 3)
    rift = -0.08 * bump(across, 118, 13) * bump(z, 7, 6)
    high = 0.07 * bump(across, 88, 22) * bump(z, 19, 6)
    rough = fm.Model.random(SHAPE, velocity=1, amplitude=0.01, correlation=8, seed=SEED).velocity - 1
    return fm.Model(start.velocity * (1 + basin + rift + high + rough), spacing=1)


def line(distance: np.ndarray) -> np.ndarray:
    """Points at the surface along the line, which bends by some 6 degrees at its middle."""
    x = 0.8 + distance
    y = 34 + 0.03 * distance + np.where(distance > 100, 0.1 * (distance - 100), 0)
    return np.column_stack([x, y, np.zeros_like(x)])


def write_points(path: Path, points: np.ndarray) -> None:
    np.savetxt(path, points, fmt="%.6g", delimiter=",", header="x,y,z", comments="")


def write_survey(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    start_model().save(folder / "start.h5")
    true_model().save(folder / "true.h5")
    random = np.random.default_rng(SEED)
    shots = np.linspace(2, 203, SHOTS) + random.uniform(-2, 2, SHOTS)
    write_points(folder / "sources.csv", line(np.clip(shots, 0, 205)))
    receivers = np.linspace(0, 205, RECEIVERS) + random.uniform(-0.08, 0.08, RECEIVERS)
    write_points(folder / "receivers.csv", line(np.clip(receivers, 0, 205)))
