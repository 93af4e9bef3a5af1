"""Class sizes counted by distinct values of an identifier, as a check of jobs without a person column.

Such a job counts rows. If an identifier has repeating values, several rows may belong to one person, and a class of k
rows may have fewer than k persons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from starcloak.base import small_counts
from starcloak.job.persons_result import ByIdentifier
from starcloak.privacy.requirement import Demand
from starcloak.star.recoding.recoding import Recoding
from starcloak.statements.statement import As, Joined, Name, Number, Statement, columns
from starcloak.store.source import Source, rejoin
from starcloak.verify.classes import as_grouped

_IDENTIFIED = Name("identified_release")


def by_identifiers(source: Source, recoding: Recoding, demands: Sequence[Demand]) -> list[ByIdentifier]:
    """The number of classes with fewer than k distinct identifiers, per demand and identifier of the source.

    For this count alone, the recoded rows are joined with their identifiers; such rows are never published. Returns no
    element if the source has no identifiers to check.
    """
    if not source.identifiers:
        return []
    identified = replace(source, persons=source.identifiers).private
    relations = recoding.release(identified)
    if source.frame is not None:
        relations = rejoin(identified, source.host.keep(_IDENTIFIED, relations))
    release = Statement("store/relation#nested", rows=relations)
    return [identifier for demand in demands for identifier in _of(source, release, demand)]


def _of(source: Source, release: Statement, demand: Demand) -> list[ByIdentifier]:
    names = [Name(f"persons_{number}") for number in range(1, len(source.identifiers) + 1)]
    persons = columns(
        As(
            Statement(
                "releases/classes_by_person#persons",
                identifier=source.host.distinct(Name("relation", column.name), column),
            ),
            name,
        )
        for column, name in zip(source.identifiers, names, strict=True)
    )
    below = columns(
        As(Statement("releases/classes_by_person#below", persons=name, k=Number(demand.k)), Name(f"below_{number}"))
        for number, name in enumerate(names, 1)
    )
    by_name = {column.name: column for column in source.quasi_identifiers}
    grouped = Joined(tuple(as_grouped(by_name[name]) for name in demand.attributes), ", ")
    classes, *counts = source.host.row(
        Statement("releases/classes_by_person", below=below, persons=persons, release=release, names=grouped)
    )
    return [
        counted_below(column.name, demand.attributes, demand.k, classes, count)
        for column, count in zip(source.identifiers, counts, strict=True)
    ]


def counted_below(identifier: str, attributes: Sequence[str], k: int, classes: int, below: int) -> ByIdentifier:
    """The counts to publish, if ``below`` of the ``classes`` classes have fewer than ``k`` distinct identifiers.

    A count is masked (None) if it, or its difference from the number of all classes, is from 1 to k - 1.
    """
    count = small_counts.mask(classes, k)
    return ByIdentifier(
        identifier=identifier,
        attributes=list(attributes),
        k=k,
        holds=not below,
        classes=count,
        classes_below=None if count is None else small_counts.mask_part(below, classes, k),
        most_below=2 * below > classes,
    )
