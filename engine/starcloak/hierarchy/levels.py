"""A hierarchy written into the job, value by value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from starcloak.hierarchy.builder import BuildPlace, build, register
from starcloak.hierarchy.members import Declared, receive, text, with_top
from starcloak.statements.statement import Name


@register
class Levels(Declared):
    """Leaves with their labels, from level 1 upward: ``{9th: [School, Any]}``.

    ``*`` goes on top unless all lists end in the same label. A null key declares the missing value. A single label
    needs no list: ``{9th: School}``.
    """

    key: ClassVar[str] = "levels"
    apart: ClassVar[tuple[str, ...]] = ("levels",)
    form: ClassVar[str] = "`{levels: {Masters: [Higher, Any], 9th: [School, Any]}}`"
    levels_read: ClassVar[str] = (
        "Masters → Higher → Any; `*` goes on top unless all end in one value; a null key declares the missing value"
    )

    levels: dict[Any, Any]

    @property
    def content(self) -> Any:
        return {"levels": [[text(leaf), str(levels)] for leaf, levels in self.levels.items()]}

    def declare(self, place: BuildPlace, into: Name) -> int:
        lines = [[_cell(leaf), *map(_cell, _several(levels))] for leaf, levels in self.levels.items()]
        if len({len(line) for line in lines}) > 1:
            raise place.wrong("its values have different numbers of levels: give every value the same number of levels")
        if any(isinstance(cell, (dict, list, tuple)) for levels in self.levels.values() for cell in _several(levels)):
            raise place.wrong("its levels contain lists within lists: give each value one flat list")
        return receive(place, with_top(lines), into)


def levels(labels: Mapping[Any, Any]) -> Levels:
    """Leaves with their labels: ``levels({"9th": ["School", "Any"]})``.

    Args:
        labels: The labels of each leaf, from level 1 to the top; a single label needs no list. All lists have the same
            length. ``*`` goes on top unless all lists end in the same label.

    A run raises :class:`~starcloak.base.errors.HierarchyError` for lists of different lengths, and for values without a
    leaf.

    >>> import pandas, starcloak as sc
    >>> frame = pandas.DataFrame({"education": ["9th", "10th", "Bachelors", "Masters"]})
    >>> education = sc.levels({"9th": "School", "10th": "School", "Bachelors": "Higher", "Masters": "Higher"})
    >>> sorted(sc.anonymize(frame, quasi_identifiers={"education": education}, k=2).to_pandas()["education"])
    ['Higher', 'Higher', 'School', 'School']
    """
    return build(Levels, levels=dict(labels))


def _several(levels: Any) -> Sequence[Any]:
    return levels if isinstance(levels, (list, tuple)) else [levels]


def _cell(value: Any) -> str | None:
    return None if value is None else text(value)
