"""PyPI's `fermat` is another project: who meets it is told, and `fermat_rays` is always ours."""

import os
import subprocess
import sys
import warnings

import pytest

import fermat
from fermat._neighbour import ITS_FILES, tell_of_namesake


def test_the_name_of_the_distribution_is_the_same_package():
    import fermat_rays
    import fermat_rays.plot

    assert fermat_rays is fermat and sys.modules["fermat_rays.plot"] is fermat.plot
    assert fermat.plot.__spec__.name == "fermat.plot"
    with pytest.raises(ModuleNotFoundError, match="fermat.nothing"):
        import fermat_rays.nothing  # noqa: F401


def test_a_namesake_beside_us_is_told(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tell_of_namesake(str(tmp_path))
    for file in ITS_FILES:
        (tmp_path / file).touch()
    with pytest.warns(UserWarning, match="pip uninstall -y fermat fermat-rays"):
        tell_of_namesake(str(tmp_path))


def test_a_namesake_in_our_place_is_told(tmp_path):
    (tmp_path / "fermat").mkdir()
    (tmp_path / "fermat" / "__init__.py").write_text("import not_installed\n")
    paths = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", "import fermat_rays"],
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ImportError: ") and "pip install fermat-rays" in last
