"""First motions beside take-off angles, and mechanisms that explain them."""

import csv
import gzip

import fermat as fm
import numpy as np
import pytest


def motions_of(strike, dip, rake, count, seed=1):
    angles = np.random.default_rng(seed).uniform((0, 10), (360, 170), (count, 2))
    sign = np.sign(fm.radiation(strike, dip, rake, angles[:, 0], angles[:, 1]))
    return {"azimuth": angles[:, 0], "take_off": angles[:, 1], "polarity": sign}


def test_radiation_of_a_vertical_strike_slip_fault_has_four_quadrants():
    # Slip of the far side to the right of an observer on a fault along north.
    assert fm.radiation(0, 90, 0, 45, 90) == pytest.approx(1)
    assert fm.radiation(0, 90, 0, 135, 90) == pytest.approx(-1)
    assert fm.radiation(0, 90, 0, 0, 90) == pytest.approx(0, abs=1e-12)
    # A thrust of 45 degrees pushes up and down: up there is compression.
    assert fm.radiation(0, 45, 90, 0, 180) == pytest.approx(1)
    assert fm.radiation(0, 45, 90, 90, 90) == pytest.approx(-1)


@pytest.mark.parametrize("truth", [(30, 60, 90), (120, 80, 10), (250, 45, -100)])
def test_a_grid_search_finds_the_mechanism_of_its_first_motions(truth):
    motions = motions_of(*truth, 120)
    found = fm.mechanism(motions, step=10)
    true = fm.radiation(*truth, motions["azimuth"], motions["take_off"])
    got = fm.radiation(found.strike, found.dip, found.rake, motions["azimuth"], motions["take_off"])
    assert np.corrcoef(true, got)[0, 1] > 0.9
    assert found.misfit < 0.12 and found.used == 120
    few = fm.mechanism(motions_of(*truth, 6), step=15)
    assert few.spread > found.spread


def located(tmp_path):
    model = fm.Model.gradient((41, 41, 21), v0=5, gradient=0.05)
    stations = {"station": list("ABCD"), "x": [5, 35, 6, 33], "y": [5, 6, 34, 35], "z": [0] * 4}
    phases = {"event": ["q"] * 4, "station": list("ABCD"), "phase": ["P"] * 4,
              "time": [4.39, 4.26, 4.22, 4.22]}
    return fm.locate(model, phases, stations=stations, model_error=0.05)


def test_first_motions_are_joined_and_written(tmp_path):
    found = located(tmp_path)
    path = tmp_path / "polarities.csv"
    path.write_text("event,station,phase,polarity\nq,A,P,U\nq,B,P,-\nq,C,P,\nq,D,S,U\nz,A,P,D\n")
    motions = fm.first_motions(found, path)
    packed = tmp_path / "polarities.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert fm.first_motions(found, packed)["polarity"].tolist() == motions["polarity"].tolist()
    assert motions["station"] == ["A", "B"] and motions["polarity"].tolist() == [1, -1]
    assert (motions["take_off"] > 90).all()  # up, to stations at the surface
    fm.save_first_motions(tmp_path / "skhash", motions)
    rows = list(csv.DictReader((tmp_path / "skhash").open()))
    assert [row["p_polarity"] for row in rows] == ["1", "-1"]
    # SKHASH counts from straight up.
    assert float(rows[0]["takeoff"]) == pytest.approx(180 - motions["take_off"][0], abs=0.01)
    with pytest.raises(ValueError, match="has no origin time, latitude and longitude, which hash needs"):
        fm.save_first_motions(tmp_path / "hash", motions, output_format="hash")
    motions |= {"origin_time": np.full(2, 1.6e9), "longitude": np.full(2, -7.5), "latitude": np.full(2, 46.25)}
    for kind in ("hash", "fpfit"):
        fm.save_first_motions(tmp_path / kind, motions, output_format=kind)
    card, first, *_ = (tmp_path / "hash").read_text().splitlines()
    assert card[:14] == "20091312264000"[:14] and card[14:29] == "46 1500  7 3000" and card[122:] == "q"
    assert first[:8] == "A   IPU0" and int(first[62:66]) == round(motions["take_off"][0])
    assert (tmp_path / "fpfit").read_text().startswith("  DATE    ORIGIN")
    with pytest.raises(ValueError, match="no column 'polarity'"):
        fm.first_motions(found, {"event": ["q"], "station": ["A"]})


@pytest.mark.filterwarnings("ignore:2 of 4 picks are left out")
@pytest.mark.parametrize("name", ["p.csv", "p.csv.gz"])
def test_picks_keep_first_motions_through_files_and_tables(tmp_path, name):
    picks = fm.Picks([(20, 20, 9)], [(5, 5, 0), (35, 6, 0), (6, 34, 0), (33, 35, 0)], source=[0] * 4,
                     receiver=range(4), time=[4.39, 4.26, 4.22, 4.22], polarity=["U", "-", None, 1.0],
                     event=["q"], station=list("ABCD"))
    assert picks.polarity.tolist() == [1, -1, 0, 1]
    assert fm.Picks.from_columns(picks.to_columns()).polarity.tolist() == [1, -1, 0, 1]
    assert picks.moved(picks.sources, [4.25]).polarity.tolist() == [1, -1]
    picks.save(tmp_path / name)
    read = fm.read_picks(tmp_path / name)
    assert read.polarity.tolist() == [1, -1, 0, 1]
    found = fm.locate(fm.Model.gradient((41, 41, 21), v0=5, gradient=0.05), read, model_error=0.05)
    assert fm.first_motions(found)["station"] == ["A", "B", "D"]
    with pytest.raises(ValueError, match="polarity has the shape"):
        fm.Picks([(0, 0)], [(1, 0)], source=[0], receiver=[0], time=[1], polarity=["U", "D"])


@pytest.mark.filterwarnings("ignore")
def test_first_motions_of_phase_files_reach_quakeml(tmp_path):
    (tmp_path / "phases.csv").write_text("event,station,phase,time,polarity\nq,A,P,4.4,U\nq,B,P,4.3,D\nq,C,P,4.2,\n")
    (tmp_path / "stations.csv").write_text(
        "station,longitude,latitude,elevation\nA,-7.5,46.2,0\nB,-7.4,46.3,0\nC,-7.6,46.3,0\n")
    (tmp_path / "events.csv").write_text("event,longitude,latitude,depth\nq,-7.5,46.25,8\n")
    read = fm.read_picks(tmp_path / "phases.csv", stations=tmp_path / "stations.csv", events=tmp_path / "events.csv")
    assert read.polarity.tolist() == [1, -1, 0]
    read.save(tmp_path / "out.xml", output_stations=tmp_path / "out.stationxml")
    text = (tmp_path / "out.xml").read_text()
    assert text.count("<polarity>positive<") == 1 and text.count("<polarity>negative<") == 1
    assert read.geographic().polarity.tolist() == [1, -1, 0]
