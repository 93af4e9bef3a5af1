"""What the verifier counts of the nights of persons, each statement by itself on a few rows."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import pytest

from starcloak.statements.statement import Joined, Name, Statement
from tests.verify.test_statements import asked

K = 3
SHAPE = "whose varchar, row integer, cell_1 varchar, turn bigint, until bigint, rows bigint"
#: Whose, which row, what it reads, since and until which night, and how often.
Story = Sequence[tuple[str, int, str | None, int, int | None, int]]


def counted(story: Story, before: Story = ()) -> tuple[Any, ...]:
    holes = {
        "before": Name("before"),
        "story": Name("story"),
        "class": Joined((Name("cell_1"), Name("turn"), Name("until")), ", "),
    }
    (found,) = asked("companions/refresh/histories", {"story": (SHAPE, story), "before": (SHAPE, before)}, holes, k=K)
    return found


def of(*persons: str, cell: str | None = "x", turn: int = 0, until: int | None = None, rows: int = 1) -> Story:
    return [(person, 1, cell, turn, until, rows) for person in persons]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("story", "before", "found"),
    [
        ([], [], (None, 0, 0, 0, 0, 0)),
        (of(*"abc"), [], (3, 1, 0, 3, 0, 3)),
        (of(*"ab"), of(*"ab"), (2, 1, 1, 2, 0, 0)),
        ([*of(*"abc"), *of(*"de", cell="y")], [], (2, 2, 1, 5, 0, 5)),
        ([*of(*"abc"), *of(*"def", turn=1)], of(*"abc"), (3, 2, 0, 6, 0, 3)),
        ([*of(*"abc"), *of(*"def", turn=1)], [*of(*"abc"), *of(*"def", turn=1)], (3, 2, 0, 6, 0, 0)),
        ([*of(*"abc"), *of("d", turn=1)], of(*"abc"), (1, 2, 1, 4, 0, 1)),  # since another night
        ([*of(*"abc"), *of("d", until=2)], of(*"abcd"), (1, 2, 1, 4, 1, 0)),  # until a night
        ([*of(*"abc", until=1), *of(*"def", turn=1)], of(*"abc"), (3, 2, 0, 6, 3, 3)),
        ([*of(*"abc", until=1), *of(*"def", turn=1)], of(*"abc", until=1), (3, 2, 0, 6, 3, 0)),
        ([*of(*"abc", until=1), *of(*"def", until=2)], of(*"abc", until=1), (3, 2, 0, 6, 6, 0)),
        ([*of(*"ab"), *of("c", rows=2)], [], (1, 2, 2, 4, 0, 4)),  # once more
        ([*of(*"ab", rows=2), *of("c"), *of("c")], [], (3, 1, 0, 6, 0, 6)),
        ([*of(*"ab", cell=None), *of("c", cell="")], [], (1, 2, 2, 3, 0, 3)),
        ([*of(*"abc"), *of(*"abc", cell="y", turn=1), *of("d")], of(*"abcd"), (1, 2, 1, 7, 0, 3)),
        ([*of(*"abc", rows=11), *of("d"), *of("d", cell="y")], [], (1, 2, 1, 35, 0, 35)),
    ],
    ids=str,
)
def test_persons_of_one_history_are_counted(story: Story, before: Story, found: tuple[Any, ...]) -> None:
    assert counted(story, before) == found


def test_histories_are_those_of_plain_python() -> None:
    chance = random.Random(1)
    for _ in range(60):
        story = [
            (chance.choice("abcdefgh"), 1, chance.choice(("x", "y", None)), turn, chance.choice((None, turn + 1)), 1)
            for turn in (chance.randrange(2) for _ in range(chance.randrange(1, 20)))
        ]
        histories: dict[str, Counter[Any]] = defaultdict(Counter)
        for whose, _, cell, turn, until, rows in story:
            histories[whose][cell, turn, until] += rows
        sizes = Counter(frozenset(history.items()) for history in histories.values())
        assert counted(story, of("a", turn=0)) == (
            min(sizes.values()),
            len(sizes),
            sum(size < K for size in sizes.values()),
            len(story),
            sum(until is not None for *_, until, _ in story),
            sum(turn > 0 for _, _, _, turn, _, _ in story),
        )


A, B = ("a", 1, "x", 0, None, 1), ("b", 1, "x", 0, None, 1)


def ended(line: Any, until: int) -> Any:
    return (*line[:4], until, line[5])


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("before", "now", "otherwise"),
    [
        ([], [], 0),
        ([], [A, B], 0),
        ([A, B], [A, B], 0),
        ([A], [A, ("b", 1, "y", 1, None, 1)], 0),
        ([A, B], [A, ended(B, 1)], 0),
        ([A, ended(B, 1)], [ended(A, 2), ended(B, 1)], 0),
        ([ended(A, 1)], [ended(A, 1)], 0),
        ([A, B], [A], 1),  # who was shown is forgotten
        ([A, ended(B, 1)], [A], 1),
        ([A], [A, B], 1),  # who was not is told to have been
        ([A], [A, ("b", 1, "x", 1, 1, 1)], 1),  # who is not shown is told to be gone already
        ([A], [A, ended(B, 1)], 1),
        ([A, ended(B, 1)], [A, B], 2),
        ([A, ended(B, 1)], [A, ended(B, 2)], 2),
        ([A], [ended(A, 2)], 2),  # it ends in the night to come
        ([A], [("a", 1, "y", 0, None, 1)], 2),
        ([A], [("a", 2, "x", 0, None, 1)], 2),
        ([A], [("a", 1, "x", 1, None, 1)], 1),
        ([A], [("a", 1, "x", 0, None, 2)], 2),
        ([("a", 1, None, 0, None, 1)], [("a", 1, None, 0, None, 1)], 0),
        ([A, B, ("c", 1, "x", 0, None, 1)], [], 3),
    ],
    ids=str,
)
def test_what_was_shown_may_only_end_now(before: Story, now: Story, otherwise: int) -> None:
    holes = {
        "one": Statement(
            "companions/refresh/histories#told", before=Name("before"), story=Name("now"), cells=Name("cell_1")
        ),
        "other": Statement("companions/refresh/histories#known", before=Name("before"), cells=Name("cell_1")),
    }
    tables = {"before": (SHAPE, before), "now": (SHAPE, now)}
    assert asked("companions/refresh/histories#differing", tables, holes) == [(otherwise,)]


@pytest.mark.parametrize(
    ("story", "released", "differing"),
    [
        ([A, B], [("a", 1, "x"), ("b", 1, "x")], 0),
        ([A, ended(B, 1)], [("a", 1, "x")], 0),
        ([A, A], [("a", 1, "x"), ("a", 1, "x")], 0),
        ([A, ended(B, 1)], [("a", 1, "x"), ("b", 1, "x")], 1),  # told to be gone, and shown
        ([A, B], [("a", 1, "x")], 1),
        ([A], [("a", 1, "x"), ("a", 1, "x")], 2),
        ([A], [("a", 1, "y")], 2),
        ([A], [("a", 2, "x")], 2),
        ([A], [("c", 1, "x")], 2),
        ([], [("a", 1, None), ("b", 1, None)], 2),
        ([("a", 1, None, 0, None, 1)], [("a", 1, None)], 0),
    ],
    ids=str,
)
def test_what_is_told_to_be_shown_is_what_is_staged(
    story: Story, released: Sequence[tuple[str, int, str | None]], differing: int
) -> None:
    staged = Statement("store/relation", relation=Name("staged"))
    cells = Statement("store/text", column=Name("released", "cell_1"))
    holes = {
        "one": Statement("companions/refresh/histories#shown", story=Name("story"), cells=Name("cell_1")),
        "other": Statement(
            "companions/refresh/histories#released",
            whose=Name("person"),
            hash=Name("kept"),
            cells=Statement.of_text("cell", "{text} as cell_1", text=cells),
            release=staged,
        ),
    }
    tables = {"story": (SHAPE, story), "staged": ("person varchar, kept integer, cell_1 varchar", released)}
    assert asked("companions/refresh/histories#differing", tables, holes) == [(differing,)]
