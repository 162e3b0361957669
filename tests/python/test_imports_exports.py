"""Models of other programs in Python, and models for other programs."""

import numpy as np
import pytest

import fermat as fm


def emc(tmp_path, depths, missing=False):
    """A file with the names and attributes of the EarthScope collection's models."""
    xarray = pytest.importorskip("xarray")
    latitude, longitude = np.linspace(30, 34, 5), np.linspace(-120, -117, 4)
    vp = np.broadcast_to(5 + 0.01 * np.asarray(depths, float)[:, None, None], (len(depths), 5, 4))
    vp = vp + 0.1 * np.arange(5)[None, :, None]
    if missing:
        vp = vp.copy()
        vp[0, 0, 0] = np.nan
    data = xarray.Dataset(
        {"vp": (("depth", "latitude", "longitude"), vp), "vs": (("depth", "latitude", "longitude"),
                                                                vp / 1.73)},
        {"depth": ("depth", depths, {"units": "km", "positive": "down"}), "latitude": latitude,
         "longitude": longitude},
    )
    data.to_netcdf(tmp_path / "emc.nc")
    return tmp_path / "emc.nc"


def test_netcdf_in_degrees_is_a_spherical_model(tmp_path):
    with pytest.warns(UserWarning, match="'vp' is taken"):
        model = fm.Model.load(emc(tmp_path, [0.0, 10.0, 20.0]))
    assert model.coordinates == "spherical" and model.shape == (5, 4, 3)
    assert model.origin == pytest.approx((30, -120, 0))
    assert model.spacing == pytest.approx((1, 1, 10))
    assert model.velocity[4, 0, 1] == pytest.approx(5.5, abs=1e-5)


def test_netcdf_with_uneven_depths_or_gaps_is_mended_and_told(tmp_path):
    with pytest.warns(UserWarning) as told:
        model = fm.Model.load(emc(tmp_path, [0.0, 5.0, 20.0], missing=True))
    said = " ".join(str(one.message) for one in told)
    assert "resampled to 5 even layers" in said and "1 of 60 nodes have no value" in said
    assert model.shape == (5, 4, 5)
    assert model.velocity[0, 1] == pytest.approx(5 + 0.05 * np.arange(5), abs=1e-5)


def test_a_slice_is_a_grid_of_surfer_that_reads_back(tmp_path):
    model = fm.Model(np.arange(1.0, 61.0).reshape(3, 4, 5), spacing=(2, 1, 0.5), origin=(10, 20, 0))
    fm.export.slice(model, tmp_path / "s.grd", depth=0.75)
    words = (tmp_path / "s.grd").read_text().split()
    assert words[:9] == ["DSAA", "3", "4", "10.0", "14.0", "20.0", "23.0", "2.5", "57.5"]
    values = np.array(words[9:], float).reshape(4, 3)
    assert values == pytest.approx((model.velocity[..., 1] + model.velocity[..., 2]).T / 2)
    air = fm.Model(np.where(model.velocity < 10, 0, model.velocity), spacing=1)
    fm.export.slice(air, tmp_path / "a.grd", depth=1)
    assert "1.70141e+38" in (tmp_path / "a.grd").read_text()
    for wrong, kind in (({"depth": 9}, "must be from 0 to 2"), ({"depth": 1}, r"\.grd or \.tif")):
        file = tmp_path / ("x.grd" if wrong["depth"] == 9 else "x.png")
        with pytest.raises(ValueError, match=kind):
            fm.export.slice(model, file, **wrong)
    with pytest.raises(ValueError, match="2-D"):
        fm.export.slice(fm.Model.constant((3, 3), velocity=1), tmp_path / "x.grd", depth=1)


def test_a_slice_is_a_geotiff_on_its_plane(tmp_path):
    rasterio = pytest.importorskip("rasterio")
    model = fm.Model(np.arange(1.0, 61.0).reshape(3, 4, 5), spacing=1, origin=(-1, -1.5, 0))
    plane = fm.Plane.round([12.0], [47.0])
    fm.export.slice(model, tmp_path / "s.tif", depth=0, plane=plane)
    with rasterio.open(tmp_path / "s.tif") as raster:
        assert raster.shape == (4, 3)
        assert raster.read(1)[-1] == pytest.approx(model.velocity[:, 0, 0])
        assert raster.bounds.left == pytest.approx(-1500) and raster.bounds.top == pytest.approx(2000)
        assert "Transverse_Mercator" in raster.crs.wkt
    sphere = fm.Model(np.full((3, 4, 5), 5.0), spacing=(1, 1, 10), origin=(45, 10, 0),
                      coordinates="spherical")
    fm.export.slice(sphere, tmp_path / "e.tif", depth=10)
    with rasterio.open(tmp_path / "e.tif") as raster:
        assert raster.crs.to_epsg() == 4326 and raster.bounds.left == pytest.approx(9.5)
    with pytest.warns(UserWarning, match="no place on the earth"):
        fm.export.slice(model, tmp_path / "n.tif", depth=0)


def test_pyvista_opens_what_ends_in_vtkhdf(tmp_path):
    pyvista = pytest.importorskip("pyvista")
    model = fm.Model.gradient((4, 3, 5), v0=2, gradient=0.5)
    model.save(tmp_path / "model.vtkhdf")
    shown = pyvista.read(tmp_path / "model.vtkhdf")
    assert shown.dimensions == (4, 3, 5)
    assert shown["velocity"].max() == pytest.approx(4)
    assert np.array_equal(fm.Model.load(tmp_path / "model.vtkhdf").velocity, model.velocity)


def test_segyio_and_obspy_read_the_segy_that_is_written(tmp_path):
    segyio = pytest.importorskip("segyio")
    model = fm.Model(np.arange(1.0, 25.0).reshape(3, 2, 4), spacing=(25, 12.5, 2), origin=(100, 50, 0))
    model.save(tmp_path / "m.sgy")
    with segyio.open(tmp_path / "m.sgy", ignore_geometry=True) as file:
        assert file.trace.raw[:].reshape(3, 2, 4) == pytest.approx(np.asarray(model.velocity))
        assert segyio.tools.dt(file) == 2000
        assert file.header[5][segyio.TraceField.CDP_X] == 150000
        assert file.header[0][segyio.TraceField.SourceGroupScalar] == -1000
        assert b"VELOCITY AGAINST DEPTH" in file.text[0]
    obspy = pytest.importorskip("obspy")
    stream = obspy.read(str(tmp_path / "m.sgy"), format="SEGY")
    assert len(stream) == 6 and stream[5].data == pytest.approx(np.asarray(model.velocity)[2, 1])
    with pytest.warns(UserWarning, match="step of depth of 2"):
        again = fm.Model.load(tmp_path / "m.sgy")
    assert again.origin == model.origin and again.spacing == model.spacing
    assert np.array_equal(again.velocity, model.velocity)
