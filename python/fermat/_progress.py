"""The argument `progress=`: nothing, True for a bar, or a function."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._arguments import Progress

Listener = Callable[[int, int, str], object]
LINE_PERIOD = 2.0  # seconds between plain lines


def listener(progress: Progress | None) -> Any:
    """The function that the C++ side calls with (done, total, task), or None."""
    if progress is None or progress is False:
        return None
    if progress is not True:
        return progress
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError:
        return _Lines()
    return _Bar(tqdm)


class _Bar:
    """Shows one tqdm bar per task."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None

    def __call__(self, done: int, total: int, task: str) -> None:
        if done == 0:
            self._bar = self._tqdm(total=total, desc=task, file=sys.stderr)
        elif self._bar is not None:
            self._bar.update(done - self._bar.n)
        if done == total and self._bar is not None:  # the end may be reported twice
            self._bar.close()
            self._bar = None


class _Lines:
    """Without tqdm: prints a line every few seconds and at the end of a task."""

    def __init__(self) -> None:
        self._begin = 0.0
        self._next = 0.0
        self._ended = False

    def __call__(self, done: int, total: int, task: str) -> None:
        now = time.monotonic()
        if done == 0:
            self._begin, self._next, self._ended = now, now + LINE_PERIOD, False
        ends = done == total and not self._ended
        if ends or (now >= self._next and not self._ended):
            self._next, self._ended = now + LINE_PERIOD, ends
            spent = now - self._begin
            left = f", {spent * (total - done) / done:.0f} s left" if 0 < done < total else ""
            print(f"{task}: {done} of {total}{left}", file=sys.stderr)
