"""Picks from and to columns named as those of the CSV file, and their first motions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arguments import numbers
from ._notes import tell
from ._pick_arrays import in_order, per_pick
from ._polarity import polarity_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from ._picks import Picks


def polarities_of(values: ArrayLike | None, count: int) -> NDArray[np.int32] | None:
    """1, -1 or 0 per pick, of whatever tables write for it."""
    if values is None:
        return None
    each = per_pick(np.asarray(values, dtype=object), count, "polarity")
    return np.array([polarity_of(value) for value in each], dtype=np.int32)


def _name_of(value: Any) -> str:
    """A name as text: tables have None, NaN or NA where there is none, and numbers beside them."""
    try:
        missing = value is None or bool(value != value)
    except TypeError:  # pandas.NA is neither equal nor unequal
        missing = True
    if missing:
        return ""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else str(value)


def _named(values: Any, count: int, what: str) -> tuple[NDArray[np.str_], NDArray[np.float64]]:
    """The distinct names of a column, and the number of each row's as a coordinate of its point."""
    each = per_pick(np.asarray(values, dtype=object), count, what)
    names, number = np.unique(np.array([_name_of(value) for value in each], dtype=str), return_inverse=True)
    return names, number.reshape(-1, 1).astype(np.float64)


def keywords_of(table: Mapping[str, Any]) -> dict[str, Any]:
    """What Picks takes, of a table with one row per pick."""
    names = list(table)
    axes = "xyz" if "source_y" in names or "receiver_y" in names else "xz"
    ends = {role: [f"{role}_{axis}" for axis in axes] for role in ("source", "receiver")}
    missing = [n for n in (*ends["source"], *ends["receiver"], "time") if n not in names]
    if missing:
        raise ValueError(f"the table has no column {missing[0]!r} (it has {names})")
    error, notes = _core.error_column(names)
    tell(notes)
    unique = {}
    labels: dict[str, list[str] | None] = {}
    for role, label in (("source", "event"), ("receiver", "station")):
        points = np.column_stack([numbers(table[column], column) for column in ends[role]])
        if role == "source" and "origin_time" in names:  # one place may have had two events
            points = np.column_stack([points, numbers(table["origin_time"], "origin_time")])
        named = None
        if label in names:
            named, number = _named(table[label], len(points), label)
            points = np.column_stack([points, number])
        points, rows = in_order(points)
        labels[label] = None if named is None else list(named[points[:, -1].astype(int)])
        unique[role] = points, rows
    sources, receivers = unique["source"][0], unique["receiver"][0]
    return {
        "sources": sources[:, : len(axes)],
        "receivers": receivers[:, : len(axes)],
        "source": unique["source"][1],
        "receiver": unique["receiver"][1],
        **labels,
        "time": table["time"],
        "error": None if error is None else table[names[error]],
        "phase": [str(name) for name in table["phase"]] if "phase" in names else "P",
        "origin_time": sources[:, len(axes)] if "origin_time" in names else None,
        "polarity": list(table["polarity"]) if "polarity" in names else None,
    }


def table_of(picks: Picks) -> dict[str, NDArray[Any]]:
    table: dict[str, NDArray[Any]] = {}
    for role, points, rows in (
        ("source", picks.sources, picks.source),
        ("receiver", picks.receivers, picks.receiver),
    ):
        for n, axis in enumerate("xz" if picks.ndim == 2 else "xyz"):
            table[f"{role}_{axis}"] = points[rows, n]
    table["time"] = picks.time
    if picks.error is not None:
        table["error"] = picks.error
    if (picks.phase != "P").any():
        table["phase"] = picks.phase
    if picks.origin_time.any():
        table["origin_time"] = picks.origin_time[picks.source]
    for label, each, rows in (
        ("event", picks.event, picks.source),
        ("station", picks.station, picks.receiver),
    ):
        if any(each):
            table[label] = np.array(each)[rows]
    if picks.polarity is not None and picks.polarity.any():
        table["polarity"] = picks.polarity
    return table
