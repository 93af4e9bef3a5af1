"""A proposed release is staged, verified, published, or nothing is."""

from __future__ import annotations

import json
from contextlib import ExitStack, nullcontext, suppress
from datetime import UTC, datetime
from typing import Any

from starcloak.base.errors import OutputError, StatementError
from starcloak.job.persons_result import JoinedRows
from starcloak.job.result import Hashes, Result
from starcloak.releases import manifest, state
from starcloak.releases.build_result import Findings, build_result, warnings
from starcloak.releases.disclosure import rows_left_out
from starcloak.releases.recodings import record, registration
from starcloak.releases.run import Run, kept_of
from starcloak.releases.stage import prove_run, writing
from starcloak.star import fingerprint, frequency_sets
from starcloak.star.recoding import recoding
from starcloak.verify.invariants import refuse_short
from starcloak.verify.recount import Reading


def publish(run: Run) -> Result:
    """Stage the proposal of a run, verify it, and put it in its place. Whatever fails leaves nothing."""
    run.warnings.extend(recoding.ambiguous(run.proposal.recoding))
    found = Findings.of(run.proposal)
    try:
        reading = prove_run(run, found.identified)
        found.joined = _joined_rows(run, reading)
        with run.clock.stage(run.store, "insight"):
            run.sizes = found.sizes_of(run.store)
            found.add(run, [each.examine(run, reading) for each in run.companions])
        with ExitStack() as held:
            result = _put_out(run, reading, found, held)
    except BaseException:
        with suppress(StatementError, OSError):  # what broke is raised; the next run sweeps
            run.goal.discard(run.store)
        raise
    result = result.model_copy(update={"seconds": run.clock.total(), "warnings": warnings(run, found)})
    if run.goal.lasts:
        with run.ending.publishing():
            result = _with_manifest(run, result)
    return result


def _put_out(run: Run, reading: Reading, found: Findings, held: ExitStack) -> Result:
    """Publish a verified release while its source is locked, until ``held`` ends; returns its result."""
    store, goal = run.store, run.goal
    with run.clock.stage(store, "joint"):
        held.enter_context(registration.source_locked(goal, run.warnings))
        kept = kept_of(run)
        run.made = None if run.proposal.source.combinations is not None else record.relations_of(run, reading)
        run.about = record.about_release(run, reading, run.made, kept)
        found.add(run, [each.before_publish(run, reading) for each in run.companions])
        recoded = record.recoded_of(run, run.made, run.about, kept)
    with run.clock.stage(store, "fingerprint"):
        hashes = _hashes(run)
    recoded = recoded.with_digest(hashes.release)
    run.recoded = recoded if recoded.about.is_known else None
    entry = _entry(run, reading)
    refuse_short(run.job.required, reading)
    # Nothing can fail once the release is out: what is told of it stands before, but for what publishing adds.
    result = build_result(run, reading, found, hashes)
    with run.ending.publishing(), run.clock.stage(store, "publish"), writing(run.proposal.source, goal):
        for each in run.companions:
            held.enter_context(each.publishing(run))
        registered = registration.registered(recoded, goal, run.warnings, required=kept.required)
        with registered if goal.lasts else nullcontext():
            goal.publish(store, entry)
        held.close()
    return result


def _joined_rows(run: Run, reading: Reading) -> list[JoinedRows]:
    """k of joined rows, where several rows may be one person's."""
    if reading.claim.stage is None:
        return []
    from starcloak.verify import joined_rows  # which few runs need

    with run.clock.stage(run.store, "verify"):
        return joined_rows.count(run.store, reading)


def _with_manifest(run: Run, result: Result) -> Result:
    """The result, kept as the manifest of a release that is out; where that cannot be, it says so."""
    try:
        manifest.write(run.goal, result)
    except OutputError as error:
        return result.model_copy(update={"warnings": list(dict.fromkeys([*result.warnings, str(error)]))})
    return result


def _entry(run: Run, reading: Reading) -> dict[str, Any]:
    """What a ledger tells of a release."""
    job, proposal = run.job, run.proposal
    classes, suppressed, persons = reading.counts.classes, proposal.recoding.suppressed, 0
    if reading.persons is not None:
        (everybody,) = proposal.star.domains[job.persons[0]].totals
        persons = everybody - reading.persons.persons
    return {
        "run": run.id,
        "released_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "source": proposal.source.label,
        "origin": run.goal.origin_told,
        "job": state.keyed(run.inputs.job),  # an order of values, and what is cleaned, have values of rows
        "requirement": json.dumps(job.requirement.told, separators=(",", ":")),
        "k": reading.smallest,
        "rows": classes.rows,
        # Whoever reads the release may read the ledger, too.
        "suppressed_rows": rows_left_out(suppressed, job.required.largest_k, persons=persons),
        "starcloak": run.inputs.versions.starcloak,
    }


def _hashes(run: Run) -> Hashes:
    """The hashes of a staged release. What changed during the run has none."""
    store, job, inputs, source = run.store, run.job, run.inputs, run.proposal.source
    now = fingerprint.hierarchies(store, source.host, job, source)
    rows: str | None = inputs.source
    if not run.proposal.recoding.has_checksums and source.host is store:  # a file may have changed, unseen so far
        read = run.proposal.read
        frequency_sets.compress(store, read, classes=job.class_column, sensitive=job.required.reads)
        rows = rows if rows == fingerprint.source(store, read) else None
    return Hashes(
        job=inputs.job,
        hierarchies={name: known if known == now[name] else None for name, known in inputs.hierarchies.items()},
        program=inputs.program,
        statements=run.statements,
        source=rows,
        release=run.goal.digest(store, staged=True),
    )
