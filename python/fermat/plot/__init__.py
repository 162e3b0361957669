"""Pictures of models, times, rays and inversions: depth downward or heights upward, equal scales,
units on the axes, colours that all eyes tell apart.

What is called `run` below is what `invert` returned or the name of a folder of `fermat invert`;
`section`, `map` and `depth_slices` take one in place of a model. matplotlib is imported when a
picture is drawn, so that the package works without it; interactive3d needs PyVista.
"""

from ._animate import animate
from ._catalogue import catalogue
from ._checkerboard import checkerboard
from ._compare import before_after, trust
from ._coverage import coverage
from ._curves import shots, traveltime_curves
from ._degrees import degrees
from ._interactive import interactive3d
from ._lapse import change, change_animation
from ._layers import layers
from ._maps import depth_slices, map
from ._misfit import misfit, trade_off
from ._overview import overview
from ._phases import phases
from ._residuals import convergence, residuals
from ._section import section
from ._views import views

__all__ = [
    "animate",
    "before_after",
    "catalogue",
    "change",
    "change_animation",
    "checkerboard",
    "convergence",
    "coverage",
    "degrees",
    "depth_slices",
    "interactive3d",
    "layers",
    "map",
    "misfit",
    "overview",
    "phases",
    "residuals",
    "section",
    "shots",
    "trade_off",
    "traveltime_curves",
    "trust",
    "views",
]
