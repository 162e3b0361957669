"""Waves from a front, a largest time, and the gradient of the times."""

import fermat as fm
import numpy as np
import pytest


@pytest.fixture
def gradient():
    return fm.Model.gradient((61, 41), v0=2, gradient=0.5, spacing=0.1)


def plane_front(model, value=0.0):
    front = np.full(model.shape, np.nan)
    front[..., 0] = value
    return front


@pytest.mark.parametrize("solver", ["fim", "fmm", "fsm"])
def test_a_plane_wave_goes_down_as_the_closed_form(gradient, solver):
    times = fm.traveltimes(gradient, front=plane_front(gradient, 1.0), solver=solver)
    exact = 1 + np.log(1 + 0.5 * gradient.coords[1] / 2) / 0.5
    assert times.dtype == np.float32
    assert abs(times - exact).max() < 1.5e-3  # the first layer of nodes is of first order


def test_a_front_in_3d_and_double():
    model = fm.Model.constant((15, 17, 13), velocity=2.0, spacing=0.1)
    times, slope = fm.traveltimes(
        model, front=plane_front(model), precision="double", gradient=True
    )
    assert times.dtype == np.float64
    assert np.allclose(times, model.coords[2] / 2, atol=1e-12)
    assert slope.shape == (15, 17, 13, 3)
    assert np.allclose(slope, [0, 0, 0.5], atol=1e-9)


def test_points_with_start_times_are_a_front():
    model = fm.Model.constant((33, 33), velocity=2.0, spacing=0.1)
    x = model.coords[0]
    starts = 0.02 * np.sin(x)
    points = fm.traveltimes(
        model, np.stack([x, np.full(33, 3.2)], axis=1), start_time=starts + 0.1, together=True
    )
    front = np.full(model.shape, np.inf)
    front[:, -1] = starts + 0.1
    assert abs(fm.traveltimes(model, front=front) - points).max() < 5e-3


def test_unknown_is_nan_infinite_negative_or_masked(gradient):
    wanted = fm.traveltimes(gradient, front=plane_front(gradient))
    for unknown in (np.inf, -np.inf, -1.0):
        front = np.full(gradient.shape, unknown)
        front[:, 0] = 0
        assert (fm.traveltimes(gradient, front=front) == wanted).all()
    masked = np.ma.masked_greater(np.broadcast_to(gradient.coords[1], gradient.shape), 0)
    assert (fm.traveltimes(gradient, front=masked) == wanted).all()


def test_what_a_front_leaves_out_is_said(gradient):
    velocity = gradient.velocity.copy()
    velocity[:10, 0] = 0
    hills = fm.Model(velocity, spacing=0.1)
    with pytest.warns(UserWarning, match=r"10 of the front's 61 nodes are in air: left out"):
        times = fm.traveltimes(hills, front=plane_front(hills))
    assert np.isinf(times[:10, 0]).all()
    late = plane_front(gradient)
    late[30, 0] = 9.0
    with pytest.warns(UserWarning, match=r"1 of the front's 61 nodes are reached .* earlier"):
        times = fm.traveltimes(gradient, front=late)
    assert times[30, 0] < 0.1


@pytest.mark.parametrize("solver", ["fim", "fmm", "fsm", "vidale"])
def test_until_cuts_and_a_front_goes_on(gradient, solver):
    source = (3.03, 1.21)
    whole = fm.traveltimes(gradient, source, solver=solver)
    near = fm.traveltimes(gradient, source, until=0.5, solver=solver)
    kept = np.isfinite(near)
    assert kept.any()
    assert not kept.all()
    assert (whole[~kept] > 0.5 - 1e-5).all()
    assert abs(near[kept] - whole[kept]).max() < 1e-5
    if solver != "vidale":
        far = fm.traveltimes(gradient, front=near, solver=solver)
        assert abs(far - whole).max() < 2e-3


def test_the_gradient_is_the_closed_forms(gradient):
    source = (3.03, 1.21)
    times, slope = fm.traveltimes(gradient, source, gradient=True)
    assert (times == fm.traveltimes(gradient, source)).all()
    assert slope.shape == (61, 41, 2)
    x, z = np.meshgrid(*gradient.coords, indexing="ij")
    assert np.allclose(np.linalg.norm(slope, axis=-1) * gradient.velocity, 1, atol=1e-2)
    step = 1e-4
    def exact(px, pz):
        va, vb = 2 + 0.5 * source[1], 2 + 0.5 * pz
        r2 = (px - source[0]) ** 2 + (pz - source[1]) ** 2
        return np.arccosh(1 + 0.25 * r2 / (2 * va * vb)) / 0.5
    across = (exact(x + step, z) - exact(x - step, z)) / (2 * step)
    down = (exact(x, z + step) - exact(x, z - step)) / (2 * step)
    assert abs(slope[..., 0] - across).max() < 5e-3
    assert abs(slope[..., 1] - down).max() < 5e-3


def test_gradients_of_several_sources_and_of_the_earliest(gradient):
    sources = [(1, 1), (5, 1)]
    times, slopes = fm.traveltimes(gradient, sources, gradient=True)
    assert times.shape == (2, 61, 41)
    assert slopes.shape == (2, 61, 41, 2)
    first, slope = fm.traveltimes(gradient, sources, gradient=True, together=True)
    assert (first == times.min(axis=0)).all()
    assert (slope[5, 5] == slopes[0, 5, 5]).all()
    assert (slope[55, 5] == slopes[1, 55, 5]).all()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "no source is given"),
        ({"source": (1, 1), "front": 0}, "both source and front are given"),
        ({"front": np.zeros((3, 3))}, r"front has shape \(3, 3\) \(must be the model's"),
        ({"front": np.full((61, 41), np.nan)}, "the front has no time"),
        ({"front": "high"}, "front is not an array of numbers"),
        ({"front": np.zeros((61, 41)), "solver": "vidale"}, "starts from points"),
        ({"front": np.zeros((61, 41)), "solver": "dijkstra"}, "the grid graph has none"),
        ({"source": (1, 1), "until": 1.0, "solver": "dijkstra"}, "until is given with solver"),
        ({"source": (1, 1), "gradient": True, "solver": "bellman-ford"}, "gradient is given"),
        ({"source": (1, 1), "until": float("nan")}, "until is nan"),
    ],
)
def test_what_does_not_go_together_is_refused(gradient, options, said):
    with pytest.raises(ValueError, match=said):
        fm.traveltimes(gradient, **options)
