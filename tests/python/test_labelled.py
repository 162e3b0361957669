"""Objects of pandas and xarray as models and points: names of axes count, not their order."""

import fermat as fm
import numpy as np
import pytest

VALUES = np.arange(1, 13, dtype=np.float32).reshape(4, 3)  # x, z


def same(model, cells=False):
    assert model.cells == cells
    np.testing.assert_array_equal(model.velocity, VALUES)
    np.testing.assert_allclose(model.spacing, (0.5, 2))
    np.testing.assert_allclose(model.origin, (9.75, -1) if cells else (10, 0))


def test_a_data_array_gives_the_grid_in_any_order_of_its_axes():
    xarray = pytest.importorskip("xarray")
    array = xarray.DataArray(VALUES, dims=("x", "z"), coords={"x": 10 + 0.5 * np.arange(4), "z": [0, 2, 4]})
    same(fm.Model(array))
    same(fm.Model(array.T))
    same(fm.Model(array.isel(x=slice(None, None, -1))))
    same(fm.Model(array, cells=True), cells=True)
    same(fm.Model(array.rename(z="depth")))
    same(fm.Model(array.to_dataset(name="vp")))
    same(fm.Model(fm.Model(array).to_xarray()))
    height = array.rename(z="height").assign_coords(height=[0, -2, -4])
    same(fm.Model(height))
    with pytest.raises(ValueError, match="coordinates of its own"):
        fm.Model(array, spacing=2)
    with pytest.raises(ValueError, match="must be one named z or depth"):
        fm.Model(array.rename(z="level"))
    with pytest.raises(ValueError, match="not evenly spaced"):
        fm.Model(array.assign_coords(z=[0, 1, 4]))


def test_a_data_array_without_coordinates_takes_those_given():
    xarray = pytest.importorskip("xarray")
    array = xarray.DataArray(VALUES.T, dims=("z", "x"))
    same(fm.Model(array, spacing=(0.5, 2), origin=(10, 0)))


def test_a_table_of_nodes_gives_the_grid_in_any_order_of_its_rows():
    pandas = pytest.importorskip("pandas")
    x, z = np.meshgrid(10 + 0.5 * np.arange(4), [0.0, 2, 4], indexing="ij")
    table = pandas.DataFrame({"z": z.ravel(), "velocity": VALUES.ravel(), "x": x.ravel()})
    same(fm.Model(table))
    same(fm.Model(table.sample(frac=1, random_state=1)))
    same(fm.Model(table, cells=True), cells=True)
    for wrong, match in (
        (table[1:], "each place once"),
        (pandas.concat([table[1:], table[1:2]]), "each place once"),
        (table.drop(columns="z"), "must be x, y, z and velocity"),
        (pandas.DataFrame(VALUES), "velocity.to_numpy"),
    ):
        with pytest.raises(ValueError, match=match):
            fm.Model(wrong)


def test_columns_of_points_count_by_their_names():
    pandas = pytest.importorskip("pandas")
    model = fm.Model.constant((21, 11), velocity=2)
    table = pandas.DataFrame({"z": [0.0, 5.0], "x": [3.0, 20.0]})
    times = fm.receiver_times(model, (0, 0), table)
    np.testing.assert_array_equal(times, fm.receiver_times(model, (0, 0), [(3, 0), (20, 5)]))


def test_times_at_receivers_in_double_precision():
    model = fm.Model.gradient((41, 31), v0=2, gradient=0.5, spacing=0.1)
    sources, receivers = [(0.3, 0.2), (2, 0)], [(0, 0), (3, 1.5), (4, 3)]
    double = fm.receiver_times(model, sources, receivers, precision="double", start_time=[1, 2])
    single = fm.receiver_times(model, sources, receivers, start_time=[1, 2])
    assert (double != single).any()
    np.testing.assert_allclose(double, single, rtol=2e-6)
    nodes = fm.traveltimes(model, sources, precision="double", start_time=[1, 2])
    np.testing.assert_allclose(double[:, 2], nodes[:, 40, 30], rtol=1e-14)
    few = fm.receiver_times(model, sources, receivers, precision="double", start_time=[1, 2], threads=1)
    np.testing.assert_array_equal(double, few)
    for words, match in (({"solver": "dijkstra"}, "computes in single"), ({"precision": "half"}, "half")):
        with pytest.raises(ValueError, match=match):
            fm.receiver_times(model, sources, receivers, **({"precision": "double"} | words))
    with pytest.raises(ValueError, match="receiver"):
        fm.receiver_times(model, sources, [(9, 9)], precision="double")
