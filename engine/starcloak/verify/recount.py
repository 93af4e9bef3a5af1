"""Counts of a staged release. Each count is made once, in the release's database, when a clause first needs it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from starcloak.base.column import Column
from starcloak.base.errors import VerificationError
from starcloak.privacy.model import Model, PopulationComparison, compares_with_source, recount_of
from starcloak.privacy.persons.model import HISTORIES
from starcloak.privacy.requirement import Demand
from starcloak.privacy.verdict import Judged
from starcloak.star.recoding.recoding import RECODING
from starcloak.star.star import Dimension
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, Type, columns, union_all
from starcloak.store.databases.host import ClassTotals
from starcloak.store.session import Session
from starcloak.verify import classes
from starcloak.verify.claim import Claim, Verified
from starcloak.verify.classes import PersonCounts

VALUES = Name("staged_values")
_COMPARED, _OF_SOURCE = Name("compared_values"), Name("source_values")
# Columns whose values are compared with the hierarchies by one statement.
_TOGETHER = 32


@dataclass(frozen=True)
class Classes:
    """Counts of a release's equivalence classes (Li, Wong, Fu, Pei 2008, Definition 2).

    ``classes`` and ``rows`` are numbers of classes and rows, ``smallest`` is the smallest class size, ``squares`` the
    sum of squared sizes. ``anonymity`` has the smallest class size under each demand (requirement on one
    quasi-identifier): A(QID) of Fung, Wang, Yu 2007, Definition 1. Smallest sizes are None for a release without rows.
    """

    classes: int
    rows: int
    smallest: int | None
    squares: int
    anonymity: tuple[int | None, ...]


@dataclass(frozen=True)
class Counts:
    """Counts of a release's equivalence classes, and counts of faults (0 in a correct release).

    ``torn`` counts classes with another size here than in the release's database. ``strangers`` counts, for each
    attribute, values absent from the claimed hierarchy levels. ``unexpected`` counts generalized tuples with another
    frequency than claimed, and ``changed`` those with other kept cells than in the source.
    """

    classes: Classes
    torn: int
    strangers: tuple[int, ...]
    unexpected: int
    changed: int


@dataclass(frozen=True)
class Reading:
    """Counts of a staged release, read back by the statement ``release``, for comparison with its claim."""

    session: Session
    release: Statement
    claim: Claim

    @cached_property
    def described(self) -> dict[str, Column]:
        """Columns of the release by name, in the release's order."""
        return {column.name: column for column in self.claim.source.host.describe(self.release)}

    @cached_property
    def told(self) -> ClassTotals:
        """Totals of the classes as counted in the release's database.

        Also copies the classes to the working store.
        """
        listed = list(self.described.values())
        claim = self.claim
        return classes.gather(
            self.release, claim.source, listed, looked_at=claim.looked_at, qids=claim.requirement.demands
        )

    @cached_property
    def counts(self) -> Counts:
        """Counts of classes and faults, made in the working store from the copied classes."""
        assert self.told is not None  # they are home
        claim = self.claim
        cells = [Name(f"cell_{position}") for position in range(1, len(claim.dimensions) + 1)]
        names = [column.name for column in claim.source.quasi_identifiers]
        texts = [
            As(Statement("verify/recount#cell", column=classes.value(position)), cell)
            for position, cell in enumerate(cells)
        ]
        # Classes over all columns are those of the statement itself; others are regrouped by the columns as they are.
        demands = claim.requirement.demands
        partial = [demand for demand in demands if len(demand.attributes) < len(names)]
        regrouped = (classes.regroup(Name("staged"), names, demand.attributes) for demand in partial)
        holes: dict[str, Hole] = {
            "texts": columns(texts),
            "staged": classes.STAGED,
            "anonymity": Joined(tuple(Statement("verify/recount#anonymity", sizes=sizes) for sizes in regrouped), ", "),
            # All columns together, too: no class may have become one with another.
            "torn": classes.count_torn(Name("staged"), names, [*partial, Demand(tuple(names), ())]),
            "unexpected": Statement(
                "verify/recount#unexpected",
                cells=Joined(tuple(cells), ", "),
                checksum=Name("checksum") if claim.checksums else Number(0),
                expected=claim.expected,
            ),
        }
        class_count, rows, smallest, squares, least, torn, (unexpected, changed) = self.session.row(
            Statement("verify/recount", **holes)
        )
        parts = [self._strangers(dimension, cell) for dimension, cell in zip(claim.dimensions, cells, strict=True)]
        strangers: dict[int, int] = {}
        for begin in range(0, len(parts), _TOGETHER):  # each column needs memory of its own
            together = slice(begin, begin + _TOGETHER)
            shape: dict[str, Hole] = {"texts": columns(texts[together]), "columns": union_all(parts[together])}
            strangers |= dict(self.session.run(Statement("verify/strangers", **shape, staged=classes.STAGED)))
        counted = iter(least)
        anonymity = tuple(next(counted) if demand in partial else smallest for demand in demands)
        found_classes = Classes(class_count, rows, smallest, squares, anonymity)
        return Counts(found_classes, torn, tuple(strangers[d.position] for d in claim.dimensions), unexpected, changed)

    @cached_property
    def valued(self) -> bool:
        """True if the classes with sensitive columns arrived in the working store as counted in the release's database.

        The columns have the types of the release: a number may have become a text.
        """
        requirement = self.claim.requirement
        listed = [column for column in self.described.values() if column.name in self._valued]
        rows = Statement("store/relation#nested", rows=self.release)
        counted, yielded = classes.of(rows, listed, qids=requirement.demands)
        gathered = self.claim.source.host.gather_classes(VALUES, counted, yielded, size=classes.SIZE)
        return classes.have_arrived(self.session, VALUES, self._valued, requirement.demands, gathered)

    @cached_property
    def judged(self) -> tuple[tuple[Demand, Model, Judged], ...]:
        """Verdicts on every privacy model of every demand (requirement on one quasi-identifier), by the verifier's
        count.
        """
        if self.claim.stage is not None:
            return self.claim.stage.judged
        demands = self.claim.requirement.demands
        return tuple((demand, model, self._judge(demand, model)) for demand in demands for model in demand.models)

    def _judge(self, demand: Demand, model: Model) -> Judged:
        if isinstance(model, PopulationComparison):
            return self._beside_population(demand, model)
        if not model.reads:
            assert self.told is not None  # its classes are home
            names = [column.name for column in self.claim.source.quasi_identifiers]
            return classes.judge(self.session, classes.STAGED, names, demand, model)
        assert self.valued is not None  # they are home
        counted, persons = self.compared if compares_with_source(model) else VALUES, self.claim.requirement.persons
        return classes.judge(self.session, counted, self._valued, demand, model, persons)

    @cached_property
    def compared(self) -> Name:
        """Relation of the release's classes by sensitive values, together with the values of all source rows.

        The source's values are counted again in its database. Raises :class:`VerificationError` if the source changed
        since the search, or if the release has values absent from the source.
        """
        source, names, session = self.claim.source, self._valued, self.session
        read_names = {
            name for demand in self.claim.requirement.demands for model in demand.models for name in model.reads
        }
        listed = [column for column in source.released if column.name in read_names]
        # In a nested statement: MariaDB does not accept a table's own grouped text as the selected one.
        cells = columns(Name("source", column.name) for column in listed)
        rows = Statement("verify/compared#cells", cells=cells, source=source.relation)
        counted, yielded = classes.of(Statement("store/relation#nested", rows=rows), listed)
        gathered = source.host.gather_classes(_OF_SOURCE, counted, yielded, size=classes.SIZE)
        everything = Demand(tuple(column.name for column in listed), ())
        arrived = classes.have_arrived(session, _OF_SOURCE, everything.attributes, [everything], gathered)
        if not arrived or gathered.rows != self.claim.rows:
            raise VerificationError("the sensitive values of the source changed during the run: run again")
        # The first names are those that the classes have for these columns.
        named = [As(classes.value(at), classes.value(names.index(column.name))) for at, column in enumerate(listed)]
        read = Statement("store/relation", relation=_OF_SOURCE)
        of_source = Statement("store/source", columns=columns([*named, classes.SIZE]), origin=read)
        session.create(
            _COMPARED,
            Statement("verify/compared", classes=VALUES, source=Statement("store/relation#nested", rows=of_source)),
        )
        for column in listed:
            (strange,) = session.row(
                Statement(
                    "verify/compared#strange", sensitive=classes.value(names.index(column.name)), compared=_COMPARED
                )
            )
            if strange:
                raise VerificationError(f"column {column.name!r} has values that are not in the source")
        return _COMPARED

    @cached_property
    def persons(self) -> PersonCounts | None:
        """Counts of persons in the release, or None if k counts rows."""
        if self.claim.stage is not None:
            return self.claim.stage.persons
        person = self.claim.requirement.persons
        if not person:
            return None
        assert self.valued is not None  # they are home
        named = [column.name for column in self.claim.source.quasi_identifiers]
        return classes.persons(self.session, VALUES, self._valued, named, person, as_set=self.claim.requirement.as_set)

    @property
    def smallest(self) -> int | None:
        """Size of the smallest class, in the unit counted by k: persons with the same history, persons, or rows.

        None for a release without rows.
        """
        for _, model, judged in self.judged:
            if model.key == HISTORIES:
                return None if judged.achieved is None else int(judged.achieved)
        return self.counts.classes.smallest if self.persons is None else self.persons.fewest

    @property
    def average_risk(self) -> float | None:
        """Mean chance to find a row in its class or, with persons, a person in the smallest of the person's classes.

        None without rows.
        """
        if self.persons is not None:
            return self.persons.exposure.average_risk
        read = self.counts.classes
        return read.classes / read.rows if read.rows else None

    def apart_from(self, stage: Verified) -> int:
        """Number of combinations of cells more frequent in this release than in ``stage``. 0 is correct.

        ``stage`` is the release in the same database with further columns, those identifying persons.
        """
        listed = [column for column in stage.described.values() if column.name in self.described]
        named = [Name(f"kept_{position}") for position in range(1, len(listed) + 1)]
        host = self.claim.source.host
        released: list[Hole] = []
        kept: list[Hole] = []
        for column, name in zip(listed, named, strict=True):
            there, cell = self.described[column.name], Name(column.name)
            sent: Hole = cell
            if not host.dialect:
                sent = Statement("store/received#typed", column=cell, type=Type(there.type))
            released.append(As(host.exact(cell, there), name))
            kept.append(As(host.exact(sent, there), name))
        (combinations,) = host.row(
            Statement(
                "verify/invented",
                released=columns(released),
                kept=columns(kept),
                names=Joined(tuple(named), ", "),
                release=self.release,
                source=Statement("store/relation#nested", rows=stage.release),
            )
        )
        return int(combinations)

    def _beside_population(self, demand: Demand, model: Model) -> Judged:
        """Verdict on a privacy model that compares a demand's classes with those of the population."""
        from starcloak.verify import population_classes

        assert self.told is not None  # its classes are home
        kept = population_classes.classes_of(self.session, self.claim, demand)
        judged: Judged = recount_of(model)(self.session, kept, Joined((), ", "), (), model)
        return judged

    @property
    def _valued(self) -> list[str]:
        wanted = {column.name for column in self.claim.source.quasi_identifiers} | {*self.claim.requirement.reads}
        return [name for name in self.described if name in wanted]

    @property
    def valued_columns(self) -> list[str]:
        """Columns of the classes by sensitive values, in order.

        Empty if no privacy model reads a sensitive column.
        """
        if self.claim.stage is not None:
            return self.claim.stage.valued_columns
        return self._valued if self.claim.requirement.reads else []

    def has_values(self, position: int) -> bool:
        """True if a quasi-identifier has any cell that is not missing.

        ``position`` is the attribute's index, from 0.
        """
        assert self.told is not None  # they are home
        (values,) = self.session.row(Statement("verify/values", value=classes.value(position), classes=classes.STAGED))
        return bool(values)

    def count_uncovered(self, dimension: Dimension) -> int:
        """Number of recoded tuples with a range that does not contain the tuple's number. 0 is correct."""
        names = {name: Name(f"{name}_{dimension.position}") for name in ("code", "level", "text")}
        read = _ends(Name("recoding", *names["text"].parts))
        holes: dict[str, Hole] = {"recoding": RECODING, "table": dimension.table, **names, "ends": read}
        holes["holds"] = Statement("verify/ranges#holds", number=Name("number"))
        (tuples,) = self.session.row(Statement("verify/uncovered", **holes))
        return int(tuples)

    def count_misplaced(self, dimension: Dimension) -> int:
        """Number of hierarchy leaves in an interval that does not contain them, or that ends at another value.

        0 is correct.
        """
        read = _ends(Statement("verify/ranges#without_missing", text=Name("level_1")))
        holes: dict[str, Hole] = {"table": dimension.table, "ends": read, **_allowed(dimension)}
        holes["holds"] = Statement("verify/ranges#holds", number=Name("of_member"))
        (values,) = self.session.row(Statement("verify/uncovered#intervals", **holes))
        return int(values)

    def count_invented(self) -> int:
        """Number of combinations of kept cells more frequent in the release than in the source. 0 is correct."""
        source = self.claim.source
        named = [Name(f"kept_{position}") for position in range(1, len(source.kept) + 1)]
        cells = columns(As(cell, name) for cell, name in zip(source.cells, named, strict=True))
        (combinations,) = source.host.row(
            Statement(
                "verify/invented",
                released=cells,
                kept=cells,
                names=Joined(tuple(named), ", "),
                release=self.release,
                source=source.relation,
            )
        )
        return int(combinations)

    def _strangers(self, dimension: Dimension, cell: Name) -> Statement:
        of_column: dict[str, Hole] = {"place": Number(dimension.position), "cell": cell, "table": dimension.table}
        if dimension.position in self.claim.ranged:
            ends: dict[str, Hole] = {"ends": _ends(Name("released")), **_allowed(dimension)}
            return Statement("verify/strangers#strange_ranges", **of_column, **ends)
        levels = [Name(f"level_{level}") for level in self.claim.levels[dimension.attribute]]
        statement = Statement("verify/strangers#of_levels", levels=Joined(tuple(levels), ", "))
        known_in: Hole = levels[0] if len(levels) == 1 else statement
        return Statement("verify/strangers#strangers", **of_column, known=known_in)


def _ends(text: Hole) -> Statement:
    """SQL to parse the two ends of a range from the range's text."""
    return Statement("verify/ranges#read", text=text)


def _allowed(dimension: Dimension) -> dict[str, Hole]:
    """Conditions, for the holes ``low`` and ``high``, that the end of a range is not a number of the data."""
    return {
        end: Statement("verify/ranges#allowed", end=Name("present", end), table=dimension.table)
        for end in ("low", "high")
    }
