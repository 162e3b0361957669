"""The keywords of Python are the options that the library describes, with its defaults."""

import inspect
import typing

import fermat as fm
import pytest
from fermat import _arguments as arguments
from fermat import _core

OPTIONS = _core.options()
LEFT_OPEN = (None, inspect.Parameter.empty)


def keywords(function):
    return inspect.signature(function).parameters


@pytest.mark.parametrize(
    ("function", "groups"),
    [
        (fm.traveltimes, ["eikonal", "graph"]),
        (fm.receiver_times, ["eikonal", "graph"]),
        (fm.rays, ["eikonal", "graph", "rays"]),
        (fm.smooth, ["smoothing"]),
        (fm.invert, ["inversion", "guess"]),
        (fm.invert_phases, ["layers", "guess"]),
        (fm.locate, ["locate"]),
        (fm.relocate, ["relocate"]),
        (fm.Graph, ["graph"]),
        (fm.Bending, ["bending"]),
    ],
)
def test_every_described_option_is_a_keyword_with_its_default(function, groups):
    parameters = keywords(function)
    for option in (option for group in groups for option in OPTIONS[group]):
        assert option["name"] in parameters, option["name"]
        default = parameters[option["name"]].default
        if default not in LEFT_OPEN and "default" in option:
            assert default == option["default"], option["name"]


def test_every_keyword_of_an_inversion_is_described_or_not_an_option():
    described = {option["name"] for group in ("inversion", "guess") for option in OPTIONS[group]}
    others = {"model", "picks", "error", "schedule", "device", "devices", "threads", "callback", "keep_models", "progress",
              "reference", "trust", "s_model", "known", "differences", "log", "regions", "edges", "guide",
              "prior_model", "prior_deviation"}
    assert set(keywords(fm.invert)) - described - others == set()


def test_choices_are_those_of_the_types():
    types = {
        "star": arguments.Star,
        "reading": arguments.Reading,
        "weights": arguments.Weights,
        "queue": arguments.Queue,
        "visits": arguments.Visits,
        "relaxation": arguments.Relaxation,
        "tasks": arguments.BendingTasks,
        "tracer": arguments.Tracer,
        "reciprocity": arguments.Reciprocity,
    }
    for option in (option for group in ("graph", "rays") for option in OPTIONS[group]):
        if "choices" in option:
            assert list(typing.get_args(types[option["name"]])) == option["choices"]
    for option in OPTIONS["inversion"]:
        written = keywords(fm.invert)[option["name"]].annotation
        if "choices" in option and written.startswith("Literal"):
            assert written == f"Literal{option['choices']}", option["name"]


def test_every_option_is_a_flag_of_the_command(fermat):
    for command, groups in (
        ("invert", ["inversion", "guess", "layers"]),
        ("rays", ["rays", "graph"]),
        ("locate", ["locate"]),
        ("relocate", ["relocate"]),
    ):
        text = fermat(command, "--help")
        for option in (option for group in groups for option in OPTIONS[group]):
            assert f"--{option['name'].replace('_', '-')} " in text
            assert option["meaning"] in text


def test_methods_carry_their_options():
    model = fm.Model.gradient((41, 21), v0=2, gradient=0.1)
    ends = ((3, 0), [(30, 20), (35, 0)])
    plain = fm.receiver_times(model, *ends, solver="bellman-ford", radius=3, reading="nearest")
    carried = fm.Graph(solver="bellman-ford", radius=3, reading="nearest")
    assert (fm.receiver_times(model, *ends, solver=carried) == plain).all()
    assert (fm.rays(model, *ends, tracer=carried).field_times == plain[0]).all()
    bent = fm.rays(model, *ends, tracer="bending", starts=("straight", "deep"), segment=2)
    same = fm.rays(model, *ends, tracer=fm.Bending(starts=("straight", "deep"), segment=2))
    assert (bent.points == same.points).all()
    with pytest.raises(ValueError, match=r"radius is given beside solver=Graph"):
        fm.traveltimes(model, (3, 0), solver=fm.Graph(), radius=2)
    with pytest.raises(ValueError, match=r"segment is given beside tracer=Bending"):
        fm.rays(model, *ends, tracer=fm.Bending(), segment=2)


def test_messages_name_options_as_keywords_and_flags(fermat):
    sharp = fm.Model.layers((81, 81), layers=[(0, 1), (40, 1e6)])
    with pytest.raises(ValueError, match=r"too fast .*\(use precision='double' or a smaller"):
        fm.traveltimes(sharp, (0, 0), device="cpu")
    fermat("model", "layers", "--shape", "81,81", "--layer", "0:1", "--layer", "40:1e6", "-o", "m.h5")
    line = fermat.error("times", "--model", "m.h5", "--source", "0,0", "--device", "cpu", "-o", "t.h5")
    assert "(use --precision double or a smaller" in line
    with pytest.raises(ValueError, match=r"put it on nodes: model\.to_nodes\(\)\)"):
        fm.traveltimes(fm.Model.layers((9, 9), layers=[(0, 1), (4, 3)], cells=True), (0, 0), solver="vidale")
