"""Headers of shot records: SEG-2, SEG-Y of both byte orders, Seismic Unix, and through ObsPy."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from ._notes import tell

Point = tuple[float, ...]
Ends = tuple[Point, Point]
"""Source and receiver as x, y and z, with z downward."""

SUFFIXES = {
    ".sg2": "seg2", ".seg2": "seg2", ".sgy": "segy", ".segy": "segy", ".su": "su",
}
SAMPLE_BYTES = {1: 4, 2: 4, 3: 2, 5: 4, 6: 8, 8: 1, 10: 4, 11: 2, 16: 1}


class Trace(NamedTuple):
    """Where a trace was recorded; x and y are longitude and latitude if `in_degrees`."""

    source: Point
    receiver: Point
    in_degrees: bool = False


def kind_of(head: bytes, suffix: str) -> str | None:
    """The format of a file by its first 3840 bytes, and by its name where these cannot tell: "seg2",
    "segy", "su" or None. `.dat` is a name of many things."""
    if head[:2] in (b"\x55\x3a", b"\x3a\x55"):
        return "seg2"
    cards = head[:1] in (b"C", b"\xc3")  # in ASCII or EBCDIC
    if cards and len(head) >= 3840 and any(
        struct.unpack_from(order + "H", head, 3224)[0] in SAMPLE_BYTES for order in "><"
    ):
        return "segy"
    return SUFFIXES.get(suffix.lower())


def records_in(folder: Path) -> list[Path]:
    """The shot records in a folder, by their content, and those that are named so. What a name
    leaves open (.dat) and is none is told and left out."""
    found, other = [], []
    for file in sorted(folder.iterdir()):
        if not file.is_file() or file.name.startswith("."):
            continue
        with open(file, "rb") as stream:
            kind = kind_of(stream.read(3840), file.suffix)
        if kind is not None:
            found.append(file)
        elif file.suffix.lower() == ".dat":
            other.append(file.name)
    if not found:
        raise ValueError(
            f"'{folder}' has no shot record (SEG-2, SEG-Y, or a file that ends in "
            f"{', '.join(SUFFIXES)})"
        )
    if other:
        names = ", ".join(other[:3]) + (", ..." if len(other) > 3 else "")
        tell([f"{len(other)} of {len(other) + len(found)} files in '{folder}' are no shot records "
              f"and were left out: {names}"])
    return found


def read_records(file: Path) -> list[Trace | None]:
    """The traces of a file; None for one that does not tell where it was."""
    data = file.read_bytes()
    kind = kind_of(data[:3840], file.suffix)
    readers = {"seg2": _seg2, "segy": _segy, "su": _su}
    try:
        if kind is None:
            raise ValueError("is not known (must be SEG-2, SEG-Y or Seismic Unix)")
        return list(readers[kind](data))
    except (struct.error, IndexError):
        raise ValueError(f"'{file}' is truncated or damaged") from None
    except ValueError as error:
        found = _through_obspy(file)
        if found is None:
            raise ValueError(f"'{file}' {error}") from None
        return found


def _seg2(data: bytes) -> Iterable[Trace | None]:
    """SEG-2 (Pullan 1990): a descriptor with pointers to traces; each has strings of keywords."""
    order = {b"\x55\x3a": "<", b"\x3a\x55": ">"}.get(data[:2])
    if order is None:
        raise ValueError("is not SEG-2 (its first bytes are wrong)")
    pointer_bytes, count = struct.unpack_from(order + "HH", data, 4)
    shared = _strings(data, 32 + pointer_bytes, len(data), order)
    for pointer in struct.unpack_from(f"{order}{count}I", data, 32):
        size = struct.unpack_from(order + "H", data, pointer + 2)[0]
        words = shared | _strings(data, pointer + 32, pointer + size, order)
        ends = [_location(words.get(f"{end}_LOCATION")) for end in ("SOURCE", "RECEIVER")]
        yield None if ends[0] is None or ends[1] is None else Trace(ends[0], ends[1])


def _strings(data: bytes, at: int, end: int, order: str) -> dict[str, str]:
    words = {}
    while at + 2 <= end:
        step = struct.unpack_from(order + "H", data, at)[0]
        if step == 0:
            break
        text = data[at + 2 : at + step].split(b"\0")[0].decode("latin-1").strip()
        key, _, value = text.partition(" ")
        words[key.upper()] = value.strip()
        at += step
    return words


def _location(text: str | None) -> tuple[float, float, float] | None:
    if not text:
        return None
    numbers = [float(word) for word in text.split()[:3]]
    x, y, height = numbers + [0.0] * (3 - len(numbers))
    return x, y, 0.0 - height


def _segy(data: bytes) -> Iterable[Trace | None]:
    """SEG-Y: 3600 bytes of headers, then traces. Big-endian, or little-endian as rev 2 allows and
    some programs write it: the type of the samples makes sense in one of them."""
    for order in "><":
        samples, code = struct.unpack_from(order + "H2xH", data, 3220)
        if code in SAMPLE_BYTES:
            extended = max(struct.unpack_from(order + "h", data, 3504)[0], 0)
            return _traces(data, 3600 + 3200 * extended, order, samples, SAMPLE_BYTES[code])
    raise ValueError(f"has samples of type {code} (not SEG-Y)")


def _su(data: bytes) -> Iterable[Trace | None]:
    """Seismic Unix: the traces of SEG-Y with samples of four bytes, in the machine's byte order: that
    in which whole traces fill the file."""
    for order in "<>":
        at, count = 0, 0
        while at + 240 <= len(data):
            at += 240 + 4 * int(struct.unpack_from(order + "H", data, at + 114)[0])
            count += 1
        if count and at == len(data):
            return _traces(data, 0, order, 0, 4)
    raise ValueError("is not Seismic Unix (its traces do not fill it)")


def _traces(
    data: bytes, at: int, order: str, samples: int, width: int
) -> Iterable[Trace | None]:
    """Headers of 240 bytes, each with its samples behind it."""
    while at + 240 <= len(data):
        group, surface, depth = struct.unpack_from(order + "3i", data, at + 40)
        scales = struct.unpack_from(order + "2h", data, at + 68)
        places = struct.unpack_from(order + "4i", data, at + 72)
        unit = struct.unpack_from(order + "h", data, at + 88)[0]
        count = struct.unpack_from(order + "H", data, at + 114)[0] or samples
        at += 240 + count * width
        yield header_trace(places, (group, surface, depth), scales, unit)


def header_trace(
    places: Any, heights: Any, scales: Any, unit: int, at_origin: bool = False
) -> Trace | None:
    """Source and receiver by the fields of SEG-Y and Seismic Unix; coordinates of unit 2 are seconds
    of arc, of unit 3 degrees. Zeros are what empty headers have, unless both are `at_origin`."""
    if not any(places) and not at_origin:
        return None
    if unit == 4:
        raise ValueError("has coordinates in degrees, minutes and seconds (write decimal degrees)")
    height_scale, place_scale = (_scale(s) for s in scales)
    place_scale /= 3600 if unit == 2 else 1
    sx, sy, gx, gy = (place_scale * p for p in places)
    group, surface, depth = (height_scale * h for h in heights)
    return Trace((sx, sy, depth - surface), (gx, gy, 0.0 - group), unit in (2, 3))


def _scale(scalar: int) -> float:
    return 1.0 if scalar == 0 else float(scalar) if scalar > 0 else 1 / -scalar


def _through_obspy(file: Path) -> list[Trace | None] | None:
    """What ObsPy reads of a file that is none of ours; None if it is not installed or cannot."""
    try:
        import obspy  # type: ignore[import-not-found,import-untyped,unused-ignore]

        stream = obspy.read(str(file), headonly=True)
    except Exception:  # whatever it throws, our own message is said
        return None
    return [obspy_trace(trace) for trace in stream]


def obspy_trace(trace: Any, at_origin: bool = False) -> Trace | None:
    """Where a trace of ObsPy was recorded, by the header of its format."""
    stats = trace.stats
    header = getattr(getattr(stats, "segy", None) or getattr(stats, "su", None), "trace_header", None)
    if header is not None:
        return _of_header(header, at_origin)
    words = getattr(stats, "seg2", {})
    ends = [_location(words.get(f"{end}_LOCATION")) for end in ("SOURCE", "RECEIVER")]
    return None if ends[0] is None or ends[1] is None else Trace(ends[0], ends[1])


def _of_header(header: Any, at_origin: bool) -> Trace | None:
    names = ("source_coordinate_x", "source_coordinate_y", "group_coordinate_x", "group_coordinate_y")
    heights = ("receiver_group_elevation", "surface_elevation_at_source", "source_depth_below_surface")
    scales = (
        "scalar_to_be_applied_to_all_elevations_and_depths",
        "scalar_to_be_applied_to_all_coordinates",
    )
    places, levels, factors = (
        [int(getattr(header, name, 0) or 0) for name in each] for each in (names, heights, scales)
    )
    unit = int(getattr(header, "coordinate_units", 1) or 1)
    return header_trace(places, levels, factors, unit, at_origin)
