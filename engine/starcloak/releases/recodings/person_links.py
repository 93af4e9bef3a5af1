"""Links from the rows of a release to persons, saved if a person may have several rows.

Later runs match the rows of a changed source with the earlier release by these persons. A person is identified by a
hash of the identifying columns, salted with the run of the release. A holder of the hashes can still test guesses, so
they are kept private; see :class:`~starcloak.releases.recodings.saved_recodings.Recoded`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from starcloak.job import Job
from starcloak.releases.recodings.recoded_tuples import Relations
from starcloak.star.person_identity import places_of
from starcloak.star.working_tables import BASE
from starcloak.statements.statement import Hole, Joined, Name, Statement, columns, conditions
from starcloak.store.session import Session


def with_persons(store: Session, job: Job, relations: Relations, *, run: str) -> Relations:
    """The relations of a release, with ``persons`` added if the class of every row of each person is known."""
    there, persons = Name("now_persons"), places_of(job)
    if job.as_set or not rows_of_persons(store, relations, relations.attributes, persons, run=run, into=there):
        return relations
    return replace(relations, persons=there)


def rows_of_persons(
    store: Session, release: Relations, base: Sequence[str], persons: Sequence[Name], *, run: str, into: Name
) -> bool:
    """Create the relation ``into`` with the rows of persons in a release: person, tuple, class, numbers of rows.

    The base frequency set of the release's source has to be in the working store. ``base`` names its quasi-identifiers
    in the order of their columns, ``persons`` its columns that identify persons; ``run`` salts the persons' hashes.
    Returns False, and creates nothing, if some but not all rows of a tuple are in a class, or in several classes: the
    class of a person's row is then unknown.
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
