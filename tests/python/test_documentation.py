"""The code of the documentation runs, its links exist, and its navigation is complete.

Blocks of a page run in order in one folder: `python` blocks share their variables, `bash` blocks find
`fermat` on the path, and its Python package by FERMAT_PYTHON. If a block needs what a test machine
lacks, its fence says so, and blocks that need PyTorch, JAX or ObsPy run where it is installed:
```bash title="not run in tests: needs Slurm"
```python title="needs PyTorch"
"""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

plt = pytest.importorskip("matplotlib.pyplot")
pytest.importorskip("scipy")

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *ROOT.glob("examples/**/*.md")])
PROGRAM = Path(os.environ.get("FERMAT_PROGRAM", ROOT / "build" / "release" / "fermat")).resolve()
FENCE = re.compile(r"^```(\w*)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RUN = ("python", "bash")
KNOWN = (*RUN, "text", "toml", "csv", "cmake", "cpp")


def name_of(page):
    return str(page.relative_to(ROOT))


def blocks(page):
    return [(kind, info.strip(), code) for kind, info, code in FENCE.findall(page.read_text())]


def runs(kind, info):
    for name, module in (("PyTorch", "torch"), ("JAX", "jax"), ("ObsPy", "obspy")):
        if f"needs {name}" in info and importlib.util.find_spec(module) is None:
            return False
    return kind in RUN and "not run in tests" not in info


def test_every_block_says_what_it_is():
    for page in PAGES:
        for kind, info, _ in blocks(page):
            assert kind in KNOWN, f"{name_of(page)}: a block of kind {kind!r}"
            assert not info or info.startswith('title="'), f"{name_of(page)}: {info}"


@pytest.mark.parametrize(
    "page", [p for p in PAGES if any(runs(k, i) for k, i, _ in blocks(p))], ids=name_of
)
def test_code_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("FERMAT_PYTHON", sys.executable)
    names = {"__name__": "__main__"}
    for kind, info, code in blocks(page):
        if not runs(kind, info):
            continue
        if kind == "python":
            exec(compile(code, name_of(page), "exec"), names)
            plt.close("all")
        else:
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", code], capture_output=True, text=True, timeout=120
            )
            assert done.returncode == 0, f"{code}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    text = FENCE.sub("", page.read_text())
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if re.match(r"[a-z]+:", target) or target.startswith("reference/"):
            continue
        assert (page.parent / target).exists(), f"{name_of(page)} links to {target}"


def test_navigation_names_every_page():
    listed = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text()))
    pages = {str(p.relative_to(ROOT / "docs")) for p in (ROOT / "docs").rglob("*.md")}
    made = {"reference/python.md", "reference/command-line.md", "reference/cpp.md"}
    assert listed - made - {"README.md"} == pages - {"README.md"}


def test_the_program_of_the_cpp_page_is_the_one_that_the_package_is_tested_with(root):
    program = (root / "tests" / "package" / "consumer" / "main.cpp").read_text()
    assert f"```cpp\n{program}```" in (root / "docs" / "howto" / "cpp.md").read_text()
