"""`fermat plot`, `export` and `geometry`: what the Python package does for the program."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")


@pytest.fixture(autouse=True)
def package(monkeypatch):
    monkeypatch.setenv("FERMAT_PYTHON", sys.executable)
    monkeypatch.setenv("MPLBACKEND", "Agg")


@pytest.fixture
def traced(volume):
    """model.h5 and the rays of one source to two receivers, one of them the source itself."""
    volume.write("s.csv", "x,y,z\n2,2,1\n")
    volume.write("r.csv", "x,y,z\n0,0,0\n5,4,0\n")
    volume("rays", "--model", "model.h5", "--sources", "s.csv", "--receivers", "r.csv", "-o", "rays.h5",
           "--table", "rays.csv")
    return volume


def test_rays_and_models_go_out_as_the_suffix_says(traced):
    done = traced.call("export", "rays.h5", "-o", "rays.geojson")
    assert done.returncode == 0 and "have no plane" in done.stderr
    features = json.loads((traced.folder / "rays.geojson").read_text())["features"]
    table = (traced.folder / "rays.csv").read_text().splitlines()[1:]
    assert [f["properties"]["time"] for f in features] == [float(row.split(",")[2]) for row in table]
    assert features[1]["geometry"]["coordinates"][0] == [5, 4, 0]
    traced("export", "model.h5", "-o", "model.vti", "--quiet")
    assert "ImageData" in (traced.folder / "model.vti").read_text(errors="ignore")
    assert "view.vtm" in traced("export", "model.h5", "--rays", "rays.h5", "-o", "view")
    assert (traced.folder / "view" / "state.py").is_file()


def test_a_picture_is_drawn_of_models_and_picks(traced):
    traced("plot", "model.h5", "--rays", "rays.h5", "-o", "model.png", "--title", "--odd = title")
    traced.write("p.csv", "source_x,source_z,receiver_x,receiver_z,time\n0,0,1,0,0.5\n0,0,2,0,0.9\n")
    traced("plot", "p.csv", "-o", "picks.svg", "--length-unit", "m")
    for picture in ("model.png", "picks.svg"):
        assert (traced.folder / picture).stat().st_size > 5000


def test_a_run_is_drawn_in_many_ways(volume):
    volume.write("line.csv", "source_x,source_z,receiver_x,receiver_z,time,error\n" + "".join(
        f"{s},0,{r},0,{abs(s - r) / 2:g},0.05\n" for s in (0, 10) for r in range(1, 10)))
    volume("invert", "--picks", "line.csv", "-o", "run", "--keep", "all", "--quiet")
    for name in ("model.csv", "model.segy", "model.csv.gz"):
        volume("model", "convert", "model.h5", "-o", name)
        assert volume.call("plot", name, "-o", f"{name}.png").returncode == 0
        assert (volume.folder / f"{name}.png").stat().st_size > 5000
    volume("plot", "run", "--kind", "before-after", "-o", "two.png")
    volume("plot", "run", "-o", "run.html", "--title", "a line")
    assert "a line" in (volume.folder / "run.html").read_text()
    volume("plot", "run/coverage.h5", "-o", "rays.png", "--title", "rays per cell")
    assert (volume.folder / "rays.png").stat().st_size > 5000
    written = volume("export", "run", "-o", "view")
    assert "rays.vtp" in written and "sources.vtp" in written
    assert "kind is 'shot' (must be auto, animation, overview" in volume.error(
        "plot", "run", "--kind", "shot", "-o", "a.png")
    assert "is of a run" in volume.error("plot", "model.h5", "--kind", "shots", "-o", "a.png")


def test_rays_per_cell_are_drawn_without_a_model(traced):
    traced("rays", "--model", "model.h5", "--sources", "s.csv", "--receivers", "r.csv",
           "--coverage", "counted.h5")
    (traced.folder / "model.h5").rename(traced.folder / "moved.h5")
    traced("plot", "counted.h5", "-o", "counted.png")
    assert (traced.folder / "counted.png").stat().st_size > 5000
    assert "counts rays" in traced.error("plot", "counted.h5", "--rays", "rays.h5", "-o", "a.png")


def test_what_cannot_be_is_one_line_and_writes_nothing(traced, monkeypatch):
    assert "'ImageData' (rays are 'PolyData')" in traced.error("export", "model.h5", "-o", "r.vtp")
    assert "or be a folder" in traced.error("export", "model.h5", "-o", "model.doc")
    traced("times", "--model", "model.h5", "--source", "1,1,1", "-o", "times.h5")
    for file, words in (("rays.h5", "fermat plot MODEL --rays 'rays.h5'"), ("times.h5", "fermat plot MODEL --times 'times.h5'")):
        assert words in traced.error("plot", file, "-o", "a.png")
    traced.write("events.csv", "event,status,x,y,z,origin_time\n1,located,1,1,1,0\n")
    assert "'events.csv' is a catalogue of events" in traced.error("plot", "events.csv", "-o", "a.png")
    assert "cannot draw 'a.xyz'" in traced.error("plot", "model.h5", "-o", "a.xyz")
    assert "has no array 'time'" in traced.error("plot", "model.h5", "--times", "model.h5", "-o", "a.png")
    assert "'records' does not exist" in traced.error("geometry", "records", "-o", "survey")
    assert "folder 'nowhere' does not exist" in traced.error("plot", "model.h5", "-o", "nowhere/a.png")
    monkeypatch.setenv("FERMAT_PYTHON", "no-such-python")
    assert "'no-such-python' cannot be run" in traced.error("plot", "model.h5", "-o", "a.png")


def test_a_program_in_its_checkout_finds_the_python_of_the_checkout(section, monkeypatch, tmp_path):
    """Whatever the folder it is called from and the python3 on the path, which has no package."""
    root = Path(__file__).resolve().parents[2]
    if root not in section.program.parents or not (root / ".venv/bin/python").exists():
        pytest.skip("the program is not that of a checkout with .venv")
    monkeypatch.delenv("FERMAT_PYTHON")
    empty = tmp_path / "path"
    empty.mkdir()
    (empty / "python3").write_text("#!/bin/sh\necho 'no package here' >&2\nexit 99\n")
    (empty / "python3").chmod(0o755)
    monkeypatch.setenv("PATH", f"{empty}{os.pathsep}{os.environ['PATH']}")
    section("export", "model.h5", "-o", "model.vti")
    assert (section.folder / "model.vti").is_file()
    link = tmp_path / "fermat"
    link.symlink_to(section.program)
    subprocess.run([link, "export", tmp_path / "model.h5", "-o", tmp_path / "other.vti"], cwd="/",
                   check=True, timeout=100)
    assert (tmp_path / "other.vti").is_file()
    monkeypatch.setenv("FERMAT_PYTHON", str(empty / "python3"))
    assert section.call("export", "model.h5", "-o", "third.vti").returncode == 99
