"""`fermat rays --tracer bending` and `fermat bench bending`: outputs, tasks, the survey, errors."""

import csv

import h5py
import numpy as np
import pytest

BEND = ["rays", "--model", "model.h5", "--sources", "s.csv", "--receivers", "r.csv",
        "--tracer", "bending"]
STARTS = ["none", "straight", "deep", "sides", "descent", "graph"]


def rows_of(path):
    with open(path) as file:
        return list(csv.DictReader(file))


@pytest.fixture
def survey(volume):
    volume.write("s.csv", "x,y,z\n0.3,0.4,0\n4.5,3.5,1.2\n2.5,2,3\n")
    volume.write("r.csv", "x,y,z\n5,4,3\n0,0,0\n2.2,1.1,0.4\n4.9,0.1,0\n")
    return volume


def test_table_and_file_say_which_start_won(survey):
    survey(*BEND, "-o", "rays.h5", "--table", "rays.csv", "--coverage", "c.h5")
    rows = rows_of(survey.folder / "rays.csv")
    assert list(rows[0]) == ["source", "receiver", "time", "length", "points", "status", "start"]
    assert {row["start"] for row in rows} <= {"straight", "deep", "sides"}
    with h5py.File(survey.folder / "rays.h5") as h5:
        data = h5["VTKHDF/CellData"]
        assert [STARTS[s] for s in data["start"]] == [row["start"] for row in rows]
        np.testing.assert_array_equal(data["time"], data["field_time"])


def test_bent_times_are_those_of_descent(survey):
    survey(*BEND, "--table", "bent.csv")
    survey(*BEND[:-1], "descent", "--table", "first.csv")
    bent, first = (rows_of(survey.folder / name) for name in ("bent.csv", "first.csv"))
    assert "start" not in first[0]
    for a, b in zip(bent, first, strict=True):
        assert float(a["time"]) == pytest.approx(float(b["time"]), rel=2e-3)


@pytest.mark.parametrize("tasks", ["pairs", "sources", "stations", "sections"])
def test_tasks_change_no_bit(survey, tasks):
    survey(*BEND, "--threads", "1", "--table", "one.csv")
    survey(*BEND, "--threads", "2", "--tasks", tasks, "--table", "two.csv")
    one, two = ((survey.folder / name).read_text() for name in ("one.csv", "two.csv"))
    assert one == two


def test_seeds_by_name(survey):
    survey(*BEND, "--starts", "descent", "--table", "rays.csv", "--segment", "0.5")
    assert {row["start"] for row in rows_of(survey.folder / "rays.csv")} == {"descent"}


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--starts", "up"], "--starts is 'up'"),
        (["--starts", "straight,none"], "--starts is 'straight,none'"),
        (["--starts", ""], "--starts is ''"),
        (["--segment", "-1"], "--segment is '-1'"),
        (["--tasks", "shots"], "--tasks is 'shots'"),
    ],
)
def test_bad_flags_are_one_line(survey, flags, words):
    assert words in survey.error(*BEND, *flags, "--table", "rays.csv")


def test_the_set_is_written(fermat):
    fermat("bench", "bending", "--write", "set/here")
    folder = fermat.folder / "set" / "here"
    assert len(rows_of(folder / "sources.csv")) == 1079
    assert len(rows_of(folder / "receivers.csv")) == 129
    assert len(rows_of(folder / "pairs.csv")) == 24285
    with h5py.File(folder / "model.h5") as h5:
        assert h5["VTKHDF/PointData/velocity"].shape == (25, 51, 61)
