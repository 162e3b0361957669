"""Runs the program like a user: arguments in; exit status, stderr and files out."""

import os
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = Path(os.environ.get("FERMAT_PROGRAM", ROOT / "build" / "release" / "fermat")).resolve()


@pytest.fixture(scope="session")
def program() -> Path:
    assert PROGRAM.is_file(), f"{PROGRAM} does not exist (run scripts/build, or set FERMAT_PROGRAM)"
    return PROGRAM


@pytest.fixture
def ctrl_c():
    """Child processes get Ctrl-C, even if these tests run as a background job, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@dataclass
class Fermat:
    """The program in its own folder."""

    program: Path
    folder: Path

    @staticmethod
    def without_progress(stderr):
        """stderr without progress lines, which appear after 3 s: on a busy machine, in any run."""
        return re.sub(r"^fermat: .* \d+% \([\d.]+ s.*\)\n", "", stderr, flags=re.MULTILINE)

    def call(self, *arguments):
        command = [str(self.program), *map(str, arguments)]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=300)
        done.stderr = self.without_progress(done.stderr)
        return done

    def __call__(self, *arguments):
        """Runs a call that must succeed without output on stderr, and returns its stdout."""
        done = self.call(*arguments)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def error(self, *arguments, status=2):
        """Runs a call that must fail with one line and change no file, and returns the line."""
        before = self.files()
        done = self.call(*arguments)
        assert done.returncode == status, done
        assert done.stderr.startswith("fermat: error: "), done.stderr
        assert done.stderr.count("\n") == 1 and done.stderr.endswith("\n"), done.stderr
        assert self.files() == before
        return done.stderr.rstrip("\n")

    def files(self):
        return {p.name: p.read_bytes() for p in self.folder.iterdir() if p.is_file()}

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def array(self, file, name="velocity"):
        with h5py.File(self.folder / file) as h5:
            return np.array(h5[f"VTKHDF/PointData/{name}"])

    def names(self, file):
        with h5py.File(self.folder / file) as h5:
            return list(h5["VTKHDF/PointData"])


@pytest.fixture
def fermat(program, tmp_path) -> Fermat:
    return Fermat(program, tmp_path)


@pytest.fixture
def mpirun(fermat):
    """Starts one rank of the program per list of arguments."""
    launcher = shutil.which("mpirun")
    if not launcher or "MPI         no" in fermat("info"):
        pytest.skip("no MPI")

    def start(*ranks):
        command = [launcher, "--oversubscribe", "--allow-run-as-root"]
        for number, arguments in enumerate(ranks):
            command += [":"] * (number > 0) + ["-n", "1", *map(str, arguments)]
        # Ranks that share few cores must not busy-wait for each other.
        environment = os.environ | {"OMPI_MCA_mpi_yield_when_idle": "1"}
        return subprocess.run(command, cwd=fermat.folder, env=environment, capture_output=True,
                              text=True, timeout=200)

    return start


@pytest.fixture(scope="module")
def module_fermat(program, tmp_path_factory) -> Fermat:
    """The program, for runs whose results several tests of one file use."""
    return Fermat(program, tmp_path_factory.mktemp("module"))


@pytest.fixture(scope="session")
def shared_fermat(program, tmp_path_factory) -> Fermat:
    """The program, for long runs whose results several tests use."""
    return Fermat(program, tmp_path_factory.mktemp("shared"))


@pytest.fixture
def volume(fermat):
    """model.h5: 3-D, 11 x 9 x 7 nodes 0.5 apart, velocity 2 + 0.5 z."""
    fermat("model", "gradient", "--shape", "11,9,7", "--spacing", "0.5", "--v0", "2",
           "--gradient", "0.5", "-o", "model.h5")
    return fermat


@pytest.fixture
def section(fermat):
    """model.h5: 2-D, 11 x 7 nodes 0.5 apart, velocity 3."""
    fermat("model", "constant", "--shape", "11,7", "--spacing", "0.5", "--velocity", "3",
           "-o", "model.h5")
    return fermat
