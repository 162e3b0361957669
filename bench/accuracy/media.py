"""Media whose times are known: a model on a grid, a source, points, and the truth at points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

import fermat as fm
import numpy as np
import truths


@dataclass
class Case:
    """One medium on one grid. `exact(source, points)` are the times there."""

    model: fm.Model
    grid: str
    source: tuple[float, ...]
    points: np.ndarray
    exact: Callable[[np.ndarray, np.ndarray], np.ndarray]
    spacing: float
    nodes: bool = True  # whether the truth is cheap enough for all nodes


@dataclass
class Medium:
    name: str
    truth: str
    sizes: tuple[int, ...]
    make: Callable[[int], Case]


def _points(low, high, count=200, seed=7):
    return np.random.default_rng(seed).uniform(low, high, (count, len(low)))


def _gradient(p, q, v0, g):
    return truths.segment(np.asarray(p), np.asarray(q), v0, g)


def gradient(dimensions: int):
    def make(n: int) -> Case:
        h = 8 / (n - 1)
        shape = (n, n) if dimensions == 2 else (n, n, n)
        z = h * np.arange(n)
        model = fm.Model(np.broadcast_to(2 + 0.5 * z, shape).astype(np.float32), spacing=h)
        middle = (3.03,) if dimensions == 2 else (3.03, 4.21)
        low, high = [0.2] * dimensions, [7.8] * dimensions
        return Case(model, "×".join(map(str, shape)), (*middle, 1.07), _points(low, high),
                    lambda s, p: _gradient(s, p, 2, 0.5), h)  # fmt: skip

    return make


def _below(h, depth):
    return (np.arange(round(8 / h)) + 0.5) * h >= depth


def two_layers_in_cells(source):
    def make(n: int) -> Case:
        h = 8 / (n - 1)
        row = np.where(_below(h, 2), 5.0, 2.0)
        model = fm.Model(np.ones((n - 1, 1)) * row, spacing=h, cells=True)
        return Case(model, f"{n - 1}×{n - 1}", source, _points([0.1, 0.1], [7.9, 7.9]),
                    lambda s, p: truths.two_layers(s, p, 2, 2, 5), h)  # fmt: skip

    return make


def two_layers_on_nodes(n: int) -> Case:
    h = 8 / (n - 1)
    z = h * np.arange(n)
    slowness = np.where(z < 2 - h / 2, 1 / 2, np.where(z > 2 + h / 2, 1 / 5, (1 / 2 + 1 / 5) / 2))
    model = fm.Model(np.ones((n, 1)) / slowness, spacing=h)
    return Case(model, f"{n}×{n}", (1.03, 0.0), _points([0.1, 0.1], [7.9, 7.9]),
                lambda s, p: truths.two_layers(s, p, 2, 2, 5), h)  # fmt: skip


def cells(name: str):
    """The same medium on finer grids: 16 × 12 cells, halved."""

    def make(n: int) -> Case:
        split = n // 16
        rng = np.random.default_rng(5)
        if name == "layers":
            coarse = np.ones((16, 1)) * np.where(np.arange(12) % 2, 2.6, 2.0)
        elif name == "air":
            coarse = np.full((16, 12), 2.0)
            coarse[7:9, :5] = 0
        else:
            coarse = 2 * (1 + 0.3 * rng.uniform(-1, 1, (16, 12)))
        h = 0.5 / split
        model = fm.Model(np.kron(coarse, np.ones((split, split))), spacing=h, cells=True)
        points = _points([0.1, 0.1], [7.9, 5.9], 60)
        if name == "air":
            points = points[(points[:, 0] < 3.4) | (points[:, 0] > 4.6) | (points[:, 1] > 2.6)]
        return Case(model, f"{n}×{12 * split}", (1.03, 0.7), points,
                    lambda s, p: truths.through_cells(coarse, 0.5, s, p, 24), h, nodes=False)  # fmt: skip

    return make


def ground(kind: str):
    def make(n: int) -> Case:
        h = 8 / (n - 1)
        x = h * np.arange(n)
        v0, g = (2.0, 0.0) if "valley" in kind else (3.0, 0.5)
        if kind == "valley":
            surface, source = np.maximum(0, 0.6 - abs(x - 4)), (1.03, 0.1)
        elif kind == "steep valley":
            surface, source = np.maximum(0, 0.6 - 3**0.5 * abs(x - 4)), (1.03, 0.1)
        elif kind == "ridge":
            surface, source = -np.maximum(0, 1.6 - abs(x - 4)), (4.0, -1.2)
        else:
            rng = np.random.default_rng(1)
            phases = [(k, rng.normal(), rng.uniform(0, 6.3)) for k in range(1, 7)]
            fine = np.linspace(0, 8, 2001)
            at = lambda x: sum(a * np.sin(np.pi * k * x / 4 + b) / k**0.8 for k, a, b in phases)  # noqa: E731
            slope = np.sqrt((np.gradient(at(fine), fine) ** 2).mean())
            surface = (at(x) - at(fine).max()) / slope + 0.5
            source = (2.013, float(np.interp(2.013, x, surface)) + 0.4)
        zeta = np.linspace(0, 4, n // 2 + 1)
        z = zeta + surface[:, None] * (4 - zeta) / 4
        model = fm.Model((v0 + g * z).astype(np.float32), spacing=h, surface=surface)
        line = np.stack([x, surface], axis=1)
        points = _points([0.1, 0], [7.9, 1], 150)
        top = np.interp(points[:, 0], x, surface)
        points[:, 1] = top + points[:, 1] * (3.9 - top)
        return Case(model, f"{n}×{n // 2 + 1}", source, points,
                    lambda s, p: truths.below_ground(line, s, p, v0, g), h)  # fmt: skip

    return make


def ellipse(ratio: float):
    """v 2 along x and 2 / ratio along an axis that is turned by 30 degrees."""

    def make(n: int) -> Case:
        h = 8 / (n - 1)
        turn = np.array([[np.cos(np.pi / 6), -0.5], [0.5, np.cos(np.pi / 6)]])
        tensor = turn @ np.diag([1.0, 1 / ratio**2]) @ turn.T
        model = fm.Model(np.full((n, n), 2.0), spacing=h, tensor=tensor)
        slowness2 = np.linalg.inv(4 * tensor)

        def exact(s, p):
            d = np.atleast_2d(p) - np.asarray(s)
            return np.sqrt(np.einsum("ni,ij,nj->n", d, slowness2, d))

        return Case(model, f"{n}×{n}", (4.03, 4.01), _points([0.2, 0.2], [7.8, 7.8]), exact, h)

    return make


def _place(p):
    p = np.atleast_2d(p)
    lat, lon, r = np.radians(p[:, 0]), np.radians(p[:, 1]), 6371 - p[:, 2]
    return r[:, None] * np.stack(
        [np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=1
    )


def sphere(n: int) -> Case:
    model = fm.Model(np.full((n, n, n), 8.0, np.float32), spacing=(4 / (n - 1), 4 / (n - 1), 200 / (n - 1)),
                     origin=(40, 178, 0), coordinates="spherical")  # fmt: skip
    points = _points([40.1, 178.1, 5], [43.9, 181.9, 195])
    return Case(model, f"{n}×{n}×{n}", (42.03, 180.1, 41.0), points,
                lambda s, p: np.linalg.norm(_place(p) - _place(s), axis=1) / 8, 200 / (n - 1))  # fmt: skip


def earth(n: int) -> Case:
    """ak135 on n rows, with one node beside the source a thousandth faster; the truth has no such node."""
    step = 120 / (n - 1)
    layered = fm.Earth("ak135").model((40, 43), (10, 13), 120, spacing=(0.01 * step, 0.01 * step, step), top=0)
    velocity = layered.velocity.copy()
    velocity[tuple(np.array([38, 24, 2]) * (n - 1) // 24)] *= 1.001
    jumps = np.ones(n)
    jumps[(n - 1) // 6], jumps[7 * (n - 1) // 24] = 6.5 / 5.8, 8.04 / 6.5
    model = fm.Model(velocity, spacing=layered.spacing, origin=layered.origin, coordinates="spherical", jumps=jumps)
    medium = fm.Medium.earth("ak135", (39.5, 43.5), (9.5, 13.5), 125, spacing=(0.05, 0.05, 5))
    points = _points([40.05, 10.05, 1], [42.95, 12.95, 119])
    return Case(model, "×".join(map(str, model.shape)), (41.32, 11.21, 12.0), points,
                lambda s, p: np.asarray(fm.phase_rays(medium, "P", [s], p).times), step, nodes=False)  # fmt: skip


CIRCLES = "circles"
PATHS = "paths with 24 points per edge"
CORNERS = "paths round the corners of the ground"

MEDIA = [
    Medium("v = 2 + z/2, section", CIRCLES, (41, 81, 161), gradient(2)),
    Medium("v = 2 + z/2, block", CIRCLES, (17, 33, 65), gradient(3)),
    Medium("2 over 5 in cells, source at the surface", "Snell's law", (41, 81, 161), two_layers_in_cells((1.03, 0.0))),
    Medium("2 over 5 in cells, source on the interface", "Snell's law", (41, 81, 161), two_layers_in_cells((4.0, 2.0))),
    Medium("2 over 5 on nodes", "Snell's law", (41, 81, 161), two_layers_on_nodes),
    Medium("layers of one cell, 2 and 2.6", PATHS, (16, 32, 64), cells("layers")),
    Medium("random cells, ±30 %", PATHS, (16, 32, 64), cells("random")),
    Medium("a wall of air in cells", PATHS, (16, 32, 64), cells("air")),
    Medium("valley of 45°, v = 2", CORNERS, (41, 81, 161), ground("valley")),
    Medium("valley of 60°, v = 2", CORNERS, (41, 81, 161), ground("steep valley")),
    Medium("ridge of 45°, v = 3 + z/2, source in it", CORNERS, (41, 81, 161), ground("ridge")),
    Medium("rms slope 100 %, v = 3 + z/2", CORNERS, (41, 81, 161), ground("rough")),
    Medium("sphere, v = 8", "straight lines", (11, 21, 41), sphere),
    Medium("ak135, one node 0.1 % faster", "rays by their parameter in layers", (25, 49), earth),
    Medium("ellipse 2:1, tilted", "closed form", (41, 81, 161), ellipse(2)),
    Medium("ellipse 5:1, tilted", "closed form", (41, 81, 161), ellipse(5)),
    Medium("ellipse 20:1, tilted", "closed form", (41, 81, 161), ellipse(20)),
]  # fmt: skip
