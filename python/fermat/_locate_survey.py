"""What is to be located, as arrays of events, stations and picks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core
from ._notes import tell
from ._obspy_phases import own_folder, plain, write_tables
from ._picks import Picks
from ._plane import Plane
from ._sphere import off_plane, on_sphere
from ._survey_tables import survey_of_tables
from ._tables import ids_of, is_file, on_axes

if TYPE_CHECKING:
    from ._core import Model
    from ._tables import Table


def survey_of_picks(
    model: Model, picks: Table | Picks, stations: Table | None, events: Table | None,
    centre: tuple[float, float] | None, later: bool = False,
) -> tuple[dict[str, Any], list[str], list[str], Plane | None]:
    """Arrays of events, stations and picks for the C++ side, the ids of both, and their plane.

    With `later`, phases keep their names.
    """
    if isinstance(picks, Picks):
        if stations is not None or events is not None or centre is not None:
            raise ValueError(
                "stations, events and their plane are in the picks (leave stations, events and "
                "centre out)"
            )
        if picks.ndim != model.ndim:
            raise ValueError(f"picks are {picks.ndim}-D and the model is {model.ndim}-D")
        taken = picks._survey()
        if later:
            taken["names"] = [("P", "S")[number] for number in taken["phase"]]
        return taken, ids_of(picks.event), ids_of(picks.station), picks.plane
    tables = [table for table in (picks, stations, events) if table is not None]
    if len({is_file(table) for table in tables}) > 1:
        raise ValueError("picks, stations and events must all be files, or all be tables")
    if is_file(picks):
        read = _core.load_phase_picks(picks, stations, events, centre, later)  # type: ignore[arg-type]
        tell([plain(note) for note in read.notes])
        if read.is_2d != (model.ndim == 2):
            raise ValueError(
                f"the model is {model.ndim}-D and the stations are {2 if read.is_2d else 3}-D (must "
                "be the same: y is left out in 2-D)"
            )
        survey: dict[str, Any] = {
            name: getattr(read, name) for name in ("event", "station", "phase", "time", "error")
        }
        if later:
            survey["names"] = read.names
        if len(read.polarity):
            survey["polarity"] = read.polarity
        survey |= {
            "events": on_axes(model, read.event_places),
            "stations": on_axes(model, read.station_places),
        }
        on_plane = Plane(read.plane) if read.plane else None
        if on_sphere(model):
            for name in ("events", "stations"):
                survey[name] = off_plane(survey[name], on_plane)
            on_plane = None
        return survey, ids_of(read.event_ids), ids_of(read.station_ids), on_plane
    if stations is None:
        raise ValueError("stations is missing (must be a table with station,x,y,z)")
    return survey_of_tables(model, picks, stations, events, centre, later)


def survey_of_obspy(
    model: Model, picks: Any, inventory: Any, stations: Table | None, events: Table | None,
    centre: tuple[float, float] | None, later: bool,
) -> tuple[dict[str, Any], list[str], list[str], Plane | None]:
    if inventory is None:
        raise ValueError("a catalogue of events needs the stations' inventory (inventory=...)")
    if stations is not None or events is not None:
        raise ValueError("stations and events are in the inventory and the catalogue (leave them out)")
    with own_folder() as folder:
        return survey_of_picks(model, *write_tables(picks, inventory, folder), centre, later)
