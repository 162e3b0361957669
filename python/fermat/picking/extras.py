"""Packages of the extra `pick`, imported where they are needed, or one sentence that names it."""

from __future__ import annotations

import importlib
from typing import Any


def need(module: str, what: str) -> Any:
    """The module, or the sentence that says how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        name = module.partition(".")[0]
        raise ImportError(
            f"{what} needs {name}, which is not installed (pip install 'fermat-rays[pick]')", name=name
        ) from error
