"""Files of layered media: ours, and those of rayinvr, tomo2d and FMTOMO."""

import fermat as fm
import h5py
import numpy as np
import pytest


def test_a_saved_medium_is_read_back(tmp_path):
    medium = fm.Medium(
        [(lambda x, z: 5 + 0.02 * z, 3.0), 8.0],
        {"moho": lambda x: 25 + 0.05 * x},
        shape=(101, 41),
        spacing=1.0,
        origin=(-5, 0),
    )
    medium.save(tmp_path / "m.h5")
    again = fm.Medium.load(tmp_path / "m.h5")
    assert again.interfaces == ["surface", "moho"]
    assert len(again) == 2
    np.testing.assert_array_equal(again.layer(0).velocity, medium.layer(0).velocity)
    np.testing.assert_array_equal(again.layer(0, "S").velocity, medium.layer(0, "S").velocity)
    with pytest.raises(ValueError, match="has no velocity of S"):
        again.layer(1, "S")
    x = np.linspace(-5, 95, 33)
    np.testing.assert_array_equal(again.depth("moho", x), medium.depth("moho", x))
    ends = ((3, 0), [(40, 0), (80, 0)])
    assert np.array_equal(fm.phase_rays(again, "PmP", *ends).times, fm.phase_rays(medium, "PmP", *ends).times)
    # As a model: that of all layers.
    np.testing.assert_array_equal(fm.Model.load(tmp_path / "m.h5").velocity, medium.model().velocity)
    with h5py.File(tmp_path / "m.h5") as file:
        assert file["VTKHDF"].attrs["Type"] == b"ImageData"
        assert set(np.unique(file["VTKHDF/PointData/layer"])) == {0, 1}


def test_a_spherical_medium_is_read_back(tmp_path):
    earth = fm.Medium.earth("ak135", (-1, 1), (-1, 3), 100, spacing=(0.5, 0.5, 5))
    earth.save(tmp_path / "e.h5")
    again = fm.Medium.load(tmp_path / "e.h5")
    assert again.interfaces == earth.interfaces
    ends = ((0, 0, 0), (0, 1.5, 0))
    assert fm.phase_rays(again, "PmP", *ends).times[0] == fm.phase_rays(earth, "PmP", *ends).times[0]


V_IN = """\
 1    0.00  100.00
 0    0.00    0.00
         0       0
 1    0.00  100.00
 0    5.00    5.00
         0       0
 1    0.00  100.00
 0    5.50    5.50
         0       0
 2    0.00   50.00  100.00
 0   20.00   25.00   20.00
         0       0       0
 2    0.00  100.00
 0    6.50    6.50
         0       0
 2    0.00  100.00
 0    7.00    7.00
         0       0
 3    0.00  100.00
 0   40.00   40.00
"""


def test_rayinvr(tmp_path):
    (tmp_path / "v.in").write_text(V_IN)
    with pytest.warns(UserWarning, match="2 layers on a grid of 0.5 and 0.5"):
        medium = fm.Medium.load(tmp_path / "v.in", spacing=0.5, names=["surface", "moho"])
    assert medium.interfaces == ["surface", "moho"]
    np.testing.assert_allclose(medium.depth("moho", [0.0, 25.0, 50.0]), [20, 22.5, 25])
    z = np.arange(0, 40.1, 0.5)
    np.testing.assert_allclose(medium.layer(0).velocity[0, z <= 20], 5 + z[z <= 20] / 40, rtol=1e-6)
    # Beyond the layer its gradient goes on for two steps.
    np.testing.assert_allclose(medium.layer(0).velocity[0, z == 20.5], 5 + 20.5 / 40, rtol=1e-6)
    with pytest.raises(ValueError, match="3 names are given for 2 interfaces"):
        fm.Medium.load(tmp_path / "v.in", names=["a", "b", "c"])


def test_tomo2d(tmp_path):
    x, z = np.linspace(0, 100, 11), np.linspace(0, 40, 9)
    ground = 1 + 0.01 * x
    lines = [f"{len(x)} {len(z)} 1.5 0.33", " ".join(map(str, x)), " ".join(map(str, ground)), " ".join(map(str, z))]
    lines += [" ".join(str(4 + 0.1 * d) for d in z) for _ in x]
    (tmp_path / "line.smesh").write_text("\n".join(lines) + "\n")
    (tmp_path / "moho.refl").write_text("".join(f"{a} {20 + 0.05 * a}\n" for a in x))
    with pytest.raises(ValueError, match="has no reflector"):
        fm.Medium.load(tmp_path / "line.smesh")
    with pytest.warns(UserWarning, match="3 layers"):
        medium = fm.Medium.load(tmp_path / "line.smesh", interfaces=tmp_path / "moho.refl", spacing=0.5)
    assert medium.interfaces == ["surface", "seafloor", "reflector"]
    np.testing.assert_allclose(medium.depth("reflector", [0.0, 50.0]), [20, 22.5])
    np.testing.assert_allclose(medium.depth("seafloor", [0.0, 50.0]), [1, 1.5])
    assert set(np.unique(medium.layer(0).velocity)) == {1.5}
    np.testing.assert_allclose(medium.layer(1).velocity[0, 22], 4 + 0.1 * 10, rtol=1e-6)
    # Shot in the water, receiver on the seafloor: down and up at normal incidence.
    rays = fm.phase_rays(medium, "P<reflector>P", (50, 0.0), (50, 1.5))
    assert rays.arrived.all()


def spline_file(nodes, steps, first, values):
    rows = [" ".join(map(str, line)) for line in (nodes, steps, first)]
    return "\n".join(rows + [f"{v:.9g}" for v in np.ravel(values)]) + "\n"


def test_fmtomo(tmp_path):
    degree = np.pi / 180
    nodes, steps = (30, 10, 10), (2.0, 0.2 * degree, 0.2 * degree)
    first = (6371.0 - 54, 0.8 * degree, 0.8 * degree)
    r = first[0] + 2.0 * np.arange(30)
    # Splines of linear coefficients are linear.
    grids = [np.broadcast_to((v - 0.01 * (r - 6371))[:, None, None], nodes) for v in (5.0, 8.0, 3.0, 4.5)]
    text = "2 2\n" + "".join(spline_file(nodes, steps, first, g) for g in grids)
    (tmp_path / "vgrids.in").write_text(text)
    surfaces = [6371.0, 6371.0 - 30, 6371.0 - 50]
    values = np.concatenate([np.full((10, 10), s) for s in surfaces])
    (tmp_path / "interfaces.in").write_text("3\n" + spline_file(nodes[1:], steps[1:], first[1:], values))
    with pytest.warns(UserWarning, match="2 layers and their interfaces were sampled"):
        medium = fm.Medium.load(tmp_path / "vgrids.in", names=["surface", "moho"])
    assert medium.interfaces == ["surface", "moho"]
    assert medium.depth("moho", 1.5, 1.5) == pytest.approx(30)
    z = np.asarray(medium._axes[2])
    np.testing.assert_allclose(medium.layer(0).velocity[2, 2], 5 + 0.01 * z, rtol=1e-5)
    np.testing.assert_allclose(medium.layer(1, "S").velocity[2, 2], 4.5 + 0.01 * z, rtol=1e-5)
    rays = fm.phase_rays(medium, "PmP", (1.5, 1.5, 0), (1.5, 1.5001, 0))
    assert rays.times[0] == pytest.approx(2 * np.log((5 + 0.3) / 5) / 0.01, rel=1e-4)


def test_files_that_are_no_layered_media(tmp_path):
    fm.Model.constant((11, 11), spacing=1.0, velocity=3.0).save(tmp_path / "plain.h5")
    with pytest.raises(ValueError, match="is a model without layers"):
        fm.Medium.load(tmp_path / "plain.h5")
    (tmp_path / "a.txt").write_text("1 2 3\n")
    with pytest.raises(ValueError, match="is no layered medium"):
        fm.Medium.load(tmp_path / "a.txt")
    with pytest.raises(ValueError, match="layered media are written as .h5"):
        fm.Medium([6.0, 8.0], {"moho": 30.0}, shape=(101, 41)).save(tmp_path / "m.vti")


def test_picture_of_phases(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    medium = fm.Medium([6.0, 8.0], {"moho": 30.0}, shape=(101, 41), spacing=1.0)
    rays = [fm.phase_rays(medium, name, (5, 0), [(40, 0), (90, 0)]) for name in ("Pg", "PmP")]
    figure = fm.plot.phases(rays, reduce=6.0, title="crust")
    above = figure.axes[0]
    assert [text.get_text() for text in above.get_legend().get_texts()] == ["Pg", "PmP"]
    np.testing.assert_allclose(above.lines[0].get_ydata(), 0, atol=1e-9)
    with pytest.raises(ValueError, match="reduce is -1"):
        fm.plot.phases(rays, reduce=-1)
    with pytest.raises(ValueError, match="rays is empty"):
        fm.plot.phases([])


# As rayinvr's own examples are written: ten numbers a line and more on the next, one number where a
# boundary is flat, 0 for "as above", blanks at the ends of lines, -1 among the flags.
V_LONG = """\
 1    0.00  25.00  50.00  75.00 100.00 125.0  150.00 175.00 200.00 225.00 
 1    0.30   0.10  -0.40  -1.00   0.10   0.50   1.20   0.20   0.90   0.60
         0      0      0      0      0      0      0      0      0      0
 1  250.00 275.00 300.00
 0    0.00   0.40   0.40
         0      0      0
 1    0.00 150.00 300.00
 0    5.60   5.10   5.60
         1      1      1
 1    0.00 150.00 300.00
 0    6.10   5.60   6.10
        -1     -1     -1
 2  300.00  
 0   12.00
         0
 2  300.00 
 0    0.00
         0 
 2  300.00
 0    6.30
         0
 3    0.00 150.00 300.00 
 0   28.00  33.00  33.00
         0      0      0
 3  300.00
 0    8.00
         0
 3  300.00
 0    0.00
         0
 4  300.00 
 0   40.00 
"""


def test_rayinvr_as_its_examples_are_written(tmp_path):
    (tmp_path / "v.in").write_text(V_LONG)
    with pytest.warns(UserWarning, match="3 layers on a grid"):
        medium = fm.Medium.load(tmp_path / "v.in", spacing=(1.0, 0.5))
    np.testing.assert_allclose(medium.depth("surface", [75.0, 287.5]), [-1.0, 0.4])
    np.testing.assert_allclose(medium.depth("1", [0.0, 300.0]), 12)
    z = np.asarray(medium._axes[1])
    column = medium.layer(1).velocity[0]
    # From the 6.1 above its top, as 0 says, to 6.3 at its bottom.
    np.testing.assert_allclose(column[z == 12.0], 6.1, rtol=1e-6)
    np.testing.assert_allclose(column[z == 20.0], 6.1 + 0.2 * 8 / 16, rtol=1e-6)
    np.testing.assert_allclose(medium.layer(2).velocity[:, -1], 8.0)
    ground = float(medium.depth("surface", 100.0))
    assert fm.phase_rays(medium, "2.2", (0.0, 0.3), (100.0, ground)).arrived.all()


def test_fmtomo_as_its_examples_are_written(tmp_path):
    """Fortran's blanks and exponents, the southern hemisphere, a ground above the sphere, and grids of
    another size in each layer."""
    def block(nodes, steps, first, values):
        head = "".join(f"{n:12d}" for n in nodes) + "\n" + "".join(f"{s:24.15E}" for s in steps) + "\n"
        return head + "".join(f"{f:24.15E}" for f in first) + "     \n" + "".join(f"{v:11.6f}    \n" for v in values)

    degree = np.pi / 180
    grids = []
    for (nodes, velocity) in (((15, 12, 13), 6.0), ((9, 8, 7), 8.0)):
        steps = [102.5 / (nodes[0] - 3), 3 * degree / (nodes[1] - 3), 4 * degree / (nodes[2] - 3)]
        first = [6270.0 - steps[0], -42 * degree - steps[1], 138 * degree - steps[2]]
        grids.append(block(nodes, steps, first, np.full(np.prod(nodes), velocity)))
    (tmp_path / "vgrids.in").write_text("           2           1\n" + "".join(grids))
    nodes = (14, 14)
    steps = [3 * degree / 11, 4 * degree / 11]
    first = [-42 * degree - steps[0], 138 * degree - steps[1]]
    radii = np.repeat([6372.3, 6331.0, 6271.0], 14 * 14)
    (tmp_path / "interfaces.in").write_text("           3\n" + block(nodes, steps, first, radii))
    with pytest.warns(UserWarning, match="2 layers and their interfaces were sampled"):
        medium = fm.Medium.load(tmp_path / "vgrids.in", names=["surface", "moho"])
    assert medium.depth("surface", -40.5, 140.0) == pytest.approx(-1.3)
    rays = fm.phase_rays(medium, "PmP", (-40.5, 140.0, -1.3), (-40.5, 140.0001, -1.3))
    assert rays.times[0] == pytest.approx(2 * 41.3 / 6, rel=1e-5)


def test_tomo2d_as_its_tools_write(tmp_path):
    """Numbers of one array over several lines, uneven steps, a reflector of its own points."""
    x, z = np.arange(0, 41, 1.0), np.cumsum([0, 0.05, 0.3, 0.8, 1.5, 2.5, 4.0])
    ground = 2.5 + 0.2 * np.sin(x / 5)
    numbers = [*x, *ground, *z, *np.tile(3 + 0.3 * z, len(x))]
    lines = [" ".join(f"{v:g}" for v in numbers[n : n + 7]) for n in range(0, len(numbers), 7)]
    (tmp_path / "smesh.dat").write_text(f"{len(x)} {len(z)} 1.5 1.5\n" + "\n".join(lines) + "\n")
    (tmp_path / "refl.dat").write_text("0 9\n13.5 9.2\n40 9\n")
    with pytest.warns(UserWarning, match="3 layers"):
        medium = fm.Medium.load(tmp_path / "smesh.dat", interfaces=tmp_path / "refl.dat", spacing=0.1)
    assert medium.interfaces == ["surface", "seafloor", "reflector"]
    floor = [float(medium.depth("seafloor", a)) for a in (10.0, 25.0)]
    rays = fm.phase_rays(medium, "1", (10.0, floor[0]), (25.0, floor[1]))
    assert rays.status == ["ok"] and 4 < rays.times[0] < 6


def test_paraview_layout(tmp_path):
    pyvista = pytest.importorskip("pyvista")
    medium = fm.Medium([(6.0, 3.5), (8.0, 4.5)], {"moho": 30.0}, shape=(41, 21), spacing=2.0)
    medium.save(tmp_path / "crust.vtkhdf")
    grid = pyvista.read(tmp_path / "crust.vtkhdf")
    assert {"velocity", "layer", "layer_0_p", "layer_1_s"} <= set(grid.point_data)
    assert grid.n_points == 41 * 21
    below = grid.points[:, 2] >= 30
    np.testing.assert_array_equal(grid.point_data["velocity"][below], 8)
    np.testing.assert_array_equal(grid.point_data["layer"][~below], 0)
