"""What two releases of a source tell together: the groups of rows that share a class in both.

Exact where the source is unchanged and every tuple is in one class, in both releases. Else an estimate: of a tuple's
rows, as many as can be are in both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from starcloak.earlier.kept import About
from starcloak.earlier.recoded import Relations
from starcloak.result import Joint, SharedValues
from starcloak.session import Session
from starcloak.star import BASE
from starcloak.statement import Hole, Joined, Name, Statement, conditions

_GROUPS = Name("earlier_groups")
_WHOSE = "whose its rows were is kept nowhere, and they are not those of this source, tuple by tuple"


def measure(
    store: Session, earlier: Relations, now: Relations, about: About, *, k: int, least: Mapping[str, int],
    source: str | None, required: bool = False, persons: Sequence[Name] = (),
) -> Joint:  # fmt: skip
    """What an earlier release, and the one that stands in the working store as ``now``, tell together.

    ``least`` is how many values of sensitive attributes the two classes of a row should share; ``source`` tells the
    rows of the source from others. Where columns of the base frequency set tell ``persons`` apart, groups count them:
    only on an unchanged source, as whose a row was is kept nowhere.
    """
    if set(earlier.attributes) != set(now.attributes):
        return unknown(about, "it has other quasi-identifiers", required=required)
    unchanged = source is not None and source == about.source
    if persons and (not unchanged or earlier.split or now.split):
        return unknown(about, _WHOSE, required=required)
    match = conditions(
        Statement(
            "earlier/groups#match",
            {"earlier": _value(earlier, attribute), "now": _value(now, attribute)},
        )
        for attribute in now.attributes
    )
    holes: dict[str, Hole] = {"earlier": earlier.tuples, "now": now.tuples, "match": match}
    counted, path = Statement("earlier/groups", holes), "earlier/joint"
    if persons:
        counted, path = _of_persons(earlier, now, persons), "earlier/persons#joint"
    store.create(_GROUPS, counted)
    smallest, groups, rows, below, gone, new, *parts = store.row(Statement(path, {"groups": _GROUPS}), {"k": k})
    if any(parts):
        store.drop(_GROUPS)
        return unknown(about, _WHOSE, required=required)
    shared = [
        SharedValues(attribute=attribute, required=wanted, least=_fewest_shared(store, earlier, now, attribute))
        for attribute, wanted in least.items()
        if attribute in earlier.sensitive and attribute in now.sensitive
    ]
    store.drop(_GROUPS)
    return Joint(
        **_about(about),
        required=required,
        exact=not earlier.split and not now.split and unchanged,
        k=smallest,
        groups=groups,
        rows=rows,
        rows_below=below,
        rows_gone=gone,
        rows_new=new,
        shared=shared,
    )


def _of_persons(earlier: Relations, now: Relations, persons: Sequence[Name]) -> Statement:
    """The groups by their persons, from the base frequency set of this run."""
    before, after = (
        conditions(
            Statement(
                "earlier/persons#match",
                {"value": _value(now, attribute), "tuples": Name(name), "column": _value(relations, attribute)},
            )
            for attribute in now.attributes
        )
        for name, relations in (("earlier", earlier), ("now", now))
    )
    holes: dict[str, Hole] = {
        "base": BASE,
        "values": Joined(tuple(_value(now, attribute) for attribute in now.attributes), ", "),
        "persons": Joined(tuple(persons), ", "),
        "earlier": earlier.tuples,
        "before": before,
        "now": now.tuples,
        "after": after,
    }
    return Statement("earlier/persons", holes)


def unknown(about: About, why: str, *, required: bool = False) -> Joint:
    """What is said of an earlier release of which nothing can be told."""
    return Joint(**_about(about), required=required, unknown=why)


def _about(about: About) -> dict[str, Any]:
    return {"release": about.release, "run": about.run, "released_at": about.released_at}


def _value(relations: Relations, attribute: str) -> Name:
    return Name(f"value_{relations.attributes.index(attribute) + 1}")


def _fewest_shared(store: Session, earlier: Relations, now: Relations, attribute: str) -> int | None:
    binds = {
        "earlier": earlier.sensitive.index(attribute) + 1,
        "attribute": now.sensitive.index(attribute) + 1,
    }
    holes: dict[str, Hole] = {"groups": _GROUPS, "earlier": earlier.held, "now": now.held}
    (least,) = store.row(Statement("earlier/shared", holes), binds)
    return None if least is None else int(least)
