"""Checks that no two files of src/ define a type of the same name: two different classes under one
name in one program are undefined behaviour that no compiler reports.

    python3 scripts/check_names.py [root]

Types in unnamed namespaces belong to their file and may share names. Prints one line per finding and
ends with status 1 if there is one. Needs Python alone; it reads files as clang-format leaves them.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

SUFFIXES = {".hpp", ".cpp", ".cu", ".cuh"}
OPEN = re.compile(r"^namespace( [\w:]+)? \{$")
CLOSE = re.compile(r"^\}  // namespace\b")
TYPE = re.compile(r"^(?:class|struct|union|enum class|enum) (?:\w+\(\w+\) )?(\w+)(?!\w|::)(?P<rest>[^;]*)$")


def definitions(text: str) -> list[tuple[str, int]]:
    """Qualified names of the types that a file defines for others to link, with their lines."""
    found = []
    spaces: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        opened = OPEN.match(line)
        if opened:
            spaces.append((opened[1] or "").strip())
        elif CLOSE.match(line) and spaces:
            spaces.pop()
        else:
            name = TYPE.match(line)
            is_definition = name and "<" not in name["rest"].split(":")[0]
            if is_definition and "" not in spaces:
                found.append(("::".join([*spaces, name[1]]), number))
    return found


def check(root: Path) -> list[str]:
    places: dict[str, list[str]] = {}
    for folder in (root / "src", root / "python" / "src"):
        for file in sorted(folder.rglob("*")):
            if file.suffix not in SUFFIXES:
                continue
            for name, line in definitions(file.read_text(encoding="utf-8")):
                places.setdefault(name, []).append(f"{file.relative_to(root).as_posix()}:{line}")
    return [
        f"{name} is defined in {' and in '.join(where)} (name one of them otherwise, or put what "
        "one file alone needs into an unnamed namespace)"
        for name, where in sorted(places.items())
        if len(where) > 1
    ]


def main(arguments: list[str]) -> int:
    findings = check(Path(arguments[0] if arguments else ".").resolve())
    for finding in findings:
        print(f"check_names: {finding}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
