"""A new release of a changed source: shown rows stay unchanged, and new rows form classes of their own or wait.

A row is recognized by its released cells: two rows alike in all of them are the same to everybody. If rows are only
added, a reader of several of these releases finds groups of k or more rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from starcloak.base.errors import HierarchyError, JobError, RequirementError
from starcloak.companions.refresh.proposed import Refreshed
from starcloak.job import Job
from starcloak.job.result import Refreshing, Search, search_of
from starcloak.releases import manifest
from starcloak.releases.manifest import Inputs
from starcloak.releases.proposal import Proposal
from starcloak.releases.recodings import saved_recodings
from starcloak.releases.recodings.saved_recodings import About, Recoded
from starcloak.releases.run import Run
from starcloak.releases.targets.target import Target
from starcloak.search.algorithm import SearchContext, search
from starcloak.search.sweep.settings import Sweep, Swept
from starcloak.star import column_reading, frequency_sets, star_builder
from starcloak.star.recoding.local import Local
from starcloak.star.recoding.mapped import MAPPING
from starcloak.star.recoding.recoding import RECODING, Model, other_names, summary
from starcloak.star.recoding.recoding import cell as text_of
from starcloak.star.star import Star
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, Type, columns, conditions, lines
from starcloak.store import staging
from starcloak.store.relations import STAR
from starcloak.store.session import Session
from starcloak.store.source import Source
from starcloak.store.tables import WHOLE

if TYPE_CHECKING:
    from starcloak.companions.refresh.retained_rows import Holding

SHOWN, ROWS, STAY, POOL, NEW = (Name(f"refresh_{what}") for what in ("shown", "rows", "stay", "pool", "new"))
_THERE, _FACTS = Name("refresh_there"), Name("refresh_facts")
_AFRESH = "refresh: first"
_NO_CELLS = Number(0)
#: New rows wait if they would lose this many times the loss of the staying rows.
_DEARER = 2


@dataclass(frozen=True)
class RefreshedRecoding(Local):
    """A local recoding in which rows of a tuple went to classes at different times. The hash ``row`` distinguishes
    them.
    """

    row: Hole = _NO_CELLS

    model: ClassVar[Model] = "local"
    parts_in: ClassVar[tuple[str, ...]] = ("turn",)

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
            match=conditions(
                same(Name("mapping", f"code_{d.position}"), Name(*d.table.parts, "code")) for d in self.star.dimensions
            ),
            shuffled=self._shuffle(source),
        )

    @property
    def _mapped(self) -> list[tuple[str, Type]]:
        whole = [f"{kind}_{d.position}" for kind in ("code", "level") for d in self.star.dimensions]
        return [(name, WHOLE) for name in (*whole, "row", "turn", "lower", "upper")]

    def maps(self, source: Source) -> Joined:
        """The joins of a source to its dimensions."""
        return self._maps(source)


def about_before(store: Session, target: Target) -> About | None:
    """The description of the last release in a place, whose rows should be kept. None if neither the place nor the
    custodian's folder has a release.

    Raises :class:`JobError` if there was a release with unknown rows: recipients may have it.
    """
    about, runs = saved_recodings.of_place(saved_recodings.place_of(target)), target.runs_known()
    before = manifest.known_result(target, [])
    if about is None and before is None and not runs and target.origin_before(store) is None:
        return None
    if about is None or not about.refreshable:
        raise _unknown(target, "nothing is kept of it here" if about is None else _why(about))
    if about.origin != target.origin:
        raise _unknown(target, "it is of another source")
    last_run = target.run_before() or next(iter(runs), "") or ("" if before is None else before.run)
    if not last_run:
        raise _unknown(target, "it is not there, and no ledger or manifest names it")
    if not about.run.startswith(last_run[: staging.RUN]):
        raise _unknown(target, "only what one before it has is kept here")
    return about


def last(store: Session, target: Target) -> Recoded | None:
    """The rows shown by the last release in a place. None without a release; raises as :func:`about_before` does."""
    about = about_before(store, target)
    if about is None:
        return None
    before = manifest.known_result(target, store.warnings)
    recoding = saved_recodings.read(about)
    if recoding is None:
        raise _unknown(target, _why(about))
    digest = about.digest or (before.hashes.release if before else None)
    if target.origin_before(store) is not None and (digest is None or target.digest(store, staged=False) != digest):
        raise _unknown(target, "it is not what was last published there, as far as is known here")
    return recoding


def release_before(run: Run) -> Recoded | None:
    """The release continued by a refresh, or None for the first. Raises :class:`JobError` if it cannot be
    continued.
    """
    store, job, target = run.store, run.job, run.goal
    before = None if job.refresh == "first" else last(store, target)
    if before is not None:
        _refuse_other(before, job, run.source, run.inputs)
    return before


def refuse_memory(target: Target) -> None:
    """Refuse to refresh a release that stays in memory."""
    if not target.lasts:
        raise JobError("refresh: a release that stays in memory is not there to be refreshed: give an output")


def _why(about: About) -> str:
    """The reason why the shown rows of the last described release are unknown."""
    return about.lost or (saved_recodings.UNREADABLE if about.refreshable else "it was released without refresh")


def _unknown(target: Target, why: str) -> JobError:
    return JobError(
        f"refresh: what the last release in {target.label} has shown is not known: {why}; run where it is known "
        f"($XDG_STATE_HOME), or release afresh by {_AFRESH}"
    )


def propose(run: Run) -> Refreshed:
    """Propose a refresh: classes of the last release that stay, and new classes for other rows, unless they wait."""
    store, job, opened, clock = run.store, run.job, run.source, run.clock
    before = release_before(run)
    holding = None
    if job.departures == "hold":
        from starcloak.companions.refresh.retained_rows import hold

        holding = hold(store, job, opened, before, hash_of(opened))
        if holding.rows:
            opened = holding.source
            frequency_sets.compress(store, opened)
    with clock.stage(store, "star"):
        built = star_builder.build(store, opened, job)
    with clock.stage(store, "search"), store.ending.searching() as stop:
        turn, first = _survivors(store, job, opened, built, before, holding)
        pool = _pool(store, built, job.k, holding)
        demand = job.required.joint([d.attribute for d in built.dimensions])
        summary = search_of(built.lattice_nodes, nothing_told())
        create_nobody(store, built)
        if pool >= demand.least_rows:
            facts = replace(built, rows=pool, combinations=_size(store, _FACTS), facts=_FACTS)
            context = SearchContext(
                job.seed, job.objective, opened.label, False, stop, partial(clock.stage, store), True
            )
            limit = dearest_of(store, job, built, first=first)
            try:
                summary = search_pool(facts, job, context, limit, first=first)
                _admit(store, built, limit=limit)
            except RequirementError:  # no class can have any of them: all wait
                if first:
                    raise
        store.create(MAPPING, mapping_of(built), {"turn": turn})
        chosen = recode(store, job, built, turn, hash_of(opened))
        shown_now = _show(store, built, holding)
    before_all = holding.shown_before if holding is not None and holding.before else SHOWN
    stayed, new, shown_rows = store.row(
        Statement("companions/refresh/refresh#counted", mapping=MAPPING, shown=before_all), {"turn": turn}
    )
    allowed = job.required.allowance(built.rows) if first else chosen.suppressed
    refreshing = Refreshing(
        stayed=stayed,
        new=new,
        waiting=chosen.suppressed,
        gone=shown_rows - stayed,
        held=0 if holding is None else holding.rows,
    )
    read = holding.read if holding is not None and holding.rows else opened
    return Refreshed(
        Proposal(opened, built, summary, chosen, allowed, read),
        refreshing,
        shown_now,
        about={} if holding is None else {"columns": holding.columns},
        departures=None if holding is None else holding.departures(shown_now, job.k),
    )


def refuse_other_job(about: About, job: Job) -> None:
    """Refuse an earlier release with other quasi-identifiers, or counted in another unit than that of the job."""
    if bool(about.chain) != bool(job.persons):
        counted = "persons, and this job has no person" if about.chain else "rows, and this job has person"
        raise JobError(f"refresh: the last release counts {counted}: name it as before, or release afresh by {_AFRESH}")
    if about.attributes != tuple(job.quasi_identifiers):
        raise JobError(f"refresh: the last release has other quasi-identifiers: release afresh by {_AFRESH}")


def _refuse_other(before: Recoded, job: Job, opened: Source, inputs: Inputs) -> None:
    """Refuse an earlier release with tuples of another meaning, or counted in another unit than this one."""
    refuse_other_job(before.about, job)
    _refuse_other_readings(before, job, opened)
    if before.about.hierarchies != inputs.hierarchies or None in inputs.hierarchies.values():
        raise HierarchyError(
            f"refresh: a hierarchy is not what the last release was made with: release afresh by {_AFRESH}"
        )


def _refuse_other_readings(before: Recoded, job: Job, opened: Source) -> None:
    """Refuse an earlier release with cells of a column cleaned or typed differently: its rows could not be
    recognized.
    """
    readings = column_reading.of(job, opened.released)
    for name, before_ in before.about.readings.items():
        now = readings.get(name)
        if now is None or now == before_:
            continue
        otherwise = "of another type" if now.cleaning == before_.cleaning else "cleaned otherwise"
        raise JobError(
            f"refresh: {name!r} is {otherwise} than in the last release, whose rows would not be known again: read it "
            f"as before, or release afresh by {_AFRESH}"
        )


def _show(store: Session, star: Star, holding: Holding | None) -> Name:
    """Create the relation of shown rows with their cells, for the next refresh."""
    relations = Name("refresh_shown_now")
    statement = Statement(
        "companions/refresh/refresh#shown",
        values=columns(
            As(Statement("store/text", column=Name(*d.table.parts, "value")), Name(f"value_{d.position}"))
            for d in star.dimensions
        ),
        levels=columns(Name("mapping", f"level_{d.position}") for d in star.dimensions),
        mapping=MAPPING,
        members=lines(
            Statement(
                "star/recoding/single_dimension#member", table=d.table, code=Name("mapping", f"code_{d.position}")
            )
            for d in star.dimensions
        ),
    )
    store.create(relations, statement if holding is None else holding.show(store, star, statement))
    return relations


def _survivors(
    store: Session, job: Job, opened: Source, star: Star, before: Recoded | None, holding: Holding | None
) -> tuple[int, bool]:
    """Create the relations of staying rows and of the pool. Returns the refresh's number, and whether it is the
    first.
    """
    dimensions = star.dimensions
    codes = [Name(f"code_{d.position}") for d in dimensions]
    levels = [Name(f"level_{d.position}") for d in dimensions]
    _create_shown(store, star, levels, before, holding)
    whole = RefreshedRecoding(star, job.seed, 0, tuple((0,) for _ in dimensions))
    (row,) = other_names(opened, "row")
    leaves = columns(As(Name(*d.table.parts, "code"), code) for d, code in zip(dimensions, codes, strict=True))
    store.create(
        ROWS,
        Statement(
            "companions/refresh/refresh#rows",
            codes=leaves, row=row, hash=hash_of(opened), source=opened.relation, maps=whole.maps(opened)
        ),
    )  # fmt: skip
    cells = [Name(f"cell_{d.position}") for d in dimensions]
    store.create(
        _THERE,
        Statement(
            "companions/refresh/refresh#there",
            codes=leaves,
            levels=columns(Name("recoding", *level.parts) for level in levels),
            cells=columns(As(text_of(d, "recoding", ()), cell) for d, cell in zip(dimensions, cells, strict=True)),
            shown=SHOWN,
            members=lines(
                Statement("companions/refresh/refresh#member", table=d.table, value=Name(f"value_{d.position}"))
                for d in dimensions
            ),
            rows=ROWS,
            match=conditions(
                same(Name("rows", *code.parts), Name(*d.table.parts, "code"))
                for d, code in zip(dimensions, codes, strict=True)
            ),
        ),
    )
    store.create(
        STAY,
        Statement(
            "companions/refresh/refresh#stay",
            codes=_list(codes),
            levels=_list(levels),
            cells=_list(cells),
            there=_THERE,
        ),
        {"k": job.k},
    )
    (number,) = store.row(Statement("companions/refresh/refresh#last", shown=SHOWN))
    return number + 1, before is None


def _create_shown(
    store: Session, star: Star, levels: Sequence[Name], before: Recoded | None, holding: Holding | None
) -> None:
    """Create the relation of the values and levels shown by the last release; it is empty before the first one."""
    if before is None:
        store.create(
            SHOWN,
            Statement(
                "companions/refresh/refresh#nothing",
                values=columns(
                    As(Statement("companions/refresh/refresh#no_value"), Name(f"value_{d.position}"))
                    for d in star.dimensions
                ),
                levels=columns(As(Statement("companions/refresh/refresh#zero"), level) for level in levels),
            ),
        )
    elif holding is not None:
        store.create(SHOWN, holding.still())
    else:
        assert before.shown is not None
        incoming = Name("incoming")
        lines_of = Statement("store/relation", relation=incoming)
        if before.about.columns:  # it held rows, which go now
            values = [Name(f"value_{d.position}") for d in star.dimensions]
            lines_of = Statement("companions/refresh/hold#lines", columns=columns([*values, *levels]), shown=incoming)
        store.receive(SHOWN, incoming, before.shown.reader(), lines_of)


def _pool(store: Session, star: Star, k: int, holding: Holding | None) -> int:
    """Create the pool and its facts; returns how many rows it has."""
    codes = [Name(f"code_{d.position}") for d in star.dimensions]
    everything = Statement(
        "companions/refresh/refresh#pool",
        codes=columns(Name("rows", *code.parts) for code in codes),
        rows=ROWS,
        stay=STAY,
        kept=columns(codes),
        match=conditions(same(Name("stay", *code.parts), Name("rows", *code.parts)) for code in codes),
    )
    if holding is not None and holding.before:
        store.create(POOL, holding.without_barred(everything), {"k": k})
    else:
        store.create(POOL, everything)
    store.create(
        _FACTS,
        Statement(
            "companions/refresh/refresh#facts",
            star=STAR,
            pool=POOL,
            codes=columns(codes),
            match=conditions(
                same(Name("star", *d.column(0).parts), Name("pool", *code.parts))
                for d, code in zip(star.dimensions, codes, strict=True)
            ),
        ),
    )
    rows, *_ = store.row(Statement("star/frequency/size", frequency=_FACTS))
    return int(rows or 0)


def _size(store: Session, facts: Name) -> int:
    _, combinations, _ = store.row(Statement("star/frequency/size", frequency=facts))
    return int(combinations)


def dearest_of(store: Session, job: Job, star: Star, *, first: bool) -> Decimal:
    """The highest mean loss of a new row's cells (0 … 1), by the loss of the staying rows. Rows above it wait."""
    assert isinstance(job.algorithm, Sweep)
    if first:  # the sweep suppresses as many rows as it may
        return Decimal(1)
    if job.algorithm.dearest < 1:
        return job.algorithm.dearest
    (loss,) = store.row(Statement("companions/refresh/refresh#loss", **losses_of(star), recoding=STAY))
    return min(Decimal(1), Decimal(round(_DEARER * (loss or 0) / len(star.dimensions), 6)))


def losses_of(star: Star) -> dict[str, Hole]:
    """The holes that compute the loss of a recoding's cells."""
    shares = [Name(f"share_{d.position}") for d in star.dimensions]
    return {
        "losses": Joined(
            tuple(Statement("companions/refresh/refresh#loss_of", share=share) for share in shares), " + "
        ),
        "shares": lines(
            Statement(
                "companions/refresh/refresh#share",
                share=share,
                generalization=star.generalization,
                dimension=Number(d.position),
                code=Name(f"code_{d.position}"),
                level=Name(f"level_{d.position}"),
            )
            for d, share in zip(star.dimensions, shares, strict=True)
        ),
    }


def search_pool(pool: Star, job: Job, context: SearchContext, limit: Decimal, *, first: bool) -> Search:
    """Recode the pool. In a first release the job limits the suppressed rows; later, rows above the limit of loss
    wait.
    """
    assert isinstance(job.algorithm, Sweep)
    settings = job.algorithm if first else job.algorithm.model_copy(update={"dearest": limit})
    may_wait = job.required if first else replace(job.required, suppression=Decimal(1))
    return search(pool, may_wait.over(pool.domains), settings, context).told


def create_nobody(store: Session, star: Star, *extra_tables: Name) -> None:
    """Create the relation of the recoded pool for a pool that waits whole. ``extra_tables`` distinguishes rows of a
    tuple.
    """
    names = [Name(f"{kind}_{d.position}") for kind in ("code", "level") for d in star.dimensions]
    store.create(
        NEW, Statement("companions/refresh/refresh#nobody", columns=columns([*extra_tables, *names]), stay=STAY)
    )


def _admit(store: Session, star: Star, *, limit: Decimal) -> None:
    """Create the relation of the recoded pool, without waiting rows."""
    holes: dict[str, Hole] = {
        "codes": columns(Name("recoding", f"code_{d.position}") for d in star.dimensions),
        "levels": columns(Name("recoding", f"level_{d.position}") for d in star.dimensions),
        "recoding": RECODING,
        **losses_of(star),
    }
    # Sums of shares are not exact: a cost equal to the limit is not above it.
    most = float(limit) * len(star.dimensions) + 1e-9
    store.create(NEW, Statement("companions/refresh/refresh#new", **holes), {"dearest": most})


def mapping_of(star: Star, *extra_tables: Name) -> Statement:
    """The recoding of staying and new rows. ``extra_tables`` distinguishes rows of a tuple."""
    codes = [*(Name(f"code_{d.position}") for d in star.dimensions), *extra_tables]
    return Statement(
        "companions/refresh/refresh#mapping",
        codes=columns(codes),
        levels=columns(Name(f"level_{d.position}") for d in star.dimensions),
        stay=STAY,
        pooled=columns(Name("pool", *code.parts) for code in codes),
        new=NEW,
        pool=POOL,
        match=conditions(same(Name("new", *code.parts), Name("pool", *code.parts)) for code in codes),
    )


def recode(store: Session, job: Job, star: Star, turn: int, row: Hole) -> RefreshedRecoding:
    """Create the relation ``recoding`` from ``mapping``: staying and new rows. ``row`` distinguishes rows of a
    tuple.
    """
    dimensions = star.dimensions
    codes, levels = [Name(f"code_{d.position}") for d in dimensions], [Name(f"level_{d.position}") for d in dimensions]
    leaves = (As(Name("star", *d.column(0).parts), code) for d, code in zip(dimensions, codes, strict=True))
    recoding: dict[str, Hole] = {
        "codes": columns(codes),
        "levels": columns(levels),
        "mapping": MAPPING,
        "star": STAR,
        "leaves": columns(leaves),
        "zeros": columns(As(Statement("companions/refresh/refresh#zero"), level) for level in levels),
        "match": conditions(
            same(Name("shown", *code.parts), Name("star", *d.column(0).parts))
            for d, code in zip(dimensions, codes, strict=True)
        ),
    }
    store.drop(RECODING)  # that of the pool is a temporary table, which would hide another one
    store.create(RECODING, Statement("companions/refresh/refresh#recoding", **recoding), {"turn": turn})
    return RefreshedRecoding(star, job.seed, *summary(star), row=row)


def hash_of(source: Source, *extra_cells: Hole) -> Hole:
    """Hash of the kept cells of a row, and of cells ``extra_cells``."""
    if not (source.kept or extra_cells):
        return _NO_CELLS
    cells = tuple(Statement("companions/refresh/refresh#cell", cell=cell) for cell in (*extra_cells, *source.cells))
    return Statement("companions/refresh/refresh#hash", cells=Joined(cells, " || "))


def same(first: Name, second: Name) -> Statement:
    """The condition for two equal codes."""
    return Statement("star/recoding/recode#match", one=first, other=second)


def _list(names: Sequence[Name]) -> Joined:
    return Joined(tuple(names), ", ")


def nothing_told() -> Swept:
    """The search details of a refresh without a search."""
    return Swept.model_validate(dict.fromkeys(Swept.model_fields, 0))
