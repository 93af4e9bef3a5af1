"""What two releases of a source tell together: the groups of rows that share a class in both.

Exact where the source is unchanged and every tuple is in one class, in both releases. Else an estimate: of a tuple's
rows, as many as can be are in both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starcloak.earlier.kept import About
from starcloak.earlier.recoded import Relations
from starcloak.result import Joint, SharedValues
from starcloak.session import Session
from starcloak.statement import Hole, Name, Statement, conditions

_GROUPS = Name("earlier_groups")


def measure(
    store: Session, earlier: Relations, now: Relations, about: About, *, k: int, least: Mapping[str, int],
    source: str | None, required: bool = False,
) -> Joint:  # fmt: skip
    """What an earlier release, and the one that stands in the working store as ``now``, tell together.

    ``least`` is how many values of sensitive attributes the two classes of a row should share; ``source`` tells the
    rows of the source from others.
    """
    if set(earlier.attributes) != set(now.attributes):
        return unknown(about, "it has other quasi-identifiers", required=required)
    match = conditions(
        Statement(
            "earlier/groups#match",
            {"earlier": _value(earlier, attribute), "now": _value(now, attribute)},
        )
        for attribute in now.attributes
    )
    holes: dict[str, Hole] = {"earlier": earlier.tuples, "now": now.tuples, "match": match}
    store.create(_GROUPS, Statement("earlier/groups", holes))
    smallest, groups, rows, below, gone, new = store.row(Statement("earlier/joint", {"groups": _GROUPS}), {"k": k})
    shared = [
        SharedValues(attribute=attribute, required=wanted, least=_shared(store, earlier, now, attribute))
        for attribute, wanted in least.items()
        if attribute in earlier.sensitive and attribute in now.sensitive
    ]
    store.drop(_GROUPS)
    return Joint(
        **_about(about),
        required=required,
        exact=not earlier.split and not now.split and source is not None and source == about.source,
        k=smallest,
        groups=groups,
        rows=rows,
        rows_below=below,
        rows_gone=gone,
        rows_new=new,
        shared=shared,
    )


def unknown(about: About, why: str, *, required: bool = False) -> Joint:
    """What is said of an earlier release of which nothing can be told."""
    return Joint(**_about(about), required=required, unknown=why)


def _about(about: About) -> dict[str, Any]:
    return {"release": about.release, "run": about.run, "released_at": about.released_at}


def _value(relations: Relations, attribute: str) -> Name:
    return Name(f"value_{relations.attributes.index(attribute) + 1}")


def _shared(store: Session, earlier: Relations, now: Relations, attribute: str) -> int | None:
    binds = {
        "earlier": earlier.sensitive.index(attribute) + 1,
        "attribute": now.sensitive.index(attribute) + 1,
    }
    holes: dict[str, Hole] = {"groups": _GROUPS, "earlier": earlier.held, "now": now.held}
    (least,) = store.row(Statement("earlier/shared", holes), binds)
    return None if least is None else int(least)
