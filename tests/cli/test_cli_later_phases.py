"""`fermat invert` with picks of later phases: layers, interfaces and events in one run folder."""

import csv
import json
import random
import shutil
import signal
import subprocess

import h5py
import numpy as np
import pytest
from run_files import results, rows_of

NOISE = {"Pg": 0.03, "PmP": 0.04, "Pn": 0.05}
REACH = {"Pg": (3, 85), "PmP": (40, 125), "Pn": (110, 190)}
CODES = {"Pg": 1, "PmP": 2, "Pn": 3}
INVERT = ["invert", "--picks", "picks.csv", "--model", "start.h5", "--interface-length", "20",
          "--iterations", "4", "--threads", "1"]


def moho(x):
    return 28 + 1.5 * np.sin(x / 25)


def write_tables(folder, rows):
    with open(folder / "picks.csv", "w") as file:
        file.write("source_x,source_z,receiver_x,receiver_z,time,error,phase\n")
        for station, shot, time, phase in rows:
            file.write(f"{shot},0,{station},0,{time:.4f},{NOISE[phase]},{phase}\n")
    with open(folder / "tx.in", "w") as file:
        for station in sorted({row[0] for row in rows}):
            file.write(f"{station:10.3f}{1:10.3f}{0:10.3f}{0:10d}\n")
            for _, shot, time, phase in (row for row in rows if row[0] == station):
                file.write(f"{shot:10.3f}{time:10.4f}{NOISE[phase]:10.3f}{CODES[phase]:10d}\n")
        file.write(f"{0:10.3f}{0:10.3f}{0:10.3f}{-1:10d}\n")


@pytest.fixture(scope="module")
def crust(module_fermat):
    """picks.csv and tx.in of a crust of 200 km, and start.h5 with a flat Moho."""
    fermat = module_fermat
    folder = fermat.folder
    x = np.arange(0, 201, 4.0)
    (folder / "moho.csv").write_text("x,z\n" + "".join(f"{a},{b}\n" for a, b in zip(x, moho(x), strict=True)))
    common = ["--shape", "101,26", "--spacing", "2", "--layer", "5.8,0.03", "--layer", "8,0.01"]
    fermat("model", "layers", *common, "--interface", "moho=moho.csv", "-o", "truth.h5")
    fermat("model", "layers", *common, "--interface", "moho=29", "-o", "start.h5")
    shots, stations = np.arange(4, 198, 8.0), np.array([20.0, 60.0, 100.0, 140.0, 180.0])
    for name, points in (("s.csv", shots), ("r.csv", stations)):
        (folder / name).write_text("x,z\n" + "".join(f"{p},0\n" for p in points))
    fermat("phases", "--model", "truth.h5", "--phase", "Pg", "--phase", "PmP", "--phase", "Pn",
           "--sources", "s.csv", "--receivers", "r.csv", "--table", "times.csv")
    luck = np.random.default_rng(4)
    rows = []
    for row in rows_of(folder / "times.csv"):
        shot, station = shots[int(row["source"])], stations[int(row["receiver"])]
        low, high = REACH[row["phase"]]
        noise = luck.normal(0, NOISE[row["phase"]])
        if low < abs(shot - station) < high and row["status"] in ("ok", "along"):
            rows.append((station, shot, float(row["time"]) + noise, row["phase"]))
    write_tables(folder, rows)
    return fermat


@pytest.fixture(scope="module")
def whole(crust):
    crust(*INVERT, "-o", "whole")
    return crust.folder / "whole"


def depth_of(path, x):
    with h5py.File(path) as file:
        fields = file["VTKHDF/FieldData"]
        numbers = np.asarray(fields["interface_1"])
    x0, _, dx, _, nx, _ = numbers[:6]
    return np.interp(x, x0 + dx * np.arange(int(nx)), numbers[6:])


def test_the_folder_tells_layers_interfaces_and_picks(crust, whole):
    assert sorted(path.name for path in whole.iterdir() if path.suffix != ".vtkhdf") == [
        "checkpoint.h5", "coverage.h5", "history.csv", "layers.csv", "model.h5", "residuals.csv", "settings.toml"]
    history = rows_of(whole / "history.csv")
    assert float(history[0]["chi2"]) > 3 and float(history[-1]["chi2"]) < 1.2
    residuals = rows_of(whole / "residuals.csv")
    assert {row["phase"] for row in residuals} == {"Pg", "PmP", "Pn"}
    assert {row["status"] for row in residuals} <= {"ok", "along", "unsettled", "crosses", "absent"}
    x = np.linspace(30, 170, 71)
    assert np.sqrt(np.mean((depth_of(whole / "model.h5", x) - moho(x)) ** 2)) < 0.8
    assert np.sqrt(np.mean((29 - moho(x)) ** 2)) > 1
    layers = rows_of(whole / "layers.csv")
    assert {(row["of"], row["kind"]) for row in layers} == {
        ("P of layer 0", "velocity"), ("P of layer 1", "velocity"), ("moho", "depth")}
    inside = [row for row in layers if row["of"] == "moho" and 40 < float(row["x"]) < 160]
    assert all(float(row["deviation"]) < 0.5 * float(row["prior"]) for row in inside)
    # It is a medium as any other, and a model as any other.
    crust("phases", "--model", "whole/model.h5", "--phase", "PmP", "--sources", "s.csv", "--receivers", "r.csv",
          "--table", "again.csv")
    with h5py.File(whole / "coverage.h5") as file:
        rays = file["VTKHDF/CellData/coverage"][:]
    assert rays.max() > 10 and rays.min() == 0


def test_threads_ranks_and_resuming_change_no_bit(crust, whole, mpirun):
    crust(*INVERT[:-1], "2", "-o", "two")
    assert results(crust.folder / "two") == results(whole)
    shutil.copytree(whole, crust.folder / "again")
    for name in ("model.h5", "residuals.csv", "coverage.h5"):
        (crust.folder / "again" / name).unlink()
    crust(*INVERT, "--resume", "-o", "again")
    assert results(crust.folder / "again") == results(whole)
    call = [crust.program, *INVERT, "-o", crust.folder / "ranks"]
    call[call.index("picks.csv")] = crust.folder / "picks.csv"
    call[call.index("start.h5")] = crust.folder / "start.h5"
    done = mpirun(call, call)
    assert done.returncode == 0, done.stderr
    assert results(crust.folder / "ranks") == results(whole)


def test_kills_leave_no_trace(crust, whole):
    luck = random.Random(3)
    command = [str(crust.program), *INVERT, "--resume", "-o", "killed"]
    for _ in range(3):
        run = subprocess.Popen(command, cwd=crust.folder, stdout=subprocess.DEVNULL)
        try:
            run.wait(timeout=luck.uniform(0.1, 1.5))
            shutil.rmtree(crust.folder / "killed")
        except subprocess.TimeoutExpired:
            run.send_signal(signal.SIGKILL)
            run.wait()
    crust(*INVERT, "--resume", "-o", "killed")
    assert results(crust.folder / "killed") == results(whole)


def test_one_line_for_picks_of_rayinvr(crust):
    done = crust.call("invert", "--picks", "tx.in", "-o", "line", "--iterations", "4")
    assert done.returncode == 0, done.stderr
    assert "chosen: --phases 1=Pg,2=PmP,3=Pn: code 1 is Pg" in done.stdout
    assert "start layers from the picks (--model gives others): surface at 0" in done.stdout
    x = np.linspace(40, 160, 61)
    assert np.sqrt(np.mean((depth_of(crust.folder / "line/model.h5", x) - moho(x)) ** 2)) < 1
    assert float(rows_of(crust.folder / "line/history.csv")[-1]["chi2"]) < 1.2
    # The settings do the same again, whatever is guessed next time.
    again = crust.call("invert", "--config", "line/settings.toml", "-o", "line2")
    assert again.returncode == 0 and "phases 1=Pg" not in again.stdout
    assert results(crust.folder / "line2") == results(crust.folder / "line")


def test_codes_are_named_by_a_list_or_by_rayinvr(crust):
    (crust.folder / "r.in").write_text(
        " &pltpar iplot=1 /\n &trapar ishot=1,1, ray=1.1,1.2,\n   2.1, ivray=1,2,3,\n  nray=3*50 /\n")
    for text in ("1=Pg,2=PmP,3=Pn", "1=1.1,2=1.2,3=1.3", "r.in"):
        done = crust.call("invert", "--picks", "tx.in", "--model", "start.h5", "--phases", text, "--iterations", "1",
                          "-o", "named", "--overwrite")
        assert done.returncode == 0, done.stderr
        names = {row["phase"] for row in rows_of(crust.folder / "named/residuals.csv")}
        assert names == ({"Pg", "PmP", "Pn"} if "Pg" in text else {"P0", "P1P", "P1"})
    # By the medium itself, where nothing is said.
    said = crust.call("invert", "--picks", "tx.in", "--model", "start.h5", "--iterations", "1", "-o", "matched").stdout
    assert "--phases 1=P0,2=P1P,3=P1: code 1 is P0" in said
    error = crust.error("invert", "--picks", "tx.in", "--phases", "9=Pg", "-o", "no")
    assert "phase '9' is given a name" in error and "1, 2, 3" in error


def test_codes_of_tomo2d_have_their_meaning(crust):
    rows = [row for row in rows_of(crust.folder / "picks.csv") if row["phase"] != "Pn"]
    with open(crust.folder / "tt.dat", "w") as file:
        stations = sorted({row["receiver_x"] for row in rows}, key=float)
        file.write(f"{len(stations)}\n")
        for station in stations:
            own = [row for row in rows if row["receiver_x"] == station]
            file.write(f"s {station} 0 {len(own)}\n")
            for row in own:
                code = 0 if row["phase"] == "Pg" else 1
                file.write(f"r {row['source_x']} 0 {code} {row['time']} {row['error']}\n")
    said = crust("invert", "--picks", "tt.dat", "--iterations", "2", "-o", "tomo2d")
    assert "--phases 0=P,1=PmP: code 0 is P" in said
    assert abs(depth_of(crust.folder / "tomo2d/start.h5", 100.0) - 28) < 1.5
    said = crust("invert", "--picks", "tt.dat", "--model", "start.h5", "--iterations", "1", "-o", "tomo2d-m")
    assert "--phases 0=P,1=P1P" in said


def test_first_arrivals_alone_where_asked_for(crust):
    done = crust.call("invert", "--picks", "tx.in", "--phases", "first", "--iterations", "1", "-o", "first")
    assert done.returncode == 0
    assert "the codes 1" in done.stderr and not (crust.folder / "first/layers.csv").exists()


def test_unknown_phases_are_counted_and_named(crust):
    text = (crust.folder / "picks.csv").read_text()
    with open(crust.folder / "odd.csv", "w") as file:
        file.write(text + "4,0,20,0,9,0.1,P7P\n4,0,20,0,9,0.1,P7P\n4,0,60,0,9,0.1,Lg\n4,0,60,0,9,0.1,\n")
    done = crust.call("invert", "--picks", "odd.csv", "--model", "start.h5", "--iterations", "1", "-o", "odd")
    assert done.returncode == 0
    assert "4 of" in done.stderr and "2 of P7P, 1 of Lg, 1 of (none)" in done.stderr
    alone = "source_x,source_z,receiver_x,receiver_z,time,error,phase\n4,0,20,0,9,0.1,P7P\n"
    (crust.folder / "alone.csv").write_text(alone)
    error = crust.error("invert", "--picks", "alone.csv", "--model", "start.h5", "-o", "none")
    assert "no pick is of a phase that the medium knows" in error and "'7'" in error


def test_boreholes_bounds_and_kept_parts(crust):
    (crust.folder / "wells.csv").write_text("x,depth,error\n2,31.5,0.05\n")
    said = crust("invert", "--picks", "picks.csv", "--model", "start.h5", "--interface-length", "15",
                 "--deviation-of", "P0=0", "--deviation-of", "P1=0", "--depth-data", "moho=wells.csv",
                 "--max-depth", "31.6", "--iterations", "3", "-o", "wells")
    assert "1 measured depths" in said
    assert abs(depth_of(crust.folder / "wells/model.h5", 2.0) - 31.5) < 0.3
    with h5py.File(crust.folder / "wells/model.h5") as found, h5py.File(crust.folder / "start.h5") as start:
        for name in ("layer_0_p", "layer_1_p"):
            assert np.array_equal(found["VTKHDF/PointData"][name][:], start["VTKHDF/PointData"][name][:])


def test_events_move_where_asked_for(crust):
    rows = rows_of(crust.folder / "picks.csv")
    with open(crust.folder / "moved.csv", "w", newline="") as file:
        table = csv.DictWriter(file, [*rows[0], "event"])
        table.writeheader()
        for row in rows:
            shot = float(row["source_x"])
            table.writerow(row | {"source_x": shot + 2, "source_z": 5, "event": f"e{shot:g}"})
    said = crust("invert", "--picks", "moved.csv", "--model", "truth.h5", "--relocate", "all", "--velocity-deviation",
                 "0.001", "--depth-deviation", "0.01", "--iterations", "6", "--outliers", "0", "-o", "events")
    assert "events moved, by" in said
    events = rows_of(crust.folder / "events/events.csv")
    off = [abs(float(row["x"]) - float(row["event"][1:])) for row in events if int(row["used"]) > 7]
    assert np.median(off) < 0.4
    # Picks keep the names of their phases for further runs.
    assert [row["phase"] for row in rows_of(crust.folder / "events/moved_picks.csv")] == [row["phase"] for row in rows]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--keep", "all"], "--keep is given and the picks are of later phases"),
        (["--terms", "receiver"], "terms is 'receiver' in a run of later phases"),
        (["--checkerboard", "4,0.1"], "--checkerboard is given"),
        (["--ensemble", "noise:3"], "--ensemble is given"),
        (["--method", "hole"], "later phases need"),
        (["--deviation-of", "conrad=2"], "a deviation is given of 'conrad'"),
        (["--deviation-of", "moho"], "must be an interface or layer and its deviation"),
        (["--depth-data", "moho=no.csv"], "no.csv"),
        (["--phases", "nothing"], "must be first, names such as 1=Pg,2=PmP"),
        (["--min-depth", "40", "--max-depth", "20"], "min depth is 40"),
    ],
)
def test_what_cannot_be_is_refused_before_the_folder_begins(crust, words, sentence):
    error = crust.error("invert", "--picks", "picks.csv", "--model", "start.h5", *words, "-o", "refused")
    assert sentence in error
    assert not (crust.folder / "refused").exists()


def test_picks_need_errors(crust):
    rows = rows_of(crust.folder / "picks.csv")
    with open(crust.folder / "bare.csv", "w", newline="") as file:
        table = csv.DictWriter(file, [name for name in rows[0] if name != "error"], extrasaction="ignore")
        table.writeheader()
        table.writerows(rows)
    assert "the picks have no errors" in crust.error("invert", "--picks", "bare.csv", "-o", "bare")
    crust("invert", "--picks", "bare.csv", "--error", "0.05", "--model", "start.h5", "--iterations", "1", "-o", "bare")


def test_the_run_is_drawn(crust, whole):
    import matplotlib

    matplotlib.use("Agg")
    import fermat as fm

    figure = fm.plot.layers(whole, title="a crust")
    curves, misfit, section = figure.axes[:3]
    assert [text.get_text().split()[0] for text in curves.get_legend().get_texts()[:3]] == ["Pg", "PmP", "Pn"]
    assert "residual" in misfit.get_ylabel() and section.get_ylim()[0] > section.get_ylim()[1]
    crust("plot", "whole", "-o", "whole.png")
    assert (crust.folder / "whole.png").stat().st_size > 10000


def test_the_report_has_phases_interfaces_and_rays(crust, whole):
    crust("report", "whole", "-o", "page.html")
    page = (crust.folder / "page.html").read_text()
    text = page.split('<script type="application/json" id="data">')[1].split("</script>")[0]
    layers = json.loads(text)["layers"]
    residuals = rows_of(whole / "residuals.csv")
    assert [one["name"] for one in layers["phases"]] == ["Pg", "PmP", "Pn"]
    assert [one["all"] for one in layers["phases"]] == [
        sum(row["phase"] == name for row in residuals) for name in ("Pg", "PmP", "Pn")]
    surface, found = layers["interfaces"]
    assert surface["bars"] == []
    x, z, deviation = np.array(found["bars"]).T
    np.testing.assert_allclose(z, np.interp(x, *np.array(found["points"]).T), atol=0.1)
    assert (deviation > 0).all()
    assert {ray["phase"] for ray in layers["rays"]} == {0, 1, 2}
    deepest = [max(p[1] for p in ray["points"]) for ray in layers["rays"] if ray["phase"] == 1]
    assert min(deepest) > 24 and max(deepest) < 32
