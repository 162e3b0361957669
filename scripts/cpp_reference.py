"""The reference page of the public C++ headers, from their own comments.

    python3 scripts/cpp_reference.py > cpp.md

Public are the headers that <fermat/fermat.hpp> names. Every declaration of a header's namespace that has
a comment becomes an entry: its text, then its code without private parts and bodies.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]


class Entry(NamedTuple):
    text: str
    code: str


def public_headers(root: Path = ROOT) -> list[str]:
    umbrella = (root / "include" / "fermat" / "fermat.hpp").read_text()
    return re.findall(r'#include "([^"]+)"', umbrella)


def without_private(code: str) -> str:
    """A class ends where its private part begins."""
    return re.sub(r"\n\n?  private:.*?\n};", "\n};", code, flags=re.DOTALL)


def declaration(lines: list[str], start: int) -> tuple[str, int]:
    """The declaration that begins at a line, without a function's body, and the line after it."""
    depth = 0
    for at in range(start, len(lines)):
        line = lines[at]
        depth += line.count("{") + line.count("(") - line.count("}") - line.count(")")
        ends = line.rstrip().endswith((";", "}"))
        if depth == 0 and ends:
            code = "\n".join(lines[start : at + 1])
            is_type = re.match(r"(template <.*>\s*)?(struct|class|enum|inline constexpr)\b", code)
            return (code if is_type else re.sub(r"\s*\{.*\}\s*$", ";", code, flags=re.DOTALL)), at + 1
    return "", len(lines)


def entries(source: str) -> list[Entry]:
    """Commented declarations at the level of the namespace."""
    lines = source.split("\n")
    found: list[Entry] = []
    at = 0
    while at < len(lines):
        if not lines[at].startswith("///"):
            at += 1
            continue
        text: list[str] = []
        while at < len(lines) and lines[at].startswith("///"):
            text.append(lines[at][3:].removeprefix(" "))
            at += 1
        if at == len(lines) or not lines[at].strip():
            continue  # a comment of the file, not of a declaration
        code, at = declaration(lines, at)
        found.append(Entry("\n".join(text), without_private(code)))
    return found


def page(root: Path = ROOT) -> str:
    parts = [
        "# C++ reference",
        "The headers of `<fermat/fermat.hpp>`, with their comments. [How to link](../howto/cpp.md).",
    ]
    for header in public_headers(root):
        path = root / "src" / header
        if not path.exists():
            continue  # made at build, such as the version
        listed = entries(path.read_text())
        if not listed:
            continue
        parts.append(f"## `{header}`")
        for entry in listed:
            parts.append(f"{entry.text}\n\n```cpp\n{entry.code}\n```")
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page())
