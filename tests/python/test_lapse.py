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


@pytest.fixture(scope="module")
def reference(surveys):
    before, _, first, _ = surveys
    return fm.invert(before, first)


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


def test_where_nothing_changed_nothing_is_significant(surveys, reference):
    before, _, first, _ = surveys
    points = first.sources, first.receivers
    again = fm.synthetic_picks(before, *points, noise=1e-4, seed=5)
    found = fm.time_lapse(reference, again)
    assert np.mean(abs(found.significance) > 2) < 0.05


def test_paths_are_matched_by_their_points(surveys, reference):
    before, _, first, second = surveys
    fewer = fm.Picks(first.sources, first.receivers, source=first.source[:100],
                     receiver=first.receiver[:100], time=first.time[:100], error=first.error[:100])
    found = fm.time_lapse(fm.invert(before, fewer), second)
    assert found.paths + found.left_out == len(second.time) and found.paths <= 100
    moved = fm.Picks(second.sources + 0.5, second.receivers, source=second.source,
                     receiver=second.receiver, time=second.time, error=second.error)
    with pytest.raises(ValueError, match="no path of the repeat is in the reference"):
        fm.time_lapse(reference, moved)


def test_the_picture_shows_change_and_significance(surveys, reference):
    figure = fm.plot.change(fm.time_lapse(reference, surveys[3]))
    assert len(figure.axes) >= 2


def test_several_repeats_are_inverted_from_one_reference(surveys, reference, tmp_path):
    before, after, first, second = surveys
    half = fm.Model(np.sqrt(before.velocity * after.velocity), spacing=1)
    between = fm.synthetic_picks(half, first.sources, first.receivers, noise=1e-4, seed=3)
    found = fm.time_lapse(reference, [shifted(between, 0.001), second])
    alone = fm.time_lapse(reference, second)
    assert [round(each.statics, 3) for each in found] == [0.001, 0.0]
    assert (found[1].change == alone.change).all()
    body = np.s_[27:34, 3:8]
    assert 0.005 < found[0].change[body].mean() < found[1].change[body].mean()
    for name in ("changes.gif", "changes.html"):
        file = fm.plot.change_animation(found, tmp_path / name, labels=["May", "June"], dpi=40)
        assert file.stat().st_size > 1000
    from PIL import Image

    with Image.open(tmp_path / "changes.gif") as picture:
        assert picture.n_frames == 2


def test_what_is_no_list_of_repeats_is_refused(surveys, reference, tmp_path):
    _, _, _, second = surveys
    with pytest.raises(ValueError, match="picks is an empty list"):
        fm.time_lapse(reference, [])
    moved = fm.Picks(second.sources + 0.5, second.receivers, source=second.source,
                     receiver=second.receiver, time=second.time, error=second.error)
    with pytest.raises(ValueError, match="repeat 1: no path of the repeat"):
        fm.time_lapse(reference, [second, moved])
    found = fm.time_lapse(reference, second)
    with pytest.raises(ValueError, match="labels has 2 names for 1 changes"):
        fm.plot.change_animation([found], tmp_path / "a.gif", labels=["a", "b"])
    with pytest.raises(ValueError, match="must end in .gif or .html"):
        fm.plot.change_animation([found], tmp_path / "a.mp4")
