"""Paper 5's Table 2 with ttcrpy and Fermat on one machine, instead of seconds of another computer.

    python bench/papers/ttcrpy_beside.py --python ENV/bin/python

`ENV` is an environment with ttcrpy. The paper compared its GPU with ttcrpy without secondary nodes
("subgrids disabled"), which is the shortest-path method with nsnx = nsnz = 0; the fast sweeping
method of ttcrpy is measured too. Both run on one thread, in turns, and the least processor time of
the runs is told, which other work on the machine changes little. Writes
bench/papers/results/paper5-ttcrpy.csv, in the columns of `fermat bench paper`.
"""

from __future__ import annotations

import argparse
import csv
import json
import platform
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SIZES = (100, 200, 500)
SCENARIOS = ("homogeneous", "layer", "gradient")


def scene(scenario: str, n: int):
    """The medium and survey of src/bench/papers/paper5_media.cpp."""
    import numpy as np

    axis = np.arange(n, dtype=float)
    velocity = np.full((n, n), 2.0)
    if scenario == "layer":
        velocity[:, n // 10:] = 5
    elif scenario == "gradient":
        velocity += 0.01 * axis
    side = n - 1.0
    if scenario == "homogeneous":
        steps = [side * k / 4 for k in range(4)]
        receivers = [p for s in steps for p in ([s, 0], [side, s], [side - s, side], [0, side - s])]
        return axis, velocity, np.array([side / 2, side / 2]), np.array(receivers, dtype=float)
    receivers = [[side * k / 19, 0] for k in range(1, 20)]
    return axis, velocity, np.array([0.0, 0.0]), np.array(receivers, dtype=float)


def ttcrpy(scenario: str, n: int) -> dict[str, float]:
    import numpy as np
    import ttcrpy.rgrid as rgrid

    axis, velocity, source, receivers = scene(scenario, n)
    took = {}
    for name, options in (("SPM", {"method": "SPM", "nsnx": 0, "nsnz": 0}), ("FSM", {"method": "FSM"})):
        began = time.process_time()
        grid = rgrid.Grid2d(axis, axis, n_threads=1, cell_slowness=False, tt_from_rp=False, **options)
        grid.set_slowness((1 / velocity).ravel())
        ready = time.process_time()
        grid.raytrace(np.tile([source], (len(receivers), 1)), receivers, return_rays=True)
        done = time.process_time()
        took[f"ttcrpy {name}/comp"], took[f"ttcrpy {name}/total"] = done - ready, done - began
    return took


def fermat(scenario: str, n: int) -> dict[str, float]:
    import fermat as fm

    _, velocity, source, receivers = scene(scenario, n)
    fm.rays(fm.Model(velocity, spacing=1), source[None], receivers, threads=1, device="cpu")
    began = time.process_time()
    model = fm.Model(velocity, spacing=1)
    ready = time.process_time()
    fm.rays(model, source[None], receivers, threads=1, device="cpu")
    done = time.process_time()
    return {"fermat/comp": done - ready, "fermat/total": done - began}


def processor() -> str:
    info = Path("/proc/cpuinfo")
    for line in info.read_text().splitlines() if info.exists() else ():
        if line.startswith("model name"):
            return line.split(": ", 1)[1].replace(",", ";")
    return platform.machine()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="of an environment with ttcrpy")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--results", type=Path, default=ROOT / "bench/papers/results")
    parser.add_argument("--job", nargs=3, metavar=("OF", "SCENARIO", "POINTS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        work = {"ttcrpy": ttcrpy, "fermat": fermat}[options.job[0]]
        print(json.dumps(work(options.job[1], int(options.job[2]))))
        return 0
    least: dict[tuple[str, int, str], float] = {}
    for _ in range(options.runs):
        for scenario in SCENARIOS:
            for n in SIZES:
                for of, python in (("ttcrpy", options.python), ("fermat", sys.executable)):
                    words = [python, __file__, "--job", of, scenario, str(n)]
                    text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
                    for name, seconds in json.loads(text).items():
                        key = (scenario, n, name)
                        least[key] = min(seconds, least.get(key, seconds))
    device, date = f"{processor()} (1 thread)", time.strftime("%Y-%m-%d")
    with open(options.results / "paper5-ttcrpy.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["paper", "table", "case", "quantity", "unit", "published", "ours", "ratio",
                         "device", "date"])
        for scenario in SCENARIOS:
            for n in SIZES:
                for part in ("comp", "total"):
                    for method in ("ttcrpy SPM", "ttcrpy FSM", "fermat"):
                        writer.writerow([5, "Beside ttcrpy", f"scenario={scenario};points={n};of={part}",
                                         method, "s", "", least[scenario, n, f"{method}/{part}"], "",
                                         device, date])
    return 0


if __name__ == "__main__":
    sys.exit(main())
