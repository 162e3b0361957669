"""Ranks with different flags or inputs all end with one line and write nothing."""

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


def in_folder(name, command):
    """The command as a rank that runs in another folder, with files of its own under the same names."""
    return ["sh", "-c", f'cd {name} && exec "$@"', "rank", *command]


def expect_refused(fermat, done, words):
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("fermat: error: ") == 1
    assert f"fermat: error: {words}" in done.stderr
    assert not (fermat.folder / "run").exists()


@pytest.mark.parametrize(
    ("model", "picks", "words"),
    [
        ("m.h5", "q.csv", "rank 1 has other picks than rank 0 ("),
        ("m.h5", "few.csv", "rank 1 has other picks than rank 0 ("),
        ("wide.h5", "p.csv", "rank 1 has another start model than rank 0 ("),
    ],
    ids=["shifted", "fewer", "shape"],
)
def test_different_files_end_all_ranks(survey, mpirun, model, picks, words):
    odd = survey.folder / "odd"
    odd.mkdir()
    for name, source in (("m.h5", model), ("p.csv", picks), ("schedule.csv", "schedule.csv")):
        (odd / name).write_bytes((survey.folder / source).read_bytes())
    done = mpirun(invert(survey), in_folder("odd", invert(survey)), invert(survey))
    expect_refused(survey, done, words)
    assert not (odd / "run").exists()


@pytest.mark.parametrize(
    ("odd", "flag", "values"),
    [
        (["--step", "0.5"], "step", "0.5, not none"),
        (["--checkerboard", "2,0.05"], "checkerboard", '"2,0.05", not none'),
        (["--ensemble", "bootstrap:3"], "ensemble", '"bootstrap:3", not none'),
        (["--rank-timeout", "100"], "rank-timeout", "100, not none"),
        (["--keep", "all"], "keep", '"all", not none'),
    ],
    ids=["step", "board", "ensemble", "timeout", "keep"],
)
@pytest.mark.parametrize("rank", [0, 1])
def test_a_flag_on_one_rank_ends_all(survey, mpirun, odd, flag, values, rank):
    ranks = [invert(survey), invert(survey), invert(survey)]
    ranks[rank] = invert(survey, "m.h5", "p.csv", *odd)
    if rank == 0:
        values = "none, not " + values.removesuffix(", not none")
    expect_refused(survey, mpirun(*ranks), f"rank 1 has another --{flag} than rank 0 ({values};")


@pytest.mark.parametrize("odd", [["--resolution"], ["--deviation"], ["--point-spread", "5,2"]],
                         ids=lambda odd: odd[0])
def test_what_only_one_rank_would_estimate_ends_all(survey, mpirun, odd):
    command = [survey.program, "invert", "--model", "m.h5", "--picks", "p.csv", "--error", "0.01",
               "-o", "run"]
    done = mpirun(command, [*command, *odd])
    expect_refused(survey, done, f"rank 1 has another {odd[0]} than rank 0 (")


def test_flags_are_compared_of_commands_that_rank_0_does_alone(survey, mpirun):
    command = [survey.program, "times", "--model", "m.h5", "--source", "1,0", "-o", "run"]
    done = mpirun(command, [*command, "--order", "1"])
    expect_refused(survey, done, "rank 1 has another --order than rank 0 (1, not none;")


def test_different_commands_end_all_ranks(survey, mpirun):
    for odd, shown in (([survey.program, "info"], "'fermat info'"),
                       ([survey.program, "invert", "--nonsense"], "nonsense")):
        done = mpirun(invert(survey), odd)
        assert done.returncode == 2, done.stderr
        assert done.stderr.count("fermat: error: ") == 1
        assert "rank 1 has another command than rank 0 (" in done.stderr
        assert shown in done.stderr and "'fermat invert'" in done.stderr


def test_threads_and_what_a_rank_prints_may_differ(survey, mpirun):
    done = mpirun(invert(survey), invert(survey, "m.h5", "p.csv", "--threads", "2", "--quiet",
                                         "--log-level", "error"))
    assert (done.returncode, survey.without_progress(done.stderr)) == (0, "")
    assert (survey.folder / "run/model.h5").exists()
