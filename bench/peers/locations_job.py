"""NonLinLoc's Alaska sample: seven events from its own files, beside its own results (`*.hyp`)."""

import re
import time
from pathlib import Path

import numpy as np
from measure import median_seconds, peak_mib

# Its control file: layers, and time grids of 400 km.
LAYERS = [(-5, 5.3), (4, 5.6), (9, 6.2), (14, 6.9), (19, 7.4), (24, 7.7), (33, 7.9), (49, 8.1),
          (66, 8.3)]
WAYS = {
    "Fermat, as NonLinLoc (edt, order 1)": {"likelihood": "edt", "order": 1, "model_error": 0,
                                            "model_error_share": 0.02, "reach": 400},
    "Fermat, edt, order 2": {"likelihood": "edt", "model_error": 0, "model_error_share": 0.02,
                             "reach": 400},
    "Fermat, Gaussian errors, that of the model found": {"reach": 400},
}


def published(folder):
    """Latitude, longitude, depth and RMS residual of each event's .hyp file."""
    found = {}
    for path in sorted(Path(folder).glob("*.hyp")):
        text = path.read_text()
        at = re.search(r"^GEOGRAPHIC.* Lat (\S+) Long (\S+) Depth (\S+)", text, re.MULTILINE)
        rms = re.search(r"^QUALITY.* RMS (\S+)", text, re.MULTILINE)
        found[path.stem.split(".", 1)[1]] = [float(word) for word in (*at.groups(), rms[1])]
    return found


def run(job):
    theirs = published(job["data"])
    if job["distribution"] != "fermat":
        return {"seconds": None, "runs": 5, "events": len(theirs), "peak_mib": None,
                "rms": float(np.mean([row[3] for row in theirs.values()])), "version": "7.1.05",
                "apart": 0.0, "furthest": 0.0}
    import fermat

    folder = Path(job["data"])
    model = fermat.Model.layers((201, 201, 106), layers=LAYERS, spacing=1, origin=(-100, -100, -5),
                                cells=True)

    def work():
        return fermat.locate(model, folder / "events.obs",
                             stations=folder / "station_coordinates.txt", centre=(-150, 61),
                             vp_vs=1.68, threads=job["threads"], device="cpu", **WAYS[job["method"]])

    seconds, runs, found = median_seconds(work, job["repeats"], time.process_time)
    longitude, latitude = found.plane.to_geographic(found.position[:, 0], found.position[:, 1])
    apart = []
    shared = [n for n, event in enumerate(found.event) if event in theirs]
    for n in shared:
        la, lo, depth, _ = theirs[found.event[n]]
        east = 111.2 * np.cos(np.radians(la)) * (longitude[n] - lo)
        apart.append(np.linalg.norm([111.2 * (latitude[n] - la), east, found.position[n, 2] - depth]))
    return {"seconds": seconds, "runs": runs, "events": len(apart), "peak_mib": peak_mib(),
            "rms": float(np.mean(found.rms[shared])), "apart": float(np.median(apart)),
            "furthest": float(np.max(apart))}
