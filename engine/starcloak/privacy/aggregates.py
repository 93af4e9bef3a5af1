"""What frequency sets carry beside their counts, since a privacy model reads a column, and how that merges."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from starcloak.statements.statement import As, Hole, Name, Number, Statement

#: Values of one sensitive attribute, at most: every tuple and every value group carries a bit for each.
LARGEST = 10_000
#: The same where they carry a number for each.
LARGEST_COUNTED = 500


#: What each value reads at every level of a hierarchy, from the leaf to the top.
Lines = tuple[tuple[str | None, ...], ...]


@dataclass(frozen=True)
class Domain:
    """The values of a sensitive attribute in a table: how many rows have each, in the order of their codes, from 0.

    The missing value is the last one, where there is one (``missing``). ``texts`` is how they
    read, ``trees`` what they read at each level of hierarchies.

    Where the attribute tells ``persons``, the total is how many there are, and each of them has one row (``single``),
    or rows of one tuple (``apart``), or some have rows of ``several``. Of another attribute each of them
    counts ``once`` for a value, however many rows of theirs have it. It is ``partial`` where rows that have no value
    are left out of it. Where some persons have several rows, values may be ``shared`` by all persons of a class that
    has others, too.
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

    @property
    def rows(self) -> int:
        """The rows of the table."""
        return sum(self.totals)

    def without_missing(self) -> Domain:
        """The values that are there alone."""
        if not self.missing:
            return self
        trees = {name: lines[:-1] for name, lines in self.trees.items()}
        totals, texts = self.totals[:-1], self.texts[:-1]
        return replace(self, totals=totals, texts=texts, trees=trees, missing=False, partial=True)

    @property
    def present(self) -> int:
        """How many values there are, the missing one aside."""
        return len(self.totals) - self.missing


class Carried(Protocol):
    """A column that the star and frequency sets carry."""

    @property
    def attribute(self) -> str:
        """The sensitive attribute that it is of."""

    @property
    def column(self) -> Name:
        """Its name; a level's column ends in a digit."""

    @property
    def started(self) -> Hole:
        """What a tuple has of it, from the codes of its rows' values."""

    @property
    def merged(self) -> Hole:
        """What a value group has of it, from what it is made of."""

    def of_side(self, frame: Hole, side: Name) -> Statement:
        """What one side of a cut of a numeric attribute has of it."""


#: The relation that numbers persons: the columns of the base frequency set that tell them apart, and ``code``.
PERSONS = Name("person_codes")


def codes(attribute: str) -> Name:
    """The relation that numbers the values of a sensitive attribute: ``value, code``."""
    return Name(f"sensitive_{attribute}")


class _Column(ABC):
    @property
    @abstractmethod
    def column(self) -> Name: ...

    @property
    def key(self) -> str:
        """What it goes by in groups at hand, which no column is called."""
        return f"\0{self.column.parts[0]}"


class _Bits(_Column):
    """A bit for each value: those of a value group are all that are set in what it is made of."""

    @property
    def merged(self) -> Hole:
        return As(Statement("privacy/aggregates#merged", held=self.column), self.column)

    def of_side(self, frame: Hole, side: Name) -> Statement:
        return Statement("search/mondrian/sides#running", held=self.column, frame=frame, side=side)


class _Added(_Column):
    """A number that adds up: that of a value group is the sum of those that it is made of."""

    @property
    def merged(self) -> Hole:
        return As(Statement("privacy/aggregates#added", rows=self.column), self.column)

    def of_side(self, frame: Hole, side: Name) -> Statement:
        return Statement("search/mondrian/sides#running_rows", rows=self.column, frame=frame, side=side)


@dataclass(frozen=True)
class Held(_Bits):
    """Which values of a sensitive attribute the rows of a tuple, or of a value group, have: a bit for each value.

    A missing value is none. ``values`` is how many there are in the table.
    """

    attribute: str
    values: int = 0

    #: Values of the attribute that it can carry.
    most = LARGEST

    def columns(self, domain: Domain) -> tuple[Carried, ...]:
        """What is carried where the attribute has these values."""
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
    """How many rows of a tuple, or of a value group, have one value of a sensitive attribute, by its code.

    The code of the ``missing`` value is the last one.
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
class Histogram:
    """How many rows of a tuple, or of a value group, have each value of a sensitive attribute: a column for each.

    A missing value is a value.
    """

    attribute: str

    most = LARGEST_COUNTED

    def columns(self, domain: Domain) -> tuple[Carried, ...]:
        """What is carried where the attribute has these values."""
        return tuple(
            ValueCount(self.attribute, code, domain.missing and code == domain.present, domain.once)
            for code in range(len(domain.totals))
        )


@dataclass(frozen=True)
class Lacked(_Bits):
    """Which values of a sensitive attribute some person of a tuple, or of a value group, has nowhere: a bit each.

    A value that is not among them is one that every person there has. With ``of_present`` a missing value is none, and
    persons without a value there are none of these.
    """

    attribute: str
    of_present: bool = True
    values: int = 0

    most = LARGEST

    def columns(self, domain: Domain) -> tuple[Carried, ...]:
        """What is carried where the attribute has these values."""
        if not domain.shared:
            return ()
        return (replace(self, values=domain.present if self.of_present else len(domain.totals)),)

    @property
    def column(self) -> Name:
        return Name(f"{self.attribute}_lacked{'' if self.of_present else '_all'}")

    @property
    def table(self) -> Name:
        """The relation of what each person lacks."""
        return Name(f"lacking_{self.column.parts[0]}")

    @property
    def number(self) -> Hole:
        """The number of a row's value."""
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
    """How many persons with rows of a tuple, or of a value group, have a value of a sensitive attribute there.

    Each of them has one tuple. Without ``of_present`` a missing value is one.
    """

    attribute: str
    of_present: bool = True

    most = LARGEST

    def columns(self, domain: Domain) -> tuple[Carried, ...]:
        """What is carried where the attribute has these values."""
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
    """Which persons have rows of a tuple, or of a value group: their numbers, up to ``most`` of them.

    That is enough: what is made of a group of so many persons has as many.
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
    """How many persons have rows of a tuple, or of a value group, where each person has one tuple."""

    attribute: str

    @property
    def column(self) -> Name:
        return Name(f"{self.attribute}_persons")

    @property
    def started(self) -> Hole:
        return As(Statement("privacy/persons/held#counted", code=Name(*PERSONS.parts, "code")), self.column)


@dataclass(frozen=True)
class PersonSet:
    """How many persons have rows of a tuple, or of a value group, as far as up to ``most`` of them are asked for.

    The columns ``person`` tell them apart.
    """

    person: tuple[str, ...]
    most: int

    @property
    def attribute(self) -> str:
        """The first of its columns, by which it goes."""
        return self.person[0]

    def columns(self, domain: Domain) -> tuple[Carried, ...]:
        """What is carried where their rows lie so."""
        if domain.persons == "single":  # rows are persons
            return ()
        if domain.persons == "apart":
            return (Numbered(self.attribute),)
        return (PersonList(self.attribute, self.most),)


@dataclass(frozen=True)
class PeopleCount(_Added):
    """How many people of the population a tuple, or a value group, has."""

    #: What it goes by, which no column is called.
    attribute = ""
    most = LARGEST

    def columns(self, domain: Domain) -> tuple[Carried, ...]:
        """What is carried of it."""
        return (self,)

    @property
    def column(self) -> Name:
        return Name("population_people")

    @property
    def started(self) -> Hole:
        return As(Statement("privacy/population#carried"), self.column)


#: The people of the population, whatever asks for them.
PEOPLE = PeopleCount()

Wanted = Held | Histogram | Lacked | Having | PersonSet | PeopleCount


def counts(domain: Domain) -> Sequence[Name]:
    """The columns that tell how many rows have each value."""
    return [column.column for column in Histogram(domain.attribute).columns(domain)]
