"""A CSV file as it comes: its encoding and its delimiter found where the job does not give them, and told."""

from __future__ import annotations

import codecs
import csv
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path

from starcloak.errors import SourceError
from starcloak.job import Source as Place
from starcloak.source import records
from starcloak.source.records import NotUnicode, Records

_DELIMITERS = (",", ";", "\t", "|")
_MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_GUESSED = "windows-1252"  # what a file of single bytes is most often; no two texts of it become one
_BLOCK = 1 << 20  # bytes that are decoded together


@dataclass(frozen=True)
class Delimited:
    """A CSV file: its records, how it is read, and what was found that the job does not give.

    ``path`` has it in UTF-8, which may be a copy.
    """

    path: Path
    records: Records
    delimiter: str
    encoding: str
    said: tuple[str, ...]


def find(place: Place, file: Path, copy: Path) -> Delimited:
    """Find a CSV file's encoding, delimiter and names. One that is not UTF-8 is read from a ``copy`` that is.

    Raises :class:`SourceError`.
    """
    label, said = str(place.path), list[str]()
    encoding = place.encoding or _marked(file, label)
    if place.encoding is None and encoding is not None:
        said.append(f"{label} was read as {encoding}, which its byte order mark tells")
    try:
        if encoding in (None, "utf-8"):
            records.refuse_other_bytes(file, label)
    except NotUnicode as problem:
        if place.encoding is not None:
            raise
        encoding, line = _GUESSED, str(problem).removeprefix(label).split(":")[0]
        said.append(f"{label}{line}: not UTF-8, so it was read as {encoding}: give source.encoding to be sure")
    except OSError as error:
        raise SourceError(f"{label} cannot be read as CSV ({type(error).__name__}): check the file") from None
    if encoding not in (None, "utf-8"):
        _decode(file, copy, encoding, label, sure=place.encoding is not None)
        file = copy
    delimiter, found = _delimited(place, file, label)
    if place.delimiter is None and delimiter != ",":
        said.append(f"{label}: its cells are delimited by {delimiter!r}, as its lines have it")
    header, told = records.names(found.header, place.rename, label)
    return Delimited(file, replace(found, header=header), delimiter, encoding or "utf-8", (*said, *told))


def _marked(file: Path, label: str) -> str | None:
    """The encoding that a byte order mark tells; that of UTF-8 is everybody's."""
    try:
        with open(file, "rb") as content:
            start = content.read(2)
    except OSError as error:
        raise SourceError(f"{label} cannot be read as CSV ({type(error).__name__}): check the file") from None
    return _MARKS.get(start)


def _decode(file: Path, copy: Path, encoding: str, label: str, *, sure: bool) -> None:
    """Write a file in UTF-8. Raises :class:`SourceError` where it is of another encoding."""
    decoder, feeds = codecs.getincrementaldecoder(encoding)(), 0
    with open(file, "rb") as content, open(copy, "w", encoding="utf-8", newline="") as into:
        for block in chain(iter(partial(content.read, _BLOCK), b""), [b""]):
            try:
                text = decoder.decode(block, final=not block)
                into.write(text)
            except UnicodeError as error:
                start = error.start if isinstance(error, UnicodeDecodeError) else 0
                line = feeds + block.count(b"\n", 0, start) + 1
                other = "give another source.encoding" if sure else "neither UTF-8: give source.encoding"
                raise SourceError(f"{label}, line {line}: not {encoding}: {other}") from None
            if not sure and "\0" in text:
                raise SourceError(f"{label} is not UTF-8, and has NULs as no text does: give source.encoding")
            feeds += text.count("\n")


def _delimited(place: Place, file: Path, label: str) -> tuple[str, Records]:
    """The delimiter by which all lines have the header's cells, and the records by it."""
    if place.delimiter is not None:
        return place.delimiter, records.examine(file, place.delimiter, label=label)
    candidates = [delimiter for delimiter in _DELIMITERS if _cells(file, delimiter) > 1]
    if len(candidates) < 2:
        (delimiter,) = candidates or [","]
        return delimiter, records.examine(file, delimiter, label=label)
    fitting, problems = {}, []
    for delimiter in candidates:
        try:
            fitting[delimiter] = records.examine(file, delimiter, label=label)
        except SourceError as problem:
            problems.append(problem)
    if len(fitting) == 1:
        return next(iter(fitting.items()))
    if "," in candidates and not fitting:
        raise problems[candidates.index(",")]
    told = ", ".join(map(repr, candidates))
    raise SourceError(f"{label}, line 1: its delimiter may be any of {told}: give source.delimiter")


def _cells(file: Path, delimiter: str) -> int:
    """How many cells a file's first line has by a delimiter."""
    with suppress(OSError, UnicodeDecodeError, csv.Error), open(file, encoding="utf-8-sig", newline="") as lines:
        return len(next(csv.reader(lines, delimiter=delimiter, strict=True), []))
    return 0
