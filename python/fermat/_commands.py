"""Commands of the program `fermat` whose work this package does: plot, export, geometry.

The program parses the flags, shows the help and becomes `main` of this file; a warning is a line
`fermat: warning: ...` and an error one line with exit status 2, as of its other commands.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, export, plot
from ._core import Model
from ._earth import Earth
from ._files import renamed_to
from ._geometry import geometry
from ._picks import Picks, picks
from ._rays import Rays, rays
from .plot._runs import run_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["main"]

WRITTEN_MODELS = (".h5", ".hdf", ".hdf5", ".vtkhdf", ".vti", ".vts", ".nc", ".grd", ".hdr", ".npy")
READ_MODELS = tuple(suffix for suffix in WRITTEN_MODELS if suffix not in (".npy", ".vts")) + (".vtr",)
RAY_SUFFIXES = (".geojson", ".vtp")


def main(words: Sequence[str]) -> None:
    """Does what the words say and ends the process where that is not possible."""
    arguments = _parser().parse_args(words)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", UserWarning)
        try:
            _check_place(arguments.output)
            line = arguments.work(arguments)
        except (ImportError, OSError, RuntimeError, ValueError) as error:
            line = None
            failure = error
    for note in told:
        if issubclass(note.category, UserWarning) and not arguments.quiet:
            print(f"fermat: warning: {note.message}", file=sys.stderr)
    if line is None:
        said, status = str(failure), 1 if isinstance(failure, (OSError, RuntimeError)) else 2
        if isinstance(failure, OSError) and failure.filename:
            said = f"'{failure.filename}': {failure.strerror}"
        if isinstance(failure, FileNotFoundError):
            said, status = f"'{failure.filename}' does not exist", 2
        print(f"fermat: error: {said}", file=sys.stderr)
        sys.exit(status)
    if not arguments.quiet:
        print(line)


def _check_place(output: Path) -> None:
    """Before the work, whose result would be lost."""
    parent = output.resolve().parent
    if not parent.is_dir():
        raise ValueError(f"cannot write '{output}' (the folder '{parent}' does not exist)")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="fermat", allow_abbrev=False)
    commands = parser.add_subparsers(required=True)
    for name, work, files, words in (
        ("plot", _plot, ("times", "rays"), ("title", "length-unit", "time-unit")),
        ("export", _export, ("rays", "picks"), ()),
        ("geometry", _geometry, ("figure",), ()),
    ):
        command = commands.add_parser(name, allow_abbrev=False)
        command.set_defaults(work=work)
        for flag in ("what", "records", "output", *files):
            command.add_argument(f"--{flag}", type=Path)
        for flag in words:
            command.add_argument(f"--{flag}")
        command.add_argument("--elevation", action="store_true")
        command.add_argument("--quiet", action="store_true")
        command.add_argument("--threads", type=int, default=0)
    earth = commands.add_parser("earth", allow_abbrev=False)
    earth.set_defaults(work=_earth)
    earth.add_argument("--output", type=Path)
    for flag in ("name", "latitude", "longitude", "depth", "spacing", "phase"):
        earth.add_argument(f"--{flag}")
    for flag in ("geodetic", "quiet"):
        earth.add_argument(f"--{flag}", action="store_true")
    return parser


def _earth(arguments: Any) -> str:
    ranges = {}
    for flag, count in (("latitude", 2), ("longitude", 2), ("spacing", 3)):
        text = getattr(arguments, flag)
        ranges[flag] = tuple(float(part) for part in text.split(","))
        if len(ranges[flag]) != count:
            raise ValueError(f"--{flag} is '{text}' (must be {count} numbers with commas)")
    model = Earth(arguments.name).model(
        ranges["latitude"], ranges["longitude"], float(arguments.depth),  # type: ignore[arg-type]
        spacing=ranges["spacing"], phase=arguments.phase, geodetic=arguments.geodetic,
    )
    model.save(arguments.output)
    return f"wrote {arguments.output} with {' x '.join(map(str, model.shape))} nodes of {arguments.name}"


def _plot(arguments: Any) -> str:
    what: Path = arguments.what
    units = {"time": arguments.time_unit}
    over = {"times": arguments.times, "rays": arguments.rays}
    given = [name for name, file in over.items() if file]
    figure: Any
    if (what / "model.h5").is_file():
        if given:
            raise ValueError(f"--{given[0]} is drawn over a model, and '{what}' is a run")
        units["length"] = _length(arguments, Model.load(what / "model.h5").velocity)
        figure = plot.overview(what, title=arguments.title, elevation=arguments.elevation, **units)
    elif what.suffix.lower() in READ_MODELS:
        model = Model.load(what)
        units["length"] = _length(arguments, model.velocity)
        figure = _picture_of_model(model, arguments, units)
    else:
        if given:
            raise ValueError(f"--{given[0]} is drawn over a model, and '{what}' is a file of picks")
        read = picks(what)
        units["length"] = _length(arguments, _apparent_velocity(read))
        figure = plot.traveltime_curves(read, **units).figure
        if arguments.title:
            figure.axes[0].set_title(arguments.title)
    _save_figure(figure, arguments.output)
    return f"wrote {arguments.output}"


def _length(arguments: Any, velocity: Any) -> str:
    """The unit of length that was named, or the one in which velocities are those of rock."""
    if arguments.length_unit:
        return str(arguments.length_unit)
    values = np.asarray(velocity)
    values = values[values > 0]
    return "m" if values.size and np.median(values) > 50 else "km"


def _apparent_velocity(read: Picks) -> NDArray[Any]:
    travelled = read.time > 0
    return np.asarray(read.offset[travelled] / read.time[travelled])


def _picture_of_model(model: Model, arguments: Any, units: dict[str, str]) -> Any:
    ways = Rays.load(arguments.rays, model) if arguments.rays else None
    looks = {"rays": ways, "elevation": arguments.elevation, **units}
    figure: Any
    if model.ndim == 3 and arguments.times is None:
        figure = plot.views(model, **looks)
    else:
        times = None if arguments.times is None else _times(arguments.times, model)
        figure = plot.section(model, times=times, **looks).figure
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


def _export(arguments: Any) -> str:
    what, out = arguments.what, arguments.output
    suffix = out.suffix.lower()
    plane = None if arguments.picks is None else picks(arguments.picks).plane
    if arguments.picks is not None and plane is None:
        raise ValueError(f"'{arguments.picks}' has no plane (its points were never in degrees)")
    if suffix in RAY_SUFFIXES:
        export.rays(_rays_of(what, arguments.threads), out, plane=plane)
        return f"wrote {out}"
    run = what if what.is_dir() else Model.load(what)
    if plane is not None:
        export.model(run, out, plane=plane)
        return f"wrote {out}"
    if suffix in WRITTEN_MODELS:
        (run_of(run).model if what.is_dir() else run).save(out)
        return f"wrote {out}"
    if suffix:
        known = ", ".join((*RAY_SUFFIXES, *WRITTEN_MODELS))
        raise ValueError(f"cannot write '{out}' (must end in {known}, or be a folder for ParaView)")
    model = run_of(run).model if what.is_dir() else run
    ways = Rays.load(arguments.rays, model) if arguments.rays else None
    files = export.paraview(run, out, rays=ways)
    return f"wrote {', '.join(str(file) for file in files.values())}"


def _rays_of(what: Path, threads: int) -> Rays:
    """Those of a file, or those of a run's picks in the model that it found."""
    if not what.is_dir():
        ways = _core.load_rays(what)
        # A file does not say whether its rays are those of a section: then all have y = 0.
        flat = not np.asarray(ways.points(False))[:, 1].any()
        return Rays(Model.constant((2, 2) if flat else (2, 2, 2), velocity=1), ways)
    run = run_of(what)
    used = run.use != "rejected"
    if not used.all():
        warnings.warn(f"rays of {(~used).sum()} rejected picks are left out", stacklevel=2)
    ends = [np.unique(run.points(role)[used], axis=0, return_inverse=True)
            for role in ("source", "receiver")]
    pairs = np.column_stack([which.reshape(-1) for _, which in ends])
    return rays(run.model, ends[0][0], ends[1][0], pairs=pairs, threads=threads)


def _geometry(arguments: Any) -> str:
    found = geometry(arguments.records)
    found.save(arguments.output)
    if arguments.figure is not None:
        _save_figure(found.plot().figure, arguments.figure)
    return f"{found!r} in {arguments.output}"


def _save_figure(figure: Any, path: Path) -> None:
    known = figure.canvas.get_supported_filetypes()
    if path.suffix[1:].lower() not in known:
        raise ValueError(f"cannot draw '{path}' (must end in {', '.join('.' + k for k in known)})")
    with renamed_to(path) as file:
        figure.savefig(file, dpi=150)
