"""Adds up what scripts/test left in its results folder and prints the closing lines.

A part that ran tests left a JUnit file and counts as its tests; any other part counts as one. Beside
it stand seconds of the clock and of processors, which a busy machine does not stretch. The last line is
`N passed, N failed, N skipped`; the exit status is 1 if anything failed.
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from pathlib import Path

JUNIT = {
    "ctest": "ctest-release.xml",
    "ctest with sanitizers": "ctest-sanitize.xml",
    "pytest": "pytest.xml",
}


def junit_counts(path: Path) -> tuple[int, int, int]:
    """(passed, failed, skipped) of a JUnit file of CTest or pytest."""
    passed = failed = skipped = 0
    for case in ET.parse(path).getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None:
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def part_counts(folder: Path, name: str, outcome: str) -> tuple[int, int, int]:
    report = folder / JUNIT.get(name, "-")
    if not report.is_file():
        return (1, 0, 0) if outcome == "passed" else (0, 1, 0)
    passed, failed, skipped = junit_counts(report)
    if outcome == "failed" and failed == 0:
        failed = 1
    return passed, failed, skipped


def main(folder: Path) -> int:
    parts = folder / "parts.txt"
    if not parts.is_file():
        print("0 passed, 1 failed, 0 skipped")
        return 1
    total = [0, 0, 0]
    processors = 0
    for line in parts.read_text().splitlines():
        outcome, rest = line.split(" ", 1)
        name, times = rest.rsplit(" ", 1)
        seconds, _, used = times.partition(",")
        processors += int(used or 0)
        counts = part_counts(folder, name, outcome)
        total = [a + b for a, b in zip(total, counts)]
        said = ", ".join(f"{n} {w}" for n, w in zip(counts, ("passed", "failed", "skipped")) if n)
        print(f"  {name:<24}{said:<40}{seconds:>5} s, processors {used or '?':>5} s")
    print(f"processors: {processors / 60:.1f} minutes")
    print(f"{total[0]} passed, {total[1]} failed, {total[2]} skipped")
    return 1 if total[1] else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
