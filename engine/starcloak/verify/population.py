"""Population of a table: its equivalence classes, and verdicts of k-map and delta-presence on the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from starcloak.base.errors import JobError, SourceError
from starcloak.job import Place
from starcloak.privacy.verdict import Judged
from starcloak.statements.statement import Hole, Joined, Name, Statement, conditions
from starcloak.store.session import Session

if TYPE_CHECKING:
    import pyarrow

    from starcloak.base.frames import Frame

_POPULATION = Name("population_told")
_INCOMING = Name("incoming")


@dataclass(frozen=True)
class PopulationSource:
    """Source of a population: a place (file or table) or a data frame.

    Each row is one person or, with ``count`` as the name of a column, as many people as this column says.
    """

    place: Place | None
    frame: Frame | None = None
    count: str | None = None


@dataclass(frozen=True)
class PopulationDemand:
    """Requirement on a table within its population.

    ``k_map``: every class of the table has at least this number of people (Sweeney 2002). ``presence``: for every class
    of the population, even one absent from the table, the share of its people in the table lies between two bounds
    (Nergiz, Atzori, Clifton 2007). Raises :class:`JobError` for numbers that require nothing.
    """

    population: PopulationSource
    k_map: int | None = None
    presence: tuple[Decimal, Decimal] | None = None

    def __post_init__(self) -> None:
        if self.k_map is None and self.presence is None:
            raise JobError("a population is given, but no requirement uses it: give k-map or delta-presence")
        if self.k_map is not None and self.k_map < 1:
            raise JobError("k-map must be a whole number from 1 on: give a number such as 5")
        if self.presence is not None and not 0 <= self.presence[0] <= self.presence[1] <= 1:
            raise JobError(
                "delta-presence must be two shares from 0 to 1, the smaller one first: give shares such as 0:0.5"
            )


@dataclass(frozen=True)
class PopulationClasses:
    """Equivalence classes of a population over ``attributes``.

    The table ``classes`` has the values as texts, and the number of people of each class in the column ``people``.
    ``label`` names the population in messages.
    """

    label: str
    attributes: tuple[str, ...]
    classes: pyarrow.Table

    def over(self, attributes: Sequence[str]) -> PopulationClasses:
        """Merge the classes to classes over a subset of the attributes."""
        named = [text(self.attributes.index(name)).parts[0] for name in attributes]
        merged = self.classes.group_by(named).aggregate([("people", "sum")]).select([*named, "people_sum"])
        ordered = [text(place).parts[0] for place in range(len(named))]
        return PopulationClasses(self.label, tuple(attributes), merged.rename_columns([*ordered, "people"]))

    @property
    def inhabited(self) -> int:
        """Number of classes with people."""
        return sum(people > 0 for people in self.classes["people"].to_pylist())

    def into(self, session: Session) -> Name:
        """Load the classes into a working store; returns the name of the relation."""
        rows = Statement("store/relation", relation=_INCOMING)
        session.receive(_POPULATION, _INCOMING, self.classes.to_reader(), rows)
        return _POPULATION


def judge(
    demand: PopulationDemand, people: PopulationClasses, counted: Sequence[tuple[int, int, int]]
) -> Iterator[tuple[str, dict[str, Any], str, Judged]]:
    """Yield the verdicts of k-map and delta-presence on a table, as far as the demand has these models.

    ``counted`` has at least one triple: size of a class in the table, number of its people in the population, and
    number of such classes. Each verdict comes with the model's name, its parameters, and its requirement in words.
    """
    if demand.k_map is not None:
        short = [(size, alike) for size, those, alike in counted if those < demand.k_map]
        fewest = min(those for _, those, _ in counted)
        yield "k_map", {"k": demand.k_map}, f"{demand.k_map} people of the population", _judge(short, fewest)
    if demand.presence is not None:
        least, most = map(Fraction, demand.presence)
        absent = people.inhabited - sum(alike for _, _, alike in counted)
        shares = [(Fraction(size, those), size, alike) for size, those, alike in counted]
        if absent:
            shares.append((Fraction(0), 0, absent))
        outside = [(size, alike) for share, size, alike in shares if not least <= share <= most]
        largest = max(share for share, _, _ in shares)
        low, high = map(str, demand.presence)
        sentence = f"{low} to {high} of the people of every class of the population"
        yield "delta_presence", {"min": low, "max": high}, sentence, _judge(outside, float(largest))


def _judge(violating: Sequence[tuple[int, int]], achieved: float) -> Judged:
    classes_, rows = sum(alike for _, alike in violating), sum(size * alike for size, alike in violating)
    return Judged(not violating, achieved, classes_, rows)


def text(place: int) -> Name:
    """Name of the column with an attribute's texts in a population's classes.

    ``place`` is the attribute's index, from 0.
    """
    return Name(f"text_{place + 1}")


def beside(
    session: Session, classes: Name, values: Sequence[Name], people: PopulationClasses, label: str
) -> list[tuple[int, int, int]]:
    """Compare the classes of a table with those of its population.

    ``classes`` is the relation of the table's classes, and ``values`` are its columns. Returns triples: number of rows
    of a class, number of people in the population, and number of such classes.

    Raises :class:`SourceError` if a class has more rows than people: the population is another one, or formats values
    differently.
    """
    match = conditions(
        Statement("verify/population#match", value=value, text=text(place)) for place, value in enumerate(values)
    )
    holes: dict[str, Hole] = {
        "match": match,
        "values": Joined(tuple(values), ", "),
        "classes": classes,
        "population": people.into(session),
    }
    counted = [
        (size, people_of or 0, alike) for size, people_of, alike in session.run(Statement("verify/population", **holes))
    ]
    if any(size > people_of for size, people_of, _ in counted):
        raise SourceError(
            f"{people.label} has fewer people in a class than {label} has rows: give the population from which the "
            "table comes, with values written as in the table"
        )
    return counted
