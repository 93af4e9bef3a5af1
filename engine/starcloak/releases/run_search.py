"""A run proposes a recoding."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from starcloak.hierarchy.suppress import Suppress
from starcloak.job import Job
from starcloak.job.result import Search
from starcloak.releases.clock import Clock
from starcloak.search.algorithm import Run, search
from starcloak.star import star_builder
from starcloak.star.recoding.recoding import Recoding
from starcloak.star.star import Star
from starcloak.statements.statement import Name
from starcloak.store.session import Session
from starcloak.store.source import Source

if TYPE_CHECKING:
    from starcloak.releases.earlier.retained_rows import Holding
    from starcloak.releases.earlier.saved_recodings import Chain
    from starcloak.verify.claim import Nights


@dataclass(frozen=True)
class Proposal:
    """What a search proposes for a source, and how many rows it may leave out at most.

    A refresh has the relation of what is ``shown`` of which rows, and what is ``holding`` those that went; the
    ``source`` has these, too, and was ``read`` without them. One of persons has what its ``nights`` have shown of them,
    and the ``chain`` of refreshes that it is of.
    """

    source: Source
    star: Star
    search: Search
    recoding: Recoding
    allowed: int
    shown: Name | None = None
    holding: Holding | None = None
    read: Source | None = None
    nights: Nights | None = None
    chain: Chain | None = None


def propose(store: Session, job: Job, opened: Source, clock: Clock, *, keep: bool = True) -> Proposal:
    """Build the star and search it. With ``keep``, what an algorithm keeps for the next run is kept."""
    with clock.stage(store, "star"):
        built = star_builder.build(store, opened, _with_hierarchies(job))
        if opened.combinations is not None:
            from starcloak.star import remote_star

            built = remote_star.send(built, opened)
    with clock.stage(store, "search"), store.ending.searching() as stop:
        asked = Run(job.seed, job.objective, opened.label, keep, stop, partial(clock.stage, store), bool(job.against))
        answer = search(built, job.required.over(built.domains), job.algorithm, asked)
    return Proposal(opened, answer.star, answer.told, answer.recoding, job.required.allowance(built.rows))


def _with_hierarchies(job: Job) -> Job:
    """The job with the hierarchies that its algorithm takes: one step each where it suppresses."""
    if not job.algorithm.one_step:
        return job
    return job.model_copy(update={"quasi_identifiers": dict.fromkeys(job.quasi_identifiers, Suppress())})
