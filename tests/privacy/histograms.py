"""Every privacy model in plain Python, on histograms of the sensitive values of a class."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import pandas
import pytest
from hypothesis import strategies as st

from starcloak.job.algorithms import algorithms
from tests.daily import SERVERS, some_daily
from tests.oracle import HIERARCHIES, TREES

Row = tuple[Any, ...]


Histogram = dict[Any, int]


#: Which rows an oracle looks at.
Looks = Callable[[Callable[[Histogram, Histogram], bool]], Callable[[Histogram, Histogram], bool]]


VALUES = ["flu", "cough", "ache", None]


ROWS = st.lists(
    st.tuples(*(st.sampled_from(sorted(tree)) for tree in TREES), st.sampled_from(VALUES)), min_size=2, max_size=30
)


# ---------------------------------------------------------------- an oracle: what a class must have, in exact numbers


def present(counts: Histogram) -> Histogram:
    """What models of diversity look at: the rows that have a value."""
    return {value: rows for value, rows in counts.items() if value is not None and rows}


def every(holds: Callable[[Histogram, Histogram], bool]) -> Callable[[Histogram, Histogram], bool]:
    """The same of all rows, a missing value being a value."""
    return holds


def of_present(holds: Callable[[Histogram, Histogram], bool]) -> Callable[[Histogram, Histogram], bool]:
    """The same of the rows that have a value; a class without any violates it."""
    return lambda counts, table: bool(present(counts)) and holds(present(counts), present(table))


def entropy(l: str, *, of: Looks = of_present) -> Callable[[Histogram, Histogram], bool]:  # noqa: E741
    def holds(counts: Histogram, table: Histogram) -> bool:
        least, size, product_ = Fraction(l), sum(counts.values()), 1
        for count in counts.values():
            product_ *= count**count
        return bool(product_ * least.numerator**size <= size**size * least.denominator**size)

    return of(holds)


def recursive(c: str, l: int, *, of: Looks = of_present) -> Callable[[Histogram, Histogram], bool]:  # noqa: E741
    def holds(counts: Histogram, table: Histogram) -> bool:
        ordered = sorted(counts.values(), reverse=True)
        return bool(ordered[0] < Fraction(c) * sum(ordered[l - 1 :]))

    return of(holds)


def alpha(
    share: str, values: tuple[Any, ...] | None = None, *, of: Looks = of_present
) -> Callable[[Histogram, Histogram], bool]:
    def holds(counts: Histogram, table: Histogram) -> bool:
        return all(
            Fraction(rows, sum(counts.values())) <= Fraction(share)
            for value, rows in counts.items()
            if values is None or value in values
        )

    return of(holds)


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


def moved_along(counts: Histogram, table: Histogram, order: list[Any]) -> Fraction:
    """The earth mover's distance of ordered values."""
    extra = distances(counts, table)
    known = [value for value in order if value in extra]
    passed, until = Fraction(0), Fraction(0)
    for value in known:
        until += extra[value]
        passed += abs(until)
    return passed / max(len(known) - 1, 1)


def ordered(most: str, order: list[Any] = ORDER) -> Callable[[Histogram, Histogram], bool]:
    return lambda counts, table: moved_along(counts, table, order) <= Fraction(most)


ILLNESSES: dict[str, Any] = {"cold": ["flu", "cough"], "other": {"pain": ["ache"], "none": [None]}}


LINES = {  # a leaf nearer the top repeats itself below its parent
    "flu": ("flu", "cold", "*"),
    "cough": ("cough", "cold", "*"),
    "ache": ("pain", "other", "*"),
    None: ("none", "other", "*"),
}


def moved_up(counts: Histogram, table: Histogram, lines: dict[Any, tuple[str, ...]]) -> Fraction:
    """As the paper says it: what is moved in each node is the smaller of what is too much and too little beneath."""
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
    return cost


def hierarchical(most: str, lines: dict[Any, tuple[str, ...]] = LINES) -> Callable[[Histogram, Histogram], bool]:
    return lambda counts, table: moved_up(counts, table, lines) <= Fraction(most)


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
    # What a missing value is, otherwise than by default.
    "entropy of all": (
        {"l_diversity": [{"kind": "entropy", "attribute": "disease", "l": "2", "missing": "value"}]},
        entropy("2", of=every),
    ),
    "recursive of all": (
        {"l_diversity": [{"kind": "recursive", "attribute": "disease", "l": 2, "c": "2", "missing": "value"}]},
        recursive("2", 2, of=every),
    ),
    "alpha of all": (of("alpha", alpha="0.5", missing="value"), alpha("0.5", of=every)),
    "values of all": (
        of("l_diversity", l=2, missing="value"),
        lambda counts, table: sum(rows > 0 for rows in counts.values()) >= 2,
    ),
    "beta of present": (of("beta_likeness", beta="0.5", missing="none"), of_present(beta("0.5"))),
    "delta of present": (of("delta_disclosure", delta="1", missing="none"), of_present(delta("1"))),
    "equal of present": (of("t_closeness", t="0.25", missing="none"), of_present(equal("0.25"))),
    "ordered of present": (
        of("t_closeness", t="0.25", distance="ordered", order=["flu", "cough", "ache"], missing="none"),
        of_present(ordered("0.25", ["flu", "cough", "ache"])),
    ),
}


def persons_satisfy(name: str, pairs: set[tuple[Any, Any]], table: Histogram) -> bool:
    """Whether a class satisfies a model where each person counts once for a value, by pairs of a person and a value.

    A value that all have who have any is all that a class has; a bound of shares is one of those persons.
    """
    _, holds = MODELS[name]
    looked = {(whose, value) for whose, value in pairs if value is not None or name.endswith(" of all")}
    persons, counts = {whose for whose, _ in looked}, Counter(value for _, value in looked)
    if name.startswith("alpha"):
        share, asked = (Fraction(1, 4), ["flu"]) if name == "alpha of one" else (Fraction(1, 2), list(counts))
        return bool(persons) and all(counts[value] <= share * len(persons) for value in asked)
    if name.startswith(("entropy", "recursive", "p-sensitive", "values")) and len(persons) in counts.values():
        return False
    return holds(Counter(value for _, value in pairs), table)


# Every model with every algorithm: each of both in the quick ones, too.
PAIRS = some_daily(MODELS, algorithms(), each=12)
# Each of both, once: for what a verifier does, which no algorithm is asked for.
FEWER_PAIRS = some_daily(MODELS, algorithms(), each=14)


# Those that another model's statements are those of, too.
MORE = (
    *("entropy 1.5", "recursive 1.1", "alpha", "p-sensitive", "enhanced beta", "delta 1.5"),
    *(name for name in MODELS if name.endswith((" of all", " of present"))),
)
some_models = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] if name in MORE else []) for name in MODELS]
)
MOST = [name for name in MODELS if name not in MORE]
HALVES = [
    *some_daily(range(2), MOST, each=2),
    *(pytest.param(half, name, marks=pytest.mark.long) for half in range(2) for name in MORE),
]
# Statements that differ by database are those of shares that have a distance: other models see each database in turn.
ON_SERVERS = [
    *((server, name) for server in SERVERS for name in MOST if "t_closeness" in MODELS[name][0]),
    *some_daily(SERVERS, [name for name in MOST if "t_closeness" not in MODELS[name][0]], each=3),
    *(pytest.param(server, name, marks=pytest.mark.long) for server in SERVERS for name in MORE),
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
