"""Commands of the program `fermat` whose work this package does: plot, export, geometry, pick.

The program parses the flags, shows the help and becomes `main` of this file; a warning is a line
`fermat: warning: ...` and an error one line with exit status 2, as of its other commands.
"""

from __future__ import annotations

import argparse
import csv
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import _core, export
from ._associate import association_tables
from ._core import Model
from ._earth import Earth
from ._geometry import geometry
from ._medium import Medium
from ._picks import picks
from ._plot_command import save_figure
from ._plot_command import plot as _plot
from ._rays import Rays, rays
from .plot._runs import run_of

__all__ = ["main"]

WRITTEN_MODELS = (".h5", ".hdf", ".hdf5", ".vtkhdf", ".vti", ".vts", ".nc", ".grd", ".hdr", ".csv", ".xyz", ".vtk",
                  ".segy", ".sgy",
                  ".npy")
RAY_SUFFIXES = (".geojson", ".vtp")
MOST_RAYS = 20_000  # of a run; more make a file that nobody can look at


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


def _check_place(output: Path | None) -> None:
    """Before the work, whose result would be lost."""
    if output is None:
        return
    parent = output.resolve().parent
    if not parent.is_dir():
        raise ValueError(f"cannot write '{output}' (the folder '{parent}' does not exist)")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="fermat", allow_abbrev=False)
    commands = parser.add_subparsers(required=True)
    for name, work, files, words in (
        ("plot", _plot, ("times", "rays"), ("kind", "title", "length-unit", "time-unit")),
        ("export", _export, ("rays", "picks", "stations", "s-model"),
         ("vp-vs", "table-spacing", "depth")),
        ("geometry", _geometry, ("figure",), ()),
    ):
        command = commands.add_parser(name, allow_abbrev=False)
        command.set_defaults(work=work)
        for flag in ("what", "records", "output", *files):
            command.add_argument(f"--{flag}", type=Path)
        for flag in words:
            command.add_argument(f"--{flag}")
        command.add_argument("--reduce", type=float)
        command.add_argument("--elevation", action="store_true")
        command.add_argument("--quiet", action="store_true")
        command.add_argument("--threads", type=int, default=0)
    earth = commands.add_parser("earth", allow_abbrev=False)
    earth.set_defaults(work=_earth)
    earth.add_argument("--output", type=Path)
    for flag in ("name", "latitude", "longitude", "depth", "spacing", "phase", "top"):
        earth.add_argument(f"--{flag}")
    for flag in ("geodetic", "layered", "quiet"):
        earth.add_argument(f"--{flag}", action="store_true")
    _add_pick(commands)
    phases = commands.add_parser("phase-report", allow_abbrev=False)
    phases.set_defaults(work=_phase_report)
    for flag in ("what", "output", "model"):
        phases.add_argument(f"--{flag}", type=Path)
    for flag in ("title", "length-unit", "time-unit"):
        phases.add_argument(f"--{flag}")
    phases.add_argument("--reduce", type=float)
    phases.add_argument("--quiet", action="store_true")
    phases.add_argument("--threads", type=int, default=0)
    return parser


def _add_pick(commands: Any) -> None:
    pick = commands.add_parser("pick", allow_abbrev=False)
    pick.set_defaults(work=_pick)
    for flag in ("records", "output", "project", "shots", "receivers", "model"):
        pick.add_argument(f"--{flag}", type=Path)
    for flag in ("delay", "frequency", "rounds", "port", "vp-vs", "seisbench"):
        pick.add_argument(f"--{flag}")
    for flag in ("auto", "no-browser", "quiet"):
        pick.add_argument(f"--{flag}", action="store_true")
    pick.add_argument("--threads", type=int, default=0)


def _pick(arguments: Any) -> str:
    from .picking.command import pick

    return pick(arguments)


def _phase_report(arguments: Any) -> str:
    from ._phase_report import report

    return report(arguments)


def _earth(arguments: Any) -> str:
    ranges = {}
    for flag, count in (("latitude", 2), ("longitude", 2), ("spacing", 3)):
        text = getattr(arguments, flag)
        ranges[flag] = tuple(float(part) for part in text.split(","))
        if len(ranges[flag]) != count:
            raise ValueError(f"--{flag} is '{text}' (must be {count} numbers with commas)")
    if arguments.layered:
        for flag, given in (("top", arguments.top), ("geodetic", arguments.geodetic)):
            if given not in (None, False):
                raise ValueError(f"--{flag} is for models without --layered, whose layers begin at sea level (leave it out)")
        if arguments.output.suffix != ".h5":
            raise ValueError(f"--output is '{arguments.output}' (layers are written to .h5)")
        medium = Medium.earth(
            arguments.name, ranges["latitude"], ranges["longitude"], float(arguments.depth),  # type: ignore[arg-type]
            spacing=ranges["spacing"],
        )
        medium.save(arguments.output)
        return f"wrote {arguments.output} of {arguments.name}, interfaces {', '.join(medium.interfaces)}"
    model = Earth(arguments.name).model(
        ranges["latitude"], ranges["longitude"], float(arguments.depth),  # type: ignore[arg-type]
        spacing=ranges["spacing"], phase=arguments.phase, geodetic=arguments.geodetic,
        top=None if arguments.top is None else float(arguments.top),
    )
    model.save(arguments.output)
    return f"wrote {arguments.output} with {' x '.join(map(str, model.shape))} nodes of {arguments.name}"


def _export(arguments: Any) -> str:
    what, out = arguments.what, arguments.output
    suffix = out.suffix.lower()
    if suffix in (".pyocto", ".npz"):
        return _tables(arguments, "pyocto" if suffix == ".pyocto" else "gamma")
    plane = None if arguments.picks is None else picks(arguments.picks).plane
    if arguments.picks is not None and plane is None:
        raise ValueError(f"'{arguments.picks}' has no plane (its points were never in degrees)")
    if suffix in RAY_SUFFIXES:
        export.rays(_rays_of(what, arguments.threads), out, plane=plane)
        return f"wrote {out}"
    run = what if what.is_dir() else Model.load(what)
    if arguments.depth is not None:
        export.slice(run, out, depth=float(arguments.depth), plane=plane)
        return f"wrote {out}"
    if suffix in (".tif", ".tiff"):
        raise ValueError(f"'{out}' is a slice (say how deep: --depth)")
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
    ways: Rays | None = None
    if arguments.rays:
        ways = Rays.load(arguments.rays, model)
    elif what.is_dir():
        ways = _rays_of(what, arguments.threads)
    files = export.paraview(run, out, rays=ways)
    return f"wrote {', '.join(str(file) for file in files.values())}"


def _tables(arguments: Any, form: Any) -> str:
    what, stations = arguments.what, None
    if arguments.stations is not None:
        with open(arguments.stations, newline="") as text:
            rows = list(csv.DictReader(line for line in text if not line.startswith("#")))
        if not rows or not {"station", "x", "y", "z"} <= rows[0].keys():
            raise ValueError(f"'{arguments.stations}' has no columns station,x,y,z")
        stations = {name: [row[name] if name == "station" else float(row[name]) for row in rows]
                    for name in ("station", "x", "y", "z")}
    tables = association_tables(
        run_of(what).model if what.is_dir() else Model.load(what), arguments.output, output_format=form,
        stations=stations, s_model=None if arguments.s_model is None else Model.load(arguments.s_model),
        vp_vs=None if arguments.vp_vs is None else float(arguments.vp_vs),
        spacing=float(arguments.table_spacing or 1), threads=arguments.threads,
    )
    count = 1 if form == "gamma" else len(tables)
    return f"wrote {count} table{'s' if count > 1 else ''} of times for {'GaMMA' if form == 'gamma' else 'PyOcto'} to {arguments.output}"


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
    if len(pairs) > MOST_RAYS:
        warnings.warn(f"{MOST_RAYS} of {len(pairs)} rays are written, evenly chosen", stacklevel=2)
        pairs = pairs[np.linspace(0, len(pairs) - 1, MOST_RAYS).astype(int)]
    return rays(run.model, ends[0][0], ends[1][0], pairs=pairs, threads=threads)


def _geometry(arguments: Any) -> str:
    found = geometry(arguments.records)
    found.save(arguments.output)
    if arguments.figure is not None:
        save_figure(found.plot().figure, arguments.figure)
    return f"{found!r} in {arguments.output}"
