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
