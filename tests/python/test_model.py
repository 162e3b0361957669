"""Model: arrays in, views out, errors with full messages."""

import copy
import gc
import pickle
import sys

import fermat as fm
import numpy as np
import pytest


def layouts(array):
    """Equal values in every memory layout of NumPy."""
    padded = np.zeros([2 * n for n in array.shape], array.dtype)
    strided = padded[tuple(slice(None, None, 2) for _ in array.shape)]
    strided[...] = array
    reverse = tuple(slice(None, None, -1) for _ in array.shape)
    frozen = array.copy()
    frozen.flags.writeable = False
    return {
        "C": np.ascontiguousarray(array),
        "Fortran": np.asfortranarray(array),
        "strided": strided,
        "negative strides": array[reverse].copy()[reverse],
        "transposed": array.T.copy().T,
        "read-only": frozen,
    }


@pytest.mark.parametrize("shape", [(5, 4, 3), (2, 2, 2), (7, 3)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_come_back_as_given_from_any_layout(shape, dtype, rng):
    values = rng.uniform(1, 8, shape).astype(dtype)
    for name, array in layouts(values).items():
        model = fm.Model(array, spacing=0.5)
        assert model.shape == shape, name
        np.testing.assert_array_equal(model.velocity, values.astype(np.float32), err_msg=name)


def test_velocity_is_a_read_only_view_without_a_copy():
    model = fm.Model(np.ones((40, 30, 20)))
    first, second = model.velocity, model.velocity
    assert np.shares_memory(first, second)
    assert first.dtype == np.float32
    assert first.flags.c_contiguous
    with pytest.raises(ValueError, match="read-only"):
        first[0, 0, 0] = 2


def test_float32_in_c_order_is_not_copied_and_becomes_read_only():
    array = np.ones((40, 30, 20), np.float32)
    model = fm.Model(array)
    assert np.shares_memory(model.velocity, array)
    with pytest.raises(ValueError, match="read-only"):
        array[0, 0, 0] = 2
    again = fm.Model(array)
    assert np.shares_memory(again.velocity, array)


def test_what_others_can_write_to_is_copied():
    array = np.ones((4, 4), np.float32)
    row, frozen = array.reshape(2, 8), array.view()
    frozen.flags.writeable = False
    for given in (row, array.astype(float), array.T):
        assert not np.shares_memory(fm.Model(given).velocity, array)
        assert given.flags.writeable
    assert np.shares_memory(fm.Model(frozen).velocity, array)


def test_a_refused_array_stays_writable():
    array = np.full((4, 4), -1, np.float32)
    with pytest.raises(ValueError, match="velocity at node"):
        fm.Model(array)
    array[:] = 1
    fm.Model(array)


def test_a_file_in_memory_serves_as_it_is(tmp_path):
    np.save(tmp_path / "velocity.npy", np.full((5, 4), 3, np.float32))
    mapped = np.load(tmp_path / "velocity.npy", mmap_mode="r")
    model = fm.Model(mapped)
    assert np.shares_memory(model.velocity, mapped)
    del mapped
    gc.collect()
    assert (model.velocity == 3).all()


def test_the_model_keeps_its_array_alive():
    model = fm.Model(np.full((50, 50), 3, np.float32))
    gc.collect()
    junk = [np.zeros((50, 50), np.float32) for _ in range(20)]
    assert (model.velocity == 3).all()
    del junk


def test_a_view_keeps_its_model_alive():
    velocity = fm.Model(np.full((50, 50), 3.0)).velocity
    gc.collect()
    junk = [np.zeros((50, 50), np.float32) for _ in range(20)]
    assert (velocity == 3).all()
    del junk


def test_models_are_freed():
    model = fm.Model(np.ones((3, 3)))
    view = model.velocity
    count = sys.getrefcount(model)
    del view
    gc.collect()
    assert sys.getrefcount(model) == count - 1


def test_slowness_is_the_inverse_and_infinite_in_air():
    velocity = np.array([[0, 2.0], [4.0, 5.0]])
    model = fm.Model(velocity)
    np.testing.assert_allclose(model.slowness, [[np.inf, 0.5], [0.25, 0.2]], rtol=1e-6)
    assert model.has_air
    assert model.slowness.flags.writeable


def test_two_dimensional_models_have_two_numbers_everywhere():
    model = fm.Model(np.ones((4, 3)), spacing=(0.5, 0.25), origin=(-1, 2))
    assert (model.ndim, model.shape) == (2, (4, 3))
    assert (model.spacing, model.origin) == ((0.5, 0.25), (-1, 2))
    assert fm.Model(np.ones((4, 1, 3))).shape == (4, 3)


def test_one_number_serves_every_axis():
    model = fm.Model(np.ones((4, 3, 2)), spacing=0.5)
    assert model.spacing == (0.5, 0.5, 0.5)
    assert model.origin == (0, 0, 0)
    assert fm.Model(np.ones((4, 3, 2)), spacing=np.array([1, 2, 3])).spacing == (1, 2, 3)


def test_repr_tells_what_the_model_is():
    model = fm.Model(np.array([[0, 2.0], [4.0, 5.0]]), spacing=0.1)
    assert repr(model) == (
        "Model(shape=(2, 2), spacing=(0.1, 0.1), origin=(0, 0), velocity 2 to 5, with air)"
    )


@pytest.mark.parametrize(
    "twin", [copy.copy, copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))]
)
@pytest.mark.parametrize("shape", [(4, 3, 2), (4, 3)])
def test_copies_and_pickles_are_equal_and_independent(twin, shape, rng):
    model = fm.Model(rng.uniform(1, 2, shape), spacing=range(1, len(shape) + 1), origin=-3)
    other = twin(model)
    np.testing.assert_array_equal(other.velocity, model.velocity)
    assert (other.spacing, other.origin) == (model.spacing, model.origin)
    assert not np.shares_memory(other.velocity, model.velocity)


@pytest.mark.parametrize(
    ("array", "sentence"),
    [
        ([[1.0, 2.0]], "shape along x is 1 (must be at least 2 nodes)"),
        (None, "velocity is a NoneType (must be a NumPy array of float32 or float64)"),
        (np.ones((3, 3), int), "velocity has dtype int64 (must be a NumPy array of float32"),
        (np.ones((3, 3), np.float16), "velocity has dtype float16"),
        (np.ones((3, 3), complex), "velocity has dtype complex128"),
        (np.ones((3, 3), ">f8"), "velocity has dtype >f8"),
        (np.full((3, 3), "a"), "velocity has dtype <U1"),
        (np.full((3, 3), None), "velocity has dtype object"),
        (np.ones(5), "velocity has 1 dimensions (must have 3, (nx, ny, nz), or 2"),
        (np.ones((2, 2, 2, 2)), "velocity has 4 dimensions"),
        (np.float64(3.0), "velocity has 0 dimensions"),
        (np.ones((0, 3)), "shape along x is 0 (must be at least 2 nodes)"),
        (np.ones((3, 0, 3)), "shape along y is 0 (must be at least 2 nodes)"),
        (np.ones((1, 3)), "shape along x is 1 (must be at least 2 nodes)"),
        (np.zeros((3, 3)), "velocity is 0 at every node"),
        (np.array([[1, 1], [1, -1.5]]), "velocity at node (1, 1) is -1.5 (must be finite and > 0"),
        (np.array([[1, np.nan], [1, 1]]), "velocity at node (0, 1) is nan"),
        (np.array([[1, np.inf], [1, 1]]), "velocity at node (0, 1) is inf"),
        (np.array([[1, 1e300], [1, 1]]), "velocity of 1e+300 does not fit a float"),
        (np.array([[1, 1e-300], [1, 1]]), "velocity of 1e-300 does not fit a float"),
    ],
)
def test_a_bad_velocity_is_a_sentence(array, sentence):
    with pytest.raises(ValueError) as error:
        fm.Model(array)
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"spacing": 0}, "spacing along x is 0 (must be positive and finite)"),
        ({"spacing": (1, -1)}, "spacing along z is -1 (must be positive and finite)"),
        ({"spacing": float("nan")}, "spacing along x is nan (must be positive and finite)"),
        ({"spacing": (1, 1, 1)}, "spacing has 3 numbers (must have 2, (x, z), for a 2-D model)"),
        ({"spacing": ()}, "spacing has 0 numbers (must have 2, (x, z), for a 2-D model)"),
        ({"origin": (0, float("inf"))}, "origin along z is inf (must be finite)"),
        ({"origin": (0, 0, 0)}, "origin has 3 numbers (must have 2, (x, z), for a 2-D model)"),
    ],
)
def test_a_bad_grid_is_a_sentence(options, sentence):
    with pytest.raises(ValueError) as error:
        fm.Model(np.ones((3, 3)), **options)
    assert sentence in str(error.value)


def test_options_are_keywords():
    with pytest.raises(TypeError):
        fm.Model(np.ones((3, 3)), 0.1)
