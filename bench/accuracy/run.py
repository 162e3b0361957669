"""How exact times are: `python bench/accuracy/run.py` writes docs/accuracy.md.

Every medium has a truth of its own (media.py, truths.py): a closed form, or shortest paths through
many points. `--only WORD` measures the media whose name holds it and prints them; `--device cuda`
solves on a card.
"""

from __future__ import annotations

import argparse
import platform
import warnings
from datetime import date
from pathlib import Path

import fermat as fm
import numpy as np
from media import MEDIA, Case, Medium

PAIRS = 16

HEAD = """# How exact times are

Made by `python bench/accuracy/run.py` (Fermat {version}, {when}, device {device}). Errors are relative: of times on
nodes (more than two steps from the source), of times at random receivers between nodes, and of times along rays to
them; *both ways* is how much the times between two points differ if source and receiver change places. Order is
log2 of the ratio of means on the last two grids. Each truth is independent of the solvers: closed forms
(`bench/accuracy/truths.py`), or shortest paths, which are themselves late by some 1e-4. Times of receivers in layers
and cells are read as the solver would make them, see [methods](methods.md#velocity-in-cells).

"""

COLUMNS = (
    "| medium | truth | grid | nodes: mean, largest | between nodes | along rays | both ways |\n"
    "|---|---|---|---|---|---|---|\n"
)


def errors(times: np.ndarray, exact: np.ndarray) -> tuple[float, float]:
    relative = np.abs(times / exact - 1)
    relative = relative[np.isfinite(exact) & (exact > 0)]
    return float(relative.mean()), float(relative.max())


def both_ways(case: Case, device: str) -> tuple[float, float]:
    points = case.points[:PAIRS]
    times = np.array([fm.receiver_times(case.model, tuple(p), points, device=device)[0] for p in points])
    a, b = np.triu_indices(len(points), 1)
    differ = np.abs(times[a, b] - times[b, a]) / np.maximum(times[a, b], times[b, a])
    return float(differ.mean()), float(differ.max())


def measure(case: Case, device: str) -> dict[str, tuple[float, float]]:
    found = {}
    if case.nodes:
        times = fm.traveltimes(case.model, case.source, device=device).ravel()
        places = case.model.node_positions().reshape(len(times), -1)
        exact = case.exact(case.source, places)
        velocity = float(np.median(case.model.velocity))
        far = exact > 2.5 * case.spacing / velocity
        found["nodes"] = errors(times[far], exact[far])
    exact = case.exact(case.source, case.points)
    at = fm.receiver_times(case.model, case.source, case.points, device=device)[0]
    found["between"] = errors(at, exact)
    rays = fm.rays(case.model, case.source, case.points, device=device)
    found["rays"] = errors(np.asarray(rays.times), exact)
    found["both"] = both_ways(case, device)
    return found


def rows(medium: Medium, device: str) -> str:
    text = ""
    results = []
    for number, size in enumerate(medium.sizes):
        case = medium.make(size)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            result = measure(case, device)
        results.append(result)
        last = number + 1 == len(medium.sizes)
        cells = []
        for name in ("nodes", "between", "rays", "both"):
            if name not in result:
                cells.append("–")
                continue
            mean, largest = result[name]
            cell = f"{mean:.1e}, {largest:.1e}"
            before = results[-2][name][0] if last and len(results) > 1 else 0
            if before > 1e-6 and mean > 0 and name != "both":
                cell += f" (order {np.log2(before / mean):.1f})"
            cells.append(cell)
        grid = case.grid + (" *" if any("first order" in str(w.message) for w in told) else "")
        name, truth = (medium.name, medium.truth) if number == 0 else ("", "")
        text += f"| {name} | {truth} | {grid} | " + " | ".join(cells) + " |\n"
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="measure only media whose name holds this word")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("-o", "--output", type=Path, default=Path(__file__).parents[2] / "docs/accuracy.md")
    options = parser.parse_args()
    chosen = [medium for medium in MEDIA if options.only in medium.name]
    text = ""
    for medium in chosen:
        part = rows(medium, options.device)
        print(part, end="", flush=True)
        text += part
    if options.only:
        return
    head = HEAD.format(version=fm.__version__, when=date.today(), device=options.device)
    tail = "\n\\* The second order did not settle: times of first order, which a warning says.\n"
    tail += f"\nMachine: {platform.machine()}, {platform.system()}.\n"
    options.output.write_text(head + COLUMNS + text + tail)


if __name__ == "__main__":
    main()
