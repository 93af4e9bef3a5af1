"""The recoding of a verified release as tables, with a description of the release.

Later runs use them to count joint k, to refresh the release, and to mask further rows.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from starcloak.base.errors import OutputError
from starcloak.job import Job
from starcloak.releases.recodings import saved_recodings
from starcloak.releases.recodings.recoded_tuples import Relations, recode
from starcloak.releases.recodings.saved_recodings import About, Recoded, name_of
from starcloak.star import fingerprint
from starcloak.star.person_identity import identity_of
from starcloak.store.source import Source
from starcloak.verify.recount import VALUES, Reading

if TYPE_CHECKING:
    from starcloak.releases.run import Remembered, Run

#: Reason in the note of a release without a known recoding: its base frequency set stayed in the source's database.
STAYED = "its source has too many combinations of the quasi-identifiers to fetch them from the database"


def known_of(origin: str, warnings: list[str]) -> list[About]:
    """Descriptions of the known releases of a source, the last one first; ``origin`` is the hash of the source.

    If they cannot be read, the result is empty and a warning is appended to ``warnings``.
    """
    try:
        return saved_recodings.of_origin(origin)
    except OutputError as error:
        warnings.append(str(error))
        return []


def relations_of(run: Run, reading: Reading) -> Relations:
    """The recoding of a verified release as relations in the working store."""
    store, job, sensitive = run.store, run.job, [name for name in run.job.required.reads if name not in run.job.persons]
    relations = recode(
        store,
        run.proposal.recoding,
        staged=VALUES if sensitive else None,
        columns_of=reading.valued_columns,
        sensitive=sensitive,
    )
    if job.persons:
        from starcloak.releases.recodings.person_links import with_persons

        relations = with_persons(store, job, relations, run=store.run_id)
    return relations


def of_relations(job: Job, relations: Relations, source: Source) -> dict[str, Any]:
    """The fields of a release's description (:class:`About`) that are decided by its relations and its source."""
    return {
        "attributes": relations.attributes,
        "sensitive": relations.sensitive,
        "split": relations.split,
        "rows_of_persons": relations.persons is not None,
        "readings": fingerprint.readings(job, source.released),
        "as_they_are": tuple(column.name for column in source.kept),
    }


def about_release(run: Run, reading: Reading, relations: Relations | None, kept: Remembered) -> About:
    """Description of the release of a run; ``relations`` is None if its recoding is unknown.

    ``kept`` has the fields added by companions.
    """
    store, job, target, inputs = run.store, run.job, run.goal, run.inputs
    about = About(
        run=store.run_id,
        released_at=datetime.now(UTC).isoformat(),
        release=target.label,
        place=saved_recodings.place_of(target),
        origin=target.origin,
        source_name=name_of(target.source),
        against=target.against,
        attributes=(),
        sensitive=(),
        split=False,
        k=reading.smallest,
        job=inputs.job,
        source=inputs.source,
        hierarchies=inputs.hierarchies,
        joint=bool(run.options.get("joint", True)),
    )
    if relations is None:
        return about
    proposal = run.proposal
    has_other_rows = proposal.source is not proposal.read
    fields: dict[str, Any] = {
        **of_relations(job, relations, proposal.source),
        "source": None if has_other_rows else inputs.source,
        "refreshable": kept.shown is not None,
        "content": None if has_other_rows else fingerprint.combinations(store, proposal.source.quasi_identifiers),
        **kept.about,
    }
    if "identity" not in fields:
        fields["identity"] = identity_of(store, job)
    return about.model_copy(update=fields)


def recoded_of(run: Run, relations: Relations | None, about: About, kept: Remembered) -> Recoded:
    """The recoding of a release, to be saved; a note without tables if ``relations`` is None (unknown recoding)."""
    if relations is None:
        return saved_recodings.note(about, STAYED)
    return Recoded.of(run.store, relations, about, kept.shown)
