"""Every search's release, counted again in plain Python, which asks neither the search nor the verifier."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pandas
import pytest

import starcloak as sc
from starcloak.commands.algorithm_table import algorithms
from starcloak.privacy.requirement import Requirement
from starcloak.releases import proposal, publish
from starcloak.verify import invariants
from starcloak.verify.invariants import Clause
from tests.daily import some_daily
from tests.oracle import HIERARCHIES, TREES

ROWS, K, L = 60, 3, 3
NAMES = list(HIERARCHIES)
#: What is required, by a name: its part of a job, and the quasi-identifiers that have to have k.
REQUIRED: dict[str, tuple[dict[str, Any], list[list[str]]]] = {
    "k": ({"k": K}, [NAMES]),
    "suppression": ({"k": K, "suppression": "0.2"}, [NAMES]),
    "l": ({"k": 1, "l_diversity": [{"attribute": "ill", "l": L}]}, [NAMES]),
    "qids": (
        {"qids": [{"attributes": NAMES[:2], "k": K}, {"attributes": NAMES[1:], "k": K}]},
        [NAMES[:2], NAMES[1:]],
    ),
    "persons": ({"k": K}, [NAMES]),
}
OMITTED = {(each.name, "qids") for each in algorithms() if not each.several_qids} | {("tdr", "suppression")}
CASES = [
    case
    for case in some_daily([each.name for each in algorithms()], REQUIRED, each=3)
    if tuple(case.values) not in OMITTED
]


def table(seed: int) -> pandas.DataFrame:
    """Rows of which some combinations are rare, and some have two ills alone; two rows are of each person."""
    random = Random(seed)
    leaves = [sorted(tree) for tree in TREES]
    rows = [[of[int(len(of) * random.random() ** 2)] for of in leaves] for _ in range(ROWS)]
    ills = [random.choice(["flu", "cold", *(["asthma", "gout", None] if row[1] > "b" else [])]) for row in rows]
    made = pandas.DataFrame(rows, columns=NAMES, dtype=object)
    return made.assign(ill=ills, number=[str(at) for at in range(ROWS)], whose=[str(at // 2) for at in range(ROWS)])


def released(name: str, required: str, seed: int) -> sc.Release:
    algorithm = {"name": name, **({"class": "ill"} if name == "tdr" else {})}
    return sc.anonymize(
        table(seed),
        quasi_identifiers=HIERARCHIES,
        sensitive=["ill"],
        keep=["number"],
        algorithm=algorithm,
        insight="off",
        **({"person": "whose"} if required == "persons" else {"identifiers": ["whose"]}),
        **REQUIRED[required][0],
    )


def recount(name: str, required: str, seed: int) -> None:
    """Count a release again: by whom each row is, in classes of what is read in it."""
    source = {row["number"]: row for row in table(seed).to_dict("records")}
    release = released(name, required, seed)
    rows = release.to_pandas().to_dict("records")
    numbers = [row["number"] for row in rows]
    assert len(set(numbers)) == len(numbers) and set(numbers) <= set(source)
    asked, qids = REQUIRED[required]
    left_out = ROWS - len(rows)
    assert left_out == release.result.suppressed_rows <= Fraction(asked.get("suppression", "0")) * ROWS
    for row in rows:
        before = source[row["number"]]
        assert row["ill"] == before["ill"] or (pandas.isna(row["ill"]) and pandas.isna(before["ill"]))
        for column, tree in zip(NAMES, TREES, strict=True):
            assert row[column] in tree[before[column]], (column, row[column], before[column])
    for qid in qids:
        classes: dict[Any, list[Any]] = defaultdict(list)
        for row in rows:
            classes[tuple(row[column] for column in qid)].append(row)
        counted = [
            len({source[row["number"]]["whose"] if required == "persons" else row["number"] for row in of})
            for of in classes.values()
        ]
        assert min(counted) >= asked.get("k", K)
        if len(qid) == len(NAMES):
            assert release.k == min(counted)
        if required == "l":
            assert min(len({row["ill"] for row in of} - {None}) for of in classes.values()) >= L


@pytest.mark.sampled(9)
@pytest.mark.parametrize(("name", "required"), CASES)
def test_a_release_is_what_plain_python_counts(name: str, required: str) -> None:
    recount(name, required, 0)


# ----------------------------------------------------------------------------------------------- two bugs at one time


def weaker(requirement: Requirement) -> Requirement:
    """The same requirement with one row, person or value less."""
    return replace(
        requirement,
        demands=tuple(
            replace(
                demand,
                models=tuple(
                    model.model_copy(update={key: getattr(model, key) - 1 for key in ("k", "l") if hasattr(model, key)})
                    for model in demand.models
                ),
            )
            for demand in requirement.demands
        ),
    )


def plant(patched: pytest.MonkeyPatch) -> None:
    """Searches that ask for one row less, a verifier that says nothing, and no look at what was achieved."""
    honest = proposal.search
    patched.setattr(proposal, "search", lambda star, asked, *more: honest(star, weaker(asked), *more))
    patched.setattr(publish, "refuse_short", lambda *_: None)
    patched.setattr(invariants, "CLAUSES", tuple(Clause(each.name, silent(each)) for each in invariants.CLAUSES))


def silent(clause: Clause) -> Callable[[Any], Iterator[str]]:
    def nothing(reading: Any) -> Iterator[str]:
        for _ in clause.problems(reading):
            pass
        yield from ()

    return nothing


@pytest.mark.sampled(9)
@pytest.mark.parametrize(("name", "required"), CASES)
def test_a_search_that_asks_for_less_is_found_also_where_the_verifier_says_nothing(
    name: str, required: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    with pytest.raises(AssertionError):
        for seed in range(4):
            recount(name, required, seed)
