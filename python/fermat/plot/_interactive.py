"""A scene to turn by hand, by PyVista."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._grid import import_pyvista
from ._colours import RAY, SEQUENTIAL
from ._units import named_units

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .._core import Model
    from .._rays import Rays


@named_units
def interactive3d(
    model: Model,
    *,
    rays: Rays | None = None,
    times: NDArray[Any] | None = None,
    sources: ArrayLike | None = None,
    receivers: ArrayLike | None = None,
    levels: int = 8,
    cmap: str = SEQUENTIAL,
    length: str = "",
    time: str = "",
    off_screen: bool = False,
) -> Any:
    """A pyvista.Plotter with three planes through the model, rays and surfaces of equal time.

    Depth points down. Call .show() to turn it, or .screenshot("scene.png") with off_screen=True.
    Needs PyVista: pip install 'fermat-rays[view]'.

    Parameters
    ----------
    model
        Velocity, as colours on planes through the middle; air is left out.
    rays, sources, receivers
        Drawn as lines and balls. Sources and receivers default to the rays' ends.
    times
        A field of the model's shape, drawn as `levels` surfaces of equal time.
    cmap, length, time
        As in `section`.
    off_screen
        Draw without a window.

    Examples
    --------
    >>> import fermat as fm
    >>> model = fm.Model.gradient((21, 21, 11), v0=2, gradient=0.1)
    >>> scene = fm.plot.interactive3d(model, rays=fm.rays(model, (2, 2, 0), (18, 18, 0)))
    ...     # doctest: +SKIP
    >>> scene.show()  # doctest: +SKIP
    """
    pyvista = import_pyvista("interactive3d")
    fields = {} if times is None else {"time": np.where(np.isfinite(times), times, np.nan)}
    image = model.to_pyvista(**fields)
    plotter = pyvista.Plotter(off_screen=off_screen)
    rock = image.threshold(1e-30, scalars="velocity")
    bar = {"title": f"velocity ({length}/{time})", "color": "black"}
    planes = rock.slice_orthogonal() if model.ndim == 3 else rock
    plotter.add_mesh(planes, scalars="velocity", cmap=cmap, lighting=False, scalar_bar_args=bar)
    if times is not None:
        last = float(fields["time"][np.isfinite(times)].max())
        fronts = image.contour(np.linspace(0, last, levels + 2)[1:-1].tolist(), scalars="time")
        plotter.add_mesh(fronts, color="white", opacity=0.25)
    if rays is not None and len(rays):
        lines = rays.to_pyvista()
        if lines.n_cells:
            plotter.add_mesh(lines, color=RAY, line_width=2)
        receivers = rays.points[rays.offsets[:-1]] if receivers is None else receivers
        arrived = rays.status == "ok"
        if sources is None and arrived.any():
            sources = rays.points[rays.offsets[1:][arrived] - 1]
    for positions, colour, size in ((receivers, "white", 9), (sources, "gold", 16)):
        if positions is not None:
            balls = {"point_size": size, "render_points_as_spheres": True}
            plotter.add_points(_in_space(positions), color=colour, **balls)
    plotter.set_background("lightgrey")
    plotter.show_bounds(
        xtitle=f"x ({length})",
        ytitle=f"y ({length})",
        ztitle=f"depth ({length})",
        color="black",
        location="outer",
        font_size=10,
    )
    _look(plotter, flat=model.ndim == 2)
    return plotter


def _in_space(positions: ArrayLike) -> NDArray[np.float64]:
    points = np.atleast_2d(np.asarray(positions, float))
    if points.shape[1] == 3:
        return points
    return np.column_stack([points[:, 0], np.zeros(len(points)), points[:, 1]])


def _look(plotter: Any, *, flat: bool) -> None:
    """From above, with depth downward and x to the right: from the far side of y, as x, y and a
    depth that points down make a left-handed frame on paper."""
    low, high = np.reshape(plotter.bounds, (3, 2)).T
    middle, size = (low + high) / 2, float(np.linalg.norm(high - low))
    way = np.array([0, 1, 0]) if flat else np.array([-0.5, 0.9, -0.5])
    plotter.camera.focal_point = middle
    plotter.camera.position = middle + way * size
    plotter.camera.up = (0, 0, -1)
    plotter.reset_camera()
