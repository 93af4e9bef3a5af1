"""Joint k: a run measures its release with earlier ones, and refuses a joint k below the job's limit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from starcloak.job import Job
from starcloak.job.result import Result
from starcloak.releases.companion import Needs, register
from starcloak.releases.run import Addition, Companion

if TYPE_CHECKING:
    from starcloak.companions.joint_risk.joint_risk import JointRisk
    from starcloak.releases.recodings.saved_recodings import Recoded
    from starcloak.releases.run import Run
    from starcloak.verify.recount import Reading


@register
class JointRiskCompanion(Companion):
    """Keys ``against`` and ``accept``; option ``joint``: without it only releases under ``against`` are measured."""

    name = "joint_risk"
    order = 50
    keys = ("against", "accept")

    def __init__(self, job: Job, options: Mapping[str, Any]) -> None:
        super().__init__(job, options)
        self._named: Sequence[Recoded] = ()
        self._risk: JointRisk | None = None

    @classmethod
    def is_active(cls, job: Job, options: Mapping[str, Any]) -> bool:
        return True

    @classmethod
    def needs(cls, job: Job) -> Needs:
        """Needs of a release measured with others: tuples in the working store, each tuple in one class."""
        return Needs(combinations=bool(job.against), whole_tuples=bool(job.against))

    @contextmanager
    def around(self, run: Run) -> Iterator[None]:
        """The context of the whole run. It reads the recodings of the releases under ``against`` before the lock."""
        if run.job.against:
            from starcloak.companions.joint_risk.named_releases import recodings_named

            self._named = recodings_named(run.job, run.resources)
        yield

    def keeps_running(self, run: Run) -> bool:
        return bool(run.job.against)

    def notes(self, run: Run, result: Result) -> Sequence[str]:
        from starcloak.companions.joint_risk.known_releases import since

        return since(result, run.goal, measured=self._is_measured)

    def before_publish(self, run: Run, reading: Reading) -> Addition:
        from starcloak.companions.joint_risk.known_releases import look

        warnings: list[str] = []
        risk = self._risk = look(run, self._named, measured=self._is_measured, warnings=warnings)
        fields = {} if risk is None else {"joint": risk.pairs, "joint_together": risk.together}
        return Addition(fields=fields, warnings=warnings)

    @contextmanager
    def publishing(self, run: Run) -> Iterator[None]:
        """Keep the partition by all releases of the source once the release is out."""
        yield
        if self._risk is not None:
            from starcloak.companions.joint_risk import partition_file

            run.warnings.extend(partition_file.keep(self._risk.partitions, run.id))

    @property
    def _is_measured(self) -> bool:
        return bool(self.options.get("joint", True))
