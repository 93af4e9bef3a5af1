"""A comparison as a plot: loss against risk, a line per algorithm. SVG of our own, PNG of matplotlib's."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from starcloak.base.drawing.labels import label_places
from starcloak.base.drawing.render import render
from starcloak.base.drawing.scale import Scale, around
from starcloak.base.errors import OutputError
from starcloak.commands.comparison.result import Comparison, Released

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLORS = ("one", "two", "three", "four", "five", "six")


def series(comparison: Comparison) -> dict[str, list[tuple[int, Released]]]:
    """The points that have a release, by algorithm and suppression, each with its k."""
    named = groupby(comparison.points, lambda point: f"{point.algorithm}, suppression {point.suppression:g}")
    with_release = {
        name: [(point.k, point.released) for point in points if point.released and point.released.average_risk]
        for name, points in named
    }
    return {name: points for name, points in with_release.items() if points}


def as_svg(comparison: Comparison) -> str:
    """Draw the plot as one SVG without any other file."""
    by_name = series(comparison)
    across, up, labels = _places(by_name)
    drawn = [
        {
            "name": name,
            "marks": [
                {
                    "x": across.place(released.average_risk or 0),
                    "y": up.place(released.loss),
                    "k": k,
                    "label": labels[name, k],
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
    """Draw the plot as PNG. Raises :class:`OutputError` without matplotlib."""
    content = io.BytesIO()
    as_figure(comparison).savefig(content, format="png", dpi=150)
    return content.getvalue()


def as_figure(comparison: Comparison) -> Figure:
    """Draw the plot as a figure of matplotlib. Raises :class:`OutputError` without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise OutputError("a plot as PNG needs matplotlib: pip install 'starcloak[plot]', or name it .svg") from None
    by_name = series(comparison)
    across, up, labels = _places(by_name)
    figure = Figure(figsize=(7.6, 5), layout="constrained")
    axes = figure.subplots()
    for name, points in by_name.items():
        axes.plot([p.average_risk or 0 for _, p in points], [p.loss for _, p in points], marker="o", label=name)
        for k, released in points:
            mark, place = (released.average_risk or 0, released.loss), labels[name, k]
            if place is not None:
                offset = (place[0] - across.place(mark[0]), up.place(mark[1]) - place[1])
                axes.annotate(str(k), mark, offset, textcoords="offset points")
    axes.set(
        xlabel="average risk (classes by released rows)", ylabel="loss", title=f"Loss against risk: {comparison.source}"
    )
    axes.set_ylim(bottom=0)
    if by_name:
        axes.legend()
    return figure


def _places(
    by_name: Mapping[str, Sequence[tuple[int, Released]]],
) -> tuple[Scale, Scale, dict[tuple[str, int], tuple[float, float] | None]]:
    """The axes across and up, and the place of each label by series and k."""
    everything = [(name, k, released) for name, points in by_name.items() for k, released in points]
    across = around((released.average_risk or 0 for *_, released in everything), 70, 740)
    up = around((released.loss for *_, released in everything), 380, 40)
    places = label_places(
        [(across.place(released.average_risk or 0), up.place(released.loss), str(k)) for _, k, released in everything]
    )
    return across, up, {(name, k): place for (name, k, _), place in zip(everything, places, strict=True)}
