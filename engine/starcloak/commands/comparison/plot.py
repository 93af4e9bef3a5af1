"""A comparison as a plot of loss against risk, with a line per algorithm: as SVG, or as PNG by matplotlib."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starcloak.base.drawing.labels import label_places
from starcloak.base.drawing.render import renderer
from starcloak.base.drawing.scale import Scale, around
from starcloak.base.errors import OutputError
from starcloak.base.installation import package_needed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLORS = ("one", "two", "three", "four", "five", "six")
_render = renderer("starcloak.commands.comparison")


@dataclass(frozen=True)
class Mark:
    """One verified release in the plot: its k as asked, its average risk (0 to 1) and its loss (0 to 1)."""

    k: int
    risk: float
    loss: float


#: The marks of each line of the plot, by the name of the line.
Lines = Mapping[str, Sequence[Mark]]


def as_svg(source: str, lines: Lines) -> str:
    """Draw the plot as one SVG without any other file."""
    across, up, labels = _places(lines)
    drawn = [
        {
            "name": name,
            "marks": [
                {
                    "x": across.place(mark.risk),
                    "y": up.place(mark.loss),
                    "k": mark.k,
                    "label": labels[name, mark.k],
                    "told": f"{name}, k = {mark.k}: loss {mark.loss:.4f}, average risk {mark.risk:.4f}",
                }
                for mark in marks
            ],
        }
        for name, marks in lines.items()
    ]
    height = 450 + 20 * len(drawn)
    filled: dict[str, Any] = {"across": across, "up": up, "drawn": drawn, "colors": _COLORS, "height": height}
    return _render("comparison.svg", source=source, **filled)


def as_png(source: str, lines: Lines) -> bytes:
    """Draw the plot as PNG. Raises :class:`OutputError` without matplotlib."""
    content = io.BytesIO()
    as_figure(source, lines).savefig(content, format="png", dpi=150)
    return content.getvalue()


def as_figure(source: str, lines: Lines) -> Figure:
    """Draw the plot as a figure of matplotlib. Raises :class:`OutputError` without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise OutputError(
            f"{package_needed('a plot as PNG', 'matplotlib', extra='plot')}, or give the plot a name that ends in .svg"
        ) from None
    across, up, labels = _places(lines)
    figure = Figure(figsize=(7.6, 5), layout="constrained")
    axes = figure.subplots()
    for name, marks in lines.items():
        axes.plot([mark.risk for mark in marks], [mark.loss for mark in marks], marker="o", label=name)
        for mark in marks:
            if (place := labels[name, mark.k]) is not None:
                offset = (place[0] - across.place(mark.risk), up.place(mark.loss) - place[1])
                axes.annotate(str(mark.k), (mark.risk, mark.loss), offset, textcoords="offset points")
    axes.set(xlabel="average risk", ylabel="loss", title=f"Loss against risk: {source}")
    axes.set_ylim(bottom=0)
    if lines:
        axes.legend()
    return figure


def _places(lines: Lines) -> tuple[Scale, Scale, dict[tuple[str, int], tuple[float, float] | None]]:
    """The axes across and up, and the place of each label by the name of its line and k."""
    named = [(name, mark) for name, marks in lines.items() for mark in marks]
    across, up = around((mark.risk for _, mark in named), 70, 740), around((mark.loss for _, mark in named), 380, 40)
    places = label_places([(across.place(mark.risk), up.place(mark.loss), str(mark.k)) for _, mark in named])
    return across, up, {(name, mark.k): place for (name, mark), place in zip(named, places, strict=True)}
