"""Rays arrive, have the times of the field, and their sensitivity rows reproduce the times."""

from xml.etree import ElementTree

import fermat as fm
import h5py
import numpy as np
import pytest


@pytest.fixture(scope="module")
def line():
    return fm.Model.gradient((101, 61), v0=2, gradient=0.5, spacing=0.1)


@pytest.fixture(scope="module")
def cube():
    return fm.Model.gradient((33, 31, 29), v0=2, gradient=0.5, spacing=0.2)


@pytest.fixture(scope="module")
def hills():
    x = np.linspace(0, 10, 41)
    model = fm.Model.gradient((101, 61), v0=1.5, gradient=0.5, spacing=0.1, origin=(0, -1))
    return model.with_topography(np.column_stack([x, 0.4 * np.sin(x)]))


@pytest.fixture(scope="module")
def some(line):
    return fm.rays(line, [(1, 0), (9.03, 2.2)], [(5, 0), (10, 6), (9.5, 0)])


def test_rays_join_receiver_and_source(some):
    assert len(some) == len(some.paths) == 6
    assert (some.status == "ok").all()
    np.testing.assert_array_equal(some.source, [0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(some.receiver, [0, 1, 2] * 2)
    for path, source, receiver in zip(some.paths, some.source, some.receiver):
        assert path.shape[1] == 2
        np.testing.assert_array_equal(path[-1], [(1, 0), (9.03, 2.2)][source])
        np.testing.assert_array_equal(path[0], [(5, 0), (10, 6), (9.5, 0)][receiver])
        assert np.isfinite(path).all()


def test_values_belong_to_the_paths(some):
    lengths = [np.linalg.norm(np.diff(path, axis=0), axis=1).sum() for path in some.paths]
    np.testing.assert_allclose(some.lengths, lengths, rtol=1e-12)
    np.testing.assert_allclose(some.times, some.field_times, rtol=5e-3)
    assert repr(some) == f"Rays(6 rays: 6 ok; {len(some.points)} points)"


def test_paths_are_views_of_one_array(some):
    assert np.shares_memory(some.paths[2], some.points)
    assert not some.points.flags.writeable
    assert some.offsets[-1] == len(some.points)
    np.testing.assert_array_equal(some.paths[-1], some.paths[5])
    assert [len(path) for path in some.paths[1:4]] == list(np.diff(some.offsets)[1:4])
    with pytest.raises(IndexError):
        some.paths[6]


def test_views_outlive_the_rays(line):
    points = fm.rays(line, (1, 0), (5, 0)).points
    path = fm.rays(line, (1, 0), (5, 0)).paths[0]
    np.testing.assert_array_equal(points, path)


def test_a_ray_follows_its_exact_arc(cube):
    source, receiver = (0.5, 0.7, 0.2), (6.1, 5.3, 1.1)
    rays = fm.rays(cube, source, receiver)
    arc = fm.analytic.gradient_ray(source, receiver, v0=2, gradient=0.5, count=2001)
    away = np.linalg.norm(rays.paths[0][:, None] - arc, axis=2).min(axis=1)
    assert away.max() < 0.3 * 0.2
    exact = fm.analytic.gradient_time(source, receiver, v0=2, gradient=0.5)
    assert rays.times[0] == pytest.approx(float(exact), rel=1e-3)


def test_rays_start_with_their_source(line):
    late = fm.rays(line, [(1, 0), (2, 0)], (5, 0), start_time=[0, 10])
    assert late.times[1] > 10
    np.testing.assert_allclose(late.times, late.field_times, rtol=5e-3)


@pytest.mark.parametrize("tracer", ["descent", "cells", "grid"])
def test_every_tracer_arrives(line, tracer, rng):
    sources, receivers = rng.uniform((0, 0), (10, 6), (2, 20, 2))
    rays = fm.rays(line, sources, receivers, tracer=tracer)
    assert (rays.status == "ok").all()
    assert (rays.times >= rays.field_times * (1 - 5e-3)).all()


@pytest.mark.parametrize("name", ["line", "cube", "hills"])
def test_threads_give_the_same_bits(request, rng, name):
    model = request.getfixturevalue(name)
    far = np.array(model.origin) + np.array(model.spacing) * (np.array(model.shape) - 1)
    sources, receivers = rng.uniform(model.origin, far, (2, 7, model.ndim))
    one = fm.rays(model, sources, receivers, threads=1)
    two = fm.rays(model, sources, receivers, threads=2)
    np.testing.assert_array_equal(one.points, two.points)
    np.testing.assert_array_equal(one.times, two.times)
    np.testing.assert_array_equal(one.status, two.status)


def test_pairs_choose_the_rays(line):
    sources, receivers = [(1, 0), (2, 0), (3, 0)], [(5, 0), (6, 0)]
    rays = fm.rays(line, sources, receivers, pairs=[(2, 1), (0, 1), (2, 0)])
    assert list(zip(rays.source, rays.receiver)) == [(0, 1), (2, 1), (2, 0)]
    assert len(fm.rays(line, sources, receivers, pairs=[])) == 0


def test_what_cannot_arrive_says_why(hills):
    pytest.importorskip("scipy")
    rays = fm.rays(hills, [(1, 2), (8, -0.9)], [(5, 3), (2, -0.9)])
    assert list(rays.status) == ["ok", "receiver_in_air", "source_in_air", "source_in_air"]
    assert "1 ok" in repr(rays)
    assert np.isinf(rays.times[1:]).all()
    matrix = rays.sensitivity()
    np.testing.assert_array_equal(np.diff(matrix.indptr) > 0, rays.status == "ok")


@pytest.mark.parametrize("name", ["line", "cube", "hills"])
def test_rows_times_slowness_are_the_times(request, rng, name):
    pytest.importorskip("scipy")
    model = request.getfixturevalue(name)
    far = np.array(model.origin) + np.array(model.spacing) * (np.array(model.shape) - 1)
    sources, receivers = rng.uniform(model.origin, far, (2, 9, model.ndim))
    rays = fm.rays(model, sources, receivers)
    slowness = np.where(model.velocity > 0, model.slowness, 0).astype(float).ravel()
    arrived = rays.status == "ok"
    assert arrived.any()
    matrix = rays.sensitivity()
    assert type(matrix).__name__ == "csr_array"
    assert matrix.shape == (len(rays), model.velocity.size)
    np.testing.assert_allclose((matrix @ slowness)[arrived], rays.times[arrived], rtol=1e-6)
    cells = rays.sensitivity("cells")
    assert cells.shape == (len(rays), np.prod(np.array(model.shape) - 1))
    np.testing.assert_allclose(cells.sum(axis=1)[arrived], rays.lengths[arrived], rtol=1e-9)


@pytest.mark.parametrize("shape", [(11, 9), (11, 7, 9), (11, 2, 9)])
def test_coverage_counts_rays_and_lengths_in_cells(shape, rng):
    pytest.importorskip("scipy")
    model = fm.Model.gradient(shape, v0=2, gradient=0.1)
    far = np.array(shape) - 1
    rays = fm.rays(model, *rng.uniform(0, far, (2, 6, len(shape))))
    count, length = rays.coverage()
    assert count.shape == length.shape == tuple(far)
    assert length.sum() == pytest.approx(rays.lengths.sum(), rel=1e-5)
    cells = rays.sensitivity("cells")
    np.testing.assert_array_equal(count.ravel(), (cells != 0).sum(axis=0))


def test_progress_counts_the_rays(line):
    events = []
    fm.rays(line, [(1, 0), (2, 0)], [(5, 0), (6, 0)], progress=lambda *e: events.append(e))
    assert events[0] == (0, 4, "rays")
    assert events[-1] == (4, 4, "rays")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sources": (1, 0, 0)}, r"sources has shape \(3,\)"),
        ({"receivers": [(1, 0, 0)]}, r"receivers has shape \(1, 3\)"),
        ({"receivers": [(99, 0)]}, "receiver 0 .* is outside the model"),
        ({"sources": [(1, 0), (1, -9)]}, "source 1 .* is outside the model"),
        ({"tracer": "magic"}, r"unknown tracer 'magic' \(must be one of descent"),
        ({"tracer": "grid", "directions": 7}, "7"),
        ({"solver": "magic"}, "unknown solver 'magic'"),
        ({"pairs": [(0, 1)]}, r"pair \(0, 1\) names a source or receiver that is not there"),
        ({"pairs": [(-1, 0)]}, r"pair \(-1, 0\) names"),
        ({"pairs": [(0.5, 0)]}, "pairs is an array of float64"),
        ({"pairs": [0, 0]}, r"shape \(2,\) \(must be whole numbers"),
        ({"pairs": [(0, 2**40)]}, "must be below 2"),
    ],
)
def test_wrong_input_is_named(line, change, message):
    options = {"sources": [(1, 0)], "receivers": [(5, 0)], **change}
    with pytest.raises(ValueError, match=message):
        fm.rays(line, **options)


def test_an_unknown_basis_is_named(some):
    pytest.importorskip("scipy")
    with pytest.raises(ValueError, match="unknown basis 'edges'"):
        some.sensitivity("edges")


def test_the_file_holds_the_rays(some, tmp_path):
    some.save(tmp_path / "rays.h5")
    with h5py.File(tmp_path / "rays.h5") as file:
        root = file["VTKHDF"]
        assert root.attrs["Type"] == b"PolyData"
        assert len(root["Points"]) == len(some.points)
        np.testing.assert_allclose(root["CellData/time"][:], some.times)
        np.testing.assert_array_equal(root["CellData/receiver"][:], some.receiver)


def test_vtk_reads_the_file(some, tmp_path):
    pyvista = pytest.importorskip("pyvista")
    some.save(tmp_path / "rays.vtkhdf")
    mesh = pyvista.read(tmp_path / "rays.vtkhdf")
    assert mesh.n_lines == len(some)
    np.testing.assert_allclose(mesh.points[:, [0, 2]], some.points, rtol=1e-6)
    np.testing.assert_allclose(mesh.cell_data["time"], some.times)


def test_a_suffix_that_is_not_hdf5_is_refused(some, tmp_path):
    with pytest.raises(ValueError, match=r"rays.txt' \(rays are written as .h5\)"):
        some.save(tmp_path / "rays.txt")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("counts", [(0, 0), (1, 0), (0, 1)])
def test_no_rays_are_rays_too(line, counts, tmp_path):
    pytest.importorskip("scipy")
    rays = fm.rays(line, *(np.zeros((n, 2)) for n in counts))
    assert repr(rays) == "Rays(0 rays; 0 points)"
    assert rays.points.shape == (0, 2)
    assert rays.sensitivity().shape == (0, line.velocity.size)
    assert rays.coverage()[0].sum() == 0
    rays.save(tmp_path / "rays.h5")


def test_a_failed_save_leaves_nothing(some, tmp_path):
    with pytest.raises((ValueError, RuntimeError), match="none"):
        some.save(tmp_path / "none" / "rays.h5")
    assert list(tmp_path.iterdir()) == []


def test_reciprocity_changes_no_ray_but_its_way():
    model = fm.Model.gradient((61, 41), v0=2, gradient=0.5, spacing=0.25)
    sources, receivers = [(x, 0) for x in range(1, 13)], [(14, 2), (0.5, 8)]
    turned = fm.rays(model, sources, receivers)
    direct = fm.rays(model, sources, receivers, reciprocity="off")
    np.testing.assert_allclose(turned.times, direct.times, rtol=1e-4)
    np.testing.assert_array_equal(turned.source, direct.source)
    for path, source in zip(turned.paths, turned.source, strict=True):
        np.testing.assert_array_equal(path[-1], sources[source])
    with pytest.raises(ValueError, match="reciprocity"):
        fm.rays(model, sources, receivers, reciprocity="on")


def test_vector_coverage_holds_the_rays_that_arrived(tmp_path):
    model = fm.Model.constant((11, 6), velocity=2).with_topography([(0, 1), (10, 1)])
    rays = fm.rays(model, (0, 2), [(8, 2), (5, 0), (4, 5)])
    assert list(rays.status) == ["ok", "receiver_in_air", "ok"]
    file = tmp_path / "coverage.xml"
    rays.save_vector_coverage(file, pick_times=[1.5, 2.5, 3.5])
    found = ElementTree.parse(file).getroot().findall("ray")
    assert [ray.get("receiver") for ray in found] == ["0", "2"]
    assert [float(ray.findtext("pick_time")) for ray in found] == [1.5, 3.5]
    vertex = found[0].find("trajectory/vertex")
    assert (float(vertex.get("x")), float(vertex.get("z"))) == (8, 2)
    again, pick_times = fm.Rays.load_vector_coverage(model, file)
    assert pick_times.tolist() == [1.5, 3.5] and again.receiver.tolist() == [0, 2]
    assert np.array_equal(again.paths[1], rays.paths[2])
    assert again.times == pytest.approx(rays.times[[0, 2]])
    assert np.array_equal(again.coverage()[0], rays.coverage()[0])
    rays.save_vector_coverage(file)
    first = ElementTree.parse(file).getroot().find("ray")
    assert float(first.findtext("pick_time")) == pytest.approx(rays.times[0])
    with pytest.raises(ValueError, match=r"pick_times has shape \(2,\) \(must be \(3,\)"):
        rays.save_vector_coverage(file, pick_times=[1, 2])
