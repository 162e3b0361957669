"""An output that cannot be written is refused before any work, by every command."""

import pytest

# Inputs are not there: if one were read first, the error would be of it.
NAME = {".h5": "o.h5", ".csv": "o.csv", ".html": "o.html", ".png": "o.png", ".xml": "o.xml"}
GRID = ["--shape", "5,5", "--v0", "2", "--gradient", "0.1"]
LOCATE = ["locate", "--model", "no.h5", "--picks", "no.csv", "--stations", "no.csv"]
RAYS = ["rays", "--model", "no.h5", "--sources", "no.csv", "--receivers", "no.csv"]
FILES = [
    (["model", "gradient", *GRID, "-o"], ".h5"),
    (["model", "checkerboard", "--base", "no.h5", "--size", "2", "-o"], ".h5"),
    (["times", "--model", "no.h5", "--source", "1,1", "-o"], ".h5"),
    (["times", "--model", "no.h5", "--source", "1,1", "--receivers", "no.csv", "--table"], ".csv"),
    *(([*RAYS, flag], suffix) for flag, suffix in (
        ("-o", ".h5"), ("--table", ".csv"), ("--sensitivity", ".h5"), ("--coverage", ".h5"),
        ("--vector-coverage", ".xml"))),
    (["picks", "--model", "no.h5", "--sources", "no.csv", "--receivers", "no.csv", "-o"], ".csv"),
    (["picks", "convert", "no.csv", "-o"], ".csv"),
    ([*LOCATE, "-o"], ".csv"),
    *(([*LOCATE, "-o", "good.csv", flag], ".csv") for flag in (
        "--fits", "--sampled", "--moved-picks", "--hyp", "--export")),
    (["relocate", "--model", "no.h5", "--stations", "no.csv", "--picks", "no.csv", "-o"], ".csv"),
    (["smooth", "no.h5", "--size", "3", "-o"], ".h5"),
    (["report", "no", "-o"], ".html"),
    (["watch", "no", "-o"], ".html"),
    (["plot", "no.h5", "-o"], ".png"),
    (["export", "no.h5", "-o"], ".h5"),
    (["geometry", "no", "-o", "good", "--figure"], ".png"),
    *((["bench", what, "--csv"], ".csv") for what in ("eikonal", "rays")),
    (["bench", "paper", "5", "--csv"], ".csv"),
]


@pytest.mark.parametrize(("command", "suffix"), FILES)
def test_a_file_that_cannot_be_written_is_refused_first(fermat, command, suffix):
    name = NAME[suffix]
    assert f"cannot write 'none/{name}': folder 'none' does not exist" in fermat.error(
        *command, f"none/{name}")
    (fermat.folder / name).mkdir()
    assert f"cannot write '{name}': it is a folder" in fermat.error(*command, name)
    assert "cannot write '/proc/" in fermat.error(*command, f"/proc/{name}")


FOLDERS = [
    ["invert", "--picks", "no.csv", "-o"],
    ["geometry", "no", "-o"],
    ["export", "no", "-o"],
    ["bench", "bending", "--write"],
]


@pytest.mark.parametrize("command", FOLDERS, ids=lambda command: command[0])
def test_a_folder_that_cannot_be_made_is_refused_first(fermat, command):
    fermat.write("file", "")
    for name, why in (("file", "a file has that name"), ("file/run", "a file has that name")):
        assert f"is '{name}' (cannot be made a folder: {why})" in fermat.error(*command, name)
    assert "cannot be made a folder" in fermat.error(*command, "/dev/null/run")


def test_the_start_of_file_names_needs_its_folder(fermat):
    error = fermat.error(*LOCATE, "-o", "good.csv", "--time-grids", "none/grid")
    assert "folder 'none' does not exist" in error


def test_a_check_leaves_nothing_behind(section):
    before = set(section.folder.iterdir())
    section.error("times", "--model", "no.h5", "--source", "1,1", "-o", "t.h5")
    assert set(section.folder.iterdir()) == before
