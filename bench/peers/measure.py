"""Seconds and memory of this process."""

import statistics
import time


def repeats_for(seconds):
    """Five runs, fewer of what takes long."""
    return 5 if seconds < 4 else 3 if seconds < 10 else 1


def median_seconds(work, most=5, clock=time.perf_counter):
    """Median seconds by the clock, how many runs it is of, and what the last of them gave.
    `time.process_time` as clock counts the processor's, which other work on the machine leaves alone."""
    runs = []
    while not runs or len(runs) < min(most, repeats_for(runs[0])):
        result = None  # what the last run made is not kept while the next one works
        start = clock()
        result = work()
        runs.append(clock() - start)
    return statistics.median(runs), len(runs), result


def peak_mib():
    """The most memory that this process has held so far, with interpreter and imports."""
    with open("/proc/self/status") as file:
        line = next(line for line in file if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024
