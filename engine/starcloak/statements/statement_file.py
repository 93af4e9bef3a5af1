"""Statement files: each has a header, the text of a statement, and sections with pieces of this statement.

A section begins with a line ``-- section: name`` and has a header of its own. Its name follows the path of the file:
``search/kaca/tuples#path``. The text of a single database stands in a file of the same path under ``databases/`` and
the name of the dialect. This file has only the sections with differences; other sections are read from the common file.

Files are looked up in the folder ``sql`` of the engine, then in the folders of other packages. Another package adds
files, among them those of its own dialects, and replaces none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from starcloak.base import installation

OPEN = re.compile(r"(\{\w+\}|\$\w+)")  # a hole or a bind
_BEGINS = re.compile(r"^-- section: (\w+)\n", re.MULTILINE)
_VARIANTS = "databases"
_COMMENTED = re.compile(r"[/*]*\*[/*]*|\0")


@dataclass(frozen=True)
class Piece:
    """The text of a statement or of a section of its file, and the header with its description."""

    header: str
    body: str

    @cached_property
    def headline(self) -> str:
        """The first sentence of the header, in a form safe inside a comment."""
        sentence = re.split(r"(?<=[.:])\s", " ".join(self.header.partition("\n\n")[0].split()))[0].rstrip(".:")
        return as_comment(sentence)

    @cached_property
    def grain(self) -> str:
        """Paragraph of the header on the grain, such as ``One row per leaf.``; empty for a fragment of a statement."""
        paragraphs = [" ".join(paragraph.split()) for paragraph in self.header.split("\n\n")[1:]]
        return next(
            (paragraph for paragraph in paragraphs if paragraph.startswith(("One ", "Two ", "No row", "As many "))), ""
        )

    @cached_property
    def asked(self) -> list[str]:
        """Names of the holes and binds (binds with their ``$``), in the order of their first use."""
        return [*dict.fromkeys(hole.strip("{}") for hole in OPEN.findall(self.body))]


def as_comment(text: str) -> str:
    """A text on one line, safe inside a comment of either kind in any database."""
    return " ".join(_COMMENTED.sub(" ", text).split())


def pieces(path: str) -> dict[str, Piece]:
    """The pieces of a file: the statement under an empty name, and the sections under their names.

    Args:
        path: The path of the file without its ending, such as ``star/recoding/recode``.

    Returns:
        No piece if there is no such file.
    """
    file = _file(path)
    return {} if file is None else _read(file)


def parse(text: str) -> dict[str, Piece]:
    """Split the text of a statement file: the statement under an empty name, the sections under their names.

    Raises ValueError for two sections of one name.

    >>> pieces = parse("-- How many rows there are.\\nselect {counted}\\n\\n-- section: all\\n-- All.\\ncount(*)\\n")
    >>> pieces[""].headline, pieces["all"].body
    ('How many rows there are', 'count(*)')
    """
    first, *begun = _BEGINS.split(text)
    parsed = {"": _piece(first)}
    for name, body in zip(begun[::2], begun[1::2], strict=True):
        if name in parsed:
            raise ValueError("a statement file has two sections with the same name: rename one of the sections")
        parsed[name] = _piece(body)
    return parsed


@cache
def _read(file: Path) -> dict[str, Piece]:
    return parse(file.read_text(encoding="utf-8"))


def _file(path: str) -> Path | None:
    """The statement file of a path, in the own folder or else in the folder of another package."""
    own = installation.sql()
    if (file := own / f"{path}.sql").is_file():
        return file
    folder, _, variant = path.partition("/")
    if folder == _VARIANTS and (own / folder / variant.partition("/")[0]).is_dir():
        return None  # a dialect of the engine's own
    return next((file for root in installation.statement_folders() if (file := root / f"{path}.sql").is_file()), None)


def _piece(text: str) -> Piece:
    lines = text.strip().splitlines()
    end = next((place for place, line in enumerate(lines) if not line.startswith("--")), len(lines))
    header = "\n".join(line.removeprefix("--").removeprefix(" ") for line in lines[:end])
    kept = (line for line in lines[end:] if not line.lstrip().startswith("--"))
    return Piece(header, "\n".join(kept).strip())


@cache
def piece(path: str, dialect: str = "") -> Piece:
    """The text of a statement or a section in a dialect.

    Raises:
        ValueError: No statement has this name.
    """
    return pieces(file_of(path, dialect))[path.partition("#")[2]]


def file_of(path: str, dialect: str = "") -> str:
    """The path of the file with the text of a statement or a section in a dialect.

    Raises:
        ValueError: No statement has this name.
    """
    file, _, name = path.partition("#")
    for candidate in [f"{_VARIANTS}/{dialect}/{file}", file] if dialect else [file]:
        if (sections := pieces(candidate).get(name)) and sections.body:
            return candidate
    raise ValueError(f"{path}: there is no statement with this path: check the path")


def files() -> Iterator[str]:
    """The paths of all statement files of the engine, without their ending; no files for dbt and SQLMesh."""
    root = installation.sql()
    for file in sorted(root.rglob("*.sql")):
        path = file.relative_to(root)
        if path.parts[0] not in ("dbt", "sqlmesh"):
            yield path.with_suffix("").as_posix()


def names() -> Iterator[str]:
    """All statements and sections: ``databases/mariadb/store/same#found`` is a section for MariaDB."""
    for path in files():
        yield from (f"{path}#{name}" if name else path for name, piece in pieces(path).items() if piece.body)


def split(name: str) -> tuple[str, str]:
    """Name of a statement or a section, common to all databases, and its dialect (empty for the common text).

    >>> split("databases/mariadb/store/same#found"), split("store/same")
    (('store/same#found', 'mariadb'), ('store/same', ''))
    """
    folder, _, variant = name.partition("/")
    dialect, _, path = variant.partition("/")
    return (path, dialect) if folder == _VARIANTS else (name, "")
