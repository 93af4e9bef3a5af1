"""The opening of a source: a file, a frame, a dataset, or a table or query of a database."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import duckdb

from starcloak.base.column import Column
from starcloak.base.errors import JobError, SourceError, StatementError, near_file
from starcloak.job import Place
from starcloak.job.cleaning import Cleaning
from starcloak.sources import dataset, delimited
from starcloak.sources.cleaning import Cleaner, cleaned, cleaner_of, joined_names, with_joined
from starcloak.sources.file_formats import (
    csv_rows,
    databases_of,
    files_of,
    format_of,
    is_pattern,
    parquet_rows,
    paths_of,
    refuse_others,
    refuse_twice,
    unpack,
)
from starcloak.sources.roles import (
    Roles,
    candidates,
    persons_of,
    place_columns,
    reading,
    refuse_twins,
    refuse_unusable,
    repeated,
    resolve,
    resolved_names,
    tables_named,
)
from starcloak.statements.statement import As, Hole, Literal, Name, Number, Query, Statement, columns
from starcloak.store.databases.host import Host
from starcloak.store.databases.url import Url
from starcloak.store.resources import Resources
from starcloak.store.session import ORIGIN, Session, is_told
from starcloak.store.source import SOURCE, Cleaned, Source, uncleaned

log = logging.getLogger("starcloak")

if TYPE_CHECKING:
    from starcloak.base.frames import Frame as AnyFrame
    from starcloak.sources.frame import FrameSource


def open_store(
    place: Place | None,
    resources: Resources,
    *,
    files: tuple[Path, ...] = (),
    databases: tuple[Path, ...] = (),
    stages: tuple[Path, ...] = (),
    run_id: str | None = None,
) -> Session:
    """Open the working store (a DuckDB session) for a source at ``place``.

    The session can access only the files of ``place`` and those in the arguments ``files``, ``databases`` and
    ``stages``. ``run_id`` is the id of the run, by default a new one.
    """
    store = Session(
        files=[*files_of(place), *files],
        databases=[*databases_of(place), *databases],
        stages=stages,
        memory_limit=resources.memory_limit,
        threads=resources.threads,
        progress=resources.progress,
        notice=resources.notice,
        ending=resources.ending,
        run_id=run_id,
    )
    if resources.trace:
        store.trace(resources.trace)
    return store


def open_source(
    session: Session,
    place: Place | None,
    roles: Roles,
    *,
    frame: AnyFrame | None = None,
    closed: bool = True,
    others: str | None = None,
    beside: Sequence[str] = (),
    clean: Mapping[str, Cleaning] = MappingProxyType({}),
    ready: Callable[[Host], None] = lambda host: None,
) -> Source:
    """Open a source, or a frame in its place, and check the roles against its columns.

    Args:
        session: The working store.
        place: The source in the job; None with a frame.
        roles: Columns, and patterns of columns, by role; without a frame also a function from the columns to this
            mapping.
        frame: A data frame in place of the source.
        closed: Refuse a column without a role, unless ``others`` is set.
        others: Role of all columns without a role.
        beside: Columns read for hierarchies, independent of their roles.
        clean: Cleaning of cells, by column.
        ready: Called with the host of the rows before the first row is read.

    Raises:
        SourceError: A file is unreadable, the source lacks a column, a column has no role, or a quasi-identifier has a
            type
            or values without support for generalization.
        JobError: The job has no source, or options without effect on the source.
    """
    if frame is None and place is not None and place.url is not None and not place.url.kind.embedded:
        from starcloak.sources import in_database

        return in_database.open_source(
            session, place, roles, closed=closed, others=others, beside=beside, clean=clean, ready=ready
        )
    if frame is not None:
        assert not callable(roles)
        ready(session)
        opened, roles = _open_frame(session, roles, frame, others, beside, clean)
    elif place is None:
        raise JobError("the job has no source: give source.path, source.url or source.dataset")
    else:
        opened = _open_place(session, place, ready)
        if not closed:  # no other code reports the findings
            for warning in session.warnings:
                log.warning("%s", warning)

    def near() -> list[str]:
        return [] if place is None else tables_named(session, place, Statement("sources/tables_named#attached"))

    with reading(opened.label, near):
        return _open(session, opened, roles, closed=closed, others=others, beside=beside, clean=clean)


def open_beside(session: Session, place: Place | None) -> Host:
    """Open the database of further tables, such as hierarchies in the source's database, without reading a row.

    Returns the working store itself for a source outside of databases. Raises :class:`SourceError`.
    """
    if place is None or place.url is None:
        return session
    if not place.url.kind.embedded:
        database = place.url.connect(session)
        database.read()
        return database
    _attach(session, place.url)
    return session


def _open(
    session: Session,
    opened: _Opened,
    roles: Roles,
    *,
    closed: bool,
    others: str | None,
    beside: Sequence[str],
    clean: Mapping[str, Cleaning],
) -> Source:
    label, origin = opened.label, opened.rows
    numbering = [opened.frame.position] if opened.frame is not None else []
    described = [column for column in session.describe(origin) if Name(column.name) not in numbering]
    columns_after = with_joined(clean, described, label) if clean else described
    roles = resolve(roles, columns_after, label, others=others)
    cleaner = _cleaner(clean, described, opened, roles, beside) if clean else Cleaner({}, {})
    changed, cleaning = tuple[Cleaned, ...](), uncleaned
    if clean:
        numbered = [position.parts[0] for position in numbering]
        _refuse_unreadable(opened, [column for column in described if column not in columns_after])
        origin = cleaner.rows(origin, [*(column.name for column in columns_after), *numbered])
        described = [column for column in session.describe(origin) if Name(column.name) not in numbering]
    quasi_identifiers, released, also = place_columns(
        roles, described, label, closed=closed, beside=beside, mended_in=opened.mended_in
    )
    persons = persons_of(roles, described, label, mended_in=opened.mended_in)
    unreleased = tuple(dict.fromkeys((*also, *persons)))
    _refuse_unreadable(opened, [column for column in (*released, *unreleased) if column.name not in cleaner.joined])
    if cleaner.clean:
        changed = cleaned(cleaner, session, opened.rows, label, opened.mended_in)
    if clean:
        cleaning = partial(cleaner.over, listed=(*released, *persons))
    there = [column for column in described if column.name not in cleaner.joined]
    identifiers = _repeated(session, opened, roles, there)
    read = [*released, *dict.fromkeys((*unreleased, *identifiers))]
    merging = _merging(session, read, origin) if opened.collated else set()
    plain = columns(_plain([*released, *persons], merging))
    viewed = columns([*_plain(read, merging), *numbering])
    session.create_view(SOURCE, Statement("store/source", columns=viewed, origin=origin))
    refuse_unusable(session, quasi_identifiers, SOURCE, label, mended_in=opened.mended_in)
    portable = Statement("store/source", columns=plain, origin=cleaning(opened.portable))
    as_read = {
        column: replace(column, type="VARCHAR") if column.is_enumeration else column for column in (*released, *persons)
    }
    return Source(
        session,
        SOURCE,
        tuple(as_read[column] for column in released),
        tuple(as_read[column] for column in quasi_identifiers),
        label,
        portable,
        opened.count,
        frame=opened.frame,
        mended_in=opened.mended_in,
        has_client=opened.has_client,
        roles=roles,
        beside=also,
        persons=tuple(as_read[column] for column in persons),
        identifiers=identifiers,
        cleaned=changed,
        joined=frozenset(cleaner.joined),
        cleaning=cleaning,
    )


def _refuse_unreadable(opened: _Opened, read: Sequence[Column]) -> None:
    """Raise :class:`SourceError` for a column of a type with cells that cannot be read, or compared, exactly."""
    for column in read:
        if problem := opened.problem(column):
            raise SourceError(f"{opened.label}: column {column.name!r} {problem}")
        if not is_told(column):
            raise SourceError(
                f"{opened.label}: column {column.name!r} has variants, or unions inside another type, which cannot "
                f"be compared exactly: cast the column in {opened.mended_in}"
            )


def _cleaner(
    clean: Mapping[str, Cleaning],
    described: Sequence[Column],
    opened: _Opened,
    roles: Mapping[str, Sequence[str]],
    extra_names: Sequence[str],
) -> Cleaner:
    """The cleaning of the columns in use. Texts are read without their collations, and enumerations as texts."""
    texts = [column for column in described if column.is_text or column.is_enumeration]
    read = zip(texts, _plain(texts, {Name(column.name) for column in texts}), strict=True)
    pieces = {column.name: piece.piece for column, piece in read if isinstance(piece, As)}
    return cleaner_of(
        clean, described, pieces, opened.label, roles=roles, beside=extra_names, mended_in=opened.mended_in
    )


def _repeated(
    session: Session, opened: _Opened, roles: Mapping[str, Sequence[str]], described: Sequence[Column]
) -> tuple[Column, ...]:
    """Identifiers with repeated values: a sign of several rows per person. Only columns read exactly are counted."""
    repeatable = [
        column for column in candidates(roles, described) if opened.problem(column) is None and is_told(column)
    ]
    if not repeatable:
        return ()
    plain = columns(_plain(repeatable, {Name(column.name) for column in repeatable if column.is_text}))
    rows = Statement("store/source", columns=plain, origin=opened.rows)
    as_read = [replace(column, type="VARCHAR") if column.is_enumeration else column for column in repeatable]
    return repeated(session, Statement("store/relation#nested", rows=rows), as_read)


@dataclass(frozen=True)
class _Opened:
    """An opened source before its roles are checked.

    ``rows`` selects the rows in this run; ``portable`` selects them in a script for the database's own client.
    ``count`` is the number of rows, or None if unknown. ``problem`` returns the reason in words why a column cannot be
    read exactly, or None. ``frame`` is the data frame with the rows, or None. ``mended_in`` names the place for a user
    to correct a column. ``collated`` is true if texts may have collations. ``has_client`` is false if no database
    client can read the rows.
    """

    label: str
    rows: Statement
    portable: Hole
    count: int | None = None
    problem: Callable[[Column], str | None] = lambda _: None
    frame: FrameSource | None = None
    mended_in: str = "a query"
    collated: bool = False
    has_client: bool = True


def _open_place(session: Session, place: Place, ready: Callable[[Host], None]) -> _Opened:
    if place.path is not None:
        return _open_files(session, place, place.path, ready)
    if place.dataset is not None:
        ready(session)
        return _Opened(place.dataset, *_dataset(session, place.dataset))
    assert place.url is not None
    path = _attach(session, place.url)
    ready(session)
    if place.table is not None:
        rows, portable = (
            Statement("store/relation", relation=Name(*prefix, *place.table.split("."))) for prefix in ([ORIGIN], [])
        )
        return _Opened(f"{place.table} in {path.name}", rows, portable, collated=True)
    label, result = f"the query on {path.name}", Name("query_result")
    query = _query(session, place.query or "", label)
    try:
        # The query's own names mean the database's tables, never those of the working store.
        session.command(f"set search_path = {Literal(ORIGIN).sql()}")
        session.command(f"create table memory.main.{result.sql()} as\n{query.sql()}")
    except StatementError as error:
        raise SourceError(f"{label} fails ({error.told or error.kind}): try the query in the database first") from None
    finally:
        session.command("set search_path = 'memory'")
    return _Opened(label, Statement("store/relation", relation=result), query, collated=True)


def _attach(session: Session, url: Url) -> Path:
    """Attach the DuckDB file of a URL as the source; return its path."""
    path = url.embedded_file
    assert path is not None
    if not path.is_file():
        near = near_file(path)
        raise SourceError(f"{path} is not there: check the url{near and '.' + near}")
    from starcloak.store.databases.duckdb.database import attach

    attach(session, path, ORIGIN, read_only=True)
    return path


def _open_files(session: Session, place: Place, path: Path, ready: Callable[[Host], None]) -> _Opened:
    files, label = paths_of(path), str(path)
    if not files:
        raise SourceError(f"no file fits the pattern {label}: check the path")
    if not is_pattern(path.absolute()) and not path.is_file():
        near = near_file(path)
        is_folder = f" (it is a folder: give a file in it, or a pattern such as {path / '*.csv'})" * path.is_dir()
        raise SourceError(f"{label} is not a file: check the path{is_folder}{near and '.' + near}")
    if path.suffix in (".yaml", ".yml"):
        raise SourceError(
            f"{label} is a job or another text without rows: give the file with the rows, such as patients.csv"
        )
    refuse_others(files)
    refuse_twice(files)
    ready(session)
    kinds = sorted({format_of(file) for file in files})
    if len(kinds) > 1:
        raise SourceError(
            f"{label}: some of its files are {kinds[0]}, some {kinds[1]}: give a pattern for one kind, such as "
            "*.parquet"
        )
    if kinds == ["XLSX"]:
        return _open_workbooks(session, place, files, label)
    _refuse_options(place, label, kinds[0], ("sheet", "header"), "a workbook")
    if kinds != ["CSV"]:
        _refuse_options(place, label, kinds[0])
        return _open_parquet(session, files, label) if kinds == ["Parquet"] else _open_lines(session, files, label)
    files_read = delimited.find(place, {file: session.plain(file) for file in files}, session.copies)
    refuse_twins(files_read.header, label)
    session.warnings.extend(files_read.said)
    return _Opened(label, files_read.rows, files_read.portable, files_read.count, mended_in="the file")


def _open_parquet(session: Session, files: Sequence[Path], label: str) -> _Opened:
    here = [session.plain(file) for file in files]
    from starcloak.sources import parquet_types

    schemas: list[parquet_types.Schema] = []
    for file, plain in zip(files, here, strict=True):
        named = label if len(files) == 1 else str(file)
        with reading(named):
            schema = parquet_types.schema(session, plain)
        # DuckDB would give such columns names of its own.
        refuse_twins(schema.names, named)
        if not all(schema.names):
            raise SourceError(f"{named}: a column has no name: give it a name")
        if schemas and schema.read != schemas[0].read:
            raise SourceError(
                f"{named} has other columns than {files[0]}, or another order or other types: give all files the "
                "same columns"
            )
        schemas.append(schema)

    def problem(column: Column) -> str | None:
        return next((problem for schema in schemas if (problem := schema.problem(column))), None)

    return _Opened(label, parquet_rows(*here), parquet_rows(*files), problem=problem, mended_in="the file")


def _open_lines(session: Session, files: Sequence[Path], label: str) -> _Opened:
    from starcloak.sources import json_lines

    here = {
        file: unpack(session.plain(file), session.copies / f"{number}.jsonl", label if len(files) == 1 else str(file))
        for number, file in enumerate(files)
    }
    lines = json_lines.examine(session, here, label)
    refuse_twins([*lines.types], label)
    return _Opened(label, lines.rows([*here.values()]), lines.rows(files), problem=lines.problem, mended_in="the file")


def _open_workbooks(session: Session, place: Place, files: Sequence[Path], label: str) -> _Opened:
    from starcloak.sources import workbooks

    _refuse_options(place, label, "XLSX", ("delimiter", "quote", "encoding", "null"))
    here = {
        file: unpack(session.plain(file), session.copies / f"{number}.xlsx", label if len(files) == 1 else str(file))
        for number, file in enumerate(files)
    }
    read = workbooks.read_all(here, label, sheet=place.sheet, header=place.header, rename=place.rename)
    refuse_twins(read.rows.column_names, label)
    session.warnings.extend(read.notes)
    rows = Statement("store/relation", relation=Name("cells"))
    incoming = Name("incoming_cells")
    stream = read.rows.to_reader()
    session.receive(Name("cells"), incoming, stream, Statement("store/relation", relation=incoming))
    return _Opened(
        label, rows, rows, read.rows.num_rows, lambda column: read.problems.get(column.name), mended_in="the file",
        has_client=False,
    )  # fmt: skip


def _refuse_options(
    place: Place,
    label: str,
    kind: str,
    names: Sequence[str] = ("delimiter", "quote", "encoding", "rename", "null"),
    owner: str = "CSV",
) -> None:
    """Refuse options of one format for another. Raises :class:`JobError`."""
    for name in names:
        if getattr(place, name) not in (None, "", {}):
            raise JobError(f"source.{name} is for {owner} only, and {label} is {kind}: leave {name} out")


def _query(session: Session, text: str, label: str) -> Query:
    """Check that a query has exactly one select statement; return this statement without the text after it."""
    try:
        statements = session.connection.extract_statements(text)
    except duckdb.Error as error:
        reason = " ".join(str(error).partition("\n")[0].split())
        raise SourceError(f"{label} fails ({reason}): try the query in the database first") from None
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise SourceError(f"{label} is not a single select statement: give one select statement")
    # Up to its semicolon: a remark follows, or there would be a second statement.
    content = text.encode()
    marks = [offset for offset, _ in duckdb.tokenize(text) if content[offset : offset + 1] == b";"]
    return Query(content[: marks[0]].decode() if marks else text)


def _dataset(session: Session, name: str) -> tuple[Statement, Statement]:
    """Statements to read the rows of a dataset: in this run, and in a script."""
    if name == "adult":
        folder = dataset.adult_folder()
        data, test = (Literal(str(folder / file)) for file in dataset.ADULT_MD5)
        adult = Statement("sources/dataset/adult", data=data, test=test)
        return adult, adult
    (path,) = dataset.files(name)
    lines = csv_rows(path)
    if name == "patients":
        return lines, lines
    generated, census = Name("census"), _census(lines)
    session.create(generated, census)
    return Statement("store/relation", relation=generated), census


def _census(marginals: Statement) -> Statement:
    nested = Statement("store/relation#nested", rows=marginals)
    return Statement("sources/dataset/census", marginals=nested, seed=Number(1))


def _open_frame(
    session: Session,
    roles: Mapping[str, Sequence[str]],
    given_frame: AnyFrame,
    other_role: str | None,
    extra_names: Sequence[str],
    clean: Mapping[str, Cleaning],
) -> tuple[_Opened, Mapping[str, Sequence[str]]]:
    from starcloak.sources.frame import LABEL, FrameSource

    frame = FrameSource(given_frame, [*clean])
    session.at_close(frame.forget)
    refuse_twins(frame.names, LABEL)
    roles = resolved_names(roles, joined_names(clean, frame.names), LABEL, others=other_role)
    used = {name for role, named in roles.items() if role != "identifiers" for name in named}
    parts = [part for cleaning in clean.values() for part in cleaning.join or ()]
    read = [*extra_names, *(name for name in clean if name in used), *parts]
    session.connection.register("frame", frame.table(roles, read))
    rows = Statement("store/relation", relation=Name("frame"))
    return _Opened(LABEL, rows, rows, problem=frame.problem, frame=frame, mended_in=LABEL), roles


def _merging(session: Session, listed: Sequence[Column], origin: Statement) -> set[Name]:
    """Text columns with a collation that treats different texts as equal, such as texts different in case."""
    texts = [Name(column.name) for column in listed if column.is_text and not column.is_enumeration]
    if not texts:
        return set()
    cells = columns(
        As(Statement("sources/collation#merges", column=Name("origin", *name.parts)), Name(f"merges_{number}"))
        for number, name in enumerate(texts, 1)
    )
    pairs = session.run(Statement("sources/collation", merges=cells, origin=origin))
    return {name for name, *merged in zip(texts, *pairs, strict=True) if any(merged)}


def _plain(listed: Sequence[Column], merging: set[Name]) -> list[Hole]:
    """Select list of columns: those in ``merging`` without their collation, enumerations as texts."""
    plain: list[Hole] = []
    for column in listed:
        name = Name(column.name)
        if column.is_enumeration:
            # An enumeration would carry all of its known values.
            plain.append(As(Statement("store/text", column=name), name))
        else:
            plain.append(As(Statement("store/text#binary", column=name), name) if name in merging else name)
    return plain
