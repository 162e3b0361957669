"""Help, version and info: every command has a help text whose example runs unchanged."""

import os
import re
import subprocess
import sys

import pytest

MODEL_COMMANDS = ["constant", "gradient", "layers", "profile", "checkerboard", "random", "blocks",
                  "topography", "convert"]
COMMANDS = [[], ["model"], *(["model", name] for name in MODEL_COMMANDS), ["times"], ["locate"], ["relocate"], ["rays"],
            ["picks"], ["picks", "convert"], ["invert"], ["smooth"], ["bench", "smoothing"],
            ["bench"], ["bench", "paper"], ["bench", "tomography"], ["bench", "eikonal"],
            ["report"], ["plot"], ["export"], ["geometry"], ["pick"], ["info"]]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: "-".join(words) or "fermat")
def test_help_shows_an_example_that_runs(fermat, command):
    if command == ["pick"]:
        pytest.importorskip("obspy")
    text = fermat(*command, "--help")
    example = text.split("Example:\n")[1]
    path = f"{fermat.program.parent}:{os.environ['PATH']}"
    done = subprocess.run(["bash", "-euc", example], cwd=fermat.folder, capture_output=True,
                          text=True, timeout=120, env={**os.environ, "PATH": path, "FERMAT_PYTHON": sys.executable})
    assert (done.returncode, fermat.without_progress(done.stderr)) == (0, "")
    for name in re.findall(r"(?:-o|--table) (\S+)", example):
        assert (fermat.folder / name).exists()


@pytest.mark.parametrize("command", [c for c in COMMANDS if c not in ([], ["model"], ["bench"])],
                         ids="-".join)
def test_help_of_a_command_lists_the_common_flags(fermat, command):
    text = fermat(*command, "--help")
    for flag in ["--threads", "--device", "--quiet", "--log-level", "--config"]:
        assert text.count(f"  {flag} ") == 1


def test_help_names_every_command(fermat):
    text = fermat("--help")
    for words in COMMANDS:
        if len(words) == 1:
            assert f"\n  {words[0]} " in text
    for name in MODEL_COMMANDS:
        assert f"\n  {name} " in fermat("model", "--help")


def test_version_is_that_of_the_file(fermat):
    root = os.path.join(os.path.dirname(__file__), "..", "..")
    with open(os.path.join(root, "VERSION")) as file:
        version = file.read().strip()
    assert fermat("--version").strip() == f"fermat {version}"
    assert fermat("info").split()[:2] == ["fermat", version]


def test_info_tells_build_devices_and_threads(fermat):
    text = fermat("info", "--threads", "3")
    for label in ["compiler", "build type", "native", "CUDA", "OpenGL", "MPI", "device"]:
        assert re.search(rf"^{label}", text, re.MULTILINE)
    assert re.search(r"^threads +3$", text, re.MULTILINE)
