"""Labels of a recoding that mixes levels, of which a reader cannot tell what they stand for."""

from __future__ import annotations

from starcloak.star.recoding.recoding import Recoding
from starcloak.statements.statement import Name, Number, Statement, union_all


def ambiguous(recoding: Recoding) -> list[str]:
    """A warning per attribute of which one label may stand for several groups of values: 20 for 20-24 and 20-39."""
    used = recoding.levels_in_use
    mixed = {d.position: d for d in recoding.star.dimensions if len(used[d.attribute]) > 1}
    if not mixed:
        return []
    levels = union_all(
        Statement(
            "star/recoding/labels#level",
            dimension=Number(position),
            level=Name(f"level_{level}"),
            table=dimension.table,
        )
        for position, dimension in mixed.items()
        for level in used[dimension.attribute]
    )
    ambiguous_labels = recoding.star.session.run(Statement("star/recoding/labels", levels=levels))
    return [
        f"hierarchy of {mixed[position].attribute!r}: {labels:,} labels stand for several groups of values, and the "
        "release mixes levels, so that nobody can tell which is meant: give each group a label of its own, such as "
        "20-24 and 20-39 in place of 20"
        for position, labels in ambiguous_labels
    ]
