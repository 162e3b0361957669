"""bench/peers measures and reports: Fermat's rows alone, since the other packages are not here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PEERS = Path(__file__).resolve().parents[2] / "bench" / "peers"
sys.path.insert(0, str(PEERS))
compare = pytest.importorskip("compare")


def row(distribution, seconds, error, **more):
    return {"distribution": distribution, "method": distribution, "medium": "cube", "nodes": 64,
            "threads": 1, "seconds": seconds, "mean_error": error, "runs": 5} | more


def test_ahead_is_of_the_fastest_row_of_ours_that_is_as_accurate():
    ours = [row("fermat", 1.0, 1e-5), row("fermat", 0.5, 1e-3), row("fermat", 0.1, 1e-1),
            row("fermat", 0.01, 1e-9, threads=2), row("fermat", 0.2, 1e-4, nodes=32)]
    assert compare.ahead(row("peer", 5.0, 1e-4), ours)[0] == 5
    assert compare.ahead(row("peer", 5.0, 2e-3), ours)[0] == 10
    assert compare.ahead(row("peer", 5.0, 1e-3), ours, anywhere=True)[0] == 25
    assert compare.ahead(row("peer", 5.0, 1e-6), ours) is None
    assert compare.ahead(row("peer", 5.0, 1e-3) | {"failed": "crashed"}, ours) == ""


def test_an_inversion_is_compared_where_ours_is_no_further_from_the_truth():
    tables = pytest.importorskip("tables")
    known = {"medium": "hill", "seeds": [1], "median_error": 0.1, "correlation": 0.9, "chi2": 1.0,
             "iterations": 3, "peak_mib": 50, "version": "1"}
    rows = [row("fermat", 2.0, 0.2, **known), row("peer", 50.0, 0.3, **known | {"median_error": 0.05}),
            row("peer", 9.0, 0.1, **known)]
    text = tables.table("truths", rows)
    assert "25 ×" in text and "**none as accurate**" in text and "**5**" in text


def test_rays_are_compared_only_with_rays_as_good():
    traced = {"with_rays": 2.0, "rays": 10, "traced": 10, "lost": 0, "off_length": 0.1}
    peer = row("peer", 5.0, 1e-4) | traced | {"with_rays": 8.0}
    assert compare.ahead(peer, [row("fermat", 1.0, 1e-5) | traced], rays=True)[0] == 4
    for worse in ({"lost": 1}, {"off_length": 0.2}):
        assert compare.ahead(peer, [row("fermat", 1.0, 1e-5) | traced | worse], rays=True) is None


def test_a_quick_run_of_our_rows_makes_a_page_and_keeps_the_others(tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("scipy")
    results = tmp_path / "results"
    results.mkdir()
    kept = row("pyekfmm", 1.0, 0.1, method="pyekfmm, order 2", nodes=24, version="1",
               max_error=0.2, peak_mib=50)
    (results / "volumes.json").write_text(json.dumps({"rows": [kept]}))
    command = [sys.executable, PEERS / "run.py", "--quick", "--results", results, "--docs", tmp_path,
               "--only", "Fermat fim, order 2", "--", "volumes", "survey", "metric"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    volumes = json.loads((results / "volumes.json").read_text())["rows"]
    ours = [found for found in volumes if found["distribution"] == "fermat"]
    assert [found for found in volumes if found["distribution"] == "pyekfmm"] == [kept]
    assert ours and all(found["lost"] == 0 and found["mean_error"] < 2e-3 for found in ours)
    survey = json.loads((results / "survey.json").read_text())["rows"]
    assert [found["matrix"] for found in survey] == [True]
    metric = json.loads((results / "metric.json").read_text())["rows"]
    assert [found["medium"] for found in metric] == ["sphere", "ellipse", "slab"]
    assert all(found["mean_error"] < 1e-5 for found in metric)
    page = (tmp_path / "peers.md").read_text()
    assert "3-D, constant gradient" in page and "pyekfmm, order 2" in page
    assert (tmp_path / "images" / "peers.png").stat().st_size > 10000


def test_the_rows_of_one_medium_are_renewed_and_the_page_says_which_are_older(tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("scipy")
    older = [row("fermat", 1.0, 1e-7, method="Fermat fim, order 2", medium=medium, nodes=nodes,
                 version="1", max_error=0.2, peak_mib=50) for medium, nodes in (("sphere", 21), ("slab", 17))]
    told = {"workload": "metric", "date": "2026-01-02", "machine": "m", "load": 1, "python": "3", "limit": 9}
    (tmp_path / "metric.json").write_text(json.dumps(told | {"rows": older}))
    command = [sys.executable, PEERS / "run.py", "metric", "--quick", "--results", tmp_path, "--docs", tmp_path,
               "--only", "Fermat", "--media"]
    done = subprocess.run([*command, "slab"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = {found["medium"]: found for found in json.loads((tmp_path / "metric.json").read_text())["rows"]}
    assert rows["sphere"] == older[0] | {"date": "2026-01-02"}
    assert rows["slab"]["seconds"] < 1 and rows["slab"]["date"] > "2026-01-02"
    assert "; 1 row is of 2026-01-02." in (tmp_path / "peers.md").read_text()
    done = subprocess.run([*command, "slap"], capture_output=True, text=True)
    assert done.returncode == 2 and "no medium slap (there are ellipse, slab, sphere)" in done.stderr


def test_a_package_that_is_not_here_is_a_row_that_says_so(tmp_path):
    command = [sys.executable, PEERS / "run.py", "--quick", "--results", tmp_path, "--docs", tmp_path,
               "--only", "pyekfmm, order 2", "--", "survey"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = json.loads((tmp_path / "survey.json").read_text())["rows"]
    if "failed" not in found:
        pytest.skip("pyekfmm is installed here")
    assert found["failed"] == "not installed: pyekfmm"
    assert "not installed: pyekfmm" in (tmp_path / "peers.md").read_text()
