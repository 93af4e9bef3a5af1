"""The population of a run: its classes, with the source's values, are read before the search."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from starcloak.base.errors import JobError, SourceError
from starcloak.privacy.capabilities import PopulationComparison
from starcloak.star import fingerprint
from starcloak.statements.statement import As, Hole, Name, Statement, Type, columns
from starcloak.store.relations import BASE, POPULATION
from starcloak.store.resources import Resources
from starcloak.store.source import Populated, Source
from starcloak.verify import population
from starcloak.verify.population import PopulationClasses, PopulationSource, text

if TYPE_CHECKING:
    from starcloak.job import Job
    from starcloak.store.session import Session


def read(store: Session, job: Job, source: PopulationSource | None) -> PopulationClasses:
    """Read the classes of the required population, or of the population ``source`` in its stead.

    Raises :class:`JobError` without a population, and :class:`SourceError` if it cannot be read or has no people.
    """
    declared = job.requirement.population
    if declared is None and source is None:
        compared = [model.key for model in job.requirement.models if isinstance(model, PopulationComparison)]
        keys = ", ".join(dict.fromkeys(compared))
        raise JobError(f"{keys}: the requirement has no population: give requirement.population")
    place = source or PopulationSource(declared, count=declared.count if declared else None)
    resources = Resources(memory_limit=store.memory_limit, threads=store.threads)
    return population.read(place, list(job.quasi_identifiers), resources=resources)


def bring_home(store: Session, people: PopulationClasses, source: Source) -> Source:
    """The source with its population. Creates the relation ``population`` with values of the source's types.

    Raises :class:`SourceError` if values of the population do not read as values of the source's column.
    """
    typed_source = people.into(store)
    types = {column.name: column.type for column in store.describe(Statement("store/relation", relation=BASE))}
    values = []
    for position, column in enumerate(source.quasi_identifiers, 1):
        name, value = column.name, Name(f"value_{position}")
        holes: dict[str, Hole] = {"text": text(people.attributes.index(name)), "type": Type(types[value.parts[0]])}
        (strange,) = store.row(Statement("privacy/population#misread", **holes, told=typed_source))
        if strange:
            raise SourceError(
                f"{people.label}: {strange:,} values of {name!r} do not read as values of that column of "
                f"{source.label}: write the values in the population as in the table"
            )
        typed = Statement("privacy/population#value", **holes)
        unusable = column.is_float and sum(store.row(Statement("store/unusable", column=typed, source=typed_source)))
        if unusable:  # 0.0 and -0.0 would be one tuple
            raise SourceError(
                f"{people.label}: {unusable:,} values of {name!r} are NaN, infinite or negative zero: replace "
                "them there"
            )
        values.append(As(typed, value))
    store.create(POPULATION, Statement("privacy/population#typed", values=columns(values), told=typed_source))
    store.drop(typed_source)
    people_count, tuples = store.row(Statement("privacy/population#size", population=POPULATION))
    rows = fingerprint.rows_of(store, Statement("store/relation", relation=POPULATION))
    return replace(source, population=Populated(people.label, people_count, tuples, rows))
