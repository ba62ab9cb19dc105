#!/usr/bin/env python3
"""Draws the table of a results page as bars: the rate of each workload here and in PyTorch.

    scripts/make_rates_chart.py benches/results/h200.md 4.8 benches/results/h200.svg

The second argument is the rate of the GPU's memory by its data sheet, in TB/s.
"""
import sys
from pathlib import Path

ROW, BAR, LEFT, WIDTH, TOP = 26, 9, 150, 560, 44
OURS, THEIRS = "#2563eb", "#9ca3af"


def rows(page):
    """Name, GB/s here, GB/s of PyTorch or None, of the first table with these columns."""
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("| ")]
    head = next(i for i, cells in enumerate(lines) if cells[0] == "workload" and "GB/s" in cells)
    columns = {name: i for i, name in enumerate(lines[head])}
    for cells in lines[head + 1 :]:
        if len(cells) != len(columns):
            break
        here, us = (float(cells[columns[name]].replace(",", "")) for name in ("GB/s", "us"))
        torch = cells[columns["PyTorch, us"]].replace(",", "")
        yield cells[0], here, here * us / float(torch) if torch else None


def chart(found, memory):
    height = TOP + ROW * len(found) + 24
    scale = WIDTH / (memory * 1000)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 70} {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{LEFT + WIDTH + 70}" height="{height}" fill="white"/>',
        f'<rect x="{LEFT}" y="10" width="10" height="10" fill="{OURS}"/><text x="{LEFT + 15}" y="19">zerostride, GB/s</text>',
        f'<rect x="{LEFT + 140}" y="10" width="10" height="10" fill="{THEIRS}"/><text x="{LEFT + 155}" y="19">PyTorch, eager</text>',
    ]
    for x in range(int(memory) + 1):
        at = LEFT + x * 1000 * scale
        out.append(f'<line x1="{at:.1f}" y1="{TOP - 6}" x2="{at:.1f}" y2="{height - 20}" stroke="#e5e7eb"/>')
        out.append(f'<text x="{at:.1f}" y="{height - 6}" text-anchor="middle" fill="#6b7280">{x * 1000:,}</text>')
    out.append(f'<line x1="{LEFT + WIDTH}" y1="{TOP - 6}" x2="{LEFT + WIDTH}" y2="{height - 20}" stroke="#dc2626" stroke-dasharray="4 3"/>')
    out.append(f'<text x="{LEFT + WIDTH}" y="{TOP - 10}" text-anchor="middle" fill="#dc2626">memory, {memory} TB/s</text>')
    for i, (name, here, torch) in enumerate(found):
        y = TOP + ROW * i
        out.append(f'<text x="{LEFT - 8}" y="{y + 13}" text-anchor="end">{name}</text>')
        out.append(f'<rect x="{LEFT}" y="{y}" width="{here * scale:.1f}" height="{BAR}" fill="{OURS}"/>')
        out.append(f'<text x="{LEFT + here * scale + 5:.1f}" y="{y + 9}" font-size="10">{here:,.0f}</text>')
        if torch:
            out.append(f'<rect x="{LEFT}" y="{y + BAR + 1}" width="{torch * scale:.1f}" height="{BAR}" fill="{THEIRS}"/>')
            out.append(f'<text x="{LEFT + torch * scale + 5:.1f}" y="{y + 2 * BAR}" font-size="10" fill="#6b7280">{torch:,.0f}</text>')
    return "\n".join([*out, "</svg>", ""])


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    page, memory, target = sys.argv[1:]
    Path(target).write_text(chart(list(rows(Path(page).read_text())), float(memory)))
