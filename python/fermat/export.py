"""Rays and runs for other programs: GeoJSON for maps, VTK for ParaView.

    fermat.export.rays(rays, "rays.geojson", plane=picks.plane)
    fermat.export.paraview(run, "view")          # then open view/view.vtm, or load view/state.py
    fermat.export.model(run, "model.nc", plane=picks.plane)
    fermat.export.slice(run, "at5km.tif", depth=5, plane=picks.plane)
"""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ._export_model import model
from ._export_slice import slice
from ._files import renamed_to
from ._notes import tell

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._plane import Plane
    from ._rays import Rays

__all__ = ["model", "paraview", "rays", "slice"]


def rays(rays: Rays, path: str | os.PathLike[str], *, plane: Plane | None = None) -> None:
    """Write rays as `.geojson` or as lines of VTK (`.vtp`).

    Rays without a path are left out, and a UserWarning says how many. GeoJSON has longitude,
    latitude and height in m if `plane` tells where x and y lie; without it x, y and -z stand in
    their places, which a UserWarning tells too. `.vtp` has x, y and depth, and y = 0 in 2-D.

    >>> import fermat as fm, json, os, tempfile
    >>> model = fm.Model.constant((21, 21, 11), velocity=5)
    >>> found = fm.rays(model, (10, 10, 5), [(0, 0, 0), (20, 20, 0)])
    >>> file = os.path.join(tempfile.mkdtemp(), "rays.geojson")
    >>> fm.export.rays(found, file, plane=fm.Plane.round([12], [47]))
    >>> len(json.load(open(file))["features"])
    2
    """
    suffix = Path(path).suffix.lower()
    if suffix not in (".geojson", ".vtp"):
        raise ValueError(f"cannot write '{path}' (rays are exported as .geojson or .vtp)")
    kept = [r for r, way in enumerate(rays.paths) if len(way) > 1]
    if len(kept) < len(rays):
        tell([f"{len(rays) - len(kept)} of {len(rays)} rays have no path and were left out"])
    if suffix == ".vtp":
        _write(path, _poly_data(*_lines(rays, kept)))
        return
    sphere = getattr(rays.model, "coordinates", "cartesian") == "spherical"
    features = []
    for r in kept:
        features.append(
            {
                "type": "Feature",
                "geometry": {"type": "LineString", "coordinates": _places(rays.paths[r], plane, sphere)},
                "properties": {
                    "source": int(rays.source[r]),
                    "receiver": int(rays.receiver[r]),
                    "time": float(rays.times[r]),
                    "length": float(rays.lengths[r]),
                },
            }
        )
    if plane is None and not sphere:
        tell(["the rays have no plane: x and y stand for longitude and latitude in the GeoJSON"])
    _write(path, json.dumps({"type": "FeatureCollection", "features": features}))


def paraview(
    run: Any, folder: str | os.PathLike[str], *, rays: Rays | None = None
) -> dict[str, Path]:
    """Write a run for ParaView: the model, sources, receivers and rays, and what opens them all.

    Parameters
    ----------
    run
        What `fermat.invert` returned, the folder of a run, or a model.
    folder
        Made if it is not there.
    rays
        Rays to show with it.

    Returns
    -------
    dict
        The files by name. `view.vtm` opens everything as one data set, also in PyVista; `state.py`
        (File > Load State) shows it with depth downward, colours and a colour bar.

    Examples
    --------
    >>> import fermat as fm, tempfile
    >>> model = fm.Model.constant((21, 21, 11), velocity=5)
    >>> files = fm.export.paraview(model, tempfile.mkdtemp())
    >>> sorted(path.name for path in files.values())
    ['state.py', 'velocity.vti', 'view.vtm']
    """
    from ._core import Model
    from .plot._runs import run_of

    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    if isinstance(run, Model):
        solid, points = run, {}
    else:
        known = run_of(run)
        solid = known.model
        points = _ends(known)
    mapped = solid.coordinates != "cartesian" or solid.anisotropy != "none"
    files = {"velocity": out / ("velocity.vts" if mapped else "velocity.vti")}
    solid.save(files["velocity"])
    for name, places in points.items():
        files[name] = out / f"{name}.vtp"
        _write(files[name], _poly_data(_in_space(solid, places), np.arange(len(places)), None, {}))
    if rays is not None:
        files["rays"] = out / "rays.vtp"
        _save_rays(rays, files["rays"])
    blocks = "".join(
        f'<DataSet index="{n}" name="{name}" file="{file.name}"/>\n'
        for n, (name, file) in enumerate(files.items())
    )
    files["view"] = out / "view.vtm"
    _write(
        files["view"],
        '<?xml version="1.0"?>\n<VTKFile type="vtkMultiBlockDataSet" version="1.0" '
        f'byte_order="LittleEndian">\n<vtkMultiBlockDataSet>\n{blocks}</vtkMultiBlockDataSet>\n'
        "</VTKFile>\n",
    )
    files["state"] = out / "state.py"
    named = [name for name in files if name not in ("view", "state")]
    _write(
        files["state"],
        _state(named, "CELLS" if solid.cells else "POINTS", files["velocity"].name,
               solid.coordinates == "spherical"),
    )
    return files


_save_rays = rays


def _ends(run: Any) -> dict[str, NDArray[np.float64]]:
    """Sources and receivers of a run's picks, as points (n, 3)."""
    table = run.residuals
    ends = {}
    for end in ("source", "receiver"):
        x, z = (np.asarray(table[f"{end}_{axis}"], dtype=float) for axis in "xz")
        y = np.asarray(table[f"{end}_y"], dtype=float) if f"{end}_y" in table else np.zeros(len(x))
        ends[f"{end}s"] = np.unique(np.column_stack([x, y, z]), axis=0)
    return ends


def _in_space(model: Any, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points (n, 3) of a model where they lie in space: of a sphere about its centre."""
    if getattr(model, "coordinates", "cartesian") == "cartesian":
        return points
    flat = points[:, [0, 2]] if model.ndim == 2 else points
    return np.asarray(model.places(np.ascontiguousarray(flat)))


def _places(way: NDArray[np.float64], plane: Plane | None, sphere: bool) -> Any:
    x, z = way[:, 0], way[:, -1]
    if sphere:
        return np.column_stack([way[:, 1], x, -1000 * z]).tolist()
    y = way[:, 1] if way.shape[1] == 3 else np.zeros(len(way))
    if plane is None:
        return np.column_stack([x, y, -z]).tolist()
    longitude, latitude = plane.to_geographic(x, y)
    return np.column_stack([longitude, latitude, -z * plane.metres]).tolist()


def _lines(
    rays: Rays, kept: list[int]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], dict[str, Any]]:
    ways = [rays.paths[r] for r in kept]
    flat = np.vstack([np.asarray(way) for way in ways]) if ways else np.empty((0, 3))
    if flat.shape[1] == 2:
        flat = np.column_stack([flat[:, 0], np.zeros(len(flat)), flat[:, 1]])
    flat = _in_space(rays.model, flat)
    ends = np.cumsum([len(way) for way in ways], dtype=np.int64)
    data = {
        "source": np.asarray(rays.source)[kept],
        "receiver": np.asarray(rays.receiver)[kept],
        "time": np.asarray(rays.times)[kept],
        "length": np.asarray(rays.lengths)[kept],
    }
    return flat, np.arange(len(flat), dtype=np.int64), ends, data


TYPES = {"float64": "Float64", "int64": "Int64", "int32": "Int32"}


def _array(name: str, values: NDArray[Any], components: int = 1) -> str:
    bytes_ = np.ascontiguousarray(values.astype(values.dtype.newbyteorder("<"))).tobytes()
    coded = base64.b64encode(np.uint64(len(bytes_)).astype("<u8").tobytes() + bytes_).decode()
    return (
        f'<DataArray type="{TYPES[values.dtype.name]}" Name="{name}" '
        f'NumberOfComponents="{components}" format="binary">{coded}</DataArray>\n'
    )


def _poly_data(
    points: NDArray[np.float64],
    connectivity: NDArray[Any],
    ends: NDArray[np.int64] | None,
    data: dict[str, NDArray[Any]],
) -> str:
    """VTK's XML: lines that end at `ends`, or a vertex at every point."""
    kind = "Verts" if ends is None else "Lines"
    stops = np.arange(1, len(points) + 1, dtype=np.int64) if ends is None else ends
    counts = f'NumberOf{kind}="{len(stops)}"'
    cells = "".join(_array(name, values) for name, values in data.items())
    return (
        '<?xml version="1.0"?>\n<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" '
        f'header_type="UInt64">\n<PolyData>\n<Piece NumberOfPoints="{len(points)}" {counts}>\n'
        f'<Points>\n{_array("Points", np.asarray(points, dtype=float).reshape(-1), 3)}</Points>\n'
        f"<CellData>\n{cells}</CellData>\n<{kind}>\n"
        f'{_array("connectivity", connectivity.astype(np.int64))}'
        f'{_array("offsets", stops.astype(np.int64))}</{kind}>\n</Piece>\n</PolyData>\n</VTKFile>\n'
    )


def _state(names: list[str], place: str, file: str, sphere: bool) -> str:
    reader = "XMLImageDataReader" if file.endswith(".vti") else "XMLStructuredGridReader"
    return f'''"""Shows this folder in ParaView: File > Load State, or pvpython state.py."""

import os

from paraview.simple import *

here = os.path.dirname(os.path.abspath(__file__))
view = GetActiveViewOrCreate("RenderView")


def shown(reader):
    """{"Points of a sphere lie about its centre." if sphere else "Depth is positive down in the files."}"""
    flipped = Transform(Input=reader)
    flipped.Transform.Scale = [1, 1, {1 if sphere else -1}]
    return Show(flipped, view)


names = {names!r}
velocity = shown({reader}(FileName=[os.path.join(here, "{file}")]))
ColorBy(velocity, ("{place}", "velocity"))
velocity.SetScalarBarVisibility(view, True)
velocity.Opacity = 0.8
for name, colour, size in (("sources", [0.8, 0.1, 0.1], 8), ("receivers", [0.1, 0.1, 0.8], 8),
                           ("rays", [0.1, 0.1, 0.1], 1)):
    if name in names:
        part = shown(XMLPolyDataReader(FileName=[os.path.join(here, name + ".vtp")]))
        part.DiffuseColor = part.AmbientColor = colour
        part.PointSize = size
view.ResetCamera()
Render()
'''


def _write(path: str | os.PathLike[str], text: str) -> None:
    with renamed_to(path) as file:
        file.write_text(text, encoding="utf-8")
