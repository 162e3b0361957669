"""Closed forms accept points of any shape and agree with one another."""

import fermat as fm
import numpy as np
import pytest


def test_points_keep_their_shape_and_dimensions(rng):
    points = rng.uniform(0, 5, (4, 3, 2))
    times = fm.analytic.gradient_time((1, 1), points, v0=2, gradient=0.5)
    assert times.shape == (4, 3)
    solid = np.insert(points, 1, 0, axis=-1)
    same = fm.analytic.gradient_time((1, 0, 1), solid, v0=2, gradient=(0, 0, 0.5))
    np.testing.assert_array_equal(times, same)


def test_no_gradient_is_homogeneous(rng):
    points = rng.uniform(0, 5, (9, 3))
    np.testing.assert_allclose(
        fm.analytic.gradient_time((1, 2, 3), points, v0=2, gradient=0),
        fm.analytic.homogeneous_time((1, 2, 3), points, velocity=2),
        rtol=1e-14,
    )


def test_the_gradients_ray_takes_the_gradients_time():
    ray = fm.analytic.gradient_ray((0, 1), (6, 2), v0=2, gradient=0.5, count=2001)
    np.testing.assert_array_equal(ray[[0, -1]], [(6, 2), (0, 1)])
    middle = (ray[1:] + ray[:-1]) / 2
    along = (np.linalg.norm(np.diff(ray, axis=0), axis=1) / (2 + 0.5 * middle[:, 1])).sum()
    exact = fm.analytic.gradient_time((0, 1), (6, 2), v0=2, gradient=0.5)
    assert along == pytest.approx(float(exact), rel=1e-6)
    assert fm.analytic.gradient_ray((0, 0, 1), (6, 0, 2), v0=2, gradient=0.5).shape == (101, 3)


def test_waves_change_places_at_the_crossover():
    layers = {"v1": 2, "v2": 5, "thickness": 50}
    crossover = fm.analytic.crossover_distance(**layers)
    offsets = crossover + np.array([-1, 0, 1])
    before, at, after = fm.analytic.two_layers_time(offsets, **layers)
    assert before == pytest.approx(offsets[0] / 2)
    assert after - at == pytest.approx(1 / 5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda a: a.homogeneous_time((0, 0), 3, velocity=2), r"receivers has shape \(\)"),
        (lambda a: a.homogeneous_time((0,), (0, 1), velocity=2), r"source has shape \(1,\)"),
        (lambda a: a.homogeneous_time((0, 0), (0, 1), velocity=-2), "velocity is -2"),
        (lambda a: a.gradient_time((0, 0), (0, -9), v0=2, gradient=0.5), "must be finite and > 0"),
        (lambda a: a.gradient_ray((0, 0), (1, 1), v0=2, gradient=0, count=1), "at least 2"),
    ],
)
def test_wrong_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call(fm.analytic)
