"""Velocities of layers and depths of interfaces from picks of later phases."""

from __future__ import annotations

import numpy as np
import pytest

import fermat as fm


def moho(x):
    return 30 + 2 * np.sin(x / 22)


def medium(depth, change):
    return fm.Medium(
        [lambda x, z: (5.8 + 0.03 * z) * (1 + change * np.cos(x / 20)), lambda x, z: 8 + 0 * x],
        {"moho": depth},
        shape=(76, 26),
        spacing=2.0,
    )


@pytest.fixture(scope="module")
def picks():
    truth = medium(moho, 0.02)
    shots = np.column_stack([np.arange(5, 148, 6.0), np.zeros(24)])
    stations = np.column_stack([np.arange(10, 148, 20.0), np.zeros(7)])
    noise = np.random.default_rng(3)
    columns = {
        name: [] for name in ("source_x", "source_z", "receiver_x", "receiver_z", "time", "error", "phase")
    }
    for phase, low, high in (("Pg", 0, 80), ("PmP", 30, 120)):
        pairs = [
            (i, j)
            for i in range(len(shots))
            for j in range(len(stations))
            if low < abs(shots[i, 0] - stations[j, 0]) < high
        ]
        rays = fm.phase_rays(truth, phase, shots, stations, pairs=pairs)
        for k in np.flatnonzero(rays.arrived):
            i, j = pairs[k]
            time = rays.times[k] + noise.normal(0, 0.03)
            row = (shots[i, 0], 0.0, stations[j, 0], 0.0, time, 0.03, phase)
            for name, value in zip(columns, row, strict=True):
                columns[name].append(value)
    return columns


def test_relief_is_found_within_its_deviations(picks):
    start = medium(31.0, 0.0)
    run = fm.invert_phases(start, picks, velocity_length=(20, 15), interface_length=20.0)
    x = np.linspace(25, 125, 101)
    assert run.chi2[0] > 5
    assert run.chi2[-1] < 1.15
    assert np.sqrt(np.mean((run.medium.depth("moho", x) - moho(x)) ** 2)) < 0.6
    assert np.sqrt(np.mean((31 - moho(x)) ** 2)) > 1.2
    change = run.changes["moho"]
    inside = (change.points[:, 0] > 25) & (change.points[:, 0] < 125)
    at = change.points[inside, 0]
    error = np.abs(run.medium.depth("moho", at) - moho(at))
    assert np.mean(error < 2 * change.deviation[inside]) >= 0.8
    assert (change.deviation[inside] < 0.5 * change.prior).all()


def test_picks_of_unknown_phases_are_told_with_their_number(picks):
    more = {name: [*values, values[-1]] for name, values in picks.items()}
    more["phase"][-1] = "P7P"
    with pytest.warns(UserWarning, match="1 of .* picks .*1 of P7P"):
        run = fm.invert_phases(medium(31.0, 0.0), more, iterations=1)
    assert len(run.residuals) == len(picks["time"])


def test_a_missing_column_is_named(picks):
    with pytest.raises(ValueError, match="no column phase"):
        fm.invert_phases(medium(31.0, 0.0), {k: v for k, v in picks.items() if k != "phase"})


def test_results_do_not_depend_on_threads(picks):
    start = medium(31.0, 0.0)
    one = fm.invert_phases(start, picks, iterations=2, threads=1)
    two = fm.invert_phases(start, picks, iterations=2, threads=2)
    assert np.array_equal(one.residuals, two.residuals)


def test_none_starts_from_the_picks(picks):
    run = fm.invert_phases(None, picks, interface_length=20.0, iterations=3)
    assert run.choices[0].startswith("start layers from the picks")
    assert "spacing=" in run.choices[1]
    x = np.linspace(30, 120, 91)
    assert run.medium.interfaces == ["surface", "moho"]
    assert np.sqrt(np.mean((run.medium.depth("moho", x) - moho(x)) ** 2)) < 0.9


def test_measured_depths_bounds_and_single_deviations(picks):
    start = medium(31.0, 0.0)
    run = fm.invert_phases(
        start, picks, interface_length=15.0, deviation_of={"P0": 0.0, "moho": (3.0, 15.0)},
        depth_data={"moho": [(2.0, 33.5, 0.05)]}, max_depth=33.6, iterations=3,
    )
    assert abs(run.medium.depth("moho", 2.0) - 33.5) < 0.3
    assert abs(run.depth_residuals[0]) < 0.3
    assert run.changes["moho"].prior == 3
    assert "P of layer 0" not in run.changes
    with pytest.raises(ValueError, match="a deviation is given of 'conrad'"):
        fm.invert_phases(start, picks, deviation_of={"conrad": 1.0})
    with pytest.raises(ValueError, match="rows of 2"):
        fm.invert_phases(start, picks, depth_data={"moho": [(2.0, 33.5)]})


def test_origin_times_are_found(picks):
    late = picks | {"time": np.asarray(picks["time"]) + 100.4, "origin_time": [100.0] * len(picks["time"])}
    run = fm.invert_phases(medium(moho, 0.02), late, relocate="times", depth_deviation=0.01, velocity_deviation=0.001)
    assert run.events.shape == (24, 8)
    np.testing.assert_allclose(run.events[:, 3], 100.4, atol=0.06)
    assert run.chi2[-1] < 1.2
