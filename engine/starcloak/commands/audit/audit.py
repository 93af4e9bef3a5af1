"""The audit of a table: one GROUP BY is copied to the working store, and all figures are computed from its classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from starcloak.base import safe_harbor, small_counts
from starcloak.base.column import Column
from starcloak.base.errors import JobError, SourceError, StatementError, VerificationError, unread
from starcloak.base.settings import check
from starcloak.commands.audit import attackers, known_release, population, sensitive
from starcloak.commands.audit.known_release import Known
from starcloak.commands.audit.result import Audit, Listed, Sensitive, Threshold
from starcloak.job import Place, Qid, load_qids, refuse_beside_sets
from starcloak.privacy.t_closeness.model import TCloseness
from starcloak.releases.distinguishing_columns import LARGEST, Telling, telling, telling_of_sizes, unique_sets
from starcloak.releases.population import read_classes
from starcloak.releases.release_measures import THRESHOLDS
from starcloak.sources import notes_of_persons, roles, spelling
from starcloak.sources.open_source import open_source, open_store
from starcloak.statements.statement import Name, Statement
from starcloak.store.resources import Resources
from starcloak.store.session import Session
from starcloak.store.source import Source
from starcloak.verify import classes
from starcloak.verify.classes import Class, Sizes, class_sizes
from starcloak.verify.population import PopulationClasses, beside
from starcloak.verify.population import PopulationSource as Register

if TYPE_CHECKING:
    from starcloak.base.frames import Frame

_CLASSES = Name("audited_classes")
_EXAMPLES = {"--order": "low,mid,high", "--hierarchy": "icd.csv"}


@dataclass(frozen=True)
class AuditRequest:
    """Request of an audit: the columns by role, and settings; all shares are from 0 to 1.

    A record is at risk if its risk is above ``threshold``. A set of columns is listed if its distinction is at least
    ``distinction``. ``sampling_fraction`` is the table's share of its population, for estimates without a
    ``population``. With ``person``, columns that identify persons, a person counts once in each class. With ``as_set``,
    a class is a set of persons with the same rows. ``orders`` and ``hierarchies`` of sensitive columns are as in
    t-closeness of a job. ``largest_set`` is the largest number of columns in a searched set.
    """

    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    threshold: Decimal = Decimal("0.2")
    distinction: Decimal = Decimal("0.95")
    sampling_fraction: float | None = None
    person: tuple[str, ...] = ()
    population: Register | None = None
    orders: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    hierarchies: Mapping[str, Any] = field(default_factory=dict)
    as_set: bool = False
    largest_set: int = LARGEST

    def __post_init__(self) -> None:
        load_qids([{"attributes": list(self.quasi_identifiers), "k": 1}])
        if self.sensitive:
            load_qids([{"attributes": list(self.sensitive), "k": 1}])
        for name in self.sensitive:
            if name in self.quasi_identifiers:
                raise JobError(
                    f"{name!r} is named as sensitive and as a quasi-identifier: name it in one of these roles"
                )
        for name in self.person:
            if name in (*self.quasi_identifiers, *self.sensitive):
                raise JobError(f"{name!r} is named under person and in another role: name it under person only")
        refuse_beside_sets(
            self.person, self.as_set, {"sensitive columns": self.sensitive, "a population": self.population}
        )
        if not 0 <= self.largest_set <= LARGEST:
            raise JobError(f"the largest number of columns in a set must be from 0 to {LARGEST}: give such a number")
        if self.sampling_fraction is not None and self.population is not None:
            raise JobError(
                "a population (counted) and a sampling fraction (for an estimate) exclude each other: give one of "
                "the two"
            )
        if self.sampling_fraction is not None and not 1e-9 <= self.sampling_fraction <= 1:
            raise JobError(
                "the sampling fraction is the table's share of its population: give a number above 0 and at most 1, "
                "such as 0.1"
            )

        for name in (*self.orders, *self.hierarchies):
            if name not in self.sensitive:
                raise JobError(
                    f"{name!r} has an order or a hierarchy, which only sensitive columns may have here: name the "
                    "column as sensitive, too"
                )
        assert self.distances is not None

    @cached_property
    def distances(self) -> Mapping[str, Sequence[TCloseness]]:
        """The models of t-closeness to measure, by sensitive column: one per order or hierarchy in the request.

        Raises :class:`JobError` for an invalid order or hierarchy.
        """
        distances = [("ordered", "order", self.orders), ("hierarchical", "hierarchy", self.hierarchies)]
        models: dict[str, list[TCloseness]] = {}
        for distance, key, settings in distances:
            for name, setting in settings.items():
                model = {"attribute": name, "t": 1, "distance": distance, key: setting}
                models.setdefault(name, []).append(check(TCloseness, model, where=f"{key} of {name!r}"))
        return models

    @property
    def roles(self) -> dict[str, list[str]]:
        return {
            "quasi_identifiers": list(self.quasi_identifiers),
            "sensitive": list(self.sensitive),
            "person": list(self.person),
        }


def columns_of(place: Place, *, resources: Resources = Resources()) -> list[str]:
    """Names of a table's columns, in order."""
    with open_store(place, resources) as store:
        return [column.name for column in open_source(store, place, roles.everything, closed=True).released]


def audit(
    place: Place | None, request: AuditRequest, *, frame: Frame | None = None, resources: Resources = Resources()
) -> Audit:
    """Measure the risk of a table as it stands, or of a ``frame`` in its place.

    Raises an :class:`~starcloak.base.errors.InputError` for a table that cannot be read, has no rows or lacks a column.
    """
    people = None
    if request.population is not None:
        people = read_classes(request.population, request.quasi_identifiers, resources=resources)
    with open_store(place, resources) as store:
        opened = open_source(store, place, request.roles, frame=frame, closed=False)
        store.lock_down()
        opened = opened.private
        opened.refuse_unlike(request.sensitive)
        store.report("classes")
        _gather(store, opened)
        classes.nobody(store, _CLASSES, [column.name for column in opened.released], request.person, opened.label)
        recognized = (
            known_release.Known()
            if frame is not None or place is None
            else known_release.what_is_known(store, opened.host, place)
        )
        return _audit(store, opened, request, recognized, people)


def _gather(session: Session, source: Source) -> None:
    """Copy the equivalence classes over all requested columns to the working store, as ``audited_classes``."""
    everything = Qid(attributes=[column.name for column in source.released], k=1)
    try:
        counted, yielded = classes.of(source.relation, source.released, qids=[everything])
        gathered = source.host.gather_classes(_CLASSES, counted, yielded, size=classes.SIZE)
        arrived = source.host is session or classes.have_arrived(
            session, _CLASSES, everything.attributes, [everything], gathered
        )
        if not arrived:
            raise VerificationError(f"the audit of {source.label} has no result: {classes.OTHERWISE}")
    except StatementError as error:
        raise unread(source.label, error.kind) from None
    source.refuse_lost(gathered.rows)
    if not gathered.rows:
        raise SourceError(f"{source.label} has no rows, so there is nothing to audit: give a table with rows")


def _audit(
    session: Session, source: Source, request: AuditRequest, recognized: Known, people: PopulationClasses | None
) -> Audit:
    names = [column.name for column in source.released]
    counted = _CLASSES
    if request.person:
        (persons,) = session.row(
            Statement(
                "privacy/persons/recount#everybody", persons=classes.columns_of(names, request.person), classes=_CLASSES
            )
        )
        if not request.as_set:
            counted = classes.once(session, _CLASSES, names, request.quasi_identifiers, request.person)

    def sizes_over(attributes: Sequence[str]) -> Statement:
        if request.as_set:
            return classes.histories(counted, names, attributes, request.person)
        return classes.regroup(counted, names, attributes)

    are_whole = set(names) == set(request.quasi_identifiers)
    sizes = class_sizes(
        session,
        Statement("store/relation", relation=counted) if are_whole else sizes_over(request.quasi_identifiers),
    )
    k, notes = recognized.k or 1, list(recognized.notes)
    session.report("columns")
    singles = [telling(session, sizes_over([name]), [name], sizes.rows) for name in request.quasi_identifiers]
    joint = telling_of_sizes(request.quasi_identifiers, sizes)
    sets, remark = _column_sets(session, counted, names, request, singles, joint, sizes)
    notes += remark
    by_name = {column.name: column for column in source.released}
    threshold = Fraction(request.threshold)
    itself = outside = sizes.itself
    if people is not None:
        values_of = [classes.value(names.index(name)) for name in request.quasi_identifiers]
        counts = beside(session, counted, values_of, people, source.label)
        outside = tuple(Class(size, of_people, alike) for size, of_people, alike in counts)
    estimated = None
    if request.sampling_fraction is not None:
        if sizes.smallest < k:
            notes.append(
                "the estimate of the population is left out: it would reveal how many classes of the release are "
                "smaller than k"
            )
        else:
            estimated = population.estimate(sizes, request.sampling_fraction)
    measured = request.sensitive
    if measured and sizes.smallest < k:
        measured = ()
        notes.append(
            "the figures of sensitive columns are left out: they would be figures of classes of the release that are "
            "smaller than k"
        )
    texts = [name for name in measured if by_name[name].has_spellings]
    notes += spelling.notes(session, _CLASSES, names, texts, [request.quasi_identifiers], persons=request.person)
    if sizes.smallest >= k:
        notes += notes_of_persons.in_classes(session, _CLASSES, source, request.person, request.quasi_identifiers)
    notes += roles.notes(source)
    uniques, doubles = known_release.masked_uniques(sizes, k)
    return Audit(
        source=source.label,
        release_k=recognized.k,
        rows=small_counts.mask(sizes.rows, k),
        persons=small_counts.mask(persons, k) if request.person else None,
        as_set=request.as_set,
        classes=known_release.masked_classes(sizes, k),
        uniques=uniques,
        doubles=doubles,
        class_sizes=known_release.masked_sizes(sizes, k),
        threshold=float(threshold),
        prosecutor=known_release.masked_risk(attackers.prosecutor(itself, threshold), sizes, k),
        journalist=known_release.masked_risk(attackers.journalist(outside, threshold), sizes, k),
        marketer=known_release.masked_risk(attackers.marketer(outside, threshold), sizes, k),
        population=estimated,
        quasi_identifiers=[
            known_release.masked_telling(telling, sizes, k)
            for telling in (*singles, *([joint] if len(singles) > 1 else []))
        ],
        unique_sets=[known_release.masked_telling(telling, sizes, k) for telling in sets],
        sensitive=[_sensitive_risk(session, names, request, by_name[name]) for name in measured],
        thresholds=[_threshold(sizes, k, *threshold) for threshold in THRESHOLDS],
        safe_harbor=[
            Listed(attribute=name, identifier=identifier) for name, identifier in safe_harbor.listed_names(names)
        ],
        notes=notes,
    )


def _column_sets(
    session: Session,
    counted: Name,
    names: Sequence[str],
    request: AuditRequest,
    singles: Sequence[Telling],
    joint: Telling,
    sizes: Sizes,
) -> tuple[list[Telling], list[str]]:
    """The smallest sets of columns that distinguish most rows, and notes if the search for sets is not complete."""
    if request.as_set:  # the histories of two columns single out more persons than the histories of each
        return [], [
            "unique_sets is empty: sets of columns are searched for rows, not for the histories of persons (--as-set)"
        ]
    session.report("sets of columns")
    sets, looked_at = unique_sets(
        session,
        counted,
        names,
        singles,
        together=joint.distinction or 0,
        rows=sizes.rows,
        combined=sizes.classes,
        least=Fraction(request.distinction),
        largest=request.largest_set,
    )
    if looked_at < request.largest_set:
        return sets, [
            (
                f"unique_sets is not complete: it has sets of up to {looked_at} of {len(singles)} columns, as there "
                f"are too many larger sets to count: name fewer columns, or give --sets {looked_at}"
            )
        ]
    if request.largest_set < LARGEST:
        return sets, [f"unique_sets has sets of at most {request.largest_set} columns, as requested"]
    return sets, []


def _sensitive_risk(session: Session, names: Sequence[str], request: AuditRequest, column: Column) -> Sensitive:
    """Figures of a sensitive attribute in the classes; each person counts once for each value in a class."""
    counted, values = _CLASSES, classes.columns_of(names, request.quasi_identifiers)
    if request.person:
        counted = classes.once(session, _CLASSES, names, [*request.quasi_identifiers, column.name], request.person)
    persons = classes.columns_of(names, request.person) if request.person else None
    rows = class_sizes(session, classes.regroup(counted, names, request.quasi_identifiers)).rows
    place = classes.value(names.index(column.name))
    return sensitive.sensitive_risk(
        session,
        counted,
        values,
        place,
        column,
        rows=rows,
        distances_asked=request.distances.get(column.name, ()),
        persons=persons,
    )


def _threshold(sizes: Sizes, k: int, count: int, probability: float, name: str) -> Threshold:
    share = Fraction(sizes.exposure.below(count), sizes.rows)
    return Threshold(
        name=name,
        k=count,
        probability=probability,
        holds=sizes.smallest >= count,
        records_at_risk=float(share) if known_release.may_tell_shares(sizes, k, share) else None,
    )


def share(value: float | Decimal | str, what: str) -> Decimal:
    """A share as an exact decimal number.

    Raises :class:`JobError` if it is not from 0 to 1; the message names the option ``what``.
    """
    try:
        number = Decimal(str(value))
        if 0 <= number <= 1:
            return number
    except ArithmeticError:
        pass
    raise JobError(f"{what}: give a share from 0 to 1, such as 0.2")


def names_of(texts: Sequence[str]) -> tuple[str, ...]:
    """Names of columns from the texts of an option on the command line; each text has names separated by commas."""
    return tuple(name.strip() for names in texts for name in names.split(","))


def given_of(assignments: Sequence[str], what: str) -> dict[str, str]:
    """Settings of columns from the texts COLUMN:TEXT of the option ``what`` on the command line, by column.

    Raises :class:`JobError` for any other form, and for a column in two texts.
    """
    texts = {}
    for text_given in assignments:
        name, colon, text = text_given.partition(":")
        if not (name and colon and text):
            raise JobError(f"{what}: write the column, a colon and its value, such as disease:{_EXAMPLES[what]}")
        if name in texts:
            raise JobError(f"{what}: column {name!r} is given twice: give it once")
        texts[name] = text
    return texts
