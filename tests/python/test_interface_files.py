"""Interfaces from files: Surfer's grids, NetCDF and tables; and layers in cells."""

import struct

import fermat as fm
import h5py
import numpy as np
import pytest

BOX = {"shape": (21, 11, 21), "spacing": (5.0, 5.0, 2.0)}
X, Y = np.linspace(-10, 110, 25), np.linspace(-10, 60, 15)
DEPTH = 20 + 0.05 * X[:, None] + 0.02 * Y[None, :]  # [x][y]


def medium(value, **options):
    return fm.Medium([5.0, 8.0], {"moho": value}, **{**BOX, **options})


def check_plane(found):
    """A plane is a plane for every way of interpolation."""
    for x, y in ((0.0, 0.0), (33.3, 21.7), (100.0, 50.0)):
        assert found.depth("moho", x, y) == pytest.approx(20 + 0.05 * x + 0.02 * y, abs=1e-4)


def surfer_text(x, y, values):
    rows = "\n".join(" ".join(f"{v:.6f}" for v in row) for row in values.T)
    return (f"DSAA\n{len(x)} {len(y)}\n{x[0]} {x[-1]}\n{y[0]} {y[-1]}\n"
            f"{np.nanmin(values)} {np.nanmax(values)}\n{rows}\n")


def surfer_six(x, y, values):
    head = b"DSBB" + struct.pack("<hh6d", len(x), len(y), x[0], x[-1], y[0], y[-1], values.min(), values.max())
    return head + np.ascontiguousarray(values.T, "<f4").tobytes()


def surfer_seven(x, y, values):
    grid = struct.pack("<ii8d", len(y), len(x), x[0], y[0], x[1] - x[0], y[1] - y[0], values.min(), values.max(),
                       0.0, 1.70141e38)
    data = np.ascontiguousarray(values.T, "<f8").tobytes()
    return (b"DSRB" + struct.pack("<ii", 4, 1) + b"GRID" + struct.pack("<i", len(grid)) + grid
            + b"DATA" + struct.pack("<i", len(data)) + data)


@pytest.mark.parametrize("write", [surfer_six, surfer_seven])
def test_binary_grids_of_surfer(tmp_path, write):
    (tmp_path / "moho.grd").write_bytes(write(X, Y, DEPTH))
    check_plane(medium(tmp_path / "moho.grd"))


def test_text_grids_of_surfer(tmp_path):
    (tmp_path / "moho.grd").write_text(surfer_text(X, Y, DEPTH))
    found = medium(str(tmp_path / "moho.grd"))
    check_plane(found)
    # The time of a reflection is that of the plane: down and back at right angles to it.
    rays = fm.phase_rays(found, "PmP", (50, 25, 0), (50, 25.001, 0))
    assert rays.times[0] == pytest.approx(2 * (20 + 2.5 + 0.5) / np.sqrt(1 + 0.05**2 + 0.02**2) / 5, rel=1e-4)


def test_gaps_edges_and_heights_are_told(tmp_path):
    values = DEPTH.copy()
    values[12, 7] = 1.70141e38
    (tmp_path / "moho.grd").write_text(surfer_text(X, Y, values))
    with pytest.warns(UserWarning, match=r"1 of \d+ nodes have no value"):
        medium(tmp_path / "moho.grd")
    (tmp_path / "part.grd").write_text(surfer_text(X[:12], Y, DEPTH[:12]))
    with pytest.warns(UserWarning, match=r"does not cover the model: beyond it, at \d+ of 231 columns"):
        medium(tmp_path / "part.grd")
    (tmp_path / "up.grd").write_text(surfer_text(X, Y, -DEPTH))
    with pytest.raises(ValueError, match="are they heights"):
        medium(tmp_path / "up.grd")
    check_plane(medium(tmp_path / "up.grd", heights=True))


def netcdf_classic(path, x, y, values, names=("x", "y", "z"), attributes=None):
    """A classic file as GMT writes it: z(y, x)."""
    def text(word):
        raw = word.encode()
        return struct.pack(">i", len(raw)) + raw + b"\0" * (-len(raw) % 4)

    def notes(words):
        if not words:
            return struct.pack(">ii", 0, 0)
        parts = [text(k) + struct.pack(">i", 2) + text(v) for k, v in words.items()]
        return struct.pack(">ii", 0x0C, len(parts)) + b"".join(parts)

    arrays = [(names[0], [0], x), (names[1], [1], y), (names[2], [1, 0], values.T)]

    def head(begins):
        out = b"CDF\x01" + struct.pack(">i", 0)
        out += struct.pack(">ii", 0x0A, 2) + text(names[0]) + struct.pack(">i", len(x))
        out += text(names[1]) + struct.pack(">i", len(y)) + struct.pack(">ii", 0, 0)
        out += struct.pack(">ii", 0x0B, 3)
        for (name, dims, data), begin in zip(arrays, begins, strict=True):
            out += text(name) + struct.pack(f">i{len(dims)}i", len(dims), *dims)
            out += notes(attributes if name == names[2] else None)
            out += struct.pack(">iii", 6, 8 * np.size(data), begin)
        return out

    begin, begins = len(head((0, 0, 0))), []
    for _, _, data in arrays:
        begins.append(begin)
        begin += 8 * np.size(data)
    path.write_bytes(head(begins) + b"".join(np.ascontiguousarray(d, ">f8").tobytes() for _, _, d in arrays))


def netcdf4(path, x, y, values, names=("x", "y", "z"), falls=False):
    with h5py.File(path, "w") as file:
        order = slice(None, None, -1) if falls else slice(None)
        file[names[0]], file[names[1]] = x, y[order]
        file[names[2]] = values.T[order]
        for name in names[:2]:
            file[name].make_scale(name)
        file[names[2]].dims[0].attach_scale(file[names[1]])
        file[names[2]].dims[1].attach_scale(file[names[0]])


def test_netcdf(tmp_path):
    netcdf_classic(tmp_path / "moho.nc", X, Y, DEPTH)
    check_plane(medium(tmp_path / "moho.nc"))
    netcdf4(tmp_path / "four.grd", X, Y, DEPTH, falls=True)
    check_plane(medium(tmp_path / "four.grd"))
    # Values that grow upwards, by the attribute of CF.
    netcdf_classic(tmp_path / "up.nc", X, Y, -DEPTH, attributes={"positive": "up"})
    with pytest.warns(UserWarning, match="its values are heights and became depths"):
        check_plane(medium(tmp_path / "up.nc"))
    (tmp_path / "cut.nc").write_bytes((tmp_path / "moho.nc").read_bytes()[:2000])
    with pytest.raises(ValueError, match="'z' lies beyond its end"):
        medium(tmp_path / "cut.nc")


def test_netcdf_of_xarray(tmp_path):
    xarray = pytest.importorskip("xarray")
    array = xarray.DataArray(DEPTH, coords={"x": X, "y": Y}, dims=("x", "y"), name="depth")
    array.to_netcdf(tmp_path / "moho.nc")
    check_plane(medium(tmp_path / "moho.nc"))


@pytest.mark.parametrize("head", ["", "x y depth\n", "X,Y,Z\n", "# x\ty\tdepth\n", "easting;northing;depth_km\n"])
def test_tables_with_and_without_names(tmp_path, head):
    sign = next((s for s in ",;\t" if s in head), " ")
    rows = [sign.join(f"{v:.6f}" for v in (x, y, 20 + 0.05 * x + 0.02 * y)) for x in X for y in Y]
    (tmp_path / "moho.xyz").write_text(head + "\n".join(rows) + "\n")
    check_plane(medium(tmp_path / "moho.xyz"))


def test_scattered_points_are_interpolated(tmp_path):
    rng = np.random.default_rng(3)
    at = rng.uniform((-5, -5), (105, 55), (3000, 2))
    np.savetxt(tmp_path / "moho.txt", np.column_stack([at, 20 + 0.05 * at[:, 0] + 0.02 * at[:, 1]]))
    with pytest.warns(UserWarning, match="its 3000 points fill no grid"):
        found = medium(tmp_path / "moho.txt")
    assert found.depth("moho", 50.0, 25.0) == pytest.approx(23, abs=0.05)


def test_tables_of_a_section(tmp_path):
    (tmp_path / "moho.txt").write_text("0 20\n50 22\n100 20\n")
    section = {"shape": (101, 41), "spacing": 1.0}
    found = fm.Medium([5.0, 8.0], {"moho": tmp_path / "moho.txt"}, smooth=False, **section)
    assert found.depth("moho", 25.0) == pytest.approx(21)
    (tmp_path / "moho.grd").write_text(surfer_text(X, Y, DEPTH))
    with pytest.raises(ValueError, match="is a grid of x and y, and the model is a section"):
        fm.Medium([5.0, 8.0], {"moho": tmp_path / "moho.grd"}, **section)
    (tmp_path / "far.txt").write_text("20000 20\n50000 22\n")
    with pytest.raises(ValueError, match=r"lies at x 20000 to 50000.*do their units differ"):
        fm.Medium([5.0, 8.0], {"moho": tmp_path / "far.txt"}, **section)
    (tmp_path / "deep.txt").write_text("0 20000\n100 22000\n")
    with pytest.raises(ValueError, match=r"has depths of 20000 to 22000.*do their units differ"):
        fm.Medium([5.0, 8.0], {"moho": tmp_path / "deep.txt"}, **section)


REGION = {"shape": (11, 11, 13), "spacing": (0.4, 0.4, 5.0), "coordinates": "spherical"}


def moho_of(latitude, longitude):
    return 30 + 0.5 * (latitude - 40) + 0.2 * (longitude - 179)


@pytest.mark.parametrize("kind", ["surfer", "netcdf", "table", "names"])
def test_spheres_have_longitude_latitude_and_depth(tmp_path, kind):
    latitude, longitude = np.arange(38, 47.1, 0.5), np.arange(175, 187.1, 0.5)
    values = moho_of(latitude[None, :], longitude[:, None])  # [longitude][latitude]
    file = tmp_path / f"moho.{kind}"
    if kind == "surfer":
        file.write_text(surfer_text(longitude, latitude, values))
    elif kind == "netcdf":
        netcdf4(file, longitude, latitude, values, ("lon", "lat", "z"))
    else:
        rows = [(a, b, moho_of(b, a)) for a in longitude for b in latitude]
        if kind == "names":  # by name, in any order, and with longitudes of the other side of 180
            rows = [(z, b, (a + 180) % 360 - 180) for a, b, z in rows]
        head = "depth,latitude,longitude\n" if kind == "names" else ""
        file.write_text(head + "\n".join(",".join(f"{v:.6f}" for v in row) for row in rows) + "\n")
    found = fm.Medium([6.0, 8.0], {"moho": file}, origin=(40.0, 179.0, 0.0), **REGION)
    for at in ((40.0, 179.0), (41.3, 180.7), (44.0, 183.0)):
        assert found.depth("moho", *at) == pytest.approx(moho_of(*at), abs=2e-3)


def test_a_grid_round_the_earth_is_cut_at_the_model(tmp_path):
    latitude, longitude = np.arange(-88, 89.0, 2), np.arange(-180, 180.0, 2)
    values = 30 + 0.1 * latitude[None, :] + 5 * np.cos(np.radians(longitude))[:, None]
    netcdf_classic(tmp_path / "crust.nc", longitude, latitude, values * 1000, ("lon", "lat", "z"), {"units": "m"})
    with pytest.warns(UserWarning, match="are in m and became km"):
        found = fm.Medium([6.0, 8.0], {"moho": tmp_path / "crust.nc"}, origin=(40.0, 179.0, 0.0), **REGION)
    assert found.depth("moho", 42.0, 181.5) == pytest.approx(30 + 4.2 + 5 * np.cos(np.radians(181.5)), abs=1e-3)


def test_layers_in_cells(tmp_path):
    """A cut of cells with a jump has nodes of each side: times are those of two even layers."""
    cells = np.full((60, 40), 3.0)
    cells[:, 12:] = 5.0
    model = fm.Model(cells, spacing=1.0, cells=True)
    with pytest.warns(UserWarning, match="layers 0, 1 have velocity in cells"):
        found = fm.Medium([model, model], {"jump": 12.0})
    assert set(np.unique(found.layer(0).velocity)) == {3.0}
    assert set(np.unique(found.layer(1).velocity)) == {5.0}
    rays = fm.phase_rays(found, "P1P", (5, 0), [(25, 0), (45, 0)])
    np.testing.assert_allclose(rays.times, np.hypot([20, 40], 24) / 3, rtol=1e-6)
    with pytest.raises(ValueError, match="layer 0 has jumps of velocity between its cells"):
        fm.Medium([model, 8.0], {"moho": 35.0})


def test_smooth_cells_keep_the_order_of_the_grid():
    """A gradient in cells of 1 and of 0.5 km: the error of PmP against nodes, whose times are exact."""
    errors = []
    for h in (2.0, 1.0):
        z = np.arange(h / 2, 40, h)
        velocity = np.broadcast_to(5 + 0.04 * z + 0.02 * np.sin(z / 6), (round(100 / h), len(z)))
        model = fm.Model(velocity, spacing=h, cells=True)
        with pytest.warns(UserWarning, match="velocity in cells"):
            found = fm.Medium([model, model], {"moho": 30.0})
        exact = fm.Medium([lambda x, z: 5 + 0.04 * z + 0.02 * np.sin(z / 6), 8.0], {"moho": 30.0}, shape=(401, 161),
                          spacing=0.25)
        ends = (5, 0), [(50, 0), (90, 0)]
        times = fm.phase_rays(found, "PmP", *ends).times
        errors.append(np.abs(times / fm.phase_rays(exact, "PmP", *ends).times - 1).max())
    assert errors[0] < 1e-4 and errors[1] < 0.4 * errors[0]


def test_arrays_of_xarray():
    xarray = pytest.importorskip("xarray")
    array = xarray.DataArray(DEPTH.T, coords={"y": Y, "x": X}, dims=("y", "x"))
    check_plane(medium(array))
    with pytest.raises(ValueError, match=r"has the dimensions \('a', 'x'\) \(must be x and y\)"):
        medium(array.rename(y="a"))


def test_numbers_beside_models_of_other_coordinates():
    """A model below a hill over an even mantle: PmP is straight."""
    x = np.arange(0, 101, 2.0)
    hill = -3 * np.exp(-(((x - 50) / 15) ** 2))
    crust = fm.Model(np.full((51, 31), 6.0), spacing=(2, 1), surface=hill)
    found = fm.Medium([crust, 8.0], {"moho": 25.0})
    assert found.layer(1).coordinates == "terrain"
    assert found.depth("surface", 50.0) == pytest.approx(-3)
    rays = fm.phase_rays(found, "PmP", (50.0, -3.0), (70.0, float(found.depth("surface", 70.0))))
    down, up = 28, 25 - float(found.depth("surface", 70.0))
    assert rays.times[0] == pytest.approx(np.hypot(20, down + up) / 6, rel=1e-4)
    with pytest.raises(ValueError, match="must all be models there, or numbers"):
        fm.Medium([crust, lambda x, z: 8 + 0 * x], {"moho": 25.0})
