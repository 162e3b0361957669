"""Location with later phases in layers: Pg and Pn apart, depths from PmP and pP."""

import fermat as fm
import numpy as np
import pytest


def medium(relief=False):
    moho = (lambda x, y: 30 + 0.02 * (x - 100) + np.sin(y / 30)) if relief else 30.0
    layers = [np.array([[0, 6.0], [40, 6.6]]), np.array([[0, 7.9], [60, 8.2]])]
    return fm.Medium(layers, {"moho": moho}, shape=(41, 41, 13), spacing=5.0, vp_over_vs=1.73)


STATIONS = np.array([(20, 30, 0), (180, 40, 0), (30, 170, 0), (165, 185, 0), (100, 10, 0), (10, 100, 0)], float)
PLACES = np.array([(98.0, 104.0, 8.0), (106.0, 97.0, 19.0)])
TABLE = {"station": [f"S{n}" for n in range(6)], **dict(zip("xyz", STATIONS.T, strict=True))}


def picks_of(layers, phases, noise=0.0, seed=1):
    rng = np.random.default_rng(seed)
    out = {name: [] for name in ("event", "station", "phase", "time", "error")}
    for phase in phases:
        rays = fm.phase_rays(layers, phase, PLACES, STATIONS)
        for n in np.flatnonzero(rays.arrived):
            out["event"].append(f"q{rays.sources[n]}")
            out["station"].append(f"S{rays.receivers[n]}")
            out["phase"].append(phase)
            out["time"].append(100.0 * rays.sources[n] + rays.times[n] + noise * rng.standard_normal())
            out["error"].append(0.05)
    return out


@pytest.mark.filterwarnings("ignore:.*rays of")
@pytest.mark.parametrize("relief", [False, True])
def test_exact_times_of_named_phases_give_the_place(relief):
    layers = medium(relief)
    found = fm.locate(layers, picks_of(layers, ["Pg", "Pn", "PmP"]), stations=TABLE, model_error=0)
    assert found.status == ["located", "located"]
    assert np.abs(found.position - PLACES).max() < 0.01
    assert np.abs(found.origin_time - [0, 100]).max() < 0.003
    assert set(found.fits["phase"]) == {"Pg", "Pn", "PmP"}
    assert np.nanmax(np.abs(found.fits["residual"])) < 2e-3
    later = found.fits["phase"] == "PmP"
    assert (found.fits["take_off"][later] < 80).all()  # down to the Moho


@pytest.mark.filterwarnings("ignore:.*rays of")
def test_reflections_tell_the_depth():
    layers = medium()
    picks = picks_of(layers, ["Pg", "PmP"], 0.05)
    both = fm.locate(layers, picks, stations=TABLE, model_error=0)
    keep = [n for n, phase in enumerate(picks["phase"]) if phase == "Pg"]
    direct = fm.locate(layers, {name: [values[n] for n in keep] for name, values in picks.items()}, stations=TABLE,
                       model_error=0)
    known, poor = (np.sqrt(one.covariance[:, 2, 2]) for one in (both, direct))
    assert (known < 0.3 * poor).all()
    assert (np.abs(both.position[:, 2] - PLACES[:, 2]) < 3 * known).all()


@pytest.mark.filterwarnings("ignore:.*rays of")
def test_the_covariance_is_that_of_the_derivatives():
    """Errors of 0.05 s are as large as those of 40 draws."""
    layers = medium()
    truth = picks_of(layers, ["Pg", "Pn", "PmP"])
    exact = np.array(truth["time"])
    rng = np.random.default_rng(3)
    off = []
    for _ in range(8):
        truth["time"] = exact + 0.05 * rng.standard_normal(len(exact))
        found = fm.locate(layers, truth, stations=TABLE, model_error=0, outliers=0)
        off.append([p @ np.linalg.solve(c, p) for p, c in zip(found.position - PLACES, found.covariance, strict=True)])
    assert 1.5 < np.mean(off) < 5.5  # 3 numbers each


@pytest.mark.filterwarnings("ignore:.*rays of")
def test_phases_that_cannot_be_used_are_counted_and_named():
    layers = medium()
    picks = picks_of(layers, ["Pg", "PmP"])
    for phase in ("P9P", "PG"):
        for name, value in (("event", "q0"), ("station", "S1"), ("phase", phase), ("time", 30.0), ("error", 0.05)):
            picks[name].append(value)
    with pytest.warns(UserWarning, match=r"1 of \d+ picks are not used: their phases are not in the medium \('P9P' 1"):
        found = fm.locate(layers, picks, stations=TABLE, model_error=0)
    assert np.abs(found.position[0] - PLACES[0]).max() < 0.5  # PG is Pg, grossly late
    assert found.fits["phase"][-1] == "Pg" and found.fits["weight"][-1] < 0.1
    with pytest.raises(ValueError, match="samples cannot be had with later phases"):
        fm.locate(layers, picks, stations=TABLE, samples=10)


def test_p_and_s_alone_are_first_arrivals():
    layers = medium()
    rays = fm.phase_rays(layers, "P", PLACES, STATIONS)
    picks = {"event": rays.sources, "station": [f"S{n}" for n in rays.receivers], "phase": ["P"] * len(rays),
             "time": rays.times, "error": np.full(len(rays), 0.05)}
    found = fm.locate(layers, picks, stations=TABLE, model_error=0, samples=20)
    assert len(found.samples[0]) == 20 and found.status == ["located"] * 2


@pytest.mark.filterwarnings("ignore:.*rays of")
def test_an_event_that_its_picks_contradict_is_c_at_best_with_later_phases():
    layers = medium()
    angle = np.arange(9) * 2 * np.pi / 9
    near = np.column_stack([98 + 25 * np.cos(angle), 104 + 25 * np.sin(angle), 0 * angle])
    near[0] = (101, 103, 0)
    table = {"station": list("ABCDEFGHI"), **dict(zip("xyz", near.T, strict=True))}
    rows = [(phase, rays.receivers[n], rays.times[n]) for phase in ("Pg", "PmP")
            for rays in (fm.phase_rays(layers, phase, PLACES[:1], near),) for n in np.flatnonzero(rays.arrived)]
    picks = {"event": ["q"] * len(rows), "station": ["ABCDEFGHI"[row[1]] for row in rows],
             "phase": [row[0] for row in rows], "error": [0.05] * len(rows)}
    clean = fm.locate(layers, picks | {"time": [row[2] for row in rows]}, stations=table, model_error=0)
    assert clean.quality[0] in ("A", "B")
    wrong = [time + (40 + n if phase == "PmP" and n % 3 else 0) for phase, n, time in rows]
    with pytest.warns(UserWarning, match="1 of 1 events are contradicted by more than a quarter of their picks"):
        found = fm.locate(layers, picks | {"time": wrong}, stations=table, model_error=0)
    assert np.abs(found.position[0] - PLACES[0]).max() < 0.1  # the place itself is right
    assert found.status == ["located"] and found.quality[0] == "C"


@pytest.mark.filterwarnings("ignore:.*rays of")
def test_fewer_than_least_picks_that_agree_are_not_located_with_later_phases():
    layers = medium()
    picks = picks_of(layers, ["Pg", "PmP"])
    rng = np.random.default_rng(5)
    picks["time"] = [time + rng.uniform(-20, 20) for time in picks["time"]]
    with pytest.warns(UserWarning, match="2 of 2 events have no place that 8 of their picks agree with") as told:
        found = fm.locate(layers, picks, stations=TABLE, model_error=0, least_picks=8)
    assert found.status == ["few_used"] * 2 and np.isnan(found.position).all()
    assert sum("agree with" in str(one.message) for one in told) == 1  # the last word alone
