"""Origin times may be dates: what is found depends on times of travel alone."""

import fermat as fm
import numpy as np


def test_dates_of_events_do_not_change_an_inversion():
    rng = np.random.default_rng(5)
    start = fm.Model.gradient((13, 13, 7), v0=5, gradient=0.05, spacing=2)
    truth = start.checkerboard(size=8, amplitude=0.06)
    events = rng.uniform((3, 3, 5), (21, 21, 11), (12, 3))
    stations = np.column_stack([rng.uniform(2, 22, (10, 2)), np.full(10, 0.2)])
    picks = fm.synthetic_picks(truth, events, stations, noise=0.02)
    plain = fm.Picks(picks.sources, picks.receivers, source=picks.source, receiver=picks.receiver, time=picks.time)
    origin = 1.4e9 + 1000.0 * np.arange(12)
    dated = fm.Picks(picks.sources, picks.receivers, source=picks.source, receiver=picks.receiver,
                     time=picks.time + origin[picks.source], origin_time=origin)
    runs = [fm.invert(start, one, iterations=2) for one in (plain, dated)]
    assert [choice for choice in runs[0].choices if "target" in choice] == [
        choice for choice in runs[1].choices if "target" in choice]
    np.testing.assert_allclose(runs[1].history["rms"], runs[0].history["rms"], rtol=1e-4)
    np.testing.assert_allclose(runs[1].model.velocity, runs[0].model.velocity, rtol=1e-3)
    np.testing.assert_allclose(runs[1].residuals["time"], picks.time, atol=1e-6)
