"""Which of many combinations every run of the tests takes: the long tests take the rest."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest

SERVERS = ("postgresql", "mariadb", "sqlite")


def some_daily(*axes: Iterable[Any], each: int) -> list[Any]:
    """All combinations, for ``parametrize``: one of ``each`` is not long, so that every value is in one that is not.

    That holds of two axes where the other has ``each`` values or more; one alone should have values that are alike.
    """
    placed = product(*(enumerate(axis) for axis in axes))
    return [
        pytest.param(
            *(value for _, value in combination),
            marks=[] if sum(place for place, _ in combination) % each == 0 else pytest.mark.long,
        )
        for combination in placed
    ]
