"""`fermat invert --layers N`: layers with relief from the first arrivals of a line."""

import numpy as np
import pytest
from run_files import rows_of


def write_line(path, with_errors=True):
    """Picks of two flat layers, 500 over 2000 at a depth of 5."""
    noise = np.random.default_rng(2)
    along = 2 * 5 * np.sqrt(1 - 0.25**2) / 500
    with open(path, "w") as file:
        file.write("source_x,source_z,receiver_x,receiver_z,time" + (",error" if with_errors else "") + "\n")
        for shot in range(0, 61, 10):
            for receiver in range(0, 61, 2):
                far = abs(shot - receiver)
                time = min(far / 500, far / 2000 + along) + noise.normal(0, 3e-4)
                if far > 0:
                    file.write(f"{shot},0,{receiver},0,{time:.6f}" + (",0.0003" if with_errors else "") + "\n")


def test_layers_are_found_from_first_arrivals(fermat):
    write_line(fermat.folder / "line.csv")
    said = fermat("invert", "line.csv", "--layers", "2", "--threads", "1", "-o", "run")
    assert "start layers from delay times" in said and "--deviation-of 1=" in said
    rows = [row for row in rows_of(fermat.folder / "run/layers.csv") if row["of"] == "1"]
    inside = [row for row in rows if 5 < float(row["x"]) < 55]
    assert all(abs(float(row["z"]) - 5) < 4 * float(row["deviation"]) + 0.1 for row in inside)
    fermat("invert", "line.csv", "--layers", "2", "--threads", "2", "-o", "two")
    def layers(run):
        rows = rows_of(fermat.folder / run / "layers.csv")
        return [{name: value for name, value in row.items() if name != "fermat_run"} for row in rows]

    assert layers("two") == layers("run")
    fermat("plot", "run", "-o", "run.png")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--model", "m.h5"], "--model is given and --layers 2 too"),
        (["--phases", "first"], "--phases is given and --layers 2 too"),
        (["--log", "log.csv"], "--log is given and --layers 2 too"),
        (["--resolution"], "--resolution is given and --layers 2 too"),
        (["--method", "hole"], "layers need --method gauss-newton without a schedule"),
    ],
)
def test_what_layers_do_not_have_is_refused(fermat, words, sentence):
    write_line(fermat.folder / "line.csv")
    for name in ("m.h5", "log.csv"):
        (fermat.folder / name).write_text("x")
    assert sentence in fermat.error("invert", "line.csv", "--layers", "2", *words, "-o", "none")
    assert not (fermat.folder / "none").exists()


def test_layers_need_errors(fermat):
    write_line(fermat.folder / "bare.csv", with_errors=False)
    assert "the picks have no errors" in fermat.error("invert", "bare.csv", "--layers", "2", "-o", "none")
