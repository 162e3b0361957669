"""Pictures show the model the right way up, at its own scale."""

import fermat as fm
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import LineCollection


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_depth_points_down_and_scales_are_equal():
    model = fm.Model.gradient((21, 11), v0=4, gradient=1, spacing=0.5, origin=(1, -2))
    ax = fm.plot.section(model, length="m", time="ms")
    low, high = ax.get_ylim()
    assert low > high
    assert ax.get_aspect() == 1
    assert ax.get_xlabel() == "x (m)"
    assert ax.get_ylabel() == "depth (m)"
    image = ax.get_images()[0]
    assert image.get_extent() == [0.75, 11.25, 3.25, -2.25]
    np.testing.assert_array_equal(image.get_array()[0], model.velocity[:, 0])


def test_air_is_left_out():
    model = fm.Model.constant((5, 5), velocity=2).cut_by_surface([(0, 1.5), (4, 1.5)])
    drawn = fm.plot.section(model).get_images()[0].get_array()
    assert drawn.mask[:2].all()
    assert not drawn.mask[2:].any()


def test_a_3d_model_is_cut_at_y():
    model = fm.Model(np.arange(1, 28, dtype=float).reshape(3, 3, 3), origin=(0, 10, 0))
    drawn = fm.plot.section(model, y=12).get_images()[0].get_array()
    np.testing.assert_array_equal(drawn.T, model.velocity[:, 2])
    with pytest.raises(ValueError, match="must lie between 10.0 and 12.0"):
        fm.plot.section(model, y=13)


def test_isochrons_need_the_models_shape():
    model = fm.Model.constant((5, 5), velocity=2)
    times = np.add.outer(np.arange(5.0), np.arange(5.0))
    times[0, 0] = np.inf
    fm.plot.section(model, times=times)
    with pytest.raises(ValueError, match=r"times has shape \(4, 5\) \(must be \(5, 5\) nodes"):
        fm.plot.section(model, times=times[1:])


def drawn_rays(ax):
    (lines,) = [each for each in ax.collections if isinstance(each, LineCollection)]
    return lines.get_segments()


def markers(ax):
    """Positions by marker."""
    return {line.get_marker(): np.column_stack(line.get_data()) for line in ax.get_lines()}


def test_rays_run_from_triangles_to_stars():
    model = fm.Model.gradient((21, 11), v0=2, gradient=0.5)
    rays = fm.rays(model, [(1, 0), (2, 3)], [(9, 0), (15, 2)])
    ax = fm.plot.section(model, rays=rays)
    assert len(drawn_rays(ax)) == 4
    np.testing.assert_array_equal(drawn_rays(ax)[0], rays.paths[0])
    found = markers(ax)
    np.testing.assert_array_equal(found["*"], [(1, 0), (2, 3)])
    np.testing.assert_array_equal(found["v"], [(9, 0), (15, 2)])
    assert ax.get_xlim() == (-0.5, 20.5)


def test_rays_of_a_3d_model_are_projected():
    model = fm.Model.gradient((9, 9, 9), v0=2, gradient=0.5)
    rays = fm.rays(model, (1, 1, 1), (7, 5, 3))
    ax = fm.plot.section(model, rays=rays, receivers=[(7, 5, 3), (2, 2, 2)], y=4)
    np.testing.assert_array_equal(drawn_rays(ax)[0], rays.paths[0][:, [0, 2]])
    np.testing.assert_array_equal(markers(ax)["v"], [(2, 2), (7, 3)])


def test_rays_that_never_left_are_no_lines():
    model = fm.Model.constant((9, 9), velocity=2).cut_by_surface([(0, 3.5), (8, 3.5)])
    ax = fm.plot.section(model, rays=fm.rays(model, (4, 6), [(2, 1)]))
    assert drawn_rays(ax) == []
    assert "*" not in markers(ax)


def test_what_does_not_fit_the_model_is_named():
    model = fm.Model.constant((9, 9), velocity=2)
    solid = fm.Model.constant((9, 9, 9), velocity=2)
    with pytest.raises(ValueError, match=r"rays are 3-D \(must be 2-D, as the model\)"):
        fm.plot.section(model, rays=fm.rays(solid, (1, 1, 1), (2, 2, 2)))
    with pytest.raises(ValueError, match=r"sources has shape \(3,\)"):
        fm.plot.section(model, sources=(1, 1, 1))


@pytest.mark.parametrize("levels", [8, [1.0, 2.0, 3.0], [99.0]])
def test_isochrons_are_labelled_in_the_users_unit(levels):
    model = fm.Model.constant((41, 41), velocity=2)
    ax = fm.plot.section(model, times=fm.traveltimes(model, (20, 20)), levels=levels, time="ms")
    texts = [text.get_text() for text in ax.texts]
    assert (levels == [99.0]) == (texts == [])
    assert all(text.endswith(" ms") for text in texts)
