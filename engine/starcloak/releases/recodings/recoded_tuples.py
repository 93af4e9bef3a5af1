"""The recoding of a release as tables of the working store: tuples, classes, and the sensitive values in each class.

Values are texts, as in the published release. Suppressed rows are in none of the tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starcloak.job import Job
from starcloak.star import fingerprint, working_tables
from starcloak.star.recoding.full_domain import FullDomain
from starcloak.star.recoding.local import Local, MultiDimension, drawn_number
from starcloak.star.recoding.person_recoding import ByPerson
from starcloak.star.recoding.recoding import RECODING, Recoding, goals, persons_of_base, same_tuple
from starcloak.star.recoding.recoding import cell as text_of
from starcloak.star.star import Dimension, member_joins
from starcloak.star.working_tables import BASE
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

#: Reason for a release without relations: its base frequency set stayed in the source's database.
STAYED = "its source has too many combinations of the quasi-identifiers to fetch them from the database"
_RECODED, _PARTS, _SOURCE = Name("earlier_recoded"), Name("earlier_parts"), Name("earlier_source")


@dataclass(frozen=True)
class Relations:
    """Relations with the recoding of one release.

    ``tuples`` has value_1 … (source values), class, rows, lower and total; ``classes`` has class and cell_1 …
    (generalized values); ``held`` has the sensitive values in each class: class, attribute and value. In ``tuples``, a
    tuple with rows in several classes has one row per class: ``rows`` of ``total``, after ``lower`` rows in classes
    before it. ``attributes`` names the quasi-identifiers in the order of value_1 …, ``sensitive`` the attributes in
    ``held``. ``split`` is False if all rows of each tuple are in one class. ``persons`` has the rows of persons, or is
    None if these are unknown.
    """

    tuples: Name
    classes: Name
    held: Name
    attributes: tuple[str, ...]
    sensitive: tuple[str, ...]
    split: bool
    persons: Name | None = None

    def described(self, job: Job, source: Source) -> dict[str, Any]:
        """The fields of a release's description (``About``) that are decided by its relations and its source."""
        return {
            "attributes": self.attributes,
            "sensitive": self.sensitive,
            "split": self.split,
            "rows_of_persons": self.persons is not None,
            "readings": fingerprint.readings(job, source.released),
            "as_they_are": tuple(column.name for column in source.kept),
        }

    @classmethod
    def of_name(cls, name: str, attributes: Sequence[str], sensitive: Sequence[str], *, split: bool) -> Relations:
        """Relations with the tables ``name``_tuples, ``name``_classes and ``name``_held, and without ``persons``."""
        tuples, classes, held_table = (Name(f"{name}_{kind}") for kind in ("tuples", "classes", "held"))
        return cls(tuples, classes, held_table, tuple(attributes), tuple(sensitive), split)

    def value(self, attribute: str) -> Name:
        """The column of ``tuples`` with an attribute's values."""
        return Name(f"value_{self.attributes.index(attribute) + 1}")


def recode(
    store: Session, recoding: Recoding, *, staged: Name | None = None, columns_of: Sequence[str] = (),
    sensitive: Sequence[str] = (), name: str = "now",
) -> Relations:  # fmt: skip
    """Create the relations of a recoding in the working store, with table names that start with ``name``.

    ``staged`` has the distinct combinations of generalized and sensitive values in the release, or is None. Its columns
    value_1, value_2, … hold the release's columns ``columns_of``, in this order; the ``sensitive`` columns are among
    them. The relations are those of :class:`Relations`.
    """
    dimensions = recoding.star.dimensions
    cells = [Name(f"cell_{d.position}") for d in dimensions]
    values = [Name(f"value_{d.position}") for d in dimensions]
    codes = [Name(f"code_{d.position}") for d in dimensions]
    levels = [*map(Name, recoding.parts_in), *goals(recoding.star, recoding.ranged)]
    # Parts of a wide table are joined by the numbers of the rows, which only a table has.
    whole = isinstance(recoding, (FullDomain, MultiDimension)) and len(dimensions) <= working_tables.WIDE
    splits = recoding.model == "local"  # in all others, all rows of a tuple go to the same cells
    split: dict[str, Hole] = {"codes": _of("recoding", codes), "levels": _of("recoding", levels)}
    members = [
        (
            Statement(
                "star/recoding/single_dimension#member", table=d.table, code=Name("recoding", f"code_{d.position}")
            ),
            (As(Statement("store/text", column=Name(*d.table.parts, "value")), value), As(_text_of(recoding, d), cell)),
        )
        for d, value, cell in zip(dimensions, values, cells, strict=True)
    ]
    floored = any(d.floored for d in dimensions)
    found, joins = working_tables.join(members, rows=None if floored else _PARTS, alias="recoding")
    holes: dict[str, Hole] = {
        "values": columns(found[::2]),
        "cells": columns(found[1::2]),
        "counts": Statement("releases/recodings/recoded#split", **split)
        if splits
        else Statement("releases/recodings/recoded#whole"),
        "recoding": RECODING if whole else _PARTS,
        "members": joins,
    }
    recoded: Hole = _RECODED
    is_split = False
    if splits:
        differing = (
            Statement("releases/recodings/recoded#differs", column=level) for level in (*levels, Name("suppressed"))
        )
        parted = Joined(tuple(differing), " or ")
        (is_split,) = store.row(
            Statement("releases/recodings/recoded#is_split", recoding=RECODING, codes=_listed(codes), parted=parted)
        )
    if whole and not floored:  # the texts of all tuples are not written to a table
        recoded = Statement("store/relation#nested", rows=Statement("releases/recodings/recoded", **holes))
    else:
        store.create(_PARTS, released_parts(recoding, codes, levels))
        rows = Statement("releases/recodings/recoded", **holes)
        store.create(_RECODED, _of_source(store, recoding, codes, levels, like=rows) if floored else rows)
        store.drop(_PARTS, _SOURCE)
    relations = Relations.of_name(name, [d.attribute for d in dimensions], sensitive, split=is_split)
    create_tuples(store, relations, recoded)
    places = {name: Name(f"value_{position}") for position, name in enumerate(columns_of, 1)}
    store.create(relations.held, values_held(relations, staged, places))
    store.drop(_RECODED)
    return relations


def create_tuples(store: Session, relations: Relations, recoded: Hole) -> None:
    """Create the relations ``tuples`` and ``classes``.

    ``recoded`` has the source values of each tuple (value_1 …), its generalized values (cell_1 …) and its row counts:
    a table, or a nested statement over relations that stay. The tuples of a nested statement are a view, as most runs
    read them only once, to save them.
    """
    count = len(relations.attributes)
    values, cells = ([Name(f"{kind}_{place}") for place in range(1, count + 1)] for kind in ("value", "cell"))
    store.create(relations.classes, Statement("releases/recodings/classes", cells=_listed(cells), recoded=recoded))
    match = conditions(
        Statement("store/same", one=Name("recoded", *cell.parts), other=Name("classes", *cell.parts)) for cell in cells
    )
    holes: dict[str, Hole] = {
        "values": columns(values),
        "recoded": recoded,
        "classes": relations.classes,
        "match": match,
    }
    tuples = Statement("releases/recodings/tuples", **holes)
    if isinstance(recoded, Name):
        store.create(relations.tuples, tuples)
    else:
        store.create_view(relations.tuples, tuples)


def _of_source(
    store: Session, recoding: Recoding, codes: Sequence[Name], levels: Sequence[Name], *, like: Statement
) -> Statement:
    """A statement of the recoding by tuples of source values, for a release with lowest levels above level 0.

    A tuple of the recoding then stands for several tuples of source values. The columns are those of the statement
    ``like``.
    """
    texts = [Name(f"value_{d.position}") for d in recoding.star.dimensions]
    return Statement(
        "releases/recodings/recoded#of_source",
        values=_listed(texts),
        cells=like.holes["cells"],
        paired=released_of_source(store, recoding, texts, codes, levels, _PARTS),
        members=like.holes["members"],
        levels=_of("recoding", [*codes, *levels]),
    )


def released_parts(recoding: Recoding, codes: Sequence[Name], levels: Sequence[Name]) -> Statement:
    """A statement of the parts of a recoding's tuples: the released rows of a tuple at the same levels."""
    return Statement(
        "releases/recodings/recoded#parts", codes=columns(codes), levels=columns(levels), recoding=RECODING
    )


def released_of_source(
    store: Session,
    recoding: Recoding,
    texts: Sequence[Name],
    codes: Sequence[Name],
    levels: Sequence[Name],
    parts: Name,
) -> Statement:
    """A statement of the released tuples of source values with the parts of their recoded tuples.

    A row of the source has the same part as in the release. ``texts`` are the columns of source values, ``codes`` and
    ``levels`` the columns of ``parts`` (the table of :func:`released_parts`). Creates the table of source tuples,
    unless a person determines the part.
    """
    if isinstance(recoding, ByPerson):
        return _of_persons(recoding, texts, codes, levels)
    store.create(_SOURCE, source_tuples(recoding.star.dimensions, recoding.persons_that_stay))
    if isinstance(recoding, Local) and recoding.parted:
        return _in_turn(recoding, texts, codes, levels)
    return _in_order(texts, codes, levels, parts)


def _of_persons(recoding: ByPerson, texts: Sequence[Name], codes: Sequence[Name], levels: Sequence[Name]) -> Statement:
    dimensions = recoding.star.dimensions
    return Statement(
        "releases/recodings/recoded#of_persons",
        values=_as_texts(texts),
        columns=_of("recoding", [*codes, *levels]),
        base=BASE,
        joins=member_joins(dimensions),
        mapping=recoding.mapping,
        match=conditions([same_tuple(dimensions), persons_of_base(recoding.person)]),
    )


def _in_turn(recoding: Local, texts: Sequence[Name], codes: Sequence[Name], levels: Sequence[Name]) -> Statement:
    order = (
        Statement("star/recoding/recode_locally#order", column=Name("source", *_raw(dimension).parts))
        for dimension in recoding.star.dimensions
    )
    return Statement(
        "releases/recodings/recoded#in_turn",
        named=_of("source", texts),
        columns=_of("recoding", [*codes, *levels]),
        codes=_listed(codes),
        drawn=drawn_number(Name("copy"), Name("salt")),
        order=columns(order),
        source=_SOURCE,
        mapping=recoding.mapping,
        match=_match(codes),
    )


def _in_order(texts: Sequence[Name], codes: Sequence[Name], levels: Sequence[Name], parts: Name) -> Statement:
    turns = Statement(
        "releases/recodings/recoded#parts_in_turn",
        columns=columns([*codes, *levels]),
        codes=_listed(codes),
        levels=_listed(levels),
        parts=parts,
    )
    return Statement(
        "releases/recodings/recoded#in_order",
        named=_of("source", texts),
        columns=_of("recoding", [*codes, *levels]),
        source=_SOURCE,
        parts=Statement("store/relation#nested", rows=turns),
        match=_match(codes),
    )


def _match(codes: Sequence[Name]) -> Joined:
    return conditions(
        Statement("star/recoding/recode#match", one=Name("recoding", *code.parts), other=Name("source", *code.parts))
        for code in codes
    )


def source_tuples(dimensions: Sequence[Dimension], released: Sequence[Statement] = ()) -> Statement:
    """A statement of the source's tuples, with their values as texts and their codes in a recoding.

    ``released`` are conditions for the rows of the base frequency set to count, such as those of released persons.
    """
    texts = [Name(f"value_{d.position}") for d in dimensions]
    codes = [Name(f"code_{d.position}") for d in dimensions]
    return Statement(
        "releases/recodings/recoded#source",
        values=_as_texts(texts),
        raw=columns(As(Statement("releases/recodings/recoded#raw", value=d.value), _raw(d)) for d in dimensions),
        codes=columns(As(Name(*d.table.parts, d.key), code) for d, code in zip(dimensions, codes, strict=True)),
        listed=_listed(codes),
        order=_listed(texts),
        base=BASE,
        joins=member_joins(dimensions),
        released=Statement("releases/recodings/recoded#released", released=conditions(released))
        if released
        else lines(()),
    )


def _as_texts(texts: Sequence[Name]) -> Joined:
    """The values of the base frequency set as texts, under the same names."""
    return columns(As(Statement("store/text", column=Name("base", *text.parts)), text) for text in texts)


def _raw(dimension: Dimension) -> Name:
    return Name(f"raw_{dimension.position}")


def _listed(names: Sequence[Name]) -> Joined:
    return Joined(tuple(names), ", ")


def _text_of(recoding: Recoding, dimension: Dimension) -> Hole:
    """An expression for the generalized value of a tuple in an attribute, as text.

    If all tuples are at one level, it is a column of the dimension table.
    """
    used = recoding.levels_in_use[dimension.attribute]
    if len(used) == 1 and dimension.position not in recoding.ranged:
        return Name(*dimension.table.parts, f"level_{used[0]}")
    return text_of(dimension, "recoding", recoding.ranged)


def _of(relation: str, names: Sequence[Name]) -> Joined:
    return Joined(tuple(Name(relation, *name.parts) for name in names), ", ")


def values_held(relations: Relations, staged: Name | None, places: Mapping[str, Name]) -> Statement | Joined:
    """A statement of the sensitive values in each class, from the relation ``staged``.

    ``places`` has the column of ``staged`` for each attribute. Without ``staged``, the statement has no row.
    """
    if staged is None or not relations.sensitive:
        return Statement("releases/recodings/class_values#none")
    match = conditions(
        Statement("releases/recodings/class_values#match", staged=places[attribute], cell=Name(f"cell_{number}"))
        for number, attribute in enumerate(relations.attributes, 1)
    )
    shape: dict[str, Hole] = {"staged": staged, "classes": relations.classes, "match": match}
    return union_all(
        Statement("releases/recodings/class_values", **shape, number=Number(number), sensitive=places[attribute])
        for number, attribute in enumerate(relations.sensitive, 1)
    )
