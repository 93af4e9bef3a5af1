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
from starcloak.privacy.k_anonymity.model import KAnonymity
from starcloak.privacy.model import Model, PopulationComparison, TableComparison, ValueHierarchies, models_of
from starcloak.privacy.persons.model import HISTORIES, DistinctPersons
from starcloak.statements.statement import Hole, Joined, Name, Statement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from starcloak.hierarchy.builder import Builder
    from starcloak.privacy.groups import Groups, Integers


@dataclass(frozen=True)
class Demand:
    """Conditions on the groups over one quasi-identifier (QID): each group satisfies every one of the ``models``.

    A group has the rows with equal generalized values of the ``attributes``.

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
        """True if every model decides on a group by the group's number of rows alone."""
        return not self.carried

    @cached_property
    def carried(self) -> tuple[Wanted, ...]:
        """Aggregates that the models need as further columns of frequency sets, in addition to the row counts."""
        return tuple(dict.fromkeys(wanted for model in self.models for wanted in model.carried))

    @cached_property
    def violating(self) -> Statement:
        """SQL condition for rows (groups) of a frequency set in violation of at least one model."""
        if not self.of_population:
            return _any_of(model.violating for model in self.models)
        rows = _any_of(model.violating for model in self.models if not covers_absent(model))
        absent = (model.violating for model in self.models if covers_absent(model))
        return _any_of([Statement("privacy/population#rows", models=rows), *absent])

    @property
    def is_in_text(self) -> bool:
        """True if frequency sets carry the values of a sensitive attribute in one text, not in one column per value."""
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
        """Mask of in-memory groups in violation of ``model``, one of the demand's models."""
        violating = model.violates(groups)
        return violating & (groups.sizes > 0) if self.of_population and not covers_absent(model) else violating

    @property
    def rows(self) -> Hole:
        """SQL expression for the number of suppressed rows of a violating group: the group's number of rows.

        A group with people of the population but without rows of the table counts as one row, so that the sum over all
        violating groups shows its violation.
        """
        return Statement("privacy/population#counted") if self.of_population else Name("frequency")

    def count_rows(self, sizes: Integers) -> int:
        """Number of suppressed rows for violating groups, from their numbers of rows ``sizes``; see :attr:`rows`."""
        return int(np.maximum(sizes, 1).sum() if self.of_population else sizes.sum())

    @cached_property
    def of_population(self) -> bool:
        """True if a model compares groups with the population; some groups may then have people but no rows."""
        return any(isinstance(model, PopulationComparison) for model in self.models)

    @property
    def least_share(self) -> Fraction:
        """Smallest permitted share (0 … 1) of a class's people with a row in the table; 0 without such a model."""
        compared = (model for model in self.models if isinstance(model, PopulationComparison))
        return max((model.least_share or Fraction(0) for model in compared), default=Fraction(0))

    def outliers(self, groups: Groups) -> NDArray[np.bool_]:
        """Mask of the groups to suppress in a table, so that the remaining groups satisfy the demand.

        If a model compares groups with all released rows, a suppression may cause further violations. The function then
        repeats until no remaining group violates the demand.
        """
        out = self.violates(groups)
        demand, more = self, bool(out.any()) and self.moves
        while more and not out.all():
            demand = demand.without(groups, out)
            violating = out | demand.violates(groups)
            more, out = bool((violating != out).any()), violating
        return out

    def without(self, groups: Groups, out: NDArray[np.bool_]) -> Demand:
        """The demand bound to the table without the groups in the mask ``out``."""
        return Demand(self.attributes, tuple(_staying(model, groups, out) for model in self.models))

    def over(self, domains: Mapping[str, Domain], *, moving: bool = False) -> Demand:
        """The demand with its models bound to the values of their sensitive attributes: ``domains``, by attribute.

        With ``moving``, only models with a comparison of groups and released rows are bound again; suppression changes
        these rows. A model of persons is dropped if k-anonymity is equivalent, as each person has one row.
        """
        bound = (
            model.over(domains[model.reads[0]]) if model.reads and (not moving or _moves(model)) else model
            for model in self.models
        )
        return Demand(self.attributes, tuple(model for model in bound if not _is_of_rows(model)))

    @cached_property
    def moves(self) -> bool:
        """True if a model compares groups with all released rows: suppression may change verdicts on other groups."""
        return any(map(_moves, self.models))

    def prunable(self, allowed: int) -> bool:
        """True if every generalization of a satisfying node satisfies the demand, too.

        A node is one level per attribute. ``allowed`` is the permitted number of suppressed rows.
        """
        return all(model.superset_closed if allowed else model.monotone for model in self.models)

    @property
    def implied(self) -> Demand:
        """A weaker demand: if a node satisfies this demand, all its generalizations satisfy the weaker one."""
        closed = [model for model in self.models if model.superset_closed]
        return Demand(self.attributes, (KAnonymity(k=self.least_rows), *closed))

    @property
    def k(self) -> int:
        """The k of k-anonymity; 1 if the demand has no such model."""
        return max((model.least_rows for model in models_of(self.models, KAnonymity.key)), default=1)

    def implies(self, other_demand: Demand) -> bool:
        """True if every table that satisfies this demand satisfies ``other_demand``, too (Definition 1).

        The other demand then has some or all of these attributes, at most this k, and only models implied by these.

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
    """The model bound to the table without the groups in ``out``; unchanged without a comparison with released rows."""
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
    """True if the model has a condition on classes of the population without rows of the table, too."""
    return isinstance(model, PopulationComparison) and model.least_share is not None


def _moves(model: Model) -> bool:
    """True if the model compares groups with all released rows, not with the source."""
    return isinstance(model, TableComparison) and not model.of_source


def _is_of_rows(model: Model) -> bool:
    """True if a model of persons is bound to a table with one row per person: k-anonymity is then equivalent."""
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
        """The requirement bound to the values of sensitive attributes in a table: ``domains``, by attribute."""
        return replace(self, demands=tuple(demand.over(domains) for demand in self.demands))

    @property
    def moves(self) -> bool:
        """True if suppression may change the verdict on the remaining rows."""
        return any(demand.moves for demand in self.demands)

    @property
    def single(self) -> bool:
        """True if the requirement has one QID of all quasi-identifier attributes, not several QIDs."""
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
        """Columns to identify the person of a row, if a model counts persons; otherwise empty."""
        models = models_of((model for demand in self.demands for model in demand.models), DistinctPersons.key)
        return models[0].reads if models else ()

    @property
    def of_population(self) -> bool:
        """True if a model compares with the population."""
        return any(demand.of_population for demand in self.demands)

    @property
    def as_set(self) -> bool:
        """True if at least k persons must have the same multiset of tuples in their rows."""
        return any(models_of(demand.models, HISTORIES) for demand in self.demands)

    def hierarchies(self, attribute: str) -> dict[str, Builder]:
        """Hierarchies of one sensitive attribute that the models need, by the name of the hierarchy."""
        models = (model for demand in self.demands for model in demand.models if attribute in model.reads)
        hierarchies = (model.hierarchies for model in models if isinstance(model, ValueHierarchies))
        return {name: hierarchy for named in hierarchies for name, hierarchy in named.items()}

    @cached_property
    def carried(self) -> tuple[Wanted, ...]:
        """Aggregates that the models need as further columns of frequency sets, in addition to the row counts."""
        return tuple(dict.fromkeys(wanted for demand in self.demands for wanted in demand.carried))

    @property
    def least_rows(self) -> int:
        """Minimum number of rows in a table that satisfies the requirement."""
        return self.widest.least_rows

    @property
    def widest(self) -> Model:
        """The model with the largest ``least_rows``; of several, the first in the order of demands and their models."""
        return max((model for demand in self.demands for model in demand.models), key=lambda model: model.least_rows)

    def joint(self, attributes: Sequence[str]) -> Demand:
        """The demand on the classes over all ``attributes`` together; k-anonymity with k = 1 if no demand has all."""
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
        """A sufficient demand on the classes over all ``attributes`` together: it has the models of all demands.

        The demand is sufficient for several QIDs if every union of groups that satisfy a model satisfies it: a group of
        any QID consists of whole classes.
        """
        models: list[Model] = []  # some have a hierarchy, and no hash
        for model in (model for demand in self.demands for model in demand.models):
            models += [model] if model not in models else []
        return Demand(tuple(attributes), tuple(models))
