"""Picks from an ObsPy catalogue of events and an inventory of stations."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ._notes import tell
from ._picks import Picks
from ._plane import Plane
from ._polarity import polarity_of

if TYPE_CHECKING:
    from ._picks import Project

Key = tuple[str, str]
"""Network and station code."""


class LeftOut:
    """Counts picks of the phase that cannot be used, by reason, and reports them."""

    def __init__(self, stations: dict[Key, Any]) -> None:
        self.networks: dict[str, list[str]] = {}
        for network, station in stations:
            self.networks.setdefault(station, []).append(network)
        self.unknown: Counter[str] = Counter()
        self.other_network: Counter[str] = Counter()
        self.early = 0
        self.without_origin = 0
        self.total = 0
        self.no_network: Counter[str] = Counter()

    def known(self, key: Key) -> Key | None:
        """The station of a pick, or None, which is counted. A pick without a network code, as
        Nordic files have them, is at the only station of its name."""
        here = self.networks.get(key[1], [])
        if key[0] in here:
            return key
        if not key[0] and len(here) == 1:
            self.no_network[f"{here[0]}.{key[1]}"] += 1
            return here[0], key[1]
        self.station(key)
        return None

    def completed(self) -> list[str]:
        """What was filled in, a sentence each."""
        if not self.no_network:
            return []
        return [
            f"{self.no_network.total()} of {self.total} picks have no network code and are at the "
            f"only station of their name in the inventory ({_examples(self.no_network)})"
        ]

    def station(self, key: Key) -> None:
        """Counts a pick at a station that the inventory lacks, at least in that network."""
        network, station = key[0] or "(none)", key[1] or "(none)"
        here = self.networks.get(station)
        if here is None:
            self.unknown[f"{network}.{station}"] += 1
        else:
            theirs = " or ".join(f"{other}.{station}" for other in here)
            self.other_network[f"{network}.{station} for {theirs}"] += 1

    def reasons(self) -> list[str]:
        reasons = []
        if self.other_network:
            reasons.append(
                f"{self.other_network.total()} have another network code than the inventory "
                f"({_examples(self.other_network)}: make the codes agree)"
            )
        if self.unknown:
            reasons.append(
                f"{self.unknown.total()} are at stations that are not in the inventory "
                f"({_examples(self.unknown)})"
            )
        if self.early:
            reasons.append(f"{self.early} are earlier than their event's origin")
        if self.without_origin:
            reasons.append(
                f"{self.without_origin} are of events without an origin that has a depth"
            )
        return reasons


def picks_of_catalogue(
    catalogue: Any, inventory: Any, phase: str, project: Project | None
) -> Picks:
    """Events become sources, stations with picks receivers; times count from the origin time."""
    if inventory is None:
        raise ValueError("a catalogue of events needs the stations' inventory (inventory=...)")
    stations = {
        (network.code, station.code): (station.longitude, station.latitude, station.elevation)
        for network in inventory
        for station in network
    }
    if not stations:
        raise ValueError("the inventory has no station")
    plane = None
    place = project
    if place is None:
        plane = Plane.round(*np.array(list(stations.values()))[:, :2].T)
        place = _on(plane)

    left_out = LeftOut(stations)
    sources: list[tuple[float, float, float]] = []
    receivers: dict[Key, int] = {}
    rows: list[tuple[int, int, float, float, int]] = []
    for event in catalogue:
        wanted = [pick for pick in event.picks if (pick.phase_hint or "").startswith(phase)]
        left_out.total += len(wanted)
        origin = event.preferred_origin() or (event.origins[0] if event.origins else None)
        if origin is None or origin.depth is None:
            left_out.without_origin += len(wanted)
            continue
        found = []
        for pick in wanted:
            key = left_out.known(_key(pick))
            time = pick.time - origin.time
            if key is None:
                continue
            if time < 0:
                left_out.early += 1
            else:
                number = receivers.setdefault(key, len(receivers))
                found.append((len(sources), number, time, _error(pick), polarity_of(getattr(pick, "polarity", None))))
        if found:
            x, y = place(origin.longitude, origin.latitude)
            sources.append((x, y, origin.depth / 1000))
            rows += found
    tell(left_out.completed())
    reasons = left_out.reasons()
    if not rows:
        raise ValueError(
            f"no pick of phase {phase!r} at a station of the inventory was found in "
            f"{len(catalogue)} events ({_why_none(left_out, catalogue)})"
        )
    if reasons:
        lost = f"{left_out.total - len(rows)} of {left_out.total} picks of phase {phase!r}"
        tell([f"{lost} were left out: {'; '.join(reasons)}"])
    positions = []
    for key in receivers:
        longitude, latitude, height = stations[key]
        positions.append((*place(longitude, latitude), -height / 1000))
    source, receiver, time, error, polarity = zip(*rows, strict=True)
    return Picks(
        sources,
        positions,
        source=source,
        receiver=receiver,
        time=time,
        error=None if np.isnan(error).all() else error,
        plane=plane,
        units={"length": "km", "time": "s"} if plane is not None else {"time": "s"},
        polarity=polarity if any(polarity) else None,
    )


def _key(pick: Any) -> Key:
    where = pick.waveform_id
    return ("", "") if where is None else (where.network_code or "", where.station_code or "")


def _error(pick: Any) -> float:
    """Error of a pick; NaN where the catalogue has none, which Picks replaces with a warning."""
    spread = pick.time_errors.uncertainty if pick.time_errors else None
    return float("nan") if spread is None else float(spread)


def _examples(names: Counter[str]) -> str:
    shown = [name for name, _ in names.most_common(3)]
    return ", ".join(shown) + (", ..." if len(names) > 3 else "")


def _why_none(left_out: LeftOut, catalogue: Any) -> str:
    if left_out.total:
        return f"of {left_out.total} picks of the phase, {'; '.join(left_out.reasons())}"
    hints = Counter(pick.phase_hint or "none" for event in catalogue for pick in event.picks)
    return f"the phases of its picks are {_examples(hints)}" if hints else "it has no picks"


def _on(plane: Plane) -> Project:
    def place(longitude: float, latitude: float) -> tuple[float, float]:
        x, y = plane.to_plane(longitude, latitude)
        return float(x), float(y)

    return place
