"""A model gives its node positions, takes topography, and converts to other libraries."""

import fermat as fm
import numpy as np
import pytest


def test_the_grid_says_where_nodes_are():
    model = fm.Model.constant((3, 4, 5), velocity=2, spacing=(1, 2, 0.5), origin=(0, 10, -1))
    assert model.grid == fm.Grid((3, 4, 5), (1, 2, 0.5), (0, 10, -1))
    assert model.grid.cells == (2, 3, 4)
    assert model.grid.end == (2, 16, 1)
    for line, name in zip(model.coords, "xyz", strict=True):
        assert len(line) == dict(x=3, y=4, z=5)[name]
    same = fm.Model(model.velocity, spacing=model.grid.spacing, origin=model.grid.origin)
    assert same.grid == model.grid


@pytest.fixture
def flat():
    return fm.Model.constant((5, 9), velocity=2, spacing=(10, 5), origin=(0, -20))


def test_ways_to_say_the_same_surface(flat):
    points = [(0, 0), (20, -20), (40, 0)]
    cut = np.full((5, 9), 2, np.float32)
    for column, air in enumerate([4, 2, 0, 2, 4]):
        cut[column, :air] = 0
    heights = [(x, -z) for x, z in points]
    columns = np.array([0, -10, -20, -10, 0.0])
    survey = fm.Picks([points[0]], points[1:], source=[0, 0], receiver=[0, 1], time=[1, 2])
    for surface, height in [(points, False), (heights, True), (columns, False),
                            (-columns, True), (survey, False)]:
        hilly = flat.with_topography(surface, height=height)
        np.testing.assert_array_equal(hilly.velocity, cut)


def test_a_3d_surface_is_one_depth_a_column(rng):
    model = fm.Model.constant((4, 5, 9), velocity=2, origin=(0, 0, -4))
    depth = rng.uniform(-3, 3, (4, 5))
    hilly = model.with_topography(depth)
    for i, j in np.ndindex(4, 5):
        above = model.coords[2] < depth[i, j]
        assert (hilly.velocity[i, j][~above] > 0).all()


def test_a_surface_of_another_shape_is_named(flat):
    with pytest.raises(ValueError, match=r"surface has shape \(4,\) \(must be points \(x, z\), or "):
        flat.with_topography(np.zeros(4))


@pytest.mark.parametrize("shape", [(4, 3), (4, 3, 5)])
def test_xarray_holds_velocity_and_fields_at_their_places(shape, rng):
    pytest.importorskip("xarray")
    model = fm.Model(rng.uniform(1, 5, shape), spacing=0.5, origin=1)
    times = fm.traveltimes(model, [1.5] * len(shape))
    data = model.to_xarray(time=times)
    corner = dict(x=2.5, z=1.5) if len(shape) == 2 else dict(x=2.5, y=1, z=1.5)
    at = (3, 1) if len(shape) == 2 else (3, 0, 1)
    assert float(data.time.sel(**corner)) == times[at]
    assert float(data.velocity.sel(**corner)) == model.velocity[at]
    with pytest.raises(ValueError, match="time has shape"):
        model.to_xarray(time=times[1:])


@pytest.mark.parametrize("shape", [(4, 3), (4, 3, 5)])
def test_pyvista_holds_velocity_and_fields_at_their_places(shape, rng):
    pytest.importorskip("pyvista")
    model = fm.Model(rng.uniform(1, 5, shape), spacing=0.5, origin=1)
    cells = rng.uniform(0, 1, model.grid.cells)
    image = model.to_pyvista(count=cells)
    for place in np.ndindex(*shape):
        where = 1 + 0.5 * np.array(place)
        point = where if len(shape) == 3 else (where[0], 0, where[1])
        found = image.find_closest_point(point)
        assert image.point_data["velocity"][found] == model.velocity[place]
    middle = 1.25 + 0.5 * np.array(model.grid.cells) - 0.5
    inside = image.find_containing_cell(
        middle if len(shape) == 3 else (middle[0], 0, middle[1])
    )
    assert image.cell_data["count"][inside] == cells[tuple(np.array(model.grid.cells) - 1)]
    with pytest.raises(ValueError, match="count has shape"):
        model.to_pyvista(count=cells[1:])


def test_pyvista_draws_rays_that_have_a_path():
    pytest.importorskip("pyvista")
    model = fm.Model.constant((9, 9), velocity=2).with_topography([(0, 3.5), (8, 3.5)])
    rays = fm.rays(model, (4, 6), [(2, 1), (2, 6), (7, 8)])
    lines = rays.to_pyvista()
    assert lines.n_cells == 2
    np.testing.assert_array_equal(lines.cell_data["receiver"], [1, 2])
    np.testing.assert_array_equal(lines.cell_data["time"], rays.times[1:])
    for cell, ray in ((0, 1), (1, 2)):
        np.testing.assert_array_equal(lines.get_cell(cell).points[:, [0, 2]], rays.paths[ray])
    assert fm.rays(model, (4, 6), [(2, 1)]).to_pyvista().n_cells == 0
