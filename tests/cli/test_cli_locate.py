"""`fermat locate`: catalogues with dates, files that are written, errors, NonLinLoc's sample."""

import csv
import gzip
import os
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("FERMAT_DATA", ROOT.parent / "shared" / "data"))


def rows(path):
    with open(path) as file:
        return list(csv.DictReader(file))


@pytest.fixture
def catalogue(fermat):
    """A model, stations and the phases of two events with dates: one at (10, 9, 6), one with two picks."""
    fermat("model", "constant", "--shape", "21,21,11", "--spacing", "1", "--velocity", "5", "-o", "m.h5")
    at = np.array([(2, 3, 0), (18, 2, 0), (3, 17, 0), (17, 18, 0), (10, 9, 0), (1, 10, 0)], float)
    lines = [f"S{n},{x},{y},{z}" for n, (x, y, z) in enumerate(at)]
    fermat.write("stations.csv", "station,x,y,z\n" + "\n".join(lines) + "\n")
    travel = np.sqrt(((at - (10, 9, 6)) ** 2).sum(axis=1)) / 5
    picks = [f"q1,S{n},P,2020-02-29T23:59:{58 + t:.5f},0.01" if t < 2 else
             f"q1,S{n},P,2020-03-01T00:00:{t - 2:08.5f},0.01" for n, t in enumerate(travel)]
    picks += ["q2,S0,P,2020-03-01T01:00:01,0.01", "q2,S1,P,2020-03-01T01:00:02,0.01"]
    fermat.write("picks.csv", "event,station,phase,time,error\n" + "\n".join(picks) + "\n")
    return fermat


def test_places_dates_and_all_files(catalogue):
    done = catalogue.call(
        "locate", "--model", "m.h5", "--stations", "stations.csv", "--picks", "picks.csv",
        "--model-error", "0", "--samples", "30", "-o", "found.csv", "--fits", "fits.csv",
        "--sampled", "samples.csv", "--moved-picks", "moved.csv")
    assert done.returncode == 0
    assert "1 of 2 events have fewer than 4 usable picks" in done.stderr
    assert "1 of 2 events located" in done.stdout
    first, second = rows(catalogue.folder / "found.csv")
    assert np.allclose([float(first[axis]) for axis in "xyz"], (10, 9, 6), atol=0.02)
    assert first["origin_time"].startswith(("2020-02-29T23:59:57.99", "2020-02-29T23:59:58.00"))
    assert (second["status"], second["x"], second["origin_time"]) == ("few_picks", "", "")
    fits = rows(catalogue.folder / "fits.csv")
    assert len(fits) == 8 and abs(float(fits[4]["take_off"]) - 180) < 1
    assert len(rows(catalogue.folder / "samples.csv")) == 30
    moved = rows(catalogue.folder / "moved.csv")
    assert len(moved) == 6 and float(moved[0]["origin_time"]) > 1.5e9


def test_magnitudes_of_the_events_stay_with_them(catalogue):
    """The catalogue has a column of them where one is known."""
    call = ["locate", "--model", "m.h5", "--stations", "stations.csv", "--picks", "picks.csv", "-o", "found.csv"]
    assert catalogue.call(*call).returncode == 0
    assert "magnitude" not in rows(catalogue.folder / "found.csv")[0]
    catalogue.write("events.csv", "event,x,y,z,magnitude\nq1,9,9,5,2.4\nq2,9,9,5,\n")
    assert catalogue.call(*call, "--events", "events.csv").returncode == 0
    assert [row["magnitude"] for row in rows(catalogue.folder / "found.csv")] == ["2.4", ""]


def test_wrong_calls_are_one_line(catalogue):
    base = ("locate", "--model", "m.h5", "--picks", "picks.csv")
    assert "give the stations" in catalogue.error(*base, "-o", "a.csv")
    files = (*base, "--stations", "stations.csv")
    assert "--samples" in catalogue.error(*files, "-o", "a.csv", "--sampled", "b.csv")
    assert "low corner of the search box" in catalogue.error(*files, "-o", "a.csv", "--box-low", "-9,0,0")
    assert "prior needs" in catalogue.error(*files, "-o", "a.csv", "--prior", "1")


def test_a_catalogue_without_a_place_is_written_and_is_no_success(catalogue):
    catalogue.write("far.csv", "station,x,y,z\n" + "".join(f"S{n},{1000 * n},{2000 * n},0\n" for n in range(1, 7)))
    files = ("locate", "--model", "m.h5", "--picks", "picks.csv", "--stations", "far.csv", "-o", "none.csv", "--quiet")
    done = catalogue.call(*files)
    assert done.returncode == 1 and "error: none of 2 events is located: 2 few_picks" in done.stderr
    assert [row["status"] for row in rows(catalogue.folder / "none.csv")] == ["few_picks"] * 2


def test_outputs_named_gz_are_packed_and_read_again(catalogue):
    call = ("locate", "--model", "m.h5", "--picks", "picks.csv", "--stations", "stations.csv", "--model-error", "0")
    for end in ("", ".gz"):
        done = catalogue.call(*call, "-o", f"found.csv{end}", "--moved-picks", f"moved.csv{end}",
                              "--export", f"found.obs{end}")
        assert done.returncode == 0, done.stderr
    for name in ("found.csv", "moved.csv", "found.obs"):
        with gzip.open(catalogue.folder / f"{name}.gz", "rt") as packed:
            assert packed.read() == (catalogue.folder / name).read_text()
    for name in ("moved.csv.gz", "found.obs.gz"):
        done = catalogue.call("locate", "--model", "m.h5", "--picks", name, "--stations", "stations.csv",
                              "-o", "again.csv")
        assert done.returncode == 0, done.stderr
        assert rows(catalogue.folder / "again.csv")[0]["status"] == "located"


def nonlinloc_events():
    """Stations, phases and best places of NonLinLoc's sample, in its own coordinates."""
    stations, phases, best = {}, [], {}
    for path in sorted((DATA / "nlloc_alaska").glob("*.hyp")):
        event, inside = path.stem.split(".", 1)[1], False
        for line in path.read_text().splitlines():
            words = line.split()
            if line.startswith("HYPOCENTER"):
                best[event] = tuple(float(words[n]) for n in (2, 4, 6))
            inside = (inside or line.startswith("PHASE ID")) and not line.startswith("END_PHASE")
            if not inside or line.startswith("PHASE ID"):
                continue
            day, clock, second = words[6], words[7], float(words[8])
            seconds = int(clock[:2]) * 3600 + int(clock[2:]) * 60 + second
            assert day == "20181130"
            at = words[words.index(">") + 4 : words.index(">") + 7]
            if float(words[words.index(">") + 3]) == 0:  # not used there
                continue
            stations[words[0]] = tuple(map(float, at))
            phases.append((event, words[0], words[4], seconds, words[10]))
    return stations, phases, best


def test_nonlinlocs_sample_in_its_layers(fermat):
    if not (DATA / "nlloc_alaska").is_dir():
        pytest.skip("nlloc_alaska is not here (set FERMAT_DATA)")
    stations, phases, best = nonlinloc_events()
    tops = (-5, 4, 9, 14, 19, 24, 33, 49, 66)
    velocities = (5.3, 5.6, 6.2, 6.9, 7.4, 7.7, 7.9, 8.1, 8.3)
    layers = [word for pair in zip(tops, velocities, strict=True) for word in ("--layer", "{}:{}".format(*pair))]
    fermat("model", "layers", "--cells", "--shape", "101,101,106", "--spacing", "1",
           "--origin", "-80,-20,-5", *layers, "-o", "p.h5")
    lines = [f"{name},{x},{y},{z}" for name, (x, y, z) in stations.items()]
    fermat.write("stations.csv", "station,x,y,z\n" + "\n".join(lines) + "\n")
    lines = [",".join(map(str, row)) for row in phases]
    fermat.write("phases.csv", "event,station,phase,time,error\n" + "\n".join(lines) + "\n")
    # As its control file: EDT_OT_WT, errors of 2 % of the times; first-order times on 1 km, as Grid2Time's.
    fermat.call("locate", "--model", "p.h5", "--vp-vs", "1.68", "--stations", "stations.csv", "--picks",
                "phases.csv", "--likelihood", "edt", "--model-error", "0", "--model-error-share", "0.02",
                "--order", "1", "-o", "found.csv")
    found = {row["event"]: np.array([float(row[axis]) for axis in "xyz"])
             for row in rows(fermat.folder / "found.csv")}
    off = {event: np.linalg.norm(found[event] - best[event]) for event in best}
    assert len(off) == 7 and max(off.values()) < 0.5, off


def test_nonlinlocs_sample_from_its_own_files(fermat):
    """Picks, stations, projection, layers and the length of the time grids as its control file says."""
    folder = DATA / "nlloc_alaska"
    if not folder.is_dir():
        pytest.skip("nlloc_alaska is not here (set FERMAT_DATA)")
    tops = (-5, 4, 9, 14, 19, 24, 33, 49, 66)
    velocities = (5.3, 5.6, 6.2, 6.9, 7.4, 7.7, 7.9, 8.1, 8.3)
    layers = [word for pair in zip(tops, velocities, strict=True) for word in ("--layer", "{}:{}".format(*pair))]
    fermat("model", "layers", "--cells", "--shape", "201,201,106", "--spacing", "1",
           "--origin", "-100,-100,-5", *layers, "-o", "p.h5")
    done = fermat.call("locate", "--model", "p.h5", "--vp-vs", "1.68", "--stations",
                       folder / "station_coordinates.txt", "--centre", "-150,61", "--picks",
                       folder / "events.obs", "--likelihood", "edt", "--model-error", "0",
                       "--model-error-share", "0.02", "--order", "1", "--reach", "400", "-o", "found.csv")
    assert "73 of 303 picks are not used: 23 stations lie beyond --reach 400" in done.stderr
    found = {row["event"]: row for row in rows(fermat.folder / "found.csv")}
    for path in sorted(folder.glob("*.hyp")):
        words = next(line for line in path.read_text().splitlines() if line.startswith("GEOGRAPHIC")).split()
        latitude, longitude, depth = (float(words[words.index(name) + 1]) for name in ("Lat", "Long", "Depth"))
        event = found[path.stem.split(".", 1)[1]]
        north = 111.2 * (float(event["latitude"]) - latitude)
        east = 111.2 * np.cos(np.radians(latitude)) * (float(event["longitude"]) - longitude)
        assert np.linalg.norm([north, east, float(event["z"]) - depth]) < 0.5, path.stem
