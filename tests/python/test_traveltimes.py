"""Times match closed forms, have the shape of the model and do not depend on threads."""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import fermat as fm
import numpy as np
import pytest

SOLVERS = ["fim", "fmm", "fsm", "vidale"]


def nodes(model):
    """Positions of all nodes, (*shape, 2 or 3)."""
    axes = [o + h * np.arange(n) for o, h, n in zip(model.origin, model.spacing, model.shape)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)


@pytest.fixture
def line():
    return fm.Model.gradient((61, 41), v0=1.5, gradient=0.5, spacing=(0.1, 0.125), origin=(1, -1))


@pytest.fixture
def cube():
    return fm.Model.gradient((31, 29, 27), v0=2, gradient=0.5, spacing=0.2)


def relative_error(model, times, source):
    exact = fm.analytic.gradient_time(source, nodes(model), v0=2, gradient=0.5)
    far = np.linalg.norm((nodes(model) - source) / model.spacing, axis=-1) >= 3
    return (abs(times - exact) / np.where(exact > 0, exact, 1))[far]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("source", [(3, 0), (3.33, 0.71), (1, -1), (7, -1)])
def test_a_gradient_in_2d_is_exact_to_the_methods_order(line, solver, source):
    times = fm.traveltimes(line, source, solver=solver)
    assert times.shape == line.shape
    assert times.dtype == np.float32
    assert relative_error(line, times, source).max() < (3e-2 if solver == "vidale" else 3e-3)


@pytest.mark.parametrize("source", [(3, 3, 0.5), (3.33, 2.27, 0.71), (0, 0, 0), (6, 5.6, 0)])
def test_a_gradient_in_3d_is_exact_to_the_methods_order(cube, source):
    times = fm.traveltimes(cube, source=source)
    assert times.shape == cube.shape
    error = relative_error(cube, times, source)
    assert error.mean() < 3e-4
    assert error.max() < 5e-3


@pytest.mark.parametrize("spacing", [(30, 30, 1), (30, 1, 1), (1, 20, 30)])
def test_long_cells_keep_the_accuracy_of_cubes(spacing):
    model = fm.Model.constant((31, 33, 35), velocity=2, spacing=spacing)
    places = nodes(model)
    across = places / spacing
    source = np.array([15.3, 16.3, 17.3]) * spacing
    apart = np.linalg.norm(places - source, axis=-1)
    far = (np.abs(across - source / spacing) > 2).all(axis=-1) & (across >= 3).all(axis=-1)
    far &= (across <= np.array(model.shape) - 4).all(axis=-1)

    def worst(velocity, exact):
        times = fm.traveltimes(fm.Model(velocity, spacing=spacing), tuple(source))
        return np.abs(times / exact - 1)[far].max()

    assert worst(np.full(model.shape, 2.0), apart / 2) < 1e-6
    axis = int(np.argmax(spacing))  # velocity doubles along the longest way
    slope = 2 / places[..., axis].max()
    velocity = 2 + slope * places[..., axis]
    there = 2 + slope * source[axis]
    exact = np.arccosh(1 + (slope * apart) ** 2 / (2 * there * velocity)) / slope
    assert worst(velocity, exact) < 2e-4


def test_order_2_beats_order_1(cube):
    first, second = (
        relative_error(cube, fm.traveltimes(cube, (3, 3, 1), order=order), (3, 3, 1)).mean()
        for order in (1, 2)
    )
    assert second < first / 5


def test_double_precision_is_double_throughout(line):
    single = fm.traveltimes(line, (3, 0))
    double = fm.traveltimes(line, (3, 0), precision="double")
    assert double.dtype == np.float64
    np.testing.assert_allclose(single, double, rtol=2e-6, atol=1e-7)
    assert (single != double).any()


def test_the_result_owns_writable_memory(line):
    times = fm.traveltimes(line, (3, 0))
    assert times.flags.c_contiguous
    assert times.flags.writeable
    times += 1


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("name", ["line", "cube"])
def test_an_array_of_sources_gives_a_field_each(request, name, precision):
    model = request.getfixturevalue(name)
    low = np.array(model.origin)
    high = low + np.array(model.spacing) * (np.array(model.shape) - 1)
    sources = np.random.default_rng(2).uniform(low, high, (5, model.ndim))
    starts = np.arange(5.0)
    fields = fm.traveltimes(model, sources, start_time=starts, precision=precision)
    assert fields.shape == (5, *model.shape)
    for field, source, start in zip(fields, sources, starts):
        alone = fm.traveltimes(model, source, start_time=start, precision=precision)
        np.testing.assert_array_equal(field, alone)


def test_one_source_in_an_array_keeps_the_axis(line):
    assert fm.traveltimes(line, [(3, 0)]).shape == (1, *line.shape)
    assert fm.traveltimes(line, np.empty((0, 2))).shape == (0, *line.shape)


def test_together_is_the_earliest_of_all(line):
    sources, starts = [(2, 0), (6, 0), (4, 3)], [0, 0.5, 0.2]
    each = fm.traveltimes(line, sources, start_time=starts)
    both = fm.traveltimes(line, sources, start_time=starts, together=True)
    np.testing.assert_array_equal(both, each.min(axis=0))


@pytest.mark.parametrize("solver", SOLVERS)
def test_threads_give_the_same_bits(cube, solver):
    sources = [(3, 3, 0.5), (1.1, 2.2, 3.3), (0, 0, 0)]
    one = fm.traveltimes(cube, sources, solver=solver, threads=1)
    for threads in (2, 3):
        many = fm.traveltimes(cube, sources, solver=solver, threads=threads)
        np.testing.assert_array_equal(one, many)
    np.testing.assert_array_equal(one[0], fm.traveltimes(cube, sources[0], solver=solver))


def test_air_is_never_reached():
    model = fm.Model.constant((21, 21), velocity=2).with_topography([(0, 4.5), (20, 4.5)])
    times = fm.traveltimes(model, (10, 10))
    np.testing.assert_array_equal(np.isinf(times), model.velocity == 0)
    assert np.isinf(fm.receiver_times(model, (10, 10), (10, 0)))[0, 0]


@pytest.mark.parametrize("counts", [(2, 7), (7, 2)])
def test_receiver_times_do_not_depend_on_the_side_solved_from(line, rng, counts):
    sources, receivers = (rng.uniform((1, -1), (7, 4), (n, 2)) for n in counts)
    starts = rng.uniform(0, 1, counts[0])
    times = fm.receiver_times(line, sources, receivers, start_time=starts)
    exact = fm.analytic.gradient_time
    wanted = [
        t + exact(source, receivers, v0=2, gradient=0.5) for source, t in zip(sources, starts)
    ]
    np.testing.assert_allclose(times, wanted, rtol=3e-3)


def test_head_waves_arrive_on_time():
    model = fm.Model.layers((501, 101), layers=[(0, 2), (50, 5)])
    offsets = np.arange(501.0)
    times = fm.traveltimes(model, (0, 0))[:, 0]
    exact = fm.analytic.two_layers_time(offsets, v1=2, v2=5, thickness=50)
    assert (abs(times - exact)[6:] / exact[6:]).max() < 5e-3


def test_progress_counts_the_sources(line):
    events = []
    fm.traveltimes(line, [(3, 0)] * 4, progress=lambda *event: events.append(event))
    assert events[0] == (0, 4, "first arrivals")
    assert events[-1] == (4, 4, "first arrivals")
    events.clear()
    fm.traveltimes(line, (3, 0), progress=lambda *event: events.append(event))
    assert events[-1][:2] == (1, 1)


def test_an_exception_of_the_callback_comes_out(line):
    def fail(*_):
        raise LookupError("from the callback")

    with pytest.raises(LookupError, match="from the callback"):
        fm.traveltimes(line, (3, 0), progress=fail)


LONG = """
import fermat as fm
{setup}
print("ready", flush=True)
try:
    {work}
except KeyboardInterrupt:
    print("interrupted")
"""
ONE = (
    "model = fm.Model.random_blocks((300, 300, 300), v_min=1, v_max=10, block=(3, 3, 3))",
    'fm.traveltimes(model, (100, 100, 100), device="cpu", threads={threads})',
)
MANY = (
    "model = fm.Model.gradient((65, 65, 65), v0=2, gradient=0.1)",
    'fm.traveltimes(model, [(32, 32, 32)] * 300, device="cpu", threads={threads})',
)
RAYS = (
    "model = fm.Model.gradient((65, 65, 65), v0=2, gradient=0.1)",
    'fm.rays(model, [(32, 32, 32)] * 400, [(0, 0, 0)] * 400, device="cpu", threads={threads})',
)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("case", [ONE, MANY, RAYS], ids=["one field", "many fields", "rays"])
def test_ctrl_c_stops_a_long_solve(case, threads, ctrl_c):
    setup, work = case
    code = LONG.format(setup=setup, work=work.format(threads=threads))
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert out == "interrupted\n"
    assert child.returncode == 0


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ((3, 0, 1), {}, r"source has shape \(3,\) \(must be \(x, z\) or an array \(n, 2\)"),
        (3, {}, r"source has shape \(\)"),
        ([[[3, 0]]], {}, r"source has shape \(1, 1, 2\)"),
        ("abc", {}, "source is not an array of numbers"),
        ([(1, 2), (3,)], {}, "source is not an array of numbers"),
        ((9, 0), {}, "source .* is outside the model"),
        ((np.nan, 0), {}, "source .* is outside the model"),
        ([(3, 0), (9, 0)], {}, "source .* is outside the model"),
        ((3, 0), {"solver": "magic"}, r"unknown solver 'magic' \(must be one of fim, fmm"),
        ((3, 0), {"precision": "half"}, r"unknown precision 'half' \(must be one of single"),
        ((3, 0), {"device": "tpu"}, r"unknown device 'tpu' \(must be one of auto, cpu, cuda"),
        ((3, 0), {"order": 3}, "order is 3"),
        ((3, 0), {"threads": -1}, "-1"),
        ((3, 0), {"start_time": [1, 2]}, r"start_time has shape \(2,\)"),
        ((3, 0), {"start_time": np.nan}, "start_time is not finite"),
        ((3, 0), {"progress": 3}, "progress is not callable"),
        (np.empty((0, 2)), {"together": True}, "no source is given"),
    ],
)
def test_wrong_input_is_named(line, source, options, message):
    with pytest.raises(ValueError, match=message):
        fm.traveltimes(line, source, **options)


def promises_any_memory():
    """True if Linux overcommits without limit: it then grants too much memory and kills later."""
    setting = pathlib.Path("/proc/sys/vm/overcommit_memory")
    return setting.exists() and setting.read_text().strip() == "1"


@pytest.mark.skipif(promises_any_memory(), reason="this machine promises any amount of memory")
def test_more_fields_than_memory_are_named():
    model = fm.Model.constant((300, 300, 30), velocity=1)
    with pytest.raises(RuntimeError, match=r"10000000 time fields .* \(108000.0 GB are needed"):
        fm.traveltimes(model, np.zeros((10**7, 3)))


def test_a_source_in_air_is_named():
    model = fm.Model.constant((21, 21), velocity=2).with_topography([(0, 4.5), (20, 4.5)])
    with pytest.raises(ValueError, match="is in air"):
        fm.traveltimes(model, (10, 1))


@pytest.mark.skipif(fm.build_info()["cuda"] != "no", reason="this build has CUDA")
@pytest.mark.parametrize("work", [fm.traveltimes, lambda *a, **k: fm.rays(*a, (2, 0), **k)])
def test_cuda_that_is_not_there_is_named(line, work):
    with pytest.raises(ValueError, match=r"^device is 'cuda' \(CUDA is not in this build"):
        work(line, (3, 0), device="cuda")
    work(line, (3, 0), device="cpu")


@pytest.mark.skipif(not pathlib.Path("/proc/self/task").is_dir(), reason="the system does not list threads")
def test_a_small_solve_starts_no_threads() -> None:
    """It would be over before they are there: a new thread's crew shows whether any is hired."""
    started = []

    def solve() -> None:
        before = len(os.listdir("/proc/self/task"))
        for shape in [(24, 24), (50, 50)]:
            fm.traveltimes(fm.Model.constant(shape, velocity=2), (3, 4), threads=8, device="cpu")
        started.append(len(os.listdir("/proc/self/task")) - before)

    thread = threading.Thread(target=solve)
    thread.start()
    thread.join()
    assert started == [0]
