"""Identity of persons: the columns that identify persons, and the comparison of two releases by them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from starcloak.job import Job
from starcloak.star import fingerprint
from starcloak.star.fingerprint import ColumnReading
from starcloak.star.working_tables import BASE, sensitive_columns
from starcloak.statements.statement import Name, Statement
from starcloak.store.session import Session


class PersonIdentity(BaseModel):
    """The columns that identify persons, each with the type of its texts and its cleaning, and the key of the hashes.

    Without columns, each row is a separate person. ``key`` identifies the secret of the hashes; it is empty without a
    secret. The identity contains no value of any row.
    """

    model_config = ConfigDict(frozen=True)

    columns: Mapping[str, ColumnReading] = {}
    key: str = ""


def identity_of(store: Session, job: Job, *, key: str = "") -> PersonIdentity:
    """The identity of persons for a job: its columns, as read into the base frequency set, and their cleaning.

    Persons are hashed by the texts of these columns, so types with the same texts identify the same persons.
    """
    if not job.persons:
        return PersonIdentity()
    base = {column.name: column for column in store.describe(Statement("store/relation", relation=BASE))}
    places = zip(in_order(job), places_of(job), strict=True)
    columns = [base[place.parts[-1]].under(name) for name, place in places]
    return PersonIdentity(columns=fingerprint.readings(job, columns), key=key)


def in_order(job: Job) -> list[str]:
    """The columns that identify persons, in the order of hashing, whatever their order in the job."""
    return sorted(job.persons)


def places_of(job: Job) -> list[Name]:
    """Columns of the base frequency set that identify persons, in the order of :func:`in_order`."""
    return sensitive_columns(job.required.reads, in_order(job))


def difference(earlier: PersonIdentity | None, later: PersonIdentity | None) -> str | None:
    """Reason why persons of two releases cannot be compared; None if columns, types, cleaning and key agree.

    An identity of None means a release kept by an older version.
    """
    if earlier is None or later is None:
        return "an older version saved it, without the columns and the cleaning that identify its persons"
    if earlier.columns.keys() != later.columns.keys():
        return f"the earlier release counts {_counted(earlier)}, and this one {_counted(later)}"
    for name, column in earlier.columns.items():
        if column.type != later.columns[name].type:
            return f"{name!r}, which identifies persons, had another type for the earlier release"
        if column.cleaning != later.columns[name].cleaning:
            return f"{name!r}, which identifies persons, was cleaned differently for the earlier release"
    if earlier.key and later.key and earlier.key != later.key:
        return "persons were hashed with another secret for the earlier release"
    return None


def _counted(identity: PersonIdentity) -> str:
    return f"persons by {', '.join(map(repr, identity.columns))}" if identity.columns else "rows"


@dataclass(frozen=True)
class Overlap:
    """Numbers of persons and of combinations of quasi-identifiers in two releases: of each, and shared by both."""

    persons: tuple[int, int]
    combinations: tuple[int, int]
    shared_persons: int
    shared_combinations: int

    def difference(self, *, comparable: bool = True) -> str | None:
        """Reason to suspect different spellings of the same persons in the two releases; None without suspicion.

        None if at least 5 % of the persons are shared, or less than half of the combinations; shares are of the release
        with fewer persons. With ``comparable`` false (combinations of different types), combinations are ignored.
        """
        persons, combinations = min(zip(self.persons, self.combinations, strict=True))
        if 20 * self.shared_persons >= persons:
            return None
        if not comparable:
            return TYPED_OTHERWISE
        return WRITTEN_OTHERWISE if 2 * self.shared_combinations >= combinations else None


WRITTEN_OTHERWISE = (
    "the releases share at least half of their combinations and fewer than 5 % of their persons: they cover different "
    "people, or the source writes persons differently (0007 as 7)"
)
TYPED_OTHERWISE = (
    "the releases share fewer than 5 % of their persons, and a quasi-identifier had another type for the earlier one: "
    "they cover different people, or the source writes persons differently (0007 as 7)"
)
