"""The recoding of a preview, with one row per tuple of raw values."""

from __future__ import annotations

from starcloak.releases.recodings.recoded_tuples import in_order, source_tuples
from starcloak.star.recoding.recoding import RECODING, Recoding, goals
from starcloak.statements.statement import Hole, Name
from starcloak.store.session import Session

_SOURCE, _TUPLES = Name("previewed_source"), Name("previewed_recoding")


def by_source(store: Session, recoding: Recoding) -> tuple[Name, list[Hole]]:
    """A relation with the columns of the recoding, and one column of raw texts per attribute.

    A recoding's tuples are of values at the lowest level allowed by the job. If that level is above the leaves
    (``from``), one value stands for several values of the source: then the relation has one row per tuple of raw
    values.
    """
    dimensions = recoding.star.dimensions
    if not any(dimension.floored for dimension in dimensions):
        return RECODING, [Name(*d.table.parts, "level_0") for d in dimensions]
    store.create(_SOURCE, source_tuples(dimensions))
    codes = [Name(f"code_{d.position}") for d in dimensions]
    parts = [*goals(recoding.star, recoding.ranged), Name("suppressed")]
    values = [Name(f"value_{d.position}") for d in dimensions]
    store.create(_TUPLES, in_order(_SOURCE, values, codes, parts, RECODING))
    return _TUPLES, [Name("recoding", *value.parts) for value in values]
