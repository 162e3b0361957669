"""`fermat invert` by regularised Gauss-Newton steps: from picks only to a model."""

import os
import random
import shutil
import subprocess
import time

import h5py
import numpy as np
import pytest
from run_files import results, rows_of

ONE_LINE = ["invert", "--picks", "picks.csv", "--device", "cpu"]


@pytest.fixture(scope="module")
def line(module_fermat):
    """A refraction line over a hill: the true model, and noisy picks with errors."""
    fermat = module_fermat
    ground = [(x, -2 * np.exp(-(((x - 10) / 4) ** 2))) for x in np.arange(-1, 21.5, 0.5)]
    fermat.write("ground.csv", "x,z\n" + "".join(f"{x},{z}\n" for x, z in ground))
    fermat("model", "gradient", "--shape", "89,45", "--spacing", "0.25", "--origin", "-1,-3",
           "--v0", "0.6", "--gradient", "0.25", "-o", "flat.h5")
    fermat("model", "checkerboard", "--base", "flat.h5", "--size", "5,3", "--amplitude", "0.08",
           "-o", "board.h5")
    fermat("model", "topography", "--base", "board.h5", "--surface", "ground.csv", "-o", "true.h5")
    height = dict(ground)
    fermat.write("s.csv", "x,z\n" + "".join(f"{x},{height[x]}\n" for x in range(0, 21, 4)))
    fermat.write("r.csv", "x,z\n" + "".join(f"{x},{height[x]}\n" for x in np.arange(0.5, 20.5)))
    fermat("picks", "--model", "true.h5", "--sources", "s.csv", "--receivers", "r.csv",
           "--noise", "0.1", "-o", "picks.csv")
    return fermat


@pytest.fixture(scope="module")
def whole(line):
    done = line.call(*ONE_LINE, "-o", "whole")
    assert done.returncode == 0, done.stderr
    return line.folder / "whole", done


def test_one_line_finds_everything_and_says_what_it_chose(line, whole):
    folder, done = whole
    chosen = [text for text in done.stdout.splitlines() if text.startswith("chosen: ")]
    for flag in ("--spacing", "--depth", "--method gauss-newton", "--regularisation mixed",
                 "--axis-weights 1,0.5", "--min-velocity", "--max-velocity"):
        assert any(flag in text for text in chosen), flag
    history = rows_of(folder / "history.csv")
    assert 0.85 <= float(history[-1]["chi2"]) <= 1.0
    assert float(history[-1]["lambda"]) > 0 and int(history[-1]["passes"]) <= 30
    with h5py.File(folder / "start.h5") as start, h5py.File(folder / "model.h5") as found:
        before = np.array(start["VTKHDF/PointData/velocity"])
        after = np.array(found["VTKHDF/PointData/velocity"])
    assert before.shape == after.shape
    assert ((before == 0) == (after == 0)).all() and (before == 0).any()


def test_what_was_chosen_does_the_same_when_given(line, whole):
    folder, _ = whole
    done = line.call("invert", "--model", "whole/start.h5", "--picks", "picks.csv", "--method",
                     "gauss-newton", "--regularisation", "mixed", "--axis-weights", "1,0.5",
                     "-o", "given")
    assert done.returncode == 0
    with h5py.File(folder / "model.h5") as a, h5py.File(line.folder / "given/model.h5") as b:
        assert np.array_equal(a["VTKHDF/PointData/velocity"], b["VTKHDF/PointData/velocity"])


def test_threads_change_no_bit(line, whole):
    assert line.call(*ONE_LINE, "-o", "threads", "--threads", "3").returncode == 0
    assert results(line.folder / "threads") == results(whole[0])


@pytest.mark.skipif(shutil.which("mpirun") is None, reason="needs mpirun")
def test_ranks_change_no_bit(line, whole, program):
    command = ["mpirun", "-n", "3", "--oversubscribe", "--allow-run-as-root", str(program),
               *ONE_LINE, "-o", "ranks", "--threads", "1"]
    done = subprocess.run(command, cwd=line.folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert results(line.folder / "ranks") == results(whole[0])


def test_kills_change_no_bit(line, whole, program):
    chance = random.Random(7)
    folder = line.folder / "killed"
    for _ in range(int(os.environ.get("FERMAT_KILLS", "4"))):
        command = [str(program), *ONE_LINE, "-o", "killed", "--resume"]
        run = subprocess.Popen(command, cwd=line.folder, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.05, 0.8))
        run.kill()
        run.wait()
    assert line.call(*ONE_LINE, "-o", "killed", "--resume").returncode == 0
    assert results(folder) == results(whole[0])


def test_terms_are_written_and_resumed_with_the_same_bits(line, program):
    flags = [*ONE_LINE, "--regularisation", "second", "--terms", "shot,receiver"]
    assert line.call(*flags, "-o", "terms").returncode == 0
    rows = rows_of(line.folder / "terms/terms.csv")
    assert [row["kind"] for row in rows].count("shot") == 6
    assert [row["kind"] for row in rows].count("receiver") == 20
    assert all(abs(float(row["term"])) < 0.3 for row in rows)  # the noise is 0.1
    command = [str(program), *flags, "-o", "terms_killed", "--resume"]
    for wait in (0.3, 0.6):
        run = subprocess.Popen(command, cwd=line.folder, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        time.sleep(wait)
        run.kill()
        run.wait()
    assert line.call(*flags, "-o", "terms_killed", "--resume", "--threads", "2").returncode == 0
    assert results(line.folder / "terms_killed") == results(line.folder / "terms")
    other = line.call(*ONE_LINE, "--terms", "none", "--overwrite", "-o", "terms")
    assert other.returncode == 0 and not (line.folder / "terms/terms.csv").exists()


def test_picks_without_errors_are_cross_validated(line):
    rows = rows_of(line.folder / "picks.csv")
    names = [name for name in rows[0] if name != "error"]
    line.write("bare.csv", ",".join(names) + "\n"
               + "".join(",".join(row[name] for name in names) + "\n" for row in rows))
    done = line.call("invert", "--picks", "bare.csv", "-o", "bare")
    assert done.returncode == 0
    (said,) = [text for text in done.stdout.splitlines() if "cross-validation says" in text]
    target = float(said.split("--target-rms ")[1].split(":")[0])
    assert 0.06 < target < 0.15  # the noise is 0.1
    done = line.call("invert", "--picks", "bare.csv", "--error", "0.1", "-o", "errors")
    assert "cross-validation says" not in done.stdout
    assert 0.85 <= float(rows_of(line.folder / "errors/history.csv")[-1]["chi2"]) <= 1.0


def test_points_of_one_borehole_have_a_grid(fermat):
    rows = [f"0,{a},0,{5 + b},{(5 + b - a) / 2}\n" for a in range(5) for b in range(5)]
    fermat.write("picks.csv", "source_x,source_z,receiver_x,receiver_z,time\n" + "".join(rows))
    done = fermat.call("invert", "--picks", "picks.csv", "--error", "0.01", "-o", "run")
    assert done.returncode == 0, done.stderr


def test_too_few_picks_for_cross_validation_are_told(fermat):
    fermat.write("picks.csv", "source_x,source_z,receiver_x,receiver_z,time\n0,0,10,0,5\n")
    error = fermat.error("invert", "--picks", "picks.csv", "-o", "run")
    assert "1 are too few for cross-validation" in error


def test_bad_calls_are_one_sentence(line):
    line.write("schedule.csv", "iterations,cell_x,cell_z,vertex_x,vertex_z\n4,16,12,9,9\n")
    for flags, said in (
        (["--method", "gauss-newton", "--schedule", "schedule.csv"], "schedule is for 'hole'"),
        (["--error", "0"], "must be > 0"),
        (["--error", "1,2,3"], "--error is '1,2,3'"),
        (["--axis-weights", "1,0"], "--axis-weights is '1,0'"),
        (["--max-velocity", "0.5"], "within the bounds"),
        (["--iterations", "0"], "--iterations is '0'"),
        (["--terms", "shots"], "--terms"),
        (["--smoothing", "3", "--target-chi2", "1"], "one of them decides"),
        (["--correlation-length", "1,2", "--axis-weights", "1,2"], "lengths are weights"),
        (["--reference", "true.h5"], "both must be on one grid"),
        (["--checkerboard", "3,0.1"], "needs --model"),
    ):
        assert said in line.error(*ONE_LINE, *flags, "-o", "bad"), flags
