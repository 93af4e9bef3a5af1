"""A hierarchy written into the job, value by value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from starcloak.hierarchy.builder import BuildPlace, build, register
from starcloak.hierarchy.members import Declared, receive, text, with_top
from starcloak.statements.statement import Name


@register
class Levels(Declared):
    """Values with their levels: ``{9th: [School, Any]}``. ``*`` goes on top unless all end in one value already.

    A null key declares the missing value; a value with one level may have it alone.
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
            raise place.wrong("its values have different numbers of levels: give each of them as many")
        if any(isinstance(cell, (dict, list, tuple)) for levels in self.levels.values() for cell in _several(levels)):
            raise place.wrong("its levels contain lists: give each value one flat list")
        return receive(place, with_top(lines), into)


def levels(labels: Mapping[Any, Any]) -> Levels:
    """Values with their levels: ``levels({"9th": ["School", "Any"]})``; ``*`` goes on top unless all end alike.

    Args:
        labels: A list of levels per value, from the level above the leaf to the top. All lists have the same length.

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
