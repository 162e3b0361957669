"""Fermat's shortest paths on the grid graph and ttcrpy's shortest-path method (SPM), on one thread.

    python bench/peers/graph.py --nodes 512

The medium is 2-D, v = 2 + 0.5 z km/s; errors are relative to the closed form, over nodes at least
three cells from the source. Each row is measured inside a process of its own, after a warm-up on a
small grid; imports and the making of ttcrpy's grid are left out, the making of Fermat's graph is
not. The last column of a row of ttcrpy is its time over that of Fermat with the smallest radius
that is as accurate. The output is Markdown.
"""

import argparse

from common import Case, heading, isolated, median_seconds, peak_mib, print_head, print_row

import numpy as np


def fermat(case, radius, solver="dijkstra"):
    import fermat

    model = fermat.Model(case.velocity, spacing=(case.h,) * 2)
    return lambda: fermat.traveltimes(
        model, source=case.source, solver=solver, radius=radius, threads=1)


def ttcrpy(case, secondary):
    import ttcrpy.rgrid as rgrid

    grid = rgrid.Grid2d(case.axis, case.axis, n_threads=1, cell_slowness=False, method="SPM",
                        nsnx=secondary, nsnz=secondary, tt_from_rp=False)
    grid.set_slowness((1 / case.velocity.astype(float)).ravel())
    source = np.array([case.source])
    receivers = np.full((2, 2), case.axis[-1])
    receivers[0] *= 0.5

    def work():
        grid.raytrace(source, receivers)
        return grid

    return work


def row_of(make, option, arguments):
    make(Case(17, True), option)()
    case = Case(arguments.nodes, True)
    seconds, times = median_seconds(make(case, option), arguments.repeat)
    peak = peak_mib()
    if hasattr(times, "get_grid_traveltimes"):
        times = np.asarray(times.get_grid_traveltimes())
    return seconds, *case.errors(np.reshape(times, case.velocity.shape)), peak


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=512)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=600, help="seconds a row may take")
    parser.add_argument("--secondary", type=int, nargs="*", default=[2, 5, 10],
                        help="ttcrpy's secondary nodes on an edge of a cell")
    arguments = parser.parse_args()
    print(heading(["fermat", "ttcrpy"]))
    print_head(f"{arguments.nodes}² nodes", "seconds", "mean error", "max error", "peak MiB",
               "over Fermat")
    ours = []

    def add(name, make, option):
        state, found = isolated(lambda: row_of(make, option, arguments), arguments.timeout)
        if state == "failed":
            print_row(name, f"failed: {found}", "", "", "", "")
            return
        seconds, mean, largest, peak = found
        ratio = ""
        if make is fermat:
            ours.append((mean, seconds))
        else:
            equal = [s for m, s in ours if m <= mean]
            ratio = f"{seconds / equal[0]:.0f} ×" if equal else "none as accurate"
        print_row(name, f"{seconds:.4g}", f"{mean:.2e}", f"{largest:.2e}", f"{peak:.0f}", ratio)

    for radius in range(1, 9):
        add(f"Fermat `dijkstra`, radius {radius}", fermat, radius)
    for secondary in arguments.secondary:
        add(f"ttcrpy SPM, {secondary} secondary nodes", ttcrpy, secondary)


if __name__ == "__main__":
    main()
