"""How far ahead Fermat is of a peer's row, at equal or better accuracy."""


def is_ours(row):
    return row["distribution"] == "fermat"


def problem(row):
    """Rows of one problem may be compared across grids. Paper 5's squares of other sizes are other
    problems, as their cells stay as large."""
    paper5 = row["medium"] in ("homogeneous", "layers", "gradient")
    return row["medium"], row["nodes"] if paper5 else None


def grid(row):
    return row["medium"], row["nodes"], row.get("refined", 1)


def as_accurate(row, rows, *, anywhere):
    """Our rows on the same grid, or on any grid of the same problem, with as many threads and a
    mean error no larger."""
    same = problem if anywhere else grid
    return [ours for ours in rows
            if is_ours(ours) and "failed" not in ours and same(ours) == same(row)
            and ours["threads"] == row["threads"] and ours["mean_error"] <= row["mean_error"]]


def traces_as_well(ours, row):
    if "with_rays" not in ours or ours["lost"] / ours["traced"] > row["lost"] / row["traced"]:
        return False
    known = row["off_length"] is not None and ours["off_length"] is not None
    return not known or ours["off_length"] <= row["off_length"]


def ahead(row, rows, *, anywhere=False, rays=False):
    """(ratio, our row), None where none of ours is as accurate; "" where there is nothing to
    compare."""
    if is_ours(row) or "failed" in row or (rays and "with_rays" not in row):
        return ""
    key = "with_rays" if rays else "seconds"
    found = as_accurate(row, rows, anywhere=anywhere)
    if rays:
        found = [ours for ours in found if traces_as_well(ours, row)]
    best = min(found, key=lambda ours: ours[key], default=None)
    return None if best is None else (row[key] / best[key], best)
