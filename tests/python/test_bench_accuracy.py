"""The truths of docs/accuracy.md agree with each other, and the page's rows are made of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import fermat as fm
import numpy as np
import pytest

pytest.importorskip("scipy")
ACCURACY = Path(__file__).parents[2] / "bench" / "accuracy"
sys.path.insert(0, str(ACCURACY))
import truths  # noqa: E402


def test_paths_through_cells_are_those_of_two_layers() -> None:
    cells = np.ones((8, 1)) * np.where(np.arange(6) < 2, 2.0, 5.0)
    points = np.array([(3.3, 0.4), (7.1, 0.2), (5.0, 2.0), (6.2, 4.4)])
    paths = truths.through_cells(cells, 1.0, (0.7, 0.3), points, parts=24)
    exact = truths.two_layers((0.7, 0.3), points, 2.0, 2.0, 5.0)
    assert (paths >= exact * (1 - 1e-12)).all() and (paths < exact * (1 + 1e-3)).all()


def test_paths_below_a_valley_go_round_its_corner() -> None:
    ground = [(0, 0), (3, 0), (4, 1), (5, 0), (8, 0)]
    seen, hidden = truths.below_ground(ground, (1, 0.2), [(3, 2.0), (7, 0.1)], 2.0)
    assert seen == pytest.approx(np.hypot(2, 1.8) / 2)
    assert hidden == pytest.approx((np.hypot(3, 0.8) + np.hypot(3, 0.9)) / 2)


def test_rays_of_a_gradient_are_circles() -> None:
    flat = [(0, 0), (4, 0), (8, 0)]
    time = truths.below_ground(flat, (1, 0), [(7, 0)], 2.0, 0.5)[0]
    assert time == pytest.approx(2 / 0.5 * np.arcsinh(0.5 * 6 / (2 * 2)))


def wandering(columns: int, spacing: float, slope: float, seed: int) -> np.ndarray:
    """Ground whose every other node turns down, with an RMS slope."""
    rng = np.random.default_rng(seed)
    ground = [0.0]
    for _ in range(columns - 1):
        ground.append(0.9 * ground[-1] + rng.uniform(-0.1, 0.1))
    return np.array(ground) * slope / np.sqrt((np.diff(ground) ** 2).mean()) * spacing


# Behind corner after corner of rough ground: values of one wave were continued into the next, and
# times were up to 5e-2 early (slope 200 %), with (seed 11) nodes beside the source 30 % late.
@pytest.mark.parametrize("seed", [0, 4, 10, 11])
@pytest.mark.parametrize(
    ("slope", "gradient", "mean", "largest"),
    [(0.3, 0.0, 1e-7, 1e-6), (1.0, 0.0, 1e-6, 1e-4), (2.0, 0.0, 2e-4, 3e-3), (1.0, 0.5, 1e-4, 5e-4)],
)
def test_times_below_rough_ground_are_those_round_its_corners(
    seed: int, slope: float, gradient: float, mean: float, largest: float
) -> None:
    columns, spacing, velocity = 81, 0.1, 3.0 if gradient else 2.0
    x = spacing * np.arange(columns)
    ground = wandering(columns, spacing, slope, seed)
    column = int(np.random.default_rng(seed).integers(5, columns - 5))
    source = (x[column] + 0.013, float(np.interp(x[column] + 0.013, x, ground) + 0.3))
    depth = spacing * np.arange(columns // 2 + 1)
    z = depth + ground[:, None] * (1 - depth / depth[-1])
    model = fm.Model((velocity + gradient * z).astype(np.float32), spacing=spacing, surface=ground)
    times = fm.traveltimes(model, source).ravel()
    places = model.node_positions().reshape(-1, 2)
    line = np.stack([x, ground], axis=1)
    exact = truths.below_ground(line, source, places, velocity, gradient)
    far = exact > 2.5 * spacing / velocity
    error = np.abs(times[far] / exact[far] - 1)
    assert error.mean() < mean and error.max() < largest, (error.mean(), error.max())


def test_one_medium_is_measured() -> None:
    command = [sys.executable, str(ACCURACY / "run.py"), "--only", "sphere"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ACCURACY)
    assert done.returncode == 0, done.stderr
    rows = done.stdout.splitlines()
    assert len(rows) == 3 and "straight lines" in rows[0]
    mean = float(rows[-1].split("|")[4].split(",")[0])
    assert mean < 1e-6
