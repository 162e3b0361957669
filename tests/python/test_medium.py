"""Media of layers between interfaces: how they are given, and what is refused in one sentence."""

import fermat as fm
import numpy as np
import pytest

GRID = {"shape": (101, 41), "spacing": 1.0}


def two_layers(depth=30.0, **more):
    return fm.Medium([6.0, 8.0], {"moho": depth}, **{**GRID, **more})


def test_velocity_of_a_layer_in_all_its_forms():
    z = np.arange(41.0)
    forms = [
        [(0, 5.0), (40, 7.0)],
        lambda x, z: 5 + 0.05 * z,
        np.broadcast_to(5 + 0.05 * z, (101, 41)),
        fm.Model(np.broadcast_to(5 + 0.05 * z, (101, 41)).astype(np.float32), spacing=1.0),
    ]
    for form in forms:
        grid = {} if isinstance(form, fm.Model) else GRID
        medium = fm.Medium([form, 8.0], {"moho": 30.0}, **grid)
        np.testing.assert_allclose(medium.layer(0).velocity[3], 5 + 0.05 * z, rtol=1e-6)


def test_depth_of_an_interface_in_all_its_forms():
    x = np.arange(101.0)

    def depth(at):
        return 25 + 0.05 * at

    for form in (depth, depth(x), np.column_stack([x, depth(x)]), [(0, 25), (100, 30)]):
        medium = two_layers(form)
        np.testing.assert_allclose(medium.depth("moho", [0.0, 33.3, 100.0]), depth(np.array([0, 33.3, 100])))
    assert medium.interfaces == ["surface", "moho"]
    assert len(medium) == 2
    assert "surface | moho" in repr(medium)


def test_points_in_a_table_are_joined_smoothly_or_by_lines():
    table = [(0, 30), (40, 30), (50, 26), (60, 30), (100, 30)]
    straight = two_layers(table, smooth=False)
    assert straight.depth("moho", 45.0) == pytest.approx(28.0)
    smooth = two_layers(table)
    assert smooth.depth("moho", 50.0) == pytest.approx(26.0)
    assert smooth.depth("moho", np.arange(101.0)).min() > 26 - 1e-9  # no overshoot
    assert smooth.depth("moho", np.arange(101.0)).max() < 30 + 1e-9


def test_merged_model_has_each_layers_own_velocity():
    medium = two_layers(29.5)
    column = medium.model().velocity[50]
    assert set(column[:30]) == {6.0}
    assert set(column[30:]) == {8.0}


def test_vp_over_vs_makes_s():
    medium = two_layers(vp_over_vs=2.0)
    assert medium.layer(1, "S").velocity[0, 0] == pytest.approx(4.0)
    assert "P and S" in repr(medium)


def test_layer_that_pinches_out():
    medium = fm.Medium([5.0, 6.0, 8.0], {"top": 20.0, "moho": lambda x: np.maximum(20.0, x / 2.5)}, **GRID)
    np.testing.assert_allclose(medium.depth("moho", [0.0, 40.0, 80.0]), [20, 20, 32])
    assert set(medium.model().velocity[10]) == {5.0, 8.0}


def test_earth_has_its_discontinuities():
    earth = fm.Medium.earth("ak135", (0, 2), (0, 2), 700, spacing=(1, 1, 10))
    assert earth.interfaces == ["surface", "20", "moho", "410", "660"]
    assert earth.depth("moho", 1.0, 1.0) == 35.0
    assert earth.layer(1).velocity[0, 0, 3] == pytest.approx(6.5, rel=1e-3)


@pytest.mark.parametrize(
    ("layers", "interfaces", "more", "sentence"),
    [
        ([5.0, 6.0, 8.0], {"a": 20.0, "b": 15.0}, {}, r"'b' \(depth 15\) is above 'a' \(depth 20\)"),
        ([6.0, 8.0], {"moho": lambda x: 30 - x}, {}, "'moho' .* is above 'surface'"),
        ([6.0, 8.0], {"moho": 50.0}, {}, "'moho' has depth 50, below the model"),
        ([6.0, 8.0], {"surface": 30.0}, {}, "two interfaces are called 'surface'"),
        ([6.0], {"moho": 30.0}, {}, "1 layers have 1 interfaces between them"),
        ([], {}, {}, "layers is empty"),
        ([6.0, 8.0], {"moho": np.ones(7)}, {}, r"interface 'moho' has shape \(7,\)"),
        ([np.ones((3, 3)), 8.0], {"moho": 30.0}, {}, r"layer 0 has shape \(3, 3\)"),
        ([{"p": 6.0, "q": 1.0}, 8.0], {"moho": 30.0}, {}, "a layer has the keys"),
        ([6.0, -8.0], {"moho": 30.0}, {}, "velocity at node .* is -8"),
        ([6.0, lambda x, z: 1.0 * (z > 20)], {"moho": 30.0}, {}, "layer 1 has nodes of velocity 0"),
        ([6.0, 8.0], {"moho": np.nan}, {}, "depth"),
        ([6.0, 8.0], {"moho": 30.0}, {"shape": None}, "shape is not given"),
    ],
)
def test_bad_media_are_refused_in_a_sentence(layers, interfaces, more, sentence):
    with pytest.raises(ValueError, match=sentence):
        fm.Medium(layers, interfaces, **{**GRID, **more})


def test_unknown_interface_and_layer():
    with pytest.raises(ValueError, match=r"no interface is called 'mojo' \(there are surface, moho\)"):
        two_layers().depth("mojo", 3.0)
    with pytest.raises(ValueError, match="layer is 2"):
        two_layers().layer(2)
    with pytest.raises(ValueError, match="has no velocity of S"):
        two_layers().layer(1, "S")
