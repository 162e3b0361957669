"""Ridgecrest's synthetic benchmark, where its files are: `ridgecrest` beside the other data of others
(FERMAT_DATA), or the folder that FERMAT_RIDGECREST names."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("FERMAT_DATA", ROOT.parent / "shared" / "data"))
FOLDER = Path(os.environ.get("FERMAT_RIDGECREST", DATA / "ridgecrest"))
SCRIPT = ROOT / "bench" / "location" / "ridgecrest.py"


@pytest.mark.skipif(not (FOLDER / "phase.csv.gz").is_file(),
                    reason="ridgecrest is not here (set FERMAT_DATA or FERMAT_RIDGECREST)")
def test_terms_that_depend_on_the_place_sharpen_distances():
    run = subprocess.run([sys.executable, str(SCRIPT), str(FOLDER), "--runs", "ssst"], check=True, text=True,
                         capture_output=True)
    across, down = (float(cell) for cell in run.stdout.splitlines()[-1].split("|")[2:4])
    assert across < 0.15 and down < 0.30
