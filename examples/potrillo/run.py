"""Tomography of a crustal survey like the Potrillo experiment, from its making to its pictures.

    python examples/potrillo/run.py FOLDER

Leaves models, picks and the run in FOLDER, with models.png, misfit.png and summary.csv.
"""

import csv
import sys
from pathlib import Path

import fermat as fm
import numpy as np
import pictures
import survey
import tomography as tomo  # pictures knows where it is

HERE = Path(__file__).resolve().parent
NOISE = 0.05


def summary(run: tomo.Run, true: fm.Model) -> list[tuple[str, float, str]]:
    seen = run.covered(10)
    wanted = (true.velocity / run.start.velocity - 1)[seen]
    got = (run.found.velocity / run.start.velocity - 1)[seen]
    rms = run.column("rms")
    seconds = run.column("seconds").sum()
    smoothing = sum(run.column(name).sum() for name in run.history[0] if "smoothing" in name)
    return [
        ("iterations", len(rms) - 1, ""),
        ("picks", run.column("picks")[-1], ""),
        ("rays lost", run.column("lost")[-1], ""),
        ("RMS of the start model", 1e3 * rms[0], "ms"),
        ("RMS of the found model", 1e3 * rms[-1], "ms"),
        ("final RMS over noise", rms[-1] / NOISE, ""),
        ("correlation with the truth (10 rays or more)", np.corrcoef(wanted, got)[0, 1], ""),
        ("time of all iterations", seconds, "s"),
        ("of it smoothing", 100 * smoothing / seconds, "%"),
    ]


def main(folder: Path) -> None:
    survey.write_survey(folder)
    run = tomo.invert(folder, HERE, ("picks",))
    true = fm.Model.load(folder / "true.h5")
    pictures.draw_models(run, true, folder / "models.png")
    tomo.draw_misfit(run, 1e3 * NOISE, "ms", 1e3, "km").savefig(folder / "misfit.png", dpi=110)
    rows = summary(run, true)
    with open(folder / "summary.csv", "w", newline="") as file:
        csv.writer(file).writerows([("what", "value", "unit"), *rows])
    for what, value, unit in rows:
        print(f"  {what:<46}{value:10.4g} {unit}")


if len(sys.argv) != 2:
    sys.exit(__doc__)
main(Path(sys.argv[1]))
