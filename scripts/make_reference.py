"""Writes the reference pages from docstrings, `--help` and headers: FOLDER/python.md, command-line.md, cpp.md.

    .venv/bin/python scripts/make_reference.py FOLDER PROGRAM
"""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any

import fermat


def own_signature(thing: Any) -> tuple[str, str]:
    """A C++ function's docstring begins with its signature: that, and the rest."""
    first, _, rest = (inspect.getdoc(thing) or "").partition("\n")
    return first, rest.lstrip()


def is_of_cpp(thing: Any) -> bool:
    return type(thing).__module__ == "nanobind" or type(thing).__name__.startswith("nb_")


def signature(thing: Any, name: str) -> str:
    if inspect.isclass(thing) and is_of_cpp(thing):
        text = own_signature(thing.__init__)[0].removeprefix("__init__").replace("self, ", "")
    elif is_of_cpp(thing):
        text = own_signature(thing)[0].removeprefix(name.rsplit(".", 1)[-1])
    else:
        text = re.sub(r"ForwardRef\('?(.*?)'?\)(?=[,)])", r"\1", str(inspect.signature(thing)))
    text = re.sub(r"\b(?:fermat|numpy|collections|typing|os)\.(?:\w+\.)*", "", text)
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", text)
    return wrapped(name + text.removesuffix(" -> None"))


def wrapped(call: str) -> str:
    """A long signature has a line for each parameter."""
    head, inside, tail = re.fullmatch(r"([\w.]+)\((.*)\)(.*)", call, re.DOTALL).groups()  # type: ignore
    if len(call) <= 88:
        return call
    parts, depth = [""], 0
    for character in inside:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return f"{head}(\n" + "".join(f"    {part.strip()},\n" for part in parts) + f"){tail}"


def docstring(thing: Any) -> str:
    """NumPy's sections as bold words, parameters as a list, examples as code."""
    is_function = is_of_cpp(thing) and not inspect.isclass(thing)
    text = own_signature(thing)[1] if is_function else inspect.getdoc(thing) or ""
    text = re.sub(r"^(\w[\w ]*)\n-{3,}\n", r"**\1**\n\n", text, flags=re.MULTILINE)
    text = re.sub(r"^(\w[\w, ]*)\n((?:    .+\n?)+)", _item, text, flags=re.MULTILINE)
    return re.sub(r"^ *>>>.*(?:\n.*\S.*)*", _example, text, flags=re.MULTILINE)


def _item(found: re.Match[str]) -> str:
    return f"- `{found[1]}`: {' '.join(found[2].split())}\n"


def _example(found: re.Match[str]) -> str:
    return f"\n```pycon\n{textwrap.dedent(found[0])}\n```\n"


def entry(thing: Any, name: str, level: int) -> str:
    title = f"{'#' * level} `{name}`"
    made_by_others = thing is fermat.CudaModel  # it has no constructor of its own
    shown = callable(thing) and not made_by_others
    call = f"```python\n{signature(thing, name)}\n```\n\n" if shown else ""
    return f"{title}\n\n{call}{docstring(thing)}\n"


def members(kind: type) -> list[str]:
    """Public ones with a docstring of their own; a named tuple's fields have none."""
    texts = {name: value.__doc__ or "" for name, value in vars(kind).items() if name[0] != "_"}
    return [name for name, text in texts.items() if text and not text.startswith("Alias for")]


def module_page(module: ModuleType, parts: list[str]) -> None:
    for name in sorted(module.__all__, key=lambda n: (not n[0].isupper(), n)):
        thing = getattr(module, name)
        if isinstance(thing, (str, ModuleType)):
            continue
        full = f"{module.__name__}.{name}"
        parts.append(entry(thing, full, 3))
        if inspect.isclass(thing):
            for member in members(thing):
                value = inspect.getattr_static(thing, member)
                shown = value if isinstance(value, property) else getattr(thing, member)
                parts.append(entry(shown, f"{name}.{member}", 4))


def python_page() -> str:
    parts = ["# Python reference", inspect.getdoc(fermat) or ""]
    modules = [fermat, *(getattr(fermat, n) for n in fermat.__all__)]
    for module in modules:
        if not isinstance(module, ModuleType):
            continue
        parts.append(f"## {module.__name__}")
        if module is not fermat:
            parts.append(inspect.getdoc(module) or "")
        module_page(module, parts)
    parts += [unimported("torch"), unimported("jax")]
    return "\n\n".join(parts) + "\n"


def unimported(name: str) -> str:
    """The page of a module whose import needs what may not be here (PyTorch, JAX), from its source."""
    file = Path(fermat.__file__).with_name(f"{name}.py")
    tree = ast.parse(file.read_text(encoding="utf-8"))
    parts = [f"## fermat.{name}", f"```text\n{ast.get_docstring(tree)}\n```"]
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            call = wrapped(f"fermat.{name}.{node.name}({ast.unparse(node.args)})")
            text = docstring(type("", (), {"__doc__": ast.get_docstring(node)}))
            parts.append(f"### `fermat.{name}.{node.name}`\n\n```python\n{call}\n```\n\n{text}")
    return "\n\n".join(parts)


def help_text(program: str, words: list[str]) -> str:
    call = [program, *words, "--help"]
    return subprocess.run(call, check=True, capture_output=True, text=True).stdout


def commands(text: str) -> list[str]:
    listed = re.search(r"^(?:Subcommands|Commands):\n((?:  .*\n)+)", text, re.MULTILINE)
    return re.findall(r"^  (\w[\w-]*)", listed[1], re.MULTILINE) if listed else []


def command_page(program: str) -> str:
    parts = ["# Flags of every command", "As `fermat <command> --help` prints them."]

    def add(words: list[str]) -> None:
        text = help_text(program, words)
        parts.append(f"## {' '.join(['fermat', *words])}\n\n```text\n{text.rstrip()}\n```")
        for name in commands(text):
            add([*words, name])

    add([])
    return "\n\n".join(parts) + "\n"


def main(folder: Path, program: str) -> None:
    import cpp_reference  # stands beside this file

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "python.md").write_text(python_page())
    (folder / "command-line.md").write_text(command_page(program))
    (folder / "cpp.md").write_text(cpp_reference.page())


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
