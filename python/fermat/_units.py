"""Names of the units that numbers are in: told by files, by you, or by the velocities."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from . import _core

__all__ = ["Units", "guessed", "of_settings", "units_from"]


class Units(NamedTuple):
    """Names of the units of length and time, for axes and reports; empty where nobody told them.

    Numbers never change with them.

    >>> import fermat as fm
    >>> picks = fm.Picks([(0, 0)], [(9, 0)], source=[0], receiver=[0], time=[80],
    ...                  units={"length": "m", "time": "ns"})
    >>> picks.units
    Units(length='m', time='ns')
    """

    length: str = ""
    time: str = ""


def units_from(given: Any) -> Units:
    """What a caller gives: a mapping with length and time, a pair, or None."""
    if given is None:
        return Units()
    if isinstance(given, Mapping):
        unknown = set(given) - {"length", "time"}
        if unknown:
            raise ValueError(f"units have {sorted(unknown)[0]!r} (must be 'length' and 'time')")
        return Units(str(given.get("length", "")), str(given.get("time", "")))
    if isinstance(given, tuple) and len(given) == 2:
        return Units(*map(str, given))
    raise ValueError(f"units are {given!r} (must be like {{'length': 'm', 'time': 's'}})")


def guessed(told: Units, velocity: Any, *, plane: Any = None, sphere: bool = False) -> Units:
    """The names that are told and, for the others, those in which velocities are of rock or radar."""
    length = told.length or ("km" if sphere else "")
    if length and told.time:
        return Units(length, told.time)
    values = np.ascontiguousarray(np.asarray(velocity, np.float32).reshape(-1))
    return Units(*_core.guess_units(length, told.time, str(plane or ""), values))


def of_settings(folder: Path) -> Units:
    """Those that `fermat invert` wrote beside its flags."""
    file = folder / "settings.toml"
    text = file.read_text(errors="replace") if file.is_file() else ""
    found = [re.search(rf'^{key}-unit = "([^"]*)"', text, re.M) for key in Units._fields]
    return Units(*(each.group(1) if each else "" for each in found))
