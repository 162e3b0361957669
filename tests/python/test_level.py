"""Wheels have builds for several processors: the best that runs is taken, or the one asked for."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import fermat
from fermat import _level

V3 = frozenset(_level.NEEDS["x86-64-v3"].split())
V4 = V3 | frozenset(_level.NEEDS["x86-64-v4"].split())


def test_the_best_level_that_the_processor_has_is_taken():
    both = ["x86-64-v4", "x86-64-v3"]
    assert _level.chosen(both, V4) == "x86-64-v4"
    assert _level.chosen(both, V3) == "x86-64-v3"
    assert _level.chosen(both, V4 - {"fma"}) == _level.chosen(both, ()) == "x86-64"
    assert _level.chosen(both, V4, asked="x86-64") == "x86-64"
    with pytest.raises(ImportError, match="'avx9' .must be one of x86-64, x86-64-v4, x86-64-v3"):
        _level.chosen(both, V4, asked="avx9")
    with pytest.raises(ImportError, match="the processor has no avx512f, "):
        _level.chosen(both, V3, asked="x86-64-v4")


def test_flags_are_those_of_the_kernel_or_none(tmp_path):
    file = tmp_path / "cpuinfo"
    file.write_text("processor\t: 0\nflags\t\t: fpu avx avx2\nflags : other\n")
    assert _level.processor_flags(str(file)) == {"fpu", "avx", "avx2"}
    assert _level.processor_flags(str(tmp_path / "none")) == frozenset()


@pytest.mark.skipif(bool(_level.levels()), reason="a wheel, which has its own levels")
@pytest.mark.skipif(not V3 <= _level.processor_flags(), reason="needs a processor with AVX2")
def test_the_module_of_the_level_is_loaded(tmp_path):
    package = Path(fermat.__file__).parent
    shutil.copytree(package, tmp_path / "fermat", ignore=shutil.ignore_patterns("bin", "*.pyc"))
    level = tmp_path / "fermat" / "levels" / "x86-64-v3"
    level.mkdir(parents=True)
    core = next((tmp_path / "fermat").glob("_core.*.so"))
    shutil.copy(core, level)
    code = "import fermat as fm, fermat.plot; print(fm._core.__file__); fm.Model.constant((3, 3), velocity=1)"
    for asked, place in (("", level), ("x86-64", core.parent)):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONPATH": str(tmp_path), "FERMAT_INSTRUCTIONS": asked},
            capture_output=True,
            text=True,
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr
        assert Path(done.stdout.strip()).parent.resolve() == place.resolve()
