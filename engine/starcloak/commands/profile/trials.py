"""Choice of a draft's algorithm and suppression by trial releases of a sample; nothing is published."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from starcloak.base.column_names import words
from starcloak.commands.comparison.compare import Variants
from starcloak.commands.profile.fitting import Fitted
from starcloak.commands.profile.roles import Decided
from starcloak.job import load
from starcloak.job.algorithms import DEFAULT, LARGE, LARGEST, LARGEST_NUMBERED, LOCAL, algorithms
from starcloak.statements.statement import Name, Statement, columns
from starcloak.store.resources import Resources
from starcloak.store.session import Session

_PART = Name("profiled_part")
_ROWS = 6_000  # that are tried, at most
_K = 5
_LATTICE = 20_000  # nodes that a complete search goes through in seconds
_SUPPRESSIONS = (Decimal("0.01"), Decimal("0.05"))
#: A later trial is chosen only if its loss is below this multiple of the loss of a simpler trial, or of a trial with
#: fewer suppressed rows.
_WORTH = 0.8
_SEVERAL = 3  # sensitive values of a class
_FEWEST = 50  # rows with a diagnosis, for classes that may have several of them
_DIAGNOSES = {"diagnosis", "diagnoses", "diagnose", "disease", "icd", "icd10", "condition", "illness", "hiv"}


@dataclass(frozen=True)
class Trial:
    """A trial release: algorithm, largest share of suppressed rows, loss (0 … 1; None without a release)."""

    algorithm: str
    suppression: Decimal
    loss: float | None


@dataclass(frozen=True)
class Choice:
    """Requirement and algorithm of a draft, with the trials behind the choice (``tried``).

    ``suppression`` is the largest share of suppressed rows. ``diverse`` is the sensitive column for l-diversity, or
    None. ``rows`` is the number of sampled rows.
    """

    k: int
    algorithm: str
    suppression: Decimal
    diverse: str | None
    tried: Sequence[Trial]
    rows: int

    @property
    def requirement(self) -> dict[str, Any]:
        """The requirement as a job has it."""
        models = {} if self.diverse is None else {"l_diversity": [{"attribute": self.diverse, "l": _SEVERAL}]}
        return {"k": self.k, **models, "suppression": float(self.suppression)}

    @property
    def comparison(self) -> str | None:
        """The losses of the trials in one line; None without any release."""
        losses = [
            f"{_plain(trial.algorithm)} {trial.loss:.2f}"
            for trial in self.tried
            if trial.loss is not None and trial.suppression == _SUPPRESSIONS[0]
        ]
        if not losses:
            return None
        taken = "" if self.algorithm == LOCAL else f"; {LOCAL} is taken if its loss is a fifth less"
        return f"k = {self.k}: {', '.join(losses)} (loss, of {self.rows:,} rows{taken})"


@dataclass(frozen=True)
class TriedPart:
    """The sample for trials: the relation ``rows``, with one row per person, and its number of rows ``count``."""

    rows: Name
    count: int

    @property
    def k(self) -> int:
        """The k of the trials: 5, or the number of rows if it is smaller."""
        return min(_K, self.count) or 1


def part_of(store: Session, sampled: Name) -> TriedPart:
    """Create the relation of rows for trials, at most about 6,000 rows of the relation ``sampled``.

    ``sampled`` has one row per person, so that k rows are k persons.
    """
    share = max(1, -(-store.create(_PART, _relation(sampled)) // _ROWS))
    part = Statement("commands/profile/part", rows=sampled, key=Name("rowid"))
    return TriedPart(_PART, store.create(_PART, part, {"share": share}))


def choose(
    store: Session, part: TriedPart, decided: Sequence[Decided], fitted: Mapping[str, Fitted], resources: Resources
) -> Choice:
    """Choose the requirement and the algorithm of a draft by the losses of full-domain and of local recoding."""
    nodes = prod(fit.height + 1 for fit in fitted.values())
    plain = LARGEST if nodes > LARGEST_NUMBERED else LARGE if nodes > _LATTICE else DEFAULT
    combinations = [*product((plain,), _SUPPRESSIONS), (LOCAL, _SUPPRESSIONS[0])]
    tried = _tried(store, fitted, part.k, combinations, resources)
    best = _best(tried) or Trial(plain, _SUPPRESSIONS[-1], None)
    return Choice(part.k, best.algorithm, best.suppression, _diagnosis(decided), tried, part.count)


def _relation(relation: Name) -> Statement:
    return Statement("store/relation", relation=relation)


def _plain(algorithm: str) -> str:
    """The name of an algorithm in remarks: ``full-domain`` for algorithms of this model, else its own name."""
    model = algorithms()[algorithm].about.recoding_model
    return "full-domain" if model.startswith("full-domain") else algorithm


def _best(tried: Sequence[Trial]) -> Trial | None:
    """The trial with the least loss; an earlier one is preferred unless another has much less."""
    best = None
    for trial in tried:
        if trial.loss is not None and (best is None or trial.loss < _WORTH * (best.loss or 0)):
            best = trial
    return best


def _diagnosis(decided: Sequence[Decided]) -> str | None:
    """The name of a sensitive column that requires l-diversity, a diagnosis with enough values; None without one."""

    def is_one(column: Decided) -> bool:
        its = column.profile
        is_diagnosis = bool(_DIAGNOSES & {*words(column.name)}) or its.diagnoses > 0.8
        is_spread = its.distinct >= _SEVERAL and its.most * _SEVERAL <= its.present * 2
        return column.role == "sensitive" and is_diagnosis and is_spread and its.present >= _FEWEST

    return next((column.name for column in decided if is_one(column)), None)


def _tried(
    store: Session,
    fitted: Mapping[str, Fitted],
    k: int,
    combinations: Sequence[tuple[str, Decimal]],
    resources: Resources,
) -> list[Trial]:
    frame, sampled = (
        store.arrow(Statement("store/source", columns=columns(map(Name, fitted)), origin=_relation(_PART))),
        algorithms(),
    )
    with hierarchies(fitted) as quasi_identifiers:
        job = {"quasi_identifiers": quasi_identifiers, "requirement": {"k": k}, "objective": {"minimize": "loss"}}
        with Variants(load(job), frame, resources) as variants:
            return [
                Trial(name, suppression, point.released.loss if point.released else None)
                for name, suppression in combinations
                for point in [variants.point(sampled[name].model_validate({}), k, suppression)]
            ]


@contextmanager
def hierarchies(fitted: Mapping[str, Fitted]) -> Iterator[dict[str, Any]]:
    """Context with the hierarchies as settings of a job, by column; their files are in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        given: dict[str, Any] = {}
        for number, (name, fit) in enumerate(fitted.items()):
            if fit.file is None:
                given[name] = fit.given
            else:
                path = Path(folder, f"{number}.csv")
                path.write_text(fit.file, encoding="utf-8", newline="")
                given[name] = {"csv": str(path)}
        yield given
