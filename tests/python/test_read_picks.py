"""`fermat.read_picks`: catalogues by file name, through ObsPy or without it, for all that takes picks."""

import warnings

import fermat as fm
import numpy as np
import pytest

VP_VS = 1.75
PLANE = fm.Plane("local plane: longitude=10 latitude=45 metres=1000")
AT = np.array([(-12, -9, 0), (13, -11, 0), (-10, 12, 0), (12, 13, 0), (1, 2, 0), (-3, -14, 0)], float)
TRUE = np.array([(2, 1, 6), (2.6, 1.3, 6.4), (1.7, 0.6, 5.8), (2.2, 1.8, 6.9)])


@pytest.fixture(scope="module")
def crust():
    return fm.Model.gradient((41, 41, 16), v0=5, gradient=0, origin=(-20, -20, -1))


@pytest.fixture(scope="module")
def catalogue():
    """A catalogue of ObsPy with what goes wrong in them, and its inventory."""
    obspy = pytest.importorskip("obspy")
    from obspy.core.event import Catalog, Event, Origin, Pick, QuantityError, WaveformStreamID
    from obspy.core.inventory import Inventory, Network, Station

    longitude, latitude = PLANE.to_geographic(AT[:, 0], AT[:, 1])
    stations = [Station(code=f"ST{n}", longitude=x, latitude=y, elevation=0.0)
                for n, (x, y) in enumerate(zip(longitude, latitude, strict=True))]
    inventory = Inventory(networks=[Network(code="XX", stations=stations)], source="test")
    start = obspy.UTCDateTime(2020, 3, 1)
    events = []
    for e, place in enumerate(TRUE):
        east, north = np.ravel(PLANE.to_geographic(place[0] + 0.3, place[1] - 0.2))
        origin = Origin(time=start + 100 * e, longitude=east, latitude=north, depth=1000 * (place[2] + 0.3))
        picks = []
        for n, at in enumerate(AT):
            for phase, factor in (("P", 1), ("S", VP_VS)):
                picks.append(Pick(
                    time=start + 100 * e + factor * np.linalg.norm(at - place) / 5, phase_hint=phase,
                    waveform_id=WaveformStreamID(network_code="XX", station_code=f"ST{n}", channel_code="HHZ"),
                    time_errors=QuantityError(uncertainty=0.02 if phase == "P" else None)))
        other = picks[0].copy()
        other.waveform_id = WaveformStreamID(network_code="YY", station_code="ST0", channel_code="HHZ")
        nowhere = picks[0].copy()
        nowhere.waveform_id = WaveformStreamID(network_code="XX", station_code="LOST", channel_code="HHZ")
        hintless = picks[2].copy()
        hintless.phase_hint = None
        events.append(Event(picks=[*picks, other, nowhere, hintless], origins=[origin] if e else []))
    return Catalog(events=events), inventory


def told(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = call()
    return found, " ".join(str(one.message) for one in caught if issubclass(one.category, UserWarning))


def test_quakeml_is_read_by_name_and_goes_into_locate_relocate_and_invert(crust, catalogue, tmp_path):
    events, inventory = catalogue
    events.write(str(tmp_path / "events.xml"), format="QUAKEML")
    inventory.write(str(tmp_path / "stations.xml"), format="STATIONXML")
    picks, words = told(lambda: fm.read_picks(
        tmp_path / "events.xml", inventory=tmp_path / "stations.xml", centre=(10, 45)))
    for part in ("8 of 60 picks of the catalogue were left out: 4 have another network code",
                 "4 are at stations that are not in the inventory (XX.LOST)",
                 "4 of 52 picks are left out: without a phase", "24 of 48 errors are missing"):
        assert part in words, words
    assert len(picks) == 48 and list(picks.placed) == [False, True, True, True]
    assert set(picks.phase) == {"P", "S"} and picks.plane is not None
    found = fm.locate(crust, picks, vp_vs=VP_VS, model_error=0.02)
    assert np.abs(found.position - TRUE).max() < 0.1
    with pytest.raises(ValueError, match="1 of 4 sources have no place, which invert needs"):
        fm.invert(crust, picks, relocate=True, vp_vs=VP_VS)
    with pytest.raises(ValueError, match="which relocate needs"):
        fm.relocate(crust, picks, vp_vs=VP_VS)
    kept = picks.source > 0
    placed = fm.Picks(picks.sources[1:], picks.receivers, source=picks.source[kept] - 1, receiver=picks.receiver[kept],
                      time=picks.time[kept], error=0.02, phase=picks.phase[kept], event=picks.event[1:],
                      station=picks.station, origin_time=picks.origin_time[1:])
    (moved, words) = told(lambda: fm.relocate(crust, placed, vp_vs=VP_VS, separation=5))
    assert "36 differences of 3 pairs of events were made" in words and (moved.cluster == 0).all()
    off = moved.position - TRUE[1:]
    assert np.abs(off - off.mean(axis=0)).max() < 0.03
    run, _ = told(lambda: fm.invert(crust, placed, relocate=True, velocities="none", vp_vs=VP_VS, iterations=4))
    assert np.abs(run.events["position"] - TRUE[1:]).max() < 0.1


def test_nordic_names_stations_without_networks(crust, catalogue, tmp_path):
    events, inventory = catalogue
    event = events[1].copy()
    event.picks = [pick for pick in event.picks if pick.phase_hint and pick.waveform_id.network_code == "XX"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ObsPy's own, of what Nordic cannot hold
        type(events)(events=[event]).write(str(tmp_path / "event.sfile"), format="NORDIC", userid="TEST",
                                           evtype="L", wavefiles=["none"])
    picks, words = told(lambda: fm.read_picks(tmp_path / "event.sfile", inventory=inventory, centre=(10, 45)))
    assert "have no network code and are at the only station of their name" in words, words
    assert "1 are at stations that are not in the inventory ((none).LOST)" in words, words
    assert picks.placed.all() and set(picks.phase) == {"P", "S"}
    found = fm.locate(crust, picks, vp_vs=VP_VS, model_error=0.05)
    assert np.abs(found.position[0] - TRUE[1]).max() < 0.3


CNV = """20 3 1 0001 40.00 45.0000N  10.0000E   6.00   2.10
STA P0  1.51STB P1  1.59STA S2  2.61STC P0  2.02STD P0  2.22

"""
STA = """(a4,f7.4,a1,1x,f8.4,a1,1x,i4)
STA 45.0500N  10.0000E  100
STB 45.0000N  10.0600E  200
STC 44.9300N   9.9500E    0
STD 45.0100N   9.8900E    0
"""


def test_formats_of_our_own_need_no_obspy(tmp_path):
    (tmp_path / "e.cnv").write_text(CNV)
    (tmp_path / "e.sta").write_text(STA)
    picks, words = told(lambda: fm.read_picks(tmp_path / "e.cnv", stations=tmp_path / "e.sta"))
    assert len(picks) == 5 and picks.station[:2] == ("STA", "STB") and "years have two digits" in words
    assert np.allclose(picks.time - picks.origin_time[0], [1.51, 1.59, 2.61, 2.02, 2.22], atol=1e-5)
    with pytest.raises(ValueError, match="give the stations"):
        fm.read_picks(tmp_path / "e.cnv")
    (tmp_path / "rays.dat").write_text("10 45 6 2\n1 1 1.5\n2 2 2.6\n")
    (tmp_path / "stat_ft.dat").write_text("10 45.05 -0.1\n10.06 45 -0.2\n")
    lotos, _ = told(lambda: fm.read_picks(tmp_path / "rays.dat", stations=tmp_path / "stat_ft.dat"))
    assert list(lotos.phase) == ["P", "S"] and lotos.error is None and lotos.origin_time[0] == 0
    with pytest.raises(ValueError, match="inventory"):
        fm.read_picks(tmp_path / "events.xml")
    with pytest.raises(ValueError, match="must be a file name"):
        fm.read_picks({"time": [1]})
    table = tmp_path / "p.csv"
    table.write_text("source_x,source_z,receiver_x,receiver_z,time\n0,0,1,0,0.5\n")
    assert len(fm.read_picks(table)) == 1
