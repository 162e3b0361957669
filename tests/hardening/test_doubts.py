"""An inversion warns if its result is doubtful."""

import pytest


@pytest.fixture
def line(fermat):
    fermat("model", "gradient", "--shape", "41,21", "--spacing", "0.25", "--v0", "2", "--gradient",
           "0.2", "-o", "start.h5")
    fermat("model", "checkerboard", "--base", "start.h5", "--size", "3,2", "-o", "true.h5")
    fermat.write("s.csv", "x,z\n0,0\n5,0\n10,0\n")
    fermat.write("r.csv", "x,z\n" + "".join(f"{x},0\n{x},5\n" for x in range(11)))
    fermat("picks", "--model", "true.h5", "--sources", "s.csv", "--receivers", "r.csv", "--noise",
           "0.01", "-o", "picks.csv")
    return fermat


def warnings_of(done):
    assert done.returncode == 0, done.stderr
    return [text for text in done.stderr.splitlines() if text.startswith("fermat: warning: ")]


@pytest.mark.parametrize("method", ["hole", "gauss-newton"])
def test_units_that_do_not_belong_together(line, method):
    rows = (line.folder / "picks.csv").read_text().splitlines()
    head = rows[0].split(",")
    time, error = head.index("time"), head.index("error")
    scaled = [rows[0]]
    for row in rows[1:]:
        cells = row.split(",")
        cells[time] = str(1000 * float(cells[time]))
        cells[error] = str(1000 * float(cells[error]))
        scaled.append(",".join(cells))
    line.write("ms.csv", "\n".join(scaled) + "\n")
    done = line.call("invert", "--model", "start.h5", "--picks", "ms.csv", "--method", method,
                     "-o", "run")
    assert "units that belong together" in done.stderr


def test_a_worse_fit(line):
    line.write("wild.csv", "iterations,cell_x,cell_z,vertex_x,vertex_z\n6,2,2,1,1\n")
    done = line.call("invert", "--model", "start.h5", "--picks", "picks.csv", "--schedule",
                     "wild.csv", "--step", "9", "--max-update", "0.9", "-o", "run")
    said = warnings_of(done)
    assert any("explained worse than by the start model" in text for text in said), said


def test_velocities_far_from_those_of_the_picks(line):
    line.write("wild.csv", "iterations,cell_x,cell_z,vertex_x,vertex_z\n9,2,2,1,1\n")
    done = line.call("invert", "--model", "start.h5", "--picks", "picks.csv", "--schedule",
                     "wild.csv", "--step", "9", "--max-update", "0.9", "-o", "run")
    assert any("velocities run from" in text for text in warnings_of(done))


def test_a_good_run_says_nothing_of_the_kind(line):
    done = line.call("invert", "--model", "start.h5", "--picks", "picks.csv", "-o", "run")
    assert warnings_of(done) == []


def test_errors_that_no_model_reaches(line):
    flags = ["--model", "start.h5", "--picks", "picks.csv", "--error", "0.00001", "--iterations", "6"]
    found = line.call("invert", *flags, "-o", "run")
    assert any("too small" in text for text in warnings_of(found))
    insisted = line.call("invert", *flags, "--target-chi2", "1", "-o", "insisted")
    assert any("explains the picks to their errors" in text for text in warnings_of(insisted))
