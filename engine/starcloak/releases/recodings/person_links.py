"""Persons behind the rows of a release, if a person may have several rows: a changed source is matched by them.

Persons go by a hash salted with the run that released them. A holder of the hashes can try out guesses. See
:class:`~starcloak.releases.recodings.saved_recodings.Recoded` for where they are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from starcloak.job import Job
from starcloak.releases.recodings.recoded_tuples import Relations
from starcloak.star.person_identity import places_of
from starcloak.statements.statement import Hole, Joined, Name, Statement, columns, conditions
from starcloak.store.relations import BASE
from starcloak.store.session import Session


def with_persons(store: Session, job: Job, relations: Relations, *, run: str) -> Relations:
    """The relations of a release, with the rows of persons if the class of each person's rows is known."""
    there, persons = Name("now_persons"), places_of(job)
    if job.as_set or not rows_of_persons(store, relations, relations.attributes, persons, run=run, into=there):
        return relations
    return replace(relations, persons=there)


def rows_of_persons(
    store: Session, release: Relations, base: Sequence[str], persons: Sequence[Name], *, run: str, into: Name
) -> bool:
    """Create the rows of persons in a release of the source whose base frequency set is in the working store.

    ``base`` are its quasi-identifiers by their positions, ``persons`` its columns that identify persons. Returns False,
    and creates nothing, if a tuple has rows in several classes or in none: the persons of its rows are then unknown.
    """
    if release.split:
        return False
    places = [
        (Name(f"value_{base.index(attribute) + 1}"), release.value(attribute)) for attribute in release.attributes
    ]
    match = conditions(
        Statement("releases/recodings/persons#match", value=value, column=column) for value, column in places
    )
    values = Joined(tuple(value for value, _ in places), ", ")
    holes: dict[str, Hole] = {"values": values, "base": BASE, "tuples": release.tuples, "match": match}
    (parts,) = store.row(Statement("releases/recodings/persons#parts", **holes))
    if parts:
        return False
    holes = {
        "persons": Joined(
            tuple(Statement("releases/recodings/persons#person", person=attribute) for attribute in persons), ", "
        ),
        "read": columns(
            Statement("releases/recodings/persons#value", value=value, column=column) for value, column in places
        ),
        "base": BASE,
        "tuples": release.tuples,
        "match": match,
    }
    store.create(into, Statement("releases/recodings/persons", **holes), {"run": run})
    return True
