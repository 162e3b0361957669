"""The workloads: which rows each has, as jobs for child.py."""

import hypodd_job
import koenigsee_job
import locations_job
import metric_job
import packages
import ridgecrest_job
import survey_job
import truths_job

FERMAT = "Fermat fim, order 2"
PEERS = ("pyekfmm, order 2", "fteikpy, 2 sweeps", "ttcrpy FSM, order 1", "scikit-fmm, order 2",
         "pykonal")


def field(method, medium, nodes, *, threads=1, **more):
    return {"kind": "field_job", "method": method, "medium": medium, "nodes": nodes,
            "threads": threads, "distribution": packages.METHODS[method][0].distribution,
            **more}


def paper5(setup):
    jobs = []
    for medium in ("homogeneous", "layers", "gradient"):
        for cells in (100,) if setup.quick else (100, 200, 500):
            jobs += [field(FERMAT, medium, cells, threads=n, rays=True) for n in setup.threads]
            # For comparisons at equal accuracy. An interface must lie on nodes of its grid.
            refined = (0.5, 2, 4) if medium == "layers" else (0.25,)
            jobs += [field(FERMAT, medium, cells, rays=True, refined=r) for r in refined]
            if medium == "layers":
                # The interface between cells, as fteikpy has it.
                jobs += [field("Fermat fim, cells", medium, cells, threads=n, rays=True)
                         for n in setup.threads]
                jobs += [field("Fermat fim, cells", medium, cells, rays=True, refined=r)
                         for r in (0.3, 0.5)]
                # Head waves are what it is for.
                jobs.append(field("Fermat vidale", medium, cells, rays=True))
            jobs += [field(name, medium, cells, rays=True) for name in PEERS]
            if medium == "layers" and cells <= 200:  # the most accurate of its ways, and slow
                jobs.append(field("ttcrpy SPM, 10 secondary, cells", medium, cells))
    return jobs


def paper1(setup):
    every = ("Fermat fim, order 1", "Fermat fmm, order 2", "Fermat vidale", *PEERS,
             "pyekfmm, order 1", "scikit-fmm, order 1")
    jobs = [field(FERMAT, "paper 1", 32 if setup.quick else 64)]  # for comparisons at equal error
    for nodes in (64, 128) if setup.quick else (128, 256, 512, 1024, 1600):
        jobs += [field(FERMAT, "paper 1", nodes, threads=n) for n in setup.threads]
        jobs += [field(name, "paper 1", nodes) for name in every]
        if nodes <= 512:
            jobs.append(field("ttcrpy FSM, WENO3", "paper 1", nodes))
    return jobs


def volumes(setup):
    """Slow variants are left out of the larger cubes."""
    # Smaller than any peer's, for comparisons at equal error.
    jobs = [field(FERMAT, "cube", 20 if setup.quick else 32, rays=True)]
    for nodes in (24, 32) if setup.quick else (64, 128, 256):
        jobs += [field(FERMAT, "cube", nodes, threads=n, rays=True) for n in setup.threads]
        jobs += [field(name, "cube", nodes) for name in (
            "Fermat fim, order 1", "Fermat fmm, order 2", "Fermat vidale") if
            nodes <= 128 or "fim" in name]
        jobs += [field(name, "cube", nodes, rays=True) for name in PEERS]
        if nodes <= 128:
            jobs += [field(name, "cube", nodes) for name in (
                "pyekfmm, order 1", "scikit-fmm, order 1", "pykonal, point source")]
        if nodes <= 64:
            jobs.append(field("ttcrpy FSM, WENO3", "cube", nodes))
    return jobs


def shortest_path(setup):
    jobs = []
    for medium, nodes, radii, counts in (
            (("square", 64, (1, 5), (2,)),) if setup.quick else
            (("square", 512, range(1, 9), (2, 5, 10)), ("cube", 32, range(1, 8), (2, 5)))):
        jobs += [field(f"Fermat dijkstra, radius {radius}", medium, nodes) for radius in radii]
        jobs += [field(f"ttcrpy SPM, {count} secondary", medium, nodes) for count in counts]
    # Our corners are nodes, ttcrpy's lie between them: a finer grid, for comparisons at equal error.
    finer = ((24, 3),) if setup.quick else ((48, 5), (48, 6), (64, 5))
    jobs += [field(f"Fermat dijkstra, radius {radius}", "cube", nodes) for nodes, radius in finer]
    return jobs


def survey(setup):
    size = {"nodes": 24, "shots": 4, "receivers": 5} if setup.quick else {
        "nodes": 128, "shots": 100, "receivers": 100}
    return [{"kind": "survey_job", "method": name, "medium": "cube", "distribution": distribution,
             "threads": setup.threads[-1], **size}
            for name, (_, distribution, _) in survey_job.SURVEYS.items()]


def koenigsee(setup):
    return [{"kind": "koenigsee_job", "method": name, "medium": "Königssee",
             "distribution": distribution, "threads": threads, "data": setup.data}
            for name, (_, distribution) in koenigsee_job.INVERSIONS.items()
            for threads in setup.threads if distribution == "fermat" or threads > 1
            or len(setup.threads) == 1]


def truths(setup):
    """Slow peers get the first seed alone."""
    kinds = ("crosshole",) if setup.quick else ("refraction", "hill", "crosshole")
    return [{"kind": "truths_job", "method": name, "medium": kind, "distribution": distribution,
             "threads": 1, "seeds": [10]}
            for kind in kinds for name, (_, distribution) in truths_job.INVERSIONS.items()]


def metric(setup):
    jobs = []
    for medium, sizes, peer in (("sphere", (21, 41, 81), "pykonal, point source"),
                                ("ellipse", (26, 51, 101), "ttcrpy SPM, 5 secondary"),
                                ("slab", (17, 33, 65), "pyekfmm eikonalvti, order 1")):
        for name, grids in (("Fermat fim, order 2", sizes), (peer, sizes[-1:])):
            jobs += [{"kind": "metric_job", "method": name, "medium": medium, "nodes": nodes,
                      "threads": 1, "distribution": metric_job.METHODS[name][1]}
                     for nodes in (grids[:1] if setup.quick else grids)]
    return jobs


def locations(setup):
    rows = {**dict.fromkeys(locations_job.WAYS, "fermat"), "NonLinLoc": "NonLinLoc"}
    return [{"kind": "locations_job", "method": name, "medium": "Alaska", "threads": 1,
             "distribution": distribution, "data": setup.catalogue}
            for name, distribution in rows.items()]


def ridgecrest(setup):
    rows = {**dict.fromkeys(ridgecrest_job.WAYS, "fermat"),
            **{name: name.split(",")[0] for name in ridgecrest_job.PUBLISHED}}
    return [{"kind": "ridgecrest_job", "method": name, "medium": "Ridgecrest", "threads": 1,
             "distribution": distribution, "data": setup.ridgecrest}
            for name, distribution in rows.items()]


def hypodd(setup):
    return [{"kind": "hypodd_job", "method": name, "medium": "hypoDD's example", "threads": 1,
             "distribution": "fermat", "data": setup.hypodd} for name in hypodd_job.WAYS]


WORKLOADS = {"paper5": paper5, "paper1": paper1, "volumes": volumes, "metric": metric,
             "shortest-path": shortest_path, "survey": survey, "koenigsee": koenigsee,
             "truths": truths, "locations": locations, "ridgecrest": ridgecrest,
             "hypodd": hypodd}
