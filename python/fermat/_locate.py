"""Where and when earthquakes were, from picks of P and S."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _arguments as arguments
from . import _core
from ._arguments import numbers
from ._checked import checked
from ._locate_survey import survey_of_obspy, survey_of_picks
from ._medium import Medium
from ._nordic import is_nordic
from ._notes import tell
from ._obspy_phases import is_catalogue
from ._picks import Picks
from ._plane import Plane
from ._progress import listener
from ._save_picks import Saved, save_picks
from ._sphere import NAMES, on_sphere, onto_plane
from ._station_terms import term_table, terms_from

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from ._arguments import Device, Progress
    from ._core import Model
    from ._tables import Table

__all__ = ["Catalogue", "locate"]


class Catalogue:
    """Located events, as `locate` returns them. Arrays have one row per event.

    Attributes
    ----------
    event
        Ids of the events; `station` those of the stations.
    status
        "located", "at_face" (the best place is on a face of the search box), "at_ground" (the
        ground or air holds it down), "few_picks", "few_used" (fewer than `least_picks` agree with
        the best place) or "nowhere". Numbers of events of the last three are NaN.
    position, origin_time
        Of the largest probability. `mean` is the mean of the samples, if there are samples.
    covariance
        (n, 3, 3), or (n, 2, 2) in 2-D, of the position; with samples, theirs. `time_error` is the
        standard deviation of the origin time.
    axis_68, axis_95
        Semi-axes of the ellipsoids that hold 68 and 95 %, the longest first; `axis_direction` their
        directions (n, axis, xyz).
    rms, gap, nearest, picks, used
        RMS of residuals, largest gap between azimuths of stations in degrees, distance of the
        nearest station, number of picks and of those used.
    quality
        HYPO71's class of each event from rms, errors, gap and nearest station: "A" to "D".
    fits
        A dict of arrays with one entry per pick: event, station, phase, time, residual, weight,
        deviation, travel_time, distance, azimuth, ray_azimuth, take_off; with terms also term, and
        where picks have first motions also polarity (1 up, -1 down, 0 not known).
    samples, sample_log_density
        Lists with one array (samples, 3) and one array of log densities per event.
    model_error
        Standard deviation of the model's times that was used, of P and of S.
    error_length
        Distance between stations within which these errors are alike; 0: they are independent.
    terms
        A table of the station terms that were used, which `locate` takes again, or None: station,
        phase, term, and for terms that depend on the place also x, y, z, weight and radius.
    plane
        The `Plane` of x and y if stations had longitudes and latitudes; `to_columns` then has
        longitudes and latitudes too.
    station_position
        Positions of the stations, as `station`.
    axis_names
        What positions are: x, y, z, or latitude, longitude, depth in a spherical model, where
        covariances and axes are lengths to the east, to the north and down.
    """

    def __init__(self, event: list[str], station: list[str], found: dict[str, Any],
                 fits: dict[str, Any], model_error: tuple[float, float], ndim: int,
                 plane: Plane | None = None,
                 station_position: NDArray[np.float64] | None = None) -> None:
        axes = [0, 2] if ndim == 2 else [0, 1, 2]
        self.event = event
        self.station = station
        self.status: list[str] = list(found["status"])
        self.position: NDArray[np.float64] = found["position"].reshape(-1, 3)[:, axes]
        square = found["covariance"].reshape(-1, 3, 3)
        self.covariance: NDArray[np.float64] = square[:, axes][:, :, axes]
        deviation = found["axis_deviation"].reshape(-1, 3)[:, :ndim]
        reach = found["reach"].reshape(-1, 2)
        self.axis_68: NDArray[np.float64] = deviation * reach[:, :1]
        self.axis_95: NDArray[np.float64] = deviation * reach[:, 1:]
        directions = found["axis_direction"].reshape(-1, 3, 3)
        self.axis_direction: NDArray[np.float64] = directions[:, :ndim][:, :, axes]
        self.origin_time: NDArray[np.float64] = found["origin_time"]
        self.time_error: NDArray[np.float64] = found["time_error"]
        self.rms: NDArray[np.float64] = found["rms"]
        self.gap: NDArray[np.float64] = found["gap"]
        self.nearest: NDArray[np.float64] = found["nearest"]
        self.picks: NDArray[np.int32] = found["picks"]
        self.used: NDArray[np.int32] = found["used"]
        self.quality: list[str] = list(found["quality"])
        self.samples: list[NDArray[np.float64]] = [
            drawn.reshape(-1, 3)[:, axes] for drawn in found["samples"]
        ]
        self.sample_log_density: list[NDArray[np.float64]] = list(found["sample_log_density"])
        self.fits = fits
        self.model_error = model_error
        self.error_length = 0.0
        self.terms: dict[str, Any] | None = None
        self.plane = plane
        self.station_position = station_position
        self.ndim = ndim
        self._survey: dict[str, Any] = {}
        self.axis_names: tuple[str, ...] = ("x", "z") if ndim == 2 else ("x", "y", "z")

    def __len__(self) -> int:
        return len(self.status)

    @property
    def located(self) -> NDArray[np.bool_]:
        """Whether each event has a place."""
        return np.isin(self.status, ["located", "at_face", "at_ground"])

    @property
    def mean(self) -> NDArray[np.float64]:
        """Mean of the samples of each event; NaN without samples."""
        none = np.full(self.ndim, np.nan)
        means = [drawn.mean(axis=0) if len(drawn) else none for drawn in self.samples]
        return np.array(means).reshape(-1, self.ndim)

    def to_columns(self) -> dict[str, Any]:
        """One entry per column: `pandas.DataFrame(catalogue.to_columns())`.

        Examples
        --------
        >>> import fermat as fm
        >>> model = fm.Model.gradient((41, 41, 21), v0=5, gradient=0.05)
        >>> stations = {"station": list("ABCD"), "x": [5, 35, 6, 33], "y": [5, 6, 34, 35], "z": [0] * 4}
        >>> phases = {"event": ["blast"] * 4, "station": list("ABCD"), "phase": ["P"] * 4,
        ...           "time": [4.39, 4.26, 4.22, 4.22]}
        >>> columns = fm.locate(model, phases, stations=stations, model_error=0.05).to_columns()
        >>> list(columns)[:6], columns["event"], columns["used"].tolist()
        (['event', 'status', 'x', 'y', 'z', 'origin_time'], ['blast'], [4])
        """
        table: dict[str, Any] = {"event": self.event, "status": self.status}
        names = "xz" if self.ndim == 2 else "xyz"
        for n, name in enumerate(self.axis_names):
            table[name] = self.position[:, n]
        if self.plane is not None:
            place = self.plane.to_geographic(self.position[:, 0], self.position[:, 1])
            table["longitude"], table["latitude"] = place
        table["origin_time"] = self.origin_time
        for n, name in enumerate(names):
            table[f"error_{name}"] = np.sqrt(self.covariance[:, n, n])
        table["error_time"] = self.time_error
        for name in ("rms", "gap", "nearest", "picks", "used", "quality"):
            table[name] = getattr(self, name)
        return table

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        output_format: str = "auto",
        output_stations: str | os.PathLike[str] | None = None,
    ) -> None:
        """Write the events with their picks in the format of the file's name, as `Picks.save` does.

        QuakeML (`.xml`) has origins with errors, and arrivals with residual, weight, azimuth and
        take-off angle; the others hold less, which a UserWarning tells. `to_columns` is for tables.

        Examples
        --------
        >>> import fermat as fm
        >>> model = fm.Model.gradient((41, 41, 21), v0=5, gradient=0.05)
        >>> stations = {"station": list("ABCD"), "x": [5, 35, 6, 33], "y": [5, 6, 34, 35], "z": [0] * 4}
        >>> phases = {"event": ["blast"] * 4, "station": list("ABCD"), "phase": ["P"] * 4,
        ...           "time": [4.39, 4.26, 4.22, 4.22]}
        >>> found = fm.locate(model, phases, stations=stations, model_error=0.05)
        >>> found.save("blast.obs", output_stations="stations.txt")
        >>> print(open("stations.txt").readline().strip())
        GTSRCE A XYZ 5 5 0 0.0
        """
        if self.ndim != 3:
            raise ValueError("catalogues of 2-D models are saved as tables (to_columns)")
        if not (output_format == "nordic" or (output_format == "auto" and is_nordic(path))):
            kind = _core.written_format(path, output_format)
            if kind in ("csv", "sgt"):
                raise ValueError(
                    f"a catalogue is not saved as .{kind} (pandas.DataFrame(catalogue.to_columns()) "
                    "writes tables; choose .xml, .obs, .cnv, phase.dat, src_rec or rays.dat)"
                )
        survey = self._survey
        found = {
            name: np.asarray(getattr(self, name), dtype=np.float64)
            for name in ("time_error", "rms", "gap", "nearest", "picks", "used")
        } | {
            name: np.asarray(self.fits[name], dtype=np.float64)
            for name in ("residual", "weight", "distance", "azimuth", "take_off")
        }
        found["covariance"] = np.ascontiguousarray(self.covariance).reshape(-1)
        origin = np.where(np.isnan(self.origin_time), 0.0, self.origin_time)
        events, stations, plane = self.position, np.asarray(survey["stations"]), self.plane
        if self.axis_names == NAMES:  # formats get degrees back from a plane round the stations
            plane = Plane.round(stations[:, 1], stations[:, 0])
            events, stations = (onto_plane(points, plane) for points in (events, stations))
        named = list(self.fits["phase"])
        save_picks(
            path,
            Saved(
                np.ascontiguousarray(events), stations, survey["event"], survey["station"],
                survey["time"], survey["error"], survey["phase"], self.event, self.station, origin,
                plane, found, polarity=self.fits.get("polarity"),
                phases=named if set(named) - {"P", "S"} else None,
            ),
            output_format=output_format,
            output_stations=output_stations,
        )

    def __repr__(self) -> str:
        rms = f", median rms {np.nanmedian(self.rms):.3g}" if self.located.any() else ""
        return f"Catalogue({int(self.located.sum())} of {len(self)} events located{rms})"


@checked
def locate(
    model: Model | Medium,
    picks: Table | Picks,
    *,
    stations: Table | None = None,
    events: Table | None = None,
    centre: tuple[float, float] | None = None,
    inventory: Any = None,
    s_model: Model | None = None,
    vp_vs: float | None = None,
    surface: ArrayLike | None = None,
    box: ArrayLike | None = None,
    likelihood: Literal["gaussian", "edt"] = "gaussian",
    fixed: Literal["nothing", "depth", "epicentre", "place"] = "nothing",
    depth: float | None = None,
    prior: float | Sequence[float] | None = None,
    model_error: float | None = None,
    error_length: float | None = None,
    model_error_share: float = 0,
    outliers: float = 0.05,
    near: float = 0,
    far: float | None = None,
    azimuth_sectors: int = 0,
    terms: Table | None = None,
    term_radius: float | None = None,
    reach: float | None = None,
    least_picks: int = 4,
    search_cells: int = 500,
    samples: int = 0,
    seed: int = 1,
    solver: Literal["fim", "fmm", "fsm", "vidale"] = "fim",
    order: int = 2,
    device: Device = "auto",
    threads: int = 0,
    progress: Progress | None = None,
) -> Catalogue:
    """Find where and when earthquakes were, from picks of P and S in a 3-D model.

    One time field per station is solved (reciprocity). For each event, an oct-tree over the box
    finds where its picks fit best, and Gauss-Newton steps find the place of the largest
    probability. Each pick may be grossly wrong with the probability `outliers`. Azimuths are
    degrees clockwise from y (north) to x (east); take-off angles are degrees from straight down.

    Parameters
    ----------
    model
        Velocity of P. If it depends on depth alone, stations may lie beside the model. Or a `Medium`
        of layers: phases are then told apart by their names (Pg, Pn, PmP, pP, ...), and later ones
        count too; see the page on later phases.
    picks
        The name of a CSV file with the columns event,station,phase,time and perhaps error, or a
        DataFrame or dict of such columns. Times are seconds, or dates such as
        2018-11-30T17:29:35.11 (datetime64 in tables), which become seconds since 1970. Files may
        also be NonLinLoc's .obs and .hyp, hypoDD's phase.dat, TomoATT's src_rec, VELEST's .cnv,
        SIMULPS's events and LOTOS's rays.dat. Or `Picks`, as `read_picks` gives them, which have
        stations and known places already.
    stations
        A CSV file or table with the columns station,x,y,z (no y in 2-D), or longitude,latitude and
        depth, height (km) or elevation (m). Files may also be hypoDD's station.dat or NonLinLoc's
        GTSRCE lines.
    events
        A CSV file or table with event,x,y,z: given positions, for `fixed` and `prior`.
    centre
        Longitude and latitude of x = y = 0 where stations of a file have longitudes and
        latitudes. Default: their middle.
    inventory
        Stations of ObsPy, or a file of them (StationXML ...). `picks` is then a catalogue of ObsPy,
        or a file that it reads (QuakeML, Nordic ...), and stations and events are in both.
    s_model, vp_vs
        Velocity of S on the same grid, or the ratio of both velocities.
    surface
        Points (n, 3) of the ground, above which no event is.
    box
        Two corners of the box that is searched. Default: the model.
    likelihood
        What makes a place likely: "gaussian", Gaussian errors with a share of gross ones, or "edt",
        pairs of picks that agree on the origin time (equal differential times, as NonLinLoc's
        EDT_OT_WT), which many gross errors spoil less and which takes longer.
    fixed
        What of the given positions is kept: "depth", "epicentre" or "place".
    depth
        Keep all events at this depth.
    prior
        Standard deviation of the given positions, one number or one per axis; 0 along an axis means
        that they tell nothing. On a sphere they are lengths along latitude, longitude and depth.
    model_error
        Standard deviation of computed times, added to the error of each pick. Default: found from
        the residuals.
    error_length
        Distance between stations within which computed times are wrong alike; 0: errors are
        independent. Default: found from the residuals, or 0 with `model_error`.
    model_error_share
        Further standard deviation of computed times, as a share of each.
    outliers
        Share of picks that may be grossly wrong.
    near, far
        Picks within `near` of an event count fully, those beyond `far` for nothing. Default: all
        count fully.
    azimuth_sectors
        Sectors of azimuth whose picks count alike, however many they are: 4 are the quadrants of
        HYPO71's weights. 0: picks count by themselves.
    terms
        Station terms, by which waves come later than the model says: "find" finds one per station
        and phase, "ssst" terms that depend on where events are; or a file or table with station,
        phase, term, as `Catalogue.terms` is.
    term_radius
        Smallest radius of events that share terms, with "ssst". Default: that within which half of
        the events have ten others.
    reach
        Use a station only if all of the search box lies within this horizontal distance of it, as
        NonLinLoc does with time grids of that length. Default: all stations are used.
    least_picks
        Events with fewer usable picks are not located, nor are those whose best place fewer agree
        with.
    search_cells
        Cells of the oct-tree.
    samples, seed
        Places drawn from the probability of each event.
    solver, order, device, threads, progress
        As in `traveltimes`.

    Examples
    --------
    >>> import fermat as fm
    >>> model = fm.Model.gradient((41, 41, 21), v0=5, gradient=0.05)
    >>> stations = {"station": list("ABCD"), "x": [5, 35, 6, 33], "y": [5, 6, 34, 35], "z": [0] * 4}
    >>> phases = {"event": [1] * 6, "station": list("ABCDAD"), "phase": list("PPPPSS"),
    ...           "time": [4.61, 3.96, 4.24, 3.46, 7.98, 5.99]}
    >>> fm.locate(model, phases, stations=stations, vp_vs=1.73, model_error=0.05).status
    ['located']
    """
    if s_model is not None and vp_vs is not None:
        raise ValueError("s_model and vp_vs are both given (must be one of them)")
    layers: Medium | None = None
    if isinstance(model, Medium):
        if s_model is not None or vp_vs is not None:
            raise ValueError("the layers of a Medium have their own S (make it with vp_over_vs=...)")
        layers, model = model, model.model("P")
    if inventory is not None or is_catalogue(picks):
        survey, event_ids, station_ids, plane = survey_of_obspy(
            model, picks, inventory, stations, events, centre, layers is not None
        )
    else:
        survey, event_ids, station_ids, plane = survey_of_picks(
            model, picks, stations, events, centre, layers is not None
        )
    names: list[str] = survey.pop("names", [])
    polarity = survey.pop("polarity", None)
    options: dict[str, Any] = {
        "likelihood": likelihood, "fixed": fixed,
        "model_error_share": float(model_error_share), "outliers": float(outliers),
        "least_picks": int(least_picks), "search_cells": int(search_cells),
        "samples": int(samples), "seed": int(seed), "solver": solver, "order": int(order),
        "device": device, "threads": int(threads),
    }
    if depth is not None:
        options["depth"] = float(depth)
    if model_error is not None:
        options["model_error"] = float(model_error)
    if reach is not None:
        options["reach"] = float(reach)
    for name, value in (("error_length", error_length), ("far", far), ("term_radius", term_radius)):
        if value is not None:
            options[name] = float(value)
    options["near"] = float(near)
    options["azimuth_sectors"] = int(azimuth_sectors)
    given_terms = terms_from(model, terms, station_ids, plane)
    if prior is not None:
        options["prior"] = _per_axis(model, prior)
    ground = None if surface is None else arguments.points(model, surface, "surface")
    corners = None if box is None else arguments.points(model, box, "box")
    if corners is not None and len(corners) != 2:
        raise ValueError(f"box has {len(corners)} corners (must have two: low and high)")
    found = _core.locate(
        model, s_model, 0.0 if vp_vs is None else float(vp_vs),
        None if layers is None else layers._core, names, survey, ground, corners, given_terms, options, listener(progress),
    )
    tell(found.notes)
    phase = np.array(names) if names else np.array(["P", "S"])[survey["phase"]]
    fits = {
        "event": np.array(event_ids)[survey["event"]],
        "station": np.array(station_ids)[survey["station"]],
        "phase": phase, "time": survey["time"],
    } | found.fits
    if polarity is not None and np.any(polarity):
        fits["polarity"] = polarity
    catalogue = Catalogue(
        event_ids, station_ids, found.events, fits, found.model_error, model.ndim, plane,
        np.asarray(survey["stations"]),
    )
    catalogue._survey = survey
    catalogue.error_length = found.error_length
    catalogue.terms = term_table(model, found.terms, station_ids)
    if on_sphere(model):
        catalogue.axis_names = NAMES
    return catalogue


def _per_axis(model: Model, value: float | Sequence[float]) -> tuple[float, float, float]:
    array = numbers(value, "prior")
    if array.ndim > 1 or (array.ndim == 1 and len(array) != model.ndim):
        raise ValueError(f"prior is {value!r} (must be one number, or one per axis)")
    each = [float(v) for v in np.broadcast_to(array, (model.ndim,))]
    return (each[0], 0.0, each[1]) if model.ndim == 2 else (each[0], each[1], each[2])
