"""Shot records of a survey: `fermat.records` reads them, with their places and clocks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .._notes import tell
from .detect import cut_events
from .extras import need
from .network import events_of
from .places import Line, Places, onto_plane, place_receivers, place_shots, tables_beside
from .readers import NotARecord, read_file
from .record import Record
from .signal import agc, band_pass
from .stations import place_network
from .triggers import settle_delays

if TYPE_CHECKING:
    from .._plane import Plane

__all__ = ["Records", "records"]

# What lies beside records and is none: tables, texts, pictures, projects.
OTHER = {".geo", ".csv", ".txt", ".md", ".png", ".jpg", ".pdf", ".json", ".toml", ".h5", ".html", ".sgt", ".xml",
         ".py", ".ipynb", ".zip", ".gz", ".gp", ".vs", ".pck", ".gtt", ".in"}


class Records:
    """Shot records: a sequence of `Record`, with filters that are applied when data are read.

    `fermat.records` makes them. Attribute `plane` is the plane of x and y where headers had
    longitudes and latitudes, else None; `notes` are the sentences said while reading.
    """

    def __init__(self, found: list[Record], plane: Plane | None = None, notes: tuple[str, ...] = ()) -> None:
        self._records = found
        self.plane = plane
        self.notes = notes

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records)

    def __getitem__(self, which: int | str) -> Record:
        if isinstance(which, str):
            for record in self._records:
                if which == record.name:
                    return record
            raise KeyError(f"no record is named '{which}' (the first is '{self._records[0].name}')")
        return self._records[which]

    def __repr__(self) -> str:
        traces = sum(len(record) for record in self)
        placed = sum(record.placed for record in self)
        where = "" if placed == len(self) else f", {len(self) - placed} without places"
        return f"Records({len(self)} records of {traces} traces{where})"

    @property
    def network(self) -> bool:
        """Whether these are records of stations, of events whose places are not known."""
        return all(record.stations and not record.placed for record in self)

    @property
    def line(self) -> Line:
        """The axes of the survey."""
        return Line(np.vstack([np.vstack([record.source, record.receivers]) for record in self]))

    def _changed(self, change: Callable[[Record], Callable[[Any], Any]]) -> Records:
        return Records([record.with_data(change(record)) for record in self], self.plane, self.notes)

    def filter(self, low: float | None = None, high: float | None = None) -> Records:
        """Band-pass between two frequencies in Hz, without a shift of phase; None: no limit.

        >>> import fermat as fm
        >>> from fermat.picking import synthetic_line
        >>> times = synthetic_line("line", shots=2, receivers=12)
        >>> fm.records("line").filter(8, 120)
        Records(2 records of 24 traces)
        """
        for record in self:  # a frequency that cannot be is said now, not when data are read
            band_pass(np.zeros((1, 32)), record.interval, low, high)
        return self._changed(lambda record: lambda data: band_pass(data, record.interval, low, high))

    def agc(self, window: float) -> Records:
        """Automatic gain over `window` seconds.

        >>> import fermat as fm
        >>> from fermat.picking import synthetic_line
        >>> times = synthetic_line("line", shots=2, receivers=12)
        >>> fm.records("line").agc(0.05)[0]
        Record('shot_01.sgy', 12 traces of 1200 samples, -0.05 to 0.24975 s)
        """
        if not window > 0:
            raise ValueError(f"window is {window:g} s (must be > 0)")
        return self._changed(lambda record: lambda data: agc(data, record.interval, window))

    def pick(self, **options: Any) -> Any:
        """First arrivals by the automatic picker: `fermat.picking.pick_all`, of a network P and S by
        `fermat.picking.pick_events`.

        >>> import fermat as fm
        >>> from fermat.picking import synthetic_line
        >>> times = synthetic_line("line", shots=3, receivers=12)
        >>> fm.records("line").pick(rounds=0).picks
        Picks(36 picks of 3 sources and 12 receivers in 2-D, time ...)
        """
        if self.network:
            from .events import pick_events

            return pick_events(self, **options)
        from .auto import pick_all

        return pick_all(self, **options)

    def to_obspy(self) -> Any:
        """One `obspy.Stream` per record, with the places in `stats.fermat`.

        >>> import fermat as fm
        >>> from fermat.picking import synthetic_line
        >>> times = synthetic_line("line", shots=2, receivers=12)
        >>> stream = fm.records("line").to_obspy()[0]
        >>> stream[1].stats.fermat.receiver
        [2.0, 0.0, 0.0]
        """
        obspy = need("obspy", "to_obspy")
        streams = []
        for record in self:
            stream = obspy.Stream()
            for n, samples in enumerate(record.data):
                trace = obspy.Trace(np.array(samples))
                trace.stats.delta = record.interval
                trace.stats.starttime = (record.began or obspy.UTCDateTime(0)) + (
                    0 if record.began else record.start)
                if record.stations:
                    trace.id = record.stations[n]
                else:
                    trace.stats.station = str(record.channels[n])
                trace.stats.distance = float(record.offset[n])
                trace.stats.fermat = {
                    "record": record.name, "start": record.start, "source": record.source.tolist(),
                    "receiver": record.receivers[n].tolist(),
                }
                stream.append(trace)
            streams.append(stream)
        return streams

    def to_xarray(self) -> Any:
        """One `xarray.DataArray` (trace, time) per record, named after it, with receivers as
        coordinates and the source in its attributes.

        >>> import fermat as fm
        >>> from fermat.picking import synthetic_line
        >>> times = synthetic_line("line", shots=2, receivers=12)
        >>> fm.records("line").to_xarray()[1].sizes["trace"]
        12
        """
        xarray = need("xarray", "to_xarray")
        arrays = []
        for record in self:
            coordinates = {"time": record.time, "channel": ("trace", record.channels)}
            for n, axis in enumerate("xyz"):
                coordinates[f"receiver_{axis}"] = ("trace", record.receivers[:, n])
            arrays.append(xarray.DataArray(
                record.data, dims=("trace", "time"), coords=coordinates, name=record.name,
                attrs={f"source_{axis}": float(record.source[n]) for n, axis in enumerate("xyz")},
            ))
        return arrays


def records(
    path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    shots: Any = None,
    receivers: Any = None,
    delay: Literal["auto", "after", "before"] | float = "auto",
) -> Records:
    """Read shot records: SEG-2, SEG-Y, Seismic Unix, miniSEED and what else ObsPy reads.

    Needs the extra `pick` (`pip install 'fermat-rays[pick]'`). Headers are read now, samples of
    SEG-Y when they are asked for. A file that is no record is left out, which a UserWarning tells.

    Parameters
    ----------
    path
        A file, a folder of files, or a list of files.
    shots, receivers
        Places in place of those in the headers: a `.geo` file (number, x, y, height), a CSV with
        the columns number (or record, station), x, y, z with z downward, an array, or a dict of
        number to place. Default: `shots.geo` and `receivers.geo`, or `sources.csv` and
        `receivers.csv`, where they lie in the folder; else the headers. Receivers of a network:
        StationXML, or a CSV with station, longitude, latitude and elevation (m), or with station, x, y
        and z; default: `stations.xml` or `stations.csv` in the folder.
    delay
        Time from the shot to the first sample: as the headers write it ("after"), with a positive
        one before the shot ("before"), one time in s for all, or "auto": as the headers write it
        unless the traces are quiet for as long.

    Returns
    -------
    Records
        In the order of the files' names. Files with names of stations (miniSEED, SAC) and without
        shots are records of events: those that overlap in time are one (`Records.network`).

    Examples
    --------
    >>> import fermat as fm
    >>> from fermat.picking import synthetic_line
    >>> times = synthetic_line("line", shots=2, receivers=12)
    >>> line = fm.records("line")
    >>> line[0].data.shape, float(line[0].offset.max())
    ((12, 1200), 22.0)
    """
    folder, files = _files(path)
    found: list[Record] = []
    refused: list[str] = []
    for file in files:
        try:
            found.extend(read_file(file))
        except NotARecord as error:
            refused.append(str(error))
    if not found:
        why = f": {refused[0]}" if refused else ""
        raise ValueError(f"'{folder or files[0]}' has no shot records in {len(files)} files{why}")
    notes = _told(refused, len(files))
    found, said = events_of(found)
    notes += said
    beside = tables_beside(folder) if folder else (None, None)
    if all(record.stations for record in found) and shots is None and beside[0] is None:
        long = found
        found = [piece for record in long for piece in cut_events(record)]
        if len(found) != len(long) or any(piece is not record for piece, record in zip(found, long)):
            notes.append(f"{len(long)} long records are cut into {len(found)} events, by arrivals at several stations")
        plane, said = place_network(found, receivers, folder)
        tell(notes + said)
        return Records(found, plane, tuple(notes + said))
    tables = [beside[n] if given is None else given for n, given in enumerate((shots, receivers))]
    for table, what, place in ((tables[0], "shots", place_shots), (tables[1], "receivers", place_receivers)):
        if table is not None:
            notes += place(found, Places.of(table, what))
    if folder and beside != (None, None) and shots is None and receivers is None:
        named = " and ".join(file.name for file in beside if file is not None)
        notes.append(f"places are those of {named} in the folder, not of the headers")
    plane = onto_plane(found) if tables == [None, None] else None
    bare = [record for record in found if not record.placed]
    if bare and not any("records" in note and "fit" in note for note in notes):
        notes.append(
            f"{len(bare)} of {len(found)} records do not tell where they were (the first is {bare[0].name}; "
            "give `shots` and `receivers`)"
        )
    notes += settle_delays(found, delay)
    silent = [record.name for record in found if not _lazy(record) and not np.any(record.data)]
    if silent:
        notes.append(f"{len(silent)} of {len(found)} records are all zeros (the first is {silent[0]})")
    tell(notes)
    return Records(found, plane, tuple(notes))


def _lazy(record: Record) -> bool:
    return record.samples * len(record) * 4 > 4 << 20


def _files(path: Any) -> tuple[Path | None, list[Path]]:
    if not isinstance(path, (str, os.PathLike)):
        listed = [Path(one) for one in path]
        if not listed:
            raise ValueError("the list of records is empty")
        return None, listed
    place = Path(path)
    if not place.is_dir():
        return None, [place]
    files = sorted(
        one for one in place.iterdir()
        if one.is_file() and one.name[0] != "." and one.suffix.lower() not in OTHER
        and one.name.lower() != "picks.dat"
    )
    if not files:
        raise ValueError(f"'{place}' has no shot records (it has no files that could be some)")
    return place, files


def _told(refused: list[str], count: int) -> list[str]:
    if not refused:
        return []
    if len(refused) == 1:
        return [f"{refused[0]}: it is left out"]
    return [f"{len(refused)} of {count} files are left out: {refused[0]}, and others"]
