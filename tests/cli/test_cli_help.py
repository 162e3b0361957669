"""Help, version and info: every command has a help text whose example runs unchanged."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

MODEL_COMMANDS = ["constant", "gradient", "layers", "profile", "checkerboard", "random", "blocks",
                  "topography", "convert"]
COMMANDS = [[], ["model"], *(["model", name] for name in MODEL_COMMANDS), ["times"], ["locate"], ["relocate"], ["rays"],
            ["picks"], ["picks", "convert"], ["phases"], ["invert"], ["smooth"],
            ["bench"], ["bench", "paper"], ["bench", "tomography"], ["bench", "eikonal"],
            ["report"], ["plot"], ["export"], ["geometry"], ["pick"], ["info"], ["help"], ["completion"]]


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


def test_info_for_scripts_is_json_with_the_same_facts(fermat):
    told = json.loads(fermat("info", "--json", "--threads", "3"))
    text = fermat("info", "--threads", "3")
    assert told["threads"] == 3
    for label, key in [("fermat", "version"), ("compiler", "compiler"), ("build type", "build_type"),
                       ("native", "native"), ("CUDA", "cuda"), ("MPI", "mpi")]:
        assert re.search(rf"^{label} +{re.escape(told[key])}$", text, re.MULTILINE)
    assert len(told["devices"]) == len(re.findall(r"^device \d", text, re.MULTILINE))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: "-".join(words) or "fermat")
def test_help_as_a_command_is_that_of_the_flag(fermat, command):
    assert fermat("help", *command) == fermat(*command, "--help")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["invrt"], "unknown command 'invrt' (did you mean invert? see fermat --help)"),
        (["tiems"], "unknown command 'tiems' (did you mean times? see fermat --help)"),
        (["zzzzzz"], "unknown command 'zzzzzz' (see fermat --help)"),
        (["x" * 100_000], "xxx...' (see fermat --help)"),
        (["model", "gradent"],
         "unknown command 'gradent' (did you mean gradient? see fermat model --help)"),
        (["invert", "--pikcs", "p.csv", "-o", "run"],
         "unknown argument '--pikcs' (did you mean --picks? see fermat invert --help)"),
        (["invert", "p.csv", "--overwrte", "-o", "run"],
         "unknown argument '--overwrte' (did you mean --overwrite? see fermat invert --help)"),
        (["invert", "p.csv", "--iteratoins=3", "-o", "run"],
         "unknown argument '--iteratoins=3' (did you mean --iterations? see fermat invert --help)"),
        (["info", "--thread", "3"],
         "unknown argument '--thread' (did you mean --threads? see fermat info --help)"),
        (["info", "-"], "(see fermat info --help)"),
        (["help", "invrt"], "unknown command 'invrt' (did you mean invert? see fermat --help)"),
        (["help", "model", "gradent"],
         "unknown command 'gradent' (did you mean gradient? see fermat model --help)"),
        (["completion", "powershell"], "--shell is 'powershell' (must be one of bash, zsh, fish)"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else None,
)
def test_a_mistyped_word_names_the_nearest_one(fermat, arguments, words):
    assert words in fermat.error(*arguments)


def completed(fermat, *words):
    """What bash offers for the last of the words."""
    script = f"""source <("{fermat.program}" completion bash)
COMP_WORDS=(fermat {" ".join(f"'{word}'" for word in words)}); COMP_CWORD={len(words)}
_fermat; printf '%s\\n' "${{COMPREPLY[@]}}" """
    done = subprocess.run(["bash", "-euc", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


def test_bash_completes_commands_and_flags(fermat):
    assert completed(fermat, "inv") == ["invert"]
    assert completed(fermat, "model", "gradi") == ["gradient"]
    assert completed(fermat, "--quiet", "model", "gradient", "--sha") == ["--shape"]
    assert completed(fermat, "times", "--thr") == ["--threads"]
    assert completed(fermat, "times", "") == []  # names of files
    # `times` is a command only as the first word.
    assert completed(fermat, "plot", "times", "--kin") == ["--kind"]
    for command in COMMANDS:
        offered = completed(fermat, *command, "--")
        shown = re.findall(r"^ +(?:-\w,)?(--[\w-]+)", fermat(*command, "--help"), re.MULTILINE)
        assert set(shown) <= set(offered), command
        if len(command) == 1:
            assert command[0] in completed(fermat, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_have_every_command_and_are_read_by_their_shell(fermat, shell):
    script = fermat("completion", shell)
    for command in COMMANDS:
        assert f"'{' '.join(['', *command])}'" in script
    if not shutil.which(shell):
        pytest.skip(f"no {shell}")
    (fermat.folder / "script").write_text(script)
    done = subprocess.run([shell, "-n", "script"], cwd=fermat.folder, capture_output=True, text=True,
                          timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
