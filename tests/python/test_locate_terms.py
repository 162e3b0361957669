"""Station terms, weights by distance and what errors have in common, from Python."""

import fermat as fm
import numpy as np
import pytest

VP_VS = 1.73


def scene(events=40, delay=0.3, seed=1):
    rng = np.random.default_rng(seed)
    model = fm.Model.gradient((31, 31, 13), v0=5, gradient=0.1, spacing=2)
    stations = np.column_stack([rng.uniform(3, 57, (16, 2)), np.zeros(16)])
    places = rng.uniform((18, 18, 4), (42, 42, 16), (events, 3))
    made = fm.synthetic_picks(model, stations, places)
    late = delay * rng.standard_normal(16)
    table = {name: [] for name in ("event", "station", "phase", "time", "error")}
    for phase, ratio in (("P", 1), ("S", VP_VS)):
        time = ratio * made.time + late[made.source] + 0.01 * rng.standard_normal(len(made.time))
        for e, s, t in zip(made.receiver, made.source, time, strict=True):
            for name, value in zip(table, (f"q{e}", f"S{s}", phase, 50.0 * e + t, 0.02), strict=True):
                table[name].append(value)
    where = {"station": [f"S{n}" for n in range(16)], **dict(zip("xyz", stations.T, strict=True))}
    return model, table, where, places


def scatter(found, places):
    off = found.position - places[[int(name[1:]) for name in found.event]]
    return np.linalg.norm(off - off.mean(axis=0), axis=1).mean()


def test_terms_are_found_and_taken_again():
    model, picks, stations, places = scene()
    keywords = {"stations": stations, "vp_vs": VP_VS}
    without = fm.locate(model, picks, **keywords)
    found = fm.locate(model, picks, terms="find", **keywords)
    assert without.terms is None and "term" not in without.fits
    assert set(found.terms) == {"station", "phase", "term"}
    independent = fm.locate(model, picks, error_length=0, **keywords)
    assert scatter(found, places) < 0.5 * scatter(independent, places)
    assert np.median(found.rms) < 0.5 * np.median(without.rms)
    again = fm.locate(model, picks, terms=found.terms, **keywords)
    np.testing.assert_allclose(again.position, found.position, atol=0.05)
    by_place = fm.locate(model, picks, terms="ssst", term_radius=8, **keywords)
    assert {"x", "y", "z", "weight", "radius"} <= set(by_place.terms)
    assert by_place.terms["radius"][0] == pytest.approx(8)
    repeated = fm.locate(model, picks, terms=by_place.terms, **keywords)
    assert np.median(np.linalg.norm(repeated.position - by_place.position, axis=1)) < 0.3
    with pytest.raises(ValueError, match="terms has none of the 16 stations"):
        fm.locate(model, picks, terms={"station": ["X"], "phase": ["P"], "term": [0.1]}, **keywords)
    with pytest.raises(ValueError, match="term_radius"):
        fm.locate(model, picks, term_radius=3, **keywords)


def test_errors_and_quality_are_told():
    model, picks, stations, _ = scene(events=20, delay=0.0)
    found = fm.locate(model, picks, stations=stations, vp_vs=VP_VS, model_error=0.1, error_length=20)
    alone = fm.locate(model, picks, stations=stations, vp_vs=VP_VS, model_error=0.1)
    assert found.error_length == 20 and alone.error_length == 0
    assert set(found.quality) <= set("ABCD")
    assert "quality" in found.to_columns()
    near = fm.locate(model, picks, stations=stations, vp_vs=VP_VS, model_error=0.1, near=10, far=30)
    assert near.located.all()
    with pytest.raises(ValueError, match="far is 5 and near is 10"):
        fm.locate(model, picks, stations=stations, vp_vs=VP_VS, near=10, far=5)


def test_sectors_of_azimuth_count_alike():
    """Stations of one quadrant that are there four times count as once, and events with one sector are told."""
    model = fm.Model(np.full((31, 31, 11), 5.0, np.float32), spacing=2)
    at = np.array([(41, 45), (35, 55), (47, 19), (55, 26), (12, 14), (25, 5), (16, 43), (4, 38)], float)
    at = np.column_stack([at, np.zeros(8)])
    late = np.array([0.3, -0.3, 0.0, 0.1, -0.1, 0.2, 0.15, -0.2])
    event = np.array([30.0, 30.0, 8.0])
    times = np.linalg.norm(at - event, axis=1) / 5 + late

    def found(copies, **options):
        count = len(copies)
        x, y, z = at[copies].T
        stations = {"station": [f"S{n}" for n in range(count)], "x": x, "y": y, "z": z}
        picks = {"event": ["q"] * count, "station": stations["station"], "time": times[copies], "error": [0.2] * count}
        return fm.locate(model, picks, stations=stations, model_error=0, depth=8, outliers=0, **options).position[0]

    once = found(list(range(8)))
    many = [0, 0, 0, 0, 1, 1, 1, 1, *range(2, 8)]
    assert np.abs(found(many) - once).max() > 0.1
    np.testing.assert_allclose(found(many, azimuth_sectors=4), once, atol=0.005)
    with pytest.warns(UserWarning, match="1 of 1 events have all their picks in one of 2 sectors of azimuth"):
        found([0, 0, 1, 2, 3], azimuth_sectors=2)
    with pytest.raises(ValueError, match="azimuth sectors is 1"):
        found(many, azimuth_sectors=1)
