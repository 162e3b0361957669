"""Whether an inversion stays where it is, and how long 10,000 unknowns take.

    python bench/inversion/stay.py [--kinds refraction,crosshole,crustal] [--seeds 2] [--first 10]

Per kind and truth: error of velocity (RMS, per cent) of the run; after ten further steps with the
smoothing that it found; and on a grid of half the spacing, at the nodes of the first grid. At the
end: the crustal profile with about 10,000 unknowns, processor seconds and passes.
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


def resampled(model: fm.Model, factor: int) -> fm.Model:
    """A model on a grid that is finer by a whole number, in 2-D; each new node between its two."""
    v = model.velocity.astype(float)
    for axis in (0, 1):
        old = np.arange(v.shape[axis])
        new = np.arange((v.shape[axis] - 1) * factor + 1) / factor
        v = np.apply_along_axis(lambda line, old=old, new=new: np.interp(new, old, line), axis, v)
    return fm.Model(v.astype(np.float32), spacing=[h / factor for h in model.spacing],
                    origin=model.origin)


def rows_of(kind: str, seed: int) -> str:
    truth = truths.observed(truths.ALL[kind](seed))
    options = dict(truth.options, regularisation="second", threads=1)
    run = fm.invert(truth.start, truth.picks, **options)
    error = truths.score(truth, run.model)["rms"]
    further = fm.invert(run.model, truth.picks, reference=truth.start,
                        smoothing=float(run.history["lambda"][-1]), iterations=10, **options)
    stayed = truths.score(truth, further.model)["rms"]
    fine = fm.invert(resampled(truth.start, 2), truth.picks, **options)
    every = fm.Model(np.ascontiguousarray(fine.model.velocity[::2, ::2]),
                     spacing=truth.start.spacing, origin=truth.start.origin)
    halved = truths.score(truth, every)["rms"]
    change = abs(every.velocity / run.model.velocity - 1)[truth.crossed]
    return (f"| {kind} | {seed} | {error:.3g} | {stayed:.3g} ({100 * (stayed / error - 1):+.1f} %, "
            f"{further.history['iteration'][-1]} steps) | "
            f"{halved:.3g} ({100 * (halved / error - 1):+.1f} %) | {100 * np.median(change):.2g} |")


def many_unknowns() -> str:
    truth = truths.observed(truths.crustal(10))
    begin = time.process_time()
    run = fm.invert(resampled(truth.start, 1), truth.picks, regularisation="second", threads=1,
                    unknown_ratio=1, **truth.options)
    coarse = time.process_time() - begin
    fine = resampled(truth.start, 2)
    shape = tuple(n for n in fine.shape)
    begin = time.process_time()
    large = fm.invert(fine, truth.picks, regularisation="second", threads=1,
                      unknown_ratio=(2, 1), **truth.options)
    spent = time.process_time() - begin
    unknowns = ((shape[0] - 1) // 2 + 1) * shape[1]
    return (f"{run.model.velocity.size} unknowns: {coarse:.2f} CPU s, {run.history['passes'][-1]} passes; "
            f"{unknowns} unknowns: {spent:.2f} CPU s, {large.history['passes'][-1]} passes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kinds", default="refraction,crosshole,crustal")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--first", type=int, default=10, help="seed")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| survey | seed | RMS error % | ten further steps | half the spacing | median change % |")
    print("|---|---|---|---|---|---|")
    for kind in options.kinds.split(","):
        for seed in range(options.first, options.first + options.seeds):
            print(rows_of(kind, seed), flush=True)
    print(many_unknowns())


main()
