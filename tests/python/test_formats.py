"""Files of other programs go in, rays and runs go out, and what is changed on the way is said."""

import json
import struct

import numpy as np
import pytest

import fermat as fm


def put(folder, name, text):
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def test_a_table_with_other_names_and_units(tmp_path):
    file = put(tmp_path, "t.txt", "Shot Geo FB\n0 5 4.5\n0 9 8\n0 12 -1\n")
    names = {"source_x": "Shot", "receiver_x": "Geo", "time": "FB"}
    with pytest.warns(UserWarning, match="1 of 3 picks were left out: 1 has a negative time"):
        picks = fm.picks(file, columns=names, unit={"time": "ms"}, leave_out_bad=True)
    assert np.allclose(picks.time, [0.0045, 0.008])
    with pytest.raises(ValueError, match="is -0.001 .must not be negative"):
        fm.picks(file, columns=names, unit={"time": "ms"})
    with pytest.raises(ValueError, match="must be one of m, km"):
        fm.picks(file, columns=names, unit={"length": "furlong"})
    with pytest.raises(ValueError, match="columns cannot be given with a dict"):
        fm.picks({"time": [1]}, columns=names)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_folder_of_pyrefra_to_an_sgt_and_back(tmp_path):
    put(tmp_path, "shots.geo", "1 0 0 5\n2 10 0 6\n")
    put(tmp_path, "receivers.geo", "1 0 0 5\n2 4 0 5.5\n")
    put(tmp_path, "picks.dat", "1 2 0.006 0.005 0.007\n2 1 0.02 0.018 0.022\n")
    picks = fm.picks(tmp_path)
    assert picks.ndim == 2 and np.allclose(picks.error, [0.001, 0.002])
    picks.save(tmp_path / "line.sgt")
    again = fm.picks(tmp_path / "line.sgt")
    assert np.array_equal(again.sources, picks.sources)
    assert np.allclose(again.error, picks.error)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_longitudes_and_latitudes_are_kept_with_the_picks(tmp_path):
    ends = [f"{end}_{axis}" for end in ("source", "receiver") for axis in ("lon", "lat", "z")]
    head = ",".join([*ends, "time"])
    file = put(tmp_path, "q.csv", head + "\n12,47,10,12.5,47.25,0,9\n12.1,47.2,5,13,48,0,20\n")
    picks = fm.picks(file)
    picks.save(tmp_path / "plane.csv")
    again = fm.picks(tmp_path / "plane.csv")
    assert again.plane == picks.plane
    longitude, latitude = again.plane.to_geographic(again.sources[:, 0], again.sources[:, 1])
    assert np.allclose(longitude, [12, 12.1]) and np.allclose(latitude, [47, 47.2])
    again.save(tmp_path / "back.csv", geographic=True)
    back = np.loadtxt(tmp_path / "back.csv", delimiter=",", skiprows=1)
    assert np.allclose(back[:, 3], [12.5, 13])
    with pytest.raises(ValueError, match="no plane"):
        fm.Picks([(0, 0)], [(1, 0)], source=[0], receiver=[0], time=[1]).save(
            tmp_path / "x.csv", geographic=True
        )


def test_a_plane_keeps_angles_and_refuses_what_is_no_place():
    plane = fm.Plane.round([12, 13], [47, 48], metres=1)
    assert fm.Plane(str(plane)) == plane and plane.metres == 1
    places = plane.to_geographic(np.zeros((2, 3)), np.ones((2, 3)))
    assert places[0].shape == (2, 3)
    with pytest.raises(ValueError, match="no place"):
        plane.to_plane(0, 95)
    with pytest.raises(ValueError, match="not a local plane"):
        fm.Plane("nonsense")


def test_models_in_and_out(tmp_path):
    values = np.arange(1, 13, dtype=np.float32).reshape(4, 3)
    model = fm.Model(values, spacing=(2, 1), origin=(5, -1))
    for name in ("m.grd", "m.vti"):
        model.save(tmp_path / name)
        again = fm.Model.load(tmp_path / name)
        assert np.array_equal(again.velocity, values) and again.origin == model.origin
    values.T.astype(">f8").tofile(tmp_path / "m.bin")
    again = fm.Model.load(
        tmp_path / "m.bin",
        shape=(4, 3),
        spacing=(2, 1),
        dtype="float64",
        order="zx",
        big_endian=True,
    )
    assert np.array_equal(again.velocity, values)
    with pytest.raises(ValueError, match="shape has 1 numbers"):
        fm.Model.load(tmp_path / "m.bin", shape=(4,), spacing=1)


def test_netcdf_through_xarray(tmp_path):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("scipy")
    values = np.arange(1, 13, dtype=np.float32).reshape(4, 3)
    for cells in (False, True):
        model = fm.Model(values, spacing=(2, 1), origin=(5, -1), cells=cells)
        model.save(tmp_path / "m.nc")
        again = fm.Model.load(tmp_path / "m.nc")
        assert np.array_equal(again.velocity, values) and again.cells == cells
        assert np.allclose(again.origin, model.origin)
    axes = {"x": range(4), "elevation": range(3)}
    heights = xarray.DataArray(values, dims=tuple(axes), coords=axes)
    heights.to_dataset(name="vp").to_netcdf(tmp_path / "h.nc")
    up = fm.Model.load(tmp_path / "h.nc")
    assert np.array_equal(up.velocity, values[:, ::-1]) and up.origin == (0, -2)
    heights.assign_coords(x=[0, 1, 2, 4]).to_dataset(name="vp").to_netcdf(tmp_path / "odd.nc")
    with pytest.raises(ValueError, match="not evenly spaced"):
        fm.Model.load(tmp_path / "odd.nc")


def test_rays_as_geojson_and_a_folder_for_paraview(tmp_path):
    model = fm.Model.constant((21, 21, 11), velocity=5)
    rays = fm.rays(model, (10, 10, 5), [(0, 0, 0), (20, 20, 0)])
    plane = fm.Plane.round([12], [47])
    fm.export.rays(rays, tmp_path / "r.geojson", plane=plane)
    features = json.loads((tmp_path / "r.geojson").read_text())["features"]
    end = features[1]["geometry"]["coordinates"][0]
    assert np.allclose(end[:2], np.ravel(plane.to_geographic(20, 20)))
    assert features[1]["properties"]["time"] == pytest.approx(rays.times[1])
    with pytest.warns(UserWarning, match="no plane"):
        fm.export.rays(rays, tmp_path / "r.geojson")
    with pytest.raises(ValueError, match=".geojson or .vtp"):
        fm.export.rays(rays, tmp_path / "r.shp")
    files = fm.export.paraview(model, tmp_path / "view", rays=rays)
    compile(files["state"].read_text(), "state.py", "exec")
    pyvista = pytest.importorskip("pyvista")
    view = pyvista.read(files["view"])
    assert view["velocity"].n_points == 21 * 21 * 11
    assert view["rays"].n_lines == 2
    assert np.allclose(view["rays"]["time"], rays.times)


def seg2(order, source, receivers):
    """A SEG-2 file with one sample per trace."""

    def strings(words):
        blocks = [word.encode() + b"\0" for word in words]
        return b"".join(struct.pack(order + "H", len(b) + 2) + b for b in blocks) + b"\0\0"

    count = len(receivers)
    head = struct.pack(order + "HHHH", 0x3A55, 1, 4 * count, count).ljust(32, b"\0")
    shared = strings([f"SOURCE_LOCATION {source}", "UNITS METERS"])
    at, pointers, traces = 32 + 4 * len(receivers) + len(shared), b"", b""
    for place in receivers:
        text = strings([f"RECEIVER_LOCATION {place}"] if place else ["CHANNEL_NUMBER 1"])
        block = struct.pack(order + "HHII", 0x4422, 32 + len(text), 4, 1).ljust(32, b"\0")
        block += text + b"\0" * 4
        pointers += struct.pack(order + "I", at)
        at += len(block)
        traces += block
    return head + pointers + shared + traces


def segy(traces):
    data = bytearray(3600)
    struct.pack_into(">HHH", data, 3220, 2, 2, 5)
    for sx, gx, height in traces:
        head = bytearray(240)
        struct.pack_into(">i", head, 40, height)
        struct.pack_into(">2h", head, 68, -10, -100)
        struct.pack_into(">4i", head, 72, sx, 0, gx, 0)
        data += head + bytes(8)
    return bytes(data)


@pytest.mark.parametrize("order", "<>")
def test_the_geometry_of_a_seg2_folder(tmp_path, order):
    (tmp_path / "1.sg2").write_bytes(seg2(order, "0.0 0.0 5", ["2 0 5", "4 0 5.5", ""]))
    (tmp_path / "2.sg2").write_bytes(seg2(order, "10", ["2 0 5", "4 0 5.5"]))
    with pytest.warns(UserWarning, match="1 of 5 traces do not tell"):
        found = fm.geometry(tmp_path)
    assert found.sources.tolist() == [[0, -5], [10, 0]]
    assert found.receivers.tolist() == [[2, -5], [4, -5.5]]
    assert found.pairs.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    found.plot()
    found.save(tmp_path / "out")
    assert (tmp_path / "out" / "pairs.csv").read_text().startswith("source,receiver\n0,0\n")
    (tmp_path / "2.sg2").write_bytes(seg2(order, "10", ["2 0 5"])[:70])
    with pytest.raises(ValueError, match="truncated or damaged"):
        fm.geometry(tmp_path / "2.sg2")


def test_the_geometry_of_segy_has_scalars(tmp_path):
    (tmp_path / "a.sgy").write_bytes(segy([(100, 250, 15), (100, 350, 20), (0, 0, 0)]))
    with pytest.warns(UserWarning, match="1 of 3 traces"):
        found = fm.geometry(tmp_path / "a.sgy")
    assert found.sources.tolist() == [[1, 0]]
    assert found.receivers.tolist() == [[2.5, -1.5], [3.5, -2]]
    (tmp_path / "b.sgy").write_bytes(segy([(0, 0, 0)]))
    with pytest.raises(ValueError, match="none of 1 traces"):
        fm.geometry(tmp_path / "b.sgy")


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_everything_shows_itself_in_a_notebook():
    model = fm.Model.gradient((41, 21), v0=2, gradient=0.5, spacing=0.25)
    pairs = dict(source=[0, 0, 1, 1], receiver=[0, 1, 0, 1])
    ends = ([(0, 0), (10, 0)], [(4, 0), (6, 0)])
    picks = fm.Picks(*ends, time=[1.8, 2.5, 2.5, 1.8], error=0.1, **pairs)
    rays = fm.rays(model, picks.sources, picks.receivers)
    for thing in (model, picks, rays, fm.invert(model, picks)):
        text = thing._repr_html_()
        assert "<table>" in text and "data:image/png" in text


@pytest.mark.parametrize("cells", [False, True])
def test_a_model_goes_out_in_degrees(tmp_path, cells):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("scipy")
    values = np.arange(24, dtype=np.float32).reshape(4, 3, 2)  # the first is air
    model = fm.Model(values, spacing=2, origin=(5, -1, 0), cells=cells)
    plane = fm.Plane.round([12], [47])
    fm.export.model(model, tmp_path / "m.nc", plane=plane)
    with xarray.open_dataset(tmp_path / "m.nc") as data:
        corner = np.array([5.0, -1.0]) + (1 if cells else 0)
        assert np.allclose([data.longitude[0, 0], data.latitude[0, 0]], plane.to_geographic(*corner))
        assert data.attrs["plane"] == str(plane)
    assert np.array_equal(fm.Model.load(tmp_path / "m.nc").velocity, values)
    with pytest.warns(UserWarning, match="1 of 24 values are air"):
        fm.export.model(model, tmp_path / "m.csv", plane=plane)
    table = np.loadtxt(tmp_path / "m.csv", delimiter=",", skiprows=1)
    x, y = plane.to_plane(table[:, 0], table[:, 1])
    assert np.allclose(x[-1] - x[0], 6, atol=1e-3) and np.allclose(table[:, 3], values.ravel()[1:])
    with pytest.raises(ValueError, match="are .nc or .csv"):
        fm.export.model(model, tmp_path / "m.vti", plane=plane)
    with pytest.raises(ValueError, match="must be 3-D"):
        fm.export.model(fm.Model.constant((3, 3), velocity=1), tmp_path / "m.csv", plane=plane)
