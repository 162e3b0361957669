"""Files in the folder of an inversion, for tests that compare runs."""

import csv

RESULTS = ["model.h5", "coverage.h5", "residuals.csv"]


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def files_of(folder):
    """Names of files, without links for viewers."""
    return {path.name for path in folder.iterdir() if path.suffix != ".vtkhdf"}


def results(folder):
    """All files that must have the same bits, and the history without its seconds."""
    files = {name: (folder / name).read_bytes() for name in RESULTS}
    history = [
        {name: value for name, value in row.items() if not name.startswith("seconds")}
        for row in rows_of(folder / "history.csv")
    ]
    return files, history
