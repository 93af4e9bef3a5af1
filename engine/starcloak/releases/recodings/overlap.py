"""Overlap of releases: persons and combinations of quasi-identifiers present in several releases."""

from __future__ import annotations

from collections.abc import Sequence

from starcloak.star.person_identity import Overlap
from starcloak.statements.statement import Hole, Name, Statement, columns, conditions
from starcloak.store.session import Session


def overlaps_of(store: Session, values: Sequence[Name], *, earlier: Hole, now: Hole) -> dict[int, Overlap]:
    """The overlap of each earlier release with the release ``now``, by the earlier release's number.

    An overlap has the numbers of persons, and of distinct combinations of quasi-identifiers, in either release and in
    both. Both relations have the columns ``whose`` (a person) and ``values`` (a combination); ``earlier`` also has
    ``release``, the number of the earlier release.
    """
    persons, combinations = (
        {
            release: counts
            for release, *counts in store.run(
                Statement(
                    "releases/recodings/overlap",
                    keys=columns(keys),
                    earlier=earlier,
                    now=now,
                    match=conditions(_same(key) for key in keys),
                )
            )
        }
        for keys in ([Name("whose")], values)
    )
    return {
        release: Overlap(
            (before, after), (combinations[release][0], combinations[release][1]), both, combinations[release][2]
        )
        for release, (before, after, both) in persons.items()
    }


def _same(key: Name) -> Statement:
    """The condition for equal keys in both relations."""
    first, second = Name("earlier", *key.parts), Name("now", *key.parts)
    return Statement("store/same", one=first, other=second)
