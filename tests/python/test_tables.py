"""Tables as hostile as files: columns of other lengths, types and names are refused in a sentence.

Each mutation says what must follow: "refused" (ValueError or TypeError), "told" (refused, or a
UserWarning), or "same" (the result of the table as it was). Nothing may crash, show memory that is
not the table's, or be taken without a word.
"""

import random
import re
import warnings

import fermat as fm
import numpy as np
import pytest
from fermat import _core

PLACES = np.array([(20.0, 20.0, 8.0), (21.0, 20.5, 8.5), (19.0, 21.0, 9.0)])
STATIONS = np.array([(5.0, 5, 0), (35, 6, 0), (6, 34, 0), (33, 35, 0), (20, 4, 0), (4, 21, 0), (36, 20, 0)])
NAMES = [f"S{n}" for n in range(len(STATIONS))]


@pytest.fixture(scope="module")
def crust():
    return fm.Model.gradient((21, 21, 11), v0=5, gradient=0.05, spacing=2)


@pytest.fixture(scope="module")
def tables(crust):
    """Tables that every function of the module takes as they are."""
    times = fm.receiver_times(crust, STATIONS, PLACES)
    rows = [(e, s) for e in range(len(PLACES)) for s in range(len(STATIONS))]
    pairs = [(a, b, s) for a, b in ((0, 1), (1, 2), (0, 2)) for s in range(len(STATIONS))]
    return {
        "stations": {"station": list(NAMES), **dict(zip("xyz", STATIONS.T, strict=True))},
        "events": {"event": ["a", "b", "c"], **dict(zip("xyz", PLACES.T, strict=True)),
                   "origin_time": np.zeros(3)},
        "phases": {"event": ["abc"[e] for e, _ in rows], "station": [NAMES[s] for _, s in rows],
                   "phase": ["P"] * len(rows), "time": np.array([times[s, e] for e, s in rows]),
                   "error": np.full(len(rows), 0.05)},
        "differences": {"first": ["abc"[a] for a, _, _ in pairs], "second": ["abc"[b] for _, b, _ in pairs],
                        "station": [NAMES[s] for *_, s in pairs], "phase": ["P"] * len(pairs),
                        "time": np.array([times[s, a] - times[s, b] + 0.01 * (a - b) for a, b, s in pairs]),
                        "weight": np.ones(len(pairs)), "kind": ["catalogue"] * len(pairs)},
        "picks": {**{f"source_{axis}": np.array([PLACES[e][n] for e, _ in rows]) for n, axis in enumerate("xyz")},
                  **{f"receiver_{axis}": np.array([STATIONS[s][n] for _, s in rows]) for n, axis in enumerate("xyz")},
                  "time": np.array([times[s, e] for e, s in rows]), "error": np.full(len(rows), 0.05),
                  "phase": ["P"] * len(rows), "station": [NAMES[s] for _, s in rows]},
    }


def calls(crust):
    """Functions by name: the tables they take, and what they find as one array."""
    fixed = {"model_error": 0.05, "search_cells": 100, "threads": 1}
    return {
        "locate": (("phases", "stations", "events"), lambda phases, stations, events: fm.locate(
            crust, phases, stations=stations, events=events, **fixed).position),
        "relocate": (("events", "stations", "differences"), lambda events, stations, differences:
                     fm.relocate(crust, events, stations, differences, iterations=2, threads=1).position),
        "picks": (("picks",), lambda picks: fm.picks(picks).travel_time),
        "invert": (("picks",), lambda picks: fm.invert(
            crust, picks, method="gauss-newton", iterations=1, smoothing=10, threads=1).model.velocity),
    }


def shortened(column, rng):
    return list(column)[: rng.randrange(len(column))]


def lengthened(column, rng):
    return list(column) * rng.choice((2, 3, 1000))


def one_for_all(column, rng):
    return list(column)[:1]


def nothing(column, rng):
    return []


def no_column(column, rng):
    return rng.choice((column[0], None, "P", 7))


def nested(column, rng):
    return rng.choice(([[one] for one in column], [[one, one] for one in column], [[1], *[[1, 2]] * (len(column) - 1)]))


def with_gap(column, rng):
    out = list(column)
    out[rng.randrange(len(out))] = rng.choice((None, float("nan")))
    return out


def with_words(column, rng):
    out = list(column)
    out[rng.randrange(len(out))] = rng.choice(("?", "Q Q", "1e", "\x00"))
    return out


def infinite(column, rng):
    out = list(column)
    out[rng.randrange(len(out))] = rng.choice((float("inf"), -float("inf"), 1e400))
    return out


def complex_numbers(column, rng):
    return np.arange(len(column)) * 1j


def bare_dates(column, rng):
    out = np.array(["2018-11-30T17:29:35"] * len(column), dtype="datetime64[s]")
    out[rng.randrange(len(out))] = np.datetime64("NaT")
    return out


def as_array(column, rng):
    return np.array(column)


def as_objects(column, rng):
    return np.array(list(column), dtype=object)


def strided(column, rng):
    return np.repeat(np.array(column), 2)[::2]


LENGTHS = (shortened, lengthened, one_for_all, nothing, no_column, nested)
VALUES = (with_gap, with_words, infinite, complex_numbers, bare_dates)
FORMS = (as_array, as_objects, strided)
IDS = ("event", "station", "first", "second", "phase", "kind")


UNUSED = (("picks", "picks", "station"), ("invert", "picks", "station"), ("locate", "events", "origin_time"))


def expected(function, table, name, mutation):
    """What must follow from a mutation of a column of a table."""
    if mutation in LENGTHS:
        return "refused"
    if mutation in FORMS or (function, table, name) in UNUSED:
        return "same"
    if (function, table, name) == ("locate", "events", "event") and mutation in (with_words, infinite):
        return "same"  # places of events without picks are not used
    if (function, table, name) == ("locate", "phases", "event") and mutation is not with_gap:
        return "told"  # any word names an event, which then has one pick
    if (function, table) == ("locate", "events") and mutation is with_gap and name != "event":
        return "same"  # NaN: a place that is not known
    return "told" if mutation is with_gap and name not in IDS else "refused"


def outcome(call, given):
    """The result or the exception of a call, and what was told."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            return call(*given), [str(one.message) for one in told]
        except (ValueError, TypeError) as error:
            sentence = str(error)
            assert sentence and "\n" not in sentence, sentence
            assert not re.search(r"std::|bad_cast|incompatible function|broadcast", sentence), sentence
            # No number of a message may come from memory that is not the table's.
            assert all(abs(float(n)) < 1e5 for n in re.findall(r"(?<![\d.])\d+(?![\d.])", sentence)), sentence
            return error, []


@pytest.mark.parametrize("function", ["locate", "relocate", "picks", "invert"])
@pytest.mark.parametrize("seed", range(8))
def test_mutated_tables_are_refused_or_give_the_same(crust, tables, function, seed):
    rng = random.Random(f"{function} {seed}")
    names, call = calls(crust)[function]
    right, _ = outcome(call, [tables[name] for name in names])
    assert isinstance(right, np.ndarray), right
    columns = [(name, column) for name in names for column in tables[name]]
    for _ in range(60 if function != "invert" else 25):
        table, name = rng.choice(columns)
        mutation = rng.choice(LENGTHS * 2 + VALUES + FORMS)
        changed = dict(tables[table])
        changed[name] = mutation(changed[name], rng)
        found, told = outcome(call, [changed if one == table else tables[one] for one in names])
        must = expected(function, table, name, mutation)
        what = f"{function}: {mutation.__name__} of {name} of {table} gave {found!r}, {told}"
        if must == "refused":
            assert isinstance(found, Exception), what
        elif must == "told":
            assert isinstance(found, Exception) or told, what
        else:
            assert isinstance(found, np.ndarray) and np.array_equal(found, right), what


@pytest.mark.parametrize("function", ["locate", "relocate", "picks"])
def test_tables_without_a_column_or_rows_are_refused(crust, tables, function):
    names, call = calls(crust)[function]
    optional = {"phase", "error", "weight", "kind"} | ({"station"} if function == "picks" else set())
    optional |= {"origin_time"} if function == "locate" else set()
    for table in names:
        for name in tables[table]:
            less = {other: values for other, values in tables[table].items() if other != name}
            found, _ = outcome(call, [less if one == table else tables[one] for one in names])
            refused = isinstance(found, ValueError) and repr(name) in str(found)
            assert refused or name in optional, f"{table} without {name}: {found!r}"
        for broken in ({}, [1, 2], 7, {name: [] for name in tables[table]}):
            if function == "picks" and broken == {name: [] for name in tables[table]}:
                continue  # no picks are picks
            found, _ = outcome(call, [broken if one == table else tables[one] for one in names])
            assert isinstance(found, Exception), f"{table} as {broken!r}: {found!r}"


def test_names_that_are_missing_twice_or_not_known_are_refused(crust, tables):
    twice = tables["stations"] | {"station": ["S0", *NAMES[:-1]]}
    with pytest.raises(ValueError, match="stations has an id twice"):
        fm.locate(crust, tables["phases"], stations=twice)
    lost = tables["phases"] | {"event": [None, *tables["phases"]["event"][1:]]}
    with pytest.raises(ValueError, match="event in row 0 of picks is missing"):
        fm.locate(crust, lost, stations=tables["stations"])
    other = tables["phases"] | {"phase": ["PmP", *tables["phases"]["phase"][1:]]}
    with pytest.raises(ValueError, match="phase is 'PmP'"):
        fm.locate(crust, other, stations=tables["stations"])
    other["phase"] = ["PG", *tables["phases"]["phase"][1:]]
    assert fm.locate(crust, other, stations=tables["stations"], model_error=0.05).located.all()
    unknown = tables["differences"] | {"first": ["z", *tables["differences"]["first"][1:]]}
    with pytest.raises(ValueError, match="name a first that is not known"):
        fm.relocate(crust, tables["events"], tables["stations"], unknown)


def test_a_message_about_a_length_names_the_column(crust, tables):
    phases = tables["phases"]
    with pytest.raises(ValueError, match="column 'time' of picks has 1000000 values and 'event' has 21"):
        fm.locate(crust, phases | {"time": np.zeros(10**6)}, stations=tables["stations"])
    with pytest.raises(ValueError, match="column 'phase' of picks has 1 values"):
        fm.locate(crust, phases | {"phase": ["P"]}, stations=tables["stations"])
    with pytest.raises(ValueError, match="column 'station' of picks has 9 values"):
        fm.picks(tables["picks"] | {"station": list("ABCDEFGHI")})


def test_columns_that_reach_the_library_have_one_length(crust, tables):
    """Whoever calls: the library itself reads no column past its end."""
    picks = fm.picks(tables["picks"])
    survey = picks._survey()
    for name, wrong in (("event", 3), ("station", 40), ("phase", 1), ("error", 3), ("time", 5)):
        broken = survey | {name: np.resize(survey[name], wrong)}
        with pytest.raises(ValueError, match="must have one per row"):
            _core.locate(crust, None, 0.0, None, [], broken, None, None, None, {}, None)
        with pytest.raises(ValueError, match="must have one per row"):
            _core.make_differences(crust, broken, {})
    with pytest.raises(ValueError, match="must have one per row"):
        _core.settle_picks(np.zeros(3), np.ones(2))
    with pytest.raises(ValueError, match="must have one per row"):
        _core.to_plane(str(fm.Plane.round([12.0], [47.0])), np.zeros(3), np.zeros(1))
    with pytest.raises(ValueError, match="names a source or receiver that is not there"):
        _core.locate(crust, None, 0.0, None, [], survey | {"event": survey["event"] + 99}, None, None, None, {}, None)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"source": [0.5, 0, 0]}, "source is an array of float64"),
        ({"source": [np.nan, 0, 0]}, "source is an array of float64"),
        ({"receiver": ["a", "b", "c"]}, "receiver is an array of <U1"),
        ({"receiver": [0, 1]}, "receiver has 2 entries"),
        ({"receiver": [0, 1, 99]}, "runs from 0 to 99"),
        ({"phase": ["P", "S"]}, r"phase has the shape \(2,\)"),
        ({"phase": ["P"]}, r"phase has the shape \(1,\)"),
        ({"error": [0.1, 0.2]}, r"error has the shape \(2,\)"),
        ({"origin_time": [0, 0]}, "origin_time has 2 values for 1 sources"),
        ({"event": ["a", "b"]}, "event has 2 names for 1 points"),
        ({"time": np.array(["2018"] * 3, dtype="M8[Y]")}, r"time has dtype datetime64\[Y\]"),
        ({"time": np.ones(3) * 1j}, "time has dtype complex128"),
    ],
)
def test_arrays_of_picks_are_refused_by_name(change, words):
    given = {"source": [0, 0, 0], "receiver": [0, 1, 2], "time": [1.0, 2, 3]} | change
    with pytest.raises(ValueError, match=words):
        fm.Picks([(0, 0)], [(1, 0), (2, 0), (3, 0)], **given)
