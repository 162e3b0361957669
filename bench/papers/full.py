"""Everything on one CUDA machine in one run: `scripts/bench-papers --full`.

Paper 3, whose figure is about cores, is measured while nothing else runs. Then the CPU's tables of
the other papers are measured beside each other, a core or a few for each, while the device measures
its own one after another and takes the CPU's columns from those tables. Nothing but the standard
library is used; the page and the pictures can be made elsewhere with --report.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from pathlib import Path

#: Paper, threads, further flags: parts of a paper are merged in this order.
ON_THE_CPU: list[tuple[int, int, list[str]]] = [
    (4, 1, ["--tables", "Table 1"]),
    (4, 1, ["--tables", "Table 5"]),
    (4, 1, ["--tables", "Table 11,Both smoothers"]),
    *[(1, 1, ["--radii", str(radius), "--repeat", "1"]) for radius in range(1, 7)],
    (2, 4, ["--repeat", "1"]),
    (5, 1, []),
]
#: What needs no table of the CPU comes first.
ON_THE_DEVICE: list[tuple[int, list[str]]] = [(5, []), (3, []), (2, ["--repeat", "2"]), (1, []), (4, [])]
CORES_OF_PAPER_3 = 6


class Job:
    """A run of `fermat bench paper` whose rows end up in the results, also if it is stopped."""

    def __init__(self, full: FullRun, name: str, paper: int, device: str, flags: list[str]) -> None:
        self.paper, self.device, self.name = paper, device, name
        self.part = full.results / f".{name}.part.csv"
        self.log = open(full.results / f"{name}.log", "w", encoding="utf-8")
        words = [str(full.program), "bench", "paper", str(paper), "--device", device, "--csv",
                 str(self.part), *flags]
        print(f"{full.elapsed():6.0f} s  $ {' '.join(words[1:])}", flush=True)
        self.process = subprocess.Popen(words, stdout=self.log, stderr=subprocess.STDOUT)

    def stop(self) -> None:
        """As Ctrl-C does: rows that are measured are kept."""
        self.process.send_signal(signal.SIGINT)


class FullRun:
    def __init__(self, options: argparse.Namespace, merge: Callable[[Path, Path], None]) -> None:
        self.program, self.results = options.program, options.results
        self.archive, self.seconds = options.archive, options.seconds
        self.quick = ["--quick"] if options.quick else []
        self.merge = merge
        self.began = time.monotonic()
        self.failed: list[str] = []

    def elapsed(self) -> float:
        return time.monotonic() - self.began

    def table(self, paper: int, device: str) -> Path:
        return self.results / f"paper{paper}-{device}.csv"

    def take(self, job: Job) -> None:
        """Waits for a job and puts its rows among those of its paper."""
        try:
            status = job.process.wait(timeout=max(1.0, self.seconds - self.elapsed()))
        except subprocess.TimeoutExpired:
            job.stop()
            status = job.process.wait()
        job.log.close()
        if status != 0:
            self.failed.append(f"{job.name} (status {status})")
        if job.part.exists():
            self.merge(job.part, self.table(job.paper, job.device))
            job.part.unlink()
        print(f"{self.elapsed():6.0f} s  {job.name}: status {status}", flush=True)
        self.pack()

    def pack(self) -> None:
        """All tables and logs so far in one file."""
        if self.archive is None:
            return
        temporary = self.archive.with_name(f".{self.archive.name}.part")
        with tarfile.open(temporary, "w:gz") as archive:
            for file in sorted(self.results.glob("paper*")):
                archive.add(file, arcname=file.name)
        temporary.replace(self.archive)

    def run(self) -> int:
        self.results.mkdir(parents=True, exist_ok=True)
        quiet = Job(self, "paper3-cpu", 3, "cpu",
                    ["--threads", str(CORES_OF_PAPER_3), *self.quick])
        self.take(quiet)
        waiting: list[Job] = []
        for n, (paper, threads, flags) in enumerate(ON_THE_CPU):
            waiting.append(Job(self, f"paper{paper}-cpu-{n}", paper, "cpu",
                               ["--threads", str(threads), *flags, *self.quick]))
        for paper, flags in ON_THE_DEVICE:
            host = []
            if paper in (1, 4):  # their tables have columns of the CPU
                for job in [job for job in waiting if job.paper == paper]:
                    self.take(job)
                    waiting.remove(job)
                if self.table(paper, "cpu").exists():
                    host = ["--host", str(self.table(paper, "cpu"))]
            self.take(Job(self, f"paper{paper}-cuda", paper, "cuda",
                          ["--threads", "1", *flags, *host, *self.quick]))
        for job in waiting:
            self.take(job)
        for name in self.failed:
            print(f"failed or stopped: {name}", file=sys.stderr)
        return 1 if self.failed else 0
