"""CSV files as a source. Compression, encoding, delimiter and quote character are detected if the job lacks them.

Detected settings are reported to the user.
"""

from __future__ import annotations

import codecs
import csv
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, groupby
from pathlib import Path
from typing import Literal

from starcloak.base.errors import SourceError
from starcloak.job import Place
from starcloak.sources import file_formats
from starcloak.sources.file_formats import HeaderRecords, NotUnicode, delimited_rows, keeping, unpack
from starcloak.statements.statement import As, Name, Statement, union_all

#: Possible delimiters of cells, if a job sets none.
DELIMITERS = (",", ";", "\t", "|")
_MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_GUESSED = "windows-1252"  # the most frequent encoding of single bytes; no two texts become one
_BLOCK = 1 << 20  # bytes decoded together


@dataclass(frozen=True)
class Delimited:
    """An examined CSV file: its records and its format.

    ``path`` is the file itself or, if it is compressed or not in UTF-8, a converted copy. ``said`` has remarks on
    detected settings: pairs of a place in the file and the finding.
    """

    file: Path
    path: Path
    records: HeaderRecords
    delimiter: str
    quote: str
    encoding: str
    said: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Files:
    """CSV files with the same columns, as one table.

    ``rows`` reads the table in this run, ``portable`` in a script for another client. ``count`` is the number of rows,
    and ``said`` has remarks for the user.
    """

    rows: Statement
    portable: Statement
    header: Sequence[str]
    count: int
    said: tuple[str, ...]


def find(place: Place, files: Mapping[Path, Path], copies: Path) -> Files:
    """Detect the format of each CSV file, and return the files as one table.

    ``files`` maps each file to the path to read. Compressed files, and files not in UTF-8, are converted to the folder
    ``copies``. Raises :class:`SourceError`, also for files with different columns.
    """
    examined: list[Delimited] = []
    for number, (file, plain) in enumerate(files.items()):
        label = str(place.path) if len(files) == 1 else str(file)
        file_read = _find(place, file, plain, copies / f"{number}.csv", label)
        if examined and file_read.records.header != examined[0].records.header:
            first = examined[0].file
            raise SourceError(
                f"{label} has other columns than {first}, or another order: give all files the same columns in the "
                "same order"
            )
        examined.append(file_read)
    return Files(
        _read(examined, place.nulls, here=True),
        _read(examined, place.nulls, here=False),
        examined[0].records.header,
        sum(file_read.records.rows for file_read in examined),
        tuple(_findings(examined)),
    )


def _read(examined: Sequence[Delimited], missing: Sequence[str], *, here: bool) -> Statement:
    """Statement to read examined files: from their copies (``here``), or from the original files for
    another client.
    """

    def way(file_read: Delimited) -> tuple[str, str, str, bool]:
        return file_read.delimiter, file_read.quote, "utf-8" if here else file_read.encoding, file_read.records.quoted

    alike = [(key, list(readings)) for key, readings in groupby(sorted(examined, key=way), way)]
    read = [
        delimited_rows(
            [file_read.path if here else file_read.file for file_read in readings],
            readings[0].records,
            delimiter,
            missing,
            encoding,
            quote,
        )
        for (delimiter, quote, encoding, _), readings in alike
    ]
    if len(read) == 1:
        return read[0]
    nested = Statement("store/relation#nested", rows=union_all(read))
    return Statement("store/relation", relation=As(nested, Name("files")))


def _findings(examined: Sequence[Delimited]) -> list[str]:
    """Remarks on all files.

    Equal remarks are merged, with the first file concerned and the number of further files.
    """
    places: dict[str, list[str]] = {}
    for file_read in examined:
        for where, what in file_read.said:
            places.setdefault(what, []).append(where)
    return [
        f"{wheres[0]}{what}" + (f" (also in {len(wheres) - 1:,} further files)" if len(wheres) > 1 else "")
        for what, wheres in places.items()
    ]


def _find(place: Place, file: Path, plain: Path, copy: Path, label: str) -> Delimited:
    read = unpack(plain, copy, label)
    encoding, notes = encoding_of(read, label, given=place.encoding)
    if encoding is not None:
        decoded = copy.with_suffix(".utf-8.csv")
        _decode(read, decoded, encoding, label, sure=place.encoding is not None)
        if read == copy:
            copy.unlink()
        read = decoded
    quote = place.quote or _quote(read)
    if place.quote is None and quote != '"':
        notes.append((label, f": cells are read with the quote {quote}, as in the header"))
    delimiter, rows_read = _delimiter_of(place, read, label, quote)
    if place.delimiter is None and delimiter != ",":
        notes.append((label, f": cells are read with the delimiter {delimiter!r}, as in the lines"))
    if rows_read.nul is not None:
        what = (
            ": a cell has the character NUL, which some databases and programs do not support: remove it from the file"
        )
        notes.append((f"{label}, line {rows_read.nul}", what))
    if encoding and codecs.lookup(encoding).name == "utf-16":  # its mark, absent from the copy, misleads scripts
        file_formats.refuse_line_ends(rows_read.header, label, "\r\n")
    header, renamed = file_formats.header_names(rows_read.header, place.rename, label)
    notes += [(label, note) for note in renamed]
    return Delimited(file, read, replace(rows_read, header=header), delimiter, quote, encoding or "utf-8", tuple(notes))


def encoding_of(file: Path, label: str, *, given: str | None = None) -> tuple[str | None, list[tuple[str, str]]]:
    """Return the encoding of a file (None for UTF-8), and a remark on a detected encoding, as place and finding.

    ``given`` is the encoding set in the job, if any. Without it, a file is UTF-16 by its byte order mark, UTF-8 if all
    bytes are valid, else windows-1252. Raises :class:`SourceError`.
    """
    if given not in (None, "utf-8"):
        return given, []
    try:
        with open(file, "rb") as content:
            marked = _MARKS.get(content.read(2)) if given is None else None
        if marked is not None:
            return marked, [(label, f" was read as {marked}, as its byte order mark says")]
        file_formats.refuse_other_bytes(file, label)
    except NotUnicode as problem:
        if given is not None:
            raise
        line = str(problem).removeprefix(label).split(":")[0]
        note = f": not UTF-8, so it was read as {_GUESSED}: give source.encoding to be sure"
        return _GUESSED, [(f"{label}{line}", note)]
    except OSError as error:
        raise SourceError(f"{label} cannot be read as CSV ({type(error).__name__}): check the file") from None
    return None, []


def _decode(file: Path, copy: Path, encoding: str, label: str, *, sure: bool) -> None:
    """Convert a file to UTF-8. ``sure`` is false for a detected encoding.

    Raises :class:`SourceError` if the file has bytes invalid in ``encoding``.
    """
    decoder, feeds = codecs.getincrementaldecoder(encoding)(), 0
    with keeping(copy), open(file, "rb") as content, open(copy, "w", encoding="utf-8", newline="") as into:
        for block in chain(iter(partial(content.read, _BLOCK), b""), [b""]):
            try:
                text = decoder.decode(block, final=not block)
                into.write(text)
            except UnicodeError as error:
                start = error.start if isinstance(error, UnicodeDecodeError) else 0
                line = feeds + block.count(b"\n", 0, start) + 1
                problem = "not {}: give another" if sure else "neither UTF-8 nor {}: give"
                raise SourceError(f"{label}, line {line}: {problem.format(encoding)} source.encoding") from None
            if not sure and "\0" in text:
                raise SourceError(f"{label} is not UTF-8, and has NUL bytes as in UTF-16: give source.encoding")
            feeds += text.count("\n")


def _quote(file: Path) -> str:
    """Detect the quote character: an apostrophe if every cell of the header is enclosed by it, else a
    double quote.
    """
    for delimiter in DELIMITERS:
        cells = _header(file, delimiter, None)
        if len(cells) > 1 and all(len(cell) > 2 and cell[0] == cell[-1] == "'" for cell in cells):
            return "'"
    return '"'


def _delimiter_of(place: Place, file: Path, label: str, quote: str) -> tuple[str, HeaderRecords]:
    """Detect the delimiter, and examine the records.

    The delimiter must give every line as many cells as the header. Raises :class:`SourceError` without a unique one.
    """
    if place.delimiter is not None:
        return place.delimiter, file_formats.examine_records(
            file, place.delimiter, label=label, quote=quote, unicode=True
        )
    candidates = [delimiter for delimiter in DELIMITERS if len(_header(file, delimiter, quote)) > 1]
    if len(candidates) < 2:
        (delimiter,) = candidates or [","]
        return delimiter, file_formats.examine_records(file, delimiter, label=label, quote=quote, unicode=True)
    fitting, problems = {}, []
    for delimiter in candidates:
        try:
            fitting[delimiter] = file_formats.examine_records(file, delimiter, label=label, quote=quote, unicode=True)
        except SourceError as problem:
            problems.append(problem)
    if len(fitting) == 1:
        return next(iter(fitting.items()))
    if "," in candidates and not fitting:
        raise problems[candidates.index(",")]
    listed = ", ".join(map(repr, candidates))
    raise SourceError(f"{label}, line 1: several characters may be the delimiter ({listed}): give source.delimiter")


def _header(file: Path, delimiter: str, quote: str | None) -> list[str]:
    """Cells of a file's first line, split at ``delimiter``. With ``quote`` None, quotes are ordinary characters."""
    quoting: Literal[0, 3] = csv.QUOTE_NONE if quote is None else csv.QUOTE_MINIMAL
    # a guess: the file is read, and refused, afterwards
    with suppress(OSError, UnicodeDecodeError, csv.Error), open(file, encoding="utf-8-sig", newline="") as lines:
        return next(csv.reader(lines, delimiter=delimiter, quotechar=quote, quoting=quoting, strict=True), [])
    return []
