"""`fermat smooth`: files, and equal results of four methods."""

import h5py
import numpy as np
import pytest


def test_smooths_velocity_and_keeps_the_grid(volume):
    volume("model", "blocks", "--shape", "11,9,7", "--min", "2", "--max", "6", "-o", "blocks.h5")
    volume("smooth", "--in", "blocks.h5", "--size", "3,1,1", "-o", "out.h5")
    v, smooth = volume.array("blocks.h5"), volume.array("out.h5")
    np.testing.assert_allclose(smooth[..., 1:-1], (v[..., :-2] + v[..., 1:-1] + v[..., 2:]) / 3,
                               rtol=1e-6)
    np.testing.assert_allclose(smooth[..., 0], (v[..., 0] + v[..., 1]) / 2, rtol=1e-6)


def test_all_smoothers_agree(volume):
    found = []
    for name in ["basic", "cached", "table", "running"]:
        volume("smooth", "model.h5", "--size", "5,4,3", "--passes", "2", "--smoother", name,
               "-o", f"{name}.h5")
        found.append(volume.array(f"{name}.h5"))
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=1e-6)


def test_air_stays_air_and_feeds_nothing(section):
    section.write("ground.csv", "x,z\n0,0.9\n2.5,0.2\n5,0.9\n")
    section("model", "topography", "--base", "model.h5", "--surface", "ground.csv", "-o", "cut.h5")
    section("smooth", "cut.h5", "--size", "5,3", "-o", "out.h5")
    np.testing.assert_array_equal(section.array("out.h5"), section.array("cut.h5"))


def test_cells_are_weighted_by_coverage(section):
    section.write("p.csv", "x,z\n0,0\n")
    section.write("r.csv", "x,z\n5,0.6\n5,1.3\n")
    section("rays", "--model", "model.h5", "--sources", "p.csv", "--receivers", "r.csv",
            "--coverage", "rays.h5")
    section("smooth", "rays.h5", "--array", "coverage", "--coverage", "rays.h5", "--size", "3",
            "-o", "out.h5")
    with h5py.File(section.folder / "out.h5") as file:
        ratio, length = (np.array(file[f"VTKHDF/CellData/{n}"]) for n in ("coverage", "ray_length"))
    assert set(np.unique(ratio)) == {0, 1}
    with h5py.File(section.folder / "rays.h5") as file:
        np.testing.assert_array_equal(length, file["VTKHDF/CellData/ray_length"])


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--size", "0"], "--size is '0' (must be whole numbers of nodes, at least 1)"),
        (["--size", "2,2.5,1"], "--size is '2,2.5,1'"),
        (["--size", "3,3"], "--size is '3,3' (the model is 3-D"),
        (["--size", "3", "--array", "time"], "has 'velocity' (use --array NAME"),
        (["--size", "3", "--passes", "-1"], "--passes is '-1'"),
        (["--size", "3", "--smoother", "fast"], "--smoother is 'fast'"),
        (["--size", "3", "--coverage", "model.h5"], "is an array of nodes"),
    ],
)
def test_bad_calls_are_one_line(volume, flags, message):
    assert message in volume.error("smooth", "model.h5", *flags, "-o", "out.h5")


def test_an_input_is_never_the_output(volume):
    assert "model.h5" in volume.error("smooth", "model.h5", "--size", "3", "-o", "model.h5")


def test_air_of_cells_feeds_no_mean(fermat):
    fermat("model", "layers", "--shape", "6,11", "--layer", "0:0", "--layer", "5:2", "--cells",
           "-o", "m.h5")
    fermat("smooth", "--in", "m.h5", "--size", "3,5", "-o", "s.h5")
    with h5py.File(fermat.folder / "s.h5") as h5:
        velocity = np.array(h5["VTKHDF/CellData/velocity"])
    assert (velocity[:5] == 0).all() and (velocity[5:] == 2).all()
