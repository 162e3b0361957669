"""Catalogues in the formats of others: `fermat picks convert`, and `--export` of what finds events."""

import csv

import pytest

STATIONS = {"S0": (46.10, 7.20, 900), "S1": (46.30, 7.45, 1200), "S2": (46.05, 7.50, 400),
            "S3": (46.28, 7.10, 700), "S4": (46.18, 7.32, 1500)}
TIMES = {"S0": 3.10, "S1": 3.66, "S2": 4.74, "S3": 3.76, "S4": 1.86}


@pytest.fixture
def catalogue(fermat):
    """Two events with P and S, as hypoDD has them, and a model of 5 km/s."""
    lines = []
    for event in (11, 12):
        lines.append(f"# 2021 3 {event} 5 6 7.500 46.20 7.30 8.0 2.1 0 0 0 {event}")
        for name, time in TIMES.items():
            lines += [f"{name} {time} 1.0 P", f"{name} {1.73 * time:.3f} 0.5 S"]
    (fermat.folder / "phase.dat").write_text("\n".join(lines) + "\n")
    (fermat.folder / "station.dat").write_text(
        "".join(f"{name} {lat} {lon} {up}\n" for name, (lat, lon, up) in STATIONS.items()))
    fermat("model", "constant", "--shape", "26,26,14", "--spacing", "2", "--origin=-25,-25,-4",
           "--velocity", "5", "-o", "m.h5")
    return fermat


def found(fermat, *more):
    done = fermat.call("locate", "--model", "m.h5", "--vp-vs", "1.73", "--picks", "phase.dat", "--stations",
                       "station.dat", "--centre=7.3,46.2", "-o", "c.csv", *more)
    assert done.returncode == 0, done.stderr
    return done


def test_convert_writes_what_it_reads(catalogue):
    places = ("--stations", "station.dat")
    done = catalogue.call("picks", "convert", "phase.dat", *places, "-o", "e.cnv", "--output-stations", "e.sta")
    assert done.returncode == 0 and "times are held to 0.01 s" in done.stderr, done.stderr
    for words in (("e.cnv", "--stations", "e.sta", "-o", "src_rec.dat"), ("src_rec.dat", "-o", "again.csv"),
                  ("phase.dat", *places, "-o", "first.csv")):
        done = catalogue.call("picks", "convert", *words)
        assert done.returncode == 0, done.stderr
    tables = [list(csv.DictReader(line for line in open(catalogue.folder / name) if line[0] != "#"))
              for name in ("first.csv", "again.csv")]
    assert len(tables[0]) == len(tables[1]) == 20
    for one, two in zip(*tables, strict=True):
        assert (one["station"], one["phase"]) == (two["station"], two["phase"])
        travel = [float(row["time"]) - float(row["origin_time"]) for row in (one, two)]
        assert travel[0] == pytest.approx(travel[1], abs=0.006)
        assert float(one["origin_time"]) == pytest.approx(float(two["origin_time"]), abs=0.006)
    told = catalogue.error("picks", "convert", "phase.dat", *places, "-o", "rays.dat")
    assert "--output-stations" in told
    told = catalogue.error("picks", "convert", "phase.dat", *places, "-o", "e.txt")
    assert "--output-format" in told


def test_located_events_go_out_with_errors_and_residuals(catalogue):
    done = found(catalogue, "--export", "e.xml", "--output-stations", "s.xml", "--moved-picks", "moved.csv")
    assert "5 of 5 stations have no network" in done.stderr
    text = (catalogue.folder / "e.xml").read_text()
    assert text.count("<origin ") == 2 and text.count("<arrival ") == 20
    assert "<takeoffAngle>" in text and "<timeResidual>" in text and "<mag>" in text
    assert (catalogue.folder / "s.xml").read_text().count("<Station ") == 5
    moved = (catalogue.folder / "moved.csv").read_text()
    assert moved.startswith("# local plane: longitude=7.3 latitude=46.2")
    again = catalogue.call("locate", "--model", "m.h5", "--vp-vs", "1.73", "--picks", "moved.csv", "-o", "d.csv",
                           "--export", "again.obs")
    assert again.returncode == 0, again.stderr
    with open(catalogue.folder / "d.csv") as file:
        assert float(next(csv.DictReader(file))["longitude"]) == pytest.approx(7.3, abs=0.02)
    run = catalogue.call("invert", "--model", "m.h5", "--vp-vs", "1.73", "--picks", "moved.csv", "--relocate", "all",
                         "--iterations", "1", "-o", "run", "--export", "joint.xml")
    assert run.returncode == 0, run.stderr
    with open(catalogue.folder / "run" / "events.csv") as file:
        rows = list(csv.DictReader(file))
    assert float(rows[0]["latitude"]) == pytest.approx(46.2, abs=0.02)
    assert (catalogue.folder / "run" / "moved_picks.csv").read_text().startswith("# local plane")
    assert (catalogue.folder / "joint.xml").read_text().count("<origin ") == 2
    with open(catalogue.folder / "run" / "residuals.csv") as file:
        assert all(float(row["time"]) < 20 for row in csv.DictReader(file))
    assert "--relocate" in catalogue.error("invert", "--model", "m.h5", "--picks", "moved.csv", "--vp-vs", "1.73",
                                           "-o", "no", "--export", "x.xml")
    assert "--export" in catalogue.error("locate", "--model", "m.h5", "--picks", "phase.dat", "-o", "x.csv",
                                         "--output-stations", "s.txt")


def test_relocated_events_go_out_and_their_file_is_read_as_events(catalogue):
    done = catalogue.call("relocate", "--model", "m.h5", "--vp-vs", "1.73", "--picks", "phase.dat", "--stations",
                          "station.dat", "--centre=7.3,46.2", "-o", "r.csv", "--reloc", "hypoDD.reloc", "--export",
                          "moved/phase.dat")
    assert done.returncode == 2  # the folder does not exist, and nothing is left behind
    done = catalogue.call("relocate", "--model", "m.h5", "--vp-vs", "1.73", "--picks", "phase.dat", "--stations",
                          "station.dat", "--centre=7.3,46.2", "-o", "r.csv", "--reloc", "hypoDD.reloc", "--export",
                          "phase_new.dat", "--made-differences", "dt.ct")
    assert done.returncode == 0, done.stderr
    assert (catalogue.folder / "phase_new.dat").read_text().count("#") == 2
    found(catalogue, "--hyp", "all.hyp")
    for events in ("hypoDD.reloc", "phase_new.dat", "all.hyp"):
        again = catalogue.call("relocate", "--model", "m.h5", "--vp-vs", "1.73", "--events", events, "--stations",
                               "station.dat", "--differences", "dt.ct", "-o", "again.csv", "--centre=7.3,46.2")
        assert again.returncode == 0, again.stderr


def test_an_inversion_keeps_the_plane_of_any_format(catalogue):
    done = catalogue.call("picks", "convert", "phase.dat", "--stations", "station.dat", "-o", "src_rec.dat")
    assert done.returncode == 0, done.stderr
    done = catalogue.call("invert", "--model", "m.h5", "--picks", "src_rec.dat", "--vp-vs", "1.73", "--error", "0.1",
                          "--relocate", "all", "--iterations", "1", "--export", "joint.xml", "-o", "run")
    assert done.returncode == 0, done.stderr
    with open(catalogue.folder / "run" / "events.csv") as file:
        rows = list(csv.DictReader(line for line in file if line[0] != "#"))
    for row in rows:
        assert float(row["longitude"]) == pytest.approx(7.3, abs=0.2)
        assert float(row["latitude"]) == pytest.approx(46.2, abs=0.2)
    assert (catalogue.folder / "joint.xml").read_text().count("<origin ") == 2


def test_slices_of_models_are_grids_of_surfer_and_geotiff(fermat):
    """The slice at a depth between layers of nodes, and a sentence for what is none."""
    fermat("model", "gradient", "--shape", "4,3,5", "--spacing", "1", "--v0", "2", "--gradient", "0.5", "-o", "m.h5")
    fermat("export", "m.h5", "--depth", "1.5", "-o", "m.grd")
    words = (fermat.folder / "m.grd").read_text().split()
    assert words[:3] == ["DSAA", "4", "3"] and set(words[9:]) == {"2.75"} and len(words) == 9 + 12
    assert "must be from 0 to 4" in fermat.error("export", "m.h5", "--depth", "5", "-o", "n.grd")
    assert "--depth" in fermat.error("export", "m.h5", "-o", "n.tif")
    assert "slices are .grd or .tif" in fermat.error("export", "m.h5", "--depth", "1", "-o", "n.vti")
    rasterio = pytest.importorskip("rasterio")
    done = fermat.call("export", "m.h5", "--depth", "1.5", "-o", "m.tif")
    assert done.returncode == 0 and "no place on the earth" in done.stderr
    with rasterio.open(fermat.folder / "m.tif") as raster:
        assert (raster.read(1) == 2.75).all() and raster.shape == (3, 4)
