"""Tables of 16, 24 and 60 quasi-identifiers: what searches keep of them, and that they end."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from benchmarks.local import wide

from starcloak.commands import pipeline

pytestmark = pytest.mark.long


def sixty() -> tuple[pandas.DataFrame, dict[str, Any]]:
    """2,000 rows of twenty answers, twenty categories and twenty numbers, and their hierarchies."""
    random, columns, hierarchies = np.random.default_rng(7), dict[str, Any](), dict[str, Any]()
    for at in range(20):
        columns[f"yes_{at}"] = np.where(random.random(2000) < random.uniform(0.1, 0.9), "yes", "no")
        hierarchies[f"yes_{at}"] = "suppress"
        leaves = [f"{'abc'[leaf % 3]}{leaf}" for leaf in range(random.integers(4, 12))]
        columns[f"category_{at}"] = random.choice(leaves, 2000, p=random.dirichlet(np.ones(len(leaves))))
        hierarchies[f"category_{at}"] = {"tree": {one: [leaf for leaf in leaves if leaf[0] == one] for one in "abc"}}
        columns[f"number_{at}"] = np.clip(random.normal(50, 15, 2000), 0, 99).astype(int)
        hierarchies[f"number_{at}"] = {"intervals": [5, 10, 50]}
    return pandas.DataFrame(columns), hierarchies


@pytest.mark.parametrize("name", ["kaca", "mondrian", "cell-suppression", "full-subtree", "witness", "sweep"])
def test_sixty_columns_end_within_a_minute_of_cpu(name: str) -> None:
    frame, hierarchies = sixty()
    asked = {"quasi_identifiers": hierarchies, "requirement": {"k": 5}, "algorithm": {"name": name}}
    begun = time.process_time()
    result = pipeline.run(asked, frame=frame).result
    assert time.process_time() - begun < 60 and result.k >= 5 and result.released_rows == 2000


@pytest.mark.parametrize(
    ("table", "more", "least"),
    [
        ("creditcard", {"algorithm": {"name": "sweep"}}, 0.625),
        ("mach2019", {"algorithm": {"name": "sweep"}}, 0.711),
        # ARX's heuristics, published: 0.461.
        ("mach2019", {"requirement": {"k": wide.K, "suppression": "0.99"}}, 0.461),
        ("mach2019", {}, 0.29),
    ],
    ids=lambda value: str(value) if isinstance(value, str) else None,
)
def test_what_is_kept_of_two_real_tables(table: str, more: dict[str, Any], least: float, tmp_path: Path) -> None:
    place = wide.folder()
    if place is None:
        pytest.skip(wide.MISSING)
    asked = {**wide.job(place, table), **more, "output": {"path": str(tmp_path / "released.csv")}}
    result = pipeline.run(asked, joint=False).result
    assert result.k >= wide.K and 1 - result.measures.loss >= least
    told = result.search.best_effort
    assert told is None or told.cost == pytest.approx(result.measures.loss)
