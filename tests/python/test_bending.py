"""Bent rays: models, profiles and functions as velocity; starts; equal rays for all tasks."""

import fermat as fm
import numpy as np
import pytest


@pytest.fixture(scope="module")
def board():
    base = fm.Model.gradient((25, 25, 13), v0=4, gradient=0.1, spacing=1)
    return base.checkerboard(size=(4, 4, np.inf), amplitude=0.1)


@pytest.fixture(scope="module")
def points(board):
    rng = np.random.default_rng(2)
    high = (24, 24, 12)
    return rng.uniform(0, high, (5, 3)), rng.uniform(0, high, (6, 3))


def test_rays_of_a_model(board, points):
    pytest.importorskip("scipy")
    rays = fm.rays(board, *points, tracer="bending")
    assert (rays.status == "ok").all()
    assert set(rays.start) <= {"straight", "deep", "sides"}
    np.testing.assert_array_equal(rays.times, rays.field_times)
    np.testing.assert_allclose(rays.sensitivity() @ board.slowness.ravel(), rays.times, rtol=1e-6)
    first = fm.rays(board, *points)
    assert (first.start == "none").all()
    assert np.median(rays.times / first.times) == pytest.approx(1, abs=0.005)


def test_seeds_can_only_win(board, points):
    seeded = fm.rays(board, *points, tracer="bending", starts="descent")
    both = fm.rays(board, *points, tracer="bending", starts=["straight", "descent"])
    assert (seeded.start == "descent").all()
    assert (both.times <= seeded.times).all()


def test_tasks_and_threads_change_nothing(board, points):
    one = fm.rays(board, *points, tracer="bending", threads=1)
    for tasks in ("pairs", "sources", "stations", "sections"):
        two = fm.rays(board, *points, tracer="bending", tasks=tasks, threads=2)
        np.testing.assert_array_equal(one.points, two.points)
        np.testing.assert_array_equal(one.times, two.times)


def test_function_of_three_numbers():
    def exact(source):
        return fm.analytic.gradient_time(source, (9, 7, 0), v0=2, gradient=(0.1, 0, 0.5))

    rays = fm.rays(lambda x, y, z: 2 + 0.1 * x + 0.5 * z, [(0, 0, 1), (1, 2, 3)], [(9, 7, 0)],
                   tracer="bending", start_time=[0, 5])
    wanted = [exact((0, 0, 1)), 5 + exact((1, 2, 3))]
    np.testing.assert_allclose(rays.times, wanted, rtol=1e-4)
    with pytest.raises(ValueError, match="sensitivity needs rays of a model"):
        rays.sensitivity()
    with pytest.raises(ValueError, match="coverage needs rays of a model"):
        rays.coverage()


def test_function_of_two_numbers_in_bounds():
    rays = fm.rays(lambda x, z: 2 + 0.5 * z, (0, 0), (20, 0), tracer="bending",
                   bounds=((0, 0), (20, 2)))
    assert rays.points.shape[1] == 2
    assert rays.points[:, 1].max() == pytest.approx(2, abs=0.05)


def test_profile_and_function_agree():
    profile = fm.Profile([(0, 3), (10, 6)])
    ends = (0, 0, 8), (9, 3, 0)
    by_profile = fm.rays(profile, *ends, tracer="bending")
    by_function = fm.rays(lambda x, y, z: 3 + 0.3 * z, *ends, tracer="bending")
    np.testing.assert_allclose(by_profile.times, by_function.times, rtol=1e-5)
    layers = fm.rays(fm.Profile([(0, 2), (1, 5)], "layers"), (0, 0), (16, 0), tracer="bending")
    head = fm.analytic.two_layers_time(16, v1=2, v2=5, thickness=1)
    assert head <= layers.times[0] <= 1.02 * head


def test_errors_of_functions_come_back():
    ends = (0, 0, 0), (1, 1, 1)
    with pytest.raises(ZeroDivisionError):
        fm.rays(lambda x, y, z: 1 / 0, *ends, tracer="bending")
    with pytest.raises(ValueError, match="velocity returned 'fast'"):
        fm.rays(lambda x, y, z: "fast", *ends, tracer="bending")
    with pytest.raises(ValueError, match="is -1"):
        fm.rays(lambda x, y, z: -1.0, *ends, tracer="bending")


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"starts": []}, "no start is given"),
        ({"starts": "up"}, "unknown start 'up'"),
        ({"segment": 0}, "segment is 0"),
        ({"tasks": "shots"}, "unknown tasks 'shots'"),
    ],
)
def test_bad_options_are_sentences(board, keywords, words):
    with pytest.raises(ValueError, match=words):
        fm.rays(board, (0, 0, 0), (5, 5, 5), tracer="bending", **keywords)


def test_other_tracers_need_a_model():
    with pytest.raises(ValueError, match="tracer 'descent' needs a model"):
        fm.rays(fm.Profile([(0, 1)]), (0, 0, 0), (1, 1, 1))
    with pytest.raises(ValueError, match="must be two corners of 3 numbers"):
        fm.rays(fm.Profile([(0, 1)]), (0, 0, 0), (1, 1, 1), tracer="bending", bounds=(0, 1))
