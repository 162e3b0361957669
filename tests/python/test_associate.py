"""Tables of times for programs that associate picks, read as those programs read them."""

import struct

import fermat as fm
import numpy as np
import pytest

V0, G = 5.0, 0.05
STATIONS = {"station": ["A", "B"], "x": [10.0, 30.0], "y": [12.0, 25.0], "z": [0.0, 2.0]}


def exact(r, top, bottom):
    """Time between two depths of the gradient, a distance apart."""
    return np.arccosh(1 + G**2 * (r**2 + (bottom - top) ** 2) / (2 * (V0 + G * top) * (V0 + G * bottom))) / G


def model():
    return fm.Model.gradient((41, 41, 21), v0=V0, gradient=G)


def read_pyocto(path):
    """As PyOcto's VelocityModel1D: int nx, int nz, double delta, P and S as double [x][z]."""
    data = path.read_bytes()
    nx, nz, delta = struct.unpack("<iid", data[:16])
    return delta, np.frombuffer(data[16:], "<f8").reshape(2, nx, nz)


def test_a_table_of_pyocto_has_exact_times(tmp_path):
    path = tmp_path / "crust.pyocto"
    fm.association_tables(model(), path, vp_vs=1.73, distance=30, depth=15, spacing=0.5)
    delta, table = read_pyocto(path)
    r, z = delta * np.arange(table.shape[1])[:, None], delta * np.arange(table.shape[2])
    assert delta == 0.5 and r[-1] == 30 and z[-1] == 15
    assert np.abs(table[0] - exact(r, 0, z)).max() < 2e-4
    assert np.abs(table[1] - 1.73 * exact(r, 0, z)).max() < 4e-4


def test_tables_of_stations_begin_above_their_heights(tmp_path):
    fm.association_tables(model(), tmp_path / "tables", stations=STATIONS, vp_vs=1.73, distance=25, depth=15)
    padding = struct.unpack("<i", (tmp_path / "tables" / "n_padding").read_bytes())[0]
    delta, table = read_pyocto(tmp_path / "tables" / "B.pyocto")
    # PyOcto reads the row of z - station.z + n_padding * delta.
    assert padding == 2
    assert table[0, 10, 6 + padding] == pytest.approx(exact(10 * delta, 2, 8), abs=2e-4)


def test_in_3d_a_table_is_the_mean_over_azimuths_and_says_so(tmp_path):
    varied = np.asarray(model().velocity) * (1 + 0.05 * np.sin(np.arange(41) / 6))[:, None, None]
    rough = fm.Model(varied)
    with pytest.raises(ValueError, match="give stations"):
        fm.association_tables(rough, vp_vs=1.73)
    with pytest.warns(UserWarning, match="means over azimuths"):
        tables = fm.association_tables(rough, stations=STATIONS, s_model=fm.Model(varied / 1.7), distance=9, depth=10)
    angle = 2 * np.pi * np.arange(24) / 24
    ring = np.column_stack([10 + 8 * np.cos(angle), 12 + 8 * np.sin(angle), np.full(24, 5.0)])
    times = fm.receiver_times(rough, [(10, 12, 0)], ring)[0]
    assert tables["A"][0, 8, 5 + 2] == pytest.approx(times.mean(), abs=1e-3)
    assert tables["A"][1, 8, 5 + 2] == pytest.approx(1.7 * times.mean(), rel=1e-3)


def test_gamma_reads_times_by_distance_and_depth_below_the_station(tmp_path):
    path = tmp_path / "gamma.npz"
    table = fm.association_tables(model(), path, output_format="gamma", vp_vs=1.73, distance=30, depth=15)

    def interpolated(values, r, z):  # as GaMMA's traveltime()
        h, r0, z0 = table["h"], table["rgrid"][0, 0], table["zgrid"][0, 0]
        i, k = int((r - r0) // h), int((z - z0) // h)
        a, b = (r - r0) / h - i, (z - z0) / h - k
        return ((1 - a) * (1 - b) * values[i, k] + a * (1 - b) * values[i + 1, k]
                + (1 - a) * b * values[i, k + 1] + a * b * values[i + 1, k + 1])

    assert interpolated(table["up"], 17.3, 8.6) == pytest.approx(exact(17.3, 0, 8.6), abs=3e-3)
    assert interpolated(table["us"], 17.3, 8.6) == pytest.approx(1.73 * exact(17.3, 0, 8.6), abs=5e-3)
    slope = (exact(17.01, 0, 8) - exact(16.99, 0, 8)) / 0.02
    assert interpolated(table["dp_r"], 17.0, 8.0) == pytest.approx(slope, rel=0.01)
    kept = np.load(path)
    assert set(kept) == set(table) and np.array_equal(kept["up"], table["up"])
    with pytest.raises(ValueError, match="s_model or vp_vs"):
        fm.association_tables(model())
