"""fermat.invert by regularised Gauss-Newton steps."""

import warnings

import fermat as fm
import numpy as np
import pytest


@pytest.fixture(scope="module")
def crosshole():
    """Sources left, receivers right; a fast and a slow body."""
    x, z = np.meshgrid(np.arange(0, 10.25, 0.25), np.arange(0, 20.25, 0.25), indexing="ij")
    velocity = 2 * (1 + 0.08 * np.exp(-((x - 4) ** 2 + (z - 6) ** 2) / 8)
                    - 0.08 * np.exp(-((x - 6) ** 2 + (z - 14) ** 2) / 8))
    truth = fm.Model(velocity.astype(np.float32), spacing=0.25)
    depths = np.linspace(0.5, 19.5, 15)
    picks = fm.synthetic_picks(truth, [(0, d) for d in depths], [(10, d) for d in depths],
                               noise=0.01, solver="fmm")
    return truth, picks


def correlation(truth, run):
    at = np.pad(run.coverage, (0, 1), mode="edge") > 0
    start = run.start.velocity[at]
    return np.corrcoef(np.log(truth.velocity[at] / 2), np.log(run.model.velocity[at] / start))[0, 1]


@pytest.mark.parametrize("regularisation", ["first", "second"])
def test_finds_two_bodies_from_a_constant_start(crosshole, regularisation):
    truth, picks = crosshole
    start = fm.Model.constant(truth.shape, velocity=2, spacing=0.25)
    run = fm.invert(start, picks, regularisation=regularisation)
    assert run.reason == "target-chi2" and 0.85 <= run.chi2 <= 1
    assert correlation(truth, run) > 0.85
    assert run.history["lambda"][0] == 0 and (run.history["lambda"][1:] > 0).all()


def test_picks_alone_are_enough(crosshole):
    _, picks = crosshole
    run = fm.invert(picks)
    assert run.chi2 <= 1
    assert any("--spacing" in sentence for sentence in run.choices)
    assert (run.model.velocity > 1.7).all() and (run.model.velocity < 2.35).all()


def test_outliers_are_left_out_and_said(crosshole):
    truth, picks = crosshole
    time = picks.time.copy()
    time[5::20] += 1
    bad = fm.Picks(picks.sources, picks.receivers, source=picks.source, receiver=picks.receiver,
                   time=time, error=0.01)
    start = fm.Model.constant(truth.shape, velocity=2, spacing=0.25)
    run = fm.invert(start, bad)
    assert (run.use[5::20] == "rejected").all()
    assert (run.use == "rejected").sum() <= len(time[5::20]) + 3
    assert correlation(truth, run) > 0.8


def test_a_reciprocal_survey_is_solved_from_the_fewer_side(crosshole):
    truth, picks = crosshole
    start = fm.Model.constant(truth.shape, velocity=2, spacing=0.25)
    some = picks.source < 4
    few = fm.Picks(picks.sources[:4], picks.receivers, source=picks.source[some],
                   receiver=picks.receiver[some], time=picks.time[some], error=0.01)
    turned = fm.Picks(few.receivers, few.sources, source=few.receiver, receiver=few.source,
                      time=few.time, error=0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        a, b = fm.invert(start, few), fm.invert(start, turned)
    assert np.array_equal(a.model.velocity, b.model.velocity)


def test_cells_stay_cells(crosshole):
    truth, picks = crosshole
    start = fm.Model(np.full([n - 1 for n in truth.shape], 2.0), spacing=0.25, cells=True)
    run = fm.invert(start, picks)
    assert run.model.cells and run.chi2 <= 1


def test_bad_arguments(crosshole):
    truth, picks = crosshole
    for options, said in (
        ({"axis_weights": (1, 2, 3)}, "axis_weights"),
        ({"axis_weights": (1, -2)}, r"axis weights is \(1, 1, -2\)"),
        ({"error": (1, 2, 3)}, "error is"),
        ({"iterations": 0}, "iterations is 0"),
        ({"method": "newton"}, "newton"),
        ({"schedule": [(1, (3, 3), (3, 3))], "method": "gauss-newton"}, "schedule is for 'hole'"),
    ):
        with pytest.raises(ValueError, match=said):
            fm.invert(truth, picks, **options)
