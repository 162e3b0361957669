"""Layers with relief below a refraction line, from first arrivals alone."""

from __future__ import annotations

import numpy as np
import pytest

import fermat as fm


def bed(x):
    return 5 + 1.5 * np.sin(x / 9)


@pytest.fixture(scope="module")
def picks():
    x, z = np.meshgrid(np.arange(0, 60.1, 0.2), np.arange(0, 20.1, 0.2), indexing="ij")
    truth = fm.Model(np.where(z < bed(x), 500, 2200).astype(np.float32), spacing=0.2)
    line = [(float(at), 0.0) for at in range(0, 61, 2)]
    made = fm.synthetic_picks(truth, line[::5], line, noise=3e-4, solver="fmm")
    apart = made.offset > 0
    return fm.Picks(
        made.sources, made.receivers, source=made.source[apart], receiver=made.receiver[apart],
        time=made.time[apart], error=made.error[apart],
    )


@pytest.fixture(scope="module")
def found(picks):
    return fm.invert_phases(None, picks, layers=2, threads=1)


def test_relief_and_velocities_are_found(found):
    x = np.linspace(6, 54, 97)
    assert found.medium.interfaces == ["surface", "1"]
    assert np.sqrt(np.mean((found.medium.depth("1", x) - bed(x)) ** 2)) < 0.4
    for layer, velocity in enumerate((500, 2200)):
        at = np.asarray(found.medium.layer(layer).velocity)[10:-10, 5]
        assert abs(np.median(at) / velocity - 1) < 0.05
    assert 0.7 < found.chi2[-1] < 1.4
    assert found.choices[0].startswith("start layers from delay times")


def test_depths_have_deviations(found):
    change = found.changes["1"]
    inside = (change.points[:, 0] > 6) & (change.points[:, 0] < 54)
    error = np.abs(found.medium.depth("1", change.points[inside, 0]) - bed(change.points[inside, 0]))
    assert np.mean(error < 3 * change.deviation[inside]) > 0.7
    assert (change.deviation[inside] < 0.5 * change.prior).all()


def test_threads_change_no_bit(picks, found):
    two = fm.invert_phases(None, picks, layers=2, threads=2)
    assert np.array_equal(two.residuals, found.residuals)


def test_files_of_picks_without_phases_are_read(picks, found, tmp_path):
    picks.save(tmp_path / "picks.csv")
    again = fm.invert_phases(None, tmp_path / "picks.csv", layers=2, iterations=1, threads=1)
    assert np.allclose(again.chi2[0], found.chi2[0], rtol=1e-3)


def test_single_interfaces_can_be_held(picks, found):
    kept = fm.invert_phases(None, picks, layers=2, deviation_of={"1": 0.0}, iterations=2)
    assert "1" not in kept.changes
    assert found.changes["1"].prior == pytest.approx(0.3 * 5, rel=0.2)


def test_what_cannot_be_is_said(picks, found):
    with pytest.raises(ValueError, match="layers is 2 and a medium is given"):
        fm.invert_phases(found.medium, picks, layers=2)
    with pytest.raises(ValueError, match="must be 2 to 5"):
        fm.invert_phases(None, picks, layers=6)
    bare = fm.Picks(picks.sources, picks.receivers, source=picks.source, receiver=picks.receiver, time=picks.time)
    with pytest.raises(ValueError, match="the picks have no errors"):
        fm.invert_phases(None, bare, layers=2)
    both = fm.Picks(picks.sources, picks.receivers, source=picks.source, receiver=picks.receiver,
                    time=picks.time, error=0.001, phase=["S"] + ["P"] * (len(picks) - 1))
    with pytest.raises(ValueError, match="the picks are of P and S"):
        fm.invert_phases(None, both, layers=2)
