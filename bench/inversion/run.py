"""Inversions of known truths: how far the found velocity is from the true one.

    python bench/inversion/run.py [--kinds refraction,hill,faulted,fault-hill,gradual,crosshole,layers,
                                           waves,blocks,crustal,basin,local,board]
                                  [--seeds 10] [--first 10] [--threads 0]
                                  [--methods auto,hole,tuned,first,second,blocky,mixed,pygimli] [--one-line]
                                  [--no-errors]

Prints one row per kind of survey and method, means over the seeds: RMS and median error of velocity
in per cent over nodes that true rays cross, correlation of the change with the true change, chi2
with its least and greatest, iterations with their most and the most until chi2 is 1.05, passes over all
sources with their most, the found range of velocity in parts of the true one, processor seconds. Nothing is tuned to a truth; seeds 0 to 3
served while the method was made. `tuned` is `hole` with the flags that did best on other truths of the
kind (tuned.py, seeds 100 and on; none for kinds that it has not). `pygimli`, where it is installed, is that
package with the settings that did best on other truths (pygimli_tuned.py), on one thread. `--no-errors` leaves out the errors of the picks; chi2 is that of the noise then.
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
import tuned  # noqa: E402

COLUMNS = ("rms %", "median %", "correlation", "chi2", "iterations", "passes", "range", "CPU s")


def without_errors(picks: fm.Picks) -> fm.Picks:
    return fm.Picks(picks.sources, picks.receivers, source=picks.source, receiver=picks.receiver,
                    time=picks.time)


def invert(truth: truths.Truth, method: str, threads: int, one_line: bool) -> fm.Inversion:
    if one_line:
        return fm.invert(truth.picks, regularisation=method, threads=threads)
    if method == "tuned":
        return tuned.invert(truth, tuned.FOUND[truth.name], threads)
    if method == "hole":
        return fm.invert(truth.start, truth.picks, method="hole", threads=threads)
    return fm.invert(truth.start, truth.picks, regularisation=method, threads=threads,
                     **truth.options)


def numbers_of_pygimli(truth: truths.Truth) -> list[float]:
    import pygimli_tuned

    begin = time.process_time()
    model, chi2, iterations = pygimli_tuned.invert(truth, pygimli_tuned.FOUND.get(truth.name, {}))
    spent = time.process_time() - begin
    score = truths.score(truth, model)
    return [score["rms"], score["median"], score["correlation"], chi2, iterations, np.nan, np.nan,
            score["lowest"], score["highest"], spent]


def numbers_of(truth: truths.Truth, method: str, threads: int, one_line: bool) -> list[float]:
    if method == "pygimli":
        return numbers_of_pygimli(truth)
    begin = time.process_time()
    run = invert(truth, method, threads, one_line)
    spent = time.process_time() - begin
    score = truths.score(truth, truths.on_truth(truth, run.model) if one_line else run.model)
    last = {name: values[-1] for name, values in run.history.items()}
    explained = np.flatnonzero(np.asarray(run.history["chi2"]) <= 1.05)
    first = run.history["iteration"][explained[0]] if len(explained) else np.inf
    chi2 = last["rms"] ** 2 / truth.noise**2 if np.isnan(last["chi2"]) else last["chi2"]
    return [score["rms"], score["median"], score["correlation"], chi2, last["iteration"],
            first, last["passes"], score["lowest"], score["highest"], spent]


def cells_of(rows: list[list[float]]) -> list[str]:
    numbers = np.array(rows)
    rms, median, correlation, chi2, iterations, first, passes, low, high, spent = numbers.T
    return [f"{rms.mean():.3g}", f"{median.mean():.3g}", f"{correlation.mean():.3f}",
            f"{chi2.mean():.2f} ({chi2.min():.2f}–{chi2.max():.2f})",
            f"{iterations.mean():.1f} (≤ {iterations.max():.0f}"
            + (")" if np.isnan(first).any() else f"; 1.05 by {first.max():.0f})"),
            "" if np.isnan(passes).any() else f"{passes.mean():.0f} (≤ {passes.max():.0f})",
            f"{low.mean():.2f}–{high.mean():.2f}", f"{spent.mean():.2g}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kinds", default=",".join(truths.ALL))
    parser.add_argument("--methods", default="auto,hole,tuned,first,second,blocky")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=10, help="seed")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--no-errors", action="store_true", help="leave out the picks' errors")
    parser.add_argument("--one-line", action="store_true",
                        help="2-D: give the picks alone, no start model and no option")
    options = parser.parse_args()
    methods = options.methods.split(",")
    warnings.simplefilter("ignore")
    print("| survey | method | " + " | ".join(COLUMNS) + " |")
    print("|---|---|" + "---|" * len(COLUMNS))
    for kind in options.kinds.split(","):
        seeds = range(options.first, options.first + options.seeds)
        made = [truths.observed(truths.ALL[kind](seed)) for seed in seeds]
        if options.no_errors:
            for truth in made:
                truth.picks = without_errors(truth.picks)
        for method in methods:
            if method == "tuned" and kind not in tuned.FOUND:
                continue
            rows = [numbers_of(truth, method, options.threads, options.one_line) for truth in made]
            print(f"| {kind} | {method} | {' | '.join(cells_of(rows))} |", flush=True)


main()
