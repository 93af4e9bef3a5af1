"""Publication of a proposed release: it is staged (written unpublished), verified, and then published as a whole.

After any error, nothing of it is published, and an older release stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress

from starcloak.base.errors import OutputError, StatementError
from starcloak.job.result import Result
from starcloak.releases import manifest
from starcloak.releases.build_result import (
    Findings,
    about_release,
    build_result,
    entry_of,
    hashes_of,
    recoded_of,
    relations_of,
    warnings,
)
from starcloak.releases.recodings import registration
from starcloak.releases.run import Companion, Run, kept_of
from starcloak.releases.stage import prove_run, writing
from starcloak.verify.classes import STAGED, class_sizes
from starcloak.verify.invariants import refuse_short
from starcloak.verify.recount import Reading


def publish(run: Run) -> Result:
    """Stage the proposal of a run, verify it, publish it, and return the result.

    On any error or interrupt before the publication, the staged release is discarded.
    """
    findings = Findings.of(run.proposal)
    try:
        reading = prove_run(run, findings.identified, findings.joined)
        with run.clock.stage(run.store, "insight"):
            run.sizes = class_sizes(run.store, STAGED)
            findings.add(run, [companion.examine(run, reading) for companion in run.companions])
        with ExitStack() as stack:
            result = _put_out(run, reading, findings, stack)
    except BaseException:
        with suppress(StatementError, OSError):  # the first error is raised; the next run sweeps
            run.goal.discard(run.store)
        raise
    result = result.model_copy(update={"seconds": run.clock.total(), "warnings": warnings(run, findings)})
    if run.goal.lasts:
        with run.ending.publishing():
            result = _with_manifest(run, result)
    return result


def _put_out(run: Run, reading: Reading, findings: Findings, stack: ExitStack) -> Result:
    """Publish a verified release and return its result. The lock of its source is held until ``stack`` is closed."""
    store, target = run.store, run.goal
    with run.clock.stage(store, "joint"):
        stack.enter_context(registration.source_locked(target, run.warnings))
        kept = kept_of(run)
        run.made = None if run.proposal.source.combinations is not None else relations_of(run, reading)
        run.about = about_release(run, reading, run.made, kept)
        if run.made is not None and target.lasts and target.tells_origin:
            run.published = registration.known_of(target.origin, run.warnings)
        findings.add(run, [companion.before_publish(run, reading) for companion in run.companions])
        recoded = recoded_of(run, run.made, run.about, kept)
    with run.clock.stage(store, "fingerprint"):
        hashes = hashes_of(run)
    recoded = recoded.with_digest(hashes.release)
    run.recoded = recoded if recoded.about.is_known else None
    entry = entry_of(run, reading)
    refuse_short(run.job.required, reading)
    # Nothing can fail once the release is out: its description is ready before, except for parts added by publishing.
    result = build_result(run, reading, findings, hashes)
    with run.ending.publishing(), run.clock.stage(store, "publish"), ExitStack() as contexts:
        for companion in run.companions:
            contexts.enter_context(_around_publication(run, companion))
        registered = registration.registered(recoded, target, run.warnings, required=kept.required)
        with writing(run.proposal.source, target), registered if target.lasts else nullcontext():
            target.publish(store, entry)
    return result


@contextmanager
def _around_publication(run: Run, companion: Companion) -> Iterator[None]:
    """The companion's context around the publication. An error on exit, after the publication, becomes a warning."""
    with ExitStack() as context:
        context.enter_context(companion.publishing(run))
        yield
        try:
            context.close()
        except Exception as error:
            run.warnings.append(
                f"the release is published, but the companion {companion.name} (an optional feature of the run) "
                f"failed afterwards ({type(error).__name__}): report this to its authors"
            )


def _with_manifest(run: Run, result: Result) -> Result:
    """Write the result to the manifest, and return it; with a further warning if the manifest cannot be written."""
    try:
        manifest.write(run.goal, result)
    except OutputError as error:
        return result.model_copy(update={"warnings": list(dict.fromkeys([*result.warnings, str(error)]))})
    return result
