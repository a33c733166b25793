"""Show what `python -m benchmarks` wrote: `python -m benchmarks.table FILE [--readme]`."""

import json
import sys
from pathlib import Path
from typing import Any

README = Path(__file__).parent.parent / "README.md"
BEGIN, END = "<!-- benchmarks -->", "<!-- end of benchmarks -->"
LOOP_TARGET, LOOP_AIM = 0.6, 1.0
Cells = tuple[str, ...]


def text(found: dict[str, Any]) -> str:
    """All of it, in columns."""
    head: Cells = ("case", "median", "p95", "ratio", "to", "at most", "aim")
    lines = [head, *(_case(row) for row in found["cases"])]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    shown = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    judge = found["judge"]
    shown += [
        "",
        f"judge beyond the raw call: {judge['median_ms']:.2f} ms (at most {judge['target']:g}, aim {judge['aim']:g})",
    ]
    for one in found["loops"]:
        figures = ", ".join(f"{name} {value:.0f}/s" for name, value in one["per_second"].items())
        ratios = ", ".join(f"{name} {value:.2f}" for name, value in one["ratio"].items())
        shown.append(f"closed loop, {one['clients']} clients: {figures}; to bare: {ratios}")
    shown += [f"soak: {json.dumps(found['soak'])}", f"machine: {json.dumps(found['machine'])}"]
    return "\n".join(shown) + "\n"


def markdown(found: dict[str, Any]) -> str:
    """What people ask for first, for the README."""
    cases = {row["case"]: row for row in found["cases"]}
    four = next(one for one in found["loops"] if one["clients"] == 4)
    rows = [
        _ratio("Python hook, sandbox made in advance", cases["python warm"]),
        _ratio("bash hook, sandbox made in advance", cases["bash warm"]),
        _ratio("Python hook, sandbox made for it", cases["python cold"]),
        _ratio("bash hook, sandbox made for it", cases["bash cold"]),
        _ratio("Python hook over HTTP, recorded", cases["http, one python hook"]),
        _ratio("ten Python hooks at one level over HTTP, to one", cases["http, ten at one level"]),
        _milliseconds("event that no hook matches, over HTTP", cases["http, no matching hook"]),
        ("judge, beyond the call to its model", f"{found['judge']['median_ms']:.1f} ms", "", "≤ 5 ms"),
        (
            "four clients without a pause, Python hook over HTTP",
            f"{four['per_second']['http']:.0f}/s",
            f"{four['ratio']['http']:.2f}",
            f"≥ {LOOP_TARGET:g}",
        ),
    ]
    machine = found["machine"]
    lines = ["| what | median | to a bare call | wanted |", "| --- | --- | --- | --- |"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    note = f"{machine['rounds']} rounds on {machine['cores']} cores, load {machine['load']:g} before it, {machine['at'][:10]}."
    return "\n".join([*lines, "", note])


def into_readme(found: dict[str, Any]) -> None:
    before, _, rest = README.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    README.write_text(f"{before}{BEGIN}\n{markdown(found)}\n{END}{after}")


def _case(row: dict[str, Any]) -> Cells:
    unit = "" if row["base"] else " ms"
    bounds = ("" if row[name] is None else f"{row[name]:g}{unit}" for name in ("target", "aim"))
    ratio = "" if row["ratio"] is None else f"{row['ratio']:.2f}"
    return (row["case"], f"{row['median_ms']:.2f} ms", f"{row['p95_ms']:.2f} ms", ratio, row["base"], *bounds)


def _ratio(name: str, row: dict[str, Any]) -> Cells:
    wanted = f"≤ {row['target']:g}" if row["target"] else ""
    return name, f"{row['median_ms']:.1f} ms", f"{row['ratio']:.2f}", wanted


def _milliseconds(name: str, row: dict[str, Any]) -> Cells:
    return name, f"{row['median_ms']:.1f} ms", "", f"≤ {row['target']:g} ms"


if __name__ == "__main__":
    results = json.loads(Path(sys.argv[1]).read_text())
    if "--readme" in sys.argv:
        into_readme(results)
    else:
        sys.stdout.write(text(results))
