"""Changes between two surveys."""

import fermat as fm
import numpy as np
import pytest


@pytest.fixture(scope="module")
def surveys():
    """A line before and after a body became faster by a tenth."""
    before = fm.Model.gradient((61, 21), v0=600, gradient=60, spacing=1)
    x, z = np.moveaxis(before.node_positions(), -1, 0)
    body = np.exp(-(((x - 30) / 6) ** 2) - ((z - 5) / 3) ** 2)
    after = fm.Model((before.velocity * (1 + 0.1 * body)).astype(np.float32), spacing=1)
    points = [(float(at), 0.0) for at in range(0, 61, 3)]
    first = fm.synthetic_picks(before, points[::2], points, noise=1e-4)
    second = fm.synthetic_picks(after, points[::2], points, noise=1e-4, seed=2)
    return before, after, first, second


def shifted(picks, by):
    return fm.Picks(picks.sources, picks.receivers, source=picks.source, receiver=picks.receiver,
                    time=picks.time + by, error=picks.error)


def test_a_change_is_found_where_it_is(surveys):
    before, after, first, second = surveys
    start = fm.Model.gradient(before.shape, v0=550, gradient=65, spacing=1)
    found = fm.time_lapse(fm.invert(start, first), shifted(second, 0.002))
    assert found.statics == pytest.approx(0.002, abs=3e-4)
    truth = after.velocity / before.velocity - 1
    seen = np.pad(found.run.coverage, (0, 1), mode="edge") > 0
    assert np.corrcoef(found.change[seen], truth[seen])[0, 1] > 0.8
    strongest = np.unravel_index(np.argmax(found.significance), found.significance.shape)
    assert abs(strongest[0] - 30) < 6 and abs(strongest[1] - 5) < 4
    assert found.significance.max() > 2
    assert "statics" in repr(found)


def test_where_nothing_changed_nothing_is_significant(surveys):
    before, _, first, _ = surveys
    points = first.sources, first.receivers
    again = fm.synthetic_picks(before, *points, noise=1e-4, seed=5)
    found = fm.time_lapse(fm.invert(before, first), again)
    assert np.mean(abs(found.significance) > 2) < 0.05


def test_paths_are_matched_by_their_points(surveys):
    before, _, first, second = surveys
    reference = fm.invert(before, first)
    fewer = fm.Picks(first.sources, first.receivers, source=first.source[:100],
                     receiver=first.receiver[:100], time=first.time[:100], error=first.error[:100])
    found = fm.time_lapse(fm.invert(before, fewer), second)
    assert found.paths + found.left_out == len(second.time) and found.paths <= 100
    moved = fm.Picks(second.sources + 0.5, second.receivers, source=second.source,
                     receiver=second.receiver, time=second.time, error=second.error)
    with pytest.raises(ValueError, match="no path of the repeat is in the reference"):
        fm.time_lapse(reference, moved)


def test_the_picture_shows_change_and_significance(surveys):
    before, _, first, second = surveys
    figure = fm.plot.change(fm.time_lapse(fm.invert(before, first), second))
    assert len(figure.axes) >= 2
