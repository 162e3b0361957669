"""Ranks with different inputs all end with one line and write nothing."""

import pytest


@pytest.fixture
def survey(fermat):
    for name, shape in (("m.h5", "41,21"), ("wide.h5", "81,21")):
        fermat("model", "gradient", "--shape", shape, "--spacing", "0.25", "--v0", "2",
               "--gradient", "0.5", "-o", name)
    fermat.write("s.csv", "x,z\n0,0\n5,0\n10,0\n")
    fermat.write("r.csv", "x,z\n1,5\n4,5\n9,5\n")
    fermat.write("shifted.csv", "x,z\n1,5\n4.1,5\n9,5\n")
    fermat.write("schedule.csv", "iterations,cell_x,cell_z,vertex_x,vertex_z\n1,4,4,3,3\n")
    for receivers, picks in (("r.csv", "p.csv"), ("shifted.csv", "q.csv")):
        fermat("picks", "--model", "m.h5", "--sources", "s.csv", "--receivers", receivers, "-o",
               picks)
    lines = (fermat.folder / "p.csv").read_text().splitlines(keepends=True)
    fermat.write("few.csv", "".join(lines[:4]))
    return fermat


def invert(fermat, model="m.h5", picks="p.csv", *more):
    return [fermat.program, "invert", "--model", model, "--picks", picks, "--schedule",
            "schedule.csv", "-o", "run", *more]


@pytest.mark.parametrize(
    ("odd", "words"),
    [
        (["m.h5", "q.csv"], "rank 1 has other picks than rank 0 ("),
        (["m.h5", "few.csv"], "rank 1 has other picks than rank 0 ("),
        (["wide.h5", "p.csv"], "rank 1 has another start model than rank 0 ("),
        (["m.h5", "p.csv", "--step", "0.5"], "rank 1 has other options than rank 0 ("),
        (["m.h5", "p.csv", "--checkerboard", "2,0.05"], "rank 1 has other picks than rank 0 ("),
    ],
    ids=["shifted", "fewer", "shape", "options", "board"],
)
def test_different_inputs_end_all_ranks(survey, mpirun, odd, words):
    done = mpirun(invert(survey), invert(survey, *odd), invert(survey))
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("fermat: error: ") == 1
    assert f"fermat: error: {words}" in done.stderr
    assert not (survey.folder / "run").exists()


def test_different_commands_end_all_ranks(survey, mpirun):
    for odd, shown in (([survey.program, "info"], "'fermat info'"),
                       ([survey.program, "invert", "--nonsense"], "nonsense")):
        done = mpirun(invert(survey), odd)
        assert done.returncode == 2, done.stderr
        assert done.stderr.count("fermat: error: ") == 1
        assert "rank 1 has another command than rank 0 (" in done.stderr
        assert shown in done.stderr and "'fermat invert'" in done.stderr


def test_threads_may_differ(survey, mpirun):
    done = mpirun(invert(survey), invert(survey, "m.h5", "p.csv", "--threads", "2"))
    assert (done.returncode, survey.without_progress(done.stderr)) == (0, "")
    assert (survey.folder / "run/model.h5").exists()
