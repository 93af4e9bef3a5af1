"""A recoding for its custodian: as a table, and applied to other rows."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from starcloak import arrow, star
from starcloak.column import Column
from starcloak.earlier.kept import Recoded
from starcloak.earlier.recoded import Relations
from starcloak.hierarchy.builder import TOP, Place
from starcloak.hosts.host import Host
from starcloak.job import Job, load_source
from starcloak.release.resources import Resources, open_store
from starcloak.search.tdr.apply import refuse_other_hierarchies, refuse_small
from starcloak.session import Session
from starcloak.source.frame import Frame
from starcloak.source.opening import open_beside, open_source
from starcloak.source.place import databases_of, files_of
from starcloak.source.source import Source
from starcloak.star import BASE
from starcloak.statement import As, Hole, Joined, Literal, Name, Number, Statement, Type, columns, conditions, lines
from starcloak.targets.data_frame import arrow_rows

if TYPE_CHECKING:
    import pyarrow

log = logging.getLogger("starcloak")

_MASKS, _VALUES, _MEMBERS = Name("earlier_masks"), Name("earlier_values"), Name("earlier_members")


def mapping(recoded: Recoded) -> pyarrow.Table:
    """A recoding as a table: the tuple, what it reads in the release, and the number of its rows."""
    taken = {*recoded.about.attributes}
    cells = [_free(f"{attribute}_released", taken) for attribute in recoded.about.attributes]
    rows = _free("rows", taken)
    with Session() as store:
        there = recoded.into(store, "earlier")
        holes: dict[str, Hole] = {
            "values": columns(
                As(Name("tuples", f"value_{position}"), Name(attribute))
                for position, attribute in enumerate(there.attributes, 1)
            ),
            "cells": columns(
                As(Name("classes", f"cell_{position}"), Name(cell)) for position, cell in enumerate(cells, 1)
            ),
            "rows": Name(rows),
            "tuples": there.tuples,
            "classes": there.classes,
        }
        return store.arrow(Statement("earlier/mapping", holes))


def apply(
    job: Job,
    recoded: Recoded,
    data: arrow.Frame | Mapping[str, str],
    *,
    hierarchies: Mapping[str, str | None],
    k: int | None,
) -> Any:
    """Rows of a data frame, or of a job's ``source`` mapping, masked by the recoding of a release of the job.

    Raises :class:`RequirementError` where a class of them has fewer than ``k`` rows, or than its QID asks for.
    """
    frame = None if isinstance(data, Mapping) else data.collect() if arrow.is_lazy(data) else data
    place = load_source(data) if isinstance(data, Mapping) else None
    beside = job.source if any(kind.table_read for kind in job.quasi_identifiers.values()) else None
    files, databases = tuple(files_of(beside)), tuple(databases_of(beside))
    with open_store(place, Resources(), files=files, databases=databases) as store:
        host = open_beside(store, beside)

        def roles(described: Sequence[Column]) -> Mapping[str, Sequence[str]]:
            return _there(job, {column.name for column in described})

        of_frame = None if frame is None else _there(job, set(Frame(frame).names))
        opened = open_source(store, place, of_frame or roles, frame=frame)
        store.lock_down()
        refuse_other_hierarchies(store, host, job, hierarchies)
        star.compress(store, opened)
        there = recoded.into(store, "earlier")
        covers = [_covers(store, host, job, there, column, at) for at, column in enumerate(opened.quasi_identifiers, 1)]
        places = [there.attributes.index(column.name) + 1 for column in opened.quasi_identifiers]
        _mask(store, there, covers, places)
        opened = opened.home(store, lambda column: column.type)
        rows = arrow_rows(store, _masked_rows(opened, there))
        waiting = store.row(Statement("frequency/size", {"frequency": BASE}))[0] - rows.num_rows
        if waiting:
            log.warning("%d rows wait: no class of the release covers them", waiting)
        refuse_small(rows, job, k)
        if opened.frame is not None:
            return opened.frame.release(rows, opened.released)
        return arrow.as_pandas(rows)


def _there(job: Job, names: set[str]) -> Mapping[str, Sequence[str]]:
    """The roles of the columns that are there; no quasi-identifier may be missing."""
    return {
        role: given if role == "quasi_identifiers" else [name for name in given if name in names]
        for role, given in job.roles.items()
    }


def _covers(store: Session, host: Host, job: Job, there: Relations, column: Column, at: int) -> Name:
    """Create the relation of the cells that cover each value of an attribute, which is ``at`` in the base."""
    made, position = Name(f"earlier_covers_{at}"), there.attributes.index(column.name) + 1
    values: dict[str, Hole] = {
        "value": Name(f"value_{at}"),
        "base": BASE,
        "earlier": Name(f"value_{position}"),
        "type": Type(column.type),
        "tuples": there.tuples,
    }
    store.create(_VALUES, Statement("earlier/covers#values", values))
    declared = job.quasi_identifiers[column.name]
    # Values without a leaf are no error here: the top covers them.
    height = declared.members(Place(store, host, column, _VALUES, _MEMBERS))
    levels = [Name(f"level_{level}") for level in range(height + 1)]
    (top,) = store.row(Statement("earlier/covers#top", {"level": levels[-1], "members": _MEMBERS}))
    holes: dict[str, Hole] = {
        "values": _VALUES,
        "members": _MEMBERS,
        "levels": Joined(tuple(levels), ", "),
        "top": Literal(top or TOP),
        "cell": Name(f"cell_{position}"),
        "classes": there.classes,
        "ranged": Statement("earlier/covers#ranged") if declared.numeric else Joined((), ""),
    }
    store.create(made, Statement("earlier/covers", holes))
    return made


def _mask(store: Session, there: Relations, covers: Sequence[Name], places: Sequence[int]) -> None:
    """Create the relation of what becomes of each tuple of the base. ``places`` are its attributes' in the recoding."""
    at = list(enumerate(zip(covers, places, strict=True), 1))
    covered = [
        Statement(
            "earlier/masks#first" if number == 1 else "earlier/masks#covered",
            {"covers": cover, "value": Name(f"value_{number}"), "cell": Name(f"cell_{place}")},
        )
        for number, (cover, place) in at
    ]
    values = [Name(f"value_{number}") for number, _ in at]
    holes: dict[str, Hole] = {
        "base": BASE,
        "tuples": there.tuples,
        "classes": there.classes,
        "seen": conditions(
            Statement("earlier/masks#seen", {"value": Name(f"value_{number}"), "earlier": Name(f"value_{place}")})
            for number, (_, place) in at
        ),
        "losses": Joined(
            tuple(Statement("earlier/masks#loss", {"share": Name(f"share_{number}")}) for number, _ in at), " + "
        ),
        "shares": lines(
            Statement(
                "earlier/masks#share",
                {"share": Name(f"share_{number}"), "covers": cover, "cell": Name(f"cell_{place}")},
            )
            for number, (cover, place) in at
        ),
        "covered": lines(covered),
        "values": Joined(tuple(values), ", "),
        "chosen": Joined(tuple(Statement("earlier/masks#chosen", {"value": value}) for value in values), ", "),
    }
    store.create(_MASKS, Statement("earlier/masks", holes))


def _masked_rows(opened: Source, there: Relations) -> Statement:
    """The masked rows; of a data frame, its generalized columns and the number of each row."""
    cells = {name: Name("classes", f"cell_{at}") for at, name in enumerate(there.attributes, 1)}
    released: list[Hole] = [
        As(cells[column.name], Name(column.name)) if column.name in cells else Name("source", column.name)
        for column in opened.released
        if opened.frame is None or column.name in cells
    ]
    qualified = tuple(Name("source", column.name) for column in opened.released)
    order: Hole = Statement("release/recode#shuffled", {"seed": Number(1), "columns": Joined(qualified, ", ")})
    if opened.frame is not None:
        order = Name("source", *opened.frame.position.parts)
        released.append(order)
    match = conditions(
        Statement("release/recode#same", {"one": Name("masks", f"value_{at}"), "other": Name("source", column.name)})
        for at, column in enumerate(opened.quasi_identifiers, 1)
    )
    holes: dict[str, Hole] = {
        "columns": columns(released),
        "source": opened.relation,
        "masks": _MASKS,
        "classes": there.classes,
        "match": match,
        "order": order,
    }
    return Statement("earlier/masked", holes)


def _free(name: str, taken: set[str]) -> str:
    """A name that no other column has, whatever its case."""
    while name.casefold() in {each.casefold() for each in taken}:
        name += "_"
    taken.add(name)
    return name
