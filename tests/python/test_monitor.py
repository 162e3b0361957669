"""Long work reports progress and obeys Ctrl-C, for any number of threads."""

import signal
import subprocess
import sys
import threading
import time

import pytest
from fermat._core import _wait
from fermat._progress import listener


@pytest.mark.parametrize("threads", [1, 3])
def test_progress_runs_from_0_to_the_total(threads):
    events = []
    _wait(40, 0.01, threads=threads, progress=lambda *event: events.append(event))
    assert events[0] == (0, 40, "waiting")
    assert events[-1] == (40, 40, "waiting")
    done = [event[0] for event in events]
    assert len(done) > 3


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("at", [0, 1])
def test_an_exception_of_the_callback_stops_the_work_and_comes_out(threads, at):
    def fail(done, total, task):
        if done >= at:
            raise LookupError("from the callback")

    start = time.monotonic()
    with pytest.raises(LookupError, match="from the callback"):
        _wait(10**5, 0.01, threads=threads, progress=fail)
    assert time.monotonic() - start < 100  # of 300 s and more


def test_an_exception_on_the_last_event_is_not_lost():
    def fail(done, total, task):
        if done == total:
            raise LookupError("at the end")

    with pytest.raises(LookupError, match="at the end"):
        _wait(1, 0, progress=fail)


def test_other_python_threads_run_meanwhile():
    ticks = []
    worker = threading.Thread(target=lambda: [ticks.append(time.sleep(0.01)) for _ in range(10)])
    worker.start()
    _wait(1, 0.3)
    assert len(ticks) == 10
    worker.join()


@pytest.mark.parametrize("threads", [1, 3])
def test_ctrl_c_raises_keyboard_interrupt_at_once(threads, ctrl_c):
    code = (
        "from fermat._core import _wait\n"
        "print('ready', flush=True)\n"
        "try:\n"
        f"    _wait(10**6, 0.01, threads={threads})\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.2)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=20)
    assert out == "interrupted\n"
    assert child.returncode == 0


def test_a_handler_of_the_users_own_is_heard():
    code = (
        "import signal\n"
        "from fermat._core import _wait\n"
        "def stop(*_): raise TimeoutError('alarm')\n"
        "signal.signal(signal.SIGALRM, stop)\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.2)\n"
        "try:\n"
        "    _wait(10**6, 0.01)\n"
        "except TimeoutError as error:\n"
        "    print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=20)
    assert run.stdout == "alarm\n", run.stderr


def test_progress_must_be_callable():
    with pytest.raises(ValueError, match="progress is not callable"):
        _wait(1, 0, progress=3)


def test_progress_true_is_a_bar_of_tqdm(capsys):
    pytest.importorskip("tqdm")
    _wait(5, 0.01, progress=listener(True))
    text = capsys.readouterr().err
    assert "waiting: 100%" in text and "5/5" in text


def test_progress_true_is_a_line_without_tqdm(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    _wait(5, 0.01, progress=listener(True))
    assert capsys.readouterr().err == "waiting: 5 of 5\n"


@pytest.mark.parametrize("off", [None, False])
def test_progress_may_be_off(off):
    assert listener(off) is None
