"""The requirement: conditions on the groups over one or several quasi-identifiers, and the permitted suppression.

The requirement passes as one object from the job through the search to the verifier, the script and the report.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from starcloak.privacy.aggregates import Domain, Histogram, Wanted
from starcloak.privacy.capabilities import PopulationComparison, TableComparison, ValueHierarchies
from starcloak.privacy.k_anonymity.model import KAnonymity
from starcloak.privacy.model import Model, models_of
from starcloak.privacy.persons.model import HISTORIES, DistinctPersons
from starcloak.statements.statement import Hole, Joined, Name, Statement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from starcloak.hierarchy.builder import Builder
    from starcloak.privacy.groups import Groups, Integers


@dataclass(frozen=True)
class Demand:
    """Conditions on the groups over one quasi-identifier (QID): each group satisfies every model.

    Fung, Wang, Yu 2007, Definition 1, if the only model is k-anonymity.
    """

    attributes: tuple[str, ...]
    models: tuple[Model, ...]

    @cached_property
    def least_rows(self) -> int:
        """Minimum number of rows in every group that satisfies the demand."""
        return max(model.least_rows for model in self.models)

    @property
    def counts_rows_only(self) -> bool:
        """True if the number of rows alone decides about a group."""
        return not self.carried

    @cached_property
    def carried(self) -> tuple[Wanted, ...]:
        """Aggregates carried by frequency sets for the models, in addition to the counts."""
        return tuple(dict.fromkeys(wanted for model in self.models for wanted in model.carried))

    @cached_property
    def violating(self) -> Statement:
        """The condition for a violation of at least one model by a row of a frequency set."""
        if not self.of_population:
            return _any_of(model.violating for model in self.models)
        rows = _any_of(model.violating for model in self.models if not covers_absent(model))
        absent = (model.violating for model in self.models if covers_absent(model))
        return _any_of([Statement("privacy/population#rows", models=rows), *absent])

    @property
    def is_in_text(self) -> bool:
        """True if a model counts the rows of more values than frequency sets have columns for."""
        return any(
            isinstance(wanted, Histogram) and model.domain.in_text for model in self.models for wanted in model.carried
        )

    def violates(self, groups: Groups) -> NDArray[np.bool_]:
        """Mask of in-memory groups in violation of at least one model."""
        first, *further = (self.violates_model(model, groups) for model in self.models)
        for verdict in further:
            first = first | verdict
        return first

    def violates_model(self, model: Model, groups: Groups) -> NDArray[np.bool_]:
        """Mask of in-memory groups in violation of one of the models."""
        violating = model.violates(groups)
        return violating & (groups.sizes > 0) if self.of_population and not covers_absent(model) else violating

    @property
    def rows(self) -> Hole:
        """The number of rows counted as suppressed if a group violates the requirement: its rows.

        A group with people of the population and no row of the table counts as one, so that no suppression allows it.
        """
        return Statement("privacy/population#counted") if self.of_population else Name("frequency")

    def count_rows(self, sizes: Integers) -> int:
        """Number of suppressed rows for groups of these sizes, if all of them violate the demand."""
        return int(np.maximum(sizes, 1).sum() if self.of_population else sizes.sum())

    @cached_property
    def of_population(self) -> bool:
        """True if a model compares with the population; groups may then have people of it and no rows."""
        return any(isinstance(model, PopulationComparison) for model in self.models)

    @property
    def least_share(self) -> Fraction:
        """The smallest share (0 … 1) of the population's people with a row in every class that satisfies the demand."""
        compared = (model for model in self.models if isinstance(model, PopulationComparison))
        return max((model.least_share or Fraction(0) for model in compared), default=Fraction(0))

    def outliers(self, groups: Groups) -> NDArray[np.bool_]:
        """Mask of the groups of a table suppressed so that the remaining groups satisfy the demand.

        If a model compares with the released rows, suppression may cause further violations; the function repeats until
        there is none.
        """
        out = self.violates(groups)
        demand, more = self, bool(out.any()) and self.moves
        while more and not out.all():
            demand = demand.without(groups, out)
            violating = out | demand.violates(groups)
            more, out = bool((violating != out).any()), violating
        return out

    def without(self, groups: Groups, out: NDArray[np.bool_]) -> Demand:
        """The demand over the table after suppression of the groups in ``out``."""
        return Demand(self.attributes, tuple(_staying(model, groups, out) for model in self.models))

    def over(self, domains: Mapping[str, Domain], *, moving: bool = False) -> Demand:
        """The demand bound to the values of sensitive attributes in a table.

        With ``moving``, only models with a base of comparison in the release are bound again.
        """
        bound = (
            model.over(domains[model.reads[0]]) if model.reads and (not moving or _moves(model)) else model
            for model in self.models
        )
        return Demand(self.attributes, tuple(model for model in bound if not _is_of_rows(model)))

    @cached_property
    def moves(self) -> bool:
        """True if the verdict on a group depends on the other released groups."""
        return any(map(_moves, self.models))

    def prunable(self, allowed: int) -> bool:
        """True if every generalization of a satisfying node satisfies the demand, with ``allowed`` suppressed rows."""
        return all(model.superset_closed if allowed else model.monotone for model in self.models)

    @property
    def implied(self) -> Demand:
        """The demand satisfied by a satisfying node and all its generalizations, for any suppression."""
        closed = [model for model in self.models if model.superset_closed]
        return Demand(self.attributes, (KAnonymity(k=self.least_rows), *closed))

    @property
    def k(self) -> int:
        """The k of k-anonymity; 1 if it is not required."""
        return max((model.least_rows for model in models_of(self.models, KAnonymity.key)), default=1)

    def implies(self, other_demand: Demand) -> bool:
        """True if every table satisfying this demand satisfies the other: more columns, no smaller k (Definition 1).

        >>> five, four = (KAnonymity(k=5),), (KAnonymity(k=4),)
        >>> Demand(("age", "sex"), five).implies(Demand(("sex",), four))
        True
        """
        rest = [model for model in other_demand.models if model.key != KAnonymity.key]
        return (
            set(other_demand.attributes) <= set(self.attributes)
            and other_demand.k <= self.k
            and all(model.monotone and any(own.implies(model) for own in self.models) for model in rest)
        )


def _staying(model: Model, groups: Groups, out: NDArray[np.bool_]) -> Model:
    """A model over the table after suppression of some groups, if this suppression changes its verdict."""
    if not _moves(model):
        return model
    domain = model.domain
    pairs, values = groups.pairs(domain.attribute), len(domain.totals)
    if pairs is not None:
        chosen = ~out[pairs.of]
        sums = np.bincount(pairs.value[chosen], pairs.counts[chosen], values)  # exact below 2 ** 53 rows
        return model.over(replace(domain, totals=tuple(map(int, sums[:values]))))
    kept = (int(groups.rows_with(domain.attribute, code)[~out].sum()) for code in range(values))
    return model.over(replace(domain, totals=tuple(kept)))


def covers_absent(model: Model) -> bool:
    """True if a model also covers classes of the population without rows."""
    return isinstance(model, PopulationComparison) and model.least_share is not None


def _moves(model: Model) -> bool:
    """True if the verdict of a model on a group depends on the other released groups."""
    return isinstance(model, TableComparison) and not model.of_source


def _is_of_rows(model: Model) -> bool:
    """True if k-anonymity, in the same requirement, is equivalent to a bound model."""
    return isinstance(model, DistinctPersons) and model.is_of_rows


def _any_of(violating: Iterable[Hole]) -> Statement:
    return Statement("privacy/violating", models=Joined(tuple(violating), " or "))


@dataclass(frozen=True)
class Requirement:
    """Conditions on a release: each of the ``demands``.

    ``redundant`` has the demands implied by ``demands``; searches ignore them. ``suppression`` is the permitted share
    of suppressed rows (0 … 1).
    """

    demands: tuple[Demand, ...]
    redundant: tuple[Demand, ...] = ()
    suppression: Decimal = Decimal(0)

    @classmethod
    def of(cls, demands: Sequence[Demand], suppression: Decimal = Decimal(0)) -> Requirement:
        """The requirement of some demands; demands implied by another one become redundant."""
        kept = tuple(
            demand
            for place, demand in enumerate(demands)
            if not any(
                other_demand.implies(demand) and not (demand.implies(other_demand) and before >= place)
                for before, other_demand in enumerate(demands)
            )
        )
        return cls(kept, tuple(demand for demand in demands if demand not in kept), suppression)

    def over(self, domains: Mapping[str, Domain]) -> Requirement:
        """The requirement bound to the values of sensitive attributes in a table."""
        return replace(self, demands=tuple(demand.over(domains) for demand in self.demands))

    @property
    def moves(self) -> bool:
        """True if suppression may change the verdict on the remaining rows."""
        return any(demand.moves for demand in self.demands)

    @property
    def single(self) -> bool:
        """True if the requirement has one quasi-identifier; this one then has all attributes."""
        return len(self.demands) == 1

    @property
    def is_of_k(self) -> bool:
        """True if the requirement consists of k-anonymity alone."""
        return all(model.key == KAnonymity.key for demand in self.demands for model in demand.models)

    @cached_property
    def reads(self) -> tuple[str, ...]:
        """Sensitive attributes read by the models."""
        read = (name for demand in self.demands for model in demand.models for name in model.reads)
        return tuple(dict.fromkeys(read))

    @property
    def persons(self) -> tuple[str, ...]:
        """Columns of a person, if the models count persons; otherwise empty."""
        models = models_of((model for demand in self.demands for model in demand.models), DistinctPersons.key)
        return models[0].reads if models else ()

    @property
    def of_population(self) -> bool:
        """True if a model compares with the population."""
        return any(demand.of_population for demand in self.demands)

    @property
    def as_set(self) -> bool:
        """True if the rows of a person form one set, and several persons must have the same set."""
        return any(models_of(demand.models, HISTORIES) for demand in self.demands)

    def hierarchies(self, attribute: str) -> dict[str, Builder]:
        """Hierarchies of a sensitive attribute needed by the models, by name."""
        models = (model for demand in self.demands for model in demand.models if attribute in model.reads)
        hierarchies = (model.hierarchies for model in models if isinstance(model, ValueHierarchies))
        return {name: hierarchy for named in hierarchies for name, hierarchy in named.items()}

    @cached_property
    def carried(self) -> tuple[Wanted, ...]:
        """Aggregates carried by frequency sets for the models, in addition to the counts."""
        return tuple(dict.fromkeys(wanted for demand in self.demands for wanted in demand.carried))

    @property
    def least_rows(self) -> int:
        """Minimum number of rows in a table that satisfies the requirement."""
        return self.widest.least_rows

    @property
    def widest(self) -> Model:
        """The model with the largest minimum number of rows; of several, the first, with k-anonymity before others."""
        return max((model for demand in self.demands for model in demand.models), key=lambda model: model.least_rows)

    def joint(self, attributes: Sequence[str]) -> Demand:
        """The demand on the classes over all of some attributes together; k = 1 if no demand has all of them."""
        models = [
            model for demand in self.demands if len(demand.attributes) == len(attributes) for model in demand.models
        ]
        return Demand(tuple(attributes), tuple(models) or (KAnonymity(k=1),))

    @property
    def largest_k(self) -> int:
        """The largest k of the demands."""
        return max(demand.k for demand in self.demands)

    def allowance(self, rows: int) -> int:
        """Permitted number of suppressed rows in a table of ``rows`` rows, by exact arithmetic.

        >>> Requirement((), suppression=Decimal("0.29")).allowance(100)
        29
        """
        return int(Fraction(self.suppression) * rows)  # a product of decimals is rounded to 28 digits

    def strictest(self, attributes: Sequence[str]) -> Demand:
        """A sufficient demand on the classes over all of some attributes together: the union of all models.

        The demand is sufficient for several QIDs if every union of groups that satisfy a model satisfies it: a group of
        any QID consists of whole classes.
        """
        models: list[Model] = []  # some have a hierarchy, and no hash
        for model in (model for demand in self.demands for model in demand.models):
            models += [model] if model not in models else []
        return Demand(tuple(attributes), tuple(models))
