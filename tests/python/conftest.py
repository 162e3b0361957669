import os
from pathlib import Path

import numpy as np
import pytest

os.environ["MPLBACKEND"] = "Agg"  # must precede the import of matplotlib


@pytest.fixture
def root() -> Path:
    """The repository."""
    return Path(__file__).resolve().parents[2]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(1)
