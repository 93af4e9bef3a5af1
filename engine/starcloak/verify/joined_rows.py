"""k of joined rows: the smallest number of persons compatible with rows joined by a reader of the release.

A reader may join rows of one person by equal values of a kept column that is constant for a person, such as a birth
date. Columns are tried each alone, and all together. Only a value shared by fewer than k persons helps the reader. A
person is hidden by all persons with a row in each class of the joined rows. Everything is counted on the verified
release with the columns that identify persons; no reader sees these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from starcloak.base import small_counts
from starcloak.base.column import Column
from starcloak.base.errors import RefusedRelease
from starcloak.job.persons_result import JoinedKey, JoinedRows
from starcloak.privacy.requirement import Demand
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, columns, union_all
from starcloak.store.session import Session
from starcloak.verify.classes import as_grouped
from starcloak.verify.recount import Reading

#: The largest number of pairs of persons and classes to compare. With more pairs, k of joined rows stays unknown.
MOST_PAIRS = 50_000_000
#: A column counts as constant if at least this share of the persons with several rows has at most one value.
CONSTANT = Fraction(95, 100)
#: The largest share of persons below k without a warning.
_WARNED = Fraction(1, 100)
_LARGEST = 2**62  # of a k, and more than any table has persons
_NUMBERED, _MEMBERS, _SOUGHT = Name("joined_numbered"), Name("joined_members"), Name("joined_sought")
_PERSON = Name("person")


@dataclass(frozen=True)
class _Key:
    """A join key: the columns ``names`` used by a reader to join rows, and the statement for rows with key values.

    Without columns, no rows are joined, and the key value of a row is its class.
    """

    names: tuple[str, ...]
    rows: Statement


def count(
    session: Session, reading: Reading, *, required: int | None = None, most_pairs: int = MOST_PAIRS
) -> list[JoinedRows]:
    """k of joined rows of a verified release, one result per demand (quasi-identifier).

    Empty if k counts rows, or if no row is released. ``required`` is the smallest k of joined rows set by the job;
    numbers of persons are masked below the larger of ``required`` and the demand's k. With ``required`` above the
    demand's k, classes of rows that are joined with no other row are counted, too. Nothing is compared beyond
    ``most_pairs`` pairs of persons and classes.
    """
    stage = reading.claim.stage
    if not isinstance(stage, Reading) or stage.persons is None or not stage.persons.persons:
        return []
    persons, demands = stage.persons.persons, stage.claim.requirement.demands
    joining = _joining(stage)
    if joining or any((required or 1) > demand.k for demand in demands):
        _number(stage, joining)
    return [
        _over(session, joining, demand, max(demand.k, required or 1), Name(f"class_{at}"), persons, most_pairs)
        for at, demand in enumerate(demands, 1)
    ]


def refuse_below(counted: Sequence[JoinedRows], required: int) -> None:
    """Refuse a release with k of joined rows smaller than ``required``, or not counted.

    Raises :class:`RefusedRelease`.
    """
    for joined in counted:
        over = f" over {', '.join(joined.attributes)}" if len(counted) > 1 else ""
        if joined.k is None:
            raise RefusedRelease(
                f"requirement.joined_rows: k of joined rows{over} is not counted ({joined.not_counted})",
                f"put {', '.join(map(repr, joined.columns))}, by which rows are joined, under identifiers or "
                "quasi_identifiers, or leave requirement.joined_rows out",
            )
        if joined.k < required:
            below = [key.columns for key in joined.keys if key.columns and (key.k is None or key.k < required)]
            singly = [repr(names[0]) for names in below if len(names) == 1]
            by = " or ".join(singly) or f"{', '.join(map(repr, joined.columns))} together"
            mend = "put these columns under identifiers or quasi_identifiers" if below else f"raise k to {required}"
            cause = f"rows of one person can be joined by {by}" if below else "a class has too few persons for one row"
            raise RefusedRelease(
                f"requirement.joined_rows: k of joined rows{over} is {joined.k}, less than the required {required} "
                f"({cause})",
                f"{mend}, or lower requirement.joined_rows",
            )


def _joining(stage: Reading) -> list[Column]:
    """The kept columns with at most one value for nearly all persons with several rows: the possible join keys."""
    unreleased = set(stage.claim.requirement.persons)
    kept = [stage.described[column.name] for column in stage.claim.source.kept if column.name not in unreleased]
    if not kept:
        return []
    named = [Name(f"values_{at}") for at in range(1, len(kept) + 1)]
    values = (Statement("verify/joined_rows#values", cell=_exact(stage, column)) for column in kept)
    constant = (
        As(Statement("verify/joined_rows#of_column", values=name), Name(f"constant_{at}"))
        for at, name in enumerate(named, 1)
    )
    holes: dict[str, Hole] = {
        "constant": columns(constant),
        "values": columns(As(value, name) for value, name in zip(values, named, strict=True)),
        "persons": _grouped(stage, stage.claim.requirement.persons),
        "release": _release(stage),
    }
    several, *alike = stage.claim.source.host.row(Statement("verify/joined_rows#constant", **holes))
    return [column for column, count in zip(kept, alike, strict=True) if several and count >= CONSTANT * several]


def _number(stage: Reading, joining: Sequence[Column]) -> None:
    """Copy persons, classes and values of the columns ``joining`` to the working store, each as a number per row."""
    demands = stage.claim.requirement.demands
    by_cells = {_PERSON: stage.claim.requirement.persons}
    by_cells |= {Name(f"class_{at}"): demand.attributes for at, demand in enumerate(demands, 1)}
    numbers = [
        As(Statement("verify/joined_rows#number", cells=_grouped(stage, names)), name)
        for name, names in by_cells.items()
    ]
    numbers += [
        As(Statement("verify/joined_rows#number_of_value", cell=_exact(stage, column)), name)
        for column, name in zip(joining, _value_names(joining), strict=True)
    ]
    yielded = [Column(name.parts[-1], "BIGINT") for name in [*by_cells, *_value_names(joining)]]
    numbered = Statement("verify/joined_rows#numbered", numbers=columns(numbers), release=_release(stage))
    stage.claim.source.host.gather(_NUMBERED, numbered, yielded)


def _over(
    session: Session, joining: Sequence[Column], demand: Demand, k: int, class_: Name, persons: int, most_pairs: int
) -> JoinedRows:
    """k of joined rows over one demand.

    ``class_`` is the column with the number of a row's class, ``persons`` the number of persons in the release.
    """
    bound, names = {"k": min(k, _LARGEST)}, [column.name for column in joining]
    keys = _keys(joining, class_)
    if k > demand.k:  # of rows by themselves, classes have as many persons as the demand says
        keys.append(_Key((), _by_value(len(keys) + 1, class_, class_)))
    if not keys:
        return _nothing(demand, k, persons)
    members = Statement("verify/joined_rows#members", numbered=_NUMBERED, **{"class": class_})
    session.create(_MEMBERS, members)
    holes: dict[str, Hole] = {"keys": union_all(key.rows for key in keys), "class": class_, "members": _MEMBERS}
    session.create(_SOUGHT, Statement("verify/joined_rows#sought", **holes), bound)
    (pairs,) = session.row(Statement("verify/joined_rows#pairs", sought=_SOUGHT))
    if pairs > most_pairs:
        return JoinedRows(
            attributes=list(demand.attributes),
            required_k=k,
            columns=names,
            persons=persons,
            not_counted=f"{pairs:,} pairs of persons and classes would have to be compared, more than {most_pairs:,}",
        )
    counted = session.run(Statement("verify/joined_rows", members=_MEMBERS, sought=_SOUGHT), bound)
    by_key = {key: (fewest, alone, below) for key, fewest, alone, below in counted}
    fewest, _, below = by_key[None]
    return JoinedRows(
        attributes=list(demand.attributes),
        required_k=k,
        columns=names,
        persons=persons,
        k=k if fewest is None else fewest,
        persons_below=small_counts.mask_part(below, persons, k),
        most_below=2 * below > persons,
        is_warned=below > _WARNED * persons,
        keys=[
            JoinedKey(
                columns=list(key.names),
                k=fewest,
                persons_alone=small_counts.mask_part(alone, persons, k),
                persons_below=small_counts.mask_part(below, persons, k),
            )
            for at, key in enumerate(keys, 1)
            for fewest, alone, below in [by_key.get(at, (k, 0, 0))]
            if below
        ],
    )


def _keys(joining: Sequence[Column], class_: Name) -> list[_Key]:
    """The join keys: each column alone and, with several columns, all columns together."""
    values = _value_names(joining)
    keys = [
        _Key((column.name,), _by_value(at, value, class_))
        for at, (column, value) in enumerate(zip(joining, values, strict=True), 1)
    ]
    if len(joining) > 1:
        together = Joined(tuple(values), ", ")
        holes: dict[str, Hole] = {"class": class_, "numbered": _NUMBERED}
        all_of_them = Statement("verify/joined_rows#key_of_all", key=Number(len(joining) + 1), values=together, **holes)
        keys.append(_Key(tuple(column.name for column in joining), all_of_them))
    return keys


def _by_value(key: int, value: Name, class_: Name) -> Statement:
    """Statement for the rows with a value in the column ``value``, labelled with the number ``key`` of the
    join key.
    """
    holes: dict[str, Hole] = {"class": class_, "numbered": _NUMBERED}
    return Statement("verify/joined_rows#key", key=Number(key), value=value, **holes)


def _nothing(demand: Demand, k: int, persons: int) -> JoinedRows:
    """Result for a release without columns to join rows by: k of joined rows is k, and nobody is below."""
    return JoinedRows(
        attributes=list(demand.attributes), required_k=k, columns=[], persons=persons, k=k,
        persons_below=0,
    )  # fmt: skip


def _value_names(joining: Sequence[Column]) -> list[Name]:
    return [Name(f"key_{at}") for at in range(1, len(joining) + 1)]


def _release(stage: Reading) -> Statement:
    return Statement("store/relation#nested", rows=stage.release)


def _grouped(stage: Reading, names: Sequence[str]) -> Joined:
    return Joined(tuple(as_grouped(stage.described[name]) for name in names), ", ")


def _exact(stage: Reading, column: Column) -> Hole:
    return stage.claim.source.host.exact(Name("relation", column.name), column)
