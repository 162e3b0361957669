"""Units as people write them: 0.7 ms, not 0.0007 s."""

from __future__ import annotations

from typing import Any

import numpy as np


def small_times(time: str, *values: Any) -> tuple[float, str]:
    """Factor and unit: milliseconds where your unit is "s" and nothing reaches 0.1 s."""
    if time != "s":
        return 1.0, time
    finite = [np.asarray(each, float)[np.isfinite(each)] for each in values]
    most = max((float(np.abs(each).max()) for each in finite if each.size), default=1.0)
    return (1000.0, "ms") if 0 < most < 0.1 else (1.0, time)
