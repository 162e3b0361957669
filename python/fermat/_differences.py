"""Differences of travel times: files of hypoDD and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arguments import numbers
from ._notes import tell
from ._tables import is_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._picks import Picks

KINDS = ("catalogue", "correlation")
NAMES = ("first", "second", "station", "phase", "kind", "time", "weight")


def differences_of(given: Any, events: list[str], stations: list[str]) -> dict[str, Any]:
    """Columns of numbers for the C++ side, of files or a table that name events and stations."""
    if isinstance(given, Mapping):
        return _difference_table(given, events, stations)
    files = [given] if is_file(given) else list(given)
    if not files:
        raise ValueError("differences is empty (must be files or a table)")
    parts = []
    for file in files:
        *columns, notes = _core.load_differences(file, events, stations)
        tell(notes)
        parts.append(columns)
    return {name: np.concatenate(each) for name, each in zip(NAMES, zip(*parts, strict=True),
                                                             strict=True)}


def made_differences(picks: Picks, options: dict[str, Any]) -> dict[str, Any]:
    """Differences of the picks of neighbouring events."""
    *columns, notes = _core.make_differences(picks._survey(), options)
    tell(notes)
    return dict(zip(NAMES, columns, strict=True))


def _difference_table(
    table: Mapping[str, Any], events: list[str], stations: list[str]
) -> dict[str, Any]:
    for name in ("first", "second", "station", "time"):
        if name not in table:
            raise ValueError(f"differences has no column {name!r} (it has {list(table)})")
    time = numbers(table["time"], "time").reshape(-1)

    def rows(name: str, ids: list[str]) -> NDArray[np.int32]:
        known = {one: n for n, one in enumerate(ids)}
        texts = [str(one) for one in table[name]]
        missing = [one for one in texts if one not in known]
        if missing:
            raise ValueError(
                f"{len(missing)} of {len(texts)} differences name a {name} that is not known "
                f"(the first is {missing[0]!r})"
            )
        return np.array([known[one] for one in texts], dtype=np.int32)

    def choice(name: str, choices: Sequence[str]) -> NDArray[np.int32]:
        texts = [str(one) for one in table[name]] if name in table else [choices[0]] * len(time)
        wrong = [one for one in texts if one not in choices]
        if wrong:
            raise ValueError(f"{name} is {wrong[0]!r} (must be {' or '.join(choices)})")
        return np.array([choices.index(one) for one in texts], dtype=np.int32)

    weight = numbers(table["weight"], "weight").reshape(-1) if "weight" in table else (
        np.ones(len(time)))
    out: dict[str, Any] = {
        "first": rows("first", events), "second": rows("second", events),
        "station": rows("station", stations), "phase": choice("phase", ("P", "S")),
        "kind": choice("kind", KINDS), "time": time, "weight": weight,
    }
    if len({len(column) for column in out.values()}) > 1:
        raise ValueError("columns of differences have different lengths")
    return out


def fitted(given: dict[str, Any], found: Mapping[str, Any], events: list[str],
           stations: list[str]) -> dict[str, Any]:
    """Differences with names, residuals and weights, one array per column."""
    return {
        "first": np.array(events)[given["first"]],
        "second": np.array(events)[given["second"]],
        "station": np.array(stations)[given["station"]],
        "phase": np.array(["P", "S"])[given["phase"]],
        "kind": np.array(KINDS)[given["kind"]],
        "time": given["time"], "residual": found["residual"], "weight": found["weight"],
    }
