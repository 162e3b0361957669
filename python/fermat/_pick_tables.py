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
    for role, columns in ends.items():
        points = np.column_stack([numbers(table[column], column) for column in columns])
        if role == "source" and "origin_time" in names:  # one place may have had two events
            points = np.column_stack([points, numbers(table["origin_time"], "origin_time")])
        unique[role] = in_order(points)
    sources, origin = unique["source"][0], None
    if "origin_time" in names:
        sources, origin = sources[:, :-1], sources[:, -1]
    return {
        "sources": sources,
        "receivers": unique["receiver"][0],
        "source": unique["source"][1],
        "receiver": unique["receiver"][1],
        "time": table["time"],
        "error": None if error is None else table[names[error]],
        "phase": [str(name) for name in table["phase"]] if "phase" in names else "P",
        "origin_time": origin,
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
    if picks.polarity is not None and picks.polarity.any():
        table["polarity"] = picks.polarity
    return table
