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

    size: int | None = Field(description="null for an entry that pools several sizes of a release")
    classes: int | None = Field(description="null for a count from 1 to k - 1 of a release")


class Attacker(Part):
    """The probability that an attacker finds the person of a record, from 0 to 1."""

    records_at_risk: float | None = Field(
        description=(
            "share of the records with a probability above the threshold; null if it would reveal a count from 1 to "
            "k - 1 of a release"
        )
    )
    highest: float | None = Field(
        description=(
            "the highest probability of a record; null if the smallest class of a release has fewer than k rows"
        )
    )
    average: float | None = Field(description="the mean probability over all records")


class Individual(Part):
    """The individual risk of Benedetti and Franconi, from 0 to 1; all classes have the same sampling fraction."""

    average: float
    highest: float


class PopulationEstimate(Part):
    """Estimates of the population that the table is a sample of."""

    sampling_fraction: float
    rows: int = Field(
        description=("estimated rows of the population: rows of the table divided by the sampling fraction")
    )
    model: Literal["pitman", "zayatz", "not estimable"] = Field(
        description="estimator of uniques, by the rule of Dankar: pitman up to a sampling fraction of 0.1, zayatz above"
    )
    uniques: float | None = Field(
        description=(
            "share of records that are unique in the population: of its records by pitman, of the table's by "
            "zayatz; null if not estimable"
        )
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
        description=(
            "with ordered distance, by the given order or the order of numbers; null without an order, for texts or "
            "missing values"
        )
    )
    hierarchical: float | None = Field(
        description=("with hierarchical distance, by the given hierarchy; null without a hierarchy")
    )


class Sensitive(Part):
    """A sensitive attribute in the classes: the strictest parameters satisfied by every class.

    A missing value is no value to the models of diversity (``l``, ``entropy_l``, ``recursive``, ``alpha``), which read
    only the rows with a value, and a value to those of closeness (``t``, ``beta``).
    """

    attribute: str
    values: int = Field(description="distinct values in the table, without the missing value")
    l: int = Field(description="distinct l-diversity")  # noqa: E741
    entropy_l: float = Field(description="entropy l-diversity")
    recursive: list[Recursive] = Field(
        description=("one entry per l, from 2 to the smallest number of values in a class")
    )
    t: Closeness
    alpha: float = Field(description="the largest share of one value in a class")
    beta: float = Field(description="basic beta-likeness")


class Threshold(Part):
    """A customary threshold for the smallest class size, and the audit's result for it."""

    name: str
    k: int
    probability: float = Field(description="1 / k, in its customary form")
    holds: bool = Field(description="true if every class has k rows or more")
    records_at_risk: float | None = Field(
        description=(
            "share of the records in smaller classes; null if it would reveal a count from 1 to k - 1 of a release"
        )
    )


class Listed(Part):
    """A column named after one of the identifiers of HIPAA's Safe Harbor."""

    attribute: str
    identifier: str


class Audit(Summarized, Part):
    """The result of ``starcloak audit``. For a release, it has no count between 1 and k - 1."""

    source: str
    release_k: int | None = Field(description="k of the release, if the table is a known release; else null")
    rows: int | None = Field(description="rows; with person, a person counts once in each class")
    persons: int | None = Field(default=None, description="distinct persons; null without person")
    as_set: bool = Field(
        default=False,
        description="true if a class is the persons who have the same rows, each as often; rows are then persons",
    )
    classes: int | None
    uniques: int | None = Field(description="classes of one row; of a release, null if it reveals a small count")
    doubles: int | None = Field(description="classes of two rows; of a release, null if it reveals a small count")
    class_sizes: list[ClassSize] = Field(description="classes by size; pooled sizes come first")
    threshold: float = Field(description="probability above which a record is at risk")
    prosecutor: Attacker = Field(description="attacker who knows that a person is in the table")
    journalist: Attacker = Field(
        description=("attacker who does not know it; without a population, the table stands for the population")
    )
    marketer: Attacker = Field(
        description=("attacker who wants as many persons as possible; the average is the share of persons found")
    )
    population: PopulationEstimate | None = Field(description="null without a sampling fraction")
    quasi_identifiers: list[Telling] = Field(description="each column alone, and all columns together")
    unique_sets: list[Telling] = Field(
        description=("sets of at most four columns that distinguish most rows, smallest first")
    )
    sensitive: list[Sensitive] = Field(description="empty for a release if some of its classes have fewer than k rows")
    thresholds: list[Threshold]
    safe_harbor: list[Listed] = Field(description="named columns that are on the list of the Safe Harbor")
    notes: list[str] = Field(default=[], description="omitted figures, with the reason")

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
                f"rows alone in their class: {alone}",
                f"prosecutor: {shares[0][1]} of the rows above {self.threshold:g}, highest risk {shares[0][2]}",
            ],
            head=["attacker", f"rows above {self.threshold:g}", "highest risk", "average risk"],
            rows=shares,
            notes=self.notes,
            drawn="share of row pairs with different values, per column",
            bars=[
                (", ".join(telling.attributes), telling.separation)
                for telling in self.quasi_identifiers
                if telling.separation is not None
            ],
        )


def _share(share: float | None) -> str:
    return "not told" if share is None else f"{share:.1%}"
