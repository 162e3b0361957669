"""Sources and receivers of shot records, from the headers of SEG-2 and SEG-Y files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ._files import renamed_to
from ._notes import tell
from ._pick_arrays import in_order
from ._plane import Plane
from ._records import Ends, read_records, records_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Geometry", "geometry"]

class Geometry:
    """Sources, receivers and the pairs of them that were recorded, in the order of the traces.

    Attributes
    ----------
    sources, receivers
        Positions (n, 3), or (n, 2) as (x, z) where all lie on a line along x; z is downward.
    pairs
        Source and receiver of each trace, (n, 2), as the argument `pairs` of `fermat.rays`.
    plane
        The plane of x and y, in m, where the headers had longitudes and latitudes; None else.
    """

    def __init__(self, traces: Iterable[Ends], plane: Plane | None = None) -> None:
        ends = np.array([(*source, *receiver) for source, receiver in traces], dtype=float)
        self.plane = plane
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
        take (--sources, --receivers, --pairs); the plane stands in their first line.

        >>> import fermat as fm
        >>> fm.Geometry([((0, 0, 0), (5, 0, 0)), ((0, 0, 0), (10, 0, 0))]).save("survey")
        >>> print(open("survey/receivers.csv").read().split())
        ['x,z', '5,0', '10,0']
        """
        out = Path(folder)
        out.mkdir(parents=True, exist_ok=True)
        names = "x,z" if self.sources.shape[1] == 2 else "x,y,z"
        for name, rows, head, form in (
            ("sources", self.sources, names, "%.17g"),
            ("receivers", self.receivers, names, "%.17g"),
            ("pairs", self.pairs, "source,receiver", "%d"),
        ):
            if self.plane is not None and name != "pairs":
                head = f"# {self.plane}\n{head}"
            with renamed_to(out / f"{name}.csv") as file:
                np.savetxt(file, rows, fmt=form, delimiter=",", header=head, comments="")

    def plot(self, ax: Any = None) -> Any:
        """Sources and receivers: x and elevation of a line, x and y else. Returns the axes.

        >>> import fermat as fm
        >>> ax = fm.Geometry([((0, 0, 0), (5, 0, 0)), ((0, 0, 0), (10, 0, 0))]).plot()
        """
        if ax is None:
            import matplotlib.pyplot as plt

            ax = plt.figure(figsize=(8, 3), layout="constrained").add_subplot()
        flat = self.sources.shape[1] == 2
        sign = -1 if flat else 1
        edge: dict[str, Any] = {"linestyle": "", "markeredgecolor": "black", "markeredgewidth": 0.7}
        if flat:
            ground = self.receivers[np.argsort(self.receivers[:, 0], kind="stable")]
            ax.plot(ground[:, 0], -ground[:, 1], color="0.6", linewidth=0.8, zorder=0)
        for points, marker, size, colour, what in (
            (self.receivers, "v", 6, "white", "receivers"),
            (self.sources, "*", 11, "gold", "sources"),
        ):
            label = f"{len(points)} {what if len(points) > 1 else what[:-1]}"
            ax.plot(points[:, 0], sign * points[:, 1], marker=marker, markersize=size, color=colour,
                    label=label, **edge)
        unit = " (m)" if self.plane is not None else ""
        ax.set(xlabel=f"x{unit}", ylabel=f"elevation{unit}" if flat else f"y{unit}")
        if not flat:
            ax.set_aspect("equal")
        ax.margins(0.06, 0.15)
        ax.legend(fontsize="small", ncols=2, loc="lower right", bbox_to_anchor=(1, 1), frameon=False)
        return ax


def geometry(path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> Geometry:
    """Read where shots and receivers were, from headers of SEG-2 or SEG-Y files.

    Parameters
    ----------
    path
        A file, a folder of them, or a list. SEG-2 and SEG-Y are known by their content, whatever
        their name; `.sg2`, `.seg2`, `.sgy`, `.segy` and `.su` by their name too. What is none of
        these is read through ObsPy where it is installed; in a folder it is left out.

    Returns
    -------
    Geometry
        SEG-2: SOURCE_LOCATION and RECEIVER_LOCATION, whose third number is elevation. SEG-Y: source
        and group coordinates with their scalars; elevations are upward, and the depth of the source
        is below its surface. Coordinates in seconds of arc or degrees are put on a local plane in m,
        which is kept. A UserWarning says which traces were left out, and why.

    Examples
    --------
    >>> import fermat as fm
    >>> survey = fm.geometry("line1")  # doctest: +SKIP
    """
    files = _files(path)
    traces: list[Ends] = []
    bare, degrees = 0, 0
    for file in files:
        for trace in read_records(file):
            if trace is None:
                bare += 1
                continue
            degrees += trace.in_degrees
            traces.append((trace.source, trace.receiver))
    if not traces:
        raise ValueError(
            f"none of {bare} traces in {len(files)} files tells where its source and receiver are "
            "(their headers are empty: give the geometry in a table)"
        )
    if bare:
        total = bare + len(traces)
        tell([f"{bare} of {total} traces do not tell their geometry and were left out"])
    if degrees == 0:
        return Geometry(traces)
    if degrees < len(traces):
        raise ValueError(
            f"{degrees} of {len(traces)} traces have degrees and the others lengths (read them apart)"
        )
    return _on_plane(traces)


def _files(path: Any) -> list[Path]:
    if not isinstance(path, (str, os.PathLike)):
        return [Path(one) for one in path]
    place = Path(path)
    if not place.is_dir():
        return [place]
    return records_in(place)


def _on_plane(traces: list[Ends]) -> Geometry:
    """Longitudes and latitudes become x and y on a local plane."""
    ends = np.array(traces)  # (traces, end, axis)
    plane = Plane.round(ends[..., 0], ends[..., 1], metres=1)
    tell([f"longitudes and latitudes were put on the {plane}"])
    x, y = plane.to_plane(ends[..., 0], ends[..., 1])
    moved = np.stack([x, y, ends[..., 2]], axis=-1)
    return Geometry([(tuple(source), tuple(receiver)) for source, receiver in moved], plane)
