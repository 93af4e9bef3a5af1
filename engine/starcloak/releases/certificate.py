"""Marks of a staged release: its entry in the ledger of its place, and its hashes."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from starcloak.job.result import Hashes
from starcloak.releases import state
from starcloak.releases.disclosure import rows_left_out
from starcloak.releases.run import Run
from starcloak.star import fingerprint, frequency_sets
from starcloak.verify.recount import Reading


def entry_of(run: Run, reading: Reading) -> dict[str, Any]:
    """Entry of a release in the ledger of its place."""
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
        "job": state.keyed(run.inputs.job),  # an order of values, and cleaning rules, contain values of rows
        "requirement": json.dumps(job.requirement.told, separators=(",", ":")),
        "k": reading.smallest,
        "rows": classes.rows,
        # Readers of the release may read the ledger, too.
        "suppressed_rows": rows_left_out(suppressed, job.required.largest_k, persons=persons),
        "starcloak": run.inputs.versions.starcloak,
    }


def hashes_of(run: Run) -> Hashes:
    """The hashes of a staged release. An input that changed during the run has the hash None."""
    store, job, inputs, source = run.store, run.job, run.inputs, run.proposal.source
    now = fingerprint.hierarchies(store, source.host, job, source)
    rows: str | None = inputs.source
    if not run.proposal.recoding.has_checksums and source.host is store:  # a file may have changed, unseen so far
        read = run.proposal.read
        frequency_sets.compress(store, read, classes=job.class_column, sensitive=job.required.reads)
        rows = rows if rows == fingerprint.source(store, read) else None
    return Hashes(
        job=inputs.job,
        hierarchies={name: digest if digest == now[name] else None for name, digest in inputs.hierarchies.items()},
        program=inputs.program,
        statements=run.statements,
        source=rows,
        release=run.goal.digest(store, staged=True),
    )
