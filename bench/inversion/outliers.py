"""Inversions of known truths whose picks are wrong by many errors, one in twenty.

    python bench/inversion/outliers.py [--kinds refraction,hill,crosshole,crustal] [--seeds 2]
                                       [--first 10] [--norms trimmed,huber,l1]

Per truth and norm: by how much the RMS error of velocity grows, in per cent, when 5 % of the picks are
wrong by 10 to 60 errors (either way; none below 0); how many picks are wrong, how many were left out,
and how many of these are good.
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


def spoiled(truth: truths.Truth) -> tuple[fm.Picks, np.ndarray]:
    picks = truth.picks
    rng = np.random.default_rng(1000 + truth.seed)
    bad = np.zeros(len(picks.time), bool)
    bad[rng.choice(len(bad), round(0.05 * len(bad)), replace=False)] = True
    wrong = rng.choice([-1, 1], len(bad)) * rng.uniform(10, 60, len(bad)) * truth.noise
    time = np.where(bad, picks.time + wrong, picks.time)
    time = np.where(time < 0, picks.time + abs(wrong), time)
    return fm.Picks(picks.sources, picks.receivers, source=picks.source, receiver=picks.receiver,
                    time=time, error=truth.noise), bad


def error_of(truth: truths.Truth, picks: fm.Picks, norm: str) -> tuple[float, np.ndarray]:
    run = fm.invert(truth.start, picks, regularisation="second", norm=norm, threads=1,
                    **truth.options)
    return truths.score(truth, run.model)["rms"], run.use == "rejected"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kinds", default="refraction,hill,crosshole,crustal")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--first", type=int, default=10, help="seed")
    parser.add_argument("--norms", default="trimmed,huber,l1")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| survey | seed | norm | RMS error grows by % | wrong | left out | good ones left out |")
    print("|---|---|---|---|---|---|---|")
    for kind in options.kinds.split(","):
        for seed in range(options.first, options.first + options.seeds):
            truth = truths.observed(truths.ALL[kind](seed))
            picks, bad = spoiled(truth)
            clean, _ = error_of(truth, truth.picks, "trimmed")
            for norm in options.norms.split(","):
                error, out = error_of(truth, picks, norm)
                print(f"| {kind} | {seed} | {norm} | {100 * (error / clean - 1):+.1f} | {bad.sum()} | "
                      f"{out.sum()} | {(out & ~bad).sum()} |", flush=True)


main()
