"""The media of the comparisons: velocity on nodes and in cells, the source, and the closed form."""

import numpy as np


class Medium:
    """Velocity as a function of depth in a square or a cube, with its source and closed form.

    Positions are (x, z) or (x, y, z), z down. Sources lie on nodes, since some packages know no
    others.
    """

    def __init__(self, nodes, ndim, side, source, velocity_at):
        self.shape = (nodes,) * ndim
        self.h = side / (nodes - 1)
        self.side = side
        self.axis = np.arange(nodes) * self.h
        self.source = tuple(round(s / self.h) * self.h for s in source)
        self.source_index = tuple(round(s / self.h) for s in source)
        self._velocity_at = velocity_at

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def velocity(self):
        """On nodes, as float32; a new array."""
        return np.broadcast_to(self._velocity_at(self.axis), self.shape).astype(np.float32).copy()

    @property
    def cell_velocity(self):
        """At the middles of cells, as float64; a new array."""
        middles = 0.5 * (self.axis[1:] + self.axis[:-1])
        return np.broadcast_to(self._velocity_at(middles), (len(middles),) * self.ndim).copy()

    def errors(self, times):
        """Mean and largest relative error over nodes at least three cells from the source."""
        grids = np.meshgrid(*[self.axis] * self.ndim, indexing="ij", sparse=True)
        counted = sum((g - s) ** 2 for g, s in zip(grids, self.source)) >= (2.999 * self.h) ** 2
        exact = self.time(grids)
        counted &= np.isfinite(exact)
        error = np.abs(times[counted] / exact[counted] - 1)
        return float(error.mean()), float(error.max())

    def judge_rays(self, paths):
        """How far rays leave those of the closed form, in cells, and how many end more than two
        cells from the source. The first is None without a closed form."""
        offs, lost = [], 0
        for path in paths:
            path = np.asarray(path, dtype=float).reshape(-1, self.ndim)
            if len(path) < 2:
                lost += 1
                continue
            ends = np.linalg.norm(path[[0, -1]] - self.source, axis=1)
            if ends[0] < ends[1]:
                path = path[::-1]
            if min(ends) > 2 * self.h:
                lost += 1
            offs.append(self.distance_from_ray(path) / self.h)
        known = [off for off in offs if np.isfinite(off)]
        return (float(max(known)) if known else None), lost

    def distance_from_ray(self, path):
        """Largest distance of a path's points from the ray to its first point."""
        return np.nan


class Homogeneous(Medium):
    """Paper 5: constant velocity, source in the middle, 16 receivers round the edges."""

    def __init__(self, cells, refined=1):
        side = float(cells)
        super().__init__(round(cells * refined) + 1, 2, side, (side / 2,) * 2,
                         lambda z: np.full_like(z, 2.0))
        along = side * np.arange(4) / 4
        zero, far = np.zeros(4), np.full(4, side)
        self.receivers = np.concatenate([np.column_stack(edge) for edge in (
            (along, zero), (far, along), (side - along, far), (zero, side - along))])

    def time(self, points):
        return np.sqrt(sum((p - s) ** 2 for p, s in zip(points, self.source))) / 2

    def distance_from_ray(self, path):
        line = (path[0] - self.source) / np.linalg.norm(path[0] - self.source)
        offset = path - self.source
        return np.linalg.norm(offset - np.outer(offset @ line, line), axis=1).max()


class Layers(Medium):
    """Paper 5: velocity 2 over 5, the interface at a tenth of the depth, where head waves are
    first on most of the surface; source at the corner, 19 receivers along the surface. Nodes on
    the interface hold the mean of both velocities. Errors are those along the surface."""

    def __init__(self, cells, refined=1):
        side, depth = float(cells), cells / 10
        self.depth = depth
        super().__init__(round(cells * refined) + 1, 2, side, (0, 0), lambda z: np.select(
            [z < depth - 1e-9 * side, z > depth + 1e-9 * side], [2.0, 5.0], 3.5))
        self.receivers = np.column_stack([side * np.arange(1, 20) / 19, np.zeros(19)])

    def time(self, points):
        x, z = points
        head = x / 5 + 2 * self.depth * np.sqrt(1 / 2**2 - 1 / 5**2)
        critical = 2 * self.depth * 2 / np.sqrt(5**2 - 2**2)
        surface = np.where(x >= critical, np.minimum(x / 2, head), x / 2)
        return np.where(z == 0, surface, np.nan)


class Gradient(Medium):
    """v = v0 + g z. Rays are circles about the depth at which v vanishes."""

    def __init__(self, nodes, ndim, side, source, v0, gradient):
        self.v0, self.gradient = v0, gradient
        super().__init__(nodes, ndim, side, source, lambda z: v0 + gradient * z)

    def time(self, points):
        r2 = sum((p - s) ** 2 for p, s in zip(points, self.source))
        v_source, v = (self.v0 + self.gradient * z for z in (self.source[-1], points[-1]))
        return np.arccosh(1 + self.gradient**2 * r2 / (2 * v_source * v)) / self.gradient

    def distance_from_ray(self, path):
        source = np.array(self.source)
        level = path[0, :-1] - source[:-1]
        x = np.linalg.norm(level)
        top = self.v0 / self.gradient
        above, below = source[-1] + top, path[0, -1] + top
        centre = (x**2 + below**2 - above**2) / (2 * x)
        radius = np.hypot(centre, above)
        if 0 < centre < x and radius - top > self.side:
            return np.nan  # the circle leaves the box, so that the ray runs along its bottom
        offset = path[:, :-1] - source[:-1]
        along = offset @ level / x
        across = np.linalg.norm(offset - np.outer(along, level / x), axis=1)
        return np.hypot(np.hypot(along - centre, path[:, -1] + top) - radius, across).max()


def paper5_gradient(cells, refined=1):
    """Paper 5: v = 1 + 0.01 z, the survey of the layers."""
    medium = Gradient(round(cells * refined) + 1, 2, float(cells), (0, 0), 1.0, 0.01)
    medium.receivers = np.column_stack([cells * np.arange(1, 20) / 19, np.zeros(19)])
    return medium


def paper1_gradient(nodes):
    """Paper 1: 0.5 to 4 km/s over 10 km, source at the corner."""
    return Gradient(nodes, 2, 10.0, (0, 0), 0.5, 0.35)


def square(nodes):
    """v = 2 + 0.5 z km/s over 10 km, source near (5, 0.5)."""
    return Gradient(nodes, 2, 10.0, (5, 0.5), 2.0, 0.5)


def cube(nodes, receivers=1000):
    """v = 2 + 0.5 z km/s in a cube of 10 km, source near (5, 5, 0.5), random receivers."""
    medium = Gradient(nodes, 3, 10.0, (5, 5, 0.5), 2.0, 0.5)
    random = np.random.default_rng(1)
    medium.receivers = random.uniform(0.2, 9.8, size=(receivers, 3))
    return medium


# By name, for a number of cells (paper 5) or nodes (all others) a side; paper 5's may be had on a
# grid that is `refined` times as fine.
MEDIA = {
    "homogeneous": Homogeneous,
    "layers": Layers,
    "gradient": paper5_gradient,
    "paper 1": paper1_gradient,
    "square": square,
    "cube": cube,
}
