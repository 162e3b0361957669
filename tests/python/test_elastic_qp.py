"""Thomsen's media with their shear velocity: elastic qP waves, against Christoffel's equation."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import fermat as fm


def group_times(points: np.ndarray, vp: float, vs: float, epsilon: float, delta: float,
                axis: np.ndarray) -> np.ndarray:
    """Times of qP from the origin: the largest p . x over the slowness surface, whose points are
    directions over the phase velocities that Christoffel's matrix has there."""
    stiff = np.array([1 + 2 * epsilon, 1.0, (vs / vp) ** 2]) * vp**2  # c11, c33, c44
    coupling = np.sqrt((stiff[1] - stiff[2]) * (stiff[1] - stiff[2] + 2 * delta * stiff[1]))
    angle = np.linspace(0, np.pi, 400_001)
    sine, cosine = np.sin(angle), np.cos(angle)
    xx = stiff[0] * sine**2 + stiff[2] * cosine**2
    zz = stiff[2] * sine**2 + stiff[1] * cosine**2
    xz = coupling * sine * cosine
    speed = np.sqrt((xx + zz) / 2 + np.sqrt(((xx - zz) / 2) ** 2 + xz**2))
    along = points @ axis
    across = np.linalg.norm(points - along[:, None] * axis, axis=1)
    return np.array([((a * cosine + b * sine) / speed).max()
                     for a, b in zip(along, across, strict=True)])


CASES = [(0.3, -0.1, 0.5), (0.2, 0.1, 0.6), (-0.1, 0.1, 0.45)]


@pytest.mark.parametrize(("epsilon", "delta", "ratio"), CASES)
def test_times_are_those_of_elastic_waves(epsilon: float, delta: float, ratio: float) -> None:
    tilt, azimuth, vp = 35.0, 20.0, 3.0
    turned = np.radians([tilt, azimuth])
    axis = np.array([np.sin(turned[0]) * np.cos(turned[1]), np.sin(turned[0]) * np.sin(turned[1]),
                     np.cos(turned[0])])
    medium = {"epsilon": epsilon, "delta": delta, "tilt": tilt, "azimuth": azimuth}
    velocity = np.full((21, 21, 21), vp, np.float32)
    source = np.array([1.03, 0.96, 1.01])
    points = np.random.default_rng(1).uniform(0, 2, (60, 3))
    points = points[np.linalg.norm(points - source, axis=1) > 0.3]
    truth = group_times(points - source, vp, ratio * vp, epsilon, delta, axis)
    closed = fm.analytic.thomsen_time(source, points, velocity=vp, vs=ratio * vp, **medium)
    assert closed == pytest.approx(truth, rel=1e-9)
    model = fm.Model(velocity, spacing=0.1, vs=ratio * vp, **medium)
    times = fm.receiver_times(model, source, points)[0]
    assert times == pytest.approx(truth, rel=1e-5)
    acoustic = fm.receiver_times(fm.Model(velocity, spacing=0.1, **medium), source, points)[0]
    assert np.abs(acoustic / truth - 1).max() > 10 * np.abs(times / truth - 1).max()
    rays = fm.rays(model, source, points)
    assert rays.times == pytest.approx(truth, rel=1e-4)


def test_sensitivities_are_derivatives_of_elastic_times() -> None:
    point, medium = (1.9, 1.4), {"epsilon": 0.2, "delta": 0.05, "tilt": 30.0, "vs_ratio": 0.55}
    model = fm.Model(np.full((21, 21), 2.0), spacing=0.1, **medium)
    rays = fm.rays(model, (0.31, 0.42), point)
    for name in ("epsilon", "delta"):
        row = rays.sensitivity(parameter=name).sum()
        ends = []
        for step in (-1e-4, 1e-4):
            other = medium | {name: medium[name] + step}
            vs = 2 * other.pop("vs_ratio")
            ends.append(fm.analytic.thomsen_time((0.31, 0.42), point, velocity=2, vs=vs, **other))
        assert row == pytest.approx(float(ends[1] - ends[0]) / 2e-4, rel=1e-3)


def test_the_shear_velocity_goes_through_files_and_pickles(tmp_path: Path) -> None:
    velocity = np.linspace(2, 4, 21 * 11).reshape(21, 11)
    model = fm.Model(velocity, spacing=0.1, epsilon=0.2, delta=0.0, vs=1.2)
    want = fm.traveltimes(model, (1, 0.5))
    assert np.array_equal(fm.traveltimes(pickle.loads(pickle.dumps(model)), (1, 0.5)), want)
    model.save(tmp_path / "shale.h5")
    assert np.array_equal(fm.traveltimes(fm.Model.load(tmp_path / "shale.h5"), (1, 0.5)), want)
    plain = fm.Model(velocity, spacing=0.1, epsilon=0.2, delta=0.0)
    assert not np.array_equal(fm.traveltimes(plain, (1, 0.5)), want)


def test_shear_velocities_that_no_rock_has_are_refused() -> None:
    velocity = np.full((11, 11), 2.0)
    with pytest.raises(ValueError, match=r"Vs/Vp along the axis is 0.95 at node \(0, 0\)"):
        fm.Model(velocity, spacing=0.1, epsilon=0.2, vs=1.9)
    with pytest.raises(ValueError, match="vs is given without epsilon or delta"):
        fm.Model(velocity, spacing=0.1, vs=1.0)
    with pytest.raises(ValueError, match="vs and vs_ratio are given"):
        fm.Model(velocity, spacing=0.1, epsilon=0.2, vs=1.0, vs_ratio=0.5)
