"""Tomography of the Königssee line, from its file to a model: 714 picks with topography."""

from measure import median_seconds, peak_mib

# From the largest boxes to the smallest: iterations, cells of the smoothing box, its vertices.
SCHEDULE = [(6, (60, 24), (61, 25)), (8, (40, 16), (41, 17)), (8, (24, 12), (25, 13)),
            (8, (16, 8), (17, 9)), (10, (10, 6), (9, 5)), (30, (6, 4), (7, 3))]


def fermat(job):
    """The settings of examples/koenigsee, and smaller boxes at the end until the peer's misfit."""
    import fermat

    def work():
        picks = fermat.picks(job["data"])
        gradient = fermat.Model.gradient(
            (231, 121), v0=743, gradient=152, spacing=0.25, origin=(-5.25, -2))
        return fermat.invert(
            gradient.with_topography(picks), picks, schedule=SCHEDULE, target_rms=0.73e-3,
            step=1.5, min_velocity=200, max_velocity=5500, threads=job["threads"], device="cpu")

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
