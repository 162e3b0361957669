"""Inversion of first and later phases for velocities of layers and depths of interfaces."""

from __future__ import annotations

import csv
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _core
from ._checked import checked
from ._medium import Medium
from ._notes import tell
from ._progress import listener

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ._arguments import Progress

__all__ = ["LayerChange", "LayerInversion", "invert_phases"]


class LayerChange:
    """What was found of one interface or of a layer's velocity, at points of a coarse grid."""

    def __init__(self, found: Any) -> None:
        #: The id of the interface, or as in "P of layer 0".
        self.of: str = found.of
        #: Points (x, y, z) as users write them.
        self.points: NDArray[np.float64] = np.asarray(found.points())
        #: Change from the start: a depth, or a relative change of velocity.
        self.change: NDArray[np.float64] = found.change()
        #: Standard deviation of the change; `prior` where the picks say nothing.
        self.deviation: NDArray[np.float64] = found.deviation()
        self.prior: float = found.prior

    def __repr__(self) -> str:
        known = int((self.deviation < 0.5 * self.prior).sum())
        return f"LayerChange({self.of}: {known} of {len(self.change)} points known by the picks)"


class LayerInversion:
    """A layered medium that explains picks; `fermat.invert_phases` makes it."""

    def __init__(self, start: Medium, found: Any, phases: list[str]) -> None:
        self.medium = start._with_core(found.medium)
        #: By the id of an interface, or as in "P of layer 0".
        self.changes: dict[str, LayerChange] = {
            one.of: LayerChange(one) for one in found.deviations
        }
        #: chi2 of each accepted medium, the start first.
        self.chi2: NDArray[np.float64] = found.chi2()
        self.residuals: NDArray[np.float64] = found.residuals()
        self.initial_residuals: NDArray[np.float64] = found.initial_residuals()
        self.used: NDArray[np.bool_] = np.asarray(found.used(), bool)
        #: Status of each pick's ray (see `PhaseRays`).
        self.status: list[str] = found.statuses
        self.phases = phases
        self.reason: str = found.reason()

    def __repr__(self) -> str:
        return (
            f"LayerInversion(chi2 {self.chi2[0]:.3g} to {self.chi2[-1]:.3g} in "
            f"{len(self.chi2) - 1} steps; {int(self.used.sum())} of {len(self.used)} picks)"
        )


_COLUMNS = ("source_x", "source_y", "source_z", "receiver_x", "receiver_y", "receiver_z")


def _table(picks: Any) -> dict[str, list[Any]]:
    """Columns by name, of a CSV file, a mapping or a DataFrame."""
    if isinstance(picks, (str, os.PathLike)):
        with Path(picks).open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        if not rows:
            raise ValueError(f"'{picks}' has no picks")
        return {name: [row[name] for row in rows] for name in rows[0]}
    if hasattr(picks, "to_dict") and hasattr(picks, "columns"):
        return {str(name): list(picks[name]) for name in picks.columns}
    if isinstance(picks, Mapping):
        return {str(name): list(values) for name, values in picks.items()}
    raise ValueError("picks is no table (must be a CSV file, a mapping of columns or a DataFrame)")


def _unique(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    unique, number = np.unique(points, axis=0, return_inverse=True)
    return np.ascontiguousarray(unique), np.ascontiguousarray(number.ravel(), np.int32)


@checked
def invert_phases(
    medium: Medium,
    picks: Any,
    *,
    velocity_deviation: float = 0.05,
    depth_deviation: float = 2.0,
    velocity_length: ArrayLike | None = None,
    interface_length: float = 0.0,
    most_unknowns: int = 3000,
    iterations: int = 30,
    target_chi2: float = 1.0,
    outliers: float = 4.0,
    norm: Literal["trimmed", "l2", "huber", "l1"] = "trimmed",
    threads: int = 0,
    progress: Progress | None = None,
) -> LayerInversion:
    """Velocities of layers and depths of interfaces from picks of named phases.

    picks: a CSV file, a mapping of columns or a DataFrame with the columns source_x, source_z,
    receiver_x, receiver_z (and source_y, receiver_y in 3-D), time, error and phase (see
    `phase_rays` for names). Picks of phases that the medium does not know are left out, and told.

    velocity_deviation (relative) and depth_deviation say how far velocities and depths may be from
    those of the start medium, velocity_length and interface_length over which distance changes hang
    together (0: an eighth of the model); 0 deviation keeps them. The smoothest change that explains
    the picks to their errors is found; `changes` tells it with standard deviations.

    >>> import fermat as fm
    >>> truth = fm.Medium([6.0, 8.0], {"moho": 32.0}, shape=(101, 41), spacing=1.0)
    >>> start = fm.Medium([6.0, 8.0], {"moho": 30.0}, shape=(101, 41), spacing=1.0)
    >>> stations = [(x, 0.0) for x in range(30, 100, 5)]
    >>> times = fm.phase_rays(truth, "PmP", (5, 0), stations).times
    >>> picks = {"source_x": [5.0] * 14, "source_z": [0.0] * 14, "phase": ["PmP"] * 14,
    ...          "receiver_x": [x for x, _ in stations], "receiver_z": [0.0] * 14,
    ...          "time": times, "error": [0.02] * 14}
    >>> run = fm.invert_phases(start, picks, velocity_deviation=0.0)
    >>> float(run.medium.depth("moho", 40).round(1))
    32.0
    """
    table = _table(picks)
    flat = len(medium._template.shape) == 2
    names = [name for name in _COLUMNS if not (flat and name.endswith("_y"))]
    missing = [name for name in (*names, "time", "error", "phase") if name not in table]
    if missing:
        raise ValueError(
            f"picks have no column {', '.join(missing)} (they have {', '.join(sorted(table))})"
        )
    phase = [str(name).strip() for name in table["phase"]]
    known: dict[str, int] = {}
    refused: Counter[str] = Counter()
    for name in dict.fromkeys(phase):
        try:
            _core.trace_phase(
                medium._core, name, np.zeros((0, 2 if flat else 3)), np.zeros((0, 2 if flat else 3)),
                [], {}, None,
            )
            known[name] = len(known)
        except ValueError:
            refused[name] = phase.count(name)
    if refused:
        listed = ", ".join(f"{n} of {name}" for name, n in refused.most_common())
        tell(
            [
                f"{sum(refused.values())} of {len(phase)} picks are of phases that the medium does "
                f"not know and are left out ({listed})"
            ]
        )
    rows = [n for n, name in enumerate(phase) if name in known]
    if not rows:
        raise ValueError("no pick is of a phase that the medium knows")
    values = {
        name: np.array([float(table[name][n]) for n in rows]) for name in (*names, "time", "error")
    }
    half = len(names) // 2
    sources, events = _unique(np.column_stack([values[name] for name in names[:half]]))
    receivers, stations = _unique(np.column_stack([values[name] for name in names[half:]]))
    lengths: Sequence[float] = (0.0, 0.0, 0.0)
    if velocity_length is not None:
        given = np.atleast_1d(np.asarray(velocity_length, float))
        given = np.repeat(given, 3) if given.size == 1 else given
        lengths = (given[0], given[0], given[-1]) if given.size == 2 else tuple(given)
    keywords: dict[str, object] = {
        "velocity_deviation": velocity_deviation,
        "depth_deviation": depth_deviation,
        "velocity_length": tuple(float(v) for v in lengths),
        "interface_length": interface_length,
        "most_unknowns": most_unknowns,
        "iterations": iterations,
        "target_chi2": target_chi2,
        "outliers": outliers,
        "norm": norm,
        "threads": threads,
    }
    used = [phase[n] for n in rows]
    found = _core.invert_layers(
        medium._core,
        sources,
        receivers,
        events,
        stations,
        np.ascontiguousarray(values["time"]),
        np.ascontiguousarray(values["error"]),
        list(known),
        np.array([known[name] for name in used], np.int32),
        keywords,
        listener(progress),
    )
    return LayerInversion(medium, found, used)
