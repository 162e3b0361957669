#!/usr/bin/env python3
"""Writes src/eikonal/shaders/stencil.glsl: the equation of src/eikonal/stencil.hpp for shaders.

The header is the only place where the equation is written. Its functions of one value are C++ of
a kind that differs from GLSL in a few spellings only, which this script replaces:

    scripts/stencil_glsl.py          writes the file
    scripts/stencil_glsl.py --check  fails where it is not what the header says
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEADER = Path("src/eikonal/stencil.hpp")
SHADER = Path("src/eikonal/shaders/stencil.glsl")
HEAD = """// Written by scripts/stencil_glsl.py from src/eikonal/stencil.hpp, where everything is explained.

float root(float x) { return sqrt(x); }
float magnitude(float x) { return abs(x); }
"""

#: From the first of these to before the second: constants, structs and functions of one value. The
#: templates for any number of axes behind them have no counterpart.
FIRST = "template <class Real>\ninline constexpr Real unreached"
LAST = "template <class V, class Mask>\nstruct StraightTau"

#: Templates over what reads a neighbour; a shader reads its shared memory by itself.
LEFT_OUT = [
    r"template <class Read, class V>\s*concept.*?\};\n",
    r"template <class V, class H2, AxisReader<V> Read>.*?\n\}\n",
]
SPELLINGS = [
    (r"//.*", ""),
    (r"template <class Real>\s*inline constexpr Real (\w+) = Real\((.*?)\);", r"const float \1 = \2;"),
    (r"template <[^>]*>\s*", ""),
    (r"FERMAT_HD_INLINE ", ""),
    (r"[ \t]*using Real = .*?;\n", ""),
    (r"(?:Scalar<V>|Real)\(([\d.]+)\)", r"\1"),
    (r"Scalar<V>", "float"),
    (r"<Real>", ""),
    (r"V\{\} \+ ", ""),
    (r"V\{\}", "0.0"),
    (r"const (\w+)<V>& ", r"\1 "),
    (r"(\w+)<V>", r"\1"),
    (r"\bV\b", "float"),
    (r"const auto (\w+) = line_of", r"const UpwindLine \1 = line_of"),
    (r"\b(?:auto|Mask) ", "bool "),
    (r"if constexpr \(Order == 2\)", "if (ORDER == 2)"),
    (r"\)\s*&\s*\(", ") && ("),
    (r" & ", " && "),
    (r" \|(?=\s)", " ||"),
    (r"[ \t]+\n", "\n"),
    (r"\n{3,}", "\n\n"),
]


def with_named_returns(text: str) -> str:
    """`return {a, b};` as a constructor of the type that the function returns."""
    parts, end, kind = [], 0, ""
    for found in re.finditer(r"^(\w+) \w+\(|return \{(.*?)\};", text, re.DOTALL | re.MULTILINE):
        if found[1]:
            kind = found[1]
            continue
        parts += [text[end : found.start()], f"return {kind}({found[2]});"]
        end = found.end()
    return "".join(parts) + text[end:]


def glsl(header: str) -> str:
    text = header[header.index(FIRST) : header.index(LAST)]
    # Comments go first: words in them must not be taken for code.
    text = re.sub(*SPELLINGS[0], text)
    for pattern in LEFT_OUT:
        text = re.sub(pattern, "", text, flags=re.DOTALL)
    for pattern, spelling in SPELLINGS[1:]:
        text = re.sub(pattern, spelling, text)
    return HEAD + "\n" + with_named_returns(text).strip() + "\n"


def main(root: Path = ROOT) -> int:
    text = glsl((root / HEADER).read_text(encoding="utf-8"))
    shader = root / SHADER
    if "--check" not in sys.argv[1:]:
        shader.write_text(text, encoding="utf-8")
        return 0
    if shader.read_text(encoding="utf-8") == text:
        return 0
    print(f"{SHADER} is not what {HEADER} says (run scripts/stencil_glsl.py)")
    return 1


if __name__ == "__main__":
    sys.exit(main())
