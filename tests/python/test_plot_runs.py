"""Pictures of inversions say what the run says, whether it is in memory or in a folder."""

import re
import subprocess

import fermat as fm
import numpy as np
import pytest

plt = pytest.importorskip("matplotlib.pyplot")
colors = pytest.importorskip("matplotlib.colors")
h5py = pytest.importorskip("h5py")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def line_run(**options):
    truth = fm.Model.gradient((41, 15), v0=2, gradient=0.4, spacing=0.25)
    points = [(x, 0) for x in np.arange(0, 10.1, 0.5)]
    picks = fm.synthetic_picks(truth, points[::5], points, noise=0.01)
    return fm.invert(picks, iterations=4, **options)


@pytest.fixture(scope="module")
def run():
    return line_run(keep_models=True)


@pytest.fixture(scope="module")
def solid():
    """A 3-D run."""
    start = fm.Model.gradient((11, 9, 7), v0=4, gradient=0.1)
    rng = np.random.default_rng(1)
    sources = rng.uniform((1, 1, 3), (9, 7, 5), (6, 3))
    stations = np.column_stack([rng.uniform((1, 1), (9, 7), (8, 2)), np.zeros(8)])
    truth = start.checkerboard(size=4, amplitude=0.05)
    return fm.invert(start, fm.synthetic_picks(truth, sources, stations, noise=0.01), iterations=2)


def save(run, folder):
    """A folder as fermat invert leaves it, as far as pictures read it."""
    folder.mkdir()
    run.model.save(folder / "model.h5")
    run.start.save(folder / "start.h5")
    with h5py.File(folder / "model.h5") as old, h5py.File(folder / "coverage.h5", "w") as new:
        old.copy("VTKHDF", new)
        new["VTKHDF"].require_group("CellData")["coverage"] = run.coverage.T
    for name, table in (("history", run.history), ("residuals", {**run.residuals, "use": run.use})):
        rows = zip(*table.values(), strict=True)
        text = "\n".join(",".join("" if v != v else str(v) for v in row) for row in rows)
        (folder / f"{name}.csv").write_text(f"{','.join(table)}\n{text}\n")
    return folder


def add_trust(folder, resolution, deviation):
    """trust.h5 on the model's grid."""
    with h5py.File(folder / "model.h5") as old, h5py.File(folder / "trust.h5", "w") as new:
        old.copy("VTKHDF", new)
        points = new["VTKHDF/PointData"]
        del points["velocity"]
        points["resolution"] = resolution.T.astype(np.float32)
        points["deviation"] = deviation.T.astype(np.float32)


def alpha_of(ax):
    return ax.get_images()[0].get_alpha().T


def test_a_run_and_its_folder_are_one_picture(run, tmp_path):
    folder = save(run, tmp_path / "run")
    first, second = (fm.plot.section(each) for each in (run, folder))
    np.testing.assert_array_equal(alpha_of(first), alpha_of(second))
    np.testing.assert_array_equal(
        first.get_images()[0].get_array(), second.get_images()[0].get_array()
    )
    assert {line.get_marker() for line in first.get_lines()} >= {"*", "v"}
    for draw in (fm.plot.overview, fm.plot.before_after, fm.plot.misfit, fm.plot.shots):
        counts = [len(draw(each).axes) for each in (run, str(folder))]
        assert counts[0] == counts[1]


def test_resolution_comes_before_rays(run, tmp_path):
    """Pale where the data resolve little, whatever rays pass."""
    folder = save(run, tmp_path / "run")
    resolution = np.full(run.model.shape, 0.05)
    resolution[:20] = 0
    add_trust(folder, resolution, np.full(run.model.shape, 0.3))
    alpha = alpha_of(fm.plot.section(folder))
    assert (alpha[:8] == 0).all() and (alpha[-8:] == 1).all()
    assert np.abs(np.diff(alpha, axis=0)).max() < 0.6
    titles = [text.get_text() for text in fm.plot.overview(folder).texts]
    assert any("resolve little" in title for title in titles)
    figure = fm.plot.trust(folder)
    shown = [ax.get_images()[0] for ax in figure.axes if ax.get_images()]
    np.testing.assert_allclose([image.get_clim() for image in shown], [(0, 0.05), (0, 0.3)])
    with pytest.raises(ValueError, match="neither resolution nor deviation"):
        fm.plot.trust(run)


def test_trust_of_another_grid_is_named(run, tmp_path):
    folder = save(run, tmp_path / "run")
    other = fm.Model.constant((5, 4), velocity=1)
    (tmp_path / "other").mkdir()
    other.save(tmp_path / "other" / "model.h5")
    add_trust(tmp_path / "other", np.ones((5, 4)), np.ones((5, 4)))
    (tmp_path / "other" / "trust.h5").rename(folder / "trust.h5")
    with pytest.raises(ValueError, match=r"has shape \(5, 4\) \(must be"):
        fm.plot.section(folder)


def test_what_is_no_run_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"has no model.h5 \(must be a folder of fermat invert"):
        fm.plot.overview(tmp_path)
    with pytest.raises(ValueError, match="run of type int is not understood"):
        fm.plot.overview(3)
    with pytest.raises(ValueError, match="covered and resolution were given"):
        model = fm.Model.constant((5, 4), velocity=1)
        fm.plot.section(model, covered=np.ones((4, 3)), resolution=np.ones((5, 4)))


@pytest.mark.parametrize(
    ("slow", "fast", "log"), [(300, 5000, True), (4, 6, False), (1e-6, 1e6, True), (2, 2, False)]
)
def test_colours_are_logarithmic_where_velocities_differ_much(slow, fast, log):
    model = fm.Model(np.linspace(slow, fast, 30).reshape(6, 5))
    ax = fm.plot.section(model, length="m")
    ax.figure.canvas.draw()
    image = ax.get_images()[0]
    assert isinstance(image.norm, colors.LogNorm) == log
    assert image.norm.vmin <= slow * 1.0001 and image.norm.vmax >= fast * 0.9999
    label = ax.child_axes[0].get_ylabel()
    assert ("log scale" in label) == log and "m/s" in label
    ticks = [t.get_text() for t in ax.child_axes[0].get_yticklabels() if t.get_text()]
    assert 1 <= len(ticks) <= 14
    if log:
        linear = fm.plot.section(model, log=False).get_images()[0].norm
        assert not isinstance(linear, colors.LogNorm)


def test_scales_that_cannot_be_are_named():
    model = fm.Model.constant((5, 4), velocity=1)
    with pytest.raises(ValueError, match="logarithmic scale needs it > 0"):
        fm.plot.section(model, log=True, vmin=0)
    with pytest.raises(ValueError, match="vmin is 3 and vmax 2"):
        fm.plot.section(model, vmin=3, vmax=2)
    with pytest.raises(ValueError, match="exaggeration is 0"):
        fm.plot.section(model, exaggeration=0)


def test_elevation_runs_upward():
    """Heights are minus depths, for the picture and all that is drawn over it."""
    model = fm.Model.gradient((21, 11), v0=4, gradient=1, spacing=0.5, origin=(1, -2))
    rays = fm.rays(model, (2, 1), [(8, 2)])
    times = fm.traveltimes(model, (2, 1))
    ax = fm.plot.section(model, rays=rays, times=times, elevation=True, length="m")
    low, high = ax.get_ylim()
    assert (low, high) == (-3.25, 2.25)
    assert ax.get_ylabel() == "elevation (m)"
    assert ax.get_images()[0].get_extent() == [0.75, 11.25, -3.25, 2.25]
    (star,) = [line for line in ax.get_lines() if line.get_marker() == "*"]
    np.testing.assert_array_equal(star.get_xydata(), [(2, -1)])


def test_thin_sections_are_drawn_higher_and_say_so():
    thin = fm.Model.constant((201, 5), velocity=2)
    ax = fm.plot.section(thin)
    assert ax.get_aspect() > 1
    assert ax.get_title(loc="right") == f"heights × {ax.get_aspect():g}"
    assert fm.plot.section(thin, exaggeration=3).get_aspect() == 3


def test_ground_goes_through_the_survey():
    """Between shots and receivers the line is theirs, not the grid's steps."""
    points = np.array([(0, 1.0), (4, 2.2), (9, 1.4)])
    model = fm.Model.constant((19, 13), velocity=2, spacing=0.5).with_topography(points)
    ax = fm.plot.section(model, receivers=points)
    (ground,) = [line for line in ax.get_lines() if line.get_gid() == "ground"]
    at = np.interp([0, 2, 4, 9], *ground.get_data())
    np.testing.assert_allclose(at, [1.0, 1.6, 2.2, 1.4])
    steps = fm.plot.section(model)
    (ground,) = [line for line in steps.get_lines() if line.get_gid() == "ground"]
    x, z = ground.get_data()
    inner = (x >= 0) & (x <= 9)
    assert np.abs(z - np.interp(x, *points.T))[inner].max() <= 0.5


def test_changes_are_even_to_the_eye():
    """Equal steps of value are equal steps in CIELAB, and the report has the same colours."""
    from fermat.plot._colours import diverging_colours

    rgb = diverging_colours(65)
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    part = (linear @ np.transpose(to_xyz)) / (0.95047, 1, 1.08883)
    cubed = np.where(part > (6 / 29) ** 3, np.cbrt(part), part / (3 * (6 / 29) ** 2) + 4 / 29)
    lab = np.column_stack(
        [116 * cubed[:, 1] - 16, 500 * (cubed[:, 0] - cubed[:, 1]), 200 * (cubed[:, 1] - cubed[:, 2])]
    )
    steps = np.linalg.norm(np.diff(lab, axis=0), axis=1)
    assert steps.max() / steps.min() < 1.05


def test_the_report_has_the_same_colours(root):
    from fermat.plot._colours import diverging_colours

    text = (root / "src/cli/report/scale.js").read_text()
    stops = re.findall(r"[0-9a-f]{6}", re.search(r"RED_BLUE = \[(.*?)\]", text, re.DOTALL)[1])
    own = ["".join(f"{round(255 * c):02x}" for c in row) for row in diverging_colours(9)]
    assert stops == own


def test_shots_have_a_panel_each_and_say_when_not_all(run):
    figure = fm.plot.shots(run, length="m")
    titles = [ax.get_title() for ax in figure.axes]
    assert titles == ["shot at x = 0 m", "shot at x = 2.5 m", "shot at x = 5 m",
                      "shot at x = 7.5 m", "shot at x = 10 m"]
    assert len(fm.plot.shots(run, most=2).axes) == 2
    legend = fm.plot.shots(run, most=2).legends[0]
    assert legend.get_title().get_text() == "2 of 5 shots"
    with pytest.raises(ValueError, match="most is 0"):
        fm.plot.shots(run, most=0)


def test_one_shot_and_one_pick_are_pictures():
    picks = fm.Picks([(0, 0)], [(4, 0)], source=[0], receiver=[0], time=[2], error=0.1)
    fm.plot.shots(picks, [2.1]).canvas.draw()
    fm.plot.traveltime_curves(picks, [2.1]).figure.canvas.draw()


def test_misfit_is_that_of_the_residuals(run):
    shots, offsets = fm.plot.misfit(run, time="ms").axes
    residual, x = run.residuals["final_residual"], run.residuals["source_x"]
    drawn = shots.get_lines()[2].get_xydata()
    np.testing.assert_allclose(drawn[:, 0], np.unique(x))
    kept = run.use != "rejected"
    for place, value in drawn:
        mine = residual[(x == place) & kept]
        assert value == pytest.approx(np.sqrt(np.mean(mine**2)))
    assert "± median error" in offsets.get_legend_handles_labels()[1]
    with pytest.raises(ValueError, match="bins is 0"):
        fm.plot.misfit(run, bins=0)


def test_rms_is_named_plain_or_weighted():
    columns = {"iteration": [0, 1], "rms": [0.4, 0.2], "weighted_rms": [0.3, 0.1]}
    ax = fm.plot.convergence(columns)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["plain RMS", "weighted RMS"]
    columns["weighted_rms"] = columns["rms"]
    assert fm.plot.convergence(columns).get_ylabel() == "plain RMS residual (s)"
    columns = {"iteration": [0, 1], "rms": [0.04, 0.02]}
    assert fm.plot.convergence(columns).get_ylabel() == "plain RMS residual (ms)"


def test_the_trade_off_is_the_historys(run):
    ax = fm.plot.trade_off(run)
    np.testing.assert_array_equal(ax.get_lines()[0].get_ydata(), run.history["chi2"][1:])
    assert ax.get_ylabel() == "χ² per pick"
    plain = {"lambda": [0, 5, 2], "roughness": [0, 1, 2], "chi2": [np.nan] * 3, "rms": [3, 2, 1]}
    assert fm.plot.trade_off(plain).get_ylabel() == "plain RMS residual (s)"
    with pytest.raises(ValueError, match="no column 'lambda'"):
        fm.plot.trade_off({"iteration": [0], "rms": [1]})
    with pytest.raises(ValueError, match="the start model alone"):
        fm.plot.trade_off({"lambda": [0], "roughness": [0], "rms": [1]})


def test_iterations_move(run, tmp_path):
    """A frame a model where they were kept, else start and end; the last is seen longer."""
    image = pytest.importorskip("PIL.Image")
    assert len(run.models) == len(run.history["rms"])
    np.testing.assert_array_equal(run.models[0].velocity, run.start.velocity)
    np.testing.assert_array_equal(run.models[-1].velocity, run.model.velocity)
    file = fm.plot.animate(run, tmp_path / "all.gif", dpi=40)
    # Frames that do not differ are one, seen longer.
    assert len(run.models) <= image.open(file).n_frames <= len(run.models) + 2
    folder = save(run, tmp_path / "run")
    assert image.open(fm.plot.animate(folder, tmp_path / "two.gif", dpi=40)).n_frames >= 2
    assert sorted(path.name for path in tmp_path.glob("*.gif")) == ["all.gif", "two.gif"]
    page = fm.plot.animate(run, tmp_path / "all.html", dpi=30, title="a <line>").read_text()
    assert page.count("iVBOR") == len(run.models) and "a &lt;line&gt;" in page
    (folder / "iterations").mkdir()
    for n, model in enumerate(run.models):  # as `fermat invert --keep all` names them
        model.save(folder / "iterations" / f"{n:04}-model.h5")
    kept = image.open(fm.plot.animate(folder, tmp_path / "kept.gif", dpi=40))
    assert kept.n_frames >= len(run.models)
    with pytest.raises(ValueError, match=r"must end in \.gif"):
        fm.plot.animate(run, "film.mp4")
    for file in (folder / "start.h5", folder / "iterations" / "0001-model.h5"):
        file.unlink()
    with pytest.raises(ValueError, match="the run has one model"):
        fm.plot.animate(folder, tmp_path / "none.gif")


def test_models_are_kept_on_request_alone():
    assert line_run().models == []
    hole = line_run(method="hole", keep_models=True, schedule=[(2, (9, 9), (3, 3))])
    assert len(hole.models) == len(hole.history["rms"]) == 3
    np.testing.assert_array_equal(hole.models[-1].velocity, hole.model.velocity)


def test_a_solid_is_seen_from_three_sides(solid):
    rays = fm.rays(solid.model, [(5, 4, 4)], [(1, 1, 0), (9, 7, 0)])
    figure = fm.plot.views(solid, rays=rays)
    above, below, beside = figure.axes[:3]
    assert above.get_ylim()[0] < above.get_ylim()[1]
    assert below.get_ylim()[0] > below.get_ylim()[1]
    assert beside.get_xlim()[0] < beside.get_xlim()[1]
    places = {ax: [ln for ln in ax.get_lines() if ln.get_marker() == "*"] for ax in (above, beside)}
    sources = np.unique(solid.residuals["source_z"])
    np.testing.assert_allclose(np.unique(places[beside][0].get_xdata()), sources)
    fm.plot.overview(solid).canvas.draw()
    fm.plot.overview(solid, elevation=True, y=4, depth=2).canvas.draw()
    fm.plot.views(solid, elevation=True).canvas.draw()
    assert fm.plot.map(solid, depth=3).get_title() == "depth 3 km"
    fm.plot.depth_slices(solid, [1, 3])
    with pytest.raises(ValueError, match="views needs a 3-D model"):
        fm.plot.views(fm.Model.constant((5, 4), velocity=1))


def test_cells_fade_too():
    velocity = np.linspace(1, 2, 30 * 20).reshape(30, 20)
    model = fm.Model(velocity, cells=True)
    count = np.zeros((30, 20))
    count[:, :8] = 1
    alpha = alpha_of(fm.plot.section(model, covered=count))
    assert alpha.shape == (30, 20)
    assert alpha[15, 2] > 0.95 and alpha[15, 19] < 0.05
    alpha = alpha_of(fm.plot.section(model, resolution=count))
    assert alpha[15, 2] > 0.95 and alpha[15, 19] < 0.05


def test_a_folder_of_the_program_is_an_overview(run, tmp_path, root):
    """What fermat invert writes is what overview reads."""
    program = root / "build" / "release" / "fermat"
    if not program.is_file():
        pytest.skip("no program (scripts/build makes it)")
    table = {name: run.residuals[name] for name in run.residuals if not name.endswith("_residual")}
    fm.Picks.from_columns(table).save(tmp_path / "picks.csv")
    done = subprocess.run(
        [program, "invert", "--picks", "picks.csv", "-o", "run", "--quiet"], cwd=tmp_path
    )
    assert done.returncode == 0
    figure = fm.plot.overview(tmp_path / "run")
    assert "plain RMS" in figure.get_suptitle() and figure.get_suptitle().startswith("run\n")


def test_both_sides_of_a_shot_have_their_own_curve_by_offset():
    picks = fm.Picks([(5, 0)], [(1, 0), (3, 0), (7, 0), (9, 0)], source=[0] * 4, receiver=range(4),
                     time=[4, 2, 1, 2])
    ax = fm.plot.traveltime_curves(picks, picks.time, by="offset")
    lines = [line.get_xydata().tolist() for line in ax.lines if line.get_linestyle() == "-"]
    assert lines == [[[2, 2], [4, 4]], [[2, 1], [4, 2]]]
