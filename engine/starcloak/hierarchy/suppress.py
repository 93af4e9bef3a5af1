"""A hierarchy with ``*`` as the only level above the leaves."""

from __future__ import annotations

from typing import ClassVar

from starcloak.hierarchy.builder import BuildPlace, Word, register
from starcloak.hierarchy.members import Rule
from starcloak.statements.statement import Hole, Statement


@register
class Suppress(Word, Rule):
    """One level above the leaves: every value becomes ``*``."""

    key: ClassVar[str] = "suppress"
    form: ClassVar[str] = "`suppress`"
    also_called: ClassVar[tuple[str, ...]] = (
        "mask",
        "redact",
        "remove",
        "generalize",
        "hide",
        "delete",
        "star",
        "drop",
    )
    levels_read: ClassVar[str] = "female → \\*"
    suppresses: ClassVar[bool] = True

    def levels(self, place: BuildPlace) -> list[Hole]:
        return []

    def statement(self, place: BuildPlace, levels: Hole) -> Statement:
        return Statement("hierarchy/suppress", domain=place.domain, levels=levels)

    @property
    def remedy(self) -> str:
        return "declare a leaf for each"


def suppress() -> Suppress:
    """One level above the leaves: every value becomes ``*``.

    The values may be of any type. Raises nothing.

    >>> import pandas, starcloak as sc
    >>> frame = pandas.DataFrame({"sex": ["f", "m"]})
    >>> release = sc.anonymize(frame, quasi_identifiers={"sex": sc.suppress()}, k=2)
    >>> sorted(release.to_pandas()["sex"])
    ['*', '*']
    """
    return Suppress()
