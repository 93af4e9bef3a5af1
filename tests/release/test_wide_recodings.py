"""The recoding of a release of many columns is kept in time: a join of sixty dimensions is planned over a table."""

from __future__ import annotations

import random
from pathlib import Path

import pandas

from starcloak.commands import pipeline

COLUMNS = [f"answer_{number}" for number in range(60)]


def test_to_keep_the_recoding_of_sixty_columns_takes_no_longer_than_to_verify_it(work: Path) -> None:
    chance = random.Random(1)
    rows = pandas.DataFrame({column: [chance.choice(["yes", "no"]) for _ in range(60)] for column in COLUMNS})
    rows.to_csv("answers.csv", index=False)
    release = pipeline.run(
        {
            "source": {"path": "answers.csv"},
            "quasi_identifiers": dict.fromkeys(COLUMNS, "suppress"),
            "requirement": {"k": 5},
            "algorithm": {"name": "kaca"},
            "output": {"path": "released.csv"},
            "insight": "off",
        },
        joint=False,
    )
    seconds = release.result.seconds
    assert seconds.joint < 5 * seconds.verify
    assert len(release.mapping()) >= 60
