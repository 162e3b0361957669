"""Devices, pipes and descriptors are written directly; links are followed."""

import os
import subprocess

import pytest

TABLE = ["times", "--model", "model.h5", "--source", "1,1", "--receivers", "r.csv", "--table"]
ROWS = "source,receiver,time\n0,0,"


@pytest.fixture
def survey(section):
    section.write("r.csv", "x,z\n2,2\n")
    return section


def shell(fermat, text):
    """Runs lines of bash in which F is the program."""
    script = f"F='{fermat.program}'; T='{' '.join(TABLE)}'\n{text}"
    done = subprocess.run(["bash", "-c", script], cwd=fermat.folder, capture_output=True, text=True,
                          timeout=60)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def test_what_was_in_an_appended_file_stays(survey):
    survey.write("all.csv", "precious\n")
    shell(survey, "$F $T /dev/stdout >>all.csv; $F $T - >>all.csv")
    text = (survey.folder / "all.csv").read_text()
    assert text.startswith("precious\n" + ROWS) and text.count(ROWS) == 2


def test_two_calls_of_a_group_follow_each_other(survey):
    shell(survey, "{ $F $T /dev/stdout; echo between; $F $T /dev/stdout; } >f")
    text = (survey.folder / "f").read_text()
    assert text.count(ROWS) == 2 and "\nbetween\n" in text
    assert os.path.islink("/dev/stdout") or not os.path.isfile("/dev/stdout")


def test_other_descriptors_and_substitutions_too(survey):
    survey.write("five.csv", "first\n")
    shell(survey, "$F $T /dev/fd/5 5>>five.csv; $F $T >(cat >sub.csv); wait $!")
    assert (survey.folder / "five.csv").read_text().startswith("first\n" + ROWS)
    assert (survey.folder / "sub.csv").read_text().startswith(ROWS)


def test_a_minus_is_standard_output_and_nothing_mixes_with_it(survey):
    assert survey(*TABLE, "-").startswith(ROWS)
    rays = ["rays", "--model", "model.h5", "--source", "1,1", "--receivers", "r.csv"]
    assert survey(*rays, "--table", "-").count("\n") == 2
    assert survey(*rays, "--vector-coverage", "-").lstrip().startswith("<")
    survey.write("s.csv", "x,z\n1,1\n")
    picks = survey("picks", "--model", "model.h5", "--sources", "s.csv", "--receivers", "r.csv",
                   "-o", "-")
    assert picks.startswith("source_x,") and picks.count("\n") == 2
    survey(*TABLE, "./-")
    assert (survey.folder / "-").read_text().startswith(ROWS)


def test_a_link_to_nothing_yet_is_followed(survey):
    (survey.folder / "data").mkdir()
    (survey.folder / "link.csv").symlink_to("data/new.csv")
    (survey.folder / "link.h5").symlink_to("data/new.h5")
    survey(*TABLE, "link.csv", "-o", "link.h5")
    assert (survey.folder / "link.csv").is_symlink() and (survey.folder / "link.h5").is_symlink()
    assert (survey.folder / "data/new.csv").read_text().startswith(ROWS)
    assert survey.names("data/new.h5") == ["time"]


def test_hdf5_needs_a_file(survey):
    (survey.folder / "out.h5").symlink_to("/dev/stdout")
    error = survey.error(*TABLE, "t.csv", "-o", "out.h5")
    assert "cannot write 'out.h5': it is not a regular file" in error
    assert (survey.folder / "out.h5").is_symlink()
