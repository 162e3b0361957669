"""Picks by file name, whatever wrote the file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._checked import checked
from ._notes import tell
from ._obspy_phases import is_catalogue, own_folder, plain, write_tables
from ._pick_arrays import PHASES
from ._picks import Picks
from ._plane import Plane
from ._tables import is_file

if TYPE_CHECKING:
    from ._tables import File

__all__ = ["read_picks"]

OBSPY_SUFFIXES = (".xml", ".qml", ".quakeml", ".zmap", ".nordic", ".sfile")


@checked
def read_picks(
    picks: Any,
    *,
    inventory: Any = None,
    stations: File | None = None,
    events: File | None = None,
    centre: tuple[float, float] | None = None,
    **options: Any,
) -> Picks:
    """Read picks of P and S from a file, for `locate`, `relocate` and `invert`.

    What is left out (picks without a phase, of other phases, of stations that are not known, with
    another network code than the inventory) or filled in (errors that are missing) is told in a
    UserWarning with its count.

    Parameters
    ----------
    picks
        With `inventory`: a file that ObsPy reads (QuakeML, Nordic of SEISAN, ...), or a catalogue
        of ObsPy. With `stations`: NonLinLoc's .obs and .hyp, hypoDD's phase.dat, VELEST's .cnv,
        SIMULPS's events, TomoATT's src_rec, or a CSV with event,station,phase,time. Else any file of
        `Picks.load`, which has the places in it.
    inventory
        Stations of ObsPy, or a file of them (StationXML, ...). A pick without a network code is at
        the only station of its name, if there is one.
    stations
        A CSV file with station,x,y,z or station,longitude,latitude,elevation, hypoDD's station.dat,
        VELEST's or SIMULPS's stations, or NonLinLoc's GTSRCE lines.
    events
        A file of known places: a CSV file with event,x,y,z and perhaps origin_time, or one of
        hypoDD. Default: those in the picks' own file.
    centre
        Longitude and latitude of x = y = 0 where places have longitudes and latitudes. Default:
        the middle of the stations.
    options
        Of files of `Picks.load`.

    Returns
    -------
    Picks
        Places are in km on `Picks.plane` if files have longitudes and latitudes. Times are seconds,
        since 1970 where files have dates, and so are `origin_time`. A source whose place is not
        known has NaN: `locate` finds it.

    Examples
    --------
    >>> import fermat as fm
    >>> picks = fm.read_picks("events.xml", inventory="stations.xml")  # doctest: +SKIP
    >>> found = fm.locate(model, picks, vp_vs=1.73)                    # doctest: +SKIP
    """
    if inventory is not None or is_catalogue(picks):
        if inventory is None:
            raise ValueError("a catalogue of events needs the stations' inventory (inventory=...)")
        if stations is not None or events is not None:
            raise ValueError(
                "stations and events are in the inventory and the catalogue (leave them out)"
            )
        _refuse(options, "an inventory")
        with own_folder() as folder:
            return _phase_picks(*write_tables(picks, inventory, folder), centre)
    if not is_file(picks):
        raise ValueError(
            f"picks are of type {type(picks).__name__} (must be a file name, or a catalogue of "
            "ObsPy with an inventory; fm.picks takes tables)"
        )
    if Path(picks).suffix.lower() in OBSPY_SUFFIXES:
        raise ValueError(
            f"{os.fspath(picks)!r} is read by ObsPy and names stations without their places (give "
            "inventory=...)"
        )
    if stations is not None or events is not None or _core.is_phase_file(picks):
        _refuse(options, "stations")
        return _phase_picks(picks, stations, events, centre)
    if centre is not None:
        raise ValueError("centre goes with stations or an inventory (the file has its own places)")
    return Picks.load(picks, **options)


def _refuse(options: dict[str, Any], what: str) -> None:
    if options:
        raise ValueError(f"{', '.join(options)} cannot be given with {what}")


def _phase_picks(
    picks: File, stations: File | None, events: File | None, centre: tuple[float, float] | None
) -> Picks:
    read = _core.load_phase_picks(picks, stations, events, centre, False)
    axes = [0, 2] if read.is_2d else [0, 1, 2]
    event, time, error, motions = read.event, read.time, read.error, read.polarity
    early = time < read.origin_time[event]
    notes = [plain(note) for note in read.notes]
    if early.any():
        notes.append(
            f"{int(early.sum())} of {len(time)} picks are left out: they are earlier than their "
            "event's origin"
        )
    tell(notes)
    kept = ~early
    if not kept.any():
        raise ValueError(f"none of {len(time)} picks is later than its event's origin")
    return Picks(
        read.event_places.reshape(-1, 3)[:, axes],
        read.station_places.reshape(-1, 3)[:, axes],
        source=event[kept],
        receiver=read.station[kept],
        time=time[kept],
        error=error[kept] if len(error) else None,
        plane=Plane(read.plane) if read.plane else None,
        phase=np.asarray(PHASES)[read.phase[kept]],
        event=read.event_ids,
        station=read.station_ids,
        origin_time=read.origin_time,
        units={"time": "s"},
        polarity=motions[kept] if len(motions) else None,
    )
