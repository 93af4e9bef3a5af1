"""Staging of a proposed release, that is, writing it without publication; and verification of the written rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from starcloak.base.errors import OutputError, StatementError, mend_of, unread
from starcloak.base.operating_system import WRITE_ADVICE
from starcloak.job import Job
from starcloak.job.persons_result import ByIdentifier, JoinedRows
from starcloak.releases.proposal import Clock, Proposal
from starcloak.releases.run import Claims, Run
from starcloak.releases.targets.target import Target
from starcloak.star.recoding.released_members import released_hierarchies
from starcloak.statements.statement import Name, Statement
from starcloak.store.session import Session
from starcloak.store.source import Source, rejoin
from starcloak.verify import invariants
from starcloak.verify.claim import Claim
from starcloak.verify.invariants import refuse_suppressed
from starcloak.verify.recount import Reading

_PRIVATE = Name("private_release")


def prove_run(run: Run, identified: list[ByIdentifier], joined: list[JoinedRows]) -> Reading:
    """Stage the proposal of a run, verify it with the further conditions of its companions, and return the counts.

    ``identified`` and ``joined`` are extended as by :func:`prove`.
    """

    def claims(rows: Source) -> Sequence[Claims]:
        return [companion.claims(run, rows) for companion in run.companions]

    return prove(
        run.store, run.job, run.proposal, run.clock, run.goal, identified=identified, joined=joined, claims=claims
    )


def prove(
    store: Session, job: Job, proposal: Proposal, clock: Clock, target: Target,
    *, identified: list[ByIdentifier] | None = None, joined: list[JoinedRows] | None = None,
    claims: Callable[[Source], Sequence[Claims]] = lambda rows: (),
) -> Reading:  # fmt: skip
    """Write the proposed release unpublished, verify the written rows, and return the verifier's counts.

    Counts of classes by identifiers with repeating values are appended to ``identified``, k of joined rows to
    ``joined``; None skips either count. ``claims`` returns further conditions to verify, given the source of the staged
    rows. Raises :class:`RefusedRelease` if the suppressed cells of a column or joined rows violate the requirement.
    """
    with clock.stage(store, "recode"), writing(proposal.source, target):
        rows, private = _stage(store, job, proposal, target, identified)
    with clock.stage(store, "verify"), _reading(target):
        claim = _claim(store, job, proposal, rows, target, claims(rows))
        if private is not None:
            of_all = replace(claim, source=rows.private, as_sent=lambda: True, looked_at=())
            # The compressed rows had the cells that identify persons, so their sums are of this one alone.
            claim = replace(claim, stage=invariants.verify(store, private, of_all), checksums=False)
        reading = invariants.verify(store, target.read_back(store), claim)
        kinds = job.quasi_identifiers.items()
        most = {name: kind.max_suppressed for name, kind in kinds if kind.max_suppressed is not None}
        refuse_suppressed(reading, most)
        required = job.requirement.joined_rows
        if private is not None and (joined is not None or required is not None):
            from starcloak.verify import joined_rows  # which few runs need

            counted = joined_rows.count(store, reading, required=required)
            if required is not None:
                joined_rows.refuse_below(counted, required)
            if joined is not None:
                joined += counted
        return reading


def _stage(
    store: Session, job: Job, proposal: Proposal, target: Target, identified: list[ByIdentifier] | None
) -> tuple[Source, Statement | None]:
    """Stage the recoded rows and the kept dimension tables. Returns the source of the staged rows, and a statement.

    If several rows may belong to one person, the recoded rows are first written to a private table of this run, with
    the columns that identify persons; the staged release is this table without those columns. The statement reads the
    private table; it is None if there is no such table.
    """
    rows = proposal.source if target.at_source else proposal.source.home(store, target.type_kept)
    rows = rows if target.takes_rows else replace(rows, frame=None)
    names = rows.host.carry(proposal.recoding.tables(rows))
    if job.keep_dimensions:
        target.keep(released_hierarchies(proposal.recoding))
    chosen = proposal.recoding.elsewhere(names)
    if rows.identifiers and identified is not None:
        from starcloak.releases.classes_by_person import by_identifiers  # which few runs need

        identified += by_identifiers(rows, chosen, job.required.demands)
    if not rows.persons:
        target.stage(store, (chosen.pack(rows) if rows.host is store else chosen).release(rows))
        return rows, None
    kept = rows.host.keep(_PRIVATE, chosen.release(rows.private))
    target.stage(store, chosen.project(rows, kept))
    return rows, rejoin(rows.private, kept)


def _claim(
    store: Session, job: Job, proposal: Proposal, rows: Source, target: Target, claims: Sequence[Claims]
) -> Claim:
    """The claim of a staged release: all conditions that the verifier checks."""
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
        as_sent=partial(target.is_as_sent, store),
        full_domain=chosen.model == "full-domain",
        highest=job.highest,
        clauses=tuple(clause for claims_of_one in claims for clause in claims_of_one.clauses),
        looked_at=tuple(name for claims_of_one in claims for name in claims_of_one.looked_at),
    )


@contextmanager
def writing(opened: Source, target: Target) -> Iterator[None]:
    """Context that converts errors while a release is written into errors for the user.

    The error is about the output place, or about the source if its rows cannot be read.
    """
    try:
        yield
    except OSError as error:
        raise OutputError(f"{target.label} cannot be written ({type(error).__name__}): {WRITE_ADVICE}") from None
    except StatementError as error:
        if error.kind.startswith(("IO", "OutOfMemory", "Permission", "Transaction", "Fatal")):
            mend = mend_of(error.kind, otherwise=WRITE_ADVICE)
            raise OutputError(f"{target.label} cannot be written ({error.kind}): {mend}") from None
        raise unread(opened.label, error.kind) from None


@contextmanager
def _reading(target: Target) -> Iterator[None]:
    """Context that converts failures to read a staged release back into an error with a remedy."""
    try:
        yield
    except StatementError as error:
        mend = mend_of(error.kind, otherwise="choose another format")
        raise OutputError(f"{target.label} cannot be read back ({error.kind}): {mend}") from None
