"""What is known beside the picks: logs, regions, interfaces, a guide, a prior model, a common delay."""

import fermat as fm
import numpy as np
import pytest

BED = 7.5


@pytest.fixture(scope="module")
def line():
    """A flat refractor; start model, truth and picks."""
    z = np.broadcast_to(np.arange(0, 21.0), (61, 21))
    truth = fm.Model(np.where(z < BED, 600, 2200).astype(np.float32), spacing=1)
    points = [(float(x), 0.0) for x in range(0, 61, 3)]
    picks = fm.synthetic_picks(truth, points[::4], points, noise=5e-4)
    return fm.Model.gradient((61, 21), v0=500, gradient=100, spacing=1), truth, picks


def error(run, truth, x=slice(None), z=slice(0, 13)):
    return np.median(abs(np.log(run.model.velocity / truth.velocity))[x, z])


def test_a_log_counts_by_its_error(line):
    start, truth, picks = line
    depth = np.arange(1, 13.0)
    points = np.column_stack([np.full(12, 30.0), depth])
    velocity = np.where(depth < BED, 600, 2200)
    plain = fm.invert(start, picks)
    run = fm.invert(start, picks, log=(points, velocity, 30.0))
    hole = slice(28, 33)
    assert error(run, truth, hole) < 0.5 * error(plain, truth, hole)
    assert run.chi2 < 1.1
    weak = fm.invert(start, picks, log=(points, velocity, 1e6))
    np.testing.assert_allclose(weak.model.velocity, plain.model.velocity, rtol=0.05)


def test_a_log_in_a_file_is_the_same(line, tmp_path):
    start, _, picks = line
    path = tmp_path / "log.csv"
    path.write_text("x,z,velocity,error\n30,3,600,30\n30,10,2200,100\n")
    run = fm.invert(start, picks, log=path)
    same = fm.invert(start, picks, log=([(30, 3), (30, 10)], [600, 2200], [30, 100]))
    assert (run.model.velocity == same.model.velocity).all()


def test_a_region_with_a_small_error_is_fixed(line):
    start, _, picks = line
    corners = [(10, 1), (20, 1), (20, 4), (10, 4)]
    run = fm.invert(start, picks, regions={"fill": (corners, 700.0, 1.0)}, unknown_ratio=1)
    np.testing.assert_allclose(run.model.velocity[11:20, 2:4], 700, rtol=0.02)


def test_nothing_is_smoothed_across_an_interface(line):
    start, truth, picks = line
    run = fm.invert(start, picks, edges=[(0, BED), (60, BED)], regularisation="second", unknown_ratio=1)
    plain = fm.invert(start, picks, regularisation="second", unknown_ratio=1)
    middle = slice(15, 46)

    def jump(found):
        v = found.model.velocity[middle]
        return np.median(v[:, 8] / v[:, 7])

    assert jump(run) > 1.5 and jump(plain) < 1.2
    assert error(run, truth, middle) < error(plain, truth, middle)


def test_a_guide_says_where_edges_may_be(line):
    start, truth, picks = line
    image = fm.Model(np.where(truth.velocity > 1000, 5.0, 1.0).astype(np.float32), spacing=1)
    options = {"regularisation": "second", "unknown_ratio": 1}
    run = fm.invert(start, picks, guide=image, **options)
    plain = fm.invert(start, picks, **options)
    assert error(run, truth, slice(15, 46)) < error(plain, truth, slice(15, 46))


def test_a_prior_model_is_believed_to_its_deviation(line):
    start, truth, picks = line
    firm = fm.invert(start, picks, prior_model=truth, prior_deviation=0.01)
    loose = fm.invert(start, picks, prior_model=truth, prior_deviation=100.0)
    plain = fm.invert(start, picks)
    assert error(firm, truth) < 0.5 * error(plain, truth)
    np.testing.assert_allclose(loose.model.velocity, plain.model.velocity, rtol=0.05)


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ({"log": ([(30, 3)], [0.0], [30.0])}, "point 0 of the log has velocity 0 and error 30"),
        ({"log": ([(300, 3)], [600.0], [30.0])}, "point 0 of the log"),
        ({"regions": {"a": ([(1, 1), (2, 2)], 600.0, 1.0)}}, "region 'a' has 2 corners"),
        ({"edges": [(200, 5), (294, 6)]}, "is beyond the model: its x is 200 to 294"),
        ({"edges": [(0, -5), (60, -6)]}, "its z is -6 to -5, and the model's 0 to"),
        ({"regions": {"a": ([(1, 90), (2, 90), (2, 95)], 600.0, 1.0)}}, "region 'a' is beyond the model: its z"),
        ({"prior_model": fm.Model.constant((5, 5), velocity=2)}, "the prior model is on another grid"),
    ],
)
def test_what_cannot_be_known_is_refused(line, known, said):
    start, _, picks = line
    with pytest.raises(ValueError, match=said):
        fm.invert(start, picks, **known)


def test_other_methods_refuse_what_they_do_not_know(line):
    start, _, picks = line
    with pytest.raises(ValueError, match="only that method knows them"):
        fm.invert(start, picks, method="hole", log=([(30, 3)], [600.0], [30.0]))


def test_a_delay_of_all_picks_is_found(line):
    start, _, picks = line
    late = fm.Picks(picks.sources, picks.receivers, source=picks.source, receiver=picks.receiver,
                    time=picks.time + 0.01, error=picks.error)
    run = fm.invert(start, late, terms="common")
    assert run.terms["common"][0] == pytest.approx(0.01, abs=0.002)
    assert set(run.terms) == {"common"}
