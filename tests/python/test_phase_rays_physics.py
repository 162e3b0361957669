"""What every ray of a later phase must do: Snell's law where it meets interfaces, and its time along it."""

import fermat as fm
import numpy as np
import pytest


def crust(x, z):
    return 5.5 + 0.03 * z + 0.15 * np.sin(x / 30)


def mantle(x, z):
    return 7.9 + 0.02 * (z - 30) + 0 * x


def moho(x):
    return 30 + 0.02 * (x - 100) + 1.5 * np.sin(x / 18)


MEDIUM = fm.Medium(
    [crust, mantle], {"moho": moho}, shape=(401, 141), spacing=0.5, vp_over_vs=1.75
)
SPEEDS = (crust, mantle)


def tangents(path, joint, segments):
    """Directions of a ray before and behind a joint: parabolas through the points next to it."""

    def end(points):
        first, second = points[1] - points[0], points[2] - points[1]
        out = 1.5 * first - 0.5 * second
        return out / np.linalg.norm(out)

    assert segments >= 4
    return -end(path[joint : joint - 3 : -1]), end(path[joint : joint + 3])


@pytest.mark.parametrize(
    ("phase", "depth", "legs"),
    [
        ("PmP", 3, "P0 P0"), ("PmS", 3, "P0 S0"), ("SmP", 3, "S0 P0"), ("pPmP", 12, "P0 P0 P0"),
        ("PmPPmP", 3, "P0 P0 P0 P0"), ("Ps", 60, "P1 S0"), ("Sp", 60, "S1 P0"), ("Pn", 3, "P0 P1 P0"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:.*have no arrival")
def test_rays_obey_snells_law_and_take_their_times(phase, depth, legs):
    to = np.column_stack([np.linspace(70, 190, 9), np.zeros(9)])
    rays = fm.phase_rays(MEDIUM, phase, (20, depth), to)
    legs = legs.split()
    reflected = [k for k, status in enumerate(rays.status) if status == "ok"]
    assert len(reflected) >= 4
    for k in reflected:
        path = rays.path(k)
        segments = (len(path) - 1) // len(legs)
        time = 0.0
        for n, leg in enumerate(legs):
            part = path[n * segments : (n + 1) * segments + 1]
            middle = 0.5 * (part[1:] + part[:-1])
            speed = SPEEDS[int(leg[1])](*middle.T) / (1.75 if leg[0] == "S" else 1)
            time += (np.linalg.norm(np.diff(part, axis=0), axis=1) / speed).sum()
        assert time == pytest.approx(rays.times[k], rel=1e-4)
        for n in range(1, len(legs)):
            joint = n * segments
            at = path[joint]
            slope = 0.0 if at[1] < 1 else (moho(at[0] + 0.01) - moho(at[0] - 0.01)) / 0.02
            along = np.array([1, slope]) / np.hypot(1, slope)
            sines = []
            for leg, way in zip(legs[n - 1 : n + 1], tangents(path, joint, segments), strict=True):
                sines.append((way @ along, SPEEDS[int(leg[1])](*at) / (1.75 if leg[0] == "S" else 1)))
            (before, slow), (after, fast) = sines
            # Beside an interface the angle says little: sines differ by 4e-3 over the last 5 degrees.
            if max(before, after) > np.sin(np.radians(85)):
                assert after / fast == pytest.approx(before / slow, rel=1e-4)
                continue
            wanted = np.degrees(np.arcsin(np.clip(before / slow * fast, -1, 1)))
            assert np.degrees(np.arcsin(after)) == pytest.approx(wanted, abs=0.1), (k, n)
