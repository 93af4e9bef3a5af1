"""The recoding of a preview, with one row per tuple of raw values."""

from __future__ import annotations

from starcloak.releases.recodings.recoded_tuples import released_of_source, released_parts, source_tuples
from starcloak.star.recoding.recoding import RECODING, Recoding, goals
from starcloak.statements.statement import Hole, Joined, Name, Statement, columns, conditions
from starcloak.store.session import Session

_PARTS, _RELEASED = Name("previewed_parts"), Name("previewed_released")
_SOURCE, _TUPLES = Name("previewed_source"), Name("previewed_recoding")


def by_source(store: Session, recoding: Recoding) -> tuple[Name, list[Hole]]:
    """A relation with the columns of the recoding, and one column of raw texts per attribute.

    A recoding's tuples are of values at the lowest level allowed by the job. If that level is above the leaves
    (``from``), one value stands for several values of the source: then the relation has one row per tuple of raw
    values and part of its recoded tuple, with the rows of the release.
    """
    dimensions = recoding.star.dimensions
    if not any(dimension.floored for dimension in dimensions):
        return RECODING, [Name(*d.table.parts, "level_0") for d in dimensions]
    codes = [Name(f"code_{d.position}") for d in dimensions]
    values = [Name(f"value_{d.position}") for d in dimensions]
    levels = goals(recoding.star, recoding.ranged)
    store.create(_PARTS, released_parts(recoding, codes, levels))
    store.create(_RELEASED, released_of_source(store, recoding, values, codes, levels, _PARTS))
    store.create(_SOURCE, source_tuples(dimensions))
    store.create(
        _TUPLES,
        Statement(
            "commands/preview/source_recoding",
            values=Joined(tuple(values), ", "),
            source_values=columns(Name("source", *value.parts) for value in values),
            codes=columns(Name("source", *code.parts) for code in codes),
            released=_RELEASED,
            source=_SOURCE,
            match=conditions(
                Statement("store/same", one=Name("source", *value.parts), other=Name("released", *value.parts))
                for value in values
            ),
        ),
    )
    return _TUPLES, [Name("recoding", *value.parts) for value in values]
