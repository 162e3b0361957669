"""Runs the benchmarks of the command line and returns their rows."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ._checked import checked
from ._program import program

if TYPE_CHECKING:
    from ._arguments import Device

__all__ = ["bench"]

Bench = Literal["eikonal", "rays", "graph", "bending", "metric", "tomography", "paper"]
Cell = int | float | str | None


@checked
def bench(
    what: Bench,
    *,
    device: Device = "auto",
    threads: int = 0,
    show: bool = False,
    **options: int | bool | str,
) -> list[dict[str, Cell]]:
    """Measure speed and accuracy on this machine, with the papers' tables of `fermat bench`.

    Parameters
    ----------
    what
        "eikonal" time fields, "rays", "graph" shortest paths, "bending" two-point rays,
        "metric" curved coordinates and anisotropy, "tomography", or "paper": all tables of one of
        the five papers.
    device, threads
        As in `traveltimes`.
    show
        Print the tables while they are measured.
    options
        Flags of `fermat bench <what>` by name: quick=True, repeat=3, largest=128; of a paper
        paper=5, figure="paper5.png".

    Returns
    -------
    list of dict
        One dict per measurement, one entry per column, None where a column does not apply.
        pandas.DataFrame accepts it.

    Examples
    --------
    >>> import fermat as fm
    >>> rows = fm.bench("rays", largest=64, rays=100, repeat=1, threads=1)
    >>> bool(rows[0]["rays"] == 100)
    True
    """
    flags = [f"--device={device}"]
    for name, value in (options | {"threads": threads or False}).items():
        if value is not False:
            flags.append(f"--{name}" + ("" if value is True else f"={value}"))
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.csv"
        run = subprocess.run(
            [program(), "bench", what, *flags, f"--csv={table}"],
            stdout=None if show else subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={"FERMAT_PYTHON": sys.executable, **os.environ},
        )
        if run.returncode != 0:
            sentence = run.stderr.strip().rpartition("error: ")[2]
            raise (ValueError if run.returncode == 2 else RuntimeError)(sentence)
        with table.open(newline="") as rows:
            return [{name: _cell(text) for name, text in row.items()} for row in csv.DictReader(rows)]


def _cell(text: str) -> Cell:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text or None
