"""The recoding of a release of many columns is kept in time: a join of many dimensions is planned over a table."""

from __future__ import annotations

import random
from pathlib import Path

import pandas
import pytest

from starcloak.commands import pipeline


@pytest.mark.parametrize("many", [24, pytest.param(60, marks=pytest.mark.long)])
def test_to_keep_the_recoding_of_many_columns_takes_no_longer_than_to_verify_it(work: Path, many: int) -> None:
    columns = [f"answer_{number}" for number in range(many)]
    chance = random.Random(1)
    rows = pandas.DataFrame({column: [chance.choice(["yes", "no"]) for _ in range(60)] for column in columns})
    rows.to_csv("answers.csv", index=False)
    release = pipeline.run(
        {
            "source": {"path": "answers.csv"},
            "quasi_identifiers": dict.fromkeys(columns, "suppress"),
            "requirement": {"k": 5},
            "algorithm": {"name": "kaca"},
            "output": {"path": "released.csv"},
            "insight": "off",
        },
        joint=False,
    )
    seconds = release.result.seconds
    assert seconds.joint < 5 * seconds.verify
    assert len(release.mapping()) >= many
