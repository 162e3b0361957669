"""An example of hypoDD: its own files relocated by Fermat, beside hypoDD's own result.

    python bench/peers/hypodd_job.py FOLDER [--threads 0]

FOLDER holds what hypoDD read and wrote: phase.dat, station.dat, dt.ct and perhaps dt.cc, hypoDD.inp (with its
1-D model) and hypoDD.reloc. The measure: over pairs of events that hypoDD has within 2 km of each other, how
much Fermat's distance differs from hypoDD's, median and 95 %, in m; the catalogue's distances beside them.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from measure import median_seconds, peak_mib

# Files of differences that a row uses; None: the places of the catalogue.
WAYS = {"Catalogue (phase.dat)": None, "Fermat relocate, dt.ct": ["dt.ct"],
        "Fermat relocate, dt.ct and dt.cc": ["dt.ct", "dt.cc"]}
NEEDED = ("phase.dat", "station.dat", "dt.ct", "hypoDD.inp", "hypoDD.reloc")
NEAR = 2.0  # km


def layers_of(path: Path) -> tuple[list[tuple[float, float]], float]:
    """Tops and velocities of the layers (km, km/s) of a control file, and Vp/Vs."""
    rows = [line.split() for line in path.read_text().splitlines() if line.strip() and line[0] != "*"]

    def is_number(word: str) -> bool:
        try:
            float(word)
        except ValueError:
            return False
        return True

    numbers = [[float(word) for word in row] for row in rows if all(map(is_number, row))]
    sets = int(numbers[2][-1]) if len(numbers) > 2 else 0
    rest = numbers[3 + sets:]
    if rest and rest[0] == [0]:  # version 2: one ratio for all layers
        rest = rest[1:]
    if len(rest) < 3 or not len(rest[1]) == len(rest[2]) == rest[0][0]:
        raise ValueError(f"{path} has no layers with one Vp/Vs (must be NLAY RATIO, TOP and VEL, as version 1 "
                         "and IMOD 0 of version 2 have them)")
    return list(zip(rest[1], rest[2], strict=True)), rest[0][1]


def result_of(path: Path) -> dict[str, tuple[float, float, float]]:
    """Longitude, latitude and depth of each event of a .reloc file."""
    rows = (line.split() for line in path.read_text().splitlines() if line.strip())
    return {row[0]: (float(row[2]), float(row[1]), float(row[3])) for row in rows}


def catalogue_of(path: Path) -> dict[str, tuple[float, float, float]]:
    """The same of the '#' lines of phase.dat."""
    rows = (line[1:].split() for line in path.read_text().splitlines() if line.startswith("#"))
    return {row[13]: (float(row[7]), float(row[6]), float(row[8])) for row in rows}


def heights_of(path: Path) -> list[float]:
    """Elevations of stations in km, 0 where there are none."""
    rows = [line.split() for line in path.read_text().splitlines() if line.strip()]
    return [float(row[3]) / 1000 if len(row) > 3 else 0.0 for row in rows]


def crust_round(places: np.ndarray, layers: list[tuple[float, float]], height: float):
    """A model of the layers that holds the places (on their plane) and the stations' heights."""
    import fermat

    spacing = 0.5
    margin = 5.0
    low, high = places.min(axis=0) - margin, places.max(axis=0) + margin
    top = -(np.ceil(height / spacing) + 1) * spacing
    shape = [int(np.ceil((high[n] - low[n]) / spacing)) + 1 for n in (0, 1)]
    shape.append(int(np.ceil((high[2] - top) / spacing)) + 1)
    return fermat.Model.layers(shape, layers=[(min(layers[0][0], top), layers[0][1]), *layers[1:]],
                               spacing=spacing, origin=(low[0], low[1], top), cells=True)


def differs(found: dict[str, np.ndarray], theirs: dict[str, np.ndarray]) -> np.ndarray:
    """Found minus their distance of each pair that is near in their result, in m."""
    shared = [event for event in theirs if event in found]
    mine, other = (np.array([places[event] for event in shared]) for places in (found, theirs))
    first, second = np.triu_indices(len(shared), 1)
    apart, known = (np.linalg.norm(at[first] - at[second], axis=1) for at in (mine, other))
    return 1000 * (apart - known)[known < NEAR]


def run(job):
    import fermat

    folder = Path(job["data"])
    files = WAYS[job["method"]]
    if absent := [name for name in [*NEEDED, *(files or [])] if not (folder / name).is_file()]:
        raise FileNotFoundError(f"{folder} has no {', '.join(dict.fromkeys(absent))}")
    theirs, given = result_of(folder / "hypoDD.reloc"), catalogue_of(folder / "phase.dat")
    degrees = np.array(list(given.values()))
    plane = fermat.Plane.round(degrees[:, 0], degrees[:, 1])

    def on_plane(places):
        at = np.array(list(places.values()))
        x, y = plane.to_plane(at[:, 0], at[:, 1])
        return dict(zip(places, np.column_stack([x, y, at[:, 2]]), strict=True))

    known, start = on_plane(theirs), on_plane(given)
    if files is None:
        off, seconds, runs, moved = differs(start, known), None, 0, len(given)
    else:
        layers, ratio = layers_of(folder / "hypoDD.inp")
        everywhere = np.array([*known.values(), *start.values()])
        crust = crust_round(everywhere, layers, max(heights_of(folder / "station.dat")))
        middle = plane.to_geographic(np.zeros(1), np.zeros(1))

        def work():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return fermat.relocate(crust, folder / "phase.dat", folder / "station.dat",
                                       [folder / name for name in files], vp_vs=ratio,
                                       centre=(float(middle[0][0]), float(middle[1][0])),
                                       threads=job["threads"])

        seconds, runs, found = median_seconds(work, job["repeats"], time.process_time)
        moved = int((found.cluster >= 0).sum())
        places = {event: at for event, at, cluster in
                  zip(found.event, found.position, found.cluster, strict=True) if cluster >= 0}
        off = differs(places, known)
    if not len(off):
        raise ValueError(f"no two events of {folder / 'hypoDD.reloc'} lie within {NEAR:g} km of each other in both")
    size = np.abs(off)
    return {"seconds": seconds, "runs": runs, "events": moved, "pairs": len(off),
            "median": float(np.median(size)), "most": float(np.percentile(size, 95)), "peak_mib": peak_mib()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_args()
    print("| run | events | pairs | median, m | 95 %, m | seconds |\n|---|---|---|---|---|---|")
    for method in WAYS:
        try:
            row = run({"data": options.folder, "method": method, "threads": options.threads, "repeats": 1})
        except FileNotFoundError as error:
            print(f"{method}: skipped, {error}", file=sys.stderr)
            continue
        spent = "" if row["seconds"] is None else f"{row['seconds']:.2f}"
        print(f"| {method} | {row['events']} | {row['pairs']} | {row['median']:.1f} | {row['most']:.1f} | {spent} |")


if __name__ == "__main__":
    main()
