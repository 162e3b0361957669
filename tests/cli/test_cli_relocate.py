"""`fermat relocate` with hypoDD's files, and what `fermat locate` writes for NonLinLoc."""

import csv

import numpy as np
import pytest

STATIONS = np.array([(-8, -7, 0), (8, -8, 0), (-7, 8, 0), (7, 7, 0), (0, 1, 0), (-9, 1, 0)], float)
TRUE = np.array([(0, 0, 6), (0.4, 0.1, 6.2), (0.1, -0.3, 5.8), (-0.3, 0.2, 6.1)])


def geographic(place):
    """Longitude and latitude on a sphere: to a metre near the centre."""
    return -121 + place[0] / (111.32 * np.cos(np.radians(37))) * 0.99888, 37 + place[1] / 110.97


@pytest.fixture
def swarm(fermat):
    """Four events in 5 km/s with hypoDD's files; event.dat is off by up to 0.3 km."""
    fermat("model", "constant", "--shape", "21,21,13", "--spacing", "1", "--origin", "-10,-10,-1",
           "--velocity", "5", "-o", "m.h5")
    lines = ["S{} {:.7f} {:.7f} 0".format(n, *geographic(at)[::-1]) for n, at in enumerate(STATIONS)]
    fermat.write("station.dat", "\n".join(lines) + "\n")
    travel = np.linalg.norm(STATIONS[:, None] - TRUE, axis=2) / 5
    shift = np.array([(0.2, -0.1, 0.3), (-0.1, 0.2, -0.2), (-0.2, 0, -0.2), (0.1, -0.1, 0.1)])
    events, phases = [], []
    for n, at in enumerate(TRUE + shift):
        east, north = geographic(at)
        events.append(f"20200101  100{n}0000 {north:.7f} {east:.7f} {at[2]:.4f} 1.0 0 0 0 {n + 1}")
        phases.append(f"# 2020 1 1 10 {n} 0.0 {north:.7f} {east:.7f} {at[2]:.4f} 1.0 0 0 0 {n + 1}")
        phases += [f"S{s} {t:.5f} 1.0 P" for s, t in enumerate(travel[:, n])]
        phases += [f"S{s} {1.75 * t:.5f} 1.0 S" for s, t in enumerate(travel[:, n])]
    fermat.write("event.dat", "\n".join(events) + "\n")
    fermat.write("phase.dat", "\n".join(phases) + "\n")
    return fermat


def test_phases_become_differences_and_a_reloc_file(swarm):
    told = swarm.call("relocate", "--model", "m.h5", "--vp-vs", "1.75", "--stations", "station.dat", "--picks",
                      "phase.dat", "--centre=-121,37", "-o", "out.csv", "--reloc", "hypoDD.reloc",
                      "--made-differences", "dt.ct", "--fits", "fits.csv")
    assert "4 of 4 events relocated in 1 cluster by 72 differences" in told.stdout, told.stderr
    assert "72 differences of 6 pairs of events were made" in told.stderr
    with open(swarm.folder / "out.csv") as file:
        found = np.array([[float(row[axis]) for axis in "xyz"] for row in csv.DictReader(file)])
    off = found - TRUE
    assert np.abs(off - off.mean(axis=0)).max() < 0.02
    reloc = (swarm.folder / "hypoDD.reloc").read_text().split("\n")
    assert len(reloc[0].split()) == 24 and len(reloc) == 5
    # The same by the files that were written.
    swarm("relocate", "--model", "m.h5", "--vp-vs", "1.75", "--stations", "station.dat", "--events", "event.dat",
          "--differences", "dt.ct", "--centre=-121,37", "-o", "again.csv")
    with open(swarm.folder / "again.csv") as file:
        again = np.array([[float(row[axis]) for axis in "xyz"] for row in csv.DictReader(file)])
    assert np.abs(again - found).max() < 0.02
    base = ("relocate", "--model", "m.h5", "--stations", "station.dat", "-o", "x.csv")
    assert "--differences" in swarm.error(*base)
    assert "--events is missing" in swarm.error(*base, "--differences", "dt.ct")
    assert "--picks" in swarm.error(*base, "--differences", "dt.ct", "--events", "event.dat", "--made-differences", "y")


def test_nonlinloc_reads_our_events_and_times(swarm):
    base = ("locate", "--model", "m.h5", "--vp-vs", "1.75", "--stations", "station.dat", "--centre=-121,37",
            "--model-error", "0.01")
    swarm(*base, "--picks", "phase.dat", "-o", "first.csv", "--hyp", "all.hyp", "--time-grids", "layer")
    swarm(*base, "--picks", "all.hyp", "-o", "second.csv")
    tables = []
    for name in ("first.csv", "second.csv"):
        with open(swarm.folder / name) as file:
            tables.append(list(csv.DictReader(file)))
    for one, two, at in zip(*tables, TRUE, strict=True):
        assert one["event"] == two["event"]
        place = [float(one[axis]) for axis in "xyz"]
        assert np.allclose(place, [float(two[axis]) for axis in "xyz"], atol=0.01)
        assert np.allclose(place, at, atol=0.05)
        assert np.allclose(geographic(place), [float(one["longitude"]), float(one["latitude"])], atol=2e-5)
    text = (swarm.folder / "all.hyp").read_text()
    assert text.count("END_NLLOC") == 4 and "TRANS_MERC" in text
    head = (swarm.folder / "layer.P.S0.time.hdr").read_text().split("\n")
    words = head[0].split()
    assert words[0] == "1" and words[9:] == ["TIME2D", "FLOAT"] and head[1].split()[0] == "S0"
    shape, spacing = [int(w) for w in words[1:3]], float(words[7])
    for phase, slowness in (("P", 0.2), ("S", 0.35)):
        times = np.fromfile(swarm.folder / f"layer.{phase}.S0.time.buf", "<f4").reshape(shape)
        across, down = np.meshgrid(spacing * np.arange(shape[0]), np.arange(shape[1]) - 1.0, indexing="ij")
        assert np.allclose(times, slowness * np.hypot(across, down), atol=1e-3)


def test_an_event_outside_the_model_stays_and_is_named(swarm):
    phases = (swarm.folder / "phase.dat").read_text()
    far = phases.split("#")[1].replace(" 36.", " 38.").replace(" 1\n", " 99\n", 1)
    swarm.write("more.dat", phases + "#" + far)
    flags = ("relocate", "--model", "m.h5", "--vp-vs", "1.75", "--stations", "station.dat", "--centre=-121,37",
             "--separation", "500", "-o", "out.csv")
    done = swarm.call(*flags, "--picks", "more.dat")
    assert done.returncode == 0, done.stderr
    assert "1 of 5 events lie outside the model and stay where they were, without their 48 of 120" in done.stderr
    assert ": 99 (a larger --model moves them)" in done.stderr and "4 of 5 events relocated" in done.stdout
    with open(swarm.folder / "out.csv") as file:
        last = list(csv.DictReader(file))[-1]
    assert last["event"] == "99" and last["cluster"] == "" and float(last["shift_x"]) == 0
    swarm.write("alone.cc", "# 1 99 0.0\nS0 0.1 1 P\nS1 0.1 1 P\nS2 0.1 1 P\nS3 0.1 1 P\n")
    message = swarm.error(*flags, "--events", "more.dat", "--differences", "alone.cc")
    assert "1 of 5 events lie outside the model" in message


def test_a_run_that_moves_nothing_fails_and_says_why(swarm):
    """--quiet or not: a table of unmoved events must not look like a result."""
    swarm("model", "constant", "--shape", "21,21,11", "--spacing", "1", "--origin", "-10,-10,1",
          "--velocity", "5", "-o", "low.h5")
    flags = ("relocate", "--vp-vs", "1.75", "--stations", "station.dat", "--centre=-121,37", "--picks", "phase.dat",
             "-o", "none.csv", "--quiet")
    message = swarm.error(*flags, "--model", "low.h5", status=1)
    assert "no event is moved: of 72 differences 72 are at stations outside the model or in air" in message
    assert "the model begins at z = 1, and 6 of 6 stations are above it, the highest at z = 0" in message
    message = swarm.error(*flags, "--model", "m.h5", "--least-links", "99", status=1)
    assert "no two events share 99 of the 72 that can be used (--least-links)" in message
    message = swarm.error(*flags, "--model", "m.h5", "--separation", "0.001")
    assert "(events farther apart than --separation are not paired, nor those with fewer" in message


def test_a_limit_of_iterations_that_ends_the_run_is_told(swarm):
    flags = ("relocate", "--model", "m.h5", "--vp-vs", "1.75", "--stations", "station.dat", "--centre=-121,37",
             "--picks", "phase.dat", "-o", "out.csv")
    told = swarm.call(*flags, "--iterations", "1")
    assert "the limit of 1 iterations ended the run while events still moved by" in told.stderr
    assert "more --iterations bring them to rest" in told.stderr and "1 iteration," in told.stdout
    assert "the limit of" not in swarm.call(*flags).stderr


def test_a_spherical_model_has_places_by_longitude_and_latitude(swarm):
    swarm("model", "constant", "--shape", "9,9,7", "--spacing", "0.1,0.1,2", "--origin=36.6,-121.4,0",
          "--velocity", "5", "-o", "flat.h5")
    swarm("model", "spherical", "--base", "flat.h5", "-o", "sphere.h5")
    flags = ("relocate", "--model", "sphere.h5", "--vp-vs", "1.75", "--stations", "station.dat", "--picks",
             "phase.dat")
    done = swarm.call(*flags, "-o", "found.csv")
    assert done.returncode == 0, done.stderr
    head = (swarm.folder / "found.csv").read_text().splitlines()[0]
    assert head.startswith("event,cluster,longitude,latitude,z,origin_time")
    done = swarm.call(*flags, "--reloc", "hypoDD.reloc", "-o", "again.csv", "--export", "out.xml", "--output-stations",
                      "out_stations.xml")
    assert done.returncode == 0, done.stderr
    rows = [line.split(",") for line in (swarm.folder / "again.csv").read_text().splitlines()[1:]]
    relocated = [line.split() for line in (swarm.folder / "hypoDD.reloc").read_text().splitlines()]
    quakeml = (swarm.folder / "out.xml").read_text()
    for row, line in zip(rows, relocated, strict=True):
        assert abs(float(line[1]) - float(row[3])) < 2e-6 and abs(float(line[2]) - float(row[2])) < 2e-6
        assert f"<value>{float(row[2]):.7f}</value>" in quakeml


def test_negative_weights_and_capitals_keep_their_picks(swarm):
    phases = (swarm.folder / "phase.dat").read_text()
    marked = phases.replace(" 1.0 P\n", " -1.0 PG\n").replace(" 1.0 S\n", " 1.0 SG\n")
    swarm.write("marked.dat", marked)
    flags = ("relocate", "--model", "m.h5", "--vp-vs", "1.75", "--stations", "station.dat", "--centre=-121,37")
    plain = swarm.call(*flags, "--picks", "phase.dat", "-o", "plain.csv")
    kept = swarm.call(*flags, "--picks", "marked.dat", "-o", "kept.csv")
    assert plain.returncode == kept.returncode == 0, kept.stderr
    assert "24 picks have a negative weight, which says that they are kept" in kept.stderr
    assert (swarm.folder / "kept.csv").read_text() == (swarm.folder / "plain.csv").read_text()
