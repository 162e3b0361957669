"""Times that are known without a solver: closed forms, and shortest paths through many points."""

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import dijkstra


def two_layers(source, points, depth, above, below):
    """First arrivals in two half-spaces that meet at a depth, at points (x, z)."""
    source = np.asarray(source, float)
    points = np.atleast_2d(np.asarray(points, float))
    across = np.abs(points[:, 0] - source[0])
    a = source[1] - depth
    b = points[:, 1] - depth
    best = np.full(len(points), np.inf)
    for side, own, other in ((-1, above, below), (1, below, above)):
        same = (side * a >= 0) & (side * b >= 0)
        straight = np.hypot(across, b - a) / own
        best = np.where(same, np.minimum(best, straight), best)
        if other > own:
            sine = own / other
            heights = np.abs(a) + np.abs(b)
            head = across / other + heights * np.sqrt(1 - sine**2) / own
            reached = across >= heights * sine / np.sqrt(1 - sine**2)
            best = np.where(same & reached, np.minimum(best, head), best)
    opposite = a * b < 0
    if opposite.any():
        v_source, v_point = (above, below) if a < 0 else (below, above)
        low, high = np.zeros(len(points)), across.copy()
        for _ in range(80):
            x = (low + high) / 2
            slope = x / np.hypot(x, a) / v_source
            slope = slope - (across - x) / np.maximum(np.hypot(across - x, b), 1e-300) / v_point
            low, high = np.where(slope < 0, x, low), np.where(slope < 0, high, x)
        x = (low + high) / 2
        bent = np.hypot(x, a) / v_source + np.hypot(across - x, b) / v_point
        best = np.where(opposite, bent, best)
    return best


def through_cells(cells, spacing, source, points, parts=24):
    """Shortest paths through constant cells, by `parts` steps per edge; at points (x, z)."""
    nx, nz = cells.shape
    shape = (nx * parts + 1, nz * parts + 1)
    h = spacing / parts
    number = -np.ones(shape, dtype=np.int64)
    i, k = np.meshgrid(np.arange(shape[0]), np.arange(shape[1]), indexing="ij")
    rim = (i % parts == 0) | (k % parts == 0)
    number[rim] = np.arange(rim.sum())
    places = np.stack([i[rim], k[rim]], axis=1) * h
    steps = [(u, w) for u in range(parts + 1) for w in range(parts + 1)]
    steps = np.array([s for s in steps if s[0] % parts == 0 or s[1] % parts == 0])
    length = h * np.linalg.norm(steps[:, None] - steps[None], axis=2)
    one, two = np.triu_indices(len(steps), 1)
    ends = np.vstack([np.atleast_2d(source), points]).astype(float)
    rows, columns, weights = [], [], []
    for x in range(nx):
        for z in range(nz):
            if not cells[x, z] > 0:  # air
                continue
            inside = number[x * parts + steps[:, 0], z * parts + steps[:, 1]]
            rows.append(inside[one])
            columns.append(inside[two])
            weights.append(length[one, two] / cells[x, z])
            low = np.array([x, z]) * spacing - 1e-9
            here = np.flatnonzero(((ends >= low) & (ends <= low + spacing + 2e-9)).all(axis=1))
            for e in here:
                rows.append(np.full(len(inside), len(places) + e))
                columns.append(inside)
                weights.append(np.linalg.norm(places[inside] - ends[e], axis=1) / cells[x, z])
            for n, e in enumerate(here):
                for other in here[n + 1 :]:
                    rows.append([len(places) + e])
                    columns.append([len(places) + other])
                    weights.append([np.linalg.norm(ends[e] - ends[other]) / cells[x, z]])
    rows, columns, weights = map(np.concatenate, (rows, columns, weights))
    total = len(places) + len(ends)
    order = np.lexsort((weights, columns, rows))
    rows, columns, weights = rows[order], columns[order], np.maximum(weights[order], 1e-300)
    first = np.ones(len(rows), bool)
    first[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
    graph = coo_matrix((weights[first], (rows[first], columns[first])), shape=(total, total))
    found = dijkstra(graph.tocsr(), directed=False, indices=len(places))
    return found[len(places) + 1 :]


def segment(p, q, velocity, gradient):
    """Time from p to q, arrays of points whose last number is z, in v = velocity + gradient z."""
    d2 = ((p - q) ** 2).sum(-1)
    if gradient == 0:
        return np.sqrt(d2) / velocity
    vp, vq = velocity + gradient * p[..., -1], velocity + gradient * q[..., -1]
    return np.arccosh(1 + gradient**2 * d2 / (2 * vp * vq)) / gradient


def _in_rock(p, q, ground, velocity, gradient):
    """Whether the ray from p to q (arrays of points) stays below the ground, a line of (x, z)."""
    x = ground[:, 0]
    px, pz, qx, qz = (a[..., None] for a in (p[..., 0], p[..., 1], q[..., 0], q[..., 1]))
    tiny = 1e-9
    between = (x > np.minimum(px, qx) + tiny) & (x < np.maximum(px, qx) - tiny)
    apart = np.where(np.abs(qx - px) < 1e-12, 1e-12, qx - px)
    if gradient == 0:
        z = pz + (x - px) / apart * (qz - pz)
    else:
        zero = -velocity / gradient
        centre = (qx**2 - px**2 + (qz - zero) ** 2 - (pz - zero) ** 2) / (2 * apart)
        radius2 = (px - centre) ** 2 + (pz - zero) ** 2
        z = zero + np.sqrt(np.maximum(radius2 - (x - centre) ** 2, 0))
    return ~(between & (z < ground[:, 1] - 1e-7)).any(-1)


def below_ground(ground, source, points, velocity, gradient=0.0):
    """First arrivals in v = velocity + gradient z below a ground of straight lines.

    The shortest way through the corners of the ground that turn down; between them rays are
    straight, or circles if velocity grows with depth.
    """
    ground = np.asarray(ground, float)
    source = np.asarray(source, float)
    points = np.atleast_2d(np.asarray(points, float))
    slope = np.diff(ground[:, 1]) / np.diff(ground[:, 0])
    corners = ground[1:-1][slope[:-1] > slope[1:]]
    stops = np.vstack([source[None], corners])
    n = len(stops)
    weights = np.full((n, n), np.inf)
    for a in range(n):
        seen = _in_rock(stops[a][None], stops, ground, velocity, gradient)
        weights[a] = np.where(seen, segment(stops[a][None], stops, velocity, gradient), np.inf)
    finite = np.isfinite(weights)
    rows, columns = np.nonzero(finite)
    graph = coo_matrix((np.maximum(weights[finite], 1e-300), (rows, columns)), shape=(n, n))
    times = dijkstra(graph.tocsr(), directed=False, indices=0)
    best = np.full(len(points), np.inf)
    for a in range(n):
        time = times[a] + segment(stops[a][None], points, velocity, gradient)
        earlier = np.flatnonzero(time < best)
        for part in np.array_split(earlier, max(1, len(earlier) // 4000)):
            if len(part):
                seen = _in_rock(stops[a][None], points[part], ground, velocity, gradient)
                best[part[seen]] = time[part[seen]]
    return best
