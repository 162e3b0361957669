"""Picks of other programs that a page is to correct, and whose files tell less than a survey: onto traces.

PyRefra's `picks.dat` has numbers of shot and receiver, time, earliest and latest (s). All other files are
read as `fermat.picks` reads them; those without heights are compared along the line alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._picks import picks as read_picks
from .statics import spacing_of

if TYPE_CHECKING:
    from .._picks import Picks
    from .records import Records

__all__ = ["match_picks"]

Matched = list[tuple[int, int, float, float]]


def match_picks(records: Records, data: Any, **options: Any) -> tuple[Matched, int]:
    """Picks of a file, or `Picks`, on the traces at their places: (record, trace, time, error), and how
    many have no trace. Two records of one place get the same picks."""
    file = Path(data) if isinstance(data, (str, Path)) else None
    if file is not None and file.suffix.lower() == ".dat" and not file.with_name("shots.geo").exists():
        rows = _numbered(file)
        if rows is not None:
            return _by_number(records, rows)
    return _by_place(records, read_picks(data, **options))


def _by_place(records: Records, picks: Picks) -> tuple[Matched, int]:
    line = records.line
    if picks.ndim != line.ndim:
        raise ValueError(f"the picks are in {picks.ndim}-D and the records in {line.ndim}-D")
    flat = not picks.sources[:, -1].any() and not picks.receivers[:, -1].any()
    axes = slice(None, -1) if flat else slice(None)  # the file has no heights, or all are 0
    travelled = picks.travel_time
    error = np.full(len(picks), np.nan) if picks.error is None else picks.error
    found: Matched = []
    used = np.zeros(len(picks), dtype=bool)
    for n, record in enumerate(records):
        if not record.placed:
            continue
        points = line.onto(record.receivers)[:, axes]
        near = 0.3 * spacing_of(points)
        source = line.onto(record.source)[0][axes]
        shots = np.flatnonzero(np.linalg.norm(picks.sources[:, axes] - source, axis=1) <= near)
        for row in np.flatnonzero(np.isin(picks.source, shots)):
            apart = np.linalg.norm(points - picks.receivers[picks.receiver[row]][axes], axis=1)
            trace = int(apart.argmin())
            if apart[trace] <= near:
                used[row] = True
                found.append((n, trace, float(travelled[row]), float(error[row])))
    return found, int((~used).sum())


def _numbered(file: Path) -> Any:
    """Rows of PyRefra's picks.dat, or None if it is something else."""
    try:
        rows = np.loadtxt(file, ndmin=2)
    except ValueError:
        return None
    numbers = rows.shape[1] == 5 and len(rows) and (rows[:, :2] == np.round(rows[:, :2])).all()
    return rows if numbers and (rows[:, 3] <= rows[:, 4]).all() else None


def _by_number(records: Records, rows: Any) -> tuple[Matched, int]:
    found: Matched = []
    used = np.zeros(len(rows), dtype=bool)
    for n, record in enumerate(records):
        traces = {int(channel): k for k, channel in enumerate(record.channels)}
        for at in np.flatnonzero(rows[:, 0] == (record.shot or -1)):
            trace = traces.get(int(rows[at, 1]))
            if trace is not None:
                used[at] = True
                found.append((n, trace, float(rows[at, 2]), float(rows[at, 4] - rows[at, 3]) / 2))
    return found, int((~used).sum())
