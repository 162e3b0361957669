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
    assert "--start is of a run's page" in fermat.error("report", "out.csv", "--start", "s.h5", "-o", "x.html")


def test_located_events_put_geographic_stations_on_their_plane(fermat):
    fermat.write("out.csv", LOCATED)
    fermat.write("stations.csv", "station,longitude,latitude,elevation\nA,10,45,100\n")
    fermat("report", "out.csv", "--stations", "stations.csv", "-o", "events.html")
    data = page_data(fermat, "events.html")
    (name, x, y, z), = data["events"]["stations"]
    assert name == "A" and np.hypot(x, y) < 0.01 and np.isclose(z, -0.1)
    assert dict(map(tuple, data["summary"]))["few_picks"] == "1"


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
