"""Which of many combinations every run of the tests takes: the long tests take the rest."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import product
from typing import Any, TypeVar

import pytest

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


def drawn_today(cases: Iterable[Case], *, every: int) -> list[Case]:
    """The part of a loop's cases that is drawn today: one of every so many, or all of them."""
    draw, of = os.environ.get("STARCLOAK_DRAW", "every"), list(cases)
    return of if draw == "every" else of[int(draw) % every :: every]
