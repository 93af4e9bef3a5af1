"""The result of a comparison as data: ``schemas/comparison.json`` is its JSON Schema. The result contains no rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from starcloak.base.drawing.summary import Summarized, Summary
from starcloak.job.algorithms import LeafDomain

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

    from starcloak.commands.comparison.plot import Lines


#: The columns of a comparison as CSV and as a data frame.
NAMES = (
    "algorithm", "k", "suppression", "achieved_k", "rows", "classes", "loss", "highest_risk", "average_risk",
    "seconds", "suppressed_rows", "precision", "discernibility", "problem",
)  # fmt: skip


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, defer_build=True, extra="forbid")


class Released(_Part):
    """Figures of a release counted by the verifier; it was not published."""

    k: int | None = Field(description="size of the smallest class; null without rows")
    released_rows: int
    suppressed_rows: int
    classes: int
    highest_risk: float | None = Field(
        description=("highest risk of a record, 1 / k, for an attacker who knows that a person is in the table")
    )
    average_risk: float | None = Field(
        description="average risk: classes divided by released rows or, with person, the mean of 1 / persons in the "
        "smallest class of each released person"
    )
    loss: float
    precision: float
    discernibility: int
    levels: dict[str, int]


class Point(_Part):
    """One algorithm with one k and one largest share of suppressed rows."""

    algorithm: str
    k: int
    suppression: float
    released: Released | None = Field(description="null if there is a problem")
    problem: str | None = Field(description="why there is no release")
    seconds: float

    @property
    def cells(self) -> dict[str, object]:
        """The figures of the point, by the columns :data:`NAMES`; figures of a release are None without one."""
        released = {} if self.released is None else self.released.model_dump()
        renamed = {"rows": released.get("released_rows"), "achieved_k": released.get("k")}
        own = self.model_dump(exclude={"released"})
        return {name: renamed.get(name, own.get(name, released.get(name))) for name in NAMES}


class Comparison(Summarized, _Part):
    """The result of ``starcloak compare``. It is for the custodian of the source, as the result of ``run`` is."""

    source: str
    rows: int
    domain: LeafDomain = Field(
        default="declared", description=("leaves counted by loss: all declared in hierarchies, or those with a row")
    )
    points: list[Point]
    notes: list[str] = Field(default=[], description="notes on all points")

    def to_pandas(self) -> pandas.DataFrame:
        """Return the points as a data frame with one row each, in order.

        Returns:
            The columns `algorithm`, `k` (asked), `suppression` (share of rows), `achieved_k`, `rows` (released),
            `classes`, `loss` (0 to 1), `highest_risk` and `average_risk` (0 to 1), `seconds`, `suppressed_rows`,
            `precision` (0 to 1), `discernibility` and `problem`, as in the CSV of `starcloak compare`. A point without
            a release has missing figures and a problem.
        """
        import pandas

        return pandas.DataFrame([point.cells for point in self.points], columns=[*NAMES])

    def plot(self) -> Figure:
        """Draw loss (0 to 1) against average risk (0 to 1), with one line for each algorithm and suppression.

        Returns:
            A figure of matplotlib, which `figure.savefig("comparison.pdf")` writes to a file.

        Raises:
            OutputError: matplotlib is not installed.
        """
        from starcloak.commands.comparison import plot

        return plot.as_figure(self.source, self.lines)

    @property
    def drawn(self) -> list[tuple[Point, Released]]:
        """The points with an average risk, each with its release."""
        return [(point, point.released) for point in self.points if point.released and point.released.average_risk]

    @property
    def lines(self) -> Lines:
        """The points with a release as lines of a plot, by algorithm and suppression."""
        from starcloak.commands.comparison.plot import Mark

        lines: dict[str, list[Mark]] = {}
        for point, released in self.drawn:
            marks = lines.setdefault(f"{point.algorithm}, suppression {point.suppression:g}", [])
            marks.append(Mark(point.k, released.average_risk or 0, released.loss))
        return lines

    @property
    def summary(self) -> Summary:
        """Summary of each algorithm's loss for each k."""
        named = [(f"{point.algorithm}, k = {point.k}", point) for point in self.points]
        released = [(name, point.released) for name, point in named if point.released is not None]
        return Summary(
            lines=[
                f"Comparison of {len(self.points)} releases of {self.source}, of {self.rows:,} rows",
                f"points without a release: {len(named) - len(released)}",
                *self._least,
            ],
            head=["release", "rows left out", "k", "classes", "loss", "highest risk", "seconds"],
            rows=[[name, *_figures(point.released), f"{point.seconds:.2f}"] for name, point in named],
            notes=[*self.notes, *(f"{name}: {point.problem}" for name, point in named if point.problem is not None)],
            drawn="loss",
            bars=[(name, release.loss) for name, release in released],
        )

    @property
    def _least(self) -> list[str]:
        """The release with the least loss of each k with several releases."""
        lines = []
        for k in dict.fromkeys(point.k for point in self.points):
            losses = [
                (point.released.loss, point.algorithm) for point in self.points if point.k == k and point.released
            ]
            if len(losses) > 1:
                loss, algorithm = min(losses, key=lambda pair: pair[0])
                lines.append(f"least loss with k = {k}: {loss:.4f}, {algorithm}")
        return lines


def _figures(released: Released | None) -> list[str]:
    if released is None:
        return ["-"] * 5
    k, risk = (
        "-" if figure is None else f"{figure:{form}}"
        for figure, form in ((released.k, ",d"), (released.highest_risk, ".1%"))
    )
    return [f"{released.suppressed_rows:,}", k, f"{released.classes:,}", f"{released.loss:.4f}", risk]
