"""Gradients in curved coordinates, anisotropic media and media with jumps, by Taylor tests."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fermat as fm
from fermat import _core
from fermat._adjoint import Differentiable

STEPS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)
"""Four decades. Perturbations are 3 % of the medium times these."""


def bumps(rng: np.random.Generator, shape: tuple[int, ...], size: float) -> np.ndarray:
    """Smooth relief between -size and size."""
    grids = np.meshgrid(*(np.linspace(0, 1, n) for n in shape), indexing="ij")
    out = np.zeros(shape)
    for _ in range(6):
        wave = sum(rng.uniform(-5, 5) * g for g in grids)
        out += np.cos(wave + rng.uniform(0, 6))
    return size * out / np.abs(out).max()


def thomsen(shape: tuple[int, ...], rng: np.random.Generator) -> dict[str, Any]:
    more = {"azimuth": 40.0} if len(shape) == 3 else {}
    return {
        "epsilon": 0.15 + bumps(rng, shape, 0.05),
        "delta": 0.05 + bumps(rng, shape, 0.03),
        "tilt": 30 + bumps(rng, shape, 10),
        **more,
    }


def tensor(shape: tuple[int, ...], rng: np.random.Generator) -> dict[str, Any]:
    dim = len(shape)
    out = np.zeros((*shape, dim, dim))
    for i in range(dim):
        out[..., i, i] = 1 + 0.2 * i + bumps(rng, shape, 0.1)
        for j in range(i):
            out[..., i, j] = out[..., j, i] = 0.15 + bumps(rng, shape, 0.05)
    return {"tensor": out}


def media(rng: np.random.Generator) -> dict[str, tuple[fm.Model, Any, Any]]:
    """Models with their sources and receivers."""
    flat, solid = (31, 25), (15, 13, 12)
    v2, v3 = 3 + bumps(rng, flat, 0.6), 3 + bumps(rng, solid, 0.5)
    at2 = ([(0.71, 0.32)], [(2.63, 2.11), (1.13, 2.27), (2.83, 0.18)])
    at3 = ([(0.43, 0.61, 0.22)], [(1.23, 1.04, 0.91), (1.32, 0.21, 0.12), (0.22, 1.08, 1.03)])
    x = np.linspace(0, 3, 31)
    graded = [np.linspace(0, 1, 31) ** 1.2 * 3, np.linspace(0, 1, 25) ** 1.5 * 2.4]
    axes3 = [np.linspace(0, 1, n) ** p * 1.4 for n, p in zip(solid, (1.1, 0.9, 1.4))]
    hill = -0.3 * np.exp(-(((x - 1.4) / 0.6) ** 2))
    globe = ([(40.31, 10.4, 13.0)], [(41.2, 11.6, 3.0), (39.6, 10.9, 80.0), (41.1, 9.7, 20.0)])
    return {
        "graded 2-D": (fm.Model(v2, axes=graded), *at2),
        "graded 3-D": (fm.Model(v3, axes=axes3), *at3),
        "terrain 2-D": (fm.Model(v2, spacing=0.1, surface=hill), *at2),
        "spherical": (
            fm.Model(
                6 + bumps(rng, solid, 0.4),
                spacing=(0.15, 0.2, 8.0),
                origin=(39.5, 9.5, 0),
                coordinates="spherical",
            ),
            *globe,
        ),
        "tensor 2-D": (fm.Model(v2, spacing=0.1, **tensor(flat, rng)), *at2),
        "tensor 3-D": (fm.Model(v3, spacing=0.1, **tensor(solid, rng)), *at3),
        "Thomsen 2-D": (fm.Model(v2, spacing=0.1, **thomsen(flat, rng)), *at2),
        "Thomsen 3-D": (fm.Model(v3, spacing=0.1, **thomsen(solid, rng)), *at3),
    }


NAMES = list(media(np.random.default_rng(1)))


def orders(differences: list[float], scale: float) -> list[float]:
    """Orders of the remainder from step to step, until rounding."""
    out = []
    for large, small in zip(differences, differences[1:]):
        if small < 2e-13 * scale:
            break
        out.append(float(np.log10(large / small)))
    return out


def survey(model: fm.Model, medium: np.ndarray, sources: Any, receivers: Any) -> Differentiable:
    return Differentiable(
        medium,
        np.array(sources, dtype=float),
        np.zeros(len(sources)),
        np.array(receivers, dtype=float),
        spacing=1.0,
        origin=0.0,
        given="slowness",
        cells=False,
        order=2,
        threads=1,
        like=model,
    )


@pytest.mark.parametrize("name", NAMES)
def test_by_slowness_the_remainder_falls_as_the_square(name: str, rng: np.random.Generator) -> None:
    model, sources, receivers = media(np.random.default_rng(1))[name]
    slowness = 1 / model.velocity.astype(float)
    way = 0.03 * slowness.mean() * bumps(rng, slowness.shape, 1)
    weights = rng.normal(size=(len(sources), len(receivers)))

    def objective(medium: np.ndarray) -> float:
        return float((weights * survey(model, medium, sources, receivers).times()).sum())

    here = survey(model, slowness, sources, receivers)
    base = float((weights * here.times()).sum())
    gradient, *_ = here.by_slowness(weights)
    assert here.unsettled == 0
    slope = float((gradient * way).sum())
    left = [abs(objective(slowness + e * way) - base - e * slope) for e in STEPS]
    found = orders(left, abs(base))
    assert len(found) >= 3, left
    assert min(found) > 1.8, (left, found)



def parameters(model: fm.Model, options: dict[str, Any]) -> dict[str, np.ndarray]:
    """Parameters of anisotropy by the names of their derivatives, as the model rounds them."""
    if "tensor" not in options:
        return {
            name: np.broadcast_to(np.asarray(values, float), model.shape)
            for name, values in options.items()
        }
    entries = np.float32(options["tensor"]).astype(float)
    axes = "xz" if model.ndim == 2 else "xyz"
    return {
        a + b: entries[..., i, j]
        for i, a in enumerate(axes)
        for j, b in enumerate(axes)
        if i <= j
    }


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("make", [tensor, thomsen])
def test_by_anisotropy_the_remainder_falls_as_the_square(
    make: Any, dim: int, rng: np.random.Generator
) -> None:
    shape = (31, 25) if dim == 2 else (15, 13, 12)
    _, sources, receivers = media(np.random.default_rng(1))[f"graded {dim}-D"]
    velocity = 3 + bumps(rng, shape, 0.5)
    base = make(shape, np.random.default_rng(5))
    other = make(shape, np.random.default_rng(6))
    weights = rng.normal(size=len(receivers))

    def at(step: float) -> tuple[fm.Model, dict[str, np.ndarray]]:
        moved = {n: base[n] + step * (other[n] - base[n]) for n in base}
        if make is thomsen:  # of single precision, as the model keeps them
            moved = {n: np.float32(v).astype(float) for n, v in moved.items()}
        model = fm.Model(velocity, spacing=0.1, **moved)
        return model, parameters(model, moved)

    def times(model: fm.Model) -> float:
        found = _core.MetricTimes(
            model, None, np.array(sources), np.zeros(1), np.array(receivers), 2
        )
        return float(weights @ found.solve(False, False, 1, None))

    model, here = at(0)
    found = fm.adjoint(
        model, sources[0], receivers=receivers, by_receiver_times=weights, threads=1
    )
    assert set(found.anisotropy) == set(here)
    first = times(model)
    left = []
    for step in (1e-1, 1e-2, 1e-3):
        moved, there = at(step)
        slope = sum(
            float((found.anisotropy[name] * (there[name] - here[name])).sum()) for name in here
        )
        left.append(abs(times(moved) - first - slope))
    found_orders = orders(left, 1e3 * abs(first))
    assert len(found_orders) >= 1 and min(found_orders) > 1.7, (left, found_orders)


@pytest.mark.parametrize("name", NAMES)
def test_by_positions_and_start_times(name: str, rng: np.random.Generator) -> None:
    model, sources, receivers = media(np.random.default_rng(1))[name]
    slowness = 1 / model.velocity.astype(float)
    weights = rng.normal(size=(1, len(receivers)))
    units = np.ptp(np.array([*sources, *receivers]), axis=0) * 0.02

    def objective(source: np.ndarray, spots: np.ndarray) -> float:
        return float((weights * survey(model, slowness, source, spots).times()).sum())

    here = survey(model, slowness, sources, receivers)
    here.times()
    _, by_source, by_start, by_receivers = here.by_slowness(weights)
    assert by_start == pytest.approx(weights.sum(axis=1))
    at, spots = np.array(sources), np.array(receivers)
    for axis, unit in enumerate(units):
        step = np.zeros(len(units))
        step[axis] = 1e-3 * unit
        slope = (objective(at + step, spots) - objective(at - step, spots)) / (2e-3 * unit)
        assert by_source[0, axis] == pytest.approx(slope, rel=2e-4, abs=1e-6 * abs(slope) + 1e-5 / unit * 0.02)
        slope = (objective(at, spots + step) - objective(at, spots - step)) / (2e-3 * unit)
        assert by_receivers.sum(axis=0)[axis] == pytest.approx(slope, rel=1e-5, abs=1e-7 / unit)


@pytest.mark.parametrize("name", NAMES)
def test_times_are_those_of_the_solver(name: str) -> None:
    """The adjoint's times, in double precision, agree with the solver's."""
    model, sources, receivers = media(np.random.default_rng(1))[name]
    exact = survey(model, 1 / model.velocity.astype(float), sources, receivers).times()
    plain = fm.receiver_times(model, sources, receivers, device="cpu")
    bound = 2e-4 if "Thomsen" in name else 1e-5
    assert exact == pytest.approx(plain, rel=bound)


def blocks() -> tuple[fm.Model, Any, Any]:
    """Cells between which velocity jumps."""
    velocity = np.full((30, 24), 2.0)
    velocity[:, 12:] = 3.5
    velocity[10:16, 4:9] = 1.4
    model = fm.Model(velocity, spacing=0.1, cells=True)
    return model, [(0.37, 0.22)], [(2.71, 0.13), (1.93, 1.81), (0.41, 2.2), (1.21, 0.63)]


def jumping_rows() -> tuple[fm.Model, Any, Any]:
    """A sphere with a jump on a row of nodes."""
    velocity = np.full((15, 13, 12), 6.0) + 0.02 * np.arange(12)
    velocity[..., 7:] = 8.0
    jumps = np.ones(12)
    jumps[6] = 8.0 / velocity[0, 0, 6]
    model = fm.Model(
        velocity,
        spacing=(0.15, 0.2, 8.0),
        origin=(39.5, 9.5, 0),
        coordinates="spherical",
        jumps=jumps,
    )
    return model, [(40.31, 10.4, 13.0)], [(41.2, 11.6, 3.0), (39.7, 10.9, 70.0), (41.1, 9.7, 30.0)]


@pytest.mark.parametrize("make", [blocks, jumping_rows])
def test_where_velocity_jumps_rays_give_the_gradient(make: Any, rng: np.random.Generator) -> None:
    """By Fermat's principle. The remainder falls as the square, down to that of rays."""
    model, sources, receivers = make()
    weights = rng.normal(size=len(receivers))
    found = fm.adjoint(model, sources[0], receivers=receivers, by_receiver_times=weights)
    assert found.slowness.shape == model.velocity.shape
    slowness = 1 / model.velocity.astype(float)

    def times(medium: np.ndarray) -> np.ndarray:
        return survey(model, medium, sources, receivers).times()[0]

    first = times(slowness)
    assert first == pytest.approx(fm.rays(model, sources, receivers, device="cpu").times, rel=1e-4)
    way = 0.03 * slowness * bumps(rng, slowness.shape, 1)
    slope = float((found.slowness * way).sum())
    left = [abs(weights @ (times(slowness + e * way) - first) - e * slope) for e in STEPS]
    scale = float(np.abs(weights) @ first)
    assert slope > 0 or slope < 0
    assert all(r < 4e-3 * e**2 * scale + 2e-9 * scale for r, e in zip(left, STEPS)), (left, scale)


@pytest.mark.parametrize("name", NAMES)
def test_a_device_finds_what_the_cpu_does_or_is_said_to_be_missing(name: str) -> None:
    model, sources, receivers = media(np.random.default_rng(1))[name]
    pull = np.linspace(-1, 2, len(receivers))

    def found(device: Any) -> fm.Adjoint:
        return fm.adjoint(
            model, sources[0], receivers=receivers, by_receiver_times=pull, device=device
        )

    if not fm.devices():
        with pytest.raises(ValueError, match="device is 'cuda'"):
            found("cuda")
        return
    here, there = found("cpu"), found("cuda")
    scale = float(np.abs(here.slowness).max())
    assert there.slowness == pytest.approx(here.slowness, rel=1e-9, abs=1e-9 * scale)
    assert there.receivers == pytest.approx(here.receivers, rel=1e-9, abs=1e-12)
    assert there.source == pytest.approx(here.source, rel=1e-6, abs=1e-9)
    assert there.start_time == pytest.approx(here.start_time, rel=1e-12)
    for key, values in here.anisotropy.items():
        size = float(np.abs(values).max())
        assert there.anisotropy[key] == pytest.approx(values, rel=1e-6, abs=1e-6 * size)


def test_where_velocity_jumps_nodes_have_no_gradient() -> None:
    model, sources, _ = blocks()
    with pytest.raises(ValueError, match="go by rays: give receivers"):
        fm.adjoint(model, sources[0], by_times=np.ones(model.shape))
    with pytest.raises(ValueError, match="where velocity jumps are computed by the CPU"):
        fm.adjoint(
            model, sources[0], receivers=[(1, 1)], by_receiver_times=[1.0], device="cuda"
        )
