"""Later phases on the problems of issue 39, against closed forms: mean and largest error, CPU seconds.

    python bench/peers/later_phases.py

The rows of FMTOMO's fm3d and tomo2d's tt_forward are those of issue 39, one thread, and are not measured here:
they are programs to be built by hand. The pairs of tomo2d's problem are chosen alike, not the same.
"""

import time

import fermat as fm
import numpy as np

#: Mean and largest error in ms, and CPU seconds, of the codes that these problems come from.
PEERS = {
    "FMTOMO": ("`fm3d` (-O3), direct wave and PmP", 10.1, 21.9, 15.7),
    "tomo2d": ("`tt_forward`, graph 4/4 and bending", 1.65, 52.0, 57.0),
}


def timed(work):
    """What work returns, and the least CPU seconds of three runs."""
    spent = []
    for _ in range(3):
        start = time.process_time()
        found = work()
        spent.append(time.process_time() - start)
    return found, min(spent)


def gradient_time(a, b, v0, g):
    """Time of the circular ray in v = v0 + g z."""
    va, vb = v0 + g * a[..., -1], v0 + g * b[..., -1]
    return np.arccosh(1 + g**2 * ((a - b) ** 2).sum(-1) / (2 * va * vb)) / g


def tomo2d():
    """v = 4 + 0.06 z below 601 x 81 nodes, a reflector z = 25 + 0.02 x, pairs within 140 km."""
    medium = fm.Medium([lambda x, z: 4 + 0.06 * z, 8.0], {"moho": lambda x: 25 + 0.02 * x}, shape=(601, 81), spacing=0.5)
    sources = np.column_stack([np.linspace(15, 285, 10), np.full(10, 0.1)])
    receivers = np.column_stack([np.linspace(2, 298, 104), np.zeros(104)])
    pairs = [(s, r) for s in range(10) for r in range(104) if 5 < abs(sources[s, 0] - receivers[r, 0]) < 140]
    rays, cpu = timed(lambda: fm.phase_rays(medium, "PmP", sources, receivers, pairs=pairs, threads=1))
    reflected = np.array([status == "ok" for status in rays.status])
    errors = []
    for ray in np.flatnonzero(reflected):
        a, b = sources[rays.sources[ray]], receivers[rays.receivers[ray]]
        low, high = sorted((a[0], b[0]))
        for _ in range(8):
            q = np.linspace(low, high, 201)
            at = np.column_stack([q, 25 + 0.02 * q])
            total = gradient_time(a, at, 4, 0.06) + gradient_time(at, b, 4, 0.06)
            k = int(np.argmin(total))
            low, high = q[max(k - 1, 0)], q[min(k + 1, 200)]
        errors.append(rays.times[ray] - total.min())
    along = rays.status.count("along")
    return f"{len(pairs)} pairs ({along} along the reflector, left out of the errors)", errors, cpu


def fmtomo(count):
    """2 x 2 degrees x 50 km at 2 km, 6 km/s, source at 5 km, a Moho at 35 km."""
    radius, v = 6371.0, 6.0
    medium = fm.Medium(
        [v, 8.0],
        {"moho": 35.0},
        shape=(112, 112, 26),
        spacing=(2 / 111, 2 / 111, 2.0),
        coordinates="spherical",
        radius=radius,
    )
    rng = np.random.default_rng(1)
    to = np.column_stack([rng.uniform(0.05, 1.95, (count, 2)), np.zeros(count)])
    source = np.array([1.0, 1.0, 5.0])
    rays, cpu = timed(lambda: fm.phase_rays(medium, "PmP", source, to, threads=1))

    def place(p):
        lat, lon = np.radians(p[0]), np.radians(p[1])
        return (radius - p[2]) * np.array([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])

    errors = []
    a = place(source)
    for p, found in zip(to, rays.times, strict=True):
        b = place(p)
        # In the plane of both points, by the angle from a: the least sum of two straight legs.
        across = b - a * (a @ b) / (a @ a)
        e1, e2 = a / np.linalg.norm(a), across / np.linalg.norm(across)
        low, high = 0.0, np.arctan2(b @ e2, b @ e1)
        for _ in range(12):
            angle = np.linspace(low, high, 101)[:, None]
            q = (radius - 35) * (np.cos(angle) * e1 + np.sin(angle) * e2)
            total = (np.linalg.norm(q - a, axis=1) + np.linalg.norm(q - b, axis=1)) / v
            k = int(np.argmin(total))
            low, high = angle[max(k - 1, 0), 0], angle[min(k + 1, 100), 0]
        errors.append(found - total.min())
    return f"{count} receivers", errors, cpu


def main():
    print("| problem | code | mean / max error (ms) | CPU (s) |\n|---|---|---|---|")
    cases = [("FMTOMO", *fmtomo(20)), ("FMTOMO", *fmtomo(1000)), ("tomo2d", *tomo2d())]
    told = set()
    for name, what, errors, cpu in cases:
        if name not in told:
            code, mean, most, spent = PEERS[name]
            print(f"| {name}'s | {code} | {mean:g} / {most:g} | {spent:g} |")
            told.add(name)
        size = 1e3 * np.abs(errors)
        print(f"| {name}'s, {what} | Fermat | {size.mean():.2g} / {size.max():.2g} | {cpu:.2g} |")


if __name__ == "__main__":
    main()
