"""`fermat picks convert` and `fermat model convert` with files of other programs."""

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
