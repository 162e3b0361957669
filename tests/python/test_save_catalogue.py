"""Picks and located events in the formats of others: what is saved is read back."""

import contextlib
import re
import warnings

import fermat as fm
import numpy as np
import pytest

PLANE = fm.Plane("local plane: longitude=10 latitude=45 metres=1000")
AT = np.array([(-12, -9, -0.5), (13, -11, 0), (-10, 12, 0), (12, 13, 0), (1, 2, -1), (-3, -14, 0)], float)
TRUE = np.array([(2, 1, 6), (-2.6, 1.3, 6.4), (1.7, -0.6, 5.8)])
START = 1583020800.0  # 2020-03-01
FORMATS = {
    "e.obs": ("g.txt", 1e-4), "phase.dat": ("station.dat", 2e-6), "e.cnv": ("e.sta", 0.011),
    "rays.dat": ("stat_ft.dat", 1e-4),
}


@pytest.fixture
def picks():
    """P and S of three events at six stations in a homogeneous medium."""
    rows = [(e, s, f) for e in range(3) for s in range(6) for f in (1, 1.75)]
    source, receiver, factor = (np.array(column) for column in zip(*rows, strict=True))
    travel = factor * np.linalg.norm(AT[receiver] - TRUE[source], axis=1) / 5
    origin = START + 100 * np.arange(3)
    return fm.Picks(
        TRUE, AT, source=source, receiver=receiver, time=origin[source] + travel, error=0.05,
        phase=np.where(factor > 1, "S", "P"), event=["1", "2", "3"],
        station=[f"XX.ST{n}" for n in range(6)], origin_time=origin, plane=PLANE,
    )


@contextlib.contextmanager
def silent():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("name", FORMATS)
def test_formats_come_back(picks, name, tmp_path):
    stations, precision = FORMATS[name]
    with pytest.warns(UserWarning):
        picks.save(tmp_path / name, output_stations=tmp_path / stations)
    with silent():
        read = fm.read_picks(tmp_path / name, stations=tmp_path / stations, centre=(10, 45))
    assert len(read) == len(picks) and (read.phase == picks.phase).all()
    if read.placed.all():
        np.testing.assert_allclose(read.travel_time, picks.travel_time, atol=precision)
        np.testing.assert_allclose(read.sources, picks.sources, atol=0.02)
    else:
        np.testing.assert_allclose(read.time, picks.time, atol=precision)
    np.testing.assert_allclose(read.receivers[read.receiver], AT[picks.receiver], atol=0.02)


def test_src_rec_keeps_dates_and_simulps_is_named(picks, tmp_path):
    with silent():
        picks.save(tmp_path / "src_rec.dat")
        read = fm.picks(tmp_path / "src_rec.dat")
        picks.save(tmp_path / "eqks", output_format="simulps", output_stations=tmp_path / "stns")
        cards = fm.read_picks(tmp_path / "eqks", stations=tmp_path / "stns")
    np.testing.assert_allclose(read.origin_time, picks.origin_time, atol=1e-4)
    np.testing.assert_allclose(read.travel_time, picks.travel_time, atol=2e-6)
    assert read.station == picks.station and len(cards) == len(picks)
    with pytest.raises(ValueError, match="output_format"):
        picks.save(tmp_path / "eqks")
    with pytest.raises(ValueError, match="output_stations"):
        picks.save(tmp_path / "rays.dat")
    local = fm.Picks.from_columns(picks.to_columns())
    np.testing.assert_allclose(local.travel_time, picks.travel_time)
    assert (local.phase == picks.phase).all() and len(local.sources) == 3
    with pytest.raises(ValueError, match="without a plane"):
        local.save(tmp_path / "e.xml")
    assert not (tmp_path / "e.xml").exists()


@pytest.fixture
def found(picks):
    crust = fm.Model.gradient((41, 41, 16), v0=5, gradient=0, origin=(-20, -20, -1))
    return fm.locate(crust, picks, vp_vs=1.75, model_error=0.05)


def test_quakeml_of_a_location_is_valid_and_has_what_was_found(picks, found, tmp_path):
    obspy = pytest.importorskip("obspy")
    from obspy.io.quakeml.core import _validate

    file, stations = tmp_path / "e.xml", tmp_path / "s.xml"
    found.save(file, output_stations=stations)
    assert _validate(str(file))
    catalogue = obspy.read_events(str(file))
    assert len(catalogue) == 3
    for n, event in enumerate(catalogue):
        origin = event.preferred_origin()
        assert abs(origin.time.timestamp - found.origin_time[n]) < 1e-5
        assert origin.depth == pytest.approx(1000 * found.position[n, 2], abs=0.01)
        assert origin.depth_errors.uncertainty == pytest.approx(
            1000 * np.sqrt(found.covariance[n, 2, 2]), abs=0.01)
        east, north = (np.sqrt(found.covariance[n, a, a]) for a in (0, 1))
        assert origin.latitude_errors.uncertainty == pytest.approx(north / 111.195, rel=1e-3)
        assert origin.longitude_errors.uncertainty * np.cos(np.radians(45)) == pytest.approx(
            east / 111.195, rel=2e-3)
        mine = found.fits["event"] == found.event[n]
        residual = [arrival.time_residual for arrival in origin.arrivals]
        np.testing.assert_allclose(residual, found.fits["residual"][mine], atol=1e-6)
        take_off = [arrival.takeoff_angle for arrival in origin.arrivals]
        np.testing.assert_allclose(take_off, found.fits["take_off"][mine], atol=0.01)
    again = fm.read_picks(file, inventory=stations, centre=(10, 45))
    assert again.station == picks.station and again.event == picks.event
    np.testing.assert_allclose(again.time, picks.time, atol=2e-6)
    np.testing.assert_allclose(again.error, 0.05)
    np.testing.assert_allclose(again.sources, found.position, atol=1e-4)
    np.testing.assert_allclose(again.receivers, AT, atol=1e-4)


def test_nordic_comes_back_through_obspy(picks, found, tmp_path):
    pytest.importorskip("obspy")
    file = tmp_path / "e.nordic"
    with pytest.warns(UserWarning, match="Nordic holds times"):
        found.save(file, output_stations=tmp_path / "s.xml")
    with silent():
        again = fm.read_picks(file, inventory=tmp_path / "s.xml", centre=(10, 45))
    assert len(again) == len(picks) and len(again.sources) == 3
    np.testing.assert_allclose(np.sort(again.time), np.sort(picks.time), atol=0.0051)
    picks.station = ("XX.LONGNAME1", "XX.LONGNAME2", *picks.station[2:])
    with silent(), pytest.raises(ValueError, match="rename"):
        picks.save(tmp_path / "f.nordic")
    picks.station = ("AA.ST1", "XX.ST1", *picks.station[2:])
    with silent(), pytest.raises(ValueError, match="no networks"):
        picks.save(tmp_path / "f.nordic")
    assert not (tmp_path / "f.nordic").exists()


def test_a_catalogue_is_no_table_of_picks(found, tmp_path):
    with pytest.raises(ValueError, match="to_columns"):
        found.save(tmp_path / "e.csv")


WRITERS = {"nonlinloc": ("e.obs", "g.txt"), "hypodd": ("phase.dat", "station.dat"), "src_rec": ("src_rec.dat", None),
           "velest": ("e.cnv", "e.sta"), "simulps": ("eqks", "stns"), "lotos": ("rays.dat", "stat_ft.dat"),
           "quakeml": ("e.xml", "s.xml"), "nordic": ("e.nordic", "s.xml")}


@pytest.fixture(scope="module")
def on_a_sphere():
    """Three events found in a spherical model, and where they are."""
    longitude, latitude = PLANE.to_geographic(AT[:, 0], AT[:, 1])
    east, north = PLANE.to_geographic(TRUE[:, 0], TRUE[:, 1])
    places = np.column_stack([north, east, TRUE[:, 2]])
    earth = fm.Earth("ak135").model((44.7, 45.3), (9.7, 10.3), 20, spacing=(0.05, 0.05, 2.5), top=-2.5)
    times = fm.receiver_times(earth, places, np.column_stack([latitude, longitude, AT[:, 2]]))
    rows = [(e, s, f) for e in range(3) for s in range(6) for f in (1, 1.75)]
    picks = {"event": [str(e + 1) for e, _, _ in rows], "station": [f"XX.ST{s}" for _, s, _ in rows],
             "phase": ["P" if f == 1 else "S" for _, _, f in rows], "error": [0.05] * len(rows),
             "time": [START + 100 * e + f * times[e, s] for e, s, f in rows]}
    stations = {"station": [f"XX.ST{n}" for n in range(6)], "longitude": longitude, "latitude": latitude,
                "elevation": -1000 * AT[:, 2]}
    return fm.locate(earth, picks, stations=stations, vp_vs=1.75, model_error=0.02), picks


@pytest.mark.parametrize("wanted", WRITERS)
def test_a_catalogue_of_a_spherical_model_goes_out_in_every_format(on_a_sphere, wanted, tmp_path):
    found, picks = on_a_sphere
    assert found.located.all() and found.axis_names[0] == "latitude"
    if wanted == "nordic":
        pytest.importorskip("obspy")
    name, stations = WRITERS[wanted]
    beside = {} if stations is None else {"output_stations": tmp_path / stations}
    with silent():
        found.save(tmp_path / name, output_format=wanted, **beside)
    with silent():
        if stations is None:
            read = fm.read_picks(tmp_path / name)
        elif stations == "s.xml":
            pytest.importorskip("obspy")
            read = fm.read_picks(tmp_path / name, inventory=tmp_path / stations)
        else:
            read = fm.read_picks(tmp_path / name, stations=tmp_path / stations, centre=(10, 45))
    assert len(read) == len(picks["time"]) and sorted(set(read.phase)) == ["P", "S"]
    if not read.placed.all():  # the format has no places of events
        assert wanted == "nonlinloc"
        return
    back = read.geographic().sources
    order = np.argsort(read.origin_time)
    km = (back[order] - found.position) * [111.2, 78.8, 1]
    assert np.abs(km).max() < {"velest": 0.05, "simulps": 0.05, "nordic": 0.2}.get(wanted, 0.02)


def test_every_writer_is_tried_on_a_sphere(on_a_sphere, tmp_path):
    """A format that is added is to be tried, too."""
    with pytest.raises(ValueError) as told:
        on_a_sphere[0].save(tmp_path / "e", output_format="none")
    known = re.search(r"must be (.*?)\)", str(told.value))[1]
    assert set(re.findall(r"\w+", known)) - {"auto", "csv", "sgt", "or", "one", "of"} <= set(WRITERS)
    assert "quakeml" in known
