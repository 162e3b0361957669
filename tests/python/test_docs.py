"""The examples in docstrings run and print what they say."""

import doctest

import fermat as fm
import matplotlib.pyplot as plt
import pytest
from fermat import _rays, _times


@pytest.mark.parametrize("module", [fm.analytic, fm.plot, _rays, _times], ids=lambda m: m.__name__)
def test_examples_run(module):
    found = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    plt.close("all")
    assert found.attempted > 0
    assert found.failed == 0
