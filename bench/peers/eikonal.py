"""Fermat and other packages on the same eikonal problem, one after another in one process.

    python bench/peers/eikonal.py --nodes 129            # 3-D, constant gradient
    python bench/peers/eikonal.py --nodes 501 --flat     # 2-D

The medium is v = 2 + 0.5 z km/s in a 10 km box with the source near (5, 5, 0.5); errors are relative
to the closed form, over nodes at least three cells from the source. Imports, compilation and the
making of grids are left out of the times; each is the median of --repeat runs after one warm-up. A
package that is missing or fails is a row that says so.
"""

import argparse
import os
import statistics
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

V0, GRADIENT, SIDE = 2.0, 0.5, 10.0


def problem(nodes, flat):
    h = SIDE / (nodes - 1)
    axis = np.arange(nodes) * h
    shape = (nodes, nodes) if flat else (nodes, nodes, nodes)
    velocity = np.broadcast_to(V0 + GRADIENT * axis, shape).astype(np.float32).copy()
    # On a node, since some packages know no others.
    z = round(0.5 / h) * h
    middle = round(5 / h) * h
    source = (middle, z) if flat else (middle, middle, z)
    grids = np.meshgrid(*[axis] * len(source), indexing="ij", sparse=True)
    r2 = sum((g - s) ** 2 for g, s in zip(grids, source))
    argument = 1 + GRADIENT**2 * r2 / (2 * (V0 + GRADIENT * z) * velocity.astype(float))
    exact = np.arccosh(argument) / GRADIENT
    return h, velocity, source, exact, np.sqrt(r2) >= 3 * h


def fermat_fim(h, velocity, source, order=2, solver="fim"):
    import fermat

    model = fermat.Model(velocity, spacing=(h,) * velocity.ndim)
    return lambda: fermat.traveltimes(model, source=source, solver=solver, order=order, threads=1)


def pyekfmm(h, velocity, source):
    import pyekfmm

    shape = velocity.shape
    if velocity.ndim == 2:
        xyz = (source[0], 0.0, source[1])
        size = (shape[0], 1, shape[1])
    else:
        xyz, size = source, shape
    flat = np.asarray(velocity, dtype=np.float32).reshape(size).ravel(order="F").copy()
    work = lambda: pyekfmm.eikonal(
        flat, xyz=np.array(xyz, dtype=np.float32), ax=[0, h, size[0]], ay=[0, h, size[1]],
        az=[0, h, size[2]], order=2)
    return lambda: np.asarray(work()).reshape(size, order="F").reshape(shape)


def fteikpy(h, velocity, source):
    import fteikpy

    # It takes velocity in cells and gives times on nodes.
    cells = velocity.astype(float)
    for axis in range(velocity.ndim):
        low = np.take(cells, range(cells.shape[axis] - 1), axis)
        cells = 0.5 * (low + np.take(cells, range(1, cells.shape[axis]), axis))
    if velocity.ndim == 2:
        solver = fteikpy.Eikonal2D(cells.T, gridsize=(h, h))
        at = (source[1], source[0])
        return lambda: solver.solve(at, nsweep=2).grid.T
    solver = fteikpy.Eikonal3D(np.moveaxis(cells, 2, 0), gridsize=(h, h, h))
    at = (source[2], source[0], source[1])
    return lambda: np.moveaxis(solver.solve(at, nsweep=2).grid, 0, 2)


def scikit_fmm(h, velocity, source):
    import skfmm

    phi = np.ones(velocity.shape)
    phi[tuple(round(s / h) for s in source)] = -1
    speed = velocity.astype(float)

    def work():
        times = np.asarray(skfmm.travel_time(phi, speed, dx=h, order=2))
        return times

    return work


PACKAGES = {
    "Fermat fim order 2": fermat_fim,
    "Fermat fim order 1": lambda *a: fermat_fim(*a, order=1),
    "Fermat fmm order 2": lambda *a: fermat_fim(*a, solver="fmm"),
    "pyekfmm order 2": pyekfmm,
    "fteikpy, 2 sweeps": fteikpy,
    "scikit-fmm order 2": scikit_fmm,
}


def measure(make, case, repeat):
    h, velocity, source, exact, counted = case
    work = make(h, velocity, source)
    times = work()
    runs = []
    for _ in range(repeat):
        start = time.perf_counter()
        times = work()
        runs.append(time.perf_counter() - start)
    error = np.abs(times[counted] / exact[counted] - 1)
    return statistics.median(runs), error.mean(), error.max()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=129)
    parser.add_argument("--flat", action="store_true", help="2-D")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", nargs="*", help="parts of package names")
    arguments = parser.parse_args()
    case = problem(arguments.nodes, arguments.flat)
    size = case[1].size
    print("| package | seconds | M nodes/s | mean error | max error |\n|---|---|---|---|---|")
    for name, make in PACKAGES.items():
        if arguments.only and not any(part in name for part in arguments.only):
            continue
        try:
            seconds, mean, largest = measure(make, case, arguments.repeat)
        except Exception as error:  # a peer that fails is a row, whatever its failure
            print(f"| {name} | {type(error).__name__}: {str(error).splitlines()[0][:70]} | | | |")
            continue
        print(f"| {name} | {seconds:.4g} | {size / seconds / 1e6:.3g} "
              f"| {mean:.2e} | {largest:.2e} |", flush=True)


if __name__ == "__main__":
    main()
