"""The plain RMS and the RMS weighted by errors have different names."""

import csv

import fermat as fm
import numpy as np


def test_history_has_both(fermat):
    start = fm.Model.constant((21, 11), velocity=2, spacing=0.5)
    picks = fm.synthetic_picks(start, [(0, 0), (10, 0)], [(x, 5) for x in range(11)])
    error = np.where(np.arange(len(picks.time)) % 2, 0.1, 0.01)
    time = picks.time + 0.5 * error
    observed = fm.Picks(picks.sources, picks.receivers, source=picks.source,
                        receiver=picks.receiver, time=time, error=error)
    run = fm.invert(start, observed, schedule=[(1, (4, 4), (3, 3))])
    residual = run.residuals["final_residual"]
    last = {name: values[-1] for name, values in run.history.items()}
    assert np.isclose(last["rms"], np.sqrt((residual**2).mean()))
    assert np.isclose(last["chi2"], ((residual / error) ** 2).mean())
    weighted = np.sqrt(((residual / error) ** 2).sum() / (1 / error**2).sum())
    assert np.isclose(last["weighted_rms"], weighted)


def test_files_have_both(fermat):
    fermat("model", "constant", "--shape", "21,11", "--spacing", "0.5", "--velocity", "2", "-o",
           "start.h5")
    fermat.write("s.csv", "x,z\n0,0\n10,0\n")
    fermat.write("r.csv", "x,z\n" + "".join(f"{x},5\n" for x in range(11)))
    fermat("picks", "--model", "start.h5", "--sources", "s.csv", "--receivers", "r.csv", "--noise",
           "0.01", "-o", "picks.csv")
    fermat.write("schedule.csv", "iterations,cell_x,cell_z,vertex_x,vertex_z\n1,4,4,3,3\n")
    fermat("invert", "--model", "start.h5", "--picks", "picks.csv", "--schedule", "schedule.csv",
           "-o", "run")
    with open(fermat.folder / "run/history.csv", newline="") as file:
        last = list(csv.DictReader(file))[-1]
    # With equal errors both are the same number.
    assert np.isclose(float(last["rms"]), float(last["weighted_rms"]))
