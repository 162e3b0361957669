"""Locating events from Python: tables and files, the true place, what is refused."""

import fermat as fm
import numpy as np
import pytest

VP_VS = 1.73


@pytest.fixture(scope="module")
def crust():
    """A small crust whose velocity differs in all directions."""
    x, y, z = np.meshgrid(*(np.arange(n) * 2.0 for n in (16, 16, 9)), indexing="ij")
    velocity = (5 + 0.1 * z) * (1 + 0.05 * np.sin(x / 6) * np.cos(y / 7))
    return fm.Model(velocity.astype(np.float32), spacing=2)


@pytest.fixture(scope="module")
def quakes(crust):
    """True places and times, and tables of stations and phases."""
    places = np.array([[9.5, 14.2, 7.3], [21.1, 8.8, 11.0], [15.0, 20.3, 4.4]])
    origins = np.array([100.25, 200.5, 300.75])
    at = np.array([(x, y, 0.0) for x in (3, 11, 19, 27) for y in (4, 15, 26)])
    stations = {"station": [f"S{n}" for n in range(len(at))], "x": at[:, 0], "y": at[:, 1], "z": at[:, 2]}
    times = fm.receiver_times(crust, at, places)
    rows = [
        (f"q{e}", f"S{s}", phase, origins[e] + stretch * times[s, e], 0.02)
        for e in range(3)
        for s in range(len(at))
        for phase, stretch in (("P", 1), ("S", VP_VS))
    ]
    names = ("event", "station", "phase", "time", "error")
    phases = {name: [row[n] for row in rows] for n, name in enumerate(names)}
    return places, origins, stations, phases


def test_tables_and_files_give_the_true_places(crust, quakes, tmp_path):
    places, origins, stations, phases = quakes
    found = fm.locate(crust, phases, stations=stations, vp_vs=VP_VS, model_error=0)
    assert found.status == ["located"] * 3 and found.event == ["q0", "q1", "q2"]
    assert np.allclose(found.position, places, atol=0.02)
    assert np.allclose(found.origin_time, origins, atol=0.005)
    assert (found.used == 24).all() and (np.abs(found.fits["residual"]) < 0.01).all()
    assert (found.axis_95 > found.axis_68).all() and "3 of 3 events" in repr(found)
    for name, table in (("stations.csv", stations), ("phases.csv", phases)):
        lines = [",".join(table), *(",".join(map(str, row)) for row in zip(*table.values(), strict=True))]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    again = fm.locate(crust, tmp_path / "phases.csv", stations=tmp_path / "stations.csv",
                      vp_vs=VP_VS, model_error=0, threads=2)
    assert (again.position == found.position).all()
    slow = fm.Model(crust.velocity / np.float32(VP_VS), spacing=2)
    other = fm.locate(crust, phases, stations=stations, s_model=slow, model_error=0)
    assert np.allclose(other.position, found.position, atol=0.02)


def test_kept_depths_boxes_and_samples(crust, quakes):
    places, _, stations, phases = quakes
    given = {"event": ["q0", "q1", "q2"], **dict(zip("xyz", places.T, strict=True))}
    kept = fm.locate(crust, phases, stations=stations, events=given, vp_vs=VP_VS, fixed="depth",
                     model_error=0, samples=40, box=[(2, 2, 0), (28, 28, 16)])
    assert (kept.position[:, 2] == places[:, 2]).all()
    assert all(drawn.shape == (40, 3) for drawn in kept.samples)
    assert np.allclose(kept.mean, kept.position, atol=0.2)
    with pytest.warns(UserWarning, match="3 of 3 events lie on a face"):
        fm.locate(crust, phases, stations=stations, vp_vs=VP_VS, box=[(2, 2, 12), (28, 28, 16)])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"vp_vs": None}, "the medium has one velocity"),
        ({"vp_vs": 0.5}, "Vp/Vs is 0.5"),
        ({"stations": None}, "stations is missing"),
        ({"fixed": "depth"}, "event 0 has no position"),
        ({"outliers": 0.9}, "outliers is 0.9"),
        ({"box": [(0, 0, 0)]}, "box has 1 corners"),
        ({"prior": (1, 2)}, "prior is"),
    ],
)
def test_what_is_wrong_is_said(crust, quakes, change, words):
    _, _, stations, phases = quakes
    arguments = {"stations": stations, "vp_vs": VP_VS} | change
    with pytest.raises(ValueError, match=words):
        fm.locate(crust, phases, **arguments)


def test_what_few_picks_agree_with_is_not_located(crust, quakes):
    """Times in ms, and picks of two events under one name: no place is made of the one pick that
    fits anywhere, and units and events are asked about."""
    _, _, stations, phases = quakes
    milli = phases | {"time": 1000 * (np.array(phases["time"]) % 100)}
    with pytest.warns(UserWarning) as told:
        found = fm.locate(crust, milli, stations=stations, vp_vs=VP_VS, model_error=0.05)
    assert found.status == ["few_used"] * 3 and (found.used < 4).all() and (found.picks == 24).all()
    assert np.isnan(found.position).all() and np.isnan(found.rms).all() and not found.located.any()
    assert np.isnan(found.fits["residual"]).all() and (found.fits["weight"] == 0).all()
    words = " ".join(str(one.message) for one in told)
    assert "3 of 3 events have picks up to" in words and "are times in the model's unit" in words
    assert "3 of 3 events have no place that 4 of their picks agree with" in words
    mixed = phases | {"event": ["one"] * len(phases["event"])}
    with pytest.warns(UserWarning, match="are all picks of an event its own"):
        fm.locate(crust, mixed, stations=stations, vp_vs=VP_VS, model_error=0.05)


def test_stations_in_metres_are_asked_about_and_cost_nothing(quakes):
    _, _, stations, phases = quakes
    layered = fm.Model.gradient((16, 16, 9), v0=5, gradient=0.1, spacing=2)
    metres = stations | {"x": 1e6 * stations["x"], "y": 1e6 * stations["y"]}
    with pytest.warns(UserWarning, match="are stations and model in one unit of length"):
        found = fm.locate(layered, phases, stations=metres, vp_vs=VP_VS)
    assert found.status == ["few_picks"] * 3
    beside = stations | {"x": stations["x"] - 100}
    assert len(fm.locate(layered, phases, stations=beside, vp_vs=VP_VS)) == 3  # beside it is fine


def obspy_event(stations, times, *, network="XX", hint="P", uncertainty=0.05):
    from types import SimpleNamespace as Thing

    origin = Thing(longitude=10.0, latitude=45.0, depth=6000.0, time=1e9, arrivals=[])
    return Thing(
        resource_id="smi:local/event/q7", origins=[origin], preferred_origin=lambda: origin,
        picks=[Thing(waveform_id=Thing(network_code=network, station_code=name), phase_hint=hint,
                     time=1e9 + time, time_errors=Thing(uncertainty=uncertainty), resource_id=name)
               for name, time in zip(stations, times, strict=True)])


def test_catalogues_of_obspy_are_located_with_p_and_s():
    from types import SimpleNamespace as Thing

    class Network(list):
        code = "XX"

    model = fm.Model.gradient((41, 41, 16), v0=5, gradient=0, origin=(-20, -20, -1))
    plane = fm.Plane("local plane: longitude=10 latitude=45 metres=1000")
    at = np.array([(-12, -9, 0), (13, -11, 0), (-10, 12, 0), (12, 13, 0), (1, 2, 0)], float)
    longitude, latitude = plane.to_geographic(at[:, 0], at[:, 1])
    network = Network(Thing(code=name, longitude=x, latitude=y, elevation=0.0)
                      for name, x, y in zip("ABCDE", longitude, latitude, strict=True))
    times = np.linalg.norm(at - (2, 1, 6), axis=1) / 5
    event = obspy_event("ABCDE", times)
    event.picks += obspy_event("ABCDE", 1.75 * times, hint="S", uncertainty=None).picks
    event.picks += obspy_event("AB", times[:2], network="YY").picks
    event.picks += obspy_event("C", times[:1], hint=None).picks + obspy_event("Z", times[:1]).picks
    with pytest.warns(UserWarning) as told:
        found = fm.locate(model, [event], inventory=[network], vp_vs=1.75, model_error=0.05, centre=(10, 45))
    words = " ".join(str(one.message) for one in told)
    for part in ("3 of 14 picks of the catalogue were left out: 2 have another network code",
                 "1 are at stations that are not in the inventory (XX.Z)",
                 "the catalogue: 1 of 11 picks are left out: without a phase", "5 of 10 errors are missing"):
        assert part in words, words
    assert found.event == ["q7"] and np.allclose(found.position[0], (2, 1, 6), atol=0.1)
    assert np.allclose([found.to_columns()[name][0] for name in ("longitude", "latitude")],
                       np.ravel(plane.to_geographic(2, 1)), atol=1e-3)
    with pytest.raises(ValueError, match="inventory"):
        fm.locate(model, [event])
    with pytest.raises(ValueError, match="^the catalogue has no pick that can be used"):
        fm.locate(model, [obspy_event("ABCDE", times, hint="LR")], inventory=[network], centre=(10, 45))


def test_tables_have_heights_and_degrees_as_files_do():
    """Longitudes, latitudes and elevations in m: on a plane, and in a spherical model of stations on mountains."""
    plane = fm.Plane("local plane: longitude=10 latitude=45 metres=1000")
    at = np.array([(-12, -9, -0.9), (13, -11, -0.4), (-10, 12, -1.6), (12, 13, -2.2), (1, 2, -0.1)], float)
    longitude, latitude = plane.to_geographic(at[:, 0], at[:, 1])
    stations = {"station": list("ABCDE"), "longitude": longitude, "latitude": latitude, "elevation": -1000 * at[:, 2]}
    model = fm.Model.gradient((41, 41, 19), v0=5, gradient=0, origin=(-20, -20, -3))
    picks = {"event": ["q"] * 5, "station": list("ABCDE"), "time": np.linalg.norm(at - (2, 1, 6), axis=1) / 5}
    found = fm.locate(model, picks, stations=stations, model_error=0.02, centre=(10, 45))
    assert np.allclose(found.position[0], (2, 1, 6), atol=0.05)
    assert np.allclose([found.to_columns()[name][0] for name in ("longitude", "latitude")],
                       np.ravel(plane.to_geographic(2, 1)), atol=1e-3)
    earth = fm.Earth("ak135").model((44.7, 45.3), (9.7, 10.3), 20, spacing=(0.05, 0.05, 2.5), top=-2.5)
    places = np.column_stack([latitude, longitude, at[:, 2]])
    picks["time"] = fm.receiver_times(earth, [(45.02, 10.03, 7.0)], places)[0]
    quake = fm.locate(earth, picks, stations=stations, model_error=0.02)
    assert np.allclose(quake.position[0], (45.02, 10.03, 7.0), atol=(0.002, 0.002, 0.1))
    with pytest.raises(ValueError, match="centre is for stations with longitudes"):
        fm.locate(earth, picks, stations=stations, centre=(10, 45))
