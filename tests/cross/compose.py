"""docs/compose.md: what works in which medium, by the tables of the cross test.

    .venv/bin/python tests/cross/compose.py      writes the page
"""

from __future__ import annotations

from pathlib import Path

from doors import DOORS, Door, cases, refusal
from media import MEDIA

PAGE = Path(__file__).resolve().parents[2] / "docs" / "compose.md"
HEAD = """# What works in which medium

Every function and command runs in a medium, or refuses in one sentence before it computes. This
page is made of the tables of `tests/cross`, which tests every entry: times and rays against closed forms,
inversions by their misfit, pictures and exports by the files that they leave; models
are 3-D. `P alone` means that picks of P and S together are refused, `single` that double precision is.

"""


def entry(door: Door, medium: str) -> str:
    """yes, refuses, or what is refused."""
    found = {case: refusal(door, at, case) for at, case in cases(door) if at.name == medium}
    refused = [case for case, sentence in found.items() if sentence]
    if not refused:
        return "yes"
    if len(refused) == len(found):
        return "refuses"
    if all(case[0] == "P,S" for case in refused):
        return "P alone"
    assert all(case[2] == "double" for case in refused)
    return "single"


def page() -> str:
    media = [name for name, medium in MEDIA.items() if medium.ndim == 3]
    lines = ["| | " + " | ".join(media) + " |", "|---" * (len(media) + 1) + "|"]
    lines += [f"| `{name}` | " + " | ".join(entry(door, medium) for medium in media) + " |"
              for name, door in DOORS.items()]
    return HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
