"""An explanation as data: ``schemas/explanation.json`` is its JSON Schema. No value of any row, no count below k."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from starcloak.base.drawing.summary import Summarized, Summary
from starcloak.commands.comparison.result import Released


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, defer_build=True, extra="forbid")


class Violation(_Part):
    """Violation of the requirement on one quasi-identifier (QID)."""

    attributes: list[str]
    classes: int | None = Field(description="classes that violate it; null where 1 to k - 1")
    rows: int | None = Field(description="rows in them; null where 1 to k - 1")
    holds_without: list[str] = Field(
        description="where it does not hold: other attributes than the lowered one of which leaving out one is enough"
    )


class Lower(_Part):
    """The generalization with one attribute one level lower."""

    attribute: str
    level: int
    holds: bool = Field(description="whether it satisfies the requirement, with what may be left out")
    violations: list[Violation] = Field(description="of the QIDs that are not satisfied by every class")


class Cost(_Part):
    """Loss of a column."""

    attribute: str
    loss: float = Field(description="mean share of the other leaves that its cells cover")
    share: float = Field(description="of the loss of all columns, from 0 to 1")
    importance: float = Field(default=1, description="by which what is lost in it counts in the search")


class Weaker(_Part):
    """Release under a weaker requirement; verified, and not published."""

    change: str
    k: int
    suppression: float
    released: Released | None = Field(description="null where there is a problem")
    problem: str | None


class Explanation(Summarized, _Part):
    """The result of ``starcloak explain``. It is for the custodian of the source, as the result of ``run`` is."""

    source: str
    algorithm: str
    model: str
    k: int
    levels: dict[str, int]
    heights: dict[str, int]
    labels: dict[str, list[str]] = Field(description="what the levels of each attribute are called, from level 0 on")
    loss: float
    suppressed_rows: int
    allowed_rows: int = Field(description="rows that may be left out")
    lower: list[Lower] = Field(description="of a full-domain recoding: each attribute one level lower")
    blocks: str | None = Field(description="the attribute whose lower level leaves the most rows in violating classes")
    columns: list[Cost] = Field(description="what costs most first")
    weaker: list[Weaker] = Field(description="none with several QIDs")

    @property
    def summary(self) -> Summary:
        """Summary: the chosen levels, the possibility of lower ones, and the loss of each column."""
        chosen = [f"{name} {self.labels[name][level]}" for name, level in self.levels.items()]
        lower = {verdict.attribute: "holds as well" if verdict.holds else "does not hold" for verdict in self.lower}
        return Summary(
            lines=[
                f"Explanation of a release of {self.source}, by {self.algorithm} for k = {self.k}",
                ", ".join(chosen),
                f"loss {self.loss:.4f}, {self.suppressed_rows:,} of {self.allowed_rows:,} rows left out that may be",
            ],
            head=["column", "reads", "one level lower"],
            rows=[[name, self.labels[name][level], lower.get(name, "-")] for name, level in self.levels.items()],
            notes=[f"{verdict.change}: {verdict.problem}" for verdict in self.weaker if verdict.problem is not None],
            drawn="loss of a column, of that of all",
            bars=[(cost.attribute, cost.share) for cost in self.columns],
        )
