"""Checks that messages of the library name no flag of the program.

    python3 scripts/check_messages.py [root]

The library serves the program, Python and C++. A message names an option in backticks, as its table
does (src/core/option_names.hpp): "use `device=cpu`". Prints one line per finding and ends with status
1 if there is one. Needs Python alone.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

SUFFIXES = {".hpp", ".cpp", ".cu", ".cuh"}
STAGES = ("core", "model", "survey", "eikonal", "graph", "rays", "tomography", "io")
TEXT = re.compile(r'"(?:\\.|[^"\\])*"')
FLAG = re.compile(r"(?<![\w-])--[a-z]")


def check(root: Path) -> list[str]:
    findings = []
    for path in sorted(file for stage in STAGES for file in (root / "src" / stage).rglob("*")):
        if path.suffix not in SUFFIXES:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.lstrip().startswith("//"):
                continue
            if any(FLAG.search(text) for text in TEXT.findall(line)):
                findings.append(
                    f"{path.relative_to(root).as_posix()}:{number}: a message names a flag: "
                    f"{line.strip()} (name the option in backticks: `device=cpu`)"
                )
    return findings


def main(arguments: list[str]) -> int:
    findings = check(Path(arguments[0] if arguments else ".").resolve())
    for finding in findings:
        print(f"check_messages: {finding}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
