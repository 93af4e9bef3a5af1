"""Ranges of declared widths."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Context, Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from starcloak.base import settings
from starcloak.hierarchy.builder import BuildPlace, build, register
from starcloak.hierarchy.members import NUMBERS_ONLY, Rule, numbers
from starcloak.statements.statement import Bind, Hole, Statement

_EXACT = Context(prec=28)  # a caller may round to fewer digits
End = Annotated[Decimal, Field(max_digits=28, decimal_places=10, allow_inf_nan=False)]


@register
class Intervals(Rule):
    """Ranges of the declared widths, each starting at a multiple of its width, then ``*``.

    Each width is a multiple of the previous width. Numbers less than ``below`` go to one range such as ``< 20`` from
    level 1 on, and numbers not less than ``above`` to one such as ``>= 90``; no other range crosses these bounds.
    Numbers in texts have a point, or the ``decimal`` comma.
    """

    key: ClassVar[str] = "intervals"
    form: ClassVar[str] = "`{intervals: [5, 10, 20]}`"
    also_called: ClassVar[tuple[str, ...]] = (
        "age",
        "ages",
        "range",
        "ranges",
        "bin",
        "bins",
        "bucket",
        "buckets",
        "width",
        "widths",
        "round",
        "number",
        "below",
        "above",
        "numbers",
    )
    levels_read: ClassVar[str] = (
        "37 → [35, 40) → [30, 40) → [20, 40) → \\*; with `below: 18` and `above: 90`, 93 → >= 90 "
        'and 81 → [80, 90) at width 20; of texts such as 1,80 with `decimal: ","`'
    )

    intervals: Annotated[
        list[Annotated[Decimal, Field(gt=0, max_digits=28, decimal_places=10)]],
        Field(min_length=1, max_length=settings.MOST_LEVELS - 1),
    ]

    below: End | None = None
    above: End | None = None
    decimal: Literal[".", ","] = "."

    @field_validator("intervals")
    @classmethod
    def _nest(cls, widths: list[Decimal]) -> list[Decimal]:
        for below, above in pairwise(widths):
            if above <= below or Fraction(above) % Fraction(below):
                raise PydanticCustomError(
                    "intervals",
                    "each width must be a multiple of the previous width, and {above} is not a multiple of {below}: "
                    "write intervals: [{nested}]",
                    {"below": f"{below:f}", "above": f"{above:f}", "nested": _nested(widths)},
                )
        return widths

    @model_validator(mode="after")
    def _below_before_above(self) -> Intervals:
        if self.below is not None and self.above is not None and self.below > self.above:
            raise PydanticCustomError("intervals", "below is not less than above: give a smaller number for below")
        return self

    @property
    def binds(self) -> Mapping[str, Any]:
        ends = {"below": self.below, "above": self.above}
        widths = {f"width_{level}": str(width) for level, width in enumerate(self.intervals, 1)}
        return {**widths, **{name: f"{end.normalize(_EXACT):f}" for name, end in ends.items() if end is not None}}

    @property
    def level_labels(self) -> list[str]:
        return [f"ranges of {width.normalize(_EXACT):f}" for width in self.intervals]

    def levels(self, place: BuildPlace) -> list[Hole]:
        return [self._range(Bind(f"width_{level}")) for level in range(1, len(self.intervals) + 1)]

    def _range(self, width: Bind) -> Statement:
        low = Statement("hierarchy/intervals#low", width=width)
        high = Statement("hierarchy/intervals#high", low=low, width=width)
        if self.below is not None:
            low = Statement("hierarchy/intervals#from_below", low=low)
        if self.above is not None:
            high = Statement("hierarchy/intervals#up_to_above", high=high)
        read = Statement("hierarchy/intervals#range", low=low, high=high)
        if self.below is not None:
            read = Statement("hierarchy/intervals#below", range=read)
        if self.above is not None:
            read = Statement("hierarchy/intervals#above", range=read)
        return read

    def statement(self, place: BuildPlace, levels: Hole) -> Statement:
        return Statement("hierarchy/intervals", numbers=numbers(place, comma=self.decimal == ","), levels=levels)

    @property
    def remedy(self) -> str:
        return NUMBERS_ONLY + (", with a point: give decimal for commas" if self.decimal == "." else ", with a comma")


def _nested(widths: list[Decimal]) -> str:
    """Corrected widths for an error: close to the job's widths, ascending, each a multiple of the previous width."""
    near: list[Decimal] = []
    for width in sorted(set(widths)):
        near.append(near[-1] * max(2, round(width / near[-1])) if near else width)
    return ", ".join(f"{width.normalize(_EXACT):f}" for width in near)


def intervals(
    *widths: int | str | Decimal,
    below: int | str | Decimal | None = None,
    above: int | str | Decimal | None = None,
    decimal: Literal[".", ","] = ".",
) -> Intervals:
    """Ranges of these widths, then ``*``: ``intervals(5, 10, 20)``, ``intervals(5, above=90, decimal=",")``.

    Args:
        widths: Widths of the ranges from level 1 upward, in the column's unit, above 0, each a multiple of the previous
            width. A range contains its lower end and excludes its upper end.
        below: Start of the regular ranges; all smaller numbers form one range.
        above: End of the regular ranges; this number and all larger ones form one range.
        decimal: Decimal mark of numbers in texts.

    Raises:
        JobError: The widths do not nest. A run raises :class:`~starcloak.base.errors.HierarchyError` for values other
            than numbers.

    >>> import pandas, starcloak as sc
    >>> frame = pandas.DataFrame({"age": [31, 34, 37, 39]})
    >>> release = sc.anonymize(frame, quasi_identifiers={"age": sc.intervals(5, 10)}, k=2)
    >>> sorted(release.to_pandas()["age"])
    ['[30, 35)', '[30, 35)', '[35, 40)', '[35, 40)']
    """
    return build(Intervals, intervals=list(widths), below=below, above=above, decimal=decimal)
