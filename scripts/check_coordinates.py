"""Checks that only Grid turns a node's index into a position and back.

    python3 scripts/check_coordinates.py [root]

Outside src/core/grid.* no line may add to a grid's origin, subtract it, or step from a place by a
multiple of the spacing: that is the seam at which axes may one day be graded or curved. Prints one
line per finding and ends with status 1 if there is one. Needs Python alone.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

SUFFIXES = {".hpp", ".cpp", ".cu", ".cuh"}
HOME = re.compile(r"^src/core/grid\.[ch]pp$")
INDEX = r"(?:\.[xyz]|\[[^\]]*\])?"
MEMBER = r"\w+(?:\(\))?(?:\.|->)"
PATTERNS = (
    # grid.origin.x + ..., grid.origin[axis] += ...
    re.compile(rf"{MEMBER}origin\b{INDEX}\s*[-+]=?(?!>)"),
    # ... + grid.origin, (p.x - grid_.origin.x) / ...
    re.compile(rf"[-+]\s*(?:\w+(?:\.|->))*{MEMBER}origin\b"),
    # p[axis] += n * grid.spacing[axis]
    re.compile(rf"[-+]=[^;]*\*\s*(?:\w+(?:\.|->))*{MEMBER}spacing\b"),
)
REMEDY = (
    "use Grid's position, coordinate, point_in_cell, index_along, from_origin or extent"
)


def code_of(line: str) -> str:
    """A line without its comment and what stands in quotes."""
    return re.sub(r'"(?:\\.|[^"\\])*"', '""', line).split("//")[0]


def check(root: Path) -> list[str]:
    findings = []
    for folder in (root / "src", root / "python" / "src"):
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix not in SUFFIXES or HOME.match(name):
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if any(pattern.search(code_of(line)) for pattern in PATTERNS):
                    findings.append(
                        f"{name}:{number}: coordinates by hand: {line.strip()} ({REMEDY})"
                    )
    return findings


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()
    findings = check(root)
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
