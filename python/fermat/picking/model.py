"""A model of the picks and its times at every trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._invert import Inversion, invert
from .._times import receiver_times

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._picks import Picks
    from .records import Records

__all__ = ["Modelled", "invert_records"]


class Modelled(NamedTuple):
    """An inversion, the picks it had, and its times per record and trace, without statics; NaN where
    a place is unknown."""

    inversion: Inversion
    picks: Picks
    times: list[NDArray[np.float64]]


def invert_records(
    records: Records, times: list[Any], errors: list[Any], statics: list[float], **options: Any
) -> Modelled:
    """Inverts the picks of all placed records, with a term per shot for what is left of triggers."""
    from .auto import picks_of

    picks = picks_of(records, times, errors, statics, quiet=True)
    settings: dict[str, Any] = {
        "terms": "shot", "iterations": 12, "regularisation": "second", "progress": False,
    } | options
    found = invert(picks, **settings)
    line = records.line
    out = []
    shot = 0
    terms = found.terms.get("shot")
    for record in records:
        if not record.placed:
            out.append(np.full(len(record), np.nan))
            continue
        times_there = np.asarray(receiver_times(
            found.model, line.onto(record.source), line.onto(record.receivers))).reshape(-1)
        out.append(times_there + (0.0 if terms is None else float(terms[shot])))
        shot += 1
    return Modelled(found, picks, out)
