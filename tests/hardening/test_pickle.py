"""Results can be pickled and copied, and Python ends without warnings of leaks."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

import fermat as fm


def out_of_band(it):
    """Pickles as dask and joblib do: arrays travel beside the pickle, without a copy."""
    buffers = []
    stream = pickle.dumps(it, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(stream, buffers=buffers)


WAYS = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda it: pickle.loads(pickle.dumps(it)),
    "out of band": out_of_band,
}
each_way = pytest.mark.parametrize("twin", WAYS.values(), ids=WAYS.keys())
ARRAYS = ("points", "offsets", "times", "field_times", "lengths", "source", "receiver", "status",
          "start")


def two_ends(shape):
    ends = [(0, 0), (3, 1)] if len(shape) == 2 else [(0, 0, 0), (3, 1, 2)]
    return ends, [tuple(5 + 0 * x for x in end) for end in ends]


@each_way
@pytest.mark.parametrize("shape", [(12, 9), (9, 8, 7)])
@pytest.mark.parametrize("tracer", ["descent", "bending", "graph"])
def test_rays(twin, shape, tracer):
    model = fm.Model.gradient(shape, v0=2, gradient=0.5)
    rays = fm.rays(model, *two_ends(shape), tracer=tracer)
    other = twin(rays)
    assert repr(other) == repr(rays) and len(other) == len(rays) > 0
    for name in ARRAYS:
        assert np.array_equal(getattr(other, name), getattr(rays, name)), name
    assert all(map(np.array_equal, other.paths, rays.paths))
    assert np.array_equal(other.model.velocity, model.velocity)
    assert (other.sensitivity() != rays.sensitivity()).nnz == 0
    assert all(map(np.array_equal, other.coverage(), rays.coverage()))


@each_way
def test_rays_that_did_not_arrive_and_none(twin):
    velocity = np.full((9, 9), 2.0)
    velocity[4:6] = 0
    model = fm.Model(velocity)
    rays = fm.rays(model, [(0, 0)], [(8, 8), (4, 4), (1, 1)])
    assert list(twin(rays).status) == list(rays.status) != ["ok"] * 3
    none = fm.rays(model, [(0, 0)], np.empty((0, 2)))
    assert len(twin(none)) == 0


@each_way
def test_rays_of_a_profile(twin):
    rays = fm.rays(fm.Profile([(0, 5.5), (30, 8.0)]), (0, 0, 20), (60, 40, 0), tracer="bending")
    assert np.array_equal(twin(rays).points, rays.points)


@each_way
def test_everything_else(twin):
    model = fm.Model.gradient((21, 11), v0=2, gradient=0.1, spacing=0.5)
    sources, receivers = [(x, 0) for x in range(0, 11, 2)], [(x, 5) for x in range(11)]
    picks = fm.synthetic_picks(model, sources, receivers, noise=0.01)
    run = fm.invert(model, picks, schedule=[(2, (4, 4), (3, 3))])
    assert repr(twin(run)) == repr(run) and twin(run).reason == run.reason
    assert np.array_equal(twin(run).model.velocity, run.model.velocity)
    for table in ("history", "residuals"):
        for name, column in getattr(run, table).items():
            assert np.array_equal(getattr(twin(run), table)[name], column, equal_nan=True), name
    assert np.array_equal(twin(run).coverage, run.coverage)
    assert np.array_equal(twin(picks).time, picks.time) and repr(twin(picks)) == repr(picks)
    assert twin(model.grid) == model.grid
    profile = fm.Profile([(0, 5.5), (30, 8.0)])
    assert twin(profile) == profile
    rays = fm.rays(model, sources, receivers)
    assert (twin(rays.sensitivity("cells")) != rays.sensitivity("cells")).nnz == 0
    paths = twin(rays.paths)
    assert len(paths) == len(rays) and np.array_equal(paths[0], rays.paths[0])
    times = fm.traveltimes(model, (0, 0))
    assert np.array_equal(twin(times), times)


def test_damaged_states_are_refused():
    state = fm.rays(fm.Model.constant((9, 9), velocity=2), (0, 0), (8, 8))._rays.__getstate__()

    def rebuilt(parts):
        fresh = fm._core.RaySet.__new__(fm._core.RaySet)
        fresh.__setstate__(tuple(parts))

    rebuilt(state)
    for number, part in (
        (0, state[0][:0]),
        (5, state[5] + 200),
        (7, state[7] - 1),
        (7, state[7][::-1].copy()),
        (8, state[8][:-1]),
    ):
        with pytest.raises(ValueError, match="the state of these rays is damaged"):
            rebuilt([*state[:number], part, *state[number + 1 :]])
    with pytest.raises(ValueError, match="another version"):
        rebuilt(state[:-1])


@pytest.mark.parametrize(
    "code",
    [
        "model = fm.Model(np.full((11, 11), 2.0), spacing=0.1)",
        "model = fm.Model(np.full((11, 11), 2.0, np.float32), spacing=0.1)",
        "times = fm.traveltimes(fm.Model(np.full((11, 11), 2.0)), (0, 0))",
        "v = np.full((11, 11), 2, np.float32); m = fm.Model(v); w = m.velocity",
        "rays = fm.rays(fm.Model(np.full((11, 11), 2.0)), (0, 0), (9, 9)); points = rays.points",
        "def f(x, z): return 2.0\nrays = fm.rays(f, (0, 0), (9, 9), tracer='bending')",
        "m = fm.Model(np.full((11, 11), 2.0)); fm.kept = m",
        "m = fm.Model(np.full((11, 11), 2.0)); import sys; sys.kept = [m]; sys.kept.append(sys.kept)",
        "m = fm.Model(np.full((11, 11), 2.0)); import threading, time\n"
        "threading.Thread(target=time.sleep, args=(99,), daemon=True).start()",
        "try:\n    fm.traveltimes(fm.Model(np.full((11, 11), 2.0)), (99, 0))\n"
        "except ValueError as e: kept = e",
    ],
)
def test_a_script_ends_without_a_word(code):
    script = f"import fermat as fm, numpy as np\n{code}\n"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
