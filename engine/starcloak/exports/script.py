"""Export of a release as an SQL script: run in the database's own client, the script makes the release again."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from starcloak.base.column import Column
from starcloak.base.errors import OutputError, StatementError, unread
from starcloak.job import Job
from starcloak.privacy.model import Model, ReleasedClasses, ScriptRecount, SensitiveValues, compares_with_source
from starcloak.releases.targets.target import Target
from starcloak.star import fingerprint
from starcloak.star.recoding.recoding import Recoding
from starcloak.statements.statement import (
    As,
    Constants,
    Hole,
    Joined,
    Name,
    Number,
    Statement,
    columns,
    conditions,
    heading,
)
from starcloak.store.databases.host import Host, columns_of
from starcloak.store.session import Session
from starcloak.store.source import SOURCE, Source
from starcloak.store.tables import TEXT, TRUTH, WHOLE, Table

if TYPE_CHECKING:
    import pyarrow
    from numpy.typing import NDArray

# Of the script's own names, which stand beside those of the user's database.
_PREFIX = "starcloak_"
_LONGEST_NAME, _MARK = 63, 16  # bytes that PostgreSQL has, MariaDB 64; characters of a hash that distinguish names
NO_REFERENCE = "requirement.reference: source: a script can compare classes only with its release: use run"
NO_POPULATION = "requirement.population: a script cannot count the people of a population: use run"
NO_JOINED_ROWS = "requirement.joined_rows: a script cannot join the rows of persons: use run"
NO_SETS = "person: a script cannot compare the rows of persons as sets: use run, or give person: COLUMN without as"
_TOGETHER = 10_000  # rows of constants in a statement, at most
_LONGEST = 1_000_000  # bytes of their texts in a statement, unless one row has more: clients send no longer ones


@dataclass(frozen=True)
class _Filled:
    """A table created and filled by a script.

    ``created`` is the statement to create the table. ``rows`` has an array per column, or is None if the script needs
    only the ``fingerprint`` of the rows. For a database with a view of constants in place of the table, ``cells`` casts
    the constants to the types of the columns.
    """

    name: Name
    created: str
    rows: Mapping[str, NDArray[Any]] | None
    fingerprint: str
    dialect: str
    cells: Joined | None = None

    def texts(self) -> Iterator[str]:
        """Yield the statements to create and fill the table, with rows in sorted order. Requires ``rows``."""
        import pyarrow

        assert self.rows is not None
        rows = pyarrow.table({name: pyarrow.array(values) for name, values in self.rows.items()})
        rows = rows.sort_by([(name, "ascending") for name in rows.column_names])
        if self.cells is not None and len(rows):
            holes: dict[str, Hole] = {"table": self.name, "cells": self.cells, "rows": Constants(rows)}
            names = Joined(tuple(map(Name, rows.column_names)), ", ")
            yield _with_end(Statement("releases/script#filled", **holes, names=names), self.dialect)
            return
        yield self.created
        for share in _shares(rows):
            yield _with_end(Statement("releases/script#fill", table=self.name, rows=Constants(share)), self.dialect)


@dataclass(frozen=True)
class _Sealed:
    """A recount with the fingerprint of the source's rows. ``plain`` is the recount without it.

    A run that keeps no script computes no such fingerprint, and has the same hash of its statements.
    """

    text: str
    plain: str


@dataclass(frozen=True)
class Script:
    """The SQL script of a release, as parts; :meth:`text` formats the rows of its tables.

    ``keeps_line_ends`` is false if the database's client changes carriage returns or NULs. ``refusal`` is the reason
    why the release has no script, or None.
    """

    parts: tuple[str | _Filled | _Sealed, ...]
    keeps_line_ends: bool = True
    refusal: str | None = None

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the script's statements and of the fingerprints of its tables' rows."""
        plain = [part.plain if isinstance(part, _Sealed) else part for part in self.parts]
        contents = [[part.created, part.fingerprint] if isinstance(part, _Filled) else part for part in plain]
        return fingerprint.text(json.dumps(contents))

    def text(self) -> str:
        """Return the whole script.

        Raises :class:`OutputError` for a refusal, and for text that the client would change.
        """
        if self.refusal is not None:
            raise OutputError(self.refusal)
        parts = [part.text if isinstance(part, _Sealed) else part for part in self.parts]
        written = "".join(part for part in parts if isinstance(part, str))
        if not self.keeps_line_ends and re.search(r"\r\n|\0", written):
            raise OutputError(
                "a name or the query has a NUL or a carriage return before the end of a line, which clients of "
                "databases change: use run in place of a script, or rename in the query"
            )
        texts = (text for part in parts for text in ([part] if isinstance(part, str) else part.texts()))
        return "\n\n".join(texts) + "\n"


def write(
    job: Job, source: Source, recoding: Recoding, target: Target, *, keep_rows: bool = True, sealed: bool = True
) -> Script:
    """Make the script of a release: source, dimension tables, suppression or mapping, release, recount, publication.

    With ``keep_rows`` false, only the fingerprint of the text is made, not the text with all rows of the tables.

    If the source has changed since the search, the recount ends the script with an error. Then nothing is published,
    even if the client goes on. A change within the rows is recognized by their fingerprint, if the database has one and
    the script is ``sealed``; else by the counts of rows and classes alone. The script is for the custodian of the
    source alone: it contains the source's values of the quasi-identifiers.
    """
    if (refusal := uncounted(job) or (NO_SETS if job.as_set else None)) is not None:
        return Script(("\n".join(preamble(job, source, recoding)),), refusal=refusal)
    # Names of their own, lest a table of the database be meant or shadowed.
    table, release, recounted = (_own(source.host, name) for name in ("source", "release", "recounted"))
    tables = recoding.tables(source)
    names = {needed.name: _own(source.host, needed.name.parts[0]) for needed in tables}
    rows = recoding.elsewhere(names).release(replace(source.private, relation=table, frame=None))
    checked = Statement("store/relation", relation=release)
    if source.persons:  # columns that identify persons stay where the script runs
        checked = recoding.project(replace(source, frame=None), release)
    host, dialect = source.host, source.host.dialect
    statements = [Statement("store/kept_rows", name=release, rows=rows)]
    counted, relations = recounts(job, source, recoding, release, source=table), [table, *names.values(), release]
    compared = counted
    if sealed and keep_rows and target.is_written_by(host) and not source.is_home:
        compared = recounts(job, source, recoding, release, source=table, changed=changed(source, table))
    if host.goes_on:
        relations.append(recounted)
        statements.append(Statement("releases/recount#recounted"))
    published = _published(host, target, checked, counted, k=job.k)
    sealed_ones = _published(host, target, checked, compared, k=job.k)
    statements += target.refusals()
    parts: list[str | _Filled | _Sealed] = ["\n".join(preamble(job, source, recoding)), *host.script_begins]
    parts += (f"{setting};" for setting in host.settings)
    parts += (_with_end(statement, dialect) for statement in target.opening())
    # Where nothing that makes tables is undone, each statement is whole by itself.
    parts += ["begin transaction;"] if host.transactional else []
    parts += [_with_end(Statement("releases/script#builtins"), dialect)] if host.has_macros else []
    has_left = (host.goes_on or host.transactional) and not host.tables_end
    left = (Statement("releases/script#forget", table=table) for table in relations if has_left)
    parts += (_with_end(statement, dialect) for statement in left)
    parts.append(_with_end(Statement("store/kept_rows", name=table, rows=source.portable), dialect))
    parts += (f"{command};" for command in host.source_read)
    parts += (_fill(needed, names[needed.name], recoding.star.session, source.host, keep_rows) for needed in tables)
    parts += (_with_end(statement, dialect) for statement in statements)
    for text, plain in zip([*compared, *sealed_ones], [*counted, *published], strict=True):
        parts.append(_Sealed(_with_end(text, dialect), _with_end(plain, dialect)))
    parts += ["commit;"] if host.transactional else []
    return Script(tuple(parts), host.keeps_line_ends)


def _published(
    host: Host, target: Target, checked: Statement, recounts: Sequence[Statement], *, k: int
) -> list[Statement]:
    """Statements to publish the release ``checked``; if the host recounts again, they contain the recounts, too."""
    if host.recounts_again:
        repeated = (Statement("releases/recount#again", recount=recount) for recount in recounts)
        checked = Statement("releases/recount#guarded", release=checked, recounts=conditions(repeated))
    return target.script(checked, recounts=len(recounts), k=k)


def uncounted(job: Job) -> str | None:
    """Return the reason why a script cannot recount the job's requirement; None if it can recount all of it."""
    if any(map(compares_with_source, job.requirement.models)):
        return NO_REFERENCE
    if job.required.of_population:
        return NO_POPULATION
    for model in job.requirement.models:
        if not isinstance(model, ScriptRecount):
            return f"requirement.{model.key}: a script cannot count this model again: use run"
    return None if job.requirement.joined_rows is None else NO_JOINED_ROWS


def _own(host: Host, name: str) -> Name:
    """Name of a script's table: prefixed, and shortened with a hash to the 63 bytes permitted by every database."""
    own = f"{_PREFIX}{name}".encode()
    if len(own) > _LONGEST_NAME:
        mark = f"_{hashlib.sha256(own).hexdigest()[:_MARK]}"
        own = own[: _LONGEST_NAME - len(mark)].decode(errors="ignore").encode() + mark.encode()
    return Name(*host.script_tables, own.decode())


def refuse_two_places(host: Host, target: Target) -> None:
    """Raise OutputError if no single database client can both read the source's rows and write the release."""
    if not target.is_written_by(host):
        raise _of_two_places(target)


def refuse_home(source: Source, target: Target) -> None:
    """Raise OutputError if no database client can read the source's rows, or if the release is in another database."""
    refuse_two_places(source.host, target)
    if source.is_home:
        raise _of_two_places(target)


def _of_two_places(target: Target) -> OutputError:
    return OutputError(
        f"a script runs in one database, and the source is not in the database of {target.label}: use run"
    )


def _with_end(statement: Statement, dialect: str) -> str:
    """Text of a statement with its terminator; a MariaDB block contains semicolons, so its terminator is ``//``."""
    text, head = statement.sql(dialect), heading(statement, dialect)
    return f"{head}delimiter //\n{text}\n//\ndelimiter ;" if text.startswith("begin not atomic") else f"{head}{text};"


def preamble(job: Job, source: Source, recoding: Recoding) -> list[str]:
    """Comment lines at the head of a script: the source, the recoding and the recounted requirement."""
    return [
        f"-- A release of {_line(source.label)}: {_line(recoding.described)}.",
        *(
            f"-- Before publication, the script counts that every class over {_line(', '.join(demand.attributes))} has "
            f"at least {demand.k} {'persons' if job.persons else 'rows'}."
            for demand in job.required.demands
        ),
        *(
            f"-- Before publication, the script counts that every class has {_line(model.described)}."
            for model in job.requirement.models
        ),
        "-- The script contains values of the source: protect it like the source.",
    ]


def changed(of: Source, relation: Name) -> Statement | None:
    """Condition on the script's table ``relation``: its rows are not those of the source ``of``, by their fingerprint.

    None if the database has no hash function for such a fingerprint. Reads the source. Raises :class:`SourceError`.
    """
    host = of.host
    if not host.fingerprints:
        return None
    cells = Joined(tuple(_fingerprinted(host, column) for column in (*of.released, *of.persons)), ", ")
    rows = Statement("releases/source_fingerprint", cells=cells)
    try:
        (made,) = host.row(
            Statement("releases/source_fingerprint#source", fingerprint=rows, source=As(of.relation, SOURCE))
        )
    except StatementError as error:
        raise unread(of.label, error.kind) from None
    return Statement("releases/recount#changed", fingerprint=rows, source=relation, made=Number(int(made)))


def _fingerprinted(host: Host, column: Column) -> Statement:
    name = Name(column.name)
    is_moment = not host.dialect and column.type in ("TIMESTAMP", "TIMESTAMP WITH TIME ZONE")
    exact = Statement("releases/source_fingerprint#moment", cell=name) if is_moment else host.exact(name, column)
    return Statement("releases/source_fingerprint#cell", cell=exact)


def recounts(
    job: Job, of: Source, recoding: Recoding, release: Name, *, source: Name, changed: Statement | None = None
) -> list[Statement]:
    """Statements to recount a script's release, one per demand (a quasi-identifier with its k) of the requirement.

    ``of`` is the job's source, ``source`` the script's table of its rows, ``release`` the script's table of released
    rows. The first statement has the condition ``changed``, too, if it is not None. If columns identify persons, the
    statements count persons. A privacy model of sensitive attributes then gets another statement per demand: this
    counts each value of a person once.
    """
    star = recoding.star
    same = Statement(
        "releases/recount#otherwise",
        released=Number(star.rows - recoding.suppressed),
        rows=Number(star.rows),
        source=source,
    )
    grouped: dict[str, Hole] = {
        column.name: Statement("verify/group", column=Name(column.name)) if column.is_text else Name(column.name)
        for column in (*of.released, *of.persons)
    }
    counted: list[Statement] = []
    texts = {column.name for column in of.released if column.is_text}
    for demand in job.required.demands:
        values, separate_models = Joined(tuple(map(Name, demand.attributes)), ", "), list[Model]()
        read = dict.fromkeys([*demand.attributes, *(name for model in demand.models for name in model.reads)])
        alike = [_alike(grouped[name], release) for name in read if of.host.typed_cells or name not in texts]
        released = ReleasedClasses(release, values, grouped, star.domains, star.rows, of.host.largest_product)
        if of.persons:
            separate_models = [model for model in demand.models if model.reads]
        others = [same] if changed is None or counted else [same, changed]
        counted.append(
            _recount([model for model in demand.models if model not in separate_models], released, *others, *alike)
        )
        for model in separate_models:
            names = dict.fromkeys([*model.reads, *(column.name for column in of.persons)])
            named = columns([*map(Name, demand.attributes), *(As(grouped[name], Name(name)) for name in names)])
            once = Statement("privacy/persons/script#once", columns=named, release=release)
            whose = Joined(tuple(Name(column.name) for column in of.persons), ", ")
            counted.append(_recount([model], replace(released, relation=once, persons=whose)))
    return counted


def _alike(column: Hole, release: Name) -> Statement:
    text = Statement("privacy/released#text", sensitive=column)
    return Statement("releases/recount#alike", column=column, text=text, release=release)


def _recount(models: Sequence[Model], counted: ReleasedClasses, *statement: Statement) -> Statement:
    named = [(model, Name(f"counted_{number}")) for number, model in enumerate(models, 1)]
    counted_columns = [column for model, name in named if (column := _recount_of(model).count(name)) is not None]
    classes: dict[str, Hole] = {
        "counts": Joined((Statement("releases/recount#class_size"), *counted_columns), ", "),
        "counted": counted.relation,
        "quasi_identifiers": counted.quasi_identifiers,
    }
    violated = Joined((*(_violated(model, name, counted) for model, name in named), *statement), " or ")
    return Statement("releases/recount", violated=violated, classes=Statement("releases/recount#classes", **classes))


def _violated(model: Model, name: Name, counted: ReleasedClasses) -> Hole:
    """SQL condition: an equivalence class violates a privacy model. Some models ignore rows with a missing value."""
    recount = _recount_of(model)
    if isinstance(model, SensitiveValues) and model.of_present:
        (attribute,) = model.reads
        holes = counted.holes(attribute)
        present = Statement("privacy/released#present", **{name: holes[name] for name in ("sensitive", "release")})
        there = replace(counted, relation=present)
        blank = [] if recount.count(name) is not None else [Statement("privacy/released#blank", **holes)]
        return Joined((recount.violation(name, there), *blank, *_shared(model, there)), " or ")
    return Joined((recount.violation(name, counted), *_shared(model, counted)), " or ")


def _recount_of(model: Model) -> ScriptRecount:
    assert isinstance(model, ScriptRecount)  # a script is refused for other models
    return model


def _shared(model: Model, counted: ReleasedClasses) -> Iterator[Statement]:
    """SQL condition: all persons of an equivalence class share a value. None for models indifferent to this."""
    if isinstance(model, SensitiveValues) and model.shared_is_only_value and counted.persons is not None:
        (attribute,) = model.reads
        yield Statement("privacy/persons/script#shared", **counted.holes(attribute), persons=counted.persons)


def _fill(table: Table, name: Name, session: Session, host: Host, keep_rows: bool) -> _Filled:
    created = _with_end(Statement("releases/script#create", table=name, columns=columns_of(table, host)), host.dialect)
    own = [Column(named, kind.text if kind in (TRUTH, WHOLE) else TEXT.text) for named, kind in table.columns]
    tables = fingerprint.rows_of(session, table.rows, own)
    cells = None
    if host.fills_by_views:
        typed = ((Name(named), host.type(kind.text)) for named, kind in table.columns)
        cells = columns(
            As(Statement("store/received#typed", column=column, type=kind), column) for column, kind in typed
        )
    rows = session.columns(table.rows) if keep_rows else None
    return _Filled(name, created, rows, tables, host.dialect, cells)


def _shares(rows: pyarrow.Table) -> Iterator[pyarrow.Table]:
    """Split rows into portions for one statement each, bounded by the number of rows and the bytes of their texts."""
    import numpy
    from pyarrow import compute, types

    sizes = numpy.zeros(len(rows), dtype=numpy.int64)
    for column in rows.columns:
        if types.is_string(column.type):
            sizes += compute.fill_null(compute.binary_length(column), 0).to_numpy()
    ends = numpy.cumsum(sizes)
    start = 0
    while start < len(rows):
        before = ends[start - 1] if start else 0
        fitting = int(numpy.searchsorted(ends, before + _LONGEST, side="right")) - start
        count = max(1, min(fitting, _TOGETHER))
        yield rows.slice(start, count)
        start += count


def _line(text: str) -> str:
    """A text on one line, so that it cannot leave a comment."""
    return " ".join(text.split())
