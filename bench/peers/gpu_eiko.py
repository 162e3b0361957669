"""Fermat beside Eiko on one CUDA device, as PyTorch sees both: forward and backward.

    python bench/peers/gpu_eiko.py [--quick] [--rounds N] [--output FILE]

Needs a CUDA device, PyTorch, Eiko (pip install eiko) and Fermat built with CUDA; says what is missing
and ends without an error where one is. Tensors lie on the device before the clock starts; a time is
the median of seven runs after two that are not counted. Backward is from dJ/dT, which is 1 at every
node that a wave reaches, to dJ/ds. The medium is v = 2 + 0.5 z km/s in a box of
10 km, for which the time is known in closed form. Eiko starts from one node, so the source is on one.
"""

import argparse
import importlib
import json
import statistics
import sys
import time
from pathlib import Path

SIDE = 10.0
GRIDS = [(513, 513), (1601, 1601), (4097, 4097), (129,) * 3, (257,) * 3, (513,) * 3]


def missing():
    """What this machine lacks, as a sentence; None if nothing."""
    for name in ("torch", "eiko", "fermat"):
        try:
            importlib.import_module(name)
        except ImportError as error:
            return f"{name} is not installed ({error})"
    import fermat
    import torch

    if not torch.cuda.is_available():
        return "PyTorch has no CUDA device"
    if not fermat.devices():
        return "this build of Fermat has no CUDA device (configure with -DFERMAT_CUDA=ON)"
    return None


def median_ms(run, repeats=7):
    import torch

    seconds = []
    for n in range(repeats + 2):
        torch.cuda.synchronize()
        start = time.perf_counter()
        run()
        torch.cuda.synchronize()
        if n >= 2:
            seconds.append(time.perf_counter() - start)
    return 1e3 * statistics.median(seconds)


def closed_form(shape, node, spacing):
    """Times in v = 2 + 0.5 z from a node, in double precision (Slotnick 1959)."""
    import torch

    axes = [spacing * torch.arange(n, device="cuda", dtype=torch.float64) for n in shape]
    at = torch.meshgrid(*axes, indexing="ij")
    source = [spacing * n for n in node]
    apart2 = sum((a - s) ** 2 for a, s in zip(at, source, strict=True))
    v, v0 = 2 + 0.5 * at[-1], 2 + 0.5 * source[-1]
    return torch.acosh(1 + 0.25 * apart2 / (2 * v * v0)) / 0.5


def measure(shape):
    import eiko
    import torch

    import fermat.torch as ft

    spacing = SIDE / (shape[0] - 1)
    depth = spacing * torch.arange(shape[-1], device="cuda", dtype=torch.float32)
    slowness = (1 / (2 + 0.5 * depth)).expand(shape).contiguous()
    node = (*(n // 2 for n in shape[:-1]), shape[-1] // 20)
    source = [spacing * n for n in node]
    begin = torch.full(shape, float("inf"), device="cuda")
    begin[node] = 0
    of_eiko = eiko.eiko if len(shape) == 2 else eiko.eiko3d
    solvers = {
        "Eiko": lambda s: of_eiko(begin, s, dx=spacing),
        "Fermat": lambda s: ft.traveltimes(s, source, spacing, given="slowness"),
    }
    exact = closed_form(shape, node, spacing)
    rows = []
    for name, solve in solvers.items():
        leaf = slowness.clone().requires_grad_()
        times = solve(leaf)
        error = float((times.detach().double() - exact).abs().mean())
        ones = torch.isfinite(times).to(times.dtype)
        row = {
            "package": name,
            "grid": "x".join(map(str, shape)),
            "forward_ms": median_ms(lambda solve=solve: solve(slowness)),
            "backward_ms": median_ms(
                lambda times=times, ones=ones, leaf=leaf: torch.autograd.grad(
                    times, leaf, grad_outputs=ones, retain_graph=True
                )
            ),
            "mean_error_s": error,
        }
        rows.append(row)
        print("{package:7} {grid:12} forward {forward_ms:8.2f} ms  backward {backward_ms:8.2f} ms  "
              "mean error {mean_error_s:.1e} s".format(**row), flush=True)
    return rows


def tell_medians(rows):
    for package, grid in dict.fromkeys((row["package"], row["grid"]) for row in rows):
        of = [row for row in rows if (row["package"], row["grid"]) == (package, grid)]
        forward, backward = (statistics.median(row[name] for row in of) for name in ("forward_ms", "backward_ms"))
        print(f"{package:7} {grid:12} median of {len(of)}: forward {forward:.3f} ms  backward {backward:.3f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the smallest grids only")
    parser.add_argument("--rounds", type=int, default=1, help="measure each grid this often, one package after the other")
    parser.add_argument("--output", type=Path, help="JSON to write")
    options = parser.parse_args()
    lacking = missing()
    if lacking:
        print(f"nothing is measured: {lacking}")
        return 0
    grids = [GRIDS[0], GRIDS[3]] if options.quick else GRIDS
    rows = [row for shape in grids for _ in range(options.rounds) for row in measure(shape)]
    if options.rounds > 1:
        tell_medians(rows)
    if options.output:
        options.output.write_text(json.dumps(rows, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
