"""Aggregates of privacy models: columns of frequency sets in addition to the row counts, and their merge by SQL.

A *tuple* is a combination of original quasi-identifier values, a *value group* one of generalized values. A value of a
sensitive attribute has a *code*, a number from 0. The *star* is the table of tuples with its dimension tables.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, Protocol

from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement
from starcloak.statements.statement import Literal as Text

if TYPE_CHECKING:
    from starcloak.privacy.groups import Integers

#: Maximum number of values of one sensitive attribute: every tuple and every value group carries a bit per value.
LARGEST = 10_000
#: Maximum number of values with a count column per value. More values are carried in one text (:class:`ValueText`).
LARGEST_COUNTED = 500
# A statement takes time for each column and, with a text, for each row. Up to so many values, the columns are faster;
# with more values, the text is faster if the table has at most so many rows per value.
_FEW, _ROWS_PER_VALUE = 20, 1000
# The character of the value with code 0, a Chinese one: 20,992 characters from here on stand alone, and no text joins
# two of them or changes one.
_FIRST_CHARACTER = 0x4E00


#: Texts of each value at every level of a hierarchy, from the leaf to the top.
Lines = tuple[tuple[str | None, ...], ...]


@dataclass(frozen=True)
class Domain:
    """The values of a sensitive attribute in a table. A value's code is its position in ``totals``, from 0.

    ``totals`` has the number of rows per value. With ``missing``, the last value is the missing one. ``texts`` has the
    values as texts; ``trees`` has, by the name of a hierarchy, the texts of each value at every level.

    For columns that identify a person, ``totals`` counts persons, and ``persons`` describes the layout of their rows:
    each person has one row (``single``), rows of one tuple (``apart``), or some persons have rows of ``several``
    tuples. For another attribute, ``once`` is true if counts are of persons with a value, not of rows.
    ``partial`` is true if the totals exclude rows without a value. ``shared`` is true if some persons have several
    rows, so all persons of a class with several values may share one of them. ``in_text`` is true if frequency sets
    carry the values in one text, in place of a column for each value.
    """

    attribute: str
    totals: tuple[int, ...] = ()
    missing: bool = False
    texts: tuple[str | None, ...] = ()
    trees: Mapping[str, Lines] = field(default_factory=dict)
    persons: Literal["single", "apart", "several"] | None = None
    once: bool = False
    partial: bool = False
    shared: bool = False
    in_text: bool = False

    @property
    def rows(self) -> int:
        """Sum of ``totals``: the number of rows in the table, or of counted rows or persons (``partial``, ``once``)."""
        return sum(self.totals)

    def without_missing(self) -> Domain:
        """The domain without the missing value."""
        if not self.missing:
            return self
        trees = {name: lines[:-1] for name, lines in self.trees.items()}
        totals, texts = self.totals[:-1], self.texts[:-1]
        return replace(self, totals=totals, texts=texts, trees=trees, missing=False, partial=True)

    @property
    def present(self) -> int:
        """Number of distinct values in the table, excluding the missing one."""
        return len(self.totals) - self.missing

    def with_layout(self) -> Domain:
        """The domain with ``in_text`` set by the numbers of values and rows; copies with fewer rows keep it."""
        values = self.present
        # The columns count distinct persons: a statement with hundreds of such counts takes minutes to be planned.
        is_sparse = values > _FEW and (self.once or self.rows <= _ROWS_PER_VALUE * values)
        return replace(self, in_text=values > LARGEST_COUNTED or is_sparse)


class Carried(Protocol):
    """A column with an aggregate of sensitive values or persons, in the star and in frequency sets."""

    @property
    def attribute(self) -> str:
        """The sensitive attribute of the column."""

    @property
    def column(self) -> Name:
        """Name of the column. It ends in no digit, unlike the names of level columns such as ``zip_2``."""

    @property
    def started(self) -> Hole:
        """SQL aggregate: the column's value for a tuple, from the codes of the values in the tuple's rows."""

    @property
    def merged(self) -> Hole:
        """SQL aggregate: the column's value for a value group, from the tuples or finer groups merged into it."""

    def of_side(self, frame: Hole, side: Name) -> Statement:
        """SQL window expression: the column's value for one side of a cut, a split of a range of a numeric attribute.

        ``frame`` is the window frame of this side; the result is a column named ``side``.
        """


#: Relation of persons: the columns to identify a person, and the person's number ``code``, from 0.
PERSONS = Name("person_codes")


def codes(attribute: str) -> Name:
    """Name of the relation with the code of each value of a sensitive attribute: ``value, code``."""
    return Name(f"sensitive_{attribute}")


class _Column(ABC):
    @property
    @abstractmethod
    def column(self) -> Name: ...

    @property
    def key(self) -> str:
        """Key of the aggregate among in-memory groups; no column can have this name."""
        return f"\0{self.column.parts[0]}"


class _Bits(_Column):
    """A column with one bit per value. A value group has the union of the bits of the tuples merged into it."""

    @property
    def merged(self) -> Hole:
        return As(Statement("privacy/aggregates#merged", held=self.column), self.column)

    def of_side(self, frame: Hole, side: Name) -> Statement:
        return Statement("privacy/running", held=self.column, frame=frame, side=side)


class _Added(_Column):
    """A column with an additive number. A value group has the sum of the numbers of the tuples merged into it."""

    @property
    def merged(self) -> Hole:
        return As(Statement("privacy/aggregates#added", rows=self.column), self.column)

    def of_side(self, frame: Hole, side: Name) -> Statement:
        return Statement("privacy/running#rows", rows=self.column, frame=frame, side=side)


@dataclass(frozen=True)
class Held(_Bits):
    """The set of values of a sensitive attribute in the rows of a tuple or of a value group, as one bit per value.

    The missing value has no bit. ``values`` is the number of values in the table.
    """

    attribute: str
    values: int = 0

    #: Maximum number of the attribute's values.
    most = LARGEST

    def columns(self, domain: Domain) -> tuple[Carried, ...]:
        """The columns that frequency sets need beside the codes, for a sensitive attribute with these values."""
        return (Held(self.attribute, domain.present),)

    @property
    def column(self) -> Name:
        return Name(f"{self.attribute}_held")

    @property
    def started(self) -> Hole:
        return As(
            Statement(
                "privacy/aggregates#held",
                code=Name(*codes(self.attribute).parts, "code"),
                last=Number(max(self.values, 1) - 1),
                values=Number(max(self.values, 1)),
            ),
            self.column,
        )


@dataclass(frozen=True)
class ValueCount(_Added):
    """Number of rows in a tuple or a value group with one value of a sensitive attribute, given by the value's code.

    With ``missing``, the code stands for the missing value. With ``once``, the column counts persons, not rows.
    """

    attribute: str
    code: int
    missing: bool
    once: bool = False

    @property
    def column(self) -> Name:
        return Name(f"{self.attribute}_{self.code}_rows")

    @property
    def started(self) -> Hole:
        code = Name(*codes(self.attribute).parts, "code")
        if self.once:
            path = "privacy/persons/held#without" if self.missing else "privacy/persons/held#having"
            number = {} if self.missing else {"number": Number(self.code)}
            holes: dict[str, Hole] = {"person": Name(*PERSONS.parts, "code"), "code": code, **number}
            return As(Statement(path, **holes), self.column)
        if self.missing:
            return As(Statement("privacy/aggregates#rows_without", code=code), self.column)
        return As(Statement("privacy/aggregates#rows_with", code=code, number=Number(self.code)), self.column)


@dataclass(frozen=True)
class ValueText(_Column):
    """The values of the rows of a tuple or a value group as one text: a character per row, in any order.

    ``values`` is the number of values, and also the code of the missing value. With ``once``, the text has one
    character per person and value, for any number of rows.
    """

    attribute: str
    values: int
    once: bool = False

    @property
    def column(self) -> Name:
        return Name(f"{self.attribute}_values")

    @property
    def text(self) -> Statement:
        """SQL aggregate: the text of a tuple, from the codes of the values in the tuple's rows."""
        code = Name(*codes(self.attribute).parts, "code")
        holes: dict[str, Hole] = {"code": code, "missing": Number(self.values), "first": Number(_FIRST_CHARACTER)}
        if not self.once:
            return Statement("privacy/value_texts#started", **holes)
        return Statement("privacy/value_texts#of_persons", **holes, person=Name(*PERSONS.parts, "code"))

    @property
    def started(self) -> Hole:
        return As(self.text, self.column)

    @property
    def in_order(self) -> Hole:
        """SQL expression: the text with sorted characters, for a comparison with the text of another run."""
        return As(Statement("privacy/value_texts#in_order", values=self.column), self.column)

    @property
    def merged(self) -> Hole:
        return As(Statement("privacy/value_texts#merged", values=self.column), self.column)

    def of_side(self, frame: Hole, side: Name) -> Statement:
        return Statement("privacy/value_texts#running", values=self.column, frame=frame, side=side)


@dataclass(frozen=True)
class TextLength(_Added):
    """Number of characters in the text ``of`` a tuple or a value group; ``of_present`` excludes the missing value."""

    of: ValueText
    of_present: bool

    @property
    def attribute(self) -> str:
        """The sensitive attribute with the values in the text."""
        return self.of.attribute

    @property
    def column(self) -> Name:
        return Name(f"{self.attribute}_length{'' if self.of_present else '_all'}")

    @property
    def started(self) -> Hole:
        if not self.of_present:
            return As(Statement("privacy/value_texts#length", values=self.of.text), self.column)
        missing = Number(_FIRST_CHARACTER + self.of.values)
        return As(Statement("privacy/value_texts#present", values=self.of.text, missing=missing), self.column)


@dataclass(frozen=True)
class Histogram:
    """Number of rows in a tuple or a value group for each value of a sensitive attribute.

    The columns are one per value or, for an attribute with many, a text with all of them. The missing value counts as a
    value.
    """

    attribute: str

    most = LARGEST

    def columns(self, domain: Domain) -> tuple[Carried, ...]:
        """The columns that frequency sets need beside the codes, for a sensitive attribute with these values."""
        if domain.in_text:
            text = ValueText(self.attribute, domain.present, domain.once)
            kinds = ((True, domain.missing), (False, domain.once))
            return (text, *(TextLength(text, of_present) for of_present, is_needed in kinds if is_needed))
        return tuple(
            ValueCount(self.attribute, code, domain.missing and code == domain.present, domain.once)
            for code in range(len(domain.totals))
        )


@dataclass(frozen=True)
class Lacked(_Bits):
    """The set of values absent from all rows of at least one person of a tuple or of a value group: one bit per value.

    If the bit of a value is 0, all persons of the group share the value. With ``of_present``, the missing value has no
    bit, and persons without a value are ignored.
    """

    attribute: str
    of_present: bool = True
    values: int = 0

    most = LARGEST

    def columns(self, domain: Domain) -> tuple[Carried, ...]:
        """The columns that frequency sets need beside the codes, for a sensitive attribute with these values."""
        if not domain.shared:
            return ()
        return (replace(self, values=domain.present if self.of_present else len(domain.totals)),)

    @property
    def column(self) -> Name:
        return Name(f"{self.attribute}_lacked{'' if self.of_present else '_all'}")

    @property
    def table(self) -> Name:
        """Name of the relation with the values absent from all rows of each person, as bits."""
        return Name(f"lacking_{self.column.parts[0]}")

    @property
    def number(self) -> Hole:
        """SQL expression: the number of the bit for the value of a row."""
        code = Name(*codes(self.attribute).parts, "code")
        return (
            code
            if self.of_present
            else Statement("privacy/persons/lacking#number", code=code, last=Number(max(self.values, 1) - 1))
        )

    @property
    def started(self) -> Hole:
        return As(
            Statement(
                "privacy/persons/lacking#started",
                lacks=Name(*self.table.parts, "lacks"),
                number=self.number,
                values=Number(max(self.values, 1)),
            ),
            self.column,
        )


@dataclass(frozen=True)
class Having(_Added):
    """Number of persons with at least one value of a sensitive attribute in the rows of a tuple or of a value group.

    The numbers of tuples can be added, since each person has rows of one tuple. Without ``of_present``, the missing
    value counts as a value.
    """

    attribute: str
    of_present: bool = True

    most = LARGEST

    def columns(self, domain: Domain) -> tuple[Carried, ...]:
        """The columns that frequency sets need beside the codes, for a sensitive attribute with these values."""
        return (self,) if domain.once else ()

    @property
    def column(self) -> Name:
        return Name(f"{self.attribute}_having{'' if self.of_present else '_all'}")

    @property
    def started(self) -> Hole:
        code, person = Name(*codes(self.attribute).parts, "code"), Name(*PERSONS.parts, "code")
        if not self.of_present:
            return As(Statement("privacy/persons/held#counted", code=person), self.column)
        return As(Statement("privacy/persons/held#having_any", person=person, code=code), self.column)


@dataclass(frozen=True)
class PersonList:
    """The persons with rows in a tuple or a value group, as a list of at most ``most`` person numbers.

    The limit changes no verdict of the model: every generalization of a group with ``most`` persons has at least as
    many persons.
    """

    attribute: str
    most: int

    @property
    def column(self) -> Name:
        return Name(f"{self.attribute}_listed")

    @property
    def started(self) -> Hole:
        return As(
            Statement("privacy/persons/held", code=Name(*PERSONS.parts, "code"), most=Number(self.most)), self.column
        )

    @property
    def merged(self) -> Hole:
        return As(Statement("privacy/persons/held#merged", persons=self.column, most=Number(self.most)), self.column)

    def of_side(self, frame: Hole, side: Name) -> Statement:
        return Statement(
            "privacy/persons/held#running", persons=self.column, most=Number(self.most), frame=frame, side=side
        )


@dataclass(frozen=True)
class Numbered(_Added):
    """Number of persons with rows in a tuple or a value group, if each person has rows of one tuple only."""

    attribute: str

    @property
    def column(self) -> Name:
        return Name(f"{self.attribute}_persons")

    @property
    def started(self) -> Hole:
        return As(Statement("privacy/persons/held#counted", code=Name(*PERSONS.parts, "code")), self.column)


@dataclass(frozen=True)
class PersonSet:
    """Number of persons with rows in a tuple or a value group, counted up to ``most``.

    ``person`` has the names of the columns to identify a person.
    """

    person: tuple[str, ...]
    most: int

    @property
    def attribute(self) -> str:
        """The first column of ``person``. It names the count of persons in frequency sets, also for several columns."""
        return self.person[0]

    def columns(self, domain: Domain) -> tuple[Carried, ...]:
        """The columns to carry for the layout ``domain.persons``: none, a number of persons, or a list of persons."""
        if domain.persons == "single":  # rows are persons
            return ()
        if domain.persons == "apart":
            return (Numbered(self.attribute),)
        return (PersonList(self.attribute, self.most),)


@dataclass(frozen=True)
class PeopleCount(_Added):
    """Number of people of the population in a tuple or a value group."""

    #: Key of the aggregate; no column can have this name.
    attribute = ""
    most = LARGEST

    def columns(self, domain: Domain) -> tuple[Carried, ...]:
        """The columns to carry: the number of people alone."""
        return (self,)

    @property
    def column(self) -> Name:
        return Name("population_people")

    @property
    def started(self) -> Hole:
        return As(Statement("privacy/population#carried"), self.column)


#: The number of people of the population, the same aggregate for every model.
PEOPLE = PeopleCount()

Wanted = Held | Histogram | Lacked | Having | PersonSet | PeopleCount

#: The columns of a histogram: a number of rows per value, or a text with all of them.
HistogramColumn = ValueCount | ValueText


def counts(domain: Domain) -> Sequence[Name]:
    """Names of the columns with the number of rows per value, in the order of the codes."""
    return [column.column for column in Histogram(domain.attribute).columns(domain)]


def length(domain: Domain) -> Name:
    """Name of the column with the number of characters in the text of an attribute's values."""
    return TextLength(ValueText(domain.attribute, domain.present), of_present=domain.partial).column


def entries(domain: Domain, numbers: Iterable[int | None] | None = None) -> Statement:
    """SQL expression for the number of rows per value in the text of a group: a list of structs of key and value.

    The key of a value is its code or, with ``numbers``, the number at the position of its code. Several values may have
    one number; None excludes a value. The struct's value is the number of rows.
    """
    named = range(len(domain.totals)) if numbers is None else numbers
    return Statement("privacy/value_texts#entries", numbers=places(domain, named))


def places(domain: Domain, numbers: Iterable[int | None]) -> Statement:
    """SQL expression: a list with a number per character in the text of a group's values.

    ``numbers`` has the number of each value at the position of its code; None becomes null in the list.
    """
    text = ValueText(domain.attribute, domain.present)
    holes: dict[str, Hole] = {"values": text.column, "before": Number(_FIRST_CHARACTER - 1)}
    return Statement("privacy/value_texts#numbers", **holes, numbers=whole_numbers(numbers))


def value_rows(domain: Domain) -> Statement:
    """SQL expression: a list of the numbers of rows per value of a group, for either layout of the columns."""
    if domain.in_text:
        return Statement("privacy/value_texts#rows", entries=entries(domain))
    return Statement("privacy/value_texts#columns", rows=Joined(tuple(counts(domain)), ", "))


def read_texts(texts: Sequence[str]) -> tuple[Integers, Integers]:
    """The length of each text, and the codes of the values in all texts, one text after the other."""
    import numpy as np

    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    characters = np.frombuffer("".join(texts).encode("utf-32-le"), np.uint32)
    return lengths, characters.astype(np.int64) - _FIRST_CHARACTER


def totals_in(text: str, domain: Domain) -> tuple[int, ...]:
    """Number of rows with each value of the domain in one text of values, in the order of the codes."""
    import numpy as np

    _, values = read_texts([text])
    return tuple(np.bincount(values, minlength=len(domain.totals)).tolist())


def whole_numbers(numbers: Iterable[int | None]) -> Text:
    """Whole numbers as the text of a SQL list, such as ``[1, null]``, with null for None."""
    return Text(f"[{', '.join('null' if number is None else str(number) for number in numbers)}]")
