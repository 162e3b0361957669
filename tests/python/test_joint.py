"""`fm.invert` of P and S with events that move."""

import fermat as fm
import numpy as np
import pytest


@pytest.fixture(scope="module")
def quakes():
    """Ten events of P and S in straight rays: true places, and picks of a wrong catalogue."""
    rng = np.random.default_rng(3)
    stations = rng.uniform((1, 1, 0), (19, 19, 0), (8, 3))
    places = rng.uniform((4, 4, 4), (16, 16, 10), (10, 3))
    source, receiver = (a.ravel() for a in np.meshgrid(np.arange(10), np.arange(8), indexing="ij"))
    length = np.linalg.norm(places[source] - stations[receiver], axis=1)
    origin = 50.0 * np.arange(10)
    picks = fm.Picks(
        places + rng.uniform(-1, 1, places.shape), stations, source=np.tile(source, 2),
        receiver=np.tile(receiver, 2), phase=np.repeat(["P", "S"], 80), error=0.02,
        time=np.tile(origin[source], 2) + np.concatenate([length / 5, length / 5 * 1.7]),
        origin_time=origin + 0.3, event=[f"q{n}" for n in range(10)])
    model = fm.Model.constant((11, 11, 7), velocity=5.0, spacing=2.0)
    return model, picks, places, origin


def test_relocation_finds_places_and_origin_times(quakes):
    model, picks, places, origin = quakes
    run = fm.invert(model, picks, relocate=True, vp_vs=1.7, iterations=4, known={"q3": "time"})
    far = np.linalg.norm(run.events["position"] - places, axis=1)
    late = np.abs(run.events["origin_time"] - origin)
    others = np.arange(10) != 3
    assert np.median(far[others]) < 0.1 and np.median(late[others]) < 0.02
    assert run.events["shift_time"][3] == 0 and run.events["shift"].shape == (10, 3)
    assert set(run.events["use"]) <= {"moved", "bounded"} and (run.events["used"] <= 16).all()
    assert run.vp_vs.shape == model.shape and abs(np.median(run.vp_vs) - 1.7) < 0.02
    assert run.s_model.shape == model.shape and run.s_coverage.shape == run.coverage.shape


@pytest.mark.parametrize("method", ["gauss-newton", "hole", "adjoint"])
def test_another_clock_per_event_changes_nothing(quakes, method):
    """Also where events outnumber stations, so that fields start at stations."""
    model, picks, _, origin = quakes
    p = slice(0, 80)
    late = picks.time[p] - origin[picks.source[p]]
    models = [fm.invert(model, fm.Picks(picks.sources, picks.receivers, source=picks.source[p],
                                        receiver=picks.receiver[p], time=late + clock[picks.source[p]],
                                        error=0.02, origin_time=clock),
                        method=method, iterations=2, regularisation="second").model.velocity
              for clock in (np.zeros(10), 64.0 * np.arange(10))]
    np.testing.assert_allclose(models[0], models[1], rtol=1e-5)


def test_velocities_can_be_held(quakes):
    model, picks, places, _ = quakes
    run = fm.invert(model, picks, relocate="all", vp_vs=1.7, velocities="none", terms="receiver",
                    iterations=6)
    assert (run.model.velocity == model.velocity).all()
    assert np.median(np.linalg.norm(run.events["position"] - places, axis=1)) < 0.1
    assert set(run.terms) == {"receiver", "receiver_s"}
    assert abs(run.terms["receiver"].mean()) < 1e-9
    held = fm.invert(model, picks, relocate="all", vp_vs=1.7, velocities="p", iterations=2)
    np.testing.assert_allclose(held.vp_vs, 1.7, rtol=1e-5)


def test_places_in_2d_have_two_coordinates():
    rng = np.random.default_rng(2)
    receivers = np.column_stack([np.linspace(1, 19, 12), np.zeros(12)])
    places = rng.uniform((4, 4), (16, 12), (6, 2))
    source, receiver = (a.ravel() for a in np.meshgrid(np.arange(6), np.arange(12), indexing="ij"))
    time = np.linalg.norm(places[source] - receivers[receiver], axis=1) / 3
    picks = fm.Picks(places + rng.uniform(-1, 1, places.shape), receivers, source=source,
                     receiver=receiver, time=time, error=0.02)
    run = fm.invert(fm.Model.constant((41, 31), velocity=3.0, spacing=0.5), picks, relocate=True,
                    velocities="none", iterations=8)
    assert run.events["position"].shape == (6, 2)
    assert np.linalg.norm(run.events["position"] - places, axis=1).max() < 0.2
    held = fm.invert(fm.Model.constant((41, 31), velocity=3.0, spacing=0.5), picks, relocate=True,
                     velocities="none", prior=1e-3)
    assert np.abs(held.events["shift"]).max() < 0.01


def test_what_is_missing_is_said(quakes):
    model, picks, _, _ = quakes
    with pytest.raises(ValueError, match="80 of P and 80 of S, and there is one velocity"):
        fm.invert(model, picks)
    with pytest.raises(ValueError, match="'nobody', which is known, is not in the picks"):
        fm.invert(model, picks, relocate=True, vp_vs=1.7, known={"nobody": "place"})
    bare = fm.Picks(picks.sources, picks.receivers, source=picks.source[:80], time=picks.time[:80],
                    receiver=picks.receiver[:80], origin_time=picks.origin_time)
    with pytest.raises(ValueError, match="cross-validation does not move events"):
        fm.invert(model, bare, relocate=True)


def test_poor_places_give_way_to_those_that_are_found_also_on_a_sphere():
    """Given places are 30 km off: the run begins where events are found, and counts shifts from the given places."""
    rng = np.random.default_rng(4)
    model = fm.Earth("ak135").model((44.8, 47.2), (5.6, 8.4), 40, spacing=(0.1, 0.14, 2.0))
    stations = np.column_stack([rng.uniform(45.4, 46.6, 12), rng.uniform(6.4, 7.6, 12), np.zeros(12)])
    places = np.column_stack([rng.uniform(45.7, 46.3, 5), rng.uniform(6.7, 7.3, 5), rng.uniform(8, 15, 5)])
    made = fm.synthetic_picks(model, stations, places)
    east = 30 / (6371 * np.radians(1) * np.cos(np.radians(places[:, 0])))
    picks = fm.Picks(places + np.column_stack([0 * east, east, 0 * east]), stations, source=made.receiver,
                     receiver=made.source, time=made.time, error=0.02)
    options = {"relocate": True, "velocities": "none", "iterations": 3}
    run = fm.invert(model, picks, **options)
    assert any("start_places='located': 5 of 5 events begin" in said for said in run.choices), run.choices
    given = fm.invert(model, picks, start_places="given", **options)
    assert run.history["chi2"][0] < 0.01 * given.history["chi2"][0]
    off = (run.events["position"] - places) * (111.2, 111.2 * np.cos(np.radians(46)), 1)
    assert np.linalg.norm(off, axis=1).max() < 0.5
    # To the east, to the north and down, in km.
    np.testing.assert_allclose(run.events["shift"], np.tile((-30, 0, 0), (5, 1)), atol=0.6)
    with pytest.raises(ValueError, match=r"start_places is 'located' and no place is sought"):
        fm.invert(model, picks, relocate="times", start_places="located")


def test_differences_and_trust_come_back(quakes):
    model, picks, places, origin = quakes
    late = np.linalg.norm(places[:, None] - picks.receivers, axis=2) / 5 + (origin - picks.origin_time)[:, None]
    first, station = (a.ravel() for a in np.meshgrid(np.arange(9), np.arange(8), indexing="ij"))
    table = {"first": [f"q{n}" for n in first], "second": [f"q{n + 1}" for n in first], "station": station,
             "phase": ["P"] * 72, "time": late[first, station] - late[first + 1, station], "kind": ["correlation"] * 72}
    table["time"][5] += 1
    run = fm.invert(model, picks, relocate=True, start_places="given", vp_vs=1.7, iterations=3, differences=table,
                    trust=True)
    assert list(run.differences["first"]) == table["first"] and run.differences["weight"][5] == 0
    before, after = run.difference_rms["correlation"]
    assert after < 0.1 * before and (run.differences["weight"] > 0).sum() > 60
    assert run.resolution.shape == run.deviation.shape == run.vp_vs_deviation.shape == model.shape
    covariance = run.events["covariance"]
    assert covariance.shape == (10, 4, 4) and np.allclose(covariance, covariance.transpose(0, 2, 1))
    with pytest.raises(ValueError, match="relocate='all'"):
        fm.invert(model, picks, vp_vs=1.7, differences=table)
