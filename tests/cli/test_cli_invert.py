"""`fermat picks` and `fermat invert`: outputs, targets, resuming, ranks, checkerboards, errors."""

import os
import random
import shutil
import signal
import subprocess
import time

import h5py
import numpy as np
import pytest
from run_files import RESULTS, files_of, results, rows_of

HISTORY = ["iteration", "rms", "picks", "max_update", "cell_size", "vertex_size", "seconds"]
INVERT = ["invert", "--model", "start.h5", "--picks", "picks.csv", "--schedule", "schedule.csv"]


@pytest.fixture(scope="session")
def line(shared_fermat):
    """A 2-D survey: start.h5, true.h5 (checkerboard of 5 %), noisy picks.csv, schedule.csv."""
    fermat = shared_fermat
    fermat("model", "gradient", "--shape", "49,25", "--spacing", "0.25", "--v0", "2",
           "--gradient", "0.2", "-o", "start.h5")
    fermat("model", "checkerboard", "--base", "start.h5", "--size", "4,3", "--amplitude", "0.05",
           "-o", "true.h5")
    fermat.write("s.csv", "x,z\n" + "".join(f"{x},0\n" for x in range(0, 13, 2)))
    fermat.write("r.csv", "x,z\n" + "".join(f"{x / 2},{6 * (x % 2)}\n" for x in range(25)))
    fermat("picks", "--model", "true.h5", "--sources", "s.csv", "--receivers", "r.csv",
           "--noise", "0.005", "--seed", "3", "-o", "picks.csv")
    fermat.write("schedule.csv", "iterations,cell_x,cell_z,vertex_x,vertex_z\n"
                                 "4,16,12,9,9\n4,8,6,5,5\n4,4,4,3,3\n")
    return fermat


@pytest.fixture(scope="session")
def whole(line):
    """A run without interruption in the folder `whole`."""
    line(*INVERT, "-o", "whole")
    return line.folder / "whole"


def test_picks_have_the_geometry_the_noise_and_the_error(line):
    rows = rows_of(line.folder / "picks.csv")
    assert len(rows) == 7 * 25
    assert list(rows[0]) == ["source_x", "source_z", "receiver_x", "receiver_z", "time", "error"]
    assert {float(row["error"]) for row in rows} == {0.005}
    line("picks", "--model", "true.h5", "--sources", "s.csv", "--receivers", "r.csv", "-o",
         "clean.csv")
    clean = rows_of(line.folder / "clean.csv")
    assert "error" not in clean[0]
    noise = [float(a["time"]) - float(b["time"]) for a, b in zip(rows, clean)]
    assert 0.003 < np.std(noise) < 0.007
    line("picks", "--model", "true.h5", "--picks", "picks.csv", "-o", "again.csv")
    assert (line.folder / "again.csv").read_bytes() == (line.folder / "clean.csv").read_bytes()


def test_run_writes_all_its_files(line, whole):
    assert sorted(files_of(whole)) == sorted(
        [*RESULTS, "history.csv", "checkpoint.h5", "settings.toml"]
    )
    history = rows_of(whole / "history.csv")
    assert list(history[0])[: len(HISTORY)] == HISTORY
    assert [int(row["iteration"]) for row in history] == list(range(13))
    assert float(history[-1]["rms"]) < 0.4 * float(history[0]["rms"])
    assert float(history[-1]["chi2"]) < float(history[0]["chi2"])
    assert history[0]["cell_size"] == "" and history[1]["cell_size"] == "16x1x12"
    assert all(row["lost"] == "0" and row["picks"] == "175" for row in history)
    residuals = rows_of(whole / "residuals.csv")
    last = np.array([float(row["final_residual"]) for row in residuals])
    assert np.sqrt(np.mean(last**2)) == pytest.approx(float(history[-1]["rms"]))
    first = np.array([float(row["initial_residual"]) for row in residuals])
    assert np.sqrt(np.mean(first**2)) == pytest.approx(float(history[0]["rms"]))
    with h5py.File(whole / "coverage.h5") as h5:
        cover = np.array(h5["VTKHDF/CellData/coverage"])
    assert cover.shape == (24, 48) and cover.max() >= 5
    with h5py.File(whole / "model.h5") as h5:
        assert np.array(h5["VTKHDF/PointData/velocity"]).shape == (25, 49)


def test_iterations_are_told_line_by_line(line):
    said = line(*INVERT, "--target-rms", "0.02", "-o", "told")
    lines = [text for text in said.splitlines() if not text.startswith("chosen: ")]
    assert lines[0].startswith("iteration 0/12: rms ")
    assert "chi2" in lines[0] and "175 rays, 0 lost" in lines[0] and "times" in lines[0]
    assert "stopped at the target RMS" in lines[-1]
    assert float(rows_of(line.folder / "told/history.csv")[-1]["rms"]) <= 0.02


def test_threads_give_the_same_bits(line, whole):
    for threads in ("1", "3"):
        line(*INVERT, "--threads", threads, "-o", f"threads{threads}")
        assert results(line.folder / f"threads{threads}") == results(whole)


def test_resume_without_a_checkpoint_starts_and_after_the_end_repeats(line, whole):
    for _ in range(2):
        line(*INVERT, "--resume", "-o", "twice")
        assert results(line.folder / "twice") == results(whole)


def kill_at_random(fermat, folder, kills, seed):
    """Runs an inversion, kills it at random times and resumes it until it ends."""
    luck = random.Random(seed)
    command = [str(fermat.program), *INVERT, "--resume", "-o", folder]
    killed = 0
    longest = 0.1
    while killed < kills:
        run = subprocess.Popen(command, cwd=fermat.folder, stdout=subprocess.DEVNULL)
        try:
            run.wait(timeout=luck.uniform(0.005, longest))
            shutil.rmtree(fermat.folder / folder)  # ended before the kill
            longest *= 0.7
        except subprocess.TimeoutExpired:
            run.send_signal(signal.SIGKILL)
            run.wait()
            killed += 1
            longest *= 1.1
    fermat(*INVERT, "--resume", "-o", folder)


def test_kills_at_random_moments_leave_no_trace(line, whole):
    kill_at_random(line, "killed", int(os.environ.get("FERMAT_KILLS", "5")), 7)
    assert results(line.folder / "killed") == results(whole)


def test_a_foreign_or_damaged_checkpoint_is_refused(line, whole):
    shutil.copytree(whole, line.folder / "foreign")
    error = line.error(*INVERT, "--step", "0.9", "--resume", "-o", "foreign")
    assert "foreign/checkpoint.h5' belongs to another run" in error
    good = (whole / "checkpoint.h5").read_bytes()
    target = line.folder / "foreign/checkpoint.h5"
    luck = random.Random(1)
    for _ in range(12):
        bad = bytearray(good)
        bad[luck.randrange(len(bad))] ^= 1 << luck.randrange(8)
        target.write_bytes(bad)
        done = line.call(*INVERT, "--resume", "-o", "foreign")
        if done.returncode == 0:  # a bit of unused padding
            assert results(line.folder / "foreign") == results(whole)
        else:
            assert done.returncode == 2 and done.stderr.count("\n") == 1
    target.write_bytes(good[: len(good) // 2])
    assert "checkpoint.h5" in line.error(*INVERT, "--resume", "-o", "foreign")


def test_interrupt_stops_with_130_and_resume_goes_on(line, whole, ctrl_c):
    command = [str(line.program), *INVERT, "-o", "stopped"]
    run = subprocess.Popen(command, cwd=line.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True)
    run.stdout.readline()
    run.send_signal(signal.SIGINT)
    _, error = run.communicate(timeout=60)
    if run.returncode != 0:  # the run may have ended before
        assert run.returncode == 130
        assert line.without_progress(error) == "fermat: error: stopped by the user\n"
    line(*INVERT, "--resume", "-o", "stopped")
    assert results(line.folder / "stopped") == results(whole)


def test_checkerboard_scores_its_recovery(line):
    said = line(*INVERT, "--checkerboard", "4,3,0.05", "-o", "board")
    assert "recovery where at least 1 ray passes: correlation" in said
    scores = rows_of(line.folder / "board/recovery.csv")
    assert float(scores[1]["correlation"]) > 0.4
    assert np.array_equal(line.array("board/board.h5"), line.array("true.h5"))
    assert len(rows_of(line.folder / "board/picks.csv")) == 175


@pytest.mark.parametrize(("picks", "flags", "keys"), [
    ("bare.csv", [], ["spacing", "regularisation", "axis-weights", "target-rms", "min-velocity",
                      "max-velocity"]),
    ("picks.csv", ["--model", "start.h5", "--iterations", "3"], ["regularisation", "axis-weights"]),
    ("picks.csv", ["--method", "hole"], ["spacing", "target-chi2"]),
    ("picks.csv", ["--model", "start.h5", "--method", "adjoint", "--iterations", "2"], ["axis-weights"]),
])
def test_a_run_is_repeated_from_what_its_settings_keep(line, picks, flags, keys):
    """What was chosen stands in settings.toml: the run made of it has the same bits and the same name."""
    rows = rows_of(line.folder / "picks.csv")
    names = ["source_x", "source_z", "receiver_x", "receiver_z", "time"]
    line.write("bare.csv", "\n".join([",".join(names), *(",".join(row[name] for name in names) for row in rows)]) + "\n")
    assert line.call("invert", picks, *flags, "-o", "chosen", "--overwrite").returncode == 0
    text = (line.folder / "chosen/settings.toml").read_text()
    for key in keys:
        assert f"\n{key} = " in text, key
    assert "\n# chosen: " in text
    assert line.call("invert", "--config", "chosen/settings.toml", "-o", "repeated", "--overwrite").returncode == 0
    assert results(line.folder / "repeated") == results(line.folder / "chosen")
    again = (line.folder / "repeated/settings.toml").read_text()
    assert again.splitlines()[0] == text.splitlines()[0]  # the name of the run


def test_config_file_sets_the_flags(line, whole):
    line.write("run.toml", 'model = "start.h5"\npicks = "picks.csv"\nschedule = "schedule.csv"\n'
                           'output = "from-config"\n')
    line("invert", "--config", "run.toml")
    assert results(line.folder / "from-config") == results(whole)


@pytest.mark.parametrize(
    ("flags", "parts"),
    [
        (["--schedule", "none.csv"], ["none.csv"]),
        (["--target-rms", "-1"], ["--target-rms is '-1'"]),
        (["--max-update", "2"], ["--max-update is '2'"]),
        (["--outliers", "0.2"], ["--outliers is '0.2'"]),
        (["--noise", "0.1"], ["--noise needs --checkerboard"]),
        (["--checkerboard", "0.1"], ["--checkerboard", "size,amplitude"]),
        (["--checkerboard", "1,2,3,4,5"], ["--checkerboard"]),
        (["--smoother", "magic"], ["--smoother", "magic", "running"]),
    ],
)
def test_wrong_flags_are_one_line(line, flags, parts):
    error = line.error(*INVERT[:5], *flags, "-o", "wrong")
    assert all(part in error for part in parts), error
    assert not (line.folder / "wrong").exists()


def test_wrong_files_are_one_line(line):
    line.write("bad.csv", "iterations,cell_x,cell_z,vertex_x,vertex_z\n4,0,2,3,3\n")
    assert "'bad.csv' line 2" in line.error(*INVERT[:5], "--schedule", "bad.csv", "-o", "wrong")
    line.write("far.csv", "source_x,source_z,receiver_x,receiver_z,time\n0,0,99,0,1\n")
    error = line.error("invert", "--model", "start.h5", "--picks", "far.csv", "-o", "wrong")
    assert "far.csv" in error and "outside the model" in error
    line.write("file", "")
    assert "--output is 'file'" in line.error(*INVERT, "-o", "file")


mpirun = shutil.which("mpirun")


def has_mpi(fermat):
    return mpirun and "MPI         no" not in fermat("info")


def on_ranks(fermat, count, *arguments):
    command = [mpirun, "--oversubscribe", "--allow-run-as-root", "-n", str(count),
               str(fermat.program), *arguments]
    # Ranks that share few cores must not busy-wait for each other.
    environment = os.environ | {"OMPI_MCA_mpi_yield_when_idle": "1"}
    return subprocess.run(command, cwd=fermat.folder, env=environment, capture_output=True,
                          text=True, timeout=120)


def test_ranks_give_the_same_bits_and_speak_with_one_voice(line, whole):
    if not has_mpi(line):
        pytest.skip("no MPI")
    for count in (1, 2, 4):
        done = on_ranks(line, count, *INVERT, "--threads", "1", "-o", f"ranks{count}")
        assert done.returncode == 0, done.stderr
        assert done.stdout.count("iteration 3/12") == 1
        assert results(line.folder / f"ranks{count}") == results(whole)
    done = on_ranks(line, 3, *INVERT, "--target-rms", "-1", "-o", "wrong")
    assert done.returncode != 0
    assert done.stderr.count("fermat: error: --target-rms is '-1'") == 1
    done = on_ranks(line, 2, "info")
    assert done.stdout.count("compiler") == 1
    assert done.stderr.count("rank 0 of 2 computes all: fermat info shares no work among ranks") == 1


def test_a_rank_that_dies_ends_the_job_and_leaves_the_checkpoint_good(line, whole):
    if not has_mpi(line):
        pytest.skip("no MPI")
    # The second rank kills itself after a short time.
    script = line.write("fatal.sh", 'if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then\n'
                                    '  "$@" & sleep 0.6; kill -9 $!; wait $!; exit 137\n'
                                    'fi\nexec "$@"\n')
    command = [mpirun, "--oversubscribe", "--allow-run-as-root", "-n", "2", "sh", script,
               str(line.program), *INVERT, "--threads", "1", "-o", "died"]
    environment = os.environ | {"OMPI_MCA_mpi_yield_when_idle": "1"}
    start = time.monotonic()
    done = subprocess.run(command, cwd=line.folder, env=environment, capture_output=True,
                          text=True, timeout=120)
    assert time.monotonic() - start < 100
    if done.returncode == 0:
        assert results(line.folder / "died") == results(whole)
        return
    assert "rank" in done.stderr or "exit" in done.stderr
    line(*INVERT, "--resume", "-o", "died")
    assert results(line.folder / "died") == results(whole)
