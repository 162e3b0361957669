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
from ._picks import picks as make_picks
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
        #: Diagonal of the resolution: how much of a change at the point the picks tell by
        #: themselves; the rest is that of the points around, and of the start.
        self.resolution: NDArray[np.float64] = found.resolution()
        #: Of an interface: correlation of the errors of its depth with those of the mean velocity of
        #: the layer above. Near 1, a deeper interface below a faster layer explains the picks as
        #: well. NaN of velocities, and where that velocity is kept.
        self.trade_off: NDArray[np.float64] = found.trade_off()
        self.prior: float = found.prior

    def __repr__(self) -> str:
        known = int((self.deviation < 0.5 * self.prior).sum())
        return f"LayerChange({self.of}: {known} of {len(self.change)} points known by the picks)"


class LayerInversion:
    """A layered medium that explains picks; `fermat.invert_phases` makes it."""

    def __init__(self, start: Medium, found: Any, phases: list[str], choices: list[str]) -> None:
        #: What was chosen where no medium was given, one sentence each.
        self.choices = choices
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
        #: Measured depths less those found, in the order in which they were given.
        self.depth_residuals: NDArray[np.float64] = found.depth_residuals()
        rows = found.events().reshape(-1, 8)
        #: Events that moved: rows of x, y, z, origin time and their standard deviations with the
        #: layers held; empty without `relocate`.
        self.events: NDArray[np.float64] = rows

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


def _line_table(picks: Any) -> dict[str, list[Any]]:
    """Columns of first arrivals, of anything that `fermat.picks` reads."""
    found = make_picks(picks)
    if found.error is None:
        raise ValueError(
            "the picks have no errors (depths are weighed against velocities by them: give a column error)"
        )
    if (np.asarray(found.phase) != "P").any():
        raise ValueError("layers is given and the picks are of P and S (give those of one wave)")
    table = {name: list(values) for name, values in found.to_columns().items()}
    return {**table, "phase": ["P"] * len(found)}


def _unique(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    unique, number = np.unique(points, axis=0, return_inverse=True)
    return np.ascontiguousarray(unique), np.ascontiguousarray(number.ravel(), np.int32)


@checked
def invert_phases(
    medium: Medium | None,
    picks: Any,
    *,
    velocity_deviation: float = 0.05,
    depth_deviation: float | None = None,
    velocity_length: ArrayLike | None = None,
    interface_length: float = 0.0,
    coupling: float = 0.0,
    min_depth: float | None = None,
    max_depth: float | None = None,
    most_unknowns: int = 3000,
    deviation_of: Mapping[str, float | tuple[float, float]] | None = None,
    depth_data: Mapping[str, ArrayLike] | None = None,
    min_velocity: float | None = None,
    max_velocity: float | None = None,
    relocate: Literal["none", "times", "all"] = "none",
    prior: ArrayLike | None = None,
    least_picks: int = 5,
    spacing: float = 0.0,
    depth: float = 0.0,
    layers: int = 0,
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
    together (0: an eighth of the model); 0 deviation keeps them. depth_deviation is a fifteenth of
    the deepest interface's depth if it is not given. The smoothest change that explains the picks
    to their errors is found; `changes` tells it with standard deviations.

    deviation_of says it of single interfaces and layers, with the length too if it is a pair:
    {"moho": (3, 25), "P0": 0.02, "P1": 0}. coupling is the correlation of the changes of velocity on
    both sides of an interface: 0 leaves jumps free, near 1 they stay those of the start. depth_data are depths that were measured, as in
    boreholes: per interface rows of x, depth, error (x, y, depth, error in 3-D). min_depth,
    max_depth, min_velocity and max_velocity bound interfaces and velocities.

    relocate="all" finds the places and origin times of events too ("times": the latter alone), with
    the column origin_time where the picks' times do not count from 0; prior are standard deviations
    of the given places, events with fewer than least_picks picks stay.

    Without a medium (None), flat layers that the picks tell are what is started from: interfaces
    `moho` for Pg, PmP and Pn, 1, 2 for P1, P2P. spacing and depth are those of its grid.

    layers (2 to 5) is for first arrivals of a refraction line, without a medium: that many layers,
    whose interfaces 1, 2 start from delay times; picks may be a file or `Picks` too, and need no
    phase. Interfaces may then be 0.3 of their depth from there, unless deviation_of or
    depth_deviation says otherwise.

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
    if layers and medium is not None:
        raise ValueError(f"layers is {layers} and a medium is given (leave one of them out)")
    table = _line_table(picks) if layers else _table(picks)
    flat = "source_y" not in table if medium is None else len(medium._template.shape) == 2
    names = [name for name in _COLUMNS if not (flat and name.endswith("_y"))]
    missing = [name for name in (*names, "time", "error", "phase") if name not in table]
    if missing:
        raise ValueError(
            f"picks have no column {', '.join(missing)} (they have {', '.join(sorted(table))})"
        )
    phase = [str(name).strip() for name in table["phase"]]
    choices: list[str] = []
    if medium is None:
        chosen = _survey(table, names, list(range(len(phase))), phase)
        core, known_of, length, choices = _core.first_layers(*chosen, spacing, depth, layers)  # type: ignore[call-arg]
        medium = Medium._of_core(core)
        if layers and velocity_length is None:
            velocity_length = length
        if depth_deviation is None:
            own = {of: (deviation, interface_length or wide) for of, deviation, wide in known_of}
            deviation_of = {**own, **(deviation_of or {})}
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
    lengths: Sequence[float] = (0.0, 0.0, 0.0)
    if velocity_length is not None:
        given = np.atleast_1d(np.asarray(velocity_length, float))
        given = np.repeat(given, 3) if given.size == 1 else given
        lengths = (given[0], given[0], given[-1]) if given.size == 2 else tuple(given)
    keywords: dict[str, object] = {
        "velocity_deviation": velocity_deviation,
        "velocity_length": tuple(float(v) for v in lengths),
        "interface_length": interface_length,
        "coupling": coupling,
        "most_unknowns": most_unknowns,
        "iterations": iterations,
        "target_chi2": target_chi2,
        "outliers": outliers,
        "norm": norm,
        "threads": threads,
    }
    bounds = {
        "depth_deviation": depth_deviation,
        "min_depth": min_depth,
        "max_depth": max_depth,
        "min_velocity": min_velocity,
        "max_velocity": max_velocity,
    }
    keywords.update({name: value for name, value in bounds.items() if value is not None})
    keywords["relocate"] = relocate
    keywords["least_picks"] = least_picks
    if prior is not None:
        keywords["prior"] = _three(prior)
    blocks = []
    for of, given_of in (deviation_of or {}).items():
        pair = np.atleast_1d(np.asarray(given_of, float))
        blocks.append((of, float(pair[0]), float(pair[1]) if pair.size > 1 else 0.0))
    depths = []
    for of, measured in (depth_data or {}).items():
        for row in np.atleast_2d(np.asarray(measured, float)):
            if row.size != (3 if flat else 4):
                raise ValueError(
                    f"depth_data of '{of}' has rows of {row.size} (must be "
                    f"{'x, depth, error' if flat else 'x, y, depth, error'})"
                )
            depths.append((of, float(row[0]), 0.0 if flat else float(row[1]), float(row[-2]), float(row[-1])))
    found = _core.invert_layers(  # type: ignore[call-arg]
        medium._core, *_survey(table, names, rows, phase), blocks, depths, keywords, listener(progress)
    )
    return LayerInversion(medium, found, [phase[n] for n in rows], choices)


def _three(given: ArrayLike) -> tuple[float, float, float]:
    """One number for all axes, (x, z) or (x, y, z)."""
    numbers = np.atleast_1d(np.asarray(given, float))
    if numbers.size == 2:
        return float(numbers[0]), 0.0, float(numbers[1])
    x, y, z = np.repeat(numbers, 3) if numbers.size == 1 else numbers
    return float(x), float(y), float(z)


def _survey(
    table: dict[str, list[Any]], names: Sequence[str], rows: Sequence[int], phase: Sequence[str]
) -> tuple[Any, ...]:
    """The picks of some rows as the core wants them."""
    values = {name: np.array([float(table[name][n]) for n in rows]) for name in (*names, "time", "error")}
    half = len(names) // 2
    origins = table.get("origin_time")
    started = np.zeros(len(rows)) if origins is None else np.array([float(origins[n]) for n in rows])
    sources, events = _unique(np.column_stack([*(values[name] for name in names[:half]), started]))
    receivers, stations = _unique(np.column_stack([values[name] for name in names[half:]]))
    used = [phase[n] for n in rows]
    known = list(dict.fromkeys(used))
    return (
        np.ascontiguousarray(sources[:, :-1]),
        np.ascontiguousarray(sources[:, -1]),
        receivers,
        events,
        stations,
        np.ascontiguousarray(values["time"]),
        np.ascontiguousarray(values["error"]),
        known,
        np.array([known.index(name) for name in used], np.int32),
    )
