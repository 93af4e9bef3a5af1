"""Catalogue of the statement files, ``sql/README.md``, made by this module as a program.

``python -m starcloak.statements.statement_docs`` makes it.
"""

from __future__ import annotations

import re

from starcloak.base import installation
from starcloak.statements import statement_file
from starcloak.statements.statement_file import names

#: The folders: the layers of the engine with statements, from below.
FLOW = (
    "store", "hierarchy", "privacy", "measures", "sources", "star", "search", "verify", "insight", "releases",
    "companions", "exports", "commands", "databases",
)  # fmt: skip

_HEAD = """\
# The statements

One per file; the folders are the layers of the engine, from below. This page is made of the files' headers
(`make schemas`). A header names each hole (`{name}`: quoted identifiers, whole numbers or other statements) and each
bind (`$name`: a value). What has no grain is a piece of other statements; a piece of one statement is a section of its
file, `file#section`, which its own headers call `#section`. The text of a single database stands in a file of the
same path under `databases/` and the name of the database, with the sections that differ. `starcloak sql NAME` prints a
statement or a section with its holes filled.

`dbt/` is a package for dbt, with generic tests; `sqlmesh/` has audits for SQLMesh.

"""
_COLUMNS = "| statement | what it yields | holes and binds | grain |\n|---|---|---|---|\n"


def catalogue() -> str:
    """The catalogue as Markdown: one line per statement or section."""
    return _HEAD + table()


def table() -> str:
    """The table of the catalogue alone."""
    return _COLUMNS + "".join(_line(path) for path in sorted(names(), key=_place))


def _place(name: str) -> tuple[int, str]:
    folder = name.partition("/")[0]
    return (FLOW.index(folder) if folder in FLOW else len(FLOW)), name.partition("#")[0]


def _line(name: str) -> str:
    path, _, section = name.partition("#")
    piece = statement_file.pieces(path)[section]
    asked = ", ".join(f"`{hole}`" for hole in piece.asked)
    cells = (f"`{name}`", piece.headline, asked, re.split(r"(?<=[.:;])\s", piece.grain)[0].rstrip(".:;"))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


if __name__ == "__main__":
    (installation.sql() / "README.md").write_text(catalogue(), encoding="utf-8")
