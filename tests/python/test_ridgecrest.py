"""Ridgecrest's synthetic benchmark, where its files are (FERMAT_RIDGECREST names their folder)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = os.environ.get("FERMAT_RIDGECREST")
SCRIPT = Path(__file__).parents[2] / "bench" / "location" / "ridgecrest.py"


@pytest.mark.skipif(not FOLDER, reason="FERMAT_RIDGECREST is not set")
def test_terms_that_depend_on_the_place_sharpen_distances():
    run = subprocess.run([sys.executable, str(SCRIPT), FOLDER, "--runs", "ssst"], check=True, text=True,
                         capture_output=True)
    across, down = (float(cell) for cell in run.stdout.splitlines()[-1].split("|")[2:4])
    assert across < 0.15 and down < 0.30
