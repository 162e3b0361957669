"""`fermat bench paper N --quick`: every table is there, with the published values beside ours."""

import csv
import importlib
import signal
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

COLUMNS = ["paper", "table", "case", "quantity", "unit", "published", "ours", "ratio", "device",
           "date"]
TABLES = {
    1: ["Figure 7", "Figure 8", "Figure 10"],
    2: ["Edge reduction and update map", "Resolution and radius: radial", "Equal error: radial",
        "Equal time: radial", "Resolution and radius: gradient", "Equal error: gradient",
        "Equal time: gradient", "Algorithm A-1", "Implementations"],
    3: ["Figure 7a", "Figure 7b", "Figure 7c", "Long rays"],
    4: ["Table 1", "Table 5", "Table 11", "Headlines", "Both smoothers"],
    5: ["Table 2"],
}
# A published value of each paper that has numbers: table, case, quantity.
PUBLISHED = {
    1: ("Figure 8", "radius=6;nodes=128", "letter_speed-up", "2 to 3"),
    4: ("Table 11", "iteration=7;size=49x25x17", "caching", "1643.7"),
    5: ("Table 2", "scenario=layer;points=200;method=paper", "total", "12.43"),
}


def run(fermat, paper, *flags):
    text = fermat("bench", "paper", str(paper), "--quick", "--threads", "2", "--device", "cpu",
                  "--csv", "paper.csv", *flags)
    with open(fermat.folder / "paper.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    return text, rows


@pytest.mark.parametrize("paper", TABLES)
def test_every_table_is_measured(fermat, paper):
    text, rows = run(fermat, paper)
    assert list(rows[0]) == COLUMNS
    assert list(dict.fromkeys(row["table"] for row in rows)) == TABLES[paper]
    for table in TABLES[paper]:
        assert f"\n{table}: " in text
    for row in rows:
        assert row["paper"] == str(paper)
        if row["ratio"]:
            assert float(row["ratio"]) == pytest.approx(
                float(row["published"]) / float(row["ours"]))
        if row["unit"] in ("s", "ms") and row["ours"]:
            assert float(row["ours"]) > 0
    if paper in PUBLISHED:
        table, case, quantity, value = PUBLISHED[paper]
        assert [row["published"] for row in rows
                if (row["table"], row["case"], row["quantity"]) == (table, case, quantity)] == [value]


def test_paper_1_is_measured_in_parts(fermat):
    _, rows = run(fermat, 1, "--sizes", "64,48", "--radii", "2,5")
    cases = [(row["table"], row["case"]) for row in rows if row["quantity"] == "heap"]
    assert cases == [("Figure 7", "radius=2;nodes=64"), ("Figure 7", "radius=2;nodes=48"),
                     ("Figure 8", "radius=5;nodes=64"), ("Figure 8", "radius=5;nodes=48")]


def test_paper_2_counts_the_papers_own_algorithm_beside_ours(fermat):
    _, rows = run(fermat, 2, "--tables", "Edge reduction and update map")
    edges, passes = ({row["case"]: float(row["ours"]) for row in rows if row["quantity"] == name}
                     for name in ("edges", "passes"))
    for radius, star, count in (("4x4", "all edges", 80), ("4x4", "reduced", 48),
                                ("4x2", "all edges", 44), ("2x4", "reduced", 28)):
        case = f"radius={radius};star={star};map="
        none, marked = f"method=letter;{case}none", f"method=letter;{case}marked"
        assert edges[none] == pytest.approx(count * passes[none])
        assert passes[marked] == passes[none]
        assert edges[marked] < 0.5 * edges[none]
        assert edges[f"method=tiles;{case}ordered"] < edges[f"method=tiles;{case}none"]
    assert not any("letter" in case and "ordered" in case for case in edges)


def test_single_tables_are_measured(fermat):
    _, rows = run(fermat, 2, "--tables", "Implementations")
    assert {row["table"] for row in rows} == {"Implementations"}


def test_parts_are_merged_in_the_order_of_the_table(tmp_path, monkeypatch):
    root = Path(__file__).resolve().parents[2]
    monkeypatch.syspath_prepend(str(root / "bench/papers"))
    run_papers = importlib.import_module("run")
    head = ",".join(COLUMNS) + "\n"
    row = "1,Figure {},radius={};nodes={},heap,s,,{},,cpu,today\n"
    (tmp_path / "whole.csv").write_text(head + row.format(7, 1, 128, 1) + row.format(7, 1, 1600, 2)
                                        + row.format(10, 6, 501, 3))
    (tmp_path / "part.csv").write_text(head + row.format(7, 1, 512, 4) + row.format(10, 6, 501, 5))
    run_papers.merge(tmp_path / "part.csv", tmp_path / "whole.csv")
    with open(tmp_path / "whole.csv", newline="") as file:
        assert [(row["case"], row["ours"]) for row in csv.DictReader(file)] == [
            ("radius=1;nodes=128", "1"), ("radius=1;nodes=512", "4"),
            ("radius=1;nodes=1600", "2"), ("radius=6;nodes=501", "5")]


PROGRAM = """#!{python}
import sys
words = sys.argv[1:]
paper, device = words[2], words[words.index("--device") + 1]
part = words[words.index("--radii") + 1] if "--radii" in words else "-"
host = open(words[words.index("--host") + 1]).read().count("heap") if "--host" in words else 0
with open(words[words.index("--csv") + 1], "w") as file:
    file.write({head!r})
    file.write(f"{{paper}},Figure 7,radius={{part}},{{'heap' if device == 'cpu' else 'CUDA'}},s,,{{host}},,{{device}},today\\n")
"""


def test_a_full_run_merges_parts_and_hands_the_columns_of_the_cpu_on(tmp_path):
    head = ",".join(COLUMNS) + "\n"
    program = tmp_path / "fermat"
    program.write_text(PROGRAM.format(python=sys.executable, head=head))
    program.chmod(0o755)
    root = Path(__file__).resolve().parents[2]
    subprocess.run([sys.executable, root / "bench/papers/run.py", "--full", "--program", program,
                    "--results", tmp_path / "results", "--archive", tmp_path / "all.tar.gz"],
                   check=True, capture_output=True)
    with open(tmp_path / "results/paper1-cpu.csv", newline="") as file:
        assert [row["case"] for row in csv.DictReader(file)] == [f"radius={r}" for r in range(1, 7)]
    with open(tmp_path / "results/paper1-cuda.csv", newline="") as file:
        assert [row["ours"] for row in csv.DictReader(file)] == ["6"]
    with tarfile.open(tmp_path / "all.tar.gz") as archive:
        names = archive.getnames()
    assert {f"paper{n}-{device}.csv" for n in range(1, 6) for device in ("cpu", "cuda")} < set(names)


def test_implementations_of_all_devices_stand_side_by_side(tmp_path, monkeypatch):
    root = Path(__file__).resolve().parents[2]
    monkeypatch.syspath_prepend(str(root / "bench/papers"))
    report = importlib.import_module("report")
    row = "2,Implementations,radius=3,{},s,,{},,{},today\n"
    for device, column in (("cpu", "tiles"), ("opengl", "OpenGL")):
        (tmp_path / f"paper2-{device}.csv").write_text(
            ",".join(COLUMNS) + "\n" + row.format("serial", 1, device) + row.format(column, 2, device))
    (table,) = report.side_by_side(tmp_path)
    assert "| radius | serial | tiles | OpenGL |" in table and "| 3 | 1 | 2 | 2 |" in table
    assert "cpu: cpu, today; opengl: opengl, today" in table


def test_rays_of_paper_5_arrive_and_times_are_right(fermat):
    _, rows = run(fermat, 5)
    value = {(row["case"], row["quantity"]): row["ours"] for row in rows}
    for scenario, worst in (("homogeneous", 1e-5), ("layer", 0.01), ("gradient", 1e-4)):
        case = f"scenario={scenario};points=200;method=fermat"
        assert float(value[case, "lost"]) == 0
        assert float(value[case, "error"]) < worst


def test_a_figure_is_drawn_by_the_package(fermat, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setenv("FERMAT_PYTHON", sys.executable)
    run(fermat, 5, "--figure", "paper5.png")
    assert (fermat.folder / "paper5.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["6"], "--paper is '6'"),
        ([], "--paper is required"),
        (["3", "--device", "opengl"], "device is 'opengl' (paper 3 is computed on cpu and cuda)"),
        (["5", "--csv", "no/p.csv"], "'no' does not exist"),
        (["1", "--host", "cpu.csv"], "a table of the CPU's columns is given and the device is 'cpu'"),
        (["2", "--sizes", "128"], "sizes or radii are given and the paper is 2"),
        (["5", "--tables", "Table 9"],
         "paper 5 has no table 'Table 9' on this device (it has Table 2)"),
        (["1", "--radii", "1,7"], "--radii is '7' (must be a whole number from 1 to 6)"),
    ],
)
def test_bad_calls_are_one_line(fermat, flags, words):
    assert words in fermat.error("bench", "paper", *flags)


def test_a_figure_without_the_package_is_refused_before_anything_is_measured(fermat, tmp_path,
                                                                                 monkeypatch):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    monkeypatch.setenv("FERMAT_PYTHON", str(python))
    sentence = fermat.error("bench", "paper", "5", "--figure", "p.png")
    assert "--figure needs the Python package with matplotlib" in sentence


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_what_a_stopped_bench_has_measured_is_kept(fermat, ctrl_c, by):
    """The second size takes much longer than the first; the bench is stopped in between."""
    bench = subprocess.Popen([str(fermat.program), "bench", "paper", "1", "--sizes", "16,2048",
                              "--radii", "6", "--repeat", "50", "--csv", "p.csv"],
                             cwd=fermat.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True)
    for line in bench.stdout:
        if line.split()[:2] == ["6", "16"]:
            break
    bench.send_signal(by)
    rest, _ = bench.communicate(timeout=100)
    assert bench.returncode == 130
    assert rest.endswith("stopped: 1 row is kept in p.csv\n")
    with open(fermat.folder / "p.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows and {row["case"] for row in rows} == {"radius=6;nodes=16"}


def test_a_bench_stopped_before_its_first_row_leaves_an_earlier_file(fermat, ctrl_c):
    fermat.write("p.csv", "mine")
    bench = subprocess.Popen([str(fermat.program), "bench", "paper", "1", "--sizes", "2048",
                              "--radii", "6", "--repeat", "50", "--csv", "p.csv"],
                             cwd=fermat.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True)
    for line in bench.stdout:
        if line.startswith("radius"):
            break
    bench.send_signal(signal.SIGINT)
    bench.communicate(timeout=100)
    assert bench.returncode == 130 and (fermat.folder / "p.csv").read_text() == "mine"
