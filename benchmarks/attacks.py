"""Attacks on releases of Adult as tests of ourselves: what whoever has a release, or two, can tell of single rows.

homogeneity
    the class of a row has one sensitive value: nobody has to be singled out.
intersection
    rows that share their classes in two releases (k and another k) with fewer than k rows, or are alone.
downcoding
    cells that a finer release would have fitted: all rows of the class agree at a lower level. What cannot be finer
    tells whoever knows how the release was made that the values beneath differ (minimality).
reconstruction
    by linear programming: a table with the published one-way counts of raw values that fits all classes of a small
    release; the share of its rows that are rows of the source in that class, beside that of a guess in proportion to
    the published counts alone.

criteria
    singling out, linkability and inference, each with a control group, as sc.attack tries them; at k = 1, too.

Each attack but the last is tried on victims that are planted, all of whom it has to find.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas

from benchmarks.local import arx_adult

K, OTHER_K = 10, 25
SENSITIVE = "occupation"
ALGORITHMS: dict[str, dict[str, Any]] = {
    "witness": {"name": "witness"},
    "mondrian": {"name": "mondrian"},
    "kaca": {"name": "kaca"},
    "sweep": {"name": "sweep"},
}
SMALL = 300  # rows of the table that is reconstructed
SMALL_ATTRIBUTES = ("sex", "race", "marital-status", "workclass")
_QUICK_ROWS = 2_000
PLANTED = 20

Cells = tuple[str, ...]
Row = tuple[Any, ...]
Levels = Mapping[str, Mapping[str, Sequence[str]]]


def measure(*, quick: bool) -> Iterator[dict[str, Any]]:
    """Every attack on a release by each algorithm."""
    from starcloak.commands import pipeline

    place = arx_adult.folder()
    if place is None:
        yield {"skipped": arx_adult.MISSING}
        return
    rows = pandas.read_csv(place / "adult.csv", sep=";", dtype=str)
    rows = rows.sample(_QUICK_ROWS, random_state=1) if quick else rows
    levels = _levels(place)
    names = [name for name in arx_adult.ATTRIBUTES if name != SENSITIVE]
    for label, algorithm in ALGORITHMS.items():
        click.echo(f"attacks: {label}", err=True)

        def release(k: int, frame: pandas.DataFrame, of: Sequence[str], algorithm: Any = algorithm) -> Any:
            job = {
                **{key: value for key, value in arx_adult.job(place).items() if key != "source"},
                "identifiers": [name for name in frame.columns if name not in (*of, SENSITIVE)],
                "sensitive": [name for name in (SENSITIVE,) if name not in of],
                "requirement": {"k": k},
                "algorithm": algorithm,
                "insight": "off",
            }
            job["quasi_identifiers"] = {name: job["quasi_identifiers"][name] for name in of}
            return pipeline.run(job, frame=frame)

        one, other = release(K, rows, names), release(OTHER_K, rows, names)
        small = rows.sample(SMALL, random_state=2)
        yield {
            "algorithm": label,
            "loss": one.measures.loss,
            "homogeneity": homogeneity(_released(one, names)),
            "intersection": intersection(_cells(one, names), _cells(other, names), K),
            "downcoding": downcoding(_cells(one, names), names, levels),
            "reconstruction": reconstruction(_cells(release(K, small, SMALL_ATTRIBUTES), SMALL_ATTRIBUTES)),
        }


def criteria(*, quick: bool) -> Iterator[dict[str, Any]]:
    """What :func:`starcloak.attack` finds of each algorithm, and of rows as they are."""
    import starcloak as sc

    place = arx_adult.folder()
    if place is None:
        return
    rows = pandas.read_csv(place / "adult.csv", sep=";", dtype=str)
    rows = rows.sample(_QUICK_ROWS, random_state=1) if quick else rows
    job = {key: value for key, value in arx_adult.job(place).items() if key != "source"}
    names = [name for name in arx_adult.ATTRIBUTES if name != SENSITIVE]
    job |= {"quasi_identifiers": {name: job["quasi_identifiers"][name] for name in names}, "others": "identifiers"}
    job |= {"identifiers": [], "sensitive": [SENSITIVE]}
    for label, k, algorithm in [("as they are", 1, "witness"), *((name, K, name) for name in ALGORITHMS)]:
        click.echo(f"attacks with a control group: {label}", err=True)
        found = sc.attack({**job, "requirement": {"k": k}, "algorithm": algorithm}, frame=rows)
        for each in found.attacks:
            low, high = each.interval
            yield {
                "algorithm": label,
                "criterion": each.criterion,
                "what": each.what,
                "shares": [
                    each.released.rate,
                    each.control.rate,
                    None if each.baseline is None else each.baseline.rate,
                ],
                "risk": [each.risk, low, high],
            }


def criteria_table(found: Sequence[Mapping[str, Any]]) -> str:
    """The risks by criterion as a Markdown table."""
    lines = [
        "| rows | criterion | attack | control | naive guess | risk | 95 % |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    for each in found:
        shares = " | ".join("" if share is None else f"{share:.1%}" for share in each["shares"])
        risk, low, high = each["risk"]
        what = "" if each["criterion"] == "Linkability" else f" ({each['what']})"
        said = f"{each['algorithm']} | {each['criterion'].lower()}{what} | {shares}"
        lines.append(f"| {said} | {risk:.1%} | {low:.1%} to {high:.1%} |")
    return "\n".join(lines)


def homogeneity(rows: Sequence[tuple[Cells, str]]) -> float:
    """The share of rows whose class has one sensitive value."""
    values: dict[Cells, set[str]] = defaultdict(set)
    for cells, value in rows:
        values[cells].add(value)
    return sum(len(values[cells]) == 1 for cells, _ in rows) / len(rows)


def intersection(one: Sequence[tuple[Row, Cells, int]], other: Sequence[tuple[Row, Cells, int]], k: int) -> Row:
    """The shares of rows that are in joint classes of fewer than k rows, and alone; parts of tuples in their order."""
    groups: Counter[tuple[Cells, Cells]] = Counter()
    there: dict[Row, list[tuple[Cells, int]]] = defaultdict(list)
    for tuple_, cells, rows in other:
        there[tuple_].append((cells, rows))
    for tuple_, cells, rows in one:
        parts = there[tuple_]
        while rows:
            found, left = parts.pop(0)
            both = min(rows, left)
            groups[cells, found] += both
            rows -= both
            if left > both:
                parts.insert(0, (found, left - both))
    everybody = sum(groups.values())
    below = sum(rows for rows in groups.values() if rows < k)
    return below / everybody, sum(rows == 1 for rows in groups.values()) / everybody


def downcoding(mapped: Sequence[tuple[Row, Cells, int]], names: Sequence[str], levels: Levels) -> float:
    """The share of cells, row by row, that all rows of their class would have alike one level below."""
    members: dict[Cells, list[tuple[Row, int]]] = defaultdict(list)
    for tuple_, cells, count in mapped:
        members[cells].append((tuple_, count))
    finer = everything = 0
    for cells, rows in members.items():
        size = sum(count for _, count in rows)
        for at, name in enumerate(names):
            everything += size
            lines = [levels[name][tuple_[at]] for tuple_, _ in rows]
            reads = [[line[level] for line in lines] for level in range(len(lines[0]))]
            alike = [level for level, read in enumerate(reads) if len(set(read)) == 1]
            # Above the lowest level at which they agree, a cell is coarser than it has to be.
            finer += size * (cells[at] != reads[alike[0]][0])
    return finer / everything


def reconstruction(mapped: Sequence[tuple[Row, Cells, int]]) -> Row:
    """The share of rows that a linear program puts right, and that of a guess by the published counts alone.

    The attacker knows the classes with their sizes, the combinations beneath each, and how many rows have each raw
    value of an attribute.
    """
    from scipy.optimize import linprog  # type: ignore[import-untyped]
    from scipy.sparse import coo_matrix  # type: ignore[import-untyped]

    of_class: dict[Cells, Counter[Row]] = defaultdict(Counter)
    for tuple_, cells, rows in mapped:
        of_class[cells][tuple_] += rows
    width = len(mapped[0][0])
    counts = [Counter[str]() for _ in range(width)]
    under: list[dict[str, set[str]]] = [defaultdict(set) for _ in range(width)]
    for tuple_, cells, rows in mapped:
        for at, value in enumerate(tuple_):
            counts[at][value] += rows
            under[at][cells[at]].add(value)
    variables: list[tuple[Cells, Row]] = []
    for cells in of_class:
        beneath = [sorted(under[at][cells[at]]) for at in range(width)]
        variables += [(cells, found) for found in itertools.product(*beneath)]
    wanted: dict[Any, int] = {("class", cells): sum(rows.values()) for cells, rows in of_class.items()}
    wanted |= {(at, value): count for at in range(width) for value, count in counts[at].items()}
    number = {key: place for place, key in enumerate(wanted)}
    places, values = [], []
    for column, (cells, found) in enumerate(variables):
        for key in [("class", cells), *enumerate(found)]:
            places.append(number[key])
            values.append(column)
    matrix = coo_matrix((np.ones(len(places)), (places, values)), shape=(len(wanted), len(variables)))
    random = np.random.default_rng(1).random(len(variables)) / 1000
    likely = np.array(
        [-np.log(np.prod([counts[at][value] for at, value in enumerate(found)])) for _, found in variables]
    )
    solved = linprog(likely + random, A_eq=matrix, b_eq=np.array(list(wanted.values())), bounds=(0, None))
    guess = np.exp(-likely)
    sizes = {cells: sum(rows.values()) for cells, rows in of_class.items()}
    total: Counter[Cells] = Counter()
    for (cells, _), weight in zip(variables, guess, strict=True):
        total[cells] += weight
    right = guessed = 0.0
    for (cells, found), rows, weight in zip(variables, solved.x, guess, strict=True):
        right += min(rows, of_class[cells][found])
        guessed += min(sizes[cells] * weight / total[cells], of_class[cells][found])
    everybody = sum(sizes.values())
    return float(right / everybody), float(guessed / everybody)


def planted() -> dict[str, float]:
    """The share of planted victims that each attack finds: all of them, or it is no attack."""
    plain = [((f"a{number}",), str(row)) for number in range(50) for row in range(K)]
    victims = [((f"victim{number}",), "HIV") for number in range(PLANTED) for _ in range(K)]
    alike = homogeneity([*plain, *victims]) * (len(plain) + len(victims))
    # Classes of K rows each; in the second release a victim is in a class of rows from everywhere.
    people: list[Row] = [(str(row),) for row in range(100 * K)]
    one: list[tuple[Row, Cells, int]] = [(person, (str(row // K),), 1) for row, person in enumerate(people)]
    other: list[tuple[Row, Cells, int]] = [
        (person, ("elsewhere",) if row % K == 0 and row // K < PLANTED else (str(row // K),), 1)
        for row, person in enumerate(people)
    ]
    _, alone = intersection(one, other, K)
    levels = {"a": {str(row): [str(row), str(row // 2), "*"] for row in range(200)}}
    coarse: list[tuple[Row, Cells, int]] = [((str(row),), (str(row // 2),), 1) for row in range(200 - 2 * PLANTED)]
    coarse += [((str(row),), ("*",), 1) for row in (198, 199)] * PLANTED
    rows = sum(count for *_, count in coarse)
    shown: list[tuple[Row, Cells, int]] = [((str(row), "x"), (str(row), "x"), 1) for row in range(PLANTED)]
    return {
        "homogeneity": alike / len(victims),
        "intersection": alone * len(people) / PLANTED,
        "downcoding": downcoding(coarse, ["a"], levels) * rows / (2 * PLANTED),
        "reconstruction": reconstruction(shown)[0],
    }


def table(found: Sequence[Mapping[str, Any]], victims: Mapping[str, float]) -> str:
    """The attacks as a Markdown table."""
    lines = [
        "| algorithm | loss | one sensitive value | joint k below k | alone | cells coarser than needed | rows "
        "reconstructed (guessed) |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for each in found:
        if "skipped" in each:
            return str(each["skipped"])
        below, alone = each["intersection"]
        right, guessed = each["reconstruction"]
        lines.append(
            f"| {each['algorithm']} | {each['loss']:.4f} | {each['homogeneity']:.1%} | {below:.1%} | {alone:.1%} | "
            f"{each['downcoding']:.1%} | {right:.1%} ({guessed:.1%}) |"
        )
    return "\n".join([*lines, "", f"planted victims found: {victims}"])


def _levels(place: Path) -> Levels:
    levels: dict[str, dict[str, list[str]]] = {}
    for name in arx_adult.ATTRIBUTES:
        lines = (place / f"adult_hierarchy_{name}.csv").read_text().splitlines()
        levels[name] = {line.split(";")[0]: line.split(";") for line in lines}
    return levels


def _cells(release: Any, names: Sequence[str]) -> list[tuple[Row, Cells, int]]:
    mapping = release.mapping()
    raw = mapping[list(names)].itertuples(index=False, name=None)
    cells = mapping[[f"{name}_released" for name in names]].itertuples(index=False, name=None)
    return list(zip(raw, cells, mapping["rows"].tolist(), strict=True))


def _released(release: Any, names: Sequence[str]) -> list[tuple[Cells, str]]:
    frame = release.to_pandas().astype(str)
    return list(zip(frame[list(names)].itertuples(index=False, name=None), frame[SENSITIVE], strict=True))
