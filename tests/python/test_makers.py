"""Makers of models: Python calls those of the library, with their shapes and messages."""

import fermat as fm
import numpy as np
import pytest


def test_gradient_grows_from_the_top_of_the_grid():
    model = fm.Model.gradient((3, 4, 5), v0=2, gradient=0.5, spacing=(1, 1, 0.1), origin=(0, 0, -1))
    depth = 0.1 * np.arange(5)
    np.testing.assert_allclose(model.velocity, np.broadcast_to(2 + 0.5 * depth, (3, 4, 5)))
    assert model.origin == (0, 0, -1)


def test_constant_layers_and_profile_follow_depth():
    assert (fm.Model.constant((3, 3), velocity=4).velocity == 4).all()
    layers = fm.Model.layers((3, 5), layers=[(0, 2), (2, 5)])
    np.testing.assert_array_equal(layers.velocity[1], [2, 2, 5, 5, 5])
    profile = fm.Model.profile((3, 5), profile=np.array([[1, 2], [3, 4]]))
    np.testing.assert_array_equal(profile.velocity[1], [2, 2, 3, 4, 4])


def test_a_checkerboard_keeps_its_base():
    base = fm.Model.constant((8, 8), velocity=2)
    board = base.checkerboard(size=(4, float("inf")), amplitude=0.1)
    np.testing.assert_allclose(board.velocity[:, 0], [2.2] * 4 + [1.8] * 4, rtol=1e-6)
    assert (base.velocity == 2).all()


def test_random_media_depend_on_the_seed_alone():
    make = {
        "smooth": lambda seed: fm.Model.random((20, 30), velocity=3, correlation=4, seed=seed),
        "blocks": lambda seed: fm.Model.random_blocks(
            (20, 30), v_min=1, v_max=9, block=(4, 4), seed=seed
        ),
    }
    for name, maker in make.items():
        np.testing.assert_array_equal(maker(1).velocity, maker(1).velocity, err_msg=name)
        assert (maker(1).velocity != maker(2).velocity).any(), name


@pytest.mark.parametrize(
    ("model", "points"),
    [
        (fm.Model.constant((11, 11), velocity=2), [(0, 4), (10, 4)]),
        (fm.Model.constant((11, 11, 11), velocity=2), np.array([[5, 5, 4.0]])),
    ],
)
def test_a_surface_cuts_the_model_to_air_above(model, points):
    cut = model.with_topography(points)
    assert (cut.velocity[..., :4] == 0).all()
    assert (cut.velocity[..., 4:] == 2).all()


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: fm.Model.constant((3,), velocity=1), "shape has 1 numbers (must have 3, (nx, ny"),
        (lambda: fm.Model.constant((3, 1), velocity=1), "shape along z is 1 (must be at least 2"),
        (lambda: fm.Model.constant((3, 3), velocity=-1), "-1"),
        (lambda: fm.Model.gradient((3, 3), v0=1, gradient=-1), "velocity"),
        (lambda: fm.Model.layers((3, 3), layers=[]), "layer"),
        (lambda: fm.Model.profile((3, 3), profile=[(1, 2), (0, 3)]), "depth"),
        (
            lambda: fm.Model.constant((3, 3), velocity=1).with_topography(
                fm.Picks([(0, 0, 0)], [(1, 0, 0)], source=[0], receiver=[0], time=[1])
            ),
            "point 0 of the surface has 3 numbers (must have 2, (x, z), for a 2-D model)",
        ),
        (lambda: fm.Model.constant((3, 3), velocity=1).with_topography([]), "surface"),
        (lambda: fm.Model.constant((3, 3), velocity=1, spacing=(1, 2, 3)), "spacing has 3 numbers"),
    ],
)
def test_what_cannot_be_made_is_a_sentence(call, sentence):
    with pytest.raises(ValueError) as error:
        call()
    assert sentence in str(error.value)
