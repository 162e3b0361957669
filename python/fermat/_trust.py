"""What can be trusted of an inversion: resolution, deviation, ensembles, cross-validation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _arguments as arguments
from . import _core, _cuda
from ._checked import checked
from ._progress import listener

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from ._arguments import Device, Progress
    from ._core import Model
    from ._invert import Inversion

    Unit = Literal["shots", "picks"]


class Trusted:
    """The part of an Inversion that `estimate_trust` computes."""

    _problem: Any = None
    resolution: NDArray[np.float32] | None = None
    resolving_length: NDArray[np.float32] | None = None
    deviation: NDArray[np.float32] | None = None

    def estimate_trust(
        self,
        *,
        method: Literal["auto", "exact", "sampled"] = "auto",
        solves: int = 128,
        seed: int = 1,
        device: Device = "auto",
        threads: int = 0,
        progress: Progress | None = None,
    ) -> str:
        """Compute `resolution`, `resolving_length` and `deviation`; say how that was done.

        Each is shaped like the velocity. `resolution`, 0 to 1, is how much of an unknown's own
        truth is in it; `resolving_length` the side of the area, or volume, that shares one resolved
        number; `deviation` the posterior standard deviation of velocity, NaN in air.

        Parameters
        ----------
        method
            "exact": dense algebra. "sampled": `solves` solutions of the run's own equations for
            each of the two, whatever the number of unknowns. "auto": exact up to 6000 unknowns.
        solves
            Where sampled, more are more accurate: a deviation is good to 1 / sqrt(2 solves).
        seed
            Of what is drawn. The same seed gives the same bits for any number of threads.
        device, threads, progress
            As in `traveltimes`.
        """
        *fields, sentence = _core.trust(
            _problem_of(self), True, True, method, solves, seed, threads, device, listener(progress)
        )
        self.resolution, self.resolving_length, self.deviation = fields
        return str(sentence)

    def __getstate__(self) -> dict[str, Any]:
        # What was computed stays; what the run was made of is not kept in pickles.
        return {name: value for name, value in self.__dict__.items() if name != "_problem"}


class Ensemble:
    """What the runs of an ensemble have in common; `fermat.ensemble` makes it.

    Attributes
    ----------
    mean
        Model of the mean log-slowness; of "subsets" the fused model.
    spread
        Standard deviation of velocity, in its units; NaN in air.
    log_spread
        Standard deviation of log-slowness: the relative deviation of velocity.
    members
        One array per column, one entry per member: rms, chi2, picks, iterations.
    sentence
        How it was made.
    """

    def __init__(self, made: Any) -> None:
        self.mean: Model = made.mean
        self.spread: NDArray[np.float32] = made.spread
        self.log_spread: NDArray[np.float32] = made.log_spread
        self.members = _columns(made.members)
        self.sentence: str = made.sentence

    def __repr__(self) -> str:
        return f"Ensemble({self.sentence})"


class CrossValidation:
    """Scores of picks that models have not seen; `fermat.cross_validate` makes it.

    Attributes
    ----------
    table
        One array per column. Scores are `held_out` and `fitted`: standard deviations of the
        residuals, in errors where the picks have them.
    smoothing, schedule
        What was chosen, for `invert`; None where it was not asked for.
    sentence
        What was chosen, and why.
    """

    def __init__(self, choose: str, made: Any) -> None:
        self.table = _columns(made.table)
        self.smoothing: float | None = made.chosen if choose == "smoothing" else None
        self.schedule: list[tuple[Any, ...]] | None = made.chosen if choose == "schedule" else None
        self.sentence: str = made.sentence

    @property
    def held_out(self) -> float:
        """Score of the picks left out: the least of the table, or of all folds together."""
        scores = self.table["held_out"]
        if self.smoothing is None and self.schedule is None:
            return float(np.sqrt(np.mean(scores**2)))
        return float(np.min(scores))

    def __repr__(self) -> str:
        return f"CrossValidation(held_out {self.held_out:g}, {len(self.table['held_out'])} rows)"


@checked
def ensemble(
    run: Inversion,
    kind: Literal["bootstrap", "jackknife", "noise", "start", "subsets"] = "bootstrap",
    *,
    members: int = 20,
    by: Unit = "shots",
    seed: int = 1,
    amplitude: float = 0.1,
    length: float = 0.0,
    fuse: Literal["coverage", "resolution", "even"] = "coverage",
    device: Device = "auto",
    devices: Sequence[int] | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> Ensemble:
    """Run an inversion again with other data or start models: mean and spread.

    Parameters
    ----------
    run
        What `invert` returned. Its options are those of the members; "bootstrap", "jackknife" and
        "noise" begin with its model and keep its smoothing, where it has one.
    kind
        "bootstrap": shots (or picks) drawn with replacement. "jackknife": groups of them left out.
        "noise": fresh noise of their errors on all picks. "start": random hills on the start model.
        "subsets": groups of them alone, fused to one model.
    members
        Number of runs; of "jackknife" and "subsets" at most as many as there are shots (or picks).
    by
        What is drawn or left out as one.
    amplitude, length
        Of "start": relative deviation of velocity, and width of the hills; 0: a quarter of the
        shortest side.
    fuse
        What members of "subsets" count by.
    seed, device, threads, progress
        As in `Inversion.estimate_trust`. Members are dealt out to the threads.
    devices
        Numbers of CUDA devices that share the members.

    Examples
    --------
    >>> import fermat as fm
    >>> start = fm.Model.gradient((31, 16), v0=2, gradient=0.1, spacing=0.3)
    >>> truth = start.checkerboard(size=(3, 2.25), amplitude=0.05)
    >>> line = [(x, 0) for x in range(10)]
    >>> picks = fm.synthetic_picks(truth, line, [(x, 4.5) for x in range(10)], noise=0.005)
    >>> run = fm.invert(start, picks)
    >>> made = fm.ensemble(run, "jackknife", members=5)
    >>> made.spread.shape == run.model.shape, len(made.members["rms"])
    (True, 5)
    """
    options = {
        "kind": kind,
        "members": members,
        "by": by,
        "seed": seed,
        "amplitude": amplitude,
        "length": length,
        "fuse": fuse,
    }
    with _cuda.shared_by(devices, device) as chosen:
        return Ensemble(
            _core.ensemble(_problem_of(run), options, threads, chosen, listener(progress))
        )


@checked
def point_spread(
    run: Inversion,
    points: ArrayLike,
    *,
    device: Device = "auto",
    threads: int = 0,
    progress: Progress | None = None,
) -> NDArray[np.float32]:
    """What a run makes of a change at one point alone: columns of its resolution matrix.

    `points` is one position or many. Each is moved to the nearest unknown, which is changed by 1;
    the result has one field per point, shaped like the velocity, or is that field for one point.

    Examples
    --------
    >>> import fermat as fm
    >>> start = fm.Model.gradient((31, 16), v0=2, gradient=0.1, spacing=0.3)
    >>> truth = start.checkerboard(size=(3, 2.25), amplitude=0.05)
    >>> line = [(x, 0) for x in range(10)]
    >>> picks = fm.synthetic_picks(truth, line, [(x, 4.5) for x in range(10)], noise=0.005)
    >>> run = fm.invert(start, picks)
    >>> fm.point_spread(run, (4.5, 2.1)).shape
    (31, 16)
    """
    places = arguments.points(run.model, points, "points")
    fields = _core.point_spread(_problem_of(run), places, threads, device, listener(progress))
    return np.array(fields) if np.ndim(points) == 2 else np.array(fields[0])


@checked
def cross_validate(
    run: Inversion,
    choose: Literal["none", "smoothing", "schedule"] = "none",
    *,
    folds: int = 5,
    by: Unit = "shots",
    seed: int = 1,
    device: Device = "auto",
    threads: int = 0,
    progress: Progress | None = None,
) -> CrossValidation:
    """How well models meet picks that they have not seen (k-fold cross-validation).

    Parameters
    ----------
    run
        What `invert` returned; its start model, picks and options are used.
    choose
        "none": scores these options. "smoothing": finds the weight of the roughness for
        `invert(smoothing=...)`. "schedule": searches stages for `invert(schedule=...)` of method
        "hole", and where to stop.
    folds, by
        Shots (or picks) are dealt into so many folds, each of which is left out once.
    seed, device, threads, progress
        As in `Inversion.estimate_trust`.

    Examples
    --------
    >>> import fermat as fm
    >>> start = fm.Model.gradient((31, 16), v0=2, gradient=0.1, spacing=0.3)
    >>> truth = start.checkerboard(size=(3, 2.25), amplitude=0.05)
    >>> line = [(x, 0) for x in range(10)]
    >>> picks = fm.synthetic_picks(truth, line, [(x, 4.5) for x in range(10)], noise=0.005)
    >>> run = fm.invert(start, picks)
    >>> found = fm.cross_validate(run, "smoothing")
    >>> run = fm.invert(start, picks, smoothing=found.smoothing)
    """
    made = _core.cross_validate(
        _problem_of(run), choose, folds, by, seed, threads, device, listener(progress)
    )
    return CrossValidation(choose, made)


def _problem_of(run: Any) -> Any:
    problem = getattr(run, "_problem", None)
    if problem is None:
        raise ValueError(
            f"run is {run!r}, which does not hold what it was made of (must be what fermat.invert "
            "returned, and not a pickled copy)"
        )
    return problem


def _columns(rows: list[dict[str, Any]]) -> dict[str, NDArray[Any]]:
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}
