"""The table of the statement files as Markdown, for the page of the documentation on statements."""

from __future__ import annotations

import re

from starcloak.statements import statement_file
from starcloak.statements.statement_file import names

#: The folders: the layers of the engine with statements, from below.
FLOW = (
    "store", "hierarchy", "privacy", "measures", "sources", "star", "search", "verify", "insight", "releases",
    "companions", "exports", "commands", "databases",
)  # fmt: skip

_COLUMNS = "| statement | what it yields | holes and binds | grain |\n|---|---|---|---|\n"


def table() -> str:
    """Return the Markdown table: one line for each statement and each section, in the order of the layers."""
    return _COLUMNS + "".join(_line(path) for path in sorted(names(), key=_place))


def _place(name: str) -> tuple[int, str]:
    folder = name.partition("/")[0]
    return (FLOW.index(folder) if folder in FLOW else len(FLOW)), name.partition("#")[0]


def _line(name: str) -> str:
    path, _, section = name.partition("#")
    piece = statement_file.pieces(path)[section]
    holes = ", ".join(f"`{hole}`" for hole in piece.asked)
    cells = (f"`{name}`", piece.headline, holes, re.split(r"(?<=[.:;])\s", piece.grain)[0].rstrip(".:;"))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"
