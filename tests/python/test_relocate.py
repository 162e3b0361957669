"""`fermat.relocate`, hypoDD's files and the picture of a catalogue."""

import fermat as fm
import numpy as np
import pytest

VP_VS = 1.73


@pytest.fixture(scope="module")
def swarm():
    """A model, 24 events off by 0.2 km, 10 stations, and their exact differences."""
    rng = np.random.default_rng(3)
    model = fm.Model.gradient((31, 31, 13), v0=4.5, gradient=0.15, spacing=1)
    stations = {"station": [f"S{n}" for n in range(10)], "x": 15 + 12 * np.cos(2.4 * np.arange(10)),
                "y": 15 + 12 * np.sin(2.4 * np.arange(10)), "z": np.zeros(10)}
    true = np.column_stack([15 + rng.normal(0, 1, 24), 15 + rng.normal(0, 1, 24), 6 + rng.normal(0, 0.4, 24)])
    at = np.column_stack([stations[axis] for axis in "xyz"])
    times = fm.receiver_times(model, at, true)
    off = rng.normal(0, 0.2, true.shape)
    given = true + off - off.mean(axis=0)
    events = {"event": [str(100 + n) for n in range(24)], "x": given[:, 0], "y": given[:, 1],
              "z": given[:, 2], "origin_time": 1e9 + 100.0 * np.arange(24)}
    first, second = np.triu_indices(24, 1)
    columns = {"first": [], "second": [], "station": [], "phase": [], "time": [], "kind": []}
    for a, b in zip(first, second, strict=True):
        for s in range(10):
            for phase, factor in (("P", 1), ("S", VP_VS)):
                row = (events["event"][a], events["event"][b], f"S{s}", phase,
                       factor * (times[s, a] - times[s, b]), "correlation")
                for name, value in zip(columns, row, strict=True):
                    columns[name].append(value)
    return model, true, events, stations, columns


def spread(true, found):
    off = found - true
    return np.median(np.linalg.norm(off - off.mean(axis=0), axis=1))


def test_tables_and_files_give_the_same_places(swarm, tmp_path):
    model, true, events, stations, differences = swarm
    found = fm.relocate(model, events, stations, differences, vp_vs=VP_VS)
    assert spread(true, found.given) > 0.2 > 0.02 > spread(true, found.position)
    assert (found.cluster == 0).all() and len(found) == 24 and "24 of 24" in repr(found)
    assert found.rms[1] < 0.01 < found.rms_before[1] and np.isnan(found.rms[0])
    assert set(found.to_columns()) >= {"event", "x", "y", "z", "origin_time", "error_x"}

    for name, table, key in (("events.csv", events, "event"), ("stations.csv", stations, "station")):
        rows = zip(*(table[column] for column in table), strict=True)
        text = "\n".join(",".join(str(value) for value in row) for row in rows)
        (tmp_path / name).write_text(",".join(table) + "\n" + text + "\n")
        assert next(iter(table)) == key
    lines, pair = [], None
    for row in zip(*differences.values(), strict=True):
        if row[:2] != pair:
            pair = row[:2]
            lines.append("# {} {} 0.0".format(*pair))
        lines.append(f"{row[2]} {row[4]!r} 1.0 {row[3]}".replace("np.float64(", "").replace(")", ""))
    lines += ["# 100 999 0.0", "S0 0.1 1.0 P"]
    (tmp_path / "dt.cc").write_text("\n".join(lines) + "\n")
    with pytest.warns(UserWarning, match=r"1 of 5521 differences are left out: events that are not"):
        again = fm.relocate(model, tmp_path / "events.csv", tmp_path / "stations.csv",
                            [tmp_path / "dt.cc"], vp_vs=VP_VS)
    assert np.allclose(again.position, found.position, atol=1e-4)


@pytest.mark.parametrize(("change", "words"), [
    ({"phase": ["X"]}, "phase is 'X'"),
    ({"first": ["nobody"]}, "name a first that is not known"),
    ({"time": [np.nan]}, "must be finite"),
    ({"weight": [-1.0]}, "weight"),
    ({"kind": ["guess"]}, "kind is 'guess'"),
])
def test_what_is_wrong_is_said(swarm, change, words):
    model, _, events, stations, _ = swarm
    one = {"first": ["100"], "second": ["101"], "station": ["S0"], "phase": ["P"], "time": [0.1]}
    with pytest.raises(ValueError, match=words):
        fm.relocate(model, events, stations, one | change)
    with pytest.raises(ValueError, match="both be files"):
        fm.relocate(model, "events.csv", stations, one)


def test_a_catalogue_is_drawn(swarm, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot

    model, _, events, stations, differences = swarm
    found = fm.relocate(model, events, stations, differences, vp_vs=VP_VS)
    figure = fm.plot.catalogue(found, stations=np.column_stack([stations[axis] for axis in "xyz"]))
    figure.savefig(tmp_path / "swarm.png")
    assert (tmp_path / "swarm.png").stat().st_size > 10000
    assert [ax.get_xlabel() for ax in figure.axes][1] == "events"
    pyplot.close(figure)
