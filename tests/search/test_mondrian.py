"""Mondrian against the same cuts in plain Python, and against what its releases must be."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import starcloak as sc
from starcloak.base.errors import HierarchyError, VerificationError
from starcloak.commands import pipeline
from starcloak.star.recoding import local
from tests.oracle import HIERARCHIES, TREES
from tests.search import ranges

Row = tuple[str, ...]

ROWS = st.lists(st.tuples(*(st.sampled_from(sorted(tree)) for tree in TREES)), min_size=4, max_size=60)


def anonymized(qis: dict[str, Any], rows: Sequence[Any], k: int, seed: int = 1, **options: Any) -> sc.Release:
    job = {
        "quasi_identifiers": qis,
        "requirement": {"k": k},
        "algorithm": {"name": "mondrian", **options},
        "seed": seed,
    }
    return pipeline.run(job, frame=pandas.DataFrame(rows, columns=list(qis), dtype=object))


def tuples(release: sc.Release) -> Counter[Row]:
    return Counter(release.to_pandas().itertuples(index=False, name=None))


def common(leaves: Sequence[str], tree: dict[str, Row]) -> int:
    """The level of the closest value that covers leaves."""
    return next(level for level in range(9) if len({tree[leaf][level] for leaf in leaves}) == 1)


def cuts(rows: Sequence[Row]) -> list[tuple[Fraction, int, int]]:
    """The cuts of a region along hierarchies, on the widest attribute first."""
    found = []
    for place, tree in enumerate(TREES):
        leaves = [row[place] for row in rows]
        level = common(leaves, tree)
        under = sum(path[level] == tree[leaves[0]][level] for path in tree.values())
        present = Fraction(under - 1, len(tree) - 1)
        if level:
            found.append((-present, place, level - 1))
    return sorted(found)


def regions(rows: list[Row], k: int) -> list[list[Row]]:
    """Strict Mondrian, by recursion."""
    for _, place, level in cuts(rows):
        sides = defaultdict(list)
        for row in rows:
            sides[TREES[place][row[place]][level]].append(row)
        if all(len(side) >= k for side in sides.values()):
            return [region for side in sides.values() for region in regions(side, k)]
    return [rows]


def shown(region: Sequence[Row]) -> Row:
    return tuple(
        tree[region[0][place]][common([row[place] for row in region], tree)] for place, tree in enumerate(TREES)
    )


@given(ROWS, st.integers(2, 4))
@settings(max_examples=5)
def test_hierarchies_are_cut_as_in_plain_python(rows: list[Row], k: int) -> None:
    # Every leaf of a declared or fixed-length hierarchy counts for its width, so all of them must be there.
    rows = rows + [(one, two, three) for one in "mf" for two in "abcd" for three in TREES[2]]
    release = anonymized(HIERARCHIES, rows, k)
    expected = regions(rows, k)
    assert tuples(release) == sum((Counter({shown(region): len(region)}) for region in expected), Counter())
    done = release.result.search.partitioning
    assert done is not None and done.regions == len(expected)
    assert release.result.recoding.model == "multi-dimension"


NUMBERS = st.lists(
    st.tuples(st.sampled_from([None, *range(12)]), st.sampled_from([0, 1, 2, 50, 100]), st.sampled_from("mf")),
    min_size=4,
    max_size=60,
)
NUMERIC: dict[str, Any] = {"n": "numeric", "m": "numeric", "sex": "suppress"}


def numeric_cuts(rows: list[Any], table: list[Any]) -> list[tuple[Fraction, int]]:
    """The attributes that a region could be cut on, the widest first. A missing value lies beyond all numbers."""
    wide = []
    for place in range(2):
        numbers = [row[place] for row in table if row[place] is not None]
        low, range_ = min(numbers, default=0), max(max(numbers, default=0) - min(numbers, default=0), 1)
        places = {Fraction(2) if row[place] is None else Fraction(row[place] - low, range_) for row in rows}
        if len(places) > 1:
            wide.append((min(places) - max(places), place))
    if len({row[2] for row in rows}) > 1:
        wide.append((Fraction(-1), 2))
    return sorted(wide)


def numeric_regions(rows: list[Any], k: int, table: list[Any]) -> list[list[Any]]:
    """Strict Mondrian on two numeric attributes and one of height 1, by recursion."""
    for _, place in numeric_cuts(rows, table):
        ranked = sorted(rows, key=lambda row: (row[place] is None, row[place]))
        ends = [at for at in range(1, len(rows)) if ranked[at - 1][place] != ranked[at][place]]
        allowable = [at for at in ends if min(at, len(rows) - at) >= k]
        if allowable:
            at = min(allowable, key=lambda at: (abs(2 * at - len(rows)), at))
            return numeric_regions(ranked[:at], k, table) + numeric_regions(ranked[at:], k, table)
    return [rows]


def numeric_tuple(region: list[Any], table: list[Any]) -> tuple[str, ...]:
    cells = []
    for place in range(2):
        numbers = {row[place] for row in region}
        known = {row[place] for row in table}
        whole = "any number" if None in known else "*"
        text = "*" if None in numbers else ranges.label(numbers, known - {None}, whole=whole)
        cells.append(str(numbers.pop()) if len(numbers) == 1 else text)
    sexes = {row[2] for row in region}
    return (*cells, sexes.pop() if len(sexes) == 1 else "*")


@given(NUMBERS, st.integers(2, 4))
@settings(max_examples=5)
def test_numbers_are_cut_as_in_plain_python(rows: list[Any], k: int) -> None:
    texts = [tuple(None if cell is None else str(cell) for cell in row) for row in rows]
    release = anonymized(NUMERIC, texts, k)
    expected = Counter[Any]()
    for region in numeric_regions(rows, k, rows):
        expected[numeric_tuple(region, rows)] += len(region)
    made = release.to_pandas().astype(object)
    assert Counter(made.where(made.notna(), "None").itertuples(index=False, name=None)) == expected


@given(NUMBERS, st.integers(2, 4), st.integers(0, 99))
@settings(max_examples=4)
def test_relaxed_regions_are_halves_and_a_seed_decides(rows: list[Any], k: int, seed: int) -> None:
    """With numbers alone, a region of 2k rows and two numbers is always cut: every other has fewer than 2k."""
    numbers = [row[:2] for row in rows]
    qis = {"n": "numeric", "m": "numeric"}
    release = anonymized(qis, numbers, k, seed, relaxed=True)
    made = release.to_pandas()
    assert release.result.recoding.model == "local"
    sizes = Counter(made.astype(str).itertuples(index=False, name=None))
    assert min(sizes.values()) >= k
    # Two tuples of a region differ, so it could be cut if it had 2k rows: larger classes are of several regions.
    done = release.result.search.partitioning
    assert done is not None and done.regions >= len(sizes)
    for cells, size in sizes.items():
        assert size < 2 * k or not any(str(cell)[0] in "[<>" for cell in cells) or done.regions > len(sizes)
    again = anonymized(qis, numbers[::-1], k, seed, relaxed=True).to_pandas()
    assert list(made.astype(str).itertuples(index=False)) == list(again.astype(str).itertuples(index=False))


def test_a_tuple_may_stand_in_several_regions() -> None:
    """Five times one value cannot be cut strictly; relaxed, three rows go to one side of it."""
    rows = [(1,), (2,), (3,), (3,), (3,), (3,), (3,), (4,)]
    assert tuples(anonymized({"n": "numeric"}, rows, 4)) == {("*",): 8}
    assert tuples(anonymized({"n": "numeric"}, rows, 4, relaxed=True)) == {("< 4",): 4, (">= 3",): 4}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("forged", "message"),
    [
        ("< 25", "do not contain the numbers"),
        ("[15, 25)", "do not contain the numbers"),
        ("[5, 30)", "belong to none of its levels"),  # all numbers are on one side of 5
        ("< 45", "belong to none of its levels"),
        ("[30, 10)", "belong to none of its levels"),
        ("[0, 30]", "belong to none of its levels"),
        ("< 40", "belong to none of its levels"),  # somebody's own number
        (">= 10", "belong to none of its levels"),
        ("[20, 30)", "belong to none of its levels"),
        ("< 4e1", "belong to none of its levels"),
        ("young", "belong to none of its levels"),
    ],
)
def test_the_verifier_reads_ranges_itself(forged: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that gives rows the wrong range is caught, though recoding and release agree."""
    honest = local.recode

    def lying(star: Any, **options: Any) -> Any:
        star.session.connection.execute(f"update recoding set text_1 = '{forged}'")
        return honest(star, **options)

    monkeypatch.setattr(local, "recode", lying)
    with pytest.raises(VerificationError, match=message):
        anonymized({"n": "numeric"}, [(10,), (20,), (30,), (40,)], 3)


def test_no_range_tells_what_one_person_earns() -> None:
    """Neither the highest income of all is in the release, nor any other: ends lie between them, and are round."""
    incomes = [(income,) for income in (1000, 1100, 1200, 90000, 91000, 2500000)]
    assert tuples(anonymized({"income": "numeric"}, incomes, 3)) == {("< 50000",): 3, (">= 50000",): 3}
    assert tuples(anonymized({"income": "numeric"}, [*incomes, (1300,), (2000000,)], 2)) == {
        ("< 1150",): 2,
        ("[1150, 50000)",): 2,
        ("[50000, 1000000)",): 2,
        (">= 1000000",): 2,
    }


DECIMALS = st.decimals(min_value=-1000, max_value=1000, places=2)


@given(st.lists(st.one_of(st.integers(-30, 30).map(Decimal), DECIMALS), min_size=2, max_size=12, unique=True))
@settings(max_examples=15)
def test_ends_are_the_roundest_numbers_between_neighbours(numbers: list[Decimal]) -> None:
    known = sorted(numbers)
    release = anonymized({"n": "numeric"}, [(f"{number:f}",) for number in known], 2)
    made = [cell for cell, *_ in release.to_pandas().itertuples(index=False, name=None)]
    exact = {f"{number:f}" for number in known} | {f"{number.normalize():f}" for number in known}
    every = {
        ranges.label(known[first:last], known)
        for first in range(len(known))
        for last in range(first + 1, len(known) + 1)
    }
    assert set(made) <= every
    unit = Decimal(1) if all(number == int(number) for number in known) else Decimal("0.01")
    gaps = [after - before for before, after in pairwise(known)]
    if min(gaps) > unit:
        assert not {end for cell in made for end in re.findall(r"[-0-9.]+", cell)} & exact


def test_the_last_attribute_is_tried_where_no_other_can_be_cut() -> None:
    """The first would leave b alone; by the second two rows come on either side."""
    rows = pandas.DataFrame([("a", "m"), ("b", "m"), ("a", "f"), ("a", "f")], columns=["z", "s"])
    job = {"quasi_identifiers": {"z": "suppress", "s": "suppress"}, "requirement": {"k": 2}}
    release = sc.run({**job, "algorithm": {"name": "mondrian"}}, frame=rows)
    assert Counter(release.to_pandas().itertuples(index=False, name=None)) == {("*", "m"): 2, ("a", "f"): 2}


def test_numbers_may_be_as_far_apart_as_they_are_large() -> None:
    nines = "9" * 20
    rows = [(text,) for text in (f"-{nines}", "1", "2", nines)]
    assert tuples(anonymized({"n": "numeric"}, rows, 2)) == {("< 2",): 2, (">= 2",): 2}


def test_measures_of_ranges() -> None:
    """A range of 2 of 5 numbers covers one of the other four: a quarter of the step to the root."""
    release = anonymized({"n": "numeric"}, [(1,), (2,), (3,), (4,), (100,)] * 2, 4)
    assert tuples(release) == {("< 3",): 4, (">= 3",): 6}
    measured = release.measures
    assert measured.loss == measured.distortion_ratio == pytest.approx((4 * 1 / 4 + 6 * 2 / 4) / 10)
    assert measured.precision == pytest.approx(1 - measured.loss)
    assert measured.modification_rate == 1


def test_a_script_carries_ranges(tmp_path: Path) -> None:
    release = anonymized({"n": "numeric"}, [(1,), (2,), (3,), (4,)], 2)
    assert "'< 3'" in release.sql() and "'>= 3'" in release.sql()


def test_the_number_of_statements_does_not_grow_with_the_regions() -> None:
    """Ten times the rows: ten times the regions, and a few more rounds of as many statements each."""
    hierarchies = {name: {"digits": 4} for name in "abc"}
    done = []
    for count in (400, 4000):
        rows = [tuple(f"{(at * step) % 9973:04d}" for step in (13, 577, 7919)) for at in range(count)]
        found = anonymized(hierarchies, rows, 3).result.search.partitioning
        assert found is not None
        done.append(found)
    few, many = done
    assert many.regions > 5 * few.regions
    assert many.statements < 2 * few.statements
    assert all((found.statements - 30) / found.rounds < 9 for found in done)


def test_a_tree_too_deep_is_refused() -> None:
    """Paths are whole numbers of at most 127 bits; those of more than 63 work."""
    deep = [(f"{digit * 10**place:064d}",) for place in range(64) for digit in range(2)]
    assert tuples(anonymized({"one": {"digits": 64}}, deep, 1)) == Counter(deep)
    broad = [(f"{digit * 10**place:064d}",) for place in range(64) for digit in range(5)]
    with pytest.raises(HierarchyError, match="too many levels"):
        anonymized({"one": {"digits": 64}}, broad, 1)
