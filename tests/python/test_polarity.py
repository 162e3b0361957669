"""First motions beside take-off angles, and mechanisms that explain them."""

import csv

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
