"""Writing rows to a new CSV, Parquet or Excel file, atomically and without a ledger."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from starcloak.base.errors import OutputError
from starcloak.base.operating_system import WRITE_ADVICE, flush, make_private, move_new, refusal_of_name
from starcloak.releases.targets.file import File, copied, refuse_blank
from starcloak.sources.file_formats import file_rows
from starcloak.star import fingerprint
from starcloak.statements.statement import Name, Statement
from starcloak.store import staging
from starcloak.store.session import Session

if TYPE_CHECKING:
    import pyarrow

    from starcloak.store.source import Source

_INCOMING = Name("incoming")


def refuse(path: Path) -> None:
    """Raise :class:`OutputError` unless the path names a new .csv, .parquet or .xlsx file in an existing folder."""
    if path.suffix.lower() not in (".csv", ".parquet", ".xlsx"):
        raise OutputError(
            f"{path}: rows are written to a CSV file, a Parquet file or a workbook: give a name that ends in .csv, "
            ".parquet or .xlsx"
        )
    if (refusal := refusal_of_name(path)) is not None:
        raise OutputError(f"{path}: {refusal}: give another file name")
    if path.exists() or path.is_symlink():
        raise OutputError(f"{path} is there already: remove it, or give another file name")
    if not path.absolute().parent.is_dir():
        raise OutputError(f"{path.absolute().parent} is not a folder: check --into")


def accept(path: Path, opened: Source) -> None:
    """Raise :class:`OutputError` if the file cannot keep a released column of the source unchanged, as in a run."""
    if path.suffix.lower() == ".xlsx":
        from starcloak.releases.targets.workbook import WorkbookFile

        WorkbookFile(path).accept(opened)
    else:
        File(path).accept(opened)


def write(
    rows: pyarrow.Table,
    path: Path,
    *,
    private: bool,
    publishing: Callable[[str], AbstractContextManager[None]] | None = None,
) -> None:
    """Write rows to a new file, atomically. A ``private`` file is accessible to its owner alone.

    The complete file gets its final name inside the context returned by ``publishing``, called with the file's digest.
    Raises :class:`OutputError`.
    """
    refuse(path)
    place = path.resolve()
    with staging.lock_place(place, str(path), "name another file"), Session(stages=[place]) as store:
        store.connection.register(_INCOMING.parts[0], rows)
        relation = Statement("store/relation", relation=_INCOMING)
        staged = staging.opened(store.staging(place))
        try:
            if place.suffix.lower() == ".xlsx":
                from starcloak.releases.targets import workbook

                workbook.write(store, relation, store.describe(relation), staged, str(path))
            else:
                is_parquet = place.suffix.lower() == ".parquet"
                store.run(copied(relation, staged, rows.column_names, parquet=is_parquet))
                if rows.num_columns == 1 and not is_parquet:
                    refuse_blank(store, Name(rows.column_names[0]), file_rows(store.plain(staged)), str(path))
            flush(staged)
            if private:
                make_private(staged)
            with nullcontext() if publishing is None else publishing(fingerprint.file(staged)):
                move_new(staged, place)  # never in the place of a file that came meanwhile
        except OSError as error:
            raise OutputError(f"{path} cannot be written ({type(error).__name__}): {WRITE_ADVICE}") from None
        finally:
            staging.sweep(place)
