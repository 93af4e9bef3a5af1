"""Draws the lattice of the Incognito paper's patients (Figure 3) as a search leaves it: ``python docs/lattice.py``."""

from __future__ import annotations

import itertools
from pathlib import Path

import starcloak as sc

PICTURE = Path(__file__).parent / "images" / "lattice.svg"
JOB = {
    "source": {"dataset": "patients"},
    "schema": "patients/incognito-2005",
    "requirement": {"k": 2},
    "objective": {"minimize": "height"},
}
ACROSS, DOWN, WIDE, HIGH = 150, 74, 96, 30
# Readable on light and dark pages alike.
STYLE = """
  text { font: 13px sans-serif; text-anchor: middle; fill: #222 }
  .height { text-anchor: start; fill: #777 }
  line { stroke: #999 }
  rect { stroke: #777; fill: #eee }
  .satisfying { fill: #bcdff0 }
  .minimal { fill: #5fb3d9; stroke: #222 }
  .chosen { fill: #f2b134; stroke: #222; stroke-width: 2 }
"""


def drawing() -> str:
    """The lattice as SVG: a row per height, an edge wherever one attribute goes up by one level."""
    result = sc.run(JOB).result
    names, tops = zip(*result.recoding.heights.items(), strict=True)
    minimal = {tuple(node) for node in result.search.minimal}
    chosen = tuple(result.recoding.levels.values())
    rows: dict[int, list[tuple[int, ...]]] = {}
    for node in itertools.product(*(range(top + 1) for top in tops)):
        rows.setdefault(sum(node), []).append(node)
    width = ACROSS * max(map(len, rows.values())) + 80
    place = {
        node: (80 + (width - 80) * (2 * position + 1) / (2 * len(row)), DOWN * (max(rows) - height) + DOWN / 2)
        for height, row in rows.items()
        for position, node in enumerate(row)
    }

    def kind(node: tuple[int, ...]) -> str:
        above = any(all(map(int.__ge__, node, least)) for least in minimal)
        return "chosen" if node == chosen else "minimal" if node in minimal else "satisfying" if above else "open"

    edges = [
        f'<line x1="{place[low][0]:g}" y1="{place[low][1]:g}" x2="{place[high][0]:g}" y2="{place[high][1]:g}"/>'
        for low, high in itertools.product(place, repeat=2)
        if sum(high) == sum(low) + 1 and all(map(int.__ge__, high, low))
    ]
    labels = {
        node: ", ".join(f"{name[0].upper()}{level}" for name, level in zip(names, node, strict=True)) for node in place
    }
    nodes = [
        f'<rect class="{kind(node)}" x="{x - WIDE / 2:g}" y="{y - HIGH / 2:g}" width="{WIDE}" height="{HIGH}" rx="6"/>'
        f'<text x="{x:g}" y="{y + 4:g}">{labels[node]}</text>'
        for node, (x, y) in place.items()
    ]
    heights = [
        f'<text class="height" x="4" y="{place[row[0]][1] + 4:g}">height {height}</text>'
        for height, row in rows.items()
    ]
    size = f'width="{width}" height="{DOWN * len(rows)}" viewBox="0 0 {width} {DOWN * len(rows)}"'
    inside = "\n".join([*edges, *nodes, *heights])
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n<style>{STYLE}</style>\n{inside}\n</svg>\n'


if __name__ == "__main__":
    PICTURE.write_text(drawing(), encoding="utf-8")
