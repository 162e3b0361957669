"""The automatic picker: shot by shot, then by reciprocity, then guided by the model of all shots."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .._notes import tell
from .._picks import Picks
from .gather import SMEAR, STRAY, Gather, frequency_of
from .statics import Static, find_statics, reciprocal_pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .onset import Lobe
    from .records import Records

__all__ = ["Picked", "pick_all"]

LEAST_ERROR = 0.03  # in periods: no flank is read better
NOISE_SHARE = 1.0  # of the error that noise makes on the flank
LEAST_STATIC = 0.1  # in periods: the picks of a record agree with those of others to about so much
ALONE = 0.8  # in periods: a pick so far from the line of its neighbours is not one


class Picked:
    """What the picker found, record by record in the order of the records' traces.

    Attributes
    ----------
    time, error
        First arrivals in s by the records' clocks, and their standard deviations; NaN where none
        is picked.
    polarity, quality
        Sign of the first lobe, 0 without a pick; and how far it stands above what is before it, 0 to 1.
    statics
        One per record: what to subtract from `time`, and by what it was found.
    predicted
        Times of the last model by the records' clocks; NaN where there is none.
    frequency
        Of the first arrivals, in Hz.
    """

    def __init__(self, records: Records, frequency: float) -> None:
        self.records = records
        self.frequency = frequency
        blank = [np.full(len(record), np.nan) for record in records]
        self.time = [row.copy() for row in blank]
        self.error = [row.copy() for row in blank]
        self.predicted = [row.copy() for row in blank]
        self.quality = [np.zeros(len(record)) for record in records]
        self.polarity = [np.zeros(len(record), dtype=int) for record in records]
        self.statics = [Static(0.0, False, 0) for _ in records]
        self.inversion: Any = None
        self.by_model: dict[int, float] = {}  # statics as the last model has them

    def __repr__(self) -> str:
        found = sum(int(np.isfinite(row).sum()) for row in self.time)
        return f"Picked({found} of {sum(map(len, self.time))} traces, {self.frequency:.3g} Hz)"

    @property
    def picks(self) -> Picks:
        """With the statics subtracted, as `invert` takes them."""
        return picks_of(self.records, self.time, self.error, [one.time for one in self.statics])


def picks_of(
    records: Records, times: list[Any], errors: list[Any], statics: list[float], *,
    later: Picked | None = None, quiet: bool = False,
) -> Picks:
    """Picks of the records that have places; those before the shot by less than twice their error are
    at it, and earlier ones are left out, which is told. `later` are picks of S."""
    line = records.line
    sources, which, where, time, error, names, phases = [], [], [], [], [], [], []
    early = 0
    index: dict[tuple[float, ...], int] = {}
    for number, (record, static) in enumerate(zip(records, statics)):
        if not record.placed:
            continue
        points = line.onto(record.receivers)
        sources.append(line.onto(record.source)[0])
        names.append(record.name)
        columns = [("P", times[number], errors[number])]
        if later is not None:
            columns.append(("S", later.time[number], later.error[number]))
        for phase, row, spread in columns:
            for n in np.flatnonzero(np.isfinite(row)):
                t = row[n] - static
                if t < -2 * spread[n]:
                    early += 1
                    continue
                where.append(index.setdefault(tuple(points[n]), len(index)))
                which.append(len(sources) - 1)
                time.append(max(t, 0.0))
                error.append(spread[n])
                phases.append(phase)
    if early and not quiet:
        tell([f"{early} picks are left out: they are before their shot (see the statics)"])
    if not time:
        raise ValueError("no traces with known places are picked (give the places of shots and receivers)")
    return Picks(
        np.array(sources), np.array(list(index)), source=which, receiver=where, time=time, error=error,
        event=names, phase=phases, plane=records.plane if line.ndim == 3 else None,
    )


def pick_all(
    records: Records, *, rounds: int = 3, frequency: float | None = None,
    progress: Callable[[str], object] | None = None,
) -> Picked:
    """First arrivals of all records.

    Each record is picked by itself; zero offset and reciprocity give its static; then a model is
    found by `fermat.invert`, its times narrow the windows, and all is picked anew, `rounds` times.

    Parameters
    ----------
    rounds
        How often a model guides the picks; 0: never. Records without places are never guided.
    frequency
        Of the first arrivals in Hz; None: measured.
    progress
        Called with a sentence per step.

    Returns
    -------
    Picked
        Traces that are dead, or on which no lobe is likely, have no pick.
    """
    if rounds < 0:
        raise ValueError(f"rounds is {rounds} (must be >= 0)")
    say = progress or (lambda _: None)
    if frequency is None:
        found = [frequency_of(record) for record in records]
        if not np.isfinite(found).any():
            raise ValueError(f"all {len(records)} records are dead (their samples do not differ)")
        frequency = float(np.nanmedian(found))
    elif not frequency > 0:
        raise ValueError(f"frequency is {frequency:g} Hz (must be > 0)")
    out = Picked(records, frequency)
    line = records.line
    gathers = []
    for record in records:
        known = np.isfinite(record.receivers).all()
        position = line.onto(record.receivers)[:, 0] if known else np.arange(len(record), dtype=float)
        gathers.append(Gather(record, position, frequency))
    say(f"first arrivals of {frequency:.3g} Hz")
    for n, gather in enumerate(gathers):
        _keep(out, n, gather, gather.first_picks())
    placed = [n for n, record in enumerate(records) if record.placed]
    _find_statics(out, placed)
    for turn in range(rounds if placed else 0):
        if not _predict(out, placed):
            break
        say(f"round {turn + 1}: {out!r}, RMS {1e3 * out.inversion.rms:.3g} ms")
        for n in placed:
            gather = gathers[n]
            wanted = (out.predicted[n] - gather.record.start) / gather.record.interval
            _keep(out, n, gather, gather.guided_picks(wanted[gather.order]))
        _find_statics(out, placed)
    _refine_statics(out, placed)
    _finish(out, gathers)
    return out


def _keep(out: Picked, n: int, gather: Gather, lobes: list[Lobe | None]) -> None:
    record, period = gather.record, gather.period
    for column in (out.time[n], out.error[n]):
        column[:] = np.nan
    out.quality[n][:] = 0
    out.polarity[n][:] = 0
    near = 0.3 * np.nanmedian(np.diff(np.sort(record.offset))) if record.placed and len(record) > 2 else -1
    for place, lobe in zip(gather.order, lobes):
        if lobe is None:
            continue
        onset = lobe.onset + SMEAR * period
        if record.placed and record.offset[place] < near:
            onset = gather.broad_onset(int(np.flatnonzero(gather.order == place)[0]), onset)
        out.time[n][place] = record.start + onset * record.interval
        spread = np.hypot(LEAST_ERROR * period, NOISE_SHARE * lobe.doubt)
        out.error[n][place] = spread * record.interval
        out.polarity[n][place] = lobe.sign
        out.quality[n][place] = float(np.clip(np.log(lobe.size / max(lobe.before, 1)) / np.log(10), 0, 1))


def _find_statics(out: Picked, placed: list[int]) -> None:
    if not placed:
        return
    records = [out.records[n] for n in placed]
    found = find_statics(
        np.array([record.source for record in records]), [record.receivers for record in records],
        [out.time[n] for n in placed], scale=0.05 / out.frequency, least=LEAST_STATIC / out.frequency,
    )
    for n, static in zip(placed, found):
        out.statics[n] = static


def _refine_statics(out: Picked, placed: list[int]) -> None:
    """A wrong trigger once more, by the model: its term less that of shots with right ones. All traces have a
    part in it; reciprocity has some, and zero offset one."""
    for n in placed:
        static = out.statics[n]
        better = out.by_model.get(n, float("nan"))
        if static.time and abs(better - static.time) < LEAST_STATIC / out.frequency:
            out.statics[n] = Static(better, static.zero_offset, static.pairs)


def _predict(out: Picked, placed: list[int]) -> bool:
    """Times of a model of all picks so far, by the records' clocks; False if none can be found."""
    from .model import invert_records

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            found = invert_records(out.records, out.time, out.error, [one.time for one in out.statics])
        except (ValueError, RuntimeError):
            return False
    out.inversion = found.inversion
    terms = np.asarray(found.inversion.terms["shot"])
    right = [k for k, n in enumerate(placed) if not out.statics[n].time]
    common = float(np.median(terms[right])) if right else float("nan")  # of onset and ground, not of triggers
    out.by_model = {n: out.statics[n].time + float(terms[k]) - common for k, n in enumerate(placed)}
    for n in placed:
        out.predicted[n] = found.times[n] + out.statics[n].time
        off = out.time[n] - out.predicted[n]
        if np.isfinite(off).any():  # what is left of the trigger
            out.predicted[n] += np.nanmedian(off)
    return True


def _finish(out: Picked, gathers: list[Gather]) -> None:
    """Silence where a pick is beside the line of its neighbours and of the model."""
    for n, gather in enumerate(gathers):
        limit = ALONE / out.frequency
        times = out.time[n][gather.order]
        known = np.flatnonzero(np.isfinite(times))
        for k in known:
            close = known[(np.abs(known - k) <= 4) & (known != k)]
            if len(close) < 2:
                lonely = len(known) > 1
            else:
                lonely = bool(np.abs(times[close] - times[k]).min() > limit)
            wanted = out.predicted[n][gather.order[k]]
            if np.isfinite(wanted):
                lonely = abs(times[k] - wanted) > STRAY / out.frequency
            if lonely:
                place = gather.order[k]
                out.time[n][place] = out.error[n][place] = np.nan
                out.polarity[n][place], out.quality[n][place] = 0, 0.0


def reciprocal_times(out: Picked) -> list[NDArray[np.float64]]:
    """Per record the time that the shot at each trace's place has at this shot's; NaN without."""
    found = [np.full(len(record), np.nan) for record in out.records]
    placed = [n for n, record in enumerate(out.records) if record.placed]
    records = [out.records[n] for n in placed]
    if not placed:
        return found
    for a, b, one, other in reciprocal_pairs(
        np.array([record.source for record in records]), [record.receivers for record in records]
    ):
        first, second = placed[a], placed[b]
        if a != b:
            shift = out.statics[first].time - out.statics[second].time
            found[first][one] = out.time[second][other] + shift
            found[second][other] = out.time[first][one] - shift
    return found
