"""A background job keeps ignoring Ctrl-C, and reports progress on lines of its own."""

import signal
import subprocess
import time


def masks(pid):
    """The signals that a process ignores and those that it catches, as sets of numbers."""
    text = dict(line.split(":\t", 1) for line in open(f"/proc/{pid}/status") if ":\t" in line)
    return [{n for n in range(1, 65) if int(text[name], 16) >> (n - 1) & 1}
            for name in ("SigIgn", "SigCgt")]


def watched(fermat, disposition):
    """How a run handles signals once it has started to work."""
    fermat("model", "gradient", "--shape", "41,41,41", "--v0", "2", "--gradient", "0.1", "-o",
           "model.h5")
    fermat.write("s.csv", "x,y,z\n" + "20,20,20\n" * 20000)
    run = subprocess.Popen([fermat.program, "times", "--model", "model.h5", "--sources", "s.csv",
                            "-o", "t.h5"], cwd=fermat.folder, stderr=subprocess.DEVNULL,
                           preexec_fn=lambda: signal.signal(signal.SIGINT, disposition))
    try:
        ignored, caught = masks(run.pid)
        deadline = time.monotonic() + 60
        while signal.SIGTERM not in caught and time.monotonic() < deadline:
            time.sleep(0.01)
            ignored, caught = masks(run.pid)
        return ignored, caught
    finally:
        run.kill()
        run.wait()


def test_an_ignored_interrupt_stays_ignored(fermat):
    ignored, caught = watched(fermat, signal.SIG_IGN)
    assert signal.SIGTERM in caught
    assert signal.SIGINT in ignored and signal.SIGINT not in caught


def test_others_are_caught(fermat):
    _, caught = watched(fermat, signal.SIG_DFL)
    assert {signal.SIGINT, signal.SIGTERM} <= caught


def test_progress_is_told_apart_from_errors(fermat):
    lines = (
        "fermat: first arrivals 50% (3 s, 3 s left)\n"
        "fermat: error: no\n"
        "fermat: times and rays 0% (4 s)\n"
        "fermat: times and rays 100% (6.1 s)\n"
    )
    assert fermat.without_progress(lines) == "fermat: error: no\n"
    assert fermat.without_progress("fermat: warning: 5% (of 3)\n") == "fermat: warning: 5% (of 3)\n"
