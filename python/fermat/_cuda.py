"""Models on a CUDA device, and results as arrays of the library that the velocity came from."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    from ._core import CudaModel, Model

__all__ = ["given_back", "on_host"]


def on_host(model: Model | CudaModel) -> Model:
    """The model in host memory: the model itself, or a copy that is made once."""
    return model.to_host() if isinstance(model, _core.CudaModel) else model


def given_back(model: CudaModel, result: Any) -> Any:
    """An array that C++ made on the device, without a copy."""
    library = type(model.velocity).__module__.partition(".")[0]
    return import_module(library).from_dlpack(result)
