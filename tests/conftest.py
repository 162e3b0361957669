"""Runs the program as a user does: arguments in, exit status, stderr and files out."""

import os
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


@dataclass
class Fermat:
    """The program in a folder of its own."""

    program: Path
    folder: Path

    def call(self, *arguments):
        command = [str(self.program), *map(str, arguments)]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=120)

    def __call__(self, *arguments):
        """A call that must succeed and say nothing on stderr. Gives its stdout."""
        done = self.call(*arguments)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def error(self, *arguments, status=2):
        """A call that must fail with one line and leave every file as it was. Gives the line."""
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


@pytest.fixture(scope="session")
def shared_fermat(program, tmp_path_factory) -> Fermat:
    """For long runs whose result several tests read."""
    return Fermat(program, tmp_path_factory.mktemp("shared"))


@pytest.fixture
def volume(fermat):
    """model.h5: 3-D, 11 x 9 x 7 nodes 0.5 apart, 2 + 0.5 z."""
    fermat("model", "gradient", "--shape", "11,9,7", "--spacing", "0.5", "--v0", "2",
           "--gradient", "0.5", "-o", "model.h5")
    return fermat


@pytest.fixture
def section(fermat):
    """model.h5: 2-D, 11 x 7 nodes 0.5 apart, 3 everywhere."""
    fermat("model", "constant", "--shape", "11,7", "--spacing", "0.5", "--velocity", "3",
           "-o", "model.h5")
    return fermat
