"""Values with one character less at every level."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field, StrictInt

from starcloak.base import settings
from starcloak.hierarchy.builder import BuildPlace, build, register
from starcloak.hierarchy.members import Rule
from starcloak.statements.statement import Hole, Literal, Number, Statement


@register
class Digits(Rule):
    """Values of ``digits`` characters; each level masks one more character from the right: 53715, 5371*, …, ``*``.

    Whole numbers of any type are filled up with zeros on the left. Shorter texts are filled up with ``pad``, if it is
    set.
    """

    key: ClassVar[str] = "digits"
    form: ClassVar[str] = "`{digits: 5}`"
    also_called: ClassVar[tuple[str, ...]] = ("zip", "zipcode", "postcode", "prefix", "truncate", "characters", "plz")
    levels_read: ClassVar[str] = (
        '53715 → 5371\\* → 537\\*\\* → 53\\*\\*\\* → 5\\*\\*\\*\\* → \\*; with `pad: "0"`, 2174 → 0217\\*'
    )

    finds_people_by: ClassVar[str | None] = "all digits of a code"

    digits: Annotated[StrictInt, Field(ge=1, le=settings.MOST_LEVELS)]

    pad: Annotated[str, Field(min_length=1, max_length=1)] | None = None

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
        if self.pad is not None and place.column.is_text:
            text = Statement("hierarchy/digits#padded", pad=Literal(self.pad))
        else:
            text = Statement("hierarchy/digits#text" if place.column.is_text else "hierarchy/digits#number")
        return Statement("hierarchy/digits", domain=place.domain, text=text, levels=levels)

    @property
    def remedy(self) -> str:
        padded = "" if self.pad is not None else "give pad for shorter values, "
        return (
            f"they do not have {self.digits} characters, spaces included: {padded}or take suppress or a tree in "
            "place of digits for words"
        )


def digits(length: int, *, pad: str | None = None) -> Digits:
    """Values of ``length`` characters, one less at every level: ``digits(5)``, ``digits(5, pad="0")``.

    Args:
        length: Number of characters of a value, and of levels above the leaf; at least 1. Each level replaces one more
            character from the right.
        pad: Character to fill up shorter texts on the left.

    Raises:
        JobError: ``length`` is below 1. A run raises :class:`~starcloak.base.errors.HierarchyError` for longer values,
            and for shorter values without ``pad``.

    >>> import pandas, starcloak as sc
    >>> frame = pandas.DataFrame({"zip": ["53715", "53710", "53706", "53703"]})
    >>> release = sc.anonymize(frame, quasi_identifiers={"zip": sc.digits(5)}, k=2)
    >>> sorted(release.to_pandas()["zip"])
    ['5370*', '5370*', '5371*', '5371*']
    """
    return build(Digits, digits=length, pad=pad)
