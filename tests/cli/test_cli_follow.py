"""`fermat locate --follow`: events as their picks come, lines of JSON, and runs that were killed."""

import json
import signal
import subprocess
import time

import numpy as np
import pytest

AT = np.array([(2, 3, 0), (18, 2, 0), (3, 17, 0), (17, 18, 0), (10, 9, 0), (1, 10, 0)], float)


def rows_of(event, place, when):
    travel = np.linalg.norm(AT - place, axis=1) / 5
    return [f"{event},S{n},P,2020-03-01T00:{when}:{t:08.5f},0.02\n" for n, t in enumerate(travel)]


@pytest.fixture
def network(fermat):
    fermat("model", "constant", "--shape", "21,21,11", "--spacing", "1", "--velocity", "5", "-o", "m.h5")
    lines = [f"S{n},{x},{y},{z}" for n, (x, y, z) in enumerate(AT)]
    fermat.write("stations.csv", "station,x,y,z\n" + "\n".join(lines) + "\n")
    return fermat


def command(fermat, picks, *more):
    return [str(fermat.program), "locate", "--model", "m.h5", "--stations", "stations.csv", "--picks", picks,
            "--follow", "--model-error", "0.02", "-o", "events.jsonl", "--quiet", *more]


def fed(fermat, text, *more):
    return subprocess.run(command(fermat, "-", *more), cwd=fermat.folder, input=text, capture_output=True,
                          text=True, timeout=120)


def events_in(fermat):
    return [json.loads(line) for line in (fermat.folder / "events.jsonl").read_text().splitlines()]


HEADER = "event,station,phase,time,error\n"
ONE = rows_of("q1", (10, 9, 6), "00")
TWO = rows_of("q2", (6, 12, 4), "05")


def test_events_of_standard_input_are_lines(network):
    done = fed(network, HEADER + "".join(ONE[:3] + TWO[:2] + ONE[3:] + TWO[2:]) + "q3,S0,P,2020-03-01T00:09:01,\n")
    assert (done.returncode, done.stdout) == (0, "")
    found = {event["event"]: event for event in events_in(network)}
    assert np.allclose([found["q1"][axis] for axis in "xyz"], (10, 9, 6), atol=0.05)
    assert np.allclose([found["q2"][axis] for axis in "xyz"], (6, 12, 4), atol=0.05)
    assert found["q1"]["origin_time"].startswith(("2020-02-29T23:59:59.99", "2020-03-01T00:00:00.00"))
    assert (found["q1"]["status"], found["q1"]["version"], found["q1"]["picks"]) == ("located", 1, 6)
    assert found["q3"]["status"] == "few_picks" and "x" not in found["q3"]


def test_known_events_are_not_located_again_and_new_picks_are(network):
    assert fed(network, HEADER + "".join(ONE[:5])).returncode == 0
    assert fed(network, HEADER + "".join(ONE[:5])).returncode == 0
    assert [event["version"] for event in events_in(network)] == [1]
    # The picks of before are kept: one more is enough.
    assert fed(network, HEADER + ONE[5] + "\n" + "".join(TWO)).returncode == 0
    assert [(e["event"], e["version"], e["picks"]) for e in events_in(network)] == [
        ("q1", 1, 5), ("q1", 2, 6), ("q2", 1, 6)]


def test_a_killed_run_loses_nothing(network):
    picks = network.folder / "picks.csv"
    picks.write_text(HEADER + "".join(ONE) + "\n" + "".join(TWO[:3]))
    run = subprocess.Popen(command(network, "picks.csv"), cwd=network.folder, stderr=subprocess.DEVNULL)
    try:
        output = network.folder / "events.jsonl"
        for _ in range(600):
            if output.exists() and output.read_text().endswith("}\n"):
                break
            time.sleep(0.1)
    finally:
        run.send_signal(signal.SIGKILL)
        run.wait()
    assert [event["event"] for event in events_in(network)] == ["q1"]
    with open(output, "a") as half:
        half.write('{"event":"q2","vers')  # as if the disk had been left in the middle of a line
    with open(picks, "a") as more:
        more.write("".join(TWO[3:]))
    assert fed(network, picks.read_text()).returncode == 0
    assert [(e["event"], e["version"]) for e in events_in(network)] == [("q1", 1), ("q2", 1)]


def test_rows_that_cannot_be_read_are_told_and_the_others_count(network):
    text = (HEADER + "".join(ONE[:2]) + "q1,S2,P,soon,0.02\n,S1,P,2020-03-01T00:00:01,\n"
            "q1,S3,P,2020-03-01T00:00:01,good\n" + "".join(ONE[2:]))
    done = subprocess.run([word for word in command(network, "-") if word != "--quiet"], cwd=network.folder,
                          input=text, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0
    assert "error is 'good' (must be > 0, or empty for none); it is left out" in done.stderr
    assert "time is 'soon'" in done.stderr and "event or station is empty" in done.stderr
    assert events_in(network)[0]["used"] == 6


def test_what_following_needs(network):
    base = ("locate", "--model", "m.h5", "--follow", "--picks", "-", "-o", "e.jsonl")
    assert "--follow needs --model-error" in network.error(*base, "--stations", "stations.csv")
    with_error = (*base, "--model-error", "0.1")
    assert "--follow needs --stations" in network.error(*with_error)
    assert "nothing else" in network.error(*with_error, "--stations", "stations.csv", "--fits", "f.csv")
    assert "from a file" in network.error(*with_error, "--stations", "stations.csv", "--terms", "find")
