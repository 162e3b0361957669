"""Known media inverted from noisy picks: how far the velocity found is from the true one.

The truths are those of bench/inversion/truths.py. Both packages get the same picks, their errors and
the same start: Fermat as a model, pyGIMLi as the velocities at the top and the bottom. Everything else
is what each chooses by itself; pyGIMLi's cells are given, since its own are too coarse for holes. Scores
are over nodes that true rays cross; pyGIMLi's value at a node is that of the nearest cell.
"""

import sys
import time
import warnings
from pathlib import Path

import numpy as np
from measure import peak_mib

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "inversion"))


def scored(job):
    """Means over the seeds of what `invert(truth, threads)` of a package found."""
    import truths

    warnings.simplefilter("ignore")
    invert, _ = INVERSIONS[job["method"]]
    rows = []
    for seed in job["seeds"]:
        truth = truths.observed(truths.ALL[job["medium"]](seed))
        begin = time.process_time()
        velocity, misfit, iterations = invert(truth, job["threads"])
        spent = time.process_time() - begin
        rows.append((spent, misfit, iterations, *_errors(truth, velocity)))
    names = ("seconds", "chi2", "iterations", "mean_error", "median_error", "correlation")
    return dict(zip(names, np.mean(rows, axis=0).tolist())) | {"runs": 5, "peak_mib": peak_mib()}


def _errors(truth, velocity):
    """RMS and median error of velocity as fractions; correlation of the change with the true one."""
    at = truth.crossed
    found, true, start = (np.asarray(v, float)[at] for v in (
        velocity, truth.model.velocity, truth.start.velocity))
    error = np.abs(found / true - 1)
    correlation = np.corrcoef(np.log(found / start), np.log(true / start))[0, 1]
    return np.sqrt((error**2).mean()), np.median(error), correlation


def fermat(truth, threads):
    import fermat

    run = fermat.invert(truth.start, truth.picks, threads=threads, device="cpu", **truth.options)
    return run.model.velocity, run.history["chi2"][-1], run.history["iteration"][-1]


BOREHOLES = ("crosshole", "layers", "waves", "blocks")


def pygimli(truth, threads, **settings):
    """Velocities, chi2 and iterations; `settings` are pyGIMLi's own (`lam`, `zWeight`, `blockyModel`)."""
    import pygimli
    import pygimli.meshtools as meshtools
    import pygimli.physics.traveltime as traveltime
    from scipy.spatial import cKDTree

    pygimli.setThreadCount(threads)
    pygimli.setVerbose(False)
    picks, start = truth.picks, truth.start
    data = pygimli.DataContainer()
    data.registerSensorIndex("s")
    data.registerSensorIndex("g")
    places, rows = np.unique(np.vstack([picks.sources, picks.receivers]), axis=0,
                             return_inverse=True)
    for x, z in places:
        data.createSensor([x, -z])
    rows = rows.reshape(-1)
    data.resize(len(picks))
    data["s"] = rows[: len(picks.sources)][picks.source]
    data["g"] = rows[len(picks.sources):][picks.receiver]
    times = np.maximum(picks.time, 1e-6 * picks.time.max())
    data["t"] = times
    data["err"] = picks.error * np.ones(len(picks))  # of the times: the manager divides by them
    data["valid"] = np.ones(len(picks))
    manager = traveltime.TravelTimeManager(data)
    solid = start.velocity[start.velocity > 0]
    if truth.name in BOREHOLES:
        x, z = (o + 0.5 * np.arange(round((n - 1) * h / 0.5) + 1)
                for o, h, n in zip(start.origin, start.spacing, start.shape))
        mesh = meshtools.createGrid(x=x, y=np.sort(-z))
        manager.invert(mesh=mesh, secNodes=3, startModel=float(1 / solid[0]), verbose=False,
                       **settings)
    else:
        manager.invert(secNodes=3, paraMaxCellSize=5.0, paraDepth=30.0, verbose=False,
                       vTop=float(solid.min()), vBottom=float(solid.max()),
                       **{"zWeight": 0.2, **settings})
    mesh = manager.paraDomain
    centres = np.array([[c.center().x(), -c.center().y()] for c in mesh.cells()])
    axes = [o + h * np.arange(n) for o, h, n in zip(start.origin, start.spacing, start.shape)]
    nodes = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    nearest = cKDTree(centres).query(nodes)[1]
    velocity = np.asarray(manager.model)[nearest].reshape(start.shape)
    residual = (np.asarray(manager.inv.response) - times) / picks.error
    return velocity, float(np.mean(residual**2)), int(manager.inv.iter)


INVERSIONS = {"Fermat": (fermat, "fermat"), "pyGIMLi": (pygimli, "pygimli")}


def run(job):
    return scored(job)
