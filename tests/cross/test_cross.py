"""The cross test: every function and command in every medium, with every kind of input.

A cell runs and agrees with a closed form, or refuses in one sentence before it computes. A new
medium is a line of `MEDIA`, a new function or command a line of `DOORS`.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import pytest
from case import Case
from commands import Refusal as Refused
from compose import PAGE, page
from doors import DOORS, Door, cases, refusal
from media import Medium



CELLS = [pytest.param(door, medium, case, id="-".join((door.name, medium.name, *case)))
         for door in DOORS.values() for medium, case in cases(door)]


@pytest.fixture(autouse=True)
def python_of_this_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FERMAT_PYTHON", sys.executable)
    monkeypatch.setenv("MPLBACKEND", "Agg")


@pytest.mark.parametrize(("door", "medium", "case"), CELLS)
def test_it_agrees_or_refuses(door: Door, medium: Medium, case: tuple[str, str, str], fermat,
                              tmp_path: Path) -> None:
    sentence = refusal(door, medium, case)
    cell = Case(medium, *case, folder=tmp_path, fermat=fermat)
    with warnings.catch_warnings():
        # Of inversions that are stopped after a few iterations.
        warnings.simplefilter("ignore", UserWarning)
        if sentence is None:
            door.work(cell)
            return
        with pytest.raises((ValueError, RuntimeError, Refused)) as caught:
            door.work(cell)
    said = str(caught.value).replace(f"{tmp_path}/", "")
    assert said.startswith(sentence)
    assert "\n" not in said.strip()


def test_the_page_of_the_manual_is_that_of_the_tables() -> None:
    assert PAGE.read_text() == page(), "write it again: .venv/bin/python tests/cross/compose.py"
