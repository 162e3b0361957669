"""First motions beside the take-off angles of located events, and mechanisms that explain them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _core
from ._notes import tell
from ._tables import columns_of, is_file, names_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from ._locate import Catalogue
    from ._tables import Table

__all__ = ["Mechanism", "first_motions", "mechanism", "save_first_motions"]

# What catalogues write for a first motion up (compression) and down (dilatation).
_UP = {"u", "c", "+", "up", "positive"}
_DOWN = {"d", "r", "-", "down", "negative"}


def polarity_of(text: Any) -> int:
    """1 for up, -1 for down, 0 where nothing is known."""
    word = str(getattr(text, "value", text)).strip().lower()
    if word in _UP or word in _DOWN:
        return 1 if word in _UP else -1
    try:
        number = float(word)
    except ValueError:
        return 0
    return int(number > 0) - int(number < 0)


def first_motions(found: Catalogue, polarities: Table | None = None) -> dict[str, Any]:
    """First motions with the rays' directions where they leave the events.

    Parameters
    ----------
    found
        Located events.
    polarities
        A CSV file or table with event, station and polarity (U or D, C or D, + or -, numbers by their
        sign; anything else is not known), such as the picks themselves, or a catalogue of ObsPy. A `phase` other than
        P is left out. Default: those of the picks that were located, if they had some.

    Returns
    -------
    dict
        event, station, polarity (1 or -1), azimuth and take_off of the ray in degrees (from straight
        down), weight of the pick, distance, and origin_time, longitude, latitude and depth of the
        event as far as they are known, one entry per first motion of a located event.

    Examples
    --------
    >>> import fermat as fm
    >>> model = fm.Model.gradient((41, 41, 21), v0=5, gradient=0.05)
    >>> stations = {"station": list("ABCD"), "x": [5, 35, 6, 33], "y": [5, 6, 34, 35], "z": [0] * 4}
    >>> phases = {"event": ["q"] * 4, "station": list("ABCD"), "phase": ["P"] * 4,
    ...           "time": [4.39, 4.26, 4.22, 4.22], "polarity": ["U", "D", "D", "?"]}
    >>> found = fm.locate(model, phases, stations=stations, model_error=0.05)
    >>> motions = fm.first_motions(found, phases)
    >>> motions["station"], motions["polarity"].tolist()
    (['A', 'B', 'C'], [1, -1, -1])
    """
    fits = found.fits
    if polarities is None:
        if "polarity" not in fits:
            raise ValueError("the picks had no first motions (give them: polarities=...)")
        polarities = {name: fits[name] for name in ("event", "station", "phase", "polarity")}
    table = _polarity_table(polarities)
    event = names_in(table, "event", "polarities")
    station = names_in(table, "station", "polarities")
    signs = [polarity_of(value) for value in table["polarity"]]
    waves = [str(value) for value in table["phase"]] if "phase" in table else ["P"] * len(event)
    known = {(e, s): sign for e, s, sign, wave in zip(event, station, signs, waves, strict=True)
             if sign and wave.strip().upper().startswith("P")}
    rows, polarity = [], []
    for n, (e, s, wave) in enumerate(zip(fits["event"], fits["station"], fits["phase"], strict=True)):
        sign = known.get((str(e), str(s)), 0)
        if sign and wave == "P" and np.isfinite(fits["take_off"][n]):
            rows.append(n)
            polarity.append(sign)
    out: dict[str, Any] = {name: [str(fits[name][n]) for n in rows] for name in ("event", "station")}
    out["polarity"] = np.array(polarity, dtype=np.int32)
    for name, column in (("azimuth", "ray_azimuth"), ("take_off", "take_off"), ("weight", "weight"),
                         ("distance", "distance")):
        out[name] = np.array([fits[column][n] for n in rows])
    numbers = {name: n for n, name in enumerate(found.event)}
    which = [numbers[name] for name in out["event"]]
    out["origin_time"] = found.origin_time[which]
    out["depth"] = found.position[which, -1]
    if found.plane is not None:
        place = found.plane.to_geographic(found.position[which, 0], found.position[which, 1])
        out["longitude"], out["latitude"] = (np.asarray(values, dtype=float) for values in place)
    elif found.axis_names[0] == "latitude":
        out["latitude"], out["longitude"] = found.position[which, 0], found.position[which, 1]
    return out


def _polarity_table(given: Any) -> Mapping[str, Any]:
    if is_file(given):
        table: Mapping[str, Any] = _core.read_columns(given)
    elif hasattr(given, "events") or (isinstance(given, list) and given and hasattr(given[0], "picks")):
        table = _of_obspy(given)
    else:
        table = columns_of(given, "polarities")
    if "polarity" not in table:
        raise ValueError(f"polarities has no column 'polarity' (it has {list(table)})")
    return table


def _of_obspy(catalogue: Any) -> dict[str, list[str]]:
    out: dict[str, list[str]] = {"event": [], "station": [], "polarity": []}
    for event in catalogue:
        for pick in event.picks:
            out["event"].append(str(event.resource_id).rsplit("/", 1)[-1])
            out["station"].append(pick.waveform_id.station_code)
            out["polarity"].append(str(pick.polarity or ""))
    return out


def save_first_motions(
    path: str | os.PathLike[str],
    motions: Mapping[str, Any],
    *,
    output_format: Literal["skhash", "hash", "fpfit"] = "skhash",
    angle_error: float = 10.0,
) -> None:
    """Write first motions with angles for programs that find mechanisms, as `fermat locate` does.

    Parameters
    ----------
    path
        File to write.
    motions
        As `first_motions` gives them.
    output_format
        "skhash": the polarity file of SKHASH (CSV; its take-off angles count from straight up);
        "hash": the cards of HASH's first driver, with angles from straight down; "fpfit": a listing of
        HYPO71 that FPFIT reads. The last two need origins with dates, longitudes and latitudes.
    angle_error
        Standard deviation of both angles, in degrees.

    Examples
    --------
    >>> import fermat as fm
    >>> motions = {"event": ["q"], "station": ["A"], "polarity": [1], "azimuth": [30.0],
    ...            "take_off": [110.0], "distance": [12.0]}
    >>> fm.save_first_motions("polarities.csv", motions)
    >>> print(open("polarities.csv").read().splitlines()[1])
    q,--,A,--,--,1,70.00,10,30.00,10,12.000,,,,,
    """
    names = list(dict.fromkeys(str(name) for name in motions["event"]))
    numbers = {name: n for n, name in enumerate(names)}
    event = np.array([numbers[str(name)] for name in motions["event"]], dtype=np.int32)
    order = np.argsort(event, kind="stable")
    first = [int(np.argmax(event == n)) for n in range(len(names))]

    def column(name: str, rows: Any) -> NDArray[np.float64]:
        given = motions[name] if name in motions else np.full(len(event), np.nan)
        return np.ascontiguousarray(np.asarray(given, dtype=np.float64)[rows])

    events = {"event": names} | {
        name: column(name, first) for name in ("origin_time", "longitude", "latitude", "depth")
    }
    rows = {"event": np.ascontiguousarray(event[order]),
            "station": [str(motions["station"][n]) for n in order]} | {
        name: column(name, order) for name in ("polarity", "azimuth", "take_off", "distance")
    }
    tell(_core.write_first_motions(path, output_format, events, rows, float(angle_error)))


@dataclass(frozen=True)
class Mechanism:
    """A double couple that explains first motions: strike, dip and rake in degrees (Aki & Richards).

    `misfit` is the share of first motions, by weight, that it does not explain. `spread` is the mean
    rotation, in degrees, from it to all mechanisms that fit nearly as well: 10 is sharp, 45 says
    little. `used` is the number of first motions.
    """

    strike: float
    dip: float
    rake: float
    misfit: float
    spread: float
    used: int


def mechanism(
    motions: Mapping[str, Any], event: str | None = None, *, step: float = 5.0, allowed: float = 0.05,
) -> Mechanism:
    """The mechanism of an event by a grid search over strike, dip and rake.

    Of all mechanisms whose misfit is at most the least one plus `allowed` (a share of first motions),
    the one in their middle is returned, as HASH does (Hardebeck & Shearer 2002). First motions near a
    nodal plane count less: their amplitude there is small.

    Parameters
    ----------
    motions
        As `first_motions` gives them, or arrays of azimuth, take_off and polarity.
    event
        Its id, if there are several.
    step
        Of the grid, in degrees.
    allowed
        Share of first motions beyond the least misfit.

    Examples
    --------
    >>> import fermat as fm
    >>> import numpy as np
    >>> angles = np.random.default_rng(1).uniform((0, 20), (360, 160), (60, 2))
    >>> motions = {"azimuth": angles[:, 0], "take_off": angles[:, 1]}
    >>> motions["polarity"] = np.sign(fm.radiation(30, 60, 90, angles[:, 0], angles[:, 1]))
    >>> found = fm.mechanism(motions)
    >>> found.misfit < 0.05, abs(found.dip - 60) < 15 or abs(found.dip - 30) < 15
    (True, True)
    """
    chosen = np.ones(len(motions["polarity"]), bool)
    if event is not None:
        chosen = np.array([str(name) == str(event) for name in motions["event"]])
    if not chosen.any():
        raise ValueError(f"there is no first motion of event {event!r}")
    sign = np.asarray(motions["polarity"], dtype=float)[chosen]
    azimuth, angle = (np.asarray(motions[name], dtype=float)[chosen] for name in ("azimuth", "take_off"))
    weight = np.asarray(motions["weight"], dtype=float)[chosen] if "weight" in motions else np.ones(len(sign))
    grid = np.stack(np.meshgrid(np.arange(0, 360, step), np.arange(step, 90 + step / 2, step),
                                np.arange(-180, 180, step), indexing="ij"), axis=-1).reshape(-1, 3)
    misfit = np.empty(len(grid))
    amount = np.empty(len(grid))
    for n in range(0, len(grid), 4096):
        part = grid[n : n + 4096]
        wave = radiation(part[:, :1], part[:, 1:2], part[:, 2:], azimuth, angle)
        near = np.sqrt(np.abs(wave))
        wrong = wave * sign < 0
        misfit[n : n + 4096] = (wrong * weight).sum(axis=1) / weight.sum()
        amount[n : n + 4096] = (wrong * weight * near).sum(axis=1)
    good = misfit <= misfit.min() + allowed
    axes = _axes(*grid[good].T)
    # The middle: the mechanism from which the others are the least rotated.
    some = np.linspace(0, len(axes) - 1, min(len(axes), 400)).astype(int)
    turned = _rotation(axes[some][:, None], axes[some][None])
    best = int(np.argmin(turned.mean(axis=1) + 1e-6 * amount[good][some]))
    strike, dip, rake = (float(v) for v in grid[good][some[best]])
    return Mechanism(strike, dip, rake, float(misfit[good][some[best]]), float(turned[best].mean()), len(sign))


def _vectors(strike: Any, dip: Any, rake: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Normal of the fault and its slip, to the north, the east and down (Aki & Richards 1980, 4.88)."""
    s, d, r = (np.radians(np.asarray(v, dtype=float)) for v in (strike, dip, rake))
    normal = np.stack(np.broadcast_arrays(-np.sin(d) * np.sin(s), np.sin(d) * np.cos(s), -np.cos(d)), axis=-1)
    slip = np.stack(np.broadcast_arrays(
        np.cos(r) * np.cos(s) + np.cos(d) * np.sin(r) * np.sin(s),
        np.cos(r) * np.sin(s) - np.cos(d) * np.sin(r) * np.cos(s),
        -np.sin(d) * np.sin(r)), axis=-1)
    return normal, slip


def radiation(strike: ArrayLike, dip: ArrayLike, rake: ArrayLike, azimuth: ArrayLike,
              take_off: ArrayLike) -> NDArray[np.float64]:
    """Amplitude of P of a double couple in a direction, from -1 to 1: 2 (n·γ)(d·γ).

    Examples
    --------
    >>> import fermat as fm
    >>> bool(abs(fm.radiation(0, 90, 0, 45, 90) - 1) < 1e-12)
    True
    """
    normal, slip = _vectors(strike, dip, rake)
    a, i = np.radians(np.asarray(azimuth, dtype=float)), np.radians(np.asarray(take_off, dtype=float))
    ray = np.stack(np.broadcast_arrays(np.sin(i) * np.cos(a), np.sin(i) * np.sin(a), np.cos(i)), axis=-1)
    value: NDArray[np.float64] = 2 * (normal * ray).sum(axis=-1) * (slip * ray).sum(axis=-1)
    return value


def _axes(strike: Any, dip: Any, rake: Any) -> NDArray[np.float64]:
    """Axes of pressure, null and tension as rows."""
    normal, slip = _vectors(strike, dip, rake)
    tension, pressure = (normal + slip) / np.sqrt(2), (normal - slip) / np.sqrt(2)
    return np.stack([pressure, np.cross(tension, pressure), tension], axis=-2)


def _rotation(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Least rotation in degrees from one mechanism to another, of the four that are alike (Kagan 1991)."""
    along = (a * b).sum(axis=-1)  # of each axis with the same of the other
    flips = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    trace = (along[..., None, :] * flips).sum(axis=-1).max(axis=-1)
    angle: NDArray[np.float64] = np.degrees(np.arccos(np.clip((trace - 1) / 2, -1, 1)))
    return angle
