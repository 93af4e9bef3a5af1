"""Refresh: a new release of a changed source. Rows shown (released) before keep their released cells.

New rows form equivalence classes of their own, or wait: they are suppressed until a later refresh. The rows in the
earlier releases are recognized by identities: rows or persons. Identities with the same history over all releases are
treated together. A row deleted from the source may be held: it stays in the release until k identities can leave
together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from typing import Any, ClassVar, Self

from starcloak.base.errors import JobError, RequirementError, StatementError
from starcloak.companions.refresh.identities import Persons, Rows
from starcloak.companions.refresh.last_release import LastRelease
from starcloak.companions.refresh.recount import Departures, NightCounts, Nights
from starcloak.companions.refresh.relations import (
    DEPARTURES,
    FATES,
    HELD,
    NEW,
    PARTS,
    POOL,
    ROW,
    ROWS,
    STAY,
    STORY,
    STORY_NOW,
    TEXTS,
    codes_of_star,
    equal,
    leaves,
    loss,
    names,
    under,
)
from starcloak.job import Job
from starcloak.job.persons_result import repeats
from starcloak.job.result import Refreshing, Search, search_of
from starcloak.releases.proposal import Proposal
from starcloak.releases.run import Run
from starcloak.search.algorithm import SearchContext, search
from starcloak.search.sweep.settings import Sweep, Swept
from starcloak.star import frequency_sets, star_builder
from starcloak.star.recoding.local import Local
from starcloak.star.recoding.mapped import MAPPING
from starcloak.star.recoding.mixed_levels import summary
from starcloak.star.recoding.recoding import RECODING, Model, other_names
from starcloak.star.recoding.recoding import cell as text_of
from starcloak.star.star import Star, match_of
from starcloak.star.working_tables import STAR
from starcloak.statements.statement import As, Hole, Name, Number, Statement, Type, columns, conditions, lines
from starcloak.store.session import Session
from starcloak.store.source import Source
from starcloak.store.tables import WHOLE
from starcloak.verify.claim import Clause

_NO_CELLS = Number(0)
#: New rows wait if the mean loss of their cells exceeds this many times the mean loss of the staying rows.
_DEARER = 2


@dataclass(frozen=True)
class Refreshed:
    """A proposed refresh: the proposal, the shown rows, and the row counts for the result.

    ``shown`` is the relation of all rows ever released in this chain of refreshes, with their cells. ``about`` is kept
    for the next refresh, to recognize rows or persons. ``recount`` is the additional check made by the verifier, or
    None if there is none.
    """

    proposal: Proposal
    counts: Refreshing
    shown: Name
    about: Mapping[str, Any] = field(default_factory=dict)
    recount: Departures | Nights | None = None

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """Additional clauses (checked conditions) for the verifier: one for the recount, or none."""
        return () if self.recount is None else (self.recount.clause,)

    @property
    def histories(self) -> NightCounts | None:
        """Counts of persons by history, or None if k counts rows. Available only after the verifier has run."""
        return self.recount.counted if isinstance(self.recount, Nights) else None


@dataclass(frozen=True)
class RefreshedRecoding(Local):
    """A local recoding in which equal tuples may be in different classes, formed by different refreshes.

    ``row`` is a hash of the kept cells. It distinguishes rows with the same tuple of quasi-identifier values.
    """

    row: Hole = _NO_CELLS

    model: ClassVar[Model] = "local"
    parts_in: ClassVar[tuple[str, ...]] = ("turn",)

    def pack(self, source: Source) -> Self:
        return self

    def release(self, source: Source) -> Statement:
        row, copy = other_names(source, "row", "copy")
        return Statement(
            "companions/refresh/refresh",
            columns=self._released_columns(source),
            cells=self._cells_beside(source),
            quasi_identifiers=source.grouped,
            row=row,
            copy=copy,
            hash=self.row,
            source=source.relation,
            maps=self._maps(source),
            mapping=self.mapping,
            match=equal(
                names("code", len(self.star.dimensions), "mapping"),
                (Name(*d.table.parts, "code") for d in self.star.dimensions),
            ),
            shuffled=self._shuffle(source),
        )

    @property
    def _mapped(self) -> list[tuple[str, Type]]:
        whole = [f"{kind}_{d.position}" for kind in ("code", "level") for d in self.star.dimensions]
        return [(name, WHOLE) for name in (*whole, "row", "turn", "lower", "upper")]


def propose(run: Run, last_release: LastRelease) -> Refreshed:
    """Propose a refresh of the last release: its staying classes unchanged, and new classes for new rows.

    New rows without a class of sufficient size or quality wait, that is, they are suppressed.
    """
    store, job, clock, before = run.store, run.job, run.clock, last_release.continued()
    identities = (Persons.of if job.persons else Rows)(store, job, run.source, before)
    _remember(identities)
    _depart(identities)
    source, held_rows = _with_held(identities)
    with clock.stage(store, "star"):
        star = star_builder.build(store, source, job)
    with clock.stage(store, "search"), store.ending.searching() as stop:
        (last,) = store.row(Statement("companions/refresh/story#last", story=STORY))
        turn = {"turn": int(last) + 1}
        _part(identities, star)
        context = SearchContext(job.seed, job.objective, source.label, False, stop, partial(clock.stage, store), True)
        found = _search(identities, star, context, first=before is None)
        store.create(MAPPING, _mapping(identities, star), turn)
        chosen = _recode(store, job, star, turn, identities.hash(source))
        store.create(STORY_NOW, _story(identities, star, source), turn if identities.kept_of_ended else {})
    counted = Statement("companions/refresh/story#counted", mapping=MAPPING, story=STORY)
    stayed, new, shown_rows = store.row(counted, turn)
    waiting, gone = chosen.suppressed, shown_rows - stayed
    counts = Refreshing(stayed=stayed, new=new, waiting=waiting, gone=gone, held=held_rows, left=identities.left)
    allowed = job.required.allowance(star.rows) if before is None else waiting
    proposal = Proposal(source, star, found, chosen, allowed, run.source)
    return Refreshed(proposal, counts, STORY_NOW, identities.about, identities.recount())


# ------------------------------------------------------------------------------------------------ before the search


def _remember(identities: Rows) -> None:
    """Create the relation of rows shown by earlier releases (empty for a first release) and that of the source's
    rows.
    """
    store, source, before = identities.store, identities.read, identities.before
    texts = [*names("value", identities.attributes), *names("cell", identities.attributes)]
    texts += [*identities.texts.values(), *(name for name in identities.key if name != ROW)]
    levels = names("level", identities.attributes)
    if before is None:
        missing, zero = Statement("companions/refresh/story#no_value"), Statement("companions/refresh/refresh#zero")
        nothing = columns([*(As(missing, name) for name in texts), *(As(zero, level) for level in levels)])
        store.create(STORY, Statement("companions/refresh/story#nothing", columns=nothing))
    else:
        assert before.shown is not None
        incoming = Name("incoming")
        known = Statement("companions/refresh/story#known", columns=columns([*texts, *levels]), story=incoming)
        store.receive(STORY, incoming, before.shown.reader(), known)
    store.create(ROWS, _rows(identities, source))
    identities.refuse_changed()


def _rows(identities: Rows, source: Source) -> Statement:
    values = names("value", identities.attributes)
    cells = (
        As(Name("source", column.name), value) for column, value in zip(source.quasi_identifiers, values, strict=True)
    )
    return Statement(
        "companions/refresh/refresh#rows",
        values=columns(cells), identity=columns(identities.identified(source)), source=source.relation,
    )  # fmt: skip


def _depart(identities: Rows) -> None:
    """Decide which identities leave the release and which are held, and create the relations for these decisions.

    Raises :class:`JobError` if fewer than k identities share a history and this is not allowed.
    """
    store, k = identities.store, identities.job.k
    values = names("value", identities.attributes)
    texts = (Statement("store/text", column=value) for value in under(values, "rows"))
    match = [
        equal(texts, under(values, "story"), "store/same"),
        equal(under(identities.key, "rows"), under(identities.key, "story")),
    ]
    parts = {"identity": identities.part, "story": STORY, "rows": ROWS, "match": conditions(match)}
    store.create(PARTS, Statement("companions/refresh/fates#parts", **parts))
    cohorts: dict[str, Hole] = {"cohort": identities.cohort, "identities": identities.identities()}
    if identities.keeps_cohorts:
        (fewest,) = store.row(Statement("companions/refresh/fates#fewest", **cohorts))
        if fewest is not None and fewest < k:
            raise JobError(
                f"refresh: in earlier releases, fewer than k = {k} {identities.unit} have the same rows: require the "
                "k of these releases, or start again with refresh: first"
            )
    departures = Statement(
        "companions/refresh/fates#departures",
        **cohorts, columns=columns(identities.fate), order=identities.order, going=identities.going,
    )  # fmt: skip
    store.create(DEPARTURES, departures, {"k": k})
    store.create(FATES, Statement("companions/refresh/fates", parts=PARTS, departures=DEPARTURES))
    store.drop(PARTS)
    if identities.holds:
        store.create(TEXTS, _texts(identities, identities.read))


def _texts(identities: Rows, source: Source) -> Statement:
    """Statement for the kept (released, not generalized) cells as texts: one row per hash of a source row's kept
    cells.
    """
    texts = (
        As(Statement("companions/refresh/held#kept", text=_text("source", column.name)), name)
        for column, name in identities.texts.items()
    )
    named = columns([As(identities.hash(source), ROW), *texts])
    return Statement("companions/refresh/held#texts", columns=named, source=source.relation)


def _with_held(identities: Rows) -> tuple[Source, int]:
    """Return the source extended by the held (deleted, still released) rows, and the number of held rows."""
    store, read = identities.store, identities.read
    if not identities.holds:
        return read, 0
    values = names("value", identities.attributes)
    texts = {**dict(zip(read.quasi_identifiers, values, strict=True)), **identities.texts}
    whole = (*read.released, *read.persons)
    cells = (
        As(
            Statement("companions/refresh/held#as_it_was", text=texts[column], type=Type(column.type)),
            Name(column.name),
        )
        for column in whole
    )
    try:
        held = store.create(HELD, Statement("companions/refresh/held", columns=columns(cells), fates=FATES))
    except StatementError as error:
        if error.kind != "ConversionException":
            raise
        raise JobError(
            f"refresh: {read.label} has a column of another type than before, and a value of a held row does not "
            "fit it: give the column its former type, or start again with refresh: first"
        ) from None
    if not held:
        return read, 0
    named = columns(Name("source", column.name) for column in whole)
    relation = Statement("companions/refresh/held#with_held", columns=named, source=read.relation, held=HELD)
    count = None if read.rows is None else read.rows + held
    store.warnings += [
        repeats(column.name, "the values of a class are not counted, as held rows have no identifier any more")
        for column in read.identifiers
    ]
    source = replace(read, relation=relation, rows=count, identifiers=())
    frequency_sets.compress(store, source, sensitive=identities.job.required.reads)
    store.create(ROWS, _rows(identities, source))
    return source, held


# ------------------------------------------------------------------------------------------------------- the search


def _part(identities: Rows, star: Star) -> None:
    """Create the relations of staying rows and of the pool: rows not released yet and allowed to join the release."""
    store, count = identities.store, len(star.dimensions)
    codes, levels = names("code", count), names("level", count)
    members = lines(
        Statement("companions/refresh/pool#member", table=d.table, value=Name("fates", f"value_{d.position}"))
        for d in star.dimensions
    )
    shape: dict[str, Hole] = {"codes": columns(codes), "leaves": leaves(star), "identity": columns(identities.key)}
    stay = Statement("companions/refresh/pool#stay", **shape, levels=columns(levels), fates=FATES, members=members)
    store.create(STAY, stay)
    types = zip(star.dimensions, identities.read.quasi_identifiers, strict=True)
    maps = lines(
        Statement(
            "star/recoding/recode#map",
            table=d.table,
            match=match_of(d, column.under(f"value_{d.position}"), identities.read.host),
        )
        for d, column in types
    )
    match = equal(under(codes, "stay"), under(codes, "rows"))
    shape |= {"codes": columns(under(codes, "rows")), "identity": columns(under(identities.key, "rows"))}
    unshown = Statement(
        "companions/refresh/pool", **shape, kept=columns(codes), rows=ROWS, maps=maps, stay=STAY, match=match
    )
    pool, binds = identities.pool(unshown)
    store.create(POOL, pool, binds)


def _search(identities: Rows, star: Star, context: SearchContext, *, first: bool) -> Search:
    """Search classes for the pool, and create the relation of the recoded rows joining the release.

    In a first release, the job's suppression limit applies, and :class:`RequirementError` is raised if it cannot be
    kept. In a later release, any number of rows may wait, and rows with a loss above a limit do. Returns the report of
    the search, with zeros if no row may join.
    """
    store, job, count = identities.store, identities.job, len(star.dimensions)
    pool = identities.facts(star)
    keys = columns(name for name in [*names("code", count), *names("level", count), *identities.key] if name != ROW)
    store.create(NEW, Statement("companions/refresh/pool#nobody", columns=keys, stay=STAY))
    found = search_of(star.lattice_nodes, Swept.model_validate(dict.fromkeys(Swept.model_fields, 0)))
    if not identities.may_join(pool, first=first):
        return found
    assert isinstance(job.algorithm, Sweep)
    limit = Decimal(1) if first else _dearest(store, job.algorithm, star)
    settings = job.algorithm if first else job.algorithm.model_copy(update={"dearest": limit})
    may_wait = job.required if first else replace(job.required, suppression=Decimal(1))
    try:
        found = search(pool, may_wait.over(pool.domains), settings, context).told
    except RequirementError:  # no class can have any of them: all wait
        if first:
            raise
        return found
    identities.join(star, limit)
    return found


def _dearest(store: Session, settings: Sweep, star: Star) -> Decimal:
    """The highest allowed mean loss of a new row's cells (0 … 1): a multiple of the staying rows' mean loss.

    Rows with a higher loss wait. A limit set in the job takes precedence.
    """
    if settings.dearest < 1:
        return settings.dearest
    (mean,) = store.row(Statement("companions/refresh/loss", **loss(star), recoding=STAY))
    return min(Decimal(1), Decimal(round(_DEARER * (mean or 0) / len(star.dimensions), 6)))


def _mapping(identities: Rows, star: Star) -> Statement:
    """Statement for the recoding of all released rows: the staying rows and the new rows."""
    count = len(star.dimensions)
    codes = [*names("code", count), *(name for name in identities.key if name != ROW)]
    return Statement(
        "companions/refresh/refresh#mapping",
        codes=columns(codes),
        levels=columns(names("level", count)),
        stay=STAY,
        pooled=columns(under(codes, "pool")),
        new=NEW,
        pool=POOL,
        match=equal(under(codes, "new"), under(codes, "pool")),
    )


def _recode(store: Session, job: Job, star: Star, turn: Mapping[str, int], row: Hole) -> RefreshedRecoding:
    """Create the relation ``recoding`` of all rows from the relation ``mapping`` of the staying and new rows.

    Rows missing in ``mapping`` are suppressed. ``turn`` binds the number of this refresh. ``row`` is the hash that
    distinguishes rows with the same tuple.
    """
    count, own = len(star.dimensions), codes_of_star(star)
    codes, levels = names("code", count), names("level", count)
    recoding: dict[str, Hole] = {
        "codes": columns(codes),
        "levels": columns(levels),
        "mapping": MAPPING,
        "star": STAR,
        "leaves": columns(map(As, own, codes)),
        "zeros": columns(As(Statement("companions/refresh/refresh#zero"), level) for level in levels),
        "match": equal(under(codes, "shown"), own),
    }
    store.drop(RECODING)  # that of the pool is a temporary table, which would hide another one
    store.create(RECODING, Statement("companions/refresh/refresh#recoding", **recoding), turn)
    return RefreshedRecoding(star, job.seed, *summary(star), row=row)


def _story(identities: Rows, star: Star, source: Source) -> Statement:
    """Statement for the rows shown by all releases of this chain, kept for the next refresh.

    If rows can be held, the kept cells of ``source``, held rows included, are stored as texts beside them.
    """
    count = len(star.dimensions)
    cells = map(As, (text_of(d, "recoding", ()) for d in star.dimensions), names("cell", count))
    members = [
        Statement("star/recoding/single_dimension#member", table=d.table, code=Name("recoding", f"code_{d.position}"))
        for d in star.dimensions
    ]
    if identities.holds:
        if source is not identities.read:
            identities.store.create(TEXTS, _texts(identities, source))
        members.append(Statement("companions/refresh/story#text", texts=TEXTS))
    kept = identities.kept_of_ended
    ended = (
        [Statement("companions/refresh/story#ended", columns=columns(kept), story=STORY, fates=FATES)] if kept else []
    )
    return Statement(
        "companions/refresh/story",
        values=columns(map(As, (_text(*d.table.parts, "value") for d in star.dimensions), names("value", count))),
        levels=columns(names("level", count, "recoding")),
        cells=columns([*cells, *under(identities.texts.values(), "texts")]),
        identity=columns(under(identities.key, "recoding")),
        mapping=MAPPING,
        members=lines(members),
        ended=lines(ended),
    )


def _text(*column: str) -> Statement:
    return Statement("store/text", column=Name(*column))
