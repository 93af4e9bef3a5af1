"""The records of a CSV file, found without its reader, so that no row can be lost or changed unseen.

Readers agree on RFC 4180 and on little else: DuckDB takes away spaces around quotes and drops empty cells beyond those
of the header, others keep both. A file whose records readers would tell differently is refused, and the rows that were
read are counted against those that are there.
"""

from __future__ import annotations

import codecs
import csv
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice, tee
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from starcloak.base.errors import SourceError, hint

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BLOCK = 1 << 20  # bytes that are looked at together
_MARK = b"\xef\xbb\xbf"
Truths: TypeAlias = "NDArray[np.bool_]"
_FEED, _RETURN = b"\n"[0], b"\r"[0]


@dataclass(frozen=True)
class HeaderRecords:
    """The names in a file's header, its further records, and whether any cell is quoted."""

    header: Sequence[str]
    rows: int
    quoted: bool


class NotUnicode(SourceError):
    """A file is not UTF-8, from a line on."""


def examine(
    path: Path, delimiter: str, *, label: str | None = None, quote: str = '"', unicode: bool = False
) -> HeaderRecords:
    """Find the records of a file. Lines without a cell are none, but where there is one column: its value is missing.

    ``label`` is what errors call it; ``unicode`` tells that it was found to be UTF-8 before.

    Raises :class:`SourceError`: a file that is not UTF-8, has no header, ends in an open quote, has a line of more or
    fewer cells than the header, lines that end in different ways, or quotes anywhere but around whole cells.
    """
    label = label or str(path)
    if not delimiter.isascii() or delimiter in '"\n\r\0 ' or delimiter == quote:
        raise SourceError(f"{label}: {delimiter!r} cannot delimit: use one character such as , ; | or a tab")
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
        where = _uneven(path, delimiter, len(header), quote)
        raise SourceError(
            f"{label}{where}: more or fewer cells than in the header: put a cell with {delimiter!r} in it in quotes, "
            "and leave no line above the one that names the columns"
        )
    return HeaderRecords(header, records - 1, lines.quoted)


def refuse_other_bytes(path: Path, label: str) -> None:
    """Refuse a file that is not UTF-8, with the line from which on. Raises :class:`NotUnicode`."""
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
                    f"{label}, line {line}: not UTF-8: give source.encoding, such as windows-1252"
                ) from None
            blocks += 1


def names(header: Sequence[str], rename: Mapping[str, str], label: str) -> tuple[list[str], list[str]]:
    """The names of a header's columns, each once, renamed; and what there is to tell of those that were made.

    Raises :class:`SourceError` for a column that is to be renamed and is not there.
    """
    renamed: list[str] = []
    said, taken = [], {name.casefold() for name in header}
    seen: set[str] = set()
    for position, name in enumerate(header, 1):
        made = name
        if not name:
            made = f"column {position}"
        number = 2
        while made.casefold() in seen or (made != name and made.casefold() in taken):
            made, number = f"{name or f'column {position}'}_{number}", number + 1
        if made != name:
            # The name of a file without a header is a value.
            what = (
                f"named as an earlier one, by that name and _{number - 1}" if name else f"without a name, as {made!r}"
            )
            said.append(f"column {position}, {what}")
        seen.add(made.casefold())
        renamed.append(made)
    # One that differs from an earlier one in case alone goes by its own name, too.
    own = {name: made for name, made in zip(header, renamed, strict=True) if name and header.count(name) == 1}
    rename = {own.get(name, name): other for name, other in rename.items()}
    for name in rename:
        if name not in renamed:
            raise SourceError(f"source.rename: column {name!r} is not in {label}.{hint(name, renamed)}")
    notes = [f" has {'; '.join(said)}: source.rename gives it another name"] if said else []
    return [rename.get(name, name) for name in renamed], notes


def _header(path: Path, delimiter: str, label: str, quote: str) -> list[str]:
    with open(path, encoding="utf-8", newline="") as lines:
        marked = lines.read(1) == "\ufeff"
        lines.seek(len(_MARK) if marked else 0)
        read, given = tee(lines)
        header = next(csv.reader(given, delimiter=delimiter, quotechar=quote, strict=True), [])
        *_, last = ["", *islice(read, 1 + sum(name.count("\n") for name in header))]
    if not header and not path.stat().st_size:
        raise SourceError(f"{label} is empty: it has neither a header nor rows")
    if any("\0" in name for name in header):
        raise SourceError(f"{label}, line 1: a NUL, which no text has: is it CSV, and of that encoding?")
    if not any(header):
        raise SourceError(f"{label}, line 1: every column needs a name in the header")
    # The reader takes the first line end that it meets, in quotes as well, for that of all lines.
    misled = marked or last.endswith("\r\n")
    refuse_line_ends(header, label, "\r\n" if misled else "\r")
    return header


def refuse_line_ends(header: Sequence[str], label: str, ends: str) -> None:
    """Raise :class:`SourceError` where a column's name has one of the line ends that mislead the reader."""
    if any(end in name for name in header for end in ends):
        raise SourceError(f"{label}, line 1: a column's name has a line end: rename it")


def _uneven(path: Path, delimiter: str, cells: int, quote: str) -> str:
    """Where the first record is that has more or fewer cells than the header."""
    # only the place in an error that is raised anyway
    with suppress(csv.Error), open(path, encoding="utf-8-sig", errors="replace", newline="") as lines:
        records = csv.reader(lines, delimiter=delimiter, quotechar=quote)
        return next((f", line {records.line_num}" for record in records if record and len(record) != cells), "")
    return ""


class _Lines:
    """The lines of a file, counted a block at a time. A line end in quotes ends none."""

    def __init__(self, delimiter: int, quote: int) -> None:
        self.delimiters = self.empty = 0
        self.quoted = False
        self._delimiter, self._quote = delimiter, quote
        self._last = _FEED  # as if a line had ended before the first
        self._inside = False
        self._misplaced = 0
        self._feeds = self._returns = self._pairs = self._physical = 0

    def read(self, block: bytes) -> None:
        """Count the lines of the next bytes."""
        # Every byte is looked at with the one before it, of which the state is known.
        content = np.frombuffer(bytes([self._last]) + block, np.uint8)
        feeds, returns, delimiters = content == _FEED, content == _RETURN, content == self._delimiter
        physical = _count(feeds[1:])
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
        """How many lines there are; the last one may have no end."""
        return self._feeds + self._returns - self._pairs + (self._last not in (_FEED, _RETURN))

    @property
    def problem(self) -> str | None:
        """Why readers would not find the same lines."""
        if self._misplaced:
            return (
                f", line {self._misplaced}: a quote in a cell or beside one: quote whole cells, double quotes in them"
            )
        if self._inside:
            return ": its last quote is not closed: check the file"
        if (self._feeds > self._pairs) + (self._returns > self._pairs) + (self._pairs > 0) > 1:
            return ": its lines end in different ways: end all of them alike"
        return None

    def _outside(self, quotes: Truths, separators: Truths, block: bytes) -> Truths:
        """Which bytes are outside of quotes, where every quote opens or closes a cell or stands twice."""
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
