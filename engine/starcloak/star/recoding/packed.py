"""Texts of a large release, packed into DuckDB enums: unpacked texts would be most of the sorted and written data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starcloak.statements.statement import Name, Statement, columns
from starcloak.store.source import Source

if TYPE_CHECKING:
    from starcloak.star.recoding.recoding import Recoding

_ROWS = 100_000  # of a source from which on it pays
_TEXTS = 65_535  # of a type that has two bytes


def create_types(recoding: Recoding, source: Source) -> dict[str, Name]:
    """Create enum types for the texts of a recoding's released cells; returns their names by attribute.

    Empty for a source with few rows. An attribute with too many distinct texts has no type.
    """
    session = recoding.star.session
    if recoding.star.rows < _ROWS:
        return {}
    texts = {column.name for column in source.quasi_identifiers if column.is_text}
    packed = {
        dimension.attribute: recoding.texts_of(dimension)
        for dimension in recoding.star.dimensions
        if not dimension.has_source_type(levels := recoding.levels_in_use[dimension.attribute])
        or (dimension.attribute in texts and dimension.keeps(levels))
    }
    if not packed:
        return {}
    counts = columns(Statement("star/recoding/packed#count", texts=released) for released in packed.values())
    counted = session.row(Statement("star/recoding/packed#counted", counts=counts))
    return {
        attribute: _create_type(recoding, attribute, released)
        for (attribute, released), count in zip(packed.items(), counted, strict=True)
        if 0 < count <= _TEXTS
    }


def _create_type(recoding: Recoding, attribute: str, texts: Statement) -> Name:
    name, session = Name(f"packed_{attribute}"), recoding.star.session
    session.command(f"drop type if exists {name.sql()}")
    session.run(Statement("star/recoding/packed", type=name, texts=texts))
    return name
