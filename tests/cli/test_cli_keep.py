"""`fermat invert --keep`: the modules of paper 4 as files, and what reads them again."""

import h5py
import numpy as np
import pytest
from run_files import results

INVERT = ["invert", "--model", "start.h5", "--picks", "picks.csv", "--schedule", "schedule.csv"]


@pytest.fixture(scope="module")
def kept(module_fermat):
    """A run of two updates that kept all iterations, in the folder `kept`, and one without."""
    fermat = module_fermat
    fermat("model", "gradient", "--shape", "33,17", "--spacing", "0.25", "--v0", "2",
           "--gradient", "0.2", "-o", "start.h5")
    fermat("model", "checkerboard", "--base", "start.h5", "--size", "4,3", "--amplitude", "0.05",
           "-o", "true.h5")
    fermat.write("s.csv", "x,z\n" + "".join(f"{x},0\n" for x in range(0, 9, 2)))
    fermat.write("r.csv", "x,z\n" + "".join(f"{x / 2},{4 * (x % 2)}\n" for x in range(17)))
    fermat("picks", "--model", "true.h5", "--sources", "s.csv", "--receivers", "r.csv",
           "--noise", "0.005", "-o", "picks.csv")
    fermat.write("schedule.csv", "iterations,cell_x,cell_z,vertex_x,vertex_z\n2,8,6,5,3\n")
    fermat.said = fermat(*INVERT, "--keep", "all", "-o", "kept")
    fermat(*INVERT, "-o", "plain")
    return fermat


def array(path, name):
    with h5py.File(path) as file:
        return np.array(file[f"VTKHDF/{name}"])


def test_each_iteration_has_its_files_and_the_run_its_bits(kept):
    folder = kept.folder / "kept/iterations"
    assert sorted(p.name for p in folder.iterdir()) == sorted(
        f"000{n}-{name}" for n in range(3) for name in ("model.h5", "perturbation.h5", "rays.xml")
    )
    assert "kept 3 iterations in kept/iterations" in kept.said
    assert results(kept.folder / "kept") == results(kept.folder / "plain")
    last = array(kept.folder / "kept/model.h5", "PointData/velocity")
    assert (array(folder / "0002-model.h5", "PointData/velocity") == last).all()
    cover = array(kept.folder / "kept/coverage.h5", "CellData/coverage")
    assert (array(folder / "0002-perturbation.h5", "CellData/rays") == cover).all()


def test_smooth_makes_of_the_sums_what_the_run_made(kept):
    file = "kept/iterations/0001-perturbation.h5"
    kept("smooth", "--in", file, "--array", "perturbation", "--coverage", file, "--size", "8,6",
         "-o", "cells.h5")
    smoothed = array(kept.folder / "cells.h5", "CellData/perturbation")
    expected = array(kept.folder / file, "CellData/perturbation_smoothed")
    assert np.abs(expected).max() > 0
    np.testing.assert_allclose(smoothed, expected, rtol=1e-5, atol=1e-7 * np.abs(expected).max())
    kept("smooth", "--in", file, "--array", "perturbation_nodes", "--size", "5,3", "-o", "nodes.h5")
    nodes = array(kept.folder / "nodes.h5", "PointData/perturbation_nodes")
    expected = array(kept.folder / file, "PointData/perturbation_nodes_smoothed")
    np.testing.assert_allclose(nodes, expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())


def test_rays_of_the_xml_cover_the_cells_that_were_counted(kept):
    folder = "kept/iterations"
    said = kept("rays", "--model", f"{folder}/0001-model.h5", "--read", f"{folder}/0001-rays.xml",
                "--coverage", "cover.h5", "--vector-coverage", "again.xml")
    assert said.startswith("85 rays: 85 ok")
    cover = array(kept.folder / "cover.h5", "CellData/coverage")
    assert (cover == array(kept.folder / folder / "0001-perturbation.h5", "CellData/rays")).all()
    again = (kept.folder / "again.xml").read_text().splitlines()
    assert again[2:] == (kept.folder / folder / "0001-rays.xml").read_text().splitlines()[2:]
    error = kept.error("rays", "--model", "start.h5", "--read", f"{folder}/0001-rays.xml",
                       "--source", "0,0", "--coverage", "c.h5")
    assert "--read brings its own rays" in error


def test_other_methods_keep_models_rays_and_coverage(kept):
    said = kept.call("invert", "--model", "start.h5", "--picks", "picks.csv", "--iterations", "2",
                     "--regularisation", "second", "--keep", "0,9", "-o", "newton").stdout
    folder = kept.folder / "newton/iterations"
    assert sorted(p.name for p in folder.iterdir()) == [
        "0000-coverage.h5", "0000-model.h5", "0000-rays.xml"]
    assert array(folder / "0000-coverage.h5", "CellData/coverage").max() >= 5
    assert "kept 1 iteration in newton/iterations (--keep names iterations after the last" in said


def test_an_earlier_run_is_kept_aside_and_wrong_numbers_are_refused(kept):
    kept(*INVERT, "--keep", "1", "-o", "twice")
    kept(*INVERT, "--keep", "2", "--step", "0.5", "-o", "twice")
    assert [p.name[:4] for p in (kept.folder / "twice/earlier-1/iterations").iterdir()] == ["0001"] * 3
    assert {p.name[:4] for p in (kept.folder / "twice/iterations").iterdir()} == {"0002"}
    own = kept.folder / "own/iterations"
    own.mkdir(parents=True)
    (own / "notes.txt").write_text("mine")
    kept(*INVERT, "-o", "own", "--overwrite")
    assert (own / "notes.txt").read_text() == "mine"
    for wrong in ("", "some", "3-1", "-1", "1,", "1e9"):
        error = kept.error(*INVERT, f"--keep={wrong}", "-o", "wrong")
        assert "must be all, or numbers and ranges from 0 on such as 0,5,10-12" in error
