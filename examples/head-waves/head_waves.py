"""Direct and head waves of a layer over a half-space, against their closed form.

    python examples/head-waves/head_waves.py OUTPUT_FOLDER
"""

import sys
from pathlib import Path

import fermat as fm
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

V1, V2, THICKNESS = 2.0, 5.0, 50.0  # km/s, km/s, km


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    # Velocity in cells, so that the layer's floor is sharp; nodes there hold a mean of both.
    layers = {"layers": [(0, V1), (THICKNESS, V2)], "spacing": 0.5}
    model = fm.Model.layers((1001, 201), **layers, cells=True)
    smeared = fm.Model.layers((1001, 201), **layers)
    offset = np.arange(20.0, 500, 20)
    receivers = np.column_stack([offset, np.zeros_like(offset)])
    times = fm.traveltimes(model, source=(0, 0))
    rays = fm.rays(model, sources=(0, 0), receivers=receivers)
    exact = fm.analytic.two_layers_time(offset, v1=V1, v2=V2, thickness=THICKNESS)
    cross = fm.analytic.crossover_distance(v1=V1, v2=V2, thickness=THICKNESS)

    on_nodes = fm.receiver_times(smeared, [(0, 0)], receivers)[0]
    print(f"crossover at {cross:.1f} km; largest error "
          f"{100 * abs(rays.field_times / exact - 1).max():.4f} % by cells, "
          f"{100 * abs(on_nodes / exact - 1).max():.2f} % by nodes")

    figure, (above, below) = plt.subplots(2, figsize=(8, 4.4), layout="compressed", sharex=True)
    far = np.linspace(0, 500, 501)
    above.plot(far, far / V1, "--", color="0.5", label="direct wave")
    closed = fm.analytic.two_layers_time(far, v1=V1, v2=V2, thickness=THICKNESS)
    above.plot(far, closed, color="#0072b2", label="first arrival, closed form")
    above.plot(offset, rays.field_times, "o", color="#e69f00", markersize=4, label="Fermat")
    above.axvline(cross, color="0.8", zorder=0)
    above.set_ylabel("time (s)")
    above.legend(frameon=False)
    fm.plot.section(model, times=times, rays=rays, ax=below, colorbar=False, levels=12)
    below.set_title(f"{V1:g} km/s over {V2:g} km/s", fontsize="medium", pad=9)
    figure.savefig(folder / "head-waves.png", dpi=120)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
