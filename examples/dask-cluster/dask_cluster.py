"""Times of many sources on a cluster of Dask workers, without MPI.

    pip install dask distributed
    python examples/dask-cluster/dask_cluster.py

Every worker solves some sources and returns times at the receivers, never whole fields; the
velocity goes to each worker once. With `Client("tcp://scheduler:8786")` in place of the local
cluster the same lines use the machines of a scheduler.
"""

import os

import numpy as np

import fermat as fm

try:
    from dask.distributed import Client, LocalCluster
except ImportError:
    raise SystemExit("this example needs Dask (pip install dask distributed)") from None


def times_of(model: fm.Model, sources: np.ndarray, receivers: np.ndarray) -> np.ndarray:
    """Times (sources, receivers) of one lot, on one core of a worker."""
    return fm.receiver_times(model, sources, receivers, device="cpu", threads=1)


def main() -> None:
    rng = np.random.default_rng(1)
    model = fm.Model.gradient((41, 41, 21), v0=2, gradient=0.5, spacing=0.1)  # km, km/s
    sources = rng.uniform((0.2, 0.2, 0.2), (3.8, 3.8, 1.8), size=(48, 3))
    receivers = np.array([(x, y, 0.0) for x in np.linspace(0, 4, 10) for y in np.linspace(0, 4, 10)])

    workers = min(2, os.cpu_count() or 1)
    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        everywhere = client.scatter(model, broadcast=True)
        lots = np.array_split(sources, 4 * workers)
        futures = [client.submit(times_of, everywhere, lot, receivers) for lot in lots]
        times = np.vstack(client.gather(futures))

    alone = fm.receiver_times(model, sources, receivers, device="cpu")
    assert np.array_equal(times, alone), "workers and one machine give the same bits"
    print(f"{times.shape[0]} sources x {times.shape[1]} receivers on {workers} workers: "
          f"{times.min():.3f} to {times.max():.3f} s")


if __name__ == "__main__":
    main()
