"""Equivalence classes of a table: counted in the table's database, copied to the working store, and judged there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from starcloak.base.column import Column
from starcloak.base.errors import SourceError
from starcloak.job import Qid
from starcloak.privacy.model import Model, PersonShares, SensitiveValues, recount_of
from starcloak.privacy.persons.model import HISTORIES
from starcloak.privacy.persons.model import DistinctPersons as PersonsModel
from starcloak.privacy.requirement import Demand
from starcloak.privacy.verdict import Judged
from starcloak.statements.statement import As, Hole, Joined, Name, Statement, columns
from starcloak.store.databases.host import ClassTotals
from starcloak.store.session import Session
from starcloak.store.source import Source

STAGED = Name("staged_classes")
SIZE = Name("size")
_COUNTED_ONCE, _PRESENT = Name("counted_once"), Name("counted_present")
_IN_CLASSES, _CLASS_ROWS = Name("counted_in_classes"), Name("class_rows")
_OF_EVERYBODY = Name("counted_of_everybody")
OTHERWISE = (
    "the fetched rows differ from the rows that the database counted: run again if the table changed meanwhile; if it "
    "did not, shorten texts of more than 4,096 bytes with equal beginnings in a query: databases may sort them wrong"
)


def of(
    relation: Hole,
    attributes: Sequence[Column],
    *,
    checksum: Hole | None = None,
    counted: Sequence[Hole] = (),
    qids: Sequence[Qid | Demand] = (),
) -> tuple[Statement, list[Column]]:
    """Return the statement for a relation's equivalence classes over ``attributes``, and the columns of its rows.

    The columns are value_1, …; checksum, if requested; values_1, … for the ``counted`` expressions; size; and one per
    QID in ``qids`` with fewer attributes: the number of rows with the same values of this QID.
    """
    names = tuple(map(as_grouped, attributes))
    listed = [As(name, value(position)) for position, name in enumerate(names)]
    yielded = [column.under(value(position).parts[0]) for position, column in enumerate(attributes)]
    if checksum is not None:
        listed.append(As(checksum, Name("checksum")))
        yielded.append(Column("checksum", "BIGINT"))
    listed += [As(count, values_of(position)) for position, count in enumerate(counted)]
    yielded += [Column(values_of(position).parts[0], "BIGINT") for position in range(len(counted))]
    sizes, yielded = (
        Statement("verify/sizes", values=columns(listed), relation=relation, names=Joined(names, ", ")),
        [*yielded, Column(SIZE.parts[0], "BIGINT")],
    )
    attribute_names = [column.name for column in attributes]
    partial = {group(attribute_names, qid): qid for qid in qids if len(qid.attributes) < len(attribute_names)}
    if not partial:
        return sizes, yielded
    groups = (
        As(Statement("verify/grouped#size", values=values(attribute_names, qid)), name) for name, qid in partial.items()
    )
    yielded += [Column(name.parts[0], "BIGINT") for name in partial]
    return Statement("verify/grouped", groups=columns(groups), classes=sizes), yielded


def as_grouped(column: Column) -> Name | Statement:
    """SQL expression to group rows by a column of ``relation``. Texts are compared byte by byte."""
    name = Name("relation", column.name)
    return Statement("verify/group", column=name) if column.is_text else name


def have_arrived(
    session: Session, classes: Name, names: Sequence[str], qids: Sequence[Qid | Demand], totals: ClassTotals
) -> bool:
    """True if copied classes agree with the counts of their database.

    ``classes`` are classes over the columns ``names``; ``totals`` are the database's counts. For each QID, the class
    sizes are compared, too.
    """
    statement = Statement("verify/classes_at_home", torn=count_torn(classes, names, qids), classes=classes)
    class_count, rows, smallest, pieces = session.row(statement)
    return totals == ClassTotals(class_count, smallest, rows) and not pieces


def count_torn(classes: Name, names: Sequence[str], qids: Sequence[Qid | Demand]) -> Joined:
    """SQL expression for the number of classes under ``qids`` with another size than the database counted."""
    counts = (
        Statement("verify/classes_at_home#torn", classes=classes, values=values(names, qid), group=group(names, qid))
        for qid in qids
    )
    return Joined(tuple(counts), " + ")


def regroup(classes: Name, names: Sequence[str], attributes: Sequence[str]) -> Statement:
    """Statement for the class sizes over ``attributes``, merged from ``classes`` over the columns ``names``."""
    return Statement("privacy/k_anonymity/regrouped", classes=classes, values=columns_of(names, attributes))


def histories(classes: Name, names: Sequence[str], attributes: Sequence[str], persons: Sequence[str]) -> Statement:
    """Statement for the number of persons with each history, that is, with the same multiset of cells.

    ``classes`` are classes over the columns ``names``; ``persons`` are the columns that identify persons.
    """
    from starcloak.privacy.histories.recount import alike

    read = [value(names.index(name)) for name in persons]
    return alike(classes, columns_of(names, attributes), read)


def values(names: Sequence[str], qid: Qid | Demand) -> Joined:
    """Column list with the attributes of a QID, for a relation of classes over ``names``."""
    return Joined(tuple(value(names.index(attribute)) for attribute in qid.attributes), ", ")


def value(position: int) -> Name:
    """Name of the column with an attribute's values in a relation of classes, by the attribute's index from 0."""
    return Name(f"value_{position + 1}")


def values_of(position: int) -> Name:
    """Name of the column with the number of values of a ``looked_at`` column, by the index of this column from 0."""
    return Name(f"values_{position + 1}")


def group(names: Sequence[str], qid: Qid | Demand) -> Name:
    """Name of the column with the number of rows that agree with a class in the attributes of a QID.

    For a QID of all columns ``names``, it is the size of the class.
    """
    if len(qid.attributes) == len(names):
        return SIZE
    positions = sorted(names.index(attribute) for attribute in qid.attributes)
    return Name(f"group_{'_'.join(map(str, positions))}")


def class_sizes(session: Session, classes: Name | Statement) -> Sizes:
    """Numbers of classes by size. ``classes`` is a relation or a statement with a column ``size``."""
    relation = Statement("store/relation#nested", rows=classes) if isinstance(classes, Statement) else classes
    return Sizes(tuple(session.run(Statement("verify/class_sizes", classes=relation))))


@dataclass(frozen=True)
class PersonCounts:
    """Counts of persons in a table.

    ``persons`` is the number of persons, ``fewest`` the smallest number of persons in a class (None without rows).
    ``exposure`` counts persons by the size of the smallest class with a row of the person or, if a person's rows are
    treated as one set, by the number of persons with the same set.
    """

    persons: int
    fewest: int | None
    exposure: ExposedRecords


def persons(
    session: Session,
    classes: Name,
    names: Sequence[str],
    attributes: Sequence[str],
    person: Sequence[str],
    *,
    as_set: bool,
) -> PersonCounts:
    """Count the persons per group of ``attributes`` in the relation ``classes`` with the quasi-identifiers ``names``.

    ``person`` are the columns that identify persons. With ``as_set``, two persons are in one group only if they have
    the same set of rows.
    """
    holes: dict[str, Hole] = {"persons": columns_of(names, person), "classes": classes}
    by_class: dict[str, Hole] = {**holes, "values": columns_of(names, attributes)}
    _, _, fewest, *_ = session.row(Statement("privacy/persons/recount", **by_class), {"k": 1})
    (everybody,) = session.row(Statement("privacy/persons/recount#everybody", **holes))
    if as_set:
        exposure = class_sizes(session, histories(classes, names, attributes, person)).exposure
    else:
        exposure = ExposedRecords(tuple(session.run(Statement("privacy/persons/recount#exposed", **by_class))))
    return PersonCounts(everybody, fewest, exposure)


def judge(
    session: Session,
    classes: Name,
    names: Sequence[str],
    qid: Qid | Demand,
    model: Model,
    persons: Sequence[str] = (),
) -> Judged:
    """The verifier's own verdict on a privacy model over a QID, from ``classes`` over the columns ``names``.

    With ``persons`` (columns that identify persons), a person counts once per sensitive value in a class. A model that
    ignores missing values reads only rows with a value, and is violated by a class without any value. The reported rows
    of a violating class include rows with a missing value.
    """
    read = [value(names.index(name)) for name in model.reads]
    if not read or model.key in (PersonsModel.key, HISTORIES):
        counted: Judged = recount_of(model)(session, classes, values(names, qid), read, model)
        return counted
    holes: dict[str, Hole] = {"classes": classes, "values": values(names, qid)}
    classes = session.keep(_IN_CLASSES, Statement("privacy/class_rows", **holes))
    if persons:
        cells = columns_of(names, dict.fromkeys([*qid.attributes, *model.reads, *persons]), _CLASS_ROWS)
        classes = session.keep(_COUNTED_ONCE, _apart(classes, cells))
        classes = _of_everybody(session, classes, names, qid, model, persons)
        model = model.by_persons() if isinstance(model, PersonShares) else model
    if not _is_of_present(model):
        judged: Judged = recount_of(model)(session, classes, values(names, qid), read, model)
        return judged
    holes = {"sensitive": read[0], "classes": classes}
    blank, rows, missing = session.row(Statement("privacy/present#blank", **holes, values=values(names, qid)))
    if missing:
        classes = session.keep(_PRESENT, Statement("privacy/present", **holes))
    judged = recount_of(model)(session, classes, values(names, qid), read, model)
    return judged.beside(blank, rows) if blank else judged


def _of_everybody(
    session: Session, classes: Name, names: Sequence[str], qid: Qid | Demand, model: Model, persons: Sequence[str]
) -> Name:
    """Create classes with the number of persons who have a sensitive value; returns the relation's name.

    For some models, a value shared by all persons of a class counts as the only value of these persons: a reader learns
    it anyway.
    """
    (sensitive,) = (value(names.index(name)) for name in model.reads)
    learns = isinstance(model, SensitiveValues) and model.shared_is_only_value
    path = "privacy/persons/recount#learned" if learns else "privacy/persons/recount#counted"
    whose, by = columns_of(names, persons), values(names, qid)
    return session.keep(_OF_EVERYBODY, learned(path, classes, sensitive, whose, by, of_present=_is_of_present(model)))


def _is_of_present(model: Model) -> bool:
    """True if a privacy model ignores rows with a missing sensitive value."""
    return isinstance(model, SensitiveValues) and model.of_present


def learned(path: str, classes: Name, sensitive: Name, persons: Joined, by: Joined, *, of_present: bool) -> Statement:
    """Statement at ``path`` for classes with the number of persons who have a sensitive value.

    With ``of_present``, missing values do not count.
    """
    there = Statement("privacy/persons/recount#any")
    if of_present:
        there = Statement("privacy/persons/recount#present", sensitive=sensitive)
    holes: dict[str, Hole] = {"there": there, "persons": persons, "values": by, "classes": classes}
    return Statement(path, **(holes | ({"sensitive": sensitive} if path.endswith("learned") else {})))


def once(
    session: Session, classes: Name, names: Sequence[str], attributes: Sequence[str], persons: Sequence[str]
) -> Name:
    """Create classes over ``attributes`` in which each person counts once; returns the relation's name.

    ``persons`` are the columns that identify persons. The relation of a previous call is replaced.
    """
    cells = columns_of(names, dict.fromkeys([*attributes, *persons]))
    return session.keep(_COUNTED_ONCE, _apart(classes, cells))


def _apart(classes: Name, cells: Joined) -> Statement:
    return Statement("privacy/persons/recount#apart", columns=cells, classes=classes)


def nobody(session: Session, classes: Name, names: Sequence[str], persons: Sequence[str], label: str) -> None:
    """Raise :class:`SourceError` if any row has a missing value in a column of ``persons``."""
    for name in persons:
        (without,) = session.row(
            Statement("privacy/persons/recount#nobody", person=value(names.index(name)), classes=classes)
        )
        if without:
            raise SourceError(
                f"{label} has rows without a value in the person column {name!r}: leave these rows out, or give each "
                "row a different person"
            )


def columns_of(names: Sequence[str], selected: Iterable[str], *more: Name) -> Joined:
    """Column list with the ``selected`` attributes of classes over ``names``, followed by the columns ``more``."""
    return Joined((*(value(names.index(name)) for name in selected), *more), ", ")


def gather(
    release: Statement,
    source: Source,
    described: Sequence[Column],
    *,
    looked_at: Sequence[str] = (),
    qids: Sequence[Qid | Demand] = (),
) -> ClassTotals:
    """Copy the classes of a release to the working store, as the relation ``STAGED``, by one GROUP BY in its database.

    For each column in ``looked_at``, a class has the number of values in this column. Returns the totals as counted in
    the database.
    """
    by_name = {column.name: column for column in described}
    staged = [by_name[column.name] for column in source.quasi_identifiers]
    rows = Statement("store/relation#nested", rows=release)
    cells = [_values(by_name[name], hashed=not source.host.dialect) for name in looked_at]
    sizes, yielded = of(rows, staged, checksum=source.checksum, counted=cells, qids=qids)
    return source.host.gather_classes(STAGED, sizes, yielded, size=SIZE)


def _values(column: Column, *, hashed: bool) -> Statement:
    if hashed:
        return Statement("verify/sizes#one_value", column=Name("relation", column.name))
    return Statement("verify/sizes#values", column=as_grouped(column))


def last_gathered(source: Source) -> Statement:
    """Statement for the classes copied last (``STAGED``): quasi-identifier columns, checksum and size."""
    named = [value(position) for position in range(len(source.quasi_identifiers))]
    staged = Statement("store/relation", relation=STAGED)
    return Statement("store/source", columns=columns([*named, Name("checksum"), SIZE]), origin=staged)


@dataclass(frozen=True)
class Sizes:
    """Numbers of classes by size.

    ``counted`` has pairs of a size (rows) and its number of classes, smallest size first.
    """

    counted: tuple[tuple[int, int], ...]

    @property
    def rows(self) -> int:
        return sum(size * classes for size, classes in self.counted)

    @property
    def classes(self) -> int:
        return sum(classes for _, classes in self.counted)

    @property
    def smallest(self) -> int:
        return self.counted[0][0]

    def of(self, size: int) -> int:
        """Number of classes with the given size."""
        return dict(self.counted).get(size, 0)

    @property
    def exposure(self) -> ExposedRecords:
        """Numbers of rows by the size of their class."""
        return ExposedRecords(tuple((size, size * classes) for size, classes in self.counted))

    @property
    def itself(self) -> tuple[Class, ...]:
        """Classes for risk measures of a table without a separate population: population size equals class size."""
        return tuple(Class(size, size, classes) for size, classes in self.counted)


@dataclass(frozen=True)
class ExposedRecords:
    """Numbers of records (rows or persons) by class size.

    ``counted`` has pairs of a size and its number of records, smallest size first. A person with rows in several
    classes is counted once, at the size of the smallest class.
    """

    counted: tuple[tuple[int, int], ...]

    @property
    def records(self) -> int:
        return sum(records for _, records in self.counted)

    @property
    def smallest(self) -> int:
        return self.counted[0][0]

    @property
    def alone(self) -> int:
        """Number of records alone in their class."""
        return dict(self.counted).get(1, 0)

    @property
    def average_risk(self) -> float | None:
        """Mean of 1 / class size over all records (0 … 1), or None without records."""
        chances = sum((Fraction(records, size) for size, records in self.counted), Fraction())
        return float(chances / self.records) if self.records else None

    def below(self, k: int) -> int:
        """Number of records in classes of fewer than k records."""
        return sum(records for size, records in self.counted if size < k)


@dataclass(frozen=True)
class Class:
    """A group of ``alike`` classes (a number), each with ``size`` rows and ``population`` rows in the population."""

    size: int
    population: int
    alike: int = 1
