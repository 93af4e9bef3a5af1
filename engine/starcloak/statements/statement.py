"""SQL statements: one per file under sql/, with typed holes.

A hole ``{name}`` in a file is filled by quoted identifiers, by whole numbers or by other statements, never by a string.
The filling is indented like the line of its hole; a line left empty is removed. Values are binds (``$name``) and travel
separately from the text. A database's own text stands in a file of the same path under ``sql/databases``; without a
dialect, the text of the working store is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from starcloak.statements import statement_file
from starcloak.statements.dialects import Dialect, dialect_named

if TYPE_CHECKING:
    import pyarrow

# Of texts in scripts, clients end a line's carriage return, or the text at a NUL.
CHANGED = r"\r\x00"


@dataclass(frozen=True)
class Name:
    """A quoted identifier; several parts are joined by dots.

    >>> Name("hospital", 'the "table"').sql()
    '"hospital"."the ""table\"""'
    """

    parts: tuple[str, ...]

    def __init__(self, *parts: str) -> None:
        if not parts or not all(isinstance(part, str) and part and "\0" not in part for part in parts):
            raise ValueError(
                "a name has an empty part or the character NUL: give parts of one or more other characters"
            )
        object.__setattr__(self, "parts", parts)

    def sql(self, dialect: str = "") -> str:
        mark = dialect_named(dialect).quote
        return ".".join(mark + part.replace(mark, mark * 2) + mark for part in self.parts)


@dataclass(frozen=True)
class Number:
    """A whole number written into the text of a statement, such as an attribute's position."""

    value: int

    def __post_init__(self) -> None:
        if type(self.value) is not int:
            raise TypeError("a statement's Number is not an int: give a whole number")

    def sql(self, dialect: str = "") -> str:
        return str(self.value)


@dataclass(frozen=True)
class Bind:
    """A bind parameter, ``$name`` in the text of a statement; its value travels separately from the text."""

    name: str

    def __post_init__(self) -> None:
        if not re.fullmatch(r"\w+", self.name):
            raise ValueError(
                "the name of a bind has other characters than letters, digits and underscores: rename the bind"
            )

    def sql(self, dialect: str = "") -> str:
        return f"${self.name}"


@dataclass(frozen=True)
class Literal:
    """A text as an SQL literal inside a view, since views take no binds: a file's path, a delimiter."""

    text: str

    def sql(self, dialect: str = "") -> str:
        spoken = dialect_named(dialect)
        if spoken.hex_text and re.search(f"[{CHANGED}]", self.text):
            return spoken.hex_text.format(self.text.encode().hex())
        text = self.text.replace("\\", "\\\\") if spoken.escapes_backslashes else self.text
        return "'" + text.replace("'", "''") + "'"


@dataclass(frozen=True)
class Query:
    """The user's own query on the source's database, used unchanged."""

    text: str

    def sql(self, dialect: str = "") -> str:
        return self.text.strip()


@dataclass(frozen=True)
class Type:
    """A column's type, in the database's own notation."""

    text: str

    def sql(self, dialect: str = "") -> str:
        return self.text


@dataclass(frozen=True)
class Constants:
    """Rows as SQL constants, for a script without binds: texts, whole numbers, truth values, missing values."""

    rows: pyarrow.Table

    def sql(self, dialect: str = "") -> str:
        from pyarrow import compute

        cells = [self._constants(column, dialect_named(dialect)) for column in self.rows.columns]
        rows = compute.binary_join_element_wise(*cells, ", ", null_handling="replace", null_replacement="null")
        return "(" + "),\n    (".join(rows.to_pylist()) + ")"

    @staticmethod
    def _constants(cells: pyarrow.ChunkedArray, dialect: Dialect) -> pyarrow.ChunkedArray:
        """Cells as SQL, like a :class:`Literal` or a :class:`Number`; texts altered by a client are in hex."""
        from pyarrow import array, compute, string, types

        raw_texts = texts = cells.cast(string())
        if types.is_integer(cells.type) or types.is_boolean(cells.type):
            return texts
        if dialect.escapes_backslashes:
            texts = compute.replace_substring(texts, "\\", "\\\\")
        quoted = compute.binary_join_element_wise("'", compute.replace_substring(texts, "'", "''"), "'", "")
        if dialect.hex_text is None:
            return quoted
        changed = compute.fill_null(compute.match_substring_regex(raw_texts, f"[{CHANGED}]"), False)
        hexed = [dialect.hex_text.format(text.encode().hex()) for text in raw_texts.filter(changed).to_pylist()]
        return compute.replace_with_mask(quoted.combine_chunks(), changed.combine_chunks(), array(hexed, string()))


class Template:
    """A template filled in by dbt during the build of a model; all other text of a model is escaped."""

    def sql(self, dialect: str = "") -> str:
        """The template, for dbt alone."""
        raise NotImplementedError


@dataclass(frozen=True)
class Reference(Template):
    """A relation read by a dbt model by its name in the project: a model, or a source and its table."""

    parts: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.parts) not in (1, 2) or not all(re.fullmatch(r"\w+", part, re.ASCII) for part in self.parts):
            raise ValueError(
                "a dbt reference must be one or two names of letters, digits and underscores: rename the model or "
                "the source"
            )

    def sql(self, dialect: str = "") -> str:
        """The template for the relation's name, for dbt alone."""
        named = ", ".join(f"'{part}'" for part in self.parts)
        return f"{{{{ {'ref' if len(self.parts) == 1 else 'source'}({named}) }}}}"


@dataclass(frozen=True)
class ProjectFile(Template):
    """A file of a dbt project. Its ``path`` there has names of letters, digits, underscores and dots."""

    path: str

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[\w./]+", self.path, re.ASCII):
            raise ValueError(
                "the path of a file in the dbt project has other characters than letters, digits, underscores, dots "
                "and slashes: rename it"
            )

    def sql(self, dialect: str = "") -> str:
        """The template for the file's path as a text, independent of dbt's working folder, for dbt alone."""
        quoted = """adapter.config.project_root | string | replace("'", "''")"""
        return f"'{{{{ {quoted} }}}}/{self.path}'"


class _Composed:
    """Content of a hole (a placeholder ``{name}`` in a statement file), composed of the contents of other holes."""

    def write(self, onto: Text, dialect: str, indent: str) -> None:
        """Append the SQL of this hole to ``onto``; all its lines but the first begin with ``indent``."""
        raise NotImplementedError

    def compose(self, dialect: str = "") -> Text:
        """The text as a list, with binds and unescaped templates as separate items."""
        onto: Text = []
        self.write(onto, dialect, "")
        return onto

    def sql(self, dialect: str = "") -> str:
        return join(self.compose(dialect))


def join(text: Text) -> str:
    """Join the items of a composed text: binds as ``$name``, dbt templates in their own notation."""
    return "".join([piece if isinstance(piece, str) else piece.sql() for piece in text])


def _write(hole: Hole, onto: Text, dialect: str, indent: str) -> None:
    if isinstance(hole, _Composed):
        hole.write(onto, dialect, indent)
    else:
        onto.append(hole if isinstance(hole, (Template, Bind)) else hole.sql(dialect))


@dataclass(frozen=True)
class As(_Composed):
    """An SQL expression or relation with an alias: ``piece as name``."""

    piece: Hole
    name: Name

    def write(self, onto: Text, dialect: str, indent: str) -> None:
        _write(self.piece, onto, dialect, indent)
        onto.append(f" as {self.name.sql(dialect)}")


@dataclass(frozen=True)
class Joined(_Composed):
    """Pieces with a separator between them: a column list, the branches of a union, a chain of joins."""

    pieces: tuple[Hole, ...]
    separator: str

    def write(self, onto: Text, dialect: str, indent: str) -> None:
        separator = self.separator.replace("\n", f"\n{indent}") if indent else self.separator
        line = separator.rpartition("\n")[2] if "\n" in separator else indent
        within = line[: len(line) - len(line.lstrip())]
        for place, piece in enumerate(self.pieces):
            if place:
                onto.append(separator)
            _write(piece, onto, dialect, within if place else indent)


def columns(pieces: Iterable[Hole]) -> Joined:
    """Join expressions to a column list, one column per line."""
    return Joined(tuple(pieces), ",\n")


def lines(pieces: Iterable[Hole]) -> Joined:
    """Join clauses of a statement, such as joins of tables, one clause per line."""
    return Joined(tuple(pieces), "\n")


def conditions(pieces: Iterable[Hole]) -> Joined:
    """Join SQL conditions by ``and``, one condition per line."""
    return Joined(tuple(pieces), "\n    and ")


def union_all(pieces: Iterable[Hole]) -> Joined:
    """Join statements by ``union all``: the rows of all of them, with duplicates."""
    return Joined(tuple(pieces), "\nunion all\n")


class _Part(NamedTuple):
    """The text before a hole or a bind, with this hole or bind; ``alone`` is true for a hole on its own line."""

    text: str
    hole: str
    bind: Bind | None
    indent: str
    alone: bool


class _Layout(NamedTuple):
    """The text of a statement, split at its holes and binds; ``last`` is the text after the last of them."""

    parts: tuple[_Part, ...]
    last: str
    holes: frozenset[str]


@cache
def _layout(path: str, own: str | None, dialect: str, indent: str) -> _Layout:
    """Split a statement's text at its holes; lines after the first begin with ``indent``. ``own`` replaces the file."""
    body = statement_file.piece(path, dialect).body if own is None else statement_file.parse(own)[""].body
    *pairs, last = statement_file.OPEN.split(body.replace("\n", f"\n{indent}"))
    parts: list[_Part] = []
    line = indent
    for text, sign, after in zip(pairs[::2], pairs[1::2], [*pairs, last][2::2], strict=True):
        line = text.rpartition("\n")[2] if "\n" in text else line + text
        ends = after.startswith("\n") or (not after and len(parts) == len(pairs) // 2 - 1)
        bind = Bind(sign[1:]) if sign.startswith("$") else None
        within = line[: len(line) - len(line.lstrip())]
        parts.append(_Part(text, "" if bind else sign[1:-1], bind, within, ends and not line.strip()))
        line += sign
    return _Layout(tuple(parts), last, frozenset(part.hole for part in parts if not part.bind))


@dataclass(frozen=True, init=False)
class Statement(_Composed):
    """The statement of one file with filled holes; ``own`` is the text of a statement without a file.

    >>> print(Statement("store/relation", relation=Name("base")).sql())
    select *
    from "base"
    """

    path: str
    holes: Mapping[str, Hole]
    own: str | None

    def __init__(self, path: str, /, **holes: Hole) -> None:
        self._fill(path, holes, None)

    @classmethod
    def of_text(cls, path: str, text: str, /, **holes: Hole) -> Statement:
        """Return a statement of the SQL ``text`` instead of a file; ``path`` is only the name of the statement."""
        statement = cls.__new__(cls)
        statement._fill(path, holes, text)
        return statement

    def _fill(self, path: str, holes: Mapping[str, Hole], own: str | None) -> None:
        for name, value in (("path", path), ("holes", holes), ("own", own)):
            object.__setattr__(self, name, value)

    def write(self, onto: Text, dialect: str, indent: str) -> None:
        parts, last, wanted = _layout(self.path, self.own, dialect, indent)
        holes = self.holes
        # A dialect's own text may need less than the others.
        if wanted != holes.keys() and not (dialect and wanted < holes.keys()):
            raise ValueError(
                f"{self.path}: the statement has the holes {sorted(wanted)}, and {sorted(holes)} were filled: fill "
                "exactly its holes"
            )
        without = 0  # length of the removed text after a line left empty
        for text, hole, bind, within, alone in parts:
            onto.append(text[without:])
            without, start = 0, len(onto)
            if bind:
                onto.append(bind)
                continue
            _write(holes[hole], onto, dialect, within)
            if alone and not any(onto[start:]):
                before = onto.pop(start - 1)
                assert isinstance(before, str)
                if "\n" in before:
                    onto.append(before.rpartition("\n")[0])
                else:
                    without = 1 + len(indent)
        onto.append(last[without:])


def heading(statement: Statement | Joined, dialect: str = "") -> str:
    r"""Comment line before the text of a statement: the statement's name, and the first sentence of its header.

    >>> heading(Statement("store/relation"))
    '-- store/relation: The rows of a table, a view or a registered frame\n'
    """
    first = next(iter(_statements(statement)), None)
    return "" if first is None else _heading(first.path, first.own, dialect)


def path_of(statement: Statement | Joined) -> str:
    """Path of a statement's file, or of the first of several statements; ``query`` without any statement."""
    return next((part.path for part in _statements(statement)), "query")


def _statements(statement: Statement | Joined) -> Iterator[Statement]:
    for part in statement.pieces if isinstance(statement, Joined) else [statement]:
        if isinstance(part, Statement):
            yield part


@cache
def _heading(path: str, own: str | None, dialect: str) -> str:
    piece = statement_file.piece(path, dialect) if own is None else statement_file.parse(own)[""]
    return f"-- {': '.join(filter(None, [statement_file.as_comment(path), piece.headline]))}\n"


Text = list[str | Template | Bind]
#: A row of a result, and a statement with result rows.
Row = tuple[Any, ...]
Rows = Statement | Joined

Hole = Name | Number | Bind | Literal | Query | Type | Constants | Template | As | Joined | Statement
