"""Inversions of known truths: how far the found velocity is from the true one.

    python bench/inversion/run.py [--kinds refraction,hill,crosshole,crustal,local,board]
                                  [--seeds 10] [--methods hole,first,second,blocky] [--threads 0]

Prints one row per kind of survey and method, means over the seeds: RMS and median error of velocity
in per cent over nodes that true rays cross, correlation of the change with the true change, chi2,
iterations, passes over all sources, processor seconds. Nothing is tuned to a truth.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path

import fermat as fm
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
import truths  # noqa: E402

COLUMNS = ("rms %", "median %", "correlation", "chi2", "iterations", "passes", "CPU s")


def invert(truth: truths.Truth, method: str, threads: int) -> fm.Inversion:
    if method == "hole":
        return fm.invert(truth.start, truth.picks, method="hole", target_chi2=1, threads=threads)
    return fm.invert(truth.start, truth.picks, regularisation=method, threads=threads,
                     **truth.options)


def row_of(truth: truths.Truth, method: str, threads: int) -> list[float]:
    begin = time.process_time()
    run = invert(truth, method, threads)
    spent = time.process_time() - begin
    score = truths.score(truth, run.model)
    last = {name: values[-1] for name, values in run.history.items()}
    return [score["rms"], score["median"], score["correlation"], last["chi2"], last["iteration"],
            last["passes"], spent]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kinds", default=",".join(truths.ALL))
    parser.add_argument("--methods", default="hole,first,second,blocky")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_args()
    methods = options.methods.split(",")
    warnings.simplefilter("ignore")
    print("| survey | method | " + " | ".join(COLUMNS) + " |")
    print("|---|---|" + "---|" * len(COLUMNS))
    for kind in options.kinds.split(","):
        made = [truths.observed(truths.ALL[kind](seed)) for seed in range(options.seeds)]
        for method in methods:
            mean = np.mean([row_of(truth, method, options.threads) for truth in made], axis=0)
            numbers = " | ".join(f"{value:.3g}" for value in mean)
            print(f"| {kind} | {method} | {numbers} |", flush=True)


main()
