"""Pictures show the model the right way up, at its own scale."""

import fermat as fm
import numpy as np
import pytest

plt = pytest.importorskip("matplotlib.pyplot")
LineCollection = pytest.importorskip("matplotlib.collections").LineCollection


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_depth_points_down_and_scales_are_equal():
    model = fm.Model.gradient((21, 11), v0=4, gradient=1, spacing=0.5, origin=(1, -2))
    ax = fm.plot.section(model, length="m", time="ms")
    low, high = ax.get_ylim()
    assert low > high
    assert ax.get_aspect() == 1
    assert ax.get_xlabel() == "x (m)"
    assert ax.get_ylabel() == "depth (m)"
    image = ax.get_images()[0]
    assert image.get_extent() == [0.75, 11.25, 3.25, -2.25]
    np.testing.assert_array_equal(image.get_array()[0], model.velocity[:, 0])


def test_air_is_left_out():
    """Nothing is drawn above the ground, which is a line half a cell above the first rock."""
    model = fm.Model.constant((5, 5), velocity=2).with_topography([(0, 1.5), (4, 1.5)])
    ax = fm.plot.section(model)
    (ground,) = [line for line in ax.get_lines() if line.get_gid() == "ground"]
    np.testing.assert_array_equal(ground.get_ydata(), 1.5)
    np.testing.assert_array_equal(ground.get_xdata()[[0, -1]], [-0.5, 4.5])
    clip = ax.get_images()[0].get_clip_path().get_fully_transformed_path()
    pixels = ax.transData.transform([(2, 1.2), (2, 1.8)])
    assert clip.contains_points(pixels).tolist() == [False, True]


def test_a_3d_model_is_cut_at_y():
    model = fm.Model(np.arange(1, 28, dtype=float).reshape(3, 3, 3), origin=(0, 10, 0))
    drawn = fm.plot.section(model, y=12).get_images()[0].get_array()
    np.testing.assert_array_equal(drawn.T, model.velocity[:, 2])
    with pytest.raises(ValueError, match="must lie between 10.0 and 12.0"):
        fm.plot.section(model, y=13)


def test_isochrons_need_the_models_shape():
    model = fm.Model.constant((5, 5), velocity=2)
    times = np.add.outer(np.arange(5.0), np.arange(5.0))
    times[0, 0] = np.inf
    fm.plot.section(model, times=times)
    with pytest.raises(ValueError, match=r"times has shape \(4, 5\) \(must be \(5, 5\) nodes"):
        fm.plot.section(model, times=times[1:])


def drawn_rays(ax):
    (lines,) = [each for each in ax.collections if isinstance(each, LineCollection)]
    return lines.get_segments()


def markers(ax):
    """Positions by marker."""
    return {line.get_marker(): np.column_stack(line.get_data()) for line in ax.get_lines()}


def test_rays_run_from_triangles_to_stars():
    model = fm.Model.gradient((21, 11), v0=2, gradient=0.5)
    rays = fm.rays(model, [(1, 0), (2, 3)], [(9, 0), (15, 2)])
    ax = fm.plot.section(model, rays=rays)
    assert len(drawn_rays(ax)) == 4
    np.testing.assert_array_equal(drawn_rays(ax)[0], rays.paths[0])
    found = markers(ax)
    np.testing.assert_array_equal(found["*"], [(1, 0), (2, 3)])
    np.testing.assert_array_equal(found["v"], [(9, 0), (15, 2)])
    assert ax.get_xlim() == (-0.5, 20.5)


def test_rays_of_a_3d_model_are_projected():
    model = fm.Model.gradient((9, 9, 9), v0=2, gradient=0.5)
    rays = fm.rays(model, (1, 1, 1), (7, 5, 3))
    ax = fm.plot.section(model, rays=rays, receivers=[(7, 5, 3), (2, 2, 2)], y=4)
    np.testing.assert_array_equal(drawn_rays(ax)[0], rays.paths[0][:, [0, 2]])
    np.testing.assert_array_equal(markers(ax)["v"], [(2, 2), (7, 3)])


def test_rays_that_never_left_are_no_lines():
    model = fm.Model.constant((9, 9), velocity=2).with_topography([(0, 3.5), (8, 3.5)])
    ax = fm.plot.section(model, rays=fm.rays(model, (4, 6), [(2, 1)]))
    assert drawn_rays(ax) == []
    assert "*" not in markers(ax)


def test_what_does_not_fit_the_model_is_named():
    model = fm.Model.constant((9, 9), velocity=2)
    solid = fm.Model.constant((9, 9, 9), velocity=2)
    with pytest.raises(ValueError, match=r"rays are 3-D \(must be 2-D, as the model\)"):
        fm.plot.section(model, rays=fm.rays(solid, (1, 1, 1), (2, 2, 2)))
    with pytest.raises(ValueError, match=r"sources has shape \(3,\)"):
        fm.plot.section(model, sources=(1, 1, 1))


@pytest.mark.parametrize("levels", [8, [1.0, 2.0, 3.0], [99.0]])
def test_isochrons_are_labelled_in_the_users_unit(levels):
    model = fm.Model.constant((41, 41), velocity=2)
    ax = fm.plot.section(model, times=fm.traveltimes(model, (20, 20)), levels=levels, time="ms")
    texts = [text.get_text() for text in ax.texts]
    assert (levels == [99.0]) == (texts == [])
    assert all(text.endswith(" ms") for text in texts)


def test_a_section_across_x_shows_y_and_depth():
    model = fm.Model(np.arange(1, 61, dtype=float).reshape(3, 4, 5))
    ax = fm.plot.section(model, x=2, rays=fm.rays(model, (0, 0, 0), (2, 3, 4)))
    np.testing.assert_array_equal(ax.get_images()[0].get_array().T, model.velocity[2])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("y (km)", "depth (km)")
    np.testing.assert_array_equal(markers(ax)["v"], [(3, 4)])
    with pytest.raises(ValueError, match="more than one of x, y and z"):
        fm.plot.section(model, x=1, y=1)


def test_what_no_ray_passes_fades_softly():
    """Plain in the middle of the rays, gone far away, and no step between neighbours looks like a
    cell."""
    model = fm.Model.constant((41, 31), velocity=2)
    count = np.zeros((40, 30))
    count[:, :15:2] = 1  # a thread every second row
    alpha = fm.plot.section(model, covered=count).get_images()[0].get_alpha().T
    assert alpha[20, 7] > 0.95 and alpha[20, 30] < 0.01
    assert np.abs(np.diff(alpha[20])).max() < 0.35
    everywhere = fm.plot.section(model, covered=np.ones((40, 30))).get_images()[0].get_alpha()
    assert everywhere.min() == 1
    assert fm.plot.section(model).get_images()[0].get_alpha() is None
    model = fm.Model.constant((4, 3), velocity=2)
    with pytest.raises(ValueError, match=r"covered has shape \(4, 3\) \(must be \(3, 2\) cells"):
        fm.plot.section(model, covered=np.zeros((4, 3)))


@pytest.fixture
def cube():
    return fm.Model(np.arange(1, 61, dtype=float).reshape(3, 4, 5), origin=(0, 0, -1))


def test_a_map_has_y_upward_at_its_depth(cube):
    ax = fm.plot.map(cube, depth=1.2, rays=fm.rays(cube, (0, 0, 0), (2, 3, 3)), length="m")
    np.testing.assert_array_equal(ax.get_images()[0].get_array().T, cube.velocity[:, :, 2])
    low, high = ax.get_ylim()
    assert low < high
    assert ax.get_aspect() == 1
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("x (m)", "y (m)", "depth 1.2 m")
    np.testing.assert_array_equal(markers(ax)["*"], [(0, 0)])


def test_slices_share_one_scale(cube):
    figure = fm.plot.depth_slices(cube, [-1, 0, 3])
    images = [ax.get_images()[0] for ax in figure.axes if ax.get_images()]
    assert len(images) == 3
    assert {image.get_clim() for image in images} == {(1.0, 60.0)}
    assert len([ax for ax in fm.plot.depth_slices(cube).axes if ax.get_images()]) == 5


def test_maps_need_3d():
    flat = fm.Model.constant((4, 3), velocity=2)
    for draw in (fm.plot.map, fm.plot.depth_slices):
        with pytest.raises(ValueError, match="needs a 3-D model"):
            draw(flat)


def test_coverage_is_that_of_the_rays():
    model = fm.Model.constant((9, 5), velocity=2)
    rays = fm.rays(model, (0, 2.5), [(8, 2.5), (4, 2.5)])
    ax = fm.plot.coverage(rays)
    drawn = ax.get_images()[0].get_array().T
    count = rays.coverage()[0]
    np.testing.assert_array_equal(np.ma.filled(drawn, 0), count)
    assert ax.get_images()[0].get_extent() == [0, 8, 4, 0]
    with pytest.raises(ValueError, match="count is missing"):
        fm.plot.coverage(model)
    with pytest.raises(ValueError, match=r"count has shape \(9, 5\)"):
        fm.plot.coverage(model, np.zeros((9, 5)))
    fm.plot.coverage(model, np.zeros((8, 4))).figure.canvas.draw()


def test_residuals_say_their_rms(tmp_path):
    figure = fm.plot.residuals([1, 2], [0.3, -0.3], [0.1, np.nan], time="ms")
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["before: plain RMS 0.3 ms", "after: plain RMS 0.1 ms"]
    (tmp_path / "residuals.csv").write_text(
        "source_x,source_z,receiver_x,receiver_z,initial_residual,final_residual,use\n"
        "0,0,3,0,0.5,0.2,used\n0,0,9,0,-0.5,,lost\n"
    )
    left = fm.plot.residuals(tmp_path).axes[0]
    np.testing.assert_array_equal(left.collections[0].get_offsets(), [(3, 0.5), (9, -0.5)])
    with pytest.raises(ValueError, match=r"before has shape \(1,\) \(must be \(2,\), as offset"):
        fm.plot.residuals([1, 2], [0.1])
    with pytest.raises(ValueError, match="no residual is finite"):
        fm.plot.residuals([1], [np.nan])


def test_convergence_comes_from_runs_folders_and_columns(tmp_path):
    (tmp_path / "history.csv").write_text(
        "iteration,rms,cell_size,stage,chi2\n0,0.4,,0,\n1,0.2,9x9,1,\n2,0.1,3x3,2,\n"
    )
    columns = {"iteration": [0, 1, 2], "rms": [0.4, 0.2, 0.1], "stage": [0, 1, 2]}

    class Run:
        history = columns

    for run in (tmp_path, tmp_path / "history.csv", columns, Run()):
        ax = fm.plot.convergence(run, target=0.05)
        np.testing.assert_array_equal(ax.get_lines()[0].get_ydata(), [0.4, 0.2, 0.1])
        assert len(ax.patches) == 1
    with pytest.raises(ValueError, match="no column 'rms'"):
        fm.plot.convergence({"iteration": [1]})
    with pytest.raises(ValueError, match="history of type int is not understood"):
        fm.plot.convergence(3)


def test_curves_run_shot_by_shot():
    picks = fm.Picks(
        [(0, 0), (10, 0)], [(8, 0), (4, 0)], source=[0, 0, 1], receiver=[0, 1, 0], time=[4, 2, 1]
    )
    ax = fm.plot.traveltime_curves(picks, picks.time, length="m")
    np.testing.assert_array_equal(ax.get_lines()[0].get_xydata(), [(4, 2), (8, 4)])
    assert len(ax.get_lines()) == 4
    reduced = fm.plot.traveltime_curves(picks, by="offset", reduce=2)
    np.testing.assert_array_equal(reduced.get_lines()[0].get_ydata(), [0, 0])
    for wrong in ({"by": "y"}, {"reduce": 0}, {"computed": [1]}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            fm.plot.traveltime_curves(picks, **wrong)


def test_a_checkerboard_is_drawn_in_per_cent():
    base = fm.Model.constant((9, 9), velocity=2)
    truth = base.checkerboard(size=4, amplitude=0.1)
    figure = fm.plot.checkerboard(truth, base, base)
    first, second = (ax.get_images()[0] for ax in figure.axes if ax.get_images())
    assert first.get_clim() == second.get_clim() == pytest.approx((-10, 10), rel=1e-5)
    assert abs(first.get_array()).min() == pytest.approx(10, rel=1e-5)
    assert abs(second.get_array()).max() == 0
    with pytest.raises(ValueError, match="truth equals base"):
        fm.plot.checkerboard(base, truth, base)


def test_the_scene_has_depth_downward(cube):
    pyvista = pytest.importorskip("pyvista")
    rays = fm.rays(cube, (0, 0, 0), [(2, 3, 3)])
    scene = fm.plot.interactive3d(
        cube, rays=rays, times=fm.traveltimes(cube, (0, 0, 0)), off_screen=True
    )
    assert isinstance(scene, pyvista.Plotter)
    up, camera = np.array(scene.camera.up), scene.camera
    assert up[2] < 0
    right = np.cross(np.subtract(camera.focal_point, camera.position), up)
    assert right[0] > 0
    scene.close()


def test_a_map_has_degrees_on_its_axes():
    model = fm.Model.constant((7, 7, 3), velocity=5, spacing=50, origin=(-150, -150, 0))
    plane = fm.Plane.round([-179.5], [50.0])
    ax = fm.plot.degrees(fm.plot.map(model, depth=0), plane)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["179", "180", "-179", "-178"] or [
        label.get_text() for label in ax.get_xticklabels()] == ["179", "-180", "-179", "-178"]
    ticks = ax.get_yticks()
    assert np.allclose(plane.to_geographic(np.zeros(len(ticks)), ticks)[1], [49, 50, 51])
    # A meridian is straight to the eye: 4 km off at the edges of 300 km.
    x = ax.get_xticks()[-1]
    longitude, _ = plane.to_geographic(x, 0)
    assert abs(plane.to_plane(longitude, 51.35)[0] - x) < 4.5
    figure = fm.plot.views(model)
    fm.plot.degrees(figure.axes[0], plane)
    assert figure.axes[0].get_ylabel() == "latitude (°)"
    assert figure.axes[1].get_xlabel() == "longitude (°)"  # the section below shares its axis
    with pytest.raises(ValueError, match="that of a line"):
        fm.plot.degrees(ax, fm.Plane(f"{plane} east=0 north=0 azimuth=30"))
