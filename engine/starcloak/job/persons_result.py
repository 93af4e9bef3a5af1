"""Persons in the result of a run: classes counted by an identifier, and the joined rows of a person."""

from __future__ import annotations

from pydantic import Field

from starcloak.job.result_part import Part


def repeats(identifier: str, counted: str) -> str:
    """Warning that k counts rows, not persons; ``counted`` is the finding on the identifier's values, in words."""
    return (
        f"a person may have several rows, as values of identifier {identifier!r} repeat: {counted}; if its values "
        "stand for persons, put it under person"
    )


class ByIdentifier(Part):
    """Classes by their number of values of a repeated identifier, if the job does not declare the person of a row."""

    identifier: str = Field(description="an identifier column, never released")
    attributes: list[str] = Field(description="columns of the quasi-identifier (QID)")
    k: int = Field(description="k as required of rows")
    holds: bool = Field(
        description="true if every class has k distinct values of the identifier, with a missing one counted as a value"
    )
    classes: int | None = Field(description="classes of the release; null if from 1 to k - 1")
    classes_below: int | None = Field(
        description="classes with fewer than k distinct values; null if these or the other classes are from 1 to k - 1"
    )
    most_below: bool = Field(description="true if classes_below is more than half of the classes")

    def sentence(self, *, several: bool = False) -> str:
        """Warning that k counts rows, not persons, without counts from 1 to k - 1; ``several`` adds the columns."""
        over = f" over {', '.join(self.attributes)}" if several else ""
        return repeats(self.identifier, f"{self._below}{over} have fewer than {self.k} of its values")

    @property
    def _below(self) -> str:
        of = "" if self.classes is None else f" of {self.classes:,}"
        if self.classes_below is not None:
            return f"{self.classes_below:,}{of} classes"
        return f"all but fewer than {self.k}{of} classes" if self.most_below else f"fewer than {self.k}{of} classes"


class JoinedKey(Part):
    """Result of one join: a reader takes rows with equal values in ``columns`` as the rows of one person."""

    columns: list[str]
    k: int | None = Field(description="the smallest number of matching persons; null if known to the custodian alone")
    persons_alone: int | None = Field(
        description="persons with no other match; null if these or the other persons are from 1 to k - 1"
    )
    persons_below: int | None = Field(
        description="persons with fewer than k matches; null if these or the other persons are from 1 to k - 1"
    )


class JoinedRows(Part):
    """k of joined rows: the smallest number of persons who match all classes of the rows joined for one person.

    A reader may recognize released rows as rows of one person by equal values in other columns, and then knows several
    classes of this person. Rows are joined by kept and sensitive columns with one constant value per person: by each of
    these columns alone, and by all of them together, if fewer than k persons have the value.
    """

    attributes: list[str] = Field(description="columns of the quasi-identifier (QID)")
    required_k: int = Field(description="the larger of the k of this QID and requirement.joined_rows")
    columns: list[str] = Field(
        description="columns with at most one value for at least 95 % of the persons with several rows"
    )
    persons: int = Field(description="persons with a row in the release")
    k: int | None = Field(
        default=None,
        description="the smallest number of matching persons, required_k if no value joins rows; null if not counted",
    )
    persons_below: int | None = Field(
        default=None,
        description="persons with fewer than k matches; null if these or the other persons are from 1 to k - 1",
    )
    most_below: bool = Field(default=False, description="true if persons_below is more than half of the persons")
    is_warned: bool = Field(default=False, description="true if persons_below is more than 1 % of the persons")
    keys: list[JoinedKey] = Field(default=[], description="columns for joins with persons below required_k")
    not_counted: str | None = Field(default=None, description="reason for the lack of a count; null if counted")

    @property
    def is_below(self) -> bool:
        """True if the joined rows of a person match fewer than ``required_k`` persons; false if not counted."""
        return self.not_counted is None and (self.k is None or self.k < self.required_k)

    def sentence(self, *, several: bool = False) -> str:
        """k of joined rows in words; with ``several`` QIDs, the sentence names the attributes of this one."""
        over = f" over {', '.join(self.attributes)}" if several else ""
        if self.not_counted is not None:
            return f"k of joined rows{over} is not counted: {self.not_counted}"
        if not self.is_below:
            return f"k of joined rows{over} is {self.k}"
        singly = dict.fromkeys(key.columns[0] for key in self.keys if len(key.columns) == 1)
        by = " or ".join(map(repr, singly)) or f"{', '.join(map(repr, self.columns))} together"
        figure = f"fewer than {self.required_k}" if self.k is None else str(self.k)
        sentence = f"rows of one person can be joined by {by}: k of joined rows{over} is {figure}"
        return f"{sentence}, and {self.below} are below k"

    @property
    def below(self) -> str:
        """Number of persons with fewer than ``required_k`` matches, in words, without a count from 1 to k - 1."""
        if self.persons_below is not None:
            return f"{self.persons_below:,} of {self.persons:,} persons"
        return f"{'all but ' if self.most_below else ''}fewer than {self.required_k} of {self.persons:,} persons"
