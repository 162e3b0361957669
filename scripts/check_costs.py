"""Compares what hot paths cost with tests/counted/reference.json and fails where one got dearer.

    python3 scripts/check_costs.py build/counted/tests/counted/hot_paths [--renew]

A cost is the number of instructions that callgrind counts, which depends on the compiler alone; the
reference has a set for each. Where it has none for this one, or valgrind is missing, the steps that
the library itself counts are compared, and a line says so. --renew writes what is measured now into
the reference.
"""

import argparse
import json
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ALLOWED = 0.10
REFERENCE = Path(__file__).resolve().parents[1] / "tests" / "counted" / "reference.json"


def listed(program):
    """Compiler and machine, and the steps of every hot path (0: not counted)."""
    output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    first, *rest = output.splitlines()
    names = (line.rsplit(" ", 1) for line in rest)
    compiler = first.removeprefix("compiler ")
    return f"{compiler}, {platform.machine()}", {name: int(steps) for name, steps in names}


def instructions(valgrind, program, name):
    """Instructions inside counted_work() of one hot path."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        command = [valgrind, "--tool=callgrind", "--toggle-collect=counted_work",
                   f"--callgrind-out-file={out}", program, name]
        done = subprocess.run(command, capture_output=True, text=True)
        found = re.search(r"^totals: (\d+)", out.read_text() if out.exists() else "", re.M)
        if done.returncode != 0 or not found or int(found[1]) == 0:
            sys.exit(f"check_costs: valgrind counted nothing of {name}:\n{done.stderr[-2000:]}")
        return int(found[1])


def compare(kind, reference, measured):
    """Prints a table; the names that got dearer, or that only one side knows."""
    bad = []
    print(f"{'hot path':<16} {kind + ' before':>20} {'now':>14} {'change':>8}")
    for name in sorted(reference.keys() | measured.keys()):
        before, now = reference.get(name), measured.get(name)
        if before is None or now is None:
            print(f"{name:<16} {before or 'unknown':>20} {now or 'gone':>14}")
            bad.append(f"{name} is not in {'the reference' if before is None else 'the program'}")
            continue
        change = now / before - 1
        print(f"{name:<16} {before:>20,} {now:>14,} {change:>+8.1%}")
        if change > ALLOWED:
            bad.append(f"{name} takes {change:.0%} more {kind} (at most {ALLOWED:.0%})")
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--reference", type=Path, default=REFERENCE)
    parser.add_argument("--renew", action="store_true")
    parser.add_argument("--valgrind", default=shutil.which("valgrind"))
    arguments = parser.parse_args()
    program = arguments.program.resolve()
    reference = {"steps": {}, "instructions": {}}
    if arguments.reference.exists():
        reference = json.loads(arguments.reference.read_text())
    compiler, steps = listed(program)
    counted = {name: count for name, count in steps.items() if count > 0}

    measured = None
    if arguments.valgrind and (arguments.renew or compiler in reference["instructions"]):
        measured = {name: instructions(arguments.valgrind, program, name) for name in steps}
    if arguments.renew:
        reference["steps"] = counted
        if measured:
            reference["instructions"][compiler] = measured
        text = json.dumps(reference, indent=2, sort_keys=True)
        arguments.reference.write_text(text + "\n")
        print(f"check_costs: wrote {arguments.reference} ({compiler})")
        return 0
    if measured:
        bad = compare("instructions", reference["instructions"][compiler], measured)
    else:
        why = ("valgrind is not here" if not arguments.valgrind else
               f"the reference has no instructions of {compiler}")
        print(f"check_costs: NOTE: {why}; comparing the {len(counted)} hot paths whose steps the "
              "library counts")
        bad = compare("steps", reference["steps"], counted)
    for line in bad:
        print(f"check_costs: {line}")
    if bad:
        print("check_costs: if that is meant, run scripts/costs --renew and say why in the commit")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
