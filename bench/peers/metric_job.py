"""Time fields in a sphere and in anisotropic media with closed forms."""

import time

import numpy as np
from measure import median_seconds, peak_mib

EARTH = 6371.0


class Sphere:
    """v = 8 (r / 6371)^-2 km/s over 6 by 6 degrees and 200 km, source at 3, 3 degrees and 50 km.

    The map rho = r^3, phi = 3 Delta of the plane of a ray makes velocity constant
    (src/model/metric_forms.hpp): T = |rho_1 e^(i phi_1) - rho_2 e^(i phi_2)| / (3 a).
    """

    source = (3.0, 3.0, 50.0)

    def __init__(self, nodes):
        self.shape = (nodes,) * 3
        self.spacing = (6 / (nodes - 1), 6 / (nodes - 1), 200 / (nodes - 1))
        self.axes = [h * np.arange(n) for h, n in zip(self.spacing, self.shape)]
        latitude, longitude, depth = np.meshgrid(*self.axes, indexing="ij")
        r, r0 = EARTH - depth, EARTH - self.source[2]
        la, lo, la0, lo0 = (np.radians(a) for a in (latitude, longitude, *self.source[:2]))
        chord = np.sqrt(np.sin((la - la0) / 2) ** 2
                        + np.cos(la) * np.cos(la0) * np.sin((lo - lo0) / 2) ** 2)
        phi = 3 * 2 * np.arcsin(chord)
        self.velocity = 8 * (r / EARTH) ** -2
        self.true = np.sqrt(np.maximum(
            r**6 + r0**6 - 2 * r**3 * r0**3 * np.cos(phi), 0)) / (3 * 8 * EARTH**2)
        self.far = self._cells_away(latitude, longitude, depth)

    def _cells_away(self, *at):
        apart = [np.abs(a - s) / h for a, s, h in zip(at, self.source, self.spacing)]
        return np.max(apart, axis=0) >= 3


class Ellipse:
    """2-D, v = 2 along z, twice as fast along an axis that is turned by 30 degrees; 10 by 10."""

    source = (4.0, 3.0)
    fast, angle = 2.0, np.pi / 6

    def __init__(self, nodes):
        h = 10 / (nodes - 1)
        self.shape, self.spacing = (nodes, nodes), (h, h)
        self.axes = [h * np.arange(nodes)] * 2
        x, z = np.meshgrid(*self.axes, indexing="ij")
        dx, dz = x - self.source[0], z - self.source[1]
        c, s = np.cos(self.angle), np.sin(self.angle)
        along, across = c * dx + s * dz, c * dz - s * dx
        self.true = np.hypot(along / self.fast, across) / 2
        turn = np.array([[c, -s], [s, c]])
        self.tensor = turn @ np.diag([self.fast**2, 1]) @ turn.T
        self.velocity = np.full(self.shape, 2.0)
        self.far = np.maximum(np.abs(dx), np.abs(dz)) / h >= 3


class Slab(Ellipse):
    """3-D, v = 2 along z and 3 across it, a cube of 10; the source in the middle of the top."""

    source = (5.0, 5.0, 0.0)

    def __init__(self, nodes):
        h = 10 / (nodes - 1)
        self.shape, self.spacing = (nodes,) * 3, (h,) * 3
        self.axes = [h * np.arange(nodes)] * 3
        d = [a - s for a, s in zip(np.meshgrid(*self.axes, indexing="ij"), self.source)]
        self.true = np.sqrt((d[0] ** 2 + d[1] ** 2) / 9 + d[2] ** 2 / 4)
        self.tensor = np.diag([2.25, 2.25, 1.0])
        self.velocity = np.full(self.shape, 2.0)
        self.far = np.max(np.abs(d), axis=0) / h >= 3


MEDIA = {"sphere": Sphere, "ellipse": Ellipse, "slab": Slab}


def fermat(medium, threads):
    import fermat

    options = {"coordinates": "spherical"} if isinstance(medium, Sphere) else {"tensor": medium.tensor}
    model = fermat.Model(medium.velocity.astype(np.float32), spacing=medium.spacing, **options)
    return lambda: fermat.traveltimes(model, medium.source, threads=threads, device="cpu")


def pykonal(medium, threads):
    """Radius, colatitude and longitude, as pykonal has them; its solver for point sources."""
    import pykonal

    shape = medium.shape
    depth = medium.axes[2][-1]

    def solve():
        solver = pykonal.solver.PointSourceSolver(coord_sys="spherical")
        velocity = pykonal.fields.ScalarField3D(coord_sys="spherical")
        velocity.min_coords = EARTH - depth, np.pi / 2 - np.radians(6), 0.0
        velocity.node_intervals = (medium.spacing[2], *np.radians(medium.spacing[:2]))
        velocity.npts = shape[2], shape[0], shape[1]
        velocity.values = np.transpose(medium.velocity, (2, 0, 1))[::-1, ::-1].copy()
        solver.vv.min_coords, solver.vv.node_intervals = velocity.min_coords, velocity.node_intervals
        solver.vv.npts, solver.vv.values = velocity.npts, velocity.values
        latitude, longitude, down = medium.source
        solver.src_loc = np.array(
            [EARTH - down, np.pi / 2 - np.radians(latitude), np.radians(longitude)])
        solver.solve()
        return np.transpose(np.asarray(solver.tt.values)[::-1, ::-1], (1, 2, 0))

    return solve


def ttcrpy(medium, threads):
    """Elliptical anisotropy: xi is the ratio of the slownesses along z and x, then turned."""
    import ttcrpy.rgrid as rgrid

    grid = rgrid.Grid2d(*medium.axes, n_threads=1, cell_slowness=True, method="SPM",
                        aniso="tilted_elliptical", nsnx=5, nsnz=5, tt_from_rp=False)
    cells = np.ones(grid.nparams)
    grid.set_xi(medium.fast * cells)
    grid.set_tilt_angle(medium.angle * cells)
    grid.set_slowness(cells / (2 * medium.fast))  # that along the fast axis
    source, probe = np.array([medium.source]), np.array([[5.0, 5.0], [10.0, 10.0]])

    def solve():
        grid.raytrace(source, probe)
        return np.asarray(grid.get_grid_traveltimes()).reshape(medium.shape)

    return solve


def pyekfmm(medium, threads):
    import pyekfmm

    shape = medium.shape
    ax, ay, az = ([0, h, n] for h, n in zip(medium.spacing, shape))
    flat = np.ones(np.prod(shape), np.float32)
    source = np.array(medium.source, np.float32)

    def solve():
        times = pyekfmm.eikonalvti(3 * flat, 2 * flat, 0 * flat, xyz=source, ax=ax, ay=ay, az=az,
                                   order=1)
        return np.asarray(times).reshape(shape, order="F")

    return solve


METHODS = {"Fermat fim, order 2": (fermat, "fermat"),
           "pykonal, point source": (pykonal, "pykonal"),
           "ttcrpy SPM, 5 secondary": (ttcrpy, "ttcrpy"),
           "pyekfmm eikonalvti, order 1": (pyekfmm, "pyekfmm")}


def run(job):
    make, _ = METHODS[job["method"]]
    make(MEDIA[job["medium"]](15), job["threads"])()
    medium = MEDIA[job["medium"]](job["nodes"])
    seconds, runs, times = median_seconds(make(medium, job["threads"]), job["repeats"], time.process_time)
    error = np.abs(times / np.where(medium.true > 0, medium.true, 1) - 1)[medium.far]
    return {"seconds": seconds, "runs": runs, "peak_mib": peak_mib(),
            "mean_error": float(error.mean()), "max_error": float(error.max())}
