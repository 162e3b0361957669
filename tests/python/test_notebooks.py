"""The notebooks run from top to bottom. Their code needs no kernel, so that it runs here too."""

import json
from pathlib import Path

import pytest

plt = pytest.importorskip("matplotlib.pyplot")
pytest.importorskip("scipy")

BOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.stem)
def test_a_notebook_runs(book, tmp_path, monkeypatch):
    if book.stem == "records":
        pytest.importorskip("obspy")
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    for n, cell in enumerate(json.loads(book.read_text())["cells"]):
        if cell["cell_type"] == "code":
            assert not cell["outputs"], "outputs are not kept in the tree"
            exec(compile("".join(cell["source"]), f"{book.name} cell {n}", "exec"), names)
    plt.close("all")


def test_there_are_notebooks():
    assert {book.stem for book in BOOKS} >= {
        "first-arrivals", "refraction-line", "crosshole", "regional-catalogue", "gpu", "records"
    }
