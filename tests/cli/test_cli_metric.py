"""Models with coordinates, by the program: files, tables of latitudes, rays and refusals."""

import csv

import numpy as np
import pytest


@pytest.fixture
def sphere(fermat):
    """8 km/s, 4 by 4 degrees across the date line, 100 km deep."""
    fermat("model", "constant", "--shape", "11,11,11", "--spacing", "0.4,0.4,10", "--origin",
           "40,178,0", "--velocity", "8", "-o", "flat.h5")
    fermat("model", "spherical", "--base", "flat.h5", "-o", "model.h5")
    rows = "latitude,longitude,depth\n42,179,10\n43,-178.5,5\n"
    (fermat.folder / "points.csv").write_text(rows)
    return fermat


def place(latitude, longitude, depth):
    la, lo = np.radians([latitude, longitude])
    return (6371 - depth) * np.array([np.cos(la) * np.cos(lo), np.cos(la) * np.sin(lo), np.sin(la)])


def test_tables_of_latitudes_give_times_and_rays(sphere):
    exact = np.linalg.norm(place(42, 179, 10) - place(43, -178.5, 5)) / 8
    sphere("times", "--model", "model.h5", "--sources", "points.csv", "--receivers", "points.csv",
           "--table", "times.csv", "-o", "times.h5")
    sphere("rays", "--model", "model.h5", "--sources", "points.csv", "--receivers", "points.csv",
           "--table", "rays.csv")
    for name in ("times.csv", "rays.csv"):
        with open(sphere.folder / name) as file:
            times = [float(row["time"]) for row in csv.DictReader(file)]
        assert times == pytest.approx([0, exact, exact, 0], abs=1e-5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--solver", "fsm"], "solver 'fsm' knows isotropic velocity on a Cartesian grid only"),
        (["--precision", "double"], "this model has spherical coordinates"),
        (["--source", "0,0,0"], "--source at (0, 0, 0) is outside the model"),
    ],
)
def test_refusals_are_one_line(sphere, arguments, message):
    assert message in sphere.error("times", "--model", "model.h5", "--sources", "points.csv", "-o",
                                   "times.h5", *arguments)


def test_the_gradient_of_a_sphere_points_north_east_and_down(sphere):
    """One source or several: as long as the slowness, away from the source."""
    sphere("times", "--model", "model.h5", "--source", "42,180,50", "--gradient", "-o", "one.h5")
    assert sphere.names("one.h5") == ["gradient_x", "gradient_y", "gradient_z", "time"]
    north, east, down = (sphere.array("one.h5", f"gradient_{axis}") for axis in "xyz")
    length = np.sqrt(north**2 + east**2 + down**2)
    assert np.nanmax(abs(length * 8 - 1)) < 0.02 and np.isnan(length).sum() == 1
    # Arrays of a file have z first.
    assert north[5, 5, 8] * 8 == pytest.approx(1, abs=0.02)
    assert east[5, 8, 5] * 8 == pytest.approx(1, abs=0.02)
    assert down[8, 5, 5] * 8 == pytest.approx(1, abs=0.02)
    sphere("times", "--model", "model.h5", "--sources", "points.csv", "--gradient", "-o", "two.h5")
    names = [f"gradient_{n}_{axis}" for n in ("000", "001") for axis in "xyz"]
    assert sphere.names("two.h5") == [*names, "time_000", "time_001"]


def test_ground_too_rough_for_second_order_is_told_in_one_line(fermat):
    """Fields, times at receivers, rays and synthetic picks: never a failure. An isotropic model, which has second order
    on any ground, gets the identity as its tensor."""
    fermat("model", "constant", "--shape", "81,41", "--spacing", "0.1", "--velocity", "2", "-o",
           "flat.h5")
    heights = np.random.default_rng(3).normal(0, 0.05, 81)
    fermat.write("ground.csv", "x,z\n" + "".join(f"{0.1 * i},{z}\n" for i, z in enumerate(heights)))
    fermat.write("points.csv", "x,z\n2,1\n4,1.5\n6,1\n")
    fermat("model", "terrain", "--base", "flat.h5", "--surface", "ground.csv", "-o", "ground.h5")
    done = fermat.call("times", "--model", "ground.h5", "--source", "4,1", "-o", "t.h5")
    assert done.returncode == 0 and "first order" not in done.stderr
    fermat("model", "anisotropy", "--base", "ground.h5", "--tensor", "1,1,1,0,0,0", "-o", "model.h5")
    survey = ("--sources", "points.csv", "--receivers", "points.csv")
    for command in (["times", "--source", "4,1", "-o", "t.h5"],
                    ["times", *survey, "--table", "t.csv"],
                    ["rays", *survey, "-o", "r.h5"],
                    ["picks", *survey, "-o", "p.csv"]):
        done = fermat.call(command[0], "--model", "model.h5", *command[1:])
        assert done.returncode == 0, done.stderr
        count = "1 source" if "--source" in command else "3 sources"
        told = [line for line in done.stderr.splitlines() if "are of first order" in line]
        assert len(told) == 1 and f"times of {count} are of first order, because" in told[0]
        assert "smooth the ground or the model" in told[0] and "--order 1" in told[0]


def test_numbers_beyond_single_precision_are_refused(sphere):
    sphere.write("ground.csv", "x,y,z\n40,178,-1e30\n44,182,-1e30\n40,182,0\n44,178,0\n")
    for arguments, message in (
        (["spherical", "--base", "flat.h5", "--radius", "1e30"], "radius is 1e+30"),
        (["terrain", "--base", "flat.h5", "--surface", "ground.csv"], "the surface's depth in column"),
    ):
        assert message in sphere.error("model", *arguments, "-o", "bad.h5")


def test_latitudes_need_a_sphere(fermat, sphere):
    sphere("model", "constant", "--shape", "11,11,11", "--velocity", "8", "-o", "plain.h5")
    assert "has latitudes and longitudes" in sphere.error(
        "times", "--model", "plain.h5", "--sources", "points.csv", "-o", "times.h5")


def test_a_region_goes_from_picks_to_models_and_places(sphere):
    """Tables of longitudes and latitudes in and out, without a plane."""
    folder = sphere.folder
    spots = [(40.5 + 0.7 * i, 178.4 + 0.8 * j) for i in range(5) for j in range(4)]
    rows = "".join(f"{a},{b},0\n" for a, b in spots)
    (folder / "stations.csv").write_text("latitude,longitude,depth\n" + rows)
    quakes = "".join(f"{a + 0.2},{b + 0.3},{30 + 9 * n % 60}\n" for n, (a, b) in enumerate(spots[:12]))
    (folder / "quakes.csv").write_text("latitude,longitude,depth\n" + quakes)
    sphere("model", "checkerboard", "--base", "model.h5", "--size", "2,2,50", "--amplitude", "0.02",
           "-o", "board.h5")
    sphere("picks", "--model", "board.h5", "--sources", "quakes.csv", "--receivers", "stations.csv",
           "--noise", "0.3", "-o", "picks.csv")
    with open(folder / "picks.csv") as file:
        assert file.readline().startswith("source_longitude,source_latitude,source_z,receiver_l")
    said = sphere("invert", "--model", "model.h5", "--picks", "picks.csv", "--regularisation",
                  "second", "-o", "run")
    assert "chi2" in said
    assert "local plane" not in said
    sphere("model", "convert", "run/model.h5", "-o", "found.vts")
    assert b"StructuredGrid" in (folder / "found.vts").read_bytes()[:200]
    with open(folder / "picks.csv") as file:
        first = [row for row in csv.DictReader(file) if row["source_latitude"] == "40.7"][:20]
    names = "".join(f"s{n},{r['receiver_longitude']},{r['receiver_latitude']},0\n"
                    for n, r in enumerate(first))
    (folder / "named.csv").write_text("station,longitude,latitude,elevation\n" + names)
    times = "".join(f"e,s{n},P,{r['time']}\n" for n, r in enumerate(first))
    (folder / "phases.csv").write_text("event,station,phase,time\n" + times)
    sphere("locate", "--model", "board.h5", "--stations", "named.csv", "--picks", "phases.csv",
           "--model-error", "0.3", "-o", "catalogue.csv")
    with open(folder / "catalogue.csv") as file:
        found = next(csv.DictReader(file))
    assert float(found["latitude"]) == pytest.approx(40.7, abs=0.15)
    assert float(found["longitude"]) == pytest.approx(float(first[0]["source_longitude"]), abs=0.15)
    (folder / "flat.csv").write_text("source_x,source_y,source_z,receiver_x,receiver_y,receiver_z,"
                                     "time\n41,179,10,42,180,0,9\n")
    assert "has x and y (a spherical model needs longitudes and latitudes" in sphere.error(
        "invert", "--model", "model.h5", "--picks", "flat.csv", "-o", "other")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["spherical", "--radius", "50"], "depths go to 100"),
        (["anisotropy", "--epsilon", "0.1", "--delta", "-0.9"], "beyond stability"),
        (["anisotropy", "--tensor", "1,-1,1,0,0,0"], "not positive definite"),
        (["anisotropy", "--tensor", "1,1,1"], "must be xx,yy,zz,xy,xz,yz"),
        (["anisotropy"], "anisotropy is given by --epsilon and --delta"),
        (["anisotropy", "--strength", "2"], "must be between -1 and 1"),
        (["terrain", "--surface", "deep.csv"], "folds the grid"),
    ],
)
def test_media_that_cannot_be_are_refused(fermat, arguments, message):
    fermat("model", "constant", "--shape", "5,5,11", "--spacing", "1,1,10", "--velocity", "8", "-o",
           "flat.h5")
    (fermat.folder / "deep.csv").write_text("x,y,z\n0,0,0\n4,4,200\n0,4,0\n")
    kind, *rest = arguments
    assert message in fermat.error("model", kind, "--base", "flat.h5", *rest, "-o", "out.h5")


def test_hills_and_fast_directions_are_made(fermat):
    fermat("model", "gradient", "--shape", "41,21", "--spacing", "0.1", "--v0", "2", "--gradient",
           "0.5", "-o", "flat.h5")
    (fermat.folder / "ground.csv").write_text("x,z\n0,0.4\n2,-0.3\n4,0.5\n")
    fermat("model", "terrain", "--base", "flat.h5", "--surface", "ground.csv", "-o", "hill.h5")
    fermat("model", "anisotropy", "--base", "hill.h5", "--epsilon", "0.1", "--delta", "0.05", "-o",
           "tti.h5")
    (fermat.folder / "ends.csv").write_text("x,z\n0.5,0.225\n2,-0.3\n3.5,0.3\n")
    fermat("times", "--model", "tti.h5", "--sources", "ends.csv", "--receivers", "ends.csv",
           "--table", "times.csv")
    with open(fermat.folder / "times.csv") as file:
        times = np.array([float(row["time"]) for row in csv.DictReader(file)]).reshape(3, 3)
    assert times == pytest.approx(times.T, abs=2e-3)
    assert "is outside the model" in fermat.error(
        "times", "--model", "hill.h5", "--source", "2,-0.5", "-o", "times.h5")


def test_bench_metric_prints_its_table(fermat):
    text = fermat("bench", "metric", "--quick", "--repeat", "1", "--threads", "1")
    assert "power-law sphere" in text
    assert "Thomsen TTI" in text


def test_graded_grids_keep_the_times_of_their_base(fermat):
    fermat("model", "gradient", "--shape", "41,41", "--spacing", "0.1", "--v0", "2", "--gradient",
           "0.5", "-o", "model.h5")
    fermat("model", "graded", "--base", "model.h5", "--growth", "1,4", "--shape", "41,21", "-o",
           "graded.h5")
    (fermat.folder / "stations.csv").write_text("x,z\n0.5,0\n3.7,0\n2,3.1\n")
    times = {}
    for model in ("model", "graded"):
        fermat("times", "--model", f"{model}.h5", "--source", "1,0.3", "--receivers",
               "stations.csv", "--table", "times.csv")
        with open(fermat.folder / "times.csv") as file:
            times[model] = [float(row["time"]) for row in csv.DictReader(file)]
    assert times["graded"] == pytest.approx(times["model"], rel=1e-3)
    assert "growth along axis z is -4" in fermat.error(
        "model", "graded", "--base", "model.h5", "--growth", "1,-4", "-o", "graded.h5")
