"""Costs of a draft's quasi-identifiers: the loss that each further column brings to the columns before it.

Loss is measured on a sample. The best-known quasi-identifiers always stay: birth, sex, place, and a date. If birth, sex
and place are present, a further column stays only if these three lose little more with it, because a release without
them is of no use. Otherwise a further column stays if the total loss is less with it; a column that is not released
counts as a loss of 1. If persons have several rows, a column that others seldom know describes a row more than a
person: the column stays only if the loss is small.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from starcloak.base.errors import InputError
from starcloak.commands.comparison.compare import RecodedPoint, Variants
from starcloak.commands.profile import trials
from starcloak.commands.profile.fitting import Fitted, flow
from starcloak.commands.profile.roles import SAID, Decided
from starcloak.commands.profile.selection import best_known, ranked, tell_who
from starcloak.job import load
from starcloak.job.algorithms import LOCAL, algorithms
from starcloak.statements.statement import Name, Statement, columns
from starcloak.store.resources import Resources
from starcloak.store.session import Session

_SUPPRESSION = Decimal("0.01")
#: Largest mean loss of the best-known columns with a further column: a multiple of their loss without that column, or
#: an absolute loss. A table of few persons loses more in any case, so a larger loss is accepted.
_MORE, _LITTLE, _LITTLE_OF_FEW = 1.25, 0.18, 0.25
_FEW = 1_000  # persons
_SELDOM_KNOWN = 2  # tier, and higher ones
_MOSTLY_TOP = 0.8  # of a column's cells, which is then of no use


@dataclass(frozen=True)
class ColumnCost:
    """Cost of one further quasi-identifier; loss and shares are from 0 to 1.

    ``before`` and ``after`` are the mean loss of the quasi-identifiers before it, without and with it. ``top`` is the
    share of the column's own cells that become `*`. ``stays`` is true if the draft keeps the quasi-identifier. ``line``
    releases the column in a job: without the hierarchy if this is a file, as the draft has no such file.
    """

    before: float
    after: float
    top: float
    stays: bool
    line: str

    @property
    def sentence(self) -> str:
        """The cost in words."""
        return f"loss {self.before:.2f} → {self.after:.2f}"

    @property
    def reason(self) -> str:
        """The reason, in words, why the column is not released, and the line of a job that releases it."""
        back = f"; to release it, put {self.line} under quasi_identifiers"
        if self.top >= _MOSTLY_TOP:
            return f"not released: {self.top:.0%} of its cells would become *{back}"
        return f"not released: with it, the other quasi-identifiers would lose more, {self.sentence}{back}"


@dataclass(frozen=True)
class Costs:
    """Result of the trials: the mean ``loss`` of the best-known quasi-identifiers ``known``, and each ``further``
    column's cost.

    ``loss`` is None if nothing was tried.
    """

    known: Sequence[str]
    loss: float | None
    further: Mapping[str, ColumnCost]


def cost(
    store: Session,
    part: trials.TriedPart,
    decided: Sequence[Decided],
    fitted: Mapping[str, Fitted],
    resources: Resources,
    *,
    has_persons: bool = False,
) -> Costs:
    """Measure the loss of the best-known quasi-identifiers, then the cost of each further one, in order of rank.

    A further column is tried together with the best-known ones and the further ones that stay so far.
    """
    listed = [column.name for column in ranked(decided)]
    known = [name for name in best_known(decided) if name in listed]
    said = [column.name for column in decided if column.evidence == SAID and column.name in listed]
    taken = [*known, *(name for name in said if name not in known)] or listed[:1]
    further = [name for name in listed if name not in taken]
    if not further:
        return Costs(taken, None, {})
    tried = _Tried(store, part, fitted, resources)
    alone = tried.recoded(taken)
    if alone is None:
        return Costs(taken, None, {})
    little = _LITTLE if part.count >= _FEW else _LITTLE_OF_FEW
    most, now, costs = max(_MORE * _mean(alone, taken), little), alone, dict[str, ColumnCost]()
    seldom_known = {column.name for column in decided if column.tier >= _SELDOM_KNOWN} if has_persons else set()
    stay, are_protected = list(taken), tell_who([column for column in decided if column.name in taken])
    for name in further:
        found = tried.recoded([*stay, name])
        if found is None:
            continue
        lost = _mean(found, taken)
        if are_protected:
            is_worth = lost <= most
        elif name in seldom_known:
            is_worth = lost <= little
        else:
            is_worth = lost <= most or _sum(found, [*stay, name]) < _sum(now, stay) + 1
        stays = is_worth and found[name].top < _MOSTLY_TOP
        line = f"{flow(name)}: {flow(fitted[name].given if fitted[name].file is None else 'suppress')}"
        costs[name] = ColumnCost(_mean(now, stay), _mean(found, stay), found[name].top, stays, line)
        if stays:
            stay, now = [*stay, name], found
    return Costs(taken, _mean(alone, taken), costs)


def without_costly(decided: Sequence[Decided], costs: Costs) -> list[Decided]:
    """The decisions on all columns, with too costly quasi-identifiers changed to identifiers and marked as doubtful."""
    return [
        replace(
            column, role="identifiers", evidence=f"{column.evidence}; {costs.further[column.name].reason}",
            is_doubted=True,
        )
        if column.name in costs.further and not costs.further[column.name].stays
        else column
        for column in decided
    ]  # fmt: skip


def _mean(recoded: Mapping[str, RecodedPoint], names: Sequence[str]) -> float:
    return _sum(recoded, names) / len(names)


def _sum(recoded: Mapping[str, RecodedPoint], names: Sequence[str]) -> float:
    return sum(recoded[name].loss for name in names)


@dataclass(frozen=True)
class _Tried:
    """Trial releases of a sample of the rows (``part``), with the hierarchies ``fitted``."""

    store: Session
    part: trials.TriedPart
    fitted: Mapping[str, Fitted]
    resources: Resources

    def recoded(self, names: Sequence[str]) -> Mapping[str, RecodedPoint] | None:
        """Loss of each column in ``names``, and the share of its cells with ``*``, in a trial release of these columns.

        None if no release is possible, or if a data frame would change the texts of cells, such as times with a zone.
        """
        rows = Statement("store/relation", relation=self.part.rows)
        frame = self.store.arrow(Statement("store/source", columns=columns(map(Name, names)), origin=rows))
        with trials.hierarchies({name: self.fitted[name] for name in names}) as quasi_identifiers:
            job = {"quasi_identifiers": quasi_identifiers, "requirement": {"k": self.part.k}}
            try:
                with Variants(load({**job, "objective": {"minimize": "loss"}}), frame, self.resources) as variants:
                    return variants.recoded(algorithms()[LOCAL].model_validate({}), self.part.k, _SUPPRESSION)
            except InputError:
                return None
