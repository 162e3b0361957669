"""Layered media written for rayinvr, tomo2d and FMTOMO, and read back."""

import fermat as fm
import numpy as np
import pytest

X = np.linspace(0, 100, 41)


def crust(**options):
    """Sediments that pinch out at x = 60, crust and mantle: linear from top to bottom."""
    sediments = np.column_stack([[0, 60, 100], [3.0, 0.0, 0.0]])
    moho = np.column_stack([[0, 50, 100], [22.0, 26.0, 22.0]])
    return fm.Medium(
        [3.0, lambda x, z: 5.5 + 0.02 * z + 0.005 * x, 8.0], {"basement": sediments, "moho": moho}, shape=(101, 81),
        spacing=(1.0, 0.5), smooth=False, **options)


def times(medium, phase="PmP", ends=((10.0, 0.0), [(45.0, 0.0), (90.0, 0.0)])):
    return fm.phase_rays(medium, phase, *ends).times


def test_rayinvr_round_trip(tmp_path, recwarn):
    first = crust()
    first.save(tmp_path / "v.in")
    assert not [w for w in recwarn if "differs" in str(w.message)]  # all of it fits
    lines = (tmp_path / "v.in").read_text().splitlines()
    assert lines[0].startswith(" 1 ") and all(len(line) <= 3 + 70 for line in lines)
    with pytest.warns(UserWarning, match="3 layers on a grid"):
        again = fm.Medium.load(tmp_path / "v.in", spacing=(1.0, 0.5), names=["surface", "basement", "moho"])
    for name in ("basement", "moho"):
        np.testing.assert_allclose(again.depth(name, X), first.depth(name, X), atol=0.006)
    np.testing.assert_allclose(times(again), times(first), rtol=1e-3)
    # What was read is written as it was.
    again.save(tmp_path / "v2.in")
    assert (tmp_path / "v2.in").read_text() == (tmp_path / "v.in").read_text()


def test_what_rayinvr_cannot_hold_is_counted(tmp_path):
    bent = fm.Medium([(lambda x, z: 5 + 0.5 * np.sin(z / 3), 3.0), (8.0, 4.5)], {"moho": 30.0}, shape=(51, 41), spacing=1.0)
    with pytest.warns(UserWarning) as caught:
        bent.save(tmp_path / "v.in")
    said = " ".join(str(w.message) for w in caught)
    assert "it differs from the medium's, by" in said and "of 2040 nodes" in said
    assert "velocities of S of 2 layers are left out" in said
    wide = fm.Medium([5000.0, 8000.0], {"moho": 30000.0}, shape=(51, 41), spacing=1000.0)
    with pytest.raises(ValueError, match="does not fit the seven columns"):
        wide.save(tmp_path / "v3.in")
    assert not (tmp_path / "v3.in").exists()


def test_smooth_interfaces_become_lines_of_few_points(tmp_path):
    wavy = fm.Medium([6.0, 8.0], {"moho": lambda x: 25 + 2 * np.sin(x / 9)}, shape=(201, 41), spacing=1.0)
    wavy.save(tmp_path / "v.in")
    with pytest.warns(UserWarning, match="2 layers"):
        again = fm.Medium.load(tmp_path / "v.in", spacing=1.0, names=["surface", "moho"])
    np.testing.assert_allclose(again.depth("moho", 2 * X), wavy.depth("moho", 2 * X), atol=0.012)


def marine():
    ground = lambda x: 1 + 0.01 * x  # noqa: E731
    rock = lambda x, z: 4 + 0.1 * (z - ground(x))  # noqa: E731
    return fm.Medium([1.5, rock, rock], {"seafloor": ground, "reflector": lambda x: 15 + 0.02 * x}, shape=(101, 61),
                     spacing=(1.0, 0.5), smooth=False)


def test_tomo2d_round_trip(tmp_path, recwarn):
    first = marine()
    first.save(tmp_path / "line.smesh")
    assert not [w for w in recwarn if "tomo2d" in str(w.message)]
    with pytest.warns(UserWarning, match="3 layers"):
        again = fm.Medium.load(tmp_path / "line.smesh", interfaces=tmp_path / "line.refl", spacing=(1.0, 0.5))
    assert again.interfaces == ["surface", "seafloor", "reflector"]
    np.testing.assert_allclose(again.depth("seafloor", X), first.depth("seafloor", X), atol=1e-5)
    ends = ((20.0, 0.0), [(40.0, 1.4), (80.0, 1.8)])
    np.testing.assert_allclose(times(again, "P<reflector>P", ends), times(first, "P<reflector>P", ends), rtol=2e-5)
    np.testing.assert_allclose(times(again, "1", ends), times(first, "P<reflector>P", ends), rtol=2e-5)


def test_what_tomo2d_cannot_hold_is_counted(tmp_path):
    with pytest.warns(UserWarning, match=r"at \d+ places a jump of velocity is a slope.*1 interfaces besides 'moho'"):
        crust().save(tmp_path / "line.smesh")
    with pytest.warns(UserWarning, match="besides 'basement'"):
        crust().save(tmp_path / "mesh.dat", format="tomo2d", interfaces=tmp_path / "top.dat", reflector="basement")
    np.testing.assert_allclose(np.loadtxt(tmp_path / "top.dat")[[0, 60], 1], [3, 0])


def test_fmtomo_round_trip(tmp_path):
    first = fm.Medium(
        [(lambda a, b, z: 5.5 + 0.02 * z + 0.1 * np.sin(2 * a), 3.2), (8.0, 4.6)],
        {"moho": lambda a, b: 30 + 2 * np.sin(3 * a) * np.cos(2 * b)},
        shape=(21, 21, 31), spacing=(0.1, 0.1, 2.0), origin=(40.0, 10.0, 0.0), coordinates="spherical")
    first.save(tmp_path / "vgrids.in")
    with pytest.warns(UserWarning, match="2 layers and their interfaces were sampled"):
        again = fm.Medium.load(tmp_path / "vgrids.in", names=["surface", "moho"])
    np.testing.assert_allclose(again.layer(0).velocity, first.layer(0).velocity, rtol=2e-6)
    np.testing.assert_allclose(again.layer(1, "S").velocity, first.layer(1, "S").velocity, rtol=2e-6)
    at = np.meshgrid(np.arange(40, 42.01, 0.1), np.arange(10, 12.01, 0.1))
    np.testing.assert_allclose(again.depth("moho", *at), first.depth("moho", *at), atol=1e-5)
    ends = ((40.3, 10.4, 5.0), (41.6, 11.3, 0.0))
    np.testing.assert_allclose(times(again, "PmS", ends), times(first, "PmS", ends), rtol=1e-5)
    again.save(tmp_path / "vgrids2.in", interfaces=tmp_path / "faces.in")
    a, b = (np.concatenate([np.array(line.split(), float) for line in open(tmp_path / name)])
            for name in ("vgrids.in", "vgrids2.in"))
    np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("vgrids.in", "has geocentric latitude"), ("v.txt", "`format` chooses|format chooses|'format'"),
     ("line.smesh", "")])
def test_refusals(tmp_path, name, sentence):
    earth = fm.Medium.earth("ak135", (-1, 1), (-1, 3), 100, spacing=(0.5, 0.5, 5))
    if name == "line.smesh":
        for of in ("line.smesh", "v.in"):
            with pytest.raises(ValueError, match="is a section of x and z, and the medium is not"):
                earth.save(tmp_path / of)
        return
    with pytest.raises(ValueError, match=sentence):
        crust().save(tmp_path / name)
    assert not list(tmp_path.iterdir())
