"""Later phases on the problems of issue 39, against closed forms: mean and largest error, CPU seconds.

    python bench/peers/later_phases.py [--earth]

The rows of FMTOMO's fm3d and tomo2d's tt_forward are those of issue 39, one thread, and are not measured here:
they are programs to be built by hand. The pairs of tomo2d's problem are chosen alike, not the same. Then the orders
of convergence at a dipping and at a sinusoidal reflector. `--earth` makes phases of ak135 beside TauP's instead (needs
ObsPy; two minutes).
"""

import argparse
import time
import warnings

import fermat as fm
import numpy as np

#: Mean and largest error in ms, and CPU seconds, of the codes that these problems come from.
PEERS = {
    "FMTOMO": ("`fm3d` (-O3), direct wave and PmP", 10.1, 21.9, 15.7),
    "tomo2d": ("`tt_forward`, graph 4/4 and bending", 1.65, 52.0, 57.0),
}
RADIUS = 6371.0


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


def ball_time(p, q, a, b):
    """Time between places in v = a - b r^2: dl / v is the metric of Poincare's ball, whose geodesics are
    circles and whose distances are closed."""
    vp, vq = a - b * (p**2).sum(-1), a - b * (q**2).sum(-1)
    return np.arccosh(1 + 2 * a * b * ((p - q) ** 2).sum(-1) / (vp * vq)) / (2 * np.sqrt(a * b))


def least(function, low, high, points=201, rounds=8):
    """The least value of a function of one number, by refined sampling."""
    for _ in range(rounds):
        q = np.linspace(low, high, points)
        value = function(q)
        k = int(np.argmin(value))
        low, high = q[max(k - 1, 0)], q[min(k + 1, points - 1)]
    return value.min()


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

        def total(q, a=a, b=b):
            at = np.column_stack([q, 25 + 0.02 * q])
            return gradient_time(a, at, 4, 0.06) + gradient_time(at, b, 4, 0.06)

        errors.append(rays.times[ray] - least(total, *sorted((a[0], b[0]))))
    along = rays.status.count("along")
    return f"{len(pairs)} pairs ({along} along the reflector, left out of the errors)", errors, cpu


def place(latitude, longitude, depth):
    """Cartesian, of degrees and a depth."""
    lat, lon = np.radians(latitude), np.radians(longitude)
    r = RADIUS - depth
    return np.stack([r * np.cos(lat) * np.cos(lon), r * np.cos(lat) * np.sin(lon), r * np.sin(lat)], -1)


def receivers_of(count):
    return np.column_stack([np.random.default_rng(1).uniform(0.05, 1.95, (count, 2)), np.zeros(count)])


#: FMTOMO's: 2 x 2 degrees x 50 km at 2 km.
GRID = {"shape": (112, 112, 26), "spacing": (2 / 111, 2 / 111, 2.0), "coordinates": "spherical", "radius": RADIUS}
SOURCE = np.array([1.0, 1.0, 5.0])


def fmtomo(count):
    """6 km/s, source at 5 km, a Moho at 35 km."""
    medium = fm.Medium([6.0, 8.0], {"moho": 35.0}, **GRID)
    to = receivers_of(count)
    rays, cpu = timed(lambda: fm.phase_rays(medium, "PmP", SOURCE, to, threads=1))
    errors = []
    a = place(*SOURCE)
    for p, found in zip(to, rays.times, strict=True):
        b = place(*p)
        # In the plane of both points, by the angle from a: the least sum of two straight legs.
        across = b - a * (a @ b) / (a @ a)
        e1, e2 = a / np.linalg.norm(a), across / np.linalg.norm(across)

        def total(angle, a=a, b=b, e1=e1, e2=e2):
            q = (RADIUS - 35) * (np.cos(angle)[:, None] * e1 + np.sin(angle)[:, None] * e2)
            return (np.linalg.norm(q - a, axis=1) + np.linalg.norm(q - b, axis=1)) / 6

        errors.append(found - least(total, 0.0, np.arctan2(b @ e2, b @ e1), 101, 12))
    return f"{count} receivers", errors, cpu


def relief(latitude, longitude):
    """A Moho of 35 +- 2 km."""
    return 35 + 2 * np.sin(2 * np.pi * latitude / 0.9) * np.cos(2 * np.pi * longitude / 1.1)


def fmtomo_relief(count):
    """The same with 6 km/s at the surface and 7 at 35 km depth, and relief: against the least sum, over the
    Moho, of two closed forms."""
    b = (7.0 - 6.0) / (RADIUS**2 - (RADIUS - 35) ** 2)
    a = 6.0 + b * RADIUS**2

    def velocity(lat, lon, z):
        return a - b * (RADIUS - z) ** 2 + 0 * lat

    medium = fm.Medium([velocity, 8.0], {"moho": relief}, **GRID)
    to = receivers_of(count)
    rays, cpu = timed(lambda: fm.phase_rays(medium, "PmP", SOURCE, to, threads=1))
    arrived = np.array([status == "ok" for status in rays.status])
    errors = []
    at_source = place(*SOURCE)
    for ray in np.flatnonzero(arrived):
        at_receiver = place(*to[ray])
        low, high = np.array([0.0, 0.0]), np.array([2.0, 2.0])
        points = 161
        for _ in range(9):
            lat, lon = (np.linspace(low[i], high[i], points) for i in range(2))
            lat, lon = (g.ravel() for g in np.meshgrid(lat, lon, indexing="ij"))
            q = place(lat, lon, relief(lat, lon))
            total = ball_time(at_source, q, a, b) + ball_time(q, at_receiver, a, b)
            k = int(np.argmin(total))
            step = (high - low) / (points - 1)
            middle = np.array([lat[k], lon[k]])
            low, high = np.maximum(middle - 2 * step, 0), np.minimum(middle + 2 * step, 2)
            points = 17
        errors.append(rays.times[ray] - total.min())
    others = f" ({int((~arrived).sum())} not reflected, left out of the errors)" if not arrived.all() else ""
    return f"a gradient and a Moho of ± 2 km, {count} receivers{others}", errors, cpu


def orders():
    """PmP at reflectors in v = 4 + 0.06 z + 0.25 sin(z / 4) + 0.2 cos(x / 9), whose truth is a grid of 1/16 km,
    and at the sinusoid in the gradient alone, whose truth is closed: RMS errors by the step of the grid."""

    def wavy(x, z):
        return 4 + 0.06 * z + 0.25 * np.sin(z / 4) + 0.2 * np.cos(x / 9)

    def dip(x):
        return 22 + 0.05 * x

    def sinusoid(x):
        return 25 + 2 * np.sin(x / 12)

    source = np.array([21.3, 1.0])
    to = np.column_stack([np.linspace(30.7, 78.3, 9), np.zeros(9)])
    steps = (4.0, 2.0, 1.0, 0.5)

    def times(velocity, depth, step):
        shape = (round(120 / step) + 1, round(40 / step) + 1)
        medium = fm.Medium([velocity, 8.0], {"moho": depth}, shape=shape, spacing=step)
        return fm.phase_rays(medium, "PmP", source, to, phase_tolerance=1e-8, threads=1).times

    def closed(depth):
        out = []
        for r in to:

            def total(q, r=r):
                at = np.column_stack([q, depth(q)])
                return gradient_time(source, at, 4, 0.06) + gradient_time(at, r, 4, 0.06)

            out.append(least(total, 0, 120, 401, 12))
        return np.array(out)

    def gradient(x, z):
        return 4 + 0.06 * z + 0 * x

    print("\n| RMS error (ms) at steps of | 4 km | 2 | 1 | 0.5 | orders |\n|---|---|---|---|---|---|")
    cases = [
        ("dipping, in a gradient", gradient, dip, closed(dip)),
        ("sinusoidal, in a gradient", gradient, sinusoid, closed(sinusoid)),
        ("dipping, in a wavy velocity", wavy, dip, times(wavy, dip, 0.0625)),
        ("sinusoidal, in a wavy velocity", wavy, sinusoid, times(wavy, sinusoid, 0.0625)),
    ]
    for name, velocity, depth, truth in cases:
        rms = np.array([np.sqrt(np.mean((times(velocity, depth, step) - truth) ** 2)) for step in steps])
        # The least order above what single precision of velocities leaves.
        told = [f"{np.log2(p / q):.2f}" if q > 2e-7 else "exact" for p, q in zip(rms[:-1], rms[1:], strict=True)]
        print(f"| {name} | " + " | ".join(f"{1e3 * one:.2g}" for one in rms) + " | " + ", ".join(told) + " |")


#: Depth of the medium, and phases of it: name, TauP's, degrees and depths of the source.
EARTH = [
    (100.0, [("PmP", "PvmP", (0.5, 1.5, 3), (0,))]),
    (700.0, [("P410P", "Pv410P", (2, 8), (0,)), ("P660P", "Pv660P", (8,), (0,))]),
    (2891.5, [
        ("PcP", "PcP", (30, 60), (0,)), ("ScS", "ScS", (10, 30, 60), (0,)),
        ("pP", "pP", (40, 60, 80), (33, 100, 300, 500, 600)),
        ("P", "P", (16, 18, 20, 22), (33, 300)),
        ("S", "S", (16, 18, 20, 22), (33, 300)),
        ("PP", "PP", (30, 35, 40, 50, 70, 100), (0, 33, 300)),
        ("SS", "SS", (30, 35, 40, 50, 70, 100), (0, 33, 300)),
    ]),
]  # fmt: skip


def earth():
    """ak135 at 5 km: times less those of TauP's first arrival of the phase."""
    from obspy.taup import TauPyModel

    taup = TauPyModel("ak135")
    warnings.simplefilter("ignore")
    print("| phase | depth (km) | degrees: time less TauP's (s), status |\n|---|---|---|")
    for bottom, phases in EARTH:
        far = max(max(degrees) for _, _, degrees, _ in phases)
        spacing = (1, 0.5, bottom / round(bottom / 5))
        medium = fm.Medium.earth("ak135", (-2, 2), (-2, far + 2), bottom, spacing=spacing)
        for name, other, degrees, depths in phases:
            for depth in depths:
                told = []
                for degree in degrees:
                    rays = fm.phase_rays(medium, name, (0, 0, depth), (0, degree, 0), threads=1)
                    first = min(one.time for one in taup.get_travel_times(depth, degree, [other]))
                    told.append(f"{degree}: {rays.times[0] - first:+.3f} {rays.status[0]}")
                print(f"| {name} | {depth} | {', '.join(told)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--no-orders", action="store_true", help="leave out the orders of convergence")
    parser.add_argument("--earth", action="store_true", help="phases of ak135 beside TauP's")
    given = parser.parse_args()
    if given.earth:
        earth()
        return
    print("| problem | code | mean / max error (ms) | CPU (s) |\n|---|---|---|---|")
    cases = [
        ("FMTOMO", fmtomo(20)),
        ("FMTOMO", fmtomo(1000)),
        ("FMTOMO", fmtomo_relief(20)),
        ("FMTOMO", fmtomo_relief(1000)),
        ("tomo2d", tomo2d()),
    ]
    told = set()
    for name, (what, errors, cpu) in cases:
        if name not in told:
            code, mean, most, spent = PEERS[name]
            print(f"| {name}'s | {code} | {mean:g} / {most:g} | {spent:g} |")
            told.add(name)
        size = 1e3 * np.abs(errors)
        print(f"| {name}'s, {what} | Fermat | {size.mean():.2g} / {size.max():.2g} | {cpu:.2g} |")
    if not given.no_orders:
        orders()


if __name__ == "__main__":
    main()
