"""Arrays on a CUDA device by DLPack, without a copy, with the times of the CPU. Needs a GPU."""

import fermat as fm
import numpy as np
import pytest


class OnCuda:
    """Claims to be on a device, but has no memory there."""

    dtype = "float32"

    def __dlpack_device__(self):
        return (2, 0)


@pytest.mark.skipif(fm.build_info()["cuda"] != "no", reason="CUDA is in this build")
def test_a_build_without_cuda_says_so():
    with pytest.raises(ValueError) as error:
        fm.Model(OnCuda())
    assert str(error.value) == (
        "velocity lies on a CUDA device (CUDA is not in this build: configure with "
        "-DFERMAT_CUDA=ON, or give a NumPy array)"
    )


@pytest.mark.skipif(fm.build_info()["cuda"] != "no", reason="CUDA is in this build")
def test_gradients_on_a_device_need_a_build_with_cuda():
    from fermat import _core

    points = np.array([[1.0, 1.0]])
    with pytest.raises(ValueError, match="velocity lies on a CUDA device .CUDA is not in this"):
        _core.TimesOnCuda(64, (5, 5), 1.0, 0.0, points, np.zeros(1), points, 2, 0)


def libraries():
    return [pytest.param(name, id=name) for name in ("cupy", "torch")]


@pytest.fixture(params=libraries())
def to_device(request):
    """A function that copies an array to the device, for one of the libraries."""
    if not fm.devices():
        pytest.skip("no CUDA device")
    library = pytest.importorskip(request.param)
    if request.param == "torch":
        if not library.cuda.is_available():
            pytest.skip("PyTorch has no CUDA device")
        return lambda array: library.from_numpy(np.array(array)).cuda()
    return library.asarray


def to_numpy(array):
    return array.get() if hasattr(array, "get") else array.cpu().numpy()


def address(array):
    return array.data.ptr if hasattr(array, "get") else array.data_ptr()


def medium(shape, seed=1):
    velocity = np.random.default_rng(seed).uniform(2, 4, shape).astype(np.float32)
    velocity[: shape[0] // 3, ..., : shape[-1] // 4] = 0
    return velocity


@pytest.mark.parametrize("shape", [(67, 45), (23, 17, 31)])
@pytest.mark.parametrize("order", [1, 2])
def test_times_are_the_hosts_and_stay_on_the_device(to_device, shape, order):
    velocity = medium(shape)
    source = [0.71 * (n - 1) * 0.5 for n in shape]
    model = fm.Model(to_device(velocity), spacing=0.5, origin=0)
    times = fm.traveltimes(model, source, order=order, start_time=0.25)
    assert isinstance(model, fm.CudaModel)
    assert type(times) is type(model.velocity)
    assert times.shape == shape
    host = fm.traveltimes(
        fm.Model(velocity, spacing=0.5), source, order=order, start_time=0.25, device="cpu"
    )
    np.testing.assert_allclose(to_numpy(times), host, rtol=1e-4, atol=1e-5)
    assert (np.isinf(host) == (velocity == 0)).all()


def test_nothing_is_copied(to_device):
    array = to_device(medium((40, 30, 20)))
    model = fm.Model(array)
    assert model.velocity is array
    assert (model.shape, model.ndim, model.has_air) == ((40, 30, 20), 3, True)
    assert address(model.velocity) == address(array)


def test_many_sources_one_field_each_or_the_earliest(to_device):
    velocity = medium((61, 41), seed=2)
    sources = [(30.5, 20), (60, 40), (45.25, 1)]
    starts = [0, 1, 2]
    model, host = fm.Model(to_device(velocity)), fm.Model(velocity)
    each = to_numpy(fm.traveltimes(model, sources, start_time=starts))
    assert each.shape == (3, 61, 41)
    for times, source, start in zip(each, sources, starts, strict=True):
        want = fm.traveltimes(host, source, start_time=start, device="cpu")
        np.testing.assert_allclose(times, want, rtol=1e-4, atol=1e-5)
    first = to_numpy(fm.traveltimes(model, sources, start_time=starts, together=True))
    np.testing.assert_array_equal(first, each.min(axis=0))


def test_results_outlive_the_model(to_device):
    times = fm.traveltimes(fm.Model(to_device(np.full((50, 50), 2, "f4"))), (0, 0))
    again = fm.traveltimes(fm.Model(to_device(np.full((50, 50), 4, "f4"))), (0, 0))
    np.testing.assert_allclose(to_numpy(times), 2 * to_numpy(again), rtol=1e-5)


def test_the_rest_works_on_a_copy_that_is_made_once(to_device):
    velocity = np.linspace(2, 4, 41 * 31, dtype=np.float32).reshape(41, 31)
    model, host = fm.Model(to_device(velocity)), fm.Model(velocity)
    assert model.to_host() is model.to_host()
    np.testing.assert_array_equal(model.to_host().velocity, velocity)
    rays = fm.rays(model, (0, 0), [(40, 10), (20, 30)], device="cpu")
    np.testing.assert_array_equal(
        rays.times, fm.rays(host, (0, 0), [(40, 10), (20, 30)], device="cpu").times
    )
    assert isinstance(fm.traveltimes(model, (0, 0), device="cpu"), np.ndarray)
    assert fm.receiver_times(model, (0, 0), (40, 10)).shape == (1, 1)


def test_what_the_device_cannot_take_is_a_sentence(to_device):
    good = to_device(np.ones((6, 5), "f4"))
    cases = [
        (to_device(np.ones((6, 5))), "velocity on the CUDA device has dtype"),
        (good.T, "velocity on the CUDA device is not in C order"),
        (to_device(np.ones(5, "f4")), "velocity has 1 dimensions"),
        (to_device(np.zeros((6, 5), "f4")), "velocity is 0 at every node"),
        (to_device(np.full((6, 5), np.nan, "f4")), "velocity at node (0, 0) is nan"),
    ]
    for array, sentence in cases:
        with pytest.raises(ValueError) as error:
            fm.Model(array)
        assert sentence in str(error.value)
    model = fm.Model(good)
    with pytest.raises(ValueError, match="outside the model"):
        fm.traveltimes(model, (9, 9))
    for solver in ("fmm", "dijkstra"):
        with pytest.raises(ValueError, match=f"solver is '{solver}' .arrays on the device are"):
            fm.traveltimes(model, (0, 0), solver=solver)
    with pytest.raises(ValueError, match="precision 'double' is the CPU's"):
        fm.traveltimes(model, (0, 0), precision="double")


def test_a_source_in_air_is_a_sentence(to_device):
    velocity = np.ones((30, 30), "f4")
    velocity[:10] = 0
    with pytest.raises(ValueError, match=r"source at \(2, 2\) is in air"):
        fm.traveltimes(fm.Model(to_device(velocity)), (2, 2))


@pytest.mark.parametrize("shape", [(67, 45), (23, 17, 31)])
def test_the_adjoint_stays_on_the_device(to_device, shape):
    velocity = medium(shape)
    velocity[velocity == 0] = 2.5
    sources = [[0.71 * (n - 1) for n in shape], [0.2 * n for n in shape]]
    receivers = [[0.9 * (n - 1) for n in shape], [0.4 * n for n in shape], [1.0] * len(shape)]
    by = [[1.0, 2.0, -1.0], [0.5, 1.0, 1.0]]
    array = to_device(velocity)
    there = fm.adjoint(fm.Model(array), sources, receivers=receivers, by_receiver_times=by, order=1)
    here = fm.adjoint(
        fm.Model(velocity), sources, receivers=receivers, by_receiver_times=by, order=1, device="cpu"
    )
    assert type(there.slowness) is type(array) and there.slowness.shape == shape
    scale = np.linalg.norm(here.slowness)
    assert np.linalg.norm(to_numpy(there.slowness) - here.slowness) < 1e-3 * scale
    np.testing.assert_allclose(there.start_time, here.start_time, rtol=1e-6)
    np.testing.assert_allclose(there.source, here.source, atol=1e-3)


def test_torch_computes_on_the_stream_of_the_caller_without_a_copy():
    torch = pytest.importorskip("torch")
    if not fm.devices() or not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    import fermat.torch as ft

    values = np.linspace(2, 4, 45 * 37, dtype=np.float32).reshape(45, 37)
    places = [[3.2, 4.1], [30.0, 20.0], [12.0, 35.5]]
    spots = [[40.0, 30.0], [1.5, 30.0]]

    def gradients(device, given):
        medium_ = torch.tensor(values if given == "velocity" else 1 / values, device=device)
        medium_ = torch.stack([medium_, 2 * medium_]).requires_grad_()
        source = torch.tensor(places, requires_grad=True)
        at = torch.tensor(spots, requires_grad=True)
        times = ft.traveltimes(medium_, source, 1.0, receivers=at, given=given)
        assert times.device.type == device and times.shape == (2, 3, 2)
        field = ft.traveltimes(medium_, source, 1.0, given=given)
        ((times**2).sum() + field.mean()).backward()
        return [t.detach().cpu().numpy() for t in (times, medium_.grad, source.grad, at.grad)]

    for given in ("velocity", "slowness"):
        here = gradients("cpu", given)
        with torch.cuda.stream(torch.cuda.Stream()):
            there = gradients("cuda", given)
        for a, b in zip(here, there, strict=True):
            assert np.linalg.norm(a - b) < 1e-3 * np.linalg.norm(a)
