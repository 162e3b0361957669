"""What the data say nothing of fades away: by resolution where a run has it, else by its rays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._core import Model
    from ._runs import Run


def of_model(
    model: Model, covered: Any = None, resolution: Any = None
) -> NDArray[np.float32] | None:
    """How plainly each node is drawn, 0 to 1; None where everything is."""
    if covered is not None and resolution is not None:
        raise ValueError("covered and resolution were given (must be one: either makes the rest fade)")
    if covered is not None:
        count = np.asarray(covered)
        cells = tuple(n - 1 for n in model.shape)
        if count.shape != cells:
            raise ValueError(f"covered has shape {count.shape} (must be {cells} cells)")
        return _core.fade(model, np.ascontiguousarray(count, np.float32), True)
    if resolution is not None:
        share = np.asarray(resolution)
        if share.shape not in (model.shape, model.velocity.shape):
            raise ValueError(f"resolution has shape {share.shape} (must be {model.velocity.shape})")
        return _core.fade(model, np.ascontiguousarray(share, np.float32), False)
    return None


def of_run(run: Run) -> NDArray[np.float32] | None:
    if run.resolution is not None:
        return of_model(run.model, resolution=run.resolution)
    return of_model(run.model, covered=run.coverage)


def reason(run: Run) -> str:
    """Why parts of the picture are pale, for its caption."""
    if run.resolution is not None:
        return "pale where the data resolve little"
    return "pale where no ray passes near by" if run.coverage is not None else ""
