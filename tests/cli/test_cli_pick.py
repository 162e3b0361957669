"""`fermat pick`: picks without a page, the page in a real browser, and its server from outside."""

import http.client
import json
import re
import signal
import subprocess
import sys
from urllib.parse import urlsplit

import numpy as np
import pytest
from chromium import Page, find_chromium

pytest.importorskip("obspy")
pytest.importorskip("uvicorn")
pytest.importorskip("starlette")
from fermat.picking import synthetic_line


@pytest.fixture(autouse=True)
def this_python(monkeypatch):
    monkeypatch.setenv("FERMAT_PYTHON", sys.executable)


@pytest.fixture(scope="module")
def line(tmp_path_factory):
    folder = tmp_path_factory.mktemp("records") / "line"
    synthetic_line(folder, triggers=[0, 0.02, 0, 0], shots=4, receivers=16)
    return folder


class Server:
    """A running `fermat pick`, spoken to as any program on this machine could."""

    def __init__(self, program, records, project):
        command = [str(program), "pick", str(records), "--no-browser", "--project", str(project)]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.first = self.process.stdout.readline()
        found = re.search(r"http://\S+", self.first)
        assert found, self.first + self.process.stderr.read()
        self.address = found.group()
        self.host, self.path = urlsplit(self.address).netloc, urlsplit(self.address).path

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end(signal.SIGTERM)

    def end(self, how):
        if self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(30)
        for pipe in (self.process.stdout, self.process.stderr):
            pipe.close()

    def request(self, method, path, body=None, **headers):
        """Status, headers and body; the Host and the Origin are ours unless others are given."""
        connection = http.client.HTTPConnection(self.host, timeout=60)
        sent = {"Host": self.host}
        if method == "POST":
            sent |= {"Origin": f"http://{self.host}", "Content-Type": "application/json"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        data = b"" if body is None else json.dumps(body).encode()
        for name, value in {**sent, "Content-Length": str(len(data))}.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders(data)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, dict(answer.getheaders()), content

    def get(self, name):
        status, _, content = self.request("GET", self.path + name)
        assert status == 200, content
        return json.loads(content)

    def post(self, name, body, status=200):
        found, _, content = self.request("POST", self.path + name, body)
        assert found == status, content
        return json.loads(content)


@pytest.fixture
def server(fermat, line, tmp_path):
    with Server(fermat.program, line, tmp_path / "project") as running:
        yield running


def pick(record, trace, time, **more):
    return {"record": record, "trace": trace, "time": time, **more}


def test_auto_writes_picks_without_a_page(fermat, line):
    done = fermat.call("pick", str(line), "--auto", "-o", "picks.csv", "--rounds", "1")
    assert done.returncode == 0 and "wrote picks.csv with 64 picks of 4 records" in done.stdout
    static = re.search(r"statics of 1 records .* the largest is ([\d.]+) ms of shot_02.sgy", done.stdout)
    assert float(static.group(1)) == pytest.approx(20, abs=1) and done.stderr == ""
    rows = (fermat.folder / "picks.csv").read_text().splitlines()
    assert rows[0].startswith("source_x,source_z,receiver_x,receiver_z,time,error") and len(rows) == 65
    fermat("invert", "--picks", "picks.csv", "-o", "run", "--quiet")


def test_bad_calls_are_one_sentence(fermat, line, tmp_path):
    assert "--auto needs --output" in fermat.error("pick", str(line), "--auto")
    assert "--output is written with --auto" in fermat.error("pick", str(line), "-o", "a.csv")
    assert "--delay is 'soon'" in fermat.error("pick", str(line), "--delay", "soon")
    assert "'none' does not exist" in fermat.error("pick", "none", "--auto", "-o", "a.csv")
    (tmp_path / "empty").mkdir()
    assert "has no shot records" in fermat.error("pick", str(tmp_path / "empty"), "--auto", "-o", "a.csv")
    (tmp_path / "empty" / "a.sg2").write_bytes(b"x" * 400)
    assert "'a.sg2' is no record" in fermat.error("pick", str(tmp_path / "empty"), "--auto", "-o", "a.csv")


def test_only_the_page_itself_is_answered(server):
    """Another Host (DNS rebinding), another origin, no secret, paths outside: a status and nothing else."""
    root = server.path
    assert server.request("GET", root)[0] == 200
    refused = [
        (421, server.request("GET", root, Host="evil.example")),
        (421, server.request("GET", root, Host=server.host.replace("127.0.0.1", "127.0.0.1.evil.example"))),
        (403, server.request("GET", root, Origin="http://evil.example")),
        (403, server.request("GET", root, Origin="null")),
        (403, server.request("GET", root, Sec_Fetch_Site="cross-site")),
        (403, server.request("POST", root + "undo", {}, Origin=None)),
        (403, server.request("POST", root + "undo", {}, Origin="http://evil.example")),
        (415, server.request("POST", root + "undo", {}, Content_Type="text/plain")),
        (404, server.request("GET", "/")),
        (404, server.request("GET", "/state")),
        (404, server.request("GET", "/" + "x" * len(root.strip("/")) + "/state")),
        (404, server.request("GET", root.rstrip("/") + "x/state")),
        (404, server.request("GET", "/" + root)),
        (405, server.request("DELETE", root + "state")),
    ]
    for status, (found, headers, content) in refused:
        assert (found, content) == (status, b""), (status, found, content)
        assert "default-src 'none'" in headers["content-security-policy"]
    assert server.request("GET", root, Host=None)[0] == 400
    for path in ("../../../../etc/passwd", "..%2f..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd", "page/../routes.py",
                 "routes.py", "../server.py", "page.js/../../routes.py", "\\..\\routes.py".replace("\\", "%5c"), "project.json"):
        status, _, content = server.request("GET", root + path)
        assert status == 404 and b"root:" not in content and b"import" not in content, path


def test_the_server_listens_on_this_machine_only(server):
    port = int(server.host.split(":")[1])
    found = subprocess.run(["ss", "-ltnH", f"sport = :{port}"], capture_output=True, text=True)
    if found.returncode == 0 and found.stdout:
        assert f"127.0.0.1:{port}" in found.stdout and "0.0.0.0" not in found.stdout.split()[3]
    assert server.address.startswith("http://127.0.0.1:")
    assert len(server.path.strip("/")) >= 32


def test_nothing_is_loaded_from_outside(server):
    _, headers, page = server.request("GET", server.path)
    text = page.decode()
    for name in re.findall(r'(?:src|href)="([^"]+)"', text):
        assert name == "data:," or re.fullmatch(r"[a-z]+\.(js|css)", name)
        if name != "data:,":
            content = server.request("GET", server.path + name)[2].decode()
            assert content and not re.search(r"https?://", content), name
    assert headers["cache-control"] == "no-store" and headers["referrer-policy"] == "no-referrer"


def test_changes_are_checked_and_undone(server):
    rows = [pick(0, n, 0.01 + 0.002 * n, error=0.001) for n in range(3)]
    state = server.post("change", {"picks": rows, "what": "three"})
    assert state["undo"] == "three" and len(state["picks"]) == 3
    state = server.post("change", {"picks": [pick(0, 1, None)]})
    assert len(state["picks"]) == 2
    assert len(server.post("undo", {})["picks"]) == 3
    assert len(server.post("redo", {})["picks"]) == 2
    for bad, said in (
        ([pick(99, 0, 0.01)], "record is 99 (must be 0 to 3)"), ([pick(0, -1, 0.01)], "trace is -1"),
        ([pick(0, 0, 99)], "time is 99 s (the record has -0.05 to 0.25 s)"), ([pick(0, 0, "x")], "time is 'x'"),
        ([pick(0, 0, 0.01, error=-1)], "error is -1 s"), ([pick(0, 0, 0.01, phase="Q")], "phase is 'Q'"),
        ([pick(True, 0, 0.01)], "record is True"), ([7], "not understood"),
    ):
        assert said in server.post("change", {"picks": bad}, status=400)["error"]
    assert "format is 'exe'" in server.post("export", {"format": "exe"}, status=400)["error"]
    assert "'.exe' is not read" in server.post("import", {"name": "a.exe", "file": ""}, status=400)["error"]
    assert "setting 'x'" in server.post("setting", {"name": "x", "value": "1"}, status=400)["error"]
    assert len(server.get("state")["picks"]) == 2, "what was refused changed nothing"


def test_a_kill_loses_nothing_and_undo_goes_on(fermat, line, tmp_path):
    project = tmp_path / "project"
    with Server(fermat.program, line, project) as first:
        for n in range(5):
            first.post("change", {"picks": [pick(1, n, 0.02)], "what": f"pick {n}"})
        first.end(signal.SIGKILL)
    # A kill in the middle of a line that is being written.
    with (project / "history.jsonl").open("a") as file:
        file.write('{"do": {"what": "half')
    with Server(fermat.program, line, project) as second:
        state = second.get("state")
        assert len(state["picks"]) == 5 and state["undo"] == "pick 4"
        assert any("cut off" in note for note in second.get("meta")["notes"])
        for n in range(5):
            state = second.post("undo", {})
        assert state["picks"] == {} and state["undo"] is None
        again = subprocess.run(
            [str(fermat.program), "pick", str(line), "--no-browser", "--project", str(project)], capture_output=True,
            text=True, timeout=60)
        assert again.returncode == 2 and "is open in process" in again.stderr
    assert json.loads((project / "project.json").read_text())["state"]["pick"] == {}


def test_exports_come_back_onto_the_traces(server):
    rows = [pick(0, n, 0.004 + 0.002 * n, error=0.001) for n in range(6)]
    server.post("change", {"picks": rows})
    for form in ("csv", "sgt", "tx", "pyrefra"):
        assert server.post("export", {"format": form})["name"]
    file = server.post("export", {"format": "csv"})["file"]
    server.post("change", {"picks": [pick(0, n, None) for n in range(6)]})
    state = server.post("import", {"name": "../../field.csv", "file": file})
    assert len(state["picks"]) == 6 and "0 have none" in state["said"]
    assert state["picks"]["shot_01.sgy/2/P"]["time"] == pytest.approx(0.008)


def test_places_and_statics_are_typed(server):
    server.post("place", {"kind": "shot", "key": "shot_01.sgy", "place": [3, 0, 1.5]})
    assert server.get("meta")["records"][0]["source"] == [3, 0, 1.5]
    server.post("static", {"record": 2, "time": 0.004})
    assert server.get("state")["statics"]["shot_03.sgy"] == {"time": 0.004, "by": "hand"}
    server.post("undo", {})
    server.post("undo", {})
    assert server.get("meta")["records"][0]["source"] == [0, 0, 0] and server.get("state")["statics"] == {}
    assert "must be x, y, z" in server.post("place", {"kind": "shot", "key": "shot_01.sgy", "place": [1]}, 400)["error"]


@pytest.fixture
def browser(tmp_path):
    program = find_chromium()
    if program is None:
        pytest.skip("no Chromium on this machine (install the package chromium, or set CHROMIUM)")
    with Page(program, tmp_path / "chromium", 1400, 900) as page:
        page.resize(1400, 900)
        yield page


def opened(page, server):
    page.visit(server.address)
    page.wait("document.body.dataset.ready === 'yes'")


def on_trace(page, trace, time):
    """The place of a time on a trace, on the page."""
    box = page.value("(b => [b.x, b.y])(document.getElementById('traces').getBoundingClientRect())")
    x, y = page.value(f"[view.px({trace}), view.py({time})]")
    return box[0] + x, box[1] + y


def tap(page, x, y, **more):
    for kind in ("mousePressed", "mouseReleased"):
        page.mouse(kind, x, y, button="left", clickCount=1, **more)


def test_an_evening_in_a_browser(fermat, line, tmp_path, browser):
    """Open, pick all, correct by hand, undo, mark, export, kill, reopen."""
    project = tmp_path / "project"
    page = browser
    with Server(fermat.program, line, project) as server:
        opened(page, server)
        page.click("#auto")
        page.wait("Object.keys(state.picks).length === 64")
        page.wait("model !== null && model.picks >= 60 && !document.getElementById('auto').disabled")
        assert "RMS" in page.text("#fit") and "zero offset and 3 reciprocal pairs" in page.text("#about")
        # A click away from the onset snaps back to it; Alt picks exactly there.
        true = page.value("state.picks['shot_01.sgy/6/P'].time")
        tap(page, *on_trace(page, 6, true + 0.003))
        page.wait("state.picks['shot_01.sgy/6/P'].by === 'hand'")
        assert page.value("state.picks['shot_01.sgy/6/P'].time") == pytest.approx(true, abs=1.5e-3)
        tap(page, *on_trace(page, 6, true + 0.004), modifiers=1)
        page.wait(f"Math.abs(state.picks['shot_01.sgy/6/P'].time - {true + 0.004}) < 0.001")
        page.key("z", modifiers=2)
        page.wait(f"Math.abs(state.picks['shot_01.sgy/6/P'].time - {true}) < 0.0015")
        # Shift-click removes, and a line along traces picks each of them.
        tap(page, *on_trace(page, 9, 0.02), modifiers=8)
        page.wait("!state.picks['shot_01.sgy/9/P']")
        page.value("document.getElementById('snap').checked = false")
        page.mouse("mousePressed", *on_trace(page, 7.6, 0.03), button="left", clickCount=1)
        for step in np.linspace(7.6, 11.4, 12):
            page.mouse("mouseMoved", *on_trace(page, step, 0.03 + 0.001 * (step - 7.6)), button="left", buttons=1)
        page.mouse("mouseReleased", *on_trace(page, 11.4, 0.0338), button="left", clickCount=1)
        page.wait("[8, 9, 10, 11].every(k => (state.picks[`shot_01.sgy/${k}/P`] || {}).by === 'hand')")
        assert page.value("state.picks['shot_01.sgy/10/P'].time") == pytest.approx(0.0324, abs=1e-3)
        # The live model follows, and the worst residual is found.
        page.wait("model.revision === state.revision && !state.inverting")
        page.key("w")
        page.wait("document.getElementById('status').textContent.includes('from the model')")
        assert page.value("[8, 9, 10, 11, 6].includes(view.selected)")
        page.mouse("mouseMoved", *on_trace(page, 3, 0.02))
        page.key("b")
        page.wait("(state.picks['shot_01.sgy/3/P'] || {}).bad === true")
        before = page.value("state.picks['shot_01.sgy/3/P'].error")
        page.key("e")
        page.wait(f"state.picks['shot_01.sgy/3/P'].error > {before}")
        page.key("ArrowRight")
        page.wait("view.columns[0].record === 1")
        for kind in ("receiver", "offset", "shot"):
            page.choose("#kind", kind)
            page.wait("view.columns.length > 0")
        assert not page.errors
        assert [url for url in page.requests if not url.startswith((f"http://{server.host}/", "data:,"))] == []
        server.end(signal.SIGKILL)
        kept = page.value("state.picks")
    with Server(fermat.program, line, project) as server:
        opened(page, server)
        assert page.value("state.picks") == kept
        page.choose("#export", "csv")
        page.wait("document.getElementById('status').textContent.includes('wrote picks.csv')")
        assert (project / "exports" / "picks.csv").is_file()


def test_two_tabs_are_told(server, browser, tmp_path):
    opened(browser, server)
    assert browser.value("document.getElementById('banner').hidden")
    with Page(find_chromium(), tmp_path / "second") as other:
        opened(other, server)
        for page in (browser, other):
            page.wait("!document.getElementById('banner').hidden")
            assert "open in 2 tabs" in page.text("#banner")
        other.value("change('change', {picks: [{record: 0, trace: 0, time: 0.01}]})")
        browser.wait("Object.keys(state.picks).length === 1")


def test_small_and_dark_screens_hold_the_page(server, browser):
    browser.resize(390, 800, dark=True, mobile=True)
    opened(browser, server)
    assert browser.value("document.documentElement.scrollWidth") <= 391
    assert browser.value("document.getElementById('traces').clientHeight") > 300
    assert browser.value("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    browser.choose("#look", "image")
    browser.value("view.draw()")
    assert not browser.errors


def test_a_view_that_moves_shows_the_sheet_of_before_and_settles(server, browser):
    """While the view moves, a frame draws a slice of the traces and no more; then the sheet is that of the view."""
    opened(browser, server)
    browser.value("view.draw(); window.sheets = [view.sheet]")
    browser.value("view.zoomDown(0.05, 0.7); view.draw(); window.sheets.push(view.sheet)")
    assert browser.value("view.moving && view.sheet.cost < 1000")
    browser.wait("!view.moving && !view.stale && view.fits(view.sheet, view.inner)")
    assert browser.value("window.sheets[0] !== view.sheet")
    # The pyramid never loses an extreme.
    assert browser.value("""(() => {
      const data = Float32Array.from({length: 10000}, (_, n) => n === 7777 ? -9 : Math.sin(n));
      const {values, size} = levelFor(data, 200);
      return size > 1 && values.length < 1300 && Math.min(...values) === -9 && peakOf(data, 7000, 8000) === 9;
    })()""")
    assert not browser.errors


def test_fingers_pick_and_pinch(server, browser):
    """Touch: a tap picks, two fingers zoom and pick nothing."""
    opened(browser, server)
    browser.value("document.getElementById('snap').checked = false")
    x, y = on_trace(browser, 5, 0.03)
    for kind, points in (("touchStart", [{"x": x, "y": y}]), ("touchEnd", [])):
        browser._call("Input.dispatchTouchEvent", type=kind, touchPoints=points)
    browser.wait("state.picks['shot_01.sgy/5/P']")
    assert browser.value("state.picks['shot_01.sgy/5/P'].time") == pytest.approx(0.03, abs=2e-3)
    before = browser.value("view.view.bottom - view.view.top")
    for kind, apart in (("touchStart", 30), ("touchMove", 60), ("touchMove", 120), ("touchEnd", None)):
        points = [] if apart is None else [{"x": x, "y": y - apart, "id": 0}, {"x": x + 5, "y": y + apart, "id": 1}]
        browser._call("Input.dispatchTouchEvent", type=kind, touchPoints=points)
    assert browser.value("view.view.bottom - view.view.top") < 0.6 * before
    assert browser.value("Object.keys(state.picks).length") == 1


def test_errors_comments_s_and_neighbours(server, browser):
    """Error bars by drag, a comment, S, and picks of the shots beside this one."""
    server.post("change", {"picks": [pick(n, k, 0.02, error=0.004) for n in (0, 1, 2) for k in range(8)]})
    opened(browser, server)
    browser.value("document.getElementById('snap').checked = false; prompt = () => 'late, wind'")
    browser.value("view.view = {first: -0.8, last: 8, top: 0, bottom: 0.05}; view.redraw()")
    browser.mouse("mousePressed", *on_trace(browser, 3, 0.024), button="left", clickCount=1)
    for time in (0.025, 0.027, 0.028):
        browser.mouse("mouseMoved", *on_trace(browser, 3, time), button="left", buttons=1)
    browser.mouse("mouseReleased", *on_trace(browser, 3, 0.028), button="left", clickCount=1)
    browser.wait("Math.abs(state.picks['shot_01.sgy/3/P'].error - 0.008) < 0.0008")
    browser.mouse("mouseMoved", *on_trace(browser, 2, 0.02))
    browser.key("n")
    browser.wait("state.picks['shot_01.sgy/2/P'].note === 'late, wind'")
    browser.key("s")
    tap(browser, *on_trace(browser, 4, 0.04))
    browser.wait("state.picks['shot_01.sgy/4/S']")
    assert browser.value("view.columns[4].beside.length") == 1 and browser.value("view.columns[4].beside[0]") == 0.02
    browser.key("ArrowRight")
    browser.wait("view.columns[0].record === 1")
    assert browser.value("view.columns[4].beside.length") == 2
    assert not browser.errors


def test_the_live_model_follows_a_change(server, browser):
    """Picks change, and section, rays and predicted times are those of the new ones."""
    opened(browser, server)
    browser.click("#auto")
    browser.wait("model !== null && model.picks >= 60 && model.revision === state.revision")
    before = browser.value("model.predicted[0][15]")
    browser.value("change('change', {picks: [8, 9, 10, 11].map(trace => ({record: 0, trace, time: 0.02, error: 1e-4}))})")
    browser.wait("model.revision === state.revision && !state.inverting")
    assert browser.value("model.predicted[0][15]") != before
    assert browser.value("model.section.rays.length") > 20 and browser.value("section.model === model.section")


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    from fermat.picking import synthetic_network

    folder = tmp_path_factory.mktemp("earthquakes") / "network"
    synthetic_network(folder, events=2)
    return folder


def test_auto_locates_earthquakes(fermat, network):
    done = fermat.call("pick", str(network), "--auto", "-o", "events.xml")
    assert done.returncode == 0 and "16 P and 16 S of 2 events, 2 located" in done.stdout
    text = (fermat.folder / "events.xml").read_text()
    assert text.count("<arrival ") == 32 and text.count("<origin ") == 2
    for flags, said in ((("--vp-vs", "0.5"), "vp_vs is 0.5 (must be > 1)"), (("--model", "none.h5"), "none.h5"),
                        (("--seisbench", "PhaseNet"), "must be a model and its weights")):
        bad = fermat.call("pick", str(network), "--auto", "-o", "e.xml", "--quiet", *flags)
        assert bad.returncode != 0 and said in bad.stderr and bad.stderr.count("\n") == 1


def test_earthquakes_in_a_browser(fermat, network, tmp_path, browser):
    """Pick all, see map and curves, correct S, look at a station, export QuakeML and hypoDD."""
    page = browser
    with Server(fermat.program, network, tmp_path / "project") as server:
        opened(page, server)
        assert page.value("document.getElementById('places').hidden && !document.getElementById('component').hidden")
        page.click("#auto")
        page.wait("Object.keys(state.picks).length === 32")
        page.wait("model !== null && model.events.length === 2 && model.events.every(e => e.status === 'located')")
        page.wait("view.columns[0].predictedS > view.columns[0].predicted")
        far = page.value("view.columns.map(c => c.offset)")
        assert len(far) == 24 and far == sorted(far), "by distance"
        assert "depth" in page.text("#about") and "2 located" in page.text("#fit")
        assert page.value("distances.picks.length") == 16 and page.value("map.stations.length") == 8
        # A wrong S by hand is seen as the worst residual; undo takes it back.
        name = page.value("meta.records[0].name")
        k = page.value("view.columns.findIndex(c => c.picks.S)")
        trace = page.value(f"view.columns[{k}].trace")
        key = f"{name}/{trace}/S"
        true = page.value(f"state.picks['{key}'].time")
        page.choose("#phase", "S")
        tap(page, *on_trace(page, k, true + 1.0), modifiers=1)
        page.wait(f"state.picks['{key}'].by === 'hand'")
        page.wait("model.revision === state.revision && !state.inverting")
        page.key("w")
        page.wait("document.getElementById('status').textContent.includes(' S: ')")
        assert page.value("view.columns[view.selected].trace") == trace
        page.key("z", modifiers=2)
        page.wait(f"Math.abs(state.picks['{key}'].time - {true}) < 1e-9")
        page.key("c")
        page.wait("view.columns.length === 8 && view.columns.every(c => c.label.endsWith('Z'))")
        page.choose("#kind", "receiver")
        page.wait("view.columns.length === 2 && gathers.length === 8")
        for form, file in (("quakeml", "events.xml"), ("hypodd", "hypodd/phase.dat"), ("nonlinloc", "nonlinloc/events.obs")):
            page.choose("#export", form)
            name = file.split("/")[0]
            page.wait(f"document.getElementById('status').textContent.includes('wrote {name}')")
            assert (tmp_path / "project" / "exports" / file).is_file()
        assert not page.errors
