"""Files that are written under another name first, so that one that was there stays on failure."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def renamed_to(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A file beside `path`, with its suffix, that takes its name once all is written."""
    place = Path(os.path.abspath(path))
    handle, name = tempfile.mkstemp(prefix=f".{place.name}.", suffix=place.suffix, dir=place.parent)
    os.close(handle)
    try:
        yield Path(name)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, place)
    except BaseException:
        os.unlink(name)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
