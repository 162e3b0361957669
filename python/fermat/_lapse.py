"""Time-lapse: what changed in the ground between a survey and its repeats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as np

from ._checked import checked
from ._invert import Inversion, invert
from ._picks import Picks
from ._picks import picks as picks_from

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._arguments import Device, Progress
    from ._core import Model

Statics: TypeAlias = Literal["none", "common", "shot", "receiver", "shot,receiver"]
Smoothing: TypeAlias = Literal["first", "second", "blocky", "mixed"]

__all__ = ["Change", "time_lapse"]


class Change:
    """What changed since a reference; `fermat.time_lapse` makes it, `fermat.plot.change` draws it.

    Attributes
    ----------
    model, start
        The model of the repeat, and that of the reference.
    change
        Relative change of velocity, shaped like it; 0 in air.
    deviation
        Its standard deviation; NaN in air and where the reference explains the repeat already.
    significance
        Change over deviation: beyond 2 in size, noise alone makes it in one of twenty places. 0
        where the deviation is not known.
    statics
        Time that all differences of times share, which is no change of the ground.
    paths, left_out
        Paths that both surveys picked, and picks of the repeat without one in the reference, or
        beside their shot, where noise made their time negative.
    run
        The inversion of the differences.
    """

    def __init__(self, run: Inversion, left_out: int) -> None:
        self.run = run
        self.model: Model = run.model
        self.start: Model = run.start
        before, after = self.start.velocity.astype(float), self.model.velocity.astype(float)
        rock = before > 0
        self.change: NDArray[np.float64] = np.where(rock, after / np.where(rock, before, 1) - 1, 0)
        self.deviation: NDArray[np.float64] = np.full(before.shape, np.nan)
        if run.deviation is not None:
            self.deviation = np.where(rock, run.deviation / np.where(rock, before, 1), np.nan)
        known = np.isfinite(self.deviation) & (self.deviation > 0)
        self.significance: NDArray[np.float64] = np.where(
            known, self.change / np.where(known, self.deviation, 1), 0
        )
        self.statics = float(run.terms["common"][0]) if "common" in run.terms else 0.0
        self.paths = len(run.use)
        self.left_out = left_out
        self.units = run.units

    def __repr__(self) -> str:
        far = float(np.mean(np.abs(self.significance) > 2))
        return (
            f"Change({self.paths} paths, statics {self.statics:.3g}, "
            f"{100 * self.change.min():.2g} to {100 * self.change.max():.2g} %, beyond 2 deviations "
            f"in {100 * far:.2g} % of the model)"
        )


@overload
def time_lapse(
    reference: Inversion,
    picks: list[Any] | tuple[Any, ...],
    *,
    error: float | None = None,
    statics: Statics = "common",
    regularisation: Smoothing = "second",
    device: Device = "auto",
    threads: int = 0,
    progress: Progress | None = None,
) -> list[Change]: ...


@overload
def time_lapse(
    reference: Inversion,
    picks: Any,
    *,
    error: float | None = None,
    statics: Statics = "common",
    regularisation: Smoothing = "second",
    device: Device = "auto",
    threads: int = 0,
    progress: Progress | None = None,
) -> Change: ...


@checked
def time_lapse(
    reference: Inversion,
    picks: Any,
    *,
    error: float | None = None,
    statics: Literal["none", "common", "shot", "receiver", "shot,receiver"] = "common",
    regularisation: Literal["first", "second", "blocky", "mixed"] = "second",
    device: Device = "auto",
    threads: int = 0,
    progress: Progress | None = None,
) -> Change | list[Change]:
    """Invert the differences of a repeat's times from those of a reference for what changed.

    A path that both surveys picked has the time of the reference model plus the difference of both
    picks: what the reference model does not explain of its own picks, as its errors and the statics
    of points, is in both and drops out. The change from the reference model is then as smooth as
    these times allow.

    Parameters
    ----------
    reference
        What `invert` returned for the first survey.
    picks
        Picks of the repeat, as in `invert`, or a list or tuple of those of several: each is inverted
        from the reference, with its own statics. A path is the same where its points are.
    error
        Error of a difference of times. Default: both picks' errors, or the RMS of the reference
        where they have none, as if independent.
    statics
        Times beside the ground that differ between both surveys: one of all picks (a trigger), or
        one per shot or receiver.
    regularisation, device, threads, progress
        As in `invert`.

    Returns
    -------
    Change or list of Change
        One per repeat, in their order: a list where `picks` is a list or tuple.

    Examples
    --------
    >>> import fermat as fm
    >>> before = fm.Model.gradient((41, 21), v0=2, gradient=0.3, spacing=0.25)
    >>> line = [(x, 0) for x in range(11)]
    >>> first = fm.invert(before, fm.synthetic_picks(before, line, line, noise=0.001))
    >>> found = fm.time_lapse(first, fm.synthetic_picks(before, line, line, noise=0.001, seed=2))
    >>> bool(abs(found.significance).max() < 5)
    True
    >>> again = [fm.synthetic_picks(before, line, line, noise=0.001, seed=n) for n in (3, 4)]
    >>> len(fm.time_lapse(first, again))
    2
    """
    options: dict[str, Any] = {
        "error": error,
        "statics": statics,
        "regularisation": regularisation,
        "device": device,
        "threads": threads,
        "progress": progress,
    }
    if not isinstance(picks, (list, tuple)):
        return _change(reference, picks_from(picks), **options)
    if not picks:
        raise ValueError("picks is an empty list (must have the picks of one repeat at least)")
    repeats = [picks_from(each) for each in picks]
    changes = []
    for number, repeat in enumerate(repeats):
        try:
            changes.append(_change(reference, repeat, **options))
        except ValueError as error_of_one:
            raise ValueError(f"repeat {number}: {error_of_one}") from error_of_one
    return changes


def _change(
    reference: Inversion,
    repeat: Picks,
    *,
    error: float | None,
    statics: Statics,
    regularisation: Smoothing,
    device: Device,
    threads: int,
    progress: Progress | None,
) -> Change:
    """What changed until one repeat."""
    columns = reference.residuals
    points = [name for name in columns if name.startswith(("source_", "receiver_"))
              and name[-2:] in ("_x", "_y", "_z")]
    before = np.column_stack([columns[name] for name in points])
    sides = repeat.sources[repeat.source], repeat.receivers[repeat.receiver]
    after = np.column_stack(sides)
    if before.shape[1] != after.shape[1]:
        raise ValueError(f"picks are {repeat.ndim}-D and the reference is {reference.start.ndim}-D")
    number = _same_paths(before, after, reference.use == "used")
    time = repeat.travel_time - np.asarray(columns["final_residual"], float)[number]
    # Beside a shot noise may be longer than a time.
    both = (number >= 0) & (time >= 0)
    if not both.any():
        raise ValueError(
            "no path of the repeat is in the reference (points must have the same coordinates)"
        )
    own = reference.rms if "error" not in columns else np.asarray(columns["error"])[number[both]]
    other = own if repeat.error is None else repeat.error[both]
    each = np.broadcast_to(np.hypot(own, other) if error is None else error, int(both.sum()))
    differences = Picks(
        repeat.sources,
        repeat.receivers,
        source=repeat.source[both],
        receiver=repeat.receiver[both],
        time=time[both],
        error=each.copy(),
    )
    run = invert(
        reference.model,
        differences,
        regularisation=regularisation,
        terms=statics,
        device=device,
        threads=threads,
        progress=progress,
    )
    if run.history["lambda"][-1] > 0:
        run.estimate_trust(device=device, threads=threads, progress=progress)
    return Change(run, int((~both).sum()))


def _same_paths(
    before: NDArray[np.float64], after: NDArray[np.float64], used: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """The number of the reference's pick of each path of the repeat; -1 where there is none."""
    size = max(float(np.ptp(before)), 1e-30)
    step = 1e-6 * size
    numbers = {
        tuple(key): n
        for n, key in enumerate(np.round(before / step).astype(np.int64).tolist())
        if used[n]
    }
    keys = np.round(after / step).astype(np.int64).tolist()
    return np.array([numbers.get(tuple(key), -1) for key in keys], dtype=np.int64)
