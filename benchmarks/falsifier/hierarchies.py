"""Random hierarchies of every builder, with values that fit them, and now and then some that do not."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from benchmarks.falsifier import tables, trees
from benchmarks.falsifier.case import FILES
from benchmarks.falsifier.places import kinds
from benchmarks.falsifier.values import DECIMALS, FLOATS, UNGROUPED, WHOLE, domain, text

UNITS = ("day", "month", "quarter", "year", "decade", "century")
BUILDERS = ("intervals", "digits", "dates", "suppress", "numeric", "csv", "tree", "levels", "functions", "table")
DAYS = ("date", "timestamp", "seconds", "millis", "nanos", "instant")
GROUPS = ("A", "B", "C", "*", "", "x", "[1, 2)", "NULL", "a", "any", "é", "2001")
# How seldom a hierarchy does not fit its column.
_SELDOM = 0.03

Made = tuple[str, Any, list[Any]]


def made(rng: Random, source: str, most: int, *, numeric: bool) -> Made:
    """A kind of column, a hierarchy of at most so many levels above the leaves, and the values to draw from.

    Some hierarchies take values that they have no leaf for.
    """
    kind, declared, among = _made(rng, source, most, numeric=numeric)
    if isinstance(declared, str) or rng.random() > 0.15:
        return kind, declared, among
    if kind not in FLOATS or not set(declared) & {"intervals", "digits"}:
        strangers = tables.some(rng, tables.values(rng, kind, source), 1, 2)
        among = domain([*among, *strangers])
    return kind, {**declared, "nonconforming": rng.choice(["missing", "suppress"])}, among


def _made(rng: Random, source: str, most: int, *, numeric: bool) -> Made:
    known = kinds(source)
    builders = [b for b in BUILDERS if b != "table" or source not in (*FILES, "frame")]
    weights = [{"numeric": 6 if numeric else 2, "functions": 0.4}.get(b, 2) for b in builders]
    builder = rng.choices(builders, weights)[0]
    if builder == "functions":
        return _functions(rng, source, known, most)
    if rng.random() < _SELDOM / 3:
        kind = rng.choice(known)
        return kind, _declared(rng, builder, most, []), tables.some(rng, tables.values(rng, kind, source))
    if builder in ("intervals", "numeric"):
        return _numbers(rng, builder, source, known, most)
    if builder == "digits":
        return _digits(rng, known, most)
    if builder == "dates":
        return _dates(rng, source, known, most)
    kind = rng.choice(["text", *(each for each in known if each not in UNGROUPED)])
    pool = tables.some(rng, tables.values(rng, kind, source))
    if kind in FLOATS and rng.random() < _SELDOM:
        pool += rng.sample(tables.unsafe(kind, source), 1)
    if builder == "suppress":
        return kind, "suppress", pool
    leaves = [text(value, kind) for value in pool]
    return kind, _declared(rng, builder, most, leaves), pool


def _numbers(rng: Random, builder: str, source: str, known: Sequence[str], most: int) -> Made:
    kind = rng.choice(["text", *(each for each in known if each in (*WHOLE, *FLOATS, *DECIMALS))])
    pool = list(tables.NUMBERS if kind == "text" else tables.values(rng, kind, source))
    if kind == "float64":
        pool = [value for value in pool if 1e-6 < abs(value) < 1e15 or value == 0]
    if rng.random() < 0.6:  # plain ones
        pool = [value for value in pool if len(str(value)) < 5] or pool
    among = tables.some(rng, pool, 1, 8)
    if kind == "text" and rng.random() < _SELDOM:
        among += rng.sample(tables.NO_NUMBERS, 1)
    if kind in FLOATS and rng.random() < _SELDOM:
        among += rng.sample(tables.unsafe(kind, source), 1)
    return kind, _declared(rng, builder, most, []), among


def _digits(rng: Random, known: Sequence[str], most: int) -> Made:
    digits = rng.randint(1, max(1, min(most, 5)))
    kind = rng.choice(["text", "text", *(each for each in known if each in WHOLE)])
    among: list[Any]
    if kind in WHOLE:
        high = min(10**digits - 1, tables.SPANS[kind][1])
        among = [rng.randint(0, high) for _ in range(rng.randint(1, 6))]
        if rng.random() < _SELDOM:
            among += [rng.choice([-1, high + 1])] if not kind.startswith("u") and kind != "int8" else []
    else:
        alphabet = rng.choice(["01", "ab", "é*", "😀 ", "\uff112", "5371", "e\u0301", "*", "-1", "\n1"])
        among = ["".join(rng.choice(alphabet) for _ in range(digits)) for _ in range(rng.randint(1, 6))]
        if rng.random() < _SELDOM:
            among += [rng.choice(["", "1" * (digits + 1), " " * digits, "SECRETx7"])]
    return kind, {"digits": digits}, domain(among)


def _dates(rng: Random, source: str, known: Sequence[str], most: int) -> Made:
    kind = rng.choice(["text", *(each for each in known if each in DAYS)])
    pool: Sequence[Any] = tables.DATES if kind == "text" else tables.values(rng, kind, source)
    among = tables.some(rng, pool, 1, 8)
    if kind == "text" and rng.random() < 0.15:
        among += rng.sample(tables.ODD_DATES, 1)
    if kind == "text" and rng.random() < _SELDOM:
        among += rng.sample(tables.NO_DATES, 1)
    return kind, _declared(rng, "dates", most, []), among


def _functions(rng: Random, source: str, known: Sequence[str], most: int) -> Made:
    kind = rng.choice(["text", "text", *(each for each in known if each in trees.VALUES)])
    among = tables.some(rng, tables.values(rng, kind, source))
    return kind, _declared(rng, "functions", most, []), among


def _declared(rng: Random, builder: str, most: int, leaves: Sequence[Any]) -> Any:
    """A hierarchy as a job declares it; ``leaves`` are the texts of those that declare theirs."""
    steps = rng.randint(1, max(1, min(most, 4)))
    if builder in ("suppress", "numeric"):
        return builder
    if builder == "functions":
        if rng.random() < _SELDOM:
            return {"functions": rng.choices(list(trees.FUNCTIONS), k=steps)}
        at = sorted(rng.sample(range(len(trees.COARSER)), min(steps, len(trees.COARSER))))
        return {"functions": [trees.COARSER[each] for each in at]}
    if builder == "digits":
        return {"digits": steps}
    if builder == "intervals":
        if rng.random() < 0.08:
            return {"intervals": [rng.choice([3, 5, "0.5", "2.5", 7])]}
        width = rng.choice([1, 2, 5, 10, "0.5", "0.1", "1.25", "1000000"])
        return {"intervals": _multiples(rng, width, max(steps - 1, 1))}
    if builder == "dates":
        if rng.random() < 0.2:
            return {"dates": rng.choice([["week"], ["day", "week"]][: max(1, most - 1)])}
        chosen = sorted(rng.sample(range(len(UNITS)), min(steps, max(1, most - 1))))
        return {"dates": [UNITS[at] for at in chosen]}
    own = [*leaves, *(["extra", "other"][: rng.randint(0, 2)] if rng.random() < 0.4 else [])]
    if rng.random() < 0.85:
        own.append(None)
    if own and rng.random() < _SELDOM:
        own.pop(rng.randrange(len(own)))
    own = list(dict.fromkeys(own))
    rng.shuffle(own)
    if builder == "tree":
        return {"tree": _tree(rng, own, steps)}
    lines = _lines(rng, own, steps, builder)
    return {"levels": _levels(rng, lines)} if builder == "levels" else {builder: lines}


def tree(rng: Random, leaves: Sequence[Any]) -> dict[str, Any]:
    """Groups of leaves, and mostly of the missing value, too."""
    declared: dict[str, Any] = _declared(rng, "tree", 3, leaves)["tree"]
    return declared


def _multiples(rng: Random, width: Any, steps: int) -> list[Any]:
    from decimal import Decimal

    widths = [width]
    for _ in range(steps - 1):
        wider = Decimal(str(widths[-1])) * rng.choice([2, 2, 4])
        widths.append(str(wider) if isinstance(width, str) else int(wider))
    return widths


def _lines(rng: Random, leaves: Sequence[Any], steps: int, builder: str) -> list[tuple[Any, ...]]:
    """One line per leaf: each level a function of the one below, but seldom one that is not."""
    lines: list[list[Any]] = [[leaf] for leaf in leaves]
    for _ in range(steps - 1):
        below = list(dict.fromkeys(line[-1] for line in lines))
        names = rng.sample(GROUPS, max(1, min(len(GROUPS), (len(below) + 1) // 2)))
        above = {value: rng.choice(names) for value in below}
        for line in lines:
            line.append(above[line[-1]])
    top = rng.choice(["*", "*", "*", "any", "", "Ω"])
    for line in lines:
        line.append(top)
    if lines and rng.random() < _SELDOM:
        rng.choice(lines)[rng.randrange(steps + 1)] = rng.choice(GROUPS)
    if lines and rng.random() < _SELDOM / 2:
        lines.append(list(rng.choice(lines)))
    if lines and builder == "csv" and rng.random() < _SELDOM / 2:
        lines[-1] = lines[-1][:-1]
    if builder == "csv":
        lines = [["" if cell is None else cell for cell in line] for line in lines]
    return [tuple(line) for line in lines]


def _levels(rng: Random, lines: Sequence[tuple[Any, ...]]) -> dict[Any, Any]:
    """Leaves with their levels, some without the top; of one level that alone, of numbers some as numbers."""
    if rng.random() < 0.5:
        lines = [line[:-1] for line in lines]
    if lines and rng.random() < _SELDOM:
        lines = [(*lines[0], "any"), *lines[1:]]
    as_numbers, alone = rng.random() < 0.3, rng.random() < 0.5
    found: dict[Any, Any] = {}
    for leaf, *levels in lines:
        is_number = leaf is not None and leaf.isascii() and leaf.isdigit() and str(int(leaf)) == leaf
        key = int(leaf) if as_numbers and is_number else leaf
        found[key] = levels[0] if alone and len(levels) == 1 else levels
    return found


def _tree(rng: Random, leaves: Sequence[Any], steps: int) -> dict[str, Any]:
    """Groups of leaves, of which some are groups of groups."""
    names = rng.sample(GROUPS, rng.randint(1, 3))
    tree: dict[str, Any] = {}
    rest = list(leaves)
    for at, name in enumerate(names):
        count = len(rest) if at == len(names) - 1 else rng.randint(0, len(rest))
        mine, rest = rest[:count], rest[count:]
        if steps > 2 and len(mine) > 1 and rng.random() < 0.5:
            inner = f"{name}{at}"
            half = rng.randint(1, len(mine) - 1)
            tree[name] = (
                [{inner: mine[:half]}, *mine[half:]]
                if rng.random() < 0.5
                else {inner: mine[:half], f"{inner}'": mine[half:]}
            )
        else:
            tree[name] = mine
    return tree
