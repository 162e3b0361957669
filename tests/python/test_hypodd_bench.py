"""bench/peers/hypodd_job.py on a small stand-in for an example of hypoDD: the truth in place of its result."""

import subprocess
import sys
from pathlib import Path

import fermat as fm
import numpy as np
import pytest

PEERS = Path(__file__).resolve().parents[2] / "bench" / "peers"
LAYERS = [(0.0, 4.0), (2.0, 5.2), (6.0, 6.1)]
CONTROL = """* files
dt.cc
dt.ct
event.sel
station.sel
hypoDD.loc
hypoDD.reloc
* IDAT IPHA DIST
 3 3 400
* OBSCC OBSCT
 0 8
* ISTART ISOLV NSET
 2 2 1
* NITER WTCCP WTCCS WRCC WDCC WTCTP WTCTS WRCT WDCT DAMP
 5 1 1 -9 -9 0.1 0.1 6 5 70
* NLAY RATIO
 3 1.75
* TOP
 0 2 6
* VEL
 4.0 5.2 6.1
* CID
 0
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Twelve events that the catalogue has 0.3 km off, exact differences, and the true places."""
    where = tmp_path_factory.mktemp("hypodd")
    rng = np.random.default_rng(3)
    plane = fm.Plane("local plane: longitude=10 latitude=45 metres=1000")
    true = np.array([0, 0, 8]) + rng.uniform(-0.8, 0.8, (12, 3))
    off = rng.normal(0, 0.3, true.shape)
    given = true + off - off.mean(axis=0)  # differences do not tell the centroid
    stations = np.column_stack([rng.uniform(-12, 12, (16, 2)), np.zeros(16)])
    crust = fm.Model.layers((61, 61, 41), layers=LAYERS, spacing=0.5, origin=(-15, -15, -1), cells=True)
    made = fm.synthetic_picks(crust, stations, true)
    times = np.zeros((16, 12))
    times[made.source, made.receiver] = made.time

    def degrees(points):
        return np.column_stack([*plane.to_geographic(points[:, 0], points[:, 1])])

    lines, found = [], []
    for n, (lon, lat) in enumerate(degrees(given)):
        lines.append(f"# 2020 1 1 0 {n} 0.0 {lat:.6f} {lon:.6f} {given[n, 2]:.4f} 1.0 0 0 0 {n + 1}")
        lines += [f"S{k} {times[k, n]:.4f} 1.0 P" for k in range(16)]
    for n, (lon, lat) in enumerate(degrees(true)):
        found.append(f"{n + 1} {lat:.6f} {lon:.6f} {true[n, 2]:.4f} 0 0 0 1 1 1 2020 1 1 0 {n} 0.0 1.0 0 0 10 0 0 0.001 1")
    (where / "phase.dat").write_text("\n".join(lines) + "\n")
    (where / "hypoDD.reloc").write_text("\n".join(found) + "\n")
    (where / "station.dat").write_text(
        "".join(f"S{k} {lat:.6f} {lon:.6f}\n" for k, (lon, lat) in enumerate(degrees(stations))))
    both = [(a, b) for a in range(12) for b in range(a + 1, 12)]
    (where / "dt.ct").write_text("".join(
        f"# {a + 1} {b + 1}\n" + "".join(f"S{k} {times[k, a]:.5f} {times[k, b]:.5f} 1.0 P\n" for k in range(16))
        for a, b in both))
    (where / "hypoDD.inp").write_text(CONTROL)
    return where


def job(folder, *more):
    return subprocess.run([sys.executable, PEERS / "hypodd_job.py", folder, "--threads", "1", *more],
                          capture_output=True, text=True)


def test_distances_of_pairs_are_those_of_the_reference(folder):
    done = job(folder)
    assert done.returncode == 0, done.stderr
    rows = {cells[1].strip(): cells[2:] for cells in (line.split("|") for line in done.stdout.splitlines()[2:])}
    assert float(rows["Catalogue (phase.dat)"][2]) > 100  # m
    events, pairs, median, most = (float(cell) for cell in rows["Fermat relocate, dt.ct"][:4])
    assert (events, pairs) == (12, 66) and median < 10 and most < 40
    assert "Fermat relocate, dt.ct and dt.cc: skipped" in done.stderr and "has no dt.cc" in done.stderr


def test_a_folder_without_the_data_is_skipped_with_a_sentence(tmp_path):
    done = job(tmp_path)
    assert done.returncode == 0 and done.stdout.count("|") < 20
    assert f"skipped, {tmp_path} has no phase.dat, station.dat, dt.ct, hypoDD.inp, hypoDD.reloc" in done.stderr


def test_a_control_file_without_layers_is_refused(folder, tmp_path):
    for file in folder.iterdir():
        (tmp_path / file.name).write_text(file.read_text() if file.name != "hypoDD.inp" else "dt.cc\n")
    done = job(tmp_path)
    assert done.returncode == 1 and "has no layers with one Vp/Vs" in done.stderr
