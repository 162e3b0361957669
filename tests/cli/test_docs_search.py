"""The documentation's search, of pages opened as files: its script stands in for a worker."""

from pathlib import Path

import pytest
from chromium import Page, find_chromium

ROOT = Path(__file__).parents[2]

WORKER = """
addEventListener("message", event => postMessage({sum: event.data.numbers.reduce((a, b) => a + b, 0),
  own: event.data.numbers instanceof Array}));
"""
PAGE = """<!doctype html><body><script src="{script}"></script><script>
const worker = new Worker("worker.js");
window.answers = [];
worker.addEventListener("message", event => answers.push(event.data));
worker.postMessage({{numbers: [1, 2, 3]}});
</script>"""


def test_a_frame_works_as_a_worker_of_a_file(tmp_path):
    """Browsers start no worker from a file; messages wait until its script is there."""
    program = find_chromium()
    if program is None:
        pytest.skip("no Chromium on this machine (install the package chromium, or set CHROMIUM)")
    script = (ROOT / "docs/javascripts/iframe-worker.js").as_uri()
    (tmp_path / "worker.js").write_text(WORKER)
    (tmp_path / "page.html").write_text(PAGE.format(script=script))
    with Page(program, tmp_path / "chromium") as page:
        page.open(tmp_path / "page.html")
        page.wait("answers.length === 1")
        page.value("worker.postMessage({numbers: [4, 5]})")
        page.wait("answers.length === 2")
        assert page.value("answers") == [{"sum": 6, "own": True}, {"sum": 9, "own": True}]
        assert page.errors == []
        page.value("worker.terminate()")
        assert page.value("document.querySelectorAll('iframe').length") == 0


def test_the_site_loads_no_script_from_outside():
    """The plugin `offline` adds its own from a server unless one of this name is given."""
    text = (ROOT / "mkdocs.yml").read_text()
    assert "polyfills: [javascripts/iframe-worker.js]" in text
    assert "font: false" in text
