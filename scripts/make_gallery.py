"""Draws the pictures of docs/gallery*.md by the code that stands in them, into FOLDER.

    .venv/bin/python scripts/make_gallery.py FOLDER

Blocks run in order in a folder of their own. Those that need data sets of others run where these are
(FERMAT_DATA, or ../shared/data beside the repository), and those that need PyTorch where it is installed; they
are left out with a word where not: then the pictures of the repository stay. Pictures become WebP and stay below 150 kB each, as the repository wants them.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

os.environ["MPLBACKEND"] = "Agg"
import matplotlib
import matplotlib.pyplot as plt
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("FERMAT_DATA", ROOT.parent / "shared" / "data"))
FENCE = re.compile(r"^```python([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MOST = 150_000  # bytes


def run_blocks(page: Path, folder: Path) -> None:
    os.chdir(folder)
    names: dict[str, Any] = {"__name__": "__main__"}
    for info, code in FENCE.findall(page.read_text()):
        if "needs PyTorch" in info and importlib.util.find_spec("torch") is None:
            print(f"left out: a block of {page.name} (pip install torch)")
            continue
        if "data sets of others" in info:
            wanted = re.findall(r'"([\w.]+\.(?:sgt|csv))"', code)
            missing = [name for name in wanted if not (DATA / name).is_file()]
            if missing:
                print(f"left out: {', '.join(missing)} not in {DATA} (set FERMAT_DATA)")
                continue
            (folder / "data").symlink_to(DATA)
        exec(compile(code, page.name, "exec"), names)
        plt.close("all")


def shrink(picture: Path, target: Path) -> None:
    if picture.suffix == ".gif":
        shutil.copyfile(picture, target)
    else:
        Image.open(picture).convert("RGB").save(target, quality=88, method=6)
    size = target.stat().st_size
    if size > MOST:
        sys.exit(f"make_gallery: error: {target.name} has {size} bytes (must be {MOST} or less)")


def main(target: Path) -> None:
    warnings.simplefilter("ignore", UserWarning)  # what runs say of themselves is not for the page
    matplotlib.rcParams["savefig.dpi"] = 90
    pages = sorted((ROOT / "docs").glob("gallery*.md"))
    target.mkdir(parents=True, exist_ok=True)
    target = target.resolve()
    for page in pages:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            run_blocks(page, folder)
            for picture in sorted([*folder.glob("*.png"), *folder.glob("*.gif")]):
                moves = picture.suffix == ".gif"
                name = picture.name if moves else picture.with_suffix(".webp").name
                shrink(picture, target / name)
                print(f"{name}: {(target / name).stat().st_size // 1000} kB")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
