"""`--config`: a TOML file can hold every flag; the command line wins; errors name the line."""

import pytest

FLAGS = ["--shape", "9,7,5", "--spacing", "0.5,0.25,0.125", "--origin", "-1,0,2", "--v0", "2",
         "--gradient", "0.5"]
VALUES = """
shape = [9, 7, 5]        # one value: nodes along x, y, z
spacing = "0.5,0.25,0.125"
origin = [
    -1, 0,
    2,
]
v0 = 2
gradient = 0.5
"""


@pytest.fixture
def from_flags(fermat):
    fermat("model", "gradient", *FLAGS, "-o", "flags.h5")
    return (fermat.folder / "flags.h5").read_bytes()


@pytest.mark.parametrize("head", ["", "[model.gradient]\n", "[ model . \"gradient\" ]\r\n"])
def test_a_file_equals_flags(fermat, from_flags, head):
    fermat.write("run.toml", head + VALUES + 'output = "file.h5"\nquiet = true\n')
    fermat("model", "gradient", "--config", "run.toml")
    assert (fermat.folder / "file.h5").read_bytes() == from_flags


def test_the_command_line_wins(fermat, from_flags):
    fermat.write("run.toml", VALUES.replace("v0 = 2", "v0 = 7") + 'output = "other.h5"\n')
    fermat("--config", "run.toml", "model", "gradient", "--v0", "2", "-o", "file.h5")
    assert (fermat.folder / "file.h5").read_bytes() == from_flags
    assert not (fermat.folder / "other.h5").exists()


def test_a_section_wins_over_keys_before_it(fermat, from_flags):
    fermat.write("run.toml", VALUES.replace("v0 = 2", "v0 = 7") + "[model.gradient]\nv0 = 2\n")
    fermat("model", "gradient", "--config", "run.toml", "-o", "file.h5")
    assert (fermat.folder / "file.h5").read_bytes() == from_flags


def test_one_file_for_a_whole_project(fermat):
    fermat.write("run.toml", """
threads = 2
[model.layers]
shape = [11, 11]
layer = ["0:2", "5:4"]
output = "model.h5"
[times]
model = "model.h5"
source = [[5, 0], [2, 1.5]]
order = 1
output = "times #1.h5"   # a '#' inside a string is no comment
""")
    fermat("model", "layers", "--config", "run.toml")
    fermat("times", "--config", "run.toml")
    assert fermat.names("times #1.h5") == ["time_000", "time_001"]
    fermat("times", "--model", "model.h5", "--source", "5,0", "--source", "2,1.5", "--order", "1",
           "-o", "flags.h5")
    for name in ["time_000", "time_001"]:
        assert (fermat.array("times #1.h5", name) == fermat.array("flags.h5", name)).all()


def test_flags_without_a_value_are_booleans(fermat):
    fermat("model", "constant", "--shape", "5,5", "--velocity", "2", "-o", "model.h5")
    text = 'model = "model.h5"\nsource = ["1,1", "3,3"]\noutput = "t.h5"\ntogether = '
    fermat.write("yes.toml", text + "true\n")
    fermat.write("no.toml", text + "false\n")
    fermat("times", "--config", "yes.toml")
    assert fermat.names("t.h5") == ["time"]
    fermat("times", "--config", "no.toml")
    assert fermat.names("t.h5") == ["time_000", "time_001"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("velocty = 3\n", "line 1: unknown key 'velocty' (did you mean velocity? see fermat model constant --help)"),
        ("[model.constant]\n\nvelocty = 3\n", "line 3: unknown key 'velocty'"),
        ("[times]\nshape = [5, 5]\n", "line 2: unknown key 'shape' (see fermat times --help)"),
        ("[tmes]\nmodel = 'm.h5'\n", "line 2: unknown command 'tmes' in [tmes] (did you mean times? see fermat --help)"),
        ("config = 'other.toml'\n", "unknown key 'config' (see"),
        ("help = true\n", "unknown key 'help' (see"),
        ("velocity = 3\nvelocity = 4\n", "line 2: key 'velocity' is given twice"),
        ("velocity 3\n", "line 1: key 'velocity' needs '= value'"),
        ("velocity = \n", "line 1: '' is no value"),
        ("velocity = three\n", "line 1: 'three' is no value"),
        ("velocity = 3 4\n", "line 1: '4' is left over"),
        ("output = 'm.h5\n", "line 1: a string has no end"),
        ("shape = [5, 5\n", "an array has no end"),
        ("shape = []\n", "line 1: an array must not be empty"),
        ("shape = [5, '5']\n", "line 1: an array must hold values of one kind"),
        ("[[model]]\n", "line 1: [[...]] is not known here"),
        ("[model\n", "line 1: a table ends with ']'"),
        ("velocity = 'x'\n", "--velocity is 'x'"),
        ("velocity = ['1', '2']\n", "--velocity"),
        ("quiet = 'perhaps'\n", "quiet"),
        ("\0\xff\n", "line 1"),
    ],
)
def test_mistakes_are_named(fermat, text, words):
    fermat.write("run.toml", text)
    line = fermat.error("model", "constant", "--shape", "5,5", "-o", "m.h5", "--config", "run.toml")
    assert words in line


def test_a_missing_file_is_named(fermat):
    line = fermat.error("info", "--config", "none.toml")
    assert "none.toml" in line
