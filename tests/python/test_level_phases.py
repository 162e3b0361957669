"""Waves that turn where velocity depends on depth alone: no arrival is missed, and bounces are certain."""

import warnings

import fermat as fm
import numpy as np
import pytest

V0, G = 4.0, 0.06


def gradient_time(a, b):
    """Time of the circular ray in v = 4 + 0.06 z."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    va, vb = V0 + G * a[..., -1], V0 + G * b[..., -1]
    return np.arccosh(1 + G**2 * ((a - b) ** 2).sum(-1) / (2 * va * vb)) / G


def bounce(source, receiver):
    """The largest sum of two circular rays over the place of a bounce at z = 0, which PP has."""
    way = receiver - source
    low, high = 0.3, 0.7
    for _ in range(12):
        part = np.linspace(low, high, 401)
        at = source + part[:, None] * way
        at[:, -1] = 0
        total = gradient_time(source, at) + gradient_time(at, receiver)
        k = int(np.argmax(total))
        low, high = part[max(k - 1, 0)], part[min(k + 1, 400)]
    return total[k], at[k]


def speed_along(path, velocity):
    """Time along a path of points, by the velocity at the middles of its segments."""
    middle = 0.5 * (path[1:] + path[:-1])
    return (np.linalg.norm(np.diff(path, axis=0), axis=1) / velocity(middle[:, -1])).sum()


@pytest.fixture(scope="module")
def ak135():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fm.Medium.earth("ak135", (-2, 2), (-2, 102), 2891.5, spacing=(1, 0.5, 5))


@pytest.mark.parametrize("dimensions", [2, 3])
def test_bounces_in_a_gradient_are_the_closed_form_to_rounding(dimensions):
    shape = (301, 61) if dimensions == 2 else (151, 31, 61)
    medium = fm.Medium([lambda *x: V0 + G * x[-1]], {}, shape=shape, spacing=1.0)
    source = np.array([10.0, 2.0] if dimensions == 2 else [10.0, 5.0, 2.0])
    to = np.array([[70.0, 0], [120, 0], [140, 3]] if dimensions == 2 else [[70.0, 21, 0], [120, 9, 0], [140, 25, 3]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rays = fm.phase_rays(medium, "PP", source, to)
    assert rays.status == ["ok"] * 3
    assert rays.maxima.tolist() == [1, 1, 1]
    for k, receiver in enumerate(to):
        time, place = bounce(source, receiver)
        assert rays.times[k] == pytest.approx(time, rel=1e-6)
        path = rays.path(k)
        joint = len(path) // 2
        np.testing.assert_allclose(path[joint], place, atol=0.01)
        assert speed_along(path, lambda z: V0 + G * z) == pytest.approx(rays.times[k], rel=1e-4)
        # Reflected at the angle at which it comes, but for the bend of half a segment.
        down, up = path[joint] - path[joint - 1], path[joint + 1] - path[joint]
        angles = [np.degrees(np.arctan2(abs(leg[-1]), np.linalg.norm(leg[:-1]))) for leg in (down, up)]
        assert abs(angles[0] - angles[1]) < 0.1


@pytest.mark.parametrize(("phase", "depth"), [("PP", 0), ("PP", 33), ("PP", 300), ("SS", 33), ("SS", 300)])
def test_bounces_of_the_earth_are_certain_and_those_of_taup(ak135, phase, depth):
    """TauP's distances between 25 and 45 degrees have up to five arrivals; that at 30 degrees from 33 km was 0.07 s
    late, that of SS from 300 km begins there."""
    obspy = pytest.importorskip("obspy.taup")
    model = obspy.TauPyModel("ak135")
    degrees = (30.2, 35, 40, 50, 70, 100)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rays = fm.phase_rays(ak135, phase, (0, 0, depth), [(0, d, 0) for d in degrees])
    assert rays.status == ["ok"] * len(degrees)
    exact = [min(a.time for a in model.get_travel_times(depth, d, [phase])) for d in degrees]
    np.testing.assert_allclose(rays.times, exact, atol=0.01)


@pytest.mark.parametrize("phase", ["P", "S", "pP"])
def test_first_arrivals_of_triplications_are_not_missed(ak135, phase):
    """Between 14 and 24 degrees waves that turn above 410 km, some of them twice, cross those from below: P was up to
    0.7 s late, pP 0.9 s."""
    obspy = pytest.importorskip("obspy.taup")
    model = obspy.TauPyModel("ak135")
    degrees = (12, 14, 16, 17, 18, 19, 20, 21, 22, 24)
    rays = fm.phase_rays(ak135, phase, (0, 0, 33), [(0, d, 0) for d in degrees])
    names = [phase] if phase == "pP" else [phase, phase + "n"]
    exact = [min(a.time for a in model.get_travel_times(33, d, names)) for d in degrees]
    np.testing.assert_allclose(rays.times, exact, atol=0.01)


def test_all_arrivals_of_a_triplication():
    """A step in the gradient makes three rays to one distance, the last of which has passed a caustic."""

    def velocity(x, z):
        return 5 + 0.01 * z + 2.0 / (1 + np.exp(-(z - 25) / 1.5)) + 0 * x

    medium = fm.Medium([velocity], {}, shape=(301, 121), spacing=0.5)
    rays = fm.phase_rays(medium, "P", (5, 0), (105, 0), arrivals="all")
    assert len(rays) == 3
    assert sorted(rays.maxima.tolist()) == [0, 0, 1]
    deepest = [rays.path(k)[:, 1].max() for k in range(3)]
    assert len({round(z) for z in deepest}) == 3
    first = fm.phase_rays(medium, "P", (5, 0), (105, 0))
    assert first.times[0] == rays.times[0]


def test_derivatives_of_a_bounce_are_differences_of_its_times():
    """As an inversion asks for them: the time of PP in a gradient, by the depth of its source."""
    medium = fm.Medium([lambda x, z: V0 + G * z], {}, shape=(301, 61), spacing=1.0)
    source, receiver = np.array([10.0, 2.0]), np.array([120.0, 0.0])
    step = np.array([0.0, 0.01])
    rays = fm.phase_rays(medium, "PP", [source - step, source + step], receiver)
    by_depth = (rays.times[1] - rays.times[0]) / 0.02
    exact = (bounce(source + step, receiver)[0] - bounce(source - step, receiver)[0]) / 0.02
    assert by_depth == pytest.approx(exact, rel=1e-3)


def test_bounces_elsewhere_say_that_nothing_proves_them():
    """Where velocity changes sideways, an earlier PP may be missed."""
    medium = fm.Medium(
        [lambda x, z: V0 + G * z + 0.001 * x, lambda x, z: 6.5 + 0.05 * z], {"moho": 25.0}, shape=(301, 81), spacing=1.0
    )
    with pytest.warns(UserWarning, match="an earlier arrival may have been missed"):
        rays = fm.phase_rays(medium, "PP", (10, 0), (150, 0))
    assert rays.status == ["doubtful"]
