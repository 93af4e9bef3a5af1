"""The verifier: reads a staged release back and counts it again.

It shares no statement with the searches, and compares what they found instead of trusting it. Its arithmetic is exact:
integers only. Kept cells are told from others by sums of hashes, of 64 bits in the working store and of 32 in other
databases: that cells of one class changed stays unseen by accident with a chance of about 2^-64 or 2^-32.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from starcloak.column import Column
from starcloak.errors import SourceError, StatementError, VerificationError
from starcloak.host import Told
from starcloak.job import Qid
from starcloak.privacy.judged import Judged
from starcloak.privacy.l_diversity.model import LDiversity
from starcloak.privacy.model import Model, recounted
from starcloak.privacy.requirement import Demand, Requirement
from starcloak.recoding import RECODING
from starcloak.report import DiversityVerdict, QidVerdict, Verdict
from starcloak.session import Session
from starcloak.source import Source
from starcloak.star import Dimension
from starcloak.statement import As, Hole, Joined, Name, Number, Statement, columns

STAGED = Name("staged_classes")
_CHECKED = Name("checked_classes")
_VALUES = Name("staged_values")
_SIZE = Name("size")
_OTHERWISE = "what came home is not what the database counted"
_CHANGED = "if it changed, run again; if it yields other rows each time, make a table of it"
_LARGEST = 2**63 - 1  # of a whole number, and more than any table has rows


@dataclass(frozen=True)
class Classes:
    """The equivalence classes of a table: how many, over how many rows, the smallest size, the sum of squared sizes.

    ``anonymity`` has the smallest group of each QID: A(QID) of Fung, Wang, Yu 2007, Definition 1. It and ``smallest``
    are None for a table without rows. ``judged`` has the verdict on every model that reads a column.
    """

    classes: int
    rows: int
    smallest: int | None
    squares: int
    anonymity: tuple[int | None, ...]
    judged: tuple[tuple[Demand, Model, Judged], ...] = ()


def verify(
    session: Session,
    release: Statement,
    *,
    source: Source,
    dimensions: tuple[Dimension, ...],
    levels: dict[str, tuple[int, ...]],
    expected: Statement,
    checksums: bool,
    requirement: Requirement,
    ranged: tuple[int, ...] = (),
    rows: int,
    suppressed: int,
    allowed: int,
) -> Classes:
    """Check a staged release and return its equivalence classes.

    ``release`` reads it back from where it is staged. Raises :class:`VerificationError` unless it has exactly the
    released columns; every group of each demand of the ``requirement`` satisfies its models; released and suppressed
    rows are the source's ``rows``; no more than ``allowed`` are suppressed; every generalized cell is a value of one of
    its attribute's ``levels``, or at the positions ``ranged`` a range between two leaves that holds the numbers of the
    tuples that go to it; every generalized tuple is there as often as ``expected`` says and, with ``checksums``, with
    the kept cells of the rows that go to it; without, no combination of kept cells occurs more often than in the
    source. The classes that came home are those that the database counted where the release is.
    """
    described = source.host.describe(release)
    names = [column.name for column in described]
    _require(names == [column.name for column in source.released], "its columns are not those of the job")
    told = gather(release, source, described, qids=requirement.demands)
    _require(_is_typed(session, described, source, levels), "its columns are not of the types of the job")
    checksum = Name("checksum") if checksums else Number(0)
    counted, torn, strangers, unexpected = _read_back(
        session, source, requirement.demands, dimensions, levels, expected, checksum, ranged
    )
    _require(told == Told(counted.classes, counted.smallest, counted.rows) and not torn, _OTHERWISE)
    for demand, anonymity in zip(requirement.demands, counted.anonymity, strict=True):
        few = f"a class over {', '.join(demand.attributes)} has fewer than k = {demand.k} rows"
        _require(anonymity is None or anonymity >= demand.k, few)
    judgements = tuple(_judged_models(session, release, source, described, requirement))
    for demand, model, judged in judgements:
        over = ", ".join(demand.attributes)
        _require(judged.holds, f"a class over {over} does not have {model.described}")
    _require(suppressed <= allowed, "more rows are suppressed than the job allows")
    _require(counted.rows + suppressed == rows, f"released and suppressed rows are not the source's: {_CHANGED}")
    for dimension, unknown in zip(dimensions, strangers, strict=True):
        _require(not unknown, f"column {dimension.attribute!r} has values that are not of its levels")
    for dimension in dimensions:
        if dimension.position in ranged:
            (uncovered,) = session.row(_uncovered(dimension))
            _require(not uncovered, f"ranges of column {dimension.attribute!r} do not hold their numbers")
    _require(not unexpected, f"its tuples are not those of the recoding: {_CHANGED}")
    if source.kept and not checksums:
        _require(not _invented(release, source), f"kept cells are not those of the source: {_CHANGED}")
    return replace(counted, judged=judgements)


def check(
    session: Session, source: Source, *, qids: Sequence[Qid], diversity: Mapping[str, int] | None = None
) -> Verdict:
    """Whether the source, as it stands, is k-anonymous over each of the ``qids`` (Fung, Wang, Yu 2007, Definition 1).

    ``diversity`` gives sensitive attributes the fewest different values that every class must have: distinct
    l-diversity, of which a missing value is none. No count between 1 and k - 1 is told.
    """
    names = [column.name for column in source.released]
    source.refuse_unlike(diversity or ())
    try:
        # One statement reads it: a source that yields other rows each time gets one answer, about rows it did yield.
        sizes, yielded = _sizes(source.relation, source.released, qids=qids)
        told = source.host.gather_classes(_CHECKED, sizes, yielded, size=_SIZE)
        if not _arrived(session, _CHECKED, names, qids, told):
            raise VerificationError(f"there is no verdict on {source.label}: {_OTHERWISE}")
        rows = told.rows
        source.refuse_lost(rows)
        verdicts = [_judged(session, names, qid, diversity or {}) for qid in qids]
    except StatementError as error:
        problem = f"{source.label} cannot be read ({error.kind}): check that its rows are well-formed"
        raise SourceError(problem) from None
    if not rows:
        raise SourceError(f"{source.label} has no rows: there is nothing to check")
    return Verdict(
        source=source.label,
        holds=all(verdict.holds for verdict in verdicts),
        rows=None if rows < max(qid.k for qid in qids) else rows,
        qids=verdicts,
    )


def _judged(session: Session, names: Sequence[str], qid: Qid, diversity: Mapping[str, int]) -> QidVerdict:
    """The verdict on one QID; where it does not hold, also the attributes without which it would."""
    verdict = _wanting(session, names, qid, diversity)
    if verdict.holds or len(qid.attributes) == 1:
        return verdict
    enough = []
    for attribute in qid.attributes:
        others = [other for other in qid.attributes if other != attribute]
        if _wanting(session, names, qid.model_copy(update={"attributes": others}), diversity).holds:
            enough.append(attribute)
    return verdict.model_copy(update={"holds_without": enough})


def _wanting(session: Session, names: Sequence[str], qid: Qid, diversity: Mapping[str, int]) -> QidVerdict:
    statement = Statement("verify/wanting", {"sizes": _regrouped(_CHECKED, names, qid)})
    classes, rows, smallest, wanting, outliers = session.row(statement, {"k": min(qid.k, _LARGEST)})
    enough = bool(rows) and smallest >= qid.k
    diversities = [_diversity(session, names, qid, attribute, least) for attribute, least in diversity.items()]
    return QidVerdict(
        attributes=qid.attributes,
        required_k=qid.k,
        holds=enough and all(each.holds for each in diversities),
        k=smallest if enough else None,
        classes=None if rows < qid.k else classes,
        wanting_classes=_told(wanting, qid.k),
        wanting_rows=_told(outliers, qid.k),
        l_diversity=diversities,
    )


def _diversity(session: Session, names: Sequence[str], qid: Qid, attribute: str, least: int) -> DiversityVerdict:
    model = LDiversity(attribute=attribute, l=least)
    judged = recounted(model)(session, _CHECKED, _values(names, qid), [_value(names.index(attribute))], model)
    return DiversityVerdict(
        attribute=attribute,
        required_l=least,
        holds=judged.holds,
        l=judged.achieved if judged.holds else None,
        wanting_classes=_told(judged.violating_classes, qid.k),
        wanting_rows=_told(judged.violating_rows, qid.k),
    )


def _told(count: int, k: int) -> int | None:
    """A count that may be told: none of 1 to k - 1."""
    return None if 0 < count < k else count


def _sizes(
    relation: Hole, attributes: Sequence[Column], *, checksum: Hole | None = None, qids: Sequence[Qid | Demand] = ()
) -> tuple[Statement, list[Column]]:
    """The classes of a relation over some columns, and the columns that they have: value_1, …, checksum, size; group_1
    and so on, the rows of the group that each class belongs to by each of the ``qids``.
    """
    names = tuple(
        Statement("verify/group", {"column": name}) if column.is_text else name
        for column in attributes
        for name in [Name("relation", column.name)]
    )
    values = [As(name, _value(position)) for position, name in enumerate(names)]
    yielded = [column.under(_value(position).parts[0]) for position, column in enumerate(attributes)]
    if checksum is not None:
        values.append(As(checksum, Name("checksum")))
        yielded.append(Column("checksum", "BIGINT"))
    holes: dict[str, Hole] = {
        "values": columns(values),
        "relation": relation,
        "names": Joined(names, ", "),
    }
    sizes, yielded = Statement("verify/sizes", holes), [*yielded, Column(_SIZE.parts[0], "BIGINT")]
    listed = [column.name for column in attributes]
    partial = {_group(listed, qid): qid for qid in qids if len(qid.attributes) < len(listed)}
    if not partial:
        return sizes, yielded
    groups = (
        As(Statement("verify/group_size", {"values": _values(listed, qid)}), name) for name, qid in partial.items()
    )
    yielded += [Column(name.parts[0], "BIGINT") for name in partial]
    return Statement("verify/grouped", {"groups": columns(groups), "classes": sizes}), yielded


def _arrived(session: Session, classes: Name, names: Sequence[str], qids: Sequence[Qid | Demand], told: Told) -> bool:
    """Whether classes over the columns ``names`` came home as the database counted them."""
    statement = Statement("verify/whole", {"torn": _torn(classes, names, qids), "classes": classes})
    found, rows, smallest, torn = session.row(statement)
    return told == Told(found, smallest, rows) and not torn


def _torn(classes: Name, names: Sequence[str], qids: Sequence[Qid | Demand]) -> Joined:
    """How many groups of the QIDs are others than the database counted, or came in pieces."""
    each = (
        Statement("verify/torn", {"classes": classes, "values": _values(names, qid), "group": _group(names, qid)})
        for qid in qids
    )
    return Joined(tuple(each), " + ")


def _judged_models(
    session: Session, release: Statement, source: Source, described: Sequence[Column], requirement: Requirement
) -> Iterator[tuple[Demand, Model, Judged]]:
    """The verdict on every model that reads a column, counted over the classes of the release with those columns.

    They have the types that are ``described``: a number may have become a text.
    """
    if not requirement.reads:
        return
    names = [*(column.name for column in source.quasi_identifiers), *requirement.reads]
    columns = [column for column in described if column.name in names]
    names = [column.name for column in columns]
    sizes, yielded = _sizes(Statement("source/nested", {"rows": release}), columns, qids=requirement.demands)
    told = source.host.gather_classes(_VALUES, sizes, yielded, size=_SIZE)
    _require(_arrived(session, _VALUES, names, requirement.demands, told), _OTHERWISE)
    for demand in requirement.demands:
        for model in demand.models:
            if model.reads:
                read = [_value(names.index(name)) for name in model.reads]
                yield demand, model, recounted(model)(session, _VALUES, _values(names, demand), read, model)


def _regrouped(classes: Name, names: Sequence[str], qid: Qid | Demand) -> Statement:
    """The sizes of the classes of a QID, from classes over the columns ``names``."""
    return Statement("verify/regrouped", {"classes": classes, "values": _values(names, qid)})


def _values(names: Sequence[str], qid: Qid | Demand) -> Joined:
    return Joined(tuple(_value(names.index(attribute)) for attribute in qid.attributes), ", ")


def _value(position: int) -> Name:
    return Name(f"value_{position + 1}")


def _group(names: Sequence[str], qid: Qid | Demand) -> Name:
    """The column that tells the rows of a class's group by a QID; where a class is all of it, its size."""
    if len(qid.attributes) == len(names):
        return _SIZE
    return Name("_".join(["group", *sorted(str(names.index(attribute) + 1) for attribute in qid.attributes)]))


def _read_back(
    session: Session,
    source: Source,
    qids: Sequence[Demand],
    dimensions: tuple[Dimension, ...],
    levels: dict[str, tuple[int, ...]],
    expected: Statement,
    checksum: Hole,
    ranged: tuple[int, ...],
) -> tuple[Classes, int, list[int], int]:
    """The equivalence classes (Li, Wong, Fu, Pei 2008, Definition 2), the groups of QIDs that are not those of the
    database, the values of each column that are not of its levels, and the tuples that the recoding does not expect.
    """
    cells = [Name(f"cell_{position}") for position in range(1, len(dimensions) + 1)]
    names = [column.name for column in source.quasi_identifiers]
    texts = (As(Statement("verify/cell", {"column": _value(position)}), cell) for position, cell in enumerate(cells))
    # Classes over all columns are those of the statement itself; others are regrouped by the columns as they are.
    partial = [qid for qid in qids if len(qid.attributes) < len(names)]
    anonymity = (Statement("verify/anonymity", {"sizes": _regrouped(Name("staged"), names, qid)}) for qid in partial)
    strangers = (
        Statement("verify/strange_ranges", {"cell": cell, "table": dimension.table})
        if dimension.position in ranged
        else Statement(
            "verify/strangers",
            {
                "cell": cell,
                "table": dimension.table,
                "levels": Joined(tuple(Name(f"level_{level}") for level in levels[dimension.attribute]), ", "),
            },
        )
        for dimension, cell in zip(dimensions, cells, strict=True)
    )
    listed = Joined(tuple(cells), ", ")
    holes: dict[str, Hole] = {
        "texts": columns(texts),
        "staged": STAGED,
        "anonymity": Joined(tuple(anonymity), ", "),
        # All columns together, too: no class may have become one with another.
        "torn": _torn(Name("staged"), names, [*partial, Demand(tuple(names), ())]),
        "strangers": columns(strangers),
        "unexpected": Statement("verify/unexpected", {"cells": listed, "checksum": checksum, "expected": expected}),
    }
    classes, rows, smallest, squares, regrouped, torn, *unknown, tuples = session.row(
        Statement("verify/classes", holes)
    )
    counted = iter(regrouped)
    smallest_of = tuple(next(counted) if qid in partial else smallest for qid in qids)
    return Classes(classes, rows, smallest, squares, smallest_of), torn, unknown, tuples


def gather(
    release: Statement, source: Source, described: Sequence[Column], *, qids: Sequence[Qid | Demand] = ()
) -> Told:
    """Bring the classes of a release home, as the relation ``STAGED``, by one GROUP BY where it is.

    Returns what is said of them there.
    """
    by_name = {column.name: column for column in described}
    staged = [by_name[column.name] for column in source.quasi_identifiers]
    rows = Statement("source/nested", {"rows": release})
    sizes, yielded = _sizes(rows, staged, checksum=source.checksum(staged=True), qids=qids)
    return source.host.gather_classes(STAGED, sizes, yielded, size=_SIZE)


def gathered(source: Source) -> Statement:
    """The classes that were gathered last: the quasi-identifier's columns, checksum and size."""
    values = [_value(position) for position in range(len(source.quasi_identifiers))]
    staged = Statement("source/relation", {"relation": STAGED})
    return Statement("source/source", {"columns": columns([*values, Name("checksum"), _SIZE]), "origin": staged})


def _uncovered(dimension: Dimension) -> Statement:
    names = {name: Name(f"{name}_{dimension.position}") for name in ("code", "level", "text")}
    return Statement("verify/uncovered", {"recoding": RECODING, "table": dimension.table, **names})


def _is_typed(
    session: Session, described: Sequence[Column], source: Source, levels: Mapping[str, tuple[int, ...]]
) -> bool:
    """Whether columns are of the types that they leave as, and generalized ones texts.

    Where each cell has a type of its own, those of the kept cells are compared with them, and a column in which every
    value is missing is of any type.
    """
    position = {column.name: place for place, column in enumerate(source.quasi_identifiers)}
    for staged, leaving in zip(described, source.leaving, strict=True):
        place = position.get(leaving.name)
        generalized = place is not None and levels[leaving.name] != (0,)
        if staged.type == ("VARCHAR" if generalized else leaving.type):
            continue
        if not source.host.typed_cells:
            return False
        if place is not None:
            (values,) = session.row(Statement("verify/values", {"value": _value(place), "classes": STAGED}))
            if values:
                return False
    return True


def _invented(release: Statement, source: Source) -> int:
    released, kept = (
        columns(As(cell, Name(f"kept_{position}")) for position, cell in enumerate(source.cells(staged=staged), 1))
        for staged in (True, False)
    )
    names = Joined(tuple(Name(f"kept_{position}") for position in range(1, len(source.kept) + 1)), ", ")
    holes: dict[str, Hole] = {
        "released": released,
        "kept": kept,
        "names": names,
        "release": release,
        "source": source.relation,
    }
    (combinations,) = source.host.row(Statement("verify/invented", holes))
    return int(combinations)


def _require(holds: bool, problem: str) -> None:
    if not holds:
        raise VerificationError(f"the staged release was not published: {problem}")
