"""Target: an Excel workbook (.xlsx) with one sheet of texts, numbers and dates, without formulas."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starcloak.base.errors import OutputError
from starcloak.base.installation import package_needed
from starcloak.base.workbooks.cells import MOST_COLUMNS, MOST_DIGITS, MOST_ROWS
from starcloak.base.workbooks.parts import LONGEST_TEXT
from starcloak.releases.targets.file import File
from starcloak.statements.statement import As, Hole, Name, Number, Statement, Type, columns, conditions
from starcloak.store.databases.host import Host
from starcloak.store.session import Session
from starcloak.store.source import Source

if TYPE_CHECKING:
    import pyarrow

    from starcloak.base.column import Column

_SHEET = "release"
_INCOMING, _CELLS = Name("incoming_release"), Name("release_cells")
_EPOCH = 25_569  # days from 30 December 1899 to 1970
_DAY = 86_400_000  # milliseconds
#: Creation time written into every workbook, constant so that equal releases have equal bytes.
_MADE = datetime(2000, 1, 1)

_CUT = f"texts that are empty, of more than {LONGEST_TEXT:,} characters, or with characters that a workbook lacks"
# Cells that a workbook does not keep, by the statement that counts them.
_LOST = {
    "releases/targets/workbook#text": _CUT,
    "releases/targets/workbook#whole": f"whole numbers of more than {MOST_DIGITS} digits, which spreadsheets round",
    "releases/targets/workbook#real": "NaN, infinities or negative zeros, which a workbook lacks",
    "releases/targets/workbook#decimal": f"numbers of more than {MOST_DIGITS} digits, which spreadsheets round",
    "releases/targets/workbook#date": "dates before March 1900 or after 9999, which programs show differently",
    "releases/targets/workbook#moment": "times before March 1900, after 9999 or finer than a millisecond, which "
    "programs show differently",
    "releases/targets/workbook#time": "times finer than a millisecond, which a workbook lacks",
}

# These statements by the type of a column.
_CHECKS = {
    "BOOLEAN": "releases/targets/workbook#any",
    "DATE": "releases/targets/workbook#date",
    "TIME": "releases/targets/workbook#time",
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS"), "releases/targets/workbook#moment"),
}


class WorkbookFile(File):
    """A workbook with one sheet. Cells keep their types; the verifier reads the sheet as a source workbook is read."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._types: dict[str, str] = {}
        self._loaded = ""

    def prepare(self, session: Session, host: Host, dimensions: Sequence[str] = ()) -> None:
        try:
            import python_calamine  # noqa: F401
            import xlsxwriter  # noqa: F401
        except ImportError:
            raise OutputError(
                package_needed("a release in a workbook (.xlsx)", "python-calamine and XlsxWriter", extra="excel")
            ) from None
        super().prepare(session, host, dimensions)

    def accept(self, opened: Source) -> None:
        names = [column.name for column in opened.released]
        if len(names) > MOST_COLUMNS:
            raise OutputError(
                f"{self.label}: the release has more columns than a sheet ({MOST_COLUMNS:,}): release to Parquet"
            )
        if opened.rows is not None and opened.rows >= MOST_ROWS:
            raise OutputError(
                f"{self.label}: the release has more rows than a sheet ({MOST_ROWS - 1:,}): release to CSV or Parquet"
            )
        for column in opened.released:
            if len(column.name) > LONGEST_TEXT // 2 or re.search("[\ufffe\uffff]|^<r>.*</r>$", column.name, re.DOTALL):
                raise OutputError(
                    f"{self.label}: the name of column {names.index(column.name) + 1} is too long for a cell, or has "
                    f"characters that a workbook lacks: rename the column in {opened.mended_in}"
                )
            if _check_of(column) is None:
                raise OutputError(
                    f"a workbook cannot keep column {column.name!r} of type {column.kind} unchanged: cast the column "
                    f"in {opened.mended_in}"
                )
        if isinstance(opened.host, Session):
            kept = Statement(
                "store/source",
                columns=columns(Name(column.name) for column in opened.kept),
                origin=Statement("store/relation", relation=opened.relation),
            )
            if opened.kept:
                _refuse_lost(opened.host, kept, opened.kept, self.label)

    def type_kept(self, column: Column) -> str:
        return {"FLOAT": "DOUBLE", "TIMESTAMP_S": "TIMESTAMP", "TIMESTAMP_MS": "TIMESTAMP"}.get(
            column.type, column.type
        )

    def read_back(self, session: Session) -> Statement:
        if self._loaded != self.sealed.digest:
            session.receive(
                _CELLS, _INCOMING, self._cells(self.sealed.path), Statement("store/relation", relation=_INCOMING)
            )
            self._loaded = self.sealed.digest
        typed = (
            As(Statement("store/received#typed", column=Name(name), type=Type(kind)), Name(name))
            for name, kind in self._types.items()
        )
        return Statement("store/source", columns=columns(typed), origin=Statement("store/relation", relation=_CELLS))

    def script(self, release: Statement, *, recounts: int, k: int) -> list[Statement]:
        return [release]  # only a run writes a workbook; see is_written_by

    def is_written_by(self, host: Host) -> bool:
        return False

    def refusals(self) -> list[Statement]:
        return []

    def frame(self) -> Any:
        return self._cells(self.path).read_all()

    def _write(self, session: Session, release: Statement, staged: Path) -> None:
        described = session.describe(release)
        self._types = {column.name: self.type_kept(column) for column in described}
        write(session, release, described, staged, self.label)

    def _cells(self, path: Path) -> pyarrow.RecordBatchReader:
        from starcloak.sources import workbooks

        return workbooks.read(path, self.label, sheet=_SHEET, header=1, rename={}).rows.to_reader()


def write(session: Session, rows: Statement, described: Sequence[Column], path: Path, label: str) -> None:
    """Write rows to a new workbook. Raises :class:`OutputError` for a value that a workbook would change."""
    import pyarrow

    for column in described:
        if _check_of(column) is None:
            raise OutputError(
                f"{label}: a workbook cannot keep column {column.name!r} of type {column.kind}: cast the column, or "
                "release to CSV or Parquet"
            )
    _refuse_lost(session, rows, described, label, whole=True)
    stream = session.copies / "release.arrow"
    with open(stream, "wb") as into:
        session.stream(rows, into)
    with open(stream, "rb") as content, pyarrow.ipc.open_stream(content) as batches:
        _write_sheet(path, session.copies, label, [column.name for column in described], batches)
    stream.unlink()


def _write_sheet(
    path: Path, folder: Path, label: str, names: Sequence[str], batches: Iterator[pyarrow.RecordBatch]
) -> None:
    import xlsxwriter
    from xlsxwriter.worksheet import Worksheet

    class Sheet(Worksheet):  # type: ignore[misc]
        """A sheet that writes numbers with all of their digits."""

        def _xml_number_element(self, number: float, attributes: Sequence[tuple[str, object]] = ()) -> None:
            written = "".join(f' {key}="{self._escape_attributes(value)}"' for key, value in attributes)
            self.fh.write(f"<c{written}><v>{repr(number).removesuffix('.0')}</v></c>")

    workbook = xlsxwriter.Workbook(str(path), {"constant_memory": True, "tmpdir": str(folder)})
    workbook.set_properties({"created": _MADE})
    sheet = workbook.add_worksheet(_SHEET, worksheet_class=Sheet)
    formats = {kind: workbook.add_format({"num_format": code}) for kind, code in _CODES.items()}
    results = [sheet.write_string(0, column, name) for column, name in enumerate(names)]
    row = 0
    for batch in batches:
        shown = [_shown(cells) for cells in batch.columns]
        for row, cells in enumerate(zip(*(values for _, values in shown), strict=True), row + 1):  # noqa: B020
            for column, cell in enumerate(cells):
                if cell is None:
                    continue
                if isinstance(cell, str):
                    results.append(sheet.write_string(row, column, cell))
                elif isinstance(cell, bool):
                    results.append(sheet.write_boolean(row, column, cell))
                else:
                    results.append(sheet.write_number(row, column, cell, formats.get(shown[column][0])))
            if any(results):
                raise OutputError(f"{label}: the release does not fit into a sheet: release to CSV or Parquet")
            results.clear()
    workbook.close()


_CODES = {"date": "yyyy-mm-dd", "moment": "yyyy-mm-dd hh:mm:ss.000", "time": "hh:mm:ss.000"}


def _shown(cells: pyarrow.Array) -> tuple[str, list[Any]]:
    """The number format of a column, by its name in _CODES (empty for none), and its cells as Python values."""
    from pyarrow import int32, int64, types

    kind = cells.type
    if types.is_date32(kind):
        return "date", _each(cells.cast(int32()), lambda day: day + _EPOCH)
    if types.is_timestamp(kind):
        per = {"s": 1000, "ms": 1}.get(kind.unit)
        return "moment", _each(cells.cast(int64()), lambda unit: (unit * per if per else unit // 1000) / _DAY + _EPOCH)
    if types.is_time(kind):
        return "time", _each(cells.cast(int64()), lambda microseconds: microseconds // 1000 / _DAY)
    if types.is_decimal(kind):
        return "", _each(cells, float)
    return "", cells.to_pylist()


def _each(cells: pyarrow.Array, change: Any) -> list[Any]:
    return [None if cell is None else change(cell) for cell in cells.to_pylist()]


def _check_of(column: Column) -> str | None:
    """The statement that counts a column's cells changed by a workbook; None for a type without cells there."""
    if column.is_text:
        return "releases/targets/workbook#text"
    if column.is_whole:
        return "releases/targets/workbook#whole"
    if column.is_float:
        return "releases/targets/workbook#real"
    if column.kind == "DECIMAL" and column.type.endswith(")"):
        return "releases/targets/workbook#decimal"
    return _CHECKS.get(column.type)


def _refuse_lost(
    session: Session, rows: Statement, described: Sequence[Column], label: str, *, whole: bool = False
) -> None:
    """Raise :class:`OutputError` for columns with cells that a workbook would change.

    If ``rows`` have all columns of the workbook (``whole``), also for rows without any value.
    """
    checks = [_check_of(column) or "" for column in described]
    counts: list[Hole] = []
    for column, check in zip(described, checks, strict=True):
        holes: dict[str, Hole] = {"column": Name(column.name)}
        match check.partition("#")[2]:
            case "text":
                holes["longest"] = Number(LONGEST_TEXT)
            case "whole":
                holes["least"] = Number(10**MOST_DIGITS)
            case "decimal":
                holes["type"] = Type(column.type)
        counts.append(Statement(check, **holes))
    missing = (Statement("releases/targets/workbook#missing", column=Name(column.name)) for column in described)
    counts.append(Statement("releases/targets/workbook#blank", missing=conditions(missing)))
    named = columns(As(count, Name(f"lost_{number}")) for number, count in enumerate(counts))
    *lost, blank = session.row(Statement("releases/targets/workbook", counts=named, rows=rows))
    for column, check, count in zip(described, checks, lost, strict=True):
        if count:
            raise OutputError(
                f"{label}: column {column.name!r} has {count:,} cells with {_LOST[check]}: clean or cast the column, "
                "or release to CSV or Parquet"
            )
    if whole and blank:
        raise OutputError(
            f"{label}: {blank:,} rows have no value in any column, and readers of workbooks skip such blank rows: "
            "release to CSV or Parquet, or keep another column"
        )
