"""`fermat model`: each maker at small size, in 2-D and 3-D, and the files it writes."""

import h5py
import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("error")


def test_gradient_is_stored_with_x_fastest(fermat):
    fermat("model", "gradient", "--shape", "13,11,9", "--spacing", "0.1", "--v0", "2",
           "--gradient", "0.5", "-o", "m.h5")
    velocity = fermat.array("m.h5")
    assert velocity.shape == (9, 11, 13)
    depth = 0.1 * np.arange(9)
    assert np.allclose(velocity, (2 + 0.5 * depth)[:, None, None], rtol=1e-6)
    with h5py.File(fermat.folder / "m.h5") as h5:
        assert h5["VTKHDF"].attrs["Type"] == b"ImageData"
        assert list(h5["VTKHDF"].attrs["WholeExtent"]) == [0, 12, 0, 10, 0, 8]
        assert np.allclose(h5["VTKHDF"].attrs["Spacing"], 0.1)


def test_spacing_and_origin_an_axis(fermat):
    fermat("model", "constant", "--shape", "3,4,5", "--spacing", "1,2,3", "--origin", "-5,0,-1.5",
           "--velocity", "3", "-o", "m.h5")
    with h5py.File(fermat.folder / "m.h5") as h5:
        assert list(h5["VTKHDF"].attrs["Spacing"]) == [1, 2, 3]
        assert list(h5["VTKHDF"].attrs["Origin"]) == [-5, 0, -1.5]


def test_layers_in_2d(fermat):
    fermat("model", "layers", "--shape", "6,11", "--spacing", "1", "--layer", "0:2",
           "--layer", "5:5", "-o", "m.h5")
    velocity = fermat.array("m.h5")
    assert velocity.shape == (11, 6)
    assert (velocity[:5] == 2).all() and (velocity[5:] == 5).all()


def test_profile_is_linear_between_its_rows(fermat):
    fermat.write("vz.csv", "depth,velocity\n0,4\n10,6\n")
    fermat("model", "profile", "--shape", "3,2,6", "--spacing", "2", "--profile", "vz.csv",
           "-o", "m.h5")
    assert np.allclose(fermat.array("m.h5")[:, 0, 0], [4, 4.4, 4.8, 5.2, 5.6, 6])


def test_checkerboard_alternates_where_it_may(volume):
    volume("model", "checkerboard", "--base", "model.h5", "--size", "1,inf,inf",
           "--amplitude", "0.1", "-o", "board.h5")
    ratio = volume.array("board.h5") / volume.array("model.h5")
    assert np.allclose(ratio[0, 0, :4], [1.1, 1.1, 0.9, 0.9])
    assert np.allclose(ratio, ratio[:1, :1, :], rtol=1e-5)


def test_random_media_repeat_with_their_seed(fermat):
    for name, seed in [("a", 1), ("b", 1), ("c", 2)]:
        fermat("model", "random", "--shape", "21,21", "--velocity", "3", "--correlation", "4",
               "--seed", seed, "-o", f"{name}.h5")
    a, b, c = (fermat.array(f"{name}.h5") for name in "abc")
    assert (a == b).all() and (a != c).any()


def test_blocks_are_constant(fermat):
    fermat("model", "blocks", "--shape", "12,12", "--min", "1", "--max", "9", "--block", "4,3",
           "-o", "m.h5")
    block = fermat.array("m.h5")[:3, :4]
    assert (block == block[0, 0]).all() and 1 <= block[0, 0] <= 9


def test_topography_makes_air(section):
    section.write("ground.csv", "x,z\n0,1\n5,1\n")
    section("model", "topography", "--base", "model.h5", "--surface", "ground.csv", "-o", "c.h5")
    velocity = section.array("c.h5")
    assert (velocity[:2] == 0).all() and (velocity[2:] == 3).all()


def test_topography_of_a_survey(section):
    section.write("line.sgt", "2\n#x y\n0 -1\n5 -1\n1\n#s g t\n1 2 0.5\n")
    section("model", "topography", "--base", "model.h5", "--surface", "line.sgt", "-o", "c.h5")
    assert (section.array("c.h5")[:2] == 0).all()


def test_convert_reads_npy_with_a_spacing(fermat):
    values = np.arange(1, 25, dtype=np.float32).reshape(2, 3, 4)
    np.save(fermat.folder / "v.npy", values)
    fermat("model", "convert", "v.npy", "--spacing", "0.5", "-o", "m.h5")
    assert (fermat.array("m.h5") == values.transpose(2, 1, 0)).all()
    fermat("model", "convert", "m.h5", "-o", "back.npy")
    assert (np.load(fermat.folder / "back.npy") == values).all()


def test_convert_reads_npy_in_2d(fermat):
    np.save(fermat.folder / "v.npy", np.full((4, 3), 2.0))
    fermat("model", "convert", "v.npy", "--spacing", "0.5,0.25", "--origin", "1,-2", "-o", "m.h5")
    with h5py.File(fermat.folder / "m.h5") as h5:
        assert h5["VTKHDF/PointData/velocity"].shape == (3, 4)


def test_a_model_does_not_replace_its_base(volume):
    error = volume.error("model", "checkerboard", "--base", "model.h5", "--size", "inf", "-o",
                         "model.h5")
    assert "--output is 'model.h5' (is the file of --base too: must be another)" in error


GRID = ["--shape", "5,5", "--spacing", "1"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--help"),
        (["modl"], "unknown command 'modl' (did you mean model? see fermat --help)"),
        (["model"], "--help"),
        (["model", "gradient"], "--shape is required (see fermat model gradient --help)"),
        (["invert"],
         "--picks is required (fermat invert FILE, or --picks FILE; see fermat invert --help)"),
        (["model", "gradient", "--foo", "3"], "unknown argument '--foo' (see fermat model gradient --help)"),
        (["model", "constant", *GRID, "--velocity", "3", "-o", "m.h5", "extra"], "'extra'"),
        (["model", "constant", *GRID, "--velocity", "3", "-o", "m.txt"], "--output is 'm.txt'"),
        (["model", "constant", *GRID, "--velocity", "3", "-o", "no/m.h5"], "'no' does not exist"),
        (["model", "constant", *GRID, "--velocity", "x", "-o", "m.h5"], "--velocity is 'x'"),
        (["model", "constant", *GRID, "--velocity", "nan", "-o", "m.h5"], "--velocity is 'nan'"),
        (["model", "constant", *GRID, "--velocity", "-3", "-o", "m.h5"], "-3"),
        (["model", "constant", *GRID, "--velocity"], "--velocity"),
        (["model", "constant", *GRID, *GRID, "--velocity", "3", "-o", "m.h5"], "--shape"),
        (["model", "constant", "--shape", "5", "--velocity", "3", "-o", "m.h5"], "--shape is '5'"),
        (["model", "constant", "--shape", "5,5,5,5", "--velocity", "3", "-o", "m.h5"], "--shape"),
        (["model", "constant", "--shape", "5,0", "--velocity", "3", "-o", "m.h5"], "'5,0'"),
        (["model", "constant", "--shape", "99999999999,5", "--velocity", "3", "-o", "m.h5"],
         "--shape"),
        (["model", "constant", "--shape", "999999,999999,999999", "--velocity", "3", "-o", "m.h5"],
         "nodes"),
        (["model", "constant", "--shape", "5,5", "--spacing", "1,1,1", "--velocity", "3", "-o",
          "m.h5"], "--spacing is '1,1,1' (the model is 2-D"),
        (["model", "constant", "--shape", "5,5", "--spacing", "0", "--velocity", "3", "-o", "m.h5"],
         "spacing"),
        (["model", "constant", *GRID, "--velocity", "3", "-o", "m.h5", "--threads", "0"],
         "--threads is '0'"),
        (["model", "constant", *GRID, "--velocity", "3", "-o", "m.h5", "--device", "gpu"],
         "--device is 'gpu' (must be one of auto, cpu, cuda, opengl)"),
        (["model", "layers", *GRID, "--layer", "2", "-o", "m.h5"], "--layer is '2'"),
        (["model", "layers", *GRID, "--layer", "2:3", "--layer", "1:4", "-o", "m.h5"], "layer"),
        (["model", "profile", *GRID, "--profile", "none.csv", "-o", "m.h5"], "none.csv"),
        (["model", "checkerboard", "--base", "none.h5", "--size", "1", "-o", "m.h5"], "none.h5"),
        (["model", "random", *GRID, "--velocity", "3", "--correlation", "1", "--seed", "-1", "-o",
          "m.h5"], "--seed is '-1'"),
        (["model", "blocks", *GRID, "--min", "1", "--max", "2", "--block", "1.5", "-o", "m.h5"],
         "--block is '1.5'"),
        (["model", "convert", "v.xyz", "-o", "m.h5"], "v.xyz"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(fermat, arguments, words):
    assert words in fermat.error(*arguments)


def test_a_failed_run_leaves_the_old_output(volume):
    volume.error("model", "gradient", "--shape", "5,5", "--v0", "2", "--gradient", "-1",
                 "-o", "model.h5")
    volume.error("model", "checkerboard", "--base", "model.h5", "--size", "1,1", "-o", "model.h5")


def test_truncated_input_is_named(volume):
    whole = (volume.folder / "model.h5").read_bytes()
    (volume.folder / "half.h5").write_bytes(whole[: len(whole) // 2])
    assert "half.h5" in volume.error("model", "convert", "half.h5", "-o", "out.h5")


def test_a_folder_that_is_none_is_named(fermat):
    line = fermat.error("model", "constant", "--shape", "5,5", "--velocity", "3", "-o",
                        "/dev/full/m.h5")
    assert "/dev/full" in line


def cells_of(fermat, file):
    with h5py.File(fermat.folder / file) as h5:
        assert "velocity" not in h5["VTKHDF/PointData"]
        return np.array(h5["VTKHDF/CellData/velocity"])


def test_cells_hold_what_lies_at_their_middles(fermat):
    fermat("model", "layers", "--shape", "6,11", "--layer", "0:2", "--layer", "5:5", "--cells",
           "-o", "m.h5")
    velocity = cells_of(fermat, "m.h5")
    assert velocity.shape == (10, 5)
    assert (velocity[:5] == 2).all() and (velocity[5:] == 5).all()
    fermat("model", "checkerboard", "--base", "m.h5", "--size", "1,inf", "--amplitude", "0.5",
           "-o", "board.h5")
    assert cells_of(fermat, "board.h5")[0].tolist() == [3, 1, 3, 1, 3]
    fermat.write("ground.csv", "x,z\n0,2\n5,2\n")
    fermat("model", "topography", "--base", "m.h5", "--surface", "ground.csv", "-o", "cut.h5")
    cut = cells_of(fermat, "cut.h5")
    assert (cut[:2] == 0).all() and (cut[2:] > 0).all()


def test_cells_are_put_on_nodes_and_taken_from_bare_values(fermat):
    fermat("model", "gradient", "--shape", "6,5,11", "--v0", "2", "--gradient", "1", "--cells",
           "-o", "m.npy")
    fermat("model", "convert", "m.npy", "--spacing", "1", "--cells", "-o", "m.h5")
    assert np.allclose(cells_of(fermat, "m.h5")[:, 0, 0], 2.5 + np.arange(10))
    fermat("model", "convert", "m.h5", "--to-nodes", "-o", "nodes.h5")
    assert np.allclose(fermat.array("nodes.h5")[5, 2, 2], 7, rtol=1e-2)
    fermat.write("m.csv", "x,z,velocity\n0.5,0.5,1\n1.5,0.5,2\n0.5,1.5,3\n1.5,1.5,4\n")
    fermat("model", "convert", "m.csv", "--cells", "-o", "c.h5")
    assert cells_of(fermat, "c.h5").tolist() == [[1, 2], [3, 4]]
    assert "tells itself" in fermat.error("model", "convert", "m.h5", "--cells", "-o", "x.h5")


def test_cells_serve_times_and_rays_and_are_refused_by_what_reads_nodes(fermat):
    fermat("model", "layers", "--shape", "41,21", "--layer", "0:2", "--layer", "10:5", "--cells",
           "-o", "m.h5")
    fermat("times", "--model", "m.h5", "--source", "0,0", "-o", "t.h5")
    exact = 40 / 5 + 2 * 10 * np.sqrt(1 / 4 - 1 / 25)
    assert fermat.array("t.h5", "time")[0, 40] == pytest.approx(exact, rel=3e-3)
    fermat.write("r.csv", "x,z\n40,0\n")
    fermat("rays", "--quiet", "--model", "m.h5", "--source", "0,0", "--receivers", "r.csv",
           "--table", "rays.csv")
    for flags in (["--tracer", "bending"], ["--tracer", "graph"], ["--solver", "vidale"]):
        line = fermat.error("rays", "--model", "m.h5", "--source", "0,0", "--receivers", "r.csv",
                            "--table", "x.csv", *flags)
        assert "fermat model convert --to-nodes" in line
