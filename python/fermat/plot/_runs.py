"""What pictures read of inversions: of what `invert` returned, or of a folder of `fermat invert`."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._core import Model
from .._units import Units, of_settings

if TYPE_CHECKING:
    from numpy.typing import NDArray

Columns = dict[str, "NDArray[np.float64]"]


@dataclass
class Run:
    """An inversion as pictures want it; what it does not have is None."""

    model: Model
    start: Model | None
    coverage: NDArray[Any] | None
    """Rays in each cell."""
    resolution: NDArray[Any] | None
    """Diagonal of the resolution matrix, 0 to 1, shaped like the velocity."""
    deviation: NDArray[Any] | None
    """Standard deviation of the velocity, or its spread in an ensemble, shaped like it."""
    history: Columns
    residuals: Columns
    use: NDArray[np.str_]
    """ "used", "lost" or "rejected", one per pick."""
    models: list[Model]
    """One a model on the way, where they were kept."""
    name: str
    units: Units
    """As they were told; see `plot._units`."""

    @property
    def sources(self) -> NDArray[np.float64]:
        """Different positions, and where each pick's stands among them."""
        return np.unique(self.points("source"), axis=0)

    @property
    def receivers(self) -> NDArray[np.float64]:
        return np.unique(self.points("receiver"), axis=0)

    def points(self, role: str) -> NDArray[np.float64]:
        """One a pick."""
        axes = [axis for axis in "xyz" if f"{role}_{axis}" in self.residuals]
        return np.column_stack([self.residuals[f"{role}_{axis}"] for axis in axes])

    @property
    def shot(self) -> NDArray[np.intp]:
        """Number of each pick's source among `sources`."""
        return np.unique(self.points("source"), axis=0, return_inverse=True)[1].reshape(-1)

    @property
    def offset(self) -> NDArray[np.float64]:
        """Horizontal distance of source and receiver, one per pick."""
        apart = (self.points("receiver") - self.points("source"))[:, :-1]
        return np.asarray(np.sqrt((apart**2).sum(axis=1)))

    @property
    def computed(self) -> NDArray[np.float64]:
        """Times of the model found, one per pick."""
        return np.asarray(self.residuals["time"] - self.residuals["final_residual"])


def is_run(thing: Any) -> bool:
    """Whether it is a folder, or has a model and a history."""
    if isinstance(thing, (str, os.PathLike)):
        return True
    return hasattr(thing, "model") and hasattr(thing, "history")


def run_of(thing: Any) -> Run:
    if isinstance(thing, Run):
        return thing
    if isinstance(thing, (str, os.PathLike)):
        return _open(Path(thing))
    if not is_run(thing):
        raise ValueError(
            f"run of type {type(thing).__name__} is not understood (must be what invert returned, "
            "or a folder of fermat invert)"
        )
    return Run(
        model=thing.model,
        start=getattr(thing, "start", None),
        coverage=getattr(thing, "coverage", None),
        resolution=getattr(thing, "resolution", None),
        deviation=getattr(thing, "deviation", None),
        history=columns(thing, "history"),
        residuals=columns(thing, "residuals"),
        use=np.asarray(thing.use),
        models=list(getattr(thing, "models", None) or []),
        name="",
        units=getattr(thing, "units", Units()),
    )


def _open(folder: Path) -> Run:
    if not (folder / "model.h5").is_file():
        raise ValueError(f"'{folder}' has no model.h5 (must be a folder of fermat invert that ended)")
    model = Model.load(folder / "model.h5")
    start = folder / "start.h5"
    trust = _fields(folder / "trust.h5", 1 if model.cells else 0)
    for name, field in trust.items():
        if field.shape != model.velocity.shape:
            raise ValueError(
                f"{name} in '{folder / 'trust.h5'}' has shape {field.shape} (must be "
                f"{model.velocity.shape}, as the model)"
            )
    use = uses(folder)
    table = columns(folder, "residuals")
    return Run(
        model=model,
        start=Model.load(start) if start.is_file() else None,
        coverage=_fields(folder / "coverage.h5", 1).get("coverage"),
        resolution=trust.get("resolution"),
        deviation=trust.get("deviation", trust.get("spread")),
        history=columns(folder, "history"),
        residuals=table,
        use=np.full(len(table["time"]), "used") if use is None else use,
        models=_kept(folder, columns(folder, "history")),
        name=folder.resolve().name,
        units=of_settings(folder),
    )


def _kept(folder: Path, history: Columns) -> list[Model]:
    """Models on the way, if `--keep all` kept all of them."""
    files = [folder / "iterations" / f"{n:04.0f}-model.h5" for n in history["iteration"]]
    return [Model.load(file) for file in files] if all(f.is_file() for f in files) else []


def _fields(path: Path, kind: int) -> dict[str, NDArray[Any]]:
    """Arrays of points (0) or cells (1) of a file that may be missing."""
    return _core.load_fields(path)[kind] if path.is_file() else {}


def columns(run: Any, what: str) -> Columns:
    """The table `what` ("history" or "residuals"): of an object that has it, of a run's folder,
    of a CSV file, or of a mapping of columns."""
    table = getattr(run, what, run)
    if isinstance(table, (str, os.PathLike)):
        path = Path(table)
        return _read(path / f"{what}.csv" if path.is_dir() else path)
    names = getattr(getattr(table, "dtype", None), "names", None)
    if isinstance(table, Mapping) or hasattr(table, "keys"):
        names = list(table.keys())
    if names:
        return _numbers({str(name): table[name] for name in names})
    raise ValueError(
        f"{what} of type {type(run).__name__} is not understood (must be a run, its folder, a CSV "
        "file or a mapping of columns)"
    )


def uses(run: Any) -> NDArray[np.str_] | None:
    """What became of each pick, where the run says it."""
    if isinstance(run, (str, os.PathLike)):
        path = Path(run)
        rows = _rows(path / "residuals.csv" if path.is_dir() else path)
        return np.array([row["use"] for row in rows]) if "use" in rows[0] else None
    use = getattr(run, "use", None)
    return None if use is None else np.asarray(use)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    if not rows:
        raise ValueError(f"{path} has no rows")
    return rows


def _read(path: Path) -> Columns:
    """Columns of numbers; an empty field is NaN, and a column of words is left out."""
    rows = _rows(path)
    return _numbers({name: [row[name] or "nan" for row in rows] for name in rows[0]})


def _numbers(table: Mapping[str, Any]) -> Columns:
    """Columns of numbers; one of words, such as names of events, is left out."""
    out: Columns = {}
    for name, values in table.items():
        try:
            out[name] = np.asarray(values, float)
        except (TypeError, ValueError):
            continue
    return out
