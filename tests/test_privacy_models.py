"""Every privacy model beside distinct l-diversity: vectors, an oracle in plain Python, every search, every verifier."""

from __future__ import annotations

import ast
import json
from collections import Counter, defaultdict
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.people import TYPES, Server, client, released, run, scripted
from tests.people import job as people_job
from tests.people import people as everybody

import starcloak as sc
from oracle import HIERARCHIES, TREES, Oracle
from starcloak import pipeline
from starcloak.errors import RequirementError, VerificationError
from starcloak.job import load_requirement
from starcloak.privacy.carried import Domain
from starcloak.privacy.entropy_l.recount import holds as entropy_holds
from starcloak.privacy.groups import Grouped, Pairs
from starcloak.privacy.model import Model, every
from starcloak.search.algorithm import algorithms
from starcloak.statement import Statement

Row = tuple[Any, ...]
Histogram = dict[Any, int]

VALUES = ["flu", "cough", "ache", None]
ROWS = st.lists(
    st.tuples(*(st.sampled_from(sorted(tree)) for tree in TREES), st.sampled_from(VALUES)), min_size=2, max_size=30
)

# ---------------------------------------------------------------- an oracle: what a class must have, in exact numbers


def entropy(l: str) -> Callable[[Histogram, Histogram], bool]:  # noqa: E741
    def holds(counts: Histogram, table: Histogram) -> bool:
        least, size, product_ = Fraction(l), sum(counts.values()), 1
        for count in counts.values():
            product_ *= count**count
        return bool(product_ * least.numerator**size <= size**size * least.denominator**size)

    return holds


def recursive(c: str, l: int) -> Callable[[Histogram, Histogram], bool]:  # noqa: E741
    def holds(counts: Histogram, table: Histogram) -> bool:
        ordered = sorted(counts.values(), reverse=True)
        return bool(ordered[0] < Fraction(c) * sum(ordered[l - 1 :]))

    return holds


def alpha(share: str, values: tuple[Any, ...] | None = None) -> Callable[[Histogram, Histogram], bool]:
    def holds(counts: Histogram, table: Histogram) -> bool:
        return all(
            Fraction(rows, sum(counts.values())) <= Fraction(share)
            for value, rows in counts.items()
            if values is None or value in values
        )

    return holds


def p_sensitive(least: int) -> Callable[[Histogram, Histogram], bool]:
    return lambda counts, table: sum(rows > 0 and value is not None for value, rows in counts.items()) >= least


def shares(counts: Histogram, table: Histogram) -> list[tuple[Fraction, Fraction]]:
    """The share of every value of the table here, and there."""
    here, there = sum(counts.values()), sum(table.values())
    return [(Fraction(counts.get(value, 0), here), Fraction(rows, there)) for value, rows in table.items() if rows]


def logarithm(number: Fraction) -> Decimal:
    with localcontext(prec=60):
        return Decimal(number.numerator).ln() - Decimal(number.denominator).ln()


def beta(gain: str, *, enhanced: bool = False) -> Callable[[Histogram, Histogram], bool]:
    def holds(counts: Histogram, table: Histogram) -> bool:
        for here, there in shares(counts, table):
            found = (here - there) / there
            if found > Fraction(gain):
                return False
            with localcontext(prec=60):
                if enhanced and found > 0 and Decimal(found.numerator) / found.denominator > -logarithm(there):
                    return False
        return True

    return holds


def delta(power: str) -> Callable[[Histogram, Histogram], bool]:
    """Raised to the denominator of the power, both sides are whole numbers."""
    exact = Fraction(power)

    def holds(counts: Histogram, table: Histogram) -> bool:
        ratios = [here / there for here, there in shares(counts, table)]
        return all(ratio and max(ratio, 1 / ratio) ** exact.denominator < 2**exact.numerator for ratio in ratios)

    return holds


def distances(counts: Histogram, table: Histogram) -> dict[Any, Fraction]:
    """How much larger the share of every value of the table is here than there."""
    here, there = sum(counts.values()), sum(table.values())
    return {v: Fraction(counts.get(v, 0), here) - Fraction(rows, there) for v, rows in table.items() if rows}


def equal(most: str) -> Callable[[Histogram, Histogram], bool]:
    return lambda counts, table: sum(max(e, 0) for e in distances(counts, table).values()) <= Fraction(most)


ORDER = ["flu", None, "cough", "ache"]


def ordered(most: str, order: list[Any] = ORDER) -> Callable[[Histogram, Histogram], bool]:
    def holds(counts: Histogram, table: Histogram) -> bool:
        extra = distances(counts, table)
        known = [value for value in order if value in extra]
        moved = sum(abs(sum(extra[value] for value in known[: place + 1])) for place in range(len(known)))
        return len(known) < 2 or Fraction(moved) / (len(known) - 1) <= Fraction(most)

    return holds


ILLNESSES: dict[str, Any] = {"cold": ["flu", "cough"], "other": {"pain": ["ache"], "none": [None]}}
LINES = {  # a leaf nearer the top repeats itself below its parent
    "flu": ("flu", "cold", "*"),
    "cough": ("cough", "cold", "*"),
    "ache": ("pain", "other", "*"),
    None: ("none", "other", "*"),
}


def hierarchical(most: str, lines: dict[Any, tuple[str, ...]] = LINES) -> Callable[[Histogram, Histogram], bool]:
    """As the paper says it: what is moved in each node is the smaller of what is too much and too little beneath."""

    def holds(counts: Histogram, table: Histogram) -> bool:
        extra, height, cost = distances(counts, table), len(next(iter(lines.values()))), Fraction(0)
        full = {value: (value, *lines[value]) for value in extra}
        for level in range(1, height + 1):
            for node in {line[level:] for line in full.values()}:
                children: dict[Any, Fraction] = defaultdict(Fraction)
                for value, line in full.items():
                    if line[level:] == node:
                        children[line[level - 1 :]] += extra[value]
                more = sum(max(e, Fraction(0)) for e in children.values())
                less = sum(max(-e, Fraction(0)) for e in children.values())
                cost += Fraction(level, height) * min(more, less)
        return cost <= Fraction(most)

    return holds


def of(key: str, **parameters: Any) -> dict[str, Any]:
    return {key: [{"attribute": "disease", **parameters}]}


MODELS: dict[str, tuple[dict[str, Any], Callable[[Histogram, Histogram], bool]]] = {
    "entropy 2": ({"l_diversity": [{"kind": "entropy", "attribute": "disease", "l": "2"}]}, entropy("2")),
    "entropy 1.5": ({"l_diversity": [{"kind": "entropy", "attribute": "disease", "l": "1.5"}]}, entropy("1.5")),
    "recursive": (
        {"l_diversity": [{"kind": "recursive", "attribute": "disease", "l": 2, "c": "2"}]},
        recursive("2", 2),
    ),
    "recursive 1.1": (
        {"l_diversity": [{"kind": "recursive", "attribute": "disease", "l": 2, "c": "1.1"}]},
        recursive("1.1", 2),
    ),
    "alpha": (of("alpha", alpha="0.5"), alpha("0.5")),
    "alpha of one": (of("alpha", alpha="0.25", values=["flu"]), alpha("0.25", ("flu",))),
    "p-sensitive": (of("p_sensitive", p=2), p_sensitive(2)),
    "beta": (of("beta_likeness", beta="0.5"), beta("0.5")),
    "enhanced beta": (of("beta_likeness", beta="5", enhanced=True), beta("5", enhanced=True)),
    "delta": (of("delta_disclosure", delta="1"), delta("1")),
    "equal": (of("t_closeness", t="0.25"), equal("0.25")),
    "ordered": (of("t_closeness", t="0.25", distance="ordered", order=ORDER), ordered("0.25")),
    "hierarchical": (
        of("t_closeness", t="0.25", distance="hierarchical", hierarchy={"tree": ILLNESSES}),
        hierarchical("0.25"),
    ),
    "delta 1.5": (of("delta_disclosure", delta="1.5"), delta("1.5")),
}


# Every model with every algorithm: each of both in the quick ones, too.
PAIRS = [
    pytest.param(name, algorithm, marks=[] if (place + at) % 5 == 0 else pytest.mark.long)
    for place, name in enumerate(MODELS)
    for at, algorithm in enumerate(algorithms())
]


def frame(rows: list[Row]) -> pandas.DataFrame:
    return pandas.DataFrame(rows, columns=["one", "two", "three", "disease"], dtype=object)


def job(k: int, model: dict[str, Any], algorithm: dict[str, Any], **more: Any) -> dict[str, Any]:
    requirement = {"k": k, **model, **more}
    described = {"quasi_identifiers": HIERARCHIES, "sensitive": ["disease"], "requirement": requirement}
    return {**described, "algorithm": algorithm}


def histograms(rows: list[Row], node: tuple[int, ...]) -> dict[Row, Histogram]:
    found: dict[Row, Histogram] = defaultdict(Counter)
    for *leaves, value in rows:
        group = tuple(tree[leaf][level] for tree, leaf, level in zip(TREES, leaves, node, strict=True))
        found[group][value] += 1
    return dict(found)


def left_out(
    found: dict[Row, Histogram], k: int, holds: Callable[[Histogram, Histogram], bool]
) -> tuple[int, dict[Row, Histogram]]:
    """How many rows fall out until nothing more does, and what stays."""
    kept, rows = dict(found), sum(sum(counts.values()) for counts in found.values())
    while True:
        table: Histogram = Counter()
        for counts in kept.values():
            table.update(counts)
        stay = {key: c for key, c in kept.items() if sum(c.values()) >= k and holds(c, table)}
        if len(stay) == len(kept):
            return rows - sum(sum(counts.values()) for counts in kept.values()), kept
        kept = stay


def classes_of(release: Any) -> dict[Row, Histogram]:
    found: dict[Row, Histogram] = defaultdict(Counter)
    for *cells, value in release.to_pandas().values:
        found[tuple(map(str, cells))][None if pandas.isna(value) else value] += 1
    return dict(found)


def nodes() -> list[tuple[int, ...]]:
    heights = [len(next(iter(tree.values()))) - 1 for tree in TREES]
    return list(product(*(range(height + 1) for height in heights)))


def lowest(satisfying: set[tuple[int, ...]]) -> set[tuple[int, ...]]:
    """Those beneath which no other satisfies at all."""
    return {
        node
        for node in satisfying
        if not any(other != node and all(map(int.__le__, other, node)) for other in satisfying)
    }


COMPLETE: list[dict[str, Any]] = [
    {"name": "witness"},
    {"name": "bottom-up"},
    {"name": "incognito", "variant": "basic"},
    {"name": "incognito", "variant": "cube"},
]


@pytest.mark.parametrize("name", MODELS)
@given(rows=ROWS, k=st.integers(1, 3), share=st.sampled_from(["0", "0.1", "0.3"]))
@settings(max_examples=4)
def test_complete_searches_find_all_that_satisfy(name: str, rows: list[Row], k: int, share: str) -> None:
    model, holds = MODELS[name]
    allowed = int(Fraction(share) * len(rows))
    whole = histograms(rows, nodes()[-1])
    hopeless = bool(left_out(whole, k, holds)[0])
    expected = {node for node in nodes() if left_out(histograms(rows, node), k, holds)[0] <= allowed}
    for algorithm in COMPLETE:
        asked = job(k, model, algorithm, suppression=share)
        if hopeless or not expected:
            with pytest.raises((RequirementError, sc.InputError)):
                pipeline.run(asked, frame=frame(rows))
            continue
        release = pipeline.run(asked, frame=frame(rows))
        found = release.result.search
        assert found.anonymous_nodes == len(expected), algorithm
        assert {tuple(node) for node in found.minimal} == lowest(expected), algorithm
        node = tuple(release.result.recoding.levels.values())
        assert node in expected
        _, kept = left_out(histograms(rows, node), k, holds)
        assert Counter(
            {tuple(map(str, key)): tuple(sorted(map(str, c.items()))) for key, c in kept.items()}
        ) == Counter({key: tuple(sorted(map(str, c.items()))) for key, c in classes_of(release).items()})


@pytest.mark.parametrize("name", MODELS)
def test_a_release_into_a_database_of_duckdb_is_counted_in_its_transaction(name: str, tmp_path: Path) -> None:
    """There the verifier may write to temporary tables alone."""
    leaves = [sorted(tree, key=str)[0] for tree in TREES]
    rows = frame([(*leaves, value) for value in ("flu", "cough", "ache", "cough", "ache")])
    with duckdb.connect(str(tmp_path / "hospital.duckdb")) as connection:
        connection.execute("create table people as from rows")
    place = {"source": {"url": f"duckdb:///{tmp_path / 'hospital.duckdb'}", "table": "people"}}
    asked = {**job(1, MODELS[name][0], {"name": "witness"}), **place, "output": {"table": "released"}}
    assert pipeline.run(asked).result.released_rows == len(rows)


@pytest.mark.parametrize(("name", "algorithm"), PAIRS)
@given(rows=ROWS, k=st.integers(1, 3), share=st.sampled_from(["0", "0.2"]))
@settings(max_examples=2)
def test_every_search_satisfies(algorithm: str, name: str, rows: list[Row], k: int, share: str) -> None:
    model, holds = MODELS[name]
    described: dict[str, Any] = {"name": algorithm, **({"class": "disease"} if algorithm == "tdr" else {})}
    moving = name.startswith(("beta", "enhanced", "delta", "equal", "ordered", "hierarchical"))
    more = {} if algorithm == "tdr" or (moving and algorithm in ("datafly", "samarati")) else {"suppression": share}
    if left_out(histograms(rows, nodes()[-1]), k, holds)[0]:
        with pytest.raises((RequirementError, sc.InputError)):
            pipeline.run(job(k, model, described, **more), frame=frame(rows))
        return
    release = pipeline.run(job(k, model, described, **more), frame=frame(rows))
    classes = classes_of(release)
    out, _ = left_out(classes, k, holds)
    assert not out
    assert sum(sum(each.values()) for each in classes.values()) == len(rows) - release.result.suppressed_rows


@pytest.mark.parametrize("name", MODELS)
@given(rows=ROWS, k=st.integers(1, 3))
@settings(max_examples=10)
def test_the_gate_says_what_the_oracle_says(name: str, rows: list[Row], k: int) -> None:
    model, holds = MODELS[name]
    verdict = sc.check(frame(rows), ["one", "three"], k, **model)
    classes: dict[Row, Histogram] = defaultdict(Counter)
    for one, _, three, value in rows:
        classes[one, three][value] += 1
    table = Counter(value for *_, value in rows)
    violating = [counts for counts in classes.values() if not holds(counts, table)]
    (told,) = verdict.qids[0].models
    assert told.holds == (not violating)
    for found, count in (
        (told.violating_classes, len(violating)),
        (told.violating_rows, sum(sum(each.values()) for each in violating)),
    ):
        assert found == (None if 0 < count < k else count)


def bound(model: dict[str, Any], table: list[int]) -> Model:
    (found,) = load_requirement({"k": 1, **model}).models
    texts = ("flu", "cough", "ache")
    trees = {name: tuple((text, *LINES[text]) for text in texts) for name in found.hierarchies}
    return found.over(Domain("disease", tuple(table), texts=texts, trees=trees))


def grouped(groups: list[list[int]]) -> Grouped:
    counts = np.array(groups)
    of, value = np.nonzero(counts)
    return Grouped(counts.sum(axis=1), {"disease": Pairs(of, value, counts.shape[1], counts[of, value])})


@pytest.mark.parametrize("name", MODELS)
def test_arrays_sql_and_the_verifier_give_the_same_verdict_as_fractions(name: str) -> None:
    """Over random histograms, ties among them; the SQL is that of the searches."""
    model, holds = MODELS[name]
    random = np.random.default_rng(sum(map(ord, name)))
    groups = random.integers(0, 4, (2000, 3)) * random.choice([1, 1, 3], (2000, 1))
    groups = groups[groups.sum(axis=1) > 0]
    table = groups.sum(axis=0)
    known = bound(model, table.tolist())
    expected = [
        not holds(
            {value: int(count) for value, count in zip(VALUES, group, strict=False) if count},
            dict(zip(VALUES, table.tolist(), strict=False)),
        )
        for group in groups
    ]
    assert known.violates(grouped(groups.tolist())).tolist() == expected
    if known.superset_closed:  # tests/test_privacy.py has it
        return
    shape = {f"disease_{code}_rows": groups[:, code] for code in range(3)}
    rows = pandas.DataFrame({"place": range(len(groups)), "frequency": groups.sum(axis=1), **shape})
    with duckdb.connect() as connection:
        connection.register("rows", rows)
        told = connection.execute(f"select {known.violating.sql()} from rows order by place").fetchall()
    assert [bool(violated) for (violated,) in told] == expected


@pytest.mark.parametrize("name", MODELS)
def test_what_is_declared_monotone_is(name: str) -> None:
    """Two groups that satisfy it are one that does; and where a superset need not, there is one that does not."""
    model, _ = MODELS[name]
    random = np.random.default_rng(len(name))
    parts = random.integers(0, 4, (2, 20_000, 3)) * random.integers(0, 9, (2, 20_000, 3))
    parts = parts[:, (parts.sum(axis=2) > 0).all(axis=0)]
    known = bound(model, parts.sum(axis=(0, 1)).tolist())
    one, other, both = (known.violates(grouped(each.tolist())) for each in (parts[0], parts[1], parts[0] + parts[1]))
    assert known.monotone and not (both & ~one & ~other).any()
    assert (both & (~one | ~other)).any() != known.superset_closed


PATIENTS = ["HD", "HD", "VI", "VI", "C", "HD", "VI", "VI", "C", "C", "C", "C"]
FIRST = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]
SECOND = [[1, 4, 9, 10], [5, 6, 7, 8], [2, 3, 11, 12]]


def achieved(classes: list[list[int]], **model: Any) -> list[float | None]:
    """What each class has, by the verifier: one table for each class would change what it is compared with."""
    table = pandas.DataFrame(
        [(number, PATIENTS[row - 1]) for number, rows in enumerate(classes) for row in rows], columns=["zip", "disease"]
    )
    found = []
    for number in range(len(classes)):
        (qid,) = sc.check(table[table["zip"] == number], ["zip"], 1, **model).qids
        found.append(qid.models[0].achieved)
    return found


SALARIES = [3, 4, 5, 6, 11, 8, 7, 9, 10]
DISEASES = [
    "gastric ulcer",
    "gastritis",
    "stomach cancer",
    "gastritis",
    "flu",
    "bronchitis",
    "bronchitis",
    "pneumonia",
    "stomach cancer",
]
ORGANS = {
    "respiratory": {
        "infection": ["flu", "pneumonia", "bronchitis"],
        "vascular lung": ["pulmonary edema", "pulmonary embolism"],
    },
    "digestive": {
        "stomach": ["gastric ulcer", "stomach cancer", "gastritis"],
        "colon": ["colitis", "colon cancer"],
    },
}


def distance_of(classes: list[list[int]], attribute: str, **model: Any) -> float | None:
    """The largest distance of some of the classes: the others are one."""
    place = {row: number for number, rows in enumerate(classes) for row in rows}
    table = pandas.DataFrame({"zip": [place[row] for row in range(1, 10)], "salary": SALARIES, "disease": DISEASES})
    asked = {"attribute": attribute, "t": 1, **model}
    return sc.check(table, ["zip"], 1, t_closeness=[asked]).qids[0].models[0].achieved


def test_the_vectors_of_t_closeness() -> None:
    """Of one class after another: the largest of all three would hide the others."""
    by_salary = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    assert distance_of(by_salary, "salary", distance="ordered") == pytest.approx(3 / 8, abs=1e-9)
    second = [[1, 3, 8], [4, 5, 6], [2, 7, 9]]
    assert distance_of(second, "salary", distance="ordered") == pytest.approx(1 / 6, abs=1e-9)
    tree = {"distance": "hierarchical", "hierarchy": {"tree": ORGANS}}
    assert distance_of(second, "disease", **tree) == pytest.approx(8 / 27, abs=1e-9)
    assert distance_of(second, "disease") == pytest.approx(5 / 9, abs=1e-9)
    for classes, tried, vectors in (
        (by_salary, ordered, [("salary", Fraction(3, 8)), ("salary", Fraction(1, 6)), ("salary", Fraction(17, 72))]),
    ):
        table = Counter(SALARIES)
        for rows, (_, vector) in zip(classes, vectors, strict=True):
            counts = Counter(SALARIES[row - 1] for row in rows)
            assert tried(str(vector), sorted(SALARIES))(counts, table)
            assert not tried(str(vector - Fraction(1, 10**9)), sorted(SALARIES))(counts, table)
    lines = {
        leaf: (group, organ, "*")
        for organ, groups in ORGANS.items()
        for group, leaves in groups.items()
        for leaf in leaves
    }
    for rows, tree_vector, vector in zip(second, ("7/27", "8/27", "5/27"), ("5/9", "4/9", "1/3"), strict=True):
        counts, table_ = Counter(DISEASES[row - 1] for row in rows), Counter(DISEASES)
        for told, exact in ((hierarchical, tree_vector), (equal, vector)):
            more: tuple[Any, ...] = (lines,) if told is hierarchical else ()
            assert told(exact, *more)(counts, table_)
            assert not told(str(Fraction(exact) - Fraction(1, 10**9)), *more)(counts, table_)


@pytest.mark.parametrize(
    ("values", "model", "problem"),
    [
        (["1", "1.0"], {"distance": "ordered"}, "values that read otherwise are one number"),
        (["1", None], {"distance": "ordered"}, "not all of its values are numbers"),
        (["low", "high"], {"distance": "ordered"}, "not all of its values are numbers"),
        (["low", "mid"], {"distance": "ordered", "order": ["low", "high"]}, "order: name"),
        (["low", "mid"], {"distance": "hierarchical", "hierarchy": {"tree": {"a": ["low"]}}}, "no leaf|hierarchy of"),
    ],
)
def test_an_order_that_values_have_not_is_refused(values: list[Any], model: dict[str, Any], problem: str) -> None:
    table = pandas.DataFrame({"zip": [1, 1], "salary": values}, dtype=object)
    asked = [{"attribute": "salary", "t": "0.5", **model}]
    with pytest.raises(sc.InputError, match=problem):
        sc.check(table, ["zip"], 1, t_closeness=asked)
    with pytest.raises(sc.InputError, match=problem):
        sc.anonymize(table, quasi_identifiers={"zip": "suppress"}, sensitive=["salary"], k=1, t_closeness=asked)


def test_the_vectors_of_l_diversity() -> None:
    asked = [{"kind": "entropy", "attribute": "disease", "l": "1.0001"}]
    assert achieved(FIRST[:2], l_diversity=asked) == pytest.approx([2, 2.8284271247461903], abs=1e-9)
    assert achieved(FIRST[2:], l_diversity=asked) == [None]
    assert achieved(SECOND, l_diversity=asked) == pytest.approx([2.8284271247461903] * 3, abs=1e-9)
    for least, tie in ((3, 2), (2, 1)):
        for factor, holds in ((str(tie), False), (f"{tie}.000001", True)):
            asked = [{"kind": "recursive", "attribute": "disease", "l": least, "c": factor}]
            assert [each is not None for each in achieved(SECOND, l_diversity=asked)] == [holds] * 3


@pytest.mark.parametrize("count", [2, 3, 6, 7, 10])
def test_equal_shares_are_a_tie_that_holds(count: int) -> None:
    assert entropy_holds([5] * count, Fraction(count))
    assert not entropy_holds([5] * count, Fraction(count) + Fraction(1, 10**12))
    assert entropy_holds([1000003] * count, Fraction(count))


def test_the_most_frequent_value_is_the_first() -> None:
    """Of 9 and 1: the rarest for the first would pass with c = 1; in truth c must be more than 9."""
    table = pandas.DataFrame({"zip": ["1"] * 10, "disease": ["flu"] * 9 + ["ache"]})
    for factor, holds in (("1", False), ("9", False), ("9.1", True)):
        asked = [{"kind": "recursive", "attribute": "disease", "l": 2, "c": factor}]
        assert sc.check(table, ["zip"], 1, l_diversity=asked).holds == holds


FORGED = [("m", "a", "000", "flu")] * 8 + [("f", "b", "111", "ache")] * 8


@pytest.mark.parametrize(("name", "algorithm"), PAIRS)
def test_a_release_that_violates_is_refused_by_the_verifier(
    name: str, algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search is made to look at k alone: the verifier counts by itself."""
    model, _ = MODELS[name]
    (kind,) = {type(each) for each in load_requirement({"k": 2, **model}).models}
    monkeypatch.setattr(kind, "violating", property(lambda self: Statement("recoding/full_domain#none_rare")))
    monkeypatch.setattr(kind, "violates", lambda self, groups: groups.sizes < 0)
    described = {"name": algorithm, **({"class": "disease"} if algorithm == "tdr" else {})}
    with pytest.raises(VerificationError, match="a class over one, two, three does not have"):
        pipeline.run(job(2, model, described), frame=frame(FORGED))


def test_no_decision_of_the_verifier_imports_arrays_or_a_search() -> None:
    for model in every():
        beside = Path(__import__(model.__module__, fromlist=["x"]).__file__ or "").with_name("recount.py")
        if not beside.exists():
            assert model.key == "k"
            continue
        for node in ast.walk(ast.parse(beside.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert name.split(".")[0] not in ("numpy", "pyarrow", "pandas"), beside
                assert not name.startswith(("starcloak.search", "starcloak.privacy.groups")), beside
        # Of the model it takes the parameters, and nothing else.
        assert "violat" not in "".join(
            each.attr for each in ast.walk(ast.parse(beside.read_text())) if isinstance(each, ast.Attribute)
        )


def test_oracle_of_the_lattice_is_the_same() -> None:
    assert Oracle.minimal({(0, 0, 1), (1, 0, 1)}) == {(0, 0, 1)} == lowest({(0, 0, 1), (1, 0, 1)})


# ------------------------------------------------------------------------------------------- databases, scripts and dbt


ALL = ["flu", "Flu", "flu ", "cold", "grippé"]
PEOPLE: dict[str, tuple[dict[str, Any], Callable[[Histogram, Histogram], bool]]] = {
    **MODELS,
    "ordered": (of("t_closeness", t="0.25", distance="ordered", order=ALL), ordered("0.25", ALL)),
    "hierarchical": (
        of("t_closeness", t="0.2", distance="hierarchical", hierarchy={"tree": {"a": ALL[:3], "b": ALL[3:]}}),
        hierarchical("0.2", {value: ("a" if place < 3 else "b", "*") for place, value in enumerate(ALL)}),
    ),
}


def of_people(name: str) -> dict[str, Any]:
    """The model of the people's illness."""
    model, _ = PEOPLE[name]
    described: dict[str, Any] = json.loads(json.dumps(model).replace("disease", "illness"))
    return described


MORE = ("entropy 1.5", "recursive 1.1", "alpha", "p-sensitive", "enhanced beta", "delta 1.5")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] if name in MORE else []) for name in MODELS]
)
def test_every_database_releases_what_satisfies_it_and_so_does_its_script(server: Server, name: str) -> None:
    server.fill("people", everybody(120), TYPES)
    _, holds = PEOPLE[name]
    described = people_job(server, requirement={"k": 4, **of_people(name)})
    script = sc.compile(described)
    run(described)
    found = released(server)
    assert found is not None
    classes: dict[Row, Histogram] = defaultdict(Counter)
    for (*cells, illness), rows in found.items():
        classes[tuple(cells)][illness] += rows
    assert not left_out(classes, 4, holds)[0]
    server.execute("drop table cohort", "drop table starcloak_releases")
    assert scripted(client(server), script).returncode == 0
    assert released(server) == found
    # As many rows in each class as before, and other illnesses.
    server.execute("drop table cohort", "update people set illness = 'flu' where sex = 'f' or age > 40")
    done = scripted(client(server), script)
    assert done.returncode != 0 and "not the source that this script was made for" in done.stderr
    assert "cohort" not in server.tables()


@pytest.mark.parametrize("name", MODELS)
def test_a_script_counts_again(name: str, tmp_path: Path) -> None:
    """In DuckDB, for a source that has other illnesses than the one that was searched."""
    place = tmp_path / "clinic.duckdb"
    with duckdb.connect(str(place)) as connection:
        frame_ = everybody(120)
        connection.register("rows", frame_)
        connection.execute("create table people as from rows")
    described = people_job(Server("duckdb", f"duckdb:///{place}"), requirement={"k": 4, **of_people(name)})
    script = sc.compile(described)
    with duckdb.connect(str(place)) as connection:
        connection.execute(script)
        connection.execute("drop table cohort")
        connection.execute("update people set illness = 'flu' where sex = 'f' or age > 40")
    says = "not the source that this script was made for"
    with duckdb.connect(str(place)) as connection, pytest.raises(duckdb.Error, match=says):
        connection.execute(script)


# ------------------------------------------------------------------------------------------------- several, and corners


@given(rows=ROWS, k=st.integers(1, 2), name=st.sampled_from(["witness", "kaca", "mondrian", "full-subtree", "sweep"]))
@settings(max_examples=12)
def test_several_models_of_several_attributes_hold_in_the_groups_of_every_qid(
    rows: list[Row], k: int, name: str
) -> None:
    drugs = ["a", "b", "c"]
    table = frame(rows).assign(drug=[drugs[len(set(row)) % 3 if place % 2 else 0] for place, row in enumerate(rows)])
    asked: dict[str, Any] = {
        "l_diversity": [
            {"kind": "entropy", "attribute": "disease", "l": "1.3"},
            {"attribute": "drug", "l": 2},
        ],
        "alpha": [{"attribute": "drug", "alpha": "0.9"}],
        "t_closeness": [{"attribute": "disease", "t": "0.5"}],
    }
    qids = [{"attributes": ["one", "two"], "k": k}, {"attributes": ["two", "three"], "k": k + 1}]
    single = name in ("kaca", "sweep")
    requirement = {**asked, **({"k": k} if single else {"qids": qids})}
    described = {
        "quasi_identifiers": HIERARCHIES,
        "sensitive": ["disease", "drug"],
        "requirement": requirement,
        "algorithm": {"name": name},
    }
    tests = [
        ("disease", entropy("1.3")),
        ("drug", p_sensitive(2)),
        ("drug", alpha("0.9")),
        ("disease", equal("0.5")),
    ]
    whole = {column: Counter(None if pandas.isna(v) else v for v in table[column]) for column in ("disease", "drug")}
    possible = len(rows) >= k + (not single) and all(holds(whole[column], whole[column]) for column, holds in tests)
    if not possible:
        with pytest.raises(RequirementError):
            pipeline.run(described, frame=table)
        return
    release = pipeline.run(described, frame=table).to_pandas()
    for qid in [{"attributes": ["one", "two", "three"], "k": k}] if single else qids:
        for _, group in release.astype(object).groupby(qid["attributes"], dropna=False):
            assert len(group) >= qid["k"]
            for column, holds in tests:
                counts = Counter(None if pandas.isna(v) else v for v in group[column])
                assert holds(counts, whole[column]), (column, counts, whole[column])


@pytest.mark.parametrize(
    "model",
    [
        of("l_diversity", kind="entropy", l="3.5"),
        of("l_diversity", kind="recursive", l=4, c="100"),
        of("p_sensitive", p=4),
        of("alpha", alpha="0.3"),
    ],
)
def test_what_the_whole_table_has_not_is_refused_before_the_search(model: dict[str, Any]) -> None:
    with pytest.raises(RequirementError, match=r"fewer than k = 4 rows|in all: no generalization can help"):
        pipeline.run(job(1, model, {"name": "witness"}), frame=frame(FORGED[:7] + FORGED[-7:]))


def test_a_t_of_0_leaves_what_is_distributed_as_the_table() -> None:
    rows = [(one, "a", zip_, value) for one in "mf" for zip_ in ("000", "001") for value in ("flu", "ache")]
    rows += [("m", "b", "000", "flu")] * 2 + [("f", "b", "001", "ache")] * 2
    release = pipeline.run(job(1, of("t_closeness", t=0), {"name": "witness"}, suppression="0"), frame=frame(rows))
    (told,) = release.result.requirement.qids[0].models
    assert told.achieved == 0


@pytest.mark.parametrize("name", ["equal", "beta", "delta"])
def test_one_sensitive_value_is_as_in_the_table_everywhere(name: str) -> None:
    model, _ = MODELS[name]
    rows = [(one, two, "000", "flu") for one in "mf" for two in "ab"]
    release = pipeline.run(job(1, model, {"name": "witness"}), frame=frame(rows))
    assert tuple(release.result.recoding.levels.values()) == (0, 0, 0)


def test_an_empty_release_satisfies_every_model() -> None:
    rows = [("m", "a", "000", "flu"), ("f", "b", "111", "ache")]
    for name in MODELS:
        if name in ("p-sensitive", "alpha of one", "hierarchical", "ordered"):
            continue
        model, _ = MODELS[name]
        described = job(2, model, {"name": "witness"}, suppression="1")
        described["objective"] = {"weights": {"one": 100, "two": 100, "three": 100}}
        release = pipeline.run(described, frame=frame(rows))
        assert release.result.suppressed_rows in (0, 2)
