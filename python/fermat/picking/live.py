"""A model that follows the picks: inverted in the background after each change."""

from __future__ import annotations

import threading
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from .._rays import rays
from .auto import Picked
from .model import invert_records

if TYPE_CHECKING:
    from .records import Records
    from .session import Session

__all__ = ["LiveModel", "fitted"]

LEAST = 8  # picks
MOST_RAYS = 240
SETTLE = 0.15  # s without a change before an inversion starts
QUICK = {"iterations": 8}


def fitted(records: Records, found: Picked, revision: int) -> dict[str, Any]:
    """An inversion of the picks, as the page draws it: always from the beginning, so that it depends on
    the picks and not on the order in which they were made."""
    count = sum(int(np.isfinite(row).sum()) for row in found.time)
    if count < LEAST:
        raise ValueError(f"{count} picks are too few for a model (at least {LEAST})")
    statics = [static.time for static in found.statics]
    done = invert_records(records, found.time, found.error, statics, **QUICK)
    model, picks = done.inversion.model, done.picks
    flat = model.ndim == 2
    out: dict[str, Any] = {
        "revision": revision, "rms": done.inversion.rms, "chi2": _plain(done.inversion.chi2),
        "picks": len(picks), "rejected": int((done.inversion.use != "used").sum()),
        "predicted": [_row(row + static) for row, static in zip(done.times, statics)],
        "notes": [*done.inversion.warnings][:4],
    }
    if flat:
        velocity = np.asarray(model.velocity, dtype=float)
        seen = _seen(done.inversion.coverage, velocity.shape)
        out["section"] = {
            "origin": [float(v) for v in model.origin], "spacing": [float(v) for v in np.broadcast_to(model.spacing, 2)],
            "shape": list(velocity.shape), "velocity": [round(float(v), 4) for v in velocity.ravel()],
            "seen": [round(float(v), 2) for v in seen.ravel()],
            "sources": picks.sources.tolist(), "receivers": picks.receivers.tolist(), "rays": _rays(model, picks),
        }
    return out


def _seen(coverage: Any, shape: tuple[int, ...]) -> Any:
    """1 at nodes of cells with rays, 0 far from any."""
    cells = np.asarray(coverage) > 0
    nodes = np.zeros(shape)
    for dx in (0, 1):
        for dz in (0, 1):
            part = nodes[dx : dx + cells.shape[0], dz : dz + cells.shape[1]]
            np.maximum(part, cells, out=part)
    return nodes


def _rays(model: Any, picks: Any) -> list[list[list[float]]]:
    which = np.unique(np.linspace(0, len(picks) - 1, min(MOST_RAYS, len(picks))).astype(int))
    found = rays(model, picks.sources, picks.receivers, pairs=picks.pairs[which])
    out = []
    for path in found.paths:
        points = np.asarray(path)
        if len(points):
            step = max(len(points) // 24, 1)
            out.append(np.vstack([points[:-1:step], points[-1:]]).round(3).tolist())
    return out


def _row(values: Any) -> list[Any]:
    return [float(v) if np.isfinite(v) else None for v in values]


def _plain(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


class LiveModel:
    """A thread that inverts what the project holds, the newest picks first; `result` is the last."""

    def __init__(self, session: Session, lock: Any) -> None:
        self.session = session
        self.result: dict[str, Any] | None = None
        self.said: str | None = None
        self.busy = False
        self.number = 0  # counts results and failures
        self._lock = lock
        self._wake = threading.Event()
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="live model", daemon=True)
        self._thread.start()

    def changed(self) -> None:
        """The picks are others now."""
        self._wake.set()

    def end(self) -> None:
        """Stop after the inversion that runs."""
        self._ended = True
        self._wake.set()

    def _run(self) -> None:
        while True:
            self._wake.wait()
            while self._wake.is_set():  # more changes may come at once
                self._wake.clear()
                if self._ended:
                    return
                self._wake.wait(SETTLE)
            with self._lock:
                found, revision = self.session.held(), self.session.project.revision
            self.busy = True
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    self.result, self.said = self.session.fitted(found, revision), None
            except Exception as error:  # whatever it is: the page says it and goes on
                self.said = str(error).splitlines()[0] if str(error) else type(error).__name__
            finally:
                self.busy = False
                self.number += 1
