"""First-arrival traveltimes, seismic rays and traveltime tomography.

    import fermat as fm
    model = fm.Model.gradient((129, 129, 129), v0=2, gradient=0.5, spacing=0.1)

z is depth, positive down; a 2-D model is (x, z). Units are your own but consistent.
"""

from . import plot
from ._core import Model, build_info, devices

__version__ = build_info()["version"]
Model.__module__ = __name__

__all__ = ["Model", "__version__", "build_info", "devices", "plot"]
