"""`fermat model layers --interface` and `fermat phases`."""

import csv

import h5py
import numpy as np
import pytest


def table(path):
    with open(path) as file:
        return list(csv.DictReader(file))


@pytest.fixture
def crust(fermat):
    fermat("model", "layers", "--shape", "201,51", "--spacing", "1", "--interface", "moho=30", "--layer", "6",
           "--layer", "8", "--vp-over-vs", "1.75", "-o", "crust.h5")
    (fermat.folder / "s.csv").write_text("x,z\n10,0\n")
    (fermat.folder / "r.csv").write_text("x,z\n30,0\n150,0\n")
    return fermat


def test_times_and_rays_of_phases(crust):
    crust("phases", "--model", "crust.h5", "--phase", "PmP", "--phase", "Pn", "--phase", "P moho reflect S",
          "--phase", "1.2", "--sources", "s.csv", "--receivers", "r.csv", "-o", "rays.h5", "--table", "times.csv")
    rows = table(crust.folder / "times.csv")
    assert [row["phase"] for row in rows] == ["PmP"] * 2 + ["Pn"] * 2 + ["P moho reflect S"] * 2 + ["1.2"] * 2
    times = np.array([float(row["time"]) for row in rows])
    exact = np.hypot([20, 140], 60) / 6
    np.testing.assert_allclose(times[:2], exact, rtol=1e-6)
    np.testing.assert_allclose(times[6:], exact, rtol=1e-6)
    assert np.isnan(times[2])
    assert rows[2]["status"] == "absent"
    assert times[3] == pytest.approx(140 / 8 + 60 * np.sqrt(1 - 36 / 64) / 6, rel=1e-6)
    assert (times[4:6] > times[:2]).all()
    with h5py.File(crust.folder / "rays.h5") as file:
        cells = file["VTKHDF/CellData"]
        assert cells["branch"][:].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
        np.testing.assert_allclose(cells["time"][:2], exact, rtol=1e-6)
        assert file["VTKHDF/Points"][:, 2].max() == pytest.approx(30)


def test_interface_of_a_table_and_layer_of_a_gradient(fermat):
    (fermat.folder / "moho.csv").write_text("x,z\n0,20\n100,30\n")
    (fermat.folder / "vz.csv").write_text("depth,velocity\n0,5\n40,7\n")
    fermat("model", "layers", "--shape", "101,41", "--interface", "moho=moho.csv", "--layer", "vz.csv",
           "--layer", "8,0.1", "--straight", "-o", "m.h5")
    with h5py.File(fermat.folder / "m.h5") as file:
        points = file["VTKHDF/PointData"]
        np.testing.assert_allclose(points["layer_0_p"][:, 0], 5 + np.arange(41) / 20, rtol=1e-6)
        np.testing.assert_allclose(points["layer_1_p"][20, 0], 8, rtol=1e-6)
        np.testing.assert_allclose(points["layer_1_p"][30, 0], 9, rtol=1e-6)
        assert points["layer"][22, 0] == 1
        assert points["layer"][22, 50] == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--interface", "moho=30", "--layer", "6"], "1 --layer are given for 1 --interface"),
        (["--interface", "moho", "--layer", "6", "--layer", "8"], "must be ID=DEPTH or ID=FILE"),
        (["--interface", "moho=99", "--layer", "6", "--layer", "8"], "below the model"),
        (["--interface", "moho=30", "--layer", "0:6", "--layer", "8"], "must be V, V,GRADIENT or a file"),
        (["--layer", "0:6", "--vp-over-vs", "1.7"], "belong to layered media"),
        ([], "no --layer is given"),
    ],
)
def test_layers_that_are_refused(fermat, words, sentence):
    assert sentence in fermat.error("model", "layers", "--shape", "101,41", *words, "-o", "m.h5")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--phase", "PxP", "-o", "r.h5"], "names interface 'x'"),
        (["--phase", "7.2", "-o", "r.h5"], "ray code 7.2 is not known"),
        (["--phase", "PmP"], "nothing to write"),
        (["--phase", "PmP", "--names", "a,b,c", "-o", "r.h5"], "3 names are given for 2 interfaces"),
    ],
)
def test_phases_that_are_refused(crust, words, sentence):
    line = crust.error("phases", "--model", "crust.h5", "--sources", "s.csv", "--receivers", "r.csv", *words)
    assert sentence in line


def test_plain_models_have_no_phases(fermat):
    fermat("model", "layers", "--shape", "11,11", "--layer", "0:2", "--layer", "5:4", "-o", "m.h5")
    (fermat.folder / "r.csv").write_text("x,z\n3,0\n")
    line = fermat.error("phases", "--model", "m.h5", "--phase", "PmP", "--source", "0,0", "--receivers", "r.csv",
                        "-o", "r.h5")
    assert "is a model without layers" in line


def test_interfaces_of_files_and_media_of_others(fermat):
    (fermat.folder / "moho.txt").write_text("0 20\n100 30\n")
    fermat("model", "layers", "--shape", "101,41", "--interface", "moho=moho.txt", "--layer", "5", "--layer", "8",
           "--straight", "-o", "m.h5")
    fermat("model", "layers", "--in", "m.h5", "-o", "v.in")
    assert (fermat.folder / "v.in").read_text().splitlines()[0] == " 1    0.00 100.00"
    done = fermat.call("model", "layers", "--in", "m.h5", "-o", "line.smesh")
    assert "at 101 places a jump of velocity is a slope" in done.stderr
    assert len((fermat.folder / "line.refl").read_text().splitlines()) == 101
    assert "has geocentric latitude" in fermat.error("model", "layers", "--in", "m.h5", "-o", "vgrids.in")
    assert "layered media are written as" in fermat.error("model", "layers", "--in", "m.h5", "-o", "m.txt")
    (fermat.folder / "up.txt").write_text("0 -20\n100 -30\n")
    words = ("model", "layers", "--shape", "101,41", "--interface", "moho=up.txt", "--layer", "5", "--layer", "8", "-o")
    assert "say --heights" in fermat.error(*words, "up.h5")
    fermat(*words, "up.h5", "--heights")
    (fermat.folder / "r.csv").write_text("x,z\n60,0\n")
    fermat("phases", "--model", "up.h5", "--phase", "deep=P moho reflect P", "--phase", "1.2", "--source", "10,0",
           "--receivers", "r.csv", "--table", "t.csv", "-o", "rays.h5")
    rows = table(fermat.folder / "t.csv")
    assert [row["phase"] for row in rows] == ["deep", "1.2"]
    assert rows[0]["time"] == rows[1]["time"]
    with h5py.File(fermat.folder / "rays.h5") as file:
        assert file["VTKHDF/CellData/branch"].attrs["name_0"] == b"deep"


def test_interfaces_on_a_sphere_and_of_a_survey(fermat):
    rows = [(lon, lat, 30 + 0.5 * lat) for lon in range(8, 13) for lat in range(-1, 4)]
    (fermat.folder / "moho.xyz").write_text("".join(f"{a} {b} {z}\n" for a, b, z in rows))
    done = fermat.call("model", "layers", "--shape", "11,11,21", "--spacing", "0.2,0.2,3", "--origin", "0,9,0",
                       "--radius", "6371", "--interface", "moho=moho.xyz", "--layer", "6", "--layer", "8", "-o", "s.h5")
    assert done.returncode == 0, done.stderr
    assert "were taken as longitude, latitude and depth" in done.stderr
    (fermat.folder / "r.csv").write_text("latitude,longitude,depth\n1,10.001,0\n")
    fermat("phases", "--model", "s.h5", "--phase", "PmP", "--source", "1,10,0", "--receivers", "r.csv", "--table",
           "t.csv")
    # Down to the slope of half a degree per km and back.
    depth, slope = 30.5, 0.5 / (6340.5 * np.pi / 180)
    assert float(table(fermat.folder / "t.csv")[0]["time"]) == pytest.approx(
        2 * depth / np.sqrt(1 + slope**2) / 6, rel=1e-5)
    (fermat.folder / "picks.csv").write_text(
        "source_x,source_z,receiver_x,receiver_z,time\n0,0,0,0,0\n0,0,50,1,9\n0,0,100,0,20\n")
    fermat("model", "layers", "--shape", "101,41", "--surface", "picks.csv", "--interface", "moho=30", "--layer", "6",
           "--layer", "8", "--straight", "-o", "g.h5")
    with h5py.File(fermat.folder / "g.h5") as file:
        assert file["VTKHDF/FieldData/interface_0"][6:].max() == 1


def test_a_picture_of_phases(crust, monkeypatch):
    import sys

    import fermat as fm

    monkeypatch.setenv("FERMAT_PYTHON", sys.executable)
    crust("phases", "--model", "crust.h5", "--phase", "PmP", "--phase", "Pn", "--sources", "s.csv", "--receivers",
          "r.csv", "-o", "rays.h5")
    crust("plot", "crust.h5", "--rays", "rays.h5", "--reduce", "6", "-o", "phases.png")
    assert (crust.folder / "phases.png").stat().st_size > 20000
    crust("report", "rays.h5", "--model", "crust.h5", "--reduce", "6", "-o", "phases.html")
    page = (crust.folder / "phases.html").read_text()
    assert "<svg" in page and "<td>PmP</td><td>2</td>" in page and page.rstrip().endswith("</html>")
    assert "no --model is given" in crust.error("report", "rays.h5", "-o", "no.html")
    medium = fm.Medium.load(crust.folder / "crust.h5")
    found = fm.PhaseRays.load(crust.folder / "rays.h5", medium)
    assert [rays.phase for rays in found] == ["PmP", "Pn"]
    again = fm.phase_rays(medium, "PmP", (10, 0), [(30, 0), (150, 0)])
    np.testing.assert_array_equal(found[0].times, again.times)
    np.testing.assert_array_equal(found[0].path(1), again.path(1))
    assert found[1].status == ["absent", "ok"]


def test_layers_of_the_earth(fermat):
    """`fermat model earth --layered` writes the medium of fm.Medium.earth."""
    import fermat as fm

    ranges = ("--latitude=-1,1", "--longitude=-1,31", "--depth", "800", "--spacing", "1,1,10")
    region = ("model", "earth", "ak135", *ranges, "--layered")
    fermat(*region, "-o", "earth.h5")
    (fermat.folder / "r.csv").write_text("latitude,longitude,depth\n0,30,0\n")
    fermat("phases", "--model", "earth.h5", "--phase", "PP", "--phase", "P", "--source", "0,0,33",
           "--receivers", "r.csv", "--table", "times.csv")
    same = fm.Medium.earth("ak135", (-1, 1), (-1, 31), 800, spacing=(1, 1, 10))
    for row in table(fermat.folder / "times.csv"):
        expected = fm.phase_rays(same, row["phase"], (0, 0, 33), (0, 30, 0))
        assert float(row["time"]) == expected.times[0]
        assert row["status"] == expected.status[0] == "ok"
    for flags, sentence in ((("--top=-5",), "--top is for models without --layered"), ((), "layers are written to .h5")):
        done = fermat.call(*region, *flags, "-o", "earth.h5" if flags else "earth.vts")
        assert done.returncode != 0
        assert sentence in done.stderr
