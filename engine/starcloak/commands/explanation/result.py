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
    classes: int | None = Field(
        description=(
            "classes that violate the requirement, some possibly only after suppression of the others; null if from 1 "
            "to k - 1"
        )
    )
    rows: int | None = Field(description="rows in these classes; null if from 1 to k - 1")
    holds_without: list[str] = Field(
        description=(
            "attributes, other than the lowered one, that would each suffice to drop so that the requirement holds; "
            "none if the job has joined_rows or max_suppressed, which no search counts"
        )
    )


class Lower(_Part):
    """The generalization with one attribute one level lower."""

    attribute: str
    level: int
    holds: bool = Field(
        description=("true if this generalization satisfies the requirement, with the allowed suppression")
    )
    violations: list[Violation] = Field(description="one entry per QID with classes that violate its requirement")
    problem: str | None = Field(
        default=None,
        description=(
            "reason why the verifier refuses this generalization, by joined_rows or max_suppressed, although every "
            "class satisfies the requirement"
        ),
    )


class Cost(_Part):
    """Loss of a column."""

    attribute: str
    loss: float = Field(description="mean share of the column's other leaves that a cell covers")
    share: float = Field(description="share of the loss of all columns, from 0 to 1")
    importance: float = Field(default=1, description="weight of the column's loss in the search")


class Weaker(_Part):
    """Release under a weaker requirement; verified, and not published."""

    change: str
    k: int
    suppression: float
    released: Released | None = Field(description="null if there is a problem")
    problem: str | None


class Explanation(Summarized, _Part):
    """The result of ``starcloak explain``. It is for the custodian of the source, as the result of ``run`` is."""

    source: str
    algorithm: str
    model: str
    k: int
    levels: dict[str, int]
    heights: dict[str, int]
    labels: dict[str, list[str]] = Field(description="labels of each attribute's levels, from level 0 on")
    loss: float
    suppressed_rows: int
    allowed_rows: int = Field(description="rows that may be suppressed")
    lower: list[Lower] = Field(description="for a full-domain recoding: each attribute one level lower")
    blocks: str | None = Field(description="the attribute whose lower level leaves the most rows in violating classes")
    columns: list[Cost] = Field(description="loss of each column, the largest first")
    weaker: list[Weaker] = Field(description="none with several QIDs, or with refresh")

    @property
    def summary(self) -> Summary:
        """Summary: the chosen levels, the possibility of lower ones, and the loss of each column."""
        chosen = [f"{name} {self.labels[name][level]}" for name, level in self.levels.items()]
        lower = {verdict.attribute: "holds as well" if verdict.holds else "does not hold" for verdict in self.lower}
        return Summary(
            lines=[
                f"Explanation of a release of {self.source}, by {self.algorithm} for k = {self.k}",
                ", ".join(chosen),
                f"loss {self.loss:.4f}, {self.suppressed_rows:,} rows suppressed of {self.allowed_rows:,} that may be",
            ],
            head=["column", "reads", "one level lower"],
            rows=[[name, self.labels[name][level], lower.get(name, "-")] for name, level in self.levels.items()],
            notes=[f"{verdict.change}: {verdict.problem}" for verdict in self.weaker if verdict.problem is not None],
            drawn="share of a column in the loss of all columns",
            bars=[(cost.attribute, cost.share) for cost in self.columns],
        )
