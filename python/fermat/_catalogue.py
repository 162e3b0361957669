"""Picks from an ObsPy catalogue of events and an inventory of stations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._picks import Picks

if TYPE_CHECKING:
    from ._picks import Project

KM_PER_DEGREE = 111.195  # of a great circle on a sphere of 6371 km


def picks_of_catalogue(
    catalogue: Any, inventory: Any, phase: str, project: Project | None
) -> Picks:
    """Events become sources, stations with a pick receivers; origins count from their own time."""
    if inventory is None:
        raise ValueError("a catalogue of events needs the stations' inventory (inventory=...)")
    stations = {
        (network.code, station.code): (station.longitude, station.latitude, station.elevation)
        for network in inventory
        for station in network
    }
    if not stations:
        raise ValueError("the inventory has no station")
    place = project or _local(np.array(list(stations.values()))[:, :2].mean(axis=0))

    sources: list[tuple[float, float, float]] = []
    receivers: dict[tuple[str, str], int] = {}
    rows: list[tuple[int, int, float, float]] = []
    for event in catalogue:
        origin = event.preferred_origin() or (event.origins[0] if event.origins else None)
        if origin is None or origin.depth is None:
            continue
        found = []
        for pick in event.picks:
            key = (pick.waveform_id.network_code, pick.waveform_id.station_code)
            if not (pick.phase_hint or "").startswith(phase) or key not in stations:
                continue
            number = receivers.setdefault(key, len(receivers))
            spread = pick.time_errors.uncertainty if pick.time_errors else None
            found.append((len(sources), number, pick.time - origin.time, spread or 0.0))
        if found:
            x, y = place(origin.longitude, origin.latitude)
            sources.append((x, y, origin.depth / 1000))
            rows += found
    if not rows:
        raise ValueError(
            f"no pick of phase {phase!r} at a station of the inventory was found in "
            f"{len(catalogue)} events"
        )
    positions = []
    for key in receivers:
        longitude, latitude, height = stations[key]
        positions.append((*place(longitude, latitude), -height / 1000))
    source, receiver, time, error = zip(*rows, strict=True)
    return Picks(
        sources,
        positions,
        source=source,
        receiver=receiver,
        time=time,
        error=error if any(error) else None,
    )


def _local(centre: Any) -> Project:
    """East and north of a place, in km."""
    longitude0, latitude0 = (float(value) for value in centre)
    shrink = float(np.cos(np.radians(latitude0)))

    def place(longitude: float, latitude: float) -> tuple[float, float]:
        east = (longitude - longitude0 + 180) % 360 - 180
        return KM_PER_DEGREE * east * shrink, KM_PER_DEGREE * (latitude - latitude0)

    return place
