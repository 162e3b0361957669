"""Curved coordinates and anisotropy in use: inversion, location, files and pictures."""

from __future__ import annotations

from pathlib import Path

import fermat as fm
import matplotlib.pyplot as plt
import numpy as np
import pytest

STATIONS = [(-41.3, 178.8, 0.0), (-41.2, -179.2, 0.0), (-39.4, 178.9, 0.0), (-39.2, -178.9, 0.0),
            (-40.3, -179.8, 0.0), (-40.4, 179.4, 0.0)]


def region() -> fm.Model:
    """Four degrees across the date line, 80 km deep, with geodetic latitudes of points."""
    v = np.broadcast_to(6 + 0.02 * np.linspace(0, 80, 9), (13, 13, 9)).astype(np.float32)
    return fm.Model(v, spacing=(0.25, 0.25, 10), origin=(-41.5, 178.4, 0), coordinates="spherical",
                    geodetic=True)


def bumped(model: fm.Model) -> fm.Model:
    i, j, k = np.indices(model.shape)
    bump = np.exp(-((i - 6) ** 2 + (j - 6) ** 2) / 8 - (k - 4) ** 2 / 6)
    return fm.Model(model.velocity * (1 + 0.06 * bump), spacing=model.spacing, origin=model.origin, coordinates="spherical",
                    geodetic=True)


def test_a_region_is_inverted_and_drawn(tmp_path: Path) -> None:
    model = region()
    random = np.random.default_rng(2)
    events = np.column_stack([random.uniform(-41.2, -39.2, 12), random.uniform(178.6, 181.2, 12),
                              random.uniform(15, 75, 12)])
    picks = fm.synthetic_picks(bumped(model), events, STATIONS, noise=0.05)
    run = fm.invert(model, picks, regularisation="second")
    assert run.model.coordinates == "spherical"
    assert run.chi2 < 1.3 < run.history["chi2"][0]
    assert run.coverage.shape == (12, 12, 8)
    ax = fm.plot.map(run, depth=30)
    assert ax.get_xlabel() == "longitude (°)"
    assert ax.get_xlim()[1] > 181
    ax = fm.plot.section(run.model, x=-40, times=fm.traveltimes(model, events[0]))
    assert ax.get_ylabel() == "depth (km)"
    plt.close("all")
    files = fm.export.paraview(run.model, tmp_path, rays=fm.rays(model, events[0], STATIONS))
    assert files["velocity"].suffix == ".vts"
    with pytest.raises(ValueError, match=r"latitude is 12 \(must lie between -41"):
        fm.plot.section(model, x=12)


def test_events_of_a_region_are_located() -> None:
    model = region()
    place = (-40.2, -179.9, 33.0)
    names = [f"S{n}" for n in range(len(STATIONS))]
    latitude, longitude, depth = np.array(STATIONS).T
    at = {"station": names, "latitude": latitude, "longitude": longitude, "depth": depth}
    times = 50 + fm.receiver_times(model, place, STATIONS)[0]
    phases = {"event": ["e"] * len(names), "station": names, "time": times, "error": [0.02] * 6}
    found = fm.locate(model, phases, stations=at, model_error=0.0, samples=50)
    got = found.position[0]
    assert abs(got[0] - place[0]) < 0.005
    assert abs((got[1] - place[1] + 180) % 360 - 180) < 0.005
    assert abs(got[2] - place[2]) < 1
    assert found.origin_time[0] == pytest.approx(50, abs=0.05)
    assert list(found.to_columns())[2:5] == ["latitude", "longitude", "depth"]
    # The second station lies to the south-east.
    assert 90 < found.fits["azimuth"][1] < 180
    assert found.fits["distance"][0] == pytest.approx(164, rel=0.05)
    assert 0.02 < np.sqrt(found.covariance[0, 0, 0]) < 0.5
    with pytest.raises(ValueError, match="stations has no column '(longitude|x)'"):
        fm.locate(model, phases, stations={"station": names, "latitude": latitude})


def test_events_inside_a_hill_are_located() -> None:
    x = np.linspace(0, 20, 21)
    surface = 1 - 3 * np.exp(-((x[:, None] - 10) ** 2 + (x - 9) ** 2) / 20)
    at = fm.Model(np.ones((21, 21, 13)), spacing=1, surface=surface).node_positions()
    model = fm.Model(4 + 0.1 * at[..., 2], spacing=1, surface=surface)
    stations = at[[2, 4, 9, 10, 12, 15, 18, 17], [3, 16, 4, 9, 14, 8, 3, 17], 0]
    names = [f"S{n}" for n in range(len(stations))]
    place = (10.0, 9.0, -1.2)  # above the plain round the hill
    phases = {"event": ["e"] * 8, "station": names, "error": [0.01] * 8,
              "time": 7 + fm.receiver_times(model, place, stations)[0]}
    table = dict(zip(("station", "x", "y", "z"), (names, *stations.T), strict=True))
    found = fm.locate(model, phases, stations=table, model_error=0.0)
    assert found.position[0] == pytest.approx(place, abs=0.15)
    assert found.status == ["located"]


def test_picks_come_back_from_their_plane(tmp_path: Path) -> None:
    file = tmp_path / "picks.csv"
    file.write_text(
        "source_longitude,source_latitude,source_z,receiver_longitude,receiver_latitude,receiver_z,"
        "time\n179.25,-40.5,30,-179.5,-40.25,0,20\n179.25,-40.5,30,179,-41,0,15\n"
    )
    with pytest.warns(UserWarning, match="were put on the local plane"):
        picks = fm.picks(file).geographic()
    assert picks.sources.tolist() == [[-40.5, 179.25, 30.0]]
    assert picks.receivers[1].tolist() == [-41.0, 179.0, 0.0]
    with pytest.raises(ValueError, match="have no plane"):
        picks.geographic()
    with pytest.warns(UserWarning), pytest.raises(ValueError, match="the model is spherical"):
        fm.invert(region(), fm.picks(file))
    flat = fm.Model(region().velocity, spacing=region().spacing, origin=region().origin)
    with pytest.raises(ValueError, match="other coordinates than the start model"):
        fm.invert(region(), picks, reference=flat, error=0.1)
    with pytest.raises(ValueError, match="different coordinates"):
        fm.locate(region(), {"event": [1], "station": ["A"], "time": [1.0]}, s_model=flat,
                  stations={"station": ["A"], "latitude": [-40], "longitude": [179], "depth": [0]})


def test_closed_forms_are_those_of_the_solver() -> None:
    v = np.full((21, 21, 21), 3.0, np.float32)
    to = [(1.9, 1.2, 0.3), (0.2, 0.4, 1.8)]
    tti = {"epsilon": 0.2, "delta": 0.1, "tilt": 35, "azimuth": 20}
    model = fm.Model(v, spacing=0.1, **tti)
    want = fm.analytic.thomsen_time((1, 1, 1), to, velocity=3, **tti)
    assert fm.receiver_times(model, (1, 1, 1), to)[0] == pytest.approx(want, rel=2e-4)
    tensor = fm.azimuthal_tensor(strength=0.1, fast=30)
    model = fm.Model(v, spacing=0.1, tensor=tensor)
    want = fm.analytic.elliptical_time((1, 1, 1), to, velocity=3, tensor=tensor)
    assert fm.receiver_times(model, (1, 1, 1), to)[0] == pytest.approx(want, rel=1e-5)
    along = (1 + 0.8 * np.cos(np.pi / 6), 1 + 0.8 * np.sin(np.pi / 6), 1)
    assert fm.receiver_times(model, (1, 1, 1), along)[0, 0] == pytest.approx(0.8 / 3.3, rel=1e-5)
    eigen = np.linalg.eigvalsh(fm.azimuthal_tensor(xi=0.03, eta=-0.04))
    assert eigen == pytest.approx([0.9, 1.0, 1.1])
    for wrong in ({}, {"strength": 0.1, "xi": 0.1}, {"strength": 1.5}, {"xi": 0.4, "eta": 0.4}):
        with pytest.raises(ValueError, match="give either|must be"):
            fm.azimuthal_tensor(**wrong)


def test_a_hill_is_drawn_and_shown_where_it_lies(tmp_path: Path) -> None:
    x = np.linspace(0, 4, 41)
    surface = 0.4 - 0.8 * np.exp(-((x - 2) ** 2) / 0.4)
    model = fm.Model(np.full((41, 21), 2.0), spacing=0.1, surface=surface)
    line = np.column_stack([x, surface])[2::4]
    rays = fm.rays(model, line[0], line)
    matrix = rays.sensitivity()
    assert matrix @ model.slowness.ravel() == pytest.approx(rays.times, rel=1e-6)
    assert rays.sensitivity("cells").sum(axis=1) == pytest.approx(rays.lengths, rel=1e-6)
    ax = fm.plot.section(model, rays=rays, times=fm.traveltimes(model, line[0]))
    assert ax.get_ylim()[0] > 2
    plt.close("all")
    model.write_vts(tmp_path / "hill.vts", {"time": fm.traveltimes(model, line[0])})
    text = (tmp_path / "hill.vts").read_bytes()
    assert b'Extent="0 40 0 0 0 20"' in text
    at = text.index(b'"raw">\n_') + len(b'"raw">\n_') + 8
    first = np.frombuffer(text[at : at + 12], "<f4")
    assert first == pytest.approx([0, 0, surface[0]], abs=1e-6)
    with pytest.raises(ValueError, match="has 5 values"):
        model.write_vts(tmp_path / "x.vts", {"time": np.zeros(5, np.float32)})
