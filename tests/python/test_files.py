"""Python reads and writes the files of the library, and other programs open them."""

import fermat as fm
import h5py
import numpy as np
import pytest


@pytest.fixture(params=[(6, 5, 4), (6, 4)])
def model(request, rng):
    shape = request.param
    spacing, origin = (0.5, 0.25, 0.125), (1.0, 2.0, -3.0)
    if len(shape) == 2:
        spacing, origin = spacing[::2], origin[::2]
    return fm.Model(rng.uniform(1, 8, shape), spacing=spacing, origin=origin)


@pytest.mark.parametrize("as_text", [True, False])
def test_a_saved_model_comes_back_with_the_same_bits(model, tmp_path, as_text):
    path = tmp_path / "model.h5"
    model.save(str(path) if as_text else path)
    other = fm.Model.load(path)
    np.testing.assert_array_equal(other.velocity, model.velocity)
    assert (other.shape, other.spacing, other.origin) == (model.shape, model.spacing, model.origin)


def test_h5py_reads_x_fastest(model, tmp_path):
    model.save(tmp_path / "model.h5")
    with h5py.File(tmp_path / "model.h5") as file:
        stored = file["VTKHDF/PointData/velocity"][:]
    np.testing.assert_array_equal(stored, model.velocity.T)


def test_pyvista_opens_the_same_file(model, tmp_path):
    pyvista = pytest.importorskip("pyvista")
    model.save(tmp_path / "model.vtkhdf")
    image = pyvista.read(tmp_path / "model.vtkhdf")
    assert image.n_points == model.velocity.size
    at = image.find_closest_point((1.5, 2.0, -2.75))
    node = (1, 0, 2) if model.ndim == 3 else (1, 2)
    assert image["velocity"][at] == model.velocity[node]


def test_npy_needs_a_spacing_with_one_number_each_axis(model, tmp_path):
    path = tmp_path / "velocity.npy"
    np.save(path, model.velocity)
    other = fm.Model.load(path, spacing=model.spacing, origin=model.origin)
    np.testing.assert_array_equal(other.velocity, model.velocity)
    assert (other.spacing, other.origin) == (model.spacing, model.origin)
    assert fm.Model.load(path, spacing=0.5).spacing == (0.5,) * model.ndim
    with pytest.raises(ValueError, match="spacing"):
        fm.Model.load(path)
    wrong = (1, 1) if model.ndim == 3 else (1, 1, 1)
    with pytest.raises(ValueError, match=f"spacing has {len(wrong)} numbers"):
        fm.Model.load(path, spacing=wrong)


def test_a_bad_file_is_a_sentence_with_its_name(tmp_path):
    for name, content in {"none.h5": None, "cut.h5": b"\x89HDF\r\n\x1a\n", "a.xyz": b"1"}.items():
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        with pytest.raises((ValueError, RuntimeError)) as error:
            fm.Model.load(path)
        assert name in str(error.value)
        assert "\n" not in str(error.value)


def test_a_failed_save_leaves_nothing_behind(model, tmp_path):
    with pytest.raises((ValueError, RuntimeError)):
        model.save(tmp_path / "missing" / "model.h5")
    with pytest.raises(ValueError):
        model.save(tmp_path / "model.unknown")
    assert list(tmp_path.iterdir()) == []
