"""How often error bars hold: known truths within the deviations of the models found.

    python bench/inversion/coverage.py [--kinds refraction,hill,faulted,fault-hill,gradual,crosshole,crustal]
                                       [--seeds 10] [--first 300] [--ratio 2] [--threads 0] [--one-line]

Prints one row per kind of truth, means over the seeds over nodes that true rays cross: parts of the nodes
within one and two deviations, the median of error over deviation, and the median error in per cent of the
quarter of the nodes with the smallest deviations and of that with the largest. 68 and 95 per cent are right
for Gaussian errors. `--ratio` is the spacing of the unknowns in that of the model: 2 takes a second per truth. `--one-line`: of fm.invert(picks),
without start model or option (2-D).
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

import fermat as fm
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
import truths  # noqa: E402


def numbers_of(truth: truths.Truth, ratio: int, threads: int, one_line: bool) -> list[float]:
    if one_line:
        run = fm.invert(truth.picks, unknown_ratio=ratio, threads=threads)
    else:
        run = fm.invert(truth.start, truth.picks, unknown_ratio=ratio, threads=threads, **truth.options)
    run.estimate_trust(threads=threads)
    found, size = run.model, np.nan_to_num(run.deviation)
    if one_line:
        size = truths.on_truth(truth, fm.Model(size, spacing=found.spacing, origin=found.origin)).velocity
        found = truths.on_truth(truth, found)
    at = truth.crossed & (found.velocity > 0) & (size > 0)
    v, true = (m.velocity[at].astype(float) for m in (found, truth.model))
    error, deviation = np.abs(np.log(v / true)), size[at] / v
    low, high = np.quantile(deviation, [0.25, 0.75])
    return [100 * float(np.mean(error < deviation)), 100 * float(np.mean(error < 2 * deviation)),
            float(np.median(error / deviation)), 100 * float(np.median(error[deviation <= low])),
            100 * float(np.median(error[deviation >= high]))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kinds", default="refraction,hill,faulted,fault-hill,gradual,crosshole,crustal")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=300, help="seed")
    parser.add_argument("--ratio", type=int, default=2)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--one-line", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| truth | within 1σ % (least–most) | within 2σ % | median error / σ | best quarter % | worst quarter % |")
    print("|---|---|---|---|---|---|")
    for kind in options.kinds.split(","):
        seeds = range(options.first, options.first + options.seeds)
        made = [truths.observed(truths.ALL[kind](seed)) for seed in seeds]
        rows = np.array([numbers_of(truth, options.ratio, options.threads, options.one_line) for truth in made])
        one, two, middle, best, worst = rows.mean(axis=0)
        print(f"| {kind} | {one:.0f} ({rows[:, 0].min():.0f}–{rows[:, 0].max():.0f}) | {two:.0f} | {middle:.2f} | "
              f"{best:.1f} | {worst:.1f} |", flush=True)


main()
