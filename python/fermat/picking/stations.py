"""Where stations of a network are: StationXML and what else ObsPy reads, or a table."""

from __future__ import annotations

import csv
import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._plane import Plane
from .extras import need
from .places import Places, place_receivers
from .record import Record

__all__ = ["place_network"]

KM = 1000.0


def place_network(records: Sequence[Record], given: Any, folder: Path | None) -> tuple[Plane | None, list[str]]:
    """Places of all stations: from what is given, from a file in the folder, or from headers of SAC.
    Longitudes and latitudes are put on a plane in km, which is returned."""
    notes: list[str] = []
    table = stations_beside(folder) if given is None and folder else given
    if table is not None:
        known = stations_in_degrees(Path(table)) if isinstance(table, (str, os.PathLike)) else None
        if known is None:
            notes += place_receivers(records, Places.of(table, "receivers"))
            return None, notes
        notes += place_stations(records, known, str(table))
    plane = onto_km(records)
    if plane is None:
        notes.append(
            "places of the stations are not known: they can be picked, and not located (give `receivers`: StationXML, or "
            "a CSV with station, longitude, latitude and elevation)")
    return plane, notes


def stations_beside(folder: Path) -> Path | None:
    """The file of stations that lies in a folder."""
    names = ("stations.xml", "inventory.xml", "stations.csv")
    return next((folder / name for name in names if (folder / name).is_file()), None)


def is_inventory(file: Any) -> bool:
    """By its suffix: what ObsPy reads as an inventory."""
    return Path(file).suffix.lower() in (".xml", ".stationxml", ".dataless", ".seed", ".inventory")


def stations_in_degrees(file: Path) -> dict[str, tuple[float, float, float]] | None:
    """Longitude, latitude and depth in km by NET.STA and by STA; None for a table of x, y and z."""
    found: dict[str, tuple[float, float, float]] = {}
    if is_inventory(file):
        obspy = need("obspy", "reading stations")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                inventory = obspy.read_inventory(str(file))
        except Exception as error:  # whatever its readers throw
            raise ValueError(f"'{file}' is no inventory of stations ({str(error).splitlines()[0][:120]})") from None
        for network in inventory:
            for station in network:
                place = (float(station.longitude), float(station.latitude), -1e-3 * float(station.elevation or 0))
                found[f"{network.code}.{station.code}"] = place
                found.setdefault(station.code, place)
        return found
    lines = [line for line in file.read_text().splitlines() if line.strip() and line[0] != "#"]
    table = list(csv.DictReader(lines, skipinitialspace=True))
    for row in table:
        clean = {str(key).strip().lower(): str(value).strip() for key, value in row.items()}
        if not {"station", "longitude", "latitude"} <= clean.keys():
            return None
        try:
            depth = -1e-3 * float(clean.get("elevation") or 0)
            found[clean["station"]] = (float(clean["longitude"]), float(clean["latitude"]), depth)
        except ValueError:
            raise ValueError(
                f"'{file}' has the row {list(row.values())} (longitude, latitude and elevation must be numbers)") from None
    return found or None


def place_stations(records: Sequence[Record], known: dict[str, tuple[float, float, float]], label: str) -> list[str]:
    """Gives traces of stations their longitudes and latitudes; `onto_km` puts them on a plane."""
    lost: dict[str, int] = {}
    for record in records:
        for n, name in enumerate(record.stations):
            words = name.split(".")
            keys = (name, ".".join(words[:2]), words[1] if len(words) == 4 else name)
            place = next((known[key] for key in keys if key in known), None)
            record.receivers[n] = np.nan if place is None else place
            if place is None:
                lost[keys[1]] = lost.get(keys[1], 0) + 1
        record.in_degrees = bool(record.stations)
    if not lost:
        return []
    return [
        f"{len(lost)} stations are not in '{label}' (the first is {next(iter(lost))}): they are shown, and not used to locate"
    ]


def onto_km(records: Sequence[Record]) -> Plane | None:
    """Longitudes and latitudes of stations become x and y in km; None where there are none."""
    points = np.vstack([record.receivers for record in records])
    known = points[np.isfinite(points).all(axis=1)]
    if not len(known):
        return None
    plane = Plane.round(known[:, 0], known[:, 1], metres=KM)
    for record in records:
        here = np.isfinite(record.receivers).all(axis=1)
        record.receivers[here, 0], record.receivers[here, 1] = plane.to_plane(
            record.receivers[here, 0], record.receivers[here, 1])
        record.in_degrees = False
    return plane
