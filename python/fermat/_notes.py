"""Notes of readers about accepted input, as warnings."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable

PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def tell(sentences: Iterable[str]) -> None:
    """Issues one UserWarning per note, at the line that called this package."""
    sentences = list(sentences)
    if not sentences:
        return
    level = 2
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
        level += 1
    for sentence in sentences:
        warnings.warn(sentence, UserWarning, stacklevel=level)
