"""Examples of statements for readers: the text of a statement file with its holes filled according to its header.

If the header of a hole says ``such as `'hospital.csv'```, the hole has the text between the backquotes. If it names
another statement or a section, the hole has the sample of this one. If it says ``as cell_1, cell_2, …`` or ``such as
zip_2, sex_0``, the hole has these names. In all other cases it has its own name. Binds stay as they are.
"""

from __future__ import annotations

import re

from starcloak.base.errors import InputError, hint
from starcloak.statements import statement_file
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Query, Statement, Type, columns

_NAMED = re.compile(r"(?<![\w/#])(?:[a-z_]+/)*[a-z_]*(?:/[a-z_]+|#\w+)(?:#\w+)?")
_GIVEN = re.compile(r"such as `(.+)`")
_SAID = re.compile(r"(?:\bas|such as|:) ((?:\w+_\d+|\w+(?=, …)|frequency|size)(?:, \w+_\d+)*)(?=,? …|,|;|$)")
# Holes other than names, by the hole, and by the statement and the hole.
_KINDS: dict[str, Hole] = {
    "type": Type("varchar"),
    "charset": Type("latin1"),
    "k": Number(5),
    "dimension": Number(1),
    "importance": Number(2),
    "recounts": Number(2),
    "width": Number(4),
}


def listing() -> str:
    """All statements and their sections, each with the first sentence of the header."""
    of_all = headlines()
    width = max(map(len, of_all))
    return "".join(f"{path:<{width}}  {headline}\n" for path, headline in sorted(of_all.items()))


def headlines() -> dict[str, str]:
    """The first sentence of the header of every statement and section, by its path."""
    found: dict[str, str] = {}
    for path, dialect in map(statement_file.split, statement_file.names()):
        if not dialect or path not in found:
            found[path] = statement_file.piece(path, dialect).headline
    return found


def text(name: str, dialect: str = "") -> str:
    """A statement or a section in a dialect, with its holes filled, below its header.

    Without a dialect, a statement specific to some databases has the text of the first of them. Raises
    :class:`InputError` for an unknown name.

    >>> print(text("hierarchy/domain"), end="")
    -- hierarchy/domain
    -- The values of one quasi-identifier.
    --
    -- value  the quasi-identifier's column of the base frequency set
    -- base   the base frequency set: number of rows per combination of values
    --
    -- One row per distinct value, the missing one included.
    select distinct "value" as value
    from "base"
    """
    files = [statement_file.split(name) for name in statement_file.names()]
    if dialect not in (dialects := {theirs for _, theirs in files}):
        raise InputError(
            f"no statement has a text of its own for {dialect}: give one of {', '.join(sorted(dialects - {''}))}, or "
            "leave the dialect out"
        )
    if not dialect and (name, "") not in files:
        dialect = next((theirs for path, theirs in files if path == name), "")
    try:
        piece = statement_file.piece(name, dialect)
    except ValueError:
        names = {path for path, _ in files}
        elsewhere = f" for {dialect}" if name in names and dialect else ""
        raise InputError(
            f"there is no statement{elsewhere} of the name {name}: see their names with starcloak "
            f"sql.{hint(name, names)}"
        ) from None
    header = "".join(f"-- {line}".rstrip() + "\n" for line in piece.header.splitlines())
    return f"-- {name}\n{header}{sample(name, dialect).sql(dialect)}\n"


def sample(name: str, dialect: str = "") -> Statement:
    """Return a statement or a section of a statement file, with example values in its holes."""
    piece = statement_file.piece(name, dialect)
    return Statement(name, **{hole: _fill(name, piece, hole, dialect) for hole in piece.asked if hole[0] != "$"})


def _fill(name: str, piece: statement_file.Piece, hole: str, dialect: str) -> Hole:
    line = re.search(rf"^{hole}  *(\S.*(?:\n   .*)*)", piece.header, re.MULTILINE)
    comment = " ".join(line[1].split()) if line else ""
    if given := _GIVEN.search(comment):
        return Query(given[1])
    if hole in _KINDS:
        return _KINDS[hole]
    names = [Name(word) for listed in _SAID.findall(comment) for word in listed.split(", ")]
    if "after a comma" in comment:
        return Joined((Query(""), *map(Name, re.findall(r"\w+_\d+", comment))), ",\n")
    if re.search(rf"\b(from|join|into|table) \{{{hole}\}}", piece.body):
        return Name(hole)
    example = _sample_named(name, comment, dialect)
    nested = re.search(
        rf"(\($|^copy \(|\bas(?: materialized \()?$|^describe|^insert into .*)\n *\{{{hole}\}}$",
        piece.body,
        re.MULTILINE,
    )
    if example is not None and (nested or not example.sql(dialect).startswith(("select", "with", "from"))):
        return columns(As(example, name) for name in names) if names else example
    if (nested and not piece.body.startswith(("create", "alter"))) or (hole == "rows" and nested):
        return Query(f"select *\nfrom {Name(hole).sql(dialect)}")
    return columns(names) if names else Name(hole)


def _sample_named(name: str, comment: str, dialect: str) -> Statement | None:
    """The sample of the first statement or section named in a header."""
    named = _NAMED.search(comment)
    try:
        return sample(name.partition("#")[0] + named[0] if named[0][0] == "#" else named[0], dialect) if named else None
    except ValueError:
        return None
