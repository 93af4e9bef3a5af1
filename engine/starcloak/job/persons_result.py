"""Persons in the result of a run: classes counted by an identifier, and the joined rows of a person."""

from __future__ import annotations

from pydantic import Field

from starcloak.job.result_part import Part


class ByIdentifier(Part):
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


class JoinedKey(Part):
    """Persons below k if a reader joins the rows that have the same values of some columns."""

    columns: list[str]
    k: int | None = Field(description="the fewest persons that fit; null where the custodian alone knows")
    persons_alone: int | None = Field(description="null where they, or all others, are 1 to k - 1")
    persons_below: int | None = Field(description="null where they, or all others, are 1 to k - 1")


class JoinedRows(Part):
    """k of joined rows: how many persons fit the classes of the rows that a reader joins for one person.

    Rows are joined by kept and sensitive columns that are the same for a person: by each of them alone, and by all of
    them together, where fewer than k persons have the value.
    """

    attributes: list[str] = Field(description="those of the quasi-identifier (QID)")
    required_k: int = Field(description="the k of that QID, or requirement.joined_rows if it is more")
    columns: list[str] = Field(
        description="the columns that have at most one value for 95 % of the persons with several rows, or more"
    )
    persons: int = Field(description="with a row in the release")
    k: int | None = Field(
        default=None,
        description="the fewest persons that fit, required_k where no value joins rows; null where it is not counted",
    )
    persons_below: int | None = Field(
        default=None,
        description="persons with whom fewer than k fit; null where they, or all others, are 1 to k - 1",
    )
    most_below: bool = Field(default=False, description="whether these are more than half of the persons")
    is_warned: bool = Field(default=False, description="whether these are more than 1 % of the persons")
    keys: list[JoinedKey] = Field(default=[], description="the columns by which persons are below {self.required_k}")
    not_counted: str | None = Field(default=None, description="why it is not counted; null where it is")

    @property
    def is_below(self) -> bool:
        """True if the joined rows of a person fit fewer than k persons."""
        return self.not_counted is None and (self.k is None or self.k < self.required_k)

    def sentence(self, *, several: bool = False) -> str:
        """The count in words, of one of ``several`` quasi-identifiers."""
        over = f" over {', '.join(self.attributes)}" if several else ""
        if self.not_counted is not None:
            return f"k of joined rows{over} is not counted: {self.not_counted}"
        if not self.is_below:
            return f"k of joined rows{over} is {self.k}"
        singly = dict.fromkeys(key.columns[0] for key in self.keys if len(key.columns) == 1)
        by = " or ".join(map(repr, singly)) or f"{', '.join(map(repr, self.columns))} together"
        figure = f"fewer than {self.required_k}" if self.k is None else str(self.k)
        said = f"rows of one person can be joined by {by}: k of joined rows{over} is {figure}"
        return f"{said}, and {self.below} are below k"

    @property
    def below(self) -> str:
        """Number of persons below k, in words."""
        if self.persons_below is not None:
            return f"{self.persons_below:,} of {self.persons:,} persons"
        return f"{'all but ' if self.most_below else ''}fewer than {self.required_k} of {self.persons:,} persons"
