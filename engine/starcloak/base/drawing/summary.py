"""The display of a result: three lines of text, and in a notebook a table with notes and small bars."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Summary:
    """Display of a result: ``lines`` of text, a table of ``rows`` under a ``head``, ``notes``, and ``bars``.

    A bar is a label and a share from 0 to 1; ``drawn`` is the title of the bars.
    """

    lines: Sequence[str]
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    drawn: str = ""
    bars: Sequence[tuple[str, float]] = ()


class Summarized:
    """A result displayed as its :class:`Summary`: by ``repr()`` and, in a notebook, as HTML."""

    @property
    @abstractmethod
    def summary(self) -> Summary:
        """Summary of this result, for its display."""

    def __repr__(self) -> str:
        """The first three lines of the summary."""
        return "<" + "\n ".join(self.summary.lines[:3]) + ">"

    def _repr_html_(self) -> str:
        """HTML of the summary for a notebook: a table, the notes, and bars."""
        from starcloak.base.drawing.render import render

        return render("summary.html", summary=self.summary)
