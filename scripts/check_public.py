"""Checks the list of installed headers, include/fermat/headers.txt, against what is included.

    python3 scripts/check_public.py [root] [--renew]

Public headers are those that <fermat/fermat.hpp> names: what is documented and kept. Beneath them are
the headers that they include in turn, which are installed because they must be and may change. A
header that becomes installed by an include shows here, so that it is meant. --renew writes the list
anew. No installed header may ask which instructions the compiler may use: the library and those who
use it are built with different ones, and one name would mean two things. Prints one line per finding
and ends with status 1 if there is one. Needs Python alone.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
# Macros of compilers that follow -march.
INSTRUCTIONS = re.compile(r"^\s*#.*\b(__(?:AVX|SSE|FMA|BMI|F16C|ARM_FEATURE|ARM_NEON)\w*)", re.MULTILINE)
# core/version.hpp is made by CMake.
MADE = "core/version.hpp"


def included(file: Path) -> list[str]:
    return INCLUDE.findall(file.read_text(encoding="utf-8"))


def installed(root: Path) -> list[str]:
    """Lines of the list: `public NAME` or `beneath NAME`, by name."""
    public = included(root / "include" / "fermat" / "fermat.hpp")
    seen, to_read = set(public), list(public)
    while to_read:
        file = root / "src" / to_read.pop()
        if not file.exists():
            continue
        new = set(included(file)) - seen
        seen |= new
        to_read += new
    return [f"{'public' if name in public else 'beneath'} {name}" for name in sorted(seen)]


def of_instructions(root: Path, lines: list[str]) -> list[str]:
    """Installed headers that ask which instructions there are."""
    found = []
    for line in lines:
        file = root / "src" / line.split()[1]
        asked = INSTRUCTIONS.search(file.read_text(encoding="utf-8")) if file.exists() else None
        if asked:
            found.append(f"{line}: asks for {asked[1]} (leave it out of headers that are installed: the "
                         "library is built with other instructions than those who use it)")
    return found


def main() -> int:
    arguments = [word for word in sys.argv[1:] if word != "--renew"]
    root = Path(arguments[0] if arguments else ".")
    listed = root / "include" / "fermat" / "headers.txt"
    now = installed(root)
    if "--renew" in sys.argv:
        listed.write_text("".join(f"{line}\n" for line in now), encoding="utf-8")
        return 0
    before = listed.read_text(encoding="utf-8").split("\n")[:-1]
    bad = [f"{line}: is not in {listed} (leave it out of headers that are installed, or run "
           "scripts/check_public.py --renew)" for line in now if line not in before]
    bad += [f"{line}: is in {listed} and no longer so (run scripts/check_public.py --renew)"
            for line in before if line not in now]
    bad += of_instructions(root, now)
    bad += [f"{line}: the file is not there" for line in now
            if line.split()[1] != MADE and not (root / "src" / line.split()[1]).exists()]
    print("".join(f"check_public: {line}\n" for line in bad), end="")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
