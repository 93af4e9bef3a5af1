"""Rows deleted from a source but still shown in its release, until k rows of their class can go together.

So a reader of several releases finds no group of fewer than k rows that went, or stayed, together. A row returns, or a
new version of it is shown, only if at least k rows share all of its kept cells, and at least k share each of them.
Otherwise it would be recognized.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from starcloak.base.column import Column
from starcloak.base.errors import JobError
from starcloak.companions.refresh.recount import Departures
from starcloak.job import Job
from starcloak.releases.recodings.saved_recodings import About, Recoded
from starcloak.star.recoding.recoding import cell as text_of
from starcloak.star.star import Star
from starcloak.statements.statement import (
    As,
    Hole,
    Joined,
    Name,
    Statement,
    Type,
    columns,
    conditions,
    lines,
    union_all,
)
from starcloak.store.session import Session
from starcloak.store.source import Source

_BEFORE, _THERE, _GONE, _HELD, _CELLS = (
    Name(f"hold_{what}") for what in ("before", "there", "departures", "held", "cells")
)
_ROW = Name("row")


@dataclass(frozen=True)
class Holding:
    """The ``source`` with its held ``rows``, and the source as ``read``. ``before`` is true if there was a release."""

    source: Source
    read: Source
    hash: Hole
    attributes: int
    before: bool
    rows: int = 0

    @property
    def columns(self) -> dict[str, str]:
        """The released columns with their types."""
        return {column.name: column.type for column in self.read.released}

    @property
    def _kept(self) -> Sequence[Name]:
        return _numbered_names("kept", len(self.read.kept))

    @property
    def shown_before(self) -> Name:
        """The rows shown by the last release."""
        return _BEFORE

    def still(self) -> Statement:
        """The shown cells of earlier rows that do not go."""
        return Statement(
            "companions/refresh/hold#still",
            values=columns(_numbered_names("value", self.attributes)),
            levels=columns(_numbered_names("level", self.attributes)),
            departures=_GONE,
        )

    def without_barred(self, pool: Statement) -> Statement:
        """The pool without rows that would reveal held or deleted rows. The statement takes k."""
        those: dict[str, Hole] = {"before": _BEFORE, "departures": _GONE, "source": _THERE}
        barred = union_all(
            [Statement("companions/refresh/hold#barred", **those, cell=cell) for cell in (_ROW, *self._kept)]
        )
        return Statement(
            "companions/refresh/hold#pool",
            pool=Statement("store/relation#nested", rows=pool),
            barred=Statement("store/relation#nested", rows=barred),
        )

    def show(self, store: Session, star: Star, statement: Statement) -> Statement:
        """The shown rows with their cells, for the next release: with their texts, and their kept cells."""
        store.create(
            _CELLS,
            Statement(
                "companions/refresh/hold#cells",
                columns=columns([As(self.hash, _ROW), *_kept_texts(self.source)]),
                source=self.source.relation,
            ),
        )
        reads = [As(text_of(d, "recoding", ()), Name(f"cell_{d.position}")) for d in star.dimensions]
        kept = [Name("kept", *name.parts) for name in self._kept]
        gone = (
            Statement(
                "companions/refresh/hold#gone", columns=columns([_ROW, *self._kept]), before=_BEFORE, departures=_GONE
            )
            if self.before
            else Statement("companions/refresh/hold#nobody")
        )
        return Statement(
            "companions/refresh/hold#shown",
            shown=Statement("store/relation#nested", rows=statement),
            columns=columns([*reads, *kept]),
            members=lines(
                Statement("companions/refresh/refresh#member", table=d.table, value=Name(f"value_{d.position}"))
                for d in star.dimensions
            ),
            kept=_CELLS,
            gone=Statement("store/relation#nested", rows=gone),
        )

    def departures(self, now: Name, k: int) -> Departures | None:
        """The verifier's recount, if there was an earlier release. ``now`` has the rows shown now."""
        if not self.before:
            return None
        there = Statement("companions/refresh/departures#rows", hash=self.hash, source=self.read.relation)
        return Departures(_BEFORE, now, there, self.attributes, k)


def hold(store: Session, job: Job, opened: Source, before: Recoded | None, hashed: Hole) -> Holding:
    """Decide which rows go, and add the held rows to the source. ``hashed`` distinguishes rows by their kept cells.

    Raises :class:`JobError` if a row could not be shown unchanged.
    """
    _refuse(job, opened, before)
    attributes = len(opened.quasi_identifiers)
    if before is None:
        return Holding(opened, opened, hashed, attributes, before=False)
    assert before.shown is not None
    before.shown.into(store, _BEFORE)
    values, cells = _numbered_names("value", attributes), _numbered_names("cell", attributes)
    texts = (As(_text(column.name), name) for column, name in zip(opened.quasi_identifiers, values, strict=True))
    store.create(
        _THERE,
        Statement(
            "companions/refresh/hold#rows",
            values=columns(texts),
            columns=columns([As(hashed, _ROW), *_kept_texts(opened)]),
            source=opened.relation,
        ),
    )
    holes: dict[str, Hole] = {
        "before": _BEFORE,
        "source": _THERE,
        "match": conditions(
            Statement("store/same", one=Name("before", *value.parts), other=Name("source", *value.parts))
            for value in values
        ),
        "class": Joined((Name("turn"), *cells), ", "),
        "order": Joined((*values, _ROW, Name("lower")), ", "),
        "going": Statement("companions/refresh/hold#going"),
    }
    store.create(_GONE, Statement("companions/refresh/hold", **holes), {"k": job.k})
    names = {
        column: name
        for those, kind in ((opened.quasi_identifiers, "value"), (opened.kept, "kept"))
        for column, name in zip(those, _numbered_names(kind, len(those)), strict=True)
    }
    held_rows = store.create(_HELD, as_they_were({column: names[column] for column in opened.released}, _GONE))
    if not held_rows:
        return Holding(opened, opened, hashed, attributes, before=True)
    source = beside(opened, opened.released, _HELD, held_rows)
    return Holding(source, opened, hashed, attributes, before=True, rows=held_rows)


def as_they_were(texts: Mapping[Column, Name], departures: Name) -> Statement:
    """The held rows, with cells of the source's types from their ``texts``."""
    cells = (
        As(Statement("companions/refresh/hold#as_it_was", text=text, type=Type(column.type)), Name(column.name))
        for column, text in texts.items()
    )
    return Statement("companions/refresh/hold#held", columns=columns(cells), departures=departures)


def beside(source: Source, those: Sequence[Column], held_rows: Name, rows: int) -> Source:
    """The source, with the columns ``those``, and its held ``rows``."""
    named = columns(Name("source", column.name) for column in those)
    relation = Statement("companions/refresh/hold#source", columns=named, source=source.relation, held=held_rows)
    count = None if source.rows is None else source.rows + rows
    return replace(source, relation=relation, rows=count, identifiers=())


def refuse_job(job: Job, *, framed: bool) -> None:
    """Refuse a job with rows that could not be shown unchanged later. Raises :class:`JobError`."""
    if framed:
        raise JobError("departures: a row that a data frame lacks cannot be held: write it to a file, or say tell")
    if job.columns_beside:
        raise JobError(
            "departures: a hierarchy reads columns of the source, which a row that is held has no more: declare it "
            "otherwise, or say tell"
        )


def refuse_lost(opened: Source) -> None:
    """Refuse columns with cells that could not be shown unchanged later. Raises :class:`JobError`."""
    for column in (*opened.released, *opened.persons):
        if not (column.is_text or column.is_plain or column.is_float):
            raise JobError(
                f"departures: column {column.name!r} is of type {column.kind}, whose cells cannot be held as texts: "
                f"cast it in {opened.mended_in}, or say tell"
            )


def _refuse(job: Job, opened: Source, before: Recoded | None) -> None:
    refuse_lost(opened)
    if before is None:
        return
    if before.about.columns != {column.name: column.type for column in opened.released}:
        raise JobError(
            "departures: the last release did not hold rows, or has other columns: release afresh by refresh: first"
        )
    refuse_other_k(before.about, job)


def refuse_other_k(about: About, job: Job) -> None:
    """Refuse a last release with smaller classes than the job requires."""
    if about.k is not None and about.k < job.k:
        raise JobError(
            f"departures: the last release has classes of fewer than k = {job.k}: release afresh by refresh: first"
        )


def _numbered_names(kind: str, count: int) -> Sequence[Name]:
    return [Name(f"{kind}_{number}") for number in range(1, count + 1)]


def _kept_texts(source: Source) -> Sequence[Hole]:
    names = _numbered_names("kept", len(source.kept))
    return [
        As(Statement("companions/refresh/hold#kept", text=_text(column.name)), name)
        for column, name in zip(source.kept, names, strict=True)
    ]


def _text(column: str) -> Statement:
    return Statement("store/text", column=Name("source", column))
