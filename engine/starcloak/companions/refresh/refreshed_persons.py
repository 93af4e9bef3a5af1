"""A refresh with the rows of a person as one set: at least k persons have the same history in all releases, at any
time.

A history is the multiset of cells shown of a person in each release. Persons with the same history are a cohort. A
change happens to none or at least k of a cohort, and is not made for none or at least k: new persons come, persons gain
a row, and persons leave for good if one of their rows is gone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from starcloak.base.column import Column
from starcloak.base.errors import JobError
from starcloak.companions.refresh import refresh, retained_rows
from starcloak.companions.refresh.proposed import Refreshed
from starcloak.companions.refresh.recount import Nights
from starcloak.companions.refresh.refresh import NEW, POOL, ROWS, SHOWN, STAY, RefreshedRecoding, hash_of, same
from starcloak.job import Job
from starcloak.job.result import Refreshing, Search, search_of
from starcloak.privacy.aggregates import PERSONS
from starcloak.releases import state
from starcloak.releases.proposal import Proposal
from starcloak.releases.recodings.overlap import overlaps_of
from starcloak.releases.recodings.saved_recodings import Recoded
from starcloak.releases.run import Run
from starcloak.search.algorithm import SearchContext
from starcloak.star import frequency_sets, star_builder
from starcloak.star.person_identity import PersonIdentity, difference, identity_of, in_order, places_of
from starcloak.star.recoding.mapped import MAPPING
from starcloak.star.recoding.recoding import RECODING, other_names
from starcloak.star.recoding.recoding import cell as text_of
from starcloak.star.star import Star
from starcloak.statements.statement import As, Hole, Joined, Name, Statement, columns, conditions, lines
from starcloak.store.relations import VISITS
from starcloak.store.session import Session
from starcloak.store.source import Source

_KEY, _TOLD, _STORY, _PERSONS, _STILL, _DEPARTURES, _HELD, _HELD_ROWS, _TEXTS = (
    Name(f"refresh_{what}")
    for what in ("key", "told", "story", "persons", "still", "departures", "held", "held_rows", "texts")
)
NOT_HELD = "departures: the last release did not hold rows: release afresh by refresh: first"
_NOW = Name("refresh_story_now")
_WHOSE = Name("whose")


@dataclass(frozen=True)
class Chain:
    """Recognition of persons in refreshes begun with the run ``first``: by their ``identity``.

    A chain that ``holds`` keeps the rows' texts, so that rows deleted since can still be shown.
    """

    identity: PersonIdentity
    first: str
    holds: bool


def propose(run: Run) -> Refreshed:
    """Propose a refresh of persons' rows: staying and new rows; other rows wait. Raises :class:`JobError`."""
    store, job, opened, clock = run.store, run.job, run.source, run.clock
    before = refresh.release_before(run)
    chain = _chain(store, job, opened, before)
    persons_by = _whose([Name(name) for name in in_order(job)])
    hashed = hash_of(opened, persons_by)
    with clock.stage(store, "star"):
        built = star_builder.build(store, opened, job)
    with clock.stage(store, "search"), store.ending.searching() as stop:
        visits = _Visits(built, opened, persons_by, hashed, holds=chain.holds)
        _remember(store, visits, before)
        store.create(ROWS, visits.rows())
        _refuse_written_otherwise(store, visits)
        _see(store, job, visits)
        held_rows = _hold(store, visits) if chain.holds else 0
        if held_rows:
            visits = _with_held(store, job, visits, held_rows)
        turn = _stay(store)
        _gather(store, job, visits)
        context = SearchContext(job.seed, job.objective, opened.label, False, stop, partial(clock.stage, store), True)
        recoding = _search(store, job, visits, context, first=before is None)
        store.create(MAPPING, refresh.mapping_of(visits.star, _WHOSE), {"turn": turn})
        chosen = refresh.recode(store, job, visits.star, turn, hashed)
        if chain.holds:
            store.create(_TEXTS, visits.texts())
        store.create(_NOW, visits.story(), {"turn": turn})
    counted = Statement("companions/refresh/refresh#counted", mapping=MAPPING, shown=SHOWN)
    stayed, new, shown_rows = store.row(counted, {"turn": turn})
    (left,) = store.row(Statement("companions/refresh/refresh_persons#left", departures=_DEPARTURES))
    waiting, gone = chosen.suppressed, shown_rows - stayed
    refreshing = Refreshing(stayed=stayed, new=new, waiting=waiting, gone=gone, held=held_rows, left=left)
    allowed = job.required.allowance(visits.star.rows) if before is None else waiting
    return Refreshed(
        Proposal(visits.source, visits.star, recoding, chosen, allowed, opened),
        refreshing,
        _NOW,
        about={
            "chain": chain.first,
            "holds": chain.holds,
            "columns": {column.name: column.type for column in visits.source.released},
            "identity": chain.identity,
        },
        nights=Nights(_STORY, _NOW, persons_by, hashed, job.k),
    )


def _chain(store: Session, job: Job, opened: Source, before: Recoded | None) -> Chain:
    """The chain of refreshes, with a key in the working store to recognize persons. Raises :class:`JobError` without a
    key.
    """
    first = store.run_id if before is None else before.about.chain
    key, holds = state.keyed(f"persons of the refreshes since {first}"), job.departures == "hold"
    identity = identity_of(store, job, key=key[: state.KEYED_BY])
    if not key:
        raise JobError("refresh: persons are known again by a secret, and none can be kept here: mend $XDG_STATE_HOME")
    if before is not None and (why := difference(before.about.identity, identity)) is not None:
        raise JobError(
            f"refresh: the last release may know other persons: {why}: run the job as it was, where its secret is "
            "($XDG_STATE_HOME), or release afresh by refresh: first"
        )
    released = {column.name: column.type for column in opened.released}
    if before is not None and before.about.columns != released:
        raise JobError("refresh: the last release has other columns: release afresh by refresh: first")
    if holds:
        retained_rows.refuse_lost(opened)
    if holds and before is not None and not before.about.holds:
        raise JobError(NOT_HELD)
    import pyarrow  # which is here by now

    incoming, keys = Name("incoming"), pyarrow.table({"key": [key]}).to_reader()
    store.receive(_KEY, incoming, keys, Statement("companions/refresh/refresh_persons#key", key=incoming))
    return Chain(identity, first, holds)


def _whose(persons: list[Name]) -> Statement:
    """Keyed hash of a person, from the columns that identify persons."""
    parts = (Statement("companions/refresh/refresh_persons#person", person=person) for person in persons)
    return Statement("companions/refresh/refresh_persons#whose", persons=Joined(tuple(parts), ", "), key=_KEY)


@dataclass(frozen=True)
class _Visits:
    """The statements of a refresh over a star and its source.

    ``whose`` is the person of a row, ``hash`` distinguishes the row from others. With ``holds``, the texts of rows are
    kept.
    """

    star: Star
    source: Source
    whose: Hole
    hash: Hole
    holds: bool

    @property
    def _kept(self) -> dict[Column, Name]:
        """The names of a row's kept columns beside its tuple, if rows are held."""
        kinds = (("kept", self.source.kept), ("person", self.source.persons)) if self.holds else ()
        return {column: Name(f"{kind}_{at}") for kind, those in kinds for at, column in enumerate(those, 1)}

    @property
    def shape(self) -> list[Name]:
        """The known columns of a shown row."""
        return [*self.names("value"), *self.names("level"), *self.names("cell")]

    def names(self, kind: str, *relation: str) -> list[Name]:
        """The columns of one kind, one per dimension."""
        return [Name(*relation, f"{kind}_{d.position}") for d in self.star.dimensions]

    @property
    def leaves(self) -> Joined:
        """The codes of a tuple by its members."""
        named = zip(self.star.dimensions, self.names("code"), strict=True)
        return columns(As(Name(*d.table.parts, "code"), code) for d, code in named)

    def match(self, first: str, second: str) -> Hole:
        """The condition for equal tuples of two relations."""
        return conditions(map(same, self.names("code", first), self.names("code", second)))

    def members(self, section: str, kind: str, *relation: str) -> list[Statement]:
        """The members of a relation's tuples, by their codes or values."""
        named = zip(self.star.dimensions, self.names(kind, *relation), strict=True)
        return [Statement(section, table=d.table, **{kind: name}) for d, name in named]

    def nothing(self) -> Statement:
        missing, zero = Statement("companions/refresh/refresh#no_value"), Statement("companions/refresh/refresh#zero")
        return Statement(
            "companions/refresh/refresh_persons#nothing",
            values=columns(As(missing, name) for name in self.names("value")),
            levels=columns(As(zero, name) for name in self.names("level")),
            cells=columns(As(missing, name) for name in (*self.names("cell"), *self._kept.values())),
        )

    def known(self, story: Name) -> Statement:
        named = columns([*self.shape, *self._kept.values()])
        return Statement("companions/refresh/refresh_persons#known", columns=named, story=story)

    def rows(self) -> Statement:
        whole = RefreshedRecoding(self.star, 0, 0, tuple((0,) for _ in self.star.dimensions))
        name, row = other_names(self.source, "whose", "row")
        return Statement(
            "companions/refresh/refresh_persons", codes=self.leaves, whose=name, row=row, person=self.whose,
            hash=self.hash, source=self.source.relation, maps=whole.maps(self.source),
        )  # fmt: skip

    def persons(self) -> Statement:
        histories = Joined((*self.names("cell"), Name("turn"), Name("until")), ", ")
        return Statement("companions/refresh/refresh_persons#persons", story=_STORY, **{"class": histories})

    def shown_before(self) -> Statement:
        """The rows of persons shown by the last release."""
        return Statement("releases/recodings/overlap#of_refresh", values=columns(self.names("value")), story=_STORY)

    def in_source(self) -> Statement:
        """The rows of persons of the source."""
        texts = (Statement("store/text", column=Name(*d.table.parts, "value")) for d in self.star.dimensions)
        return Statement(
            "releases/recodings/overlap#of_source",
            values=columns(map(As, texts, self.names("value"))),
            rows=ROWS,
            members=lines(self.members("star/recoding/single_dimension#member", "code", "rows")),
        )

    def still(self) -> Statement:
        codes = (Name(*d.table.parts, "code") for d in self.star.dimensions)
        return Statement(
            "companions/refresh/refresh_persons#still",
            codes=self.leaves,
            shown=columns([*self.names("value", "recoding"), *self.names("level", "recoding")]),
            story=_STORY,
            members=lines(self.members("companions/refresh/refresh#member", "value")),
            rows=ROWS,
            match=conditions(map(same, self.names("code", "rows"), codes)),
        )

    def held(self) -> Statement:
        named = [*self.names("value", "story"), *(Name("story", *name.parts) for name in self._kept.values())]
        pairs = zip(self.names("value", "still"), self.names("value", "story"), strict=True)
        return Statement(
            "companions/refresh/refresh_persons#held",
            columns=columns(named),
            story=_STORY,
            departures=_DEPARTURES,
            still=_STILL,
            match=conditions(Statement("store/same", one=first, other=second) for first, second in pairs),
        )

    def as_they_were(self) -> Statement:
        """The held rows, with cells of the source's types."""
        texts = {**dict(zip(self.source.quasi_identifiers, self.names("value"), strict=True)), **self._kept}
        everything = (*self.source.released, *self.source.persons)
        return retained_rows.as_they_were({column: texts[column] for column in everything}, _HELD)

    def with_held(self, rows: int) -> Source:
        """The source with its held ``rows``."""
        return retained_rows.beside(self.source, (*self.source.released, *self.source.persons), _HELD_ROWS, rows)

    def texts(self) -> Statement:
        """The texts of rows beside their tuples."""
        texts = (
            As(
                Statement("companions/refresh/hold#kept", text=Statement("store/text", column=Name("source", c.name))),
                name,
            )
            for c, name in self._kept.items()
        )
        named = columns([As(self.hash, Name("row")), *texts])
        return Statement("companions/refresh/hold#cells", columns=named, source=self.source.relation)

    def pool(self) -> Statement:
        return Statement(
            "companions/refresh/refresh_persons#pool",
            codes=columns(self.names("code", "rows")),
            kept=columns(self.names("code")),
            rows=ROWS,
            persons=_PERSONS,
            departures=_DEPARTURES,
            stay=STAY,
            match=self.match("stay", "rows"),
        )

    def visits(self) -> Statement:
        own = [Name("visits", *d.column(0).parts) for d in self.star.dimensions]
        return Statement(
            "companions/refresh/refresh_persons#visits",
            visits=VISITS,
            told=_TOLD,
            pool=POOL,
            codes=columns(self.names("code")),
            match=conditions(map(same, own, self.names("code", "pool"))),
        )

    def new(self) -> Statement:
        return Statement(
            "companions/refresh/refresh_persons#new",
            codes=columns(self.names("code")),
            levels=columns(self.names("level")),
            recoding=RECODING,
            told=_TOLD,
            pool=POOL,
            departures=_DEPARTURES,
        )

    def story(self) -> Statement:
        texts = (Statement("store/text", column=Name(*d.table.parts, "value")) for d in self.star.dimensions)
        cells = (text_of(d, "recoding", ()) for d in self.star.dimensions)
        kept = [Name("texts", *name.parts) for name in self._kept.values()]
        story_texts = [Statement("companions/refresh/refresh_persons#texts", texts=_TEXTS)] if self.holds else []
        return Statement(
            "companions/refresh/refresh_persons#story",
            values=columns(map(As, texts, self.names("value"))),
            levels=columns(self.names("level", "recoding")),
            cells=columns([*map(As, cells, self.names("cell")), *kept]),
            mapping=MAPPING,
            members=lines([*self.members("star/recoding/single_dimension#member", "code", "recoding"), *story_texts]),
            columns=columns(Name("before", *name.parts) for name in self.shape),
            before=_STORY,
            departures=_DEPARTURES,
        )


def _remember(store: Session, visits: _Visits, before: Recoded | None) -> None:
    """Create the relation of rows shown by all earlier releases, with their persons."""
    if before is None:
        store.create(_STORY, visits.nothing())
        return
    assert before.shown is not None
    incoming = Name("incoming")
    store.receive(_STORY, incoming, before.shown.reader(), visits.known(incoming))


def _refuse_written_otherwise(store: Session, visits: _Visits) -> None:
    """Refuse a source that seems to write persons differently than in the last release."""
    rows = {"earlier": visits.shown_before(), "now": visits.in_source()}
    nested: dict[str, Hole] = {
        kind: Statement("store/relation#nested", rows=relation) for kind, relation in rows.items()
    }
    for overlap in overlaps_of(store, visits.names("value"), **nested).values():
        if (why := overlap.difference()) is not None:
            raise JobError(
                f"refresh: the last release and {visits.source.label} may have the same persons: {why}: write persons "
                "as before, such as by clean, or release afresh by refresh: first"
            )


def _see(store: Session, job: Job, visits: _Visits) -> None:
    """Create the relations of shown persons, of their rows still in the source, and of leaving persons."""
    store.create(_PERSONS, visits.persons())
    (fewest,) = store.row(Statement("companions/refresh/refresh_persons#fewest", persons=_PERSONS))
    if fewest is not None and fewest < job.k:
        raise JobError(
            f"refresh: of some persons fewer than k = {job.k} have the same history in the releases before: ask for "
            "the k of these, or release afresh by refresh: first"
        )
    store.create(_STILL, visits.still())
    statement = Statement("companions/refresh/hold#going")
    leaving = statement if visits.holds else Statement("companions/refresh/refresh_persons#told_leave")
    relations: dict[str, Hole] = {"persons": _PERSONS, "story": _STORY, "still": _STILL}
    departures = Statement("companions/refresh/refresh_persons#departures", leaving=leaving, **relations)
    store.create(_DEPARTURES, departures, {"k": job.k})


def _hold(store: Session, visits: _Visits) -> int:
    """Create the relation of held rows; returns their number."""
    store.create(_HELD, visits.held())
    return store.create(_HELD_ROWS, visits.as_they_were())


def _with_held(store: Session, job: Job, visits: _Visits, held_rows: int) -> _Visits:
    """The statements with held rows added to the source, which then has every staying row."""
    source = visits.with_held(held_rows)
    frequency_sets.compress(store, source, sensitive=job.required.reads)
    together = replace(visits, source=source, star=star_builder.build(store, source, job))
    store.create(ROWS, together.rows())
    store.create(_STILL, together.still())
    return together


def _stay(store: Session) -> int:
    """Create the relations of staying and of shown rows; returns the number of this refresh."""
    store.create(STAY, Statement("companions/refresh/refresh_persons#stay", still=_STILL, departures=_DEPARTURES))
    store.create(SHOWN, Statement("companions/refresh/refresh_persons#shown", story=_STORY))
    (last,) = store.row(Statement("companions/refresh/refresh_persons#turns", story=_STORY))
    return int(last) + 1


def _gather(store: Session, job: Job, visits: _Visits) -> None:
    """Create the pool, and its tuples by persons."""
    statement = Statement("companions/refresh/refresh_persons#told", whose=_whose(places_of(job)), codes=PERSONS)
    store.create(_TOLD, statement)
    store.create(POOL, visits.pool())
    store.create(VISITS, visits.visits())


def _search(store: Session, job: Job, visits: _Visits, context: SearchContext, *, first: bool) -> Search:
    """Create the relation of the recoded pool. In a first release the job limits the suppressed rows."""
    star = visits.star
    rows, tuples, kinds = store.row(Statement("companions/refresh/refresh_persons#spread", visits=VISITS), {"k": job.k})
    refresh.create_nobody(store, star, _WHOSE)
    if not (kinds or first):
        return search_of(star.lattice_nodes, refresh.nothing_told())
    limit = refresh.dearest_of(store, job, star, first=first)
    summary = refresh.search_pool(replace(star, rows=rows, combinations=tuples), job, context, limit, first=first)
    store.create(NEW, visits.new(), {"k": job.k})
    return summary
