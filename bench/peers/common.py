"""What the comparisons share: the medium, a process of its own for each row, tables in Markdown."""

import datetime
import importlib.metadata
import multiprocessing
import os
import platform
import resource
import statistics
import sys
import time

# Before any package starts its threads.
for variable in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np

V0, GRADIENT, SIDE = 2.0, 0.5, 10.0


class Case:
    """v = 2 + 0.5 z km/s in a box of 10 km, the source near (5, 5, 0.5): on a node, since some
    packages know no others."""

    def __init__(self, nodes, flat=False):
        self.nodes = nodes
        self.h = SIDE / (nodes - 1)
        self.axis = np.arange(nodes) * self.h
        shape = (nodes, nodes) if flat else (nodes, nodes, nodes)
        velocity = np.broadcast_to(V0 + GRADIENT * self.axis, shape)
        self.velocity = velocity.astype(np.float32).copy()
        middle, z = round(5 / self.h) * self.h, round(0.5 / self.h) * self.h
        self.source = (middle, z) if flat else (middle, middle, z)

    def time(self, points):
        """The closed form at points given as coordinates along each axis."""
        r2 = sum((p - s) ** 2 for p, s in zip(points, self.source))
        v_source, v = (V0 + GRADIENT * z for z in (self.source[-1], points[-1]))
        return np.arccosh(1 + GRADIENT**2 * r2 / (2 * v_source * v)) / GRADIENT

    def errors(self, times):
        """Mean and largest relative error over nodes at least three cells from the source."""
        grids = np.meshgrid(*[self.axis] * len(self.source), indexing="ij", sparse=True)
        counted = sum((g - s) ** 2 for g, s in zip(grids, self.source)) >= (3 * self.h) ** 2
        error = np.abs(times[counted] / self.time(grids)[counted] - 1)
        return error.mean(), error.max()


def median_seconds(work, repeat):
    """Median seconds of some runs, and what the last of them gave. Seconds are those of this
    process on its processor, so that others on the machine count little."""
    runs = []
    for _ in range(repeat):
        start = time.process_time()
        result = work()
        runs.append(time.process_time() - start)
    return statistics.median(runs), result


def peak_mib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _child(function, pipe):
    try:
        pipe.send(("ok", function()))
    except BaseException as error:  # whatever a peer throws is a row of the table
        text = str(error).splitlines()
        pipe.send(("failed", f"{type(error).__name__}: {text[0][:60] if text else ''}"))


def isolated(function, timeout):
    """function() in a process of its own: ("ok", result) or ("failed", why). A package that hangs
    or crashes fails by itself."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    child = context.Process(target=_child, args=(function, theirs))
    child.start()
    theirs.close()
    try:
        if not ours.poll(timeout):
            return "failed", f"no result in {timeout} s"
        return ours.recv()
    except EOFError:
        child.join()
        return "failed", f"crashed with status {child.exitcode}"
    finally:
        if child.is_alive():
            child.kill()
        child.join()


def heading(packages):
    """Date, machine and versions: what a table must say of itself."""
    versions = []
    for package in packages:
        try:
            versions.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            versions.append(f"{package} (not installed)")
    processor = platform.processor() or platform.machine()
    with open("/proc/cpuinfo") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    if names:
        processor = f"{names[0]}, {len(names)} cores"
    command = " ".join(["python", os.path.relpath(sys.argv[0]), *sys.argv[1:]])
    return (f"{datetime.date.today()}, one thread of {processor}; {', '.join(versions)}. "
            f"Command: `{command}`.\n")


def print_row(*cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def print_head(*names):
    print_row(*names)
    print("|" + "---|" * len(names))
