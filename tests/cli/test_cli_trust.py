"""`fermat invert` on what can be trusted: resolution, deviation, ensembles, cross-validation."""

import os
import random
import shutil
import subprocess
import time

import numpy as np
import pytest
from run_files import rows_of

FLAGS = ["--resolution", "--deviation", "--point-spread", "4,2", "--ensemble", "jackknife:5"]


@pytest.fixture(scope="module")
def line(module_fermat):
    fermat = module_fermat
    fermat("model", "gradient", "--shape", "41,17", "--spacing", "0.25", "--v0", "2", "--gradient",
           "0.3", "-o", "start.h5")
    fermat("model", "checkerboard", "--base", "start.h5", "--size", "2,1", "--amplitude", "0.05",
           "-o", "true.h5")
    fermat.write("s.csv", "x,z\n" + "".join(f"{x},0\n" for x in range(0, 11, 2)))
    fermat.write("r.csv", "x,z\n" + "".join(f"{x},0\n{x + 0.5},4\n" for x in range(10)))
    fermat("picks", "--model", "true.h5", "--sources", "s.csv", "--receivers", "r.csv", "--noise",
           "0.01", "-o", "picks.csv")
    return fermat


INVERT = ["invert", "--model", "start.h5", "--picks", "picks.csv", "--device", "cpu"]


@pytest.fixture(scope="module")
def whole(line):
    done = line.call(*INVERT, *FLAGS, "-o", "whole")
    assert done.returncode == 0, done.stderr
    return line.folder / "whole", done


def trusted(folder):
    return {name: (folder / name).read_bytes() for name in ("trust.h5", "ensemble.csv", "model.h5")}


def test_fields_are_point_data_on_the_grid(line, whole):
    folder, done = whole
    assert set(line.names("whole/trust.h5")) == {
        "resolution", "resolving_length", "deviation", "mean", "spread", "log_spread",
        "point_spread_000"}
    velocity = line.array("whole/model.h5")
    for name in ("resolution", "deviation", "mean", "spread"):
        assert line.array("whole/trust.h5", name).shape == velocity.shape
    resolution = line.array("whole/trust.h5", "resolution")
    assert resolution.min() >= 0 and 0.01 < resolution.max() <= 1
    assert np.allclose(line.array("whole/trust.h5", "mean"), velocity, rtol=0.05)
    assert "exact, by dense algebra" in done.stdout and "jackknife of shots: 5" in done.stdout
    assert len(rows_of(folder / "ensemble.csv")) == 5
    assert len(list((folder / "ensemble-members").iterdir())) == 5


def test_threads_change_no_bit(line, whole):
    assert line.call(*INVERT, *FLAGS, "-o", "threads", "--threads", "3").returncode == 0
    assert trusted(line.folder / "threads") == trusted(whole[0])


@pytest.mark.skipif(shutil.which("mpirun") is None, reason="needs mpirun")
def test_ranks_change_no_bit(line, whole, program):
    command = ["mpirun", "-n", "3", "--oversubscribe", "--allow-run-as-root", str(program),
               *INVERT, *FLAGS, "-o", "ranks", "--threads", "1"]
    done = subprocess.run(command, cwd=line.folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert trusted(line.folder / "ranks") == trusted(whole[0])


def test_kills_change_no_bit_and_members_are_kept(line, whole, program):
    chance = random.Random(11)
    folder = line.folder / "killed"
    for _ in range(int(os.environ.get("FERMAT_KILLS", "4"))):
        command = [str(program), *INVERT, *FLAGS, "-o", "killed", "--resume"]
        run = subprocess.Popen(command, cwd=line.folder, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.05, 1.0))
        run.kill()
        run.wait()
    assert line.call(*INVERT, *FLAGS, "-o", "killed", "--resume").returncode == 0
    assert trusted(folder) == trusted(whole[0])
    # A member that is lost or damaged is made again, and the others are not.
    members = sorted((folder / "ensemble-members").iterdir())
    members[1].unlink()
    damaged = bytearray(members[2].read_bytes())
    damaged[len(damaged) // 2] ^= 1
    members[2].write_bytes(damaged)
    done = line.call(*INVERT, *FLAGS, "-o", "killed", "--resume")
    assert done.returncode == 0 and ("3 were there already" in done.stdout
                                     or "4 were there already" in done.stdout)
    assert trusted(folder) == trusted(whole[0])


def test_another_ensemble_leaves_no_members_of_the_first(line, whole):
    shutil.copytree(whole[0], line.folder / "other")
    done = line.call(*INVERT, "--ensemble", "bootstrap:3", "-o", "other", "--resume")
    assert done.returncode == 0 and "there already" not in done.stdout
    assert len(list((line.folder / "other/ensemble-members").iterdir())) == 3
    assert set(line.names("other/trust.h5")) == {"mean", "spread", "log_spread"}


def test_a_run_again_without_resume_begins_anew(line, whole):
    shutil.copytree(whole[0], line.folder / "again")
    assert line.call(*INVERT, "-o", "again", "--overwrite").returncode == 0
    assert not (line.folder / "again/trust.h5").exists()
    assert not (line.folder / "again/ensemble-members").exists()


def test_smoothing_is_chosen_by_cross_validation(line):
    done = line.call(*INVERT, "--choose", "smoothing", "--folds", "3", "-o", "smoothing")
    assert done.returncode == 0, done.stderr
    (said,) = [text for text in done.stdout.splitlines() if "chosen: --smoothing" in text]
    assert "3-fold cross-validation over shots" in said
    table = rows_of(line.folder / "smoothing/choice.csv")
    scores = [float(row["held_out"]) for row in table]
    weights = [float(row["smoothing"]) for row in table]
    used = float(rows_of(line.folder / "smoothing/history.csv")[-1]["lambda"])
    # The largest weight that is as good as the best; six shots need not lead it to chi2 = 1.
    assert len(table) > 5 and weights == sorted(weights, reverse=True)
    assert used == next(w for w, s in zip(weights, scores) if s <= 1.01 * min(scores))


def test_a_schedule_is_found_and_can_be_given(line):
    done = line.call(*INVERT, "--choose", "schedule", "--folds", "3", "-o", "schedule")
    assert done.returncode == 0, done.stderr
    assert "chosen: --schedule chosen_schedule.csv" in done.stdout
    assert any(row["taken"] == "1" for row in rows_of(line.folder / "schedule/choice.csv"))
    # What else was chosen is said as flags too, and a given schedule goes with none of it.
    assert "chosen: --step 1.9" in done.stdout and "chosen: --target-chi2 1" in done.stdout
    done = line.call(*INVERT, "--schedule", "schedule/chosen_schedule.csv", "--step", "1.9",
                     "--target-chi2", "1", "-o", "given")
    assert done.returncode == 0
    assert np.array_equal(line.array("given/model.h5"), line.array("schedule/model.h5"))


def test_bad_calls_are_one_sentence(line):
    for flags, said in (
        (["--method", "hole", "--resolution"], "need --method gauss-newton"),
        (["--ensemble", "guess"], "--ensemble is 'guess'"),
        (["--ensemble", "bootstrap:1"], "--ensemble is '1'"),
        (["--point-spread", "99,0", "--resolution"], "--point-spread 99,0"),
        (["--choose", "smoothing", "--smoothing", "3"], "--smoothing is given"),
        (["--choose", "schedule", "--method", "gauss-newton"], "--method is 'gauss-newton'"),
        (["--choose", "smoothing", "--folds", "50"], "fewer than the 50 folds"),
        (["--solves", "0"], "--solves is '0'"),
        (["--devices", "0"], "--devices shares the members of an ensemble"),
        (["--ensemble", "noise:2", "--devices", "0"], "give --device cuda too"),
        (["--method", "adjoint", "--devices", "0"], "give --device cuda too"),
    ):
        assert said in line.error(*INVERT, *flags, "-o", "bad"), flags
    assert not (line.folder / "bad").exists()
