"""Labels that stand for several groups of values in a release that mixes levels."""

from __future__ import annotations

from typing import Any

import pandas
import pytest

import starcloak as sc

AGES = pandas.DataFrame({"age": [20, 20, 20, 21, 22, 23, 30, 35, 36, 20, 20, 24], "sex": list("mmmmffffmfff")})


def warned(hierarchy: Any, algorithm: str) -> list[str]:
    kinds = {"age": hierarchy, "sex": "suppress"}
    return sc.anonymize(AGES, quasi_identifiers=kinds, k=2, algorithm={"name": algorithm}).result.warnings


@pytest.mark.parametrize("algorithm", ["sweep", "kaca"])
def test_a_label_of_several_groups_is_told_of_where_levels_are_mixed(algorithm: str) -> None:
    starts = [lambda age: age // 5 * 5, lambda age: age // 20 * 20]
    (warning,) = warned(starts, algorithm)
    assert "hierarchy of 'age': 2 labels stand for several groups of values" in warning
    assert not warned(starts, "witness")  # of one level each
    assert not warned({"intervals": [5, 20]}, algorithm)


def test_a_value_that_reads_as_the_top_is_told_of() -> None:
    frame = pandas.DataFrame({"a": ["*", "*", "b", "c", "d", "d"]})
    kinds = {"a": "suppress"}
    release = sc.anonymize(frame, quasi_identifiers=kinds, k=2, algorithm={"name": "sweep"})
    assert "1 labels stand for several groups" in release.result.warnings[0]


def test_a_leaf_that_repeats_itself_is_one_group() -> None:
    tree = {"tree": {"any": ["20", {"21 or more": ["21", "22", "23", "24", "30", "35", "36"]}]}}
    assert not warned(tree, "sweep")
