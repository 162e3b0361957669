"""Does a wheel import on a bare machine? Every shared library that its files need must be inside the
wheel or among those that every Linux of its age has (PEP 600), and no file may search in a folder
of the machine that built it.

    python3 scripts/check_wheel.py WHEEL
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

# PEP 600's list as far as we meet it; drivers come with their devices.
EVERYWHERE = {
    "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libc.so.6", "libdl.so.2", "libgcc_s.so.1",
    "libm.so.6", "libpthread.so.0", "libresolv.so.2", "librt.so.1", "libstdc++.so.6", "libz.so.1",
    "libcuda.so.1",
}


def dynamic_section(file: Path) -> str:
    call = ["readelf", "--dynamic", "--wide", str(file)]
    return subprocess.run(call, check=True, capture_output=True, text=True).stdout


def is_elf(file: Path) -> bool:
    with file.open("rb") as start:
        return start.read(4) == b"\x7fELF"


def findings(folder: Path) -> list[str]:
    """One sentence a fault, for an unpacked wheel."""
    files = [f for f in folder.rglob("*") if f.is_file() and not f.is_symlink() and is_elf(f)]
    inside = {f.name for f in files}
    found = [] if files else ["no compiled file is in the wheel"]
    for file in files:
        name, text = file.relative_to(folder), dynamic_section(file)
        for library in re.findall(r"\(NEEDED\).*\[(.+)\]", text):
            if library not in inside | EVERYWHERE:
                found.append(f"{name} needs {library}, which a bare machine does not have")
        for path in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", text):
            for part in filter(None, path.split(":")):
                if not part.startswith("$ORIGIN"):
                    found.append(f"{name} searches in {part}")
    return found


def main(wheel: Path) -> int:
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        found = findings(Path(folder))
    for sentence in found:
        print(f"{wheel.name}: {sentence}")
    if not found:
        size = wheel.stat().st_size / 1e6
        print(f"{wheel.name}: {size:.1f} MB, needs nothing that a bare machine lacks")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
