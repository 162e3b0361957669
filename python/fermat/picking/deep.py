"""Models of SeisBench (Woollam et al. 2022) in place of the picker of a network, where it is installed.

Nothing is fetched: weights are those that SeisBench has on this machine, or a file of `model.save`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .network import stations_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .record import Record

__all__ = ["deep_picker"]

WIDTH = 0.1  # s: half the width of the peaks that these models are trained to draw


def deep_picker(name: str, **options: Any) -> Callable[[Record], tuple[NDArray[np.float64], ...]]:
    """A picker for `pick_events` of a model of SeisBench.

    Parameters
    ----------
    name
        Model and weights, as "PhaseNet:stead", or model and a file that its `save` wrote, as
        "PhaseNet:weights/mine".
    options
        Of the model's `classify`, such as `P_threshold`.

    >>> from fermat.picking import deep_picker
    >>> picker = deep_picker("PhaseNet:stead")            # doctest: +SKIP
    >>> fm.records("network").pick(picker=picker)         # doctest: +SKIP
    """
    kind, _, weights = name.partition(":")
    if not weights:
        raise ValueError(f"the model of SeisBench is '{name}' (must be a model and its weights, such as PhaseNet:stead)")
    model = _model(kind, weights)

    def pick(record: Record) -> tuple[NDArray[np.float64], ...]:
        found = model.classify(_stream(record), **options)
        rows = [np.full(len(record), np.nan) for _ in range(4)]
        sure = np.zeros((2, len(record)))
        stations = {station.name: station for station in stations_in(record)}
        for one in getattr(found, "picks", found):
            station = stations.get(".".join(one.trace_id.split(".")[:2]))
            if station is None or one.phase not in ("P", "S"):
                continue
            later = int(one.phase == "S")
            trace = station.for_s if later else station.for_p
            if one.peak_value > sure[later, trace]:
                sure[later, trace] = one.peak_value
                rows[2 * later][trace] = record.start + float(one.peak_time - record.began)
                rows[2 * later + 1][trace] = WIDTH / max(float(one.peak_value), 0.1)
        return tuple(rows)

    return pick


def _model(kind: str, weights: str) -> Any:
    try:
        import seisbench.models as models  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError as error:
        raise ImportError(
            "a model of SeisBench needs seisbench, which is not installed (pip install seisbench, or leave it out: the "
            "picker of this package needs none)", name="seisbench") from error
    made = getattr(models, kind, None)
    if made is None or not hasattr(made, "classify"):
        raise ValueError(f"SeisBench has no model '{kind}' (PhaseNet and EQTransformer are two)")
    if Path(f"{weights}.pt").is_file() or Path(f"{weights}.json").is_file():
        return made.load(weights)
    if not made.list_versions(weights, remote=False):
        raise ValueError(
            f"the weights '{weights}' of {kind} are not on this machine (seisbench.models.{kind}.from_pretrained('{weights}') "
            "fetches them; this program fetches nothing)")
    return made.from_pretrained(weights, update=False)


def _stream(record: Record) -> Any:
    import obspy  # type: ignore[import-not-found,import-untyped,unused-ignore]

    stream = obspy.Stream()
    for name, samples in zip(record.stations, record.data):
        trace = obspy.Trace(np.array(samples))
        trace.id = name
        trace.stats.delta, trace.stats.starttime = record.interval, record.began
        stream.append(trace)
    return stream
