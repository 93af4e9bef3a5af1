"""Calls of a refresh by a run: rows of the last release keep their released cells, new rows join or are suppressed."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from starcloak.job import Job
from starcloak.job.result import JointTogether, Refreshing
from starcloak.releases.companion import Needs, register
from starcloak.releases.run import Addition, Claims, Companion, Remembered
from starcloak.store.source import Source

if TYPE_CHECKING:
    from starcloak.companions.refresh.last_release import LastRelease
    from starcloak.companions.refresh.recount import NightCounts
    from starcloak.companions.refresh.refresh import Refreshed
    from starcloak.releases.proposal import Proposal
    from starcloak.releases.run import Run
    from starcloak.verify.recount import Reading


@register
class RefreshCompanion(Companion):
    """Refresh of a release, by the job's key ``refresh``.

    Key ``departures`` decides about rows deleted from the source.
    """

    name = "refresh"
    order = 60
    keys = ("refresh", "departures")

    def __init__(self, job: Job, options: Mapping[str, Any]) -> None:
        super().__init__(job, options)
        self._last: LastRelease | None = None
        self._refreshed: Refreshed

    @classmethod
    def needs(cls, job: Job) -> Needs:
        """The source's rows in the working store, where rows of the last release are recognized."""
        return Needs(rows=True)

    def _last_release(self, run: Run) -> LastRelease:
        """The last release at the run's output, created at the first call."""
        from starcloak.companions.refresh.last_release import LastRelease

        if self._last is None:
            self._last = LastRelease(run)
        return self._last

    def refuse(self, run: Run) -> None:
        self._last_release(run).refuse_early()

    def keeps_running(self, run: Run) -> bool:
        return run.job.refresh == "first"

    def propose(self, run: Run) -> Proposal:
        from starcloak.companions.refresh import refresh

        self._refreshed = refresh.propose(run, self._last_release(run))
        return self._refreshed.proposal

    def claims(self, run: Run, source: Source) -> Claims:
        return Claims(clauses=self._refreshed.clauses)

    def kept(self, run: Run) -> Remembered:
        """The released rows with their identities.

        The run fails if these cannot be saved: the next refresh needs them.
        """
        return Remembered(self._refreshed.about, self._refreshed.shown, required=True)

    def before_publish(self, run: Run, reading: Reading) -> Addition:
        counts = self._refreshed.counts
        fields: dict[str, Any] = {"refresh": counts}
        counted = self._refreshed.histories
        if counted is not None and self.options.get("joint", True):
            chain = run.about.chain
            chained = [about.run for about in reversed(run.published) if about.chain and about.chain == chain]
            if chained:
                fields["joint_together"] = [_histories(run.job, counted, chained)]
        return Addition(fields=fields, warnings=_many_wait(run.job, counts))


def _many_wait(job: Job, counts: Refreshing) -> list[str]:
    """Warning on a refresh that suppresses more rows than the job allows, and more than a tenth of them."""
    rows = counts.stayed + counts.new + counts.waiting
    if counts.waiting <= max(Fraction(1, 10), Fraction(job.required.suppression)) * rows:
        return []
    advice = (
        "they wait for new rows of the same classes"
        if job.departures == "hold"
        else "write departures: hold, which keeps the rows of a class until k can leave together"
    )
    return [
        f"the refresh suppresses {counts.waiting:,} of {rows:,} rows, as their classes ended or are too small: {advice}"
    ]


def _histories(job: Job, counted: NightCounts, runs: list[str]) -> JointTogether:
    """Joint k over all refreshes in a chain: the smallest number of persons with the same history of released cells.

    ``counted`` has the verifier's counts, ``runs`` the earlier releases of the chain.
    """
    return JointTogether(
        attributes=list(job.quasi_identifiers),
        required_k=job.k,
        exact=True,
        k=counted.fewest,
        groups=counted.histories,
        rows=counted.rows,
        rows_below=0,
        rows_gone=counted.gone,
        rows_new=counted.new,
        runs=runs,
    )
