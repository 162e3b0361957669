"""`fermat times --solver dijkstra|bellman-ford` and `fermat rays --tracer graph`."""

import csv

import h5py
import numpy as np
import pytest


@pytest.fixture
def square(fermat):
    fermat("model", "gradient", "--shape", "41,31", "--spacing", "0.1", "--v0", "2",
           "--gradient", "0.5", "-o", "g.h5")
    fermat.write("r.csv", "x,z\n4,0\n2.05,1.97\n")
    return fermat


def times(folder, name="t.h5", array="time"):
    with h5py.File(folder / name) as file:
        return np.array(file[f"VTKHDF/PointData/{array}"])


def test_both_solvers_agree_with_each_other_and_with_fim(square):
    common = ["times", "--model", "g.h5", "--source", "0.4,0.2", "-o"]
    square(*common, "fim.h5")
    square(*common, "d.h5", "--solver", "dijkstra", "--radius", "5")
    square(*common, "b.h5", "--solver", "bellman-ford", "--radius", "5,5", "--weights", "computed")
    square(*common, "h.h5", "--solver", "dijkstra", "--radius", "5", "--queue", "heap",
           "--weights", "stored", "--star", "full")
    square(*common, "j.h5", "--solver", "bellman-ford", "--radius", "5", "--relaxation", "jacobi",
           "--visits", "none")
    d, b, h, j, fim = (times(square.folder, f"{n}.h5") for n in ("d", "b", "h", "j", "fim"))
    np.testing.assert_allclose(j, d, rtol=1e-5)
    np.testing.assert_allclose(b, d, rtol=1e-5)
    np.testing.assert_allclose(h, d, rtol=1e-5)
    np.testing.assert_allclose(d, fim, rtol=6e-3, atol=1e-4)


def test_tables_and_together(square):
    sources = ["--source", "0,0", "--source", "3,2.5"]
    square("times", "--model", "g.h5", *sources, "--solver", "dijkstra", "--reading", "nearest",
           "--receivers", "r.csv", "--table", "t.csv", "-o", "t.h5")
    square("times", "--model", "g.h5", *sources, "--solver", "dijkstra", "--reading", "nearest",
           "--together", "-o", "one.h5")
    with open(square.folder / "t.csv") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4
    both = [times(square.folder, "t.h5", f"time_00{n}") for n in (0, 1)]
    np.testing.assert_array_equal(times(square.folder, "one.h5"), np.minimum(*both))
    corner = float(rows[0]["time"])
    assert corner == pytest.approx(float(both[0].reshape(31, 41)[0, 40]), rel=1e-6)


def test_rays_follow_the_tree(square):
    square("rays", "--model", "g.h5", "--source", "0,0", "--receivers", "r.csv", "--tracer",
           "graph", "--solver", "bellman-ford", "--table", "r.out.csv", "-o", "r.h5", "--quiet")
    square("times", "--model", "g.h5", "--source", "0,0", "--receivers", "r.csv", "--solver",
           "bellman-ford", "--table", "t.csv")
    with open(square.folder / "r.out.csv") as file:
        rays = list(csv.DictReader(file))
    with open(square.folder / "t.csv") as file:
        wanted = list(csv.DictReader(file))
    for ray, time in zip(rays, wanted):
        assert ray["status"] == "ok"
        assert float(ray["time"]) == pytest.approx(float(time["time"]), rel=1e-5)


@pytest.mark.parametrize("flags, parts", [
    (["--solver", "dijkstr"], ["--solver", "dijkstr", "bellman-ford"]),
    (["--solver", "dijkstra", "--radius", "0"], ["--radius", "'0'"]),
    (["--solver", "dijkstra", "--radius", "1.5"], ["--radius", "1.5", "whole"]),
    (["--solver", "dijkstra", "--radius", "99"], ["radius", "99", "64"]),
    (["--solver", "dijkstra", "--radius", "1,2,3"], ["--radius", "2-D"]),
    (["--solver", "dijkstra", "--star", "half"], ["--star", "coprime"]),
    (["--solver", "dijkstra", "--precision", "double"], ["--precision", "single"]),
    (["--solver", "dijkstra", "--visits", "none"], ["visits", "'none'", "--solver bellman-ford"]),
    (["--solver", "bellman-ford", "--relaxation", "jacobi", "--visits", "ordered"],
     ["visits", "'ordered'", "--visits marked"]),
])
def test_errors_are_one_line(square, flags, parts):
    line = square.error("times", "--model", "g.h5", "--source", "0,0", "-o", "t.h5", *flags)
    for part in parts:
        assert part in line


def test_tracer_and_solver_must_fit(square):
    rays = ["rays", "--model", "g.h5", "--source", "0,0", "--receivers", "r.csv", "-o", "r.h5"]
    assert "--tracer graph" in square.error(*rays, "--solver", "dijkstra")
    assert "dijkstra" in square.error(*rays, "--tracer", "graph", "--solver", "fmm")
