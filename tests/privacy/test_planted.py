"""Each privacy model with several bugs at one time: a search that asks for less, and a verifier that says nothing.

What is left is plain Python, which counts the classes of the release.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import pytest

import starcloak as sc
from starcloak.privacy.model import Model
from starcloak.privacy.requirement import Requirement
from starcloak.releases import proposal, publish
from starcloak.verify import invariants
from starcloak.verify.invariants import Clause
from tests.oracle import TREES
from tests.privacy.histograms import MODELS, VALUES, Row, classes_of, frame, job, left_out

#: A bound that asks less of each parameter.
LESS = {"l": 1, "c": 1000, "alpha": 1, "p": 1, "beta": 1000, "enhanced": 0, "delta": 1000, "t": 1}


def table(name: str, seed: int) -> list[Row]:
    """Few rows; of δ-disclosure more, as a class that lacks a value violates it whatever is asked."""
    rows = 60 if name.startswith("delta") else 16
    random = Random(seed)
    leaves = [sorted(tree) for tree in TREES]
    return [(*(random.choice(of) for of in leaves), random.choice(VALUES)) for _ in range(rows)]


def violating_rows(name: str, seed: int) -> int:
    """How many rows of a release are in classes that violate the model; none where there is no release."""
    model, holds = MODELS[name]
    try:
        release = sc.run(job(1, model, {"name": "witness"}), frame=frame(table(name, seed)))
    except sc.RequirementError:
        return 0
    return left_out(classes_of(release), 1, holds)[0]


def looser(model: Model) -> Model:
    """The same model with a bound that asks for less."""
    known = {key: type(getattr(model, key))(value) for key, value in LESS.items() if hasattr(model, key)}
    if model.key == "l_diversity" and "c" in known:
        del known["l"]
    return model.model_copy(update=known)


def weaker(requirement: Requirement) -> Requirement:
    return replace(
        requirement,
        demands=tuple(
            replace(demand, models=tuple(looser(model) for model in demand.models)) for demand in requirement.demands
        ),
    )


def unsaid(clause: Clause, reading: Any) -> Iterator[str]:
    for _ in clause.problems(reading):
        pass
    yield from ()


def plant(patched: pytest.MonkeyPatch) -> None:
    honest = proposal.search
    patched.setattr(proposal, "search", lambda star, asked, *more: honest(star, weaker(asked), *more))
    patched.setattr(publish, "refuse_short", lambda *_: None)
    silent = tuple(Clause(each.name, partial(unsaid, each)) for each in invariants.CLAUSES)
    patched.setattr(invariants, "CLAUSES", silent)


@pytest.mark.sampled(9)
@pytest.mark.parametrize("name", MODELS)
def test_a_search_that_asks_for_less_is_found_by_a_count_in_plain_python(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not violating_rows(name, 0)
    plant(monkeypatch)
    assert any(violating_rows(name, seed) for seed in range(6))
