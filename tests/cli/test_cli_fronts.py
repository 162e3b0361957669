"""fermat times --front, --until and --gradient."""

import numpy as np
import pytest

MODEL = "model gradient --shape 61,41 --spacing 0.1 --v0 2 --gradient 0.5 -o model.h5"


@pytest.fixture
def ready(fermat):
    fermat(*MODEL.split())
    return fermat


def times(fermat, *flags):
    return fermat("times", "--model", "model.h5", *flags)


def test_a_field_cut_at_a_time_is_a_front_to_go_on_from(ready):
    source = ("--source", "3.03,1.21")
    times(ready, *source, "--until", "0.5", "-o", "near.h5")
    times(ready, "--front", "near.h5", "-o", "far.h5")
    times(ready, *source, "-o", "whole.h5")
    near, far, whole = (ready.array(f"{name}.h5", "time") for name in ("near", "far", "whole"))
    assert (whole[np.isinf(near)] > 0.499).all()
    assert abs(far - whole).max() < 2e-3


def test_a_front_of_npy_gives_times_at_receivers(ready):
    front = np.full((61, 41), -1.0, dtype=np.float32)
    front[:, 0] = 0
    np.save(ready.folder / "front.npy", front)
    ready.write("r.csv", "x,z\n2,1\n3.05,2.05\n")
    times(ready, "--front", "front.npy", "--receivers", "r.csv", "--table", "t.csv")
    rows = np.loadtxt(ready.folder / "t.csv", delimiter=",", skiprows=1)
    exact = np.log(1 + 0.25 * np.array([1, 2.05])) / 0.5
    assert abs(rows[:, 2] - exact).max() < 1.5e-3
    assert (rows[:, 0] == 0).all()


def test_the_gradient_is_written_beside_the_times(ready):
    times(ready, "--source", "3.03,1.21", "--gradient", "-o", "one.h5")
    assert ready.names("one.h5") == ["gradient_x", "gradient_z", "time"]
    across, down = (ready.array("one.h5", f"gradient_{axis}") for axis in "xz")
    speed = 2 + 0.05 * np.arange(41)[:, None]
    assert np.allclose(np.hypot(across, down) * speed, 1, atol=0.01)
    times(ready, "--source", "1,1", "--source", "2,2", "--gradient", "-o", "two.h5")
    names = [f"gradient_{n}_{axis}" for n in ("000", "001") for axis in "xz"]
    assert ready.names("two.h5") == [*names, "time_000", "time_001"]


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("--front f.h5 --source 1,1 -o o.h5", "--front is given with sources"),
        ("--front f.csv -o o.h5", "must be .h5"),
        ("--front other.h5 -o o.h5", "has another grid than the model"),
        ("--front model.h5 --solver dijkstra -o o.h5", "the grid graph has none"),
        ("--source 1,1 --until x -o o.h5", "--until is 'x'"),
        ("--source 1,1 --gradient --table t.csv --receivers r.csv", "--gradient needs -o"),
        ("--source 1,1 --gradient --together -o o.h5", "--gradient is given with --together"),
        ("--source 1,1 --until 1 --table t.csv --receivers r.csv -o o.h5", "--until is given with"),
    ],
)
def test_what_does_not_go_together_is_refused(ready, flags, said):
    ready(*"model constant --shape 5,5 --velocity 1 -o other.h5".split())
    ready(*"model constant --shape 5,5 --velocity 1 -o f.h5".split())
    ready.write("f.csv", "")
    ready.write("r.csv", "x,z\n2,1\n")
    assert said in ready.error("times", "--model", "model.h5", *flags.split())
