"""fermat.jax: custom calls of XLA on the memory of JAX's arrays. Its last test needs a GPU."""

from collections.abc import Iterator

import fermat as fm
import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402
from fermat import _adjoint_cuda, _core, _cuda_memory, _jax_calls, _xla  # noqa: E402

fj = pytest.importorskip("fermat.jax")


@pytest.fixture(params=["custom calls", "callbacks"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways in which XLA calls: the second one is for devices that the first does not know."""
    if request.param == "callbacks":
        monkeypatch.setattr(fj, "_custom_calls", lambda: False)
    elif not fj._custom_calls():
        pytest.skip("this XLA is not called by this fermat")
    return str(request.param)


@pytest.fixture
def in_double() -> Iterator[None]:
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def smooth(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    at = np.meshgrid(*(np.arange(n) for n in shape), indexing="ij")
    return 2 + 0.3 * np.sin(0.4 * sum(at)) + 0.05 * rng.random(shape)


SOURCES = np.array([[1.3, 2.1], [4.4, 3.2]])
RECEIVERS = np.array([[6.2, 1.1], [3.3, 5.2], [0.4, 0.3]])


def test_xla_hands_over_its_memory_and_no_copy() -> None:
    if not fj._custom_calls():
        pytest.skip("this XLA is not called by this fermat")
    seen = []

    def work(arguments, results, options, stream) -> None:
        seen.append((arguments[0].address, options, stream))
        _xla.on_host(results[0])[...] = 2 * _xla.on_host(arguments[0])

    jax.ffi.register_ffi_target("fermat_test", _xla.capsule(work, streams=False), platform="cpu")
    given = jax.device_put(np.arange(6, dtype=np.float32).reshape(2, 3), jax.devices("cpu")[0])
    call = jax.ffi.ffi_call("fermat_test", jax.ShapeDtypeStruct((2, 3), jnp.float32))
    found = jax.jit(lambda a: call(a, options='{"k": 3}'))(given)
    np.testing.assert_array_equal(found, 2 * np.asarray(given))
    assert seen == [(given.unsafe_buffer_pointer(), {"k": 3}, 0)]


def test_derivatives_by_every_input_are_those_of_differences(
    way: str, in_double: None, rng: np.random.Generator
) -> None:
    from jax.test_util import check_grads

    def at_receivers(v: object, s: object, t: object, r: object) -> object:
        return fj.traveltimes(v, s, 1.0, start_time=t, receivers=r)

    def check(function, *arguments) -> None:
        check_grads(function, arguments, order=1, modes=["rev"], atol=1e-5, rtol=1e-5)

    velocity, starts = smooth(rng, (8, 7)), np.array([0.1, 0.2])
    check(at_receivers, velocity, SOURCES, starts, RECEIVERS)
    check(at_receivers, velocity, SOURCES, starts, RECEIVERS[:1])  # solved from the receiver
    check(
        lambda s, at: fj.traveltimes(s, at, (1.0, 0.8), given="slowness"),
        1 / smooth(rng, (2, 5, 4)),
        np.array([2.3, 1.7]),
    )


def test_jit_and_vmap_give_the_bits_of_single_calls(way: str, rng: np.random.Generator) -> None:
    media = np.stack([k * smooth(rng, (8, 7)) for k in (1, 2, 3)]).astype(np.float32)
    sources, receivers = SOURCES.astype(np.float32), RECEIVERS.astype(np.float32)

    def times(velocity: object, source: object) -> object:
        return fj.traveltimes(velocity, source, 1.0, receivers=receivers)

    def misfit(velocity: object, source: object) -> object:
        return (times(velocity, source) ** 2).sum()

    def both(function):
        of_sources = jax.vmap(function, in_axes=(None, 0))
        return jax.jit(jax.vmap(of_sources, in_axes=(0, None)))

    found = both(times)(media, sources)
    gradients = both(jax.grad(misfit, argnums=(0, 1)))(media, sources)
    assert found.shape == (3, 2, 3) and gradients[0].shape == (3, 2, 8, 7)
    for i, velocity in enumerate(media):
        for j, source in enumerate(sources):
            one = jax.grad(misfit, argnums=(0, 1))(velocity, source)
            np.testing.assert_array_equal(found[i, j], times(velocity, source))
            np.testing.assert_allclose(gradients[0][i, j], one[0], rtol=1e-5, atol=1e-7)
            np.testing.assert_allclose(gradients[1][i, j], one[1], rtol=1e-5, atol=1e-7)
    together = jax.vmap(lambda s, t: fj.traveltimes(media[0], s, 1.0, start_time=t))
    np.testing.assert_array_equal(
        together(sources, jnp.array([0.0, 1.0])),
        fj.traveltimes(media[0], sources, 1.0, start_time=[0.0, 1.0]),
    )
    np.testing.assert_array_equal(fj.traveltimes(media, sources, 1.0)[1, 0],
                                  fj.traveltimes(media[1], sources[0], 1.0))


def test_rows_of_a_jacobian_share_one_survey(
    way: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    surveys: list[str] = []

    class Counted(_jax_calls.Differentiable):
        def times(self, keep: bool = True) -> np.ndarray:
            surveys.append("kept" if keep else "forward")
            return super().times(keep)

    monkeypatch.setattr(_jax_calls, "Differentiable", Counted)
    media = np.stack([k * smooth(rng, (8, 7)) for k in (1, 2)]).astype(np.float32)

    def times(velocity: object) -> object:
        return fj.traveltimes(velocity, SOURCES[0], 1.0, receivers=RECEIVERS)

    rows = np.asarray(jax.jacrev(times)(media[0]))
    assert surveys == ["forward", "kept"]
    for n in range(len(RECEIVERS)):
        alone = jax.grad(lambda v, n=n: times(v)[n])(media[0])
        np.testing.assert_allclose(rows[n], alone, rtol=1e-6)
    each = jax.vmap(jax.jacrev(times))(media)
    np.testing.assert_allclose(each[0], rows, rtol=1e-6)
    np.testing.assert_allclose(each[1], jax.jacrev(times)(media[1]), rtol=1e-6)


def test_gradients_are_those_of_the_adjoint(way: str, rng: np.random.Generator) -> None:
    values = smooth(rng, (8, 7)).astype(np.float32)

    def total(velocity: object, source: object) -> object:
        return fj.traveltimes(velocity, source, 1.0, receivers=RECEIVERS).sum()

    found = jax.jit(jax.grad(total))(values, SOURCES[0].astype(np.float32))
    expected = fm.adjoint(
        fm.Model(values), SOURCES[0], receivers=RECEIVERS, by_receiver_times=[1, 1, 1]
    ).slowness
    np.testing.assert_allclose(found, -expected / values**2, rtol=1e-4, atol=1e-6)
    air = values.copy()
    air[4, :5] = 0
    slow = jax.grad(lambda s: jnp.where(jnp.isfinite(t := fj.traveltimes(
        s, (1.0, 1.0), 1.0, given="slowness")), t, 0).sum())(1 / jnp.asarray(air))
    assert np.isfinite(slow).all() and (np.asarray(slow)[4, :5] == 0).all()


def test_what_is_wrong_is_a_sentence(way: str) -> None:
    good = np.full((8, 7), 2, np.float32)
    with pytest.raises(ValueError, match="must have 3 axes"):
        fj.traveltimes(good, (1.0, 1.0, 1.0), 1.0)
    with pytest.raises(ValueError, match="start_time has shape"):
        fj.traveltimes(good, (1.0, 1.0), 1.0, start_time=(1.0, 2.0, 3.0))
    with pytest.raises(ValueError, match=r"receivers has shape \(3,\) .must be \(m, 2\)"):
        fj.traveltimes(good, (1.0, 1.0), 1.0, receivers=(1.0, 2.0, 3.0))
    with pytest.raises(ValueError, match="given is 'speed'"):
        fj.traveltimes(good, (1.0, 1.0), 1.0, given="speed")
    with pytest.raises(ValueError, match="medium is of int32"):
        fj.traveltimes(good.astype(np.int32), (1.0, 1.0), 1.0)
    if way == "custom calls":
        # The model that a device holds says "at node (0, 0)".
        with pytest.raises(Exception, match=r"INVALID_ARGUMENT: .*velocity at.* \(0, 0\) is -2"):
            jax.block_until_ready(fj.traveltimes(-good, (1.0, 1.0), 1.0))
        with pytest.raises(Exception, match="one over the slowness that was given"):
            jax.block_until_ready(fj.traveltimes(0 * good, (1.0, 1.0), 1.0, given="slowness"))
        with pytest.raises(Exception, match=r"source at \(9, 1\) is outside the model"):
            jax.block_until_ready(fj.traveltimes(good, (9.0, 1.0), 1.0))


def floats_at(address, shape):
    return _xla.on_host(_xla.Buffer(address, tuple(shape), np.dtype("float32")))


class StandIn:
    """TimesOnCuda with the CPU's solver, and the host's memory as that of a device."""

    def __init__(
        self, medium, shape, spacing, origin, sources, start_times, receivers, order, stream, given
    ):
        assert stream == 77 and given == "velocity"
        values = floats_at(medium, shape)
        self.model = fm.Model(values, spacing=spacing, origin=origin)
        self.survey = _core.DifferentiableTimes(
            self.model, None, sources, start_times, receivers, "fim", order, "single", "cpu"
        )
        self.counts = (len(sources), len(receivers))

    def shape(self, at_nodes):
        return (self.counts[0], *self.model.shape) if at_nodes else self.counts

    def solve(self, out, at_nodes, keep, stream) -> None:
        times = self.survey.solve(at_nodes, False, 1, None)
        shape = self.shape(at_nodes)
        floats_at(out, shape)[...] = times.reshape(shape)

    def gradient(self, by, at_nodes, out, by_velocity, stream, by_position=True):
        values = floats_at(by, self.shape(at_nodes)).astype(np.float64)
        given = (values, None) if at_nodes else (None, values)
        found = self.survey.gradient(*given, 1, None)
        assert not by_velocity
        floats_at(out, self.model.shape)[...] = found.slowness
        return found.sources, found.start_times, found.receivers, found.unsettled


@pytest.fixture
def device_of_the_host(monkeypatch: pytest.MonkeyPatch) -> list[np.ndarray]:
    rooms: list[np.ndarray] = []

    def memory(address: int, count: int) -> np.ndarray:
        return _xla.on_host(_xla.Buffer(address, (count,), np.dtype("uint8")))

    def room(count, like, stream):
        rooms.append(np.empty(count, np.float32))
        return rooms[-1], rooms[-1].ctypes.data

    class Core:
        room_on_cuda = staticmethod(room)

        @staticmethod
        def fetch_from_cuda(address, to, stream) -> None:
            to[:] = memory(address, to.size)

        @staticmethod
        def send_to_cuda(values, address, stream) -> None:
            memory(address, values.size)[:] = values

        TimesOnCuda = StandIn

    monkeypatch.setattr(_cuda_memory, "_core", Core)
    monkeypatch.setattr(_adjoint_cuda, "_core", Core)
    return rooms


@pytest.mark.parametrize("receivers", [None, RECEIVERS, RECEIVERS[:1], [[4.2, 1.0]]])
def test_a_device_does_what_the_host_does(device_of_the_host, receivers, rng) -> None:
    """The way of CUDA but for the kernels: parts of buffers, copies of positions, reciprocity, and
    a receiver in air, from which no wave can start."""
    velocity = np.stack([smooth(rng, (8, 7)), 2 * smooth(rng, (8, 7))]).astype(np.float32)
    velocity[:, 4, :3] = 0
    spots = np.zeros(0) if receivers is None else np.asarray(receivers)
    ends = (8, 7) if receivers is None else (len(spots),)
    arrays = [velocity, SOURCES, np.array([0.25, 0.5]), spots]
    arrays = [np.asarray(a, np.float32, order="C") for a in arrays]
    options = {
        "spacing": 1.0, "origin": 0.0, "given": "velocity", "cells": False, "order": 2,
        "threads": 1, "at_nodes": receivers is None, "ranks": [a.ndim for a in arrays],
    }
    by = rng.standard_normal((2, 2, *ends)).astype(np.float32)

    def results(memory):
        times = np.empty((2, 2, *ends), np.float32)
        found = [np.empty_like(a) for a in arrays]
        given = [_xla.buffer_of(a) for a in arrays]
        _jax_calls.run("solve", given, [_xla.buffer_of(times)], options, memory)
        given.append(_xla.buffer_of(by))
        _jax_calls.run("derive", given, [_xla.buffer_of(a) for a in found], options, memory)
        return [times, *found]

    for here, there in zip(
        results(_jax_calls.HostMemory()), results(_jax_calls.CudaMemory(77)), strict=True
    ):
        np.testing.assert_allclose(there, here, rtol=1e-6, atol=1e-6)


def test_jax_on_a_gpu_computes_there() -> None:
    if not fm.devices() or jax.default_backend() != "gpu":
        pytest.skip("JAX or fermat has no CUDA device")
    assert fj._custom_calls()
    values = np.linspace(2, 4, 45 * 37, dtype=np.float32).reshape(45, 37)
    media = np.stack([values, 2 * values])
    sources = np.array([[3.2, 4.1], [30.0, 20.0], [12.0, 35.5]], np.float32)
    spots = np.array([[40.0, 30.0], [1.5, 30.0]], np.float32)

    def gradients(device, given):
        def misfit(medium, source, at):
            times = fj.traveltimes(medium, source, 1.0, receivers=at, given=given)
            field = fj.traveltimes(medium, source, 1.0, given=given)
            return (times**2).sum() + field.mean(), times

        medium = media if given == "velocity" else 1 / media
        put = [jax.device_put(a, device) for a in (medium, sources, spots)]
        of = jax.jit(jax.value_and_grad(misfit, argnums=(0, 1, 2), has_aux=True))
        (_, times), found = of(*put)
        assert times.shape == (2, 3, 2) and found[0].devices() == {device}
        each = jax.vmap(lambda s: fj.traveltimes(put[0][0], s, 1.0, given=given))(put[1])
        return [np.asarray(a) for a in (times, *found, each)]

    for given in ("velocity", "slowness"):
        here = gradients(jax.devices("cpu")[0], given)
        there = gradients(jax.devices("gpu")[0], given)
        for a, b in zip(here, there, strict=True):
            assert np.linalg.norm(a - b) < 1e-3 * np.linalg.norm(a)
    with pytest.raises(Exception, match="velocity at node .0, 0. is -2"):
        jax.block_until_ready(fj.traveltimes(-media[0], (1.0, 1.0), 1.0))
    cells = fj.traveltimes(jnp.full((9, 8), 2.0, jnp.float32), (1.0, 1.0), 1.0, cells=True)
    assert cells.shape == (10, 9)  # computed by the CPU
    times = fm.traveltimes(fm.Model(jnp.asarray(values)), (3.0, 4.0))
    assert isinstance(times, jax.Array)


def test_every_medium_is_known_by_a_model(rng: np.random.Generator) -> None:
    """`like` stands for coordinates and anisotropy; gradients are those of fm.adjoint."""
    model = fm.Model(2 + rng.uniform(size=(9, 8)), epsilon=0.2, delta=0.1, tilt=25)
    source, receivers, weights = (1.3, 2.1), [(6.7, 1.2), (5.3, 6.2)], np.array([0.7, -1.2])
    found = fm.adjoint(model, source, receivers=receivers, by_receiver_times=weights)

    def misfit(velocity: object) -> object:
        return (fj.traveltimes(velocity, source, like=model, receivers=receivers) * weights).sum()

    gradient = jax.jit(jax.grad(misfit))(jax.numpy.asarray(model.velocity))
    expected = -found.slowness / model.velocity.astype(float) ** 2
    assert np.asarray(gradient) == pytest.approx(expected, rel=1e-4, abs=1e-6)
    with pytest.raises(ValueError, match="leave one out: like has a grid"):
        fj.traveltimes(model.velocity, source, 1.0, like=model)


def test_hessian_vector_products_are_differences_of_gradients(
    in_double: None, rng: np.random.Generator
) -> None:
    velocity, way = jnp.asarray(smooth(rng, (9, 8))), jnp.asarray(rng.normal(size=(9, 8)))

    def misfit(v: object, source: object) -> object:
        return (fj.traveltimes(v, source, 1.0, receivers=RECEIVERS) ** 2).sum()

    source = jnp.asarray(SOURCES[0])
    slope = jax.grad(misfit)
    found, mixed = jax.jit(
        jax.grad(lambda v, s: jnp.vdot(slope(v, s), way), argnums=(0, 1))
    )(velocity, source)
    step = 1e-4
    expected = (slope(velocity + step * way, source) - slope(velocity - step * way, source)) / (2 * step)
    assert np.asarray(found) == pytest.approx(np.asarray(expected), rel=1e-4, abs=1e-6)
    shift = jnp.asarray([step, 0.0])
    along = (slope(velocity, source + shift) - slope(velocity, source - shift)) / (2 * step)
    assert float(mixed[0]) == pytest.approx(float(jnp.vdot(along, way)), rel=1e-4)
    with pytest.raises(NotImplementedError, match="in float64 only"):
        single = velocity.astype(jnp.float32)
        jax.grad(lambda v: jnp.vdot(slope(v, source), v))(single)
