"""Draws the pictures of the documentation that show real surveys and the report, by today's defaults.

    .venv/bin/python scripts/make_pictures.py FOLDER      FOLDER: docs/images

Needs the data sets of others (FERMAT_DATA, or ../shared/data beside the repository), build/release/fermat and, for
the report, Chromium. scripts/make_gallery.py draws those of the gallery.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ["MPLBACKEND"] = "Agg"
ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "cli"))
import fermat as fm
from chromium import Page, find_chromium
from PIL import Image

DATA = Path(os.environ.get("FERMAT_DATA", ROOT.parent / "shared" / "data"))
PROGRAM = ROOT / "build" / "release" / "fermat"


def invert(picks: str, run: Path) -> None:
    subprocess.run([PROGRAM, "invert", DATA / picks, "-o", run, "--quiet"], check=True)


def real_lines(folder: Path, target: Path) -> None:
    """One line of the shell each: everything is chosen by Fermat."""
    for name, picks in (("koenigsee", "koenigsee.sgt"), ("crosshole", "crosshole_am13.csv")):
        run = folder / name
        invert(picks, run)
        fm.plot.overview(run).savefig(target / f"{name}.png", dpi=90)
        print(f"{name}: {(run / 'history.csv').read_text().splitlines()[-1]}")
    fm.plot.residuals(folder / "koenigsee").savefig(target / "residuals.png", dpi=100)


def report(folder: Path, target: Path) -> None:
    """The upper part of the page of the Königssee line: plain, dark, and on a phone."""
    program = find_chromium()
    if program is None:
        print("left out: pictures of the report (install chromium)")
        return
    page_file = folder / "report.html"
    subprocess.run([PROGRAM, "report", folder / "koenigsee", "-o", page_file, "--title", "Königssee",
                    "--quiet"], check=True)
    kinds = (("report", 1000, 1300, False), ("report-dark", 1000, 1300, True), ("report-phone", 390, 1300, False))
    with Page(program, folder / "chromium") as page:
        for name, wide, tall, dark in kinds:
            page.resize(wide, tall, dark=dark, mobile=wide < 500)
            page.open(page_file)
            picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
            picture.save(target / f"{name}.webp", quality=88, method=6)


def main(target: Path) -> None:
    if not (DATA / "koenigsee.sgt").is_file():
        sys.exit(f"make_pictures: error: {DATA} has no koenigsee.sgt (set FERMAT_DATA)")
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        real_lines(Path(place), target)
        report(Path(place), target)
    for picture in sorted(target.glob("report*.webp")):
        print(f"{picture.name}: {picture.stat().st_size // 1000} kB")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]).resolve())
