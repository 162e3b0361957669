"""Chooses the build of the module and the program that suits the processor.

Wheels have three: one for any x86-64 and, in the folder `levels`, those for x86-64-v3 (AVX2, FMA)
and x86-64-v4 (AVX-512), which solve 1.4 and 1.7 times as fast. A package that was built from source
has no such folder. FERMAT_INSTRUCTIONS names one, for the same bits on another machine: results of
two levels differ in the last digits, as registers of another width take nodes in another order.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection
from importlib import machinery, util
from pathlib import Path

FOLDER = Path(__file__).with_name("levels")
PORTABLE = "x86-64"

#: What the kernel calls that which a level has beyond x86-64 (x86-64 psABI 1.0, table 3.1).
NEEDS = {
    "x86-64-v4": "avx512f avx512bw avx512cd avx512dq avx512vl",
    "x86-64-v3": "avx avx2 bmi1 bmi2 f16c fma abm movbe xsave",
}


def levels() -> list[str]:
    """Those of this installation, the best first; empty where there is but one build."""
    return [level for level in NEEDS if (FOLDER / level).is_dir()]


def processor_flags(file: str = "/proc/cpuinfo") -> frozenset[str]:
    """What the processor and the kernel offer; nothing where that cannot be read."""
    try:
        with open(file, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if line.startswith("flags"):
                    return frozenset(line.split(":", 1)[1].split())
    except OSError:
        pass
    return frozenset()


def chosen(there: Collection[str], flags: Collection[str], asked: str = "") -> str:
    """The level to use: the one asked for, or the best of those there that the processor has."""
    if asked:
        if asked not in (PORTABLE, *there):
            known = ", ".join((PORTABLE, *there))
            raise ImportError(f"FERMAT_INSTRUCTIONS is '{asked}' (must be one of {known})")
        missing = _missing(asked, flags)
        if missing:
            raise ImportError(
                f"FERMAT_INSTRUCTIONS is '{asked}', and the processor has no {', '.join(missing)} "
                "(leave it out to use what there is)"
            )
        return asked
    return next((level for level in there if not _missing(level, flags)), PORTABLE)


def _missing(level: str, flags: Collection[str]) -> list[str]:
    """A level has all that lower ones have."""
    lower = ("x86-64-v3", level) if level == "x86-64-v4" else (level,)
    return [flag for each in lower for flag in NEEDS.get(each, "").split() if flag not in flags]


def folder() -> Path | None:
    """Folder of the level to use, or None for the portable build beside this file."""
    there = levels()
    if not there:
        return None
    level = chosen(there, processor_flags(), os.environ.get("FERMAT_INSTRUCTIONS", ""))
    return None if level == PORTABLE else FOLDER / level


def load_core() -> None:
    """Makes fermat._core the build of the level; the import system finds the portable one itself."""
    place = folder()
    if place is None:
        return
    name = f"{__package__}._core"
    files = [file for end in machinery.EXTENSION_SUFFIXES for file in place.glob(f"_core{end}")]
    if not files:
        raise ImportError(f"'{place}' has no _core (install the package again)")
    loader = machinery.ExtensionFileLoader(name, str(files[0]))
    spec = util.spec_from_file_location(name, files[0], loader=loader)
    assert spec is not None
    module = util.module_from_spec(spec)
    sys.modules[name] = module
    loader.exec_module(module)
    setattr(sys.modules[__package__], "_core", module)
