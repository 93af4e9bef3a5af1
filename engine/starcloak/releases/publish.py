"""A proposed release is staged, verified, published, or nothing is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from starcloak.base.errors import OutputError, StatementError, mend_of, unread
from starcloak.insight import release_summary
from starcloak.insight.release_summary import (
    class_sizes,
    finely_shown,
    insight_of,
    lost_columns,
    otherwise,
    risk_before,
    size_bins,
)
from starcloak.job import Job
from starcloak.job.persons_result import ByIdentifier, JoinedRows
from starcloak.job.result import ColumnSeen, Hashes, Insight, Refreshing, Result, RiskBefore
from starcloak.releases import manifest, nonconforming_cells, script, state
from starcloak.releases.disclosure import build_result, rows_left_out, warnings
from starcloak.releases.earlier.known_releases import look, registered, source_locked
from starcloak.releases.earlier.saved_recodings import Recoded
from starcloak.releases.manifest import Inputs
from starcloak.releases.run_search import Clock, Proposal
from starcloak.releases.targets.target import Target
from starcloak.star import fingerprint, frequency_sets
from starcloak.star.recoding import recoding
from starcloak.star.recoding.released_members import released_hierarchies
from starcloak.statements.statement import Name, Statement
from starcloak.store.relations import sensitive_columns
from starcloak.store.session import Session
from starcloak.store.source import Source, rejoin
from starcloak.verify import invariants
from starcloak.verify.claim import Claim
from starcloak.verify.classes import Sizes
from starcloak.verify.invariants import refuse_short, refuse_suppressed
from starcloak.verify.recount import VALUES, Reading

if TYPE_CHECKING:
    pass


_PRIVATE = Name("private_release")


def publish(
    store: Session, job: Job, proposal: Proposal, inputs: Inputs, written: script.Script, clock: Clock, goal: Target,
    *, against: Sequence[Recoded], joint: bool, refreshing: Refreshing | None,
) -> tuple[Result, Recoded | None]:  # fmt: skip
    """Stage what is proposed, verify it, put it in its place, and tell of it. Whatever fails leaves nothing.

    It is measured with the earlier releases ``against`` and, if ``joint``, with others of its source. Returns what was
    done to whom, too, unless that did not come home.
    """
    measured = release_summary.measure_recoding(proposal.star, ranged=proposal.recoding.ranged)
    identified: list[ByIdentifier] = []
    proposal.source.host.warnings += recoding.ambiguous(proposal.recoding)
    said = proposal.source.host.warnings
    try:
        reading = prove(store, job, proposal, clock, goal, identified)
        joined = _joined_rows(store, clock, reading)
        spelled = _spelled(store, job, reading)
        with clock.stage(store, "insight"):
            sizes = class_sizes(store)
            wanted = _has_insight(job, proposal.source)
            summary = _insight(store, job, proposal, reading, sizes) if wanted else None
        with ExitStack() as held:
            with clock.stage(store, "joint"):
                held.enter_context(source_locked(goal, said))
                known = look(store, job, proposal, reading, inputs, goal, against, measured=joint)
            with clock.stage(store, "fingerprint"):
                hashes = _hashes(store, job, proposal, inputs, written, goal)
            entry = _entry(store, job, proposal, inputs, reading, goal)
            refuse_short(job.required, reading)
            # Nothing can fail once the release is out: what is told of it stands before, but for what publishing adds.
            result = build_result(
                job,
                proposal,
                reading,
                measures=measured,
                sizes=size_bins(sizes, job.required.largest_k),
                insight=summary,
                identified=identified,
                joined=joined,
                spelled=spelled,
                known=known,
                hashes=hashes,
                clock=clock,
                goal=goal,
            )
            with store.ending.publishing(), clock.stage(store, "publish"), _writing(proposal.source, goal):
                keeping = registered(known.with_digest(hashes.release), goal, said, required=bool(job.refresh))
                with keeping if goal.lasts else nullcontext():
                    goal.publish(store, entry)
                if known.risk is not None:
                    from starcloak.releases.earlier import partition_file

                    said += partition_file.keep(known.risk.partitions, store.run_id)
    except BaseException:
        with suppress(StatementError, OSError):  # what broke is raised; the next run sweeps
            goal.discard(store)
        raise
    said = warnings(job, proposal, known, goal, identified, joined, spelled)
    added = {"seconds": clock.total(), "warnings": said, "refresh": refreshing}
    result = result.model_copy(update=added)
    if goal.lasts:
        with store.ending.publishing():
            result = _with_manifest(goal, result)
    return result, known.recoded


def _joined_rows(store: Session, clock: Clock, reading: Reading) -> list[JoinedRows]:
    """k of joined rows, where several rows may be one person's."""
    if reading.claim.stage is None:
        return []
    from starcloak.verify import joined_rows  # which few runs need

    with clock.stage(store, "verify"):
        return joined_rows.count(store, reading)


def _spelled(store: Session, job: Job, reading: Reading) -> list[str]:
    """Where sensitive values that models read are several by their spelling alone."""
    names = reading.valued_columns
    read = {*names} - {*job.quasi_identifiers}
    texts = [column.name for column in reading.claim.source.released if column.name in read and column.is_text]
    if not texts:
        return []
    from starcloak.sources import spelling  # which runs with k alone do not need

    return spelling.notes(store, VALUES, names, texts, [demand.attributes for demand in job.required.demands])


def _with_manifest(goal: Target, result: Result) -> Result:
    """The result, kept as the manifest of a release that is out; where that cannot be, it says so."""
    try:
        manifest.write(goal, result)
    except OutputError as error:
        return result.model_copy(update={"warnings": list(dict.fromkeys([*result.warnings, str(error)]))})
    return result


def _insight(store: Session, job: Job, proposal: Proposal, reading: Reading, sizes: Sizes) -> Insight:
    """What a verified release looks like, and what is to be said of it."""
    k, used = job.required.largest_k, proposal.recoding.levels_in_use
    heights = {dimension.attribute: dimension.height for dimension in proposal.star.dimensions}
    exposure = sizes.exposure if reading.persons is None else reading.persons.exposure
    summary = insight_of(proposal.star, sizes, exposure, k=k)
    cells_at = {column.attribute: _without_missing(column, used[column.attribute]) for column in summary.columns}
    lost = [n for n, height in heights.items() if cells_at[n] == (height,) and job.quasi_identifiers[n].to is None]
    lost += [n for n in nonconforming_cells.all_top(job, proposal.star.dimensions, used) if n not in lost]
    others, larger = otherwise(
        proposal.star, proposal.recoding, proposal.search, sizes, allowed=proposal.allowed, job=job
    )
    summary = summary.model_copy(
        update={
            "average_risk": reading.average_risk,
            "before": _risk_before(job, proposal, k) if sizes.counted else None,
            "remarks": [*(lost_columns(lost) if sizes.counted else []), *_finely_shown(job, summary)],
            "otherwise": others,
            "larger_k": larger,
        }
    )
    if not reading.claim.source.kept:
        return summary
    from starcloak.insight import kept_columns  # which runs with k alone do not need

    changed = [d.attribute for d in proposal.star.dimensions if not d.keeps(used[d.attribute])]
    said = kept_columns.look_at(store, reading, generalized=changed, k=k)
    more = {"remarks": [*summary.remarks, *said.remarks], "otherwise": [*said.of_source, *summary.otherwise]}
    return summary.model_copy(update={"alone": said.alone, "left_out": said.left_out, **more})


def _without_missing(column: ColumnSeen, levels: tuple[int, ...]) -> tuple[int, ...]:
    """The levels of a column's cells, but for level 0 if only missing values are there beside others above."""
    return tuple(level for level in levels if level or column.values_at_level_0 or len(levels) == 1)


def _risk_before(job: Job, proposal: Proposal, k: int) -> RiskBefore:
    persons = sensitive_columns(job.required.reads, job.persons)
    alone = job.class_column is None and not job.required.reads
    return risk_before(proposal.star, k=k, whole=not proposal.recoding.suppressed, persons=persons, of_values=alone)


def _finely_shown(job: Job, summary: Insight) -> list[str]:
    """Which columns show whole dates or codes, though the job could say from which level on."""
    kinds = ((column, job.quasi_identifiers[column.attribute]) for column in summary.columns)
    return finely_shown(
        (column.attribute, kind.finds_people_by, column.values_at_level_0 or 0)
        for column, kind in kinds
        if kind.finds_people_by is not None and kind.from_ is None
    )


def prove(
    store: Session, job: Job, proposal: Proposal, clock: Clock, goal: Target,
    identified: list[ByIdentifier] | None = None,
) -> Reading:  # fmt: skip
    """Stage what is proposed and verify it; returns what was found. Nothing is published yet.

    What classes have of identifiers whose values repeat goes into ``identified``.
    """
    with clock.stage(store, "recode"), _writing(proposal.source, goal):
        rows, private = _stage(store, job, proposal, goal, identified)
    with clock.stage(store, "verify"), _reading(goal):
        claim = _claim(store, job, proposal, rows, goal)
        if private is not None:
            of_all = replace(claim, source=rows.private, as_sent=lambda: True, looked_at=())
            # What was compressed had the cells that tell persons apart, so that their sums are of this one alone.
            claim = replace(claim, stage=invariants.verify(store, private, of_all), checksums=False)
        reading = invariants.verify(store, goal.read_back(store), claim)
        kinds = job.quasi_identifiers.items()
        most = {name: kind.max_suppressed for name, kind in kinds if kind.max_suppressed is not None}
        refuse_suppressed(reading, most)
        return reading


def _stage(
    store: Session, job: Job, proposal: Proposal, goal: Target, identified: list[ByIdentifier] | None
) -> tuple[Source, Statement | None]:
    """Stage the recoded rows, and the dimension tables that are kept; returns the source that they were made of.

    Where several rows may be one person's, what is staged is a part of rows that tell persons apart, which this run
    alone has; returns the statement that reads these, too.
    """
    rows = proposal.source if goal.at_source else proposal.source.home(store, goal.type_kept)
    rows = rows if goal.takes_rows else replace(rows, frame=None)
    names = rows.host.carry(proposal.recoding.tables(rows))
    if job.keep_dimensions:
        goal.keep(released_hierarchies(proposal.recoding))
    chosen = proposal.recoding.elsewhere(names)
    if rows.identifiers and identified is not None:
        from starcloak.insight.classes_by_person import by_identifiers  # which few runs need

        identified += by_identifiers(rows, chosen, job.required.demands)
    if not rows.persons:
        goal.stage(store, (chosen.pack(rows) if rows.host is store else chosen).release(rows))
        return rows, None
    kept = rows.host.keep(_PRIVATE, chosen.release(rows.private))
    goal.stage(store, chosen.project(rows, kept))
    return rows, rejoin(rows.private, kept)


def _claim(store: Session, job: Job, proposal: Proposal, rows: Source, goal: Target) -> Claim:
    """What a staged release is expected to be."""
    chosen = proposal.recoding
    return Claim(
        source=rows,
        dimensions=proposal.star.dimensions,
        levels=chosen.levels_in_use,
        expected=chosen.expected,
        # Sums of hashes that two databases computed cannot be compared.
        checksums=chosen.has_checksums and rows.host is proposal.source.host,
        requirement=job.required,
        rows=proposal.star.rows,
        suppressed=chosen.suppressed,
        allowed=proposal.allowed,
        ranged=chosen.ranged,
        as_sent=partial(goal.is_as_sent, store),
        full_domain=chosen.model == "full-domain",
        highest=job.highest,
        departures=None if proposal.holding is None else proposal.holding.departures(proposal.shown, job.k),
        nights=proposal.nights,
        looked_at=_looked_at(job, rows, proposal.star.rows - chosen.suppressed),
    )


def _looked_at(job: Job, source: Source, rows: int) -> tuple[str, ...]:
    """The kept columns of a release of so many rows of which it is counted how many values a class has."""
    if not job.sensitive or not _has_insight(job, source):
        return ()
    from starcloak.insight import kept_columns  # which runs with k alone do not need

    return kept_columns.looked_at(source, job.sensitive, rows)


def _has_insight(job: Job, source: Source) -> bool:
    return job.insight == "auto" and source.combinations is None


def _entry(
    store: Session, job: Job, proposal: Proposal, inputs: Inputs, reading: Reading, goal: Target
) -> dict[str, Any]:
    """What a ledger tells of a release."""
    classes, suppressed, persons = reading.counts.classes, proposal.recoding.suppressed, 0
    if reading.persons is not None:
        (everybody,) = proposal.star.domains[job.persons[0]].totals
        persons = everybody - reading.persons.persons
    return {
        "run": store.run_id,
        "released_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "source": proposal.source.label,
        "origin": goal.origin_told,
        "job": state.keyed(inputs.job),  # an order of values, and what is cleaned, have values of rows
        "requirement": json.dumps(job.requirement.told, separators=(",", ":")),
        "k": reading.smallest,
        "rows": classes.rows,
        # Whoever reads the release may read the ledger, too.
        "suppressed_rows": rows_left_out(suppressed, job.required.largest_k, persons=persons),
        "starcloak": inputs.versions.starcloak,
    }


def _hashes(
    store: Session, job: Job, proposal: Proposal, inputs: Inputs, written: script.Script, goal: Target
) -> Hashes:
    """The hashes of a staged release. What changed during the run has none."""
    now = fingerprint.hierarchies(store, proposal.source.host, job, proposal.source)
    rows: str | None = inputs.source
    if not proposal.recoding.has_checksums and proposal.source.host is store:  # a file may have changed, unseen so far
        read = proposal.read or proposal.source
        frequency_sets.compress(store, read, classes=job.class_column, sensitive=job.required.reads)
        rows = rows if rows == fingerprint.source(store, read) else None
    return Hashes(
        job=inputs.job,
        hierarchies={name: known if known == now[name] else None for name, known in inputs.hierarchies.items()},
        program=inputs.program,
        statements=written.fingerprint,
        source=rows,
        release=goal.digest(store, staged=True),
    )


@contextmanager
def _writing(opened: Source, goal: Target) -> Iterator[None]:
    """What fails while a release is written is the place's fault, or that of the rows."""
    try:
        yield
    except OSError as error:
        raise OutputError(
            f"{goal.label} cannot be written ({type(error).__name__}): check space and permissions"
        ) from None
    except StatementError as error:
        if error.kind.startswith(("IO", "OutOfMemory", "Permission", "Transaction", "Fatal")):
            mend = mend_of(error.kind, otherwise="check space and permissions")
            raise OutputError(f"{goal.label} cannot be written ({error.kind}): {mend}") from None
        raise unread(opened.label, error.kind) from None


@contextmanager
def _reading(goal: Target) -> Iterator[None]:
    """What fails while a staged release is read back is for the user to mend, too."""
    try:
        yield
    except StatementError as error:
        mend = mend_of(error.kind, otherwise="choose another format")
        raise OutputError(f"{goal.label} cannot be read back ({error.kind}): {mend}") from None
