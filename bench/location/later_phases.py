"""Depths of events with and without later phases, in layers of known truth.

    python bench/location/later_phases.py [--events 40] [--seed 1] [--noise 0.1] [--threads 0]

A crust of 32 km (6.0 to 6.6 km/s, above 8.0) holds events at 4 to 28 km. Nine stations lie 60 to 220 km
away, so that no first arrival tells the depth well. Picks are Pg and Pn (each where it exists) and PmP beyond
80 km, all with Gaussian errors. Truths are times of `fm.phase_rays`, in a 1-D crust and
in one whose Moho dips and waves. Prints per set of phases the median and 90th percentile of depth and
epicentre errors, and the share of true depths within one standard deviation.
"""

from __future__ import annotations

import argparse
import time
import warnings

import fermat as fm
import numpy as np

SETS = {"first P": None, "Pg, Pn": {"Pg", "Pn"}, "Pg, Pn, PmP": {"Pg", "Pn", "PmP"}}


def medium_of(relief: bool) -> fm.Medium:
    moho = (lambda x, y: 32 + 0.01 * (x - 200) + 1.5 * np.sin(y / 40)) if relief else 32.0
    layers = [np.array([[0, 6.0], [40, 6.75]]), np.array([[0, 7.9], [80, 8.3]])]
    return fm.Medium(layers, {"moho": moho}, shape=(81, 81, 17), spacing=5.0)


def picks_of(medium: fm.Medium, events: int, noise: float, rng: np.random.Generator):
    angle = rng.uniform(0, 2 * np.pi, 9)
    away = rng.uniform(60, 190, 9)
    stations = np.column_stack([200 + away * np.cos(angle), 200 + away * np.sin(angle), np.zeros(9)])
    places = np.column_stack([rng.uniform(185, 215, (events, 2)), rng.uniform(4, 28, events)])
    table: dict[str, list] = {name: [] for name in ("event", "station", "phase", "time", "error")}
    for phase in ("Pg", "Pn", "PmP"):
        rays = fm.phase_rays(medium, phase, places, stations)
        far = np.linalg.norm((places[rays.sources] - stations[rays.receivers])[:, :2], axis=1)
        good = rays.arrived & (far > (80 if phase == "PmP" else 0))
        table["event"].append(rays.sources[good])
        table["station"].append(rays.receivers[good])
        table["phase"].append(np.full(good.sum(), phase))
        table["time"].append(rays.times[good] + noise * rng.standard_normal(good.sum()))
        table["error"].append(np.full(good.sum(), noise))
    columns = {name: np.concatenate(parts) for name, parts in table.items()}
    where = {"station": np.arange(9), **dict(zip("xyz", stations.T, strict=True))}
    return columns, where, places


def first_only(picks: dict) -> dict:
    """The earliest pick of each event and station, called P."""
    order = np.lexsort((picks["time"], picks["station"], picks["event"]))
    key = picks["event"][order] * 1000 + picks["station"][order]
    keep = order[np.unique(key, return_index=True)[1]]
    out = {name: values[keep] for name, values in picks.items()}
    out["phase"] = np.full(len(keep), "P")
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--noise", type=float, default=0.1)
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| truth | phases | picks | located | depth km, median | 90 % | epicentre km, median | depth in 1 sd | "
          "cpu s per event |\n|---|---|---|---|---|---|---|---|---|")
    for name, relief in (("flat Moho", False), ("Moho with relief", True)):
        medium = medium_of(relief)
        picks, stations, places = picks_of(medium, options.events, options.noise,
                                           np.random.default_rng(options.seed))
        for title, phases in SETS.items():
            if phases is None:
                used = first_only(picks)
            else:
                keep = np.isin(picks["phase"], list(phases))
                used = {key: values[keep] for key, values in picks.items()}
            begin = time.process_time()
            found = fm.locate(medium, used, stations=stations, model_error=0, threads=options.threads)
            spent = (time.process_time() - begin) / options.events
            at = places[[int(event) for event in found.event]]
            off = (found.position - at)[found.located]
            deep, flat = np.abs(off[:, 2]), np.hypot(off[:, 0], off[:, 1])
            sure = deep < np.sqrt(found.covariance[found.located, 2, 2])
            print(f"| {name} | {title} | {len(used['time'])} | {len(off)} | {np.median(deep):.2f} | "
                  f"{np.quantile(deep, 0.9):.2f} | {np.median(flat):.2f} | {sure.mean():.2f} | {spent:.3f} |",
                  flush=True)


main()
