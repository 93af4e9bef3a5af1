"""A table with more dimensions than one statement joins: its release is the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas
import pytest

from starcloak.commands import pipeline
from starcloak.companions.insight import companion
from starcloak.star import working_tables
from starcloak.store.resources import Resources
from starcloak.verify import recount

FRAME = pandas.DataFrame(
    {f"number_{at}": [None if row == at else row * (at + 3) % 7 for row in range(60)] for at in range(5)}, dtype="Int64"
)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"requirement": {"k": 3, "suppression": "0.4"}},
        {"algorithm": {"name": "sweep"}},
        {"algorithm": {"name": "kaca"}, "requirement": {"k": 7}},
        {"quasi_identifiers": {name: {"intervals": [2, 4], "from": 1} for name in FRAME}},
    ],
    ids=["whole", "suppressed", "sweep", "kaca", "from"],
)
def test_a_release_in_parts_is_the_same(more: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, released = tmp_path / "rows.csv", tmp_path / "released.csv"
    FRAME.to_csv(rows, index=False)
    asked = {"quasi_identifiers": {name: {"intervals": [2, 4]} for name in FRAME}, "requirement": {"k": 3}, **more}
    asked |= {"source": {"path": str(rows)}, "output": {"path": str(released)}}
    whole, text = pipeline.run(asked).result, released.read_text()
    monkeypatch.setattr(working_tables, "WIDE", 2)
    for module in (working_tables, recount, companion):
        monkeypatch.setattr(module, "_TOGETHER", 2)
    traced = list[str]()
    result = pipeline.run(asked, force=True, resources=Resources(trace=traced.append)).result
    assert released.read_text() == text and (result.measures, result.insight) == (whole.measures, whole.insight)
    joining = [sql for sql in traced if "coded as materialized" in sql or sql.startswith("-- verify/recount:")]
    assert len(joining) == (2 if "algorithm" in more else 1) and all("part_2" in sql for sql in joining)
