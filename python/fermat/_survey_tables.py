"""Tables of picks, stations and events as the arrays that the library locates from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arguments import numbers
from ._plane import Plane
from ._polarity import polarity_of
from ._sphere import on_sphere
from ._tables import column, columns_of, names_in, places, seconds_of

if TYPE_CHECKING:
    from ._core import Model


def survey_of_tables(
    model: Model, given: Any, stations: Any, events: Any | None,
    centre: tuple[float, float] | None = None, later: bool = False,
) -> tuple[dict[str, Any], list[str], list[str], Plane | None]:
    """Arrays of a survey, the ids of its events and stations, and the plane of longitudes and
    latitudes, round `centre` or their middle; names of phases with `later`."""
    plane = _plane_of(model, stations, centre)
    station_ids, survey_stations = places(model, stations, "station", plane=plane)
    picks = columns_of(given, "picks")
    event = names_in(picks, "event", "picks")
    if not event:
        raise ValueError("picks has no rows")
    event_ids = list(dict.fromkeys(event))
    survey_events = np.full((len(event_ids), model.ndim), np.nan)
    if events is not None:
        names, at = places(model, events, "event", unknown=True, plane=plane)
        known = dict(zip(names, at, strict=True))
        if not known.keys() & set(event_ids):
            raise ValueError(
                f"none of the {len(names)} events is in the picks (events begin with {names[0]!r}, "
                f"picks with {event_ids[0]!r})"
            )
        for n, name in enumerate(event_ids):
            survey_events[n] = known.get(name, np.nan)
    rows = {name: n for n, name in enumerate(station_ids)}
    station = names_in(picks, "station", "picks")
    missing = sorted(set(station) - set(rows))
    if missing:
        raise ValueError(
            f"{len(missing)} stations of the picks are not in stations (the first is {missing[0]!r})"
        )
    phase = [str(name) for name in picks["phase"]] if "phase" in picks else ["P"] * len(station)
    error = np.empty(0)
    if "error" in picks:
        error = numbers(picks["error"], "error", masked=np.nan)
    numbered = {name: n for n, name in enumerate(event_ids)}
    more: dict[str, Any] = {}
    waves = phase
    if later:
        more["names"] = [usual_name(name) for name in phase]
        waves = [wave_of(name) for name in more["names"]]
    if "polarity" in picks:
        more["polarity"] = np.array([polarity_of(value) for value in picks["polarity"]], dtype=np.int32)
    return {
        "events": survey_events,
        "stations": survey_stations,
        "event": np.array([numbered[name] for name in event], dtype=np.int32),
        "station": np.array([rows[name] for name in station], dtype=np.int32),
        "phase": np.asarray(_core.phase_numbers(waves)),
        "time": seconds_of(column(picks, "time", "picks"), "time"),
        "error": error,
        **more,
    }, event_ids, station_ids, plane


def _plane_of(model: Model, stations: Any, centre: tuple[float, float] | None) -> Plane | None:
    columns = columns_of(stations, "stations")
    if on_sphere(model) or "x" in columns or not {"longitude", "latitude"} <= set(columns):
        if centre is not None:
            raise ValueError("centre is for stations with longitudes and latitudes")
        return None
    at = [numbers(columns[name], name) for name in ("longitude", "latitude")]
    if centre is None:
        return Plane.round(*at)
    return Plane(f"local plane: longitude={centre[0]} latitude={centre[1]} metres=1000")


def usual_name(text: str) -> str:
    """A phase in the usual letters where a catalogue has capitals: PG is Pg, PMP is PmP."""
    name = text.strip()
    return name[:1] + name[1:].translate(str.maketrans("GNBM", "gnbm"))


def wave_of(name: str) -> str:
    """The wave that arrives: that of the last P or S of a name."""
    return next((letter.upper() for letter in reversed(name) if letter in "PSps"), name)
