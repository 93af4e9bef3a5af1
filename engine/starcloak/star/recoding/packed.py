"""Texts of a large release, packed into DuckDB enums while rows are sorted: texts would be most of the sorted data."""

from __future__ import annotations

from collections.abc import Mapping

from starcloak.star.star import Star
from starcloak.statements.statement import Name, Statement, columns

_ROWS = 100_000  # of a source from which on it pays
_TEXTS = 65_535  # of a type that has two bytes


def create_types(star: Star, texts: Mapping[str, Statement]) -> dict[str, Name]:
    """Create enum types for the texts of some attributes' released cells; returns their names by attribute.

    ``texts`` has a statement with these texts for each attribute. Empty for a source with few rows. An attribute with
    too many distinct texts has no type.
    """
    if star.rows < _ROWS or not texts:
        return {}
    counts = columns(Statement("star/recoding/packed#count", texts=released) for released in texts.values())
    counted = star.session.row(Statement("star/recoding/packed#counted", counts=counts))
    types = {
        attribute: Name(f"packed_{attribute}")
        for attribute, count in zip(texts, counted, strict=True)
        if 0 < count <= _TEXTS
    }
    for attribute, name in types.items():
        star.session.command(f"drop type if exists {name.sql()}")
        star.session.run(Statement("star/recoding/packed", type=name, texts=texts[attribute]))
    return types
