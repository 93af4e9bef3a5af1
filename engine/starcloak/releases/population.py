"""The population of a table, read before the search: numbers of people per combination of quasi-identifiers.

It comes from a register with a row per person, or from published counts. Models such as k-map compare with it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from starcloak.base.errors import JobError, SourceError, StatementError, VerificationError
from starcloak.privacy.model import PopulationComparison
from starcloak.privacy.requirement import Demand
from starcloak.sources.open_source import open_source, open_store
from starcloak.star import fingerprint
from starcloak.star.working_tables import BASE, POPULATION
from starcloak.statements.statement import As, Hole, Name, Number, Statement, Type, columns
from starcloak.store.resources import Resources
from starcloak.store.source import Populated, Source
from starcloak.verify import classes
from starcloak.verify.population import PopulationClasses, PopulationSource, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starcloak.job import Job
    from starcloak.store.session import Session

_CLASSES = Name("population_classes")


def read(store: Session, job: Job, source: PopulationSource | None) -> PopulationClasses:
    """Read the number of people per combination of quasi-identifiers in the population of a job's requirement.

    ``source``, if not None, is read in place of the job's population. Raises :class:`JobError` if there is no
    population, and :class:`SourceError` if it cannot be read or has no people.
    """
    declared = job.requirement.population
    if declared is None and source is None:
        compared = [model.key for model in job.requirement.models if isinstance(model, PopulationComparison)]
        keys = ", ".join(dict.fromkeys(compared))
        raise JobError(
            f"{keys} compares classes with a population, and the requirement has none: give requirement.population"
        )
    place = source or PopulationSource(declared, count=declared.count if declared else None)
    resources = Resources(memory_limit=store.memory_limit, threads=store.threads)
    return read_classes(place, list(job.quasi_identifiers), resources=resources)


def read_classes(
    population: PopulationSource, attributes: Sequence[str], *, resources: Resources = Resources()
) -> PopulationClasses:
    """The number of people per combination of the columns ``attributes`` in a population.

    Raises :class:`SourceError` if the population cannot be read, lacks a column, has no people, or has a count that is
    not a whole number.
    """
    counts = [population.count] if population.count is not None else []
    with open_store(population.place, resources) as store:
        roles = {"quasi_identifiers": list(attributes), "keep": counts}
        source = open_source(store, population.place, roles, frame=population.frame, closed=False)
        store.lock_down()
        names = [column.name for column in source.released]
        everything = Demand(tuple(names), ())
        try:
            counted, yielded = classes.of(source.relation, source.released, qids=[everything])
            gathered = source.host.gather_classes(_CLASSES, counted, yielded, size=classes.SIZE)
        except StatementError as error:
            raise SourceError(f"{source.label} cannot be read ({error.kind}): check that it is well-formed") from None
        if not classes.have_arrived(store, _CLASSES, names, [everything], gathered):
            raise VerificationError(f"the population in {source.label} cannot be counted: {classes.OTHERWISE}")
        source.refuse_lost(gathered.rows)
        texts = (
            As(Statement("releases/population#text", value=classes.value(names.index(name))), text(place))
            for place, name in enumerate(attributes)
        )
        people: Hole = Number(1)
        if population.count is not None:
            people = Statement("releases/population#counted", count=classes.value(names.index(population.count)))
        sizes = store.arrow(Statement("releases/population", texts=columns(texts), people=people, classes=_CLASSES))
    if sizes["people"].null_count:
        raise SourceError(
            f"{source.label}: column {population.count!r} has numbers of people that are not whole numbers from 0 to "
            "99,999,999,999: correct these numbers"
        )
    if not sum(sizes["people"].to_pylist()):
        raise SourceError(f"{source.label} has no people: give the population from which the table comes")
    return PopulationClasses(source.label, tuple(attributes), sizes)


def bring_home(store: Session, people: PopulationClasses, source: Source) -> Source:
    """The source with its population attached. Creates the relation ``population`` in the working store.

    Values of the population are converted to the types of the source's columns. Raises :class:`SourceError` if a value
    cannot be converted.
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
                f"{people.label}: {strange:,} values of {name!r} cannot be converted to the type of {name!r} in "
                f"{source.label}: write the values in the population as in the table"
            )
        typed = Statement("privacy/population#value", **holes)
        unusable = column.is_float and sum(store.row(Statement("store/unusable", column=typed, source=typed_source)))
        if unusable:  # 0.0 and -0.0 would be one tuple
            raise SourceError(
                f"{people.label}: {unusable:,} values of {name!r} are NaN, infinite or negative zero: replace these "
                "values there"
            )
        values.append(As(typed, value))
    store.create(POPULATION, Statement("privacy/population#typed", values=columns(values), told=typed_source))
    store.drop(typed_source)
    people_count, tuples = store.row(Statement("privacy/population#size", population=POPULATION))
    rows = fingerprint.rows_of(store, Statement("store/relation", relation=POPULATION))
    return replace(source, population=Populated(people.label, people_count, tuples, rows))
