"""The package has one version, types that mypy accepts and a working command line."""

import re
import subprocess
import sys
from importlib import metadata, resources
from pathlib import Path

import fermat as fm
import pytest

USE = """
import fermat as fm
import numpy as np
import numpy.typing as npt

model = fm.Model(np.ones((3, 4)), spacing=(0.1, 0.2), origin=0)
other: fm.Model = fm.Model.layers((3, 4), layers=[(0, 2), (1, 3)]).checkerboard(size=2)
total: np.float32 = model.velocity.sum() + other.slowness.sum()
shape: tuple[int, ...] = model.shape
version: str = fm.__version__
single: npt.NDArray[np.float32] = fm.traveltimes(model, (0, 0), solver="fmm")
double: npt.NDArray[np.float64] = fm.traveltimes(model, [(0, 0)], precision="double")
at: npt.NDArray[np.float64] = fm.receiver_times(model, (0, 0), np.zeros((3, 2)))
rays: fm.Rays = fm.rays(model, (0, 0), [(0.1, 0.2)], pairs=[(0, 0)], progress=print)
path: npt.NDArray[np.float64] = rays.paths[0]
exact = fm.analytic.gradient_time((0, 0), (1, 1), v0=2, gradient=0.5)
fm.plot.section(model, times=single, rays=rays, sources=(0, 0), levels=[0.1, 0.2])
picks: fm.Picks = fm.picks({"time": [1]})
grid: fm.Grid = model.with_topography(picks, height=True).grid
x: npt.NDArray[np.float64] = model.coords[0]
rows: list[dict[str, int | float | str | None]] = fm.bench("rays", largest=64)
"""


def test_the_version_comes_from_one_file(root):
    version = (root / "VERSION").read_text().strip()
    assert fm.__version__ == version
    assert fm.build_info()["version"] == version
    try:
        assert metadata.version("fermat-rays") == version
    except metadata.PackageNotFoundError:
        pytest.skip("installed without pip")


def test_the_package_is_typed():
    package = resources.files("fermat")
    assert (package / "py.typed").is_file()
    assert "class Model" in (package / "_core.pyi").read_text()


def test_mypy_accepts_right_use_and_refuses_wrong_use(tmp_path):
    pytest.importorskip("mypy")
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text(USE)
    bad.write_text("import fermat\nfermat.Model.constant((3, 3), velocity='fast')\n")
    command = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={tmp_path}/cache"]
    run = subprocess.run([*command, good, bad], capture_output=True, text=True, cwd=tmp_path)
    complaints = [line for line in run.stdout.splitlines() if ": error:" in line]
    assert len(complaints) == 1, run.stdout + run.stderr
    assert complaints[0].startswith("bad.py:2:")


def test_the_package_itself_passes_mypy(tmp_path):
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={tmp_path}", "-p", "fermat"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr


def test_python_m_fermat_is_the_command_line():
    run = subprocess.run([sys.executable, "-m", "fermat", "--version"], capture_output=True, text=True)
    if (resources.files("fermat") / "bin" / "fermat").is_file():
        assert run.returncode == 0, run.stderr
        assert fm.__version__ in run.stdout
        assert run.stderr == ""
    else:
        assert run.returncode == 1
        assert run.stderr.startswith("fermat: error: the program is not in this installation")


def test_bench_gives_the_tables_of_the_command_line():
    rows = fm.bench("eikonal", quick=True, largest=100, repeat=1, threads=1, device="cpu")
    assert {row["table"] for row in rows} >= {"paper5"} and rows[0]["threads"] == 1
    assert isinstance(rows[0]["seconds"], float) and rows[0]["seconds"] > 0
    assert len({tuple(row) for row in rows}) == 1


@pytest.mark.parametrize(
    ("call", "kind", "sentence"),
    [
        (lambda: fm.bench("speed"), ValueError, "speed"),
        (lambda: fm.bench("rays", largest=7), ValueError, "--largest is '7'"),
        (lambda: fm.bench("rays", colour=7), ValueError, "--colour"),
    ],
)
def test_a_bench_that_cannot_be_is_a_sentence(call, kind, sentence):
    with pytest.raises(kind) as error:
        call()
    assert sentence in str(error.value) and "\n" not in str(error.value)


def test_devices_are_listed_on_any_machine():
    assert all(isinstance(name, str) for name in fm.devices())
    assert fm.build_info()["cuda"] != "no" or fm.devices() == []


def test_every_file_that_names_the_version_names_the_same():
    root = Path(__file__).resolve().parents[2]
    version = (root / "VERSION").read_text().strip()
    citation = (root / "CITATION.cff").read_text()
    assert f"\nversion: {version}\n" in citation
    assert re.search(r'^date-released: "\d{4}-\d\d-\d\d"$', citation, re.MULTILINE)
    assert f'"FERMAT_VERSION", "{version}"' in (root / "packaging/conda/meta.yaml").read_text()
    assert f"fermat_rays-{version}-" in (root / "docs/install.md").read_text()
