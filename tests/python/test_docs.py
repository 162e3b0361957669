"""The examples in docstrings run and print the output that they show."""

import doctest
import inspect

import fermat as fm
import pytest

plt = pytest.importorskip("matplotlib.pyplot")
pytest.importorskip("scipy")

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def documented():
    """Every public object by name, including methods of classes and objects of C++, which the finder
    of doctest skips."""
    for place in (fm, fm.analytic, fm.plot, fm.export):
        for name in place.__all__:
            thing = getattr(place, name)
            full = f"{place.__name__}.{name}"
            if inspect.ismodule(thing) or isinstance(thing, str):
                continue
            yield full, thing
            if inspect.isclass(thing):
                for member, value in vars(thing).items():
                    if not member.startswith("_") and getattr(value, "__doc__", None):
                        yield f"{full}.{member}", getattr(thing, member)


THINGS = dict(documented())
EXAMPLES = {
    name: found
    for name, thing in THINGS.items()
    if (found := doctest.DocTestParser().get_doctest(thing.__doc__ or "", {}, name, None, 0)).examples
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for words, module in ((("pyvista", "3d("), "pyvista"), (("cupy",), "cupy"), (("synthetic_line", "obspy"), "obspy")):
        if any(word in example.source for example in EXAMPLES[name].examples for word in words):
            pytest.importorskip(module)
    if "Cuda" in name and not fm.devices():
        pytest.skip("no CUDA device")
    report = []
    failed, tried = doctest.DocTestRunner(optionflags=FLAGS).run(EXAMPLES[name], out=report.append)
    plt.close("all")
    assert tried > 0
    assert failed == 0, "".join(report)


@pytest.mark.parametrize("name", THINGS)
def test_every_public_name_is_documented(name):
    assert (THINGS[name].__doc__ or "").strip(), f"{name} has no docstring"


def test_functions_and_methods_have_examples():
    called = {name for name, thing in THINGS.items() if callable(thing) and not inspect.isclass(thing)}
    assert called - set(EXAMPLES) == set()
