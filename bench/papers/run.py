"""Measures the papers' tables and writes docs/papers.md with its figures.

    python bench/papers/run.py                       all five papers on the CPU
    python bench/papers/run.py 1 5 --device cuda     two of them on the CUDA device
    python bench/papers/run.py 1 --device cuda --sizes 128,224,512,992 --repeat 1
                                                     a part of paper 1's table, merged into the rest
    python bench/papers/run.py --full --program build/cuda/fermat
                                                     all of it on a CUDA machine of 16 cores, about
                                                     six minutes; --archive FILE.tar.gz takes it along
    python bench/papers/run.py --report              the page from the results that are there

Results are bench/papers/results/paper<N>-<device>.csv. The page shows the columns of all devices
that have results. Without Fermat's Python package or matplotlib, tables are measured and figures
left out; the page can be made elsewhere with --report.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))


def order(row: dict[str, str]) -> list[tuple[int, int, str]]:
    """Cases by the numbers in their names."""
    words = re.split(r"(\d+)", row["case"])
    return [(1, int(word), "") if word.isdigit() else (0, 0, word) for word in words]


def merge(part: Path, whole: Path) -> None:
    """Puts the rows of a part in the place of those of the same cases, or between the others of
    their tables."""
    from report import read

    fresh = read(part)
    old = read(whole) if whole.exists() else []
    cases = {(row["table"], row["case"]) for row in fresh}
    rows = []
    for table in dict.fromkeys(row["table"] for row in old + fresh):
        kept = [row for row in old if row["table"] == table and (table, row["case"]) not in cases]
        new = [row for row in fresh if row["table"] == table]
        rows += sorted(kept + new, key=order) if kept and new else kept + new
    temporary = whole.with_name(f".{whole.name}.part")
    with open(temporary, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fresh[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    temporary.replace(whole)


def measure(paper: int, options: argparse.Namespace) -> None:
    options.results.mkdir(parents=True, exist_ok=True)
    whole = options.results / f"paper{paper}-{options.device}.csv"
    in_parts = bool(options.tables or options.sizes or options.radii)
    target = whole.with_name(f"{whole.stem}.part.csv") if in_parts else whole
    words = [str(options.program), "bench", "paper", str(paper), "--device", options.device,
             "--csv", str(target)]
    for flag in ("tables", "sizes", "radii"):
        if getattr(options, flag):
            words += [f"--{flag}", getattr(options, flag)]
    if options.threads:
        words += ["--threads", str(options.threads)]
    if options.repeat:
        words += ["--repeat", str(options.repeat)]
    if options.quick:
        words.append("--quick")
    if options.figures and can_draw() and not in_parts:
        name = f"paper{paper}.png" if options.device == "cpu" else f"paper{paper}-{options.device}.png"
        words += ["--figure", str(options.images / name)]
    print("$", " ".join(words), flush=True)
    subprocess.run(words, check=True, env={"FERMAT_PYTHON": sys.executable, **os.environ})
    if in_parts:
        merge(target, whole)
        target.unlink()


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
    parser.add_argument("--tables", help="names of tables to measure, merged into the results")
    parser.add_argument("--sizes", help="of paper 1: sizes to measure, merged into the results")
    parser.add_argument("--radii", help="of paper 1: radii to measure, merged into the results")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--no-figures", dest="figures", action="store_false")
    parser.add_argument("--report", action="store_true", help="measure nothing")
    parser.add_argument("--full", action="store_true",
                        help="the CPU's and the device's tables of this machine, beside each other")
    parser.add_argument("--archive", type=Path, help="of --full: a .tar.gz of all tables and logs")
    parser.add_argument("--seconds", type=float, default=530,
                        help="of --full: after these, what still runs is stopped and keeps its rows")
    parser.add_argument("--results", type=Path, default=ROOT / "bench/papers/results")
    parser.add_argument("--images", type=Path, default=ROOT / "docs/images")
    parser.add_argument("--page", type=Path, default=ROOT / "docs/papers.md")
    options = parser.parse_args()
    for paper in options.papers:
        if not 1 <= paper <= 5:
            parser.error(f"paper is {paper} (must be from 1 to 5)")
    if options.full:
        from full import FullRun

        return FullRun(options, merge).run()
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
