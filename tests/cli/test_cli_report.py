"""`fermat report`: one page that needs no network and has the numbers of the run."""

import base64
import json
import re

import h5py
import numpy as np
import pytest
from chromium import Page, find_chromium

HISTORY = """iteration,rms,picks,max_update,cell_size,vertex_size,seconds,chi2,lost,rejected,stage
0,0.4,3,0,,,0.1,,0,0,0
1,0.2,3,0.05,9x9,3x3,0.2,,0,0,1
2,0.1,3,0.02,3x3,3x3,0.3,,0,0,2
"""
RESIDUALS = """source,receiver,source_x,source_z,receiver_x,receiver_z,time,error,initial_residual,\
final_residual,use
0,0,0,0,3,0,1,,0.5,0.2,used
0,1,0,0,4,0,2,,-0.5,0.1,used
1,1,1,0,4,0,2,,0.1,,lost
"""


def add_coverage(model, coverage, count):
    """Writes coverage.h5 like `fermat invert`, from a copy of the model's grid."""
    with h5py.File(model) as old, h5py.File(coverage, "w") as new:
        old.copy("VTKHDF", new)
        cells = new["VTKHDF"].require_group("CellData")
        cells["coverage"] = count.transpose().astype(np.float32)


@pytest.fixture
def run(fermat):
    """A folder `run` as of fermat invert: 2-D, 11 x 6 nodes 0.5 apart from (0, -0.5), 2 + 0.5 z."""
    (fermat.folder / "run").mkdir()
    fermat("model", "gradient", "--shape", "11,6", "--spacing", "0.5", "--origin", "0,-0.5", "--v0",
           "1.75", "--gradient", "0.5", "-o", "run/model.h5")
    fermat("model", "constant", "--shape", "11,6", "--spacing", "0.5", "--origin", "0,-0.5",
           "--velocity", "2", "-o", "start.h5")
    count = np.zeros((10, 5))
    count[3:6, 1:4] = 7
    add_coverage(fermat.folder / "run/model.h5", fermat.folder / "run/coverage.h5", count)
    fermat.write("run/history.csv", HISTORY)
    fermat.write("run/residuals.csv", RESIDUALS)
    fermat.write("run/settings.toml", 'solver = "fim"\nlength-unit = "km"\ntime-unit = "s"\n')
    return fermat


def page_data(fermat, name="report.html"):
    text = (fermat.folder / name).read_text()
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    return json.loads(found[1])


def test_the_page_holds_the_run(run):
    assert run("report", "run", "-o", "report.html") == "wrote report.html\n"
    data = page_data(run)
    assert data["title"] == "run"
    assert ["plain RMS residual", "0.4 → 0.1 s"] in data["summary"]
    assert ["picks used", "3 of 3"] in data["summary"]
    assert ["nodes", "(11, 6)"] in data["summary"]
    assert data["history"]["rows"][1][:2] == [1, 0.2]
    assert data["settings"] == 'solver = "fim"\nlength-unit = "km"\ntime-unit = "s"\n'
    assert data["model"]["shape"] == [11, 1, 6]


def test_words_of_the_user_cannot_break_the_page(run):
    hostile = "</script><script>alert('x')</script> & \\ \" <b>"
    run("report", "run", "-o", "report.html", "--title", hostile, "--length-unit", "<m>")
    data = page_data(run)
    assert data["title"] == hostile
    assert data["units"] == {"length": "<m>", "time": "s"}
    text = (run.folder / "report.html").read_text()
    assert text.count("<script") == 2
    assert "alert('x')</script>" not in text


def test_equal_runs_are_equal_pages(run):
    run("report", "run", "-o", "a.html")
    run("report", "--run", "run", "-o", "b.html", "--quiet")
    assert run.files()["a.html"] == run.files()["b.html"]


def test_what_is_missing_is_named(run):
    assert "'nowhere' is not a folder" in run.error("report", "nowhere", "-o", "r.html")
    assert "must end in .html" in run.error("report", "run", "-o", "r.pdf")
    assert "must be (11, 6), as the run's model" in run.error(
        "report", "run", "-o", "r.html", "--start", make_other(run))
    (run.folder / "run/history.csv").write_text(HISTORY.splitlines()[0] + "\n")
    assert "history.csv' has a header and no rows" in run.error("report", "run", "-o", "r.html")
    (run.folder / "run/history.csv").unlink()
    assert "history.csv" in run.error("report", "run", "-o", "r.html")


def make_other(fermat):
    fermat("model", "constant", "--shape", "4,4", "--velocity", "2", "-o", "other.h5")
    return "other.h5"


@pytest.fixture
def browser(tmp_path_factory):
    program = find_chromium()
    if program is None:
        pytest.skip("no Chromium on this machine (install the package chromium, or set CHROMIUM)")
    with Page(program, tmp_path_factory.mktemp("chromium")) as page:
        yield page


def test_the_page_in_a_browser(run, browser):
    """Clicks, reads values and takes a screenshot."""
    run("report", "run", "-o", "report.html", "--start", "start.h5")
    browser.open(run.folder / "report.html")
    assert browser.errors == []
    assert browser.text("h1") == "run"
    assert "0.4 → 0.1 s" in browser.text("#summary")
    assert browser.value("document.querySelectorAll('#convergence circle').length") == 3
    assert browser.text("#convergence circle title") == "iteration 0: plain RMS 0.4 s"
    assert "start model: plain RMS 0.4123, mean 0.03333 s" in browser.text("#residual-readout")

    # The value under the pointer is the model's: 2 + 0.5 z at the nearest node, z = 1.
    whole = "(v => v.toPixel(2.0, 1.0).concat(v.canvas.getBoundingClientRect().width / " \
            "v.canvas.width))(window.view)"
    x, y, scale = browser.value(whole)
    left, top = browser.value("(b => [b.x, b.y])(document.querySelector('#section')"
                              ".getBoundingClientRect())")
    here = left + x * scale, top + y * scale
    browser.mouse("mouseMoved", *here)
    readout = browser.text("#readout")
    assert re.search(r"x (2|1\.99\d|2\.00\d), depth (1|0\.99\d*|1\.00\d) km: velocity 2\.5 km/s",
                     readout), readout
    assert "change from the start model 25 %" in readout
    assert "rays in the cell 7" in readout

    # The wheel zooms about the pointer; a click on the button resets the view.
    span = "view.view.right - view.view.left"
    browser.mouse("mouseWheel", *here, deltaX=0, deltaY=-120)
    assert browser.value(span) == pytest.approx(4)
    browser.mouse("mouseMoved", *here)
    assert "velocity 2.5 km/s" in browser.text("#readout")
    browser.click("#reset")
    assert browser.value(span) == pytest.approx(5)

    # Clicking a check box removes residuals; another field has other colours.
    browser.click("#before")
    assert browser.text("#residual-readout").startswith("final model: plain RMS 0.1581")
    pixel = f"[...view.pen.getImageData({round(x)}, {round(y)}, 1, 1).data].join()"
    velocity = browser.value(pixel)
    browser.choose("#field", "coverage")
    assert browser.value(pixel) != velocity

    picture = browser.screenshot()
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert len(picture) > 20000
    assert [url for url in browser.requests if not url.startswith("file:")] == []


def test_settings_of_a_run_do_the_same_again(section):
    """`fermat invert` writes its flags to a file that --config reads; the report shows it."""
    section.write("picks.csv", "source_x,source_z,receiver_x,receiver_z,time\n"
                               "0,0,5,0,1.6\n0,0,4,0,1.3\n5,0,1,0,1.4\n")
    section.write("stages.csv", "iterations,cell_x,cell_z,vertex_x,vertex_z\n2,3,3,3,3\n")
    section("invert", "--model", "model.h5", "--picks", "picks.csv", "--schedule", "stages.csv",
            "--weights", "equal", "--max-update", "0.2", "-o", "run", "--quiet")
    text = (section.folder / "run/settings.toml").read_text()
    assert text.startswith("# fermat_run ")
    assert '\n[invert]\nmodel = "model.h5"\n' in text
    assert "max-update = 0.2\n" in text and "quiet = true\n" in text
    first = section.array("run/model.h5")
    section("invert", "--config", "run/settings.toml", "-o", "again")
    np.testing.assert_array_equal(section.array("again/model.h5"), first)
    section("report", "run", "-o", "report.html")
    assert page_data(section)["settings"] == text


def add_trust(folder, resolution, deviation):
    """trust.h5 on the grid of the folder's model."""
    with h5py.File(folder / "model.h5") as old, h5py.File(folder / "trust.h5", "w") as new:
        old.copy("VTKHDF", new)
        points = new["VTKHDF/PointData"]
        del points["velocity"]
        for name, values in (("resolution", resolution), ("deviation", deviation)):
            points[name] = values.transpose().astype(np.float32)


def floats(text):
    return np.frombuffer(base64.b64decode(text), np.float32)


def test_the_page_fades_by_rays_or_by_resolution(run):
    """The fade is soft, and resolution comes first where the run has it."""
    run("report", "run", "-o", "report.html")
    model = page_data(run)["model"]
    fade = floats(model["fade"]).reshape(11, 6)
    assert fade.max() > 0.9 and fade[10, 5] < 0.1
    assert np.unique(fade.round(3)).size > 10
    assert model["resolution"] is None
    resolution = np.zeros((11, 6))
    resolution[6:] = 0.04
    add_trust(run.folder / "run", resolution, np.full((11, 6), 0.3))
    run("report", "run", "-o", "trust.html")
    model = page_data(run, "trust.html")["model"]
    fade = floats(model["fade"]).reshape(11, 6)
    assert (fade[:3] == 0).all() and (fade[8:] == 1).all()
    np.testing.assert_allclose(floats(model["deviation"]), 0.3, rtol=1e-6)


def test_trust_of_another_grid_is_named(run):
    make_other(run)
    (run.folder / "other").mkdir()
    (run.folder / "other.h5").rename(run.folder / "other/model.h5")
    add_trust(run.folder / "other", np.ones((4, 4)), np.ones((4, 4)))
    (run.folder / "other/trust.h5").rename(run.folder / "run/trust.h5")
    assert "trust.h5' has shape (4, 4) (must be (11, 6), as the model)" in run.error(
        "report", "run", "-o", "r.html")


def test_the_start_model_of_the_run_is_shown_unasked(run):
    run("report", "run", "-o", "report.html")
    assert page_data(run)["model"]["start"] is None
    (run.folder / "start.h5").rename(run.folder / "run/start.h5")
    run("report", "run", "-o", "report.html")
    np.testing.assert_array_equal(floats(page_data(run)["model"]["start"]), np.float32(2))


def test_times_below_a_tenth_of_a_second_are_milliseconds(run):
    run.write("run/history.csv", HISTORY.replace("0.4,", "0.04,").replace("0.1,3", "0.01,3"))
    run("report", "run", "-o", "report.html")
    assert ["plain RMS residual", "40 → 10 ms"] in page_data(run)["summary"]


def test_the_target_is_a_line_across_the_convergence(run, browser):
    lines = "document.querySelectorAll('#convergence .target').length"
    for target, count in ((0.3, 1), (2, 0), (None, 0)):  # 2 is above all iterations
        settings = 'length-unit = "km"\ntime-unit = "s"\n'
        run.write("run/settings.toml", settings + (f"target-rms = {target}\n" if target else ""))
        run("report", "run", "-o", "report.html")
        browser.open(run.folder / "report.html")
        assert (browser.errors, browser.value(lines)) == ([], count)


def test_switches_of_the_page(run, browser):
    """Elevation, logarithmic colours, the ground, curves of a shot, and the trade-off."""
    rows = [line.split(",") for line in HISTORY.split()]
    more = [["lambda", "roughness", "weighted_rms"], ["0", "0", "0.3"], ["100", "0.2", "0.15"],
            ["50", "0.4", "0.08"]]
    run.write("run/history.csv", "\n".join(",".join(a + b) for a, b in zip(rows, more)) + "\n")
    run.write("ground.csv", "x,z\n0,0.2\n5,1.2\n")
    run("model", "topography", "--base", "run/model.h5", "--surface", "ground.csv", "-o", "hill.h5")
    (run.folder / "hill.h5").replace(run.folder / "run/model.h5")
    add_trust(run.folder / "run", np.full((11, 6), 0.1), np.full((11, 6), 0.2))
    run("report", "run", "-o", "report.html")
    browser.open(run.folder / "report.html")
    assert browser.errors == []
    assert browser.value("document.querySelectorAll('#trade-off circle').length") == 2
    assert "weighted RMS" in browser.text("#convergence")
    assert browser.value("document.querySelectorAll('#convergence circle').length") == 6
    # Air is blank, the ground falls to the right, rock is not blank.
    pixel = "(p => [...view.pen.getImageData(p[0], p[1], 1, 1).data].slice(0, 3))(view.toPixel({}, {}))"
    assert browser.value(pixel.format(4.5, 0.1)) == [255, 255, 255]
    assert browser.value(pixel.format(4.5, 1.7)) != [255, 255, 255]
    assert browser.value("view.groundAt(0.5) < view.groundAt(4.5)") is True
    # The same place under another name.
    assert browser.value("document.querySelector('#log').checked") is False
    before = browser.value(pixel.format(2.0, 1.5))
    browser.click("#log")
    assert browser.value("view.field.log") is True
    assert browser.value(pixel.format(2.0, 1.5)) != before
    browser.click("#elevation")
    assert browser.value("view.heights") is True
    x, y, scale = browser.value("view.toPixel(2.0, 1.5).concat(view.canvas.getBoundingClientRect()"
                                ".width / view.canvas.width)")
    left, top = browser.value("(b => [b.x, b.y])(document.querySelector('#section')"
                              ".getBoundingClientRect())")
    browser.mouse("mouseMoved", left + x * scale, top + y * scale)
    assert re.search(r"elevation -1\.[45]", browser.text("#readout")), browser.text("#readout")
    browser.choose("#field", "deviation")
    assert "standard deviation 0.2 km/s" in browser.text("#readout")
    # The second shot has its own curve.
    assert browser.text("#shot-value") == "1 of 2, x 0, depth 0 km"
    picture = "document.querySelector('#curves').toDataURL()"
    first = browser.value(picture)
    browser.choose("#shot", "1")
    assert browser.text("#shot-value") == "2 of 2, x 1, depth 0 km"
    assert browser.value(picture) != first
    assert browser.errors == []


def test_shots_and_receivers_stand_on_the_section(run, browser):
    run("report", "run", "-o", "report.html")
    picks = page_data(run)["picks"]
    assert picks["shots"] == [[0, 0, 0], [1, 0, 0]] and picks["receivers"] == [[3, 0, 0], [4, 0, 0]]
    browser.open(run.folder / "report.html")
    pixel = "(p => [...view.pen.getImageData(p[0], p[1], 1, 1).data].slice(0, 3))(view.toPixel({}, 0))"
    star, triangle = browser.value(pixel.format(1)), browser.value(pixel.format(3))
    assert star == [0xd7, 0x26, 0x3d] and triangle == [0x1d, 0x25, 0x29]
    browser.click("#points")
    assert browser.value(pixel.format(1)) != star and browser.value(pixel.format(3)) != triangle


def test_small_views_show_what_is_not_large(run, browser):
    """Coverage and change stand below the velocity; a click exchanges them."""
    run("report", "run", "-o", "report.html", "--start", "start.h5")
    browser.open(run.folder / "report.html")
    shown = "[...document.querySelectorAll('#maps figure:not([hidden]) figcaption')].map(f => f.textContent)"
    assert browser.value(shown) == ["change from the start model (%)", "rays in the cell"]
    browser.value("document.querySelectorAll('#maps figure:not([hidden])')[1].click()")
    assert browser.value("document.querySelector('#field').value") == "coverage"
    assert browser.value(shown) == ["velocity (km/s)", "change from the start model (%)"]


def test_dark_colours_follow_the_system_or_the_button(run, browser):
    run("report", "run", "-o", "report.html")
    browser.resize(1100, 900, dark=True)
    browser.open(run.folder / "report.html")
    paper = "getComputedStyle(document.body).backgroundColor"
    corner = "[...view.pen.getImageData(2, 2, 1, 1).data].slice(0, 3)"
    assert browser.value(paper) == "rgb(18, 24, 27)" and browser.value(corner) == [18, 24, 27]
    browser.click("#scheme")
    assert browser.value(paper) == "rgb(255, 255, 255)" and browser.value(corner) == [255, 255, 255]
    assert browser.errors == []


def test_a_phone_reads_the_page(run, browser):
    """390 pixels: nothing is wider than the screen, and letters keep their size."""
    run("report", "run", "-o", "report.html")
    browser.resize(390, 800, mobile=True)
    browser.open(run.folder / "report.html")
    assert browser.value("document.documentElement.scrollWidth") == 390
    for name in ("section", "scatter", "by-shot", "curves"):
        scale = f"(c => c.width / c.getBoundingClientRect().width)(document.querySelector('#{name}'))"
        assert browser.value(scale) == pytest.approx(1, abs=0.02)
    # The section has most of the width: its colours lie below.
    assert browser.value("view.frame().width / view.wide") > 0.75
    assert browser.value("Number(document.querySelector('#convergence svg').getAttribute('viewBox').split(' ')[2])") < 390
    assert browser.errors == []


def test_the_page_is_regular_where_the_grid_is_not(run):
    """A grid that follows the ground is shown by depth: air above it, its values below."""
    run.write("ground.csv", "x,z\n0,0\n5,1\n")
    run("model", "terrain", "--base", "run/model.h5", "--surface", "ground.csv", "-o", "hill.h5")
    (run.folder / "hill.h5").replace(run.folder / "run/model.h5")
    run("report", "run", "-o", "report.html")
    model = page_data(run)["model"]
    velocity = floats(model["velocity"]).reshape(model["shape"])[:, 0]
    z = model["origin"][2] + model["spacing"][2] * np.arange(model["shape"][2])
    assert z[0] == pytest.approx(0, abs=1e-6) and z[-1] == pytest.approx(2)
    # The ground falls from 0 to 1; the last column is air above it and rock below.
    assert (velocity[0] > 0).all()
    assert (velocity[-1][z < 0.95] == 0).all() and (velocity[-1][z > 1.05] > 0).all()
