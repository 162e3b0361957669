"""What an inversion found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._sphere import on_sphere
from ._trust import Trusted
from ._units import guessed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._core import Model
    from ._picks import Picks

USES = np.array(["used", "lost", "rejected"])


class Inversion(Trusted):
    """What an inversion found; `fermat.invert` makes it and `fermat.plot` draws it.

    Attributes
    ----------
    model
        The model found.
    start
        The model it began with.
    coverage
        Rays in each cell of the last iteration.
    history
        One array a column, one entry a model from the start model on: iteration, rms, chi2 (NaN
        without errors), picks (used), lost, rejected, max_update (largest relative change of
        velocity), stage, lambda (weight of the roughness), roughness, passes (over all sources),
        weighted_rms, and seconds in all and by what they went into. `rms` is the plain one.
    residuals
        One array per column, one entry per pick: points, time, error, initial_residual and
        final_residual, observed less computed; NaN where a ray was lost.
    use
        "used", "lost" or "rejected", one per pick.
    models
        With `keep_models`, the start model and one per further iteration; else empty.
    reason
        Why it stopped: "schedule-end", "target-rms", "target-chi2" or "stagnation", which is
        also where a run with a given `smoothing` ends once chi2 hardly falls any more.
    terms
        Times of shots and receivers beside the ground, as asked for by `terms`: "shot" one entry per
        source and "receiver" one per receiver of the picks, "receiver_s" of S where there are P and S;
        "common" the one that all picks share.
    events
        With `relocate`, one array per column and one entry per source of the picks: position,
        origin_time, shift and shift_time from what was given, error and error_time (standard
        deviations with the velocities held), rms, picks, used, and use: "moved", "bounded" (by a face
        of the grid or the ground), "few_picks" or "known". Else None.
    s_model, vp_vs, s_coverage
        With picks of P and S: S velocity, Vp/Vs (0 in air) and rays of S in each cell; `model` and
        `coverage` are those of P. Else None.
    differences, difference_rms
        With `differences`, one array per column: first, second, station, phase, kind, time, residual
        and weight (0: not used); and the weighted RMS of each kind before and after. Else None and
        empty.
    resolution, resolving_length, deviation
        What can be trusted, shaped like the velocity, with `trust` or once `estimate_trust` was
        called; else None. Of runs of P and S or with `relocate`, `trust` estimates resolution and
        deviation of all unknowns together, with s_deviation, vp_vs_resolution and vp_vs_deviation,
        and events["covariance"], (n, 4, 4) of place and time with the velocities free.
    units
        Names of the units of length and time: those of the picks, or as the velocities are.
    choices, warnings
        What was chosen where nothing was said, and what is doubtful about the result, a sentence
        each.
    """

    def __init__(self, start: Model | None, picks: Picks, found: Any) -> None:
        self.start: Model = found.start if start is None else start
        self.model: Model = found.model
        self.coverage: NDArray[np.float32] = found.coverage.reshape([n - 1 for n in self.start.shape])
        rows = found.history
        self.history = {name: np.array([row[name] for row in rows]) for name in rows[0]}
        given = picks.to_columns()
        given.pop("origin_time", None)
        self.residuals = given | {
            "time": picks.travel_time,
            "initial_residual": found.initial_residual,
            "final_residual": found.final_residual,
        }
        self.use: NDArray[np.str_] = USES[found.use]
        self.reason: str = found.reason
        self.models: list[Model] = []
        self.choices: list[str] = found.choices
        self.warnings: list[str] = found.warnings
        terms = {
            "shot": found.shot_terms,
            "receiver": found.receiver_terms,
            "common": found.common_terms,
        }
        self.terms: dict[str, NDArray[np.float64]] = {k: t for k, t in terms.items() if len(t)}
        self._problem = found.problem
        self.units = guessed(
            picks.units, self.start.velocity, plane=picks.plane, sphere=on_sphere(self.start)
        )
        joint = found.joint or {}
        if len(joint.get("terms_s", ())):
            self.terms["receiver_s"] = joint["terms_s"]
        self.events = _events(joint.get("events"), self.start.ndim)
        self.s_model: Model | None = joint.get("s_model")
        self.vp_vs: NDArray[np.float32] | None = joint.get("vp_vs")
        self._take_trust(joint.get("trust", {}))
        self.differences: dict[str, Any] | None = None
        self.difference_rms: dict[str, tuple[float, float]] = {}
        self.s_coverage: NDArray[np.float32] | None = None
        if self.s_model is not None:
            self.s_coverage = joint["s_coverage"].reshape(self.coverage.shape)

    def _take_trust(self, found: dict[str, Any]) -> None:
        """What a joint run estimated of itself."""
        self.resolution = found.get("resolution")
        self.deviation = found.get("deviation")
        self.s_deviation: NDArray[np.float32] | None = found.get("s_deviation")
        self.vp_vs_resolution: NDArray[np.float32] | None = found.get("vp_vs_resolution")
        self.vp_vs_deviation: NDArray[np.float32] | None = found.get("vp_vs_deviation")
        if self.events is not None and "covariance" in found:
            axes = [0, 2, 3] if self.start.ndim == 2 else [0, 1, 2, 3]
            square = found["covariance"].reshape(-1, 4, 4)
            self.events["covariance"] = square[:, axes][:, :, axes]

    @property
    def rms(self) -> float:
        """RMS residual of the model found."""
        return float(self.history["rms"][-1])

    @property
    def chi2(self) -> float:
        """Mean of (residual / error)^2 of the model found; NaN without errors."""
        return float(self.history["chi2"][-1])

    def __repr__(self) -> str:
        return (
            f"Inversion({int(self.history['iteration'][-1])} iterations, rms "
            f"{self.history['rms'][0]:g} -> {self.rms:g}, stopped by {self.reason})"
        )


def _events(columns: dict[str, Any] | None, ndim: int) -> dict[str, Any] | None:
    """Columns of relocated events; vectors have the axes of the model."""
    if columns is None:
        return None
    axes = [0, 2] if ndim == 2 else [0, 1, 2]
    for name in ("position", "shift", "error"):
        columns[name] = columns[name].reshape(-1, 3)[:, axes]
    columns["use"] = np.array(columns["use"])
    return columns
