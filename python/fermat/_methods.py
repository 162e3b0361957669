"""Methods that carry their own options: solver=Graph(radius=5), tracer=Bending(segment=0.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from ._arguments import (
        BendingTasks,
        Queue,
        Reading,
        Relaxation,
        Star,
        Start,
        Visits,
        Weights,
    )

__all__ = ["Bending", "Graph"]


def _given(method: object) -> dict[str, Any]:
    """Fields that are not left open."""
    names = (field.name for field in fields(method))  # type: ignore[arg-type]
    return {name: value for name in names if (value := getattr(method, name)) is not None}


@dataclass(frozen=True, kw_only=True)
class Graph:
    """Shortest paths on the grid graph, as `solver` of `traveltimes` and `rays` or as `tracer`.

    Parameters
    ----------
    solver
        "dijkstra" or "bellman-ford".
    radius, star, reading, weights, queue, visits, relaxation
        As the keywords of `traveltimes`.

    Examples
    --------
    >>> import fermat as fm
    >>> model = fm.Model.constant((41, 21), velocity=2)
    >>> fm.receiver_times(model, (0, 0), (40, 20), solver=fm.Graph(radius=2)).round(2)
    array([[22.36]])
    """

    solver: Literal["dijkstra", "bellman-ford"] = "dijkstra"
    radius: int | Sequence[int] | None = None
    star: Star | None = None
    reading: Reading | None = None
    weights: Weights | None = None
    queue: Queue | None = None
    visits: Visits | None = None
    relaxation: Relaxation | None = None

    def options(self) -> dict[str, Any]:
        """Those that are given, without the solver's name.

        >>> import fermat as fm
        >>> fm.Graph(radius=3).options()
        {'radius': 3}
        """
        given = _given(self)
        del given["solver"]
        return given


@dataclass(frozen=True, kw_only=True)
class Bending:
    """Pseudo-bending, as `tracer` of `rays`; the parameters are the keywords of `rays`.

    Examples
    --------
    >>> import fermat as fm
    >>> model = fm.Model.constant((41, 21), velocity=2)
    >>> fm.rays(model, (0, 0), (40, 20), tracer=fm.Bending(starts="straight")).times.round(2)
    array([22.36])
    """

    starts: Start | Sequence[Start] | None = None
    segment: float | None = None
    tasks: BendingTasks | None = None

    def options(self) -> dict[str, Any]:
        """Those that are given, as the C++ side wants them.

        >>> import fermat as fm
        >>> fm.Bending(starts=("straight", "deep")).options()
        {'starts': 'straight,deep'}
        """
        given = _given(self)
        if "starts" in given and not isinstance(given["starts"], str):
            given["starts"] = ",".join(given["starts"])
        if self.segment is not None and not self.segment > 0:
            raise ValueError(
                f"segment is {self.segment} (must be a length > 0, or None for the default)"
            )
        return given
