"""Where shots and receivers were: from headers, `.geo` files, tables, arrays."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._plane import Plane

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .record import Record

__all__ = ["Line", "Places", "onto_plane", "place_receivers", "place_shots", "tables_beside"]

STRAIGHT = 0.05  # a line strays from its best straight line by less than this share of its length
NAMES = ("number", "record", "shot", "receiver", "station", "name", "file")


class Places:
    """Places by number or name; `ordered` where rows have neither and count from 1."""

    def __init__(self, rows: Mapping[str, Sequence[float]], ordered: bool, label: str) -> None:
        self.rows = {key: np.asarray(row, dtype=float) for key, row in rows.items()}
        self.ordered = ordered
        self.label = label

    def __len__(self) -> int:
        return len(self.rows)

    def get(self, *keys: Any) -> NDArray[np.float64] | None:
        """The place under the first of the keys that is there."""
        for key in keys:
            if key is not None and str(key) in self.rows:
                return self.rows[str(key)]
        return None

    @classmethod
    def of(cls, given: Any, what: str) -> Places:
        """From a `.geo` file (number, x, y, height), a CSV with a header (number, x[, y], z with z
        downward), an array of (n, 2) as (x, z) or (n, 3), or a dict of number to place."""
        if isinstance(given, Places):
            return given
        if isinstance(given, (str, os.PathLike)):
            return cls._read(Path(given))
        if isinstance(given, Mapping):
            return cls({str(key): _point(row, what) for key, row in given.items()}, False, what)
        rows = np.asarray(given, dtype=float)
        if rows.ndim != 2 or rows.shape[1] not in (2, 3):
            raise ValueError(f"{what} have shape {rows.shape} (must be (n, 2) as (x, z), or (n, 3))")
        return cls({str(n + 1): _point(row, what) for n, row in enumerate(rows)}, True, what)

    @classmethod
    def _read(cls, file: Path) -> Places:
        lines = [line for line in file.read_text().splitlines() if line.strip() and line[0] != "#"]
        if not lines:
            raise ValueError(f"'{file}' has no places")
        if file.suffix.lower() == ".geo":
            rows = {}
            for line in lines:
                words = line.split()
                try:
                    x, y, height = (float(word) for word in (*words[1:4], *"000")[:3])
                    rows[str(int(words[0]))] = (x, y, 0.0 - height)
                except ValueError:
                    raise ValueError(f"'{file}' has the line '{line}' (must be number, x, y, height)") from None
            return cls(rows, False, str(file))
        table = list(csv.DictReader(lines, skipinitialspace=True))
        names = [name.strip().lower() for name in (table[0] if table else {}) if name]
        if "x" not in names:
            raise ValueError(f"'{file}' has the columns {names} (must have x and z, and number or record)")
        key = next((name for name in NAMES if name in names), None)
        rows = {}
        for n, row in enumerate(table):
            clean = {str(k).strip().lower(): v for k, v in row.items()}
            try:
                point = [float(clean.get(axis) or 0) for axis in "xyz"]
            except (TypeError, ValueError):
                raise ValueError(f"'{file}' has the row {list(row.values())} (x, y and z must be numbers)") from None
            rows[str(n + 1) if key is None else str(clean[key]).strip()] = (point[0], point[1], point[2])
        return cls(rows, key is None, str(file))


def _point(row: Any, what: str) -> tuple[float, float, float]:
    numbers = [float(one) for one in row]
    if len(numbers) not in (2, 3):
        raise ValueError(f"{what} has a place of {len(numbers)} numbers (must be (x, z) or (x, y, z))")
    return (numbers[0], 0.0, numbers[1]) if len(numbers) == 2 else (numbers[0], numbers[1], numbers[2])


def tables_beside(folder: Path) -> tuple[Path | None, Path | None]:
    """The tables of shots and receivers that lie in a folder, as PyRefra and `fermat geometry` name
    them."""
    found: list[Path | None] = []
    for names in (("shots.geo", "shots.csv", "sources.csv"), ("receivers.geo", "receivers.csv")):
        found.append(next((folder / name for name in names if (folder / name).is_file()), None))
    return found[0], found[1]


def place_shots(records: Sequence[Record], places: Places) -> list[str]:
    """Gives each record its shot; the sentences tell of records that have none in the table."""
    by_order = places.ordered and len(places) == len(records)
    lost = []
    for n, record in enumerate(records):
        stem = record.name.partition("#")[0]
        found = places.get(n + 1) if by_order else places.get(record.name, Path(stem).stem, record.shot)
        if found is None:
            lost.append(record.name)
            record.source = np.full(3, np.nan)
        else:
            record.source = found
    if not lost:
        return []
    return [
        f"{len(lost)} of {len(records)} records have no shot in '{places.label}' with {len(places)} rows "
        f"(the first is {lost[0]}: name its number or its file)"
    ]


def place_receivers(records: Sequence[Record], places: Places) -> list[str]:
    """Gives each trace its receiver; a record that does not fit stays without."""
    lost = []
    for record in records:
        names = record.stations or record.channels
        found = [places.get(name, *_parts(name)) for name in names]
        if any(one is None for one in found) and len(places) == len(record) and places.ordered:
            found = list(places.rows.values())
        if any(one is None for one in found):
            lost.append(record)
            record.receivers = np.full((len(record), 3), np.nan)
        else:
            record.receivers = np.array(found)
    if not lost:
        return []
    first = lost[0]
    return [
        f"{len(lost)} of {len(records)} records do not fit '{places.label}' with {len(places)} receivers "
        f"(the first is {first.name} with {len(first)} traces)"
    ]


def _parts(name: Any) -> tuple[str, ...]:
    """Of an id such as 'CH.ABC..HHZ' also its station."""
    words = str(name).split(".")
    return (words[1], ".".join(words[:2])) if len(words) == 4 else ()


def onto_plane(records: Sequence[Record]) -> Plane | None:
    """Longitudes and latitudes of headers become x and y; None where there are none."""
    degrees = [record for record in records if record.in_degrees]
    if not degrees:
        return None
    if len(degrees) < len(records):
        raise ValueError(
            f"{len(degrees)} of {len(records)} records have degrees and the others lengths (read them apart)"
        )
    points = np.vstack([np.vstack([record.source, record.receivers]) for record in records])
    plane = Plane.round(points[:, 0], points[:, 1], metres=1)
    for record in records:
        for place in (record.source, record.receivers):
            place[..., 0], place[..., 1] = plane.to_plane(place[..., 0], place[..., 1])
    return plane


class Line:
    """The axes of a survey: (x, z) where y is one, (distance, z) along a line that is nearly straight,
    or all three."""

    def __init__(self, points: NDArray[np.float64]) -> None:
        known = points[np.isfinite(points).all(axis=1)]
        self.note: str | None = None
        self.along: NDArray[np.float64] | None = None
        self.middle = np.zeros(2)
        self.flat = len(known) == 0 or bool((known[:, 1] == known[0, 1]).all())
        if self.flat:
            return
        self.middle = known[:, :2].mean(axis=0)
        _, spread, axes = np.linalg.svd(known[:, :2] - self.middle, full_matrices=False)
        along = axes[0] * (1 if axes[0][np.abs(axes[0]).argmax()] > 0 else -1)
        position = (known[:, :2] - self.middle) @ along
        away = np.abs((known[:, :2] - self.middle) @ axes[1]).max()
        if away < STRAIGHT * np.ptp(position):
            self.along = along
            self.first = float(position.min())
            self.note = f"the line is taken as straight (its points are up to {away:.3g} beside it)"

    @property
    def ndim(self) -> int:
        """2 on a line, else 3."""
        return 2 if self.flat or self.along is not None else 3

    def onto(self, points: Any) -> NDArray[np.float64]:
        """Points (n, 3) as the survey's coordinates (n, ndim)."""
        given = np.atleast_2d(np.asarray(points, dtype=float))
        if self.flat:
            return given[:, [0, 2]]
        if self.along is None:
            return given
        return np.column_stack([(given[:, :2] - self.middle) @ self.along - self.first, given[:, 2]])
