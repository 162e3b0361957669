"""Measures the papers' tables and writes docs/papers.md with its figures.

    python bench/papers/run.py                       all five papers on the CPU
    python bench/papers/run.py 1 5 --device cuda     two of them on the CUDA device
    python bench/papers/run.py --report              the page from the results that are there

Results are bench/papers/results/paper<N>-<device>.csv. The page shows the columns of all devices
that have results. Without Fermat's Python package or matplotlib, tables are measured and figures
left out; the page can be made elsewhere with --report.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))


def measure(paper: int, options: argparse.Namespace) -> None:
    options.results.mkdir(parents=True, exist_ok=True)
    words = [str(options.program), "bench", "paper", str(paper), "--device", options.device,
             "--csv", str(options.results / f"paper{paper}-{options.device}.csv")]
    if options.threads:
        words += ["--threads", str(options.threads)]
    if options.repeat:
        words += ["--repeat", str(options.repeat)]
    if options.quick:
        words.append("--quick")
    if options.figures and can_draw():
        name = f"paper{paper}.png" if options.device == "cpu" else f"paper{paper}-{options.device}.png"
        words += ["--figure", str(options.images / name)]
    print("$", " ".join(words), flush=True)
    subprocess.run(words, check=True, env={"FERMAT_PYTHON": sys.executable, **os.environ})


def can_draw() -> bool:
    return all(importlib.util.find_spec(name) for name in ("fermat", "matplotlib"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("papers", nargs="*", type=int, metavar="N",
                        help="papers, 1 to 5 (default: all that the device computes)")
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/fermat")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda", "opengl"))
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--repeat", type=int, default=0)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--no-figures", dest="figures", action="store_false")
    parser.add_argument("--report", action="store_true", help="measure nothing")
    parser.add_argument("--results", type=Path, default=ROOT / "bench/papers/results")
    parser.add_argument("--images", type=Path, default=ROOT / "docs/images")
    parser.add_argument("--page", type=Path, default=ROOT / "docs/papers.md")
    options = parser.parse_args()
    for paper in options.papers:
        if not 1 <= paper <= 5:
            parser.error(f"paper is {paper} (must be from 1 to 5)")
    papers = options.papers or ([1, 2] if options.device == "opengl" else [1, 2, 3, 4, 5])
    if not options.report:
        for paper in papers:
            measure(paper, options)
    from report import write_page

    write_page(options.page, options.results)
    print(f"wrote {options.page}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
