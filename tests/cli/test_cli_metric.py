"""Models with coordinates, by the program: files, tables of latitudes, rays and refusals."""

import csv

import h5py
import numpy as np
import pytest


@pytest.fixture
def sphere(fermat):
    """8 km/s, 4 by 4 degrees across the date line, 100 km deep."""
    fermat("model", "constant", "--shape", "11,11,11", "--spacing", "0.4,0.4,10", "--origin",
           "40,178,0", "--velocity", "8", "-o", "model.h5")
    with h5py.File(fermat.folder / "model.h5", "r+") as h5:
        h5["VTKHDF"].create_group("FieldData")["coordinates"] = [2.0, 6371.0, 0.0]
    rows = "latitude,longitude,depth\n42,179,10\n43,-178.5,5\n"
    (fermat.folder / "points.csv").write_text(rows)
    return fermat


def place(latitude, longitude, depth):
    la, lo = np.radians([latitude, longitude])
    return (6371 - depth) * np.array([np.cos(la) * np.cos(lo), np.cos(la) * np.sin(lo), np.sin(la)])


def test_tables_of_latitudes_give_times_and_rays(sphere):
    exact = np.linalg.norm(place(42, 179, 10) - place(43, -178.5, 5)) / 8
    sphere("times", "--model", "model.h5", "--sources", "points.csv", "--receivers", "points.csv",
           "--table", "times.csv", "-o", "times.h5")
    sphere("rays", "--model", "model.h5", "--sources", "points.csv", "--receivers", "points.csv",
           "--table", "rays.csv")
    for name in ("times.csv", "rays.csv"):
        with open(sphere.folder / name) as file:
            times = [float(row["time"]) for row in csv.DictReader(file)]
        assert times == pytest.approx([0, exact, exact, 0], abs=1e-5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--solver", "fsm"], "solver 'fsm' knows isotropic velocity on a Cartesian grid only"),
        (["--precision", "double"], "this model has spherical coordinates"),
        (["--source", "0,0,0"], "--source at (0, 0, 0) is outside the model"),
    ],
)
def test_refusals_are_one_line(sphere, arguments, message):
    assert message in sphere.error("times", "--model", "model.h5", "--sources", "points.csv", "-o",
                                   "times.h5", *arguments)


def test_latitudes_need_a_sphere(fermat, sphere):
    sphere("model", "constant", "--shape", "11,11,11", "--velocity", "8", "-o", "plain.h5")
    assert "has latitudes and longitudes" in sphere.error(
        "times", "--model", "plain.h5", "--sources", "points.csv", "-o", "times.h5")


def test_bench_metric_prints_its_table(fermat):
    text = fermat("bench", "metric", "--quick", "--repeat", "1", "--threads", "1")
    assert "power-law sphere" in text
    assert "Thomsen TTI" in text
