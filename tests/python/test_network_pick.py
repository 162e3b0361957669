"""Earthquakes: records of a network, P and S by the picker, where events were, and files of others."""

import gzip
import sys
import types
import warnings
from pathlib import Path

import numpy as np
import pytest

import fermat as fm

obspy = pytest.importorskip("obspy")
from fermat.picking import deep_picker, pick_events, synthetic_network
from fermat.picking.hypocentres import Ground
from fermat.picking.network import stations_in
from fermat.picking.phases import later_onset

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    folder = tmp_path_factory.mktemp("network")
    true = synthetic_network(folder, events=3, noise=0.1)
    return folder, true


@pytest.fixture(scope="module")
def found(network):
    return pick_events(fm.records(network[0]))


def apart(records, picked, true, phase):
    """Picked less true times (events, stations); NaN without a pick."""
    out = np.full(true.shape, np.nan)
    for n, record in enumerate(records):
        for station in stations_in(record):
            trace = station.for_p if phase == "P" else station.for_s
            k = int(station.name[-2:])
            out[n, k] = picked.time[n][trace] - (true[n, k] - float(record.began.timestamp))
    return out


def test_files_of_stations_become_records_of_events(network):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        records = fm.records(network[0])
    assert records.network and len(records) == 3
    assert any("24 files of stations are 3 records" in str(one.message) for one in told)
    stations = stations_in(records[1])
    assert len(stations) == 8 and stations[0].name == "XX.S00"
    record = records[1]
    assert [record.stations[k][-1] for k in (stations[0].for_p, *stations[0].across)] == ["Z", "E", "N"]
    assert records.plane is not None and np.abs(record.receivers[:, :2]).max() < 60, "km on a plane"
    assert record.receivers[:, 2].max() < 0, "stations above sea level"


def test_p_and_s_are_found_and_events_located(network, found):
    true = network[1]
    for phase, picked in (("P", found), ("S", found.later)):
        off = apart(found.records, picked, true[phase], phase)
        assert np.isfinite(off).mean() >= 0.95
        assert np.nanmedian(np.abs(off)) < 0.02 and np.nanmax(np.abs(off)) < 0.15
        rows = [row[np.isfinite(row)] for row in picked.error]
        assert all((row > 0).all() and (row < 0.5).all() for row in rows)
    catalogue = found.catalogue
    x, y = found.records.plane.to_plane(true["position"][:, 0], true["position"][:, 1])
    assert catalogue.status == ["located"] * 3
    assert np.hypot(catalogue.position[:, 0] - x, catalogue.position[:, 1] - y).max() < 1
    assert np.abs(catalogue.position[:, 2] - true["position"][:, 2]).max() < 2
    assert np.abs(catalogue.origin_time - true["origin_time"]).max() < 0.2
    sign = [found.polarity[n][s.for_p] for n, r in enumerate(found.records) for s in stations_in(r)]
    assert np.mean(np.array(sign) == 1) > 0.9


def test_picks_locate_again_and_go_to_files_and_back(found, tmp_path):
    picks = found.picks
    assert set(picks.phase) == {"P", "S"} and len(picks.event) == 3 and picks.placed.all()
    found.catalogue.save(tmp_path / "events.xml", output_stations=tmp_path / "stations.xml")
    again = fm.read_picks(tmp_path / "events.xml", inventory=tmp_path / "stations.xml")
    assert len(again) == len(picks)
    catalogue = obspy.read_events(str(tmp_path / "events.xml"))
    assert len(catalogue) == 3 and len(catalogue[0].origins[0].arrivals) >= 15
    found.catalogue.save(tmp_path / "phase.dat", output_stations=tmp_path / "station.dat")
    again = fm.read_picks(tmp_path / "phase.dat", stations=tmp_path / "station.dat")
    assert len(again) == len(picks) and np.allclose(np.sort(again.travel_time), np.sort(picks.travel_time), atol=2e-3)


def test_dead_and_noisy_stations_stay_silent(network):
    rng = np.random.default_rng(0)
    records = fm.records(network[0])

    def spoil(data):
        out = data.copy()
        out[:3] = 0
        out[3:6] = 1e-3 * rng.standard_normal(out[3:6].shape)
        return out

    spoilt = fm.Records([record.with_data(spoil) for record in records], records.plane)
    found = pick_events(spoilt)
    for each in (found, found.later):
        silent = np.isnan(np.array(each.time)).reshape(3, 8, 3).all(axis=2)
        assert silent[:, 0].all() and silent[:, 1].mean() >= 0.6 and silent[:, 2:].mean() < 0.1
    assert found.catalogue.located.all()


def test_a_wrong_clock_of_a_station_does_not_move_the_event(network):
    true = network[1]
    records = fm.records(network[0])
    shifted = fm.Records([record.with_data(lambda data: np.vstack([np.roll(data[:3], 300, axis=1), data[3:]]))
                          for record in records], records.plane)
    found = pick_events(shifted)
    x, y = records.plane.to_plane(true["position"][:, 0], true["position"][:, 1])
    assert np.hypot(found.catalogue.position[:, 0] - x, found.catalogue.position[:, 1] - y).max() < 1


def test_places_of_stations_by_stationxml_and_tables(network, tmp_path):
    lines = (network[0] / "stations.csv").read_text().splitlines()[1:]
    rows = [line.split(",") for line in lines]
    inventory = obspy.core.inventory
    stations = [inventory.Station(code=name.split(".")[1], longitude=float(x), latitude=float(y), elevation=float(z))
                for name, x, y, z in rows[:-1]]
    inventory.Inventory([inventory.Network("XX", stations)], source="test").write(
        str(tmp_path / "stations.xml"), format="STATIONXML")
    with pytest.warns(UserWarning, match="1 stations are not in .*the first is XX.S07"):
        by_xml = fm.records(network[0], receivers=tmp_path / "stations.xml")
    by_csv = fm.records(network[0])
    known = np.isfinite(by_xml[0].receivers).all(axis=1)
    assert known.sum() == 21
    one, other = by_xml.plane, by_csv.plane
    degrees = [np.array(plane.to_geographic(r[0].receivers[:21, 0], r[0].receivers[:21, 1]))
               for plane, r in ((one, by_xml), (other, by_csv))]
    assert np.allclose(*degrees, atol=1e-6)
    (tmp_path / "flat.csv").write_text("station,x,y,z\n" + "".join(f"S{n:02d},{n},{n % 3},-0.5\n" for n in range(8)))
    flat = fm.records(network[0], receivers=tmp_path / "flat.csv")
    assert flat.network and flat.plane is None and flat[0].receivers[4].tolist() == [1, 1, -0.5]
    (tmp_path / "bad.csv").write_text("station,longitude,latitude\nS00,east,46\n")
    with pytest.raises(ValueError, match="longitude, latitude and elevation must be numbers"):
        fm.records(network[0], receivers=tmp_path / "bad.csv")
    (tmp_path / "bad.xml").write_text("<a/>")
    with pytest.raises(ValueError, match="is no inventory of stations"):
        fm.records(network[0], receivers=tmp_path / "bad.xml")


def test_gaps_and_other_rates_are_joined(tmp_path):
    rng = np.random.default_rng(1)
    whole = obspy.Trace((100 + rng.standard_normal(4000)).astype(np.float32))
    whole.stats.sampling_rate, whole.id = 100, "XX.A..HHZ"
    begun = whole.stats.starttime
    slow = obspy.Trace((5 + rng.standard_normal(2000)).astype(np.float32))
    slow.stats.sampling_rate, slow.id = 50, "XX.B..HHZ"
    obspy.Stream([whole.slice(begun, begun + 10), whole.slice(begun + 12, begun + 39), slow]).write(
        str(tmp_path / "a.mseed"), format="MSEED")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        record = fm.records(tmp_path / "a.mseed")[0]
    said = " ".join(str(one.message) for one in told)
    assert "1 of 3 traces" in said and "interpolated to 100 Hz" in said and "1 gaps or overlaps" in said
    assert "can be picked, and not located" in said
    assert len(record.data) == 2 and record.samples >= 3990 and record.data[0].min() > 90, "no step to zero in a gap"


def test_events_are_found_in_long_records(network, tmp_path):
    """Ten minutes of noise with two events, and a burst at one station alone."""
    rng = np.random.default_rng(3)
    begun = obspy.UTCDateTime(2024, 5, 6, 7, 0)
    for n in range(8):
        stream = obspy.Stream()
        for k in range(3):
            parts = [obspy.read(str(network[0] / f"S{n:02d}_{event:02d}.mseed"))[k] for event in (1, 2)]
            quiet = parts[0].data[:500].std()
            data = quiet * rng.standard_normal(60_000)
            for part, at in zip(parts, (12_000, 40_000)):
                data[at : at + 4000] = part.data
            if n == 3:
                data[30_000:30_500] *= 40
            trace = obspy.Trace(data.astype(np.float32))
            trace.id, trace.stats.sampling_rate, trace.stats.starttime = parts[0].id, 100, begun
            stream.append(trace)
        stream.write(str(tmp_path / f"{n}.mseed"), format="MSEED")
    (tmp_path / "stations.csv").write_text((network[0] / "stations.csv").read_text())
    with pytest.warns(UserWarning, match="1 long records are cut into 2 events"):
        records = fm.records(tmp_path)
    found = pick_events(records)
    assert found.catalogue.status == ["located"] * 2 and len(set(r.name for r in records)) == 2
    true = network[1]["position"][:2]
    x, y = records.plane.to_plane(true[:, 0], true[:, 1])
    assert np.hypot(found.catalogue.position[:, 0] - x, found.catalogue.position[:, 1] - y).max() < 1


def test_two_real_events_at_four_stations(tmp_path):
    """Unterhaching, 27 May 2010, samples of ObsPy: two events from one place, so that P comes in one order."""
    source = Path(obspy.__file__).parent / "signal" / "tests" / "data"
    files = sorted(source.glob("BW.UH*cut.slist.gz"))
    if len(files) < 6:
        pytest.skip("ObsPy's samples are not installed")
    for file in files:
        (tmp_path / file.stem).write_bytes(gzip.decompress(file.read_bytes()))
    records = fm.records(tmp_path)
    assert len(records) == 2
    found = pick_events(records)
    first = np.array([[found.time[n][s.for_p] for s in stations_in(r)] for n, r in enumerate(records)])
    assert first.shape == (2, 4) and np.isfinite(first).all()
    after = first - first[:, :1]
    assert np.abs(after[0] - after[1]).max() < 0.05 and 0.5 < after[0, 3] < 1


def test_without_places_p_is_picked_and_said_so(network):
    records = fm.records(network[0])
    bare = fm.Records([record.with_data(lambda data: data) for record in records])
    for record in bare:
        record.receivers[:] = np.nan
    found = pick_events(bare)
    assert found.catalogue is None and np.isfinite(np.array(found.time)).sum() >= 20
    with pytest.raises(ValueError, match="no stations with known places"):
        _ = found.picks
    with pytest.raises(ValueError, match="places of the stations are not known"):
        Ground.of(None, bare)


def test_bad_options_are_one_sentence(network):
    records = fm.records(network[0])
    with pytest.raises(ValueError, match="rounds is -1"):
        pick_events(records, rounds=-1)
    with pytest.raises(ValueError, match="vp_vs is 0.9"):
        pick_events(records, vp_vs=0.9)
    with pytest.raises(ValueError, match="model is 2-D"):
        pick_events(records, model=fm.Model.constant((9, 9), velocity=5))
    with pytest.raises(ValueError, match="all 3 records are dead"):
        pick_events(fm.Records([record.with_data(np.zeros_like) for record in records], records.plane))


def test_s_is_found_behind_p():
    rng = np.random.default_rng(2)
    rows = 0.1 * rng.standard_normal((2, 2000))
    rows[:, 500:] += np.sin(np.arange(1500) / 3) * np.exp(-np.arange(1500) / 800)
    rows[:, 1100:] += 4 * np.sin(np.arange(900) / 4 + np.array([[0.0], [1.0]])) * np.exp(-np.arange(900) / 300)
    assert abs(later_onset(rows, 900, 1400, 20.0).at - 1100) <= 4
    assert later_onset(rows, 100, 400, 20.0) is None, "nothing rises there"


@pytest.fixture
def seisbench(monkeypatch):
    """A stand-in with the interface of SeisBench 0.5 and later: it knows one set of weights, and answers."""
    calls = []

    class PhaseNet:
        @classmethod
        def list_versions(cls, name, remote=True):
            assert not remote, "nothing is fetched"
            return ["1"] if name == "stead" else []

        @classmethod
        def from_pretrained(cls, name, update=True):
            assert not update
            return cls()

        def classify(self, stream, **options):
            calls.append(options)
            begun = stream[0].stats.starttime
            picks = [types.SimpleNamespace(trace_id="XX.S01.", phase=phase, peak_time=begun + time, peak_value=value)
                     for phase, time, value in (("P", 10.0, 0.4), ("P", 12.0, 0.9), ("S", 15.0, 0.8), ("N", 3, 1))]
            return types.SimpleNamespace(picks=picks)

    package, models = types.ModuleType("seisbench"), types.ModuleType("seisbench.models")
    package.models, models.PhaseNet = models, PhaseNet
    monkeypatch.setitem(sys.modules, "seisbench", package)
    monkeypatch.setitem(sys.modules, "seisbench.models", models)
    return calls


def test_models_of_seisbench_pick_where_they_are_installed(network, seisbench):
    records = fm.records(network[0])
    found = pick_events(records, picker=deep_picker("PhaseNet:stead", P_threshold=0.2))
    station = next(one for one in stations_in(records[0]) if one.name == "XX.S01")
    assert found.time[0][station.for_p] == pytest.approx(12) and found.later.time[0][station.for_s] == pytest.approx(15)
    assert np.isfinite(found.time[0]).sum() == 1 and len(seisbench) == 3 and seisbench[0] == {"P_threshold": 0.2}
    with pytest.raises(ValueError, match="'scedc' of PhaseNet are not on this machine.*fetches nothing"):
        deep_picker("PhaseNet:scedc")
    with pytest.raises(ValueError, match="has no model 'Nets'"):
        deep_picker("Nets:stead")
    with pytest.raises(ValueError, match="must be a model and its weights"):
        deep_picker("PhaseNet")


def test_without_seisbench_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "seisbench", None)
    with pytest.raises(ImportError, match="needs seisbench, which is not installed"):
        deep_picker("PhaseNet:stead")
