"""Fermat and other packages on the same work, one after another on this machine.

    python bench/peers/run.py                     # all workloads, then the page of the docs
    python bench/peers/run.py volumes survey      # these anew, the others as they were
    python bench/peers/run.py metric --media slab # rows of one medium anew, as of a table's first column
    python bench/peers/run.py truths --media hill --only Fermat   # and of one package
    python bench/peers/run.py --report            # the page from the results, nothing measured
    python bench/peers/run.py --quick --results FOLDER --docs FOLDER   # a smoke test

Each row is measured in a process of its own: imports, compilation and the making of grids are left
out by a small problem solved first; seconds are the median of five runs by the clock (fewer where
one takes over 4 s); memory is the most that the process held. A package that is missing, fails,
crashes or takes longer than --limit is a row that says so. Rows go to bench/peers/results, one file
a workload, and from there to docs/peers.md with its figure.
"""

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

from child import installed_as
from report import write_page
from workloads import WORKLOADS

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DATA = ROOT.parent / "shared" / "data" / "koenigsee.sgt"


def measure(job, limit):
    """The row of a job, whatever becomes of its process."""
    environment = dict(os.environ)
    for name in ("OMP", "NUMBA", "OPENBLAS", "MKL"):
        environment[f"{name}_NUM_THREADS"] = str(job["threads"])
    reading, writing = os.pipe()
    with tempfile.TemporaryFile("w+") as errors, os.fdopen(reading) as answers:
        child = subprocess.Popen(
            [sys.executable, HERE / "child.py", str(writing)], stdin=subprocess.PIPE, text=True,
            stdout=subprocess.DEVNULL, stderr=errors, pass_fds=[writing], env=environment, cwd=HERE)
        os.close(writing)
        try:
            child.communicate(json.dumps(job), timeout=limit)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
            return {"failed": f"no result in {limit:.0f} s"}
        text = answers.read()
        if text:
            return json.loads(text)
        errors.seek(0)
        last = (errors.read().splitlines() or [""])[-1][:80]
        return {"failed": f"crashed with status {child.returncode}: {last}"}


def machine():
    with open("/proc/cpuinfo") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return f"{names[0] if names else platform.machine()}, {os.cpu_count()} cores"


def installed_version(job):
    try:
        return importlib.metadata.version(installed_as(job))
    except importlib.metadata.PackageNotFoundError:
        return None


def key(row):
    return row["method"], row["medium"], row.get("nodes"), row.get("refined"), row["threads"]


def run_workload(name, arguments, setup, before):
    """Measures a workload; rows that --only and --media leave out stay as they were before."""
    rows = []
    load = os.getloadavg()[0]
    for job in WORKLOADS[name](setup):
        left_out = arguments.only and not any(part in job["method"] for part in arguments.only)
        if left_out or (arguments.media and job["medium"] not in arguments.media):
            rows += [row for row in before["rows"] if key(row) == key(job)]
            continue
        job["repeats"] = arguments.repeat
        start = time.perf_counter()
        if job.get("data", "") is None:
            row = {"failed": "the data are not here"}
        else:
            row = measure(job, arguments.limit)
        row.setdefault("version", installed_version(job))
        job.pop("data", None)
        rows.append(job | row | {"date": str(datetime.date.today())})
        told = row.get("failed") or "  ".join(
            f"{key} {value:.3g}" for key, value in row.items() if isinstance(value, (int, float)))
        print(f"{name}: {job['method']}, {job['medium']} {job.get('nodes', '')}, "
              f"{job['threads']} threads: {told}  [{time.perf_counter() - start:.0f} s]", flush=True)
    return {"workload": name, "date": str(datetime.date.today()), "machine": machine(),
            "load": load, "python": platform.python_version(), "limit": arguments.limit, "rows": rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workloads", nargs="*", help=", ".join(WORKLOADS))
    parser.add_argument("--quick", action="store_true", help="small sizes, one run")
    parser.add_argument("--only", nargs="+", help="parts of names of methods")
    parser.add_argument("--media", nargs="+", help="media, as the first column of a table names them")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--limit", type=float, default=200, help="seconds a row may take")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of the threaded rows")
    parser.add_argument("--data", type=Path, default=DATA, help="koenigsee.sgt, beside nlloc_alaska, ridgecrest and hypodd")
    parser.add_argument("--results", type=Path, default=HERE / "results")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="where peers.md goes")
    parser.add_argument("--report", action="store_true", help="only write the page again")
    arguments = parser.parse_args()
    unknown = set(arguments.workloads) - set(WORKLOADS)
    if unknown:
        parser.error(f"no workload {', '.join(sorted(unknown))} (there are {', '.join(WORKLOADS)})")
    if arguments.quick:
        arguments.repeat = 1
    if arguments.media and not arguments.workloads:
        parser.error("--media needs a workload (its tables name the media)")
    catalogue, synthetic, doubles = (arguments.data.parent / name
                                     for name in ("nlloc_alaska", "ridgecrest", "hypodd"))
    setup = SimpleNamespace(
        quick=arguments.quick, threads=sorted({1, arguments.threads}),
        data=str(arguments.data.resolve()) if arguments.data.exists() else None,
        catalogue=str(catalogue.resolve()) if catalogue.is_dir() else None,
        ridgecrest=str(synthetic.resolve()) if synthetic.is_dir() else None,
        hypodd=str(doubles.resolve()) if doubles.is_dir() else None)
    arguments.results.mkdir(parents=True, exist_ok=True)
    (arguments.docs / "images").mkdir(parents=True, exist_ok=True)
    media = {job["medium"] for name in arguments.workloads for job in WORKLOADS[name](setup)}
    if missing := sorted(set(arguments.media or ()) - media):
        parser.error(f"no medium {', '.join(missing)} (there are {', '.join(sorted(media))})")
    for name in [] if arguments.report else arguments.workloads or WORKLOADS:
        path = arguments.results / f"{name}.json"
        before = json.loads(path.read_text()) if path.exists() else {"rows": []}
        for row in before["rows"] if "date" in before else []:
            row.setdefault("date", before["date"])
        found = run_workload(name, arguments, setup, before)
        path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    ahead = write_page(arguments.results, arguments.docs)
    print(f"{arguments.docs / 'peers.md'} is written; a peer is ahead in {len(ahead)} comparisons:")
    for line in ahead:
        print(f"  {line}")


if __name__ == "__main__":
    main()
