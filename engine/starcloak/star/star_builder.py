"""Builder of the star schema over the base frequency set: dimensions, columns for privacy models, the fact table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from starcloak.base.errors import (
    HierarchyError,
    JobError,
    RequirementError,
    SourceError,
    StatementError,
    VerificationError,
)
from starcloak.hierarchy.members import Misfits, members_of
from starcloak.job import Job
from starcloak.privacy.aggregates import PEOPLE, PERSONS, Carried, Domain, HistogramColumn, Lacked, Wanted, codes
from starcloak.privacy.model import PopulationComparison
from starcloak.privacy.requirement import Requirement
from starcloak.privacy.value_checks import refuse_misread, warn_absent
from starcloak.privacy.value_levels import lines as lines_of
from starcloak.sources import notes_of_persons
from starcloak.star import working_tables
from starcloak.star.star import Dimension, Nonconforming, Star, generalization_of, member_joins, refuse_lattice
from starcloak.star.working_tables import (
    BASE,
    CLASS,
    GENERALIZATION,
    POPULATION,
    STAR,
    VISITS,
    leaves,
    marginal,
    sensitive_column,
    sensitive_columns,
)
from starcloak.statements.statement import (
    As,
    Hole,
    Joined,
    Name,
    Number,
    Statement,
    columns,
    conditions,
    lines,
    union_all,
)
from starcloak.store.session import Session
from starcloak.store.source import Source

_PEOPLED = Name("peopled_star")
_TUPLES, _GROUPED = Name("tuples"), Name("grouped_star")
# Of one dimension after the other.
_DOMAIN, _MEMBERS, _WITHOUT_LEAF = Name("domain"), Name("members"), Name("values_without_leaf")

# How DuckDB refuses a value that has no text, such as a time after the year 294,247 of a Parquet file.
_NO_TEXT = ("Internal", "Conversion", "OutOfRange")


def build(session: Session, source: Source, job: Job) -> Star:
    """Build the star schema over the base frequency set.

    Raises :class:`SourceError` for a source without rows, :class:`RequirementError` for one with too few rows,
    :class:`HierarchyError` for a hierarchy that does not fit the source, and :class:`JobError` for a lattice too large
    for the job's algorithm.
    """
    is_separate = source.combinations is not None
    counted = marginal(1) if is_separate else BASE
    rows, combinations, _ = session.row(Statement("star/frequency/size", frequency=counted))
    source.refuse_lost(rows)
    required = job.required
    if not rows:
        raise SourceError(f"{source.label} has no rows, so there is nothing to release: give a table with rows")
    if rows < required.least_rows:
        raise RequirementError(
            f"{source.label} has fewer than {required.least_rows} rows, and every class must have "
            f"{required.widest.described}, so no generalization can help: weaken the requirement, or give more rows"
        )
    base, carried, domains = BASE, tuple[Carried, ...](), dict[str, Domain]()
    if required.carried:
        base, (carried, domains) = _TUPLES, _carry(session, source, job)
        _, combinations, _ = session.row(Statement("star/frequency/size", frequency=base))
    missing = _missing(session, source)
    dimensions = []
    problems, misfits = list[str](), Misfits(session, source, job.without_leaf)
    for position, column in enumerate(source.quasi_identifiers, 1):
        value, counted = Name(f"value_{position}"), marginal(position) if is_separate else BASE
        session.create(_DOMAIN, _domain(value, base=counted, peopled=required.of_population))
        declared = job.quasi_identifiers[column.name]
        without_leaf = None if declared.nonconforming == "refuse" else _WITHOUT_LEAF
        try:
            released = members_of(
                session, declared, column, host=source.host, domain=_DOMAIN, into=_MEMBERS, rows=source,
                without_leaf=without_leaf,
            )  # fmt: skip
        except HierarchyError as error:  # reported with those of the other columns
            rows_of = ""
            if error.without_leaf:
                rows = misfits.add(column, domain=_DOMAIN, members=_MEMBERS, value=value, base=counted)
                rows_of = f" (in {rows:,} rows)" if rows else " (of the population alone)"
            problems.append(f"{error}{rows_of}")
            continue
        except StatementError as error:
            if not error.kind.startswith(_NO_TEXT):
                raise
            raise SourceError(
                f"{source.label}: quasi-identifier {column.name!r} has values that cannot be written as text: cast "
                f"the column in {source.mended_in}"
            ) from None
        members: Hole = _MEMBERS
        if required.of_population:  # leaves that only the population has are no part of the release
            members = Statement("privacy/population#members", members=_MEMBERS, value=value, base=BASE)
        elif job.objective.domain == "occurring":
            members = Statement("star/dimension#occurring", members=_MEMBERS)
        dimension = Dimension(
            column.name,
            position,
            released.height,
            numeric=declared.numeric,
            is_suppressed=declared.suppresses,
            keeps_type=declared.keeps_type,
            missing=missing[position - 1],
            beneath=released.beneath,
            above=released.above,
            capped=declared.to is not None,
            importance=declared.importance,
            nonconforming=None if without_leaf is None else _nonconforming(session, value, counted, without_leaf),
        )
        session.create(dimension.table, _dimension(dimension, members, peopled=required.of_population))
        dimensions.append(dimension)
    session.drop(_DOMAIN, _MEMBERS, _WITHOUT_LEAF)
    if problems:
        raise misfits.refusal(problems)
    if job.objective.domain == "declared" and not required.of_population:  # for the warning on leaves without a row
        dimensions = _sparse(session, dimensions)
    if (largest := job.algorithm.supports.largest_lattice) is not None:
        refuse_lattice(dimensions, largest)
    session.create(GENERALIZATION, generalization_of(dimensions))
    if source.combinations is not None:
        return _apart(session, source, dimensions, rows)
    starring = partial(_star, dimensions, base=base, classes=job.class_column is not None, carried=carried)
    facts = STAR
    if required.of_population:
        session.create(_PEOPLED, starring(join="privacy/population#join"))
        session.create(STAR, Statement("privacy/population#own", peopled=_PEOPLED))
        _refuse_another(session, source, job)
        # Where a class is a node's group, all of its people count; elsewhere those who have its rows' own tuples.
        facts = _PEOPLED if job.algorithm.looks_at_nodes else STAR
        _, combinations, _ = session.row(Statement("star/frequency/size", frequency=facts))
    else:
        session.create(STAR, starring())
    if any(dimension.floored for dimension in dimensions):
        _group(session, dimensions, carried, classes=job.class_column is not None)
    if job.as_set:
        _visit(session, source, job, dimensions)
    starred, tuples, _ = session.row(Statement("star/frequency/size", frequency=STAR))
    if starred != rows:
        raise VerificationError(
            "the star schema lost or doubled rows: nothing was published; please report this defect of starcloak"
        )
    combinations = combinations if required.of_population else tuples
    star = Star(session, tuple(dimensions), rows, combinations, facts, carried=carried, domains=domains)
    _refuse_hopeless(star, required.over(domains), job, source.label)
    return star


def _sparse(session: Session, dimensions: Sequence[Dimension]) -> list[Dimension]:
    """The dimensions with ``is_sparse`` set from the dimension tables."""
    counted = (Statement("star/dimension#sparse", table=d.table, position=Number(d.position)) for d in dimensions)
    sparse: dict[int, bool] = dict(session.run(union_all(counted)))
    return [replace(dimension, is_sparse=sparse[dimension.position]) for dimension in dimensions]


def _missing(session: Session, source: Source) -> list[bool]:
    """True, for each quasi-identifier, if the source has rows without a value of it."""
    values = [Name(f"value_{position}") for position in range(1, len(source.quasi_identifiers) + 1)]
    without = [As(Statement("star/star#without", value=value), value) for value in values]
    if source.combinations is None:
        return list(session.row(Statement("star/star#missing", missing=columns(without), base=BASE)))
    alone = ((column, marginal(position)) for position, column in enumerate(without, 1))
    return [session.row(Statement("star/star#missing", missing=column, base=base))[0] for column, base in alone]


def _group(session: Session, dimensions: Sequence[Dimension], carried: Sequence[Carried], *, classes: bool) -> None:
    """Merge equal tuples of the star: several source tuples may have the same codes at the job's lowest levels."""
    levels = [dimension.column(level) for dimension in dimensions for level in _levels_of(dimension, classes=classes)]
    session.create(
        _GROUPED,
        Statement(
            "star/star#grouped",
            levels=columns([*levels, *([CLASS] if classes else [])]),
            merged=columns([Statement("star/frequency/rollup#counted"), *(aggregate.merged for aggregate in carried)]),
            star=STAR,
        ),
    )
    session.create(STAR, Statement("store/relation", relation=_GROUPED))
    session.drop(_GROUPED)


def _apart(session: Session, source: Source, dimensions: Sequence[Dimension], rows: int) -> Star:
    """A star without a fact table: it has the frequency set of each attribute alone, by its levels."""
    for dimension in dimensions:
        alone = leaves(dimension.position)
        session.create(alone, _star([dimension], base=marginal(dimension.position), classes=False, carried=()))
        groups, *_ = session.row(Statement("star/frequency/size", frequency=alone))
        if groups != rows:
            raise VerificationError(
                "the star schema lost or doubled rows: nothing was published; please report this defect of starcloak"
            )
    return Star(session, tuple(dimensions), rows, source.combinations or 0)


def _carry(session: Session, source: Source, job: Job) -> tuple[tuple[Carried, ...], dict[str, Domain]]:
    """Create the relation ``tuples``: the base frequency set with one row per tuple and its carried columns.

    Returns the carried columns and the domains of the sensitive attributes by name.
    """
    wanted, domains, joins = job.required.carried, dict[str, Domain](), list[Hole]()
    names = [Name(f"value_{position}") for position in range(1, len(source.quasi_identifiers) + 1)]
    names += [CLASS] if job.class_column is not None else []
    refuse_misread(session, source, job.requirement.models)
    rows, once, shared = Statement("privacy/tuples#rows"), False, False
    if job.persons:
        domains[job.persons[0]], whose = _persons(session, source, job, names)
        joins.append(whose)
        shared = domains[job.persons[0]].persons != "single"
        if domains[job.persons[0]].persons == "apart":
            rows, once = Statement("privacy/tuples#persons", person=Name(*PERSONS.parts, "code")), True
    of_persons = tuple(joins)
    for number, attribute in enumerate(job.required.reads, 1):
        if attribute in job.persons:
            continue
        value = sensitive_column(number)
        values = session.create(codes(attribute), Statement("privacy/tuples#codes", value=value, base=BASE))
        most = min(aggregate.most for aggregate in wanted if aggregate.attribute == attribute)
        if values > most:
            raise RequirementError(
                f"the requirement uses {attribute!r}, which has {values:,} values in {source.label}, more than the "
                f"supported {most:,}: group the values in {source.mended_in}, or weaken the models of that column"
            )
        joins.append(Statement("privacy/tuples#coded", codes=codes(attribute), value=value))
        coded = lines([*of_persons, joins[-1]])
        counted = session.run(
            Statement("privacy/tuples#frequencies", rows=rows, codes=codes(attribute), coded=coded, base=BASE)
        )
        _, texts, totals = zip(*counted, strict=True)
        trees = {}
        for name, hierarchy in job.required.hierarchies(attribute).items():
            (column,) = (column for column in source.released if column.name == attribute)
            read = lines_of(session, hierarchy, column, value=value, rows=BASE)
            trees[name] = tuple(read[text] for text in texts)
        missing = any(code is None for code, *_ in counted)
        domain = Domain(attribute, totals, missing, texts, trees, once=once, shared=shared)
        domains[attribute] = domain.with_layout()
        joins += _lacking(session, wanted, domains[attribute], coded)
    warn_absent(source, job.requirement.models, {name: set(domain.texts) for name, domain in domains.items()})
    carried = tuple(
        column
        for aggregate in wanted
        for column in aggregate.columns(domains.get(aggregate.attribute, Domain(aggregate.attribute)))
    )
    of_rows = next((aggregate.attribute for aggregate in carried if isinstance(aggregate, HistogramColumn)), None)
    if of_rows is not None and any(domain.persons == "several" for domain in domains.values()):
        columns_named = "the quasi-identifiers" + (
            "" if job.class_column is None else f" and {job.class_column!r} (the class)"
        )
        raise JobError(
            f"in {source.label}, a person has rows with several combinations of {columns_named}, which the models of "
            f"{of_rows!r} do not support: require only k, distinct l_diversity and p_sensitive, or give each person "
            "the same values in all rows" + ("" if job.class_column is None else ", or take another algorithm")
        )
    base: Hole = BASE
    if PEOPLE in carried:
        base = Statement("privacy/population", base=BASE, population=POPULATION)
    shape: dict[str, Hole] = {"values": columns(Name("base", *name.parts) for name in names), "base": base}
    both = Statement("privacy/tuples#totals")
    shape |= {"carried": columns([both, *(aggregate.started for aggregate in carried)]), "codes": lines(joins)}
    session.create(_TUPLES, Statement("privacy/tuples", **shape))
    return carried, domains


def _lacking(session: Session, wanted: Sequence[Wanted], domain: Domain, coded: Hole) -> Iterator[Statement]:
    """Create, per sensitive column in ``wanted``, a relation with the values absent from each person's rows.

    Yields, per column, the SQL join of a row with the values absent from its person. ``coded`` is the SQL join of a row
    with the codes of its values.
    """
    statement = (
        aggregate for aggregate in wanted if isinstance(aggregate, Lacked) and aggregate.attribute == domain.attribute
    )
    for lacked in (column for aggregate in statement for column in aggregate.columns(domain)):
        assert isinstance(lacked, Lacked)
        person, values = Name(*PERSONS.parts, "code"), max(lacked.values, 1)
        session.create(
            lacked.table,
            Statement(
                "privacy/persons/lacking",
                person=person,
                number=lacked.number,
                last=Number(values - 1),
                values=Number(values),
                base=BASE,
                codes=coded,
            ),
        )
        yield Statement("privacy/persons/lacking#coded", lacking=lacked.table, person=person)


def _persons(session: Session, source: Source, job: Job, names: Sequence[Name]) -> tuple[Domain, Statement]:
    """Create the relation :data:`PERSONS` with the numbers of persons.

    Returns the domain of persons (their count, and the layout of their rows) and the join for the number of a row's
    person. ``names`` are the columns of a tuple.

    Raises :class:`SourceError` if a row has no person.
    """
    places = sensitive_columns(job.required.reads, job.persons)
    persons = Joined(tuple(places), ", ")
    count, pairs, rows, without = session.row(
        Statement(
            "privacy/persons/codes#spread",
            persons=persons,
            values=Joined(tuple(names), ", "),
            missing=Joined(tuple(Statement("privacy/persons/codes#missing", person=place) for place in places), " or "),
            base=BASE,
        )
    )
    if without:
        raise SourceError(
            f"{source.label} has rows without a value in the person column {', '.join(map(repr, job.persons))}: "
            f"leave these rows out, or give each row a different person, in {source.mended_in}"
        )
    session.create(PERSONS, Statement("privacy/persons/codes", persons=persons, base=BASE))
    source.host.warnings += notes_of_persons.spellings(session, source.persons, places, PERSONS, source.mended_in)
    source.host.warnings += notes_of_persons.single_columns(session, source.persons, places, names, BASE)
    joined = _person_code(places)
    lie: Literal["single", "apart", "several"] = "several"
    if count == pairs:
        lie = "single" if count == rows else "apart"
    return Domain(job.persons[0], (count,), persons=lie), joined


def _visit(session: Session, source: Source, job: Job, dimensions: Sequence[Dimension]) -> None:
    """Create the relation ``visits``: the tuples of each person, for persons compared as sets of rows.

    Raises :class:`SourceError` if a person has more rows than can be compared.
    """
    from starcloak.privacy.histories.model import MOST_ROWS

    places = sensitive_columns(job.required.reads, job.persons)
    levels = (
        As(Name(*dimension.table.parts, f"ancestor_{level}"), dimension.column(level))
        for dimension in dimensions
        for level in range(dimension.height + 1)
    )
    session.create(
        VISITS,
        Statement(
            "privacy/histories/visits",
            person=Name(*PERSONS.parts, "code"),
            levels=columns(levels),
            base=BASE,
            coded=_person_code(places),
            dimensions=member_joins(dimensions),
        ),
    )
    (most,) = session.row(Statement("privacy/histories/visits#most", visits=VISITS))
    if most > MOST_ROWS:
        raise SourceError(
            f"{source.label} has more than {MOST_ROWS} rows of one person, too many to compare as a set: leave rows "
            f"out in {source.mended_in}, or give person: COLUMN without as"
        )


def _person_code(places: Sequence[Name]) -> Statement:
    """The join for the number of a row's person. ``places`` are the columns of the base set that identify persons."""
    match = conditions(Statement("privacy/persons/codes#match", codes=PERSONS, person=place) for place in places)
    return Statement("privacy/persons/codes#coded", codes=PERSONS, match=match)


def _refuse_hopeless(star: Star, required: Requirement, job: Job, label: str) -> None:
    """Refuse a requirement violated by the table as a single equivalence class.

    A model is exempt if suppression is permitted, a part of the rows may satisfy it, and the algorithm checks nodes.
    """
    fewer = required.allowance(star.rows) > 0
    for demand in required.demands:
        for model in demand.models:
            if not model.reads and not isinstance(model, PopulationComparison):  # all rows are enough
                continue
            is_certain = fewer and not model.superset_closed
            if is_certain and job.algorithm.looks_at_nodes:
                continue
            (violated,) = star.session.row(
                Statement("privacy/whole_table", violating=model.violating, merged=star.merged, facts=star.facts)
            )
            if violated:
                mend = "no generalization can help: weaken the requirement"
                if is_certain:
                    mend = (
                        f"{job.algorithm.name} starts from one class of all rows: take a full-domain algorithm, or "
                        "weaken the requirement"
                    )
                elif isinstance(model, PopulationComparison) and not job.algorithm.looks_at_nodes:
                    mend = (
                        f"{job.algorithm.name} counts only people with combinations of {label}: take a full-domain "
                        "algorithm"
                    )
                raise RequirementError(f"{label} as a whole must have {model.described}, and it does not: {mend}")


def _nonconforming(session: Session, value: Name, base: Name, without_leaf: Name) -> Nonconforming:
    """Count the cells of an attribute without a leaf. ``value`` is the attribute's column in a frequency set."""
    counted = Statement("hierarchy/nonconforming#cells", value=value, base=base, without=without_leaf)
    return Nonconforming(*session.row(counted))


def _domain(value: Name, *, base: Name, peopled: bool = False) -> Statement:
    """The distinct values of a quasi-identifier in a frequency set; if ``peopled``, also those of the population."""
    if peopled:
        return Statement("privacy/population#domain", value=value, base=base, population=POPULATION)
    return Statement("hierarchy/domain", value=value, base=base)


def _refuse_another(session: Session, source: Source, job: Job) -> None:
    """Refuse a population that cannot contain the source's rows: some combination has fewer people than rows."""
    assert source.population is not None  # it was brought home
    people, tuples = session.row(Statement("privacy/population#beyond", people=PEOPLE.column, peopled=_PEOPLED))
    if people != source.population.people:
        raise VerificationError(
            "the star schema lost or doubled people of the population: nothing was published; please report this "
            "defect of starcloak"
        )
    if tuples and not job.persons:  # several rows may be one of its people
        raise SourceError(
            f"{source.population.label} has fewer people than {source.label} has rows, for {tuples:,} combinations "
            "of the quasi-identifiers: give the population from which the table comes, with values written as in "
            "the table"
        )


def _dimension(dimension: Dimension, members: Hole, *, peopled: bool = False) -> Statement:
    levels = [Name(f"level_{level}") for level in range(dimension.height + 1)]
    number = [Name("number")] if dimension.numeric else []
    inhabited = [Name("inhabited")] if peopled else []
    order: list[Hole] = [Joined((*number, levels[0]), ", "), *levels[1:]]
    ordered = [Joined(tuple(reversed(order[level:])), ", ") for level in range(len(order))]
    ancestors = (
        As(Statement("star/dimension#ancestor", order=above), Name(f"ancestor_{level}"))
        for level, above in enumerate(ordered)
    )
    return Statement(
        "star/dimension",
        levels=columns([*inhabited, *number, *levels]),
        ancestors=columns(ancestors),
        order=ordered[0],
        members=members,
    )


def _levels_of(dimension: Dimension, *, classes: bool) -> Sequence[int]:
    """The levels with a column in the star.

    With ``classes`` (a class column), these are the leaves and, if the job sets the highest level, that level.
    """
    if not classes:
        return range(dimension.height + 1)
    return range(0, dimension.height + 1, dimension.height or 1) if dimension.capped else range(1)


def _star(
    dimensions: Sequence[Dimension],
    *,
    base: Name,
    classes: bool,
    carried: Sequence[Carried],
    join: str = "star/star#join",
) -> Statement:
    joins = [
        (
            Statement(join, table=dimension.table, value=dimension.value),
            [
                As(Name(*dimension.table.parts, f"ancestor_{level}"), dimension.column(level))
                for level in _levels_of(dimension, classes=classes)
            ],
        )
        for dimension in dimensions
    ]
    levels, joined = working_tables.join(joins, rows=base, alias="base")
    if classes:
        levels.append(As(Name("base", *CLASS.parts), CLASS))
    levels += [As(Name("base", *aggregate.column.parts), aggregate.column) for aggregate in carried]
    return Statement("star/star", levels=columns(levels), base=base, dimensions=joined)
