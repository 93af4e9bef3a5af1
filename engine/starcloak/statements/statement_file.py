"""The files of statements: a header, the statement's text, and sections, which are pieces that it is made of.

A section begins with a line ``-- section: name`` and has a header of its own. It goes by the file's path and its name:
``search/kaca/tuples#path``. Where a database's text differs, it follows in the same file, after a line ``-- dialect:
mariadb``, or ``-- section: name, dialect: mariadb``; where there is no such text, the common one is the database's too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from starcloak.base import installation

OPEN = re.compile(r"(\{\w+\}|\$\w+)")  # a hole or a bind
_BEGINS = re.compile(r"^-- (?:section: (\w+)(?:, dialect: (\w+))?|dialect: (\w+))\n", re.MULTILINE)
_COMMENTED = re.compile(r"[/*]*\*[/*]*|\0")


@dataclass(frozen=True)
class Piece:
    """The text of a statement or of a section of its file, and the header that says what it is."""

    header: str
    body: str

    @cached_property
    def headline(self) -> str:
        """The first sentence of the header, as a comment can hold it."""
        sentence = re.split(r"(?<=[.:])\s", " ".join(self.header.partition("\n\n")[0].split()))[0].rstrip(".:")
        return as_comment(sentence)

    @cached_property
    def grain(self) -> str:
        """What a row is; nothing where the piece is no statement by itself."""
        paragraphs = [" ".join(paragraph.split()) for paragraph in self.header.split("\n\n")[1:]]
        return next(
            (paragraph for paragraph in paragraphs if paragraph.startswith(("One ", "Two ", "No row", "As many "))), ""
        )

    @cached_property
    def asked(self) -> list[str]:
        """The holes and the binds, these with their sign, in the order in which they are first met."""
        return [*dict.fromkeys(hole.strip("{}") for hole in OPEN.findall(self.body))]


def as_comment(text: str) -> str:
    """A text on one line, that cannot leave the comment that it is put into, of either kind, in any database."""
    return " ".join(_COMMENTED.sub(" ", text).split())


def pieces(path: str) -> dict[str, Piece]:
    """The pieces of a file: the statement by an empty name, the sections by theirs.

    Of a path that ends in a dialect, such as ``star/recoding/recode.mariadb``, those that this database has of its own.
    """
    file, _, dialect = path.partition(".")
    return _read(installation.sql() / f"{file}.sql").get(dialect, {})


def parse(text: str) -> dict[str, Piece]:
    """The pieces of a file's text that are common to all databases.

    >>> pieces = parse("-- How many rows there are.\\nselect {counted}\\n\\n-- section: all\\n-- All.\\ncount(*)\\n")
    >>> pieces[""].headline, pieces["all"].body
    ('How many rows there are', 'count(*)')
    """
    return _parse(text)[""]


@cache
def _read(file: Path) -> dict[str, dict[str, Piece]]:
    return _parse(file.read_text(encoding="utf-8"))


def _parse(text: str) -> dict[str, dict[str, Piece]]:
    """By dialect, and the pieces of all databases by an empty one."""
    first, *begun = _BEGINS.split(text)
    parsed: dict[str, dict[str, Piece]] = {"": {"": _piece(first)}}
    for name, sections, statements, body in zip(*(begun[place::4] for place in range(4)), strict=True):
        of = parsed.setdefault(sections or statements or "", {})
        if (name or "") in of:
            raise ValueError("a file has two sections of one name")
        of[name or ""] = _piece(body)
    return parsed


def _piece(text: str) -> Piece:
    lines = text.strip().splitlines()
    end = next((place for place, line in enumerate(lines) if not line.startswith("--")), len(lines))
    header = "\n".join(line.removeprefix("--").removeprefix(" ") for line in lines[:end])
    kept = (line for line in lines[end:] if not line.lstrip().startswith("--"))
    return Piece(header, "\n".join(kept).strip())


@cache
def piece(path: str, dialect: str = "") -> Piece:
    """The piece that a statement or a section is in a dialect. Raises :class:`ValueError` where there is none."""
    file, _, name = path.partition("#")
    if (installation.sql() / f"{file}.sql").is_file():
        for candidate in dict.fromkeys((f"{file}.{dialect}", file)):
            if (sections := pieces(candidate).get(name)) and sections.body:
                return sections
    raise ValueError(f"{path}: there is no such statement")


def files() -> Iterator[str]:
    """The paths of all statement files, without their ending; those for dbt and SQLMesh have none."""
    root = installation.sql()
    for file in sorted(root.rglob("*.sql")):
        path = file.relative_to(root)
        if path.parts[0] not in ("dbt", "sqlmesh"):
            yield path.with_suffix("").as_posix()


def names() -> Iterator[str]:
    """All statements and sections: ``star/recoding/recode.mariadb#shuffled`` is the section's text for MariaDB."""
    for file in files():
        for dialect, sections in _read(installation.sql() / f"{file}.sql").items():
            path = f"{file}.{dialect}" if dialect else file
            yield from (f"{path}#{name}" if name else path for name, piece in sections.items() if piece.body)


def split(name: str) -> tuple[str, str]:
    """What a statement or section goes by, and the dialect that its text is for.

    >>> split("star/recoding/recode.mariadb#shuffled"), split("star/star")
    (('star/recoding/recode#shuffled', 'mariadb'), ('star/star', ''))
    """
    file, sign, section = name.partition("#")
    path, _, dialect = file.partition(".")
    return f"{path}{sign}{section}", dialect
