"""Sources and receivers of shot records, from the headers of SEG-2 and SEG-Y files."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ._notes import tell
from ._picks import in_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Geometry", "geometry"]

Trace = tuple[tuple[float, ...], tuple[float, ...]]
"""Source and receiver as x, y and z, with z downward."""

SUFFIXES = {".sg2": "seg2", ".seg2": "seg2", ".dat": "seg2", ".sgy": "segy", ".segy": "segy"}
SAMPLE_BYTES = {1: 4, 2: 4, 3: 2, 5: 4, 6: 8, 8: 1, 10: 4, 11: 2, 16: 1}


class Geometry:
    """Sources, receivers and the pairs of them that were recorded, in the order of the traces.

    Attributes
    ----------
    sources, receivers
        Positions (n, 3), or (n, 2) as (x, z) where all lie on a line along x; z is downward.
    pairs
        Source and receiver of each trace, (n, 2), as the argument `pairs` of `fermat.rays`.
    """

    def __init__(self, traces: Iterable[Trace]) -> None:
        ends = np.array([(*source, *receiver) for source, receiver in traces], dtype=float)
        axes = [0, 2] if (ends[:, [1, 4]] == ends[0, 1]).all() else [0, 1, 2]
        sources, source = in_order(ends[:, :3][:, axes])
        receivers, receiver = in_order(ends[:, 3:][:, axes])
        self.sources: NDArray[np.float64] = sources
        self.receivers: NDArray[np.float64] = receivers
        self.pairs: NDArray[np.int32] = np.column_stack([source, receiver]).astype(np.int32)

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        return (
            f"Geometry({len(self)} traces of {len(self.sources)} sources and {len(self.receivers)} "
            f"receivers in {self.sources.shape[1]}-D)"
        )

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write sources.csv, receivers.csv and pairs.csv, which `fermat rays` and `fermat picks`
        take (--sources, --receivers, --pairs)."""
        out = Path(folder)
        out.mkdir(parents=True, exist_ok=True)
        names = "x,z" if self.sources.shape[1] == 2 else "x,y,z"
        for name, rows, head, form in (
            ("sources", self.sources, names, "%.17g"),
            ("receivers", self.receivers, names, "%.17g"),
            ("pairs", self.pairs, "source,receiver", "%d"),
        ):
            np.savetxt(out / f"{name}.csv", rows, fmt=form, delimiter=",", header=head, comments="")

    def plot(self, ax: Any = None) -> Any:
        """Sources and receivers: x and elevation of a line, x and y else. Returns the axes."""
        if ax is None:
            import matplotlib.pyplot as plt

            ax = plt.figure(figsize=(8, 3), layout="constrained").add_subplot()
        flat = self.sources.shape[1] == 2
        sign = -1 if flat else 1
        ax.plot(self.receivers[:, 0], sign * self.receivers[:, 1], "v", ms=4, label="receivers")
        ax.plot(self.sources[:, 0], sign * self.sources[:, 1], "*", ms=8, label="sources")
        ax.set(xlabel="x", ylabel="elevation" if flat else "y")
        ax.legend()
        return ax


def geometry(path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> Geometry:
    """Read where shots and receivers were, from headers of SEG-2 or SEG-Y files.

    Parameters
    ----------
    path
        A file (`.sg2`, `.seg2`, `.dat`, `.sgy`, `.segy`), a folder of them, or a list.

    Returns
    -------
    Geometry
        SEG-2: SOURCE_LOCATION and RECEIVER_LOCATION, whose third number is elevation. SEG-Y: source
        and group coordinates with their scalars; elevations are upward, and the depth of the source
        is below its surface. A UserWarning says which traces were left out, and why.

    Examples
    --------
    >>> import fermat as fm
    >>> survey = fm.geometry("line1")  # doctest: +SKIP
    """
    files = _files(path)
    traces: list[Trace] = []
    bare = 0
    for file in files:
        data = file.read_bytes()
        is_seg2 = data[:2] in (b"\x55\x3a", b"\x3a\x55")
        kind = "seg2" if is_seg2 else SUFFIXES.get(file.suffix.lower())
        if kind is None:
            raise ValueError(f"'{file}' is not known (must be SEG-2 or SEG-Y)")
        read = _seg2 if kind == "seg2" else _segy
        try:
            found = list(read(data))
        except (struct.error, IndexError):
            raise ValueError(f"'{file}' is truncated or damaged") from None
        except ValueError as error:
            raise ValueError(f"'{file}' {error}") from None
        bare += sum(trace is None for trace in found)
        traces += [trace for trace in found if trace is not None]
    if not traces:
        raise ValueError(
            f"none of {bare} traces in {len(files)} files tells where its source and receiver are "
            "(their headers are empty: give the geometry in a table)"
        )
    if bare:
        total = bare + len(traces)
        tell([f"{bare} of {total} traces do not tell their geometry and were left out"])
    return Geometry(traces)


def _files(path: Any) -> list[Path]:
    if not isinstance(path, (str, os.PathLike)):
        return [Path(one) for one in path]
    place = Path(path)
    if not place.is_dir():
        return [place]
    files = sorted(one for one in place.iterdir() if one.suffix.lower() in SUFFIXES)
    if not files:
        raise ValueError(f"'{place}' has no file that ends in {', '.join(SUFFIXES)}")
    return files


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
        yield None if None in ends else (ends[0], ends[1])  # type: ignore[misc]


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
    """SEG-Y: 3600 bytes of headers, then 240 bytes and the samples of each trace, big-endian."""
    samples, code = struct.unpack_from(">H2xH", data, 3220)
    extended = max(struct.unpack_from(">h", data, 3504)[0], 0)
    if code not in SAMPLE_BYTES:
        raise ValueError(f"has samples of type {code} (not SEG-Y, or little-endian)")
    at = 3600 + 3200 * extended
    while at + 240 <= len(data):
        group, surface, depth = struct.unpack_from(">3i", data, at + 40)
        height_scale, place_scale = (_scale(s) for s in struct.unpack_from(">2h", data, at + 68))
        sx, sy, gx, gy = struct.unpack_from(">4i", data, at + 72)
        count = struct.unpack_from(">H", data, at + 114)[0] or samples
        at += 240 + count * SAMPLE_BYTES[code]
        if not any((sx, sy, gx, gy)):
            yield None
            continue
        yield (
            (sx * place_scale, sy * place_scale, (depth - surface) * height_scale),
            (gx * place_scale, gy * place_scale, 0.0 - group * height_scale),
        )


def _scale(scalar: int) -> float:
    return 1.0 if scalar == 0 else float(scalar) if scalar > 0 else 1 / -scalar

