"""Functions of the package and commands of the program: one line each in `DOORS`.

A door takes a case, does its work as a user would, and asserts that what comes out is right. What
it does not do in some media stands in `REFUSALS`, with the start of the sentence that says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import commands
import functions
import layers
from case import Case
from media import MEDIA, Medium

BOTH = ("P", "P,S")
ALL = ("array", "table", "file")
PRECISIONS = ("single", "double")


@dataclass(frozen=True)
class Door:
    name: str
    work: Callable[[Case], None]
    phases: tuple[str, ...] = ("P",)
    given: tuple[str, ...] = ("array",)
    precisions: tuple[str, ...] = ("single",)
    flat: bool = True  # also in 2-D media; slow doors are not

    @property
    def is_command(self) -> bool:
        return self.name.startswith("fermat ")


MEDIUM_FILES = ("layered.h5", "v.in", "line.smesh", "vgrids.in")
FORMATS = (".h5", ".npy", ".vti", ".vts", ".vtk", ".csv", ".xyz", ".hdr", ".grd", ".nc")

DOORS = {
    door.name: door
    for door in (
        Door("fm.traveltimes", functions.traveltimes, given=ALL, precisions=PRECISIONS),
        Door("fm.traveltimes(gradient=True)", functions.traveltime_gradient, precisions=PRECISIONS),
        Door("fm.receiver_times", functions.receiver_times, given=ALL),
        Door("fm.rays", functions.rays, given=("array", "file")),
        Door("fm.Rays.sensitivity", functions.sensitivity),
        Door("fm.synthetic_picks", functions.synthetic_picks, given=("array", "file")),
        Door("fm.adjoint", functions.adjoint, precisions=PRECISIONS),
        Door("fm.invert", functions.invert_gauss_newton, BOTH, ALL),
        Door('fm.invert(method="hole")', functions.invert_hole, BOTH),
        Door('fm.invert(method="adjoint")', functions.invert_adjoint, BOTH),
        Door('fm.invert(relocate="all")', functions.invert_relocating, BOTH),
        Door('fm.invert(relocate="all", differences=...)', functions.invert_differences, BOTH, ("table",)),
        Door("fm.locate", functions.locate, BOTH, ALL),
        Door("fm.relocate", functions.relocate, BOTH, ("table", "file")),
        Door("fm.phase_rays", layers.phase_rays, BOTH, ALL),
        Door("fm.locate, in a layered medium", layers.locate),
        Door("fm.invert_phases", layers.invert_phases),
        *(Door(f"fm.Medium.save, {name}", layers.save(name)) for name in MEDIUM_FILES),
        Door("fm.plot.phases", layers.plot),
        Door("pickle.dumps(model)", functions.pickled),
        *(Door(f"fm.Model.save, {s}", functions.save_and_load(s)) for s in FORMATS),
        *(Door(f"fm.export.model, {s}", functions.export_model(s)) for s in (".nc", ".csv")),
        Door("fm.export.paraview", functions.export_paraview),
        *(Door(f"fm.export.rays, {s}", functions.export_rays(s)) for s in (".geojson", ".vtp")),
        Door("fm.plot.section", functions.plot_section),
        Door("fm.plot.overview", functions.plot_overview, flat=False),
        Door("fermat times", commands.times, precisions=PRECISIONS),
        Door("fermat times --gradient", commands.times_fields, precisions=PRECISIONS),
        Door("fermat rays", commands.rays, BOTH),
        Door("fermat rays --sensitivity", commands.sensitivity),
        Door("fermat picks", commands.picks, BOTH),
        Door("fermat invert", commands.invert("--regularisation", "second", "--smoothing", "0.1"), BOTH),
        Door("fermat invert --method adjoint", commands.invert("--method", "adjoint")),
        Door("fermat invert --relocate all", commands.invert("--relocate", "all", "--start-places", "given", "--regularisation", "second", "--smoothing", "0.1"),
             flat=False),
        Door("fermat locate", commands.locate, BOTH),
        Door("fermat relocate", commands.relocate, BOTH),
        Door("fermat phases", layers.command, BOTH),
        Door("fermat report, of a run", commands.report, flat=False),
        Door("fermat report, of events", commands.report_events, flat=False),
        Door("fermat plot, of a model", commands.plot, flat=False),
        Door("fermat plot, of a run", commands.plot_run, flat=False),
        Door("fermat export, to a folder", commands.export("view"), flat=False),
        Door("fermat export, .nc", commands.export("out.nc"), flat=False),
        *(Door(f"fermat model convert, {s}", commands.convert(s)) for s in (".h5", ".npy", ".vts", ".vtk", ".csv", ".hdr")),
    )
}


@dataclass(frozen=True)
class Refusal:
    """A door that says in one sentence that it does not work: where, and how the sentence starts."""

    doors: tuple[str, ...]
    kinds: tuple[str, ...]  # any of them; none: everywhere
    start: str
    given: tuple[str, ...] = ALL
    precisions: tuple[str, ...] = PRECISIONS
    phases: tuple[str, ...] = BOTH
    ndim: tuple[int, ...] = (2, 3)
    without: tuple[str, ...] = ()  # media of these kinds are meant by another refusal

    def holds(self, door: Door, medium: Medium, case: tuple[str, str, str]) -> bool:
        phases, given, precision = case
        return (door.name in self.doors and (not self.kinds or bool(medium.kinds & set(self.kinds)))
                and given in self.given and precision in self.precisions and phases in self.phases
                and medium.ndim in self.ndim and not medium.kinds & set(self.without))


CARTESIAN = "knows isotropic velocity on a Cartesian grid only, and this model has"
WRITTEN = {"fm.Model.save": "saved", "fm.export.model": "out", "fermat model convert": "out", "fermat export": "out"}


def file_refusals() -> list[Refusal]:
    """Formats that cannot hold a medium."""
    doors = [(name, f"{WRITTEN[name.split(',')[0]]}.{name.split('.')[-1]}") for name in DOORS
             if name.split(", .")[-1] in ("npy", "vti", "vtk", "csv", "xyz", "hdr", "grd", "nc")
             and name != "fm.export.model, .csv"]
    found = [Refusal((name,), ("metric",), f"'{file}' cannot hold ") for name, file in doors]
    found += [Refusal((name,), ("air",), f"cannot write '{file}' (the model has air")
              for name, file in doors if file.endswith(".hdr")]
    found += [Refusal((name,), ("plain", "cells"), f"cannot write '{file}' (a grid of Surfer is 2-D", ndim=(3,))
              for name, file in doors if file.endswith(".grd")]
    nowhere = "a model in (x, z) has no place on a map"
    return [*found, Refusal(("fm.export.model, .csv",), (), nowhere, ndim=(2,)),
            Refusal(("fm.export.model, .nc",), ("plain", "cells"), nowhere, ndim=(2,))]


def method_refusals(method: str) -> list[Refusal]:
    """Methods of inversion for velocity of P on nodes of a Cartesian grid."""
    doors = (f'fm.invert(method="{method}")', f"fermat invert --method {method}")
    one_phase = "picks of P and S, or events that move, need"
    if method == "adjoint":
        return [Refusal(doors, (), one_phase, phases=("P,S",))]
    return [Refusal(doors, ("cells",), f"inversion method '{method}' reads velocity on nodes"),
            Refusal(doors, ("metric",), f"inversion method '{method}' {CARTESIAN}"),
            Refusal(doors, ("plain",), one_phase, phases=("P,S",))]


def layer_refusals() -> list[Refusal]:
    """Media that cannot be layers of another, and formats and pictures of layers."""
    sections = tuple(f"fm.Medium.save, {name}" for name in ("v.in", "line.smesh"))
    spheres = ("fm.Medium.save, vgrids.in",)
    doors = ("fm.phase_rays", "fm.locate, in a layered medium", "fm.invert_phases", "fermat phases", "fm.Medium.save, layered.h5",
             "fm.plot.phases", *sections, *spheres)
    layered = ("plain", "cells", "graded", "terrain", "sphere")  # kinds of media that can be layers
    others = {"air": "layer 0 has nodes of velocity 0", "slow": "layer 0 has jumps of its own",
              "TTI": "layer 0 is anisotropic"}
    return [*(Refusal(doors, (kind,), start) for kind, start in others.items()),
            *(Refusal((door,), layered, f"cannot write '{door.split(', ')[1]}'", ndim=(3,), without=tuple(others))
              for door in sections),
            *(Refusal((door,), ("graded", "terrain"), f"cannot write '{door.split(', ')[1]}'", ndim=(2,))
              for door in sections),
            *(Refusal(spheres, (kind,), "cannot write 'vgrids.in'", without=tuple(others))
              for kind in layered if kind != "sphere"),
            Refusal(("fm.plot.phases",), layered, "the medium has 3 axes", ndim=(3,), without=tuple(others))]


REFUSALS = [
    *layer_refusals(),
    Refusal(("fm.traveltimes", "fm.traveltimes(gradient=True)", "fermat times", "fermat times --gradient"),
            ("metric",), f"this computation {CARTESIAN}", precisions=("double",)),
    *method_refusals("hole"),
    *method_refusals("adjoint"),
    *file_refusals(),
]


def cases(door: Door) -> list[tuple[Medium, tuple[str, str, str]]]:
    """Media with phases, kind of input and precision: the cells of a door."""
    return [(medium, (phases, given, precision))
            for medium in MEDIA.values() if door.flat or medium.ndim == 3
            for phases in door.phases for given in door.given for precision in door.precisions
            if given == door.given[0] or "slow" not in medium.kinds]


def refusal(door: Door, medium: Medium, case: tuple[str, str, str]) -> str | None:
    """The start of the sentence, or None where the door works."""
    found = [known.start for known in REFUSALS if known.holds(door, medium, case)]
    assert len(found) < 2, f"{door.name} in {medium.name}: {found}"
    return found[0] if found else None
