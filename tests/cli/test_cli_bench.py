"""`fermat bench`: tables on stdout, the same rows as CSV, sizes that can be limited."""

import csv

import pytest

COLUMNS = ["table", "scenario", "nx", "ny", "nz", "solver", "order", "threads", "shots", "seconds",
           "with_rays_s", "mnodes_per_s", "mean_error", "max_error", "rays_lost", "peak_mib",
           "bytes_per_node", "growth", "speedup", "ttcrpy_laptop_s", "jetson_nano_s"]


@pytest.fixture(scope="module")
def measured(shared_fermat):
    """The stdout and the CSV rows of one small run."""
    text = shared_fermat("bench", "eikonal", "--quick", "--largest", "100", "--repeat", "1",
                         "--threads", "2", "--csv", "bench.csv")
    with open(shared_fermat.folder / "bench.csv") as file:
        rows = list(csv.DictReader(file))
    return text, rows


def of(rows, table):
    return [row for row in rows if row["table"] == table]


def test_csv_has_every_table_and_column(measured):
    _, rows = measured
    assert list(rows[0]) == COLUMNS
    assert {row["table"] for row in rows} == {"paper5", "volume", "threads"}
    for row in rows:
        assert float(row["seconds"]) > 0
        nodes = int(row["nx"]) * int(row["ny"]) * int(row["nz"]) * int(row["shots"])
        assert float(row["mnodes_per_s"]) == pytest.approx(1e-6 * nodes / float(row["seconds"]))


def test_scenarios_of_paper_5(measured):
    rows = of(measured[1], "paper5")
    assert [row["scenario"] for row in rows] == ["homogeneous", "layer", "gradient"]
    assert [float(row["ttcrpy_laptop_s"]) for row in rows] == [5.69, 5.79, 5.46]
    assert [float(row["jetson_nano_s"]) for row in rows] == [3.98, 4.91, 4.99]
    for row, worst in zip(rows, (1e-6, 0.03, 1e-3)):
        assert (row["nx"], row["nz"], row["rays_lost"]) == ("100", "100", "0")
        assert float(row["with_rays_s"]) >= float(row["seconds"])
        assert float(row["mean_error"]) <= float(row["max_error"]) <= worst


def test_cubes_compare_the_solvers(measured):
    rows = of(measured[1], "volume")
    assert [(row["solver"], row["order"]) for row in rows] == [
        ("fim", "2"), ("fim", "1"), ("fmm", "2"), ("fsm", "2"), ("vidale", "2")]
    for row in rows:
        assert row["nx"] == row["ny"] == row["nz"] == "64"
        assert 0 < float(row["mean_error"]) < 0.01
        assert float(row["peak_mib"]) > 1


def test_threads_are_compared_with_one(measured):
    rows = of(measured[1], "threads")
    assert [(row["shots"], row["threads"]) for row in rows] == [
        ("1", "1"), ("1", "2"), ("8", "1"), ("8", "2")]
    assert [float(row["speedup"]) for row in rows[::2]] == [1, 1]


def test_text_tables_hold_the_same_numbers_in_line(measured):
    text, rows = measured
    lines = text.splitlines()
    assert "2 threads, median of 1" in lines[0]
    head = next(i for i, line in enumerate(lines) if line.startswith("scenario"))
    table = lines[head : head + 4]
    assert len({len(line) for line in table}) == 1
    assert [line.split()[0] for line in table[1:]] == ["homogeneous", "layer", "gradient"]
    seconds = float(table[1].split()[table[0].split().index("seconds")])
    assert seconds == pytest.approx(float(rows[0]["seconds"]), rel=0.01)


def test_one_thread_has_nothing_to_compare(fermat):
    text = fermat("bench", "eikonal", "--largest", "64", "--repeat", "1", "--threads", "1")
    assert text.splitlines()[-1] == "Threads: one only (--threads N compares N with one)"


def test_rays_of_every_tracer_arrive(fermat):
    text = fermat("bench", "rays", "--largest", "64", "--rays", "50", "--repeat", "1",
                  "--threads", "1", "--csv", "rays.csv")
    with open(fermat.folder / "rays.csv") as file:
        rows = list(csv.DictReader(file))
    assert [(row["medium"], row["tracer"]) for row in rows] == [
        (medium, what) for medium in ("gradient", "smooth")
        for what in ("descent", "sensitivity", "cells")]
    for row in rows:
        assert (row["nx"], row["rays"], row["rays_lost"]) == ("64", "50", "0")
        assert float(row["rays_per_s"]) == pytest.approx(50 / float(row["seconds"]))
        assert row["tracer"] == "cells" or float(row["median_error"]) < 1e-3
    assert text.splitlines()[-1].split()[:3] == ["smooth", "64", "cells"]


def test_gradients_of_other_media_are_measured(fermat):
    fermat("bench", "adjoint", "--media", "11", "--repeat", "1", "--threads", "1", "--device",
           "cpu", "--csv", "adjoint.csv")
    with open(fermat.folder / "adjoint.csv") as file:
        rows = list(csv.DictReader(file))
    assert [row["medium"] for row in rows] == ["sphere", "terrain", "tensor", "Thomsen"]
    for row in rows:
        assert row["grid"] == "11^3"
        seconds = float(row["forward_s"]) + float(row["backward_s"])
        assert float(row["us_per_node"]) == pytest.approx(1e6 * seconds / 11**3, rel=1e-3)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["bench"], "A subcommand is required"),
        (["bench", "eikonal", "--repeat", "0"], "--repeat is '0'"),
        (["bench", "eikonal", "--largest", "10"], "--largest is '10'"),
        (["bench", "rays", "--rays", "0"], "--rays is '0'"),
        (["bench", "eikonal", "--csv", "no/b.csv"], "'no' does not exist"),
    ],
)
def test_bad_flags_are_one_line(fermat, arguments, words):
    assert words in fermat.error(*arguments)
