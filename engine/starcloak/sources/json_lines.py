"""JSON lines as a source: each name (key) becomes a column; its type is found from all values."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from starcloak.base.column import Column
from starcloak.base.errors import SourceError, StatementError, unread
from starcloak.sources.file_formats import paths_hole
from starcloak.statements.statement import Joined, Literal, Name, Statement
from starcloak.store.session import Session

_WHOLE = {"UBIGINT", "BIGINT"}
# The kinds of values read together as one type; a missing value is of every type.
_TYPES: dict[str, set[str]] = {
    "VARCHAR": {"VARCHAR"},
    "BOOLEAN": {"BOOLEAN"},
    "BIGINT": _WHOLE,
    "DOUBLE": {*_WHOLE, "DOUBLE"},
}
_UNREAD = "JSON"  # the type of a name without an exact reading


@dataclass(frozen=True)
class Lines:
    """Examined files of JSON lines.

    ``types`` has the type of each name, ``problems`` the reasons for inexact readings.
    """

    types: Mapping[str, str]
    problems: Mapping[str, str]

    def rows(self, files: Sequence[Path]) -> Statement:
        """Statement to read the given files as one table."""
        named = tuple(Joined((Literal(name), Literal(kind)), ": ") for name, kind in self.types.items())
        return Statement("sources/json", path=paths_hole(files), columns=Joined(named, ", "))

    def problem(self, column: Column) -> str | None:
        """Reason in words why a column cannot be read exactly, or None if it can."""
        return self.problems.get(column.name)


def examine(session: Session, files: Mapping[Path, Path], label: str) -> Lines:
    """Find the type of each name in files with one JSON object per line. ``files`` maps each file to the path to read.

    A name absent from a line is missing there. Numbers are 64-bit integers or doubles, texts stay texts. Raises
    :class:`SourceError` for a line without an object, and for a name unusable for a column.
    """
    lines = Statement("sources/json#objects", path=paths_hole([*files.values()]))
    objects = Statement("store/relation#nested", rows=lines)
    if any(_begins_with_mark(plain) for plain in files.values()):  # DuckDB reads past it, or does not, by its threads
        raise SourceError(_where(files, label) or f"{label} begins with a byte order mark: remove it")
    try:
        (further_keys,) = session.row(Statement("sources/json#others", objects=objects))
        read = session.run(Statement("sources/json#kinds", objects=objects)) if not further_keys else []
    except StatementError as error:
        # Without the memory to read it, nothing is known of its lines.
        wrong = None if error.kind.startswith("OutOfMemory") else _where(files, label)
        raise (SourceError(wrong) if wrong else unread(label, error.kind, "check the file")) from None
    if further_keys:
        raise SourceError(_where(files, label) or f"{label} has lines that are not JSON objects: check the file")
    kinds_of = {name: set(kinds) - {"NULL"} for name, kinds in read}
    if not kinds_of:
        raise SourceError(f"{label} has no names: there is nothing to read")
    if unnamed := [name for name in kinds_of if not name or "\0" in name]:
        raise SourceError(f"{label}: {unnamed[0]!r} cannot be the name of a column: rename it")
    types = {
        name: next((kind for kind, together in _TYPES.items() if kinds <= together), _UNREAD)
        for name, kinds in kinds_of.items()
    }
    problems = {name: _problem(kinds) for name, kinds in kinds_of.items() if types[name] == _UNREAD}
    number = Name("number")
    digits = {
        "digits_written": Statement("sources/json#digits", number=number),
        "digits_read": Statement("sources/json#digits", number=Statement("sources/json#double", number=number)),
    }
    for name, no_integer, no_double in session.run(Statement("sources/json#inexact", objects=objects, **digits)):
        kind = types.get(name)
        if (kind == "BIGINT" and no_integer) or (kind == "DOUBLE" and no_double):
            problems[name] = "has numbers with too many digits to be read exactly: write them as texts"
    return Lines({name: _UNREAD if name in problems else kind for name, kind in types.items()}, problems)


def _problem(kinds: set[str]) -> str:
    if "twice" in kinds:
        return "is in a line twice: remove one of the two"
    if kinds <= {"VARCHAR", "BOOLEAN", "DOUBLE", *_WHOLE}:
        names = {"VARCHAR": "texts", "BOOLEAN": "truths"}
        mixed = sorted({names.get(kind, "numbers") for kind in kinds})
        return f"has {' and '.join(mixed)}: convert all values to one of these, or put the column under identifiers"
    return "has objects or arrays: write their contents as separate names"


def _begins_with_mark(plain: Path) -> bool:
    with suppress(OSError), open(plain, "rb") as content:  # the file is read, and refused, afterwards
        return content.read(len(BOM_UTF8)) == BOM_UTF8
    return False


def _where(files: Mapping[Path, Path], label: str) -> str | None:
    """Error text for the first line without an object."""
    for file, plain in files.items():
        with suppress(OSError), open(plain, "rb") as lines:  # only for the place in an error raised anyway
            for number, line in enumerate(lines, 1):
                if line.strip() and not _is_object(line):
                    where = label if len(files) == 1 else str(file)
                    return f"{where}, line {number}: the line is not a JSON object in UTF-8: check the file"
    return None


def _is_object(line: bytes) -> bool:
    try:
        read = json.loads(line.decode())
        json.dumps(read, ensure_ascii=False).encode()  # half a character is none
        return isinstance(read, dict)
    except (ValueError, RecursionError):
        return False
