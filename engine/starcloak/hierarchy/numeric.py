"""Numbers with intervals chosen by the algorithm."""

from __future__ import annotations

from typing import ClassVar

from starcloak.hierarchy.builder import BuildPlace, Word, register
from starcloak.hierarchy.members import NUMBERS_ONLY, Rule, numbers
from starcloak.statements.statement import Hole, Statement


@register
class Numeric(Word, Rule):
    """Numbers with intervals chosen by the search algorithm; other algorithms have ``*`` as the only level."""

    key: ClassVar[str] = "numeric"
    form: ClassVar[str] = "`numeric`"
    levels_read: ClassVar[str] = (
        "37 → \\*, for a column of numbers whose intervals the algorithm finds itself; others see one step"
    )
    numeric: ClassVar[bool] = True

    def labels(self, height: int) -> list[str]:
        return (
            ["as it is", "a range or *"] if height == 1 else ["as it is", *["a range"] * (height - 1), self.top_label]
        )

    def levels(self, place: BuildPlace) -> list[Hole]:
        return []

    def statement(self, place: BuildPlace, levels: Hole) -> Statement:
        return Statement("hierarchy/numeric", numbers=numbers(place), levels=levels)

    @property
    def remedy(self) -> str:
        return NUMBERS_ONLY


def numeric() -> Numeric:
    """Numbers with intervals chosen by the search algorithm.

    For algorithms without intervals, ``*`` is the only level above the leaf. The algorithms mondrian, tdr and
    ordered-set choose intervals. A run raises :class:`~starcloak.base.errors.HierarchyError` for values other than
    numbers.

    >>> import pandas, starcloak as sc
    >>> frame = pandas.DataFrame({"age": [31, 34, 47, 49]})
    >>> release = sc.anonymize(frame, quasi_identifiers={"age": sc.numeric()}, k=2, algorithm={"name": "mondrian"})
    >>> sorted(release.to_pandas()["age"])
    ['< 40', '< 40', '>= 40', '>= 40']
    """
    return Numeric()
