"""First-arrival traveltimes, seismic rays and traveltime tomography.

    import fermat as fm
    model = fm.Model.gradient((129, 129, 129), v0=2, gradient=0.5, spacing=0.1)
    times = fm.traveltimes(model, source=(5, 5, 0.5))
    rays = fm.rays(model, sources=(5, 5, 0.5), receivers=[(0, 0, 0), (12, 5, 0)])
    fm.plot.section(model, times=times, rays=rays)

z is depth, positive down; a 2-D model is (x, z). Use any consistent units.
"""

from ._level import load_core as _load_core

_load_core()  # before anything imports _core

from . import _html, _neighbour, analytic, export, plot
from ._adjoint import Adjoint, adjoint
from ._amplitudes import Amplitudes, amplitudes
from ._associate import association_tables
from ._azimuthal import azimuthal_tensor
from ._bench import bench
from ._bending import Profile
from ._core import CudaModel, Model, build_info, devices
from ._earth import Earth
from ._geometry import Geometry, geometry
from ._grid import Grid
from ._invert import Inversion, invert
from ._invert_phases import LayerInversion, invert_phases
from ._lapse import Change, time_lapse
from ._locate import Catalogue, locate
from ._medium import Medium
from ._methods import Bending, Graph
from ._phases import PhaseRays, phase_rays
from ._picks import Picks, picks
from ._plane import Plane
from ._polarity import Mechanism, first_motions, mechanism, radiation, save_first_motions
from ._rays import Rays, rays
from ._read_picks import read_picks
from ._relocate import Relocation, relocate
from ._smoothing import smooth
from ._synthetic import synthetic_picks
from ._times import receiver_times, traveltimes
from ._trust import CrossValidation, Ensemble, cross_validate, ensemble, point_spread
from .picking import Record, Records, records

__version__ = build_info()["version"]
_neighbour.tell_of_namesake()
Inversion._repr_html_ = _html.of_run  # type: ignore[attr-defined]
Model._repr_html_ = _html.of_model  # type: ignore[attr-defined]
Picks._repr_html_ = _html.of_picks  # type: ignore[attr-defined]
Rays._repr_html_ = _html.of_rays  # type: ignore[attr-defined]
for _type in (
    Adjoint,
    Bending,
    Catalogue,
    Change,
    CrossValidation,
    CudaModel,
    Earth,
    Ensemble,
    Geometry,
    Graph,
    Grid,
    Inversion,
    LayerInversion,
    Mechanism,
    Medium,
    Model,
    PhaseRays,
    Picks,
    Plane,
    Profile,
    Rays,
    Record,
    Records,
    Relocation,
):
    _type.__module__ = __name__
del _type

__all__ = [
    "Adjoint",
    "Amplitudes",
    "Bending",
    "Catalogue",
    "Change",
    "CrossValidation",
    "CudaModel",
    "Earth",
    "Ensemble",
    "Geometry",
    "Graph",
    "Grid",
    "Inversion",
    "LayerInversion",
    "Mechanism",
    "Medium",
    "Model",
    "PhaseRays",
    "Picks",
    "Plane",
    "Profile",
    "Rays",
    "Record",
    "Records",
    "Relocation",
    "__version__",
    "adjoint",
    "amplitudes",
    "analytic",
    "association_tables",
    "azimuthal_tensor",
    "bench",
    "build_info",
    "cross_validate",
    "devices",
    "ensemble",
    "export",
    "first_motions",
    "geometry",
    "invert",
    "invert_phases",
    "locate",
    "mechanism",
    "phase_rays",
    "picks",
    "plot",
    "point_spread",
    "radiation",
    "rays",
    "read_picks",
    "receiver_times",
    "records",
    "relocate",
    "save_first_motions",
    "smooth",
    "synthetic_picks",
    "time_lapse",
    "traveltimes",
]
