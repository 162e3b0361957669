"""Readers report everything that they drop, fill in, guess or cannot use."""

import os
import re
import warnings
from pathlib import Path
from types import SimpleNamespace

import fermat as fm
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("FERMAT_DATA", ROOT.parent / "shared" / "data"))
HEAD = "source_x,source_z,receiver_x,receiver_z,time"
COLUMNS = {
    "source_x": [0, 0, 0],
    "source_z": [0, 0, 0],
    "receiver_x": [1, 2, 3],
    "receiver_z": [0, 0, 0],
    "time": [0.5, 1.0, 1.5],
}


def said(done):
    """The warnings of a successful call of the program."""
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    assert all(line.startswith("fermat: warning: ") for line in lines), done.stderr
    return lines


def put_nonlinloc(folder, values, origin, spacing, kind="SLOW_LEN"):
    values.astype("<f4").tofile(folder / "m.buf")
    numbers = [*values.shape, *origin, spacing, spacing, spacing]
    (folder / "m.hdr").write_text(" ".join(map(str, numbers)) + f" {kind} FLOAT\nTRANSFORM NONE\n")
    return folder / "m.hdr"


# --- models ---------------------------------------------------------------------------------------


def test_nonlinloc_is_read_as_cells_and_the_choice_is_told(fermat):
    values = np.arange(1.0, 25).reshape(2, 3, 4)
    put_nonlinloc(fermat.folder, values, (0, 0, -1), 1, "VELOCITY")
    (line,) = said(fermat.call("model", "convert", "m.hdr", "-o", "m.h5"))
    assert "1 x 2 x 3 cells between 2 x 3 x 4 nodes" in line and "--nodes" in line
    with pytest.warns(UserWarning, match="cells=False"):
        model = fm.Model.load(fermat.folder / "m.hdr")
    assert model.cells and model.shape == (2, 3, 4) and model.origin == (0, 0, -1)
    np.testing.assert_array_equal(model.velocity, values[:-1, :-1, :-1])
    fermat("model", "convert", "m.hdr", "--cells", "-o", "m.h5")
    fermat("model", "convert", "m.hdr", "--nodes", "-o", "nodes.h5")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fm.Model.load(fermat.folder / "m.h5").cells
        nodes = fm.Model.load(fermat.folder / "m.hdr", cells=False)
    np.testing.assert_array_equal(nodes.velocity, values)
    assert "both" in fermat.error("model", "convert", "m.hdr", "--nodes", "--cells", "-o", "x.h5")


def alaska():
    """The sample of NonLinLoc: its model as Vel2Grid writes it and, per event, the depth and rows
    of distance, station z and the time that NLLoc computed."""
    folder = DATA / "nlloc_alaska"
    if not folder.is_dir():
        pytest.skip("nlloc_alaska is not here (set FERMAT_DATA)")
    lines = (folder / "nlloc_sample.in").read_text().splitlines()
    layers = [tuple(map(float, s.split()[1:3])) for s in lines if s.startswith("LAYER")]
    shape, z0 = (2, 401, 106), -5.0
    middle = z0 + 0.5 + np.arange(shape[2])
    tops, speeds = np.array(layers).T
    velocity = speeds[np.maximum(np.searchsorted(tops, middle, side="right") - 1, 0)]
    events = []
    for file in sorted(folder.glob("*.hyp")):
        rows = []
        for line in file.read_text().splitlines():
            words = line.split()
            if line.startswith("HYPOCENTER"):
                depth = float(words[6])
            elif ">" in words and words[4] == "P":
                after = [float(word) for word in words[words.index(">") + 1 :]]
                if after[0] > 0:
                    rows.append((after[6], after[5], after[0]))
        events.append((depth, np.array(rows)))
    return np.broadcast_to(1 / velocity, shape), z0, events


def test_nonlinlocs_own_times_are_met_by_its_cells(tmp_path):
    slowness, z0, events = alaska()
    file = put_nonlinloc(tmp_path, slowness, (0, 0, z0), 1)
    off = {}
    for cells in (True, False):
        model = fm.Model.load(file, cells=cells)
        apart = []
        for depth, rows in events:
            receivers = np.column_stack([np.zeros(len(rows)), rows[:, 0], rows[:, 1]])
            times = fm.receiver_times(model, (0, 0, depth), receivers)
            apart.append(np.ravel(times) - rows[:, 2])
        off[cells] = np.sqrt(np.mean(np.concatenate(apart) ** 2))
    assert sum(len(rows) for _, rows in events) > 70
    assert off[True] < 0.05 < 0.09 < off[False], off


@pytest.mark.parametrize("flag", ["--spacing", "--origin"])
def test_a_bare_array_takes_as_many_numbers_as_it_has_axes(fermat, flag):
    np.save(fermat.folder / "flat.npy", np.full((5, 4), 2.0))
    np.save(fermat.folder / "box.npy", np.full((5, 4, 3), 2.0))
    other = [] if flag == "--spacing" else ["--spacing", "1"]
    flat = fermat.error("model", "convert", "flat.npy", *other, flag, "1,2,3", "-o", "m.h5")
    assert f"{flag} is '1,2,3'" in flat and "2-D" in flat
    box = fermat.error("model", "convert", "box.npy", *other, flag, "1,2", "-o", "m.h5")
    assert f"{flag} is '1,2'" in box and "3-D" in box
    fermat("model", "convert", "flat.npy", *other, flag, "1,2", "-o", "m.h5")


def test_a_gradient_begins_at_the_top_of_its_model(fermat):
    fermat("model", "gradient", "--shape", "3,5", "--spacing", "2", "--origin", "0,-608", "--v0",
           "350", "--gradient", "60", "-o", "hill.h5")
    np.testing.assert_allclose(fermat.array("hill.h5")[:, 0], 350 + 120 * np.arange(5))
    model = fm.Model.gradient((3, 5), v0=350, gradient=60, spacing=2, origin=(0, -608))
    np.testing.assert_array_equal(model.velocity[0], fermat.array("hill.h5")[:, 0])
    source, receivers = (0, -608), [(4, -608), (4, -602)]
    exact = fm.analytic.gradient_time(source, receivers, v0=350 + 60 * 608, gradient=60)
    fine = fm.Model.gradient((81, 161), v0=350, gradient=60, spacing=0.05, origin=(0, -608))
    times = np.ravel(fm.receiver_times(fine, source, receivers))
    np.testing.assert_allclose(times, exact, rtol=2e-3)


def test_a_mask_is_air_and_counted():
    velocity = np.ma.masked_less(np.linspace(0, 3, 30, dtype=np.float32).reshape(5, 6), 1)
    with pytest.warns(UserWarning, match="10 of 30 velocities are masked and become air"):
        model = fm.Model(velocity)
    np.testing.assert_array_equal(model.velocity == 0, velocity.mask)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fm.Model(np.ma.masked_less(np.ones((5, 6)), 0))
        with pytest.raises(UserWarning, match="masked"):
            fm.Model(velocity)


# --- picks ----------------------------------------------------------------------------------------


@pytest.fixture
def line(fermat):
    fermat("model", "constant", "--shape", "11,6", "--velocity", "2", "-o", "m.h5")
    return fermat


def rays(fermat, picks):
    return fermat.call("rays", "--model", "m.h5", "--picks", picks, "--table", "r.csv", "--quiet")


def traced(fermat, picks):
    return fermat.call("rays", "--model", "m.h5", "--picks", picks, "--table", "r.csv")


def test_invalid_rows_and_odd_columns_of_an_sgt_are_told(line):
    line.write("p.sgt", "2\n#x y\n0 0\n4 0\n3\n#s g t t_err valid weight\n"
                        "1 2 2 0.1 1 5\n1 2 9 0.1 0 5\n2 1 2 nan 1 5\n")
    lines = said(traced(line, "p.sgt"))
    assert len(lines) == 4
    assert "column 't_err' is taken for the error" in lines[0]
    assert "column 'weight' is not used (used: s,g,t,t_err,valid" in lines[1]
    assert "1 of 3 measurements have valid = 0" in lines[2]
    assert "1 of 2 errors are missing and became 0.1" in lines[3]
    assert rays(line, "p.sgt").stderr == ""
    with pytest.warns(UserWarning) as told:
        picks = fm.picks(line.folder / "p.sgt")
    assert [str(t.message) for t in told] == [
        text.removeprefix("fermat: warning: ").replace("'p.sgt'", f"'{line.folder / 'p.sgt'}'")
        for text in lines
    ]
    assert all(t.filename == __file__ for t in told)
    np.testing.assert_array_equal(picks.time, [2, 2])
    np.testing.assert_array_equal(picks.error, [0.1, 0.1])


def test_an_unknown_column_is_told_with_the_remedy(line):
    line.write("p.csv", f"{HEAD},accuracy\n0,0,4,0,2,0.1\n")
    (text,) = said(traced(line, "p.csv"))
    assert f"'accuracy' is not used (used: {HEAD}; name a column of errors 'error')" in text
    line.write("p.csv", f"{HEAD},err\n0,0,4,0,2,0.1\n")
    assert said(traced(line, "p.csv")) == []


def test_a_schedule_says_what_it_does_not_use(line):
    line.write("p.csv", f"{HEAD}\n0,0,4,0,2\n0,0,9,3,4.7\n")
    line.write("s.csv", "iterations,cell_x,cell_z,vertex_x,vertex_z,passes\n1,2,2,3,3,5\n")
    done = line.call("invert", "--model", "m.h5", "--picks", "p.csv", "--schedule", "s.csv", "-o",
                     "run")
    assert done.returncode == 0
    assert "'passes' is not used" in done.stderr
    with pytest.warns(UserWarning, match="'passes' is not used") as told:
        fm.invert(fm.Model.load(line.folder / "m.h5"), line.folder / "p.csv",
                  schedule=line.folder / "s.csv")
    assert told[0].filename == __file__


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [("time", -0.25, r"time is -0.25 \(must not be negative"), ("error", 0.0, r"error is 0 \(")],
)
def test_files_tables_and_arrays_are_refused_alike(line, column, value, message):
    table = {**COLUMNS, "error": [0.1, 0.1, 0.1], column: [0.1, value, 0.1]}
    rows = zip(*table.values(), strict=True)
    text = "\n".join(",".join(map(str, row)) for row in rows)
    line.write("p.csv", ",".join(table) + "\n" + text + "\n")
    with pytest.raises(ValueError, match="line 3: " + message):
        fm.picks(line.folder / "p.csv")
    with pytest.raises(ValueError, match="pick 1: " + message + ".*1 of 3 picks"):
        fm.picks(table)
    assert "1 of 3 picks" in line.error("rays", "--model", "m.h5", "--picks", "p.csv", "--table",
                                        "r.csv")


def test_missing_errors_become_the_median():
    spread = [0.1, np.nan, 0.3]
    with pytest.warns(UserWarning) as told:
        picks = fm.picks({**COLUMNS, "sigma": spread})
    np.testing.assert_allclose(picks.error, [0.1, 0.2, 0.3])
    first, second = (str(t.message) for t in told)
    assert "'sigma' is taken" in first
    assert "1 of 3 errors are missing and became 0.2" in second
    assert all(t.filename == __file__ for t in told)
    with pytest.warns(UserWarning, match="1 of 3 errors"):
        masked = np.ma.array([0.1, 9.0, 0.3], mask=[0, 1, 0])
        np.testing.assert_allclose(fm.picks({**COLUMNS, "error": masked}).error, [0.1, 0.2, 0.3])
    with pytest.warns(UserWarning, match="all 3 errors are missing"):
        assert fm.picks({**COLUMNS, "error": [None] * 3}).error is None
    with pytest.raises(ValueError, match="time has 1 masked values"):
        fm.picks({**COLUMNS, "time": np.ma.array([1.0, 2, 3], mask=[0, 1, 0])})


# --- catalogues -----------------------------------------------------------------------------------


class Events(list):
    events = property(list)


def event(*picks, origin=True):
    origins = [SimpleNamespace(longitude=10.0, latitude=45.0, depth=5000.0, time=100.0)]
    return SimpleNamespace(
        preferred_origin=lambda: None,
        origins=origins if origin else [],
        picks=[
            SimpleNamespace(
                waveform_id=SimpleNamespace(network_code=network, station_code=station),
                phase_hint="P",
                time=time,
                time_errors=SimpleNamespace(uncertainty=spread),
            )
            for network, station, time, spread in picks
        ],
    )


def inventory():
    class Network(list):
        code = "AK"

    places = [("A", 9.0), ("B", 11.0)]
    return [Network(SimpleNamespace(code=code, longitude=x, latitude=45.0, elevation=0.0)
                    for code, x in places)]


def test_a_catalogue_of_other_networks_says_so():
    catalogue = Events([event(("YY", "A", 110.0, None), ("XX", "B", 111.0, None))])
    with pytest.raises(ValueError) as refused:
        fm.picks(catalogue, inventory=inventory())
    text = str(refused.value)
    assert "of 2 picks of the phase, 2 have another network code than the inventory" in text
    assert "XX.B for AK.B" in text and "make the codes agree" in text
    with pytest.raises(ValueError, match="the phases of its picks are P"):
        fm.picks(catalogue, inventory=inventory(), phase="S")
    # A pick without a code, as Nordic has them, is at the only station of its name, which is told.
    with pytest.warns(UserWarning, match=r"1 of 1 picks have no network code .* \(AK.A\)"):
        assert len(fm.picks(Events([event((None, "A", 110.0, 0.1))]), inventory=inventory())) == 1


def test_what_a_catalogue_loses_is_counted():
    catalogue = Events(
        [
            event(("AK", "A", 110.0, 0.1), ("AK", "B", 99.0, 0.1), ("XX", "A", 110.0, 0.1)),
            event(("AK", "B", 111.0, None), ("AK", "FAR", 120.0, 0.1)),
            event(("AK", "B", 111.0, 0.1), origin=False),
        ]
    )
    with pytest.warns(UserWarning) as told:
        picks = fm.picks(catalogue, inventory=inventory())
    np.testing.assert_array_equal(picks.time, [10, 11])
    np.testing.assert_array_equal(picks.error, [0.1, 0.1])
    lost, filled = (str(t.message) for t in told)
    assert lost.startswith("4 of 6 picks of phase 'P' were left out: 1 have another network code")
    assert "1 are at stations that are not in the inventory (AK.FAR)" in lost
    assert "1 are earlier than their event's origin" in lost
    assert "1 are of events without an origin" in lost
    assert "1 of 2 errors are missing and became 0.1" in filled
    assert all(t.filename == __file__ for t in told)


# --- fuzzing --------------------------------------------------------------------------------------


def test_every_reader_has_a_target_in_the_fuzzer():
    targets = "".join(file.read_text() for file in (ROOT / "tests" / "fuzz").glob("*.cpp"))
    # Other readers cover these: bare arrays and metrics by models, picks of a report by report_data,
    # fronts by images and arrays, sources and receivers by points, picks in degrees by picks, grids
    # of depths by interfaces, what flags name by the readers of each file.
    inner = {"read_header", "read_npy", "read_sources", "read_receivers", "read_survey_sources",
             "read_survey_receivers", "read_vtk_array", "read_column", "read_attribute",
             "read_text_attribute", "read_label", "read_report_events", "read_report_picks",
             "read_front", "read_metric", "read_numbers", "read_geographic_picks", "read_model_picks",
             "read_model_survey", "read_surfer_grid", "read_netcdf_grid", "read_classic_netcdf",
             "read_layer_inputs", "read_known"}
    for stage in ("io", "cli"):
        for file in (ROOT / "src" / stage).glob("*.hpp"):
            for name in re.findall(r"\b(read_[a-z_]+|parse_toml|report_data)\(", file.read_text()):
                assert name in inner or f"{name}(" in targets, f"{file.name}: {name} is not fuzzed"
