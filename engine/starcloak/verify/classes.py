"""The classes of a table, counted in its database, and their copy in the working store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from starcloak.base.column import Column
from starcloak.base.errors import SourceError
from starcloak.job import Qid
from starcloak.privacy.capabilities import PersonShares, SensitiveValues
from starcloak.privacy.model import Model, recount_of
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
OTHERWISE = "the fetched rows are not those that the database counted: run again"


def of(
    relation: Hole,
    attributes: Sequence[Column],
    *,
    checksum: Hole | None = None,
    counted: Sequence[Hole] = (),
    qids: Sequence[Qid | Demand] = (),
) -> tuple[Statement, list[Column]]:
    """The classes of a relation over some columns, and the columns yielded.

    They are value_1, …; checksum; values_1 and so on for the ``counted`` expressions; size; and group_1 and so on: for
    each of the ``qids``, the number of rows in the group that the class belongs to.
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
    """A column of ``relation`` as classes are grouped by it: texts byte by byte."""
    name = Name("relation", column.name)
    return Statement("verify/group", column=name) if column.is_text else name


def have_arrived(
    session: Session, classes: Name, names: Sequence[str], qids: Sequence[Qid | Demand], totals: ClassTotals
) -> bool:
    """True if classes over the columns ``names`` arrived as the database counted them."""
    statement = Statement("verify/classes_at_home", torn=count_torn(classes, names, qids), classes=classes)
    class_count, rows, smallest, pieces = session.row(statement)
    return totals == ClassTotals(class_count, smallest, rows) and not pieces


def count_torn(classes: Name, names: Sequence[str], qids: Sequence[Qid | Demand]) -> Joined:
    """Number of groups of the QIDs with another size than the database counted, or split into pieces."""
    counts = (
        Statement("verify/classes_at_home#torn", classes=classes, values=values(names, qid), group=group(names, qid))
        for qid in qids
    )
    return Joined(tuple(counts), " + ")


def regroup(classes: Name, names: Sequence[str], attributes: Sequence[str]) -> Statement:
    """Class sizes over some attributes, merged from classes over all columns ``names``."""
    return Statement("privacy/k_anonymity/regrouped", classes=classes, values=columns_of(names, attributes))


def histories(classes: Name, names: Sequence[str], attributes: Sequence[str], persons: Sequence[str]) -> Statement:
    """Number of ``persons`` with each history over some attributes, from classes over the columns ``names``."""
    from starcloak.privacy.histories.recount import alike

    read = [value(names.index(name)) for name in persons]
    return alike(classes, columns_of(names, attributes), read)


def values(names: Sequence[str], qid: Qid | Demand) -> Joined:
    """The columns of classes over ``names`` with the attributes of a QID."""
    return Joined(tuple(value(names.index(attribute)) for attribute in qid.attributes), ", ")


def value(position: int) -> Name:
    """The column of classes with an attribute, by its position from 0."""
    return Name(f"value_{position + 1}")


def values_of(position: int) -> Name:
    """The column of classes with the number of values of a ``looked_at`` column, by its position from 0."""
    return Name(f"values_{position + 1}")


def group(names: Sequence[str], qid: Qid | Demand) -> Name:
    """The column with the number of rows of a class's group by a QID. If the class is the whole group, it is the
    class's size.
    """
    if len(qid.attributes) == len(names):
        return SIZE
    positions = sorted(names.index(attribute) for attribute in qid.attributes)
    return Name(f"group_{'_'.join(map(str, positions))}")


def class_sizes(session: Session, classes: Name | Statement) -> Sizes:
    """Numbers of classes by size, from a relation or a statement with the size of each class."""
    relation = Statement("store/relation#nested", rows=classes) if isinstance(classes, Statement) else classes
    return Sizes(tuple(session.run(Statement("verify/class_sizes", classes=relation))))


@dataclass(frozen=True)
class PersonCounts:
    """Number of persons with rows in a table, and their least number in one of its classes; None without rows.

    ``exposure`` has the persons by the size of the smallest of their classes. If their rows are one set, it has the
    persons by the number of persons with the same set.
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
    """The persons of the classes over some attributes, identified by the columns ``person``."""
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
    """The verifier's own verdict on a model, from classes over the columns ``names``.

    With columns ``persons``, each person counts once for each value in a class. A model that ignores missing values
    reads only rows with a value, and a class without any value violates that model. The rows of a violating class are
    always all its rows, also those with a missing value.
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
    """Classes with the number of their persons who have a value. For some models, a value shared by all persons of a
    class replaces their other values there.
    """
    (sensitive,) = (value(names.index(name)) for name in model.reads)
    learns = isinstance(model, SensitiveValues) and model.shared_is_only_value
    path = "privacy/persons/recount#learned" if learns else "privacy/persons/recount#counted"
    whose, by = columns_of(names, persons), values(names, qid)
    return session.keep(_OF_EVERYBODY, learned(path, classes, sensitive, whose, by, of_present=_is_of_present(model)))


def _is_of_present(model: Model) -> bool:
    """True if a model considers only rows with a value."""
    return isinstance(model, SensitiveValues) and model.of_present


def learned(path: str, classes: Name, sensitive: Name, persons: Joined, by: Joined, *, of_present: bool) -> Statement:
    """Classes of persons, with the number of persons who have a value or, with ``of_present``, one that is not
    missing.
    """
    there = Statement("privacy/persons/recount#any")
    if of_present:
        there = Statement("privacy/persons/recount#present", sensitive=sensitive)
    holes: dict[str, Hole] = {"there": there, "persons": persons, "values": by, "classes": classes}
    return Statement(path, **(holes | ({"sensitive": sensitive} if path.endswith("learned") else {})))


def once(
    session: Session, classes: Name, names: Sequence[str], attributes: Sequence[str], persons: Sequence[str]
) -> Name:
    """The classes over some attributes with each of the ``persons`` counted once. Replaces the previous table."""
    cells = columns_of(names, dict.fromkeys([*attributes, *persons]))
    return session.keep(_COUNTED_ONCE, _apart(classes, cells))


def _apart(classes: Name, cells: Joined) -> Statement:
    return Statement("privacy/persons/recount#apart", columns=cells, classes=classes)


def nobody(session: Session, classes: Name, names: Sequence[str], persons: Sequence[str], label: str) -> None:
    """Refuse rows without a person: raises :class:`SourceError`."""
    for name in persons:
        (without,) = session.row(
            Statement("privacy/persons/recount#nobody", person=value(names.index(name)), classes=classes)
        )
        if without:
            raise SourceError(
                f"{label} has rows without a person in {name!r}: leave them out, or give each a person of its own"
            )


def columns_of(names: Sequence[str], selected: Iterable[str], *more: Name) -> Joined:
    """The columns of classes over ``names`` with some attributes, and ``more`` columns."""
    return Joined((*(value(names.index(name)) for name in selected), *more), ", ")


def gather(
    release: Statement,
    source: Source,
    described: Sequence[Column],
    *,
    looked_at: Sequence[str] = (),
    qids: Sequence[Qid | Demand] = (),
) -> ClassTotals:
    """Bring the classes of a release to the working store, as the relation ``STAGED``, by one GROUP BY in its database.

    For each column ``looked_at`` they have the number of its values. Returns the totals as counted in the database.
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
    """The classes gathered last: the quasi-identifier's columns, checksum and size."""
    named = [value(position) for position in range(len(source.quasi_identifiers))]
    staged = Statement("store/relation", relation=STAGED)
    return Statement("store/source", columns=columns([*named, Name("checksum"), SIZE]), origin=staged)


@dataclass(frozen=True)
class Sizes:
    """Numbers of classes by their size in rows: pairs of a size and its number of classes, by size."""

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
        """The classes of one size."""
        return dict(self.counted).get(size, 0)

    @property
    def exposure(self) -> ExposedRecords:
        """The rows by the size of their class."""
        return ExposedRecords(tuple((size, size * classes) for size, classes in self.counted))

    @property
    def itself(self) -> tuple[Class, ...]:
        """The classes of a table that is its own population."""
        return tuple(Class(size, size, classes) for size, classes in self.counted)


@dataclass(frozen=True)
class ExposedRecords:
    """Records (rows or persons) by the size of their class: pairs of a size and its records, in order of size.

    A person with rows in several classes has the size of the smallest, and is counted once.
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
        """The mean chance to find a record in its class; None without records."""
        chances = sum((Fraction(records, size) for size, records in self.counted), Fraction())
        return float(chances / self.records) if self.records else None

    def below(self, k: int) -> int:
        """The records in classes of fewer than k."""
        return sum(records for size, records in self.counted if size < k)


@dataclass(frozen=True)
class Class:
    """So many ``alike`` classes of ``size`` rows, each with ``population`` rows of the population."""

    size: int
    population: int
    alike: int = 1
