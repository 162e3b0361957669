"""The automatic picker of a network: P and S station by station, then guided by where the event was.

Steps and criteria are those of shots (`onset`); what neighbours and the model are to shots, the
location is here. P of all stations locate an event; its times say which candidate is P and where S is
to be looked for; both locate it anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._picks import Picks
from .auto import Picked
from .hypocentres import VP_VS, Arrival, Ground, Located, locate_events
from .network import Station, stations_in
from .onset import dominant_frequency, step_of_energy
from .phases import STEP, Onset, first_onsets, later_onset
from .signal import band_pass, dead, without_offset

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .record import Record
    from .records import Records

__all__ = ["PickedEvents", "arrivals_of", "event_picks", "frequency_of_events", "pick_events"]

BAND = (0.3, 3.0)  # of the frequency of P
# What the filter delays, in periods: a Butterworth low-pass of second order by sqrt(2) / (2 pi f).
DELAY = 2**0.5 / (2 * np.pi * BAND[1])
CYCLES = 60  # of the lowest frequency that a record is asked for
NEAR, SHARE, FAR_COST = 2.0, 0.06, 0.5  # a P is free within so many periods or so much of its time; then per period
STRAY = 4.0  # further from the prediction, in units of what is free, it is no pick
WINDOW = 0.35  # S is looked for so far about its prediction, in S - P
S_PERIOD = 1.5  # of that of P
UNLIKELY = 0.05  # a pick that the location believes less is left out


class PickedEvents(Picked):
    """P, on the vertical traces, as `Picked`; `later` has S, on horizontal ones.

    Attributes
    ----------
    later
        `Picked` of S.
    located
        The catalogue with times that it predicts, or None where nothing could be located.
    """

    def __init__(self, records: Records, frequency: float) -> None:
        super().__init__(records, frequency)
        self.later = Picked(records, frequency)
        self.located: Located | None = None

    def __repr__(self) -> str:
        counts = [sum(int(np.isfinite(row).sum()) for row in each.time) for each in (self, self.later)]
        placed = 0 if self.located is None else int(self.located.catalogue.located.sum())
        return (f"PickedEvents({counts[0]} P and {counts[1]} S of {len(self.records)} events, {placed} located, "
                f"{self.frequency:.3g} Hz)")

    @property
    def catalogue(self) -> Any:
        """Of `fermat.locate`; None where nothing could be located."""
        return None if self.located is None else self.located.catalogue

    @property
    def picks(self) -> Picks:
        """Of all events, at the places that were found."""
        return event_picks(self.records, arrivals_of(self, self.later), self.located)


def arrivals_of(first: Picked, later: Picked) -> list[Arrival]:
    """P and S of all records, by station."""
    out = []
    for n, record in enumerate(first.records):
        for station in stations_in(record):
            for phase, found in (("P", first), ("S", later)):
                for k in station.traces:
                    if np.isfinite(found.time[n][k]):
                        out.append(Arrival(n, station.name, phase, float(found.time[n][k]), float(found.error[n][k])))
    return out


def event_picks(records: Records, arrivals: Sequence[Arrival], located: Located | None) -> Picks:
    """As `locate` and files take them: times since 1970, places where events have some."""
    if not arrivals:
        raise ValueError("no traces are picked")
    places = {
        station.name: record.receivers[station.traces[0]] for record in records for station in stations_in(record)}
    known = [name for name, place in places.items() if np.isfinite(place).all()]
    kept = [one for one in arrivals if one.station in set(known)]
    if not kept:
        raise ValueError("no stations with known places are picked (give the places of the stations)")
    events = sorted({one.record for one in kept})
    sources, origins = np.full((len(events), 3), np.nan), np.zeros(len(events))
    for n, number in enumerate(events):
        clock = records[number].began
        origins[n] = 0.0 if clock is None else float(clock.timestamp)
        row = None if located is None else located.row.get(number)
        if row is not None and located is not None and located.catalogue.located[row]:
            sources[n] = located.catalogue.position[row]
            origins[n] = located.catalogue.origin_time[row]
    at = {number: n for n, number in enumerate(events)}
    clocks = [float(records[one.record].began.timestamp) for one in kept]
    return Picks(
        sources, np.array([places[name] for name in known]), source=[at[one.record] for one in kept],
        receiver=[known.index(one.station) for one in kept], time=[c + one.time for c, one in zip(clocks, kept)],
        error=[one.error for one in kept], phase=[one.phase for one in kept], event=[records[n].name for n in events],
        station=known, origin_time=origins, plane=records.plane,
    )


def frequency_of_events(records: Records) -> float:
    """Of P in Hz, the median over events."""
    found = []
    for record in records:
        which = [station.for_p for station in stations_in(record)]
        rows = without_offset(record.data[which])[~dead(record.data[which])]
        if not len(rows):
            continue
        low = min(CYCLES / (record.samples * record.interval), 0.1 / record.interval)
        rows = band_pass(rows, record.interval, low, None)
        period = 0.1 / (low * record.interval)
        for _ in range(3):
            at = step_of_energy(rows, STEP * period).argmax(axis=1)
            period = 1 / max(dominant_frequency(rows, at, period), 1e-6)
        found.append(1 / (period * record.interval))
    if not found:
        raise ValueError(f"all {len(records)} records are dead (their samples do not differ)")
    return float(np.median(found))


class _Event:
    """One record with its filtered traces, candidates for P, and what is chosen."""

    def __init__(self, record: Record, frequency: float) -> None:
        self.record = record
        self.period = 1 / (frequency * record.interval)
        self.stations = stations_in(record)
        nyquist = 0.5 / record.interval
        self.rows = band_pass(
            without_offset(record.data), record.interval, min(BAND[0] * frequency, 0.4 * nyquist), BAND[1] * frequency,
            causal=True)  # or the Akaike criterion would find what a filter puts before the onset
        self.rows[dead(record.data)] = 0
        self.candidates = [first_onsets(self.rows[station.for_p], self.period) for station in self.stations]

    def sample(self, time: float) -> float:
        """Of a time after the first sample."""
        return (time - self.record.start) / self.record.interval

    def first(self, n: int, predicted: float, origin: float) -> Onset | None:
        """P of a station: the best candidate, near what is predicted if that is known."""
        if not self.candidates[n]:
            return None
        if not np.isfinite(predicted):
            return self.candidates[n][0]
        free = max(NEAR * self.period, SHARE * (self.sample(predicted) - self.sample(origin)))
        away = [abs(one.at - self.sample(predicted)) for one in self.candidates[n]]
        value = [one.score - FAR_COST * max(far - free, 0) / self.period for one, far in zip(self.candidates[n], away)]
        best = int(np.argmax(value))
        return self.candidates[n][best] if away[best] <= STRAY * free else None

    def later(self, station: Station, p: float, s: float) -> Onset | None:
        """S between its prediction less and more a share of S - P, with times in s; after P at any rate."""
        which = station.across or station.traces
        wide = max(WINDOW * (s - p), 2 * S_PERIOD * self.period * self.record.interval)
        begin = max(self.sample(s - wide), self.sample(p) + self.period)
        return later_onset(self.rows[which], begin, self.sample(s + wide), S_PERIOD * self.period)


def pick_events(
    records: Records, *, model: Any = None, vp_vs: float = VP_VS, rounds: int = 3, frequency: float | None = None,
    picker: Callable[[Record], tuple[NDArray[np.float64], ...]] | None = None, progress: Callable[[str], object] | None = None,
) -> PickedEvents:
    """P and S of all records of a network, and where their events were.

    Parameters
    ----------
    model, vp_vs
        To locate in: a `Model` of P, the name of its file, or by default iasp91; and the ratio of
        velocities.
    rounds
        How often locations guide the picks; 0: never, and then there is no S.
    frequency
        Of P in Hz; None: measured.
    picker
        Gives times and errors of P and of S per trace of a record in place of ours, as
        `fermat.picking.deep_picker` does; the location then only leaves out what does not fit.
    progress
        Called with a sentence per step.

    >>> import fermat as fm
    >>> from fermat.picking import synthetic_network
    >>> true = synthetic_network("network", events=1)
    >>> fm.records("network").pick()
    PickedEvents(8 P and 8 S of 1 events, 1 located, ... Hz)
    """
    if rounds < 0:
        raise ValueError(f"rounds is {rounds} (must be >= 0)")
    if frequency is not None and not frequency > 0:
        raise ValueError(f"frequency is {frequency:g} Hz (must be > 0)")
    say = progress or (lambda _: None)
    out = PickedEvents(records, frequency_of_events(records) if frequency is None else frequency)
    say(f"first arrivals of {out.frequency:.3g} Hz")
    placed = any(np.isfinite(record.receivers).all(axis=1).any() for record in records)
    ground = Ground.of(model, records, vp_vs) if placed else None
    events = [] if picker else [_Event(record, out.frequency) for record in records]
    for n, record in enumerate(records):
        if picker:
            out.time[n], out.error[n], out.later.time[n], out.later.error[n] = picker(record)
        else:
            _pick(out, n, events[n])
    for turn in range(rounds if ground else 0):
        how = {"likelihood": "edt"} if turn == 0 and not picker else {}
        if ground is None or not _locate(out, ground, **how):
            break
        say(f"round {turn + 1}: {out!r}")
        for n, event in enumerate(events):
            _pick(out, n, event)
    if ground is not None and _locate(out, ground):
        _leave_out(out)
        _locate(out, ground)
    return out


def _pick(out: PickedEvents, n: int, event: _Event) -> None:
    """All stations of one event, by what is predicted so far."""
    record = event.record
    for each in (out, out.later):
        each.time[n][:] = each.error[n][:] = np.nan
        each.quality[n][:], each.polarity[n][:] = 0, 0
    row = None if out.located is None else out.located.row.get(n)
    origin = np.nan
    if row is not None and out.located is not None and record.began is not None:
        origin = float(out.located.catalogue.origin_time[row]) - float(record.began.timestamp)
    for k, station in enumerate(event.stations):
        wanted = [np.nan if each is None else each[station.traces[0]] for each in _predicted(out, n)]
        first = event.first(k, wanted[0], origin)
        if first is not None:
            _keep(out, n, station.for_p, first, record, DELAY * event.period)
        if not np.isfinite(wanted).all():
            continue
        began = wanted[0] if first is None else record.start + first.at * record.interval
        later = event.later(station, began, wanted[1])
        if later is not None:
            _keep(out.later, n, station.for_s, later, record, DELAY * event.period)


def _predicted(out: PickedEvents, n: int) -> tuple[Any, Any]:
    return (None, None) if out.located is None else (out.located.first[n], out.located.later[n])


def _keep(found: Picked, n: int, trace: int, onset: Onset, record: Record, late: float) -> None:
    found.time[n][trace] = record.start + (onset.at - late) * record.interval
    found.error[n][trace] = onset.error * record.interval
    found.polarity[n][trace] = onset.sign
    found.quality[n][trace] = float(np.clip(np.log(max(onset.size, 1)) / np.log(30), 0, 1))


def _locate(out: PickedEvents, ground: Ground, **options: Any) -> bool:
    try:
        out.located = locate_events(out.records, ground, arrivals_of(out, out.later), **options)
    except (ValueError, RuntimeError):
        return False
    out.predicted, out.later.predicted = out.located.first, out.located.later
    return True


def _leave_out(out: PickedEvents) -> None:
    """What the location calls gross is no pick."""
    if out.located is None:
        return
    fits, catalogue = out.located.catalogue.fits, out.located.catalogue
    placed = {event for event, known in zip(catalogue.event, catalogue.located) if known}
    gross = {
        (event, station, phase) for event, station, phase, weight in zip(
            fits["event"], fits["station"], fits["phase"], fits["weight"]) if event in placed and weight < UNLIKELY}
    for n, record in enumerate(out.records):
        for station in stations_in(record):
            for phase, each in (("P", out), ("S", out.later)):
                if (record.name, station.name, phase) in gross:
                    for k in station.traces:
                        each.time[n][k] = each.error[n][k] = np.nan
                        each.quality[n][k], each.polarity[n][k] = 0, 0
