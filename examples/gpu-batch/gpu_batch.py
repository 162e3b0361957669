"""Many shots in one call: where a GPU is at its best, and all cores too.

    python examples/gpu-batch/gpu_batch.py OUTPUT_FOLDER [SHOTS_PER_SIDE]
"""

import sys
import time
from pathlib import Path

import fermat as fm
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def seconds(work) -> float:
    work()  # the first call also wakes the device
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main(folder: Path, side: int = 6) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    model = fm.Model.random((97, 97, 49), velocity=4, amplitude=0.3, correlation=1.5, spacing=0.125)
    line = np.linspace(0.5, 11.5, side)
    shots = np.array([(x, y, 0.3) for x in line for y in line])
    receivers = np.array([(x, 6.0, 0.0) for x in np.arange(0.25, 12, 0.25)])
    devices = ["cpu", *(["cuda"] if fm.devices() else [])]
    for device in devices:
        took = seconds(lambda: fm.receiver_times(model, shots, receivers, device=device))
        rate = len(shots) * model.velocity.size / took / 1e6
        print(f"{device}: {len(shots)} shots of {model.velocity.size:,} nodes in {took:.2f} s, "
              f"{rate:.0f} million nodes a second")
    if len(devices) == 1:
        print("no CUDA device here, or CUDA is not in this build")

    times = fm.receiver_times(model, shots, receivers)
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    figure.get_layout_engine().set(wspace=0.12)
    fm.plot.map(model, depth=0.5, sources=shots, receivers=receivers, ax=left)
    image = right.imshow(times, aspect="auto", cmap="viridis", interpolation="nearest",
                         extent=(receivers[0, 0], receivers[-1, 0], len(shots) - 0.5, -0.5))
    right.set_xlabel("receiver x (km)")
    right.set_ylabel("shot")
    figure.colorbar(image, ax=right, label="time (s)")
    figure.savefig(folder / "gpu-batch.png", dpi=120)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *(int(n) for n in sys.argv[2:]))
