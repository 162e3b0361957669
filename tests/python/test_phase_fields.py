"""Reflections against eikonal fields, which know nothing of rays."""

import fermat as fm
import numpy as np
import pytest


def test_the_field_that_a_reflector_sends_back_agrees():
    """Stage by stage: the times on the reflector are the front that the next field starts from."""
    medium = fm.Medium(
        [lambda x, z: 4 + 0.06 * z + 0.3 * np.sin(x / 20), 8.0], {"moho": 25.0}, shape=(241, 81), spacing=0.5
    )
    x = np.array([60.0, 70.0, 95.0])
    rays = fm.phase_rays(medium, "PmP", (20, 1), np.column_stack([x, 0 * x]))
    down = np.asarray(fm.traveltimes(medium.layer(0), (20, 1), precision="double"))
    front = np.full(down.shape, np.nan)
    front[:, 50] = down[:, 50]
    up = np.asarray(fm.traveltimes(medium.layer(0), front=front, precision="double"))
    np.testing.assert_allclose(up[(x / 0.5).astype(int), 0], rays.times, rtol=1e-4)


def hills_of_the_moho():
    """In 3-D and on a sphere: velocity that varies along all axes, and a Moho with relief."""
    flat = fm.Medium(
        [lambda x, y, z: 4.5 + 0.06 * z + 0.1 * np.sin(x / 14) * np.cos(y / 11), 8.0],
        {"moho": lambda x, y: 24 + 1.5 * np.sin(x / 15) + np.cos(y / 13)},
        shape=(81, 61, 37),
        spacing=1.0,
    )
    round_ = fm.Medium(
        [lambda lat, lon, z: 5.6 + 0.03 * z + 0 * lat, 8.0],
        {"moho": lambda lat, lon: 33 + 2 * np.sin(4 * lat) * np.cos(3 * lon)},
        shape=(41, 41, 27),
        spacing=(0.05, 0.05, 2.0),
        coordinates="spherical",
        origin=(45.0, 10.0, 0.0),
    )
    return [
        pytest.param(flat, [(14.0, 20.0, 1.0), (50.0, 38.0, 0.0), (66.0, 30.0, 2.0)], (1.5, 1.5), id="3-D"),
        pytest.param(round_, [(45.4, 10.5, 2.0), (46.2, 11.3, 0.0), (46.5, 11.6, 0.0)], (0.03, 0.04), id="sphere"),
    ]


@pytest.mark.parametrize(("medium", "ends", "step"), hills_of_the_moho())
def test_sums_of_fields_are_stationary_where_rays_are_reflected(medium, ends, step):
    """Of eikonal fields from both ends, over a lattice of the reflector round the ray's point but not
    centred on it: the sum's stationary value is the ray's time, its place the ray's."""
    rays = fm.phase_rays(medium, "PmP", ends[0], ends[1:])
    a, b = (part.ravel() for part in np.meshgrid(np.arange(-2.0, 3), np.arange(-2.0, 3)))
    for n, end in enumerate(ends[1:]):
        path = rays.path(n)
        deepest = path[np.argmax(path[:, 2])]
        x, y = deepest[0] + step[0] * (a + 0.3), deepest[1] + step[1] * (b - 0.2)
        reflector = np.column_stack([x, y, medium.depth("moho", x, y)])
        fields = fm.receiver_times(medium.layer(0), np.array([ends[0], end]), reflector)
        total = np.array(fields).reshape(2, -1).sum(0)
        c = np.linalg.lstsq(np.column_stack([np.ones_like(a), a, b, a * a, a * b, b * b]), total, rcond=None)[0]
        place = -np.linalg.solve([[2 * c[3], c[4]], [c[4], 2 * c[5]]], c[1:3])
        assert c[0] + 0.5 * c[1:3] @ place == pytest.approx(rays.times[n], rel=1e-4)
        np.testing.assert_allclose(place, (-0.3, 0.2), atol=0.2)
