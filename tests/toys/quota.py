"""A toy companion: a part of the result, and a refusal."""

from __future__ import annotations

from typing import Any, ClassVar

from starcloak.base.errors import RequirementError
from starcloak.base.settings import Settings
from starcloak.releases.companion import register
from starcloak.releases.run import Addition, Companion, Run
from starcloak.verify.recount import Reading


class QuotaSettings(Settings):
    """The largest number of rows that may be released."""

    rows: int


@register
class Quota(Companion):
    """Counts released rows, and refuses a release of too many."""

    name: ClassVar[str] = "quota"
    settings: ClassVar[type[Settings]] = QuotaSettings

    def before_publish(self, run: Run, reading: Reading) -> Addition:
        rows, most = reading.counts.classes.rows, self.own_settings(run.job).rows
        if rows > most:
            raise RequirementError(f"companions.quota: more than {most} rows would be released: nothing was published")
        return Addition(part={"rows": rows, "most": most}, warnings=["the quota was counted"])

    @classmethod
    def disclosed(cls, part: Any, k: int) -> Any:
        return {"most": part["most"]}
