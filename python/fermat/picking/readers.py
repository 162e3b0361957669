"""Files into records: SEG-Y lazily by segyio, everything else by ObsPy.

Where a trace was recorded is read from headers in `fermat._records` alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from .._notes import tell
from .._records import header_trace, obspy_trace
from .extras import need
from .network import is_named, named_record
from .record import Record

__all__ = ["NotARecord", "read_file"]

# Bytes of the fields of a SEG-Y trace header, as segyio names them.
RECORD, CHANNEL, SHOT_POINT = 9, 13, 17
HEIGHTS, SCALES, PLACES, UNIT = (41, 45, 49), (69, 71), (73, 77, 81, 85), 89
DELAY = 109


class NotARecord(ValueError):
    """A file that holds no traces."""


def read_file(file: Path) -> list[Record]:
    """The records of a file; `NotARecord` says in one sentence why there are none."""
    if not file.exists():
        raise FileNotFoundError(2, "No such file", str(file))
    if file.suffix.lower() in (".sgy", ".segy"):
        found = _by_segyio(file)
        if found is not None:
            return found
    return _by_obspy(file)


def _by_segyio(file: Path) -> list[Record] | None:
    """Headers now and samples when they are wanted; None where segyio is missing or refuses."""
    try:
        import segyio  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        return None
    endian = _byte_order(file)
    if endian is None:
        return None
    try:
        with segyio.open(str(file), ignore_geometry=True, endian=endian) as opened:
            fields = _header_fields(file, opened, endian)
            samples, interval = len(opened.samples), segyio.tools.dt(opened, 1000.0) * 1e-6
    except (RuntimeError, OSError, ValueError, IndexError):
        return None
    count = len(fields[RECORD])
    keys = [(fields[RECORD][n], *(fields[at][n] for at in PLACES[:2])) for n in range(count)]
    groups = [list(group) for _, group in groupby(range(count), key=keys.__getitem__)]

    def loader(first: int, last: int) -> Any:
        def load() -> Any:
            with segyio.open(str(file), ignore_geometry=True, endian=endian) as opened:
                return opened.trace.raw[first:last]

        return load

    records = []

    def place(n: int, at_origin: bool = False) -> Any:
        return header_trace(
            [int(fields[at][n]) for at in PLACES], [int(fields[at][n]) for at in HEIGHTS],
            [int(fields[at][n]) for at in SCALES], int(fields[UNIT][n]), at_origin,
        )

    for rows in groups:
        traces = _placed(rows, place)
        channels = fields[CHANNEL][rows]
        records.append(_record(
            _name(file, len(groups), int(fields[RECORD][rows[0]])), loader(rows[0], rows[-1] + 1),
            traces, interval=interval, samples=samples, delay=float(fields[DELAY][rows[0]]) * 1e-3,
            shot=int(fields[SHOT_POINT][rows[0]]) or int(fields[RECORD][rows[0]]) or None,
            channels=channels if channels.any() else np.arange(1, len(rows) + 1),
        ))
        records[-1].file, records[-1].first = file, rows[0]
    return records


def _header_fields(file: Path, opened: Any, endian: str) -> dict[int, Any]:
    """Fields of all trace headers, read in one pass: segyio reads the file once per field, and headers of a
    line of 10 GB are far apart."""
    wanted = (RECORD, CHANNEL, SHOT_POINT, *HEIGHTS, *SCALES, *PLACES, UNIT, DELAY)
    length = 240 + len(opened.samples) * opened.dtype.itemsize
    first = file.stat().st_size - opened.tracecount * length
    if first < 3600 or (first - 3600) % 3200 or opened.tracecount == 0:  # samples of a width of their own
        return {at: np.asarray(opened.attributes(at)[:]) for at in wanted}
    kinds = {at: f"{'>' if endian == 'big' else '<'}i{2 if at in (*SCALES, UNIT, DELAY) else 4}" for at in wanted}
    header = np.dtype({"names": [str(at) for at in wanted], "formats": list(kinds.values()),
                       "offsets": [at - 1 for at in wanted], "itemsize": length})
    rows = np.memmap(file, dtype=header, mode="r", offset=first, shape=opened.tracecount)
    near = np.empty(opened.tracecount, dtype=[(str(at), f"i{kinds[at][-1]}") for at in wanted])
    for begin in range(0, len(rows), 4096):  # a header is read once for all of its fields
        part = rows[begin : begin + 4096]
        for at in wanted:
            near[str(at)][begin : begin + 4096] = part[str(at)]
    return {at: near[str(at)] for at in wanted}


def _byte_order(file: Path) -> str | None:
    """That in which the type of the samples makes sense, as `fermat geometry` finds it."""
    with file.open("rb") as opened:
        opened.seek(3224)
        code = opened.read(2)
    if len(code) < 2:
        return None
    known = range(1, 17)
    if int.from_bytes(code, "big") in known:
        return "big"
    return "little" if int.from_bytes(code, "little") in known else None


def _by_obspy(file: Path) -> list[Record]:
    obspy = need("obspy", "reading records")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what it doubts about headers is asked of the data here
            # Seismic Unix has no mark of its own by which ObsPy could know it.
            stream = obspy.read(str(file), format="SU" if file.suffix.lower() == ".su" else None)
    except Exception as error:  # ObsPy throws what its readers throw
        raise NotARecord(f"'{file.name}' is no record ({_reason(error)})") from None
    if not len(stream):
        raise NotARecord(f"'{file.name}' is no record (it has no traces)")
    if all(is_named(trace) for trace in stream):
        record, said = named_record(file.name, stream)
        tell(said)
        return [record]
    parts = [list(group) for _, group in groupby(stream, key=_record_number)]
    return [_of_stream(file, part, len(parts)) for part in parts]


def _reason(error: Exception) -> str:
    if isinstance(error, TypeError):
        return "ObsPy knows no format like it"
    text = str(error).strip().splitlines()
    return text[0].rstrip(".")[:160] if text else type(error).__name__


def _record_number(trace: Any) -> Any:
    header = _header(trace)
    if header is None:
        return 0
    names = ("original_field_record_number", "source_coordinate_x", "source_coordinate_y")
    return tuple(getattr(header, name, 0) for name in names)


def _header(trace: Any) -> Any:
    stats = trace.stats
    return getattr(getattr(stats, "segy", None) or getattr(stats, "su", None), "trace_header", None)


def _of_stream(file: Path, traces: list[Any], parts: int) -> Record:
    intervals = {float(trace.stats.delta) for trace in traces}
    if len(intervals) > 1:
        listed = ", ".join(f"{one:g}" for one in sorted(intervals))
        raise NotARecord(f"'{file.name}' has traces of different sample intervals ({listed} s)")
    began = min(trace.stats.starttime for trace in traces)
    late = [int(round((trace.stats.starttime - began) / traces[0].stats.delta)) for trace in traces]
    samples = max(at + trace.stats.npts for at, trace in zip(late, traces))
    data = np.zeros((len(traces), samples), dtype=np.float32)
    for row, at, trace in zip(data, late, traces):
        row[at : at + trace.stats.npts] = np.nan_to_num(np.asarray(trace.data, dtype=np.float32))
    header, words = _header(traces[0]), getattr(traces[0].stats, "seg2", {})
    delay, shot = None, None
    channels: Any = np.arange(1, len(traces) + 1)
    if header is not None:
        delay = getattr(header, "delay_recording_time", 0) * 1e-3
        shot = getattr(header, "energy_source_point_number", 0) or header.original_field_record_number or None
        numbers = [int(_header(trace).trace_number_within_the_original_field_record) for trace in traces]
        channels = numbers if any(numbers) else channels
    elif words:
        delay = _number(words.get("DELAY"))
        shot = _whole(words.get("SOURCE_STATION_NUMBER")) or _whole(words.get("SHOT_SEQUENCE_NUMBER"))
        numbers = [_whole(trace.stats.seg2.get("RECEIVER_STATION_NUMBER"))
                   or _whole(trace.stats.seg2.get("CHANNEL_NUMBER")) or 0 for trace in traces]
        channels = numbers if len(set(numbers)) == len(numbers) else channels
    named = header is None and not words
    number = int(getattr(header, "original_field_record_number", 0) or 0)
    return _record(
        _name(file, parts, number), lambda: data, _placed(traces, obspy_trace),
        interval=intervals.pop(), samples=samples, delay=delay, shot=shot, channels=channels,
        stations=tuple(trace.id for trace in traces) if named else (), began=began,
    )


def _placed(traces: Sequence[Any], place: Callable[..., Any]) -> list[Any]:
    """Where each trace was. Zeros are what empty headers have; beside others with a shot at 0 they are the
    receiver there."""
    found = [place(trace) for trace in traces]
    first = next((one for one in found if one is not None), None)
    if first is None or any(first.source[:2]):
        return found
    return [place(trace, True) if one is None else one for trace, one in zip(traces, found)]


def _record(name: str, load: Any, traces: list[Any], **rest: Any) -> Record:
    source, receivers = None, None
    known = [trace for trace in traces if trace is not None]
    if known and len(known) == len(traces):
        source = known[0].source
        receivers = np.array([trace.receiver for trace in traces], dtype=float)
    record = Record(name, load, source=source, receivers=receivers, **rest)
    record.in_degrees = any(trace.in_degrees for trace in known)
    return record


def _name(file: Path, parts: int, number: int) -> str:
    return file.name if parts == 1 else f"{file.name}#{number}"


def _number(text: Any) -> float | None:
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def _whole(text: Any) -> int | None:
    value = _number(text)
    return int(value) if value is not None and value == int(value) and value > 0 else None
