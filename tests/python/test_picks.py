"""Picks are made from files, tables and catalogues, and their values are checked."""

from types import SimpleNamespace

import fermat as fm
import numpy as np
import pytest

SGT = """3 # shot/geophone points
#x y
0 10
5 12
10 11
2 # measurements
#s g t err
1 2 0.01 0.001
1 3 0.02 0.002
"""
COLUMNS = {
    "source_x": [0, 0, 4],
    "source_z": [1, 1, 2],
    "receiver_x": [9, 8, 9],
    "receiver_z": [0, 0, 0],
    "time": [0.5, 0.4, 0.3],
}


def test_sgt_heights_become_depths_and_its_points_the_surface(tmp_path):
    (tmp_path / "line.sgt").write_text(SGT)
    picks = fm.picks(tmp_path / "line.sgt")
    assert (len(picks), picks.ndim) == (2, 2)
    np.testing.assert_array_equal(picks.sources, [(0, -10)])
    np.testing.assert_array_equal(picks.receivers, [(5, -12), (10, -11)])
    np.testing.assert_array_equal(picks.surface, [(0, -10), (5, -12), (10, -11)])
    np.testing.assert_array_equal(picks.offset, [5, 10])
    np.testing.assert_array_equal(picks.time, [0.01, 0.02])
    np.testing.assert_array_equal(picks.error, [0.001, 0.002])


def test_equal_points_of_a_table_are_one_in_order_of_appearance():
    picks = fm.picks(COLUMNS)
    np.testing.assert_array_equal(picks.sources, [(0, 1), (4, 2)])
    np.testing.assert_array_equal(picks.receivers, [(9, 0), (8, 0)])
    np.testing.assert_array_equal(picks.pairs, [(0, 0), (0, 1), (1, 0)])
    assert picks.error is None


def test_a_data_frame_is_a_table():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({**COLUMNS, "error": 0.1})
    picks = fm.picks(frame[frame.time < 0.45])
    np.testing.assert_array_equal(picks.time, [0.4, 0.3])
    np.testing.assert_array_equal(picks.error, [0.1, 0.1])
    assert list(pandas.DataFrame(picks.to_columns()).columns) == list(frame.columns)


def test_names_of_a_table_stay_with_their_points(tmp_path):
    """Two shots at one place stay two, and files and tables give the same names back."""
    names = {"event": ["b", "a", "b", "a"], "station": [7, 8.0, np.nan, 7]}
    picks = fm.picks({**{name: [0.0] * 4 for name in COLUMNS}, "receiver_x": [1, 2, 3, 1],
                      "time": [1, 2, 3, 4], **names})
    assert (picks.event, picks.station) == (("b", "a"), ("7", "8", ""))
    assert picks.source.tolist() == [0, 1, 0, 1] and picks.receiver.tolist() == [0, 1, 2, 0]
    picks.save(tmp_path / "named.csv")
    for again in (fm.picks(tmp_path / "named.csv"), fm.picks(picks.to_columns())):
        assert (again.event, again.station) == (picks.event, picks.station)


def test_a_name_that_pandas_does_not_know_is_none():
    pandas = pytest.importorskip("pandas")
    named = pandas.array(["a", pandas.NA, "b"], dtype="string")
    frame = pandas.DataFrame({"source_x": 0.0, "source_z": 0.0, "receiver_x": [1.0, 2.0, 3.0],
                              "receiver_z": 0.0, "time": [0.1, 0.2, 0.3], "station": named})
    assert fm.picks(frame).station == ("a", "", "b")


@pytest.mark.parametrize("ndim", [2, 3])
@pytest.mark.parametrize("error", [None, 0.25])
def test_a_file_gives_back_what_was_saved(tmp_path, ndim, error, rng):
    sources, receivers = rng.uniform(0, 9, (3, ndim)), rng.uniform(0, 9, (4, ndim))
    source, receiver = np.indices((3, 4)).reshape(2, -1)
    time = rng.uniform(0, 1, 12)
    picks = fm.Picks(
        sources, receivers, source=source, receiver=receiver, time=time, error=error
    )
    picks.save(tmp_path / "p.csv")
    again = fm.picks(str(tmp_path / "p.csv"))
    for name, column in picks.to_columns().items():
        np.testing.assert_array_equal(again.to_columns()[name], column)
    assert (again.error is None) == (error is None)


def test_rays_are_traced_of_picks():
    model = fm.Model.gradient((21, 11), v0=2, gradient=0.2)
    picks = fm.picks(COLUMNS)
    rays = fm.rays(model, picks.sources, picks.receivers, pairs=picks.pairs)
    np.testing.assert_array_equal(rays.source, picks.source)
    np.testing.assert_array_equal(rays.receiver, picks.receiver)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"receiver": [0, 9]}, r"receiver runs from 0 to 9 \(there are 2, from 0\)"),
        ({"source": [0]}, r"source has 1 entries \(must have one per pick: 2\)"),
        ({"time": [0.1, np.nan]}, r"pick 1: time is nan \(must be finite.*1 of 2 picks"),
        ({"error": -1}, r"pick 0: error is -1 \(must be finite and > 0.*2 of 2 picks"),
        ({"sources": [(0, 0, 0)]}, "sources have 3 coordinates and receivers 2"),
        ({"sources": [1, 2, 3, 4]}, r"sources has shape \(1, 4\)"),
        ({"sources": [(0, np.inf)]}, "not finite"),
    ],
)
def test_what_does_not_fit_is_named(change, message):
    right = {
        "sources": [(0, 0)],
        "receivers": [(1, 0), (2, 0)],
        "source": [0, 0],
        "receiver": [0, 1],
        "time": [0.1, 0.2],
    }
    fm.Picks(**right)
    with pytest.raises(ValueError, match=message):
        fm.Picks(**{**right, **change})


def test_other_things_are_refused(tmp_path):
    with pytest.raises(ValueError, match="picks of type int are not understood"):
        fm.picks(3)
    with pytest.raises(ValueError, match="no column 'receiver_z'"):
        fm.picks({name: c for name, c in COLUMNS.items() if name != "receiver_z"})
    with pytest.raises(ValueError, match="none.csv"):
        fm.picks(tmp_path / "none.csv")


class Events(list):
    """The part of an ObsPy catalogue that Fermat reads."""

    @property
    def events(self):
        return list(self)


def event(depth, *picks):
    origin = SimpleNamespace(longitude=10.0, latitude=45.0, depth=depth, time=100.0)
    return SimpleNamespace(
        preferred_origin=lambda: origin,
        origins=[origin],
        picks=[
            SimpleNamespace(
                waveform_id=SimpleNamespace(network_code="XX", station_code=station),
                phase_hint=phase,
                time=time,
                time_errors=SimpleNamespace(uncertainty=0.1),
            )
            for station, phase, time in picks
        ],
    )


def network():
    stations = [
        SimpleNamespace(code="A", longitude=9.0, latitude=45.0, elevation=500.0),
        SimpleNamespace(code="B", longitude=11.0, latitude=45.0, elevation=-20.0),
    ]
    class Network(list):
        code = "XX"
    return [Network(stations)]


def test_a_catalogue_becomes_kilometres_and_seconds():
    catalogue = Events(
        [
            event(12000.0, ("A", "Pg", 112.0), ("A", "Sg", 120.0), ("NONE", "P", 3.0)),
            event(5000.0, ("B", "S", 101.0)),
            event(3000.0, ("B", "P", 111.0), ("A", "P", 113.0)),
        ]
    )
    with pytest.warns(UserWarning, match="1 of 4 picks of phase 'P' were left out"):
        picks = fm.picks(catalogue, inventory=network())
    # By PROJ: +proj=tmerc +lat_0=45 +lon_0=10 +ellps=WGS84 +units=km
    east, north = 78.84684165, 0.48656275
    np.testing.assert_allclose(picks.sources, [(0, 0, 12), (0, 0, 3)], atol=1e-9)
    stations = [(-east, north, -0.5), (east, north, 0.02)]
    np.testing.assert_allclose(picks.receivers, stations, rtol=1e-8)
    assert "longitude=10 latitude=45" in str(picks.plane)
    np.testing.assert_array_equal(picks.pairs, [(0, 0), (1, 1), (1, 0)])
    np.testing.assert_array_equal(picks.time, [12, 11, 13])
    with pytest.raises(ValueError, match="needs the stations' inventory"):
        fm.picks(catalogue)
    with pytest.raises(ValueError, match="no pick of phase 'X'"):
        fm.picks(catalogue, inventory=network(), phase="X")


def test_obspys_own_example_is_read():
    obspy = pytest.importorskip("obspy")
    from obspy.core.event import Arrival, Catalog, Event, Origin, Pick, WaveformStreamID
    from obspy.core.inventory import Inventory, Network, Station

    start = obspy.UTCDateTime(2020, 1, 1)
    pick = Pick(
        time=start + 7.5,
        phase_hint="P",
        waveform_id=WaveformStreamID(network_code="XX", station_code="A"),
    )
    origin = Origin(time=start, longitude=10.1, latitude=45, depth=8000, arrivals=[Arrival()])
    stations = [Station(code="A", longitude=10, latitude=45, elevation=1000)]
    picks = fm.picks(
        Catalog([Event(picks=[pick], origins=[origin])]),
        inventory=Inventory([Network("XX", stations=stations)]),
        project=lambda longitude, latitude: (longitude, latitude),
    )
    np.testing.assert_allclose(picks.sources, [(10.1, 45, 8)])
    np.testing.assert_allclose(picks.receivers, [(10, 45, -1)])
    np.testing.assert_allclose(picks.time, [7.5])


def test_phases_ids_and_origin_times_survive_files_and_reach_the_inversion(tmp_path):
    picks = fm.Picks(
        [(0, 0), (0, 0)],
        [(3, 4)],
        source=[0, 1, 1],
        receiver=[0, 0, 0],
        time=[2.5, 12.5, 14.0],
        phase=["P", "P", "S"],
        event=["morning", "noon"],
        station=["A"],
        origin_time=[0, 10],
    )
    picks.save(tmp_path / "p.csv")
    read = fm.Picks.load(tmp_path / "p.csv")
    assert read.event == ("morning", "noon")
    assert read.station == ("A",)
    assert list(read.phase) == ["P", "P", "S"]
    assert list(read.origin_time) == [0, 10]
    model = fm.Model.constant((7, 7), velocity=2)
    with pytest.raises(ValueError, match="two phases, 2 of P and 1 of S, and there is one velocity"):
        fm.invert(model, read)
    with pytest.raises(ValueError, match="phase is 'Q'"):
        fm.Picks([(0, 0)], [(1, 0)], source=[0], receiver=[0], time=[1], phase="Q")
    with pytest.raises(ValueError, match="event has 2 names for 1 points"):
        fm.Picks([(0, 0)], [(1, 0)], source=[0], receiver=[0], time=[1], event=["a", "b"])
