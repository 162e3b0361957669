"""No command overwrites one of its inputs, whatever name the input has."""

import os

import pytest

INVERT = ["invert", "--model", "start.h5", "--picks", "picks.csv", "--schedule", "schedule.csv"]


@pytest.fixture
def line(fermat):
    """start.h5, s.csv, r.csv, picks.csv and schedule.csv, and a folder proj."""
    fermat("model", "gradient", "--shape", "21,11", "--spacing", "0.5", "--v0", "2", "--gradient",
           "0.2", "-o", "start.h5")
    fermat.write("s.csv", "x,z\n0,0\n5,0\n10,0\n")
    fermat.write("r.csv", "x,z\n2,0\n4,0\n6,0\n8,0\n")
    fermat("picks", "--model", "start.h5", "--sources", "s.csv", "--receivers", "r.csv", "-o",
           "picks.csv")
    fermat.write("schedule.csv", "iterations,cell_x,cell_z,vertex_x,vertex_z\n1,8,6,3,3\n")
    (fermat.folder / "proj").mkdir()
    return fermat


def put(line, name, source):
    (line.folder / name).write_bytes((line.folder / source).read_bytes())
    return name


def refused(line, *arguments):
    """The error is one line, and every file and folder is unchanged."""
    everything = {p: p.read_bytes() for p in line.folder.rglob("*") if p.is_file()}
    error = line.error(*arguments)
    assert {p: p.read_bytes() for p in line.folder.rglob("*") if p.is_file()} == everything
    return error


def test_measured_picks_stay_measured(line):
    put(line, "proj/picks.csv", "picks.csv")
    error = refused(line, "invert", "--model", "start.h5", "--picks", "proj/picks.csv",
                    "--schedule", "schedule.csv", "--checkerboard", "3,2,0.05", "-o", "proj")
    assert "--output is 'proj/picks.csv' (is the file of --picks too: must be another)" in error
    # Inputs may lie in the output folder if no output overwrites them. They stay there.
    line("invert", "--model", "start.h5", "--picks", "proj/picks.csv", "--schedule", "schedule.csv",
         "-o", "proj")
    for _ in range(2):
        assert (line.folder / "proj/picks.csv").read_bytes() == \
            (line.folder / "picks.csv").read_bytes()
        line("invert", "--model", "start.h5", "--picks", "proj/picks.csv", "--schedule",
             "schedule.csv", "--step", "0.5", "-o", "proj")


@pytest.mark.parametrize(("name", "flag"), [("model.h5", "--model"), ("coverage.h5", "--model"),
                                            ("checkpoint.h5", "--model"), ("board.h5", "--model")])
def test_a_models_own_folder_is_refused(line, name, flag):
    put(line, f"proj/{name}", "start.h5")
    board = ["--checkerboard", "3,2,0.05"] if name == "board.h5" else []
    error = refused(line, "invert", flag, f"proj/../proj/{name}", *INVERT[3:], *board, "-o", "proj")
    assert f"is the file of {flag} too" in error


def test_schedules_and_configurations_stay(line):
    put(line, "proj/history.csv", "schedule.csv")
    error = refused(line, *INVERT[:5], "--schedule", "proj/history.csv", "-o", "proj")
    assert "is the file of --schedule too" in error
    os.link(line.folder / "schedule.csv", line.folder / "proj/residuals.csv")
    assert "is the file of --schedule too" in refused(line, *INVERT, "-o", "proj")
    line.write("proj/residuals.toml", "")
    (line.folder / "proj/history.csv").unlink()
    (line.folder / "proj/residuals.csv").unlink()
    line.write("c.toml", "threads = 1\n")
    (line.folder / "proj/model.h5").symlink_to("../c.toml")
    error = refused(line, *INVERT, "--config", "c.toml", "-o", "proj")
    assert "is the file of --config too" in error


@pytest.mark.parametrize("arguments", [
    ["times", "--model", "start.h5", "--source", "1,1", "--receivers", "r.csv", "--table"],
    ["rays", "--model", "start.h5", "--sources", "s.csv", "--receivers", "r.csv", "--table"],
    ["rays", "--model", "start.h5", "--sources", "s.csv", "--receivers", "r.csv",
     "--vector-coverage"],
    ["bench", "rays", "--csv"],
])
def test_no_command_writes_over_its_configuration(line, arguments):
    line.write("c.toml", "threads = 1\n")
    assert "is the file of --config too" in refused(line, "--config", "c.toml", *arguments,
                                                    "c.toml")
    (line.folder / "link").symlink_to("c.toml")
    assert "is the file of --config too" in refused(line, "--config", "c.toml", *arguments, "link")


@pytest.mark.parametrize("arguments", [
    ["model", "checkerboard", "--base", "start.h5", "--size", "2,2", "-o", "start.h5"],
    ["model", "convert", "start.h5", "-o", "./start.h5"],
    ["model", "topography", "--base", "start.h5", "--surface", "s.csv", "-o", "start.h5"],
    ["model", "profile", "--shape", "5,5", "--profile", "s.csv", "-o", "link.h5"],
    ["smooth", "--in", "start.h5", "--size", "3", "-o", "start.h5"],
    ["picks", "--model", "start.h5", "--sources", "s.csv", "--receivers", "r.csv", "-o", "r.csv"],
    ["times", "--model", "start.h5", "--source", "1,1", "--receivers", "r.csv", "-o", "start.h5",
     "--table", "t.csv"],
    ["times", "--model", "start.h5", "--source", "1,1", "--receivers", "r.csv", "--table",
     "proj/../new", "-o", "new.h5", "--config", "same.toml"],
])
def test_every_command_is_checked(line, arguments):
    (line.folder / "link.h5").symlink_to("s.csv")
    (line.folder / "new.h5").symlink_to("new")  # two outputs that are not there yet
    line.write("same.toml", "")
    assert "too: must be another" in refused(line, *arguments)


def test_a_run_is_repeated_from_its_own_settings(line):
    line(*INVERT, "-o", "proj")
    first = (line.folder / "proj/model.h5").read_bytes()
    line("invert", "--config", "proj/settings.toml")
    assert (line.folder / "proj/model.h5").read_bytes() == first


def test_a_report_is_no_file_of_its_run(line):
    line(*INVERT, "-o", "proj")
    (line.folder / "page.html").symlink_to("proj/history.csv")
    assert "is the file of --run too" in refused(line, "report", "proj", "-o", "page.html")
