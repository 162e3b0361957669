"""`fermat report` of a catalogue: events of locate and relocate, and of a run that moved them."""

import base64

import numpy as np
import pytest
from chromium import Page, find_chromium
from test_cli_report import HISTORY, RESIDUALS, page_data, run  # noqa: F401  (a fixture)

RELOCATED = """event,cluster,x,y,z,origin_time,shift_x,shift_y,shift_z,shift_time,error_x,error_y,error_z,error_time
1,1,2,3,8,0,0.5,0,0,0,0.1,0.1,0.1,0.01
2,1,2.5,3,9,60,0,0.4,0.3,0,0.1,0.1,0.1,0.01
3,,7,1,4,90,0,0,0,0,,,,
"""
LOCATED = """event,status,x,y,z,longitude,latitude,origin_time,rms
a,located,1,2,5,10.01271,45.01800,0,0.02
b,few_picks,,,,,,,
"""
FITS = """first,second,station,phase,kind,time,residual,weight
1,2,A,P,correlation,0.1,0.004,1
1,2,A,P,correlation,0.1,-0.002,1
1,2,B,S,correlation,0.1,0.05,0
2,1,B,S,correlation,0.1,-0.01,0.7
"""


def floats(text):
    return np.frombuffer(base64.b64decode(text), "<f4")


def test_relocated_events_have_moves_and_residuals_by_station(fermat):
    fermat.write("out.csv", RELOCATED)
    fermat.write("fits.csv", FITS)
    fermat.write("stations.csv", "station,x,y,z\nA,0,0,0\nB,9,8,-0.5\n")
    fermat("report", "out.csv", "--stations", "stations.csv", "--fits", "fits.csv", "-o", "events.html")
    data = page_data(fermat, "events.html")
    events = data["events"]
    assert data["model"] is None and data["history"] is None and data["picks"] is None
    assert floats(events["x"]).tolist() == [2, 2.5, 7] and floats(events["fromX"]).tolist() == [1.5, 2.5, 7]
    assert events["stations"] == [["A", 0, 0, 0], ["B", 9, 8, -0.5]]
    (first, second) = events["misfits"]
    assert first[:3] == ["A", "P", 2] and np.isclose(first[3], 0.001) and second[:3] == ["B", "S", 1]
    summary = dict(map(tuple, data["summary"]))
    assert summary["events"] == "3 of 3 with a place" and summary["clusters"] == "1"
    assert summary["not linked"] == "1" and summary["median shift"] == "0.5 km"
    # Nothing is overwritten, and what is not a catalogue is told.
    assert "--output" in fermat.error("report", "out.csv", "-o", "out.csv")
    fermat.write("bare.csv", "event,x,y,z\n1,2,3,4\n")
    assert "no column status, cluster or use" in fermat.error("report", "bare.csv", "-o", "x.html")
    assert "'none.csv' is not a folder" in fermat.error("report", "none.csv", "--fits", "fits.csv", "-o", "x.html")
    assert "--start is of a run's page" in fermat.error("report", "out.csv", "--start", "s.h5", "-o", "x.html")


def test_located_events_are_shown_by_longitude_and_latitude(fermat):
    """Stations too, also those that are given by x and y on the plane of the events."""
    fermat.write("out.csv", LOCATED)
    fermat.write("stations.csv", "station,longitude,latitude,elevation\nA,10,45,100\n")
    fermat("report", "out.csv", "--stations", "stations.csv", "-o", "events.html")
    data = page_data(fermat, "events.html")
    events = data["events"]
    assert events["stations"] == [["A", 10, 45, -0.1]]
    assert events["degrees"] and floats(events["x"]) == pytest.approx([10.01271]) and floats(events["y"]) == pytest.approx([45.018])
    assert events["degree"] == pytest.approx(111.19, abs=0.01)
    summary = dict(map(tuple, data["summary"]))
    assert summary["few_picks"] == "1" and summary["longitudes"] == "10.01 to 10.01°"
    fermat.write("plane.csv", "station,x,y,z\nA,0,0,-0.1\n")
    fermat("report", "out.csv", "--stations", "plane.csv", "-o", "events.html")
    (_, x, y, _), = page_data(fermat, "events.html")["events"]["stations"]
    assert x == pytest.approx(10, abs=1e-4) and y == pytest.approx(45, abs=1e-4)


SPHERE = """event,status,longitude,latitude,z,origin_time,magnitude,error_x,error_y,error_z,rms,cov_xx,cov_xy,cov_xz,cov_yy,cov_yz,cov_zz
a,located,179.9,10,5,0,1.5,2,1,3,0.02,4,1,0,1,0,9
b,located,-179.8,10.2,25,0,4,2,1,3,0.02,4,-1,0,1,0.5,9
c,located,-179.9,10.4,15,0,,2,1,3,0.02,,,,,,
"""


def test_events_of_a_sphere_have_degrees_errors_and_magnitudes(fermat, tmp_path):
    """Also across the date line; an ellipse is that of the covariance in true lengths."""
    fermat.write("out.csv", SPHERE)
    fermat.write("stations.csv", "station,longitude,latitude,elevation\nA,180,10.1,0\n")
    fermat("report", "out.csv", "--stations", "stations.csv", "-o", "events.html")
    data = page_data(fermat, "events.html")
    events = data["events"]
    assert floats(events["x"]).tolist() == pytest.approx([179.9, 180.2, 180.1])
    assert np.allclose(floats(events["magnitude"]), [1.5, 4, np.nan], equal_nan=True)
    assert floats(events["covXY"])[:2].tolist() == [1, -1] and np.isnan(floats(events["covXY"])[2])
    assert dict(map(tuple, data["summary"]))["magnitudes"] == "1.5 to 4"
    fermat.write("plane.csv", "station,x,y,z\nA,0,0,0\n")
    assert "'plane.csv' has x and y and the events longitudes and latitudes alone" in fermat.error(
        "report", "out.csv", "--stations", "plane.csv", "-o", "x.html")
    program = find_chromium()
    if program is None:
        pytest.skip("no Chromium here (set CHROMIUM)")
    with Page(program, tmp_path / "chromium") as page:
        page.open(fermat.folder / "events.html")
        assert page.errors == []
        assert page.value("events.label(0) + events.label(1) + events.label(2)") == "longitude (°)latitude (°)depth (km)"
        assert page.value("events.reach[0] / events.reach[1]") == pytest.approx(np.cos(np.radians(10.2)), rel=1e-3)
        assert page.value("events.radius(4) > 2 * events.radius(1.5)") is True
        assert page.value("document.querySelector('#errors').checked") is True
        # An ellipse goes when its box is clicked.
        picture = "document.querySelector('#event-map').toDataURL()"
        before = page.value(picture)
        page.click("#errors")
        assert page.value(picture) != before
        assert "ellipses: 68 %" in page.text("#event-words") and "magnitudes" in page.text("#event-words")
        assert page.text("#event-words").endswith("; triangles: stations.")
        fermat("report", "out.csv", "-o", "alone.html")
        page.open(fermat.folder / "alone.html")
        assert "triangles" not in page.text("#event-words")


def test_names_of_stations_are_drawn_whole(fermat, tmp_path):
    """The frame leaves room below for the longest of them."""
    fermat.write("out.csv", RELOCATED)
    fermat.write("fits.csv", FITS.replace(",A,", ",NETWORK.STATION01,"))
    fermat("report", "out.csv", "--fits", "fits.csv", "-o", "events.html")
    program = find_chromium()
    if program is None:
        pytest.skip("no Chromium here (set CHROMIUM)")
    with Page(program, tmp_path / "chromium") as page:
        page.open(fermat.folder / "events.html")
        tall, below = page.value(
            "(c => { const p = c.getContext('2d'); p.font = '11px system-ui, sans-serif';"
            " return [c.height, p.measureText('NETWORK.STATION01').width]; })(document.querySelector('#station-residuals'))")
        assert tall >= 260 + below + 10


def test_what_is_not_read_of_the_stations_is_told(fermat):
    (fermat.folder / "c.csv").write_text("event,status,x,y,z\nq1,located,1,2,8\n")
    (fermat.folder / "s.csv").write_text("station,x,y,z,gain\nA,0,0,0,7\n")
    done = fermat.call("report", "c.csv", "--stations", "s.csv", "-o", "c.html")
    assert done.returncode == 0 and "column 'gain' is not used" in done.stderr, done.stderr


def test_runs_that_moved_events_show_them(run, tmp_path):  # noqa: F811
    run.write("run/events.csv", "event,x,z,origin_time,shift_x,shift_z,shift_time,error_x,error_z,error_time,rms,"
              "picks,used,use\n0,0.2,0.1,0,0.2,0.1,0,0.1,0.1,0.1,0.15,2,2,moved\n1,1,0,0,0,0,0,0,0,0,,1,0,few_picks\n")
    run("report", "run", "-o", "report.html")
    events = page_data(run)["events"]
    assert events["flat"] and floats(events["fromX"]).tolist() == pytest.approx([0, 1])
    assert [row[:3] for row in events["misfits"]] == [["0", "P", 1], ["1", "P", 1]]
    assert "--fits is of the page of a catalogue" in run.error("report", "run", "--fits", "run/events.csv")
    program = find_chromium()
    if program is None:
        pytest.skip("no Chromium here (set CHROMIUM)")
    run.write("out.csv", RELOCATED)
    run.write("fits.csv", FITS)
    run("report", "out.csv", "--fits", "fits.csv", "-o", "events.html")
    with Page(program, tmp_path / "chromium") as page:
        for name, hidden in (("report.html", False), ("events.html", True)):
            page.open(run.folder / name)
            assert page.errors == []
            assert page.value("document.getElementById('model-section').hidden") is hidden
            assert page.value("document.getElementById('events-section').hidden") is False
            assert "stations" in page.text("#station-readout")


def test_a_run_on_a_sphere_shows_degrees_and_errors_in_lengths(fermat):
    """events.csv has longitude, latitude and depth; shifts and errors are lengths to the east, to the north and down."""
    (fermat.folder / "run").mkdir()
    fermat("model", "constant", "--shape", "5,7,4", "--spacing", "0.5,0.5,10", "--origin", "58,10,0", "--velocity",
           "6", "-o", "flat.h5")
    fermat("model", "spherical", "--base", "flat.h5", "-o", "run/model.h5")
    fermat.write("run/history.csv", HISTORY)
    fermat.write("run/settings.toml", 'length-unit = "km"\ntime-unit = "s"\n')
    fermat.write("run/residuals.csv", "source,receiver,source_x,source_y,source_z,receiver_x,receiver_y,receiver_z,"
                 "time,error,initial_residual,final_residual,use\n0,0,59,11,10,59,12,0,10,,0.5,0.2,used\n")
    fermat.write("run/events.csv", "event,longitude,latitude,z,origin_time,shift_x,shift_y,shift_z,shift_time,error_x,error_y,"
                 "error_z,error_time,rms,picks,used,use\nq,11,60,10,0,5,11,0,0,1.1,1.2,3,0.1,0.15,2,2,moved\n")
    fermat("report", "run", "-o", "report.html")
    data = page_data(fermat)
    degree = 6371 * np.pi / 180
    assert data["model"]["axes"][:2] == [["latitude", "°"], ["longitude", "°"]]
    assert data["model"]["reach"] == pytest.approx([degree, degree * np.cos(np.radians(59)), 1])
    assert floats(data["picks"]["offset"]) == pytest.approx([degree * np.cos(np.radians(59))], rel=1e-3)
    events = data["events"]
    assert (floats(events["x"])[0], floats(events["y"])[0]) == (11, 60)
    assert floats(events["fromY"]) == pytest.approx([60 - 11 / degree])
    assert floats(events["fromX"]) == pytest.approx([11 - 5 / (degree * np.cos(np.radians(60)))])
    assert events["stations"] == [["0", 12, 59, 0]]
    assert floats(events["covXX"]) == pytest.approx([1.1**2], rel=1e-4)
    assert floats(events["covYY"]) == pytest.approx([1.2**2], rel=1e-4)
