"""fermat.invert and fermat.synthetic_picks: what they find, what they tell, what they refuse."""

import math
import os
import signal
import threading

import fermat as fm
import numpy as np
import pytest

SCHEDULE = [(4, (8, 6), (5, 5)), (4, (4, 4), (3, 3))]


@pytest.fixture(scope="module")
def start():
    return fm.Model.gradient((41, 21), v0=2, gradient=0.2, spacing=0.25)


@pytest.fixture(scope="module")
def truth(start):
    return start.checkerboard(size=(5, 2.5), amplitude=0.05)


@pytest.fixture(scope="module")
def picks(truth):
    sources = [(x, 0) for x in range(0, 11, 2)]
    receivers = [(x / 2, 5 * (x % 2)) for x in range(21)]
    return fm.synthetic_picks(truth, sources, receivers, noise=0.004, seed=2)


@pytest.fixture(scope="module")
def run(start, picks):
    return fm.invert(start, picks, schedule=SCHEDULE)


def test_picks_are_times_with_noise(truth, picks):
    assert len(picks) == 6 * 21 and set(picks.error) == {0.004}
    exact = fm.receiver_times(truth, picks.sources, picks.receivers).ravel()
    noise = picks.time - exact
    assert 0.002 < noise[exact > 0.1].std() < 0.006
    clean = fm.synthetic_picks(truth, picks.sources, picks.receivers)
    assert clean.error is None
    pairs = [(1, 2), (0, 5)]
    some = fm.synthetic_picks(truth, picks.sources, picks.receivers, pairs=pairs)
    assert some.pairs.tolist() == [[1, 2], [0, 5]]


def test_run_explains_the_picks(run, start, truth, picks):
    assert run.rms < 0.5 * run.history["rms"][0] and run.chi2 == run.history["chi2"][-1]
    assert run.history["iteration"].tolist() == list(range(9))
    assert run.history["stage"].tolist() == [0, 1, 1, 1, 1, 2, 2, 2, 2]
    assert run.reason == "schedule-end" and run.start is start
    assert run.coverage.shape == (40, 20)
    residual = run.residuals["final_residual"]
    assert math.sqrt((residual**2).mean()) == pytest.approx(run.rms)
    assert set(run.use) == {"used"} and len(run.residuals["source_x"]) == len(picks)
    found = run.model.velocity / start.velocity - 1
    wanted = truth.velocity / start.velocity - 1
    covered = np.pad(run.coverage >= 5, ((0, 1), (0, 1)))
    assert np.corrcoef(found[covered], wanted[covered])[0, 1] > 0.5
    assert "8 iterations" in repr(run)


def test_threads_give_the_same_bits(run, start, picks):
    other = fm.invert(start, picks, schedule=SCHEDULE, threads=3)
    assert np.array_equal(other.model.velocity, run.model.velocity)
    assert np.array_equal(other.residuals["final_residual"], run.residuals["final_residual"])


def test_callback_hears_each_iteration_and_may_stop(start, picks, run):
    heard = []
    fm.invert(start, picks, schedule=SCHEDULE, callback=heard.append)
    assert [row["rms"] for row in heard] == run.history["rms"].tolist()
    assert np.array_equal(heard[0]["model"].velocity, start.velocity)
    assert np.array_equal(heard[-1]["model"].velocity, run.model.velocity)

    def stop(row):
        if row["iteration"] == 2:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        fm.invert(start, picks, schedule=SCHEDULE, callback=stop)


def test_rays_may_be_bent_or_shortest_paths(start, picks, run):
    for how in ({"tracer": "bending", "starts": ("straight", "deep")},
                {"tracer": "graph", "radius": (4, 3)}):
        other = fm.invert(start, picks, schedule=SCHEDULE[:1], **how)
        assert other.history["lost"].max() == 0
        assert other.rms < 1.2 * run.history["rms"][4]
    with pytest.raises(ValueError, match="method is 'adjoint' .which has no rays"):
        fm.invert(start, picks, method="adjoint", tracer="graph")


def test_targets_files_and_tables(start, picks, run, tmp_path):
    assert fm.invert(start, picks, target_rms=0.02).reason == "target-rms"
    assert fm.invert(start, picks, target_chi2=10).chi2 <= 10
    picks.save(tmp_path / "picks.csv")
    (tmp_path / "s.csv").write_text("iterations,cell_x,cell_z,vertex_x,vertex_z\n"
                                    "4,8,6,5,5\n4,4,4,3,3\n")
    for observed in (tmp_path / "picks.csv", picks.to_columns()):
        again = fm.invert(start, observed, schedule=tmp_path / "s.csv")
        assert again.rms == pytest.approx(run.rms, rel=1e-6)


def test_plots_take_a_run(run):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    fm.plot.convergence(run, target=0.004)
    fm.plot.residuals(run)


def test_ctrl_c_stops_a_run(start, picks, ctrl_c):
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        fm.invert(start, picks, schedule=[(100000, (4, 4), (3, 3))])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"schedule": []}, "no stage"),
        ({"schedule": [(4, (8, 6))]}, "stage 1"),
        ({"schedule": [(4, (8, 6, 4), (3, 3))]}, r"\(x, z\)"),
        ({"schedule": [(4, (8, 6.5), (3, 3))]}, "stage 1"),
        ({"schedule": [(0, (8, 6), (3, 3))]}, "0 iterations"),
        ({"target_rms": -1}, "target rms is -1"),
        ({"weights": "heavy"}, "heavy"),
        ({"outliers": 0.5}, "outliers is 0.5"),
        ({"max_update": 1.5}, "max update is 1.5"),
        ({"min_velocity": 5, "max_velocity": 3}, "max velocity is 3"),
    ],
)
def test_wrong_options_are_one_sentence(start, picks, options, message):
    with pytest.raises(ValueError, match=message) as caught:
        fm.invert(start, picks, **options)
    assert "\n" not in str(caught.value)


def test_wrong_dimensions_are_told(picks):
    with pytest.raises(ValueError, match="2-D and the model is 3-D"):
        fm.invert(fm.Model.constant((5, 5, 5), velocity=2), picks)
