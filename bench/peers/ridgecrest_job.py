"""Ridgecrest's synthetic benchmark: 1000 events in a 3-D truth, beside what its authors found."""

import sys
import time
import warnings
from pathlib import Path

from measure import median_seconds, peak_mib

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "location"))

# Runs of bench/location/ridgecrest.py.
WAYS = {"Fermat locate, 1-D": "plain", "Fermat locate, station terms": "find",
        "Fermat locate, source-specific terms": "ssst",
        "Fermat locate, then relocate by catalogue differences": "relocate"}
# Horizontal and vertical km over all 1000 events, as the authors have them (Y. Yu and others, GitHub,
# YuYifan2000/comparison_hypoDD_GrowClust); the last two with correlations of waveforms.
PUBLISHED = {"VELEST": (0.552, 0.711), "HypoInverse": (0.571, 0.684),
             "GrowClust, correlations": (0.113, 0.303), "hypoDD, correlations": (0.081, 0.151)}


def run(job):
    if job["distribution"] != "fermat":
        across, down = PUBLISHED[job["method"]]
        return {"seconds": None, "runs": 0, "events": 1000, "across": across, "down": down,
                "peak_mib": None, "version": "as published"}
    import ridgecrest

    warnings.simplefilter("ignore")
    stations, phases, pairs, order = ridgecrest.read(Path(job["data"]))
    crust = ridgecrest.models()

    def work():
        return ridgecrest.find(WAYS[job["method"]], crust, stations, phases, job["threads"])

    seconds, runs, (found, places) = median_seconds(work, job["repeats"], time.process_time)
    across, down, _ = ridgecrest.score(ridgecrest.in_order(found, places, order), pairs)
    return {"seconds": seconds, "runs": runs, "events": 500, "across": across, "down": down,
            "peak_mib": peak_mib()}
