"""`fermat invert` of P and S with events that move: outputs, resuming, ranks, known events, errors."""

import gzip
import os
import shutil
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest
from run_files import results, rows_of

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("FERMAT_DATA", ROOT.parent / "shared" / "data"))
INVERT = ["invert", "--model", "start.h5", "--picks", "catalogue.csv", "--vp-vs", "1.75", "--relocate",
          "all", "--terms", "receiver", "--known", "known.csv", "--iterations", "3", "--device", "cpu"]


def all_results(folder):
    joint = {name: (folder / name).read_bytes()
             for name in ("s_model.h5", "vp_vs.h5", "s_coverage.h5", "events.csv", "terms.csv")}
    return results(folder), joint


@pytest.fixture(scope="module")
def quakes(module_fermat):
    """Twelve events of P and S in straight rays, mislocated; one is a blast of known place."""
    fermat = module_fermat
    rng = np.random.default_rng(5)
    fermat("model", "gradient", "--shape", "13,13,9", "--spacing", "2", "--v0", "6", "--gradient", "0",
           "-o", "start.h5")
    stations = rng.uniform((1, 1, 0), (23, 23, 0), (9, 3))
    places = rng.uniform((5, 5, 4), (19, 19, 12), (12, 3))
    wrong = places + rng.uniform(-1.5, 1.5, places.shape)
    wrong[0] = places[0]
    lines = ["event,station,phase,origin_time,source_x,source_y,source_z,receiver_x,receiver_y,receiver_z,time,error"]
    for e, place in enumerate(places):
        for s, station in enumerate(stations[: 3 if e == 11 else 9]):
            for phase, velocity in (("P", 6), ("S", 6 / 1.75)):
                if e == 11 and phase == "S":
                    continue
                time = 100 * e + np.linalg.norm(place - station) / velocity
                points = ",".join(f"{x:.6f}" for x in (*wrong[e], *station))
                lines.append(f"q{e},s{s},{phase},{100 * e + 0.2 * (e > 0)},{points},{time:.6f},0.02")
    fermat.write("catalogue.csv", "\n".join(lines) + "\n")
    fermat.write("known.csv", "event,known\nq0,both\n")
    fermat.places = places
    return fermat


@pytest.fixture(scope="module")
def whole(quakes):
    done = quakes.call(*INVERT, "-o", "whole", "--threads", "1")
    assert done.returncode == 0, done.stderr
    return quakes.folder / "whole", done


def test_events_come_back_and_what_stays_is_counted(quakes, whole):
    folder, done = whole
    events = rows_of(folder / "events.csv")
    assert [row["use"] for row in events] == ["known"] + 10 * ["moved"] + ["few_picks"]
    found = np.array([[float(row[c]) for c in "xyz"] for row in events])
    far = np.linalg.norm(found - quakes.places, axis=1)
    assert far[0] < 1e-5 and np.median(far[1:11]) < 0.1
    assert all(abs(float(row["shift_time"]) + 0.2) < 0.05 for row in events[1:11])
    assert float(events[0]["shift_time"]) == 0 and float(events[11]["shift_x"]) == 0
    assert 0 < float(events[3]["error_z"]) < 1
    assert "1 of 12 events have too few picks and keep their place" in done.stderr
    assert "--start-places located: 10 of 12 events begin where they are found" in done.stdout
    assert "unknowns: Vp; Vp/Vs; places and origin times of 12 events; terms of 9 stations" in done.stdout
    moved = {row["event"]: float(row["source_x"]) for row in rows_of(folder / "moved_picks.csv")}
    assert moved == {row["event"]: float(row["x"]) for row in events}
    assert {row["phase"] for row in rows_of(folder / "residuals.csv")} == {"P", "S"}
    terms = rows_of(folder / "terms.csv")
    assert [row["kind"] for row in terms] == 9 * ["receiver"] + 9 * ["receiver_s"]
    with h5py.File(folder / "vp_vs.h5") as file:
        assert abs(np.median(file["VTKHDF/PointData/vp_vs"]) - 1.75) < 0.05
    assert (folder / "s_model.h5").exists() and (folder / "s_coverage.h5").exists()


def test_locate_takes_the_terms_of_an_inversion(quakes, whole):
    folder, _ = whole
    picks = rows_of(quakes.folder / "catalogue.csv")
    quakes.write("phases.csv", "event,station,phase,time,error\n" + "".join(
        f"{row['event']},{row['station']},{row['phase']},{row['time']},0.02\n" for row in picks))
    where = {row["station"]: [row[f"receiver_{axis}"] for axis in "xyz"] for row in picks}
    quakes.write("stations.csv", "station,x,y,z\n" + "".join(
        f"{name},{','.join(at)}\n" for name, at in where.items()))
    done = quakes.call("locate", "--model", folder / "model.h5", "--s-model", folder / "s_model.h5", "--picks",
                       "phases.csv", "--stations", "stations.csv", "--terms", folder / "terms.csv", "--model-error",
                       "0.02", "-o", "found.csv", "--fits", "fits.csv")
    assert done.returncode == 0, done.stderr
    ids = {tuple(map(float, at)): name for name, at in where.items()}
    terms = {(ids[tuple(float(row[axis]) for axis in "xyz")], "S" if row["kind"] == "receiver_s" else "P"):
             float(row["term"]) for row in rows_of(folder / "terms.csv")}
    assert len(terms) == 18 and max(map(abs, terms.values())) > 1e-3
    fits = rows_of(quakes.folder / "fits.csv")
    assert len(fits) == len(picks) and any(float(row["term"]) != 0 for row in fits if row["term"])
    for row in fits:
        if row["term"]:
            assert float(row["term"]) == pytest.approx(terms[row["station"], row["phase"]], abs=2e-6)


def test_resuming_and_ranks_change_no_bit(quakes, whole, program):
    assert quakes.call(*INVERT, "-o", "again", "--threads", "2").returncode == 0
    assert all_results(quakes.folder / "again") == all_results(whole[0])
    # A run that was stopped before its end has its checkpoint and no results.
    for name in ("model.h5", "s_model.h5", "events.csv", "terms.csv"):
        (quakes.folder / "again" / name).unlink()
    assert quakes.call(*INVERT, "-o", "again", "--resume").returncode == 0
    assert all_results(quakes.folder / "again") == all_results(whole[0])
    if shutil.which("mpirun") is None:
        return
    command = ["mpirun", "-n", "2", "--oversubscribe", "--allow-run-as-root", str(program), *INVERT,
               "-o", "ranks", "--threads", "1"]
    done = subprocess.run(command, cwd=quakes.folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert all_results(quakes.folder / "ranks") == all_results(whole[0])


@pytest.mark.parametrize(("flags", "why"), [
    (["--known", "nobody.csv"], "event 'q77', which is known, is not in the picks"),
    (["--known", "what.csv"], "is 'depth' (must be place, time or both)"),
    (["--vp-vs", "0.5"], "must be > 1"),
    (["--terms", "shot"], "--relocate times"),
    (["--point-spread", "12,12,6"], "know one velocity and events in place"),
    (["--method", "hole"], "--method gauss-newton"),
])
def test_what_contradicts_itself_is_refused_in_a_sentence(quakes, flags, why):
    quakes.write("nobody.csv", "event,known\nq77,place\n")
    quakes.write("what.csv", "event,known\nq1,depth\n")
    given = [*INVERT]
    for flag in flags[::2]:
        if flag in given:
            del given[given.index(flag) : given.index(flag) + 2]
    done = quakes.call(*given, *flags, "-o", "never")
    assert done.returncode != 0 and why in done.stderr, done.stderr
    assert not (quakes.folder / "never" / "model.h5").exists()


def test_an_s_model_needs_one_of_p(quakes):
    done = quakes.call("invert", "--picks", "catalogue.csv", "--s-model", "start.h5", "-o", "never")
    assert done.returncode == 2 and "--s-model needs --model" in done.stderr
    assert not (quakes.folder / "never").exists()


def test_california_is_relocated_with_terms(fermat):
    """A subset of the catalogue, every eighth event."""
    if not (DATA / "california_src_rec.gz").is_file():
        pytest.skip("california_src_rec.gz is not here (set FERMAT_DATA)")
    with gzip.open(DATA / "california_src_rec.gz", "rt") as file:
        text = file.read().splitlines(keepends=True)
    starts = [n for n, row in enumerate(text) if len(row.split()) > 11]
    kept = [row for first, last in list(zip(starts, starts[1:]))[::8] for row in text[first:last]]
    (fermat.folder / "part.dat").write_text("".join(kept))
    assert fermat.call("picks", "convert", "part.dat", "--format", "src_rec", "-o", "picks.csv").returncode == 0
    run = ["invert", "--picks", "picks.csv", "--error", "0.1", "--relocate", "all", "--terms", "receiver",
           "--iterations", "2", "--depth", "5", "--spacing", "4"]
    done = fermat.call(*run, "--start-places", "given", "-o", "run", "--quiet")
    assert done.returncode == 0, done.stderr
    history = rows_of(fermat.folder / "run" / "history.csv")
    assert float(history[0]["rms"]) > 0.25 and float(history[-1]["rms"]) < 0.12
    # Places that are found in the start model are better than those of the catalogue.
    found = fermat.call(*run, "-o", "found")
    assert "begin where they are found in the start model" in found.stdout, found.stderr
    first = rows_of(fermat.folder / "found" / "history.csv")
    assert float(first[0]["rms"]) < 0.15 and float(first[1]["chi2"]) < 0.8 * float(history[1]["chi2"])
    events = rows_of(fermat.folder / "run" / "events.csv")
    assert sum(row["use"] == "moved" for row in events) > 0.7 * len(events)
    terms = [float(row["term"]) for row in rows_of(fermat.folder / "run" / "terms.csv")]
    assert abs(np.mean(terms)) < 0.01 and max(map(abs, terms)) < 3


def test_trust_is_that_of_all_unknowns_together(quakes, whole):
    done = quakes.call(*INVERT, "-o", "trusted", "--resolution", "--deviation", "--solves", "30")
    assert done.returncode == 0, done.stderr
    assert "sampled by 84 solves for all unknowns together" in done.stdout  # 27 probes each of Vp and Vp/Vs
    assert results(quakes.folder / "trusted") == results(whole[0])
    with h5py.File(quakes.folder / "trusted" / "trust.h5") as file:
        found = {name: np.array(values) for name, values in file["VTKHDF/PointData"].items()}
    assert set(found) == {"resolution", "vp_vs_resolution", "deviation", "s_deviation", "vp_vs_deviation"}
    assert 0 <= found["resolution"].min() and 0.0005 < found["resolution"].max() <= 1
    assert (found["deviation"] > 0).all() and np.median(found["deviation"]) < 2
    rows = rows_of(quakes.folder / "trusted" / "events.csv")
    free = [(float(row["cov_zz"]) ** 0.5, float(row["error_z"])) for row in rows[1:11]]
    # Nearly as sure as with the velocities held, which this smooth run hardly frees: 30 samples are good to 13 %.
    assert 0.8 < np.median([joint / held for joint, held in free]) < 3
    assert float(rows[0]["cov_xx"]) == 0 and float(rows[11]["cov_zz"]) == 0


@pytest.fixture(scope="module")
def linked(quakes):
    """Exact differences of the first eleven events; one pair is of an event that nobody knows."""
    places, rng = quakes.places, np.random.default_rng(5)
    stations = rng.uniform((1, 1, 0), (23, 23, 0), (9, 3))
    lines = []
    for a in range(1, 10):
        lines.append(f"# q{a} q{a + 1} 0.0")
        for s, station in enumerate(stations):
            apart = [np.linalg.norm(places[e] - station) / 6 - 0.2 for e in (a, a + 1)]
            lines.append(f"s{s} {apart[0] - apart[1]:.6f} 1.0 P")
    quakes.write("dt.cc", "\n".join([*lines, "# q1 q99 0.0", "s0 0.1 1.0 P", "# q1 q2 0", "s0 5.0 1.0 P"]) + "\n")
    return quakes


def test_differences_count_beside_the_picks(linked, whole, program):
    flags = [*INVERT, "--differences", "dt.cc"]
    done = linked.call(*flags, "-o", "dd", "--threads", "1")
    assert done.returncode == 0, done.stderr
    assert "1 of 83 differences are left out: events that are not known ('q99')" in done.stderr
    assert "differences: 0 of catalogues and 82 of correlations, of 9 pairs of events" in done.stdout
    assert "rms of correlation differences" in done.stdout and "81 of 82 count, 1 lie beyond" in done.stdout
    rows = rows_of(linked.folder / "dd" / "differences.csv")
    assert len(rows) == 82 and float(rows[-1]["weight"]) == 0 and rows[0]["first"] == "q1"
    assert max(abs(float(row["residual"])) for row in rows[:-1]) < 0.01
    assert linked.call(*flags, "-o", "dd2", "--threads", "2").returncode == 0
    same = (linked.folder / "dd" / "differences.csv").read_bytes()
    assert all_results(linked.folder / "dd2") == all_results(linked.folder / "dd")
    assert (linked.folder / "dd2" / "differences.csv").read_bytes() == same
    for name in ("model.h5", "s_model.h5", "events.csv", "differences.csv"):
        (linked.folder / "dd2" / name).unlink()
    assert linked.call(*flags, "-o", "dd2", "--resume").returncode == 0
    assert all_results(linked.folder / "dd2") == all_results(linked.folder / "dd")
    assert (linked.folder / "dd2" / "differences.csv").read_bytes() == same
    # A run without them is another run, and without relocation they say nothing.
    assert linked.call(*INVERT, "-o", "dd2", "--resume").returncode != 0
    bare = [flag for flag in flags if flag not in ("--relocate", "all", "--known", "known.csv")]
    assert "--relocate all" in linked.call(*bare, "-o", "never").stderr
    if shutil.which("mpirun") is None:
        return
    command = ["mpirun", "-n", "2", "--oversubscribe", "--allow-run-as-root", str(program), *flags,
               "-o", "dd3", "--threads", "1"]
    assert subprocess.run(command, cwd=linked.folder, capture_output=True).returncode == 0
    assert all_results(linked.folder / "dd3") == all_results(linked.folder / "dd")


def test_differences_of_another_catalogue_are_told(linked):
    linked.write("dt.ct", "# q1 q2\n" + "".join(f"s{s} 3.0 2.0 1.0 P\n" for s in range(6)))
    told = linked.call(*INVERT, "--differences", "dt.ct", "-o", "other").stderr
    assert "catalogue differences are not those of the picks, by" in told and "other origin times" in told
