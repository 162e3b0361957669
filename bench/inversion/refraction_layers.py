"""Layers with relief and a fault below refraction lines: what `layers=` finds of known truths.

    python bench/inversion/refraction_layers.py [--kinds faulted,fault-hill] [--seeds 5] [--first 0]

The truths are `faulted` and `fault-hill` of truths.py; the number of layers is told. Told per truth: chi2
of the start from delay times and of the end, errors of velocity where true rays go, the median error of the
depths of interfaces, how many of them lie within one and two deviations, and seconds; beside it
correlation, RMS and median error of the one line fm.invert(picks).
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
import truths

import fermat as fm


def judge(kind, seed):
    truth = truths.observed(truths.ALL[kind](seed))
    layers = len(truth.interfaces(np.zeros(1))) + 1
    begin = time.process_time()
    run = fm.invert_phases(None, truth.picks, layers=layers, threads=1)
    seconds = time.process_time() - begin
    score = truths.score(truth, truths.on_truth(truth, run.medium.model()))
    one = truths.score(truth, truths.on_truth(truth, fm.invert(truth.picks, threads=1).model))
    errors, sizes = [], []
    for n in range(1, layers):
        change = run.changes[str(n)]
        inside = (change.points[:, 0] > 5) & (change.points[:, 0] < 89)
        at = change.points[inside, 0]
        errors.append(run.medium.depth(str(n), at) - truth.interfaces(at)[n - 1])
        sizes.append(np.abs(errors[-1]) / change.deviation[inside])
    errors, sizes = np.concatenate(errors), np.concatenate(sizes)
    row = {
        "layers": layers,
        "first": run.chi2[0],
        "chi2": run.chi2[-1],
        **{name: score[name] for name in ("correlation", "rms", "median")},
        "depth": np.median(np.abs(errors)),
        "one": np.mean(sizes < 1),
        "two": np.mean(sizes < 2),
        "seconds": seconds,
        **{"line " + name: one[name] for name in ("correlation", "rms", "median")},
    }
    print(f"{kind:>10s} {seed:5d}" + "".join(f" {value:7.3g}" for value in row.values()), flush=True)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kinds", default="faulted,fault-hill")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print("      kind  seed  layers  chi2 0    chi2 correl.     rms  median   depth     1 s     2 s seconds  line: correl., rms, median")
    for kind in given.kinds.split(","):
        rows = [judge(kind, seed) for seed in range(given.first, given.first + given.seeds)]
        means = {name: np.mean([row[name] for row in rows]) for name in rows[0]}
        print(f"{kind:>10s}  mean" + "".join(f" {value:7.3g}" for value in means.values()), flush=True)


if __name__ == "__main__":
    main()
