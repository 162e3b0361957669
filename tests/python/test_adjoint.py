"""Derivatives of times: fermat.adjoint and fermat.torch."""

import warnings
from typing import Any

import fermat as fm
import numpy as np
import pytest
from fermat import _adjoint


def smooth(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    at = np.meshgrid(*(np.arange(n) for n in shape), indexing="ij")
    return 2 + 0.3 * np.sin(0.4 * sum(at)) + 0.05 * rng.random(shape)


def test_times_come_back_with_the_slowness_they_scale_with(rng: np.random.Generator) -> None:
    model = fm.Model(smooth(rng, (21, 17)), spacing=0.5)
    sources = [(1.3, 2.2), (8.1, 6.6)]
    receivers = rng.random((5, 2)) * (9, 7)
    times = fm.receiver_times(model, sources, receivers, device="cpu")
    by = rng.standard_normal(times.shape)
    found = fm.adjoint(model, sources, receivers=receivers, by_receiver_times=by)
    assert (found.slowness / model.velocity).sum() == pytest.approx((by * times).sum(), rel=1e-4)
    assert found.start_time == pytest.approx(by.sum(axis=1))
    assert found.source.shape == (2, 2) and found.receivers.shape == (5, 2)


def test_fields_give_the_same_as_receivers_on_nodes(rng: np.random.Generator) -> None:
    model = fm.Model(smooth(rng, (9, 8, 7)))
    nodes = rng.random((9, 8, 7)) < 0.1
    by = np.where(nodes, rng.standard_normal(nodes.shape), 0)
    places = np.argwhere(nodes).astype(float)
    field = fm.adjoint(model, (3.3, 4.2, 1.1), by_times=by)
    points = fm.adjoint(
        model, (3.3, 4.2, 1.1), receivers=places, by_receiver_times=by[nodes]
    )
    # Single precision: what is asked of a node alone or beside others is rounded apart.
    size = np.abs(points.slowness).max()
    np.testing.assert_allclose(field.slowness, points.slowness, atol=1e-6 * size)
    np.testing.assert_allclose(field.source, points.source, rtol=1e-5)


def smoothed(field: np.ndarray, times: int = 8) -> np.ndarray:
    """Means of three, weighted 1, 2, 1, along both axes."""
    for axis in (0, 1) * times:
        padded = np.pad(field, [(int(a == axis),) * 2 for a in (0, 1)], mode="edge")
        low, high = (np.take(padded, range(n, n + field.shape[axis]), axis) for n in (0, 2))
        field = (low + 2 * field + high) / 4
    return field


def test_the_gradient_is_that_of_rays_after_equal_smoothing(rng: np.random.Generator) -> None:
    x, z = np.meshgrid(np.linspace(0, 6, 61), np.linspace(0, 3, 31), indexing="ij")
    model = fm.Model(2 + 0.4 * z + 0.2 * np.sin(x) * np.cos(2 * z), spacing=0.1)
    sources = [(0.3 + 0.6 * n, 0.1) for n in range(10)]
    receivers = [(0.15 + 0.3 * n, 2.9) for n in range(20)]
    residuals = rng.standard_normal((10, 20))
    rows = fm.rays(model, sources, receivers, device="cpu", reciprocity="off").sensitivity()
    by_rays = (rows.T @ residuals.ravel()).reshape(model.shape)
    by_adjoint = fm.adjoint(
        model, sources, receivers=receivers, by_receiver_times=residuals, device="cpu"
    ).slowness
    assert np.corrcoef(smoothed(by_rays).ravel(), smoothed(by_adjoint).ravel())[0, 1] > 0.99


def test_devices_share_sources_of_cuda_only(rng: np.random.Generator) -> None:
    model = fm.Model(smooth(rng, (9, 8)))
    with pytest.raises(ValueError, match=r"devices is \[0, 0\] and device 'cpu'"):
        fm.receiver_times(model, (1, 1), (5, 5), device="cpu", devices=[0, 0])
    with pytest.raises(ValueError, match="not front, gradient and until"):
        fm.traveltimes(model, (1, 1), until=2.0, devices=[0])
    with pytest.raises(ValueError, match=r"CUDA|does not exist|no device"):
        fm.rays(model, (1, 1), (5, 5), devices=[999])


def test_what_is_missing_or_wrong_is_named(rng: np.random.Generator) -> None:
    model = fm.Model(smooth(rng, (9, 8)))
    with pytest.raises(ValueError, match="neither by_times nor by_receiver_times"):
        fm.adjoint(model, (1, 1))
    with pytest.raises(ValueError, match="belong together"):
        fm.adjoint(model, (1, 1), by_receiver_times=[1])
    with pytest.raises(ValueError, match=r"by_times has shape \(3,\) \(must be \(9, 8\)\)"):
        fm.adjoint(model, (1, 1), by_times=[1, 2, 3])
    with pytest.raises(ValueError, match="'vidale' has no adjoint"):
        fm.adjoint(model, (1, 1), by_times=np.ones((9, 8)), solver="vidale")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="double precision computes on the CPU"):
        fm.adjoint(
            model, (1, 1), by_times=np.ones((9, 8)), device="cuda", precision="double"
        )


def test_torch_gradcheck_passes_for_every_input(rng: np.random.Generator) -> None:
    torch = pytest.importorskip("torch")
    import fermat.torch as ft

    def tensor(values: object) -> object:
        return torch.tensor(values, dtype=torch.float64, requires_grad=True)

    velocity = tensor(smooth(rng, (7, 6)))
    source = tensor([[1.3, 2.1], [4.2, 3.3]])
    start = tensor([0.1, 0.2])
    receivers = tensor([[5.2, 1.1], [3.3, 4.2], [0.4, 0.3]])

    def at_receivers(v: object, s: object, t: object, r: object) -> object:
        return ft.traveltimes(v, s, 1.0, start_time=t, receivers=r)

    assert torch.autograd.gradcheck(at_receivers, (velocity, source, start, receivers))
    one = tensor([[5.2, 1.1]])  # solved from the receiver
    assert torch.autograd.gradcheck(at_receivers, (velocity, source, start, one))
    assert torch.autograd.gradcheck(
        lambda s, at: ft.traveltimes(s, at, (1.0, 0.8), given="slowness"),
        (tensor(1 / smooth(rng, (2, 5, 4))), tensor([2.3, 1.7])),
    )
    assert torch.autograd.gradcheck(
        lambda v: ft.traveltimes(v, (1.2, 2.3, 0.4), 1.0),
        (tensor(smooth(rng, (3, 4, 3))),),
    )


def test_torch_refuses_what_it_has_no_derivatives_for(rng: np.random.Generator) -> None:
    """Second derivatives and forward mode of float32, third ones: never zeros or None in silence."""
    torch = pytest.importorskip("torch")
    import fermat.torch as ft
    from torch.autograd import forward_ad, functional

    velocity = torch.tensor(smooth(rng, (7, 6)))

    def times(v: object) -> object:
        return ft.traveltimes(v, (1.3, 2.1), 1.0, receivers=[(5.2, 1.1), (3.3, 4.2)])

    def misfit(v: object) -> object:
        return times(v).sum()

    single = velocity.float()

    def dual() -> None:
        with forward_ad.dual_level():
            times(forward_ad.make_dual(single, single))

    calls = [
        lambda: functional.hvp(misfit, single, single),
        lambda: torch.func.jvp(times, (single,), (single,)),
        dual,
    ]
    for call in calls:
        with pytest.raises(NotImplementedError, match=r"in float64 only \(they are differences"):
            call()
    v = velocity.clone().requires_grad_()
    (slope,) = torch.autograd.grad(misfit(v), v, create_graph=True)
    (curve,) = torch.autograd.grad((slope**2).sum(), v, create_graph=True)
    (third,) = torch.autograd.grad((curve**2).sum(), v)
    assert torch.isnan(third).all()


def test_cells_of_a_device_are_computed_by_the_cpu_from_the_start() -> None:
    """Before they jump as well as after, and told once. No device is needed for that."""
    velocity = np.full((12, 9), 2.0, dtype=np.float32)
    jumping = velocity.copy()
    jumping[:, 5:] = 3.0

    def gradient(medium: np.ndarray) -> np.ndarray:
        survey = _adjoint.Differentiable(
            medium, np.array([[0.4, 0.3]]), np.zeros(1), np.array([[0.9, 0.2], [1.0, 0.8]]),
            spacing=0.1, origin=0.0, given="velocity", cells=True, order=2, threads=1,
            device="cuda",
        )  # fmt: skip
        assert np.isfinite(survey.times()).all()
        return survey.gradient(np.ones((1, 2), np.float32))[0]

    _adjoint._tell_cells_on_cpu.cache_clear()
    with pytest.warns(UserWarning, match="cells are computed by the CPU"):
        first = gradient(velocity)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        second = gradient(jumping)
    assert (first < 0).any() and (second < 0).any() and np.isfinite(second).all()


def adam(gradient: Any, start: np.ndarray, steps: int) -> np.ndarray:
    """Kingma & Ba's (2015), as optimisers of PyTorch have it."""
    at, mean, square = start.copy(), np.zeros_like(start), np.zeros_like(start)
    for n in range(1, steps + 1):
        slope = gradient(at)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope**2
        at = at - 0.05 * (mean / (1 - 0.9**n)) / (np.sqrt(square / (1 - 0.999**n)) + 1e-8)
    return at


def test_adam_goes_on_where_cells_begin_to_jump() -> None:
    """From cells of one velocity, which jump from the second iteration on."""
    true = np.full((20, 12), 2.0)
    true[:, 6:] = 3.0
    sources = np.array([[0.13 + 0.4 * n, 0.05] for n in range(5)])
    receivers = np.array([[0.1 + 0.15 * n, 1.15] for n in range(13)])

    def survey(velocity: np.ndarray) -> _adjoint.Differentiable:
        return _adjoint.Differentiable(
            velocity.astype(np.float32), sources, np.zeros(5), receivers,
            spacing=0.1, origin=0.0, given="velocity", cells=True, order=2, threads=1,
        )  # fmt: skip

    observed = survey(true).times().astype(float)
    misfits = []

    def slope(velocity: np.ndarray) -> np.ndarray:
        here = survey(velocity)
        residual = here.times() - observed
        misfits.append(float((residual**2).sum()))
        return here.gradient(2 * residual)[0].astype(float)

    adam(slope, np.full(true.shape, 2.2), 30)
    assert misfits[-1] < 0.1 * misfits[0], misfits


@pytest.mark.parametrize("given", ["velocity", "slowness"])
def test_torch_second_derivatives_leave_air_alone(
    given: Any, rng: np.random.Generator
) -> None:
    """A direction that is not 0 in air changes nothing there."""
    torch = pytest.importorskip("torch")
    import fermat.torch as ft
    from torch.autograd import functional

    velocity = smooth(rng, (9, 8))
    velocity[:3, 0] = 0
    with np.errstate(divide="ignore"):
        medium = torch.tensor(velocity if given == "velocity" else 1 / velocity)
    way = torch.tensor(rng.normal(size=(9, 8)))
    receivers = [(5.2, 1.4), (3.3, 4.2)]

    def misfit(v: object) -> object:
        return (ft.traveltimes(v, (1.3, 3.1), given=given, receivers=receivers) ** 2).sum()

    _, curved = functional.hvp(misfit, medium, way)
    rock = way.clone()
    rock[:3, 0] = 0
    _, expected = functional.hvp(misfit, medium, rock)
    assert torch.equal(curved, expected)
    assert torch.isfinite(curved).all() and float(curved[:3, 0].abs().max()) == 0


def test_torch_second_derivatives_by_taylor(rng: np.random.Generator) -> None:
    """With the Hessian, what is left falls as the cube, over four decades to rounding."""
    torch = pytest.importorskip("torch")
    import fermat.torch as ft
    from torch.autograd import functional

    velocity = torch.tensor(2 + 0.3 * smooth(rng, (9, 8)))
    source = torch.tensor([1.37, 2.16], dtype=torch.float64)
    way = torch.tensor(rng.normal(size=(9, 8))) * 0.1, torch.tensor([0.11, -0.07]).double()
    receivers = [(5.2, 1.1), (3.3, 4.2), (7.4, 6.3)]

    def misfit(v: object, s: object) -> object:
        return (ft.traveltimes(v, s, 1.0, receivers=receivers) ** 2).sum()

    value, curved = functional.hvp(misfit, (velocity, source), way)
    leaves = [velocity.clone().requires_grad_(), source.clone().requires_grad_()]
    slopes = torch.autograd.grad(misfit(*leaves), leaves)
    first = sum(float((g * w).sum()) for g, w in zip(slopes, way))
    second = sum(float((h * w).sum()) for h, w in zip(curved, way))
    left = []
    for step in (1e-1, 1e-2, 1e-3, 1e-4):
        there = float(misfit(velocity + step * way[0], source + step * way[1]))
        left.append(abs(there - float(value) - step * first - step**2 / 2 * second))
    assert left[0] < 1e-1 and left[1] < 3e-3 * left[0], left
    assert left[2] < 3e-3 * left[1] + 1e-9 and left[3] < 1e-11, left


def test_torch_forward_mode_and_hessians_agree(rng: np.random.Generator) -> None:
    torch = pytest.importorskip("torch")
    import fermat.torch as ft

    velocity = torch.tensor(2 + 0.3 * smooth(rng, (5, 4)))
    way = torch.tensor(rng.normal(size=(5, 4)))

    def times(v: object) -> object:
        return ft.traveltimes(v, (1.3, 2.1), 1.0, receivers=[(3.2, 1.1), (3.3, 2.2)])

    def misfit(v: object) -> object:
        return (times(v) ** 2).sum()

    rows = torch.func.jacrev(times)(velocity)
    _, along = torch.func.jvp(times, (velocity,), (way,))
    assert torch.allclose(along, (rows * way).sum(dim=(1, 2)), rtol=1e-7)
    assert torch.allclose(torch.func.jacfwd(times)(velocity), rows, rtol=1e-6, atol=1e-9)
    size = velocity.numel()
    ways = [
        torch.func.hessian(misfit)(velocity),
        torch.func.jacrev(torch.func.jacrev(misfit))(velocity),
        torch.autograd.functional.hessian(misfit, velocity),
    ]
    for found in ways:
        matrix = found.reshape(size, size)
        assert torch.allclose(matrix, matrix.T, atol=1e-6)
        assert torch.allclose(matrix, ways[0].reshape(size, size), atol=1e-6)
    assert float(ways[0].abs().max()) > 0.01


@pytest.mark.parametrize("kind", ["spherical", "thomsen", "cells"])
def test_torch_and_jax_know_every_medium(kind: str, rng: np.random.Generator) -> None:
    """`like` stands for coordinates, anisotropy and cells; gradients are those of fm.adjoint."""
    if kind == "spherical":
        velocity = 6 + smooth(rng, (6, 5, 5))
        model = fm.Model(
            velocity, spacing=(0.2, 0.2, 10), origin=(40, 10, 0), coordinates="spherical"
        )
        source, receivers = (40.3, 10.3, 12.0), [(40.9, 10.7, 3.0), (40.2, 10.75, 35.0)]
    elif kind == "thomsen":
        velocity = 2 + 0.3 * smooth(rng, (9, 8))
        model = fm.Model(velocity, epsilon=0.2, delta=0.1, tilt=25)
        source, receivers = (1.3, 2.1), [(6.7, 1.2), (5.3, 6.2)]
    else:
        velocity = rng.uniform(2, 4, size=(9, 8))
        model = fm.Model(velocity, cells=True)
        source, receivers = (1.3, 2.1), [(6.7, 1.2), (5.3, 6.2)]
    weights = np.array([0.7, -1.2])
    found = fm.adjoint(model, source, receivers=receivers, by_receiver_times=weights)
    expected = -found.slowness / model.velocity.astype(float) ** 2
    given = model.velocity.astype(float)
    torch = pytest.importorskip("torch")
    import fermat.torch as ft

    v = torch.tensor(given, requires_grad=True)
    times = ft.traveltimes(v, source, like=model, receivers=receivers)
    (times * torch.tensor(weights)).sum().backward()
    assert v.grad.numpy() == pytest.approx(expected, rel=1e-6, abs=1e-12)
    with pytest.raises(ValueError, match="leave one out: like has a grid"):
        ft.traveltimes(v, source, 1.0, like=model)


def test_torch_func_gives_what_backward_gives(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    import fermat.torch as ft
    from fermat import _torch_surveys as surveys
    from torch.func import grad, jacrev, vmap

    media = torch.tensor(np.stack([smooth(rng, (7, 6)) for _ in range(3)]))
    sources = torch.tensor([[1.3, 2.1], [4.2, 3.3]], dtype=torch.float64)
    receivers = torch.tensor([[5.2, 1.1], [3.3, 4.2], [0.4, 0.3]], dtype=torch.float64)

    def times(v: object, s: object) -> object:
        return ft.traveltimes(v, s, 1.0, receivers=receivers)

    def misfit(v: object, s: object) -> object:
        return (times(v, s) ** 2).sum()

    def by_backward(v: object, s: object) -> tuple[object, object]:
        leaves = v.clone().requires_grad_(), s.clone().requires_grad_()
        return torch.autograd.grad(misfit(*leaves), leaves)

    both = vmap(vmap(grad(misfit, argnums=(0, 1)), in_dims=(None, 0)), in_dims=(2, None))
    by_velocity, by_source = both(media.movedim(0, 2), sources)
    found = vmap(vmap(times, in_dims=(None, 0)), in_dims=(0, None))(media, sources)
    for i, medium in enumerate(media):
        for j, source in enumerate(sources):
            expected = by_backward(medium, source)
            torch.testing.assert_close(by_velocity[i, j], expected[0], rtol=0, atol=0)
            torch.testing.assert_close(by_source[i, j], expected[1], rtol=0, atol=0)
            assert torch.equal(found[i, j], times(medium, source))
    of_all = grad(lambda m: vmap(lambda v: misfit(v, sources[0]))(m).sum())(media)
    assert torch.equal(of_all, by_velocity[:, 0])

    made: list[object] = []

    class Counted(surveys.Differentiable):
        def times(self, keep: bool = True) -> np.ndarray:
            made.append(keep)
            return super().times(keep)

    monkeypatch.setattr(surveys, "Differentiable", Counted)
    rows = jacrev(lambda v: times(v, sources[0]))(media[0])
    assert made == [True], "the rows of a Jacobian share one solve"
    assert torch.equal(rows, torch.autograd.functional.jacobian(
        lambda v: times(v, sources[0]), media[0]))
    assert torch.equal(vmap(jacrev(lambda v: times(v, sources[0])))(media)[0], rows)


def test_torch_and_jax_refuse_receivers_whose_axes_are_swapped() -> None:
    places = np.ones((2, 5))
    wrong = r"receivers has shape \(2, 5\) \(must be \(m, 2\)"
    for library in ("torch", "jax"):
        pytest.importorskip(library)
        module = __import__(f"fermat.{library}", fromlist=[library])
        with pytest.raises(ValueError, match=wrong):
            module.traveltimes(np.ones((9, 8), np.float32), (1.0, 1.0), 1.0, receivers=places)


@pytest.mark.parametrize("order", [1, 2])
def test_a_medium_in_double_is_solved_as_precision_double_is(
    rng: np.random.Generator, order: int
) -> None:
    """Once, by the same solver: not by a slow one that starts from the rounded medium's field."""
    from fermat._adjoint import Differentiable

    for shape, source in [((61, 47), (20.3, 11.6)), ((61, 47), (20, 11)), ((19, 17, 23), (7.2, 8.8, 4))]:
        velocity = 2.0 ** rng.integers(0, 3, shape)  # which single precision holds exactly
        model = fm.Model(velocity, spacing=1)
        wanted = fm.traveltimes(model, source, precision="double", order=order)
        options = {"spacing": 1, "origin": 0, "cells": False, "order": order, "threads": 1}
        places = np.array([source], dtype=float)
        for given, medium in [("velocity", velocity), ("slowness", 1 / velocity)]:
            made = Differentiable(medium, places, np.zeros(1), None, given=given, **options)
            np.testing.assert_allclose(made.times()[0], wanted, rtol=1e-14, atol=1e-14)


def test_torch_air_has_no_gradient_and_types_are_kept(rng: np.random.Generator) -> None:
    torch = pytest.importorskip("torch")
    import fermat.torch as ft

    velocity = torch.tensor(smooth(rng, (9, 8)), dtype=torch.float32)
    velocity[4, :6] = 0
    velocity.requires_grad_()
    times = ft.traveltimes(velocity, (1.0, 1.0), 1.0)
    assert times.dtype == torch.float32 and bool(torch.isinf(times[4, 0]))
    times[torch.isfinite(times)].sum().backward()
    assert bool(torch.isfinite(velocity.grad).all()) and float(velocity.grad[4, 0]) == 0
    with pytest.raises(ValueError, match=r"velocity at \(0, 0\) is -1"):
        ft.traveltimes(-torch.ones(9, 8), (1.0, 1.0), 1.0)
    with pytest.raises(ValueError, match="must have 3 axes"):
        ft.traveltimes(torch.ones(9, 8), (1.0, 1.0, 1.0), 1.0)


def test_nodes_that_do_not_settle_are_counted_for_all_models_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from fermat._adjoint import Differentiable, tell_unsettled

    with pytest.warns(UserWarning, match="1 node on the way has a time that does not solve its"):
        tell_unsettled(1)
    torch = pytest.importorskip("torch")
    import fermat.torch as ft

    plain = Differentiable.gradient

    def rough(self: Differentiable, by_times: object) -> object:
        found = plain(self, by_times)
        self.unsettled = 2
        return found

    monkeypatch.setattr(Differentiable, "gradient", rough)
    media = torch.full((2, 9, 8), 2.0, requires_grad=True)
    with pytest.warns(UserWarning, match="^4 nodes on the way have times"):
        ft.traveltimes(media, (1.0, 1.0), 1.0, receivers=((5.0, 5.0),)).sum().backward()
