"""Python of the scripts: the check of includes and the summary of scripts/test."""

import importlib.util
import re
import shutil

import fermat
import pytest


@pytest.fixture
def script(root):
    def load(name):
        spec = importlib.util.spec_from_file_location(name, root / "scripts" / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture
def findings(script, root, tmp_path):
    check_includes = script("check_includes")
    stages = check_includes.read_stages(root)

    def run(files, **options):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return check_includes.check(tmp_path, **{"allowed": stages, **options})

    return run


def test_the_tree_itself_is_clean(script, root):
    assert script("check_includes").check(root) == []


def test_includes_down_the_flow_pass(findings):
    files = {
        "src/core/grid.hpp": "#include <vector>\n",
        "src/core/version.hpp.in": "",
        "src/model/model.hpp": '#include "core/grid.hpp"\n',
        "src/io/model_io.cpp": '#include "model/model.hpp"\n',
        "python/src/numpy.hpp": '#include "core/version.hpp"\n',
        "python/src/module.cpp": '#include "numpy.hpp"\n',
    }
    assert findings(files) == []


@pytest.mark.parametrize(
    ("file", "included"),
    [
        ("src/core/grid.hpp", "model/model.hpp"),
        ("src/model/model.cpp", "io/model_io.hpp"),
        ("src/eikonal/fim.cu", "io/model_io.hpp"),
        ("src/tomography/loop.cpp", "io/model_io.hpp"),
        ("src/eikonal/fim.cpp", "graph/star.hpp"),
        ("src/io/model_io.cpp", "cli/main.hpp"),
        ("python/src/module.cpp", "cli/main.hpp"),
    ],
)
def test_an_include_against_the_flow_is_named(findings, file, included):
    found = findings({f"src/{included}": "", file: f'  #  include "{included}"\n'})
    assert len(found) == 1
    assert found[0].startswith(f'{file}: includes "{included}"')


@pytest.mark.parametrize("included", ["../core/grid.hpp", "grid.hpp", "core/none.hpp"])
def test_a_path_that_is_not_below_src_is_named(findings, included):
    files = {"src/core/grid.hpp": "", "src/model/a.cpp": f'#include "{included}"\n'}
    assert findings(files) == [
        f'src/model/a.cpp: includes "{included}" (must be a path below src)'
    ]


def test_a_cycle_of_headers_is_shown(findings):
    files = {
        "src/core/a.hpp": '#include "core/b.hpp"\n',
        "src/core/b.hpp": '#include "core/c.hpp"\n',
        "src/core/c.hpp": '#include "core/a.hpp"\n',
    }
    assert findings(files) == [
        "includes form a cycle: src/core/a.hpp -> src/core/b.hpp -> src/core/c.hpp -> "
        "src/core/a.hpp"
    ]


def test_a_cycle_in_the_table_is_shown(findings):
    found = findings({}, allowed={"core": {"model"}, "model": {"core"}})
    assert found == ["the table of allowed includes has a cycle: core -> model -> core"]


def test_a_folder_that_is_no_stage_is_named(findings):
    assert "'util' is not a stage" in findings({"src/util/a.hpp": ""})[0]


def test_coordinates_are_made_by_the_grid_alone(script, root, tmp_path):
    check = script("check_coordinates").check
    assert check(root) == []
    files = {
        "src/core/grid.hpp": "return grid.origin[axis] + i * grid.spacing[axis];\n",
        "src/rays/a.hpp": "p.x = field.grid.origin.x + i * field.grid.spacing.x;\n",
        "src/rays/b.hpp": "const double u = (p.x - grid_.origin.x) / grid_.spacing.x;\n",
        "src/rays/c.cu": "p[axis] += n * model.grid().spacing[axis];\n",
        "src/rays/d.hpp": "g = p - grid.origin;  // comment\n",
        "src/io/e.cpp": 'grid.origin = {1, 2, 3}; say("a + grid.origin"); // p - grid.origin\n',
        "python/src/f.cpp": "const Vec3 size = grid.spacing / 2; auto o = to(grid.origin);\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found = check(tmp_path)
    assert sorted(line.split(":")[0] for line in found) == [
        "src/rays/a.hpp",
        "src/rays/b.hpp",
        "src/rays/c.cu",
        "src/rays/d.hpp",
    ]


def test_builds_are_compared_by_datasets_and_tables_without_clocks(script, tmp_path):
    h5py = pytest.importorskip("h5py")
    compare = script("compare_builds")
    one, other = tmp_path / "one", tmp_path / "other"
    for folder, seconds in ((one, 1), (other, 2)):
        folder.mkdir()
        (folder / "history.csv").write_text(f"iteration,seconds,rms\n1,{seconds},0.5\n")
        with h5py.File(folder / "model.h5", "w") as file:
            file["velocity"] = [1.0, 2.0]
    assert compare.compare_case(one, other) == (2, [])
    with h5py.File(other / "model.h5", "a") as file:
        file["velocity"][0] = 1.5
    (other / "extra.csv").write_text("a\n")
    assert compare.compare_case(one, other) == (
        2,
        ["extra.csv is written by one of them only", "model.h5: velocity differs"],
    )
    (other / "history.csv").write_text("iteration,seconds,rms\n1,2,0.6\n")
    assert "history.csv: rows differ" in compare.compare_case(one, other)[1]


CTEST = """<testsuite tests="4"><testcase name="a" status="run"/>
<testcase name="b" status="fail"><failure message=""/></testcase>
<testcase name="c" status="notrun"><skipped message=""/></testcase>
<testcase name="d" status="run"/></testsuite>"""
PYTEST = """<testsuites><testsuite><testcase name="a"/>
<testcase name="b"><error/></testcase></testsuite></testsuites>"""


def test_the_closing_line_adds_up_all_parts(script, tmp_path, capsys):
    (tmp_path / "ctest-release.xml").write_text(CTEST)
    (tmp_path / "pytest.xml").write_text(PYTEST)
    (tmp_path / "parts.txt").write_text(
        "passed build 10,600\nfailed ctest 3,30\nfailed pytest 3\nfailed build with CUDA 1,60\n"
    )
    assert script("count_tests").main(tmp_path) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[-2:] == ["processors: 11.5 minutes", "4 passed, 3 failed, 1 skipped"]


def test_a_part_that_died_without_a_failed_test_is_a_failure(script, tmp_path, capsys):
    (tmp_path / "pytest.xml").write_text('<testsuites><testcase name="a"/></testsuites>')
    (tmp_path / "parts.txt").write_text("failed pytest 3\n")
    assert script("count_tests").main(tmp_path) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "1 passed, 1 failed, 0 skipped"


def test_no_result_at_all_is_a_failure(script, tmp_path, capsys):
    assert script("count_tests").main(tmp_path) == 1
    assert capsys.readouterr().out == "0 passed, 1 failed, 0 skipped\n"


def test_a_wheel_that_needs_a_machines_libraries_is_found_out(script, tmp_path):
    check_wheel = script("check_wheel")
    assert check_wheel.findings(tmp_path) == ["no compiled file is in the wheel"]
    program = shutil.which("readelf")
    if program is None:
        pytest.skip("no readelf on this machine")
    shutil.copy(program, tmp_path / "program")
    found = check_wheel.findings(tmp_path)
    assert any("program needs libbfd" in each or "program needs libctf" in each for each in found)
    assert not any("libc.so.6" in each for each in found)


def test_the_reference_has_every_public_name(script):
    page = script("make_reference").python_page()
    for place in (fermat, fermat.analytic, fermat.plot):
        for name in place.__all__:
            thing = getattr(place, name)
            if callable(thing):
                assert f"### `{place.__name__}.{name}`" in page
    assert "#### `Model.with_topography`" in page
    assert "- `source`: A position" in page


def test_the_cpp_reference_has_the_doors_and_nothing_private(script, root):
    cpp_reference = script("cpp_reference")
    page = cpp_reference.page(root)
    for header in ("survey/survey.hpp", "times/times.hpp", "rays/rays.hpp", "tomography/invert.hpp"):
        assert f"## `{header}`" in page
    for code in ("struct Survey {", "class TimeSolver {", "RaySet trace_rays(const Medium& medium"):
        assert code in page
    assert "private:" not in page
    # A function has no body there.
    source = "/// Adds.\nint add(int a, int b) {\n    return a + b;\n}\n"
    assert cpp_reference.entries(source) == [("Adds.", "int add(int a, int b);")]


def test_a_type_has_one_definition(script, root, tmp_path):
    check_names = script("check_names")
    assert check_names.check(root) == []
    files = {
        "src/rays/row.hpp": "namespace fermat {\n\nclass RowMaker {\n};\n\n}  // namespace fermat\n",
        "src/rays/other.hpp": "namespace fermat {\nclass RowMaker final : public Maker {\n};\n"
        "struct RowMaker::State {\n};\nclass Declared;\n}  // namespace fermat\n",
        "src/io/own.cpp": "namespace fermat {\nnamespace {\nclass RowMaker {\n};\n"
        "}  // namespace\nclass Declared {\n};\n}  // namespace fermat\n",
        "src/cli/same.hpp": "namespace fermat::cli {\nclass RowMaker {\n};\n}  // namespace fermat::cli\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (finding,) = check_names.check(tmp_path)
    assert "fermat::RowMaker is defined in src/rays/other.hpp:2 and in src/rays/row.hpp:3" in finding


def test_no_installed_header_asks_for_instructions(script, root, tmp_path):
    """The library and those who use it may be built for other processors: a type would have two definitions."""
    check_public = script("check_public")
    lines = check_public.installed(root)
    assert check_public.of_instructions(root, lines) == []
    files = {
        "include/fermat/fermat.hpp": '#include "core/wide.hpp"\n',
        "src/core/wide.hpp": '#include "core/width.hpp"\n// not code: __AVX2__\n',
        "src/core/width.hpp": "#pragma once\n#if defined(__x86_64__) && defined(__AVX512F__)\n#endif\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = check_public.of_instructions(tmp_path, check_public.installed(tmp_path))
    assert found == [
        "beneath core/width.hpp: asks for __AVX512F__ (leave it out of headers that are installed: the library is "
        "built with other instructions than those who use it)"
    ]


def test_what_sanitizers_leave_out_is_there(root):
    """A test that was renamed would run again for a minute, and its line would stand for nothing."""
    sources = "\n".join(file.read_text(encoding="utf-8") for file in (root / "tests").rglob("*_test.cpp"))
    lines = (root / "tests" / "long-under-sanitizers.txt").read_text(encoding="utf-8").splitlines()
    for line in lines:
        if line.startswith("#"):
            continue
        suite, names = re.fullmatch(r"\w+\\\.(?:Kinds/)?(\w+)\\\.\(?([\w|]+)\)?(?:/.*)?", line).groups()
        for name in names.split("|"):
            assert re.search(rf"TEST(_P|_F)?\({suite}, {name}\)", sources), line
