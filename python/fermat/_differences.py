"""Differences of travel times: files of hypoDD and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arguments import numbers
from ._notes import tell
from ._tables import column, columns_of, is_file, names_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._core import Model
    from ._picks import Picks

KINDS = ("catalogue", "correlation")
NAMES = ("first", "second", "station", "phase", "kind", "time", "weight")


def differences_of(given: Any, events: list[str], stations: list[str]) -> dict[str, Any]:
    """Columns of numbers for the C++ side, of files or a table that name events and stations."""
    if hasattr(given, "keys"):
        return _difference_table(given, events, stations)
    files = list(given) if isinstance(given, (tuple, list)) else [given]
    if not files:
        raise ValueError("differences is empty (must be files or a table)")
    wrong = [one for one in files if not is_file(one)]
    if wrong:
        raise ValueError(
            f"differences is or has {wrong[0]!r} (must be a file, a list of files, a DataFrame or a "
            "dict of columns)"
        )
    parts = []
    for file in files:
        parts.append(_told(_core.load_differences(file, events, stations)))
    return {name: np.concatenate([part[name] for part in parts]) for name in NAMES}


def made_differences(model: Model, picks: Picks, options: dict[str, Any]) -> dict[str, Any]:
    """Differences of the picks of neighbouring events."""
    return _told(_core.make_differences(model, picks._survey(), options))


def _told(columns: dict[str, Any]) -> dict[str, Any]:
    """The columns without the notes, which are told."""
    tell(columns.pop("notes"))
    return columns


def _difference_table(
    given: Any, events: list[str], stations: list[str]
) -> dict[str, Any]:
    what = "differences"
    table = columns_of(given, what)
    time = numbers(column(table, "time", what), "time")

    def rows(name: str, ids: list[str]) -> NDArray[np.int32]:
        known = {one: n for n, one in enumerate(ids)}
        texts = names_in(table, name, what)
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

    weight = numbers(table["weight"], "weight") if "weight" in table else np.ones(len(time))
    return {
        "first": rows("first", events), "second": rows("second", events),
        "station": rows("station", stations), "phase": choice("phase", ("P", "S")),
        "kind": choice("kind", KINDS), "time": time, "weight": weight,
    }


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
