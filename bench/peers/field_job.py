"""One row of the tables of time fields: a package in a medium, with rays where asked for."""

from measure import median_seconds, peak_mib
from media import MEDIA
from packages import METHODS


def make(job, nodes):
    refined = {"refined": job["refined"]} if "refined" in job else {}
    medium = MEDIA[job["medium"]](nodes, **refined)
    kind, options = METHODS[job["method"]]
    if job["threads"] > 1:
        options = options | {"threads": job["threads"]}
    return medium, kind(medium, **options)


def run(job):
    warm_medium, warm = make(job, 20)
    warm.solve()
    rays = job.get("rays", False) and hasattr(warm, "solve_and_trace")
    if rays:
        try:
            warm.solve_and_trace(warm_medium.receivers[:2])
        except Exception:  # told of the true medium below, where the field is a row all the same
            pass
    medium, package = make(job, job["nodes"])
    seconds, runs, _ = median_seconds(package.solve, job["repeats"])
    row = {"seconds": seconds, "runs": runs, "peak_mib": peak_mib()}
    row["mean_error"], row["max_error"] = medium.errors(package.field())
    if rays:
        row |= _traced(medium, package, seconds, job["repeats"])
    return row


def _traced(medium, package, solve_seconds, repeats):
    """Seconds of the field and the rays together. A package that takes long for a ray traces some
    of them, and the seconds of one are multiplied."""
    most = getattr(package, "most_rays", None)
    receivers = medium.receivers
    try:
        if most is None or most >= len(receivers):
            total, _, paths = median_seconds(lambda: package.solve_and_trace(receivers), repeats)
            traced = len(receivers)
        else:
            some, _, paths = median_seconds(lambda: package.trace(receivers[:most]), 1)
            total = solve_seconds + some * len(receivers) / most
            traced = most
    except Exception as error:  # whatever a peer throws belongs in its row
        return {"rays_failed": f"{type(error).__name__}: {error}"[:80]}
    off, lost = medium.judge_rays(paths)
    return {"with_rays": total, "rays": len(receivers), "traced": traced, "lost": lost, "off": off,
            "off_length": None if off is None else off * medium.h, "rays_peak_mib": peak_mib()}
