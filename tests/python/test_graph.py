"""Shortest paths on the grid graph, with keyword arguments."""

import fermat as fm
import numpy as np
import pytest


@pytest.fixture
def model():
    return fm.Model.gradient((41, 31), v0=2, gradient=0.5, spacing=0.1)


def test_solvers_agree(model):
    times = fm.traveltimes(model, (0.4, 0.2), solver="dijkstra", radius=4)
    assert times.shape == model.shape and times.dtype == np.float32
    other = fm.traveltimes(model, (0.4, 0.2), solver="bellman-ford", radius=(4, 4),
                           weights="computed", star="full")
    np.testing.assert_allclose(other, times, rtol=1e-5)
    np.testing.assert_allclose(times, fm.traveltimes(model, (0.4, 0.2)), rtol=1e-2, atol=1e-4)


@pytest.mark.parametrize("weights", ["stored", "computed"])
@pytest.mark.parametrize("visits", ["marked", "none"])
def test_the_papers_own_relaxation_finds_the_same_times_and_rays(model, visits, weights):
    letter = {"solver": "bellman-ford", "relaxation": "jacobi", "visits": visits,
              "weights": weights, "reading": "nearest", "radius": (3, 2)}
    wanted = {"solver": "dijkstra", "reading": "nearest", "radius": (3, 2)}
    source, ends = (0.43, 0.2), [(4, 0), (2.22, 3)]
    np.testing.assert_allclose(fm.traveltimes(model, source, **letter),
                               fm.traveltimes(model, source, **wanted), rtol=1e-5)
    ours = fm.rays(model, source, ends, tracer="graph", **wanted)
    found = fm.rays(model, source, ends, tracer=fm.Graph(**letter))
    np.testing.assert_allclose(found.times, ours.times, rtol=1e-5)


@pytest.mark.parametrize("visits", ["ordered", "marked", "none"])
def test_visits_change_no_bit_of_the_times(model, visits):
    usual = fm.traveltimes(model, (0.4, 0.2), solver="bellman-ford")
    np.testing.assert_array_equal(
        fm.traveltimes(model, (0.4, 0.2), solver="bellman-ford", visits=visits), usual)


@pytest.mark.parametrize("options, words", [
    ({"solver": "dijkstra", "visits": "marked"}, "no tiles"),
    ({"solver": "dijkstra", "relaxation": "jacobi"}, "no passes"),
    ({"solver": "bellman-ford", "relaxation": "jacobi", "visits": "ordered"}, "visits='marked'"),
    ({"solver": "bellman-ford", "visits": "all"}, "ordered"),
])
def test_options_of_bellman_ford_that_do_not_fit_are_refused(model, options, words):
    with pytest.raises(ValueError, match=words):
        fm.traveltimes(model, (0, 0), **options)


def test_many_sources_together_and_receivers(model):
    sources = [(0, 0), (3.03, 2.5)]
    each = fm.traveltimes(model, sources, solver="dijkstra", start_time=[0, 0.3])
    assert each.shape == (2, *model.shape)
    both = fm.traveltimes(model, sources, solver="dijkstra", start_time=[0, 0.3], together=True)
    np.testing.assert_array_equal(both, each.min(axis=0))
    at = fm.receiver_times(model, sources, [(4, 0), (0, 3)], solver="dijkstra", start_time=[0, 0.3])
    np.testing.assert_allclose(at, each[:, [40, 0], [0, 30]], rtol=1e-6)


def test_rays_end_at_their_source(model):
    rays = fm.rays(model, (0.05, 0.1), [(4, 0), (2.22, 3)], tracer="graph", radius=3)
    assert set(rays.status) == {"ok"}
    for path in rays.paths:
        np.testing.assert_array_equal(path[-1], (0.05, 0.1))


def test_three_dimensions():
    cube = fm.Model.constant((11, 12, 13), velocity=2.0)
    times = fm.traveltimes(cube, (0, 0, 0), solver="dijkstra", radius=(1, 2, 1))
    assert times[10, 0, 0] == pytest.approx(5)


@pytest.mark.parametrize("options, words", [
    ({"radius": 0}, "radius"), ({"radius": 1.5}, "radius"), ({"radius": (1, 2, 3)}, "2-D"),
    ({"radius": -1}, "radius"), ({"star": "half"}, "coprime"), ({"queue": "stack"}, "buckets"),
    ({"precision": "double"}, "single"),
])
def test_errors_say_what_is_right(model, options, words):
    with pytest.raises((TypeError, ValueError), match=words):
        fm.traveltimes(model, (0, 0), solver="dijkstra", **options)


def test_solver_must_fit_the_tracer(model):
    with pytest.raises(ValueError, match="tracer 'graph'"):
        fm.rays(model, (0, 0), (1, 1), solver="dijkstra")
