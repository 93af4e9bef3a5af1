"""What a release looks like, as data: no value of any row; no count between 1 and k - 1, of the k that is required."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, defer_build=True, extra="forbid")


class ColumnSeen(_Part):
    """A quasi-identifier before and after. ``frequent`` are the rows of its most frequent values, k rows or more.

    All is of the rows that are released: what was left out would be the difference.
    """

    attribute: str
    values: int = Field(description="values in the source, of the rows that are released")
    released_values: int
    frequent: list[int] = Field(description="before, largest first, at most 24")
    released_frequent: list[int]


class SizesSeen(_Part):
    """Classes of the release from ``least`` to ``most`` rows."""

    least: int
    most: int
    classes: int | None = Field(description="null where 1 to k - 1")
    rows: int


class ThresholdSeen(_Part):
    """A customary threshold: whether every class has so many rows, and the share of the rows in smaller ones.

    Where rows are told apart by persons, these are counted.
    """

    name: str
    k: int
    probability: float
    holds: bool
    records_at_risk: float


class RiskBefore(_Part):
    """The chance to find a row, or where these are told apart a person, by quasi-identifiers as the source has them.

    Of rows it is told of those that are released; of persons, of all.
    """

    alone: int | None = Field(description="who have no other with the same values; null where 1 to k - 1")
    highest: float = Field(description="the highest chance (0 … 1)")
    average: float = Field(description="the mean chance (0 … 1)")
    thresholds: list[ThresholdSeen]


class RowsAlone(_Part):
    """Rows of the release that are alone by its quasi-identifiers and kept columns together."""

    columns: list[str] = Field(description="by which they are")
    rows: int | None = Field(description="null where 1 to k - 1, or all but so many; about, of over 1,000,000 cells")
    most: bool = Field(description="whether these are more than half of the rows")
    sets: list[list[str]] = Field(
        description="the smallest sets of at most four columns that tell nearly as many rows apart, where most rows "
        "are alone and as far as they were searched"
    )


class ByIdentifier(_Part):
    """Classes counted by an identifier whose values repeat, where the job does not say whose a row is."""

    identifier: str = Field(description="a column that is never released")
    attributes: list[str] = Field(description="those of the quasi-identifier (QID)")
    k: int = Field(description="as it is required of rows")
    holds: bool = Field(description="whether every class has as many different values of it; a missing one counts, too")
    classes: int | None = Field(description="of the release; null where 1 to k - 1")
    classes_below: int | None = Field(
        description="those with fewer than k different values; null where 1 to k - 1, or all but so many"
    )
    most_below: bool = Field(description="whether these are more than half of the classes")

    def sentence(self, *, several: bool = False) -> str:
        """What whoever reads k has to know, of one of ``several``. No count from 1 to k - 1 is told."""
        over = f" over {', '.join(self.attributes)}" if several else ""
        return (
            f"rows may not be persons: values of identifier {self.identifier!r} repeat, and counted by it, "
            f"{self._below}{over} have fewer than {self.k}; where they are persons, name it under person"
        )

    @property
    def _below(self) -> str:
        of = "" if self.classes is None else f" of {self.classes:,}"
        if self.classes_below is not None:
            return f"{self.classes_below:,}{of} classes"
        return f"all but fewer than {self.k}{of} classes" if self.most_below else f"fewer than {self.k}{of} classes"


class Insight(_Part):
    """What a release looks like beside its source."""

    columns: list[ColumnSeen]
    thresholds: list[ThresholdSeen]
    average_risk: float | None = Field(
        default=None,
        description="the mean chance (0 … 1) to find a row or, where these are told apart, a person within its class",
    )
    before: RiskBefore | None = Field(default=None, description="null where no row is released")
    alone: RowsAlone | None = Field(default=None, description="null where no row is, or nothing is kept")
    remarks: list[str] = Field(default=[], description="what whoever released it should know, a line each")
    otherwise: list[str] = Field(default=[], description="what else was to be had, counted over all rows of the source")
    larger_k: str | None = Field(default=None, description="what a larger k would cost")
    left_out: list[str] = Field(default=[], description="what was not looked at, and why")

    @property
    def lines(self) -> list[str]:
        """All that is to be said of it."""
        larger = [] if self.larger_k is None else [self.larger_k]
        return [*self.remarks, *self.otherwise, *larger, *self.left_out]
