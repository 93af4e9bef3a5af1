"""Whose the rows of a release are, where several may be one person's: by it rows are known again in a changed source.

Persons go by a hash into which the run goes that released them; whoever has it can try guesses out. See
:class:`~starcloak.releases.recodings.saved_recodings.Recoded` for where it stays.
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


def with_persons(store: Session, job: Job, made: Relations, *, run: str) -> Relations:
    """The relations of a release, with the rows of persons unless nobody can tell whose rows are in which class."""
    there, persons = Name("now_persons"), places_of(job)
    if job.as_set or not rows_of_persons(store, made, made.attributes, persons, run=run, into=there):
        return made
    return replace(made, persons=there)


def rows_of_persons(
    store: Session, release: Relations, base: Sequence[str], persons: Sequence[Name], *, run: str, into: Name
) -> bool:
    """Create the rows of persons in a release of the source whose base frequency set is in the working store.

    ``base`` are its quasi-identifiers by their positions, ``persons`` its columns that tell persons apart. False, and
    none are there, where a tuple has rows in several classes or in none: whose these are, nobody can tell.
    """
    if release.split:
        return False
    places = [(Name(f"value_{base.index(each) + 1}"), release.value(each)) for each in release.attributes]
    match = conditions(
        Statement("releases/recodings/persons#match", value=value, column=column) for value, column in places
    )
    values = Joined(tuple(value for value, _ in places), ", ")
    holes: dict[str, Hole] = {"values": values, "base": BASE, "tuples": release.tuples, "match": match}
    (parts,) = store.row(Statement("releases/recodings/persons#parts", **holes))
    if parts:
        return False
    holes = {
        "persons": Joined(tuple(Statement("releases/recodings/persons#person", person=each) for each in persons), ", "),
        "read": columns(
            Statement("releases/recodings/persons#value", value=value, column=column) for value, column in places
        ),
        "base": BASE,
        "tuples": release.tuples,
        "match": match,
    }
    store.create(into, Statement("releases/recodings/persons", **holes), {"run": run})
    return True
