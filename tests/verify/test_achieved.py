"""Publishing holds what was counted against what is required by itself, whatever the clauses of the verifier say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pandas
import pytest

import starcloak as sc
from starcloak.base.errors import VerificationError
from starcloak.commands import pipeline
from starcloak.job import load_requirement
from starcloak.privacy import model as privacy
from starcloak.privacy.verdict import Judged
from starcloak.statements.statement import Statement
from starcloak.verify import classes, invariants
from starcloak.verify.invariants import Clause
from starcloak.verify.recount import Reading
from tests.privacy.histograms import MODELS, job
from tests.privacy.test_privacy_models import FORGED, frame


def _blind(monkeypatch: pytest.MonkeyPatch, *kinds: type[privacy.Model]) -> None:
    """Searches look at nothing, and no clause says anything."""
    for kind in kinds:
        monkeypatch.setattr(kind, "violating", property(lambda self: Statement("star/recoding/full_domain#none_rare")))
        monkeypatch.setattr(kind, "violates", lambda self, groups: groups.sizes < 0)
    monkeypatch.setattr(invariants, "CLAUSES", tuple(Clause(each.name, _silent(each)) for each in invariants.CLAUSES))


def _silent(clause: Clause) -> Callable[[Reading], Iterator[str]]:
    """It reads what it would, and says nothing."""

    def problems(reading: Reading) -> Iterator[str]:
        list(clause.problems(reading))
        return iter(())

    return problems


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", MODELS)
def test_no_model_is_short_of_what_is_required(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, _ = MODELS[name]
    _blind(monkeypatch, *(type(model) for model in load_requirement({"k": 2, **asked}).models))
    with pytest.raises(VerificationError, match="its count does not show") as refused:
        pipeline.run(job(2, asked, {"name": "witness"}), frame=frame(FORGED))
    assert refused.value.clause == "achieved"


# The bound of enhanced β is another one for each value: its figure alone does not tell.
@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", [name for name in MODELS if name != "enhanced beta"])
def test_a_figure_is_believed_before_a_verdict(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A recount that says yes to everything tells a figure that does not."""
    asked, _ = MODELS[name]
    _blind(monkeypatch, *(type(model) for model in load_requirement({"k": 2, **asked}).models))
    judge = classes.judge

    def agree(*given: Any) -> Judged:
        return Judged(True, judge(*given).achieved, 0, 0)

    monkeypatch.setattr(classes, "judge", agree)
    with pytest.raises(VerificationError, match="its count does not show"):
        pipeline.run(job(2, asked, {"name": "witness"}), frame=frame(FORGED))


@pytest.mark.parametrize(("holds", "violating"), [(False, 0), (True, 1)])
def test_a_verdict_is_believed_before_a_figure(holds: bool, violating: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that says otherwise of the classes that violate the model."""
    _blind(monkeypatch)
    judge = classes.judge

    def doubt(*given: Any) -> Judged:
        return Judged(holds, judge(*given).achieved, violating, violating)

    monkeypatch.setattr(classes, "judge", doubt)
    with pytest.raises(VerificationError, match="its count does not show"):
        sc.anonymize(pandas.DataFrame({"sex": ["m", "m"]}), quasi_identifiers={"sex": "suppress"}, k=2)


@pytest.mark.parametrize("person", [False, True])
def test_k_is_no_less_than_required(person: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    from starcloak.privacy.k_anonymity.model import KAnonymity
    from starcloak.privacy.persons.model import DistinctPersons

    _blind(monkeypatch, KAnonymity, DistinctPersons)
    rows = pandas.DataFrame({"sex": ["m", "m", "f", "f", "f"], "who": ["1", "1", "2", "2", "3"]})
    asked = {"quasi_identifiers": {"sex": "suppress"}, "requirement": {"k": 2}, "person": "who"}
    asked |= {} if person else {"person": None, "requirement": {"k": 3}, "identifiers": ["who"]}
    with pytest.raises(VerificationError, match="its count does not show"):
        sc.run({key: value for key, value in asked.items() if value is not None}, frame=rows)
