"""SQL statements: one per file under sql/, with typed holes.

A hole ``{name}`` in a file is filled by quoted identifiers, by whole numbers or by other statements, never by a
string. Values are binds (``$name``) and travel beside the text. Where the text differs for a database, it has a file
of its own, such as ``release/map.postgresql.sql``; without a dialect, a text is that of the working store.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from starcloak import paths

if TYPE_CHECKING:
    import pyarrow

# Of texts in scripts, clients end a line's carriage return, or the text at a NUL.
CHANGED = r"\r\x00"
_HEX = {"mariadb": "_utf8mb4 x'{}'", "sqlite": "cast(x'{}' as text)"}
_HOLE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Name:
    """A quoted identifier; several parts are joined by dots.

    >>> Name("hospital", 'the "table"').sql()
    '"hospital"."the ""table\"""'
    """

    parts: tuple[str, ...]

    def __init__(self, *parts: str) -> None:
        if not parts or not all(isinstance(part, str) and part and "\0" not in part for part in parts):
            raise ValueError("a name needs parts, each of at least one character and without NUL")
        object.__setattr__(self, "parts", parts)

    def sql(self, dialect: str = "") -> str:
        return ".".join('"' + part.replace('"', '""') + '"' for part in self.parts)


@dataclass(frozen=True)
class Number:
    """A whole number that is part of a statement's shape, such as an attribute's position."""

    value: int

    def __post_init__(self) -> None:
        if type(self.value) is not int:
            raise TypeError("a number hole takes a whole number")

    def sql(self, dialect: str = "") -> str:
        return str(self.value)


@dataclass(frozen=True)
class Bind:
    """A bind whose name depends on its position; its value travels beside the text."""

    name: str

    def __post_init__(self) -> None:
        if not re.fullmatch(r"\w+", self.name):
            raise ValueError("a bind's name has letters, digits and underscores")

    def sql(self, dialect: str = "") -> str:
        return f"${self.name}"


@dataclass(frozen=True)
class Literal:
    """A text that a view must carry itself, since views take no binds: a file's path, a delimiter."""

    text: str

    def sql(self, dialect: str = "") -> str:
        return "'" + self.text.replace("'", "''") + "'"


@dataclass(frozen=True)
class Query:
    """The user's own query on the source's database, taken as it is."""

    text: str

    def sql(self, dialect: str = "") -> str:
        return self.text.strip()


@dataclass(frozen=True)
class Type:
    """A column's type, as the database itself wrote it."""

    text: str

    def sql(self, dialect: str = "") -> str:
        return self.text


@dataclass(frozen=True)
class Constants:
    """Rows of constants, for a script that travels without binds: texts, whole numbers, truths, missing values."""

    rows: pyarrow.Table

    def sql(self, dialect: str = "") -> str:
        from pyarrow import compute

        cells = [self._constants(column, dialect) for column in self.rows.columns]
        rows = compute.binary_join_element_wise(*cells, ", ", null_handling="replace", null_replacement="null")
        return "(" + "),\n    (".join(rows.to_pylist()) + ")"

    @staticmethod
    def _constants(cells: pyarrow.ChunkedArray, dialect: str) -> pyarrow.ChunkedArray:
        """Cells as SQL, as a :class:`Literal` or a :class:`Number` has it; what a client would change goes as hex."""
        from pyarrow import array, compute, string, types

        texts = cells.cast(string())
        if types.is_integer(cells.type) or types.is_boolean(cells.type):
            return texts
        quoted = compute.binary_join_element_wise("'", compute.replace_substring(texts, "'", "''"), "'", "")
        if dialect not in _HEX:
            return quoted
        changed = compute.fill_null(compute.match_substring_regex(texts, f"[{CHANGED}]"), False)
        hexed = [_HEX[dialect].format(text.encode().hex()) for text in texts.filter(changed).to_pylist()]
        return compute.replace_with_mask(quoted.combine_chunks(), changed.combine_chunks(), array(hexed, string()))


@dataclass(frozen=True)
class Reference:
    """What a dbt model reads by the name that its project has for it: a model or a seed, or a source and its table."""

    parts: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.parts) not in (1, 2) or not all(re.fullmatch(r"\w+", part, re.ASCII) for part in self.parts):
            raise ValueError("a reference has one or two names of letters, digits and underscores")

    def sql(self, dialect: str = "") -> str:
        """The template that becomes the relation's name: for dbt alone."""
        named = ", ".join(f"'{part}'" for part in self.parts)
        return f"{{{{ {'ref' if len(self.parts) == 1 else 'source'}({named}) }}}}"


class _Composed:
    """A hole that is made of others."""

    def written(self, dialect: str = "") -> list[str | Reference]:
        """Its text, apart from references, which a template escapes differently."""
        raise NotImplementedError

    def sql(self, dialect: str = "") -> str:
        return "".join([piece if isinstance(piece, str) else piece.sql() for piece in self.written(dialect)])


def _written(hole: Hole, dialect: str) -> list[str | Reference]:
    if isinstance(hole, _Composed):
        return hole.written(dialect)
    return [hole if isinstance(hole, Reference) else hole.sql(dialect)]


@dataclass(frozen=True)
class As(_Composed):
    """A piece under another name: ``piece as name``."""

    piece: Hole
    name: Name

    def written(self, dialect: str = "") -> list[str | Reference]:
        return [*_written(self.piece, dialect), f" as {self.name.sql()}"]


@dataclass(frozen=True)
class Joined(_Composed):
    """Pieces with a separator between them: a column list, the branches of a union, a chain of joins."""

    pieces: tuple[Hole, ...]
    separator: str

    def written(self, dialect: str = "") -> list[str | Reference]:
        texts: list[str | Reference] = []
        for place, piece in enumerate(self.pieces):
            texts += [self.separator, *_written(piece, dialect)] if place else _written(piece, dialect)
        return texts


def columns(pieces: Iterable[Hole]) -> Joined:
    """A column list, one column per line."""
    return Joined(tuple(pieces), ",\n    ")


def lines(pieces: Iterable[Hole]) -> Joined:
    """Joins or other clauses, one per line."""
    return Joined(tuple(pieces), "\n")


def conditions(pieces: Iterable[Hole]) -> Joined:
    """Conditions that must all hold."""
    return Joined(tuple(pieces), "\n    and ")


def union_all(pieces: Iterable[Hole]) -> Joined:
    """The rows of several statements, none of them dropped."""
    return Joined(tuple(pieces), "\nunion all\n")


@cache
def _text(path: str, dialect: str) -> tuple[str, ...]:
    """The text of a file before its first hole, that hole's name, the text after it, and so on."""
    file = paths.sql() / f"{path}.{dialect}.sql"
    if not dialect or not file.is_file():
        file = paths.sql() / f"{path}.sql"
    text = file.read_text(encoding="utf-8")
    kept = (line for line in text.splitlines() if not line.lstrip().startswith("--"))
    return tuple(_HOLE.split("\n".join(kept).strip()))


@dataclass(frozen=True)
class Statement(_Composed):
    """The statement of one file, its holes filled; ``own`` is the text of one that has no file.

    >>> print(Statement("hierarchy/domain", {"value": Name("value_1"), "base": Name("base")}).sql())
    select distinct "value_1" as value
    from "base"
    """

    path: str
    holes: Mapping[str, Hole] = field(default_factory=dict)
    own: str | None = None

    def written(self, dialect: str = "") -> list[str | Reference]:
        text = _text(self.path, dialect) if self.own is None else tuple(_HOLE.split(self.own))
        wanted = set(text[1::2])
        # A dialect's own text may need less than the others.
        if wanted != set(self.holes) and not (dialect and wanted < set(self.holes)):
            raise ValueError(f"{self.path}: the file has holes {sorted(wanted)}, filled were {sorted(self.holes)}")
        texts: list[str | Reference] = []
        for place, part in enumerate(text):
            texts += _written(self.holes[part], dialect) if place % 2 else [part]
        return texts


Hole = Name | Number | Bind | Literal | Query | Type | Constants | Reference | As | Joined | Statement


def files() -> Iterator[str]:
    """The paths of all statement files, as Statement takes them; those for dbt and SQLMesh have none."""
    root = paths.sql()
    for file in sorted(root.rglob("*.sql")):
        path = file.relative_to(root)
        if path.parts[0] not in ("dbt", "sqlmesh"):
            yield path.with_suffix("").as_posix()
