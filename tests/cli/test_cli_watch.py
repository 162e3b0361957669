"""`fermat report` and `fermat watch` of runs that are still going."""

import json
import re
import signal
import subprocess
import time

import pytest
from chromium import Page, find_chromium


@pytest.fixture
def line(fermat):
    """A 2-D survey and a schedule of many iterations."""
    fermat("model", "gradient", "--shape", "33,17", "--spacing", "0.25", "--v0", "2",
           "--gradient", "0.2", "-o", "start.h5")
    fermat.write("s.csv", "x,z\n0,0\n4,0\n8,0\n")
    fermat.write("r.csv", "x,z\n" + "".join(f"{x / 2},{4 * (x % 2)}\n" for x in range(17)))
    fermat("picks", "--model", "start.h5", "--sources", "s.csv", "--receivers", "r.csv", "--noise",
           "0.01", "-o", "picks.csv")
    fermat.write("schedule.csv", "iterations,cell_x,cell_z,vertex_x,vertex_z\n150,8,6,5,3\n")
    return fermat


@pytest.fixture
def halted(line):
    """An inversion in the folder `run`, halted after an update; goes on with SIGCONT."""
    command = [str(line.program), "invert", "--model", "start.h5", "--picks", "picks.csv",
               "--schedule", "schedule.csv", "--threads", "1", "-o", "run"]
    process = subprocess.Popen(command, cwd=line.folder, stdout=subprocess.DEVNULL)
    checkpoint = line.folder / "run/checkpoint.h5"
    while process.poll() is None and not checkpoint.exists():
        time.sleep(0.002)
    process.send_signal(signal.SIGSTOP)
    assert process.poll() is None
    yield process
    if process.poll() is None:
        process.kill()
        process.wait()


def page_of(fermat, name):
    text = (fermat.folder / name).read_text()
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    return json.loads(found[1])


def test_a_run_is_shown_while_it_goes_and_when_it_was_killed(line, halted):
    line("report", "run", "-o", "now.html", "--start", "start.h5")
    page = page_of(line, "now.html")
    assert page["going"] is True and page["picks"] is None
    iteration = int(re.search(r"still going, the model of iteration (\d+)$", page["subtitle"])[1])
    assert ["iterations", str(iteration)] in page["summary"] and iteration >= 1
    assert page["model"]["shape"] == [33, 1, 17] and page["model"]["start"]
    assert len(page["history"]["rows"]) >= 1
    halted.kill()
    halted.wait()
    line("report", "run", "-o", "dead.html")
    page = page_of(line, "dead.html")
    assert page["going"] is False
    assert page["subtitle"].endswith("(fermat invert --resume goes on with it)")
    watched = line.call("watch", "run", "-o", "dead.html", "--every", "0.1")
    assert watched.returncode == 1
    assert "no inversion is running in 'run'" in watched.stderr


@pytest.mark.skipif(find_chromium() is None, reason="no Chromium on this machine")
def test_the_live_page_draws_and_loads_itself_again(line, halted, tmp_path):
    line("report", "run", "-o", "live.html")
    text = (line.folder / "live.html").read_text()
    (line.folder / "live.html").write_text(text.replace("reload(), 4000", "reload(), 1000"))
    with Page(find_chromium(), tmp_path / "chromium") as page:

        def wait_for(words):
            """While the page loads itself it cannot answer."""
            for _ in range(100):
                try:
                    if words in page.text("#subtitle"):
                        return
                except (AssertionError, KeyError, TypeError):
                    pass
                time.sleep(0.1)
            raise AssertionError(f"the page never said '{words}'")

        page.open(line.folder / "live.html")
        wait_for("still going")
        ended = text.replace("still going", "done").replace('"going":true', '"going":false')
        (line.folder / "live.html").write_text(ended)
        wait_for("done")
        assert page.value("document.getElementById('residuals-section').hidden") is True
        assert page.errors == []


def test_watch_renews_the_page_until_the_run_has_ended(line, halted):
    watch = subprocess.Popen([str(line.program), "watch", "run", "-o", "live.html", "--every", "0.1"],
                             cwd=line.folder, stdout=subprocess.PIPE, text=True)
    first = watch.stdout.readline()
    assert re.match(r"iteration \d+: rms \S+; wrote live.html$", first)
    assert page_of(line, "live.html")["going"] is True
    halted.send_signal(signal.SIGCONT)
    rest, _ = watch.communicate(timeout=60)
    assert watch.returncode == 0 and rest.endswith("the run has ended\n")
    assert "iteration 150: rms" in rest.splitlines()[-2]
    page = page_of(line, "live.html")
    assert page["going"] is False and page["picks"] and len(page["history"]["rows"]) == 151


@pytest.mark.parametrize("made", [False, True], ids=["missing", "empty"])
def test_watch_waits_for_a_run_to_begin(line, made):
    if made:
        (line.folder / "run").mkdir()
    watch = subprocess.Popen([str(line.program), "watch", "run", "-o", "live.html", "--every", "0.1"],
                             cwd=line.folder, stdout=subprocess.PIPE, text=True)
    assert watch.stdout.readline() == "waiting for an inversion in 'run'\n"
    line("invert", "--model", "start.h5", "--picks", "picks.csv", "--schedule", "schedule.csv", "-o",
         "run")
    rest, _ = watch.communicate(timeout=60)
    assert watch.returncode == 0 and rest.endswith("the run has ended\n")
    assert page_of(line, "live.html")["picks"]


def test_waiting_ends_at_ctrl_c(line, ctrl_c):
    watch = subprocess.Popen([str(line.program), "watch", "none", "-o", "live.html"], cwd=line.folder,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    watch.stdout.readline()
    watch.send_signal(signal.SIGINT)
    watch.communicate(timeout=60)
    assert watch.returncode == 130 and not (line.folder / "live.html").exists()


def test_folders_without_a_run_are_refused_in_a_sentence(line):
    assert "is not a folder" in line.error("watch", "picks.csv")
    (line.folder / "empty").mkdir()
    error = line.error("report", "empty")
    assert "'empty' has no model.h5" in error
    assert "--every is '0' (must be from 0.1 to 3600)" in line.error("watch", "empty", "--every", "0")
