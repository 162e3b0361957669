"""Rays and times of later phases in layered media."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _arguments as arguments
from . import _core
from ._checked import checked
from ._medium import Medium
from ._notes import tell
from ._progress import listener

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ._arguments import Progress

__all__ = ["PhaseRays", "phase_rays"]

_WHY = {
    "absent": "no path of stationary time (as before a critical distance)",
    "crosses": "the path would leave its layer (a shadow)",
    "outside": "the path would leave the model",
    "unsettled": "the search did not settle",
}


class _StoredRays:
    """Those of the rays of a file that belong to one phase."""

    def __init__(self, rays: Any, which: NDArray[np.intp], status: list[str]) -> None:
        self._rays, self._which, self._status = rays, which, status

    def __len__(self) -> int:
        return len(self._which)

    def times(self) -> NDArray[np.float64]:
        return np.asarray(self._rays.times)[self._which]

    def lengths(self) -> NDArray[np.float64]:
        return np.asarray(self._rays.lengths)[self._which]

    def sources(self) -> NDArray[np.int32]:
        return np.asarray(self._rays.source)[self._which]

    def receivers(self) -> NDArray[np.int32]:
        return np.asarray(self._rays.receiver)[self._which]

    def maxima(self) -> NDArray[np.int32]:
        return np.zeros(len(self), np.int32)

    def status(self) -> list[str]:
        return [self._status[n] for n in self._which]

    def path(self, ray: int) -> NDArray[np.float64]:
        first, end = self._rays.offsets[self._which[ray] : self._which[ray] + 2]
        # Files have rays from receiver to source.
        return np.asarray(self._rays.points(False))[first:end][::-1]

    def legs(self, ray: int) -> str:
        raise ValueError("rays of a file do not know their legs (trace them by phase_rays)")


class PhaseRays:
    """Rays of one phase; `fermat.phase_rays` makes them. Arrays have one entry per ray."""

    def __init__(self, medium: Medium, phase: str, rays: _core.PhaseRays | _StoredRays) -> None:
        self.medium = medium
        self.phase = phase
        self._rays = rays
        self.times: NDArray[np.float64] = rays.times()
        self.status: list[str] = rays.status()
        self.sources: NDArray[np.int32] = rays.sources()
        self.receivers: NDArray[np.int32] = rays.receivers()
        self.lengths: NDArray[np.float64] = rays.lengths()
        #: Directions in which the time of a ray is a maximum: 0 of a least time.
        self.maxima: NDArray[np.int32] = rays.maxima()

    @classmethod
    def load(cls, path: str | os.PathLike[str], medium: Medium) -> list[PhaseRays]:
        """Reads the rays that `fermat phases -o` wrote, of the medium that they were traced in: one
        entry per phase.

        >>> import fermat as fm
        >>> fm.PhaseRays.load("no.h5", None)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ValueError: cannot read 'no.h5': ...
        """
        branch, names = _core.load_ray_numbers(path, "branch")
        status, statuses = _core.load_ray_numbers(path, "branch_status")
        rays = _core.load_rays(path)
        return [
            cls(medium, name, _StoredRays(rays, np.flatnonzero(branch == number), [statuses[n] for n in status]))
            for number, name in enumerate(names)
        ]

    def __len__(self) -> int:
        return len(self._rays)

    @property
    def arrived(self) -> NDArray[np.bool_]:
        """Which rays arrive: status "ok", "along" (the ray follows an interface) or "doubtful" (there may
        be an earlier one)."""
        return np.isfinite(self.times)

    def path(self, ray: int) -> NDArray[np.float64]:
        """The points of a ray from its source, (points, 2 or 3).

        >>> import fermat as fm
        >>> medium = fm.Medium([6.0, 8.0], {"moho": 30.0}, shape=(101, 41), spacing=1.0)
        >>> rays = fm.phase_rays(medium, "PmP", (5, 0), (85, 0))
        >>> rays.path(0).max(axis=0).round(6).tolist()
        [85.0, 30.0]
        """
        points = np.asarray(self._rays.path(ray)).reshape(-1, 3)
        flat = len(self.medium._template.shape) == 2
        return points[:, [0, 2]] if flat else points

    def legs(self, ray: int) -> str:
        """The legs of a ray in words.

        >>> import fermat as fm
        >>> medium = fm.Medium([6.0, 8.0], {"moho": 30.0}, shape=(101, 41), spacing=1.0)
        >>> rays = fm.phase_rays(medium, "PmP", (5, 0), (85, 0))
        >>> rays.legs(0)
        "P in layer 0 to 'moho', P in layer 0 to the receiver"
        """
        return self._rays.legs(ray)

    def __repr__(self) -> str:
        counts = ", ".join(f"{n} {status}" for status, n in Counter(self.status).most_common())
        return f"PhaseRays({self.phase}: {counts or 'none'})"


@checked
def phase_rays(
    medium: Medium,
    phase: str,
    sources: ArrayLike,
    receivers: ArrayLike,
    *,
    pairs: ArrayLike | None = None,
    arrivals: Literal["earliest", "all"] = "earliest",
    phase_tolerance: float = 1e-6,
    most_segments: int = 512,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    threads: int = 0,
    progress: Progress | None = None,
) -> PhaseRays:
    """Rays of a phase from sources to receivers, through and back from interfaces.

    phase: a name ("Pg", "PmP", "Pn", "PmS", "P2P", "pP", "PP", "Ps", "PmPPmP", "ScS", ...) or a
    description: waves and interfaces in turn, with reflect or transmit after each interface, as in
    "P moho reflect S"; "PX=P moho reflect S" calls it PX. Every source is paired with every receiver, grouped by source, unless pairs
    has rows (source, receiver). arrivals="all" gives every ray of a pair, in the order of their
    times; a pair that has none has one entry whose status says why, and time NaN.

    device: a CUDA device finds the earliest rays of phases that have one way of at most eight legs
    (reflections, conversions, multiples, transmitted waves) in Cartesian and spherical media; the CPU
    looks again for those that do not pass inside their layers. "auto" takes the device for these
    phases if there is one.

    >>> import fermat as fm
    >>> medium = fm.Medium([6.0, 8.0], {"moho": 30.0}, shape=(101, 41), spacing=1.0)
    >>> rays = fm.phase_rays(medium, "PmP", (5, 0), [(50, 0), (85, 0)])
    >>> rays.times.round(4).tolist()
    [12.5, 16.6667]
    """
    template = medium._template
    start = arguments.points(template, sources, "sources")
    end = arguments.points(template, receivers, "receivers")
    which = None if pairs is None else [tuple(map(int, pair)) for pair in np.asarray(pairs)]
    keywords: dict[str, object] = {
        "arrivals": arrivals,
        "phase_tolerance": phase_tolerance,
        "most_segments": most_segments,
        "device": device,
        "threads": threads,
    }
    found = _core.trace_phase(medium._core, phase, start, end, which, keywords, listener(progress))
    rays = PhaseRays(medium, found.phase, found)
    missing = Counter(status for status in rays.status if status in _WHY)
    if missing:
        why = "; ".join(f"{n} {status}: {_WHY[status]}" for status, n in missing.most_common())
        tell([f"{sum(missing.values())} of {len(rays)} rays of {rays.phase} have no arrival ({why})"])
    doubtful = rays.status.count("doubtful")
    if doubtful:
        tell([f"{doubtful} of {len(rays)} rays of {rays.phase} are doubtful: an earlier arrival may have been missed"])
    return rays
