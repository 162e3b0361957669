"""Ridgecrest's synthetic benchmark: 1000 events in a 3-D truth, located in a 1-D model.

    python bench/location/ridgecrest.py FOLDER [--runs plain,independent,find,ssst,relocate] [--threads 0]

FOLDER holds the files of the comparison of eight location programs by Y. Yu and others (GitHub,
YuYifan2000/comparison_hypoDD_GrowClust): phase.csv.gz, stations.gtsrce, start.csv and
pairs_first_500.csv.gz, the true distances of pairs among the first 500 events.

`relocate` goes on from `ssst` by differences of the picks of neighbouring events.

The measure is the authors': per event the RMS over its pairs of found minus true distance, horizontal
and vertical, then the mean over events, in km. They have, over all 1000 events: VELEST 0.552 / 0.711,
HypoInverse 0.571 / 0.684, GrowClust with correlations 0.113 / 0.303, hypoDD with correlations 0.081 /
0.151.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import time
import warnings
from pathlib import Path

import fermat as fm
import numpy as np

# VELEST's model: depth in km, Vp, Vs; linear between.
PROFILE = [(-3, 4.74, 2.74), (0.5, 4.74, 2.74), (1.5, 5.01, 2.90), (2.5, 5.35, 3.09),
           (3.5, 5.71, 3.30), (4.5, 6.07, 3.51), (5.5, 6.17, 3.57), (6.5, 6.27, 3.62),
           (7.5, 6.34, 3.66), (25, 6.6, 3.8)]
RUNS = {
    "plain": {},
    "independent": {"error_length": 0},
    "find": {"terms": "find"},
    "ssst": {"terms": "ssst"},
    "relocate": {"terms": "ssst"},
}


def models() -> tuple[fm.Model, fm.Model]:
    spacing = 0.5
    depth = -3 + spacing * np.arange(57)
    at, vp, vs = np.array(PROFILE).T
    shape = (161, 161, len(depth))
    both = (np.broadcast_to(np.interp(depth, at, v), shape).copy() for v in (vp, vs))
    p, s = (fm.Model(v, spacing=spacing, origin=(-40, -40, -3)) for v in both)
    return p, s


def read(folder: Path):
    rows = [line.split() for line in (folder / "stations.gtsrce").read_text().splitlines()
            if line.startswith("GTSRCE")]
    latitude, longitude = (np.array([float(row[n]) for row in rows]) for n in (3, 4))
    plane = fm.Plane.round(longitude, latitude)
    x, y = plane.to_plane(longitude, latitude)
    stations = {"station": [row[1] for row in rows], "x": x, "y": y,
                "z": np.array([float(row[5]) - float(row[6]) for row in rows])}
    with gzip.open(folder / "phase.csv.gz", "rt") as text:
        picks = list(csv.DictReader(text))
    phases = {"event": [row["evid"] for row in picks], "station": [row["station"].strip() for row in picks],
              "phase": [row["phase"].strip() for row in picks],
              "time": np.array([row["time"] for row in picks], dtype="datetime64[us]")}
    with gzip.open(folder / "pairs_first_500.csv.gz", "rt") as text:
        table = np.array([[float(v) for v in row.values()] for row in csv.DictReader(text)])
    with open(folder / "start.csv") as text:
        order = [row["evid"] for row in csv.DictReader(text)]
    return stations, phases, table, order


def relocated(models, stations, phases, found: fm.Catalogue, threads: int) -> np.ndarray:
    """Places by differences of the picks of a catalogue that all events are in."""
    p, s = models
    rows = {event: n for n, event in enumerate(found.event)}
    names = {name: n for n, name in enumerate(stations["station"])}
    since_1970 = phases["time"].astype("int64") / 1e6
    heard = np.column_stack([stations[axis] for axis in "xyz"])
    picks = fm.Picks(found.position, heard, source=[rows[e] for e in phases["event"]],
                     receiver=[names[n] for n in phases["station"]], time=since_1970,
                     phase=phases["phase"], origin_time=found.origin_time)
    return fm.relocate(p, picks, s_model=s, threads=threads).position


def score(places: np.ndarray, pairs: np.ndarray) -> tuple[float, float, float]:
    """Mean over events of the RMS of distances, horizontal and vertical; share of pairs judged."""
    first, second = pairs[:, 0].astype(int), pairs[:, 1].astype(int)
    off = places[first] - places[second]
    wrong = np.column_stack([np.hypot(off[:, 0], off[:, 1]) - pairs[:, 2],
                             np.abs(off[:, 2]) - pairs[:, 3]])
    known = np.isfinite(wrong).all(axis=1)
    each = []
    for event in np.unique(np.concatenate([first, second])):
        mine = ((first == event) | (second == event)) & known
        if mine.any():
            each.append(np.sqrt((wrong[mine] ** 2).mean(axis=0)))
    mean = np.mean(each, axis=0)
    return float(mean[0]), float(mean[1]), float(known.mean())


def find(name: str, crust, stations, phases, threads: int, **more) -> tuple[fm.Catalogue, np.ndarray]:
    """The catalogue of a run, and its places by the names of events."""
    p, s = crust
    found = fm.locate(p, phases, stations=stations, s_model=s, threads=threads, **RUNS[name], **more)
    places = relocated(crust, stations, phases, found, threads) if name == "relocate" else found.position
    return found, places


def in_order(found: fm.Catalogue, places: np.ndarray, order: list[str]) -> np.ndarray:
    rows = {event: n for n, event in enumerate(found.event)}
    return np.array([places[rows[e]] if e in rows else [np.nan] * 3 for e in order])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", default="plain,find,ssst")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--radius", type=float, help="smallest radius of ssst, km")
    parser.add_argument("--error", type=float, default=0.0, help="of picks, s")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    stations, phases, pairs, order = read(options.folder)
    crust = models()
    if options.error > 0:
        phases["error"] = np.full(len(phases["event"]), options.error)
    print("| run | horizontal km | vertical km | located | seconds | model error s | length km |\n|---|---|---|---|---|---|---|")
    for name in options.runs.split(","):
        by_place = RUNS[name].get("terms") == "ssst"
        more = {"term_radius": options.radius} if options.radius and by_place else {}
        begin = time.perf_counter()
        found, places = find(name, crust, stations, phases, options.threads, **more)
        spent = time.perf_counter() - begin
        across, down, _ = score(in_order(found, places, order), pairs)
        error = ", ".join(f"{e:.3f}" for e in found.model_error)
        print(f"| {name} | {across:.3f} | {down:.3f} | {found.located.mean():.3f} | {spent:.1f} | {error} | "
              f"{found.error_length:.3g} |", flush=True)


if __name__ == "__main__":
    main()
