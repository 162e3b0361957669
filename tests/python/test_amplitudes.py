"""Geometrical spreading and take-off directions against closed forms; fronts and their gradients."""

from __future__ import annotations

import numpy as np
import pytest

import fermat as fm


def nodes_of(model: fm.Model) -> np.ndarray:
    return model.node_positions()


def errors(nodes: int, dim: int) -> tuple[float, float]:
    """Mean relative error of the spreading and mean angle of take-off, in radians, where velocity
    grows with depth: rays are arcs, wavefronts are spheres, and L^2 = (v sinh(gT) / g)^(dim - 1)."""
    g, v0 = 1.0, 2.0
    model = fm.Model.gradient((nodes + 1,) * dim, v0=v0, gradient=g, spacing=2 / nodes)
    source = np.array([0.513, 0.387] if dim == 2 else [0.513, 0.731, 0.387])
    found = fm.amplitudes(model, source, threads=1)
    place = nodes_of(model) - source
    r = np.linalg.norm(place, axis=-1)
    v, vs = v0 + g * (place[..., -1] + source[-1]), v0 + g * source[-1]
    time = np.arccosh(1 + g**2 * r**2 / (2 * vs * v)) / g
    spread = (v * np.sinh(g * time) / g) ** ((dim - 1) / 2)
    far = r > 0.2
    assert found.times[far] == pytest.approx(time[far], rel=2e-3)
    off = np.abs(found.spreading[far] / spread[far] - 1)
    ratio = found.amplitude[far] * spread[far] / np.sqrt(v[far] / vs)
    assert ratio == pytest.approx(spread[far] / found.spreading[far], rel=5e-4)
    # The centre of a ray's circle lies at the height where velocity is 0: x_c = (x^2 + z^2 - zs^2)
    # / 2x, with depths from there.
    across = np.linalg.norm(place[..., :-1], axis=-1)
    safe = np.maximum(across, 1e-12)
    centre = (safe**2 + (v / g) ** 2 - (vs / g) ** 2) / (2 * safe)
    down = np.arctan2(centre, vs / g)
    steep = np.where(across > 1e-9, down, np.where(place[..., -1] > 0, np.pi / 2, -np.pi / 2))
    angle = np.arcsin(np.clip(found.takeoff[..., -1], -1, 1))
    return float(off.mean()), float(np.abs(angle - steep)[far].mean())


@pytest.mark.parametrize("dim", [2, 3])
def test_spreading_and_takeoff_converge(dim: int) -> None:
    coarse, fine = (errors(n, dim) for n in ((24, 48) if dim == 2 else (16, 32)))
    assert np.log2(coarse[0] / fine[0]) > 1.0, (coarse, fine)
    assert np.log2(coarse[1] / fine[1]) > 1.0, (coarse, fine)
    assert fine[0] < 2e-3 and fine[1] < 8e-4


@pytest.mark.parametrize("dim", [2, 3])
def test_spreading_where_velocity_is_constant(dim: int) -> None:
    model = fm.Model.constant((15,) * dim, velocity=3, spacing=0.1)
    source = np.array([0.63, 0.52, 0.41][3 - dim :])
    found = fm.amplitudes(model, source)
    place = nodes_of(model) - source
    r = np.linalg.norm(place, axis=-1)
    assert found.spreading == pytest.approx(r ** ((dim - 1) / 2), rel=1e-6)
    assert found.amplitude == pytest.approx(r ** (-(dim - 1) / 2), rel=1e-6)
    assert found.takeoff == pytest.approx(place / r[..., None], abs=1e-6)


def test_amplitudes_refuse_what_they_do_not_know() -> None:
    cells = fm.Model(np.where(np.arange(9) > 4, 4.0, 2.0) * np.ones((10, 9)), cells=True)
    with pytest.raises(ValueError, match="velocity jumps between cells"):
        fm.amplitudes(cells, (1, 1))
    sphere = fm.Model(np.full((5, 5, 4), 5.0), coordinates="spherical", origin=(40, 10, 0))
    with pytest.raises(ValueError, match="Cartesian"):
        fm.amplitudes(sphere, (41, 11, 1))
    with pytest.raises(ValueError, match="must be one position"):
        fm.amplitudes(fm.Model.constant((5, 5), velocity=2), [(1, 1), (2, 2)])


def test_gradients_of_a_front_by_taylor(rng: np.random.Generator) -> None:
    """By slowness and by every start time, over four decades."""
    x, z = np.meshgrid(np.linspace(0, 3, 25), np.linspace(0, 4, 20), indexing="ij")
    velocity = np.float32(2 + 0.3 * np.cos(x) + 0.2 * np.sin(z)).astype(float)
    model = fm.Model(velocity, spacing=0.1)
    front = np.full(model.shape, np.nan)
    front[:, 0] = 0.2 + 0.05 * np.linspace(0, 1, 25) ** 2
    by = rng.normal(size=model.shape)
    receivers = [(1.13, 1.42), (0.52, 0.93)]
    pulls = rng.normal(size=2)

    def objective(v: np.ndarray, start: np.ndarray) -> float:
        here = fm.Model(v, spacing=0.1)
        times = fm.traveltimes(here, front=start, precision="double", device="cpu")
        total = (by * times).sum()
        for (px, pz), pull in zip(receivers, pulls):
            i, k = int(px / 0.1), int(pz / 0.1)
            a, b = px / 0.1 - i, pz / 0.1 - k
            cell = times[i : i + 2, k : k + 2]
            total += pull * (np.array([1 - a, a]) @ cell @ np.array([1 - b, b]))
        return float(total)

    found = fm.adjoint(
        model, front=front, by_times=by, receivers=receivers, by_receiver_times=pulls
    )
    assert found.start_time.shape == model.shape and not found.start_time[:, 1:].any()
    base = objective(velocity, front)
    way = 0.1 * rng.normal(size=model.shape)
    shift = np.zeros(model.shape)
    shift[:, 0] = 0.02 * np.sin(np.linspace(0, 5, 25))
    left = []
    for step in (1e-2, 1e-3, 1e-4, 1e-5):
        moved = np.float32(velocity + step * way).astype(float)
        change = (found.slowness * (1 / moved - 1 / velocity)).sum()
        change += step * (found.start_time * shift).sum()
        left.append(abs(objective(moved, front + step * shift) - base - change))
    assert all(right < 0.02 * wrong for wrong, right in zip(left, left[1:])) or left[-1] < 1e-12, left


def test_together_asks_the_source_that_comes_first(rng: np.random.Generator) -> None:
    model = fm.Model.gradient((31, 21), v0=2, gradient=0.5, spacing=0.1)
    sources = [(0.3, 0.4), (2.4, 0.2)]
    receivers = [(0.6, 1.2), (2.2, 1.1), (1.1, 0.3)]
    by = rng.normal(size=3)
    options = {"receivers": receivers, "precision": "double", "start_time": [0.0, 0.05]}
    found = fm.adjoint(model, sources, together=True, by_receiver_times=by, **options)
    times = fm.receiver_times(model, sources, receivers, start_time=[0.0, 0.05])
    first = times.argmin(axis=0)
    assert set(first) == {0, 1}
    each = np.where(np.arange(2)[:, None] == first, by, 0)
    alone = fm.adjoint(model, sources, by_receiver_times=each, **options)
    assert np.array_equal(found.slowness, alone.slowness)
    assert found.start_time == pytest.approx(each.sum(axis=1))
    field = fm.adjoint(model, sources, together=True, by_times=np.ones(model.shape))
    assert field.start_time.sum() == pytest.approx(model.velocity.size)


def test_front_and_source_exclude_each_other() -> None:
    model = fm.Model.constant((5, 5), velocity=2)
    with pytest.raises(ValueError, match="give one of them"):
        fm.adjoint(model, by_times=np.ones((5, 5)))
    with pytest.raises(ValueError, match="together is given with a front"):
        fm.adjoint(model, front=np.zeros((5, 5)), together=True, by_times=np.ones((5, 5)))
