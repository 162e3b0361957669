"""Files of other programs go in, rays and runs go out, and what is changed on the way is said."""

import gzip
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


def segy(traces, order=">", unit=1, north=0):
    data = bytearray(3600)
    struct.pack_into(order + "HHH", data, 3220, 2, 2, 5)
    for sx, gx, height in traces:
        head = bytearray(240)
        struct.pack_into(order + "i", head, 40, height)
        struct.pack_into(order + "2h", head, 68, -10, -100)
        struct.pack_into(order + "4ih", head, 72, sx, north, gx, north, unit)
        struct.pack_into(order + "H", head, 114, 2)
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


def test_records_of_a_folder_are_known_by_their_content(tmp_path):
    """.dat is a name of SEG-2, of SEG-Y and of tables; records may have any other name."""
    cards = b"C 1 CLIENT".ljust(3200)
    (tmp_path / "1.dat").write_bytes(seg2("<", "0", ["2"]))
    (tmp_path / "2.dat").write_bytes(cards + segy([(100, 300, 0)])[3200:])
    (tmp_path / "3").write_bytes(seg2(">", "5", ["2"]))
    (tmp_path / "picks.dat").write_text("0 0 1 0.5\n")
    (tmp_path / "empty.dat").write_bytes(b"")
    (tmp_path / "notes.txt").write_text("a line of 3 shots")
    with pytest.warns(UserWarning, match="2 of 5 files in .* are no shot records and were left out: "
                                         "empty.dat, picks.dat"):
        found = fm.geometry(tmp_path)
    assert found.sources[:, 0].tolist() == [0, 1, 5] and len(found) == 3
    with pytest.raises(ValueError, match="picks.dat' is not known"):
        fm.geometry(tmp_path / "picks.dat")
    only = tmp_path / "only"
    only.mkdir()
    (only / "picks.dat").write_text("0 0 1 0.5\n")
    with pytest.raises(ValueError, match="only' has no shot record"):
        fm.geometry(only)
    # What is named as a record and is none stays an error.
    (only / "bad.sg2").write_bytes(b"no record")
    with pytest.raises(ValueError, match="bad.sg2' is not SEG-2"):
        fm.geometry([only / "bad.sg2"])


def test_waveforms_given_as_picks_are_called_so(tmp_path):
    miniseed = b"000001D ST   00HHZAB".ljust(48, b"\0").ljust(512, b"\1")
    sac = bytearray(632)
    struct.pack_into("<i", sac, 304, 6)
    for content, name in ((seg2("<", "0", ["2"]), "SEG-2"), (segy([(100, 250, 15)]), "SEG-Y"),
                          (miniseed, "miniSEED"), (bytes(sac), "SAC")):
        for suffix in (".dat", ".csv", ".sgt", ""):
            file = tmp_path / f"picks{suffix}"
            file.write_bytes(content)
            with pytest.raises(ValueError, match=rf"holds waveforms \({name}\) and picks are needed"):
                fm.picks(file)
            with pytest.raises(ValueError, match=rf"holds waveforms \({name}\) and picks are needed"):
                fm.read_picks(file, stations=file)


def test_the_geometry_of_segy_has_scalars(tmp_path):
    (tmp_path / "a.sgy").write_bytes(segy([(100, 250, 15), (100, 350, 20), (0, 0, 0)]))
    with pytest.warns(UserWarning, match="1 of 3 traces"):
        found = fm.geometry(tmp_path / "a.sgy")
    assert found.sources.tolist() == [[1, 0]]
    assert found.receivers.tolist() == [[2.5, -1.5], [3.5, -2]]
    # The other byte order, and Seismic Unix, which has no header of the file.
    (tmp_path / "l.sgy").write_bytes(segy([(100, 250, 15)], order="<"))
    for order, name in ((">", "b.su"), ("<", "l.su")):
        (tmp_path / name).write_bytes(segy([(100, 250, 15), (100, 350, 20)], order)[3600:])
    for name in ("l.sgy", "b.su", "l.su"):
        assert fm.geometry(tmp_path / name).receivers[0].tolist() == [2.5, -1.5]
    (tmp_path / "l.su").write_bytes(segy([(100, 250, 15)])[3600:-3])
    with pytest.raises(ValueError, match="traces do not fill it"):
        fm.geometry(tmp_path / "l.su")
    (tmp_path / "b.sgy").write_bytes(segy([(0, 0, 0)]))
    with pytest.raises(ValueError, match="none of 1 traces"):
        fm.geometry(tmp_path / "b.sgy")


def test_geometry_in_seconds_of_arc_is_put_on_a_plane(tmp_path):
    at = 12 * 3600 * 100  # hundredths of a second
    rows = [(at, at + 100 * n, 0) for n in (1, 2)]
    (tmp_path / "a.sgy").write_bytes(segy(rows, unit=2, north=47 * 3600 * 100))
    with pytest.warns(UserWarning, match="were put on the local plane: longitude=12.000"):
        found = fm.geometry(tmp_path / "a.sgy")
    # A second of longitude is 21.1 m at 47 degrees north.
    assert np.allclose(np.diff(found.receivers[:, 0]), 21.12, atol=0.01)
    assert np.allclose(found.plane.to_geographic(*found.sources[0, :2]), [12, 47])
    found.save(tmp_path / "survey")
    assert (tmp_path / "survey" / "sources.csv").read_text().startswith(f"# {found.plane}\nx,y,z\n")
    (tmp_path / "b.sgy").write_bytes(segy([(1, 2, 0)]))
    with pytest.raises(ValueError, match="2 of 3 traces have degrees"):
        fm.geometry([tmp_path / "a.sgy", tmp_path / "b.sgy"])


@pytest.fixture
def slanted(tmp_path):
    """A table of a line 30 degrees from north to east, in degrees and m."""
    plane = fm.Plane.round([12.0], [47.5], metres=1)
    x = np.arange(0, 41, 10.0)
    lon, lat = plane.to_geographic(x / 2, x * np.sqrt(0.75))
    rows = [f"{lon[s]},{lat[s]},0,{lon[r]},{lat[r]},0,{abs(x[r] - x[s]) / 500}"
            for s in (0, 4) for r in range(5) if r != s]
    return put(tmp_path, "line.txt", "slon,slat,sz,rlon,rlat,rz,t\n" + "\n".join(rows) + "\n")


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_line_in_degrees_gives_its_results_in_degrees(slanted, tmp_path):
    names = {f"{end}_{ours}": f"{end[0]}{theirs}" for end in ("source", "receiver")
             for ours, theirs in (("longitude", "lon"), ("latitude", "lat"), ("z", "z"))}
    picks = fm.picks(slanted, columns={**names, "time": "t"}, line=True, unit={"length": "m"},
                     to={"length": "m"})
    assert picks.ndim == 2 and picks.plane.is_line
    picks.save(tmp_path / "line.csv")
    assert fm.picks(tmp_path / "line.csv").plane == picks.plane
    picks.save(tmp_path / "back.csv", geographic=True)
    again = np.loadtxt(tmp_path / "back.csv", delimiter=",", skiprows=1)
    theirs = np.loadtxt(slanted, delimiter=",", skiprows=1)
    assert np.allclose(again[:, :6], theirs[:, :6], atol=1e-8)
    model = fm.Model.constant((42, 5), velocity=500)
    rays = fm.rays(model, picks.sources, picks.receivers)
    fm.export.rays(rays, tmp_path / "r.geojson", plane=picks.plane)
    first = json.loads((tmp_path / "r.geojson").read_text())["features"][1]["geometry"]["coordinates"][0]
    assert np.allclose(first[:2], theirs[1, 3:5]) or np.allclose(first[:2], theirs[0, 3:5])
    fm.export.model(model, tmp_path / "m.csv", plane=picks.plane)
    table = np.loadtxt(tmp_path / "m.csv", delimiter=",", skiprows=1)
    assert len(table) == 42 * 5
    assert np.allclose(table[0, :2], theirs[0, :2], atol=1e-8)
    if pytest.importorskip("xarray"):
        fm.export.model(model, tmp_path / "m.nc", plane=picks.plane)
    with pytest.raises(ValueError, match="distance along the line"):
        fm.picks(tmp_path / "line.csv", plane=fm.Plane.round([12], [47]))


def test_picks_go_onto_a_plane_of_the_users(tmp_path):
    head = "source_longitude,source_latitude,source_z,receiver_longitude,receiver_latitude,receiver_z,time"
    file = put(tmp_path, "q.csv", head + "\n12,47,10,12.5,47.25,0,3\n12.1,47,5,13,48,0,20\n")
    mine = fm.Plane.round([11.0], [46.0], metres=1)
    with pytest.warns(UserWarning, match="local plane"):
        local, moved = fm.picks(file), fm.picks(file, plane=mine)
    assert moved.plane == mine and np.allclose(moved.sources[:, 2], 1000 * local.sources[:, 2])
    assert np.allclose(mine.to_geographic(*moved.sources[0, :2]), [12, 47])
    local.save(tmp_path / "p.csv")
    with pytest.warns(UserWarning, match="cannot keep the plane"):
        moved.save(tmp_path / "p.sgt")
    with pytest.raises(ValueError, match="has no longitudes and latitudes"):
        fm.picks(tmp_path / "p.sgt", plane=mine)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_planes_of_proj_are_kept_and_given_back(tmp_path):
    pytest.importorskip("pyproj")
    zone = fm.Plane.proj("EPSG:32633", metres=1000)
    assert zone.metres == 1000 and np.allclose(zone.to_plane(12, 47.5), [274.0686, 5265.0925])
    picks = fm.Picks([(274, 5265, 8)], [(280, 5270, 0)], source=[0], receiver=[0], time=[3], plane=zone)
    picks.save(tmp_path / "p.csv")
    assert fm.picks(tmp_path / "p.csv").plane == zone
    picks.save(tmp_path / "degrees.csv", geographic=True)
    row = np.loadtxt(tmp_path / "degrees.csv", delimiter=",", skiprows=1)
    assert np.allclose(row[:2], zone.to_geographic(274, 5265), atol=1e-8) and row[2] == 8
    with pytest.raises(ValueError, match="has no x and y on a plane"):
        fm.Plane.proj("EPSG:4326")


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
    with pytest.raises(ValueError, match="must end in .csv, .xyz, .vtk or .nc"):
        fm.export.model(model, tmp_path / "m.vti", plane=plane)
    with pytest.raises(ValueError, match="must be 3-D"):
        fm.export.model(fm.Model.constant((3, 3), velocity=1), tmp_path / "m.csv", plane=plane)


def test_packed_files_are_read_as_what_they_pack(tmp_path):
    picks = tmp_path / "line.csv.gz"
    with gzip.open(picks, "wt") as file:
        file.write("source_x,source_z,receiver_x,receiver_z,time\n0,0,5,0,4\n0,0,9,0,6\n")
    assert fm.picks(picks).time.tolist() == [4, 6]
    model = tmp_path / "model.csv.gz"
    with gzip.open(model, "wt") as file:
        file.write("x,z,velocity\n" + "".join(f"{x},{z},{1 + z}\n" for x in range(3) for z in range(2)))
    assert fm.Model.load(model).velocity[0].tolist() == [1, 2]
    with gzip.open(tmp_path / "model.npy.gz", "wb") as file:
        np.save(file, np.ones((3, 3), np.float32))
    with pytest.raises(ValueError, match="the spacing must be given"):
        fm.Model.load(tmp_path / "model.npy.gz")
    assert fm.Model.load(tmp_path / "model.npy.gz", spacing=1).shape == (3, 3)
    picks.write_bytes(picks.read_bytes()[:-9])
    with pytest.raises(ValueError, match="is truncated"):
        fm.picks(picks)
