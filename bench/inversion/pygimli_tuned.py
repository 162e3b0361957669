"""pyGIMLi tuned by its settings, as a patient user would: those that do best on other truths.

    python bench/inversion/pygimli_tuned.py [--kinds refraction,hill,...] [--seeds 1] [--first 100]

Needs pyGIMLi (`pip install pygimli`). Weight of depth, strength of the smoothing and robust smoothing take their
values one after the other, and each keeps that with the best correlation in the mean over the seeds. Prints the
settings per kind as the table FOUND below, which `run.py --methods pygimli` uses on its own seeds.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

import fermat as fm
import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / "peers"))
import truths  # noqa: E402
from truths_job import BOREHOLES, pygimli  # noqa: E402

VALUES = {"lam": (20.0, 5.0, 100.0, 400.0, 1600.0, 6400.0), "zWeight": (0.2, 0.5), "blockyModel": (False, True)}

# Of seed 100, 2026-11-19: zWeight and blockyModel by refraction, lam by refraction, hill and crosshole.
_LINES = {"lam": 400.0, "zWeight": 0.2, "blockyModel": False}

FOUND: dict[str, dict] = {
    **{kind: _LINES for kind in ("refraction", "faulted", "fault-hill", "crustal")},
    "hill": {**_LINES, "lam": 100.0},
    "crosshole": {"lam": 6400.0},
}


def invert(truth: truths.Truth, settings: dict) -> tuple[fm.Model, float, int]:
    """The model on the truth's grid, chi2 and iterations, on one thread."""
    velocity, chi2, iterations = pygimli(truth, 1, **settings)
    return fm.Model(velocity.astype(np.float32), spacing=truth.start.spacing,
                    origin=truth.start.origin), chi2, iterations


def search(made: list[truths.Truth]) -> tuple[dict, float]:
    def correlation(settings: dict) -> float:
        return float(np.mean([truths.score(t, invert(t, settings)[0])["correlation"] for t in made]))

    values = {k: v for k, v in VALUES.items() if k != "zWeight" or made[0].name not in BOREHOLES}
    best = {name: tried[0] for name, tried in values.items()}
    reached = correlation(best)
    for name, tried in values.items():
        for value in tried[1:]:
            found = correlation({**best, name: value})
            if found > reached:
                best, reached = {**best, name: value}, found
    return best, reached


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kinds", default="refraction,hill,faulted,fault-hill,crosshole,crustal")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first", type=int, default=100, help="seed")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for kind in options.kinds.split(","):
        seeds = range(options.first, options.first + options.seeds)
        made = [truths.observed(truths.ALL[kind](seed)) for seed in seeds]
        best, reached = search(made)
        print(f"    {kind!r}: {best},  # correlation {reached:.3f}", flush=True)


if __name__ == "__main__":
    main()
