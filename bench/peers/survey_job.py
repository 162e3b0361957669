"""What an iteration of tomography needs: times, rays and the sensitivity matrix of all pairs."""

import time

import numpy as np

from measure import median_seconds, peak_mib
from media import cube
from packages import Pyekfmm


def survey(nodes, shots, receivers):
    """Sources deep in the cube of the comparisons, receivers near its surface, all on nodes."""
    medium = cube(nodes)
    random = np.random.default_rng(2)
    step = medium.h

    def on_nodes(count, top, bottom):
        low, high = (0.5, 0.5, top), (9.5, 9.5, bottom)
        return np.round(random.uniform(low, high, size=(count, 3)) / step) * step

    return medium, on_nodes(shots, 3, 9), on_nodes(receivers, 0.2, 0.5)


def time_errors(medium, sources, receivers, times):
    """Mean and largest relative error of times (sources, receivers)."""
    v_source, v = (medium.v0 + medium.gradient * p[:, 2] for p in (sources, receivers))
    r2 = ((sources[:, None] - receivers[None]) ** 2).sum(-1)
    g = medium.gradient
    exact = np.arccosh(1 + g**2 * r2 / (2 * v_source[:, None] * v[None])) / g
    error = np.abs(np.asarray(times).reshape(exact.shape) / exact - 1)
    return float(error.mean()), float(error.max())


def fermat(medium, sources, receivers, threads):
    import fermat

    model = fermat.Model(medium.velocity, spacing=(medium.h,) * 3)

    def work():
        rays = fermat.rays(model, sources, receivers, threads=threads, device="cpu")
        return rays.field_times, rays.sensitivity(threads=threads)

    return work


def ttcrpy(medium, sources, receivers, threads):
    """Its matrix needs slowness in cells."""
    import ttcrpy.rgrid as rgrid

    grid = rgrid.Grid3d(*[medium.axis] * 3, n_threads=threads, cell_slowness=True, method="FSM",
                        weno=False, tt_from_rp=False)
    grid.set_slowness((1 / medium.cell_velocity).ravel())
    numbers = np.repeat(np.arange(len(sources)), len(receivers))
    events = np.column_stack([numbers, np.zeros(len(numbers)), sources[numbers]])
    places = np.tile(receivers, (len(sources), 1))

    def work():
        times, _, matrix = grid.raytrace(events, places, compute_L=True, return_rays=True)
        return times, matrix

    return work


def fteikpy(medium, sources, receivers, threads):
    """Times and rays; it has no matrix. Fields of a few shots at a time, as gradients are kept."""
    import fteikpy as package

    order, batch = [2, 0, 1], 2 * threads
    solver = package.Eikonal3D(
        np.transpose(medium.cell_velocity, order), gridsize=(medium.h,) * 3)
    deep, places = sources[:, order], receivers[:, order]

    def work():
        times = []
        for start in range(0, len(deep), batch):
            fields = solver.solve(deep[start : start + batch], nsweep=2, return_gradient=True)
            for field in fields:
                times.append(field(places))
                field.raytrace(places)
        return np.array(times), None

    return work


def pyekfmm(medium, sources, receivers, threads):
    """Times by field and rays one by one; it has no threads and no matrix. Of the rays five are
    traced and their seconds multiplied, since each takes the gradient of the whole field anew."""
    package = Pyekfmm(medium)
    index = tuple(np.round(receivers / medium.h).astype(int).T)
    some = 5

    def work():
        times, tracing = [], 0.0
        for source in sources:
            package.move(source)
            package.solve()
            times.append(package.field()[index])
            start = time.perf_counter()
            package.trace(receivers[:some])
            tracing += time.perf_counter() - start
        work.more = tracing * (len(receivers) / some - 1)
        return np.array(times), None

    return work


# How it is made ready, the package, and of how many shots a slow one is measured.
SURVEYS = {
    "Fermat fim, order 2": (fermat, "fermat", None),
    "ttcrpy FSM, order 1": (ttcrpy, "ttcrpy", 10),
    "fteikpy, 2 sweeps": (fteikpy, "fteikpy", 4),
    "pyekfmm, order 2": (pyekfmm, "pyekfmm", 1),
}


def run(job):
    make, _, most = SURVEYS[job["method"]]
    make(*survey(12, 2, 2), job["threads"])()
    medium, sources, receivers = survey(job["nodes"], job["shots"], job["receivers"])
    measured = min(most or job["shots"], job["shots"])
    work = make(medium, sources[:measured], receivers, job["threads"])
    seconds, runs, (times, matrix) = median_seconds(work, job["repeats"])
    seconds = (seconds + getattr(work, "more", 0.0)) * job["shots"] / measured
    row = {"seconds": seconds, "runs": runs, "measured_shots": measured, "peak_mib": peak_mib(),
           "matrix": matrix is not None}
    row["mean_error"], row["max_error"] = time_errors(medium, sources[:measured], receivers, times)
    return row
