"""A comparison as a plot: loss against risk, a line per algorithm. SVG of our own, PNG of matplotlib's."""

from __future__ import annotations

import io
from itertools import groupby
from typing import Any

from starcloak.base.drawing.render import render
from starcloak.base.drawing.scale import around
from starcloak.base.errors import OutputError
from starcloak.commands.comparison.result import Comparison, Released

_COLORS = ("one", "two", "three", "four", "five", "six")


def series(comparison: Comparison) -> dict[str, list[tuple[int, Released]]]:
    """The points with a release, by algorithm and suppression, each with its k."""
    named = groupby(comparison.points, lambda point: f"{point.algorithm}, suppression {point.suppression:g}")
    with_release = {
        name: [(point.k, point.released) for point in points if point.released and point.released.average_risk]
        for name, points in named
    }
    return {name: points for name, points in with_release.items() if points}


def as_svg(comparison: Comparison) -> str:
    """The plot as one self-contained SVG."""
    by_name = series(comparison)
    everything = [released for points in by_name.values() for _, released in points]
    across = around((released.average_risk or 0 for released in everything), 70, 740)
    up = around((released.loss for released in everything), 380, 40)
    drawn = [
        {
            "name": name,
            "marks": [
                {
                    "x": across.place(released.average_risk or 0),
                    "y": up.place(released.loss),
                    "k": k,
                    "told": f"{name}, k = {k}: loss {released.loss:.4f}, average risk {released.average_risk:.4f}",
                }
                for k, released in points
            ],
        }
        for name, points in by_name.items()
    ]
    height = 450 + 20 * len(drawn)
    filled: dict[str, Any] = {"across": across, "up": up, "drawn": drawn, "colors": _COLORS, "height": height}
    return render("comparison.svg", source=comparison.source, **filled)


def as_png(comparison: Comparison) -> bytes:
    """The plot as PNG. Raises :class:`OutputError` without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise OutputError("a plot as PNG needs matplotlib: pip install 'starcloak[plot]', or name it .svg") from None
    figure = Figure(figsize=(7.6, 5), layout="constrained")
    axes = figure.subplots()
    for name, points in series(comparison).items():
        axes.plot([p.average_risk or 0 for _, p in points], [p.loss for _, p in points], marker="o", label=name)
        for k, released in points:
            axes.annotate(str(k), (released.average_risk or 0, released.loss), (4, 4), textcoords="offset points")
    axes.set(
        xlabel="average risk (classes by released rows)", ylabel="loss", title=f"Loss against risk: {comparison.source}"
    )
    axes.set_ylim(bottom=0)
    if series(comparison):
        axes.legend()
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=150)
    return content.getvalue()
