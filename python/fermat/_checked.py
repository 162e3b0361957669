"""Checks the types of arguments against the annotations of a function, with the argument's name."""

from __future__ import annotations

import functools
import inspect
import numbers
import operator
import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ParamSpec, TypeVar, get_args

import numpy as np

from . import _arguments, _core

P = ParamSpec("P")
R = TypeVar("R")
Test = Callable[[Any], bool]

MODEL = "a fermat.Model, such as fermat.Model(velocity, spacing=0.1)"


def _is_whole(value: Any) -> bool:
    if isinstance(value, bool | np.bool_):
        return False
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


def _is_real(value: Any) -> bool:
    if isinstance(value, bool | np.bool_ | str | bytes):
        return False
    one = isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "fiu"
    return isinstance(value, numbers.Real) or one


def _is_switch(value: Any) -> bool:
    return isinstance(value, bool | np.bool_) or (_is_whole(value) and value in (0, 1))


def _is_several(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def _is_file(value: Any) -> bool:
    return isinstance(value, str | os.PathLike)


_NO_TABLE = (numbers.Number, bytes, np.ndarray, type(None))

# What an annotation says, whether a value is such, and how a message puts it.
_KINDS: dict[str, tuple[Test, str]] = {
    "None": (lambda value: value is None, "None"),
    "int": (_is_whole, "a whole number"),
    "float": (_is_real, "a number"),
    "bool": (_is_switch, "True or False"),
    "str": (lambda value: isinstance(value, str), "a text"),
    "os.PathLike": (lambda value: isinstance(value, os.PathLike), "a path"),
    "Model": (lambda value: isinstance(value, _core.Model), MODEL),
    "CudaModel": (lambda value: isinstance(value, _core.CudaModel), ""),
    "Sequence": (_is_several, "a sequence"),
    "tuple": (_is_several, "a sequence"),
    "list": (_is_several, "a sequence"),
    "Iterable": (_is_several, "a sequence"),
    "Mapping": (lambda value: isinstance(value, Mapping), "a mapping"),
    "dict": (lambda value: isinstance(value, Mapping), "a mapping"),
    "File": (_is_file, "a file"),
    "Schedule": (lambda value: _is_file(value) or _is_several(value), "a sequence or a file"),
    # A dict, a DataFrame or a catalogue of ObsPy: only what is none of them is told here.
    "Table": (lambda value: not isinstance(value, _NO_TABLE), "a file or a table"),
    "Callable": (callable, "a function"),
}
# Those are classes of the package, by the module that has them.
_CLASSES = {
    "Graph": ("_methods", "fermat.Graph"),
    "Bending": ("_methods", "fermat.Bending"),
    "Picks": ("_picks", "fermat.Picks, such as fermat.Picks.load(path)"),
    "Profile": ("_bending", "fermat.Profile"),
    "Rays": ("_rays", "fermat.Rays"),
    "Inversion": ("_invert", "fermat.Inversion"),
    "Plane": ("_plane", "fermat.Plane"),
    "Medium": ("_medium", "fermat.Medium"),
    "Catalogue": ("_locate", "fermat.Catalogue"),
}


def _parts(annotation: str) -> list[str]:
    """The alternatives of a union: those outside brackets."""
    parts, depth, start = [], 0, 0
    for at, sign in enumerate(annotation):
        depth += {"[": 1, "]": -1}.get(sign, 0)
        if sign == "|" and depth == 0:
            parts.append(annotation[start:at].strip())
            start = at + 1
    return [*parts, annotation[start:].strip()]


def _kind(part: str) -> tuple[Test, str] | None:
    """The test of one alternative; None if it allows more than can be told by a type."""
    name = part.split("[")[0]
    if (of := re.fullmatch(r"Sequence\[(int|float)\]", part)) is not None:
        one, words = _KINDS[of[1]]
        return (lambda value: _is_several(value) and all(map(one, value))), f"several of {words}"
    if name in _KINDS:
        return _KINDS[name]
    if name == "Literal":
        choices: tuple[Any, ...] = tuple(re.findall(r"\"([^\"]*)\"", part))
    else:
        choices = get_args(getattr(_arguments, name, None))
    if choices and all(isinstance(choice, str) for choice in choices):
        words = ", ".join(repr(choice) for choice in choices)
        return (lambda value: isinstance(value, str)), f"one of {words}"
    if name in _CLASSES:
        module, shown = _CLASSES[name]

        def is_one(value: Any) -> bool:
            return type(value).__name__ == name and type(value).__module__ in (
                "fermat",
                f"fermat.{module}",
            )

        return is_one, f"a {shown}"
    return None


def _shown(value: Any) -> str:
    if value is None or isinstance(value, str | bytes | bool | int | float | np.generic):
        text = repr(value)
        return text if len(text) <= 60 else text[:57] + "..."
    return f"a {type(value).__name__}"


class _Check:
    """The alternatives that an annotated parameter takes."""

    def __init__(self, name: str, annotation: str) -> None:
        self.name = name
        kinds = [_kind(part) for part in _parts(annotation)]
        self.kinds = [kind for kind in kinds if kind is not None]
        self.open = len(self.kinds) < len(kinds)

    def __call__(self, value: Any) -> None:
        if any(test(value) for test, _ in self.kinds):
            return
        wanted = dict.fromkeys(words for _, words in self.kinds if words)
        raise TypeError(f"{self.name} is {_shown(value)} (must be {' or '.join(wanted)})")


def require_model(model: Any) -> None:
    """Refuses what is neither a Model nor a CudaModel."""
    _Check("model", "Model | CudaModel")(model)


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """The function, after the types of its arguments are checked.

    Arguments whose annotation allows more than a type can tell, such as ArrayLike, are left to the
    function itself.
    """
    parameters = inspect.signature(function).parameters
    names = list(parameters)
    checks = {}
    for name, parameter in parameters.items():
        if not isinstance(parameter.annotation, str):
            continue
        check = _Check(name, parameter.annotation)
        if check.kinds and not check.open:
            checks[name] = check

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        given = dict(zip(names, args, strict=False)) | kwargs
        for name in checks.keys() & given:
            checks[name](given[name])
        return function(*args, **kwargs)

    return call
