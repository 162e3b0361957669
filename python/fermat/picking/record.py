"""One shot: its traces, their clock, and where they were recorded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Record"]

KEPT_BYTES = 64 << 20  # a larger gather is read anew each time, so that a line of 10 GB can be walked


class Record:
    """Traces of one shot, read when `data` is asked for.

    Attributes
    ----------
    name
        Name of the file, with the number of the record behind a file of several.
    interval, samples
        Sample interval in s, and samples per trace.
    start
        Time of the first sample after the shot in s; negative where the record began before it.
    delay
        What the header says of `start`, as written; None where it says nothing.
    shot, channels
        Number of the shot point (None if unknown) and of each trace's receiver.
    source, receivers
        Places (3,) and (traces, 3) as x, y, z with z downward; NaN where unknown.
    stations
        Names of the traces in files that have them, such as miniSEED; else empty.
    began
        Date of the first sample (`obspy.UTCDateTime`) of records of stations; their `start` is 0.
    """

    def __init__(
        self,
        name: str,
        load: Callable[[], NDArray[np.float32]],
        *,
        interval: float,
        samples: int,
        channels: Any,
        delay: float | None = None,
        shot: int | None = None,
        source: Any = None,
        receivers: Any = None,
        stations: tuple[str, ...] = (),
        began: Any = None,
    ) -> None:
        self.name = name
        self.interval = float(interval)
        self.samples = int(samples)
        self.delay = delay
        self.start = 0.0 if delay is None else float(delay)
        self.shot = shot
        self.channels: NDArray[np.int64] = np.asarray(channels, dtype=np.int64)
        unknown = np.full((len(self.channels), 3), np.nan)
        self.source: NDArray[np.float64] = np.full(3, np.nan) if source is None else np.asarray(source, float)
        self.receivers: NDArray[np.float64] = unknown if receivers is None else np.asarray(receivers, float)
        self.stations = stations
        self.began = began
        self.in_degrees = False
        self.file: Path | None = None  # of SEG-Y, and how many of its traces are before this record's
        self.first = 0
        self.named: tuple[Any, ...] = ()  # traces of ObsPy of a network, joined with those of other files
        self._load = load
        self._kept: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self.channels)

    def __repr__(self) -> str:
        last = self.start + (self.samples - 1) * self.interval
        return (
            f"Record({self.name!r}, {len(self)} traces of {self.samples} samples, "
            f"{self.start:g} to {last:g} s)"
        )

    @property
    def data(self) -> NDArray[np.float32]:
        """Samples (traces, samples)."""
        if self._kept is not None:
            return self._kept
        found = np.ascontiguousarray(self._load(), dtype=np.float32)
        if found.nbytes <= KEPT_BYTES:
            self._kept = found
        return found

    @property
    def time(self) -> NDArray[np.float64]:
        """Time of each sample after the shot, in s."""
        return np.asarray(self.start + self.interval * np.arange(self.samples))

    @property
    def offset(self) -> NDArray[np.float64]:
        """Horizontal distance of each trace from the shot; NaN where a place is unknown."""
        apart = self.receivers[:, :2] - self.source[:2]
        return np.asarray(np.hypot(apart[:, 0], apart[:, 1]))

    @property
    def placed(self) -> bool:
        """Whether the places of the shot and of all receivers are known."""
        return bool(np.isfinite(self.source).all() and np.isfinite(self.receivers).all())

    def with_data(self, change: Callable[[NDArray[np.float32]], Any]) -> Record:
        """The same record with other samples, changed when they are asked for.

        >>> import fermat as fm
        >>> import numpy as np
        >>> shot = fm.Record("a", lambda: np.ones((2, 4)), interval=0.001, samples=4, channels=[1, 2])
        >>> shot.with_data(lambda data: 3 * data).data[0].tolist()
        [3.0, 3.0, 3.0, 3.0]
        """
        other = Record(
            self.name, lambda: np.asarray(change(self.data), dtype=np.float32), interval=self.interval,
            samples=self.samples, channels=self.channels, delay=self.delay, shot=self.shot,
            source=self.source.copy(), receivers=self.receivers.copy(), stations=self.stations, began=self.began,
        )
        for name in ("start", "file", "first", "in_degrees"):
            setattr(other, name, getattr(self, name))
        return other
