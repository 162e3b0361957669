"""Known truths for inversions: media, surveys and noisy picks, from a seed each.

Times of a truth come from fast marching (`fmm`) on a grid that is finer than the one that is inverted
on, eight times in 2-D and twice in 3-D; the inversion uses the fast iterative method. So it does not
meet its own errors again: below a hill, times on a grid twice as fine are too early by one error of the
picks and times on a grid eight times as fine by a quarter of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import fermat as fm
import numpy as np

Velocity = Callable[..., np.ndarray]


@dataclass
class Truth:
    """A survey over a medium that is known."""

    name: str
    velocity: Velocity  # of coordinate arrays, one per axis
    start: fm.Model
    sources: np.ndarray
    receivers: np.ndarray
    noise: float
    seed: int
    ground: Callable[[np.ndarray], np.ndarray] | None = None
    options: dict = field(default_factory=dict)  # of the survey's kind, not of this truth
    picks: fm.Picks | None = None
    model: fm.Model | None = None  # the truth on the grid of the start model
    crossed: np.ndarray | None = None  # nodes that true rays cross
    interfaces: Callable[[np.ndarray], list[np.ndarray]] | None = None  # depths at x, of layered truths


def sampled(grid: fm.Model, velocity: Velocity, ground, refine: int = 1) -> fm.Model:
    """A medium on the nodes of a model's grid, or of one that is finer by a whole number."""
    shape = [(n - 1) * refine + 1 for n in grid.shape]
    spacing = [h / refine for h in grid.spacing]
    axes = [o + h * np.arange(n) for o, h, n in zip(grid.origin, spacing, shape)]
    points = np.meshgrid(*axes, indexing="ij")
    v = velocity(*points).astype(np.float32)
    model = fm.Model(v, spacing=spacing, origin=grid.origin)
    if ground is None:
        return model
    line = np.linspace(axes[0][0], axes[0][-1], 400)
    return model.with_topography(np.column_stack([line, ground(line)]))


def observed(truth: Truth) -> Truth:
    """Adds picks, the truth on the inversion's grid, and what its rays cross."""
    fine = sampled(truth.start, truth.velocity, truth.ground, 8 if truth.start.ndim == 2 else 2)
    picks = fm.synthetic_picks(fine, truth.sources, truth.receivers, solver="fmm")
    rng = np.random.default_rng(truth.seed)
    times = np.maximum(picks.time + truth.noise * rng.standard_normal(len(picks.time)), 0)
    far = np.linalg.norm(picks.sources[picks.source] - picks.receivers[picks.receiver], axis=1)
    keep = far > 1e-9
    truth.picks = fm.Picks(picks.sources, picks.receivers, source=picks.source[keep],
                           receiver=picks.receiver[keep], time=times[keep], error=truth.noise)
    truth.model = sampled(truth.start, truth.velocity, truth.ground)
    rays = fm.rays(truth.model, truth.sources, truth.receivers, pairs=truth.picks.pairs)
    hits = np.asarray((rays.sensitivity() != 0).sum(axis=0)).reshape(truth.model.shape)
    truth.crossed = (hits > 0) & (truth.model.velocity > 0) & (truth.start.velocity > 0)
    return truth


def on_truth(truth: Truth, found: fm.Model) -> fm.Model:
    """A section on any grid, its slowness interpolated at the truth's nodes; 0 where it has no rock."""
    weights, corners = [], []
    for axis in range(2):
        at = truth.start.origin[axis] + truth.start.spacing[axis] * np.arange(truth.start.shape[axis])
        place = np.clip((at - found.origin[axis]) / found.spacing[axis], 0, found.shape[axis] - 1)
        corners.append(np.minimum(place.astype(int), found.shape[axis] - 2))
        weights.append(place - corners[-1])
    total, slowness = np.zeros(truth.start.shape), np.zeros(truth.start.shape)
    for i in (0, 1):
        for k in (0, 1):
            v = found.velocity[np.ix_(corners[0] + i, corners[1] + k)].astype(float)
            weight = np.outer(abs(1 - i - weights[0]), abs(1 - k - weights[1])) * (v > 0)
            total += weight
            slowness += weight / np.where(v > 0, v, 1)
    v = np.where(total > 0, total / np.where(slowness > 0, slowness, 1), 0)
    return fm.Model(v.astype(np.float32), spacing=truth.start.spacing, origin=truth.start.origin)


def score(truth: Truth, found: fm.Model) -> dict[str, float]:
    """RMS and median error of velocity in per cent; correlation of the change with the true one."""
    at = truth.crossed & (found.velocity > 0)
    v, true, start = (m.velocity[at].astype(float) for m in (found, truth.model, truth.start))
    error = 100 * np.abs(v / true - 1)
    change = np.log(v / start), np.log(true / start)
    return {
        "rms": float(np.sqrt((error**2).mean())),
        "median": float(np.median(error)),
        "correlation": float(np.corrcoef(*change)[0, 1]),
        "lowest": float(v.min() / true.min()),
        "highest": float(v.max() / true.max()),
    }


def bumps(rng, box, count, sizes):
    """A smooth random field of unit variance, made of Gaussians in a box."""
    centres = rng.uniform(box[0], box[1], (count, len(box[0])))
    widths = rng.uniform(*sizes, count)
    signs = rng.choice([-1.0, 1.0], count)

    def at(*points):
        total = np.zeros(np.broadcast(*points).shape)
        for c, w, s in zip(centres, widths, signs):
            distance = sum((p - a) ** 2 for p, a in zip(points, c))
            total += s * np.exp(-distance / (2 * w * w))
        return total

    return at


def refraction(seed: int, hill: bool = False) -> Truth:
    """48 geophones, 9 shots; a weathered layer over bedrock, with a channel or a fault zone."""
    rng = np.random.default_rng(seed)
    length, h = 94.0, 1.0
    channel, deep = rng.uniform(30, 64), rng.uniform(3, 5)
    wide = rng.uniform(6, 10)
    depth0, slope = rng.uniform(5, 8), rng.uniform(-0.04, 0.04)
    v_top, v_weathered, v_rock = rng.uniform(320, 450), rng.uniform(700, 1000), rng.uniform(2200, 3200)
    fault = rng.uniform(40, 54)
    height = rng.uniform(6, 9) if hill else 0.0

    def ground(x):
        return -height * np.exp(-((np.asarray(x) - 50) / 22) ** 2)

    def velocity(x, z):
        below = z - ground(x)
        bed = depth0 + slope * (x - 47) + (0 if hill else deep) * np.exp(-((x - channel) / wide) ** 2)
        weathered = v_top + (v_weathered - v_top) * np.clip(below / bed, 0, 1)
        rock = v_rock + 15 * np.clip(below - bed, 0, None)
        if hill:
            rock = rock * np.where(np.abs(x - fault - 0.3 * (below - bed)) < 4, 0.6, 1.0)
        return np.where(below < bed, weathered, rock)

    top = -np.ceil(height) - h if hill else 0.0
    shape = (int(length / h) + 7, int((30 - top) / h) + 1)
    x = np.arange(0, 96, 2.0)
    receivers = np.column_stack([x, ground(x)])
    s = np.linspace(0, 94, 9)
    sources = np.column_stack([s, ground(s)])
    axes = -3 + h * np.arange(shape[0]), top + h * np.arange(shape[1])
    px, pz = np.meshgrid(*axes, indexing="ij")
    start = fm.Model((500 + 110 * np.clip(pz - ground(px), 0, None)).astype(np.float32), spacing=h,
                     origin=(-3, top))
    if hill:
        line = np.linspace(-3, 97, 400)
        start = start.with_topography(np.column_stack([line, ground(line)]))
    return Truth("hill" if hill else "refraction", velocity, start, sources, receivers, 3e-4, seed,
                 ground if hill else None, {"axis_weights": (1, 0.5)})


def crosshole(seed: int) -> Truth:
    """21 x 21 points in two boreholes, +-8 % and an inclusion."""
    rng = np.random.default_rng(seed)
    smooth = bumps(rng, ((0, 0), (10, 20)), 14, (1.2, 2.5))
    cx, cz, r = rng.uniform(3.5, 6.5), rng.uniform(6, 14), rng.uniform(1.2, 2.0)
    sign = rng.choice([-1, 1])

    def velocity(x, z):
        v = 2.0 * (1 + 0.08 * np.clip(smooth(x, z), -1, 1))
        return v * np.where((x - cx) ** 2 + (z - cz) ** 2 < r * r, 1 + 0.12 * sign, 1.0)

    z = np.linspace(0.5, 19.5, 21)
    start = fm.Model.constant((51, 101), velocity=2.0, spacing=0.2)
    return Truth("crosshole", velocity, start, np.column_stack([0 * z, z]),
                 np.column_stack([0 * z + 10, z]), 0.01, seed)


def crosshole_of(kind: str, seed: int) -> Truth:
    """The same survey over five dipping layers, or over long waves; an inclusion in both."""
    truth = crosshole(seed)
    rng = np.random.default_rng(seed)
    edges, levels = np.sort(rng.uniform(2, 18, 4)), 2.0 * (1 + 0.08 * rng.uniform(-1, 1, 5))
    dip = rng.uniform(-0.15, 0.15)
    cx, cz, r = rng.uniform(3.5, 6.5), rng.uniform(6, 14), rng.uniform(1.2, 2.0)
    sign = rng.choice([-1, 1])
    smooth = bumps(rng, ((0, 0), (10, 20)), 14, (2.5, 5.0))

    def velocity(x, z):
        if kind == "layers":
            v = levels[np.searchsorted(edges, z + dip * (x - 5))]
        else:
            v = 2.0 * (1 + 0.08 * np.clip(smooth(x, z), -1, 1))
        return v * np.where((x - cx) ** 2 + (z - cz) ** 2 < r * r, 1 + 0.12 * sign, 1.0)

    truth.name, truth.velocity = kind, velocity
    return truth


def crustal(seed: int) -> Truth:
    """200 x 30 km, 12 shots, receivers every 2 km."""
    rng = np.random.default_rng(seed)
    smooth = bumps(rng, ((0, 0), (200, 18)), 26, (4, 9))

    def background(z):
        return np.interp(z, [0, 2, 15, 30], [4.2, 5.4, 6.3, 7.0])

    def velocity(x, z):
        return background(z) * (1 + 0.06 * np.clip(smooth(x, z), -1, 1))

    shape = (201, 31)
    z = np.arange(shape[1])
    start = fm.Model(np.broadcast_to(background(z), shape).astype(np.float32), spacing=1.0)
    s = np.linspace(4, 196, 12)
    r = np.arange(1, 200, 2.0)
    return Truth("crustal", velocity, start, np.column_stack([s, 0 * s + 0.1]),
                 np.column_stack([r, 0 * r]), 0.05, seed, None, {"axis_weights": (1, 0.5)})


def local(seed: int, board: bool = False) -> Truth:
    """150 events and 40 stations in 60 x 60 x 20 km."""
    rng = np.random.default_rng(seed)
    smooth = bumps(rng, ((0, 0, 0), (60, 60, 20)), 40, (5, 9))
    phase = rng.uniform(0, 10, 3)

    def background(z):
        return 4.5 + 0.12 * z

    def velocity(x, y, z):
        if board:
            wave = [np.sin(np.pi * (p + a) / 10) for p, a in zip((x, y, z), phase)]
            return background(z) * (1 + 0.10 * np.sign(wave[0] * wave[1] * wave[2]))
        return background(z) * (1 + 0.06 * np.clip(smooth(x, y, z), -1.2, 1.2))

    shape = (41, 41, 15)
    z = 1.5 * np.arange(shape[2])
    start = fm.Model(np.broadcast_to(background(z), shape).astype(np.float32), spacing=1.5)
    sources = rng.uniform((4, 4, 3), (56, 56, 19), (150, 3))
    stations = np.column_stack([rng.uniform(2, 58, (40, 2)), np.zeros(40)])
    return Truth("board" if board else "local", velocity, start, sources, stations, 0.05, seed)


def faulted(rng, length: float, depths, throw: float):
    """Interfaces with relief and one fault: their depths below the ground at x."""
    relief = [bumps(rng, ((0,), (length,)), 5, (0.08 * length, 0.2 * length)) for _ in depths]
    fault, dip = rng.uniform(0.3, 0.7) * length, rng.uniform(-0.4, 0.4)

    def at(n, x):
        moved = throw * depths[n] * (x > fault + dip * depths[n])
        return depths[n] * (1 + 0.15 * np.clip(relief[n](x), -1.5, 1.5)) + moved

    return at


def layered(seed: int, hill: bool = False) -> Truth:
    """The lines of `refraction` over two or three layers, each 2 to 5 times as fast as that above
    in all, whose interfaces have relief and a fault."""
    rng = np.random.default_rng(seed + 5000)
    truth = refraction(seed, hill)
    ground = truth.ground or (lambda x: 0.0 * np.asarray(x))
    count = int(rng.integers(2, 4))
    depths = np.cumsum(rng.uniform(2.5, 5.5, count - 1))
    levels = rng.uniform(300, 600) * np.cumprod(np.concatenate([[1], rng.uniform(1.8, 2.6, count - 1)]))
    if count == 2:
        levels[1] = levels[0] * rng.uniform(2.5, 5)
    bed = faulted(rng, 94.0, depths, rng.choice([-0.5, 0.5]) * rng.uniform(0.6, 1))

    def velocity(x, z):
        below = z - ground(x)
        v = np.full(np.broadcast(x, z).shape, levels[0])
        for n in range(count - 1):
            v = np.where(below > bed(n, x), levels[n + 1], v)
        return v * (1 + 0.002 * np.clip(below, 0, None))

    truth.name, truth.velocity = ("fault-hill" if hill else "faulted"), velocity
    truth.interfaces = lambda x: [ground(x) + bed(n, x) for n in range(count - 1)]
    return truth


def gradual(seed: int) -> Truth:
    """The line of `refraction` over ground that weathers gradually, with lateral changes."""
    rng = np.random.default_rng(seed + 6000)
    truth = refraction(seed)
    v0, v1, deep, power = rng.uniform(300, 500), rng.uniform(2000, 3500), rng.uniform(8, 16), rng.uniform(0.7, 1.3)
    smooth = bumps(rng, ((0, 0), (94, 20)), 12, (5, 12))

    def velocity(x, z):
        part = 1 - np.exp(-((np.clip(z, 0, None) / deep) ** power))
        return (v0 + (v1 - v0) * part) * (1 + 0.15 * np.clip(smooth(x, z), -1.2, 1.2))

    truth.name, truth.velocity = "gradual", velocity
    return truth


def blocks(seed: int) -> Truth:
    """The boreholes of `crosshole` over a fault between two stacks of layers, and a block."""
    rng = np.random.default_rng(seed + 7000)
    truth = crosshole(seed)
    edges, levels = np.sort(rng.uniform(2, 18, 3)), 2.0 * (1 + 0.1 * rng.uniform(-1, 1, 4))
    fault, dip, throw = rng.uniform(3, 7), rng.uniform(-0.3, 0.3), rng.uniform(1, 3)
    cx, cz = rng.uniform(3, 7), rng.uniform(5, 15)
    wide, high, sign = rng.uniform(1.2, 2.2), rng.uniform(1.2, 2.2), rng.choice([-1, 1])

    def velocity(x, z):
        depth = z + throw * (x > fault + dip * (z - 10))
        v = levels[np.searchsorted(edges, depth)]
        return v * np.where((np.abs(x - cx) < wide) & (np.abs(z - cz) < high), 1 + 0.12 * sign, 1.0)

    truth.name, truth.velocity = "blocks", velocity
    return truth


def basin(seed: int) -> Truth:
    """The profile of `crustal` over sharp layers with relief, a basin and a fault."""
    rng = np.random.default_rng(seed + 8000)
    truth = crustal(seed)
    depths = np.array([rng.uniform(1.5, 3.5), rng.uniform(6, 10), rng.uniform(14, 20)])
    levels = np.array([rng.uniform(3.2, 4.2), rng.uniform(5.2, 5.8), rng.uniform(6.0, 6.4), rng.uniform(6.6, 7.0)])
    bed = faulted(rng, 200.0, depths, rng.uniform(0.2, 0.4))

    def velocity(x, z):
        v = np.full(np.broadcast(x, z).shape, levels[0])
        for n in range(3):
            v = np.where(z > bed(n, x), levels[n + 1], v)
        return v + 0.02 * z

    truth.name, truth.velocity = "basin", velocity
    return truth


ALL = {
    "refraction": refraction,
    "faulted": layered,
    "gradual": gradual,
    "fault-hill": lambda seed: layered(seed, hill=True),
    "blocks": blocks,
    "basin": basin,
    "hill": lambda seed: refraction(seed, hill=True),
    "crosshole": crosshole,
    "layers": lambda seed: crosshole_of("layers", seed),
    "waves": lambda seed: crosshole_of("waves", seed),
    "crustal": crustal,
    "local": local,
    "board": lambda seed: local(seed, board=True),
}
