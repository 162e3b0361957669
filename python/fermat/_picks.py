"""Observed first arrivals with their geometry, from files, tables and catalogues."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arguments import numbers
from ._notes import tell
from ._pick_arrays import (
    PHASES,
    names_of,
    onto_plane,
    origin_times_of,
    per_pick,
    phases_of,
    positions_of,
    rows_of,
)
from ._pick_tables import keywords_of, polarities_of, table_of
from ._plane import Plane
from ._save_picks import Saved, save_picks
from ._tables import columns_of
from ._units import Units, units_from

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Picks", "picks"]

Project = Callable[[float, float], tuple[float, float]]


class Picks:
    """First arrivals: source, receiver, time and error of each pick.

    `picks` makes them from files, tables and catalogues. Positions are in the model's length unit
    with z downward, times and errors in its time unit.

    Parameters
    ----------
    sources, receivers
        Positions (n, 3), or (n, 2) as (x, z) in 2-D. A source whose place is not known, an
        earthquake that is still to be located, has NaN.
    source, receiver
        One number per pick: its row in `sources` and `receivers`, from 0.
    time
        One per pick; negative times are refused, as in files.
    error
        Standard deviation, one per pick or one for all; None if it is not known. It must be > 0.
        NaN or a mask marks a missing one, which becomes the median of the others; a UserWarning
        says how many.
    surface
        Points of the surface of the ground, if it is known besides sources and receivers.
    phase
        "P" or "S", one per pick or one for all.
    event, station
        Names of the sources and of the receivers; two shots at one place stay two.
    origin_time
        One per source, on the clock of `time`; 0 if not given.
    plane
        The plane of x and y if they were longitudes and latitudes; `save` keeps it in a CSV file.
    units
        Names of your units for pictures, as `{"length": "m", "time": "s"}`; by default as the
        velocities are. Files that tell their units give them, and `save` keeps them in a CSV file.
    polarity
        First motions, one per pick: U or D, 1 or -1 and the like; anything else is not known. They
        become 1 up, -1 down and 0.

    Examples
    --------
    >>> import fermat as fm
    >>> fm.Picks([(0, 0)], [(1, 0), (2, 0)], source=[0, 0], receiver=[0, 1], time=[0.5, 0.9])
    Picks(2 picks of 1 sources and 2 receivers in 2-D, time 0.5 to 0.9)
    """

    def __init__(
        self,
        sources: ArrayLike,
        receivers: ArrayLike,
        *,
        source: ArrayLike,
        receiver: ArrayLike,
        time: ArrayLike,
        error: ArrayLike | None = None,
        surface: ArrayLike | None = None,
        plane: Plane | None = None,
        phase: ArrayLike = "P",
        event: Sequence[str] | None = None,
        station: Sequence[str] | None = None,
        origin_time: ArrayLike | None = None,
        units: Mapping[str, str] | Units | None = None,
        polarity: ArrayLike | None = None,
    ) -> None:
        self.sources = positions_of(sources, "sources", unknown=True)
        self.receivers = positions_of(receivers, "receivers")
        if self.sources.shape[1] != self.receivers.shape[1]:
            raise ValueError(
                f"sources have {self.sources.shape[1]} coordinates and receivers "
                f"{self.receivers.shape[1]} (must have the same: 2, (x, z), or 3)"
            )
        self.time = numbers(time, "time").reshape(-1)
        self.source = rows_of(source, len(self.sources), len(self.time), "source")
        self.receiver = rows_of(receiver, len(self.receivers), len(self.time), "receiver")
        spread = None
        if error is not None:
            each = numbers(error, "error", masked=np.nan)
            spread = per_pick(each, len(self.time), "error")
        self.error: NDArray[np.float64] | None
        self.origin_time = origin_times_of(origin_time, len(self.sources))
        travelled = np.ascontiguousarray(self.time - self.origin_time[self.source])
        self.error, notes = _core.settle_picks(travelled, spread)
        tell(notes)
        self._surface = None if surface is None else positions_of(surface, "surface")
        self.plane = plane
        self.units = units_from(units)
        self.phase = phases_of(phase, len(self.time))
        self.polarity = polarities_of(polarity, len(self.time))
        self.event = names_of(event, len(self.sources), "event")
        self.station = names_of(station, len(self.receivers), "station")

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        travelled = self.travel_time
        span = f", time {travelled.min():g} to {travelled.max():g}" if len(self) else ""
        ends = f"{len(self.sources)} sources and {len(self.receivers)} receivers"
        return f"Picks({len(self)} picks of {ends} in {self.ndim}-D{span})"

    @property
    def ndim(self) -> int:
        """Number of dimensions: 2 or 3."""
        return int(self.sources.shape[1])

    @property
    def placed(self) -> NDArray[np.bool_]:
        """Whether the place of each source is known."""
        return np.asarray(np.isfinite(self.sources).all(axis=1))

    def _require_places(self, what: str) -> None:
        """Refuse sources without a place; `what` cannot do without."""
        lost = int((~self.placed).sum())
        if lost:
            raise ValueError(
                f"{lost} of {len(self.sources)} sources have no place, which {what} needs (find "
                "them with locate, or leave their picks out)"
            )

    @property
    def pairs(self) -> NDArray[np.int32]:
        """Source and receiver of each pick, (n, 2), as the argument `pairs` of `rays`."""
        return np.column_stack([self.source, self.receiver])

    @property
    def travel_time(self) -> NDArray[np.float64]:
        """Time of each pick after the origin time of its source.

        >>> import fermat as fm
        >>> fm.Picks([(0, 0)], [(3, 0)], source=[0], receiver=[0], time=[101.5], origin_time=[100]).travel_time
        array([1.5])
        """
        return np.asarray(self.time - self.origin_time[self.source])

    @property
    def offset(self) -> NDArray[np.float64]:
        """Horizontal distance between source and receiver of each pick.

        >>> import fermat as fm
        >>> pair = dict(source=[0], receiver=[0], time=[1])
        >>> fm.Picks([(0, 0, 9)], [(3, 4, 0)], **pair).offset
        array([5.])
        """
        apart = self.receivers[self.receiver, :-1] - self.sources[self.source, :-1]
        return np.asarray(np.sqrt((apart**2).sum(axis=1)))

    @property
    def surface(self) -> NDArray[np.float64]:
        """Points of the ground: those of the survey, else all sources and receivers."""
        if self._surface is not None:
            return self._surface
        return np.unique(np.vstack([self.sources[self.placed], self.receivers]), axis=0)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        format: str = "auto",
        columns: Mapping[str, str] | None = None,
        unit: Mapping[str, str] | None = None,
        to: Mapping[str, str] | None = None,
        phase: str | None = None,
        heights: bool = False,
        depths: bool = False,
        relative_errors: bool = False,
        line: bool = False,
        leave_out_bad: bool = False,
        plane: Plane | None = None,
    ) -> Picks:
        """Read a file of picks, as `fermat picks convert` does; a UserWarning tells what is left
        out, filled in, guessed or not used.

        Parameters
        ----------
        path
            `.csv` (source_x,source_y,source_z,receiver_x,receiver_y,receiver_z,time[,error], no y
            in 2-D), `.sgt`, `.gtt`, `.vs` of SeisImager, `tx.in` of rayinvr, data of tomo2d,
            `src_rec` of TomoATT, a folder of PyRefra, or any table.
        format
            One of auto, table, sgt, gtt, pyrefra, seisimager, rayinvr, tomo2d, src_rec, refrapick, reflexw.
        columns
            Of a table, the file's column for ours: `{"time": "t_ms", "source_x": "sx"}`. Without a
            header its columns are "1", "2", ...
        unit
            Units of the file: `{"time": "ms", "length": "km"}`, or of one column.
        to
            Units wanted, by default s and m where `unit` is given.
        phase
            Take only arrivals of this phase or code.
        heights
            z of a table counts upward.
        depths
            z of PyRefra counts downward.
        relative_errors
            Errors are fractions of the times, not times.
        line
            Make the survey 2-D along its straight line.
        leave_out_bad
            Leave out negative and missing times; errors that are not > 0 count as missing.
        plane
            Plane to put longitudes and latitudes on, such as that of other data; default: one about
            the middle of the survey.

        Examples
        --------
        >>> import fermat as fm
        >>> rows = "shot geo time\\n0 5 4.1\\n0 10 7.8\\n"
        >>> _ = open("field.txt", "w").write(rows)
        >>> names = {"source_x": "shot", "receiver_x": "geo"}
        >>> fm.Picks.load("field.txt", columns=names, unit={"time": "ms"}).time.round(4).tolist()
        [0.0041, 0.0078]
        """
        read: Any = _core.load_picks(
            path,
            format,
            list((columns or {}).items()),
            list((unit or {}).items()),
            list((to or {}).items()),
            phase or "",
            heights,
            depths,
            relative_errors,
            line,
            leave_out_bad,
        )
        tell(read.notes)
        axes = [0, 2] if read.is_2d else [0, 1, 2]
        flat = (read.sources, read.receivers, read.surface)
        places = [points.reshape(-1, 3)[:, axes] for points in flat]
        found = Plane(read.plane) if read.plane else None
        if plane is not None:
            places = [onto_plane(plane, found, points, path) for points in places]
            found = plane
        return cls(
            places[0],
            places[1],
            source=read.source,
            receiver=read.receiver,
            time=read.time,
            error=read.error if len(read.error) else None,
            surface=places[2] if len(read.surface) else None,
            plane=found,
            phase=np.asarray(PHASES)[read.phase],
            event=read.event,
            station=read.station,
            origin_time=read.origin_time,
            units=read.units,
            polarity=read.polarity if len(read.polarity) else None,
        )

    @classmethod
    def from_columns(cls, table: Mapping[str, Any]) -> Picks:
        """Make picks from a pandas.DataFrame or a dict of columns, named as in the CSV file.

        >>> import fermat as fm
        >>> fm.Picks.from_columns({"source_x": [0, 0], "source_z": [0, 0], "receiver_x": [1, 2],
        ...                        "receiver_z": [0, 0], "time": [0.5, 0.9]})
        Picks(2 picks of 1 sources and 2 receivers in 2-D, time 0.5 to 0.9)
        """
        return cls(**keywords_of(columns_of(table, "picks")))

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """One array per column of the CSV file: `pandas.DataFrame(picks.to_columns())`.

        >>> import fermat as fm
        >>> picks = fm.Picks([(0, 0)], [(3, 0)], source=[0], receiver=[0], time=[0.5])
        >>> list(picks.to_columns())
        ['source_x', 'source_z', 'receiver_x', 'receiver_z', 'time']
        """
        return table_of(self)

    def geographic(self) -> Picks:
        """The same picks with latitudes, longitudes and depths in km instead of x, y, z, as spherical
        models have them; needs a `plane`.

        >>> import fermat as fm
        >>> plane = fm.Plane.round([-150.0, -149.0], [61.0, 62.0])
        >>> picks = fm.Picks([(0, 0, 10)], [(20, 0, 0)], source=[0], receiver=[0], time=[4.0], plane=plane)
        >>> picks.geographic().sources.round(2)
        array([[  61.5, -149.5,   10. ]])
        """
        from ._sphere import geographic

        return geographic(self)

    def moved(self, sources: ArrayLike, origin_time: ArrayLike) -> Picks:
        """The same picks of events at other places and origin times, one per source: those that
        `relocate` or `invert` found. Picks before their new origin are left out, which is told.

        >>> import fermat as fm
        >>> picks = fm.Picks([(0, 0)], [(3, 0)], source=[0], receiver=[0], time=[1.5])
        >>> picks.moved([(1, 0)], [0.5]).travel_time
        array([1.])
        """
        places = positions_of(sources, "sources", unknown=True)
        if places.shape != self.sources.shape:
            raise ValueError(f"sources have shape {places.shape} (must be {self.sources.shape}, as given)")
        origin = origin_times_of(origin_time, len(places))
        kept = self.time >= origin[self.source]
        if not kept.all():
            lost = int((~kept).sum())
            tell([f"{lost} of {len(self)} picks are left out: they are before their event's new origin"])
        return Picks(
            places, self.receivers, source=self.source[kept], receiver=self.receiver[kept],
            time=self.time[kept], error=None if self.error is None else self.error[kept],
            surface=self._surface, plane=self.plane, phase=self.phase[kept], event=self.event,
            station=self.station, origin_time=origin, units=self.units,
            polarity=None if self.polarity is None else self.polarity[kept],
        )

    def _labels(self) -> tuple[Any, ...]:
        return self._phase_numbers(), list(self.event), list(self.station), self.origin_time

    def _phase_numbers(self) -> NDArray[np.int32]:
        return np.searchsorted(PHASES, self.phase).astype(np.int32)

    def _survey(self) -> dict[str, Any]:
        """Arrays of events, stations and picks for the C++ side."""
        return {
            "events": self.sources, "stations": self.receivers, "origin_time": self.origin_time,
            "event": self.source, "station": self.receiver, "time": self.time,
            "phase": self._phase_numbers(),
            "error": np.empty(0) if self.error is None else self.error,
        } | ({} if self.polarity is None else {"polarity": self.polarity})

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        geographic: bool = False,
        output_format: str = "auto",
        output_stations: str | os.PathLike[str] | None = None,
    ) -> None:
        """Write picks in the format of the file's name. If writing fails, an existing file is not
        changed. What a format cannot hold is told in a UserWarning with its count.

        Parameters
        ----------
        path
            `.csv` or `.sgt`; `.obs` of NonLinLoc, `phase.dat` of hypoDD, `src_rec` of TomoATT,
            `.cnv` of VELEST, `rays.dat` of LOTOS, QuakeML (`.xml`, `.qml`, `.quakeml`), or through
            ObsPy Nordic (`.nordic`, `.sfile`). All but the first three need a `plane`.
        geographic
            Of a CSV: longitudes and latitudes in place of x and y.
        output_format
            auto, csv, sgt, nonlinloc, hypodd, src_rec, velest, simulps, lotos, quakeml or nordic.
        output_stations
            File of the stations in the same format: GTSRCE lines, `station.dat`, `.sta`,
            `stat_ft.dat`, StationXML.

        Examples
        --------
        >>> import fermat as fm
        >>> picks = fm.Picks([(0, 0)], [(1, 0)], source=[0], receiver=[0], time=[0.5])
        >>> picks.save("picks.csv")
        >>> fm.picks("picks.csv")
        Picks(1 picks of 1 sources and 1 receivers in 2-D, time 0.5 to 0.5)
        """
        save_picks(
            path,
            Saved(
                self.sources, self.receivers, self.source, self.receiver, self.time,
                self._survey()["error"], self._phase_numbers(), list(self.event),
                list(self.station), self.origin_time, self.plane, units=self.units,
                polarity=self.polarity,
            ),
            geographic=geographic,
            output_format=output_format,
            output_stations=output_stations,
        )


def picks(
    data: Any,
    *,
    inventory: Any = None,
    phase: str | None = None,
    project: Project | None = None,
    **options: Any,
) -> Picks:
    """Observed first arrivals from a file, a table or a catalogue.

    Parameters
    ----------
    data
        The name of a file or folder in any format of `Picks.load`; a pandas.DataFrame or a dict of
        columns named as in the CSV; an ObsPy catalogue; or Picks, which are returned unchanged.
    inventory
        An ObsPy inventory with the positions of the stations. Needed with a catalogue.
    phase
        For a catalogue: picks whose phase hint begins with this letter, P by default. For a file:
        the phase or code to take.
    project
        For a catalogue: a function from (longitude, latitude) in degrees to (x, y) in km. Default:
        a local plane about the stations' mean position (`Picks.plane`).
    options
        For a file: `columns`, `unit`, `to`, `format`, `plane` and the others of `Picks.load`.

    Returns
    -------
    Picks
        From a catalogue, positions are in km and times in s after the origin time.

    Examples
    --------
    >>> import fermat as fm
    >>> table = {"source_x": [0], "source_z": [0], "receiver_x": [3], "receiver_z": [0],
    ...          "time": [1.5], "error": [0.1]}
    >>> fm.picks(table).offset
    array([3.])
    """
    if isinstance(data, Picks):
        return data
    if isinstance(data, (str, os.PathLike)):
        return Picks.load(data, phase=phase, **options)
    if options:
        raise ValueError(
            f"{', '.join(options)} cannot be given with a {type(data).__name__} (files have them: "
            "rename and scale columns of a table)"
        )
    if hasattr(data, "events"):
        from ._catalogue import picks_of_catalogue

        return picks_of_catalogue(data, inventory, phase or "P", project)
    if hasattr(data, "keys"):
        return Picks.from_columns(data)
    raise ValueError(
        f"picks of type {type(data).__name__} are not understood (must be a file name, a "
        "DataFrame or dict of columns, an ObsPy catalogue, or Picks)"
    )
