"""The dimension table of a hierarchy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas
import pytest

from starcloak.star.star import Star


@pytest.fixture
def dimension(star_of: Callable[..., Star]) -> Callable[..., list[tuple[Any, ...]]]:
    """The levels of each leaf, as the dimension table has them."""

    def build(hierarchy: Any, values: list[Any], dtype: Any = None) -> list[tuple[Any, ...]]:
        frame = pandas.DataFrame({"x": pandas.Series(values, dtype=dtype)})
        star = star_of({"quasi_identifiers": {"x": hierarchy}, "requirement": {"k": 1}}, frame)
        levels = ", ".join(f"level_{level}" for level in range(star.heights[0] + 1))
        sql = f"select {levels} from dimension_x order by level_0"
        return star.session.connection.execute(sql).fetchall()

    return build
