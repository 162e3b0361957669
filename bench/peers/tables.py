"""The tables of docs/peers.md, from rows of the results."""

from compare import ahead, grid, is_ours


SOLIDS = ("cube", "sphere", "slab")


def number(value):
    """Three digits, without a power of ten."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def size(row):
    """As the papers say it: paper 5's squares by cells, all else by nodes."""
    refined = row.get("refined", 1)
    other = ("" if refined == 1 else f", {refined:g} × finer" if refined > 1 else
             f", {1 / refined:.3g} × coarser")
    return f"{row['nodes']}{'³' if row['medium'] in SOLIDS else '²'}{other}"


def seconds(row):
    runs = row["runs"]
    fewer = "" if runs >= 5 else " (1 run)" if runs == 1 else f" ({runs} runs)"
    return number(row["seconds"]) + fewer


def ratio_text(value):
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def ratio(found, row=None):
    """A ratio in words; our method where it is another grid."""
    if found == "":
        return ""
    if found is None:
        return "**none as accurate**"
    times, ours = found
    text = f"{ratio_text(times)} ×"
    if times < 1:
        text = f"**{text}**"
    if row is not None and grid(ours) != grid(row):
        text += f" ({size(ours)})"
    return text


def rays_cell(row):
    if "rays_failed" in row:
        return f"failed: {row['rays_failed']}"
    if "with_rays" not in row:
        return ""
    scaled = "" if row["traced"] == row["rays"] else f" (from {row['traced']} rays)"
    return number(row["with_rays"]) + scaled


def lost_cell(row):
    if "with_rays" not in row:
        return ""
    off = "" if row["off"] is None else f", {row['off']:.2g} cells off"
    return f"{row['lost']} of {row['traced']}{off}"


def field_table(rows, with_rays):
    head = ["medium", "grid", "package", "threads", "map, s"]
    head += ["map + rays, s", "rays lost"] if with_rays else []
    head += ["mean error", "max error", "peak MiB", "Fermat ahead, this grid"]
    head += ["with rays"] if with_rays else []
    head += ["any grid, equal error"]
    head += ["with rays, any grid"] if with_rays else []
    body = []
    for row in rows:
        line = [row["medium"], size(row), row["method"], str(row["threads"])]
        if "failed" in row:
            line.append(failure(row))
            body.append(line + [""] * (len(head) - len(line)))
            continue
        line.append(seconds(row))
        line += [rays_cell(row), lost_cell(row)] if with_rays else []
        line += [f"{row['mean_error']:.1e}", f"{row['max_error']:.1e}", f"{row['peak_mib']:.0f}"]
        line.append(ratio(ahead(row, rows)))
        line += [ratio(ahead(row, rows, rays=True))] if with_rays else []
        line.append(ratio(ahead(row, rows, anywhere=True), row))
        line += [ratio(ahead(row, rows, anywhere=True, rays=True), row)] if with_rays else []
        body.append(line)
    return head, body


def failure(row):
    return f"{row['failed']} ({row['distribution']} {row['version'] or 'of no version'})"


def by_package(head, rows, cells):
    """One line per row: package and threads, then `cells(row)` or why there are none."""
    body = []
    for row in rows:
        line = [row["method"], str(row["threads"])]
        line += [failure(row)] if "failed" in row else cells(row)
        body.append(line + [""] * (len(head) - len(line)))
    return head, body


def survey_table(rows):
    head = ["package", "threads", "seconds", "shots measured", "matrix", "mean error", "max error",
            "peak MiB", "Fermat ahead"]
    return by_package(head, rows, lambda row: [
        seconds(row), f"{row['measured_shots']} of {row['shots']}",
        "yes" if row["matrix"] else "no", f"{row['mean_error']:.1e}", f"{row['max_error']:.1e}",
        f"{row['peak_mib']:.0f}", ratio(ahead(row, rows))])


def inversion_ahead(row, rows):
    """Against ours with as many threads and a misfit no larger."""
    if is_ours(row) or "failed" in row:
        return ""
    found = [ours for ours in rows if is_ours(ours) and "failed" not in ours
             and ours["threads"] == row["threads"] and ours["rms"] <= row["rms"]]
    best = min(found, key=lambda ours: ours["seconds"], default=None)
    return None if best is None else (row["seconds"] / best["seconds"], best)


def inversion_table(rows):
    head = ["package", "threads", "seconds", "iterations", "unknowns", "RMS at start, ms", "RMS, ms",
            "peak MiB", "Fermat ahead"]
    return by_package(head, rows, lambda row: [
        seconds(row), str(row["iterations"]), str(row["unknowns"]),
        "" if row["start_rms"] is None else number(1e3 * row["start_rms"]),
        number(1e3 * row["rms"]), f"{row['peak_mib']:.0f}", ratio(inversion_ahead(row, rows))])


def truths_ahead(row, rows):
    """Against ours in the same medium if it is no further from the truth."""
    if is_ours(row) or "failed" in row:
        return ""
    found = [ours for ours in rows if is_ours(ours) and "failed" not in ours
             and ours["medium"] == row["medium"] and ours["mean_error"] <= row["mean_error"]]
    best = min(found, key=lambda ours: ours["seconds"], default=None)
    return None if best is None else (row["seconds"] / best["seconds"], best)


def truths_table(rows):
    head = ["package", "threads", "survey", "truths", "RMS error, %", "median error, %",
            "correlation", "χ²", "iterations", "processor s", "peak MiB", "Fermat ahead"]
    ours = {row["medium"]: row for row in rows if is_ours(row) and "failed" not in row}

    def shown(row, name, sign, text):
        """Bold where a peer is better."""
        best = ours.get(row["medium"], row)[name]
        return f"**{text}**" if sign * (row[name] - best) < 0 else text

    return by_package(head, rows, lambda row: [
        row["medium"], str(len(row["seeds"])),
        shown(row, "mean_error", 1, number(100 * row["mean_error"])),
        shown(row, "median_error", 1, number(100 * row["median_error"])),
        shown(row, "correlation", -1, f"{row['correlation']:.3f}"), f"{row['chi2']:.2f}",
        f"{row['iterations']:.0f}", number(row["seconds"]), f"{row['peak_mib']:.0f}",
        ratio(truths_ahead(row, rows))])


def locations_table(rows):
    head = ["package", "threads", "seconds", "events", "mean RMS residual, s",
            "median distance from NonLinLoc's, km", "largest, km", "peak MiB"]
    return by_package(head, rows, lambda row: [
        "" if row["seconds"] is None else seconds(row), str(row["events"]), number(row["rms"]),
        *([f"{row['apart']:.2f}", f"{row['furthest']:.2f}", f"{row['peak_mib']:.0f}"]
          if is_ours(row) else ["", "", ""])])


def ridgecrest_table(rows):
    head = ["program", "threads", "seconds", "horizontal, km", "vertical, km", "events judged", "peak MiB"]
    return by_package(head, rows, lambda row: [
        "" if row["seconds"] is None else seconds(row), f"{row['across']:.3f}", f"{row['down']:.3f}",
        str(row["events"]), f"{row['peak_mib']:.0f}" if is_ours(row) else ""])


def hypodd_table(rows):
    head = ["places", "threads", "seconds", "events", "pairs", "median difference of distances, m", "95 %, m",
            "peak MiB"]
    return by_package(head, rows, lambda row: [
        "" if row["seconds"] is None else seconds(row), str(row["events"]), str(row["pairs"]),
        f"{row['median']:.1f}", f"{row['most']:.1f}", f"{row['peak_mib']:.0f}"])


def markdown(head, body):
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def table(name, rows):
    if name == "survey":
        return markdown(*survey_table(rows))
    if name == "koenigsee":
        return markdown(*inversion_table(rows))
    if name == "truths":
        return markdown(*truths_table(rows))
    if name == "locations":
        return markdown(*locations_table(rows))
    if name == "ridgecrest":
        return markdown(*ridgecrest_table(rows))
    if name == "hypodd":
        return markdown(*hypodd_table(rows))
    return markdown(*field_table(rows, any("rays" in row for row in rows)))
