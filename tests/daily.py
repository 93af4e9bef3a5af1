"""Which of many combinations every run of the tests takes: the long tests take the rest."""

from __future__ import annotations

import os
import random
import zlib
from collections.abc import Iterable
from itertools import product
from typing import Any, TypeVar

import pytest

# The number that says which samples are drawn: that of the day, or one that the user gives; or every one.
DRAW, EVERY = "STARCLOAK_DRAW", "every"
Case = TypeVar("Case")
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


def drawn_today(cases: Iterable[Case], *, every: int, name: str = "") -> list[Case]:
    """The part of the cases that the draw takes: one of every so many, but at least one; or all of them.

    In ``every`` draws that follow each other each case is drawn once. The name says the order of the cases.
    """
    draw, left = os.environ.get(DRAW, EVERY), list(cases)
    if draw == EVERY or not left:
        return left
    step = min(every, len(left))
    return random.Random(name).sample(left, len(left))[(int(draw) + zlib.crc32(name.encode())) % step :: step]
