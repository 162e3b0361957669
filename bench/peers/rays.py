"""Ray tracers of Fermat and other packages in the same medium, one after another on one thread.

    python bench/peers/rays.py --nodes 129

v = 2 + 0.5 z km/s in a cube of 10 km, source near (5, 5, 0.5), random receivers. Seconds are those
of rays alone: of a run with many receivers less that of a run with one, where a package does not
solve and trace by separate calls; each package traces as many rays as its speed allows. `off` is
how far rays leave their circles, in cells, and `lost` counts rays that end away from the source by
more than two cells. Each row is measured inside a process of its own, imports and compilation left
out, as a median of --repeat runs, in time of the processor. The output is Markdown.
"""

import argparse

from common import GRADIENT, SIDE, V0, Case
from common import heading, isolated, median_seconds, print_head, print_row

import numpy as np


def receivers_of(case, count):
    random = np.random.default_rng(1)
    return random.uniform(0.02 * SIDE, 0.98 * SIDE, size=(count, 3))


def circle_distance(case, path):
    """Largest distance of a path's points from the circle through its ends, and of its end from the
    source, in cells. Rays of a constant gradient are circles about the depth where v vanishes."""
    path = np.asarray(path, dtype=float)
    source = np.array(case.source)
    if np.linalg.norm(path[0] - source) < np.linalg.norm(path[-1] - source):
        path = path[::-1]
    miss = np.linalg.norm(path[-1] - source) / case.h
    receiver = path[0]
    level = receiver[:2] - source[:2]
    x = np.linalg.norm(level)
    top = V0 / GRADIENT
    za, zb = source[2] + top, receiver[2] + top
    centre = (x**2 + zb**2 - za**2) / (2 * x)
    radius = np.hypot(centre, za)
    leaves = 0 < centre < x and radius - top > SIDE
    offset = path - source
    along = offset[:, :2] @ level / x
    across = (offset[:, 1] * level[0] - offset[:, 0] * level[1]) / x
    off = np.hypot(np.hypot(along - centre, path[:, 2] + top) - radius, across)
    return (np.nan if leaves else off.max() / case.h), miss


def fermat(case, receivers, tracer="descent"):
    import fermat

    model = fermat.Model(case.velocity, spacing=(case.h,) * 3)

    def work(some):
        return fermat.rays(model, [case.source], some, tracer=tracer, threads=1).paths

    return (lambda: work(receivers)), (lambda: work(receivers[:1]))


def ttcrpy(case, receivers):
    import ttcrpy.rgrid as rgrid

    grid = rgrid.Grid3d(case.axis, case.axis, case.axis, n_threads=1, cell_slowness=False,
                        method="FSM", tt_from_rp=False, weno=False)
    grid.set_slowness((1 / case.velocity.astype(float)).ravel())
    source = np.array([case.source])

    def work(some):
        return grid.raytrace(source, some, return_rays=True)[1]

    return (lambda: work(receivers)), (lambda: work(receivers[:1]))


def fteikpy(case, receivers):
    import fteikpy

    cells = case.velocity.astype(float)
    for axis in range(3):
        low = np.take(cells, range(case.nodes - 1), axis)
        cells = 0.5 * (low + np.take(cells, range(1, case.nodes), axis))
    solver = fteikpy.Eikonal3D(np.moveaxis(cells, 2, 0), gridsize=(case.h,) * 3)
    x, y, z = case.source
    times = solver.solve((z, x, y), nsweep=2, return_gradient=True)
    depth_first = receivers[:, [2, 0, 1]]
    times.raytrace(depth_first[:1])

    def work():
        paths = times.raytrace(depth_first)
        return [np.asarray(path)[:, [1, 2, 0]] for path in paths]

    return work, None


def pykonal(case, receivers):
    import pykonal

    np.infty = np.inf  # a name that pykonal 0.4.1 uses and NumPy 2 dropped
    solver = pykonal.EikonalSolver(coord_sys="cartesian")
    solver.velocity.min_coords = 0, 0, 0
    solver.velocity.node_intervals = (case.h,) * 3
    solver.velocity.npts = case.velocity.shape
    solver.velocity.values = case.velocity.astype(float)
    at = tuple(round(s / case.h) for s in case.source)
    solver.traveltime.values[at] = 0
    solver.unknown[at] = False
    solver.trial.push(*at)
    solver.solve()
    return (lambda: [solver.trace_ray(receiver) for receiver in receivers]), None


PACKAGES = {
    "Fermat `descent`": (fermat, 20000),
    "Fermat `cells`": (lambda case, receivers: fermat(case, receivers, "cells"), 2000),
    "ttcrpy FSM order 1": (ttcrpy, 1000),
    "fteikpy": (fteikpy, 1000),
    "pykonal": (pykonal, 20),
}


def row_of(make, count, arguments):
    small = Case(17)
    make(small, receivers_of(small, 2))[0]()
    case = Case(arguments.nodes)
    receivers = receivers_of(case, count)
    many, one = make(case, receivers)
    seconds, paths = median_seconds(many, arguments.repeat)
    if one:
        seconds -= median_seconds(one, arguments.repeat)[0]
    found = [circle_distance(case, path) for path in paths[:1000]]
    lost = sum(miss > 2 for _, miss in found)
    return seconds, np.nanmax([off for off, _ in found]), lost, len(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=129)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--timeout", type=float, default=600, help="seconds a row may take")
    parser.add_argument("--only", nargs="*", help="parts of package names")
    arguments = parser.parse_args()
    print(heading(["fermat", "ttcrpy", "fteikpy", "pykonal"]))
    print_head(f"{arguments.nodes}³ nodes", "rays", "seconds", "rays/s", "off, cells", "lost")
    for name, (make, count) in PACKAGES.items():
        if arguments.only and not any(part in name for part in arguments.only):
            continue
        state, found = isolated(lambda: row_of(make, count, arguments), arguments.timeout)
        if state == "failed":
            print_row(name, str(count), f"failed: {found}", "", "", "")
            continue
        seconds, off, lost, judged = found
        print_row(name, str(count), f"{seconds:.4g}", f"{count / seconds:.3g}", f"{off:.2f}",
                  f"{lost} of {judged}")


if __name__ == "__main__":
    main()
