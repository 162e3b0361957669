"""Colours that the eye reads as even steps, and the scale that fits the values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import ListedColormap, Normalize
    from numpy.typing import NDArray

AIR = "white"  # blank, as what fades away
RAY = "#ff5a36"  # not on the velocity scale, and of another hue to the colour-blind
# Okabe & Ito's colours, told apart by all eyes.
BLUE, ORANGE, GREEN, GREY = "#0072b2", "#e69f00", "#009e73", "0.45"
SEQUENTIAL = "viridis"
LARGE = 6.0
"""Velocities that differ by this factor or more get a logarithmic scale."""


def diverging() -> ListedColormap:
    """Red (slow) over white to blue (fast): equal steps of value are equal steps of lightness and
    chroma in CIELAB, the same on both sides."""
    from matplotlib.colors import ListedColormap

    return ListedColormap(diverging_colours(256), name="fermat_change")


def diverging_colours(count: int) -> NDArray[np.float64]:
    """RGB from 0 to 1, one row a colour."""
    at = np.linspace(-1, 1, count)
    light, chroma = 97 - 59 * np.abs(at), 55 * np.abs(at)
    return _rgb(light, chroma, np.where(at < 0, 35.0, 285.0))


def _rgb(light: NDArray[Any], chroma: NDArray[Any], hue: NDArray[Any]) -> NDArray[np.float64]:
    """CIELAB of the white point D65 as sRGB (IEC 61966-2-1)."""
    angle = np.radians(hue)
    y = (light + 16) / 116
    parts = np.stack([y + chroma * np.cos(angle) / 500, y, y - chroma * np.sin(angle) / 200])
    cubes = np.where(parts > 6 / 29, parts**3, 3 * (6 / 29) ** 2 * (parts - 4 / 29))
    xyz = cubes * np.array([[0.95047], [1.0], [1.08883]])
    linear = np.clip(
        [[3.2406, -1.5372, -0.4986], [-0.9689, 1.8758, 0.0415], [0.0557, -0.2040, 1.0570]] @ xyz,
        0,
        1,
    )
    coded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.asarray(coded.T)


def norm_of(
    values: NDArray[Any],
    fade: NDArray[Any] | None = None,
    *,
    vmin: float | None = None,
    vmax: float | None = None,
    log: bool | None = None,
) -> Normalize:
    """The scale of positive values: of what is seen, without the last per cent at either end where
    something fades; logarithmic on request, or by itself where the values differ by LARGE."""
    from matplotlib.colors import LogNorm, Normalize

    seen = np.ma.filled(np.ma.masked_invalid(values), 0)  # type: ignore[no-untyped-call,unused-ignore]
    plain = seen > 0
    if fade is not None and (plain & (fade > 0.5)).any():
        low, high = np.percentile(seen[plain & (fade > 0.5)], (1, 99))
    elif plain.any():
        low, high = seen[plain].min(), seen[plain].max()
    else:
        low, high = 1.0, 1.0
    low, high = float(low if vmin is None else vmin), float(high if vmax is None else vmax)
    if not high >= low:
        raise ValueError(f"vmin is {low:g} and vmax {high:g} (must not be less than vmin)")
    if log and not low > 0:
        raise ValueError(f"vmin is {low:g} (a logarithmic scale needs it > 0)")
    wide = low > 0 and high >= LARGE * low
    return LogNorm(low, high) if (wide if log is None else log and high > low) else Normalize(low, high)


def is_log(norm: Any) -> bool:
    from matplotlib.colors import LogNorm

    return isinstance(norm, LogNorm)


def named(label: str, unit: str, norm: Any) -> str:
    """ "velocity (m/s)", and that the scale is logarithmic where it is."""
    return f"{label} ({unit}, log scale)" if is_log(norm) else f"{label} ({unit})"


def extends(values: NDArray[Any], norm: Any) -> str:
    """Which ends of the colour scale hide values beyond: "neither", "min", "max" or "both"."""
    seen = np.ma.compressed(np.ma.masked_invalid(values))  # type: ignore[no-untyped-call,unused-ignore]
    if seen.size == 0:
        return "neither"
    slack = 1e-6 * abs(norm.vmax - norm.vmin)
    below, above = seen.min() < norm.vmin - slack, seen.max() > norm.vmax + slack
    return {(0, 0): "neither", (1, 0): "min", (0, 1): "max", (1, 1): "both"}[int(below), int(above)]


def log_ticks(low: float, high: float, least: int = 4) -> list[float]:
    """Round numbers between, of the coarsest set that has at least so many."""
    found: list[float] = []
    for digits in ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 5, 7), (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)):
        decades = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
        every = [digit * 10.0**decade for decade in decades for digit in digits]
        found = [t for t in every if low * 0.999 <= t <= high * 1.001]
        if len(found) >= least:
            break
    return found


def plain_log_axis(axis: Any, low: float, high: float, least: int = 4) -> None:
    """Round numbers in place of powers of ten."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    ticks = log_ticks(low, high, least)
    if len(ticks) > 1:
        axis.set_major_locator(FixedLocator(ticks))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def bar(ax: Axes, image: Any, label: str, *, extend: str = "neither", tall: float = 1.0) -> Any:
    """The colour scale beside the axes, exactly as high as they are; `tall` is their height in
    widths."""
    from matplotlib.ticker import MaxNLocator

    from ._frame import figure_of

    width = 0.025 * max(1.0, tall)
    holder = ax.inset_axes((1 + 0.8 * width, 0, width, 1))
    is_short = tall < 0.3
    words = label.replace(" (", "\n(", 1) if is_short else label
    scale = figure_of(ax).colorbar(image, cax=holder, label=words, extend=extend, extendfrac=0.03)
    if is_log(image.norm):
        ends = float(image.norm.vmin), float(image.norm.vmax)
        plain_log_axis(scale.ax.yaxis, *ends, least=2 if is_short else 4)
    elif is_short:
        scale.ax.yaxis.set_major_locator(MaxNLocator(4))
    return scale
