"""A cube stored in a DuckDB file, to be reused in jobs with another k or another suppression.

The file has two sets of fingerprints (hashes of relations). Fingerprints of the cube's inputs, the base frequency set
and the dimension tables, reveal a changed table or hierarchy: the cube is then built again. Fingerprints of the cube
reveal a damaged file. The file is written under a temporary name in the same folder and then renamed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from starcloak.base.errors import OutputError, SourceError, StatementError
from starcloak.base.operating_system import WRITE_ADVICE, flush, flush_folder, make_private
from starcloak.privacy.aggregates import ValueText
from starcloak.search.incognito import cube
from starcloak.search.incognito.cube import Cube
from starcloak.search.lattice.lattice import NOTHING, Effort, Tally
from starcloak.star.star import Star
from starcloak.statements.statement import As, Hole, Joined, Literal, Name, Number, Row, Statement, columns, union_all
from starcloak.store import staging
from starcloak.store.databases.duckdb.database import attach
from starcloak.store.session import Session

_STORE = "cube_store"
_ADVICE = "check algorithm.cube"
_SOURCES = Name(_STORE, "main", "starcloak_cube_sources")
_CONTENTS = Name(_STORE, "main", "starcloak_cube_contents")


@dataclass(frozen=True)
class CubeFile:
    """The file of a stored cube, by its path."""

    path: Path

    def refuse_unusable(self) -> None:
        """Raise :class:`OutputError`, before any long work, if the file cannot be read."""
        if self.path.exists() and not (self.path.is_file() and os.access(self.path, os.R_OK)):
            raise OutputError(f"the cube (the file of algorithm.cube) {self.path} is not a readable file: {_ADVICE}")


def place(path: Path) -> CubeFile:
    """The cube file at a path, with links resolved. Raises :class:`OutputError` for an impossible path."""
    try:
        return CubeFile(path.resolve())
    except (OSError, RuntimeError) as error:
        raise OutputError(
            f"the path under algorithm.cube is not possible for a file ({type(error).__name__}): give another path"
        ) from None


def provide(star: Star, where: CubeFile, *, keep: bool = True) -> Cube:
    """The cube of a star, read from its file.

    If the file is missing, or has the cube of another star, the cube is built and, with ``keep``, written to the file.
    Raises :class:`OutputError` for a damaged file, for a file with other content, and if another run is building the
    same cube.
    """
    session = star.session
    tally = Tally(session)
    stored = _open(star, where)
    if stored is not None:
        if keep:
            staging.tidy(where.path, f"the cube {where.path}")
        return replace(stored, effort=tally.effort())
    if not keep:
        return cube.build(star)
    with staging.lock_place(where.path, f"the cube {where.path}", _ADVICE):
        stored = _open(star, where)  # another run may have built it meanwhile
        if stored is None:
            effort = _build(star, where)
            stored = _open(star, where)
            if stored is None:
                raise OutputError(f"the cube {where.path} was replaced by another program during the run: run again")
            stored = replace(stored, effort=effort)
    return replace(stored, effort=replace(stored.effort, statements=tally.effort().statements))


def _open(star: Star, where: CubeFile) -> Cube | None:
    """Attach the cube file; returns its cube, or None if the file is missing or has the cube of another star."""
    session = star.session
    if not where.path.exists():
        return None
    try:
        attach(session, where.path, _STORE, read_only=True)
    except SourceError:
        raise OutputError(
            f"{where.path} is not a cube of starcloak, or it is damaged: move the file, or give another path under "
            "algorithm.cube"
        ) from None
    try:
        kept = _kept_fingerprints(session, _SOURCES), _kept_fingerprints(session, _CONTENTS)
    except StatementError as error:
        _detach(session)
        if error.kind.startswith(("Catalog", "Binder")):
            raise OutputError(
                f"{where.path} is not a cube of starcloak: move the file, or give another path under algorithm.cube"
            ) from None
        raise _damage(where) from None
    if kept[0] != sorted(session.run(_sources(star))):
        (databases,) = session.row(Statement("search/incognito/kept_cube#others"), {"database": _STORE})
        _detach(session)
        if databases:
            raise OutputError(
                f"{where.path} has other tables beside a cube, which would be lost: give another path under "
                "algorithm.cube"
            )
        return None
    tables = cube.tables(len(star.dimensions), _STORE, "main")
    try:
        sound = kept[1] == sorted(session.run(_contents(tables)))
        groups = session.run(union_all(Statement("star/frequency/groups", frequency=table) for table in tables))
    except StatementError:
        sound, groups = False, []
    if not sound:
        with suppress(StatementError):  # the error raised below is reported
            _detach(session)
        raise _damage(where)
    return Cube(tables, dict(groups), NOTHING)


def _build(star: Star, where: CubeFile) -> Effort:
    """Build the cube in a temporary file and rename it to the cube file; returns the effort."""
    session = star.session
    staged = session.staging(where.path)
    try:
        # A cube reveals as much as the rows, and so do the files that DuckDB writes beside it.
        attach(session, staging.opened(staged), _STORE, read_only=False)
        make_private(staged)
        built = cube.build(star, cube.tables(len(star.dimensions), _STORE, "main"))
        session.create(_CONTENTS, _contents(built.tables))
        session.create(_SOURCES, _sources(star))
        _detach(session)
        flush(staged)
        os.replace(staged, where.path)
        flush_folder(where.path.parent)
    except (StatementError, SourceError, OSError) as error:
        kind = error.kind if isinstance(error, StatementError) else type(error).__name__
        raise OutputError(f"the cube {where.path} cannot be written ({kind}): {WRITE_ADVICE}") from None
    finally:
        with suppress(StatementError):  # it is detached already, or the store ends with the run
            _detach(session)
    return built.effort


def _sources(star: Star) -> Joined:
    carried = [column.in_order if isinstance(column, ValueText) else column.column for column in star.carried]
    # How it is merged may depend on the requirement: no more persons are listed than k asks for.
    merged = As(Literal("\n".join(column.merged.sql() for column in star.carried)), Name("merged"))
    counts = columns([*(dimension.column(0) for dimension in star.dimensions), Name("frequency"), *carried, merged])
    base = Statement("store/relation#columns", columns=counts, relation=star.facts)
    return _fingerprints(
        [Statement("store/relation#nested", rows=base), *(dimension.table for dimension in star.dimensions)]
    )


def _contents(tables: tuple[Name, ...]) -> Joined:
    return _fingerprints(tables)


def _fingerprints(relations: Iterable[Hole]) -> Joined:
    return union_all(
        Statement("search/incognito/kept_cube#fingerprint", part=Number(part), relation=relation)
        for part, relation in enumerate(relations)
    )


def _kept_fingerprints(session: Session, relation: Name) -> list[Row]:
    return session.run(Statement("search/incognito/kept_cube#read", kept=relation))


def _damage(where: CubeFile) -> OutputError:
    return OutputError(f"the cube {where.path} is damaged: remove it, and the next run builds it again")


def _detach(session: Session) -> None:
    session.command(f"detach {Name(_STORE).sql()}")
