"""Tomography of the Königssee line, from its file to a model: 714 picks with topography."""

import tomllib
from pathlib import Path

from measure import median_seconds, peak_mib

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "koenigsee"


def fermat(job):
    """The settings of examples/koenigsee."""
    import fermat

    settings = tomllib.loads((EXAMPLE / "koenigsee.toml").read_text())
    made, run_by = settings["model"]["gradient"], settings["invert"]

    def work():
        picks = fermat.picks(job["data"])
        gradient = fermat.Model.gradient(
            made["shape"], v0=made["v0"], gradient=made["gradient"], spacing=made["spacing"],
            origin=made["origin"])
        return fermat.invert(
            gradient.with_topography(picks), picks, schedule=EXAMPLE / "schedule.csv",
            target_rms=run_by["target-rms"], step=run_by["step"],
            min_velocity=run_by["min-velocity"], max_velocity=run_by["max-velocity"],
            threads=job["threads"], device="cpu")

    seconds, runs, run = median_seconds(work, job["repeats"])
    rms = run.history["rms"]
    return {"seconds": seconds, "runs": runs, "start_rms": float(rms[0]), "rms": float(rms[-1]),
            "iterations": len(rms) - 1, "unknowns": int((run.model.velocity > 0).sum())}


def pygimli(job):
    """The settings of the package's own example of these data."""
    import numpy as np
    import pygimli
    import pygimli.physics.traveltime as traveltime

    pygimli.setThreadCount(job["threads"])

    def work():
        data = traveltime.load(job["data"])
        manager = traveltime.TravelTimeManager(data)
        manager.invert(secNodes=3, paraMaxCellSize=5.0, zWeight=0.2, vTop=500,
                       vBottom=5000, verbose=False)
        return manager, np.asarray(data["t"])

    seconds, runs, (manager, times) = median_seconds(work, job["repeats"])
    misfit = np.asarray(manager.inv.response) - times
    return {"seconds": seconds, "runs": runs, "rms": float(np.sqrt(np.mean(misfit**2))),
            "iterations": int(manager.inv.iter), "unknowns": int(manager.paraDomain.cellCount()),
            "start_rms": None}


INVERSIONS = {
    "Fermat": (fermat, "fermat"),
    "pyGIMLi": (pygimli, "pygimli"),
}


def run(job):
    row = INVERSIONS[job["method"]][0](job)
    return row | {"peak_mib": peak_mib()}
