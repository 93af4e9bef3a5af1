"""Masked rows as a release of their own: measured with all known releases, and registered for later ones.

A holder of the release whose recoding they use may compare the two. So joint k counts, not only their own k.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from starcloak.base.errors import OutputError
from starcloak.companions.joint_risk import joint_risk
from starcloak.companions.joint_risk.joint_k import unknown
from starcloak.job import Job, Place
from starcloak.releases import state
from starcloak.releases.recodings import record, saved_recodings
from starcloak.releases.recodings.recoded_tuples import Relations, create_tuples
from starcloak.releases.recodings.registration import registered
from starcloak.releases.recodings.saved_recodings import About, Recoded
from starcloak.releases.targets import rows_file
from starcloak.releases.targets.file import File
from starcloak.releases.targets.memory import Memory
from starcloak.releases.targets.target import Target
from starcloak.star import fingerprint
from starcloak.star.person_identity import identity_of
from starcloak.statements.statement import As, Hole, Name, Statement, columns
from starcloak.store.relations import BASE
from starcloak.store.session import Session
from starcloak.store.source import Source

if TYPE_CHECKING:
    import pyarrow

log = logging.getLogger("starcloak")

_RECODED = Name("masked_tuples")


@dataclass(frozen=True)
class Outlet:
    """Destination of masked rows: a new ``file``, or else the caller. Their recoding is that of a ``release``."""

    release: Target
    file: Path | None = None

    @property
    def target(self) -> Target:
        """The place of the masked rows."""
        return Memory() if self.file is None else File(self.file.absolute())

    @property
    def label(self) -> str:
        """Masked rows as messages name them."""
        return f"rows masked as {self.release.label}" if self.file is None else str(self.file.absolute())

    def origins(self, source: Place | None) -> list[str]:
        """The origins under which masked rows of a source are kept, in order; none if the release is not kept."""
        if not self.release.lasts:
            return []
        return sorted({self.release.origin, *([] if source is None else [fingerprint.origin(source)])})


def leave(
    store: Session, job: Job, recoded: Callable[[], Recoded], opened: Source, rows: pyarrow.Table,
    masked: Callable[[], Relations], *, source: Place | None, outlet: Outlet,
) -> None:  # fmt: skip
    """Measure masked rows of a source with each known release, register them, and write them to their file.

    ``recoded`` returns the recoding of their release. ``masked`` creates their own relations; their base frequency set
    is in the store. If the job requires k = 1, nothing is counted or kept. Raises :class:`RequirementError` if joint k
    is less than the job accepts.
    """
    write = partial(rows_file.write, rows, outlet.file, private=job.required.largest_k == 1) if outlet.file else None
    if job.required.largest_k == 1:
        log.warning(
            "k = 1: the masked rows are for the custodian of the source alone: no k was counted, and later releases "
            "are not measured with them"
        )
        if write is not None:
            write()
        return
    with ExitStack() as stack:
        warnings: list[str] = []
        origins = outlet.origins(source)
        try:
            for origin in origins:
                stack.enter_context(state.lock(origin))
        except state.Unusable as error:
            warnings.append(str(error))
        relations, before = masked(), recoded()
        about = _about(store, job, before, opened, relations, source=source, outlet=outlet)
        _measure(store, job, before, relations, about, origins, warnings)
        for warning in dict.fromkeys(warnings):
            log.warning(warning)
        keeping = partial(_registered, store, relations, about, origins, outlet)
        if write is not None:
            write(publishing=keeping)
        else:
            with keeping(None):
                pass


def relations(
    store: Session, opened: Source, *, masks: Hole, cells: Sequence[Hole],
) -> Relations:  # fmt: skip
    """Create the relations of the recoding of masked rows. Their base frequency set is in the store.

    The ``cells`` are those of the quasi-identifiers, in order; the ``masks`` join them to the tuples of ``base``.
    """
    attributes = [column.name for column in opened.quasi_identifiers]
    places = [Name(f"value_{number}") for number in range(1, len(attributes) + 1)]
    cell_names = [Name(f"cell_{number}") for number in range(1, len(attributes) + 1)]
    texts = (As(Statement("store/text", column=Name("base", *place.parts)), place) for place in places)
    masked = (As(Statement("store/text", column=cell), name) for cell, name in zip(cells, cell_names, strict=True))
    holes: dict[str, Hole] = {"values": columns(texts), "cells": columns(masked), "base": BASE, "masks": masks}
    store.create(_RECODED, Statement("commands/masking/masked#tuples", **holes))
    relations = Relations.of_name("now", attributes, (), split=False)
    create_tuples(store, relations, _RECODED)
    store.create(relations.held, Statement("releases/recodings/class_values#none"))
    store.drop(_RECODED)
    return relations


def _about(
    store: Session,
    job: Job,
    recoded: Recoded,
    opened: Source,
    relations: Relations,
    *,
    source: Place | None,
    outlet: Outlet,
) -> About:
    """Description of masked rows, kept beside their recoding; the origin is that of the release."""
    target = outlet.target
    return About(
        run=store.run_id,
        released_at=datetime.now(UTC).isoformat(),
        release=outlet.label,
        place=saved_recodings.place_of(target) if target.lasts else fingerprint.text(store.run_id),
        origin=outlet.release.origin,
        source_name=saved_recodings.name_of(source),
        against=target.against if target.lasts else "",
        k=None,
        job=fingerprint.job(job),
        source=fingerprint.source(store, opened),
        hierarchies=recoded.about.hierarchies,
        content=fingerprint.combinations(store, opened.quasi_identifiers),
        identity=identity_of(store, job),
        **record.of_relations(job, relations, opened),
    )


def _measure(
    store: Session, job: Job, recoded: Recoded, relations: Relations, about: About, origins: Sequence[str],
    warnings: list[str],
) -> None:  # fmt: skip
    """Refuse masked rows with a joint risk above the job's limit, with their release and with all known ones
    together.
    """
    abouts: dict[str, About] = {}
    try:
        abouts = {older.run: older for origin in origins for older in saved_recodings.of_origin(origin)}
    except OutputError as error:
        warnings.append(str(error))
    abouts.pop(recoded.about.run, None)
    named, unnamed = [recoded], []
    for older in abouts.values():
        is_alike = older.is_known and set(older.attributes) == set(relations.attributes)
        recoding = saved_recodings.read(older) if is_alike else None
        if recoding is not None:
            named.append(recoding)
        elif older.is_known:
            unnamed.append(older)
    risk = joint_risk.assess(store, job, relations, about, named, unnamed, measured=True, of_source=False)
    risk.pairs += [unknown(older, older.lost) for older in abouts.values() if older.was_given and not older.is_known]
    warnings += [*risk.notes, *joint_risk.warnings(risk, job)]
    joint_risk.refuse(risk, job)


@contextmanager
def _registered(
    store: Session, relations: Relations, about: About, origins: Sequence[str], outlet: Outlet, digest: str | None
) -> Iterator[None]:
    """Register masked rows under each of their origins; they leave within."""
    warnings: list[str] = []
    with ExitStack() as kept:
        for origin in origins:
            of_origin = about.model_copy(update={"origin": origin, "digest": digest})
            recoded = Recoded.of(store, relations, of_origin)
            kept.enter_context(registered(recoded, outlet.target, warnings, required=False))
        yield
    for warning in dict.fromkeys(warnings):
        log.warning(warning)
