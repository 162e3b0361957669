"""However a run ends, its hidden files are removed soon."""

import os
import signal
import subprocess
import time

import pytest

TIMES = ["times", "--model", "model.h5", "--source", "1,1", "-o", "out.h5"]


def hidden(fermat):
    return sorted(p.name for p in fermat.folder.iterdir() if p.name.startswith("."))


def files_at_work(fermat):
    """Hidden files, identified by more than their names, which may be used again."""
    found = set()
    for name in hidden(fermat):
        try:
            file = (fermat.folder / name).stat()
            found.add((name, file.st_ino, file.st_ctime_ns))
        except FileNotFoundError:
            pass
    return found


def heed_signals():
    """In a background job, as CI may be, a shell has these ignored, and children inherit that."""
    for name in ("SIGHUP", "SIGINT", "SIGQUIT"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)


@pytest.fixture
def waiting(section):
    """Starts runs that have opened out.h5 and wait for a reader of their table."""
    section.write("r.csv", "x,z\n2,2\n")
    os.mkfifo(section.folder / "pipe")
    runs = []

    def start():
        before = files_at_work(section)
        command = [str(section.program), *TIMES, "--receivers", "r.csv", "--table", "pipe"]
        run = subprocess.Popen(command, cwd=section.folder, stderr=subprocess.DEVNULL,
                               preexec_fn=heed_signals)
        runs.append(run)
        deadline = time.monotonic() + 60
        while not files_at_work(section) - before:
            assert time.monotonic() < deadline and run.poll() is None
            time.sleep(0.01)
        # The file exists. Wait until the run blocks while it opens the pipe.
        while "S" != open(f"/proc/{run.pid}/stat").read().rsplit(")")[-1].split()[0]:
            time.sleep(0.01)
        return run

    yield start
    for run in runs:
        if run.poll() is None:
            run.kill()
            run.wait()


def test_what_a_killed_run_left_goes_with_the_next(section, waiting):
    for _ in range(3):
        run = waiting()
        run.kill()
        run.wait()
        assert len(hidden(section)) == 1
    section(*TIMES)
    assert hidden(section) == []


def test_a_run_under_work_is_left_alone(section, waiting):
    run = waiting()
    under_work = hidden(section)
    section(*TIMES)
    assert hidden(section) == under_work and run.poll() is None


ENDINGS = ["SIGHUP", "SIGINT", "SIGTERM", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGPIPE", "SIGALRM",
           "SIGABRT", "SIGSEGV", "SIGBUS", "SIGXCPU", "SIGVTALRM", "SIGRTMIN"]


@pytest.mark.parametrize("name", ENDINGS)
def test_every_signal_that_ends_a_run_cleans_up(section, waiting, name):
    run = waiting()
    number = getattr(signal, name)
    run.send_signal(number)
    try:
        status = run.wait(timeout=10)
    except subprocess.TimeoutExpired:  # it asked to stop just before the run began to wait
        run.send_signal(number)
        status = run.wait(timeout=60)
    assert hidden(section) == []
    assert not (section.folder / "out.h5").exists()
    if name not in ("SIGHUP", "SIGINT", "SIGTERM"):  # those ask to stop
        assert status == -number


@pytest.mark.parametrize("ignored", [False, True])
def test_a_hang_up_stops_a_run_unless_it_is_ignored(section, ignored):
    section.write("picks.csv", "source_x,source_z,receiver_x,receiver_z,time\n"
                               "0,0,5,0,1.6\n0,0,4,0,1.3\n5,0,1,0,1.4\n")
    section.write("stages.csv", "iterations,cell_x,cell_z,vertex_x,vertex_z\n1000000,3,3,3,3\n")
    run = subprocess.Popen(
        [str(section.program), "invert", "--model", "model.h5", "--picks", "picks.csv",
         "--schedule", "stages.csv", "-o", "run"],
        cwd=section.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGHUP,
                                         signal.SIG_IGN if ignored else signal.SIG_DFL))
    run.stdout.readline()
    run.send_signal(signal.SIGHUP)
    if ignored:
        for _ in range(200):
            assert run.stdout.readline().startswith(b"iteration ")
        run.send_signal(signal.SIGTERM)
    _, error = run.communicate(timeout=60)
    assert run.returncode == 130 and error == b"fermat: error: stopped by the user\n"
    assert [p.name for p in (section.folder / "run").iterdir() if p.name.startswith(".")] == []
