"""Pictures of models, times, rays and inversions: depth downward, equal scales, units on the axes,
colours that all eyes tell apart.

matplotlib is imported when a picture is drawn, so that the package works without it; interactive3d
needs PyVista.
"""

from ._checkerboard import checkerboard
from ._coverage import coverage
from ._curves import traveltime_curves
from ._interactive import interactive3d
from ._maps import depth_slices, map
from ._residuals import convergence, residuals
from ._section import section

__all__ = [
    "checkerboard",
    "convergence",
    "coverage",
    "depth_slices",
    "interactive3d",
    "map",
    "residuals",
    "section",
    "traveltime_curves",
]
