"""The recoding of a release as a table, and masking of new rows by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from starcloak.base import frames
from starcloak.base.column import Column
from starcloak.commands.masking import masked_release
from starcloak.commands.masking.apply_refinement import (
    as_counted,
    refuse_other_hierarchies,
    refuse_small,
    warn_of_waiting,
)
from starcloak.commands.masking.masked_release import Outlet
from starcloak.hierarchy.builder import TOP, Builder, BuildPlace
from starcloak.hierarchy.members import add_strangers, keep_between
from starcloak.job import Job, Place
from starcloak.releases.recodings.recoded_tuples import Relations
from starcloak.releases.recodings.saved_recodings import Recoded
from starcloak.releases.targets.data_frame import arrow_rows
from starcloak.sources.cleaning import joined_names
from starcloak.sources.file_formats import databases_of, files_of
from starcloak.sources.frame import FrameSource
from starcloak.sources.open_source import open_beside, open_source, open_store
from starcloak.sources.roles import is_pattern
from starcloak.star import frequency_sets
from starcloak.star.recoding.recoding import released_cell, sortable
from starcloak.star.working_tables import BASE
from starcloak.statements.statement import (
    As,
    Hole,
    Joined,
    Literal,
    Name,
    Number,
    Statement,
    Type,
    columns,
    conditions,
    lines,
)
from starcloak.store.databases.host import Host
from starcloak.store.resources import Resources
from starcloak.store.session import Session
from starcloak.store.source import Source

if TYPE_CHECKING:
    import pyarrow

_MASKS, _VALUES, _MEMBERS = Name("earlier_masks"), Name("earlier_values"), Name("earlier_members")


def mapping(recoded: Recoded) -> pyarrow.Table:
    """A recoding as an Arrow table: the raw values of a tuple, its released cells, and its number of rows."""
    taken = {*recoded.about.attributes}
    cells = [_free(f"{attribute}_released", taken) for attribute in recoded.about.attributes]
    rows = _free("rows", taken)
    with Session() as store:
        there = recoded.into(store, "earlier")
        return store.arrow(
            Statement(
                "commands/masking/mapping",
                values=columns(
                    As(Name("tuples", f"value_{position}"), Name(attribute))
                    for position, attribute in enumerate(there.attributes, 1)
                ),
                cells=columns(
                    As(Name("classes", f"cell_{position}"), Name(cell)) for position, cell in enumerate(cells, 1)
                ),
                rows=Name(rows),
                tuples=there.tuples,
                classes=there.classes,
            )
        )


def apply(
    job: Job,
    recoded: Recoded,
    data: frames.Frame | Place,
    *,
    hierarchies: Mapping[str, str | None],
    k: int | None,
    outlet: Outlet,
) -> Any:
    """Mask rows of a data frame or of a source by the recoding of a release of the job.

    Returns the masked rows: a frame of the same kind, or for a source an Arrow table, shuffled. They are written to the
    file of the ``outlet``, if it has one, and measured with other releases as in :func:`masked_release.leave`. Raises
    :class:`RequirementError` if a class of the masked rows has fewer than ``k`` rows, or fewer than its QID's k, or if
    joint k is less, and :class:`JobError` as :func:`as_counted` does.
    """
    counted = as_counted(job, k, outlet)
    place = data if isinstance(data, Place) else None
    frame = None if isinstance(data, Place) else data.collect() if frames.is_lazy(data) else data
    source = job.source if any(kind.table_read for kind in job.quasi_identifiers.values()) else None
    files, databases = tuple(files_of(source)), tuple(databases_of(source))
    with open_store(place, Resources(), files=files, databases=databases) as store:
        host = open_beside(store, source)

        def roles(described: Sequence[Column]) -> Mapping[str, Sequence[str]]:
            return _there(job, {column.name for column in described})

        of_frame = None if frame is None else _there(job, {*joined_names(job.clean, FrameSource(frame).names)})
        opened = open_source(store, place, of_frame or roles, frame=frame, others=job.role_of_others, clean=job.clean)
        store.lock_down()
        refuse_other_hierarchies(store, host, job, hierarchies)
        frequency_sets.compress(store, opened)
        there = recoded.into(store, "earlier")
        covers = [_covers(store, host, job, there, column, at) for at, column in enumerate(opened.quasi_identifiers, 1)]
        places = [there.attributes.index(column.name) + 1 for column in opened.quasi_identifiers]
        _mask(store, there, covers, places)
        opened = opened.home(store, lambda column: column.type)
        rows = arrow_rows(store, _masked_rows(opened, there, job.hierarchies))
        warn_of_waiting(store.row(Statement("star/frequency/size", frequency=BASE))[0] - rows.num_rows, job)
        refuse_small(rows, counted, outlet)
        tuples = partial(_masked_tuples, store, opened, there)
        masked_release.leave(store, counted, lambda: recoded, opened, rows, tuples, source=place, outlet=outlet)
        if opened.frame is not None:
            return opened.frame.release(rows, opened.released)
        return rows


def _there(job: Job, names: set[str]) -> Mapping[str, Sequence[str]]:
    """The job's roles for a source with the columns ``names``.

    Missing columns and unmatched names are left out, but quasi-identifiers and patterns stay.
    """
    return {
        role: names_of_role
        if role == "quasi_identifiers"
        else [name for name in names_of_role if name in names or is_pattern(name)]
        for role, names_of_role in job.roles.items()
    }


def _covers(store: Session, host: Host, job: Job, there: Relations, column: Column, at: int) -> Name:
    """Create the relation of the release's cells covering each value of an attribute of new rows; returns its name.

    ``at`` is the attribute's position (from 1) in the base frequency set.
    """
    relation, position = Name(f"earlier_covers_{at}"), there.attributes.index(column.name) + 1
    store.create(
        _VALUES,
        Statement(
            "commands/masking/covers#values",
            value=Name(f"value_{at}"),
            base=BASE,
            earlier=Name(f"value_{position}"),
            type=Type(column.type),
            tuples=there.tuples,
        ),
    )
    return cells_covering(
        store, host, job.hierarchies[column.name], column,
        values=_VALUES, classes=there.classes, cell=Name(f"cell_{position}"), into=relation,
    )  # fmt: skip


def cells_covering(
    store: Session, host: Host, declared: Builder, column: Column, *, values: Name, classes: Name, cell: Name,
    into: Name,
) -> Name:  # fmt: skip
    """Create the relation ``into`` of pairs of a value and a covering cell; returns its name.

    ``values`` is the relation of an attribute's values, and ``cell`` the attribute's column of ``classes``. Values
    without a leaf are no error here: the cells named by the hierarchy's ``nonconforming`` cover them. Without
    ``nonconforming``, the top covers them, unless the job sets a highest level (``to``) below it.
    """
    building = BuildPlace(store, host, column, values, _MEMBERS)
    height = declared.members(building)
    add_strangers(building, declared, height)
    height = keep_between(building, declared, height).height
    levels = [Name(f"level_{level}") for level in range(height + 1)]
    (top,) = store.row(Statement("commands/masking/covers#top", level=levels[-1], members=_MEMBERS))
    own: Hole = Statement("hierarchy/between#missing") if declared.keeps_type else Literal(top or TOP)
    leafless: dict[str, Hole] = {"top": own, "values": values, "members": _MEMBERS}
    covered = [] if declared.to is not None else [Statement("commands/masking/covers#leafless", **leafless)]
    store.create(
        into,
        Statement(
            "commands/masking/covers",
            members=_MEMBERS,
            levels=Joined(tuple(levels), ", "),
            leafless=lines(covered),
            cell=cell,
            classes=classes,
            ranged=Statement("commands/masking/covers#ranged") if declared.numeric else Joined((), ""),
        ),
    )
    return into


def _mask(store: Session, there: Relations, covers: Sequence[Name], places: Sequence[int]) -> None:
    """Create the relation of the class for each tuple of new rows.

    ``covers`` are relations of covering cells, one per attribute; ``places`` are the attributes' positions (from 1) in
    the recoding.
    """
    at = list(enumerate(zip(covers, places, strict=True), 1))
    covered = [
        Statement(
            "commands/masking/masks#first" if number == 1 else "commands/masking/masks#covered",
            covers=cover,
            value=Name(f"value_{number}"),
            cell=Name(f"cell_{place}"),
        )
        for number, (cover, place) in at
    ]
    values = [Name(f"value_{number}") for number, _ in at]
    store.create(
        _MASKS,
        Statement(
            "commands/masking/masks",
            base=BASE,
            tuples=there.tuples,
            classes=there.classes,
            seen=conditions(
                Statement("commands/masking/masks#seen", value=Name(f"value_{number}"), earlier=Name(f"value_{place}"))
                for number, (_, place) in at
            ),
            losses=Joined(
                tuple(Statement("commands/masking/masks#loss", share=Name(f"share_{number}")) for number, _ in at),
                " + ",
            ),
            shares=lines(
                Statement(
                    "commands/masking/masks#share",
                    share=Name(f"share_{number}"),
                    covers=cover,
                    cell=Name(f"cell_{place}"),
                )
                for number, (cover, place) in at
            ),
            covered=lines(covered),
            values=Joined(tuple(values), ", "),
            chosen=Joined(tuple(Statement("commands/masking/masks#chosen", value=value) for value in values), ", "),
        ),
    )


def _masked_rows(opened: Source, there: Relations, hierarchies: Mapping[str, Builder]) -> Statement:
    """Statement of the masked rows; for a data frame, of its changed columns and each row's number."""
    cells = {name: Name("classes", f"cell_{at}") for at, name in enumerate(there.attributes, 1)}
    released: list[Hole] = [
        released_cell(cells[column.name], column, keeps_type=hierarchies[column.name].keeps_type)
        if column.name in cells
        else Name("source", column.name)
        for column in opened.released
        if opened.frame is None or column in opened.remade
    ]
    masked = Joined(tuple(sortable(column) for column in opened.released), ", ")
    order: Hole = Statement("star/recoding/recode#shuffled", seed=Number(1), columns=masked)
    if opened.frame is not None:
        order = opened.frame.position
        released.append(Name("source", *opened.frame.position.parts))
    match = conditions(
        Statement("store/same", one=Name("masks", f"value_{at}"), other=Name("source", column.name))
        for at, column in enumerate(opened.quasi_identifiers, 1)
    )
    return Statement(
        "commands/masking/masked",
        columns=columns(released),
        source=opened.relation,
        masks=_MASKS,
        classes=there.classes,
        match=match,
        order=order,
    )


def _masked_tuples(store: Session, opened: Source, there: Relations) -> Relations:
    """Create the relations of the masked rows' own recoding, for measuring joint k."""
    match = conditions(
        Statement("store/same", one=Name("masks", f"value_{at}"), other=Name("base", f"value_{at}"))
        for at in range(1, len(opened.quasi_identifiers) + 1)
    )
    return masked_release.relations(
        store,
        opened,
        masks=Statement("commands/masking/masked#classes", masks=_MASKS, classes=there.classes, match=match),
        cells=[
            Name("classes", f"cell_{there.attributes.index(column.name) + 1}") for column in opened.quasi_identifiers
        ],
    )


def _free(name: str, taken: set[str]) -> str:
    """A name unused by any other column, whatever its case."""
    while name.casefold() in {used.casefold() for used in taken}:
        name += "_"
    taken.add(name)
    return name
