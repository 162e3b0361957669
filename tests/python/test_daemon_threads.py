"""A script may end while daemon threads compute: they stop, and it ends as it would without them."""

import subprocess
import sys

import pytest

# Daemon threads compute and the script ends. The end of Python is slow, as that of large programs,
# so that every thread asks for the GIL in the meantime.
SETUP = """
import os, sys, threading, time
import fermat as fm
from fermat import _core

class Slow:
    def __del__(self, sleep=time.sleep):
        sleep(0.3)

started = threading.Barrier(4)

def compute(steps=10**6, progress=None):
    started.wait()
    _core._wait(steps, 1e-3, threads=2, progress=progress)

def start(*arguments):
    for _ in range(3):
        threading.Thread(target=compute, args=arguments, daemon=True).start()
    started.wait()
    while _core._running_elsewhere() < 3:
        time.sleep(0.01)
"""
END = "\nslow = Slow()\n"


def run(code):
    done = subprocess.run([sys.executable, "-c", SETUP + code + END], capture_output=True,
                          text=True, timeout=100)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


@pytest.mark.parametrize("arguments", ["", "10**6, lambda *_: None"], ids=["silent", "progress"])
def test_a_script_ends_while_daemons_compute(arguments):
    assert run(f"start({arguments})\nprint('end')") == "end\n"


def test_a_script_ends_while_a_daemon_solves_again_and_again():
    run("""
model = fm.Model.gradient((41, 41, 41), v0=2, gradient=0.5, spacing=0.1)
def solve():
    started.wait()
    while True:
        fm.traveltimes(model, (1, 1, 1), threads=2, device="cpu")
for _ in range(3):
    threading.Thread(target=solve, daemon=True).start()
started.wait()
time.sleep(0.05)
""")


def test_a_thread_that_is_stopped_closes_what_it_had_open():
    said = run("""
def closing():
    try:
        _core._wait(10**6, 1e-3, threads=2)
    finally:
        print('closed', flush=True)
threading.Thread(target=closing, daemon=True).start()
while not _core._running_elsewhere():
    time.sleep(0.01)
""")
    assert said == "closed\n"


def test_the_thread_that_ends_python_computes_to_the_end():
    """A function that was registered before the import runs after the module has stopped others."""
    code = """
import atexit
def last():
    print(fm.Model.constant((3, 2), velocity=2).shape,
          fm.traveltimes(fm.Model.constant((5, 5), velocity=2), (0, 0), threads=2)[0, 4])
atexit.register(last)
import fermat as fm
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "(3, 2) 2.0\n")


def test_a_forked_child_waits_for_no_thread_of_its_parent():
    said = run("""
import warnings
warnings.simplefilter("ignore")
start()
child = os.fork()
if child == 0:
    sys.exit(_core._running_elsewhere())
print(_core._running_elsewhere(), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""")
    assert said == "3 0\n"
