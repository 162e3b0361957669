"""Units that a file or a flag tells reach the report; others are guessed once and told."""

import json
import re

import numpy as np
import pytest


def refraction(speed=1.0, late=1.0):
    """A line of 60 with 500 over 2000, scaled: rows of ours."""
    rows = ["source_x,source_z,receiver_x,receiver_z,time,error"]
    for shot in (0, 20, 40, 60):
        for at in np.arange(2.5, 60, 5):
            apart = abs(at - shot)
            time = min(apart / 500, 0.02 + apart / 2000) / speed * late
            rows.append(f"{shot},0,{at},0,{time:.6g},{0.001 / speed * late:.6g}")
    return "\n".join(rows) + "\n"


def page(fermat, name="report.html"):
    text = (fermat.folder / name).read_text()
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])


def invert(fermat, picks, *flags):
    done = fermat.call("invert", "--picks", picks, "-o", "run", "--iterations", "2", *flags)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(("speed", "late", "units"), [
    (1, 1, {"length": "m", "time": "s"}),           # 500 to 2000
    (0.001, 1, {"length": "km", "time": "s"}),      # 0.5 to 2
    (1e5, 1e9, {"length": "m", "time": "ns"}),      # 0.05 to 0.2, as radar
])
def test_units_nobody_told_are_those_of_the_velocities_and_said(fermat, speed, late, units):
    fermat.write("p.csv", refraction(speed, late))
    told = invert(fermat, "p.csv")
    assert f"--length-unit {units['length']} and --time-unit {units['time']}" in told
    assert fermat("report", "run", "-o", "report.html") == "wrote report.html\n"
    data = page(fermat)
    assert data["units"] == units
    velocity = dict(data["summary"])["velocity"]
    assert velocity.endswith(f" {units['length']}/{units['time']}")


def test_units_of_flags_are_kept_in_the_run(fermat):
    fermat.write("p.csv", refraction())
    assert "-unit" not in invert(fermat, "p.csv", "--length-unit", "ft", "--time-unit", "s")
    fermat("report", "run", "-o", "report.html")
    assert page(fermat)["units"] == {"length": "ft", "time": "s"}
    fermat("report", "run", "-o", "other.html", "--length-unit", "yd")
    assert page(fermat, "other.html")["units"] == {"length": "yd", "time": "s"}


def test_units_of_a_file_go_through_conversion(fermat):
    """.sgt tells its units: they stand in the CSV, and in the run without a guess."""
    fermat.write("line.sgt", "4\n#x/m y/m\n0 0\n10 0\n20 0\n30 0\n3\n#s g t/ms\n1 2 20\n1 3 25\n1 4 30\n")
    fermat("picks", "convert", "line.sgt", "-o", "p.csv", "--to", "time=ms")
    assert (fermat.folder / "p.csv").read_text().startswith("# units: length=m time=ms\n")
    assert "-unit" not in invert(fermat, "p.csv", "--error", "1")
    fermat("report", "run", "-o", "report.html")
    assert page(fermat)["units"] == {"length": "m", "time": "ms"}


def test_a_run_without_units_is_guessed_with_a_sentence(fermat):
    fermat.write("p.csv", refraction())
    invert(fermat, "p.csv")
    settings = fermat.folder / "run/settings.toml"
    kept = [line for line in settings.read_text().splitlines() if "-unit" not in line]
    settings.write_text("\n".join(kept) + "\n")
    done = fermat.call("report", "run", "-o", "report.html")
    assert "--length-unit m and --time-unit s" in done.stderr
    assert page(fermat)["units"] == {"length": "m", "time": "s"}


def test_a_unit_is_a_word(fermat):
    fermat.write("p.csv", refraction())
    for bad in ("", "a b", 'm"', "m" * 17):
        line = fermat.error("invert", "--picks", "p.csv", "-o", "run", "--length-unit", bad)
        assert "must be a short word" in line or "--length-unit" in line
