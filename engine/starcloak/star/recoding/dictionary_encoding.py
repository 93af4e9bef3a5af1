"""Texts of few values, packed while the working store sorts a large release: else they are most of what it sorts."""

from __future__ import annotations

from collections.abc import Mapping

from starcloak.star.star import Dimension, Star
from starcloak.statements.statement import Name, Statement, columns
from starcloak.store.session import Session
from starcloak.store.source import Source

_ROWS = 100_000  # of a source from which on it pays
_TEXTS = 65_535  # of a type that has two bytes


def create_types(session: Session, star: Star, levels: Mapping[str, int], source: Source) -> dict[str, Name]:
    """The types of the attributes whose cells are packed in a release at some levels; creates them."""
    if star.rows < _ROWS:
        return {}
    texts = {column.name for column in source.quasi_identifiers if column.is_text}
    packed = {
        dimension: Name("value" if dimension.keeps((level,)) else f"level_{level}")
        for dimension in star.dimensions
        if not dimension.keeps((level := levels[dimension.attribute],)) or dimension.attribute in texts
    }
    if not packed:
        return {}
    counts = columns(
        Statement("star/recoding/packed#texts", column=column, table=dimension.table)
        for dimension, column in packed.items()
    )
    counted = session.row(Statement("star/recoding/packed#counted", counts=counts))
    return {
        dimension.attribute: _type_of(session, dimension, column)
        for (dimension, column), count in zip(packed.items(), counted, strict=True)
        if 0 < count <= _TEXTS
    }


def _type_of(session: Session, dimension: Dimension, column: Name) -> Name:
    name = Name(f"packed_{dimension.attribute}")
    session.command(f"drop type if exists {name.sql()}")
    session.run(Statement("star/recoding/packed", type=name, column=column, table=dimension.table))
    return name
