"""Tables of times for programs that associate picks: PyOcto and GaMMA."""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _core
from ._checked import checked
from ._notes import tell
from ._tables import places
from ._times import receiver_times

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._core import Model
    from ._tables import Table

__all__ = ["association_tables"]

EDGE = 3  # rows and columns of GaMMA's table before distance 0 and depth 0
AZIMUTHS = 24


@checked
def association_tables(
    model: Model,
    path: str | os.PathLike[str] | None = None,
    *,
    output_format: Literal["pyocto", "gamma"] = "pyocto",
    stations: Table | None = None,
    s_model: Model | None = None,
    vp_vs: float | None = None,
    spacing: float = 1.0,
    distance: float | None = None,
    depth: float | None = None,
    threads: int = 0,
) -> dict[str, Any]:
    """Times of P and S by distance and depth, as programs that associate picks read them.

    Parameters
    ----------
    model
        Velocity of P in km/s, 3-D, in x, y, z. Where it depends on depth alone the tables are exact;
        in other models they are means over azimuths, and in one table for all stations also over
        stations, and a warning tells how far times lie from them.
    path
        "pyocto" without stations: a file for `pyocto.VelocityModel1D` (stations at depth 0, whose
        heights PyOcto corrects). "pyocto" with stations: a folder with one table per station, for
        `pyocto.StationSpecificVelocityModel1D`. "gamma": a `.npz` of what is returned. None: nothing
        is written.
    stations
        A table with station,x,y,z as `locate` has them. Needed where velocity does not depend on
        depth alone.
    s_model, vp_vs
        Velocity of S on the same grid, or the ratio of both.
    spacing
        Of the table, in km, along distance and depth.
    distance, depth
        To which the table goes. Default: the model's diagonal and its bottom.

    Returns
    -------
    dict
        "gamma": what GaMMA's `config["eikonal"]` holds (up, us, rgrid, zgrid, h and the derivatives).
        "pyocto": station ids to arrays (2, distances, depths) of P and S; "" if there are none.

    Examples
    --------
    >>> import fermat as fm
    >>> model = fm.Model.gradient((41, 41, 21), v0=5, gradient=0.05)
    >>> tables = fm.association_tables(model, "crust.pyocto", vp_vs=1.73, distance=30, depth=15)
    >>> tables[""].shape, round(float(tables[""][0, 30, 10]), 3)
    ((2, 31, 16), 6.008)
    """
    if model.ndim != 3 or model.coordinates != "cartesian":
        raise ValueError(f"model is {model.ndim}-D in {model.coordinates} coordinates (tables for "
                         "association are of 3-D models in x, y, z)")
    if (s_model is None) == (vp_vs is None):
        raise ValueError("give s_model or vp_vs, one of them")
    if not spacing > 0:
        raise ValueError(f"spacing is {spacing} (must be > 0)")
    low, high = _box(model)
    far = float(np.hypot(*(high - low)[:2])) if distance is None else distance
    deep = float(high[2]) if depth is None else depth
    if output_format == "pyocto" and stations is None and not _is_layered(model):
        raise ValueError("velocity does not depend on depth alone: give stations, each of which gets a "
                         "table")
    if output_format == "gamma" and stations is None and not _is_layered(model):
        raise ValueError("velocity does not depend on depth alone: give stations, over which the table "
                         "is the mean")
    waves = (model, s_model) if s_model is not None else (model,)
    tables = _Tables(waves, vp_vs, threads)
    if output_format == "gamma":
        return _gamma(tables, path, stations, (far, deep, spacing))
    names, where = [""], np.array([[*(0.5 * (low + high))[:2], max(0.0, float(low[2]))]])
    padding = 0
    if stations is not None:
        names, where = places(model, stations, "station")
        padding = max(0, int(np.ceil((where[:, 2].max() - where[:, 2].min()) / spacing)))
    r = spacing * np.arange(int(np.ceil(far / spacing)) + 1)
    out = {}
    for name, at in zip(names, where, strict=True):
        # A station's table begins at its own height, and `padding` rows above it.
        start = at[2] - padding * spacing if stations is not None else 0.0
        z = start + spacing * np.arange(int(np.ceil((deep - start) / spacing)) + 1)
        out[name] = tables.of(at, r.astype(np.float64), np.asarray(z, dtype=np.float64))
    tables.tell()
    if path is not None:
        _write_pyocto(Path(path), out, spacing, None if stations is None else padding)
    return out


def _box(model: Model) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    low = np.asarray(model.origin, dtype=float)
    return low, low + np.asarray(model.spacing) * (np.asarray(model.shape) - 1)


def _is_layered(model: Model) -> bool:
    velocity = np.asarray(model.velocity)
    return bool(np.all(velocity == velocity[:1, :1]))


class _Tables:
    """Times from a station to rings of places round it."""

    def __init__(self, waves: tuple[Model, ...], ratio: float | None, threads: int) -> None:
        self.waves, self.ratio, self.threads = waves, ratio, threads
        self.squares = 0.0
        self.count = 0

    def of(self, station: NDArray[np.float64], r: NDArray[np.float64],
           z: NDArray[np.float64]) -> NDArray[np.float64]:
        times = [self._wave(wave, station, r, z) for wave in self.waves]
        if self.ratio is not None:
            times.append(self.ratio * times[0])
        return np.stack(times)

    def _wave(self, model: Model, station: NDArray[np.float64], r: NDArray[np.float64],
              z: NDArray[np.float64]) -> NDArray[np.float64]:
        low, high = _box(model)
        if _is_layered(model):
            return self._layered(model, station, r, z)
        inside = np.clip(station, low, high)
        angle = 2 * np.pi * np.arange(AZIMUTHS) / AZIMUTHS
        rings = np.stack(np.broadcast_arrays(
            inside[0] + r[:, None, None] * np.cos(angle), inside[1] + r[:, None, None] * np.sin(angle),
            np.clip(z, low[2], high[2])[None, :, None]), axis=-1)
        held = np.all((rings >= low) & (rings <= high), axis=-1)
        times = np.full(held.shape, np.nan)
        times[held] = receiver_times(model, inside[None], rings[held], threads=self.threads)[0]
        with np.errstate(invalid="ignore"):
            counts = held.sum(axis=-1)
            mean = np.where(counts > 0, np.nansum(times, axis=-1) / np.maximum(counts, 1), np.nan)
        self.squares += float(np.nansum((times - mean[..., None]) ** 2))
        self.count += int(held.sum())
        return _continued(mean, r)

    def _layered(self, model: Model, station: NDArray[np.float64], r: NDArray[np.float64],
                 z: NDArray[np.float64]) -> NDArray[np.float64]:
        """By a section of distance and depth, which goes as far and as high as the table does."""
        low, high = _box(model)
        step = float(model.spacing[2])
        top, bottom = min(low[2], station[2], z[0]), max(high[2], z[-1])
        depths = top + step * np.arange(int(np.ceil((bottom - top) / step)) + 1)
        column = np.interp(depths, low[2] + step * np.arange(model.shape[2]),
                           np.asarray(model.velocity)[0, 0])
        across = max(2, int(np.ceil(r[-1] / step)) + 1)
        section = _core.Model(np.broadcast_to(column, (across, len(column))).astype(np.float32),
                              spacing=(step, step), origin=(0.0, float(top)))
        points = np.stack(np.meshgrid(r, z, indexing="ij"), axis=-1).reshape(-1, 2)
        source = np.array([[0.0, station[2]]])
        times = receiver_times(section, source, points, threads=self.threads, precision="double")
        table: NDArray[np.float64] = np.asarray(times, dtype=np.float64)[0].reshape(len(r), len(z))
        return table

    def tell(self) -> None:
        if self.count:
            spread = np.sqrt(self.squares / self.count)
            tell([f"velocity does not depend on depth alone: times are means over azimuths, from which "
                  f"those of single azimuths differ by {spread:.2g} s (rms)"])


def _continued(mean: NDArray[np.float64], r: NDArray[np.float64]) -> NDArray[np.float64]:
    """Beyond the model times go on with their last slowness."""
    out = mean.copy()
    for n in range(1, len(r)):
        open_ = np.isnan(out[n])
        if not open_.any():
            continue
        slope = (out[n - 1] - out[n - 2]) / (r[n - 1] - r[n - 2]) if n > 1 else np.zeros(out.shape[1])
        out[n, open_] = (out[n - 1] + slope * (r[n] - r[n - 1]))[open_]
    return out


def _write_pyocto(path: Path, tables: dict[str, NDArray[np.float64]], spacing: float,
                  padding: int | None) -> None:
    """int32 distances, int32 depths, float64 spacing, then P and S as float64 [distance][depth]."""

    def write(file: Path, table: NDArray[np.float64]) -> None:
        part = file.with_name(f".{file.name}.part")
        with open(part, "wb") as out:
            out.write(struct.pack("<iid", table.shape[1], table.shape[2], spacing))
            out.write(np.ascontiguousarray(table, dtype="<f8").tobytes())
        os.replace(part, file)

    if padding is None:
        return write(path, tables[""])
    path.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        if "/" in name:
            raise ValueError(f"station {name!r} cannot name a file")
        write(path / f"{name}.pyocto", table)
    (path / "n_padding").write_bytes(struct.pack("<i", padding))
    return None


def _gamma(tables: _Tables, path: str | os.PathLike[str] | None, stations: Table | None,
           reach: tuple[float, float, float]) -> dict[str, Any]:
    far, deep, h = reach
    model = tables.waves[0]
    low, high = _box(model)
    where = np.array([[*(0.5 * (low + high))[:2], max(0.0, float(low[2]))]])
    if stations is not None:
        _, where = places(model, stations, "station")
        if _is_layered(model):
            where = where[:1] * [1, 1, 0] + [0, 0, max(0.0, float(low[2]))]
    r = h * np.arange(int(np.ceil(far / h)))
    z = h * np.arange(-EDGE, int(np.ceil(deep / h)))
    each = [tables.of(at, r.astype(np.float64), np.asarray(at[2] + z, dtype=np.float64)) for at in where]
    mean = np.mean(each, axis=0)
    spread = float(np.sqrt(np.mean((np.stack(each) - mean) ** 2)))
    tables.tell()
    if len(each) > 1:
        tell([f"GaMMA has one table for all stations: theirs differ from its mean by {spread:.2g} s (rms)"])
    # GaMMA's grids begin a few nodes before distance 0: the other side of the station.
    up, us = (np.concatenate([wave[EDGE:0:-1], wave]) for wave in mean)
    rgrid, zgrid = np.meshgrid(h * np.arange(-EDGE, len(r)), z, indexing="ij")
    out: dict[str, Any] = {"up": up, "us": us, "rgrid": rgrid, "zgrid": zgrid, "h": h}
    for name, wave in (("p", up), ("s", us)):
        out[f"d{name}_r"], out[f"d{name}_z"] = np.gradient(wave, h)
    if path is not None:
        part = Path(path).with_name(f".{Path(path).name}.part")
        with open(part, "wb") as file:
            np.savez(file, **out)
        os.replace(part, path)
    return out
