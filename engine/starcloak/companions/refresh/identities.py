"""Identities: the units (rows, or persons with all their rows) in which a refresh recognizes earlier releases' rows.

Identities with the same history over all releases form a cohort. The history of a row is its class, which does not
change while the row is released. The history of a person is the multiset of released cells of the person in each
release. Rows with the same released cells are copies of one identity; two persons are never copies of one identity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, ClassVar

from starcloak.base.column import Column
from starcloak.base.errors import JobError
from starcloak.companions.refresh import last_release
from starcloak.companions.refresh.recount import Departures, Nights
from starcloak.companions.refresh.relations import (
    DEPARTURES,
    FACTS,
    FATES,
    IDENTITIES,
    NEW,
    PARTS,
    POOL,
    ROW,
    ROWS,
    STORY,
    STORY_NOW,
    TEXTS,
    WHOSE,
    codes_of_star,
    equal,
    loss,
    names,
    under,
)
from starcloak.job import Job
from starcloak.privacy.aggregates import PERSONS
from starcloak.releases import state
from starcloak.releases.recodings.overlap import overlaps_of
from starcloak.releases.recodings.saved_recodings import Recoded
from starcloak.star.person_identity import PersonIdentity, difference, identity_of, in_order, places_of
from starcloak.star.recoding.recoding import RECODING
from starcloak.star.star import Star
from starcloak.star.working_tables import STAR, VISITS
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, columns, lines, union_all
from starcloak.store.session import Session
from starcloak.store.source import Source

_KEY, _TOLD = Name("refresh_key"), Name("refresh_told")
_HOLD = Statement("companions/refresh/fates#hold")


@dataclass(frozen=True)
class Rows:
    """Identities of a refresh in which k counts rows: rows are recognized by quasi-identifier values and kept cells.

    ``read`` is the source without held rows; ``before`` is the last release, or None for a first release. With
    ``departures: tell`` (no row is held), a row is recognized only while it is released, and cohorts are formed by the
    released cells alone.
    """

    store: Session
    job: Job
    read: Source
    before: Recoded | None

    #: The columns that identify a row together with its quasi-identifier values.
    key: ClassVar[tuple[Name, ...]] = (ROW,)
    unit: ClassVar[str] = "rows"

    def __post_init__(self) -> None:
        last_release.refuse_unheld(self.before, self.job, self.read)

    @property
    def holds(self) -> bool:
        """True if rows deleted from the source stay in the release until k identities can leave together."""
        return self.job.departures == "hold"

    @property
    def texts(self) -> dict[Column, Name]:
        """Columns stored as texts to restore held rows: kept columns and persons' columns, each with its stored name.

        The order of the person columns in the job has no effect. Empty if no rows are held.
        """
        places = {name: at for at, name in enumerate(in_order(self.job))}
        persons = sorted(self.read.persons, key=lambda column: places[column.name])
        kinds = (("kept", self._in_order(self.read.kept)), ("person", persons)) if self.holds else ()
        return {
            column: name for kind, those in kinds for column, name in zip(those, names(kind, len(those)), strict=True)
        }

    def hash(self, source: Source) -> Hole:
        """SQL expression for the hash of a row's kept cells and, if k counts persons, of its person.

        0 without either.
        """
        cells_by_column = dict(zip(source.kept, source.cells, strict=True))
        cells = (*self._persons, *(cells_by_column[column] for column in self._in_order(source.kept)))
        if not cells:
            return Number(0)
        hashed = tuple(Statement("companions/refresh/refresh#cell", cell=cell) for cell in cells)
        return Statement("companions/refresh/refresh#hash", cells=Joined(hashed, " || "))

    def identified(self, source: Source) -> list[Hole]:
        """Select list of the columns ``key``, computed from the columns of the source."""
        return [As(self.hash(source), ROW)]

    @property
    def part(self) -> Hole:
        """SQL expression for the identity of a released row: a number, or the person's hash."""
        return Statement("companions/refresh/fates#part")

    @property
    def cohort(self) -> Joined:
        """Key columns of a cohort, that is, of the identities with the same history."""
        cells = names("cell", self.attributes)
        return Joined((Name("turn"), *cells) if self.holds else tuple(cells), ", ")

    @property
    def fate(self) -> list[Name]:
        """Columns of an identity to store together with the decision about its departure."""
        return [Name("copies")]

    @property
    def order(self) -> Joined:
        """Sort columns for the order in which identities of a cohort leave the release."""
        return Joined((*names("value", self.attributes), ROW, Name("lower")), ", ")

    @property
    def going(self) -> Statement:
        """SQL expression for the number of identities of a cohort that leave the release."""
        return _HOLD if self.holds else Statement("companions/refresh/fates#tell")

    def identities(self) -> Hole:
        """Relation of the identities in the last release, with the columns of their cohorts."""
        return _nested(Statement("companions/refresh/fates#identities", parts=PARTS))

    @property
    def keeps_cohorts(self) -> bool:
        """True if every cohort must have at least k identities, or none."""
        return self.holds

    def refuse_changed(self) -> None:
        """Refuse a source with identities written differently from those of the last release.

        Rows are never refused; persons are, by :class:`JobError`.
        """

    def pool(self, rows: Statement) -> tuple[Statement, dict[str, Any]]:
        """Statement for the new rows that may join the release, and its binds.

        ``rows`` selects all rows of the source not released yet. Rows with a kept cell that would reveal a held or
        deleted row are excluded.
        """
        if self.before is None or not self.holds:
            return rows, {}
        barred = union_all(
            Statement("companions/refresh/held#barred", cell=cell, texts=TEXTS, fates=FATES, story=STORY)
            for cell in (ROW, *self.texts.values())
        )
        binds = {"k": self.job.k}
        return Statement("companions/refresh/pool#without_barred", pool=_nested(rows), barred=barred), binds

    def facts(self, star: Star) -> Star:
        """Create the frequency set of the pool (new rows) as input of the search.

        Returns ``star``, the frequency set of the source with its hierarchies, reduced to the pool.
        """
        codes, frequency = names("code", self.attributes), As(Name("pool", "rows"), Name("frequency"))
        match = equal(codes_of_star(star), under(codes, "pool"))
        return replace(self._pooled(star, FACTS, STAR, [frequency], codes, match), facts=FACTS)

    def may_join(self, pool: Star, *, first: bool) -> bool:
        """True if the pool (``pool``, new rows) is large enough for a class. ``first`` is true in a first release."""
        return pool.rows >= self.job.required.joint([d.attribute for d in pool.dimensions]).least_rows

    def join(self, star: Star, limit: Decimal) -> None:
        """Create the relation of the rows joining the release. Rows with a mean loss (0 … 1) above ``limit`` wait."""
        codes, levels = (columns(names(kind, self.attributes, "recoding")) for kind in ("code", "level"))
        statement = Statement(
            "companions/refresh/pool#new", codes=codes, levels=levels, recoding=RECODING, **loss(star)
        )
        # Sums of shares are not exact: a cost equal to the limit is not above it.
        self.store.create(NEW, statement, {"dearest": float(limit) * self.attributes + 1e-9})

    @property
    def kept_of_ended(self) -> Sequence[Name]:
        """Columns stored for rows no longer released. Empty if such rows are forgotten."""
        return [*self.texts.values(), ROW] if self.holds else []

    @property
    def about(self) -> dict[str, Any]:
        """Fields of the saved description of this release, for the next refresh to recognize identities."""
        columns_now = {column.name: column.type for column in self._in_order(self.read.released)}
        return {"columns": columns_now, "holds": self.holds}

    @property
    def left(self) -> int | None:
        """Number of persons leaving the release, or None if k counts rows."""
        return None

    def recount(self) -> Departures | Nights | None:
        """The check of this release with the earlier ones by the verifier, or None if none is needed."""
        if self.before is None or not self.holds:
            return None
        hashed = self.hash(self.read)
        there = Statement("companions/refresh/departures#rows", hash=hashed, source=self.read.relation)
        return Departures(STORY, STORY_NOW, there, self.attributes, self.job.k)

    def _in_order(self, columns_read: Sequence[Column]) -> list[Column]:
        """The columns in the order of the first release of this chain of refreshes, whatever the source's order now.

        Hashes of rows, and the names of stored texts, depend on the order.
        """
        places = {} if self.before is None else {name: at for at, name in enumerate(self.before.about.columns)}
        return sorted(columns_read, key=lambda column: places.get(column.name, len(places)))

    @property
    def _persons(self) -> tuple[Hole, ...]:
        """SQL expression for the person of a row, to be hashed with its kept cells. Empty if k counts rows."""
        return ()

    @property
    def attributes(self) -> int:
        """Number of quasi-identifiers."""
        return len(self.read.quasi_identifiers)

    def _pooled(
        self, star: Star, into: Name, counted: Name, replaced: Sequence[Hole], keys: Sequence[Name], match: Hole,
        *persons: Hole,
    ) -> Star:  # fmt: skip
        """Create the relation ``into``: the frequency set ``counted`` reduced to the pool (new rows).

        ``replaced`` are its columns taken from the pool, ``keys`` and ``match`` join both, and ``persons`` are further
        joins. Returns the star with the counts of rows and tuples in the pool.
        """
        statement = Statement(
            "companions/refresh/pool#facts", star=counted, replaced=columns(replaced), persons=lines(persons),
            keys=columns(keys), pool=POOL, match=match,
        )  # fmt: skip
        self.store.create(into, statement)
        rows, tuples, _ = self.store.row(Statement("star/frequency/size", frequency=into))
        return replace(star, rows=int(rows), combinations=int(tuples))


@dataclass(frozen=True)
class Persons(Rows):
    """Identities of a refresh in which k counts persons: persons are recognized by a keyed hash.

    ``first`` is the run of the first release in this chain of refreshes. ``identity`` describes the columns that
    identify persons. A change affects either none or at least k persons of a cohort, and leaves either none or at
    least k of them unaffected. Changes are: persons join, persons gain a row, and persons leave for good because one
    of their rows is missing.
    """

    first: str
    identity: PersonIdentity

    key: ClassVar[tuple[Name, ...]] = (ROW, WHOSE)
    unit: ClassVar[str] = "persons"

    @classmethod
    def of(cls, store: Session, job: Job, read: Source, before: Recoded | None) -> Persons:
        """The persons of a job. Puts the secret key for the persons' hashes into the working store.

        Raises :class:`JobError` if no key is available, or if the last release identified persons differently.
        """
        first = store.run_id if before is None else before.about.chain
        key = state.keyed(f"persons of the refreshes since {first}")
        identity = identity_of(store, job, key=key[: state.KEYED_BY])
        if not key:
            raise JobError(
                "refresh: a secret is needed to recognize persons later, and it cannot be saved in "
                "$XDG_STATE_HOME/starcloak: make this folder writable for you alone"
            )
        if before is not None and (why := difference(before.about.identity, identity)) is not None:
            raise JobError(
                f"refresh: persons of the last release may not be recognized ({why}): run the unchanged job, with "
                "the secret in $XDG_STATE_HOME, or start again with refresh: first"
            )
        import pyarrow  # which is here by now

        incoming, keys = Name("incoming"), pyarrow.table({"key": [key]}).to_reader()
        store.receive(_KEY, incoming, keys, Statement("companions/refresh/persons#key", key=incoming))
        return cls(store, job, read, before, first, identity)

    def identified(self, source: Source) -> list[Hole]:
        return [*super().identified(source), As(self._whose, WHOSE)]

    @property
    def part(self) -> Hole:
        return Name("story", "whose")

    @property
    def cohort(self) -> Joined:
        return Joined((Name("cohort"),), ", ")

    @property
    def fate(self) -> list[Name]:
        return [*super().fate, Name("cohort"), Name("is_shown")]

    @property
    def order(self) -> Joined:
        return Joined((Name("identity"),), ", ")

    @property
    def going(self) -> Statement:
        return _HOLD if self.holds else Statement("companions/refresh/persons#tell")

    def identities(self) -> Hole:
        histories = Joined((*names("cell", self.attributes), Name("turn"), Name("until")), ", ")
        persons = Statement("companions/refresh/persons#identities", story=STORY, parts=PARTS, **{"class": histories})
        self.store.create(IDENTITIES, persons)
        return IDENTITIES

    @property
    def keeps_cohorts(self) -> bool:
        return True

    def refuse_changed(self) -> None:
        values = names("value", self.attributes)
        texts = (Statement("store/text", column=name) for name in under(values, "rows"))
        earlier = Statement("releases/recodings/overlap#of_refresh", values=columns(values), story=STORY)
        now = Statement("releases/recodings/overlap#of_source", values=columns(map(As, texts, values)), rows=ROWS)
        earlier, now = (_nested(rows) for rows in (earlier, now))
        for overlap in overlaps_of(self.store, values, earlier=earlier, now=now).values():
            if (why := overlap.difference()) is not None:
                raise JobError(
                    f"refresh: persons of the last release may not be recognized in {self.read.label} ({why}): write "
                    "persons as before, for example with clean, or start again with refresh: first"
                )

    def pool(self, rows: Statement) -> tuple[Statement, dict[str, Any]]:
        codes = columns(names("code", self.attributes))
        return Statement("companions/refresh/persons#pool", codes=codes, pool=_nested(rows), departures=DEPARTURES), {}

    def facts(self, star: Star) -> Star:
        self.store.create(
            _TOLD, Statement("companions/refresh/persons#told", whose=_whose(places_of(self.job)), codes=PERSONS)
        )
        codes, cohort = names("code", self.attributes), Name("cohort")
        replaced = [As(Name("pool", "rows"), Name("frequency")), As(Name("pool", "cohort"), cohort)]
        match = equal([*codes_of_star(star), Name("told", "whose")], [*under(codes, "pool"), Name("pool", "whose")])
        numbers = Statement("companions/refresh/persons#numbers", told=_TOLD)
        return self._pooled(star, VISITS, VISITS, replaced, [*codes, WHOSE, cohort], match, numbers)

    def may_join(self, pool: Star, *, first: bool) -> bool:
        (kinds,) = self.store.row(Statement("companions/refresh/persons#kinds", visits=VISITS), {"k": self.job.k})
        return first or bool(kinds)

    def join(self, star: Star, limit: Decimal) -> None:
        codes, levels = (columns(names(kind, self.attributes)) for kind in ("code", "level"))
        relations = {"recoding": RECODING, "told": _TOLD, "pool": POOL, "departures": DEPARTURES}
        statement = Statement("companions/refresh/persons#new", codes=codes, levels=levels, **relations)
        self.store.create(NEW, statement, {"k": self.job.k})

    @property
    def kept_of_ended(self) -> Sequence[Name]:
        kinds = (names(kind, self.attributes) for kind in ("value", "level", "cell"))
        return [*(name for kind in kinds for name in kind), ROW, WHOSE]

    @property
    def about(self) -> dict[str, Any]:
        return {**super().about, "chain": self.first, "identity": self.identity}

    @property
    def left(self) -> int | None:
        (persons,) = self.store.row(Statement("companions/refresh/persons#left", departures=DEPARTURES))
        return int(persons)

    def recount(self) -> Departures | Nights | None:
        return Nights(STORY, STORY_NOW, self._whose, self.hash(self.read), self.job.k)

    @property
    def _whose(self) -> Statement:
        return _whose([Name(name) for name in in_order(self.job)])

    @property
    def _persons(self) -> tuple[Hole, ...]:
        return (self._whose,)


def _whose(persons: Sequence[Name]) -> Statement:
    """SQL expression for the keyed hash of a person, from ``persons``, the columns that identify persons."""
    parts = (Statement("companions/refresh/persons#person", person=person) for person in persons)
    return Statement("companions/refresh/persons", persons=Joined(tuple(parts), ", "), key=_KEY)


def _nested(rows: Statement) -> Statement:
    return Statement("store/relation#nested", rows=rows)
