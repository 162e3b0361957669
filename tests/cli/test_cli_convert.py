"""`fermat picks convert` and `fermat model convert` with files of other programs."""

import sys

import numpy as np
import pytest

import fermat as fm


def test_a_table_becomes_picks_and_the_notes_are_those_of_python(fermat):
    fermat.write("t.txt", "sx;gx;t [ms]\n0;5;4,1\n0;10;-7\n20;5;11,9\n")
    done = fermat.call("picks", "convert", "t.txt", "-o", "p.csv", "--leave-out-bad")
    assert done.returncode == 0
    assert "2 picks of 2 sources and 1 receivers in 2-D, time 0.0041 to 0.0119" in done.stdout
    said = [line.removeprefix("fermat: warning: ") for line in done.stderr.splitlines()]
    with pytest.warns(UserWarning) as told:
        fm.picks(fermat.folder / "t.txt", leave_out_bad=True)
    short = [str(one.message).replace(f"{fermat.folder}/", "") for one in told]
    assert said == short and len(said) == 4


def test_flags_of_convert_are_checked(fermat):
    fermat.write("t.txt", "a b c\n0 5 4\n")
    base = ("picks", "convert", "t.txt", "-o", "p.csv")

    def error(*flags):
        done = fermat.call(*base, *flags)
        assert done.returncode == 2 and not (fermat.folder / "p.csv").exists()
        return done.stderr

    assert "no column for time" in error()
    assert "must be two names with '='" in error("--columns", "time")
    assert "must be of time or length" in error("--to", "speed=m/s")
    assert "--noise is a flag of fermat picks" in error("--noise", "1")
    assert "columns are fixed" in error("--format", "sgt", "--columns", "time=c")
    other = fermat.call("picks", "convert", "t.txt", "-o", "p.h5")
    assert "must end in .csv or .sgt" in other.stderr
    assert "--model is required" in fermat.call("picks", "-o", "p.csv").stderr


def test_raw_numbers_and_surfer(fermat):
    values = np.arange(1, 7, dtype=np.float32).reshape(3, 2)
    values.tofile(fermat.folder / "v.bin")
    fermat("model", "convert", "v.bin", "--shape", "3,2", "--spacing", "2", "-o", "v.grd")
    fermat("model", "convert", "v.grd", "-o", "v.h5")
    assert np.array_equal(fm.Model.load(fermat.folder / "v.h5").velocity, values)
    flags = ("--shape", "3,3", "--spacing", "2", "-o", "w.h5")
    done = fermat.call("model", "convert", "v.bin", *flags)
    assert done.returncode == 2 and "needs 36" in done.stderr


def test_what_was_read_is_told_and_a_wrong_byte_order_is_doubted(fermat):
    np.full((3, 2), 1500, dtype=">f4").tofile(fermat.folder / "v.bin")
    flags = ("model", "convert", "v.bin", "--shape", "3,2", "--spacing", "2", "-o", "v.h5")
    done = fermat.call(*flags)
    assert "(are --dtype, --order and the byte order right, --big-endian?)" in done.stderr
    done = fermat.call(*flags, "--big-endian")
    assert done.stderr == ""
    assert done.stdout == "(3, 2) nodes from (0, 0) to (4, 2), velocity 1500 to 1500\n"
    with pytest.warns(UserWarning, match="byte order right, big_endian"):
        fm.Model.load(fermat.folder / "v.bin", shape=(3, 2), spacing=2)


def test_netcdf_is_converted_both_ways(fermat, monkeypatch):
    pytest.importorskip("xarray")
    monkeypatch.setenv("FERMAT_PYTHON", sys.executable)
    model = fm.Model.gradient((5, 4), v0=2, gradient=0.5, spacing=0.5)
    model.save(fermat.folder / "m.h5")
    fermat("model", "convert", "m.h5", "-o", "m.nc")
    fermat("model", "convert", "m.nc", "-o", "back.h5")
    assert np.array_equal(fm.Model.load(fermat.folder / "back.h5").velocity, model.velocity)
    done = fermat.call("model", "convert", "m.nc", "-o", "other.h5", "--spacing", "2")
    assert done.returncode == 2 and "'m.nc' is NetCDF (which takes no further flags" in done.stderr


@pytest.mark.parametrize("name, text", [
    ("line.sgt", "2\r\n#x y\r\n0 0\r\n5 1\r\n1\r\n#s g t\r\n1 2 0.005\r\n"),
    ("line.vs", "1996 0 3.0\n0 1 5.0\n0.0 1 0.0\n5.0 5.0 1\n"),
    ("tx.in", "0 1 0 0\n5 0.005 0.001 1\n0 0 0 -1\n"),
    ("picks.dat", "1\ns 0 0 1\nr 5 0 0 0.005 0.001\n"),
])
def test_a_byte_order_mark_is_no_part_of_the_first_line(fermat, name, text):
    (fermat.folder / name).write_bytes(b"\xef\xbb\xbf" + text.encode())
    done = fermat.call("picks", "convert", name, "-o", "p.csv")
    assert "1 picks of 1 sources and 1 receivers in 2-D, time 0.005" in done.stdout, done.stderr


def test_models_leave_as_tables_and_as_legacy_vtk(fermat):
    """CSV comes back as it was; XYZ has NaN in air; VTK has big-endian numbers, x fastest."""
    fermat("model", "layers", "--shape", "4,3,5", "--spacing", "0.5", "--origin", "1,2,-0.5", "--layer", "0:0",
           "--layer", "0.5:2.25", "-o", "m.h5")
    for suffix in ("csv", "xyz", "vtk"):
        fermat("model", "convert", "m.h5", "-o", f"m.{suffix}")
    velocity = fermat.array("m.h5")
    text = (fermat.folder / "m.csv").read_text().splitlines()
    assert text[0] == "x,y,z,velocity" and text[1] == "1,2,-0.5,0" and len(text) == 1 + 60
    fermat("model", "convert", "m.csv", "-o", "back.h5")
    np.testing.assert_array_equal(fermat.array("back.h5"), velocity)
    rows = np.loadtxt(fermat.folder / "m.xyz")
    assert rows.shape == (60, 4) and rows[-1].tolist() == [2.5, 3, 1.5, 2.25] and np.isnan(rows[0, 3])
    head, data = (fermat.folder / "m.vtk").read_bytes().split(b"LOOKUP_TABLE default\n")
    assert b"DIMENSIONS 4 3 5\nORIGIN 1 2 -0.5\nSPACING 0.5 0.5 0.5\nPOINT_DATA 60\n" in head
    numbers = np.frombuffer(data[:240], ">f4").reshape(5, 3, 4)
    np.testing.assert_array_equal(numbers.transpose(2, 1, 0).ravel(), np.nan_to_num(rows[:, 3]).astype("f4"))


def test_cells_leave_by_their_middles(fermat):
    fermat("model", "layers", "--cells", "--shape", "3,4", "--layer", "0:2", "--layer", "1:3", "-o", "m.h5")
    fermat("model", "convert", "m.h5", "-o", "m.csv")
    assert (fermat.folder / "m.csv").read_text().splitlines()[:3] == ["x,z,velocity", "0.5,0.5,2", "0.5,1.5,3"]
    fermat("model", "convert", "m.csv", "--cells", "-o", "back.h5")
    fermat("model", "convert", "m.h5", "-o", "m.vtk")
    assert b"DIMENSIONS 3 1 4" in (fermat.folder / "m.vtk").read_bytes()
    assert b"CELL_DATA 6" in (fermat.folder / "m.vtk").read_bytes()
