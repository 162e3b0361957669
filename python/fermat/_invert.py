"""Traveltime tomography: from picks and a start model to a model."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _arguments as arguments
from . import _core, _cuda, _notes
from ._checked import checked, require_model
from ._differences import KINDS, differences_of, fitted
from ._inversion import Inversion
from ._known import known_ground
from ._picks import picks as picks_from
from ._progress import listener
from ._schedule import Schedule, schedule_rows
from ._sphere import on_sphere
from ._tables import ids_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._arguments import Device, Progress, Solver, Start, Tracer
    from ._core import CudaModel, Model
    from ._known import Edges, Log, Regions
    from ._smoothing import Smoother
    from ._tables import File

__all__ = ["Inversion", "invert"]


@checked
def invert(
    model: Model | CudaModel | Any,
    picks: Any = None,
    *,
    method: Literal["auto", "gauss-newton", "hole", "adjoint"] = "auto",
    error: float | tuple[float, float] | None = None,
    spacing: float = 0.0,
    depth: float = 0.0,
    regularisation: Literal["auto", "first", "second", "blocky", "mixed"] = "auto",
    axis_weights: Sequence[float] | None = None,
    end_damping: float | None = None,
    correlation_length: float | Sequence[float] = 0.0,
    reference: Model | None = None,
    log: Log | None = None,
    regions: Regions | None = None,
    edges: Edges | None = None,
    guide: Model | None = None,
    prior_model: Model | None = None,
    prior_deviation: float = 0.1,
    unknown_ratio: int | Sequence[int] = 0,
    smoothing: float = 0.0,
    iterations: int = 30,
    terms: Literal["none", "shot", "receiver", "shot,receiver", "common"] = "none",
    norm: Literal["trimmed", "l2", "huber", "l1"] = "trimmed",
    relocate: bool | Literal["none", "times", "all"] = "none",
    start_places: Literal["auto", "given", "located"] = "auto",
    velocities: Literal["p,s", "p", "s", "none"] = "p,s",
    s_model: Model | None = None,
    vp_vs: float = 0.0,
    vp_vs_smoothing: float = 1.0,
    least_picks: int = 5,
    prior: float | Sequence[float] = 0.0,
    known: Mapping[Any, Literal["place", "time", "both"]] | None = None,
    differences: File | Sequence[File] | Mapping[str, Any] | None = None,
    difference_weight: float = 1.0,
    trim: float = 4.0,
    catalogue_reach: float = 0.0,
    correlation_reach: float = 0.0,
    schedule: Schedule | None = None,
    target_rms: float = 0.0,
    target_chi2: float = 0.0,
    stagnation: float = 0.0,
    outliers: float | None = None,
    weights: Literal["errors", "equal"] = "errors",
    share: Literal["even", "length"] = "even",
    step: float | None = None,
    max_update: float = 0.5,
    min_velocity: float = 0.0,
    max_velocity: float = math.inf,
    smoother: Smoother = "running",
    tracer: Tracer = "descent",
    starts: Start | Sequence[Start] | None = None,
    segment: float | None = None,
    radius: int | Sequence[int] | None = None,
    solver: Solver = "fim",
    order: int = 2,
    device: Device = "auto",
    devices: Sequence[int] | None = None,
    threads: int = 0,
    keep_models: bool = False,
    trust: bool = False,
    callback: Callable[[dict[str, Any]], object] | None = None,
    progress: Progress | None = None,
) -> Inversion:
    """Traveltime tomography: from picks to a model.

    `invert(picks)` finds a grid, a start model and everything else by itself; `choices` of the
    result says what it chose. `invert(model, picks)` starts from a model. Air stays air.

    Parameters
    ----------
    model
        Velocity to start from; it may be left out.
    picks
        Picks, or what `picks` makes them from: a file name, a table, a dict of columns.
    method
        "gauss-newton": the smoothest model that explains the picks to their errors. "hole": each
        residual is spread along its ray and smoothed by a schedule of boxes (Hole 1992).
        "adjoint": the objective of "gauss-newton" by gradients alone, without rays or a matrix.
        "auto": "hole" where a schedule is given.
    error
        Error of all picks, a time, or (absolute, relative), in place of their own. Without any,
        cross-validation finds how well the picks can be explained.
    spacing, depth
        Of the grid, where no model is given; 0: found.
    regularisation
        Of "gauss-newton", what is kept small: the "first" or "second" derivatives of the change
        from the start model, or, "blocky", the number of edges of the model; "mixed": the model has
        a smooth part and one of few edges (2-D). "auto": "mixed" below a line along the
        surface ("second" where velocities hardly differ, or where the start model is a layer over
        rock that delay times found), else "second" or "blocky", whichever predicts picks left out
        better.
    axis_weights
        Of the roughness along each axis. Default: 1, and 0.5 along z below a surface.
    correlation_length
        Of "second": the length beyond which the change may differ freely, one number or one per
        axis (then in place of `axis_weights`); 0: a quarter of the shortest side, below a surface
        half of it.
    end_damping
        Of "second": how firmly the change is 0 at top and bottom of the model, from 0 (free) on.
        Default: 1.4 between boreholes, where picks do not see what differs across alone, else 0.
    reference
        Of "gauss-newton": the model that smoothing and damping hold on to, on the grid of the start
        model; default: the start model.
    log
        Velocities of boreholes, which count beside the picks: a file with the columns
        x,y,z,velocity,error (no y in 2-D), or (points, velocities, errors).
    regions
        Parts of a section whose velocity is known: a file with the columns region,x,z,velocity,error
        and a row per corner, or {name: (corners, velocity, error)}.
    edges
        Surfaces across which nothing is smoothed: a file with the columns x,y,z (no y in 2-D) and, of
        several, interface; or points, or {name: points}.
    guide
        Another method's image, as a model on any grid: less is smoothed where it changes.
    prior_model, prior_deviation
        A model on the grid of the start model that is believed to this part of its velocity, over
        areas, or volumes, as wide as the correlation length.
    unknown_ratio
        Spacing of the unknowns in spacings of the model, one number or one per axis; 0: found.
    smoothing
        Weight of the roughness, kept; 0: found, so that chi2 is 1.
    iterations
        Of "gauss-newton", at most.
    terms
        Of "gauss-newton": times found beside the ground, one per shot or receiver, damped towards
        0 (triggers, soil that no grid resolves), or one that all picks share ("common").
    norm
        Of "gauss-newton", how residuals count: by squares without outliers ("trimmed"), by squares
        of all ("l2"), or far ones less ("huber", "l1").
    relocate
        Of "gauss-newton": "all" (or True) finds places and origin times of the sources beside the
        ground, "times" the origin times alone.
    start_places
        Of `relocate`: where sources begin, at the "given" places, or "located" as `locate` finds them
        in the start model; "auto": located, if their picks fit that far better.
    velocities
        Which velocities change where picks are of P and S. With "p" Vp/Vs stays, with "s" Vp; "none"
        finds events and terms alone.
    s_model, vp_vs
        S velocities to start from, or their Vp/Vs, where picks are of P and S.
    vp_vs_smoothing
        Weight of the roughness of Vp/Vs, as a factor of that of Vp.
    least_picks
        Of `relocate`: an event with fewer picks keeps its place.
    prior
        Of `relocate`: standard deviations of the given places, one number or one per axis, as if these
        were measured; 0: not believed.
    known
        Of `relocate`: what is kept of events, by their ids or numbers, as {"blast 1": "place"}:
        "place", "time" or "both".
    differences
        Of `relocate`: differences of travel times that count beside the picks (double-difference
        tomography), as in `relocate`: hypoDD's dt.ct and dt.cc, one file or several, or a table.
        They name events and stations by the ids of the picks.
    difference_weight
        Factor of the weight that the deviation of their residuals gives to differences.
    trim, catalogue_reach, correlation_reach
        Standard deviations beyond which a difference counts for nothing, and distances of two
        events at which those of either kind do; 0: any.
    schedule
        Of "hole".
        Stages as (iterations, cell box, vertex box), boxes as (x, y, z), or (x, z) in 2-D, in
        cells and nodes; perhaps with numbers of cell and vertex passes behind; or the name of a
        schedule file. Default: six stages of 6 iterations, from half the model to twice the points'
        distance, until chi2 is 1 where errors are known.
    target_rms, target_chi2
        Stop once the RMS residual, or the mean of (residual / error)^2, is as small; 0: never.
    stagnation
        Of "hole": end a stage whose RMS falls by less than this fraction; 0: never.
    outliers
        Leave out residuals beyond so many standard deviations of their median; 0: none. Default:
        4 of "gauss-newton", none of "hole".
    weights
        "errors": picks count by 1 / error^2 where errors are given. "equal": all alike.
    share
        "even": a ray counts the same in every cell it crosses. "length": by its length in it.
    step, max_update
        Of "hole": factor on every update (default: 1, without a schedule 1.9); largest relative
        change of velocity in one iteration.
    min_velocity, max_velocity
        Bounds, in the model's units. Of "gauss-newton" by default a third of the slowest and three
        times the fastest of the picks (distance over time) and of the start model.
    smoother, tracer, solver, order, device, threads
        How it is computed; see `smooth`, `rays` and `traveltimes`. Results do not depend on
        `threads`. The tracers "bending" and "graph" compute on the CPU.
    devices
        Numbers of CUDA devices that share the sources of "adjoint", such as [0, 1]. The result
        does not depend on it.
    starts, segment, radius
        Of the tracers "bending" and "graph", as in `rays`.
    keep_models
        Whether the result holds the model of every iteration, for `plot.animate`.
    trust
        Whether to compute resolution and deviation of the result (`Inversion.estimate_trust`).
    callback
        Called after each iteration with a dict of its row in `history`, and its "model".
    progress
        As in `traveltimes`.

    Returns
    -------
    Inversion

    Examples
    --------
    >>> import fermat as fm
    >>> start = fm.Model.gradient((41, 21), v0=2, gradient=0.1, spacing=0.25)
    >>> truth = start.checkerboard(size=(2.5, 2.5), amplitude=0.05)
    >>> sources = [(x, 0) for x in range(11)]
    >>> receivers = [(x, 5) for x in range(11)]
    >>> picks = fm.synthetic_picks(truth, sources, receivers)
    >>> run = fm.invert(start, picks, error=0.005)
    >>> bool(run.rms < 0.3 * run.history["rms"][0])
    True
    """
    if picks is None:
        model, picks = None, model
    elif model is not None:
        require_model(model)
        model = _cuda.on_host(model)
    observed = picks_from(picks)
    if model is not None and on_sphere(model) and observed.plane is not None:
        raise ValueError(
            "the picks lie on a plane and the model is spherical (picks.geographic() has latitudes and "
            "longitudes)"
        )
    observed._require_places("invert")
    ndim = observed.ndim if model is None else model.ndim
    if model is not None and observed.ndim != model.ndim:
        raise ValueError(f"picks are {observed.ndim}-D and the model is {model.ndim}-D")
    errors = np.empty(0) if observed.error is None else observed.error
    columns = (
        observed.sources,
        observed.receivers,
        observed.source,
        observed.receiver,
        observed.time,
        errors,
        observed._labels(),
    )
    options: dict[str, Any] = {
        "method": method,
        "regularisation": regularisation,
        "spacing": spacing,
        "depth": depth,
        "smoothing": smoothing,
        "iterations": iterations,
        "terms": terms,
        "norm": norm,
        "relocate": ("all" if relocate else "none") if isinstance(relocate, bool) else relocate,
        "start_places": start_places,
        "velocities": velocities,
        "vp_vs": vp_vs,
        "vp_vs_smoothing": vp_vs_smoothing,
        "least_picks": least_picks,
        "difference_weight": difference_weight,
        "trim": trim,
        "catalogue_reach": catalogue_reach,
        "correlation_reach": correlation_reach,
        "target_rms": target_rms,
        "target_chi2": target_chi2,
        "stagnation": stagnation,
        "weights": weights,
        "share": share,
        "max_update": max_update,
        "min_velocity": min_velocity,
        "max_velocity": max_velocity,
        "smoother": smoother,
        "tracer": tracer,
        "solver": solver,
        "order": order,
        "device": device,
        "threads": threads,
    }
    if step is not None:
        options["step"] = step
    if reference is not None:
        options["reference"] = reference
    options |= known_ground(ndim, log, regions, edges, guide, prior_model, prior_deviation)
    if s_model is not None:
        options["s_model"] = s_model
    if known:
        options["known"] = dict(known)
    linked: dict[str, Any] | None = None
    if differences is not None:
        linked = differences_of(differences, ids_of(observed.event), ids_of(observed.station))
        options["differences"] = linked
    if np.any(prior):
        options["prior"] = _axes(prior, ndim, "prior")
    if np.any(correlation_length):
        options["correlation_length"] = _axes(correlation_length, ndim, "correlation_length")
    if axis_weights is not None:
        options["axis_weights"] = _axes(axis_weights, ndim, "axis_weights")
    if np.any(unknown_ratio):
        options["unknown_ratio"] = tuple(int(n) for n in _axes(unknown_ratio, ndim, "unknown_ratio"))
    if end_damping is not None:
        options["end_damping"] = end_damping
    if outliers is not None:
        options["outliers"] = outliers
    if starts is not None:
        options["starts"] = starts if isinstance(starts, str) else ",".join(starts)
    if segment is not None:
        options["segment"] = segment
    if radius is not None:
        options["radius"] = arguments.radius(ndim, radius)
    if error is not None:
        options["error"] = _pair(error)
    is_joint = options["relocate"] != "none" or velocities == "none" or len(set(observed.phase)) > 1
    if trust and is_joint:
        options["joint_trust"] = 1
    kept: list[NDArray[np.float32]] = []
    if keep_models:
        options["keep"] = kept.append
    rows = schedule_rows(schedule, ndim)
    if method != "adjoint":
        _cuda.refuse(devices, f"method {method!r}")
    with _cuda.shared_by(devices, device) as chosen:
        options["device"] = chosen
        found: Any = _core.invert(model, columns, rows, options, callback, listener(progress))
    run = Inversion(model, observed, found)
    if linked is not None:
        fits = found.joint["differences"]
        run.differences = fitted(linked, fits, ids_of(observed.event), ids_of(observed.station))
        run.difference_rms = {kind: (before, after) for kind, before, after in
                              zip(KINDS, fits["rms_before"], fits["rms"], strict=True)
                              if not math.isnan(after)}
    if keep_models:
        # Gauss-Newton tells of its start model too.
        later = kept[max(0, len(kept) - len(run.history["rms"]) + 1) :]
        run.models = [run.start, *(_like(run.start, velocity) for velocity in later)]
    _notes.tell(run.warnings)
    if trust and not is_joint:
        run.estimate_trust(device=device, threads=threads, progress=progress)
    return run


def _like(model: Model, velocity: NDArray[np.float32]) -> Model:
    return _core.Model(
        velocity, spacing=model.spacing, origin=model.origin, cells=model.cells
    )


def _axes(value: float | Sequence[float], ndim: int, name: str) -> tuple[float, float, float]:
    """One number for all axes, or one per axis, as x, y, z."""
    if np.ndim(value) == 0:
        return (float(value), float(value), float(value))  # type: ignore[arg-type]
    if np.shape(value) != (ndim,):
        raise ValueError(f"{name} is {value!r} (must be one number, or {ndim})")
    x, *y, z = (float(number) for number in value)  # type: ignore[union-attr]
    return (x, y[0] if y else 1.0, z)


def _pair(error: float | tuple[float, float]) -> tuple[float, float]:
    """Absolute and relative error."""
    if np.ndim(error) == 0:
        return (float(error), 0.0)  # type: ignore[arg-type]
    if np.shape(error) != (2,):
        raise ValueError(f"error is {error!r} (must be a time, or a time and a part of the time)")
    return (float(error[0]), float(error[1]))  # type: ignore[index]
