"""Draws of samples: each case has its turn, and the draw alone says which."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.daily import DRAW, EVERY, drawn_today


@pytest.mark.parametrize(("many", "every"), [(1, 3), (2, 3), (9, 3), (10, 4), (7, 1)])
def test_each_case_is_drawn_once_in_so_many_days_and_one_on_each(
    many: int, every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: Counter[int] = Counter()
    for draw in range(739_949, 739_949 + min(many, every)):
        monkeypatch.setenv(DRAW, str(draw))
        drawn = drawn_today(range(many), every=every, name="cases")
        assert drawn and drawn == drawn_today(range(many), every=every, name="cases")
        seen.update(drawn)
    assert seen == Counter(range(many))
    monkeypatch.setenv(DRAW, EVERY)
    assert drawn_today(range(many), every=every) == [*range(many)]
