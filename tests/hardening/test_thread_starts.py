"""If the machine refuses threads, the error is one line and the interpreter continues."""

import subprocess
import sys

import pytest

import fermat as fm

MILLION = 10**6


def test_python_refuses_a_million_threads():
    model = fm.Model.gradient((11, 11), v0=2, gradient=0.5)
    ends = (0, 0), [(9, 0)]
    picks = fm.synthetic_picks(model, *ends)
    for call in (
        lambda: fm.traveltimes(model, (0, 0), threads=MILLION),
        lambda: fm.traveltimes(model, (0, 0), solver="bellman-ford", threads=MILLION),
        lambda: fm.receiver_times(model, *ends, threads=MILLION),
        lambda: fm.rays(model, *ends, threads=MILLION),
        lambda: fm.rays(model, *ends, tracer="bending", threads=MILLION),
        lambda: fm.rays(model, *ends).sensitivity(threads=MILLION),
        lambda: fm.rays(model, *ends).coverage(threads=MILLION),
        lambda: fm.synthetic_picks(model, *ends, threads=MILLION),
        lambda: fm.invert(model, picks, threads=MILLION),
        lambda: fm.smooth(model.velocity, size=3, threads=MILLION),
    ):
        with pytest.raises(ValueError, match=r"threads is 1000000 \(must be from 1 to 4096"):
            call()


def test_the_program_refuses_a_million_threads(section):
    error = section.error("times", "--model", "model.h5", "--source", "0,0", "-o", "t.h5",
                          "--threads", MILLION)
    assert "--threads is '1000000'" in error and "4096" in error


def test_python_raises_where_threads_are_refused():
    code = """
import resource
import fermat as fm
model = fm.Model.gradient((31, 301), v0=2, gradient=0.5)
now = 4096 * int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (now + 2**28, now + 2**28))
try:
    fm.traveltimes(model, [(1, z) for z in range(300)], together=False, threads=300,
                   device="cpu")
except RuntimeError as error:
    print(error)
fm.traveltimes(model, (0, 0), threads=1, device="cpu")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("cannot start thread "), done.stdout
    assert done.stdout.count("\n") == 1 and "use fewer threads" in done.stdout


@pytest.mark.parametrize("command", ["times", "invert"])
def test_the_program_says_one_line_where_threads_are_refused(fermat, command):
    fermat("model", "gradient", "--shape", "41,21", "--spacing", "0.25", "--v0", "2", "--gradient",
           "0.5", "-o", "m.h5")
    points = "x,z\n" + "".join(f"{0.02 * n:g},0\n" for n in range(500))
    fermat.write("s.csv", points)
    fermat.write("r.csv", "x,z\n9,0\n")
    calls = {
        "times": ["times", "--model", "m.h5", "--sources", "s.csv", "--receivers", "s.csv",
                  "--table", "t.csv"],
        "invert": ["invert", "--model", "m.h5", "--picks", "p.csv", "-o", "run"],
    }
    fermat("picks", "--model", "m.h5", "--sources", "s.csv", "--receivers", "r.csv", "-o", "p.csv")
    shell = 'ulimit -v 1000000; exec "$0" "$@"'
    done = subprocess.run(["bash", "-c", shell, fermat.program, *calls[command], "--threads", "500",
                           "--quiet"], cwd=fermat.folder, capture_output=True, text=True,
                          timeout=100)
    assert done.returncode == 1, done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("fermat: error: cannot start thread "), done.stderr
