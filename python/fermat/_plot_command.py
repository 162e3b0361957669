"""The command `fermat plot`: which picture of what."""

from __future__ import annotations

import gzip
import inspect
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from . import plot as pictures
from ._core import Model
from ._files import renamed_to
from ._medium import Medium
from ._phases import PhaseRays
from ._picks import picks
from ._rays import Rays
from ._units import Units
from .plot._layers import is_layer_run
from .plot._units import units_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["plot", "save_figure"]

READ_LAYERED = (".h5", ".hdf", ".hdf5", ".vtkhdf")
READ_MODELS = (*READ_LAYERED, ".vti", ".vtr", ".nc", ".grd", ".hdr", ".segy", ".sgy", ".rsf", ".vo", ".smesh")
MOVING = (".gif", ".html")


KINDS: dict[str, Callable[..., Any]] = {
    "overview": pictures.overview,
    "section": pictures.section,
    "layers": pictures.layers,
    "before-after": pictures.before_after,
    "shots": pictures.shots,
    "curves": pictures.traveltime_curves,
    "misfit": pictures.misfit,
    "residuals": pictures.residuals,
    "convergence": pictures.convergence,
    "trade-off": pictures.trade_off,
    "trust": pictures.trust,
    "views": pictures.views,
    "slices": pictures.depth_slices,
}
"""Pictures of a run by name."""


def plot(arguments: Any) -> str:
    """Draws what the arguments say and returns the line that tells it."""
    what: Path = arguments.what
    out: Path = arguments.output
    kind: str = arguments.kind or "auto"
    given = Units(arguments.length_unit or "", arguments.time_unit or "")
    over = [name for name in ("times", "rays") if getattr(arguments, name)]
    is_run = (what / "model.h5").is_file()
    if kind not in ("auto", "animation", *KINDS):
        raise ValueError(f"kind is '{kind}' (must be auto, animation, {', '.join(KINDS)})")
    if kind != "auto" and not is_run:
        raise ValueError(f"--kind {kind} is of a run, and '{what}' is no folder of fermat invert")
    figure: Any
    if is_run:
        if over:
            raise ValueError(f"--{over[0]} is drawn over a model, and '{what}' is a run")
        looks = {"elevation": arguments.elevation, **_units(given, what)}
        if kind == "animation" or (kind == "auto" and out.suffix.lower() in MOVING):
            pictures.animate(what, out, title=arguments.title, **looks)
            return f"wrote {out}"
        figure = _picture_of_run(what, _usual_kind(what) if kind == "auto" else kind, arguments.title, looks)
    elif (counted := _coverage(what)) is not None:
        if over:
            raise ValueError(f"--{over[0]} is drawn over a model, and '{what}' counts rays")
        model = _model_of(what)
        beside = (what.parent / "model.h5").is_file()
        units = _units(given, what.parent if beside else model)
        figure = pictures.coverage(model, counted, length=units["length"]).figure
        if arguments.title:
            figure.suptitle(arguments.title)
    elif (phases := _phases(what, arguments.rays)) is not None:
        model = phases[0].medium.layer(0)
        units = _units(given, model)
        figure = pictures.phases(phases, reduce=arguments.reduce, title=arguments.title, length=units["length"],
                                 time=units["time"])
    elif _is_model(what):
        _tell_what_goes_over(what)
        model = Model.load(what)
        figure = _picture_of_model(model, arguments, _units(given, model))
    else:
        if over:
            raise ValueError(f"--{over[0]} is drawn over a model, and '{what}' is a file of picks")
        columns = _columns(what)
        if {"event", "origin_time"} <= columns and not {"time", "source_x"} & columns:
            raise ValueError(f"'{what}' is a catalogue of events (fermat report draws it)")
        read = picks(what)
        units = _units(given, read)
        figure = pictures.traveltime_curves(read, length=units["length"], time=units["time"]).figure
        if arguments.title:
            figure.axes[0].set_title(arguments.title)
    save_figure(figure, out)
    return f"wrote {out}"


def _phases(medium: Path, rays: Path | None) -> list[PhaseRays] | None:
    """Later phases of a file of `fermat phases` in their layered medium; None of other files."""
    if rays is None or medium.suffix.lower() not in READ_LAYERED or not medium.is_file():
        return None
    try:
        if not _core.LayeredMedium.is_layered(medium):
            return None
        _core.load_ray_numbers(rays, "branch")
    except ValueError:
        return None  # those who read models and rays say what is wrong
    return PhaseRays.load(rays, Medium.load(medium))


def _usual_kind(run: Path) -> str:
    """Of later phases the layers; those of 3-D have sections of their own."""
    if is_layer_run(run) and Model.load(run / "model.h5").ndim == 2:
        return "layers"
    return "overview"


def _picture_of_run(run: Path, kind: str, title: str | None, looks: dict[str, Any]) -> Any:
    draw = KINDS[kind]
    known = inspect.signature(draw).parameters
    drawn = draw(run, **{k: v for k, v in {"title": title, **looks}.items() if k in known})
    figure = getattr(drawn, "figure", drawn)  # of axes
    if title and "title" not in known:
        _entitle(figure, title)
    return figure


def _entitle(figure: Any, title: str) -> None:
    """A heading; below a legend at the top of the figure, where suptitle would lie on it."""
    if not figure.legends:
        figure.suptitle(title)
        return
    width, height = figure.get_size_inches()
    tall = height + 0.35  # inches
    figure.set_size_inches(width, tall)
    figure.get_layout_engine().set(rect=(0, 0, 1, height / tall))
    figure.text(0.5, 1 - 0.33 / tall, title, ha="center", va="top", fontsize="large")


def _units(given: Units, drawn: Any) -> dict[str, str]:
    """The units that are given, or those of what is drawn."""
    own = units_of(drawn)
    return {"length": given.length or own.length, "time": given.time or own.time}


def _columns(file: Path) -> set[str]:
    """The names in the first line of a table that is no comment; of others nothing."""
    if not file.is_file() or "".join(file.suffixes).lower() not in (".csv", ".csv.gz"):
        return set()
    opened = gzip.open if file.suffix.lower() == ".gz" else open
    try:
        with opened(file, "rt", encoding="utf-8") as lines:
            head = next((line for line in lines if not line.startswith("#")), "")
    except (OSError, UnicodeDecodeError):
        return set()  # the reader of picks says what is wrong
    return {name.strip() for name in head.split(",")}


def _is_model(file: Path) -> bool:
    """Whether a file is one of models by its name, or a table that has velocities."""
    name = file.name.lower().removesuffix(".gz")
    if Path(name).suffix in READ_MODELS or "smesh" in name:
        return True
    return (name.startswith("v") and name.endswith(".in")) or {"z", "velocity"} <= _columns(file)


def _tell_what_goes_over(file: Path) -> None:
    """Of rays and times says with what they are drawn."""
    if file.suffix.lower() not in READ_LAYERED or not file.is_file():
        return
    try:
        fields, cells = _core.load_fields(file)
    except ValueError as error:
        if "'PolyData'" in str(error):
            raise ValueError(f"'{file}' has rays (fermat plot MODEL --rays '{file}' draws them)") from None
        return
    has_times = any(name == "time" or name.startswith("time_") for name in fields)
    if has_times and not {"velocity"} & {*fields, *cells}:
        raise ValueError(f"'{file}' has times (fermat plot MODEL --times '{file}' draws them)")


def _coverage(file: Path) -> NDArray[Any] | None:
    """Rays in each cell of a file of `fermat invert` or `fermat rays --coverage`; None if it is
    another file."""
    if file.suffix.lower() not in (".h5", ".hdf", ".hdf5", ".vtkhdf") or not file.is_file():
        return None
    try:
        points, cells = _core.load_fields(file)
    except ValueError:
        return None  # no image; the reader of models says what it is
    if "velocity" in points or "velocity" in cells:
        return None
    return cells.get("coverage")


def _model_of(file: Path) -> Model:
    """The model of the run that the file is of; elsewhere a constant one on the file's grid."""
    beside = file.with_name("model.h5")
    return Model.load(beside) if beside.is_file() else _core.frame_of(file)


def _picture_of_model(model: Model, arguments: Any, units: dict[str, str]) -> Any:
    ways = Rays.load(arguments.rays, model) if arguments.rays else None
    looks = {"rays": ways, "elevation": arguments.elevation, **units}
    figure: Any
    if model.ndim == 3 and arguments.times is None:
        figure = pictures.views(model, **looks)
    else:
        times = None if arguments.times is None else _times(arguments.times, model)
        figure = pictures.section(model, times=times, **looks).figure
    if arguments.title:
        figure.suptitle(arguments.title)
    return figure


def _times(file: Path, model: Model) -> NDArray[Any]:
    """The first field of times in a file of `fermat times`."""
    fields = _core.load_fields(file)[0]
    names = sorted(name for name in fields if name == "time" or name.startswith("time_"))
    if not names:
        raise ValueError(f"'{file}' has no array 'time' on its nodes (write it with: fermat times)")
    if len(names) > 1:
        warnings.warn(
            f"'{file}' has the times of {len(names)} sources; {names[0]} is drawn", stacklevel=2
        )
    times = np.asarray(fields[names[0]])
    if times.shape != tuple(model.shape):
        raise ValueError(f"times in '{file}' have shape {times.shape} (must be {model.shape})")
    return times


def save_figure(figure: Any, path: Path) -> None:
    """Writes a figure in the format of the suffix, under another name first."""
    known = figure.canvas.get_supported_filetypes()
    if path.suffix[1:].lower() not in known:
        raise ValueError(f"cannot draw '{path}' (must end in {', '.join('.' + k for k in known)})")
    with renamed_to(path) as file:
        figure.savefig(file, dpi=150)
