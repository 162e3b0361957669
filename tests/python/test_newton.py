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
    assert any("spacing=" in sentence for sentence in run.choices)
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


def with_times(picks, time):
    return fm.Picks(picks.sources, picks.receivers, source=picks.source, receiver=picks.receiver,
                    time=time, error=0.01)


def test_terms_find_statics_and_keep_them_out_of_the_ground(crosshole):
    truth, picks = crosshole
    rng = np.random.default_rng(4)
    late = {"shot": rng.normal(0, 0.04, 15), "receiver": rng.normal(0, 0.04, 15)}
    time = picks.time + late["shot"][picks.source] + late["receiver"][picks.receiver]
    start = fm.Model.constant(truth.shape, velocity=2, spacing=0.25)
    options = {"regularisation": "second", "axis_weights": (1, 1)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = fm.invert(start, with_times(picks, time), **options)
    run = fm.invert(start, with_times(picks, time), terms="shot,receiver", **options)
    assert plain.terms == {} and set(run.terms) == {"shot", "receiver"}
    for kind, term in run.terms.items():
        assert np.corrcoef(term, late[kind])[0, 1] > 0.85
        assert abs(term.mean()) < 0.02
    assert correlation(truth, run) > max(0.75, correlation(truth, plain) + 0.2)
    assert set(fm.invert(start, picks, terms="shot", **options).terms) == {"shot"}


def test_smooth_or_blocky_is_chosen_and_said(crosshole):
    truth, picks = crosshole
    start = fm.Model.constant(truth.shape, velocity=2, spacing=0.25)
    (said,) = [text for text in fm.invert(start, picks).choices if "regularisation=" in text]
    assert "regularisation='second': 3-fold cross-validation misses picks left out by" in said
    x, z = np.meshgrid(np.arange(0, 10.25, 0.25), np.arange(0, 20.25, 0.25), indexing="ij")
    box = (abs(x - 5) < 2.5) & (abs(z - 10) < 3)
    sharp = fm.Model(np.where(box, 2.6, 2.0).astype(np.float32), spacing=0.25)
    seen = fm.synthetic_picks(sharp, picks.sources, picks.receivers, noise=0.01, solver="fmm")
    (said,) = [text for text in fm.invert(start, seen).choices if "regularisation=" in text]
    assert "regularisation='blocky'" in said


def test_a_reference_holds_where_rays_are_not(crosshole):
    truth, picks = crosshole
    start = fm.Model.constant(truth.shape, velocity=2, spacing=0.25)
    other = fm.Model.constant(truth.shape, velocity=2.4, spacing=0.25)
    few = picks.source < 3  # rays in the upper part only
    some = fm.Picks(picks.sources, picks.receivers, source=picks.source[few],
                    receiver=picks.receiver[few], time=picks.time[few], error=0.01)
    options = {"regularisation": "second", "correlation_length": 1, "max_velocity": 4,
               "min_velocity": 1}
    run = fm.invert(start, some, reference=other, **options)
    plain = fm.invert(start, some, **options)
    assert run.coverage[0, -1] == 0
    assert abs(run.model.velocity[0, -1] - 2.4) < 0.05
    assert abs(plain.model.velocity[0, -1] - 2.0) < 0.05


def test_hole_without_a_schedule_chooses_and_says(crosshole):
    truth, picks = crosshole
    start = fm.Model.constant(truth.shape, velocity=2, spacing=0.25)
    run = fm.invert(start, picks, method="hole")
    assert any(text.startswith("step=1.9, ") for text in run.choices)
    assert any(text.startswith("target_chi2=1") for text in run.choices)
    given = fm.invert(start, picks, method="hole", schedule=[(2, (8, 8), (9, 9))])
    same = fm.invert(start, picks, method="hole", schedule=[(2, (8, 8), (9, 9))], step=1)
    assert given.reason == "schedule-end" and given.choices == []
    assert np.array_equal(given.model.velocity, same.model.velocity)


def test_between_boreholes_the_ends_are_held(crosshole):
    truth, picks = crosshole
    start = fm.Model.constant(truth.shape, velocity=2, spacing=0.25)
    run = fm.invert(start, picks, regularisation="second")
    assert "end_damping=1.4" in run.choices
    same, free = (fm.invert(start, picks, regularisation="second", end_damping=e) for e in (1.4, 0))
    assert np.array_equal(run.model.velocity, same.model.velocity)
    assert not any("end_damping" in text for text in free.choices)
    at_ends = [np.abs(r.model.velocity[:, [0, -1]] - 2).mean() for r in (run, free)]
    assert at_ends[0] < 0.8 * at_ends[1]


def test_a_time_of_zero_is_said(crosshole):
    truth, picks = crosshole
    time = picks.time.copy()
    time[5] = 0
    with pytest.warns(UserWarning, match=f"1 of {len(time)} picks have time 0 between two points"):
        fm.invert(truth, with_times(picks, time), regularisation="second")


def test_bad_arguments(crosshole):
    truth, picks = crosshole
    for options, said in (
        ({"axis_weights": (1, 2, 3)}, "axis_weights"),
        ({"axis_weights": (1, -2)}, r"axis weights is \(1, 1, -2\)"),
        ({"error": (1, 2, 3)}, "error is"),
        ({"end_damping": -1}, "end damping is -1"),
        ({"iterations": 0}, "iterations is 0"),
        ({"method": "newton"}, "newton"),
        ({"terms": "shots"}, "shots"),
        ({"smoothing": 1, "target_chi2": 1}, "one of them decides"),
        ({"min_velocity": 3, "max_velocity": 2}, "max velocity is 2"),
        ({"correlation_length": (1, 2), "axis_weights": (1, 2)}, "lengths are weights"),
        ({"correlation_length": (1, -2)}, "correlation.length"),
        ({"reference": fm.Model.constant((3, 4), velocity=2)}, "both must be on one grid"),
        ({"reference": fm.Model.constant(truth.shape, velocity=9, spacing=0.25),
          "min_velocity": 1, "max_velocity": 4}, "the reference model has a velocity of 9"),
        ({"schedule": [(1, (3, 3), (3, 3))], "method": "gauss-newton"}, "schedule is for 'hole'"),
    ):
        with pytest.raises(ValueError, match=said):
            fm.invert(truth, picks, **options)


@pytest.mark.parametrize("regularisation", ["auto", "second"])
def test_good_picks_of_a_small_survey_are_heard(regularisation):
    """Without outliers none of 70 picks is left out, however small the noise is."""
    depth = 0.1 * np.arange(25)
    base = fm.Model(np.broadcast_to(2 + 0.5 * depth, (65, 25)).astype(np.float32), spacing=0.1)
    sources = [(x, 0) for x in (0.2, 1.6, 3.2, 4.8, 6.2)]
    receivers = [(x + d, 0) for x in range(7) for d in (0.1, 0.3)]
    board = base.checkerboard(size=(1.6, 1.2), amplitude=0.05)
    picks = fm.synthetic_picks(board, sources, receivers, noise=0.002, seed=0)
    run = fm.invert(picks, regularisation=regularisation)
    assert run.history["rejected"][-1] == 0
    assert run.history["chi2"][-1] <= 1


def test_the_last_bits_of_times_hardly_move_a_model():
    x, z = np.meshgrid(np.arange(0, 60.5, 0.5), np.arange(0, 20.5, 0.5), indexing="ij")
    bed = 5 + 1.5 * np.sin(x / 9)
    truth = fm.Model(np.where(z < bed, 500, 2000).astype(np.float32), spacing=0.5)
    shots = np.column_stack([np.linspace(2, 58, 8), np.zeros(8)])
    phones = np.column_stack([np.arange(1, 60, 2.0), np.zeros(30)])
    made = fm.synthetic_picks(truth, shots, phones, noise=5e-4, solver="fmm")
    random = np.random.default_rng(1)

    def run(change):
        time = made.time * (1 + change * random.standard_normal(len(made.time)))
        picks = fm.Picks(made.sources, made.receivers, source=made.source, receiver=made.receiver,
                         time=np.maximum(time, 0))
        return fm.invert(picks)

    one, other = run(0), run(3e-7)
    (said,) = [text for text in one.choices if "regularisation=" in text]
    assert "regularisation='mixed', a smooth part and one with edges" in said
    assert one.model.shape == other.model.shape
    crossed = np.zeros(one.model.shape, bool)
    crossed[:-1, :-1] = one.coverage > 0
    crossed &= one.model.velocity > 0
    change = abs(np.log(other.model.velocity[crossed] / one.model.velocity[crossed]))
    assert np.median(change) < 0.01
    target = float(next(text for text in one.choices if "target_rms=" in text).split("=")[1].split(":")[0])
    assert 0.95 * target**2 <= one.rms**2 <= target**2 * 1.0001
