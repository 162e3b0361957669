"""`fermat rays`: every output is read back; statuses, pairs and picks, order of rays, errors."""

import csv
import resource
import signal
import subprocess
import time
import xml.etree.ElementTree as ET

import h5py
import numpy as np
import pytest

COLUMNS = ["source", "receiver", "time", "length", "points", "status"]
STATUSES = ["ok", "receiver_in_air", "source_in_air", "unreachable", "stalled", "late"]
RAYS = ["rays", "--model", "model.h5"]
SURVEY = [*RAYS, "--sources", "s.csv", "--receivers", "r.csv"]


def read_table(path):
    with open(path) as file:
        rows = list(csv.reader(file))
    assert rows[0] == COLUMNS
    return [(int(s), int(r), float(t), float(d), int(n), status)
            for s, r, t, d, n, status in rows[1:]]


def read_lines(path):
    """Polylines and cell data of a rays file."""
    with h5py.File(path) as h5:
        root = h5["VTKHDF"]
        points, offsets = np.array(root["Points"]), np.array(root["Lines/Offsets"])
        data = {name: np.array(root["CellData"][name]) for name in root["CellData"]}
    return [points[a:b] for a, b in zip(offsets[:-1], offsets[1:])], data


def read_csr(path):
    """A sensitivity matrix as a dense array."""
    with h5py.File(path) as h5:
        rows, columns = h5.attrs["shape"]
        indptr, indices, data = (np.array(h5[name]) for name in ("indptr", "indices", "data"))
    dense = np.zeros((rows, columns))
    assert indptr.shape == (rows + 1,) and indptr[-1] == len(indices) == len(data)
    for row in range(rows):
        part = slice(indptr[row], indptr[row + 1])
        dense[row, indices[part]] = data[part]
    return dense


def cell_array(path, name):
    with h5py.File(path) as h5:
        return np.array(h5[f"VTKHDF/CellData/{name}"])


@pytest.fixture
def survey(volume):
    volume.write("s.csv", "x,y,z\n0.3,0.4,0\n4.5,3.5,1.2\n2.5,2,3\n")
    volume.write("r.csv", "x,y,z\n5,4,3\n0,0,0\n2.2,1.1,0.4\n4.9,0.1,0\n")
    return volume


@pytest.mark.parametrize("tracer", ["descent", "cells"])
def test_all_outputs_tell_the_same_rays(survey, tracer):
    said = survey(*SURVEY, "--tracer", tracer, "-o", "rays.h5", "--table", "rays.csv",
                  "--sensitivity", "nodes.h5", "--coverage", "c.h5", "--vector-coverage", "v.xml")
    assert said.count("\n") == 1 and said.startswith("12 rays: ")
    rows = read_table(survey.folder / "rays.csv")
    assert [row[:2] for row in rows] == [(s, r) for s in range(3) for r in range(4)]
    late = sum(row[5] == "late" for row in rows)  # the rays of cells turn where their field does not
    assert f"12 rays: {12 - late} ok" in said and (f", {late} late in " in said) == (late > 0)
    assert {row[5] for row in rows} - {"late"} == {"ok"} and (late == 0 or tracer == "cells")
    sources = np.loadtxt(survey.folder / "s.csv", delimiter=",", skiprows=1)
    receivers = np.loadtxt(survey.folder / "r.csv", delimiter=",", skiprows=1)
    times, lengths = np.array([row[2] for row in rows]), np.array([row[3] for row in rows])

    paths, data = read_lines(survey.folder / "rays.h5")
    assert (data["time"] == times).all() and (data["length"] == lengths).all()
    for path, (s, r, _, length, points, _) in zip(paths, rows):
        assert len(path) == points
        assert (path[0] == receivers[r]).all() and (path[-1] == sources[s]).all()
        assert np.linalg.norm(np.diff(path, axis=0), axis=1).sum() == pytest.approx(length)

    velocity = survey.array("model.h5").transpose(2, 1, 0)
    assert np.allclose(read_csr(survey.folder / "nodes.h5") @ (1 / velocity.ravel()), times,
                       rtol=1e-6)

    survey(*SURVEY, "--tracer", tracer, "--sensitivity", "cells.h5", "--basis", "cells")
    cells = read_csr(survey.folder / "cells.h5")
    assert np.allclose(cells.sum(1), lengths)
    count = cell_array(survey.folder / "c.h5", "coverage")
    length = cell_array(survey.folder / "c.h5", "ray_length")
    assert count.shape == (6, 8, 10)
    assert (count.transpose(2, 1, 0).ravel() == (cells > 0).sum(0)).all()
    assert np.allclose(length.transpose(2, 1, 0).ravel(), cells.sum(0), atol=1e-5)

    shots = ET.parse(survey.folder / "v.xml").getroot().findall("ray")
    assert len(shots) == 12
    for ray, path, time in zip(shots, paths, times):
        vertices = [[float(v.get(axis)) for axis in "xyz"] for v in ray.find("trajectory")]
        assert (np.array(vertices) == path).all()
        assert [float(ray.find("shotpoint").get(axis)) for axis in "xyz"] == list(path[-1])
        assert [float(ray.find("receiver").get(axis)) for axis in "xyz"] == list(path[0])
        assert float(ray.find("pick_time").text) == time


@pytest.mark.parametrize("directions", [8, 16])
def test_grid_tracer_in_2d(section, directions):
    section.write("r.csv", "x,z\n5,3\n0,0\n")
    section(*RAYS, "--source", "2.5,1.5", "--receivers", "r.csv", "--tracer", "grid",
            "--directions", directions, "--solver", "fmm", "--order", "1", "--table", "t.csv",
            "--coverage", "c.h5")
    rows = read_table(section.folder / "t.csv")
    assert [row[5] for row in rows] == ["ok", "ok"]
    assert rows[0][2] >= np.hypot(2.5, 1.5) / 3 - 1e-6
    assert cell_array(section.folder / "c.h5", "coverage").shape == (6, 10)


def test_points_in_air_and_out_of_reach_are_statuses(fermat):
    fermat("model", "layers", "--shape", "9,13", "--layer", "0:0", "--layer", "3:2",
           "--layer", "6:0", "--layer", "9:2", "-o", "model.h5")
    fermat.write("s.csv", "x,z\n4,4\n4,1\n")
    fermat.write("r.csv", "x,z\n1,4\n1,1\n1,11\n")
    said = fermat(*SURVEY, "-o", "rays.h5", "--table", "t.csv", "--sensitivity", "n.h5",
                  "--coverage", "c.h5", "--vector-coverage", "v.xml")
    assert said.startswith("6 rays: 1 ok, 1 receiver_in_air, 3 source_in_air, 1 unreachable in ")
    rows = read_table(fermat.folder / "t.csv")
    assert [row[5] for row in rows] == ["ok", "receiver_in_air", "unreachable",
                                        *["source_in_air"] * 3]
    assert [row[2] for row in rows] == [pytest.approx(1.5, rel=1e-3), *[np.inf] * 5]
    _, data = read_lines(fermat.folder / "rays.h5")
    assert [STATUSES[status] for status in data["status"]] == [row[5] for row in rows]
    assert (read_csr(fermat.folder / "n.h5").sum(1) > 0).tolist() == [True] + [False] * 5
    assert len(ET.parse(fermat.folder / "v.xml").getroot()) == 1


def test_pairs_choose_the_rays_and_their_order(survey):
    survey.write("p.csv", "source,receiver\n2,3\n0,1\n2,0\n0,1\n")
    survey(*SURVEY, "--pairs", "p.csv", "--table", "t.csv")
    rows = read_table(survey.folder / "t.csv")
    assert [row[:2] for row in rows] == [(0, 1), (0, 1), (2, 3), (2, 0)]


PICKS = ("source_x,source_z,receiver_x,receiver_z,time\n"
         "4,1,0,0,1.5\n1,1,5,0,2.5\n4,1,5,0,3.5\n")


def test_picks_bring_points_pairs_and_times(section):
    section.write("p.csv", PICKS)
    section(*RAYS, "--picks", "p.csv", "--table", "t.csv", "--vector-coverage", "v.xml")
    assert [row[:2] for row in read_table(section.folder / "t.csv")] == [(0, 0), (0, 1), (1, 1)]
    rays = ET.parse(section.folder / "v.xml").getroot()
    assert [float(ray.find("pick_time").text) for ray in rays] == [1.5, 3.5, 2.5]
    assert [float(ray.find("shotpoint").get("x")) for ray in rays] == [4, 4, 1]


def test_picks_beside_sources_and_receivers_use_their_numbers(section):
    section.write("p.csv", PICKS)
    section.write("s.csv", "x,z\n0,0\n1,1\n4,1\n")
    section.write("r.csv", "x,z\n5,0\n0,0\n")
    section(*SURVEY, "--picks", "p.csv", "--table", "t.csv")
    assert [row[:2] for row in read_table(section.folder / "t.csv")] == [(1, 0), (2, 1), (2, 0)]
    section.write("s.csv", "x,z\n0,0\n1,1\n")
    assert "'p.csv' has a source at (4, 0, 1) that is not in --sources" in section.error(
        *SURVEY, "--picks", "p.csv", "--table", "u.csv")


def test_sgt_picks(section):
    section.write("line.sgt", "3\n#x y\n0 0\n2 -1\n5 0\n2\n#s g t\n1 2 0.8\n1 3 1.7\n")
    section(*RAYS, "--picks", "line.sgt", "--table", "t.csv")
    rows = read_table(section.folder / "t.csv")
    assert [row[:2] for row in rows] == [(0, 0), (0, 1)]
    assert rows[0][2] == pytest.approx(np.sqrt(5) / 3, rel=1e-3)


def test_threads_change_neither_order_nor_bits(volume):
    """Files have equal bytes, also if they are written at different times."""
    volume.write("s.csv", "x,y,z\n" + "".join(f"{0.2 * i},{0.1 * i},0.3\n" for i in range(23)))
    volume.write("r.csv", "x,y,z\n" + "".join(f"{0.1 * i},1,{0.06 * i}\n" for i in range(50)))
    for threads in (1, 3):
        volume(*SURVEY, "--threads", threads, "-o", f"{threads}.h5", "--table", f"{threads}.csv",
               "--sensitivity", f"s{threads}.h5", "--coverage", f"c{threads}.h5",
               "--vector-coverage", f"{threads}.xml")
        time.sleep(1.1)
    files = volume.files()
    assert files["1.csv"] == files["3.csv"] and files["1.xml"] == files["3.xml"]
    assert [row[:2] for row in read_table(volume.folder / "1.csv")] == [
        (s, r) for s in range(23) for r in range(50)]
    for one, three in (("1.h5", "3.h5"), ("s1.h5", "s3.h5"), ("c1.h5", "c3.h5")):
        assert files[one] == files[three]


def test_start_times_count(section):
    section.write("s.csv", "x,z,start_time\n3,0,10\n")
    section.write("r.csv", "x,z\n0,0\n")
    section(*SURVEY, "--table", "t.csv")
    assert read_table(section.folder / "t.csv")[0][2] == pytest.approx(11, rel=1e-6)


def test_a_table_on_standard_output_stands_alone(section):
    section.write("r.csv", "x,z\n0,0\n")
    out = section(*RAYS, "--source", "3,0", "--receivers", "r.csv", "--table", "/dev/stdout")
    assert out.splitlines()[0] == ",".join(COLUMNS) and len(out.splitlines()) == 2
    assert section(*RAYS, "--source", "3,0", "--receivers", "r.csv", "--table", "t.csv",
                   "--quiet") == ""


OUT = ["-o", "rays.h5"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rays"], "--model is required"),
        ([*RAYS, "--receivers", "r.csv", *OUT], "no source is given"),
        ([*RAYS, "--sources", "s.csv", *OUT], "no receiver is given"),
        (SURVEY, "nothing to write"),
        ([*SURVEY, "-o", "rays.vtk"], "--output is 'rays.vtk' (must end in .h5)"),
        ([*SURVEY, "--coverage", "c.csv"], "--coverage is 'c.csv' (must end in .h5)"),
        ([*SURVEY, "--sensitivity", "s.npz"], "--sensitivity is 's.npz' (must end in .h5)"),
        ([*SURVEY, *OUT, "--coverage", "./rays.h5"], "the file of --output"),
        ([*SURVEY, "--table", "r.csv"], "the file of --receivers"),
        ([*SURVEY, "-o", "model.h5"], "the file of --model"),
        ([*SURVEY, "-o", "no/r.h5", "--table", "t.csv"], "'no' does not exist"),
        ([*SURVEY, *OUT, "--tracer", "best"], "--tracer is 'best'"),
        ([*SURVEY, *OUT, "--tracer", "grid"], "tracer 'grid' is for 2-D models"),
        ([*SURVEY, *OUT, "--directions", "12"], "--directions is '12' (must be 8 or 16)"),
        ([*SURVEY, *OUT, "--basis", "faces"], "--basis is 'faces'"),
        ([*SURVEY, *OUT, "--order", "0"], "--order is '0'"),
        ([*SURVEY, *OUT, "--pairs", "p.csv"], "'p.csv' line 3: column 'receiver' is 4"),
        ([*SURVEY, *OUT, "--pairs", "q.csv"], "'q.csv' line 2: column 'source' is '1.5'"),
        ([*SURVEY, *OUT, "--pairs", "r.csv"], "'r.csv' has no column 'source'"),
        ([*SURVEY, *OUT, "--pairs", "p.csv", "--picks", "q.csv"], "--pairs and --picks are both"),
        ([*SURVEY, *OUT, "--picks", "none.csv"], "none.csv"),
        ([*RAYS, "--sources", "far.csv", "--receivers", "r.csv", *OUT],
         "'far.csv' source 0 at (99, 0, 0) is outside the model"),
        ([*RAYS, "--sources", "s.csv", "--receivers", "far.csv", *OUT],
         "'far.csv' receiver 0 at (99, 0, 0) is outside the model"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(survey, arguments, words):
    survey.write("p.csv", "source,receiver\n0,0\n1,4\n")
    survey.write("q.csv", "source,receiver\n1.5,0\n")
    survey.write("far.csv", "x,y,z\n99,0,0\n")
    survey.write("rays.h5", "was here before")
    assert words in survey.error(*arguments)


def test_ctrl_c_leaves_nothing(fermat, ctrl_c):
    fermat("model", "gradient", "--shape", "41,41,41", "--v0", "2", "--gradient", "0.1", "-o",
           "model.h5")
    fermat.write("s.csv", "x,y,z\n" + "20,20,20\n" * 20000)
    fermat.write("r.csv", "x,y,z\n1,1,1\n39,2,0\n")
    run = subprocess.Popen([fermat.program, *SURVEY, *OUT, "--table", "t.csv", "--coverage",
                            "c.h5"], cwd=fermat.folder, stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 30
        while not list(fermat.folder.glob(".fermat-*")) and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.3)
        run.send_signal(signal.SIGINT)
        _, stderr = run.communicate(timeout=30)
    finally:
        run.kill()
        run.wait()
    assert run.returncode == 130
    assert stderr.splitlines()[-1] == "fermat: error: stopped by the user"
    assert sorted(p.name for p in fermat.folder.iterdir()) == ["model.h5", "r.csv", "s.csv"]


def test_a_file_size_limit_is_told_and_leaves_the_old_files(survey):
    survey.write("rays.h5", "was here before")
    before = survey.files()
    limit = 4096

    def cap():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run([survey.program, *SURVEY, *OUT, "--table", "t.csv"], cwd=survey.folder,
                          capture_output=True, text=True, timeout=60, preexec_fn=cap)
    assert done.returncode == 1
    assert done.stderr == "fermat: error: cannot write 'rays.h5': File too large\n"
    assert survey.files() == before
