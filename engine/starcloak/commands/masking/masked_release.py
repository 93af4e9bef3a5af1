"""Masked rows as a release of their own: measured with all known releases, and registered for later releases.

Somebody may have the masked rows and the release with the same recoding, and compare them. So joint k counts, not only
k of the masked rows alone.
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

from starcloak.base.errors import OutputError, unpublished
from starcloak.companions.joint_risk import joint_risk, refusal
from starcloak.companions.joint_risk.joint_k import unknown
from starcloak.companions.joint_risk.named_releases import recodings_named
from starcloak.job import Job, Place
from starcloak.releases import state
from starcloak.releases.recodings import saved_recodings
from starcloak.releases.recodings.recoded_tuples import Relations, create_tuples
from starcloak.releases.recodings.registration import registered
from starcloak.releases.recodings.saved_recodings import About, Recoded
from starcloak.releases.targets import rows_file
from starcloak.releases.targets.file import File
from starcloak.releases.targets.memory import Memory
from starcloak.releases.targets.target import Target
from starcloak.sources.file_formats import is_csv
from starcloak.star import fingerprint
from starcloak.star.person_identity import identity_of
from starcloak.star.working_tables import BASE
from starcloak.statements.statement import As, Hole, Name, Statement, columns
from starcloak.store.resources import Resources
from starcloak.store.session import Session
from starcloak.store.source import Source

if TYPE_CHECKING:
    import pyarrow

log = logging.getLogger("starcloak")

_RECODED = Name("masked_tuples")


@dataclass(frozen=True)
class Outlet:
    """Destination of masked rows: a new ``file``, or the caller if it is None.

    ``release`` is the output of the release with the recoding of the rows.
    """

    release: Target
    file: Path | None = None

    @property
    def target(self) -> Target:
        """The masked rows' file as an output, or an output in memory."""
        return Memory() if self.file is None else File(self.file.absolute())

    @property
    def label(self) -> str:
        """The name of the masked rows in messages."""
        return f"rows masked as {self.release.label}" if self.file is None else str(self.file.absolute())

    def k_of(self, k: int) -> str:
        """The setting of ``k`` as the caller writes it: an option of the command, or an argument in Python."""
        return f"k={k}" if self.file is None else f"--k {k}"

    def origins(self, source: Place | None) -> list[str]:
        """The origins under which the masked rows' recoding is kept, sorted; empty if the release is only in memory.

        An origin identifies a source over its releases: here the source of the release, and the source of the rows.
        """
        if not self.release.lasts:
            return []
        return sorted({self.release.origin, *([] if source is None else [fingerprint.origin(source)])})


def leave(
    store: Session, job: Job, recoded: Callable[[], Recoded], opened: Source, rows: pyarrow.Table,
    masked: Callable[[], Relations], *, source: Place | None, outlet: Outlet,
) -> None:  # fmt: skip
    """Measure masked rows together with the known releases, register their recoding, and write them to their file.

    ``recoded`` returns the recoding of the earlier release. ``masked`` creates the relations of the masked rows' own
    recoding from their base frequency set in the store. If the job requires k = 1, nothing is counted or kept. Raises
    :class:`RequirementError` if joint k is less than the job accepts.
    """
    if outlet.file is not None:
        rows_file.accept(outlet.file, opened)
    write = partial(rows_file.write, rows, outlet.file, private=job.required.largest_k == 1) if outlet.file else None
    if job.required.largest_k == 1:
        log.warning(
            "k = 1: give the masked rows to nobody but the custodian of the source, as no k was counted and joint k "
            "of later releases ignores them"
        )
        if write is not None:
            write()
        return
    with unpublished(), ExitStack() as stack:
        warnings: list[str] = []
        origins, against = outlet.origins(source), recodings_named(job, Resources())
        try:
            for origin in origins:
                stack.enter_context(state.lock(origin))
        except state.Unusable as error:
            warnings.append(str(error))
        relations, before = masked(), recoded()
        about = _about(store, job, before, opened, relations, source=source, outlet=outlet)
        _measure(store, job, [before, *against], relations, about, outlet, origins, warnings)
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
    """Create the relations of the masked rows' own recoding from their base frequency set in the store.

    ``cells`` are the masked cells of the quasi-identifiers, in order; ``masks`` joins the tuples of ``base`` with them.
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
    """The description kept beside the masked rows' recoding, with the origin of the earlier release."""
    target, as_read = outlet.target, _as_read(store, job, opened, source)
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
        masked_as=recoded.about.run,
        content=fingerprint.combinations(store, opened.quasi_identifiers),
        identity=identity_of(store, as_read),
        **relations.described(as_read, opened),
    )


def _as_read(store: Session, job: Job, opened: Source, source: Place | None) -> Job:
    """The job with the texts for missing cells by which the rows were read: those of ``source``, a data frame if None.

    Only a CSV file has such texts. Rows from elsewhere count as read by the texts of the job's CSV file if none of
    these occurs in a quasi-identifier; otherwise as read without any.
    """
    if is_csv(source):
        return job.model_copy(update={"source": source})
    if job.source is None or not is_csv(job.source):
        return job
    occurs = any(
        store.row(
            Statement("commands/masking/masked#null_occurs", value=Name(f"value_{number}"), base=BASE),
            {"nulls": job.source.nulls},
        )[0]
        for number in range(1, len(opened.quasi_identifiers) + 1)
    )
    return job.model_copy(update={"source": job.source.model_copy(update={"null": []})}) if occurs else job


def _measure(
    store: Session, job: Job, earlier: Sequence[Recoded], relations: Relations, about: About, outlet: Outlet,
    origins: Sequence[str], warnings: list[str],
) -> None:  # fmt: skip
    """Raise :class:`RefusedRelease` if joint k of the masked rows is less than the job accepts.

    Joint k is measured with the ``earlier`` releases (the one with the recoding of the rows first, then those under
    ``against``) and all known releases of the ``origins`` together. Releases of unrelated data frames, of the same
    origin as any data frame, are left out.
    """
    recoded = earlier[0]
    abouts: dict[str, About] = {}
    try:
        abouts = {older.run: older for origin in origins for older in saved_recodings.of_origin(origin)}
    except OutputError as error:
        warnings.append(str(error))
    named, unnamed = list({recoding.about.run: recoding for recoding in earlier}.values()), list[About]()
    for recoding in named:
        abouts.pop(recoding.about.run, None)
    if not outlet.release.tells_origin:
        abouts = _related(abouts, recoded.about, about)
    for older in abouts.values():
        is_alike = older.is_known and set(older.attributes) == set(relations.attributes)
        kept = saved_recodings.read(older) if is_alike else None
        if kept is not None:
            named.append(kept)
        elif older.is_known:
            unnamed.append(older)
    risk = joint_risk.assess(store, job, relations, about, named, unnamed, measured=True, of_source=False)
    risk.pairs += [unknown(older, older.lost) for older in abouts.values() if older.is_missed]
    warnings += [*risk.notes, *refusal.warnings(risk, job)]
    refusal.refuse(risk, job, is_masked=True)


def _related(abouts: dict[str, About], applied: About, masked: About) -> dict[str, About]:
    """Releases without those of unrelated data frames.

    A data frame has no name, so releases of equal rows or of equal combinations are taken for releases of one frame:
    the frame of the ``applied`` release, or the frame of the ``masked`` rows. Rows masked as one of these are included.
    """
    if not (applied.source or applied.content):
        return abouts
    fingerprints = {text for about in (applied, masked) for text in (about.source, about.content) if text}
    of_frames = {
        run
        for run, about in abouts.items()
        if about.origin != applied.origin
        or not (about.source or about.content)
        or fingerprints & {about.source, about.content}
    }
    masked_as = {applied.run, *of_frames}
    return {run: about for run, about in abouts.items() if run in of_frames or about.masked_as in masked_as}


@contextmanager
def _registered(
    store: Session, relations: Relations, about: About, origins: Sequence[str], outlet: Outlet, digest: str | None
) -> Iterator[None]:
    """Context that registers the masked rows' recoding under each origin; the rows are written within it."""
    warnings: list[str] = []
    with ExitStack() as kept:
        for origin in origins:
            of_origin = about.model_copy(update={"origin": origin, "digest": digest})
            recoded = Recoded.of(store, relations, of_origin)
            kept.enter_context(registered(recoded, outlet.target, warnings, required=False))
        yield
    for warning in dict.fromkeys(warnings):
        log.warning(warning)
