"""Examples are short, run, and make the figures of the documentation."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")
ROOT = Path(__file__).resolve().parents[2]
QUICK = {  # script: further arguments, and its figure
    "head-waves/head_waves.py": ([], "head-waves.png"),
    "marmousi-like/marmousi_like.py": ([], "marmousi-like.png"),
    "costa-rica-like/costa_rica_like.py": (["3"], "costa-rica-like.png"),
    "gpu-batch/gpu_batch.py": (["2"], "gpu-batch.png"),
}


@pytest.mark.parametrize("name", QUICK)
def test_an_example_runs(name, tmp_path):
    arguments, picture = QUICK[name]
    script = ROOT / "examples" / name
    done = subprocess.run(
        [sys.executable, script, tmp_path, *arguments], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / picture).stat().st_size > 20000
    assert picture in (ROOT / "docs" / "examples.md").read_text()


def test_dask_workers_give_the_bits_of_one_machine():
    pytest.importorskip("distributed")
    script = ROOT / "examples" / "dask-cluster" / "dask_cluster.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    assert "48 sources x 100 receivers on" in done.stdout


def test_examples_are_short():
    for script in (ROOT / "examples").glob("*/*.py"):
        assert len(script.read_text().splitlines()) < 60, script
