"""Values with one character less at every level."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field, StrictInt

from starcloak.base import settings
from starcloak.hierarchy.builder import BuildPlace, build, register
from starcloak.hierarchy.members import Rule
from starcloak.statements.statement import Hole, Number, Statement


@register
class Digits(Rule):
    """Values of ``digits`` characters; each level masks one more character from the right: 53715, 5371*, …, ``*``.

    Whole numbers of any type are filled up with zeros on the left; ``pad`` under ``clean`` does the same to texts.
    """

    key: ClassVar[str] = "digits"
    form: ClassVar[str] = "`{digits: 5}`"
    also_called: ClassVar[tuple[str, ...]] = ("zip", "zipcode", "postcode", "prefix", "truncate", "characters", "plz")
    levels_read: ClassVar[str] = "53715 → 5371\\* → 537\\*\\* → 53\\*\\*\\* → 5\\*\\*\\*\\* → \\*"

    finds_people_by: ClassVar[str | None] = "all digits of a code"

    digits: Annotated[StrictInt, Field(ge=1, le=settings.MOST_LEVELS)]

    @property
    def binds(self) -> Mapping[str, Any]:
        return {"digits": self.digits}

    @property
    def level_labels(self) -> list[str]:
        return [f"{left} digit{'s' * (left > 1)}" for left in range(self.digits - 1, 0, -1)]

    def levels(self, place: BuildPlace) -> list[Hole]:
        if not (place.column.is_text or place.column.is_number):
            raise place.wrong(
                f"digits need text or whole numbers, and the column is of type {place.column.kind}: cast it to text"
            )
        return [Statement("hierarchy/digits#masked", lost=Number(lost)) for lost in range(1, self.digits)]

    def statement(self, place: BuildPlace, levels: Hole) -> Statement:
        text = Statement("hierarchy/digits#text" if place.column.is_text else "hierarchy/digits#number")
        return Statement("hierarchy/digits", domain=place.domain, text=text, levels=levels)

    @property
    def remedy(self) -> str:
        return (
            f"they do not have {self.digits} characters, spaces included: for codes without their leading zeros, write "
            f"pad: {self.digits} under clean, or take suppress or a tree in place of digits for words"
        )


def digits(length: int) -> Digits:
    """Values of ``length`` characters, one less at every level: ``digits(5)``.

    Args:
        length: Number of characters of a value, and of levels above the leaf; at least 1. Each level replaces one more
            character from the right.

    Raises:
        JobError: ``length`` is below 1. A run raises :class:`~starcloak.base.errors.HierarchyError` for longer and
            for shorter values.

    >>> import pandas, starcloak as sc
    >>> frame = pandas.DataFrame({"zip": ["53715", "53710", "53706", "53703"]})
    >>> release = sc.anonymize(frame, quasi_identifiers={"zip": sc.digits(5)}, k=2)
    >>> sorted(release.to_pandas()["zip"])
    ['5370*', '5370*', '5371*', '5371*']
    """
    return build(Digits, digits=length)
