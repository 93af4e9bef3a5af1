"""The result of an audit as data: ``schemas/audit.json`` is its JSON Schema. The result contains no rows."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from starcloak.base import small_counts
from starcloak.base.drawing.summary import Summarized, Summary
from starcloak.job.result_part import Part
from starcloak.releases.distinguishing_columns import Telling


class ClassSize(Part):
    """Number of equivalence classes with a size; the size of a class is its number of rows."""

    size: int | None = Field(description="null for sizes of a release that are not told apart")
    classes: int | None = Field(description="null where 1 to k - 1 of a release")


class Attacker(Part):
    """The probability that an attacker finds the person of a record, from 0 to 1."""

    records_at_risk: float | None = Field(
        description="share of the records for which it is above the threshold; null where a release would tell a count "
        "between 1 and k - 1"
    )
    highest: float | None = Field(description="of all records; null where the smallest class has fewer than k rows")
    average: float | None = Field(description="over all records")


class Individual(Part):
    """The individual risk of Benedetti and Franconi, from 0 to 1; all classes have the same sampling fraction."""

    average: float
    highest: float


class PopulationEstimate(Part):
    """Estimates of the population that the table is a sample of."""

    sampling_fraction: float
    rows: int = Field(description="of the population: those of the table by the sampling fraction, rounded")
    model: Literal["pitman", "zayatz", "not estimable"] = Field(
        description="by the rule of Dankar: pitman up to a fraction of 0.1, zayatz above"
    )
    uniques: float | None = Field(
        description="share of records that are alone in the population: of its records by pitman, of the table's by "
        "zayatz; null where not estimable"
    )
    individual: Individual | None


class Recursive(Part):
    """An ``l`` with its bound: recursive (c, l)-diversity holds for every c above the bound ``c``."""

    l: int  # noqa: E741
    c: float


class Closeness(Part):
    """The smallest t of a satisfied t-closeness, by distance."""

    equal: float
    ordered: float | None = Field(
        description="by the order that was given, or of numbers by theirs; null for what is no number, or missing"
    )
    hierarchical: float | None = Field(description="by the hierarchy that was given; null without one")


class Sensitive(Part):
    """A sensitive attribute in the classes: the strictest parameters satisfied by every class.

    A missing value is no value to the models of diversity (``l``, ``entropy_l``, ``recursive``, ``alpha``), which read
    only the rows with a value, and a value to those of closeness (``t``, ``beta``).
    """

    attribute: str
    values: int = Field(description="how many it has in the table, missing ones aside")
    l: int = Field(description="distinct l-diversity")  # noqa: E741
    entropy_l: float = Field(description="entropy l-diversity")
    recursive: list[Recursive] = Field(description="for l from 2, as far as every class has so many values")
    t: Closeness
    alpha: float = Field(description="the largest share of one value in a class")
    beta: float = Field(description="basic beta-likeness")


class Threshold(Part):
    """A customary threshold for the smallest class size, and the audit's result for it."""

    name: str
    k: int
    probability: float = Field(description="1 / k as it is customarily written")
    holds: bool = Field(description="whether every class has k rows or more")
    records_at_risk: float | None = Field(description="share of the records in smaller classes; null as of attackers")


class Listed(Part):
    """A column named after one of the identifiers of HIPAA's Safe Harbor."""

    attribute: str
    identifier: str


class Audit(Summarized, Part):
    """The result of ``starcloak audit``. For a release, it has no count between 1 and k - 1."""

    source: str
    release_k: int | None = Field(description="k of the release that the table is; null for others")
    rows: int | None = Field(description="where persons are told apart, a person counts once in each class")
    persons: int | None = Field(default=None, description="null where they are not told apart")
    as_set: bool = Field(
        default=False,
        description="whether a class is those persons who have the same rows, each as often: rows are persons then",
    )
    classes: int | None
    uniques: int | None = Field(description="rows that are alone in their class")
    doubles: int | None = Field(description="classes of two rows")
    class_sizes: list[ClassSize] = Field(description="by size; what is not told apart comes first")
    threshold: float = Field(description="above it a record is at risk")
    prosecutor: Attacker = Field(description="who knows that somebody is in the table")
    journalist: Attacker = Field(description="who does not; without a population the table is taken for it")
    marketer: Attacker = Field(description="who wants many; the average is the share that they would find")
    population: PopulationEstimate | None = Field(description="null without a sampling fraction")
    quasi_identifiers: list[Telling] = Field(description="each by itself, and all of them")
    unique_sets: list[Telling] = Field(description="sets of at most four that tell most rows apart, smallest first")
    sensitive: list[Sensitive]
    thresholds: list[Threshold]
    safe_harbor: list[Listed] = Field(description="of the columns that were named")
    notes: list[str] = Field(default=[], description="what was left out, and why")

    @property
    def summary(self) -> Summary:
        """Summary: records found by attackers, and the distinguishing power of each quasi-identifier."""
        rows, classes, alone = (
            small_counts.words(count, self.release_k) for count in (self.rows, self.classes, self.uniques)
        )
        attackers = {"prosecutor": self.prosecutor, "journalist": self.journalist, "marketer": self.marketer}
        shares = [
            [name, *map(_share, (attacker.records_at_risk, attacker.highest, attacker.average))]
            for name, attacker in attackers.items()
        ]
        return Summary(
            lines=[
                f"Audit of {self.source}: {rows} rows in {classes} classes",
                f"rows alone in theirs: {alone}",
                f"prosecutor: {shares[0][1]} of the rows above {self.threshold:g}, highest risk {shares[0][2]}",
            ],
            head=["attacker", f"rows above {self.threshold:g}", "highest risk", "average risk"],
            rows=shares,
            notes=self.notes,
            drawn="pairs of rows that a column tells apart",
            bars=[
                (", ".join(telling.attributes), telling.separation)
                for telling in self.quasi_identifiers
                if telling.separation is not None
            ],
        )


def _share(share: float | None) -> str:
    return "not told" if share is None else f"{share:.1%}"
