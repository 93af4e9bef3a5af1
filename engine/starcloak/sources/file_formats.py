"""File formats of sources: CSV, Parquet, JSON lines and workbooks; patterns for several files; records of CSV files.

CSV readers agree on RFC 4180 and on little else. DuckDB, for example, removes spaces around quotes, and drops empty
cells beyond the header's; other readers keep both. This module therefore counts records itself, and refuses a file if
readers would disagree on the records. The number of rows read is compared with this count, so that no row is lost
unnoticed.
"""

from __future__ import annotations

import codecs
import csv
import errno
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from itertools import islice, tee
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from starcloak.base.errors import SourceError, hint, no_space
from starcloak.job import Place
from starcloak.sources import dataset
from starcloak.statements.statement import Hole, Joined, Literal, Statement

if TYPE_CHECKING:
    from numpy.typing import NDArray


# DuckDB's names of its built-in encodings.
_ENCODINGS = {"iso8859-1": "latin-1"}


# Messages on files of other kinds, by their suffixes: read as CSV they would yield anything.
_SPREADSHEET = "is a spreadsheet in a format that cannot be read exactly: save it as .xlsx or as CSV"
_JSON = "is JSON: write an object on each line, in a file whose name ends in .jsonl, or give a data frame"
_OTHERS = {
    **dict.fromkeys((".xls", ".xlsb", ".ods"), _SPREADSHEET),
    ".json": _JSON,
}
#: Scheme of the url of an embedded database, by the place and the bytes of a mark in its file.
_DATABASES = {"sqlite": (0, b"SQLite format 3\0"), "duckdb": (8, b"DUCK")}
PACKED = {".gz": "gzip", ".zst": "zstd"}
_KINDS = {
    ".parquet": "Parquet", ".pq": "Parquet", ".jsonl": "JSON lines", ".ndjson": "JSON lines", ".xlsx": "XLSX",
    ".xlsm": "XLSX",
}  # fmt: skip
#: Suffixes of tables, before a suffix of compression.
TABLE_SUFFIXES = (".csv", ".tsv", ".txt", *_KINDS)
_BLOCK = 1 << 16  # bytes unpacked, or examined, together: more of them cost new pages of memory each time


def refuse_others(files: Sequence[Path]) -> None:
    """Refuse files of unsupported kinds, by their names, and databases by a mark. Raises :class:`SourceError`."""
    for file in files:
        if problem := _OTHERS.get(_suffix(file)):
            raise SourceError(f"{file.name} {problem}")
        if (scheme := _database(file)) is not None:
            raise SourceError(
                f"{file.name} is a database, not a table: give its url, {scheme}:///{file}, and a table (table beside "
                "url in a job, --table in a command)"
            )


def _database(file: Path) -> str | None:
    """The scheme of the url of an embedded database; None for another file, and for one that cannot be read."""
    if not file.is_file():
        return None  # a pipe has its bytes once
    try:
        with open(file, "rb") as content:
            start = content.read(16)
    except OSError:
        return None
    return next((scheme for scheme, (place, mark) in _DATABASES.items() if start[place:].startswith(mark)), None)


def refuse_twice(files: Sequence[Path]) -> None:
    """Refuse two names of one file (a file and a link to it), and a file beside its packed copy.

    Each of its rows would count as two persons. Raises :class:`SourceError`.
    """
    names: dict[object, Path] = {}
    for file in files:
        keys: list[object] = [file.with_suffix("") if file.suffix.lower() in PACKED else file]
        with suppress(OSError):  # an unreadable file is refused when it is opened
            status = file.stat()
            keys += [(status.st_dev, status.st_ino)] if status.st_ino else []
        for first in (names.setdefault(key, file) for key in keys):
            if first != file:
                raise SourceError(
                    f"{file} and {first} are one file with two names, or packed and unpacked, and each row would be "
                    "read twice: give a pattern that fits only one of them"
                )


def format_of(path: Path) -> str:
    """The format of a file by its name: ``Parquet``, ``JSON lines``, ``XLSX``, else ``CSV``."""
    return _KINDS.get(_suffix(path), "CSV")


def is_csv(place: Place | None) -> bool:
    """True if a place is a CSV file, or a pattern of CSV files."""
    return place is not None and place.path is not None and format_of(place.path) == "CSV"


def is_table(path: Path) -> bool:
    """True if a file's name has a suffix of a supported table format."""
    return _suffix(path) in TABLE_SUFFIXES


def _suffix(path: Path) -> str:
    """Last suffix of a file name, in lower case, with suffixes of compression ignored. Empty without one."""
    return next((suffix.lower() for suffix in reversed(path.suffixes) if suffix.lower() not in PACKED), "")


@contextmanager
def keeping(copy: Path) -> Iterator[None]:
    """Context for writing a copy of a file to a run's own folder. Raises :class:`OutputError` on a full disk."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise no_space(copy.parents[2]) from None
        raise


def unpack(file: Path, copy: Path, label: str) -> Path:
    """The file, or an unpacked copy of a compressed file.

    Raises :class:`SourceError` for an unreadable compression.
    """
    packing = PACKED.get(file.suffix.lower())
    if packing is None:
        return file
    import pyarrow

    try:
        with (
            keeping(copy),
            pyarrow.input_stream(str(file), compression=packing) as content,
            open(copy, "wb") as into,
        ):
            shutil.copyfileobj(content, into, _BLOCK)
    except (OSError, pyarrow.ArrowException) as error:
        raise SourceError(f"{label} cannot be unpacked as {packing} ({type(error).__name__}): check the file") from None
    return copy


def file_rows(path: Path, delimiter: str = ",") -> Statement:
    """The statement to read a CSV or Parquet file."""
    return parquet_rows(path) if format_of(path) == "Parquet" else csv_rows(path, delimiter)


def parquet_rows(*files: Path) -> Statement:
    """The statement to read Parquet files with one schema."""
    return Statement("sources/parquet", path=paths_hole(files))


def csv_rows(path: Path, delimiter: str = ",") -> Statement:
    """The statement to read a CSV file with a header; every column is text."""
    return delimited_rows([path], examine_records(path, delimiter), delimiter)


def delimited_rows(
    files: Sequence[Path],
    header: HeaderRecords,
    delimiter: str = ",",
    missing: Sequence[str] = ("",),
    encoding: str = "utf-8",
    quote: str = '"',
) -> Statement:
    """Statement to read CSV files with the same ``header``.

    Unquoted cells equal to a text in ``missing`` become NULL.
    """
    text = Literal("VARCHAR")
    return Statement(
        "sources/csv",
        **{
            "path": paths_hole(files),
            "columns": Joined(tuple(Joined((Literal(name), text), ": ") for name in header.header), ", "),
            "delimiter": Literal(delimiter),
            "quote": Literal(quote),
            "missing": Joined(tuple(Literal(text) for text in missing), ", "),
            "encoding": Literal(_ENCODINGS.get(encoding, encoding)),
            # DuckDB guesses if its reading begins inside quotes, and may lose rows.
            "parallel": Literal("false" if header.quoted else "true"),
        },
    )


def paths_hole(files: Sequence[Path]) -> Hole:
    """The argument of DuckDB's readers: a path, or a list of paths."""
    read = tuple(Literal(str(path.absolute())) for path in files)
    return read[0] if len(read) == 1 else Statement("sources/files", paths=Joined(read, ", "))


def files_of(place: Place | None) -> list[Path]:
    """Data files of a place: those of its path or dataset. Empty for a database."""
    if place is None:
        return []
    if place.path is not None:
        return paths_of(place.path)
    if place.dataset is not None:
        return dataset.files(place.dataset)
    return []


def databases_of(place: Place | None) -> list[Path]:
    """Database files to attach to the working store (DuckDB files) for a place."""
    file = None if place is None or place.url is None else place.url.embedded_file
    return [] if file is None else [file]


def database_files_of(place: Place | None) -> list[Path]:
    """Database files of a place, of any kind, such as DuckDB or SQLite."""
    file = None if place is None or place.url is None else place.url.file
    return [] if file is None else [file]


def paths_of(path: Path) -> list[Path]:
    """The files of a path: the path itself, or the matches of a pattern such as ``visits/*.parquet``, in order.

    An existing file with exactly this name is no pattern. Only a pattern with a leading point matches hidden files.
    """
    absolute = path.absolute()
    if not is_pattern(absolute):
        return [absolute]
    return sorted({file for file in _matches(absolute) if file.is_file()})


def is_pattern(path: Path) -> bool:
    """True if a path is a pattern of files, and no file has this name."""
    return any(sign in part for part in path.parts for sign in "*?[") and not path.exists()


def takes(place: Place | None, path: Path) -> bool:
    """True if a new file at ``path`` would match the file pattern of a place, and so become part of the source."""
    if place is None or place.path is None or not is_pattern(place.path.absolute()):
        return False
    pattern = place.path.absolute()
    folders = {folder.resolve() for folder in _matches(pattern.parent)}
    return path.resolve().parent in folders and _is_like(path.name, pattern.name)


def _matches(path: Path) -> Iterator[Path]:
    """Yield the paths that match a pattern.

    A part of the pattern is taken literally if a file or folder has this name.
    """
    folders = [Path(path.anchor)]
    for part in path.parts[1:]:
        folders = [inner for folder in folders for inner in _inner(folder, part)]
    yield from folders


def _inner(folder: Path, part: str) -> list[Path]:
    if (folder / part).exists():
        return [folder / part]
    if not any(sign in part for sign in "*?[") or not folder.is_dir():
        return []
    return [inner for inner in folder.glob(part) if part == "**" or _is_like(inner.name, part)]


def _is_like(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern) and (not name.startswith(".") or pattern.startswith("."))


_MARK = b"\xef\xbb\xbf"
Truths: TypeAlias = "NDArray[np.bool_]"
_FEED, _RETURN = b"\n"[0], b"\r"[0]


@dataclass(frozen=True)
class HeaderRecords:
    """Examined records of a CSV file.

    ``header`` has the column names, ``rows`` is the number of records without the header, ``quoted`` is true if any
    cell is quoted, and ``nul`` is the first line with a NUL character, or None.
    """

    header: Sequence[str]
    rows: int
    quoted: bool
    nul: int | None = None


class NotUnicode(SourceError):
    """A file is not in UTF-8. The message names the first line with invalid bytes."""


def examine_records(
    path: Path, delimiter: str, *, label: str | None = None, quote: str = '"', unicode: bool = False
) -> HeaderRecords:
    """Find the records of a file. An empty line is a record only in a file of one column: its value is missing.

    Args:
        path: The file.
        delimiter: The character between cells.
        label: Name of the file in errors.
        quote: The character around quoted cells.
        unicode: True if the file was checked to be UTF-8 before.

    Raises:
        SourceError: The file is not UTF-8, has no header, ends in an open quote, has a line with more or fewer cells
            than
            the header, has different line ends, or has quotes in other places than around whole cells.
    """
    label = label or str(path)
    if not delimiter.isascii() or delimiter in '"\n\r\0 ' or delimiter == quote:
        raise SourceError(f"{label}: {delimiter!r} cannot be a delimiter: use one character such as , ; | or a tab")
    try:
        if not unicode:
            refuse_other_bytes(path, label)
        header = _header(path, delimiter, label, quote)
        with open(path, "rb") as content:
            lines = _Lines(ord(delimiter), ord(quote))
            lines.read(content.read(len(_MARK)).removeprefix(_MARK))
            for block in iter(partial(content.read, _BLOCK), b""):
                lines.read(block)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise SourceError(f"{label} cannot be read as CSV in UTF-8 ({type(error).__name__}): check the file") from None
    if problem := lines.problem:
        raise SourceError(f"{label}{problem}")
    records = lines.count if len(header) == 1 else lines.count - lines.empty
    # No line has fewer delimiters, or DuckDB refuses it: as many in all are as many in each.
    if lines.delimiters != records * (len(header) - 1):
        where, detail = _uneven(path, delimiter, len(header), quote)
        raise SourceError(
            f"{label}{where}: the line has more or fewer cells than the header{detail}: put quotes around cells that "
            f"contain {delimiter!r}, and remove lines above the header"
        )
    return HeaderRecords(header, records - 1, lines.quoted, lines.nul)


def refuse_other_bytes(path: Path, label: str) -> None:
    """Raise :class:`NotUnicode` for a file not in UTF-8, with the number of the first invalid line."""
    decode, blocks = codecs.getincrementaldecoder("utf-8")().decode, 0
    with open(path, "rb") as content:
        while block := content.read(_BLOCK):
            try:
                decode(block, final=False)
            except UnicodeDecodeError as error:
                content.seek(0)
                feeds = sum(content.read(_BLOCK).count(b"\n") for _ in range(blocks))
                line = feeds + block.count(b"\n", 0, max(error.start, 0)) + 1
                raise NotUnicode(
                    f"{label}, line {line}: the file is not in UTF-8: give source.encoding, such as windows-1252"
                ) from None
            blocks += 1


def header_names(header: Sequence[str], rename: Mapping[str, str], label: str) -> tuple[list[str], list[str]]:
    """Return unique column names for a header, renamed as declared in ``rename``, and remarks on generated names.

    Raises :class:`SourceError` for a renamed column absent from the header.
    """
    renamed: list[str] = []
    problems, taken = [], {name.casefold() for name in header}
    names_seen: set[str] = set()
    for position, name in enumerate(header, 1):
        new_name = name
        if not name:
            new_name = f"column {position}"
        number = 2
        while new_name.casefold() in names_seen or (new_name != name and new_name.casefold() in taken):
            new_name, number = f"{name or f'column {position}'}_{number}", number + 1
        if new_name != name:
            # The name of a file without a header is a value.
            what = (
                f"with the name of an earlier column, which is called by this name and _{number - 1}"
                if name
                else f"without a name, as {new_name!r}"
            )
            problems.append(f"column {position}, {what}")
        names_seen.add(new_name.casefold())
        renamed.append(new_name)
    # A name with a difference in case only to an earlier one goes by its own name, too.
    own = {name: new_name for name, new_name in zip(header, renamed, strict=True) if name and header.count(name) == 1}
    rename = {own.get(name, name): new for name, new in rename.items()}
    for name in rename:
        if name not in renamed:
            raise SourceError(f"source.rename: column {name!r} is not in {label}.{hint(name, renamed)}")
    notes = [f" has {'; '.join(problems)}: source.rename gives it another name"] if problems else []
    return [rename.get(name, name) for name in renamed], notes


def _header(path: Path, delimiter: str, label: str, quote: str) -> list[str]:
    with open(path, encoding="utf-8", newline="") as lines:
        marked = lines.read(1) == "\ufeff"
        lines.seek(len(_MARK) if marked else 0)
        read, copied = tee(lines)
        header = next(csv.reader(copied, delimiter=delimiter, quotechar=quote, strict=True), [])
        *_, last = ["", *islice(read, 1 + sum(name.count("\n") for name in header))]
    if not header and not path.stat().st_size:
        raise SourceError(f"{label} is empty, without a header and rows: give a file with rows")
    if any("\0" in name for name in header):
        raise SourceError(
            f"{label}, line 1: the line has the character NUL, so the file is no CSV file, or has another encoding: "
            "check source.encoding"
        )
    if not any(header):
        raise SourceError(f"{label}, line 1: a column has no name in the header: give every column a name")
    # The reader takes the first line end, also inside quotes, as the one of all lines.
    misled = marked or last.endswith("\r\n")
    refuse_line_ends(header, label, "\r\n" if misled else "\r")
    return header


def refuse_line_ends(header: Sequence[str], label: str, ends: str) -> None:
    """Raise :class:`SourceError` for a column name with a line end in ``ends``, as these mislead the reader."""
    if any(end in name for name in header for end in ends):
        raise SourceError(f"{label}, line 1: the name of a column has a line end: rename the column")


def _uneven(path: Path, delimiter: str, cells: int, quote: str) -> tuple[str, str]:
    """Texts for a message: line of the first record with more or fewer cells than the header, and both counts."""
    # only for the place in an error raised anyway
    with suppress(csv.Error), open(path, encoding="utf-8-sig", errors="replace", newline="") as lines:
        records = csv.reader(lines, delimiter=delimiter, quotechar=quote)
        for record in records:
            if record and len(record) != cells:
                return f", line {records.line_num}", f" ({len(record)}, and the header has {cells})"
    return "", ""


class _Lines:
    """Counter of a file's lines and delimiters, block by block. A line end inside quotes does not end a line."""

    def __init__(self, delimiter: int, quote: int) -> None:
        self.delimiters = self.empty = 0
        self.quoted = False
        self.nul: int | None = None
        self._delimiter, self._quote = delimiter, quote
        self._last = _FEED  # as if a line had ended before the first
        self._inside = False
        self._misplaced = 0
        self._feeds = self._returns = self._pairs = self._physical = 0

    def read(self, block: bytes) -> None:
        """Count the lines in the next bytes."""
        # Every byte is examined with the previous byte, with its known state.
        content = np.frombuffer(bytes([self._last]) + block, np.uint8)
        feeds, returns, delimiters = content == _FEED, content == _RETURN, content == self._delimiter
        physical = _count(feeds[1:])
        if self.nul is None and (at := block.find(b"\0")) >= 0:
            self.nul = self._physical + block.count(b"\n", 0, at) + 1
        if self._inside or self._last == self._quote or self._quote in block:
            quotes = content == self._quote
            outside = self._outside(quotes, feeds | returns | delimiters, block)
            feeds, returns, delimiters = feeds & outside, returns & outside, delimiters & outside
        ends, pairs = feeds | returns, feeds[1:] & returns[:-1]
        self.delimiters += _count(delimiters[1:])
        self.empty += _count(ends[1:] & ends[:-1] & ~pairs)
        self._feeds += _count(feeds[1:])
        self._returns += _count(returns[1:])
        self._pairs += _count(pairs)
        self._physical += physical
        self._last = int(content[-1])

    @property
    def count(self) -> int:
        """Number of lines; the last one may have no end."""
        return self._feeds + self._returns - self._pairs + (self._last not in (_FEED, _RETURN))

    @property
    def problem(self) -> str | None:
        """Reason in words why CSV readers may disagree on the lines, or None."""
        if self._misplaced:
            return (
                f", line {self._misplaced}: a quote stands inside an unquoted cell or beside a quoted one: put "
                "quotes around the whole cell, and double the quotes inside"
            )
        if self._inside:
            return ": the last quote is not closed: check the file"
        if (self._feeds > self._pairs) + (self._returns > self._pairs) + (self._pairs > 0) > 1:
            return ": its lines have different ends (LF, CRLF or CR): end all lines alike"
        return None

    def _outside(self, quotes: Truths, separators: Truths, block: bytes) -> Truths:
        """Mask of the bytes outside of quotes. Also notes the line of a quote inside a cell that is not doubled."""
        self.quoted = True
        within = np.cumsum(quotes[1:], dtype=np.uint8) & 1 == (0 if self._inside else 1)
        outside = ~np.concatenate(([self._inside], within))
        opens_late = quotes[1:] & ~outside[1:] & ~(separators | quotes)[:-1]
        closes_early = quotes[:-1] & outside[:-1] & ~(separators | quotes)[1:]
        if not self._misplaced and (wrong := opens_late | closes_early).any():
            self._misplaced = self._physical + block.count(b"\n", 0, int(np.argmax(wrong))) + 1
        self._inside = not outside[-1]
        return outside


def _count(truths: Truths) -> int:
    return int(np.count_nonzero(truths))
