"""Station terms between tables of users and the arrays of the library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._notes import tell
from ._sphere import NAMES, on_sphere
from ._tables import columns_of, is_file, names_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._core import Model
    from ._plane import Plane


def terms_from(model: Model, given: Any, station_ids: list[str], plane: Plane | None) -> Any:
    """Station terms for the C++ side: "find", "ssst", or arrays of a table or file."""
    if given is None or (isinstance(given, str) and given in ("find", "ssst")):
        return given
    if is_file(given):
        table: dict[str, Any] = dict(_core.read_columns(given))
    else:
        table = dict(columns_of(given, "terms"))
    station = names_in(table, "station", "terms")
    known = {name: n for n, name in enumerate(station_ids)}
    rows_here = [n for n, name in enumerate(station) if name in known]
    if not rows_here:
        raise ValueError(f"terms has none of the {len(station_ids)} stations (it begins with "
                         f"{station[0] if station else 'nothing'!r})")
    missing = len(set(station_ids) - set(station))
    if missing:
        tell([f"terms: {missing} of {len(station_ids)} stations have no term (theirs is 0)"])

    def values(name: str, default: float) -> NDArray[np.float64]:
        if name not in table:
            return np.full(len(rows_here), default)
        column_of = [table[name][n] for n in rows_here]
        return np.array([np.nan if v in ("", None) else float(v) for v in column_of])

    phases = [str(table["phase"][n]) for n in rows_here] if "phase" in table else ["P"] * len(rows_here)
    if "longitude" in table and plane is not None:
        x, y = plane.to_plane(values("longitude", np.nan), values("latitude", np.nan))
    elif on_sphere(model):
        x, y = values("latitude", np.nan), values("longitude", np.nan)
    else:
        x, y = values("x", np.nan), values("y", 0.0)
    radius = values("radius", np.nan)
    radius = radius[np.isfinite(radius)]
    depth = values("depth" if "depth" in table else "z", np.nan)
    return {
        "station": np.array([known[station[n]] for n in rows_here], dtype=np.int32),
        "phase": _core.phase_numbers(phases),
        "term": values("term", np.nan), "weight": values("weight", 1.0),
        "place": np.column_stack([x, y, depth]).reshape(-1),
        "radius": float(radius[0]) if len(radius) else 0.0,
    }


def term_table(
    model: Model, used: dict[str, Any] | None, station_ids: list[str]
) -> dict[str, Any] | None:
    """Terms as `Catalogue.terms` has them."""
    if used is None:
        return None
    place = used["place"].reshape(-1, 3)
    table: dict[str, Any] = {
        "station": np.array(station_ids)[used["station"]], "phase": np.array(["P", "S"])[used["phase"]]
    }
    if used["radius"] > 0:
        names = NAMES if on_sphere(model) else ("x", "y", "z")
        table |= {name: place[:, n] for n, name in enumerate(names)}
    table["term"] = used["term"]
    if used["radius"] > 0:
        table["weight"] = used["weight"]
        table["radius"] = np.full(len(place), used["radius"])
    return table
