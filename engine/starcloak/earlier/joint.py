"""What two releases of a source tell together: the groups of rows that share a class in both.

Exact where every tuple is in one class, in both releases, and the source is unchanged, or the job says whose the rows
are, so that they are known again. Else an estimate: of a tuple's rows, as many as can be are in both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from starcloak.earlier.kept import About
from starcloak.earlier.recoded import Relations
from starcloak.result import Joint, SharedValues
from starcloak.session import Session
from starcloak.statement import Hole, Name, Statement, conditions

_GROUPS = Name("earlier_groups")
_WHOSE, _BEFORE = Name("earlier_whose"), Name("earlier_whose_before")
_PARTS = "rows of one tuple are in several classes or left out, and whose these are nobody can tell"
_OTHERS = "its source was another or has changed, and whose its rows were is not kept by the same columns"


def measure(
    store: Session, earlier: Relations, now: Relations, about: About, *, k: int, least: Mapping[str, int],
    source: str | None, required: bool = False, persons: Mapping[str, str] | None = None, whose: Sequence[Name] = (),
) -> Joint:  # fmt: skip
    """What an earlier release, and the one that stands in the working store as ``now``, tell together.

    ``least`` is how many values of sensitive attributes the two classes of a row should share; ``source`` tells the
    rows of the source from others. Where columns of the base frequency set tell ``whose`` the rows are, which are
    ``persons`` by their names and types, groups count persons.
    """
    if set(earlier.attributes) != set(now.attributes):
        return unknown(about, "it has other quasi-identifiers", required=required)
    exact = source is not None and source == about.source
    if whose:
        why = _group_persons(store, earlier, now, about, whose, unchanged=exact, known=about.persons == persons)
        if why is not None:
            return unknown(about, why, required=required)
        statement = Statement("earlier/persons#joint", {"groups": _GROUPS})
        smallest, groups, rows, below, gone, new, unsure = store.row(statement, {"k": k})
        exact = not unsure
    else:
        match = conditions(
            Statement("earlier/groups#match", {"earlier": earlier.value(attribute), "now": now.value(attribute)})
            for attribute in now.attributes
        )
        holes: dict[str, Hole] = {"earlier": earlier.tuples, "now": now.tuples, "match": match}
        store.create(_GROUPS, Statement("earlier/groups", holes))
        statement = Statement("earlier/joint", {"groups": _GROUPS})
        smallest, groups, rows, below, gone, new = store.row(statement, {"k": k})
        exact = exact and not earlier.split and not now.split
    shared = [
        SharedValues(attribute=attribute, required=wanted, least=_fewest_shared(store, earlier, now, attribute))
        for attribute, wanted in least.items()
        if attribute in earlier.sensitive and attribute in now.sensitive
    ]
    store.drop(_GROUPS)
    return Joint(
        **_about(about),
        required=required,
        exact=exact,
        k=smallest,
        groups=groups,
        rows=rows,
        rows_below=below,
        rows_gone=gone,
        rows_new=new,
        shared=shared,
    )


def _group_persons(
    store: Session, earlier: Relations, now: Relations, about: About, whose: Sequence[Name], *, unchanged: bool,
    known: bool,
) -> str | None:  # fmt: skip
    """Create the groups by their persons, or say why they are not known.

    On an unchanged source the rows of the earlier release are those of this one; on another, what is kept of them.
    """
    from starcloak.earlier.whose import rows_of_persons

    for relations, made in ((now, _WHOSE), *([(earlier, _BEFORE)] if unchanged else [])):
        if not rows_of_persons(store, relations, now.attributes, whose, run=about.run, into=made):
            return _PARTS
    before = _BEFORE if unchanged else earlier.persons if known else None
    if before is None:
        return _OTHERS
    match = conditions(
        Statement("earlier/persons#same", {"earlier": earlier.value(attribute), "now": now.value(attribute)})
        for attribute in now.attributes
    )
    holes: dict[str, Hole] = {"earlier": before, "now": _WHOSE, "match": match}
    store.create(_GROUPS, Statement("earlier/persons#groups", holes))
    store.drop(_WHOSE, *([_BEFORE] if unchanged else []))
    return None


def unknown(about: About, why: str, *, required: bool = False) -> Joint:
    """What is said of an earlier release of which nothing can be told."""
    return Joint(**_about(about), required=required, unknown=why)


def _about(about: About) -> dict[str, Any]:
    return {"release": about.release, "run": about.run, "released_at": about.released_at}


def _fewest_shared(store: Session, earlier: Relations, now: Relations, attribute: str) -> int | None:
    binds = {
        "earlier": earlier.sensitive.index(attribute) + 1,
        "attribute": now.sensitive.index(attribute) + 1,
    }
    holes: dict[str, Hole] = {"groups": _GROUPS, "earlier": earlier.held, "now": now.held}
    (least,) = store.row(Statement("earlier/shared", holes), binds)
    return None if least is None else int(least)
