"""docs/peers.md and its figure, from the results of run.py."""

import json

from compare import ahead, grid, is_ours, problem
from figure import draw
from tables import inversion_ahead, markdown, ratio_text, table, truths_ahead

HEADINGS = {
    "paper5": ("Paper 5's nine scenarios", "Squares of 100, 200 and 500 cells of size 1. Homogeneous:"
               " v = 2, source in the middle, 16 receivers round the edges. Layers: v = 2 over 5, the"
               " interface at a tenth of the depth, source at the corner, 19 receivers on the surface;"
               " errors are those along the surface. Nodes on the interface hold the mean of both"
               " velocities; Fermat's rows \"cells\", like fteikpy's, have velocity in cells, and the"
               " interface between them. Gradient: v = 1 + 0.01 z, the same survey. Fermat is also"
               " measured on coarser and finer grids of the same media, for comparisons at equal"
               " error."),
    "paper1": ("Paper 1's gradient", "v = 0.5 to 4 km/s over 10 km, source at the corner."),
    "volumes": ("3-D, constant gradient", "v = 2 + 0.5 z km/s in a cube of 10 km, source near"
                " (5, 5, 0.5), rays to 1000 random receivers."),
    "metric": ("In a sphere, and in anisotropic media", "Sphere: v = 8 (r/6371)⁻² km/s over 6° × 6° ×"
               " 200 km, the source at 50 km. Ellipse: 2-D, twice as fast along an axis turned by"
               " 30°. Slab: 3 across and 2 along z. Seconds are those of the processor, one thread."
               " Others are not on PyPI, or need what is not here, and were"
               " measured elsewhere by the project (one busy 2-core machine, upper bounds of seconds;"
               " errors are solid): the same sphere at 81³ by TomoATT 1.1.2, 6 s and 2.5e-4 at 400"
               " receivers; homogeneous TTI at 65³ by HFM/agd, 3.2 s and 2.8e-4; a tilted elliptical"
               " diffeomorphic medium at 101³ by HFM/agd of second order, 3.3 s and 2.1e-4."
               " `fermat bench metric` measures ours there."),
    "shortest-path": ("Shortest paths at equal accuracy", "v = 2 + 0.5 z km/s over 10 km; what the"
                      " forward star's radius is to Fermat, the number of secondary nodes on an edge"
                      " is to ttcrpy. Fermat is also measured on finer grids of the cube, for"
                      " comparisons at equal error."),
    "survey": ("One iteration of tomography", "100 shots by 100 receivers in the cube of 128³ nodes:"
               " times, rays and the sensitivity matrix of all 10,000 pairs. Errors are those of the"
               " times at receivers. A slow package does some of the shots, and its seconds are"
               " multiplied."),
    "koenigsee": ("Inversion of the Königssee line", "From the file of 714 picks to a model that"
                  " explains them: pyGIMLi by the settings of its own example, Fermat by those of"
                  " `examples/koenigsee`, until the misfit is 0.72 ms."),
    "truths": ("Inversion of known media", "The truths of `bench/inversion`: a weathered layer over"
               " bedrock with a channel (refraction), below a hill with a fault zone (hill), and two"
               " boreholes with an inclusion (crosshole). Both get the same noisy picks with their"
               " errors and the same start; the rest is what each chooses by itself. Errors are those"
               " of velocity at nodes that true rays cross; the correlation is that of the change"
               " from the start with the true one. Seconds are those of the processor, one thread."),
    "locations": ("Locations: NonLinLoc's Alaska sample", "Seven events from NonLinLoc's own picks,"
                  " stations and layers. Its row is what its `.hyp` files have; it is not run here:"
                  " elsewhere 7.1.05 took 1.5 s for the seven, with 20,000 samples each, its time"
                  " grids made before. Ours are processor seconds of one thread, with the time fields. The"
                  " first row has NonLinLoc's settings ([how-to](howto/earthquakes.md#as-nonlinloc))."
                  " Its own RMS residual is 0.8 s: where so much does not fit, equal differential times"
                  " (`edt`) are the choice, and Gaussian errors are not."),
    "ridgecrest": ("Relative places: Ridgecrest's synthetic events", "1000 events with elevations, reading"
                   " errors and outliers in a 3-D truth, all in VELEST's 1-D model, from the picks alone."
                   " The measure is the authors' (Y. Yu and others, GitHub,"
                   " YuYifan2000/comparison_hypoDD_GrowClust): per event the RMS over its pairs within 2 km of"
                   " found minus true distance, then the mean over events. Ours is over the first 500 events,"
                   " whose true distances are at hand; the other programs are not run here, and have what the"
                   " authors found for all 1000, GrowClust and hypoDD from correlations of waveforms, which ours"
                   " did not have. Ours are processor seconds of one thread"
                   " (`bench/location/ridgecrest.py`)."),
    "hypodd": ("Relative places: an example of hypoDD", "hypoDD's own files (`phase.dat`, `station.dat`, `dt.ct`,"
               " `dt.cc`) and layers, relocated by `fm.relocate`: over pairs of events within 2 km of each other in"
               " `hypoDD.reloc`, how much the distance differs from hypoDD's, and how much that of the catalogue"
               " does. Seconds are those of the processor, one thread."),
}


INTRODUCTION = """# Beside other packages

Written by `scripts/bench-peers` from the rows in `bench/peers/results`; do not edit.

Every row was measured in a process of its own, one after another. Imports, compilation and the making
of grids are left out; seconds are the median of five runs by the clock, fewer where a run takes long,
as the row says. Memory is the most that the process held, with interpreter, imports and model. Errors
are relative to the closed form, over nodes at least three cells from the source. No peer uses several
threads inside one shot, so that rows with more than one are Fermat's alone, but for surveys and
inversions. Fermat is compiled for the machine it runs on (as `scripts/build` does, and as fteikpy does
by itself); the other packages are what PyPI gives.

"Fermat ahead" is a peer's time over that of our fastest row whose mean error is no larger, with as many
threads: on the same grid, or on any grid of the same problem, which is then named. Rays are compared
where ours are also no further off and no more are lost. **Bold** marks what a peer does better.
"""


ON_A_GPU = """## On a GPU: Eiko

Eiko 0.9.0 (PyPI; PyTorch and JAX, first order) and Fermat on one H200, in the constant gradient of the cube, as PyTorch sees
both with tensors on the device: `bench/peers/gpu_eiko.py`, one run, 2026-11-16. Not measured by `scripts/bench-peers`, which
has no GPU. [More](eiko.md).

| grid | Eiko forward, ms | Eiko backward, ms | Eiko mean error | Fermat forward, ms | Fermat backward, ms | Fermat mean error |
| --- | --- | --- | --- | --- | --- | --- |
| 513² | 0.84 | **1.33** | 5.9e-3 | **0.74** | 1.43 | 2.7e-6 |
| 1601² | 2.47 | 9.02 | 2.4e-3 | **1.92** | **3.43** | 2.1e-6 |
| 4097² | 10.1 | 93.6 | 1.1e-3 | **5.66** | **8.01** | 6.3e-6 |
| 129³ | 2.30 | 7.29 | 3.3e-2 | **1.56** | **1.39** | 4.0e-5 |
| 257³ | 8.00 | 69.8 | 1.8e-2 | **3.34** | **3.55** | 9.8e-6 |
| 513³ | 59.6 | 601 | 1.0e-2 | **11.6** | **17.5** | 2.7e-6 |

At equal error Fermat is ahead everywhere: 17² nodes have a mean error of 3.0e-3 in 0.034 ms (0.053 with the gradient), and
33² nodes 6.5e-4 in 0.059 ms (0.094): `fm.traveltimes` and `fm.adjoint` on one thread of an AMD EPYC, without a GPU.
"""


def load(folder):
    """Results by workload, in the order of the headings."""
    found = {}
    for name in HEADINGS:
        path = folder / f"{name}.json"
        if path.exists():
            found[name] = json.loads(path.read_text())
    return found


def versions(results):
    found = {}
    for result in results.values():
        for row in result["rows"]:
            version = row["version"] or "not installed"
            if version not in found.setdefault(row["distribution"], []):
                found[row["distribution"]].append(version)
    return ", ".join(f"{name} {' and '.join(known)}" for name, known in found.items())


def comparisons(name, rows):
    """Kinds of comparison in a workload: a title and how a peer's row is compared."""
    if name == "koenigsee":
        return {"": lambda row: inversion_ahead(row, rows)}
    if name == "truths":
        return {"": lambda row: truths_ahead(row, rows)}
    if name in ("locations", "ridgecrest", "hypodd"):  # others' seconds are not of this machine
        return {}
    kinds = {"": lambda row: ahead(row, rows)}
    rays = any("with_rays" in row for row in rows)
    if rays:
        kinds[", with rays"] = lambda row: ahead(row, rows, rays=True)
    if len({grid(row) for row in rows}) > len({problem(row) for row in rows}):
        kinds[", any grid"] = lambda row: ahead(row, rows, anywhere=True)
        if rays:
            kinds[", any grid, with rays"] = lambda row: ahead(
                row, rows, anywhere=True, rays=True)
    return kinds


def span(found):
    """Least and largest of ratios in words; None stands for a row that ours are not as accurate
    as."""
    known = sorted(value[0] for value in found if value)
    texts = [ratio_text(value) for value in (known[:1] + known[-1:] if len(known) > 1 else known)]
    text = " to ".join(texts)
    if known and known[0] < 1:
        text = f"**{text}**"
    missing = sum(value is None for value in found)
    if missing:
        text += f"{'; ' if text else ''}**{missing} of {len(found)} not as accurate**"
    return text


def summary(results):
    """Least and largest ratio of each peer in each workload."""
    peers = []
    for name, result in results.items():
        for row in result["rows"]:
            known = is_ours(row) or row["distribution"] in peers
            if not known and comparisons(name, result["rows"]):
                peers.append(row["distribution"])
    body = []
    for name, result in results.items():
        for kind, compared in comparisons(name, result["rows"]).items():
            found = {peer: [] for peer in peers}
            for row in result["rows"]:
                if (value := compared(row)) != "":
                    found[row["distribution"]].append(value)
            body.append([HEADINGS[name][0] + kind, *(span(found[peer]) for peer in peers)])
    return markdown(["Fermat ahead, ×", *peers], body)


def losses(results):
    """A line for each comparison in which a peer is ahead or more accurate than all of ours."""
    for name, result in results.items():
        for kind, compared in comparisons(name, result["rows"]).items():
            for row in result["rows"]:
                found = compared(row)
                if found is None or (found and found[0] < 1):
                    what = "ours are not as accurate" if found is None else f"{found[0]:.2g} ×"
                    yield (f"{HEADINGS[name][0]}{kind}: {row['method']}, {row['medium']} "
                           f"{row.get('nodes', '')}: {what}")


def told(result):
    """When and where the rows of a workload were measured."""
    days = [row["date"] for row in result["rows"] if row.get("date", result["date"]) != result["date"]]
    older = (f"; {len(days)} {'row is' if len(days) == 1 else 'rows are'} of "
             f"{' and '.join(sorted(set(days)))}") if days else ""
    return (f"{result['date']}, {result['machine']}, a load of {result['load']:.1f} before; Python "
            f"{result['python']}; rows end after {result['limit']:.0f} s{older}.")


def write_page(folder, docs):
    """Writes the page and its figure; gives the lines of what peers do better."""
    results = load(folder)
    parts = [INTRODUCTION, f"Versions: {versions(results)}.\n", summary(results)]
    rows = {name: result["rows"] for name, result in results.items()}
    if draw(rows, docs / "images" / "peers.png"):
        parts.append("## Accuracy per second\n\n![Mean error against seconds of every package and "
                     "order](images/peers.png)\n\nOne thread; further down and to the left is "
                     "better. Points of a line are grids of growing size.\n")
    for name, result in results.items():
        title, text = HEADINGS[name]
        parts.append(f"## {title}\n\n{text} {told(result)}\n\n{table(name, result['rows'])}")
    parts.append(ON_A_GPU)
    (docs / "peers.md").write_text("\n".join(parts))
    return list(losses(results))
