"""Arguments of a wrong type: each public function names the argument, in a TypeError or ValueError."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import fermat as fm
import numpy as np
import pytest

MODEL = fm.Model.gradient((21, 11), v0=2, gradient=0.5, spacing=0.1)
SOURCES = [(0.5, 0.5), (1.5, 0.2)]
RECEIVERS = [(0.1, 0.0), (1.0, 0.0), (1.9, 0.0)]
PICKS = fm.synthetic_picks(MODEL, SOURCES, RECEIVERS, noise=0.001)

# Calls that work, before an argument is replaced.
CALLS: dict[str, tuple[Any, dict[str, Any]]] = {
    "traveltimes": (fm.traveltimes, {"model": MODEL, "source": (1, 0.5)}),
    "receiver_times": (
        fm.receiver_times,
        {"model": MODEL, "sources": SOURCES, "receivers": RECEIVERS},
    ),
    "rays": (fm.rays, {"model": MODEL, "sources": SOURCES, "receivers": RECEIVERS}),
    "synthetic_picks": (
        fm.synthetic_picks,
        {"model": MODEL, "sources": SOURCES, "receivers": RECEIVERS},
    ),
    "invert": (fm.invert, {"model": MODEL, "picks": PICKS}),
    "locate": (fm.locate, {"model": MODEL, "picks": PICKS}),
    "smooth": (fm.smooth, {"values": np.ones((9, 9)), "size": 3}),
    "ensemble": (fm.ensemble, {}),
    "cross_validate": (fm.cross_validate, {}),
    "point_spread": (fm.point_spread, {}),
    "adjoint": (
        fm.adjoint,
        {"model": MODEL, "source": (1, 0.5), "receivers": RECEIVERS,
         "by_receiver_times": np.ones(len(RECEIVERS))},
    ),
    "read_picks": (fm.read_picks, {}),
    "Model": (fm.Model, {"velocity": np.full((9, 9), 2.0)}),
    "Earth": (fm.Earth, {}),
}
METRIC_KEYWORDS = (
    "coordinates", "radius", "geodetic", "axes", "surface", "tensor", "epsilon", "delta", "jumps",
)  # fmt: skip
# None of them is right anywhere but where a keyword takes a text, a number or None.
WRONG = (1.5, "a", None, [], object(), {"a": 1}, b"\xff")


def parameters(function: Any) -> list[str]:
    if function is fm.Model:
        return ["velocity", "spacing", "origin", "cells", *METRIC_KEYWORDS]
    if inspect.isclass(function):
        return [name for name in inspect.signature(function.__init__).parameters if name != "self"]
    return list(inspect.signature(function).parameters)


SWEEP = [(name, keyword) for name, (function, _) in CALLS.items() for keyword in parameters(function)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "keyword"), SWEEP)
def test_an_argument_of_a_wrong_type_is_named(
    name: str, keyword: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    function, works = CALLS[name]
    for wrong in WRONG:
        try:
            function(**(works | {keyword: wrong}))
        except (TypeError, ValueError) as error:
            said = str(error)
            assert "bad_cast" not in said and said, (wrong, said)
            # Missing arguments are told by Python itself, files by their name; choices and options
            # of the library are told by their first words.
            stem = keyword.split("_")[0].rstrip("s")[:5]
            told = ("missing", "cannot read", "needs a model", "velocity of", "column", "catalogue",
                    "Earth model")  # fmt: skip
            assert stem in said or any(word in said for word in told), (wrong, said)
        except (FileNotFoundError, ImportError, OSError) as error:
            assert str(error)


@pytest.mark.parametrize(
    ("keyword", "value", "message"),
    [
        ("order", 1.5, r"order is 1.5 \(must be a whole number\)"),
        ("threads", "a", r"threads is 'a' \(must be a whole number\)"),
        ("solver", None, r"solver is None \(must be one of 'fim', "),
        ("device", 3, r"device is 3 \(must be one of 'auto', "),
        ("together", "yes", r"together is 'yes' \(must be True or False\)"),
        ("until", "soon", r"until is 'soon' \(must be a number\)"),
    ],
)
def test_the_message_says_what_would_be_right(keyword: str, value: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        fm.traveltimes(MODEL, (1, 0.5), **{keyword: value})


def test_numbers_of_numpy_are_numbers() -> None:
    right = fm.traveltimes(MODEL, (1, 0.5), device="cpu")
    given = fm.traveltimes(
        MODEL, (1, 0.5), order=np.int64(2), threads=np.int32(1), until=np.float32(np.inf),
        together=np.bool_(False), device="cpu",
    )  # fmt: skip
    assert np.array_equal(right, given)


def test_a_velocity_of_lists_makes_a_model_and_an_array_is_no_model() -> None:
    model = fm.Model([[2, 2.5, 3], [2, 2.5, 3]], spacing=0.5)
    assert model.shape == (2, 3) and model.velocity[1, 2] == 3
    with pytest.raises(ValueError, match="velocity is no array of numbers"):
        fm.Model([[2, 2.5, 3], [2, 2.5]])
    with pytest.raises(ValueError, match="velocity"):
        fm.Model([["a", "b"], ["c", "d"]])
    wanted = r"model is a ndarray \(must be a fermat.Model, such as fermat.Model\(velocity, spacing"
    velocity = np.full((9, 9), 2.0)
    for call in (
        lambda: fm.traveltimes(velocity, SOURCES[0]),
        lambda: fm.receiver_times(velocity, SOURCES, RECEIVERS),
        lambda: fm.synthetic_picks(velocity, SOURCES, RECEIVERS),
        lambda: fm.locate(velocity, PICKS),
        lambda: fm.invert(velocity, PICKS),
    ):
        with pytest.raises(TypeError, match=wanted):
            call()
    with pytest.raises(ValueError, match="needs a model"):
        fm.rays(velocity, SOURCES, RECEIVERS)


def test_names_in_latin_1_are_read(tmp_path: Path) -> None:
    rows = "source_x,source_z,receiver_x,receiver_z,time,station\n0,0,1,0,0.5,Z\xfcrich\n"
    (tmp_path / "p.csv").write_bytes(rows.encode("latin-1"))
    picks = fm.Picks.load(tmp_path / "p.csv")
    assert picks.time[0] == 0.5 and picks.station == ("Z\xfcrich",)
    (tmp_path / "e.nd").write_bytes("0 5 3 2.7 # Z\xfcrich\n30 5 3 2.7\n".encode("latin-1"))
    assert fm.Earth(tmp_path / "e.nd").depth[-1] == 30
    (tmp_path / "bad.csv").write_bytes("x,z\nZ\xfcrich,0\n".encode("latin-1"))
    with pytest.raises(ValueError, match="bad.csv"):
        fm.Picks.load(tmp_path / "bad.csv")


@pytest.mark.parametrize("damage", ["cut", "noise", "empty"])
def test_a_damaged_netcdf_file_is_named(tmp_path: Path, damage: str) -> None:
    pytest.importorskip("xarray")
    pytest.importorskip("scipy")
    path = tmp_path / "model.nc"
    MODEL.save(path)
    whole = path.read_bytes()
    noise = bytes(np.random.default_rng(1).integers(0, 256, 400, dtype=np.uint8))
    path.write_bytes({"cut": whole[: len(whole) // 2], "noise": whole[:8] + noise, "empty": b""}[damage])
    with pytest.raises(ValueError, match=r"model\.nc"):
        fm.Model.load(path)
