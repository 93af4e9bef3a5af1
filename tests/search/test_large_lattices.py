"""Lattices that are too large for an algorithm are refused as soon as the heights of hierarchies are known."""

from __future__ import annotations

from typing import Any

import pandas
import pytest

import starcloak as sc
from starcloak.base.errors import JobError
from starcloak.job.algorithms import DEFAULT, LARGEST_NUMBERED, LARGEST_SEARCHED, algorithms
from starcloak.star import star_builder

COLUMNS = [f"c{number}" for number in range(70)]
ROWS = pandas.DataFrame([[str((row + at) % 2) for at in range(70)] for row in range(8)], columns=COLUMNS)
WITH_LATTICES = sorted(
    name
    for name, kind in algorithms().items()
    if kind.about.recoding_model in ("full-domain", "attribute suppression") and name != DEFAULT
)


def job(algorithm: str, columns: int) -> dict[str, Any]:
    kept = COLUMNS[:columns]
    return {
        "quasi_identifiers": dict.fromkeys(kept, "suppress"),
        "requirement": {"k": 2},
        "algorithm": {"name": algorithm},
        "insight": "off",
    }


@pytest.mark.sampled(2)
@pytest.mark.parametrize("algorithm", WITH_LATTICES)
def test_a_lattice_that_is_too_large_is_refused_before_the_star_is_built(
    algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(star_builder, "_star", lambda *_, **__: pytest.fail("the star is built"))
    with pytest.raises(JobError, match=r"the lattice of the 70 quasi-identifiers has [\d,]+ nodes, more than"):
        sc.run(job(algorithm, 70), frame=ROWS)


def test_each_algorithm_says_which_lattices_it_takes() -> None:
    declared = {name: algorithms()[name].supports.largest_lattice for name in WITH_LATTICES}
    assert declared.pop("datafly") == LARGEST_NUMBERED
    assert set(declared.values()) == {LARGEST_SEARCHED}


def test_a_greedy_search_takes_lattices_that_others_do_not() -> None:
    assert sc.run(job("datafly", 40), frame=ROWS[COLUMNS[:40]]).k == 4
