"""Errors of relocated places by bootstrap are as large as the places are wrong."""

import fermat as fm
import numpy as np
import pytest


def test_bootstrap_errors_are_those_of_relative_places():
    rng = np.random.default_rng(4)
    model = fm.Model.gradient((31, 31, 13), v0=5, gradient=0.1, spacing=2)
    stations = np.column_stack([rng.uniform(3, 57, (24, 2)), np.zeros(24)])
    places = rng.uniform((28, 28, 7), (31, 31, 9), (30, 3))
    made = fm.synthetic_picks(model, stations, places)
    time = made.time + 0.02 * rng.standard_normal(len(made.time))
    picks = fm.Picks(places + rng.normal(0, 0.3, places.shape), stations, source=made.receiver,
                     receiver=made.source, time=time, error=0.02,
                     event=[f"q{n}" for n in range(30)], origin_time=np.zeros(30))
    plain = fm.relocate(model, picks, separation=5)
    found = fm.relocate(model, picks, separation=5, bootstrap=100)
    np.testing.assert_array_equal(found.position, plain.position)
    off = found.position - places
    score = (off - off.mean(axis=0)) / found.error
    assert 0.5 < np.sqrt(np.mean(score**2)) < 2
    held = (off - off.mean(axis=0)) / plain.error
    assert abs(np.log(np.sqrt(np.mean(score**2)))) < abs(np.log(np.sqrt(np.mean(held**2))))
    again = fm.relocate(model, picks, separation=5, bootstrap=100, threads=1)
    np.testing.assert_array_equal(found.error, again.error)
    with pytest.raises(ValueError, match="bootstrap"):
        fm.relocate(model, picks, separation=5, bootstrap=3)
