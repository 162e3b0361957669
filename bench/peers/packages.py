"""Time fields and rays of one source, package by package, behind one interface.

A package is made for a medium (not timed). `solve()` makes a time field, `field()` gives the last
one as an array on nodes, `solve_and_trace(receivers)` gives paths in the medium's coordinates.
"""

import numpy as np


class Fermat:
    distribution = "fermat"

    def __init__(self, medium, solver="fim", order=2, threads=1, cells=False, **graph):
        import fermat

        self._fermat = fermat
        self._medium = medium
        self._model = fermat.Model(medium.cell_velocity if cells else medium.velocity,
                                   spacing=(medium.h,) * medium.ndim, cells=cells)
        self._options = {"solver": solver, "threads": threads, "device": "cpu", **graph}
        if not graph:
            self._options["order"] = order

    def solve(self):
        self._times = self._fermat.traveltimes(
            self._model, self._medium.source, **self._options)

    def field(self):
        return self._times

    def solve_and_trace(self, receivers):
        return self._fermat.rays(
            self._model, [self._medium.source], receivers, **self._options).paths


class Pyekfmm:
    distribution = "pyekfmm"
    most_rays = 10  # each call works out the gradient of the whole field again

    def __init__(self, medium, order=2):
        import pyekfmm

        self._pyekfmm = pyekfmm
        self._medium = medium
        self._order = order
        flat = medium.ndim == 2
        self.move(medium.source)
        self._size = (medium.shape[0], 1, medium.shape[1]) if flat else medium.shape
        self._velocity = medium.velocity.reshape(self._size).ravel(order="F").copy()

    def move(self, source):
        """To another source."""
        self._at = tuple(source)
        x, *y, z = source
        self._source = np.array([x, *(y or [0.0]), z], dtype=np.float32)

    def solve(self):
        ax, ay, az = ([0, self._medium.h, size] for size in self._size)
        times = self._pyekfmm.eikonal(
            self._velocity, xyz=self._source, ax=ax, ay=ay, az=az, order=self._order)
        self._times = np.asarray(times).reshape(self._size, order="F")

    def field(self):
        return self._times.reshape(self._medium.shape)

    def solve_and_trace(self, receivers):
        self.solve()
        return self.trace(receivers)

    def trace(self, receivers):
        medium = self._medium
        axis = [0, medium.h, medium.shape[0]]
        options = {"step": 0.5 * medium.h, "trim": 0.5}
        if medium.ndim == 3:
            options["az"] = axis
        ray = self._pyekfmm.ray2d if medium.ndim == 2 else self._pyekfmm.ray3d
        return [ray(self.field(), self._at, receiver, ax=axis, ay=axis, **options).T
                for receiver in receivers]


class Fteikpy:
    distribution = "fteikpy"

    def __init__(self, medium):
        import fteikpy

        self._medium = medium
        # Velocity in cells and depth first; times on nodes.
        self._order = (1, 0) if medium.ndim == 2 else (2, 0, 1)
        make = fteikpy.Eikonal2D if medium.ndim == 2 else fteikpy.Eikonal3D
        self._solver = make(np.transpose(medium.cell_velocity, self._order),
                            gridsize=(medium.h,) * medium.ndim)
        self._source = [medium.source[axis] for axis in self._order]

    def solve(self):
        self._times = self._solver.solve(self._source, nsweep=2)

    def field(self):
        return np.transpose(self._times.grid, np.argsort(self._order))

    def solve_and_trace(self, receivers):
        times = self._solver.solve(self._source, nsweep=2, return_gradient=True)
        paths = times.raytrace(receivers[:, self._order])
        return [np.asarray(path)[:, np.argsort(self._order)] for path in paths]


class Ttcrpy:
    distribution = "ttcrpy"

    def __init__(self, medium, method="FSM", weno=False, secondary=None, cells=False):
        import ttcrpy.rgrid as rgrid

        self._medium = medium
        make = rgrid.Grid2d if medium.ndim == 2 else rgrid.Grid3d
        options = {"n_threads": 1, "cell_slowness": cells, "method": method, "tt_from_rp": False}
        if method == "FSM":
            options["weno"] = weno
        else:
            names = ("nsnx", "nsnz") if medium.ndim == 2 else ("nsnx", "nsny", "nsnz")
            options |= dict.fromkeys(names, secondary)
        self._grid = make(*[medium.axis] * medium.ndim, **options)
        velocity = medium.cell_velocity if cells else medium.velocity.astype(float)
        self._grid.set_slowness((1 / velocity).ravel())
        self._source = np.array([medium.source])
        self._probe = np.array([[0.5 * medium.side] * medium.ndim, [medium.side] * medium.ndim])

    def solve(self):
        self._grid.raytrace(self._source, self._probe)

    def field(self):
        return np.asarray(self._grid.get_grid_traveltimes()).reshape(self._medium.shape)

    def solve_and_trace(self, receivers):
        return self._grid.raytrace(self._source, receivers, return_rays=True)[1]


class ScikitFmm:
    distribution = "scikit-fmm"

    def __init__(self, medium, order=2):
        import skfmm

        self._skfmm = skfmm
        self._order = order
        self._h = medium.h
        self._speed = medium.velocity.astype(float)
        # It knows fronts, not points: the front is a circle of two cells about the source, which
        # serves it better than a node of another sign.
        grids = np.meshgrid(*[medium.axis] * medium.ndim, indexing="ij", sparse=True)
        distance = np.sqrt(sum((g - s) ** 2 for g, s in zip(grids, medium.source)))
        self._phi = distance - 2 * medium.h
        self._start = 2 * medium.h / self._speed[medium.source_index]

    def solve(self):
        self._times = self._skfmm.travel_time(
            self._phi, self._speed, dx=self._h, order=self._order)

    def field(self):
        return np.asarray(self._times) + self._start


class Pykonal:
    distribution = "pykonal"
    most_rays = 20  # it takes a sixth of a second for one

    def __init__(self, medium):
        import pykonal

        np.infty = np.inf  # a name that pykonal 0.4.1 uses and NumPy 2 dropped
        self._pykonal = pykonal
        self._medium = medium
        size = medium.shape if medium.ndim == 3 else (medium.shape[0], 1, medium.shape[1])
        self._velocity = medium.velocity.astype(float).reshape(size)

    def _fill(self, field):
        field.min_coords = 0, 0, 0
        field.node_intervals = (self._medium.h,) * 3
        field.npts = self._velocity.shape
        field.values = self._velocity

    def solve(self):
        solver = self._pykonal.EikonalSolver(coord_sys="cartesian")
        self._fill(solver.velocity)
        x, *y, z = self._medium.source_index
        at = (x, *(y or [0]), z)
        solver.traveltime.values[at] = 0
        solver.unknown[at] = False
        solver.trial.push(*at)
        solver.solve()
        self._solver = solver

    def field(self):
        return np.asarray(self._solver.traveltime.values).reshape(self._medium.shape)

    def solve_and_trace(self, receivers):
        self.solve()
        return self.trace(receivers)

    def trace(self, receivers):
        if self._medium.ndim == 3:
            return [self._solver.trace_ray(receiver) for receiver in receivers]
        deep = np.insert(receivers, 1, 0.0, axis=1)
        return [self._solver.trace_ray(receiver)[:, ::2] for receiver in deep]


class PykonalPoint(Pykonal):
    """With a spherical grid round the source."""

    def solve(self):
        solver = self._pykonal.solver.PointSourceSolver(coord_sys="cartesian")
        self._fill(solver.vv)
        solver.src_loc = self._medium.source
        solver.solve()
        self._solver = solver

    def field(self):
        return np.asarray(self._solver.tt.values).reshape(self._medium.shape)


# Name of a row: the class and its options. Orders are those of the differences.
METHODS = {
    "Fermat fim, order 2": (Fermat, {}),
    "Fermat fim, order 1": (Fermat, {"order": 1}),
    "Fermat fim, cells": (Fermat, {"cells": True}),
    "Fermat fmm, order 2": (Fermat, {"solver": "fmm"}),
    "Fermat vidale": (Fermat, {"solver": "vidale"}),
    "pyekfmm, order 2": (Pyekfmm, {}),
    "pyekfmm, order 1": (Pyekfmm, {"order": 1}),
    "fteikpy, 2 sweeps": (Fteikpy, {}),
    "ttcrpy FSM, order 1": (Ttcrpy, {}),
    "ttcrpy FSM, WENO3": (Ttcrpy, {"weno": True}),
    "scikit-fmm, order 2": (ScikitFmm, {}),
    "scikit-fmm, order 1": (ScikitFmm, {"order": 1}),
    "pykonal": (Pykonal, {}),
    "pykonal, point source": (PykonalPoint, {}),
    **{f"Fermat dijkstra, radius {radius}": (Fermat, {"solver": "dijkstra", "radius": radius})
       for radius in range(1, 9)},
    **{f"ttcrpy SPM, {count} secondary": (Ttcrpy, {"method": "SPM", "secondary": count})
       for count in (2, 5, 10)},
    "ttcrpy SPM, 10 secondary, cells": (
        Ttcrpy, {"method": "SPM", "secondary": 10, "cells": True}),
}
