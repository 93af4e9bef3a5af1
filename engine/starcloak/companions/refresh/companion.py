"""Refresh: rows of the last release stay as shown, and new rows join or wait."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from starcloak.job import Job
from starcloak.job.result import JointTogether
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
    """Keys ``refresh`` and ``departures``."""

    name = "refresh"
    order = 60
    keys = ("refresh", "departures")

    def __init__(self, job: Job, options: Mapping[str, Any]) -> None:
        super().__init__(job, options)
        self._last: LastRelease
        self._refreshed: Refreshed

    @classmethod
    def needs(cls, job: Job) -> Needs:
        """Rows are known again in the working store."""
        return Needs(rows=True)

    def refuse(self, run: Run) -> None:
        from starcloak.companions.refresh.last_release import LastRelease

        self._last = LastRelease(run)
        self._last.refuse_early()

    def keeps_running(self, run: Run) -> bool:
        return run.job.refresh == "first"

    def propose(self, run: Run) -> Proposal:
        from starcloak.companions.refresh import refresh

        self._refreshed = refresh.propose(run, self._last)
        return self._refreshed.proposal

    def claims(self, run: Run, source: Source) -> Claims:
        return Claims(clauses=self._refreshed.clauses)

    def kept(self, run: Run) -> Remembered:
        """The shown rows and their keys, required by the next refresh to recognize them."""
        return Remembered(self._refreshed.about, self._refreshed.shown, required=True)

    def before_publish(self, run: Run, reading: Reading) -> Addition:
        fields: dict[str, Any] = {"refresh": self._refreshed.counts}
        counted = self._refreshed.histories
        if counted is not None and self.options.get("joint", True):
            chain = run.about.chain
            chained = [about.run for about in reversed(run.published) if about.chain and about.chain == chain]
            if chained:
                fields["joint_together"] = [_histories(run.job, counted, chained)]
        return Addition(fields=fields)


def _histories(job: Job, counted: NightCounts, runs: list[str]) -> JointTogether:
    """Joint k of all refreshes of persons: the fewest persons with one history, as the verifier counted them."""
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
