"""A toy host: a DuckDB file behind another name."""

from __future__ import annotations

from starcloak.store.databases.duckdb.database import DuckDB
from starcloak.store.databases.registry import register


@register
class Vault(DuckDB):
    """A DuckDB file behind another name, which keeps no table of a name with a digit."""

    names = ("vault",)
    example = "vault:///path/to/file.vault"
    state = "a toy"
    published = "its commit"

    def name_problem(self, table: str) -> str | None:
        return "which has a digit" if any(character.isdigit() for character in table) else None
