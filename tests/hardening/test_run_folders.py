"""A run has an identity, which all its files contain, and a lock; it can start afresh."""

import csv
import fcntl
import re
import signal
import subprocess

import h5py
import pytest

INVERT = ["invert", "--model", "start.h5", "--picks", "picks.csv", "--schedule", "schedule.csv"]
PLAIN = {"model.h5", "coverage.h5", "residuals.csv", "history.csv", "checkpoint.h5",
         "settings.toml"}
BOARD = {"board.h5", "picks.csv", "recovery.csv"}


@pytest.fixture
def line(fermat):
    fermat("model", "gradient", "--shape", "21,11", "--spacing", "0.5", "--v0", "2", "--gradient",
           "0.2", "-o", "start.h5")
    fermat("model", "checkerboard", "--base", "start.h5", "--size", "3,2", "-o", "true.h5")
    fermat.write("s.csv", "x,z\n0,0\n5,0\n10,0\n")
    fermat.write("r.csv", "x,z\n2,0\n4,0\n6,0\n8,0\n")
    fermat("picks", "--model", "true.h5", "--sources", "s.csv", "--receivers", "r.csv", "-o",
           "picks.csv")
    fermat.write("schedule.csv", "iterations,cell_x,cell_z,vertex_x,vertex_z\n3,8,6,3,3\n")
    return fermat


def content(folder):
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file() and p.suffix != ".vtkhdf"}


def files_of(folder):
    """Names of files; links for viewers are another test's."""
    return {p.name for p in folder.iterdir() if p.suffix != ".vtkhdf"}


def identity(path):
    if path.suffix == ".h5":
        with h5py.File(path) as h5:
            return h5.attrs["fermat_run"].decode()
    if path.suffix == ".toml":
        return re.match(r"# fermat_run (\w+)\n", path.read_text())[1]
    with open(path, newline="") as file:
        (mark,) = {row["fermat_run"] for row in csv.DictReader(file)}
    return mark


def test_viewers_find_images_by_their_suffix(line):
    folder = line.folder / "run"
    line(*INVERT, "-o", "run")
    assert {p.name for p in folder.glob("*.vtkhdf")} == {"model.vtkhdf", "coverage.vtkhdf"}
    assert (folder / "model.vtkhdf").samefile(folder / "model.h5")
    # Another run without its end keeps no link to a model that has gone; a user's file stays.
    (folder / "coverage.vtkhdf").unlink()
    (folder / "coverage.vtkhdf").write_text("mine")
    line(*INVERT, "--checkerboard", "3,2,0.05", "-o", "run")
    links = {p.name for p in folder.glob("*.vtkhdf") if p.samefile(p.with_suffix(".h5"))}
    assert links == {"model.vtkhdf", "board.vtkhdf"}
    assert (folder / "coverage.vtkhdf").read_text() == "mine"
    pyvista = pytest.importorskip("pyvista")
    assert "velocity" in pyvista.read(folder / "model.vtkhdf").point_data


def test_all_files_carry_the_run(line):
    line(*INVERT, "-o", "a")
    line(*INVERT, "--threads", "1", "-o", "b")
    line(*INVERT, "--step", "0.5", "-o", "c")
    line(*INVERT, "--checkerboard", "3,2,0.05", "-o", "d")
    marks = {}
    for name, files in (("a", PLAIN), ("b", PLAIN), ("c", PLAIN), ("d", PLAIN | BOARD)):
        folder = line.folder / name
        assert files_of(folder) == files
        (marks[name],) = {identity(folder / file) for file in files}
    assert marks["a"] == marks["b"]
    assert len(set(marks.values())) == 3
    # The files of a run are still readable.
    line("invert", "--model", "start.h5", "--picks", "d/picks.csv", "--schedule", "schedule.csv",
         "-o", "e")


def test_a_refused_resume_changes_nothing(line):
    line(*INVERT, "-o", "run")
    before = content(line.folder / "run")
    error = line.error(*INVERT, "--step", "0.5", "--resume", "-o", "run")
    assert "belongs to another run" in error
    assert content(line.folder / "run") == before


def test_a_resumed_run_keeps_the_settings_of_its_start(line):
    line(*INVERT, "-o", "run")
    before = content(line.folder / "run")["settings.toml"]
    line(*INVERT, "--resume", "-o", "run")
    assert content(line.folder / "run")["settings.toml"] == before


def test_another_run_keeps_the_earlier_one_aside(line):
    line(*INVERT, "--checkerboard", "3,2,0.05", "-o", "run")
    first = content(line.folder / "run")
    said = line(*INVERT, "-o", "run")
    assert said.startswith("kept the earlier run's files in run/earlier-1 (--overwrite would")
    assert content(line.folder / "run/earlier-1") == first
    second = content(line.folder / "run")
    assert set(second) == PLAIN
    line(*INVERT, "--step", "0.5", "-o", "run")
    assert content(line.folder / "run/earlier-2") == second
    line("report", "run/earlier-1", "-o", "r.html")
    line("report", "run", "-o", "r.html")


def test_the_same_run_again_leaves_nothing_behind(line):
    line(*INVERT, "-o", "run")
    first = content(line.folder / "run")
    assert "kept" not in line(*INVERT, "-o", "run")
    assert files_of(line.folder / "run") == PLAIN
    assert content(line.folder / "run")["model.h5"] == first["model.h5"]


def test_overwrite_removes_the_earlier_run_and_nothing_else(line):
    line(*INVERT, "--checkerboard", "3,2,0.05", "-o", "run")
    (line.folder / "run/notes.txt").write_text("mine")
    assert "kept" not in line(*INVERT, "--overwrite", "-o", "run")
    assert files_of(line.folder / "run") == PLAIN | {"notes.txt"}


def test_overwrite_keeps_what_no_run_wrote(line):
    run = line.folder / "run"
    run.mkdir()
    line("model", "constant", "--shape", "5,5", "--spacing", "1", "--velocity", "3", "-o",
         "run/model.h5")
    (run / "history.csv").write_text("year,event\n1992,Hole\n")
    (run / "picks.csv").write_text("mine")
    mine = content(run)
    said = line(*INVERT, "--overwrite", "-o", "run")
    assert said.startswith("kept model.h5, history.csv, which no run wrote, in run/earlier-1\n")
    assert content(run / "earlier-1") == {name: mine[name] for name in ("model.h5", "history.csv")}
    assert set(content(run)) == PLAIN | {"picks.csv"}
    assert (run / "picks.csv").read_text() == "mine"
    # A checkerboard writes picks.csv itself.
    said = line(*INVERT, "--checkerboard", "3,2,0.05", "--overwrite", "-o", "run")
    assert said.startswith("kept picks.csv, which no run wrote, in run/earlier-2\n")
    assert (run / "earlier-2/picks.csv").read_text() == "mine"


def test_without_overwrite_both_are_kept_and_told_apart(line):
    line(*INVERT, "-o", "run")
    line("model", "constant", "--shape", "5,5", "--spacing", "1", "--velocity", "3", "-o",
         "run/model.h5")
    before = content(line.folder / "run")
    said = line(*INVERT, "--step", "0.5", "-o", "run")
    assert said.startswith("kept the earlier run's files and model.h5, which no run wrote, in run/"
                           "earlier-1 (--overwrite would remove the run's)\n")
    assert content(line.folder / "run/earlier-1") == before


@pytest.mark.parametrize("again", [["--overwrite", "--step", "0.5"], []], ids=["other", "same"])
def test_files_beside_kept_iterations_stay(line, again):
    line(*INVERT, "--keep", "0,1", "-o", "run")
    (line.folder / "run/iterations/notes.txt").write_text("mine")
    line(*INVERT, *again, "-o", "run")
    (notes,) = (line.folder / "run").rglob("notes.txt")
    assert notes.read_text() == "mine"
    if again:
        assert {p.name for p in notes.parent.iterdir()} == {"notes.txt"}


def interrupt(line, *arguments, by):
    """Starts an inversion and ends it after its first line."""
    run = subprocess.Popen([str(line.program), *INVERT, *arguments], cwd=line.folder, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    first = run.stdout.readline()
    run.send_signal(by)
    run.communicate(timeout=60)
    return first, run.returncode


@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGINT])
def test_an_interrupted_run_is_not_shown_as_the_earlier_one(line, by):
    line(*INVERT, "-o", "run")
    first = content(line.folder / "run")
    line.write("schedule.csv", "iterations,cell_x,cell_z,vertex_x,vertex_z\n30000,8,6,3,3\n")
    said, status = interrupt(line, "--step", "0.5", "-o", "run", by=by)
    assert said.startswith("kept the earlier run") and status != 0
    assert content(line.folder / "run/earlier-1") == first
    if (line.folder / "run/checkpoint.h5").exists():
        line("report", "run", "-o", "r.html")
        assert "stopped after iteration" in (line.folder / "r.html").read_text()
    else:
        error = line.error("report", "run", "-o", "r.html")
        assert "'run' has no model.h5 (its run has not ended" in error
    line("report", "run/earlier-1", "-o", "r.html")


def test_a_mixture_is_not_one_run(line):
    line(*INVERT, "-o", "a")
    line(*INVERT, "--step", "0.5", "-o", "b")
    for name in sorted(PLAIN - {"checkpoint.h5"}):
        old = (line.folder / "a" / name).read_bytes()
        (line.folder / "a" / name).write_bytes((line.folder / "b" / name).read_bytes())
        error = line.error("report", "a", "-o", "r.html")
        assert "'a' holds files of several runs" in error and name in error
        (line.folder / "a" / name).write_bytes(old)
    line("report", "a", "-o", "r.html")


def test_a_second_inversion_meets_a_lock(line):
    line(*INVERT, "-o", "run")
    before = content(line.folder / "run")
    with open(line.folder / "run/.fermat.lock", "w") as lock:
        lock.write("process 1 on elsewhere")
        lock.flush()
        fcntl.flock(lock, fcntl.LOCK_EX)
        for more in ([], ["--resume"], ["--overwrite", "--step", "0.5"]):
            error = line.error(*INVERT, *more, "-o", "run")
            assert "'run' is the folder of an inversion that is running (process 1 on elsewhere" \
                in error
    (line.folder / "run/.fermat.lock").write_text("process 1 on elsewhere")  # of a killed one
    assert {k: v for k, v in content(line.folder / "run").items() if k != ".fermat.lock"} == before
    line(*INVERT, "--resume", "-o", "run")
    assert files_of(line.folder / "run") == PLAIN


def test_two_at_once_end_as_one_run_and_one_line(line):
    line.write("schedule.csv", "iterations,cell_x,cell_z,vertex_x,vertex_z\n30000,8,6,3,3\n")
    run = subprocess.Popen([str(line.program), *INVERT, "-o", "run"], cwd=line.folder,
                           stdout=subprocess.PIPE, text=True)
    try:
        run.stdout.readline()
        done = line.call(*INVERT, "--step", "0.5", "-o", "run")
        assert done.returncode == 2 and done.stderr.count("\n") == 1
        assert f"(process {run.pid} on " in done.stderr
    finally:
        run.kill()
        run.communicate()
