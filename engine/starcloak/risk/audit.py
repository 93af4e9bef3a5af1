"""The audit: one GROUP BY of the table comes home, and everything is told from that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from starcloak import few
from starcloak.errors import JobError, SourceError, StatementError, VerificationError
from starcloak.job import Qid, load_qids
from starcloak.job import Source as Place
from starcloak.release.opening import open_store
from starcloak.release.resources import Resources
from starcloak.risk import attackers, columns, population, released, safe_harbor, sensitive
from starcloak.risk.attackers import Sizes
from starcloak.risk.released import Known
from starcloak.risk.result import Audit, ClassSize, Listed, Telling, Threshold
from starcloak.session import Session
from starcloak.source.opening import open_source
from starcloak.source.source import Source
from starcloak.statement import Joined, Name, Statement
from starcloak.verify import classes

if TYPE_CHECKING:
    from starcloak.arrow import Frame

_CLASSES = Name("audited_classes")


@dataclass(frozen=True)
class Asked:
    """What an audit is asked: the columns by role, above which chance a record is at risk, and from which distinction
    on a set of columns is named; all shares from 0 to 1. ``sampling_fraction`` is the table's share of its population.
    """

    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    threshold: Decimal = Decimal("0.2")
    distinction: Decimal = Decimal("0.95")
    sampling_fraction: float | None = None

    def __post_init__(self) -> None:
        load_qids([{"attributes": list(self.quasi_identifiers), "k": 1}])
        if self.sensitive:
            load_qids([{"attributes": list(self.sensitive), "k": 1}])
        for name in self.sensitive:
            if name in self.quasi_identifiers:
                raise JobError(
                    f"{name!r} is a quasi-identifier and sensitive: a class has one value of it, name it once"
                )
        if self.sampling_fraction is not None and not 1e-9 <= self.sampling_fraction <= 1:
            raise JobError("sampling fraction: give a share above 0 and at most 1, such as 0.1")

    @property
    def roles(self) -> dict[str, list[str]]:
        return {"quasi_identifiers": list(self.quasi_identifiers), "sensitive": list(self.sensitive)}


def audit(
    place: Place | None, asked: Asked, *, frame: Frame | None = None, resources: Resources = Resources()
) -> Audit:
    """The risk of a table as it stands, or of a ``frame`` in its place.

    Raises an :class:`~starcloak.errors.InputError` for a table that cannot be read, has no rows or lacks a column.
    """
    with open_store(place, resources) as store:
        opened = open_source(store, place, asked.roles, frame=frame, closed=False)
        store.lock_down()
        opened.refuse_unlike(asked.sensitive)
        _gather(store, opened)
        known = released.Known() if frame is not None or place is None else released.known(store, opened.host, place)
        return _told(store, opened, asked, known)


def _gather(session: Session, source: Source) -> None:
    """Bring the classes over all columns that are asked for home."""
    everything = Qid(attributes=[column.name for column in source.released], k=1)
    try:
        counted, yielded = classes.of(source.relation, source.released, qids=[everything])
        told = source.host.gather_classes(_CLASSES, counted, yielded, size=classes.SIZE)
        if not classes.arrived(session, _CLASSES, everything.attributes, [everything], told):
            raise VerificationError(f"there is no audit of {source.label}: {classes.OTHERWISE}")
    except StatementError as error:
        raise SourceError(
            f"{source.label} cannot be read ({error.kind}): check that its rows are well-formed"
        ) from None
    source.refuse_lost(told.rows)
    if not told.rows:
        raise SourceError(f"{source.label} has no rows: there is nothing to audit")


def _told(session: Session, source: Source, asked: Asked, known: Known) -> Audit:
    names = [column.name for column in source.released]
    quasi_identifier = [names.index(name) for name in asked.quasi_identifiers]
    values = Joined(tuple(map(classes.value, quasi_identifier)), ", ")
    sizes = Sizes(tuple(session.run(Statement("risk/sizes", {"classes": _CLASSES, "values": values}))))
    k, notes = known.k or 1, list(known.notes)
    singles = [columns.telling(session, _CLASSES, names, [name], sizes.rows) for name in asked.quasi_identifiers]
    joint = columns.telling(session, _CLASSES, names, asked.quasi_identifiers, sizes.rows)
    sets, whole = columns.unique_sets(
        session,
        _CLASSES,
        names,
        singles,
        together=joint.distinction or 0,
        rows=sizes.rows,
        combined=sizes.classes,
        least=Fraction(asked.distinction),
    )
    if not whole:
        notes.append("unique_sets is not complete: the table has too many combinations to count all sets of columns")
    by_name = {column.name: column for column in source.released}
    threshold = Fraction(asked.threshold)
    itself = sizes.itself
    estimated = None
    if asked.sampling_fraction is not None:
        if sizes.smallest < k:
            notes.append("population is left out: it would tell how many classes of the release are smaller than k")
        else:
            estimated = population.estimate(sizes, asked.sampling_fraction)
    return Audit(
        source=source.label,
        release_k=known.k,
        rows=few.told(sizes.rows, k),
        classes=few.told(sizes.classes, k),
        uniques=few.told(sizes.of(1), k),
        doubles=few.told(sizes.of(2), k),
        class_sizes=_class_sizes(sizes, k),
        threshold=float(threshold),
        prosecutor=released.risk_told(attackers.prosecutor(itself, threshold), sizes, k),
        journalist=released.risk_told(attackers.journalist(itself, threshold), sizes, k),
        marketer=released.risk_told(attackers.marketer(itself, threshold), sizes, k),
        population=estimated,
        quasi_identifiers=[
            _telling(each, sizes.rows, k) for each in (*singles, *([joint] if len(singles) > 1 else []))
        ],
        unique_sets=sets,
        sensitive=[
            sensitive.satisfied(
                session, _CLASSES, values, classes.value(names.index(name)), by_name[name], rows=sizes.rows
            )
            for name in asked.sensitive
        ],
        thresholds=[_threshold(sizes, k, *each) for each in attackers.THRESHOLDS],
        safe_harbor=[Listed(attribute=name, identifier=found) for name, found in safe_harbor.listed(names)],
        notes=notes,
    )


def _telling(told: Telling, rows: int, k: int) -> Telling:
    classes = round((told.distinction or 0) * rows)
    return told if few.told(classes, k) is not None else told.model_copy(update={"distinction": None})


def _class_sizes(sizes: Sizes, k: int) -> list[ClassSize]:
    if k > 1:
        return released.sizes_told(sizes, k)
    return [ClassSize(size=size, classes=found) for size, found in sizes.counted]


def _threshold(sizes: Sizes, k: int, asked: int, probability: float, name: str) -> Threshold:
    share = Fraction(sizes.rows_below(asked), sizes.rows)
    return Threshold(
        name=name,
        k=asked,
        probability=probability,
        holds=sizes.smallest >= asked,
        records_at_risk=float(share) if released.shares_told(sizes, k, share) else None,
    )


def share(given: float | Decimal | str, what: str) -> Decimal:
    """A share from 0 to 1, exactly as it is written. Raises :class:`JobError`."""
    try:
        found = Decimal(str(given))
        if 0 <= found <= 1:
            return found
    except ArithmeticError:
        pass
    raise JobError(f"{what}: give a share from 0 to 1, such as 0.2")


def names_of(given: Sequence[str]) -> tuple[str, ...]:
    """Columns as they are given on the command line: separated by commas, in one option or several."""
    return tuple(name.strip() for names in given for name in names.split(","))
