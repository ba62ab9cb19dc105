#!/usr/bin/env python3
"""What a day with a GPU has measured, as Markdown.

    summary.py RESULTS...                          print it
    summary.py --results benches/results RESULTS...
                                                   write it there, with the JSON lines and the chart

RESULTS are the folders that `run.sh` has filled, in any number: a part may lie in a folder of its own. What is written
lacks the rows that were measured at low clocks, and names them.
"""
import argparse
import json
import re
import shutil
import statistics
import sys
from pathlib import Path

PARTS = ("first", "second", "sweeps")
# The share of a copy's rate that a workload should reach, by how its name ends or begins.
GOALS = (("odd_transpose", 0.70), ("transpose", 0.80), ("", 0.92))
# What a driver may call the figures of a kernel that decide how many of its invocations run at once.
TELLING = re.compile(r"register|gpr|spill|scratch|local|slm|shared|lds|stack|instruction|binary|occupan|subgroups", re.I)
# Files that are committed, and what they are called then.
COMMITTED = {
    "workloads-large.jsonl": "workloads.jsonl",
    "workloads-large.svg": "workloads.svg",
    "workloads-middling.jsonl": "workloads-middling.jsonl",
    "torch.jsonl": "torch.jsonl",
    "broadcasts.jsonl": "broadcasts.jsonl",
    "sizes.jsonl": "sizes.jsonl",
    "growth.jsonl": "growth.jsonl",
    "trials.jsonl": "trials.jsonl",
    "schedules.jsonl": "schedules.jsonl",
    "statistics.jsonl": "statistics.jsonl",
    "reductions.jsonl": "reductions.jsonl",
    "products.jsonl": "products.jsonl",
    "calls.jsonl": "calls.jsonl",
    "one.jsonl": "one.jsonl",
}


class Results:
    """The files of some folders; of two with one name the later folder's counts."""

    def __init__(self, folders):
        self.files = {path.name: path for folder in folders for path in sorted(Path(folder).iterdir())}
        # Whether rows at low clocks are passed over.
        self.publishes = False

    def lines(self, name):
        """The lines of a file, each with its row."""
        path = self.files.get(name)
        lines = []
        for n, line in enumerate(path.read_text().splitlines() if path else (), 1):
            try:
                lines.append((line, json.loads(line)))
            except json.JSONDecodeError:
                # A step that its time limit ended may have left half of a line.
                print(f"summary: {path}:{n} is no JSON", file=sys.stderr)
        return [(line, row) for line, row in lines if not (self.publishes and is_low(row))]

    def rows(self, name):
        return [row for _, row in self.lines(name)]

    def parts(self):
        return [(part, self.rows(f"{part}.jsonl")) for part in PARTS if f"{part}.jsonl" in self.files]


def is_low(row):
    """Whether it was measured at low clocks, so that its figures are not to be published."""
    return row.get("clocks") == "low"


def table(head, rows):
    if not rows:
        return ""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in lines) + "\n"


def number(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


def goal(name):
    return next(share for start, share in GOALS if name.startswith(start))


def head(results):
    adapters = {
        (r["adapter"], r["driver"], r["backend"])
        for name in COMMITTED
        if name.endswith(".jsonl")
        for r in results.rows(name)
        if "driver" in r and "backend" in r
    }
    if len(adapters) != 1:
        sys.exit(f"summary: results of one adapter are needed, these are there: {sorted(adapters) or 'none'}")
    adapter, driver, backend = adapters.pop()
    records = [rows[0] for _, rows in results.parts() if rows]
    peers = [r for name in ("torch.jsonl", "sizes.jsonl") for r in results.rows(name) if "peer" in r]
    torch = sorted({f"PyTorch {r['torch']}" for r in peers if "torch" in r}) or sorted({r["error"] for r in peers if "error" in r})
    facts = [
        ("adapter", adapter),
        ("driver", f"{driver}, {backend}"),
        ("date", ", ".join(sorted({r["date"] for r in records}))),
        ("commit", ", ".join(sorted({r["commit"] for r in records}))),
        ("GPU, driver, clocks, memory", "; ".join(sorted({r["gpu"] for r in records if r["gpu"]})) or "not told"),
        ("peer", "; ".join(torch) or "none"),
    ]
    text = f"# {adapter}\n\n" + table(("", ""), facts)
    if any(r["small"] for r in records):
        text += "\n**A dry run at small sizes: its figures mean nothing.**\n"
    return text, adapter, max((r["date"] for r in records), default="")


def steps(results):
    rows = []
    for part, lines in results.parts():
        for r in lines[1:]:
            skipped = r["said"].startswith("not run: ")
            done = "**no**" if skipped else "yes" if r["exit"] == 0 else f"**exit {r['exit']}**"
            # Of many alike only those that failed or were passed over.
            if done != "yes" or not r["step"].startswith(("size-", "trial-", "schedule-", "folds-", "one-", "chosen-", "reductions-")):
                rows.append((part, r["step"], done, r["seconds"], r["said"][:240]))
    return "\n## Steps\n\n" + table(("part", "step", "done", "s", "what it said"), rows)


def told(results):
    rows = results.rows("statistics.jsonl")
    errors = [r["error"] for r in rows if "error" in r]
    rows = [r for r in rows if "statistics" in r]
    if not rows:
        return f"\n## Registers\n\n{errors[0]}.\n" if errors else ""
    names = sorted({name for r in rows for name in r["statistics"]})
    names = [name for name in names if TELLING.search(name)] or names
    cells = [
        (r["workload"], r["kernel"], r["workgroup"], *(number(r["statistics"].get(name), 0) for name in names)) for r in rows
    ]
    return "\n## Registers\n\n" + table(("workload", "kernel", "workgroup", *names), cells)


def share(row):
    """Of the rate of a copy by a kernel; of the adapter's own in older lines."""
    return row.get("ratio_to_copy_kernel") or row.get("ratio_to_copy")


def remark(row):
    """Its spread; and whether its figures are not to be published."""
    return f"{row['spread']:.0%} spread" + (", **low clocks**" if is_low(row) else "")


def workloads(results, name, peers, title="Workloads"):
    """A table for each size."""
    lines = [r for r in results.rows(name) if "workload" in r and not r.get("peer")]
    return "".join(of_size([r for r in lines if r.get("log2") == log2], log2, peers, title) for log2 in sizes_of(lines))


def sizes_of(rows):
    return sorted({r["log2"] for r in rows if r.get("log2")})


def of_size(lines, log2, peers, title):
    rows, low = [], []
    for r in lines:
        workload = r["workload"]
        if r.get("error"):
            rows.append((workload, "-", "-", "-", "-", "-", r["error"][:100]))
            continue
        copy = share(r)
        short = copy is not None and copy < goal(workload) and not r["software"]
        if short:
            low.append(f"{workload} {copy:.2f}")
        times = [
            number(r["gbps"] / peers[key]) if (key := (peer, workload, r["log2"])) in peers else "-"
            for peer in ("torch-eager", "torch-compile")
        ]
        of_copy = f"**{copy:.3f}**" if short else number(copy, 3)
        rows.append((workload, number(r["gbps"], 0), of_copy, number(r["ratio_to_handwritten"]), *times, remark(r)))
    text = f"\n## {title} of 2^{log2} elements\n\n"
    text += "The goal is 0.92 of the copy, 0.80 if transposed, 0.70 if transposed with odd extents; a software adapter has none.\n"
    text += f"Below it, bold: {', '.join(low) or 'none'}.\n\n"
    names = ("workload", "GB/s", "of copy", "time over by hand", "times as fast as eager", "as compile", "")
    return text + table(names, rows)


def calls(results):
    """What small calls are made of, and transfers by size."""
    rows = results.rows("calls.jsonl")
    text = ""
    cells = [(r["step"], r.get("waits", "-"), *(number(us, 1) for us in r["us_median_p10"])) for r in rows if "step" in r]
    cells += [
        (r["workload"], "-", *(number(r[field] / r["calls"] / 1e3, 1) for field in ("median_ns", "min_ns")))
        for r in rows
        if r.get("calls")
    ]
    if cells:
        text += "\n## Small calls\n\nMicroseconds; of the workloads those of a call, and the least instead of the first decile.\n\n"
        text += table(("step", "waits", "median", "first decile"), cells)
    cells = [(r["transfer"], f"2^{r['log2']}", number(r["us_median_p10"][0], 1), number(r["gbps"])) for r in rows if "transfer" in r]
    if cells:
        text += "\n## Transfers\n\n" + table(("what", "bytes", "us", "GB/s"), cells)
    return text


def one(results):
    """The schedule `one` beside the chosen one."""
    rates = {}
    for r in results.rows("one.jsonl"):
        if r.get("gbps"):
            rates.setdefault((r["workload"], r["log2"]), {})[r["schedule"]] = r["gbps"]
    cells = [
        (name, f"2^{log2}", number(found[None], 0), number(found["one"], 0), number(found["one"] / found[None], 3))
        for (name, log2), found in sorted(rates.items())
        if {None, "one"} <= found.keys()
    ]
    if not cells:
        return ""
    return "\n## The schedule `one`\n\n" + table(("workload", "elements", "chosen, GB/s", "one, GB/s", "one over chosen"), cells)


def sizes(results):
    rows = {}
    for r in results.rows("sizes.jsonl"):
        if r.get("error") or not r.get("gbps"):
            continue
        column = r.get("peer") and f"{r['peer']} {r['workload']}" or "same_add"
        row = rows.setdefault(r["log2"], {})
        row[column] = number(r["gbps"], 0)
        if "copy_ns" in r:
            row["copy"] = number(r["bytes_moved"] / r["copy_ns"], 0)
            row["MiB"] = number(r["bytes_moved"] * r["input_sets"] / 2**20, 0)
    columns = [c for c in ("MiB", "same_add", "copy", "torch-graph same_add", "torch-graph copy") if any(c in r for r in rows.values())]
    if not rows:
        return ""
    text = "\n## Rates by size, GB/s\n\nMiB: what same_add's runs go through in turn. What the L2 holds shows its rate, the last lines DRAM's.\n"
    text += "PyTorch's runs use one set of tensors.\n\n"
    return text + table(("elements", *columns), [(f"2^{k}", *(rows[k].get(c, "-") for c in columns)) for k in sorted(rows)])


def broadcasts(results):
    rows = results.rows("broadcasts.jsonl")
    ratios = sorted(((r["ratio_to_same"], r["workload"], r["gbps"]) for r in rows if r.get("ratio_to_same")), reverse=True)
    if not ratios:
        return ""
    values = [ratio for ratio, *_ in ratios]
    text = f"\n## Broadcast shapes\n\n{len(ratios)} shapes beside the sum of two tensors of the result's shape: median "
    text += f"{statistics.median(values):.2f} of its time, worst {values[0]:.2f}.\n\n"
    return text + table(("slowest", "of the same sum's time", "GB/s"), [(n, number(v), number(g, 0)) for v, n, g in ratios[:12]])


def growth(results):
    rows = [r for r in results.rows("growth.jsonl") if r.get("median_ns")]
    cells = [
        (r["workload"], f"2^{r['log2']}", number(r["median_ns"] / 1e3, 1), number(r["gbps"], 0), number(share(r))) for r in rows
    ]
    if not cells:
        return ""
    text = "\n## Growth\n\n"
    chains = sorted((int(r["workload"].split("/")[1]), r["median_ns"], r["elements"]) for r in rows if r["workload"].startswith("steps/"))
    if len(chains) >= 2 and chains[-1][1] > chains[-2][1]:
        (few, begin, elements), (many, end, _) = chains[-2:]
        rate = (many - few) * elements / (end - begin)
        text += f"From {few} to {many} steps a chain computes {rate:.0f} further steps in a nanosecond.\n\n"
    return text + table(("workload", "elements", "us", "GB/s", "of copy"), cells)


def trials(results):
    text = ""
    found = results.rows("trials.jsonl")
    rows = [r for r in found if r.get("ratio_to_handwritten") and r.get("trial")]
    if rows:
        cells = [
            (r["trial"], r["workload"], number(r["bytes_moved"] / r["handwritten_ns"], 0), number(r["ratio_to_handwritten"])) for r in rows
        ]
        text += "\n## Trial kernels\n\nAbove 1 the trial is faster than the plan.\n\n"
        text += table(("trial", "workload", "trial's GB/s", "plan's time over the trial's"), cells)
    rows = [r for r in results.rows("schedules.jsonl") + found if r.get("gbps") and r.get("schedule")]
    if rows:
        cells = [
            (r["workload"], r["schedule"], number(r["gbps"], 0), number(share(r)), number(r["ratio_to_handwritten"]))
            for r in sorted(rows, key=lambda r: (r["workload"], -r["gbps"]))
        ]
        text += "\n## Schedules\n\n" + table(("workload", "schedule", "GB/s", "of copy", "time over by hand"), cells)
    return text


def markdown(results):
    text, adapter, date = head(results)
    peers = {(r["peer"], r["workload"], r["log2"]): r["gbps"] for r in results.rows("torch.jsonl") if "gbps" in r}
    text += steps(results) + told(results)
    text += workloads(results, "workloads-large.jsonl", peers) + workloads(results, "workloads-middling.jsonl", peers)
    for name, title in (("reductions", "Reductions"), ("products", "Products and what moves elements")):
        text += workloads(results, f"{name}.jsonl", peers, title)
    text += calls(results) + one(results)
    text += sizes(results) + broadcasts(results) + growth(results) + trials(results)
    return text, adapter, date


def left_out(results):
    """The rows of committed files that are not published."""
    cells = []
    for name, target in COMMITTED.items():
        for r in results.rows(name) if name.endswith(".jsonl") else ():
            if is_low(r):
                by = r.get("peer") or r.get("trial") or r.get("schedule") or "-"
                cells.append((target, r.get("workload", "-"), by, f"2^{r['log2']}" if r.get("log2") else "-"))
    if not cells:
        return ""
    text = "\n## Left out\n\nThese rows were measured at low clocks: no table, chart or file here has them.\n\n"
    return text + table(("file", "workload", "peer, trial or schedule", "elements"), cells)


def commit(results, folder):
    if any(rows and rows[0]["small"] for _, rows in results.parts()):
        sys.exit("summary: a dry run is no result")
    low = left_out(results)
    results.publishes = True
    text, adapter, date = markdown(results)
    text = text.replace("\n## Steps", f"{low}\n## Steps", 1)
    name = f"{date}-{re.sub('[^a-z0-9]+', '-', adapter.lower()).strip('-')}"
    written = [f"{name}.md"]
    for source, target in COMMITTED.items():
        if source.endswith(".jsonl"):
            lines = [line for line, _ in results.lines(source)]
            if not lines:
                continue
            (folder / f"{name}-{target}").write_text("\n".join(lines) + "\n")
        elif source in results.files and f"{name}-{target.replace('.svg', '.jsonl')}" in written:
            shutil.copyfile(results.files[source], folder / f"{name}-{target}")
        else:
            continue
        written.append(f"{name}-{target}")
    if f"{name}-workloads.svg" in written:
        text = text.replace("\n## Steps", f"\n![Workloads beside a copy and kernels by hand]({name}-workloads.svg)\n\n## Steps", 1)
    (folder / f"{name}.md").write_text(text)
    print("\n".join(f"{folder}/{file}" for file in written))
    print(f"Add a line to {folder}/README.md: [{adapter}, {date}]({name}.md)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, metavar="FOLDER")
    parser.add_argument("folders", nargs="+", metavar="RESULTS")
    args = parser.parse_args()
    results = Results(args.folders)
    if args.results:
        commit(results, args.results)
    else:
        print(markdown(results)[0], end="")


if __name__ == "__main__":
    main()
