"""The check of the costs of hot paths fails where it must. Scripts replace the program and valgrind,
which scripts/costs runs."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from pathlib import Path

import pytest

GUARD = Path(__file__).resolve().parents[2] / "scripts" / "check_costs.py"
COMPILER = f"GNU 99, {platform.machine()}"
STEPS = {"march": 1000, "trace": 500}
INSTRUCTIONS = {"march": 20000, "smooth": 7000, "trace": 30000}


@pytest.fixture
def guard(tmp_path: Path):
    """Runs the guard against a reference of steps and instructions."""
    program = tmp_path / "hot_paths"
    program.write_text("#!/bin/sh\necho compiler GNU 99\necho march 1000\necho trace 500\n"
                       "echo smooth 0\n")
    counts = " ".join(f"{name}) n={count};;" for name, count in INSTRUCTIONS.items())
    valgrind = tmp_path / "valgrind"
    valgrind.write_text("#!/bin/sh\nfor a; do case $a in --callgrind-out-file=*) out=${a#*=};; "
                        f"{counts} esac; done\necho \"totals: $n\" > \"$out\"\n")
    for script in (program, valgrind):
        script.chmod(0o755)

    def run(steps, instructions, *more, tool=valgrind):
        reference = tmp_path / "reference.json"
        reference.write_text(json.dumps({"steps": steps, "instructions": instructions}))
        return subprocess.run(
            [sys.executable, GUARD, program, "--reference", reference, "--valgrind", tool, *more],
            capture_output=True, text=True)

    return run


def scaled(counts: dict[str, int], factor: float) -> dict[str, int]:
    return {name: round(count * factor) for name, count in counts.items()}


@pytest.mark.parametrize(("factor", "status"), [(1.0, 0), (0.95, 0), (0.8, 1), (1.5, 0)])
def test_instructions_may_grow_by_a_tenth(guard, factor, status):
    done = guard(STEPS, {COMPILER: scaled(INSTRUCTIONS, factor)})
    assert done.returncode == status, done.stdout + done.stderr
    assert ("march takes 25% more instructions" in done.stdout) == (status == 1)


@pytest.mark.parametrize(("factor", "status"), [(1.0, 0), (0.8, 1)])
def test_steps_are_compared_and_told_of_for_an_unknown_compiler(guard, factor, status):
    done = guard(scaled(STEPS, factor), {"another": INSTRUCTIONS})
    assert done.returncode == status, done.stdout + done.stderr
    assert "NOTE: the reference has no instructions of GNU 99" in done.stdout


def test_steps_are_compared_without_valgrind(guard):
    done = guard(scaled(STEPS, 0.8), {COMPILER: INSTRUCTIONS}, tool="")
    assert done.returncode == 1
    assert "NOTE: valgrind is not here" in done.stdout


def test_a_path_that_one_side_does_not_know_is_a_failure(guard):
    for change in ({"new": 5}, {}):
        known = {name: count for name, count in INSTRUCTIONS.items() if change or name != "smooth"}
        done = guard(STEPS, {COMPILER: known | change})
        assert done.returncode == 1, done.stdout
        assert "is not in the" in done.stdout


def test_renewing_makes_it_pass(guard, tmp_path):
    assert guard({}, {}, "--renew").returncode == 0
    written = json.loads((tmp_path / "reference.json").read_text())
    assert written == {"steps": STEPS, "instructions": {COMPILER: INSTRUCTIONS}}
