"""Later phases against closed forms, other codes and each other."""

import fermat as fm
import numpy as np
import pytest

CRUST = fm.Medium([6.0, 8.0], {"moho": 30.0}, shape=(201, 51), spacing=1.0, vp_over_vs=3**0.5)
AT = np.column_stack([np.linspace(20, 190, 35), np.zeros(35)])


def gradient_time(a, b, v0, g):
    """Time of the circular ray in v = v0 + g z."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    va, vb = v0 + g * a[..., -1], v0 + g * b[..., -1]
    return np.arccosh(1 + g**2 * ((a - b) ** 2).sum(-1) / (2 * va * vb)) / g


def least(function, low, high):
    """The least value, by refined sampling."""
    for _ in range(12):
        q = np.linspace(low, high, 401)
        k = int(np.argmin(function(q)))
        low, high = q[max(k - 1, 0)], q[min(k + 1, 400)]
    return float(function(np.array([0.5 * (low + high)]))[0])


def test_flat_reflections_are_those_of_mirror_images():
    x = AT[:, 0] - 10
    rays = fm.phase_rays(CRUST, "PmP", (10, 2), AT)
    np.testing.assert_allclose(rays.times, np.hypot(x, 58) / 6, rtol=1e-8)
    assert set(rays.status) == {"ok"}
    twice = fm.phase_rays(CRUST, "PmPPmP", (10, 2), AT)
    np.testing.assert_allclose(twice.times, np.hypot(x, 118) / 6, rtol=1e-8)
    depth_phase = fm.phase_rays(CRUST, "pPmP", (10, 12), AT)
    np.testing.assert_allclose(depth_phase.times, np.hypot(x, 72) / 6, rtol=1e-8)
    slow = fm.phase_rays(CRUST, "SmS", (10, 2), AT)
    np.testing.assert_allclose(slow.times, 3**0.5 * np.hypot(x, 58) / 6, rtol=2e-7)


def test_mirror_image_in_a_dipping_plane_of_three_dimensions():
    medium = fm.Medium(
        [6.0, 8.0],
        {"moho": lambda x, y: 20 + 0.1 * x - 0.05 * y},
        shape=(61, 61, 41),
        spacing=1.0,
    )
    normal = np.array([0.1, -0.05, -1]) / np.sqrt(1.0125)
    source = np.array([20.0, 35.0, 3.0])
    image = source - 2 * normal * ((source @ [0.1, -0.05, -1] + 20) / np.sqrt(1.0125))
    to = np.random.default_rng(3).uniform((10, 10, 0), (50, 50, 5), (40, 3))
    rays = fm.phase_rays(medium, "PmP", source, to)
    assert set(rays.status) == {"ok"}
    np.testing.assert_allclose(rays.times, np.linalg.norm(to - image, axis=1) / 6, rtol=1e-8)


def test_conversions_obey_snells_law():
    rays = fm.phase_rays(CRUST, "PmS", (10, 0), AT)
    for x, time in zip(AT[:, 0] - 10, rays.times, strict=True):
        expected = least(lambda q, x=x: np.hypot(q, 30) / 6 + 3**0.5 * np.hypot(x - q, 30) / 6, 0, x)
        assert time == pytest.approx(expected, rel=1e-7)
    ps = fm.phase_rays(CRUST, "Ps", (100, 45), AT)
    path = ps.path(3)
    joint = path[np.argmin(abs(path[:, 1] - 30))]
    below, above = joint - (100, 45), AT[3] - joint
    p = (below[0] / np.hypot(*below) / 8, above[0] / np.hypot(*above) / (6 / 3**0.5))
    assert p[0] == pytest.approx(p[1], rel=1e-4)


@pytest.mark.filterwarnings("ignore:.*have no arrival")
def test_head_waves_begin_at_the_critical_distance():
    cosine = np.sqrt(1 - 36 / 64)
    x = AT[:, 0] - 10
    critical = 60 * 0.75 / cosine
    rays = fm.phase_rays(CRUST, "Pn", (10, 0), AT)
    beyond = x > critical
    assert np.array_equal(rays.arrived, beyond)
    np.testing.assert_allclose(rays.times[beyond], x[beyond] / 8 + 60 * cosine / 6, rtol=1e-8)
    assert {s for s, far in zip(rays.status, beyond, strict=True) if far} <= {"ok", "along"}
    assert {s for s, far in zip(rays.status, beyond, strict=True) if not far} == {"absent"}


def test_direct_wave_turns_in_its_layer():
    medium = fm.Medium([lambda x, z: 4 + 0.06 * z, 8.0], {"moho": 40.0}, shape=(301, 81), spacing=0.5)
    to = np.column_stack([np.linspace(15, 120, 8), np.zeros(8)])
    rays = fm.phase_rays(medium, "Pg", (10, 1), to)
    np.testing.assert_allclose(rays.times, gradient_time((10, 1), to, 4, 0.06), rtol=2e-6)


def sinusoid(step):
    """A wavy reflector and a gradient, sampled every `step`; and the exact times."""
    shape = (round(120 / step) + 1, round(40 / step) + 1)

    def depth(x):
        return 25 + 2 * np.sin(x / 12)

    def velocity(x, z):
        return 4 + 0.06 * z

    medium = fm.Medium([velocity, 8.0], {"moho": depth}, shape=shape, spacing=step)
    source = np.array([21.3, 1.0])
    to = np.column_stack([np.linspace(30.7, 78.3, 9), np.zeros(9)])
    rays = fm.phase_rays(medium, "PmP", source, to, phase_tolerance=1e-8)
    exact = [
        least(
            lambda q, r=r: gradient_time(source, np.column_stack([q, depth(q)]), 4, 0.06)
            + gradient_time(np.column_stack([q, depth(q)]), r, 4, 0.06),
            0,
            120,
        )
        for r in to
    ]
    return rays, np.array(exact)


def test_times_at_a_sinusoidal_reflector_converge_with_second_order():
    errors = []
    for step in (4.0, 2.0, 1.0):
        rays, exact = sinusoid(step)
        assert rays.arrived.all()
        errors.append(float(np.sqrt(np.mean((rays.times - exact) ** 2))))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert orders.min() > 1.8, (errors, orders)
    assert errors[-1] < 1e-4


def test_times_converge_with_second_order_where_velocity_is_sampled_too():
    """A gradient is exact between nodes; this velocity is not. The truth is a fine grid."""

    def times(step):
        medium = fm.Medium(
            [lambda x, z: 4 + 0.06 * z + 0.25 * np.sin(z / 4) + 0.2 * np.cos(x / 9), 8.0],
            {"moho": lambda x: 25 + 2 * np.sin(x / 12)},
            shape=(round(120 / step) + 1, round(40 / step) + 1),
            spacing=step,
        )
        to = np.column_stack([np.linspace(30.7, 78.3, 9), np.zeros(9)])
        return fm.phase_rays(medium, "PmP", (21.3, 1.0), to, phase_tolerance=1e-8).times

    truth = times(0.0625)
    errors = [float(np.sqrt(np.mean((times(step) - truth) ** 2))) for step in (4.0, 2.0, 1.0, 0.5)]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert orders.min() > 1.8, (errors, orders)


def test_sum_of_two_fields_over_the_reflector_agrees():
    medium = fm.Medium(
        [lambda x, z: 4 + 0.06 * z, 8.0],
        {"moho": lambda x: 25 + 1.5 * np.sin(x / 15)},
        shape=(241, 81),
        spacing=0.5,
    )
    ends = np.array([(20.0, 1.0), (70.0, 0.0), (95.0, 0.0)])
    x = np.linspace(1, 119, 2361)
    reflector = np.column_stack([x, medium.depth("moho", x)])
    fields = np.array(fm.receiver_times(medium.layer(0), ends, reflector)).reshape(3, -1)
    rays = fm.phase_rays(medium, "PmP", ends[0], ends[1:])
    for k, time in enumerate(rays.times):
        total = fields[0] + fields[k + 1]
        at = int(np.argmin(total))
        a, b, c = total[at - 1 : at + 2]
        summit = b - (a - c) ** 2 / (8 * (a + c - 2 * b))
        assert time == pytest.approx(summit, rel=1e-4)


def test_spherical_reflection_is_exact():
    radius, v, depth = 6371.0, 6.0, 35.0
    medium = fm.Medium(
        [v, 8.0],
        {"moho": depth},
        shape=(31, 31, 26),
        spacing=(0.1, 0.1, 2.0),
        coordinates="spherical",
        radius=radius,
    )
    to = [(1.5, 1.5 + d, 0.0) for d in (0.2, 0.5, 1.0, 1.4)]
    rays = fm.phase_rays(medium, "PmP", (1.5, 1.5, 0.0), to)

    def place(lat, lon, z):
        lat, lon = np.radians([lat, lon])
        return (radius - z) * np.array([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])

    for point, time in zip(to, rays.times, strict=True):
        # By symmetry the reflection lies in the middle of the great circle.
        a, b = place(1.5, 1.5, 0), place(*point)
        middle = (a + b) / np.linalg.norm(a + b) * (radius - depth)
        exact = (np.linalg.norm(a - middle) + np.linalg.norm(b - middle)) / v
        assert time == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize(
    ("phase", "taup", "degrees", "depth", "bottom"),
    [
        ("PmP", "PvmP", 1.5, 0.0, 100.0),
        ("P410P", "Pv410P", 8.0, 0.0, 700.0),
        ("pP", "pP", 40.0, 100.0, 1500.0),
        ("pP", "pP", 60.0, 500.0, 2891.5),
        ("PcP", "PcP", 30.0, 0.0, 2891.5),
        ("ScS", "ScS", 30.0, 0.0, 2891.5),
    ],
)
def test_phases_of_the_earth_agree_with_taup(phase, taup, degrees, depth, bottom):
    obspy = pytest.importorskip("obspy.taup")
    step = 5.0 if bottom < 1000 else 2891.5 / 290 if bottom > 2000 else 10.0
    earth = fm.Medium.earth("ak135", (-2, 2), (-2, degrees + 2), bottom, spacing=(1, 0.5, step))
    rays = fm.phase_rays(earth, phase, (0, 0, depth), (0, degrees, 0))
    found = obspy.TauPyModel("ak135").get_travel_times(depth, degrees, [taup])
    assert rays.arrived.all()
    assert rays.times[0] == pytest.approx(min(a.time for a in found), abs=0.02)


def test_reciprocity():
    ends = np.array([(20.0, 1.0), (90.0, 5.0)])
    medium = fm.Medium(
        [(lambda x, z: 4 + 0.06 * z + 0.01 * x, lambda x, z: 2.2 + 0.03 * z), (8.0, 4.5)],
        {"moho": lambda x: 25 + 0.02 * x},
        shape=(121, 41),
        spacing=1.0,
    )
    for phase, back in (("PmP", "PmP"), ("PmS", "SmP"), ("Pn", "Pn")):
        there = fm.phase_rays(medium, phase, ends[0], ends[1]).times[0]
        assert fm.phase_rays(medium, back, ends[1], ends[0]).times[0] == pytest.approx(there, rel=3e-6)


def test_all_arrivals_of_a_bowl():
    medium = fm.Medium(
        [5.0, 8.0], {"moho": lambda x: 25 + 8 * np.cos((x - 50) / 15)}, shape=(201, 81), spacing=0.5
    )
    rays = fm.phase_rays(medium, "PmP", (48, 0), (52, 0), arrivals="all")
    assert len(rays) >= 3
    assert np.all(np.diff(rays.times) >= 0)
    assert rays.maxima.max() > 0
    first = fm.phase_rays(medium, "PmP", (48, 0), (52, 0))
    assert first.times[0] == rays.times[0]


def test_pinched_out_layer():
    """Where the middle layer has no thickness, the reflection is that of the upper layer alone."""
    pinched = fm.Medium(
        [5.0, 6.0, 8.0],
        {"top": 20.0, "moho": lambda x: np.maximum(20.0, 20 + (x - 100) / 4)},
        shape=(201, 61),
        spacing=1.0,
    )
    rays = fm.phase_rays(pinched, "PmP", (20, 0), [(40, 0), (60, 0)])
    assert rays.arrived.all()
    np.testing.assert_allclose(rays.times, np.hypot([20, 40], 40) / 5, rtol=1e-6)


def test_times_do_not_depend_on_threads():
    one = fm.phase_rays(CRUST, "PmS", [(10, 0), (60, 9)], AT, threads=1)
    four = fm.phase_rays(CRUST, "PmS", [(10, 0), (60, 9)], AT, threads=4)
    assert np.array_equal(one.times, four.times)


def test_pairs_and_paths():
    rays = fm.phase_rays(CRUST, "PmP", [(10, 0), (20, 0)], AT[:3], pairs=[(1, 2), (0, 1)])
    assert rays.sources.tolist() == [1, 0]
    assert rays.receivers.tolist() == [2, 1]
    path = rays.path(0)
    np.testing.assert_allclose(path[0], (20, 0), atol=1e-9)
    np.testing.assert_allclose(path[-1], AT[2], atol=1e-9)
    assert path[:, 1].max() == pytest.approx(30)
    assert rays.legs(0) == "P in layer 0 to 'moho', P in layer 0 to the receiver"
    assert rays.lengths[0] == pytest.approx(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())
    assert "PmP: 2 ok" in repr(rays)


def test_missing_arrivals_are_counted_and_explained(recwarn):
    fm.phase_rays(CRUST, "Pn", (10, 0), [(20, 0), (190, 0)])
    assert any("1 of 2 rays of Pn have no arrival (1 absent" in str(w.message) for w in recwarn)


@pytest.mark.parametrize(
    ("phase", "source", "sentence"),
    [
        ("PxP", (10, 0), "names interface 'x', which the medium does not have"),
        ("PcP", (10, 0), r"no interface is called 'cmb' \(there are surface, moho\)"),
        ("what", (10, 0), r"phase is 'what' \(must be a name such as P, Pg"),
        ("P moho bounce S", (10, 0), "bounce"),
        ("P mojo reflect S", (10, 0), "no interface is called 'mojo'"),
        ("", (10, 0), "phase is ''"),
        ("PmP", (10, -3), "source 0"),
        ("PmP", (500, 3), "source 0"),
    ],
)
def test_bad_phases_and_points_are_refused_in_a_sentence(phase, source, sentence):
    with pytest.raises(ValueError, match=sentence):
        fm.phase_rays(CRUST, phase, source, (50, 0))


def test_source_above_the_ground():
    medium = fm.Medium([6.0, 8.0], {"moho": 30.0}, surface=lambda x: 1 + x / 100, shape=(101, 41), spacing=1.0)
    with pytest.raises(ValueError, match="source 0 .* is above the surface"):
        fm.phase_rays(medium, "PmP", (50, 0.2), (60, 3))


@pytest.mark.parametrize("phase", ["S", "SmS", "PmS", "Ps", "sP"])
def test_layer_without_s(phase):
    medium = fm.Medium([6.0, 8.0], {"moho": 30.0}, shape=(101, 41), spacing=1.0)
    with pytest.raises(ValueError, match="has no velocity of S"):
        fm.phase_rays(medium, phase, (10, 35 if phase == "Ps" else 5), (60, 0))


def test_layers_that_pinch_out_at_an_end():
    """Sediments end at x = 50; in another medium the mantle crops out at x > 90."""
    grid = {"shape": (101, 41), "spacing": 1.0, "smooth": False}
    sediments = [(0, 4), (50, 0), (100, 0)]
    medium = fm.Medium([3.0, 6.0, 8.0], {"basement": sediments, "moho": 30.0}, **grid)
    # Both ends where the sediments have no thickness: the crust alone.
    rays = fm.phase_rays(medium, "PmP", (52.0, 0.0), (62.0, 0.0))
    assert rays.times[0] == pytest.approx(np.hypot(10, 60) / 6, rel=1e-5)
    # One end in the sediments: later than in the crust alone, by less than their own delay.
    rays = fm.phase_rays(medium, "PmP", (10.0, 0.0), (60.0, 0.0))
    plain = np.hypot(50, 60) / 6
    assert plain < rays.times[0] < plain + 3.2 * (1 / 3 - 1 / 6) * 1.2
    moho = [(0, 30), (70, 30), (90, 0), (100, 0)]
    medium = fm.Medium([3.0, 6.0, 8.0], {"basement": sediments, "moho": moho}, **grid)
    with pytest.warns(UserWarning, match=r"PmP has no way from layer 2 .*1 of 1 pairs are absent; at an end of 1 of them"):
        rays = fm.phase_rays(medium, "PmP", (95.0, 0.0), (60.0, 0.0))
    assert rays.status == ["absent"]


def test_water_multiples_and_receiver_functions():
    """Vertical and slanted ways of even layers: water 1.5 km/s of 3 km over rock of 5 (P) and 3 (S)."""
    medium = fm.Medium([1.5, (5.0, 3.0), (8.0, 4.5)], {"seafloor": 3.0, "moho": 20.0}, shape=(101, 41), spacing=1.0)
    at = ((40.0, 0.0), (40.0, 0.0))
    for name, exact in (("PwP", 4.0), ("PwPPwP", 8.0), ("PmP", 4 + 34 / 5), ("PwPPmP", 8 + 34 / 5)):
        assert fm.phase_rays(medium, name, *at).times[0] == pytest.approx(exact, rel=1e-6)
    # Along the seafloor: a head wave of 5 km/s.
    rays = fm.phase_rays(medium, "P<seafloor>", (10.0, 0.0), (60.0, 0.0))
    assert rays.times[0] == pytest.approx(50 / 5 + 2 * 3 * np.sqrt(1 / 1.5**2 - 1 / 25), rel=1e-5)
    crust = fm.Medium([(6.0, 3.5), (8.0, 4.5)], {"moho": 20.0}, shape=(101, 81), spacing=1.0)
    at = ((40.0, 60.0), (40.0, 0.0))
    for name, exact in (("Ps", 5 + 20 / 3.5), ("PpPs", 5 + 40 / 6 + 20 / 3.5), ("PpSs", 5 + 20 / 6 + 40 / 3.5)):
        assert fm.phase_rays(crust, name, *at).times[0] == pytest.approx(exact, rel=1e-6)
    named = fm.phase_rays(crust, "mine=P moho transmit S", *at)
    assert (named.phase, named.times[0]) == ("mine", pytest.approx(5 + 20 / 3.5))


def test_first_arrivals_of_instruments_on_the_seafloor():
    """P of a source on an interface: through the water alone, along the seafloor, along the basement."""
    medium = fm.Medium([1.5, 2.0, 5.0], {"seafloor": 2.0, "basement": 8.0}, shape=(101, 21), spacing=1.0)
    x = np.array([0, 0.01, 0.3, 1, 2, 2.4, 5, 12, 20, 50.0])
    slow, below = np.sqrt(1 / 1.5**2 - 1 / 4), 2 * np.sqrt(1 / 1.5**2 - 1 / 25) + 12 * np.sqrt(1 / 4 - 1 / 25)
    along = np.where(x > 2 * 0.75 / np.sqrt(1 - 0.75**2), x / 2 + 2 * slow, np.inf)
    head = np.where(x > 12 * 0.4 / np.sqrt(1 - 0.16) + 2 * 0.3 / np.sqrt(1 - 0.09), x / 5 + below, np.inf)
    exact = np.minimum(np.minimum(np.hypot(x, 2) / 1.5, along), head)
    shots = np.column_stack([40 + x, 0 * x])
    for ends in (((40, 2.0), shots), (shots, (40, 2.0))):
        rays = fm.phase_rays(medium, "P", *ends)
        assert rays.arrived.all()
        np.testing.assert_allclose(rays.times, exact, rtol=1e-8)
        # Before the critical distance no leg of the rock below shrinks to nothing and undercuts the direct wave.
        assert len(fm.phase_rays(medium, "P", *ends, arrivals="all")) == 18
    # Both ends on the seafloor: the rock below is the faster one.
    assert fm.phase_rays(medium, "P", (40, 2.0), (45, 2.0)).times[0] == pytest.approx(2.5, rel=1e-8)


def test_first_arrivals_that_go_along_an_interface_are_not_missed():
    """Where the wave of the crust meets a Moho that rises, P follows the Moho. Waves in the sediments pass inside
    their layer, a second later, and are not P."""
    layers = [1.5, lambda x, z: np.maximum(1.7, 2 + 0.5 * (z - 2)), lambda x, z: 5.2 + 0.08 * (z - 4), lambda x, z: 8 + 0.01 * (z - 20)]
    depths = {
        "seafloor": lambda x: 2.5 + 1.5 * np.sin(x / 40),
        "basement": lambda x: 3.5 + 1.5 * np.sin(x / 40) + 0.8 * np.cos(x / 25),
        "moho": lambda x: 16 + 8 / (1 + np.exp(-(x - 150) / 20)),
    }
    medium = fm.Medium(layers, depths, shape=(301, 81), spacing=1.0)
    fine = fm.Medium(layers, depths, shape=(1501, 401), spacing=0.2)
    source = (240.0, float(medium.depth("seafloor", 240)))
    shots = np.column_stack([np.arange(120.0, 160, 5), np.full(8, 0.01)])
    rays = fm.phase_rays(medium, "P", source, shots)
    exact = np.ravel(fm.receiver_times(fine.model(), source, shots))
    assert rays.arrived.all()
    np.testing.assert_allclose(rays.times, exact, atol=0.08)


def test_depth_phases_of_deep_events_are_right():
    """Legs of thin layers go along with their ends, which come to rest hundreds of km from where they begin."""
    obspy = pytest.importorskip("obspy.taup")
    with pytest.warns(UserWarning, match=r"spacing is \(1, 0.5, 5.0026\), so that the grid ends at"):
        earth = fm.Medium.earth("ak135", (-2, 2), (-2, 102), 2891.5, spacing=(1, 0.5, 5))
    degrees = (40, 60, 80)
    model = obspy.TauPyModel("ak135")
    for depth in (500, 600):
        rays = fm.phase_rays(earth, "pP", (0, 0, depth), [(0, d, 0) for d in degrees])
        assert rays.status == ["ok"] * 3
        exact = [model.get_travel_times(depth, d, ["pP"])[0].time for d in degrees]
        np.testing.assert_allclose(rays.times, exact, atol=0.01)


def test_rays_settle_where_velocity_is_rough():
    """Velocities of an inversion have kinks at every node, on which a ray may rest without ever coming closer."""
    x, z = np.arange(0, 161, 1.0), np.arange(0, 41, 1.0)
    rough = sum(
        0.09 * np.sin(x / wide + k)[:, None] * np.cos(z / (1.5 + k) + k)[None, :]
        for k, wide in enumerate((2.0, 3.0, 5.0, 9.0))
    )
    medium = fm.Medium([5.2 + 0.05 * z + rough, 8.0], {"moho": 36.0}, shape=(161, 41), spacing=1.0)
    to = np.column_stack([np.arange(20, 160, 2.5), np.zeros(56)])
    rays = fm.phase_rays(medium, "Pg", (5, 0), to)
    assert rays.status == ["ok"] * 56
    first = fm.receiver_times(medium.layer(0), (5, 0), to).ravel()
    np.testing.assert_allclose(rays.times, first, rtol=5e-4)


@pytest.mark.parametrize(
    ("points", "sentence"),
    [
        ([(40, 30), (60, 32)], "interface 'moho' is given for x from 40 to 60 of 0 to 100; beyond, it keeps the depth"),
        ([(0, 30), (40000, 32), (100000, 35)], r"1 of 3 points of interface 'moho' lie in the model, .*\(are the units the same\?\)"),
    ],
)
def test_tables_that_do_not_cover_the_model_are_told(points, sentence):
    with pytest.warns(UserWarning, match=sentence):
        fm.Medium([6.0, 8.0], {"moho": points}, shape=(101, 41), spacing=1.0)


def test_reflections_below_hills_converge_to_the_closed_form():
    """The ground of terrain coordinates is curved; velocity is a gradient by depth below the datum."""

    def moho(x):
        return 25 + 1.5 * np.sin(x / 12)

    def errors(step):
        x, n = np.arange(0, 120 + step / 2, step), round(40 / step) + 1
        ground = 0.8 * np.sin(x / 9) - 2.5 * np.exp(-(((x - 55) / 14) ** 2))
        depth = fm.Model(np.ones((len(x), n)), spacing=step, surface=ground).node_positions()[..., -1]
        crust = fm.Model(4 + 0.06 * depth, spacing=step, surface=ground)
        mantle = fm.Model(np.full(depth.shape, 8.0), spacing=step, surface=ground)
        medium = fm.Medium([crust, mantle], {"moho": moho})
        at = np.array([16.0, 32, 48, 64, 80, 96])
        ends = np.column_stack([at, medium.depth("surface", at)])
        off = []
        for k in (0, 2):
            rays = fm.phase_rays(medium, "PmP", ends[k], ends[k + 1 :])
            assert set(rays.status) == {"ok"}
            for time, end in zip(rays.times, ends[k + 1 :], strict=True):
                def total(q, a=ends[k], b=end):
                    joint = np.column_stack([q, moho(q)])
                    return gradient_time(a, joint, 4, 0.06) + gradient_time(joint, b, 4, 0.06)

                off.append(time - least(total, 0, 120))
        return float(np.sqrt(np.mean(np.square(off))))

    coarse, middle, fine = (errors(step) for step in (2.0, 1.0, 0.5))
    assert coarse < 5e-5
    assert min(np.log2(coarse / middle), np.log2(middle / fine)) > 1.8
