"""The statements that count persons and histories, of searches and of the verifier, beside plain Python."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from typing import Any

import pyarrow
import pytest

from starcloak.privacy.aggregates import Domain
from starcloak.privacy.histories import recount as of_histories
from starcloak.privacy.histories.model import Histories
from starcloak.privacy.persons import recount as of_persons
from starcloak.privacy.persons.model import DistinctPersons
from starcloak.privacy.verdict import Judged
from starcloak.statements.statement import As, Joined, Name, Number, Query, Statement, columns
from starcloak.store.session import Session

Row = tuple[Any, ...]

# Two attributes of heights 1 and 2, of which one may be missing: what each leaf reads at each level.
LEAVES: list[dict[str | None, tuple[str | None, ...]]] = [
    {"m": ("m", "*"), "f": ("f", "*"), None: (None, "*")},
    {"a": ("a", "A", "*"), "b": ("b", "A", "*"), "c": ("c", "C", "*")},
]
# Persons go by two columns, of which one has texts that differ in case, in a space, or in how an accent is written.
CLINICS = ["p", "P", "p ", "\u00e9", "e\u0301", ""]
DRAWN, LEVELS = Name("person_codes"), [Name("one"), Name("two")]
TOGETHER = 500  # cases that are brought in at once


def drawn(chance: random.Random) -> list[Row]:
    """Rows of two cells, a clinic and a number."""
    cells = [sorted(leaves, key=str)[: chance.choice([1, 2, 3])] for leaves in LEAVES]
    persons = [(chance.choice(CLINICS), chance.randrange(3)) for _ in range(chance.choice([1, 2, 4, 9]))]
    return [(*map(chance.choice, cells), *chance.choice(persons)) for _ in range(chance.randrange(1, 25))]


def judge(groups: dict[Any, tuple[set[Any], int]], k: int) -> Judged:
    """What is to be said of groups, each with its persons and its rows."""
    few = [(persons, rows) for persons, rows in groups.values() if len(persons) < k]
    fewest = min((len(persons) for persons, _ in groups.values()), default=None)
    return Judged(not few, fewest, len(few), sum(rows for _, rows in few), sum(len(persons) for persons, _ in few))


def judged(rows: list[Row], node: Row, k: int) -> tuple[Judged, Judged]:
    """What is to be said of the classes of a node, and of the histories."""
    classes = defaultdict[Row, list[Row]](list)
    histories = defaultdict[Row, Counter[Row]](Counter)
    for *cells, clinic, number in rows:
        at = tuple(leaves[cell][level] for leaves, cell, level in zip(LEAVES, cells, node, strict=True))
        classes[at].append((clinic, number))
        histories[clinic, number][at] += 1
    alike = defaultdict[Any, set[Row]](set)
    for person, history in histories.items():
        alike[frozenset(history.items())].add(person)
    by_class = {at: (set(persons), len(persons)) for at, persons in classes.items()}
    by_history = {
        history: (persons, len(persons) * sum(times for _, times in history)) for history, persons in alike.items()
    }
    return judge(by_class, k), judge(by_history, k)


def bring(session: Session, cases: list[tuple[int, list[Row], Row]]) -> None:
    """Bring cases in: each row with what it reads at its case's node, and codes of that and of its person."""
    table = defaultdict[str, list[Any]](list)
    for case, rows, node in cases:
        persons = {person: code for code, person in enumerate(dict.fromkeys(row[-2:] for row in rows))}
        for *cells, clinic, number in rows:
            read = [leaves[cell][level] for leaves, cell, level in zip(LEAVES, cells, node, strict=True)]
            codes = [list(leaves).index(cell) for leaves, cell in zip(LEAVES, cells, strict=True)]
            tops = [
                [at[level] for at in leaves.values()].index(text)
                for leaves, level, text in zip(LEAVES, node, read, strict=True)
            ]
            names = ("case", "value_1", "value_2", "value_3", "value_4", "leaf_1", "leaf_2", "one", "two", "code")
            row = (case, *read, clinic, number, *codes, *tops, persons[clinic, number])
            for name, value in zip(names, row, strict=True):
                table[name].append(value)
    stream = pyarrow.table(table).to_reader()
    session.receive(DRAWN, Name("incoming"), stream, Statement("store/relation", relation=Name("incoming")))


def asked(session: Session, case: int, k: int) -> tuple[Judged, Judged, int, int]:
    """What the verifier says of a case's classes and histories, and how many rows searches would leave out."""
    own = f"from person_codes where person_codes.case = {case}"
    classes = Statement("store/relation#nested", rows=Query(f"select *, 1 as size {own}"))
    values, read = Joined((Name("value_1"), Name("value_2")), ", "), [Name("value_3"), Name("value_4")]
    persons, histories = (
        DistinctPersons(person=("clinic", "number"), k=k, most=k),
        Histories(person=("clinic", "number"), k=k),
    )
    found = (
        of_persons.recount(session, classes, values, read, persons),  # type: ignore[arg-type]
        of_histories.recount(session, classes, values, read, histories),  # type: ignore[arg-type]
    )
    # A star of the leaves, rolled up to the node.
    (listed,) = persons.carried[0].columns(Domain("clinic", (1,), persons="several"))
    levels = columns(As(level, Name(f"value_{place}")) for place, level in enumerate(LEVELS, 1))
    tuples = f"select leaf_1, leaf_2, one, two, count(*) as frequency, {listed.started.sql()} {own} group by all"  # type: ignore[union-attr]
    counted = Statement(
        "star/frequency/recount",
        node=Number(0),
        levels=levels,
        merged=columns([Statement("star/frequency/rollup#counted"), listed.merged]),
        star=Statement("store/relation#nested", rows=Query(tuples)),
    )
    violating = persons.over(Domain("clinic", (1,), persons="several")).violating
    shortfall = Statement(
        "star/frequency/shortfall",
        frequency=Statement("store/relation#nested", rows=counted),
        rows=Name("frequency"),
        violating=violating,
    )
    *_, left_out = session.row(shortfall)
    visits = f"select code as person, leaf_1, leaf_2, one, two, count(*) as frequency {own} group by all"
    groups = Statement(
        "privacy/histories/groups",
        levels=levels,
        values=values,
        visits=Statement("store/relation#nested", rows=Query(visits)),
    )
    (outliers,) = session.row(Statement("privacy/histories/groups#outliers", groups=groups), {"k": k})
    return *found, left_out, outliers


def differences(cases: int, seed: int) -> int:
    """How many of so many random cases are counted otherwise than by plain Python."""
    chance, wrong = random.Random(seed), 0
    with Session(threads=1) as session:
        for start in range(0, cases, TOGETHER):
            some = [
                (case, drawn(chance), (chance.randrange(2), chance.randrange(3)))
                for case in range(start, min(start + TOGETHER, cases))
            ]
            bring(session, some)
            for case, rows, node in some:
                k = chance.randrange(1, 5)
                expected = judged(rows, node, k)
                rows_out = [each.violating_rows for each in expected]
                wrong += asked(session, case, k) != (*expected, *rows_out)
    return wrong


def test_persons_and_histories_are_counted_as_by_plain_python() -> None:
    assert differences(60, seed=1) == 0


@pytest.mark.long
def test_ten_thousand_random_cases_are_counted_as_by_plain_python() -> None:
    assert differences(10_000, seed=2026) == 0
