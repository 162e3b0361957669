"""`fermat locate --terms`: terms that are found are written, and lead to the same places when read."""

import csv

import numpy as np
import pytest


@pytest.fixture
def delayed(fermat):
    """Twenty events in a constant velocity of 5, heard by ten stations that are late by times of their own."""
    rng = np.random.default_rng(3)
    fermat("model", "constant", "--shape", "21,21,11", "--spacing", "2", "--velocity", "5", "-o", "m.h5")
    at = np.column_stack([rng.uniform(2, 38, (10, 2)), np.zeros(10)])
    late = 0.2 * rng.standard_normal(10)
    lines = ["event,station,phase,time,error"]
    for e, place in enumerate(rng.uniform((12, 12, 4), (28, 28, 14), (20, 3))):
        travel = np.linalg.norm(at - place, axis=1) / 5
        for ratio, phase in ((1, "P"), (1.73, "S")):
            lines += [f"q{e},S{n},{phase},{50 * e + ratio * t + late[n]:.5f},0.01" for n, t in enumerate(travel)]
    fermat.write("picks.csv", "\n".join(lines) + "\n")
    stations = "\n".join(f"S{n},{x},{y},{z}" for n, (x, y, z) in enumerate(at))
    fermat.write("stations.csv", "station,x,y,z\n" + stations + "\n")
    return fermat


def located(fermat, name, *more):
    done = fermat.call("locate", "--model", "m.h5", "--vp-vs", "1.73", "--stations", "stations.csv",
                       "--picks", "picks.csv", "-o", name, *more)
    assert done.returncode == 0, done.stderr
    with open(fermat.folder / name) as file:
        table = list(csv.DictReader(file))
    return done, np.array([[float(row[axis]) for axis in "xyz"] for row in table])


@pytest.mark.parametrize("kind", ["find", "ssst"])
def test_terms_are_written_and_read_again(delayed, kind):
    done, places = located(delayed, "found.csv", "--terms", kind, "--made-terms", "terms.csv")
    assert "station terms of" in done.stdout and "quality:" in done.stdout
    header = (delayed.folder / "terms.csv").read_text().splitlines()[0]
    assert header == ("station,phase,term" if kind == "find" else "station,phase,x,y,z,term,weight,radius")
    _, again = located(delayed, "again.csv", "--terms", "terms.csv")
    np.testing.assert_allclose(again, places, atol=0.02)


def test_terms_of_other_stations_are_refused(delayed):
    delayed.write("other.csv", "station,phase,term\nX,P,0.1\n")
    done = delayed.call("locate", "--model", "m.h5", "--vp-vs", "1.73", "--stations", "stations.csv",
                        "--picks", "picks.csv", "-o", "found.csv", "--terms", "other.csv")
    assert done.returncode == 2
    assert "has terms of none of the 10 stations" in done.stderr
