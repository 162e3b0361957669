"""Pictures name the units of the picks, or those that velocities have."""

import fermat as fm
import numpy as np
import pytest

plt = pytest.importorskip("matplotlib.pyplot")
Text = pytest.importorskip("matplotlib.text").Text


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def line(scale=1.0, late=1.0, **more):
    """Picks of 60 lengths in 500 over 2000 lengths per time, both scaled."""
    points = [(scale * x, 0) for x in np.arange(0, 61, 5.0)]
    source, receiver = np.array([(s, r) for s in (0, 6, 12) for r in range(13) if r != s]).T
    apart = np.abs(source - receiver) * 5.0
    time = late * np.minimum(apart / 500, 0.02 + apart / 2000)
    return fm.Picks(points, points, source=source, receiver=receiver, time=time, error=0.001 * late, **more)


def labels(figure):
    """All that is written in a figure; colour bars have their names as titles."""
    return " | ".join(text.get_text() for text in figure.findobj(Text))


@pytest.mark.parametrize(("picks", "length", "time"), [
    (line(), "m", "s"),
    (line(0.001), "km", "s"),
    (line(late=1e4), "m", "ns"),
    (line(0.001, units={"length": "mi", "time": "s"}), "mi", "s"),
    (line(late=1000, units={"time": "ms"}), "m", "ms"),
])
def test_a_run_is_drawn_in_the_units_of_its_picks(picks, length, time):
    run = fm.invert(picks, iterations=2)
    assert run.units == (length, time)
    shown = labels(fm.plot.overview(run))
    assert f"{length}/{time}" in shown
    assert f"({length})" in shown
    others = {"km", "m", "mi"} - {length}
    assert not any(f"({other})" in shown for other in others)
    assert f"x ({length})" in fm.plot.section(run.model, length=length).get_xlabel()


def test_models_are_drawn_as_their_velocities_say():
    for v0, length, speed in ((400, "m", "m/s"), (2, "km", "km/s"), (0.1, "m", "m/ns")):
        model = fm.Model.gradient((21, 11), v0=v0, gradient=v0 / 20, spacing=1)
        ax = fm.plot.section(model)
        assert ax.get_xlabel() == f"x ({length})"
        assert speed in labels(ax.figure)


def test_units_are_kept_in_files_and_parts(tmp_path):
    picks = line(units={"length": "ft", "time": "s"})
    picks.save(tmp_path / "p.csv")
    assert fm.picks(tmp_path / "p.csv").units == ("ft", "s")
    moved = picks.moved(picks.sources, np.zeros(len(picks.sources)))
    assert moved.units == ("ft", "s")


def test_units_are_names():
    with pytest.raises(ValueError, match="'lenght'"):
        line(units={"lenght": "m"})
    with pytest.raises(ValueError, match="units are 3"):
        line(units=3)
