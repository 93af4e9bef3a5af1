"""Clauses (conditions) on a staged release, all checked before publication.

A demand is the requirement on one quasi-identifier: k and privacy models. Classes under a demand are equivalence
classes over the attributes of this quasi-identifier.

Kept cells are compared by sums of hashes, of 64 bits in the working store and of 32 in other databases. A change of one
tuple's cells goes unseen by accident with a chance of about 2^-64 or 2^-32.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING

from starcloak.base.errors import RefusedRelease, VerificationError
from starcloak.privacy.k_anonymity.model import KAnonymity
from starcloak.star.recoding.recoding import RECODING
from starcloak.statements.statement import Name, Statement
from starcloak.store.databases.host import ClassTotals
from starcloak.store.session import Session
from starcloak.verify import classes
from starcloak.verify.claim import Claim, Clause
from starcloak.verify.classes import OTHERWISE
from starcloak.verify.recount import Reading

if TYPE_CHECKING:
    from starcloak.privacy.model import Model
    from starcloak.privacy.requirement import Demand, Requirement
    from starcloak.privacy.verdict import Judged


_CHANGED = (
    "if the source changed, run again; if it is a query with different rows each time, store them in a table first"
)


def verify(session: Session, release: Statement, claim: Claim) -> Reading:
    """Read a staged release with the statement ``release`` and check it.

    Raises :class:`VerificationError` with the clause's name, unless each of the ``CLAUSES`` and of the clauses of the
    claim holds.
    """
    reading = Reading(session, release, claim)
    for clause in clauses_of(claim):
        for problem in clause.problems(reading):
            raise VerificationError(
                f"the release was not published, as the verifier refused it: {problem}", clause=clause.name
            )
    return reading


def _columns(reading: Reading) -> Iterator[str]:
    """The release has exactly the columns to be released, in their order, and no identifier."""
    if list(reading.described) != [column.name for column in reading.claim.source.released]:
        yield "its columns differ from the columns of the job"


def _types(reading: Reading) -> Iterator[str]:
    """Columns have the types of the job, and generalized ones are texts, unless the job keeps their type.

    If each cell of a database has its own type, the types of kept cells are compared with their values, and a column of
    missing values alone may have any type.
    """
    source, levels = reading.claim.source, reading.claim.levels
    places = {column.name: place for place, column in enumerate(source.quasi_identifiers)}
    for leaving in source.leaving:
        place = places.get(leaving.name)
        is_own = place is None or reading.claim.dimensions[place].has_source_type(levels[leaving.name])
        expected = leaving.type if is_own else "VARCHAR"
        if reading.described[leaving.name].type == expected:
            continue
        if not source.host.typed_cells or (place is not None and reading.has_values(place)):
            yield "the types of its columns differ from the job"


def _as_sent(reading: Reading) -> Iterator[str]:
    """Cells in another database are identical to the cells sent there.

    Equal cells, such as 1 for true, do not suffice.
    """
    if not reading.claim.as_sent():
        yield "its cells differ from the cells that were sent"


def _home(reading: Reading) -> Iterator[str]:
    """Numbers of classes and rows, and smallest class size, agree between working store and release's database."""
    classes = reading.counts.classes
    if reading.told != ClassTotals(classes.classes, classes.smallest, classes.rows):
        yield OTHERWISE
    if reading.claim.requirement.reads and reading.claim.stage is None and not reading.valued:
        yield OTHERWISE


def _wholeness(reading: Reading) -> Iterator[str]:
    """Every class under each demand was copied whole, and no two classes were merged by the copy."""
    if reading.counts.torn:
        yield OTHERWISE


def _anonymity(reading: Reading) -> Iterator[str]:
    """Every class under each demand has at least k rows or, over all quasi-identifiers with persons, k persons."""
    smallest, whole = reading.smallest, len(reading.claim.dimensions)
    for demand, anonymity in zip(reading.claim.requirement.demands, reading.counts.classes.anonymity, strict=True):
        if anonymity is not None and anonymity < demand.k:
            yield f"a class over {', '.join(demand.attributes)} has fewer than k = {demand.k} rows"
        if smallest is not None and smallest < demand.k and len(demand.attributes) == whole:
            yield f"a class over {', '.join(demand.attributes)} has fewer than k = {demand.k}"


def _models(reading: Reading) -> Iterator[str]:
    """Every class under each demand satisfies the demand's further privacy models, by the verifier's own count."""
    for demand, model, judged in reading.judged:
        if not judged.holds and model.key != KAnonymity.key:
            yield f"a class over {', '.join(demand.attributes)} does not have {model.described}"


def _suppression(reading: Reading) -> Iterator[str]:
    """At most as many rows are suppressed as the job allows."""
    if reading.claim.suppressed > reading.claim.allowed:
        yield "more rows are suppressed than the job allows"


def _rows(reading: Reading) -> Iterator[str]:
    """Released and suppressed rows together are as many as the rows of the source."""
    if reading.counts.classes.rows + reading.claim.suppressed != reading.claim.rows:
        yield f"released and suppressed rows together differ from the rows of the source: {_CHANGED}"


def _levels(reading: Reading) -> Iterator[str]:
    """Every quasi-identifier cell is a value at a claimed hierarchy level or, if ranges are allowed, a range."""
    for dimension, strangers in zip(reading.claim.dimensions, reading.counts.strangers, strict=True):
        if strangers:
            yield f"column {dimension.attribute!r} has values that belong to none of its levels"


def _ceilings(reading: Reading) -> Iterator[str]:
    """Yield each violation, in words: a cell or a hierarchy with a level above the highest level allowed by the job."""
    for dimension in reading.claim.dimensions:
        highest = reading.claim.highest.get(dimension.attribute)
        if highest is not None and max(dimension.height, *reading.claim.levels[dimension.attribute]) > highest:
            yield f"column {dimension.attribute!r} has levels above the highest that the job allows"


def _ranges(reading: Reading) -> Iterator[str]:
    """Every range contains the numbers recoded to it, and does not end at a number of the data."""
    for dimension in reading.claim.dimensions:
        if dimension.position in reading.claim.ranged and reading.count_uncovered(dimension):
            yield f"ranges of column {dimension.attribute!r} do not contain the numbers of their rows"
        if dimension.numeric and dimension.height > 1 and reading.count_misplaced(dimension):
            yield (
                f"intervals of column {dimension.attribute!r} do not contain the numbers of their rows, or end at "
                "such a number"
            )


def _tuples(reading: Reading) -> Iterator[str]:
    """Every generalized tuple is released exactly as often as the recoding produces it, and no other tuple is."""
    if reading.counts.unexpected:
        yield f"its rows differ from the recoding: {_CHANGED}"


def _kept_cells(reading: Reading) -> Iterator[str]:
    """Every generalized tuple has the kept cells of the rows recoded to it, if the recoding has their checksum."""
    if reading.counts.changed:
        yield f"kept cells of its rows differ from the source: {_CHANGED}"


def _inventions(reading: Reading) -> Iterator[str]:
    """No combination of kept cells occurs more often than in the source, if tuples cannot be compared one by one."""
    claim = reading.claim
    if claim.source.kept and not claim.checksums and claim.stage is None and reading.count_invented():
        yield f"kept cells differ from the source: {_CHANGED}"


def _projection(reading: Reading) -> Iterator[str]:
    """The release has the rows of the release verified with columns that identify persons, without these columns."""
    if reading.claim.stage is not None and reading.apart_from(reading.claim.stage):
        yield f"its rows differ from the rows with counted persons: {_CHANGED}"


CLAUSES = (
    Clause("columns", _columns),
    Clause("types", _types),
    Clause("as sent", _as_sent),
    Clause("home", _home),
    Clause("torn", _wholeness),
    Clause("anonymity", _anonymity),
    Clause("models", _models),
    Clause("suppression", _suppression),
    Clause("rows", _rows),
    Clause("levels", _levels),
    Clause("ceilings", _ceilings),
    Clause("ranges", _ranges),
    Clause("tuples", _tuples),
    Clause("kept", _kept_cells),
    Clause("invented", _inventions),
    Clause("projection", _projection),
)


def clauses_of(claim: Claim) -> tuple[Clause, ...]:
    """All clauses to check, in order: the verifier's own and, before the last of these, those of the claim."""
    return (*CLAUSES[:-1], *claim.clauses, CLAUSES[-1])


def refuse_short(required: Requirement, reading: Reading) -> None:
    """Refuse a release with a counted figure below the requirement. This check is independent of the clauses.

    Raises :class:`VerificationError` for the first privacy model without a verdict, or with an insufficient figure.
    """
    judged = list(reading.judged)
    for demand in required.demands:
        for model in demand.models:
            judged_model = next(
                (verdict for of, required_model, verdict in judged if of == demand and required_model == model), None
            )
            if judged_model is None or not _suffices(model, judged_model, rows=reading.counts.classes.rows):
                raise VerificationError(
                    f"the release was not published, as nobody counted that it has {_of(demand, model)}: report this "
                    "defect of starcloak"
                    if judged_model is None
                    else f"the release was not published, as its count does not show {_of(demand, model)}: report "
                    "this defect of starcloak",
                    clause="achieved",
                )


def refuse_suppressed(reading: Reading, most: Mapping[str, Decimal]) -> None:
    """Refuse a verified release with too many suppressed cells (at the top of the hierarchy) in a column.

    ``most`` has the largest allowed share of rows (0 … 1) by column. Cells are counted in the classes read by the
    verifier or, in a column that keeps its type, in the recoding verified against these classes.

    Raises :class:`RefusedRelease`.
    """
    rows = reading.counts.classes.rows
    names = [column.name for column in reading.claim.source.quasi_identifiers]
    for dimension in reading.claim.dimensions:
        allowed = most.get(dimension.attribute)
        if allowed is None:
            continue
        if dimension.keeps_type:  # a missing cell may be the source's own
            level = Name(f"level_{dimension.position}")
            counted = Statement("verify/suppressed#missing", recoding=RECODING, level=level)
            (suppressed,) = reading.session.row(counted, {"top": dimension.height})
        else:
            cell = Statement("verify/recount#cell", column=classes.value(names.index(dimension.attribute)))
            top = Name(f"level_{dimension.height}")
            (suppressed,) = reading.session.row(
                Statement("verify/suppressed", cell=cell, classes=classes.STAGED, top=top, table=dimension.table)
            )
        if suppressed > allowed * rows:
            raise RefusedRelease(
                f"max_suppressed: {suppressed / rows:.1%} of the released cells of {dimension.attribute!r} are "
                f"suppressed, more than the allowed {allowed:.1%}",
                "allow more suppressed rows or cells, leave another column out, or use another algorithm (with a "
                "full-domain algorithm, the key `to` limits the level of a column)",
            )


def _suffices(model: Model, judged: Judged, *, rows: int) -> bool:
    """True if the verdict is positive and its figure reaches the model's bound. Without rows, there is no figure."""
    if not judged.holds or judged.violating_classes:
        return False
    return not rows or (judged.achieved is not None and model.reached(judged.achieved))


def _of(demand: Demand, model: Model) -> str:
    return f"{model.described} in every class over {', '.join(demand.attributes)}"
