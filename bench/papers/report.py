"""The generated part of docs/papers.md: every table of the papers, beside the published values."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

BEGIN = "<!-- begin of the tables that scripts/bench-papers writes -->"
END = "<!-- end of the tables -->"

PAPERS = {
    1: "Paper 1: shortest paths on a GPU",
    2: "Paper 2: update map and edge reduction",
    3: "Paper 3: parallel pseudo-bending",
    4: "Paper 4: summed volumes",
    5: "Paper 5: fast iterations and rays",
}
#: Tables whose rows are thinned out on the page: the CSV files have all of them.
EVERY = {"Table 5": ("iteration", 6), "Table 11": ("iteration", 6)}
SIZES = {"128", "224", "512", "992", "1600"}


def read(path: Path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def number(text: str) -> str:
    """Three digits; words as they are."""
    try:
        value = float(text)
    except ValueError:
        return text
    return f"{value:.3g}"


def thinned(table: str, case: dict[str, str]) -> bool:
    """Whether the page leaves a row out."""
    if table in EVERY:
        name, step = EVERY[table]
        return (int(case[name]) - 1) % step != 0
    return table in ("Figure 7", "Figure 8") and case["nodes"] not in SIZES


def tables(rows: list[dict[str, str]]) -> Iterator[str]:
    """Each table as Markdown."""
    for table in dict.fromkeys(row["table"] for row in rows):
        some = [row for row in rows if row["table"] == table]
        labels = [part.split("=", 1)[0] for part in some[0]["case"].split(";")]
        quantities = {row["quantity"]: row["unit"] for row in some}
        published = {row["quantity"] for row in some if row["published"]}
        ratios = {row["quantity"] for row in some if row["ratio"]}
        head = list(labels)
        for quantity, unit in quantities.items():
            head.append(f"{quantity} ({unit})" if unit else quantity)
            if quantity in published:
                head.append("paper")
            if quantity in ratios:
                head.append("paper/ours")
        lines = [f"**{table}**", "", "| " + " | ".join(head) + " |",
                 "|" + "---|" * len(labels) + "---:|" * (len(head) - len(labels))]
        left_out = 0
        for case in dict.fromkeys(row["case"] for row in some):
            named = dict(part.split("=", 1) for part in case.split(";"))
            if thinned(table, named):
                left_out += 1
                continue
            cells = list(named.values())
            values = {row["quantity"]: row for row in some if row["case"] == case}
            for quantity in quantities:
                row = values.get(quantity, {"ours": "", "published": "", "ratio": ""})
                cells.append(number(row["ours"]) or "–")
                if quantity in published:
                    cells.append(number(row["published"]) or "–")
                if quantity in ratios:
                    cells.append(number(row["ratio"]) or "–")
            lines.append("| " + " | ".join(cells) + " |")
        if left_out:
            lines += ["", f"*{left_out} more rows are in the CSV file.*"]
        yield "\n".join(lines)


def side_by_side(results: Path) -> Iterator[str]:
    """Paper 2's table of implementations: the columns of all devices in one, each from its own
    machine."""
    name = "Implementations"
    columns: dict[str, dict[str, str]] = {}
    machines = []
    for device in ("cpu", "cuda", "opengl"):
        file = results / f"paper2-{device}.csv"
        rows = [row for row in read(file) if row["table"] == name] if file.exists() else []
        if rows:
            machines.append(f"{device}: {rows[0]['device']}, {rows[0]['date']}")
        for row in rows:
            alike = row["quantity"] in ("serial", "buckets")
            if row["unit"] == "s" and not (alike and device != "cpu"):
                # The papers' own program has one name on all devices.
                name_here = row["quantity"].replace("letter_", f"letter_{device}_")
                columns.setdefault(name_here, {})[row["case"]] = row["ours"]
    if len(machines) < 2:
        return
    cases = dict.fromkeys(case for column in columns.values() for case in column)
    lines = [f"**{name}, side by side** (seconds; {'; '.join(machines)})", "",
             "| radius | " + " | ".join(columns) + " |", "|---|" + "---:|" * len(columns)]
    for case in cases:
        cells = [number(column.get(case, "")) or "–" for column in columns.values()]
        lines.append(f"| {case.split('=', 1)[1]} | " + " | ".join(cells) + " |")
    yield "\n".join(lines)


def section(paper: int, results: Path) -> Iterator[str]:
    files = sorted(results.glob(f"paper{paper}-*.csv"))
    if not files:
        return
    yield f"### {PAPERS[paper]}"
    for file in sorted(files, key=lambda name: name.stem != f"paper{paper}-cpu"):
        rows = read(file)
        device = file.stem.split("-", 1)[1]
        if device == "ttcrpy":
            yield (f"On {rows[0]['device']}, {rows[0]['date']}, processor seconds: "
                   f"`bench/papers/ttcrpy_beside.py`; all values are in `bench/papers/results/{file.name}`.")
            yield from tables(rows)
            continue
        yield (f"On {rows[0]['device']}, {rows[0]['date']}: `fermat bench paper {paper} "
               f"--device {device}`; all values are in `bench/papers/results/{file.name}`.")
        yield from tables(rows)
    if paper == 2:
        yield from side_by_side(results)


def write_page(page: Path, results: Path) -> None:
    """Replaces what stands between the marks."""
    text = page.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    if not rest or END not in rest:
        raise SystemExit(f"{page} has no marks '{BEGIN}' and '{END}'")
    parts = [part for paper in PAPERS for part in section(paper, results)]
    temporary = page.with_name(f".{page.name}.part")
    temporary.write_text("\n\n".join([head + BEGIN, *parts, END + tail]), encoding="utf-8")
    temporary.replace(page)
