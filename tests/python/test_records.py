"""`fermat.records`: traces of shot records with their places and clocks, and what is said of bad ones."""

import os
import struct
import sys
from pathlib import Path

import numpy as np
import pytest

import fermat as fm

obspy = pytest.importorskip("obspy")
DATA = Path(os.environ.get("FERMAT_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
SURVEY = DATA / "pyrefra_seg2"


def seg2(order, traces, delay=None, shot=1):
    """A SEG-2 file of 32-bit floats; `traces` is (receiver place, samples)."""

    def strings(words):
        out = b""
        for text in words:
            body = text.encode() + b"\0"
            out += struct.pack(order + "H", len(body) + 2) + body
        out += b"\0\0"
        return out + b"\0" * (-len(out) % 4)

    shared = strings(["UNITS METER"])
    head = struct.pack(order + "HHHHB2sB2s", 0x3A55, 1, 4 * len(traces), len(traces), 1, b"\0\0", 1, b"\n\0")
    head = head.ljust(32, b"\0")
    at, pointers, blocks = 32 + 4 * len(traces) + len(shared), b"", b""
    for n, (place, samples) in enumerate(traces):
        words = [f"CHANNEL_NUMBER {n + 1}", f"RECEIVER_LOCATION {place}", "SAMPLE_INTERVAL 0.001",
                 "SOURCE_LOCATION 0", f"SOURCE_STATION_NUMBER {shot}"]
        text = strings(sorted(words + ([] if delay is None else [f"DELAY {delay}"])))
        data = np.asarray(samples, order + "f4").tobytes()
        block = struct.pack(order + "HHIIB", 0x4422, 32 + len(text), len(data), len(samples), 4)
        block = block.ljust(32, b"\0") + text + data
        pointers += struct.pack(order + "I", at)
        at += len(block)
        blocks += block
    return head + pointers + shared + blocks


def segy(count=3, samples=40, order=">", code=5, start=0):
    """SEG-Y whose sample k of trace n is 100 n + k."""
    forms = {1: None, 2: "i4", 3: "i2", 5: "f4", 8: "i1"}
    data = bytearray(3600)
    struct.pack_into(order + "HHHHH", data, 3216, 1000, 1000, samples, samples, code)
    for n in range(count):
        head = bytearray(240)
        struct.pack_into(order + "ii", head, 8, 7, n + 1)
        struct.pack_into(order + "h", head, 70, -10)
        struct.pack_into(order + "4ih", head, 72, 100, 0, 100 + 20 * (n + 1), 0, 1)
        struct.pack_into(order + "h", head, 108, start)
        struct.pack_into(order + "HH", head, 114, samples, 1000)
        row = np.arange(samples) + (100 * n if code != 8 else n)
        body = _ibm(row) if code == 1 else row.astype(order + forms[code]).tobytes()
        data += head + body
    return bytes(data)


def _ibm(row):
    """IBM floats of whole numbers: 16^(e - 64) m / 2^24 with m from 2^20 on."""
    words = []
    for value in map(int, row):
        power = 0
        while value and value >= 16**power:
            power += 1
        words.append(struct.pack(">I", ((64 + power) << 24 | value << 24 >> 4 * power) if value else 0))
    return b"".join(words)


@pytest.mark.parametrize("order", "<>")
def test_seg2_of_both_byte_orders(tmp_path, order):
    (tmp_path / "a.sg2").write_bytes(seg2(order, [(2, np.arange(50.0)), (4, -np.arange(50.0))], delay=-0.01))
    record = fm.records(tmp_path / "a.sg2")[0]
    assert record.data[1, 3] == -3 and record.data.shape == (2, 50)
    assert record.start == -0.01 and record.interval == pytest.approx(0.001)
    assert record.offset.tolist() == [2, 4] and record.shot == 1


@pytest.mark.parametrize("order, code", [(">", 1), (">", 2), (">", 3), (">", 5), (">", 8), ("<", 2), ("<", 5)])
def test_segy_of_every_sample_format(tmp_path, order, code):
    (tmp_path / "a.sgy").write_bytes(segy(order=order, code=code, start=-5))
    record = fm.records(tmp_path / "a.sgy")[0]
    row = 2 if code == 8 else 200
    assert record.data[2, :3].tolist() == [row, row + 1, row + 2]
    assert record.start == -0.005 and record.offset.tolist() == [2, 4, 6]


def test_segy_is_read_by_obspy_where_segyio_is_missing(tmp_path, monkeypatch):
    (tmp_path / "a.sgy").write_bytes(segy())
    by_segyio = fm.records(tmp_path / "a.sgy")[0]
    monkeypatch.setitem(sys.modules, "segyio", None)
    by_obspy = fm.records(tmp_path / "a.sgy")[0]
    assert np.array_equal(by_segyio.data, by_obspy.data)
    assert np.array_equal(by_segyio.receivers, by_obspy.receivers)
    assert (by_segyio.start, by_segyio.shot) == (by_obspy.start, by_obspy.shot)


def test_a_large_segy_opens_without_its_samples(tmp_path):
    """A line of 10 GB: headers of the traces only, and one gather when it is asked for."""
    pytest.importorskip("segyio")
    traces, samples = 2000, 30_000
    head = bytearray(segy(1, samples)[: 3600 + 240])
    place = tmp_path / "line.sgy"
    with place.open("wb") as file:
        file.write(head[:3600])
        for n in range(traces):
            file.seek(3600 + n * (240 + 4 * samples))
            struct.pack_into(">i", head, 3600 + 8, 1 + n // 100)
            file.write(head[3600:])
        file.truncate(3600 + traces * (240 + 4 * samples))
    found = fm.records(place)
    assert len(found) == 20 and len(found[3]) == 100
    assert all(record._kept is None for record in found)
    assert found[3].data.shape == (100, samples)


def test_seismic_unix_and_miniseed(tmp_path):
    (tmp_path / "a.su").write_bytes(segy(order="<")[3600:])
    assert fm.records(tmp_path / "a.su")[0].data[1, 1] == 101
    stream = obspy.Stream(obspy.Trace(np.arange(30, dtype=np.int32) + n) for n in range(2))
    for trace, name in zip(stream, "AB"):
        trace.id = f"XX.{name}..HHZ"
    stream[1].stats.starttime += 5
    stream.write(str(tmp_path / "e.mseed"), format="MSEED")
    (tmp_path / "stations.csv").write_text("station,x,y,z\nA,1,2,0\nXX.B,3,4,-1\n")
    network = fm.records(tmp_path / "e.mseed", receivers=tmp_path / "stations.csv")
    record = network[0]
    assert network.network, "stations without shots are a network"
    assert record.stations == ("XX.A..HHZ", "XX.B..HHZ") and record.samples == 35
    assert record.receivers.tolist() == [[1, 2, 0], [3, 4, -1]]


def test_the_sign_of_a_delay_is_asked_of_the_traces(tmp_path):
    """+0.02 s in the header: quiet for so long means that it is the time before the shot."""
    quiet = np.r_[np.zeros(22), np.ones(28)] * np.where(np.arange(50) % 2, 1, -1)
    (tmp_path / "a.sg2").write_bytes(seg2("<", [(2, quiet), (4, quiet)], delay=0.02))
    with pytest.warns(UserWarning, match=r'delay of \+0.02 s.*before the shot \(delay "after"'):
        assert fm.records(tmp_path / "a.sg2")[0].start == -0.02
    assert fm.records(tmp_path / "a.sg2", delay="after")[0].start == 0.02
    assert fm.records(tmp_path / "a.sg2", delay="before")[0].start == -0.02
    assert fm.records(tmp_path / "a.sg2", delay=0.5)[0].start == 0.5
    loud = np.where(np.arange(50) % 2, 1.0, -1.0)
    (tmp_path / "a.sg2").write_bytes(seg2("<", [(2, loud)], delay=0.02))
    assert fm.records(tmp_path / "a.sg2")[0].start == 0.02
    with pytest.raises(ValueError, match="delay is 'late'"):
        fm.records(tmp_path / "a.sg2", delay="late")


def test_places_of_tables_go_before_headers(tmp_path):
    rows = [(99, np.arange(20.0)), (98, np.arange(20.0))]
    for shot in (1, 2):
        (tmp_path / f"r{shot}.sg2").write_bytes(seg2("<", rows, shot=shot))
    (tmp_path / "shots.geo").write_text("1 0 0 5\n2 10 0 6\n")
    (tmp_path / "receivers.geo").write_text("1\t1\t0\t4\n2\t2\t0\t3.5\n")
    with pytest.warns(UserWarning, match="shots.geo and receivers.geo in the folder"):
        found = fm.records(tmp_path)
    assert found[1].source.tolist() == [10, 0, -6] and found[0].receivers.tolist() == [[1, 0, -4], [2, 0, -3.5]]
    (tmp_path / "s.csv").write_text("record,x,z\nr1,3,0\nr2.sg2,4,0\n")
    found = fm.records(tmp_path, shots=tmp_path / "s.csv", receivers=[(5, 0), (6, 0)])
    assert [record.source[0] for record in found] == [3, 4] and found[0].receivers[:, 0].tolist() == [5, 6]


def test_places_that_do_not_fit_are_said_and_the_rest_opens(tmp_path):
    (tmp_path / "a.sg2").write_bytes(seg2("<", [(2, np.arange(20.0))]))
    (tmp_path / "b.sg2").write_bytes(seg2("<", [(n, np.arange(20.0)) for n in range(3)], shot=9))
    with pytest.warns(UserWarning, match="1 of 2 records do not fit 'receivers' with 1 receivers.*b.sg2 with 3 traces"):
        found = fm.records(tmp_path, receivers=[(7, 0)])
    assert found["a.sg2"].placed and not found["b.sg2"].placed
    with pytest.warns(UserWarning, match="1 of 2 records have no shot in 'shots' with 1 rows .the first is b.sg2"):
        fm.records(tmp_path, shots={1: (0, 0)})
    with pytest.raises(ValueError, match=r"receivers have shape \(3,\)"):
        fm.records(tmp_path, receivers=[1, 2, 3])
    (tmp_path / "bad.geo").write_text("1 a b c\n")
    with pytest.raises(ValueError, match="has the line '1 a b c'"):
        fm.records(tmp_path, shots=tmp_path / "bad.geo")


def test_what_is_no_record_is_said_in_one_sentence(tmp_path):
    with pytest.raises(ValueError, match="has no shot records"):
        fm.records(tmp_path)
    (tmp_path / "x.dat").write_bytes(b"not a record at all" * 50)
    with pytest.raises(ValueError, match="has no shot records in 1 files: 'x.dat' is no record"):
        fm.records(tmp_path)
    (tmp_path / "a.sg2").write_bytes(seg2("<", [(2, np.zeros(20))]))
    (tmp_path / "t.sgy").write_bytes(segy()[:3700])
    with pytest.warns(UserWarning) as told:
        assert len(fm.records(tmp_path)) == 1
    said = " ".join(str(one.message) for one in told)
    assert "2 of 3 files are left out" in said and "1 of 1 records are all zeros" in said
    with pytest.raises(FileNotFoundError):
        fm.records(tmp_path / "none.sg2")


def test_without_obspy_the_extra_is_named(tmp_path, monkeypatch):
    (tmp_path / "a.sg2").write_bytes(seg2("<", [(2, np.zeros(20))]))
    monkeypatch.setitem(sys.modules, "obspy", None)
    with pytest.raises(ImportError, match=r"needs obspy.*pip install 'fermat-rays\[pick\]'"):
        fm.records(tmp_path)


def test_filters_keep_a_time_and_take_a_band(tmp_path):
    t = 0.001 * np.arange(1000)
    both = np.sin(2 * np.pi * 10 * t) + np.sin(2 * np.pi * 200 * t)
    (tmp_path / "a.sg2").write_bytes(seg2("<", [(2, both)]))
    found = fm.records(tmp_path / "a.sg2")
    low = found.filter(high=40)[0].data[0]
    assert np.abs(low - np.sin(2 * np.pi * 10 * t))[200:800].max() < 0.05
    assert np.abs(found.filter(low=80)[0].data[0] - np.sin(2 * np.pi * 200 * t))[200:800].max() < 0.05
    assert np.array_equal(found[0].data[0], both.astype(np.float32)), "the records themselves stay"
    levelled = found.agc(0.1)[0].data[0]
    assert 0.8 < np.sqrt((levelled[200:800] ** 2).mean()) < 1.2
    with pytest.raises(ValueError, match="low is 600 Hz"):
        found.filter(low=600)
    with pytest.raises(ValueError, match="window is 0 s"):
        found.agc(0)


def test_records_go_to_obspy_and_xarray(tmp_path):
    (tmp_path / "a.sg2").write_bytes(seg2("<", [(2, np.arange(20.0)), (5, np.arange(20.0))], delay=-0.004))
    found = fm.records(tmp_path / "a.sg2")
    stream = found.to_obspy()[0]
    assert stream[1].stats.fermat["receiver"] == [5, 0, 0] and stream[1].stats.delta == pytest.approx(0.001)
    array = found.to_xarray()[0]
    assert array.dims == ("trace", "time") and float(array.time[0]) == pytest.approx(-0.004)
    assert array.receiver_x.values.tolist() == [2, 5] and array.attrs["source_x"] == 0


@pytest.mark.skipif(not SURVEY.is_dir(), reason="pyrefra_seg2 is not here (set FERMAT_DATA)")
def test_the_twelve_records_of_a_real_line():
    with pytest.warns(UserWarning, match="12 records write a delay of"):
        found = fm.records(SURVEY)
    assert len(found) == 12 and found.line.ndim == 2
    assert [record.shot for record in found] == [1, 2, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31]
    assert found[3].source[0] == 11.98 and found[0].start == -0.2
