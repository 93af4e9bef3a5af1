"""Columns whose names differ in case alone: each of them can be meant."""

from __future__ import annotations

from pathlib import Path

import starcloak as sc


def test_a_column_that_differs_from_an_earlier_one_in_case_is_renamed_by_its_own_name(work: Path) -> None:
    Path("people.csv").write_text("A,a,b,b\n" + "1,2,3,4\n" * 4)
    described = {
        "source": {"path": "people.csv", "rename": {"a": "second", "b_2": "fourth"}},
        "quasi_identifiers": {"A": "suppress"},
        "keep": ["second", "b", "fourth"],
        "requirement": {"k": 2},
    }
    made = sc.run(described).to_pandas()
    assert made[["second", "b", "fourth"]].iloc[0].tolist() == ["2", "3", "4"]
