"""Models with velocity in cells: values are read back, and interfaces stay sharp."""

import copy
import pickle

import fermat as fm
import numpy as np
import pytest

LAYERS = [(0, 2), (5, 4)]


def layers(shape=(21, 11), **options):
    return fm.Model.layers(shape, layers=LAYERS, cells=True, **options)


@pytest.mark.parametrize("shape", [(4, 3, 5), (4, 5), (4, 1, 5)])
def test_velocity_comes_back_as_given(shape, rng):
    values = rng.uniform(1, 5, shape).astype(np.float32)
    model = fm.Model(values.copy(), spacing=0.5, cells=True)
    assert model.cells and not fm.Model(np.ones((3, 3))).cells
    assert model.shape == tuple(n + 1 for n in shape)
    assert model.grid.cells == shape
    np.testing.assert_array_equal(model.velocity, values)
    np.testing.assert_allclose(model.slowness, 1 / values)
    with pytest.raises(ValueError, match="read-only"):
        model.velocity[0] = 1


@pytest.mark.parametrize("shape", [(4, 3, 5), (4, 5), (4, 1, 5)])
@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_and_pickles_stay_cells(twin, shape, rng):
    model = fm.Model(rng.uniform(1, 5, shape), spacing=2, origin=1, cells=True)
    other = twin(model)
    assert other.cells and other.grid == model.grid
    np.testing.assert_array_equal(other.velocity, model.velocity)


def test_repr_and_air():
    assert repr(layers()).endswith("velocity 2 to 4 in cells)")
    air = fm.Model(np.array([[0.0, 2.0], [2.0, 2.0]]), cells=True)
    assert air.has_air and repr(air).endswith("in cells, with air)")


@pytest.mark.parametrize(
    ("array", "sentence"),
    [
        (np.full((3, 2), -1.0), r"velocity at cell \(0, 0\) is -1"),
        (np.full((3, 2), np.nan), r"cell \(0, 0\)"),
        (np.zeros((3, 2)), "every cell"),
        (np.ones(3), "1 dimensions"),
        ([[1.0, "a"]], "velocity"),
    ],
)
def test_bad_velocity_is_a_sentence(array, sentence):
    with pytest.raises(ValueError, match=sentence):
        fm.Model(array, cells=True)


def test_makers_give_what_lies_at_middles():
    assert layers((3, 8)).velocity[0].tolist() == [2, 2, 2, 2, 2, 4, 4]
    np.testing.assert_allclose(
        fm.Model.gradient((3, 4), v0=2, gradient=1, cells=True).velocity[0], [2.5, 3.5, 4.5]
    )
    profile = fm.Model.profile((3, 4), profile=[(0, 2), (3, 5)], cells=True)
    np.testing.assert_allclose(profile.velocity[0], [2.5, 3.5, 4.5])
    assert fm.Model.constant((3, 3, 3), velocity=2, cells=True).velocity.shape == (2, 2, 2)
    assert fm.Model.random((20, 10), velocity=4, correlation=3, cells=True).cells
    blocks = fm.Model.random_blocks((9, 9), v_min=1, v_max=5, block=(4, 4), cells=True)
    assert len(np.unique(blocks.velocity)) == 4


def test_a_checkerboard_and_topography_keep_cells():
    board = layers().checkerboard(size=5, amplitude=0.1)
    assert board.cells
    np.testing.assert_allclose(board.velocity[[0, 5], 0], [2.2, 1.8])
    hill = layers(origin=(0, -2)).with_topography([(0, 0), (20, 0)])
    assert hill.cells
    assert (hill.velocity[:, :2] == 0).all() and (hill.velocity[:, 2:] > 0).all()


def test_to_nodes_has_mean_slowness():
    nodes = layers().to_nodes()
    assert not nodes.cells and nodes.velocity.shape == (21, 11)
    assert nodes.velocity[3, 5] == pytest.approx(2 / (1 / 2 + 1 / 4))
    np.testing.assert_array_equal(nodes.to_nodes().velocity, nodes.velocity)


@pytest.mark.parametrize("name", ["m.h5", "m.npy"])
def test_files_keep_cells(tmp_path, name):
    model = layers(spacing=0.5, origin=(1, -1))
    model.save(tmp_path / name)
    known = {} if name == "m.h5" else {"spacing": 0.5, "origin": (1, -1), "cells": True}
    back = fm.Model.load(tmp_path / name, **known)
    assert back.cells and back.grid == model.grid
    np.testing.assert_array_equal(back.velocity, model.velocity)
    if name == "m.h5":
        with pytest.raises(ValueError, match="tells itself"):
            fm.Model.load(tmp_path / name, cells=True)


@pytest.mark.parametrize("solver", ["fim", "fmm", "fsm"])
def test_head_waves_are_those_of_a_sharp_interface(solver):
    """A head wave along an interface on cell faces has the time of the closed form."""
    model = fm.Model.layers((201, 41), layers=[(0, 2), (20, 4)], cells=True)
    exact = fm.analytic.two_layers_time([200], v1=2, v2=4, thickness=20)[0]
    error = []
    for medium in (model, model.to_nodes()):
        time = fm.traveltimes(medium, source=(0, 0), solver=solver)[200, 0]
        error.append(abs(time / exact - 1))
    assert error[0] < 1e-3 and error[0] < error[1] / 2


def test_lengths_in_cells_are_where_the_wave_is():
    """A head wave runs along a face: its length counts for the fast cells, so that times add up."""
    model = fm.Model.layers((41, 11), layers=[(0, 2), (4, 5)], cells=True)
    rays = fm.rays(model, (0, 0), [(30, 0), (40, 0)])
    matrix = rays.sensitivity("cells")
    np.testing.assert_allclose(matrix @ model.slowness.ravel(), rays.times, rtol=1e-6)
    count, length = rays.coverage()
    assert length[:, 4].sum() > 20 and count.shape == model.grid.cells
    with pytest.raises(ValueError, match="use 'cells'"):
        rays.sensitivity("nodes")


def test_what_reads_nodes_says_so():
    model = layers()
    pair = {"sources": (1, 1), "receivers": [(9, 1)]}
    for call in (
        lambda: fm.traveltimes(model, (1, 1), solver="vidale"),
        lambda: fm.traveltimes(model, (1, 1), solver="dijkstra"),
        lambda: fm.traveltimes(model, (1, 1), solver="bellman-ford"),
        lambda: fm.rays(model, **pair, tracer="graph"),
        lambda: fm.rays(model, **pair, tracer="bending"),
        lambda: fm.invert(model, fm.synthetic_picks(model, [(1, 1)], [(9, 1)]), method="hole"),
    ):
        with pytest.raises(ValueError, match=r"in cells .*to_nodes\(\)"):
            call()


def test_sections_draw_cells_where_they_are():
    plt = pytest.importorskip("matplotlib.pyplot")
    model = layers(spacing=0.5, origin=(1, -2))
    times = fm.traveltimes(model, (1, -2))
    count = np.zeros(model.grid.cells)
    image = fm.plot.section(model, times=times, covered=count).get_images()[0]
    assert image.get_extent() == [1, 11, 3, -2]
    np.testing.assert_array_equal(image.get_array()[:, 0], model.velocity[0])
    board = model.checkerboard(size=2)
    fm.plot.checkerboard(board, model, model)
    with pytest.raises(ValueError, match="truth has velocity in nodes"):
        fm.plot.checkerboard(board.to_nodes(), model, model)
    volume = fm.Model.layers((6, 5, 11), layers=LAYERS, cells=True)
    shown = fm.plot.map(volume, depth=5.2).get_images()[0]
    assert shown.get_extent() == [0, 5, 0, 4] and (shown.get_array() == 4).all()
    fm.plot.depth_slices(volume, [0, 10])
    plt.close("all")


def test_xarray_has_cells_at_their_middles():
    xarray = pytest.importorskip("xarray")
    model = layers(spacing=0.5)
    data = model.to_xarray(time=fm.traveltimes(model, (1, 1)))
    assert isinstance(data, xarray.Dataset)
    assert data.velocity.dims == ("x_cell", "z_cell") and data.time.dims == ("x", "z")
    assert data.z_cell[0] == 0.25


def test_pyvista_has_cell_data():
    pytest.importorskip("pyvista")
    model = layers(spacing=0.5)
    image = model.to_pyvista(time=fm.traveltimes(model, (1, 1)))
    assert "velocity" in image.cell_data and "time" in image.point_data
