"""Later phases in the media of the cross test: each is cut in two by an interface.

A medium without a jump has its interface below the events, which PmP is reflected at: its time is
the least over points of the interface of the closed form to and from them. That with a jump in its
cells has the interface there, which waves pass from below.
"""

from __future__ import annotations

from typing import Any

import fermat as fm
import matplotlib.pyplot as plt
import numpy as np
from case import ORIGIN_TIME, Case
from commands import call
from media import VP_VS, Medium, least, on_sphere

ROWS = slice(0, 2)  # of the events: one closed form has a thousand times
COLUMNS = slice(0, 4)


def interface_depth(medium: Medium) -> float:
    if "cells" in medium.kinds:
        return 3.0 if medium.ndim == 3 else 6.0
    corners = medium.places(np.array([(0.5,) * (medium.ndim - 1) + (0.9,)]))
    return float(corners[0, -1])


def phase(case: Case, wave: str) -> str:
    return f"{wave} moho transmit {wave}" if "cells" in case.medium.kinds else f"{wave}m{wave}"


def way(medium: Medium, event: np.ndarray, station: np.ndarray, depth: float, share: float) -> np.ndarray:
    """A point of the interface above or below the line between both ends; on a sphere the arc."""
    if "sphere" not in medium.kinds:
        flat = event[:-1] + share * (station - event)[:-1]
        return np.append(flat, depth)
    a, b = (on_sphere(p) / np.linalg.norm(on_sphere(p)) for p in (event, station))
    angle = np.arccos(np.clip(a @ b, -1, 1))
    x, y, z = (np.sin((1 - share) * angle) * a + np.sin(share * angle) * b) / np.sin(angle)
    longitude = np.degrees(np.arctan2(y, x)) % 360
    return np.array([np.degrees(np.arcsin(z)), longitude, depth])


def exact(medium: Medium, wave: str) -> np.ndarray:
    """(events, stations)"""
    if "cells" in medium.kinds:
        return medium.times(wave)[ROWS, COLUMNS]
    depth = interface_depth(medium)

    def time(event: np.ndarray, station: np.ndarray) -> float:
        def cost(shares: np.ndarray) -> np.ndarray:
            points = [way(medium, event, station, depth, share) for share in shares]
            return np.array([medium.time(event, q) + medium.time(q, station) for q in points])

        return least(cost, 0, 1)

    factor = VP_VS if wave == "S" else 1.0
    return factor * np.array([[time(a, b) for b in medium.stations[COLUMNS]] for a in medium.events[ROWS]])


def layered(case: Case) -> fm.Medium:
    """The medium cut in two, from an array, a table of the interface, or its own file."""
    model = case.model()
    depth: Any = interface_depth(case.medium)
    if case.given == "table":
        corners = np.array([[a, b] for a in (-0.1, 1.1) for b in (-0.1, 1.1)]) if case.medium.ndim == 3 else (
            np.array([[-0.1], [1.1]]))
        at = case.medium.places(np.column_stack([corners, np.full(len(corners), 0.9)]))
        at[:, -1] = depth
        depth = case.folder / case.write("interface.csv", case.table(at))
    ratio = {"vp_over_vs": VP_VS} if case.both else {}
    found = fm.Medium([model, model], {"moho": depth}, **ratio)
    if case.given == "file":
        found.save(case.folder / "layered.h5")
        return fm.Medium.load(case.folder / "layered.h5")
    return found


def agree(case: Case, wave: str, times: Any) -> None:
    want = exact(case.medium, wave)
    got = np.asarray(times, float).reshape(want.shape)
    assert np.abs(got / want - 1).max() < case.medium.tolerance


def phase_rays(case: Case) -> None:
    medium = layered(case)
    for wave in case.phases.split(","):
        rays = fm.phase_rays(medium, phase(case, wave), case.medium.events[ROWS], case.medium.stations[COLUMNS],
                             threads=1)
        agree(case, wave, rays.times)
        assert np.abs(rays.path(0)[0] - case.medium.events[0]).max() < 1e-6


def locate(case: Case) -> None:
    """Events by the first arrivals and the phase of the interface, with times of the layered medium."""
    medium = layered(case)
    events, stations = case.medium.events[ROWS], case.medium.stations
    columns: dict[str, list[Any]] = {name: [] for name in ("event", "station", "phase", "time", "error")}
    for name in ("P", phase(case, "P")):
        rays = fm.phase_rays(medium, name, events, stations, threads=1)
        for n in np.flatnonzero(rays.arrived):
            row = (f"q{rays.sources[n]}", f"S{rays.receivers[n]}", name, ORIGIN_TIME + rays.times[n], 0.01)
            for column, value in zip(columns.values(), row, strict=True):
                column.append(value)
    assert columns["phase"].count(phase(case, "P")) == events.shape[0] * len(stations)
    found = fm.locate(medium, columns, stations=case.stations(), model_error=0, threads=1)
    assert set(found.status) == {"located"}
    case.at_events(found.position, events=ROWS)
    assert np.abs(found.origin_time - ORIGIN_TIME).max() < 0.01
    assert np.nanmax(np.abs(found.fits["residual"])) < 0.01


def invert_phases(case: Case) -> None:
    """From layers 3 % too slow, with the interface kept: the misfit falls."""
    truth = layered(case)
    name = phase(case, "P")
    rays = fm.phase_rays(truth, name, case.medium.events, case.medium.stations, threads=1)
    model = case.medium.slower(1.03)
    start = fm.Medium([model, model], {"moho": interface_depth(case.medium)})
    axes = "xz" if case.medium.ndim == 2 else "xyz"
    known = rays.arrived
    ends = {f"{end}_{axis}": points[which[known], n]
            for end, points, which in (("source", case.medium.events, rays.sources),
                                       ("receiver", case.medium.stations, rays.receivers))
            for n, axis in enumerate(axes)}
    count = int(known.sum())
    picks = ends | {"time": rays.times[known], "error": np.full(count, 0.01), "phase": [name] * count}
    run = fm.invert_phases(start, picks, depth_deviation=0.0, velocity_deviation=0.05, iterations=3, threads=1)
    assert run.chi2[-1] < 0.3 * run.chi2[0]


def save(name: str) -> Any:
    """What comes back has the same times, to the digits of the format."""

    def work(case: Case) -> None:
        medium = layered(case)
        medium.save(case.folder / name)
        spacing = np.asarray(medium.layer(0).spacing)
        options: dict[str, Any] = {} if name.endswith(".h5") else {"names": ["surface", "moho"]}
        if name in ("v.in", "line.smesh"):
            options["spacing"] = spacing[[0, -1]]
        if name == "line.smesh":
            options["interfaces"] = case.folder / "line.refl"
        again = fm.Medium.load(case.folder / name, **options)
        ends = (case.medium.events[ROWS], case.medium.stations[COLUMNS])
        before, after = (fm.phase_rays(one, phase(case, "P"), *ends, threads=1).times for one in (medium, again))
        # A mesh of tomo2d has a slope over one row for the jump between the cells.
        slope = name == "line.smesh" and "cells" in case.medium.kinds
        assert np.abs(after / before - 1).max() < (1e-6 if name.endswith(".h5") else 0.06 if slope else 2e-3)

    return work


def plot(case: Case) -> None:
    medium = layered(case)
    rays = fm.phase_rays(medium, phase(case, "P"), case.medium.events[ROWS], case.medium.stations, threads=1)
    figure = fm.plot.phases(rays)
    figure.savefig(case.folder / "phases.png")
    plt.close(figure)
    assert (case.folder / "phases.png").stat().st_size > 5000


def make(case: Case) -> None:
    """`fermat model layers` of a model's file, twice, with an interface between."""
    ratio = ["--vp-over-vs", VP_VS] if case.both else []
    name = case.file()
    call(case, "model", "layers", "--layer", name, "--layer", name, "--interface",
         f"moho={interface_depth(case.medium)}", *ratio, "-o", "layered.h5", "--quiet")


def command(case: Case) -> None:
    make(case)
    medium = case.medium
    waves = case.phases.split(",")
    call(case, "phases", "--model", "layered.h5", *(w for wave in waves for w in ("--phase", phase(case, wave))),
         "--sources", case.write("sources.csv", case.table(medium.events[ROWS])), "--receivers",
         case.write("receivers.csv", case.table(medium.stations[COLUMNS])), "-o", "rays.h5", "--table", "times.csv",
         "--quiet")
    rows = case.read("times.csv")
    for wave in waves:
        agree(case, wave, [float(row["time"]) for row in rows if row["phase"] == phase(case, wave)])
