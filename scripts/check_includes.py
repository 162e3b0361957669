"""Checks that includes point the allowed way: src/ is a data flow, and each stage may know only
what comes before it.

    python3 scripts/check_includes.py [root]

The stages and what each may include stand in src/stages.txt. None that computes may know `io`; nothing
may know the command line or Python. Prints one line a finding and ends with status 1 if there is one. Needs Python alone.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

SUFFIXES = {".hpp", ".cpp", ".cu", ".cuh"}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def read_stages(root: Path) -> dict[str, set[str]]:
    """What the files of each stage may include beside their own, from src/stages.txt."""
    allowed: dict[str, set[str]] = {}
    for line in (root / "src" / "stages.txt").read_text(encoding="utf-8").splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        stage, _, rule, *exceptions = words
        allowed[stage] = set(allowed) - set(exceptions[1:]) if rule == "before" else set()
    return allowed


def cycle(graph: dict[str, set[str]]) -> list[str]:
    """One cycle of a graph as a list of its nodes, or an empty list."""
    done: set[str] = set()
    for start in sorted(graph):
        path: list[str] = []
        stack: list[tuple[str, Iterator[str]]] = []
        if start not in done:
            path, stack = [start], [(start, iter(sorted(graph[start])))]
        while stack:
            node, rest = stack[-1]
            for other in rest:
                if other in path:
                    return [*path[path.index(other) :], other]
                if other in graph and other not in done:
                    path.append(other)
                    stack.append((other, iter(sorted(graph[other]))))
                    break
            else:
                done.add(node)
                path.pop()
                stack.pop()
    return []


def stage_of(file: str) -> str:
    """Stage of a file named from the root: src/<stage>/... or python/src/..."""
    parts = file.split("/")
    return "python" if parts[0] == "python" else parts[1]


def resolve(root: Path, file: Path, name: str) -> str | None:
    """The included file, named from the root; None if it is not in the tree."""
    for candidate in (root / "src" / name, root / "src" / f"{name}.in"):
        if candidate.is_file():
            return f"src/{name}"
    beside = file.parent / name
    if stage_of(file.relative_to(root).as_posix()) == "python" and beside.is_file():
        return beside.relative_to(root).as_posix()
    return None


def check(root: Path, allowed: dict[str, set[str]] | None = None) -> list[str]:
    findings = []
    if allowed is None:
        allowed = read_stages(root)
    loop = cycle(allowed)
    if loop:
        findings.append(f"the table of allowed includes has a cycle: {' -> '.join(loop)}")
    graph: dict[str, set[str]] = {}
    folders = [folder for folder in (root / "src", root / "python" / "src") if folder.is_dir()]
    files = [f for folder in folders for f in sorted(folder.rglob("*")) if f.suffix in SUFFIXES]
    for file in files:
        name = file.relative_to(root).as_posix()
        stage = stage_of(name)
        graph[name] = set()
        if stage not in allowed:
            findings.append(f"{name}: '{stage}' is not a stage (add it to src/stages.txt)")
            continue
        for included in INCLUDE.findall(file.read_text(encoding="utf-8")):
            target = resolve(root, file, included)
            if ".." in included.split("/") or target is None:
                findings.append(f'{name}: includes "{included}" (must be a path below src)')
                continue
            graph[name].add(target)
            other = stage_of(target)
            if other != stage and other not in allowed[stage]:
                findings.append(
                    f'{name}: includes "{included}" '
                    f"({stage} may include {', '.join(sorted(allowed[stage])) or 'nothing else'})"
                )
    loop = cycle(graph)
    if loop:
        findings.append(f"includes form a cycle: {' -> '.join(loop)}")
    return findings


def main(arguments: list[str]) -> int:
    root = Path(arguments[0] if arguments else ".").resolve()
    findings = check(root)
    for finding in findings:
        print(f"check_includes: {finding}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
