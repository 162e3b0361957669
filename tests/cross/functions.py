"""Functions of the package, each on one case of the cross test."""

from __future__ import annotations

import pickle
from typing import Any

import fermat as fm
import matplotlib.pyplot as plt
import numpy as np
from case import ORIGIN_TIME, Case


def nodes_of(case: Case, model: fm.Model, times: np.ndarray) -> None:
    """Times at nodes against the closed form from the first station, at some nodes that are below
    the interfaces, of a medium with such; no wave arrives in air, and nowhere else."""
    at = model.node_positions()
    assert times.shape == at.shape[:-1] and not np.isnan(times).any()
    air = np.isinf(times)
    assert air.any() == model.has_air
    station = case.medium.stations[0]
    deep = [tuple(int(n * share) for n in times.shape) for share in (0.6, 0.75, 0.9)]
    want = [case.medium.time(at[node], station) for node in deep]
    assert np.abs(np.array([times[node] for node in deep]) / want - 1).max() < case.medium.tolerance


def traveltimes(case: Case) -> None:
    model = case.model()
    times = fm.traveltimes(model, case.medium.stations[0], precision=case.precision)
    assert times.dtype == (np.float32 if case.precision == "single" else np.float64)
    nodes_of(case, model, times)


def traveltime_gradient(case: Case) -> None:
    """The gradient is as long as the slowness: exactly in isotropic media, nearly with TTI."""
    model = case.model()
    times, gradient = fm.traveltimes(model, case.medium.stations[0], gradient=True,
                                     precision=case.precision)
    nodes_of(case, model, times)
    node = tuple(int(n * 0.75) for n in times.shape)
    velocity = model.velocity[node]  # of a cell, that beside the node
    length = np.linalg.norm(gradient[(slice(None), *node)] if gradient.shape[0] == model.ndim
                            else gradient[node])
    assert abs(length * velocity - 1) < (0.15 if "TTI" in case.medium.kinds else 0.02)


def receiver_times(case: Case) -> None:
    medium = case.medium
    case.agree(fm.receiver_times(case.model(), medium.events, medium.stations))


def rays(case: Case) -> None:
    medium = case.medium
    found = fm.rays(case.model(), medium.events, medium.stations)
    assert set(found.status) == {"ok"}
    case.agree(found.times.reshape(len(medium.events), -1))
    ends = np.array([way[-1] for way in found.paths]).reshape(len(medium.events), -1, medium.ndim)
    assert np.abs(ends - medium.events[:, None]).max() < 1e-3


def sensitivity(case: Case) -> None:
    """A row of the matrix times slowness is the time of its ray."""
    model = case.model()
    found = fm.rays(model, case.medium.events, case.medium.stations)
    basis = "cells" if model.cells else "nodes"
    matrix = found.sensitivity(basis)
    slowness = np.where(np.isfinite(model.slowness), model.slowness, 0).ravel()
    assert np.abs(matrix @ slowness / found.times - 1).max() < 1e-4


def synthetic_picks(case: Case) -> None:
    found = fm.synthetic_picks(case.model(), case.medium.events, case.medium.stations)
    case.agree(found.time.reshape(len(case.medium.events), -1))


def adjoint(case: Case) -> None:
    """Times grow as the slowness does, so derivatives by slowness, times slowness, are the time."""
    model = case.model()
    stations = case.medium.stations
    found = fm.adjoint(model, case.medium.events[0], receivers=stations,
                       by_receiver_times=np.ones(len(stations)), precision=case.precision)
    slowness = np.where(np.isfinite(model.slowness), model.slowness, 0)
    got, want = float((found.slowness * slowness).sum()), case.medium.times()[0].sum()
    assert abs(got / want - 1) < max(case.medium.tolerance, 1e-3)


def invert(case: Case, **options: Any) -> fm.Inversion:
    """From a medium 5 % too slow."""
    start = case.medium.slower(1.05)
    run = fm.invert(start, case.picks(), iterations=2, threads=1, **case.vp_vs, **options)
    assert run.model.coordinates == start.coordinates
    assert run.model.anisotropy == start.anisotropy and run.model.cells == start.cells
    rms = run.history["rms"]
    assert np.isfinite(rms).all() and rms[-1] < 0.6 * rms[0], rms
    return run


def invert_gauss_newton(case: Case) -> None:
    invert(case, method="gauss-newton", regularisation="second", smoothing=0.1)


def invert_hole(case: Case) -> None:
    invert(case, method="hole")


def invert_adjoint(case: Case) -> None:
    invert(case, method="adjoint")


def invert_relocating(case: Case) -> None:
    """Velocities from events that may move, and places in the true medium from those off theirs."""
    invert(case, relocate="all", start_places="given", regularisation="second", smoothing=0.1)
    picks = case.picks(events=case.displaced())
    run = fm.invert(case.model(), picks, relocate="all", velocities="none", iterations=8, threads=1, **case.vp_vs)
    case.at_events(run.events["position"])
    moved = np.linalg.norm(run.events["shift"], axis=1)
    assert np.allclose(moved, case.lengths(case.displaced(), run.events["position"]), rtol=0.02, atol=0.01)


def invert_differences(case: Case) -> None:
    """Places from picks and from differences of times together."""
    run = fm.invert(case.model(), case.displaced_picks(), relocate="all", velocities="none", iterations=8, threads=1,
                    differences=case.differences(), **case.vp_vs)
    case.at_events(run.events["position"])
    assert set(run.differences["kind"]) == {"correlation"}


def locate(case: Case) -> None:
    if case.given == "array":
        found = fm.locate(case.model(), case.arrival_picks(), **case.vp_vs)
    else:
        arrivals = case.arrivals()
        if case.given == "file":
            arrivals = case.folder / case.write("arrivals.csv", arrivals)
        found = fm.locate(case.model(), arrivals, stations=case.stations(), **case.vp_vs)
    assert set(found.status) == {"located"}
    case.at_events(found.position)
    assert np.abs(found.origin_time - ORIGIN_TIME).max() < 0.05


def relocate(case: Case) -> None:
    found = fm.relocate(case.model(), case.displaced_table(), case.stations(), case.differences(),
                        **case.vp_vs)
    assert set(found.cluster) == {0}
    case.at_events(found.position, relative=True)


def save_and_load(suffix: str) -> Any:
    """What comes back from a file gives the same times."""

    def work(case: Case) -> None:
        model = case.model()
        file = case.folder / f"saved{suffix}"
        model.save(file)
        if suffix in (".vts", ".vtk", ".xyz"):
            return  # for other programs: it is not read back
        said: dict[str, Any] = {"cells": model.cells} if suffix in (".npy", ".csv", ".hdr", ".grd") else {}
        if suffix == ".npy":
            said |= {"spacing": model.spacing, "origin": model.origin}
        again = fm.Model.load(file, **said)
        ends = case.medium.events, case.medium.stations
        assert np.abs(fm.receiver_times(again, *ends) / fm.receiver_times(model, *ends) - 1).max() < 1e-6

    return work


def export_model(suffix: str) -> Any:
    """The table has the place of every value: the last one is at the far corner, at the bottom."""

    def work(case: Case) -> None:
        model = case.model()
        plane = None if "sphere" in case.medium.kinds else fm.Plane.round([12], [47])
        file = case.folder / f"out{suffix}"
        fm.export.model(model, file, plane=plane)
        if suffix != ".csv":
            return
        rows = np.loadtxt(file, delimiter=",", skiprows=1)
        x, y, z = model.node_positions()[model.velocity > 0].T if not model.cells else (
            np.stack(np.meshgrid(*(np.arange(n) + 0.5 for n in model.velocity.shape), indexing="ij"),
                     axis=-1).reshape(-1, 3).T)
        longitude, latitude = (y, x) if plane is None else plane.to_geographic(x, y)
        assert np.abs(rows[:, :3] - np.column_stack([longitude, latitude, z])).max() < 1e-5

    return work


def export_paraview(case: Case) -> None:
    model = case.model()
    files = fm.export.paraview(model, case.folder / "view",
                               rays=fm.rays(model, case.medium.events[0], case.medium.stations))
    assert all(file.stat().st_size > 0 for file in files.values())


def export_rays(suffix: str) -> Any:
    def work(case: Case) -> None:
        found = fm.rays(case.model(), case.medium.events, case.medium.stations)
        fm.export.rays(found, case.folder / f"rays{suffix}")
        assert (case.folder / f"rays{suffix}").stat().st_size > 500

    return work


def plot_section(case: Case) -> None:
    model = case.model()
    event = case.medium.events[0]
    fm.plot.section(model, times=fm.traveltimes(model, event), sources=[event],
                    rays=fm.rays(model, event, case.medium.stations), receivers=case.medium.stations)
    plt.close("all")


def plot_overview(case: Case) -> None:
    run = fm.invert(case.medium.slower(1.05), case.picks(), iterations=1, regularisation="second", threads=1,
                    **case.vp_vs)
    fm.plot.overview(run)
    plt.close("all")


def pickled(case: Case) -> None:
    model = case.model()
    again = pickle.loads(pickle.dumps(model))
    ends = case.medium.events, case.medium.stations
    assert (fm.receiver_times(again, *ends) == fm.receiver_times(model, *ends)).all()
