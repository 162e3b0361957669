"""Pictures show the model the right way up, at its own scale."""

import fermat as fm
import matplotlib.pyplot as plt
import numpy as np
import pytest


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
