"""A failed run ends with its exit status even if stderr cannot be written."""

import os
import subprocess

import pytest


def call(fermat, *arguments, closed=(), stderr=None):
    return subprocess.run(
        [str(fermat.program), *arguments], cwd=fermat.folder, stdout=subprocess.DEVNULL,
        stderr=stderr, timeout=60,
        preexec_fn=lambda: [os.close(number) for number in closed]).returncode


@pytest.mark.parametrize("arguments", [["times", "--model", "none.h5"], ["nonsense"],
                                       ["info", "--config", "none.toml"]])
def test_status_with_standard_error_closed_or_full(fermat, arguments):
    assert call(fermat, *arguments, closed=(2,)) == 2
    assert call(fermat, *arguments, closed=(0, 1, 2)) == 2
    with open("/dev/full", "w") as full:
        assert call(fermat, *arguments, stderr=full) == 2


def test_logs_that_cannot_be_written_fail_nothing(section):
    times = ["times", "--model", "model.h5", "--source", "1,1", "-o", "t.h5", "--log-level", "info"]
    with open("/dev/full", "w") as full:
        assert call(section, *times, stderr=full) == 0
    assert section.names("t.h5") == ["time"]


def test_no_output_gets_the_number_of_a_closed_stream(section):
    """Otherwise printed text would go into that output."""
    section.write("r.csv", "x,z\n2,2\n")
    times = ["times", "--model", "model.h5", "--source", "1,1", "--receivers", "r.csv", "--table",
             "t.csv", "--log-level", "info"]
    assert call(section, *times) == 0
    expected = section.files()["t.csv"]
    assert call(section, *times, closed=(0, 1, 2)) == 0
    assert section.files()["t.csv"] == expected


def test_a_table_for_a_closed_standard_output_is_an_error(section):
    section.write("r.csv", "x,z\n2,2\n")
    times = ["times", "--model", "model.h5", "--source", "1,1", "--receivers", "r.csv", "--table",
             "-"]
    assert call(section, *times, closed=(1,)) == 2
