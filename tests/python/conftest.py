from pathlib import Path

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")


@pytest.fixture
def root() -> Path:
    """The repository."""
    return Path(__file__).resolve().parents[2]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(1)
