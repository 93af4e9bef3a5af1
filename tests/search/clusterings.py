"""The tables of KACA's papers, and its definitions in plain Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

import pandas
from hypothesis import strategies as st

from starcloak.search.kaca import classes, weights
from starcloak.search.kaca.classes import ClassTables
from starcloak.search.kaca.settings import Kaca
from starcloak.star.star import Star
from starcloak.statements.statement import Name, Statement
from starcloak.store.session import Session
from tests import demands
from tests.oracle import TREES

GENDER = {"tree": {"person": ["male", "female"]}}


POSTCODE = {"digits": 4}


RAW_2006 = [("male", "middle", "4350")] * 2 + [("male", "young", "4351"), ("female", "young", "4352")]


RAW_2008 = [("male", "middle", "4350")] * 3 + [("female", "middle", "4352")] + [("female", "old", "4353")] * 2


PEOPLE = {"gender": "suppress", "age": "suppress", "postcode": POSTCODE}


MARRIED = {"gender": "suppress", "marriage": "suppress"}


TABLE_2 = [(gender, marriage) for gender in ("male", "female") for marriage in ("married", "unmarried")]


TABLE_3 = TABLE_2 + [(gender, marriage) for gender in ("male", "female") for marriage in ("divorced", "widowed")]


EXECUTIONS = ["neighbours", "joins"]


# As if there were too many pairs of classes to look at all.
MANY = 10**12


def described(qis: dict[str, Any], k: int, suppression: str = "0", **algorithm: Any) -> dict[str, Any]:
    return {
        "quasi_identifiers": qis,
        "requirement": {"k": k, "suppression": suppression},
        "algorithm": {"name": "kaca", **algorithm},
        "insight": "off",
    }


def table(qis: dict[str, Any], rows: Sequence[tuple[Any, ...]]) -> pandas.DataFrame:
    return pandas.DataFrame(rows, columns=list(qis), dtype=object)


def rows_of(session: Session, table: Name) -> list[tuple[Any, ...]]:
    return session.run(Statement("store/relation", relation=table))


# The definitions in plain Python. A value is a level and the leaf's path; a class is a tuple of values and its rows.
Path_ = tuple[str, ...]


Value = tuple[int, Path_]


Tuple_ = tuple[Value, ...]


def climbed(height: int, scheme: str = "uniform", beta: int = 1) -> list[Fraction]:
    steps = [Fraction(1, (height + 1 - level) ** beta if scheme == "height" else 1) for level in range(1, height + 1)]
    return [Fraction(0), *(total / sum(steps) for total in accumulate(steps))]


def common(one: Tuple_, other: Tuple_) -> Tuple_:
    """Definition 8."""
    found = []
    for (level_1, path_1), (level_2, path_2) in zip(one, other, strict=True):
        level = max(level_1, level_2)
        while path_1[level] != path_2[level]:
            level += 1
        found.append((level, (None,) * level + path_1[level:]))
    return tuple(found)  # type: ignore[arg-type]


def distortion(low: Tuple_, high: Tuple_) -> Fraction:
    """Definition 6, uniform weights."""
    return sum(
        (
            climbed(len(path) - 1)[up] - climbed(len(path) - 1)[down]
            for (down, path), (up, _) in zip(low, high, strict=True)
        ),
        Fraction(0),
    )


def distance(one: Tuple_, rows: int, other: Tuple_, other_rows: int, k: int | None = None) -> Fraction:
    """Definition 10, and Definition 14 where k is given."""
    if k is not None and rows + other_rows >= 2 * k:
        other_rows = k - rows
    top = common(one, other)
    return rows * distortion(one, top) + other_rows * distortion(other, top)


# Small random tables: three attributes of heights 1, 2 and 3.
ROWS = st.lists(st.tuples(*(st.sampled_from(sorted(tree)) for tree in TREES)), min_size=4, max_size=40)


SEEDS = st.integers(0, 1000)


TUPLES = st.tuples(*(st.sampled_from([(0, path) for path in tree.values()]) for tree in TREES))


GENERALIZED = st.builds(common, TUPLES, TUPLES)


def clustering_of(built: Star, k: int, seed: int, **settings_: Any) -> ClassTables:
    scale = weights.exact(built, Kaca(**settings_).weights, most=k)
    return classes.form(built, scale, levels=(0,) * len(built.dimensions), demand=demands.rows(k), seed=seed)


def read_classes(built: Star, trees: Sequence[Mapping[str, tuple[str, ...]]] = TREES) -> dict[int, tuple[Tuple_, int]]:
    """The classes as the oracle's, by id: any tuple in a class tells its values, at the class's levels."""
    leaves = ", ".join(f"(select level_0 from {d.table.sql()} where code = code_{d.position})" for d in
                       built.dimensions)  # fmt: skip
    levels = ", ".join(f"class.level_{d.position}" for d in built.dimensions)
    found: dict[int, tuple[Any, int]] = {}
    for id, frequency, *cells in built.session.connection.execute(
        f"""
        select class.id, class.frequency, {levels}, {leaves}
        from kaca_shares as share
        join kaca_tuples as tuple using (tuple)
        join kaca_classes as class on class.id = share.class
        """
    ).fetchall():
        values = []
        for level, leaf, tree in zip(cells[: len(trees)], cells[len(trees) :], trees, strict=True):
            values.append((level, (None,) * level + tree[leaf][level:]))
        # Whichever tuple tells, the class is the same.
        assert found.setdefault(id, (tuple(values), frequency)) == (tuple(values), frequency)
    return found
