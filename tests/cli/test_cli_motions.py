"""First motions through `fermat picks convert` and `fermat locate`, as SKHASH, HASH and FPFIT read them."""

import csv
import re

import numpy as np
import pytest

AT = [(46.10, 7.20, 900), (46.30, 7.50, 1200), (46.15, 7.55, 800), (46.35, 7.15, 1500), (46.22, 7.34, 1100)]
SIGNS = "UD UD"
PLACE = (46.22, 7.35, 8.0)


@pytest.fixture
def first(fermat):
    """An event below five stations, four of which have a first motion."""
    fermat("model", "constant", "--shape", "61,61,25", "--spacing", "1", "--velocity", "6", "--origin=-30,-30,-2",
           "-o", "m.h5")
    km = np.array([111.2, 111.2 * np.cos(np.radians(46.22))])
    lines, stations = [], []
    for n, (latitude, longitude, height) in enumerate(AT):
        off = np.hypot(*((np.array([latitude, longitude]) - PLACE[:2]) * km))
        time = np.hypot(off, PLACE[2] + height / 1000) / 6
        sign = SIGNS[n].strip()
        lines.append(f"e7,XX.ST{n},P,2021-03-04T05:06:{7.5 + time:08.5f},0.05,{sign}\n")
        stations.append(f"XX.ST{n},{longitude},{latitude},{height}\n")
    fermat.write("picks.csv", "event,station,phase,time,error,polarity\n" + "".join(lines))
    fermat.write("stations.csv", "station,longitude,latitude,elevation\n" + "".join(stations))
    return fermat


def located(first, *more):
    done = first.call("locate", "--model", "m.h5", "--stations", "stations.csv", "--picks", "picks.csv",
                      "--model-error", "0.05", "-o", "found.csv", "--fits", "fits.csv", *more)
    assert done.returncode == 0, done.stderr
    with open(first.folder / "fits.csv") as file:
        return list(csv.DictReader(file)), done.stderr


def test_formats_keep_first_motions_through_reading_and_writing(first):
    fits, _ = located(first, "--export", "out.xml", "--output-stations", "out_stations.xml", "--hyp", "out.hyp")
    assert [row["polarity"] for row in fits] == ["U", "D", "", "U", "D"]
    text = (first.folder / "out.xml").read_text()
    assert text.count("<polarity>positive</polarity>") == 2 and text.count("<polarity>negative</polarity>") == 2
    for source, stations in (("out.xml", "out_stations.xml"), ("out.hyp", "stations.csv")):
        done = first.call("locate", "--model", "m.h5", "--stations", stations, "--picks", source, "--centre",
                          "7.35,46.22", "--model-error", "0.05", "-o", "again.csv", "--fits", "again_fits.csv",
                          "--export", "again.obs", "--output-stations", "gtsrce.txt", "--moved-picks", "moved.csv")
        assert done.returncode == 0, done.stderr
        with open(first.folder / "again_fits.csv") as file:
            assert [row["polarity"] for row in csv.DictReader(file)] == ["U", "D", "", "U", "D"]
        words = [line.split()[5] for line in (first.folder / "again.obs").read_text().splitlines()
                 if line.startswith("XX.")]
        assert words == ["U", "D", "?", "U", "D"]
        assert "polarity" in (first.folder / "moved.csv").read_text().splitlines()[1]
    done = first.call("invert", "--picks", "moved.csv", "--model", "m.h5", "--relocate", "times", "--velocities", "none",
                      "--iterations", "1", "-o", "run")
    assert done.returncode == 0, done.stderr
    lines = (first.folder / "run/moved_picks.csv").read_text().splitlines()
    assert [row["polarity"] for row in csv.DictReader(line for line in lines if line[0] != "#")] == ["U", "D", "", "U", "D"]
    done = first.call("locate", "--model", "m.h5", "--stations", "stations.csv", "--picks", "picks.csv",
                      "--model-error", "0.05", "-o", "b.csv", "--export", "phase.dat", "--output-stations", "s.dat")
    assert "4 first motions are not kept" in done.stderr


def test_cards_of_hypo71_have_first_motions(first):
    first.write("hypo.pha", "AAAAIPU0 210304050608.50\nBBBB PD1 210304050609.00\nCCCC P 0 210304050609.50\n"
                "DDDDIPC0 210304050609.20\n                 10\n")
    first.write("abc.csv", "station,longitude,latitude,elevation\nAAAA,7.2,46.1,900\nBBBB,7.5,46.3,1200\n"
                "CCCC,7.55,46.15,800\nDDDD,7.15,46.35,1500\n")
    done = first.call("picks", "convert", "hypo.pha", "--stations", "abc.csv", "-o", "out.obs",
                      "--output-stations", "g.txt")
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in (first.folder / "out.obs").read_text().splitlines() if line[:1].isalpha()]
    assert {line[0]: line[5] for line in lines} == {"AAAA": "U", "BBBB": "D", "CCCC": "?", "DDDD": "U"}


def test_skhash_counts_take_off_angles_from_straight_up(first):
    fits, _ = located(first, "--first-motions", "pol.csv")
    with open(first.folder / "pol.csv") as file:
        rows = list(csv.DictReader(file))
    assert [(row["network"], row["station"], row["p_polarity"]) for row in rows] == [
        ("XX", "ST0", "1"), ("XX", "ST1", "-1"), ("XX", "ST3", "1"), ("XX", "ST4", "-1")]
    assert rows[0]["event_id"] == "e7" and rows[0]["location"] == "--"
    assert float(rows[3]["takeoff"]) == pytest.approx(180 - float(fits[4]["take_off"]), abs=0.01)
    assert float(rows[3]["takeoff"]) < 20  # a station above the event
    assert float(rows[0]["azimuth"]) == pytest.approx(float(fits[0]["ray_azimuth"]), abs=0.01)
    assert float(rows[0]["origin_latitude"]) == pytest.approx(46.22, abs=0.02)


def test_cards_of_hash_and_fpfit_have_their_columns(first):
    fits, _ = located(first, "--first-motions", "north.phase", "--motion-format", "hash", "--angle-error", "8")
    card, *motions, end = (first.folder / "north.phase").read_text().splitlines()
    # As SKHASH's reader of HASH's first driver takes them apart.
    assert card[:10] == "2103040506" and float(card[10:14]) / 100 == pytest.approx(7.5, abs=0.1)
    assert int(card[14:16]) + int(card[17:21]) / 6000 == pytest.approx(46.22, abs=0.02) and card[16] == " "
    assert int(card[21:24]) + int(card[25:29]) / 6000 == pytest.approx(7.35, abs=0.02) and card[24] == "E"
    assert int(card[29:34]) / 100 == pytest.approx(8, abs=1.5) and card[122:138].strip() == "e7"
    assert end.strip() == "" and len(motions) == 4
    for line, fit in zip(motions, [fits[n] for n in (0, 1, 3, 4)], strict=True):
        assert line[:4].strip() == fit["station"][3:] and line[6] == fit["polarity"] and line[7] == "0"
        assert int(line[58:62]) / 10 == pytest.approx(float(fit["distance"]), abs=0.06)
        assert int(line[62:66]) == pytest.approx(float(fit["take_off"]), abs=0.5)
        assert int(line[75:78]) == pytest.approx(float(fit["ray_azimuth"]), abs=0.5)
        assert (line[79:82], line[83:86]) == ("  8", "  8")

    located(first, "--first-motions", "hypo71.prt", "--motion-format", "fpfit")
    lines = (first.folder / "hypo71.prt").read_text().splitlines()
    # As FPFIT reads them: format (2x, a4), (1x, i6, 39x, f5.2), (6x, f5.1, 1x, f3.0, 1x, f3.0, 1x, a4, t55, f5.2).
    assert lines[0][2:6] == "DATE" and lines[1][1:7] == "210304" and lines[3][2:6] == "STN "
    assert float(lines[1][46:51]) == 0
    for line, fit in zip(lines[4:8], [fits[n] for n in (0, 1, 3, 4)], strict=True):
        assert line[1:5].strip() == fit["station"][3:]
        assert float(line[6:11]) == pytest.approx(float(fit["distance"]), abs=0.06)
        assert float(line[12:15]) == pytest.approx(float(fit["ray_azimuth"]), abs=0.5)
        assert float(line[16:19]) == pytest.approx(float(fit["take_off"]), abs=0.5)
        assert re.fullmatch("IP[UD]0", line[20:24]) and line[22] == fit["polarity"]
        assert float(line[54:59]) == pytest.approx(float(fit["residual"]), abs=0.006)


def test_first_motions_that_are_not_there_are_refused(first):
    first.write("bare.csv", "event,station,time\ne7,XX.ST0,1\n")
    call = ("locate", "--model", "m.h5", "--stations", "stations.csv", "--picks", "bare.csv", "-o", "f.csv",
            "--first-motions", "p.csv", "--centre", "7.35,46.22")
    assert "no pick has one" in first.error(*call)
