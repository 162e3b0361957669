"""Fermat and other packages on the same eikonal problem, one after another on one thread.

    python bench/peers/eikonal.py --nodes 129            # 3-D, constant gradient
    python bench/peers/eikonal.py --nodes 501 --flat     # 2-D

Errors are relative to the closed form, over nodes at least three cells from the source. Each row is
measured inside a process of its own, after a warm-up on a small grid; imports, compilation and the
making of grids are left out; seconds are the median of --repeat runs, in time of the processor. A
package that is missing, fails or takes longer than --timeout is a row that says so. The output is
Markdown.
"""

import argparse

from common import Case, heading, isolated, median_seconds, peak_mib, print_head, print_row

import numpy as np


def fermat(case, solver="fim", order=2):
    import fermat

    model = fermat.Model(case.velocity, spacing=(case.h,) * case.velocity.ndim)
    return lambda: fermat.traveltimes(
        model, source=case.source, solver=solver, order=order, threads=1)


def pyekfmm(case):
    import pyekfmm

    shape = case.velocity.shape
    flat = case.velocity.ndim == 2
    xyz = (case.source[0], 0.0, case.source[1]) if flat else case.source
    size = (shape[0], 1, shape[1]) if flat else shape
    velocity = case.velocity.reshape(size).ravel(order="F").copy()

    def work():
        times = pyekfmm.eikonal(
            velocity, xyz=np.array(xyz, dtype=np.float32), ax=[0, case.h, size[0]],
            ay=[0, case.h, size[1]], az=[0, case.h, size[2]], order=2)
        return np.asarray(times).reshape(size, order="F").reshape(shape)

    return work


def fteikpy(case):
    import fteikpy

    # It takes velocity in cells and gives times on nodes.
    cells = case.velocity.astype(float)
    for axis in range(cells.ndim):
        low = np.take(cells, range(cells.shape[axis] - 1), axis)
        cells = 0.5 * (low + np.take(cells, range(1, cells.shape[axis]), axis))
    order = (1, 0) if cells.ndim == 2 else (2, 0, 1)  # depth first
    back = np.argsort(order)
    make = fteikpy.Eikonal2D if cells.ndim == 2 else fteikpy.Eikonal3D
    solver = make(np.transpose(cells, order), gridsize=(case.h,) * cells.ndim)
    source = [case.source[axis] for axis in order]
    return lambda: np.transpose(solver.solve(source, nsweep=2).grid, back)


def ttcrpy(case):
    import ttcrpy.rgrid as rgrid

    make = rgrid.Grid2d if case.velocity.ndim == 2 else rgrid.Grid3d
    axes = [case.axis] * case.velocity.ndim
    grid = make(*axes, n_threads=1, cell_slowness=False, method="FSM", tt_from_rp=False,
                weno=False)
    grid.set_slowness((1 / case.velocity.astype(float)).ravel())
    source = np.array([case.source])
    receivers = np.full((2, len(source[0])), case.axis[-1])
    receivers[0] *= 0.5

    def work():
        grid.raytrace(source, receivers)
        return grid

    return work


def scikit_fmm(case):
    import skfmm

    phi = np.ones(case.velocity.shape)
    phi[tuple(round(s / case.h) for s in case.source)] = -1
    speed = case.velocity.astype(float)
    return lambda: np.asarray(skfmm.travel_time(phi, speed, dx=case.h, order=2))


PACKAGES = {
    "Fermat `fim` order 2": fermat,
    "Fermat `fim` order 1": lambda case: fermat(case, order=1),
    "Fermat `fmm` order 2": lambda case: fermat(case, solver="fmm"),
    "pyekfmm order 2": pyekfmm,
    "fteikpy, 2 sweeps": fteikpy,
    "ttcrpy FSM order 1": ttcrpy,
    "scikit-fmm order 2": scikit_fmm,
}


def row_of(make, arguments):
    make(Case(17, arguments.flat))()
    case = Case(arguments.nodes, arguments.flat)
    seconds, times = median_seconds(make(case), arguments.repeat)
    peak = peak_mib()
    if hasattr(times, "get_grid_traveltimes"):
        times = np.asarray(times.get_grid_traveltimes())
    return seconds, *case.errors(np.reshape(times, case.velocity.shape)), peak


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=129)
    parser.add_argument("--flat", action="store_true", help="2-D")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--timeout", type=float, default=600, help="seconds a row may take")
    parser.add_argument("--only", nargs="*", help="parts of package names")
    arguments = parser.parse_args()
    print(heading(["fermat", "pyekfmm", "fteikpy", "ttcrpy", "scikit-fmm"]))
    print_head(f"{arguments.nodes}{'²' if arguments.flat else '³'} nodes", "seconds", "M nodes/s",
               "mean error", "max error", "peak MiB of the process")
    nodes = arguments.nodes ** (2 if arguments.flat else 3)
    for name, make in PACKAGES.items():
        if arguments.only and not any(part in name for part in arguments.only):
            continue
        state, found = isolated(lambda: row_of(make, arguments), arguments.timeout)
        if state == "failed":
            print_row(name, f"failed: {found}", "", "", "", "")
            continue
        seconds, mean, largest, peak = found
        print_row(name, f"{seconds:.4g}", f"{nodes / seconds / 1e6:.3g}", f"{mean:.2e}",
                  f"{largest:.2e}", f"{peak:.0f}")


if __name__ == "__main__":
    main()
