"""Masking of new rows by the refinements of a release by tdr, as of test rows (Fung, Wang, Yu 2007, section 5.2)."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from starcloak.base import small_counts
from starcloak.base.errors import HierarchyError, JobError, RequirementError
from starcloak.base.frames import is_lazy
from starcloak.commands.masking import masked_release
from starcloak.commands.masking.masked_release import Outlet
from starcloak.hierarchy.builder import TOP, BuildPlace
from starcloak.hierarchy.members import add_strangers, check_coverage, keep_between
from starcloak.job import Job
from starcloak.releases.targets.data_frame import arrow_rows
from starcloak.search.tdr.settings import RefinementDone
from starcloak.sources.cleaning import joined_names
from starcloak.sources.file_formats import databases_of
from starcloak.sources.frame import FrameSource
from starcloak.sources.open_source import open_beside, open_source
from starcloak.star import fingerprint, frequency_sets
from starcloak.star.recoding.recoding import released_cell
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
from starcloak.store.session import Session
from starcloak.store.source import Source

if TYPE_CHECKING:
    import pyarrow

    from starcloak.base import frames
    from starcloak.releases.recodings.recoded_tuples import Relations
    from starcloak.releases.recodings.saved_recodings import Recoded
    from starcloak.store.databases.host import Host

log = logging.getLogger("starcloak")

_INTERVAL = re.compile(r"(?:< (?P<below>\S+)|>= (?P<least>\S+)|\[(?P<lower>\S+), (?P<upper>\S+)\))")
_DOMAIN, _MEMBERS = Name("domain"), Name("members")

Masked = tuple[int, str | None]  # a level, and a value of it


def masked_values(steps: Sequence[RefinementDone], attribute: str) -> list[Masked]:
    """The masked values of an attribute after the refinements ``steps``, each with its level; empty if not refined."""
    values: list[Masked] = []
    for step in steps:
        if step.attribute == attribute:
            into = zip(step.into_levels, step.into, strict=True)
            values = [*(value for value in values if value != (step.level, step.value)), *into]
    return values


def apply(
    job: Job,
    steps: Sequence[RefinementDone],
    frame: frames.Frame,
    *,
    hierarchies: Mapping[str, str | None],
    k: int | None,
    recoded: Callable[[], Recoded],
    suppressed: bool,
    outlet: Outlet,
) -> Any:
    """Mask a frame's quasi-identifiers by the refinements; its rows keep their order and are numbered anew.

    If the release ``suppressed`` rows, a row waits if no released row has its values at the job's highest levels, as in
    any release. Waiting rows are suppressed, and logged.

    A new number goes to the interval that contains it; any other value goes to the masked value above it in its
    hierarchy, and to ``*`` without one. Kept and sensitive columns stay unchanged, and the frame may lack some of them;
    identifiers are dropped. ``hierarchies`` are the hashes of the hierarchies used for the release. ``recoded`` returns
    the recoding of the release, for measuring rows that leave through the ``outlet``. Raises :class:`RequirementError`
    if a class of the masked rows has fewer than ``k`` rows, or joint k is less, :class:`SourceError` for a column
    missing from the job, and :class:`HierarchyError` for a changed file or table.
    """
    job = as_counted(job, k, outlet)
    if is_lazy(frame):
        frame = frame.collect()
    there = set(joined_names(job.clean, FrameSource(frame).names))
    roles = {
        role: names if role == "quasi_identifiers" else [name for name in names if name in there]
        for role, names in job.roles.items()
    }
    if job.columns_beside:
        raise HierarchyError(
            "a hierarchy consists of further columns of the source, which other rows do not have: give the job this "
            "hierarchy as a file or a table, and run it again"
        )
    tables = any(kind.table_read for kind in job.quasi_identifiers.values())
    place = job.source if tables else None
    with Session(databases=databases_of(place)) as session:
        host = open_beside(session, place)
        opened = open_source(session, None, roles, frame=frame, others=job.role_of_others, clean=job.clean)
        session.lock_down()
        assert opened.frame is not None
        refuse_other_hierarchies(session, host, job, hierarchies)
        released = recoded().into(session, "released") if suppressed else None
        masks = [
            _mask(
                BuildPlace(session, host, column, _DOMAIN, _MEMBERS),
                opened,
                job,
                masked_values(steps, column.name),
                number,
                released,
            )
            for number, column in enumerate(opened.quasi_identifiers, 1)
        ]
        covered = lines(()) if released is None else _covered(job, opened, released)
        masked = [
            released_cell(cell, column, keeps_type=job.quasi_identifiers[column.name].keeps_type)
            for (cell, _), column in zip(masks, opened.quasi_identifiers, strict=True)
        ]
        clean = [Name("source", column.name) for column in opened.remade if column in opened.kept]
        rows = arrow_rows(
            session,
            Statement(
                "search/tdr/masked",
                cells=columns([opened.frame.position, *masked, *clean]),
                source=opened.relation,
                masks=lines(mask for _, mask in masks),
                covered=covered,
                position=opened.frame.position,
            ),
        )
        (before,) = session.row(Statement("store/relation#count", relation=opened.relation))
        warn_of_waiting(before - rows.num_rows, job)
        refuse_small(rows, job, outlet)
        if job.required.largest_k > 1:
            frequency_sets.compress(session, opened)
        joins = (
            Statement("search/tdr/masked#mask", mask=Name(f"mask_{number}"), column=Name("base", f"value_{number}"))
            for number in range(1, len(masks) + 1)
        )
        tuples = partial(
            masked_release.relations,
            session,
            opened,
            masks=lines([*joins, covered]),
            cells=[cell for cell, _ in masks],
        )
        masked_release.leave(session, job, recoded, opened, rows, tuples, source=None, outlet=outlet)
        return opened.frame.release(rows, opened.released)


def refuse_other_hierarchies(session: Session, host: Host, job: Job, hierarchies: Mapping[str, str | None]) -> None:
    """Raise :class:`HierarchyError` if a hierarchy's file or table has changed since the release.

    ``hierarchies`` are the hashes of the release's hierarchies by attribute; None is not compared.
    """
    for name, now in fingerprint.hierarchies(session, host, job).items():
        if name in job.quasi_identifiers and hierarchies[name] not in (now, None):
            raise HierarchyError(
                f"hierarchy of {name!r}: its file or table has changed since the release was made: run the job "
                "again, and apply the new release"
            )


def as_counted(job: Job, k: int | None, outlet: Outlet) -> Job:
    """The job with ``k`` as the requirement for rows masked for the ``outlet``; unchanged if ``k`` is None.

    Raises :class:`JobError` for a job with more requirements than k of rows: nothing else is counted.
    """
    if job.persons and k != 1:
        raise JobError(
            "the job counts persons, and apply counts rows: run the job with the new table as its source, or give "
            f"{outlet.k_of(1)} for rows that stay with the custodian of the source, as nothing is then counted"
        )
    if job.requirement.models and k is None:
        model_keys = ", ".join(dict.fromkeys(model.key for model in job.requirement.models))
        raise JobError(
            f"the job requires {model_keys}, and only k is checked on a table other than its source: give "
            f"{outlet.k_of(job.required.largest_k)}, then check the masked rows with starcloak check"
        )
    return job if k is None else job.with_k(k)


def refuse_small(rows: pyarrow.Table, job: Job, outlet: Outlet) -> None:
    """Raise :class:`RequirementError` if a class of the masked rows over a QID of the job has fewer than k rows.

    ``outlet`` is the destination of the rows.
    """
    from pyarrow import compute

    for demand in job.required.demands:
        names, least = demand.attributes, demand.k
        sizes = rows.select(list(names)).group_by(list(names)).aggregate([([], "count_all")])["count_all"]
        if rows.num_rows and compute.min(sizes).as_py() < least:
            raise RequirementError(
                f"a class of the masked rows has fewer than k = {least} rows: mask more rows at once, or give "
                f"{outlet.k_of(1)} if the rows stay with the custodian of the source"
            )


def warn_of_waiting(waiting: int, job: Job) -> None:
    """Log the number of waiting rows: rows covered by no class of the release, which are suppressed."""
    if waiting:
        most = max(demand.k for demand in job.required.demands)
        rows = small_counts.words(small_counts.mask(waiting, most), most)
        log.warning("rows that fit no class of the release and are left out: %s", rows)


def _covered(job: Job, opened: Source, released: Relations) -> Statement | Joined:
    """Join that drops a new row unless a released row has the same values at the job's highest levels (``to``)."""
    capped = [
        (Name(f"mask_{number}"), Name(f"top_{number}"), released.value(column.name))
        for number, column in enumerate(opened.quasi_identifiers, 1)
        if job.quasi_identifiers[column.name].to is not None
    ]
    tops = columns(As(Statement("search/tdr/masked#top_of", mask=mask), top) for mask, top, _ in capped)
    members = (Statement("search/tdr/masked#released", mask=mask, value=value) for mask, _, value in capped)
    same = (Statement("search/tdr/masked#same_top", mask=mask, top=top) for mask, top, _ in capped)
    return Statement(
        "search/tdr/masked#covered", tops=tops, tuples=released.tuples, members=lines(members), same=conditions(same)
    )


def _mask(
    place: BuildPlace, opened: Source, job: Job, values: Sequence[Masked], number: int, released: Relations | None
) -> tuple[Statement, Statement]:
    """The masked cell of a column, and the join of rows with the relation of the cells.

    Creates the relation: for each value of the column its masked value, out of ``values``.
    """
    session, column = place.session, place.column
    name, mask = Name(column.name), Name(f"mask_{number}")
    declared = job.quasi_identifiers[column.name]
    domain = Statement("hierarchy/domain", value=name, base=opened.relation)
    if released is not None and declared.to is not None:  # the texts of released rows there are needed, too
        holes: dict[str, Hole] = {"value": name, "base": opened.relation, "type": Type(column.type)}
        holes |= {"earlier": released.value(column.name), "tuples": released.tuples}
        domain = Statement("commands/masking/covers#values", **holes)
    session.create(_DOMAIN, domain)
    # Values without a leaf are no error here, but where the hierarchy has a leaf for all: they are masked, too.
    height = declared.members(place)
    add_strangers(place, declared, height)
    if declared.to is not None:  # nor may they be masked
        check_coverage(place, declared)
    kept = keep_between(place, declared, height)
    top = TOP
    root: Hole = Literal(top)
    if declared.numeric:
        texts = [text for _, text in values if text is not None] or [TOP]
        bounds = [_INTERVAL.match(text) for text in texts]
        missing_alone = any(text is None for _, text in values)
        binds: dict[str, Any] = {
            "lowers": [bound and (bound["least"] or bound["lower"]) for bound in bounds],
            "uppers": [bound and (bound["below"] or bound["upper"]) for bound in bounds],
            "texts": texts,
            # Alone it stayed missing; it goes with the last interval otherwise.
            "missing": None if missing_alone else next((text for text in texts if "missing" in text), TOP),
        }
        session.create(mask, Statement("search/tdr/masked#applied_intervals", members=_MEMBERS), binds)
    else:
        levels = [Name(f"level_{level}") for level in range(kept.height + 1)]
        if not values:  # everything goes to the hierarchy's own top, whatever it reads
            (top,) = session.row(Statement("search/tdr/masked#top", level=levels[-1], members=_MEMBERS))
        places = columns(
            Statement("search/tdr/masked#place", at=Number(at), value=level)
            for at, level in enumerate(levels, kept.beneath)
        )
        binds = {"levels": [level for level, _ in values], "texts": [text for _, text in values]}
        root = Statement("hierarchy/between#missing") if declared.keeps_type else Literal(top)
        own: Hole = root if declared.to is None else levels[-1]
        session.create(mask, Statement("search/tdr/masked#applied", places=places, top=own, members=_MEMBERS), binds)
    cell = Statement("search/tdr/masked#cell", mask=mask, top=root)
    return cell, Statement("search/tdr/masked#mask", mask=mask, column=Name("source", column.name))
