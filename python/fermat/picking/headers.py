"""Picks in the headers of SEG-Y: bytes 237 to 240 of each trace, in µs after its first sample, as
first_breaks_picking has them; -1 where there is none."""

from __future__ import annotations

import os
import shutil
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._files import renamed_to
from .extras import need

if TYPE_CHECKING:
    from .record import Record
    from .records import Records

__all__ = ["write_segy"]

PICK = 236  # bytes before it in the header of a trace
NONE = -1
TEXT, HEADER = 3600, 240
WIDTHS = {1: 4, 2: 4, 3: 2, 4: 4, 5: 4, 6: 8, 7: 3, 8: 1, 9: 8, 10: 4, 11: 2, 12: 8, 15: 3, 16: 1}


def write_segy(records: Records, picked: Any, folder: str | os.PathLike[str]) -> list[Path]:
    """Copies of the records' files with P of `picked` in their headers. SEG-Y is copied byte by byte but
    for the picks; what is no SEG-Y is written as SEG-Y of 32-bit floats with its places."""
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    by_file: dict[Path, list[int]] = {}
    other = []
    for n, record in enumerate(records):
        if record.file is None:
            other.append(n)
        else:
            by_file.setdefault(record.file, []).append(n)
    written = []
    for file, which in by_file.items():
        with renamed_to(out / file.name) as place:
            shutil.copyfile(file, place)
            _patch(place, [(records[n], _numbers(records[n], picked.time[n])) for n in which])
        written.append(out / file.name)
    for n in other:
        place = out / f"{Path(records[n].name).stem}.sgy"
        with renamed_to(place) as file:
            _write(file, records[n], _numbers(records[n], picked.time[n]))
        written.append(place)
    return written


def _numbers(record: Record, times: Any) -> Any:
    after = 1e6 * (np.asarray(times) - record.start)
    return np.where(np.isfinite(after), np.round(np.nan_to_num(after)), NONE).astype(np.int64)


def _patch(file: Path, parts: list[tuple[Record, Any]]) -> None:
    """`first` of a record counts the traces of the file before it; all traces have one length."""
    with file.open("r+b") as opened:
        head = opened.read(TEXT)
        order = ">" if struct.unpack_from(">H", head, 3224)[0] in WIDTHS else "<"
        samples, code = struct.unpack_from(order + "H2xH", head, 3220)
        extended = max(struct.unpack_from(order + "h", head, 3504)[0], 0)
        length = HEADER + samples * WIDTHS[code]
        for record, numbers in parts:
            for n, value in enumerate(numbers):
                opened.seek(TEXT + 3200 * extended + (record.first + n) * length + PICK)
                opened.write(struct.pack(order + "i", int(value)))


def _write(file: Path, record: Record, numbers: Any) -> None:
    obspy = need("obspy", "writing SEG-Y")
    header_of = need("obspy.io.segy.segy", "writing SEG-Y").SEGYTraceHeader
    stream = obspy.Stream()
    for n, samples in enumerate(record.data):
        trace = obspy.Trace(np.array(samples))
        trace.stats.delta = record.interval
        header = header_of()
        header.original_field_record_number = header.energy_source_point_number = record.shot or 1
        header.trace_number_within_the_original_field_record = int(record.channels[n])
        header.scalar_to_be_applied_to_all_coordinates = -100
        header.scalar_to_be_applied_to_all_elevations_and_depths = -100
        header.delay_recording_time = int(round(1e3 * record.start))
        if record.placed:
            places = {"source_coordinate_x": record.source[0], "source_coordinate_y": record.source[1],
                      "surface_elevation_at_source": -record.source[2], "group_coordinate_x": record.receivers[n, 0],
                      "group_coordinate_y": record.receivers[n, 1], "receiver_group_elevation": -record.receivers[n, 2]}
            for name, value in places.items():
                setattr(header, name, int(round(100 * value)))
        trace.stats.segy = {"trace_header": header}
        stream.append(trace)
    stream.write(str(file), format="SEGY", data_encoding=5, byteorder=">")
    length = HEADER + 4 * record.samples
    with file.open("r+b") as opened:
        for n, value in enumerate(numbers):
            opened.seek(TEXT + n * length + PICK)
            opened.write(struct.pack(">i", int(value)))
