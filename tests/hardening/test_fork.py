"""A process that has computed on threads can fork children that compute too."""

import subprocess
import sys

import pytest

SETUP = """
import multiprocessing, os, sys
import fermat as fm
model = fm.Model.gradient((41, 31), v0=2, gradient=0.5, spacing=0.1)
def times(x):
    return float(fm.traveltimes(model, (x, 0), threads=4, device="cpu")[20, 20])
mine = [times(x) for x in (0, 1, 2)]
"""


def run(code):
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", SETUP + code], capture_output=True,
                          text=True, timeout=100)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_pools_compute(method, tmp_path):
    script = tmp_path / "pool.py"  # spawn imports the file that it was started from
    script.write_text(
        SETUP
        + "if __name__ == '__main__':\n"
        + f"    with multiprocessing.get_context('{method}').Pool(2) as pool:\n"
        + "        assert pool.map(times, (0, 1, 2)) == mine\n"
        + "    print('alike')\n"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", script], capture_output=True, text=True,
                          timeout=100)
    assert (done.returncode, done.stdout, done.stderr) == (0, "alike\n", "")


def test_a_child_that_ends_by_itself_ends():
    """A child ends with its own exit handlers, whether it has computed or not."""
    run("""
for compute in (True, False):
    child = os.fork()
    if child == 0:
        sys.exit(0 if not compute or times(1) == mine[1] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
""")


def test_rays_and_inversions_in_a_child():
    run("""
sources, receivers = [(0, 0), (2, 0)], [(1, 3), (4, 3)]
def rays():
    return fm.rays(model, sources, receivers, threads=3, device="cpu").times.tolist()
def rms():
    picks = fm.synthetic_picks(model, sources, receivers, threads=3, device="cpu")
    start = fm.Model.constant((41, 31), velocity=2.2, spacing=0.1)
    return fm.invert(start, picks, schedule=[(2, (4, 4), (3, 3))], threads=3, device="cpu").rms
before = rays(), rms()
child = os.fork()
if child == 0:
    os._exit(0 if (rays(), rms()) == before else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
""")


def test_a_child_computes_on_the_cpu_where_its_parent_may_have_used_a_gpu():
    run("""
def anywhere():
    return float(fm.traveltimes(model, (1, 0))[20, 20])
before = anywhere()
child = os.fork()
if child == 0:
    os._exit(0 if abs(anywhere() - before) < 1e-5 * before else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
""")
