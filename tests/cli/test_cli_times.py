"""`fermat times`: fields and tables, one and many sources, air, 2-D, errors, Ctrl-C."""

import contextlib
import csv
import os
import pty
import select
import signal
import subprocess
import time

import numpy as np
import pytest


def gradient_time(source, points):
    """Closed form for v = 2 + 0.5 z."""
    source, points = np.asarray(source, float), np.asarray(points, float)
    velocities = (2 + 0.5 * source[2]) * (2 + 0.5 * points[..., 2])
    r2 = ((points - source) ** 2).sum(-1)
    return np.arccosh(1 + 0.25 * r2 / (2 * velocities)) / 0.5


def read_table(path):
    with open(path) as file:
        rows = list(csv.reader(file))
    return rows[0], [(int(s), int(r), float(t)) for s, r, t in rows[1:]]


@pytest.mark.parametrize("solver", ["fim", "fmm", "fsm", "vidale"])
def test_one_source_gives_one_field(volume, solver):
    source = (2.2, 1.9, 0.6)
    volume("times", "--model", "model.h5", "--source", "2.2,1.9,0.6", "--solver", solver,
           "--order", "2", "-o", "times.h5")
    assert volume.names("times.h5") == ["time"]
    times = volume.array("times.h5", "time")
    z, y, x = np.meshgrid(*(0.5 * np.arange(n) for n in (7, 9, 11)), indexing="ij")
    exact = gradient_time(source, np.stack([x, y, z], -1))
    assert times.shape == exact.shape
    assert np.allclose(times, exact, rtol=0.05, atol=0.05)


@pytest.mark.parametrize("precision", ["single", "double"])
def test_several_sources_are_named_in_their_order(volume, precision):
    points = [(0.5 * i, 0.5 * (i % 9), 0.5) for i in range(11)]
    flags = [word for p in points for word in ("--source", "{},{},{}".format(*p))]
    volume("times", "--model", "model.h5", *flags, "--precision", precision, "--threads", "2",
           "-o", "times.h5")
    assert volume.names("times.h5") == [f"time_{i:03}" for i in range(11)]
    for i in range(11):
        assert volume.array("times.h5", f"time_{i:03}")[1, i % 9, i] == 0


def test_threads_do_not_change_a_bit(volume):
    volume.write("s.csv", "x,y,z\n" + "".join(f"{0.4 * i},1,0.3\n" for i in range(12)))
    for threads in (1, 3):
        volume("times", "--model", "model.h5", "--sources", "s.csv", "--threads", threads,
               "-o", f"t{threads}.h5")
    for name in volume.names("t1.h5"):
        assert (volume.array("t1.h5", name) == volume.array("t3.h5", name)).all()


def test_together_is_the_earliest_of_all(section):
    section.write("s.csv", "x,z,start_time\n0,0,0.5\n5,3,0\n")
    section("times", "--model", "model.h5", "--sources", "s.csv", "-o", "each.h5")
    section("times", "--model", "model.h5", "--sources", "s.csv", "--together", "-o", "one.h5")
    assert section.names("one.h5") == ["time"]
    each = [section.array("each.h5", f"time_{i:03}") for i in range(2)]
    assert each[0][0, 0] == 0.5
    assert np.allclose(section.array("one.h5", "time"), np.minimum(*each), rtol=0.02, atol=0.02)


def test_receivers_beside_a_jump_are_the_same_with_and_without_fields(fermat):
    """Between nodes times are made as the solver makes them: from a source on the interface, by its head wave."""
    fermat("model", "layers", "--cells", "--shape", "40,20", "--spacing", "0.25", "--layer", "0:2", "--layer", "2:5",
           "-o", "m.h5")
    fermat.write("r.csv", "x,z\n5.02,1.97\n7.1,1.9\n")
    times = ("times", "--model", "m.h5", "--source", "5,2", "--receivers", "r.csv")
    fermat(*times, "--table", "one.csv")
    fermat(*times, "--table", "two.csv", "-o", "t.h5")
    assert (fermat.folder / "one.csv").read_text() == (fermat.folder / "two.csv").read_text()
    head = [x / 5 + z * np.sqrt(1 / 4 - 1 / 25) for x, z in ((0.02, 0.03), (2.1, 0.1))]
    found = [time for _, _, time in read_table((fermat.folder / "one.csv"))[1]]
    assert found == pytest.approx(head, rel=2e-3)


def test_table_of_receivers(volume):
    sources = [(1, 1, 0.5), (3.3, 2.2, 1.1)]
    receivers = [(0, 0, 0), (5, 4, 3), (2.25, 1.75, 0.1)]
    volume.write("s.csv", "x,y,z,start_time\n1,1,0.5,0\n3.3,2.2,1.1,10\n")
    volume.write("r.csv", "x,y,z\n" + "".join("{},{},{}\n".format(*p) for p in receivers))
    volume("times", "--model", "model.h5", "--sources", "s.csv", "--receivers", "r.csv",
           "--table", "t.csv")
    header, rows = read_table(volume.folder / "t.csv")
    assert header == ["source", "receiver", "time"]
    assert [row[:2] for row in rows] == [(s, r) for s in range(2) for r in range(3)]
    for s, r, t in rows:
        exact = gradient_time(sources[s], receivers[r]) + 10 * s
        assert t == pytest.approx(exact, rel=0.02, abs=0.02)
    volume("times", "--model", "model.h5", "--sources", "s.csv", "--receivers", "r.csv",
           "--table", "both.csv", "-o", "times.h5")
    assert [row[2] for row in read_table(volume.folder / "both.csv")[1]] == pytest.approx(
        [row[2] for row in rows], rel=0.02)


def test_table_of_sources_together_names_the_first_to_arrive(section):
    section.write("r.csv", "x,z\n0,0\n5,0\n")
    section("times", "--model", "model.h5", "--source", "0,1", "--source", "5,1.5",
            "--together", "--receivers", "r.csv", "--table", "t.csv")
    _, rows = read_table(section.folder / "t.csv")
    assert rows == [(0, 0, pytest.approx(1 / 3, rel=1e-3)), (1, 1, pytest.approx(0.5, rel=1e-3))]


def test_table_may_go_to_standard_output(section):
    section.write("r.csv", "x,z\n0,0\n")
    out = section("times", "--model", "model.h5", "--source", "3,0", "--receivers", "r.csv",
                  "--table", "/dev/stdout")
    assert out.splitlines()[0] == "source,receiver,time"
    assert float(out.splitlines()[1].split(",")[2]) == pytest.approx(1, rel=1e-4)


def test_a_full_disk_is_a_failed_computation(section):
    section.write("r.csv", "x,z\n0,0\n")
    line = section.error("times", "--model", "model.h5", "--source", "3,0", "--receivers", "r.csv",
                         "--table", "/dev/full", status=1)
    assert line == "fermat: error: cannot write '/dev/full': No space left on device"


def test_air_and_what_it_encloses_are_infinite(fermat):
    fermat("model", "layers", "--shape", "9,9", "--layer", "0:2", "--layer", "3:0",
           "--layer", "6:2", "-o", "model.h5")
    fermat("times", "--model", "model.h5", "--source", "4,1", "-o", "times.h5")
    times = fermat.array("times.h5", "time")
    assert np.isfinite(times[:3]).all() and np.isinf(times[3:]).all()


def test_a_source_on_a_far_corner(section):
    section("times", "--model", "model.h5", "--source", "5,3", "-o", "times.h5")
    assert section.array("times.h5", "time")[-1, -1] == 0


MODEL = ["times", "--model", "model.h5"]
OUT = ["-o", "times.h5"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["times"], "--model is required"),
        ([*MODEL, *OUT], "no source is given"),
        ([*MODEL, "--source", "1,1,1"], "nothing to write"),
        ([*MODEL, "--source", "1,1", *OUT], "--source is '1,1' (the model is 3-D"),
        ([*MODEL, "--source", "1,1,x", *OUT], "--source is '1,1,x'"),
        ([*MODEL, "--source", "1,1,inf", *OUT], "--source is '1,1,inf'"),
        ([*MODEL, "--source", "1,1,9", *OUT], "--source at (1, 1, 9) is outside the model"),
        ([*MODEL, "--source", "1,1,1", "--order", "3", *OUT], "--order is '3'"),
        ([*MODEL, "--source", "1,1,1", "--solver", "fast", *OUT], "--solver is 'fast'"),
        ([*MODEL, "--source", "1,1,1", "--precision", "half", *OUT], "--precision is 'half'"),
        ([*MODEL, "--source", "1,1,1", "-o", "times.npy"], "--output is 'times.npy'"),
        ([*MODEL, "--source", "1,1,1", "-o", "./model.h5"], "the file of --model"),
        ([*MODEL, "--source", "1,1,1", "-o", "no/t.h5"], "'no' does not exist"),
        ([*MODEL, "--source", "1,1,1", "--table", "t.csv"], "--table needs --receivers"),
        ([*MODEL, "--source", "1,1,1", "--receivers", "s.csv", *OUT], "--receivers needs --table"),
        ([*MODEL, "--source", "1,1,1", "--receivers", "s.csv", "--table", "s.csv"],
         "the file of --receivers"),
        ([*MODEL, "--sources", "none.csv", *OUT], "none.csv"),
        ([*MODEL, "--sources", "flat.csv", *OUT], "'flat.csv' has no column y"),
        ([*MODEL, "--sources", "s.csv", *OUT], "'s.csv' source 1 at (99, 0, 0) is outside"),
        (["times", "--model", "none.h5", "--source", "1,1,1", *OUT], "none.h5"),
        (["times", "--model", "s.csv", "--source", "1,1,1", *OUT], "s.csv"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(volume, arguments, words):
    volume.write("s.csv", "x,y,z\n1,1,1\n99,0,0\n")
    volume.write("flat.csv", "x,z\n1,1\n")
    volume.write("times.h5", "was here before")
    assert words in volume.error(*arguments)


def test_2d_errors(section):
    section.write("s.csv", "x,y,z\n1,7,1\n")
    assert "the model is 2-D" in section.error(*MODEL, "--source", "1,0,1", *OUT)
    assert "y = 7" in section.error(*MODEL, "--sources", "s.csv", *OUT)


def test_points_in_air_are_named(fermat):
    fermat("model", "layers", "--shape", "9,9", "--layer", "0:0", "--layer", "4:2", "-o",
           "model.h5")
    fermat.write("r.csv", "x,z\n1,6\n1,1\n")
    assert "--source at (1, 1) is in air" in fermat.error(*MODEL, "--source", "1,1", *OUT)
    line = fermat.error(*MODEL, "--source", "1,6", "--receivers", "r.csv", "--table", "t.csv")
    assert "'r.csv' receiver 1 at (1, 1) is in air" in line


def test_cuda_is_refused_where_it_is_not_in(section):
    if "CUDA        no" not in section("info"):
        pytest.skip("this build has CUDA")
    assert "--device is 'cuda'" in section.error(*MODEL, "--source", "1,1", *OUT, "--device",
                                                 "cuda")


def test_log_level_info_tells_what_was_done(section):
    done = section.call(*MODEL, "--source", "1,1", *OUT, "--log-level", "info")
    assert done.returncode == 0 and done.stderr.startswith("fermat: info: 1 source")
    assert section.call(*MODEL, "--source", "1,1", *OUT, "--log-level", "info",
                        "--quiet").stderr == ""


@contextlib.contextmanager
def started(fermat, *arguments, stderr=subprocess.PIPE):
    """Starts the program, waits until its output is open, and ends it in any case."""
    run = subprocess.Popen([fermat.program, *arguments], cwd=fermat.folder, stderr=stderr)
    try:
        deadline = time.monotonic() + 30
        while not list(fermat.folder.glob(".fermat-*")) and time.monotonic() < deadline:
            time.sleep(0.01)
        yield run
    finally:
        run.kill()
        run.wait()


def long_run(fermat, **options):
    """A run of many sources."""
    fermat("model", "gradient", "--shape", "41,41,41", "--v0", "2", "--gradient", "0.1",
           "-o", "model.h5")
    fermat.write("s.csv", "x,y,z\n" + "20,20,20\n" * 20000)
    return started(fermat, *MODEL, "--sources", "s.csv", *OUT, **options)


def test_ctrl_c_ends_cleanly(fermat, ctrl_c):
    with long_run(fermat) as run:
        time.sleep(0.5)
        run.send_signal(signal.SIGINT)
        _, stderr = run.communicate(timeout=30)
    assert run.returncode == 130
    assert stderr.decode().splitlines()[-1] == "fermat: error: stopped by the user"
    assert sorted(p.name for p in fermat.folder.iterdir()) == ["model.h5", "s.csv"]


@pytest.mark.parametrize("solver", ["fim", "fmm", "fsm", "vidale"])
def test_ctrl_c_in_one_large_solve(fermat, solver, ctrl_c):
    fermat("model", "blocks", "--shape", "161,161,161", "--min", "1", "--max", "10",
           "-o", "model.h5")
    with started(fermat, *MODEL, "--source", "1,1,1", "--solver", solver, "--threads", "1",
                 *OUT) as run:
        time.sleep(0.1)
        run.send_signal(signal.SIGINT)
        _, stderr = run.communicate(timeout=30)
    assert run.returncode == 130, stderr
    assert [p.name for p in fermat.folder.iterdir()] == ["model.h5"]


def read_until(leader, mark, seconds=30):
    """The text that a terminal shows up to `mark`."""
    shown = b""
    deadline = time.monotonic() + seconds
    while mark not in shown and time.monotonic() < deadline:
        if select.select([leader], [], [], 0.1)[0]:
            shown += os.read(leader, 4096)
    return shown.decode()


def test_a_terminal_shows_a_bar_and_a_clean_error_line(fermat, ctrl_c):
    leader, follower = pty.openpty()
    with long_run(fermat, stderr=follower) as run:
        assert read_until(leader, b"%").startswith("\rfirst arrivals [")
        run.send_signal(signal.SIGINT)
        run.wait(timeout=30)
    os.close(follower)
    end = "\r\x1b[Kfermat: error: stopped by the user\r\n"
    assert read_until(leader, b"user\r\n").endswith(end)
    os.close(leader)


@pytest.mark.parametrize("value", ["x", "0", "3", "99999999999", "1.5"])
def test_a_number_that_is_none_or_out_of_range_names_the_range(fermat, value):
    line = fermat.error("times", "--order", value, "--model", "m.h5", "--source", "0,0", "-o", "t.h5")
    assert f"--order is '{value}' (must be 1 or 2)" in line
