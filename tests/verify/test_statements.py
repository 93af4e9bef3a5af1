"""What the verifier's statements count, each by itself on a few rows of which the answer is plain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import duckdb
import pytest

from starcloak.statements.statement import Hole, Joined, Name, Number, Statement, Type, columns, conditions, lines

K = 3


def asked(
    path: str, tables: Mapping[str, tuple[str, Sequence[Sequence[object]]]], holes: Mapping[str, Hole], **binds: object
) -> list[tuple[Any, ...]]:
    """What a statement yields of tables, each of which has columns with their types and rows."""
    with duckdb.connect(config={"threads": 1}) as connection:
        for name, (shape, rows) in tables.items():
            connection.execute(f"create table {name} ({shape})")
            for row in rows:
                connection.execute(f"insert into {name} values ({', '.join('?' * len(row))})", list(row))
        return connection.execute(Statement(path, **dict(holes)).sql(), binds or None).fetchall()


@pytest.mark.parametrize(
    ("cells", "altered"),
    [(["1", "20", None], 0), (["01"], 1), (["x"], 1), ([""], 1), (["1", "x", "01", None], 2)],
    ids=str,
)
def test_a_cell_is_as_it_was_sent_if_its_type_gives_it_back(cells: list[str | None], altered: int) -> None:
    same = {"cell": Name("cell"), "type": Type("integer"), "read": Type("varchar")}
    holes = {"same": conditions([Statement("releases/targets/altered#same", **same)]), "rows": Name("there")}
    assert asked("releases/targets/altered", {"there": ("cell varchar", [[cell] for cell in cells])}, holes) == [
        (altered,)
    ]


@pytest.mark.parametrize(
    ("sizes", "told"),
    [
        ([1, 2, 3, 4], (4, 10, 1, 2, 3)),
        ([3, 4], (2, 7, 3, 0, 0)),
        ([], (0, 0, None, 0, 0)),
    ],
    ids=str,
)
def test_classes_of_fewer_than_k_rows_are_counted(sizes: list[int], told: tuple[int | None, ...]) -> None:
    tables = {"sizes": ("size bigint", [[size] for size in sizes])}
    sizes_of: dict[str, Hole] = {"sizes": Statement("store/relation", relation=Name("sizes"))}
    assert asked("privacy/k_anonymity/violating", tables, sizes_of, k=K) == [told]


@pytest.mark.parametrize(
    ("classes", "told"),
    [
        ([("x", "p", 2, 5), ("x", "q", 3, 5), ("y", "p", 1, 1)], (3, 6, 1, 0)),
        ([("x", "p", 2, 2), ("x", "q", 3, 3)], (2, 5, 2, 1)),  # two groups that became one
        ([("x", "p", 2, 3), ("x", "q", 1, 1)], (2, 3, 1, 1)),  # one of them is as large as both
        ([("x", "p", 2, 5), ("x", "q", 3, 9)], (2, 5, 2, 1)),
        ([("x", "p", 2, 5), ("z", "q", 3, 5)], (2, 5, 2, 2)),  # one that came in pieces
        ([], (0, 0, None, 0)),
    ],
    ids=str,
)
def test_groups_that_are_others_than_the_database_counted_are_torn(
    classes: list[tuple[object, ...]], told: tuple[int | None, ...]
) -> None:
    torn = {"classes": Name("classes"), "values": Name("value_1"), "group": Name("group_0")}
    holes: dict[str, Hole] = {"torn": Statement("verify/classes_at_home#torn", **torn), "classes": Name("classes")}
    tables = {"classes": ("value_1 varchar, value_2 varchar, size bigint, group_0 bigint", classes)}
    assert asked("verify/classes_at_home", tables, holes) == [told]


@pytest.mark.parametrize(
    ("released", "source", "combinations"),
    [
        ("aab", "aab", 0),
        ("ab", "aab", 0),
        ("aab", "ab", 1),
        ("aa", "a", 1),
        ("aabbc", "abc", 2),
        ("ax", "a", 1),
        ("", "a", 0),
    ],
)
def test_kept_cells_are_invented_that_occur_more_often_than_in_the_source(
    released: str, source: str, combinations: int
) -> None:
    kept, tables = (
        Name("kept_1"),
        {"released": ("kept_1 varchar", [*released]), "source": ("kept_1 varchar", [*source])},
    )
    holes: dict[str, Hole] = {
        "released": kept,
        "kept": kept,
        "names": kept,
        "release": Statement("store/relation", relation=Name("released")),
        "source": Name("source"),
    }
    assert asked("verify/invented", tables, holes) == [(combinations,)]


def test_values_of_a_release_that_its_source_does_not_have_are_strange() -> None:
    """A value that one row of the source has is none, nor is one that all of its rows lost."""
    shape = "value_1 varchar, value_2 varchar, size bigint"
    tables = {
        "classes": (
            shape,
            [("x", "flu", 2), ("y", "flu", 1), ("x", "cold", 3), ("x", "gout", 1), ("y", "gout", 1), ("y", "lupus", 1)],
        ),
        "source": ("value_2 varchar, size bigint", [("flu", 3), ("cold", 1), ("measles", 2)]),
    }
    beside: dict[str, Hole] = {"classes": Name("classes"), "source": Name("source")}
    rows = asked("verify/compared", tables, beside)
    assert sorted(rows, key=str) == sorted(
        [(one, other, size, 0) for one, other, size in tables["classes"][1]]
        + [(None, value, 0, size) for value, size in tables["source"][1]],
        key=str,
    )  # fmt: skip
    compared = {"compared": ("value_1 varchar, value_2 varchar, size bigint, everywhere bigint", rows)}
    strange: dict[str, Hole] = {"sensitive": Name("value_2"), "compared": Name("compared")}
    assert asked("verify/compared#strange", compared, strange) == [(2,)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("number", "level", "text", "suppressed", "uncovered"),
    [
        (5, 1, "[5, 10)", False, 0),
        (9, 1, "[5, 10)", False, 0),
        (4, 1, "[5, 10)", False, 1),
        (10, 1, "[5, 10)", False, 1),
        (9, 1, "< 10", False, 0),
        (10, 1, "< 10", False, 1),
        (10, 1, ">= 10", False, 0),
        (9, 1, ">= 10", False, 1),
        (9, 1, "[5, 9]", False, 1),  # not the form of a range
        (None, 1, "[5, 10)", False, 1),
        (5, 1, "[5, x)", False, 1),
        (5, 1, None, False, 1),
        (5, 1, "*", False, 0),  # the top
        (5, 0, "6", False, 0),  # no range
        (4, 1, "[5, 10)", True, 0),  # goes to none
    ],
)
def test_a_range_that_does_not_hold_the_number_of_its_tuple_is_seen(
    number: int | None, level: int, text: str | None, suppressed: bool, uncovered: int
) -> None:
    tables = {
        "recoding": ("code integer, level integer, text varchar, suppressed boolean", [(1, level, text, suppressed)]),
        "dimension": ("code integer, number integer, level_1 varchar", [(1, number, "*"), (2, 7, "*")]),
    }
    holes: dict[str, Hole] = {"recoding": Name("recoding"), "table": Name("dimension")}
    holes |= {name: Name(name) for name in ("code", "level", "text")}
    holes["ends"] = Statement("verify/ranges#read", text=Name("recoding", "text"))
    holes["holds"] = Statement("verify/ranges#holds", number=Name("number"))
    assert asked("verify/uncovered", tables, holes) == [(uncovered,)]


# ------------------------------------------------------------------------------------- what was shown before, and now

SHOWN = "turn integer, cell_1 varchar, row integer, value_1 varchar, rows bigint, until bigint"
Shown = Sequence[tuple[str, int, int]]  # of a class, a row, so often


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("before", "now", "told_apart"),
    [
        ([("x", 1, 4)], [("x", 1, 4)], 0),
        ([("x", 1, 4)], [("x", 1, 9)], 0),
        ([("x", 1, 4)], [("x", 1, 3)], 1),  # one is gone
        ([("x", 1, 5)], [("x", 1, 3)], 1),
        ([("x", 1, 6)], [("x", 1, 3)], 0),
        ([("x", 1, 5)], [("x", 1, 2)], 1),  # two stay
        ([("x", 1, 4)], [("x", 1, 1)], 1),
        ([("x", 1, 3)], [], 0),
        ([("x", 1, 1), ("x", 2, 3)], [("x", 2, 3)], 1),  # one of the class has none that is shown
        ([("x", 1, 1), ("x", 2, 1), ("x", 3, 1)], [], 0),
        ([("x", 1, 3), ("x", 2, 3)], [("x", 1, 3), ("x", 3, 3)], 0),
        ([("x", 1, 4), ("y", 2, 4)], [("x", 1, 3), ("y", 2, 3)], 2),
        ([("x", 1, 0), ("x", 2, 3)], [("x", 1, 1), ("x", 2, 3)], 0),  # it went before
        ([("x", 1, 0), ("x", 2, 3)], [("x", 2, 3)], 0),
        ([("x", 1, 1), ("x", 2, 3)], [("x", 1, 0), ("x", 2, 3)], 1),  # it goes now
    ],
    ids=str,
)
def test_classes_of_which_fewer_than_k_went_or_stay_are_told_apart(before: Shown, now: Shown, told_apart: int) -> None:
    shown = {
        name: (SHOWN, [(0, cell, row, f"v{row}", rows or 1, None if rows else 1) for cell, row, rows in told])
        for name, told in {"before": before, "now": now}.items()
    }
    names = [Name("turn"), Name("cell_1"), Name("row"), Name("value_1")]
    holes: dict[str, Hole] = {
        "before": Name("before"),
        "now": Name("now"),
        "class": columns(Name("before", *name.parts) for name in names[:2]),
        "rows": columns(names),
        "match": conditions(
            Statement("store/same", one=Name("before", *name.parts), other=Name("now", *name.parts)) for name in names
        ),
    }
    assert asked("companions/refresh/departures", shown, holes, k=K) == [(told_apart,)]


# Of a class, so often, and whether it went before or is none to be held; then what the source has of the row.
Lines = Sequence[tuple[str, int, bool]]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("before", "now", "there", "known"),
    [
        ([("x", 1, False)], [("x", 1, False)], 1, 0),
        ([("x", 1, False)], [("y", 1, False)], 1, 1),
        ([("x", 3, True)], [("y", 1, False)], 1, 1),  # it went once
        ([("x", 1, False), ("x", 0, True)], [("x", 1, False), ("y", 1, False)], 2, 1),  # one of two went once
        ([], [("y", 1, False)], 1, 0),  # it is new
        ([], [("y", 1, False)], None, 1),  # nobody is it
        ([("x", 1, False)], [("x", 1, False), ("y", 1, False)], 1, 1),  # it is held, and another version is shown
        ([("x", 1, False)], [("x", 1, False), ("y", 1, False)], 2, 0),
        ([("x", 1, False), ("y", 1, False)], [("x", 1, False)], 1, 0),  # it went, and nothing came
        ([("x", 2, False)], [("x", 1, False)], 1, 0),
        ([("x", 1, False)], [("y", 1, True)], 1, 0),  # what is shown of it went
        # As many as k share its cells: then, or there.
        ([("x", 3, False)], [("x", 2, False), ("y", 1, False)], 1, 0),
        ([("x", 1, False)] * 3, [("x", 2, False), ("y", 1, False)], 1, 0),
        ([("x", 2, False)], [("x", 1, False), ("y", 1, False)], 3, 0),
        ([("x", 2, False)], [("x", 1, False), ("y", 1, False)], 2, 1),
    ],
    ids=str,
)
def test_a_row_that_went_and_is_shown_in_another_class_is_known_again(
    before: Lines, now: Lines, there: int | None, known: int
) -> None:
    assert known_again(before, now, there, k=K) == known


def test_a_row_that_nobody_is_has_cells_that_nobody_shares() -> None:
    assert known_again([], [("y", 1, False)], None, k=1) == 1
    assert known_again([], [("y", 1, False)], 1, k=1) == 0


def known_again(before: Lines, now: Lines, there: int | None, *, k: int) -> int:
    """How many rows are known again, of one and another one that stays as it is."""
    shape = "row integer, turn integer, cell_1 varchar, rows bigint, until bigint"
    tables: dict[str, tuple[str, Sequence[Sequence[object]]]] = {
        name: (shape, [(7, 0, "x", 1, None), *((1, 0, cell, rows, 1 if gone else None) for cell, rows, gone in told)])
        for name, told in {"before": before, "now": now}.items()
    }
    tables["there"] = ("row integer, rows bigint", [(7, 1)] if there is None else [(7, 1), (1, there)])
    holes: dict[str, Hole] = {
        "before": Name("before"),
        "now": Name("now"),
        "class": columns([Name("turn"), Name("cell_1")]),
        "there": Statement("store/relation", relation=Name("there")),
    }
    ((known,),) = asked("companions/refresh/departures#known", tables, holes, k=k)
    return int(known)


# ------------------------------------------------------------------------------------------------ beside a population

# A text may stand at two levels; the last value is none of the population's, and z is none of the dimension's.
DIMENSION = (
    "inhabited boolean, value varchar, level_0 varchar, level_1 varchar",
    [
        (True, "a", "a", "a"),
        (True, "b", "b", "a"),
        (True, "c", "c", "*"),
        (True, None, None, "*"),
        (False, "d", "d", "c"),
    ],
)
POPULATION = ("value_1 varchar, people bigint", [("a", 1), ("b", 2), (None, 4), ("d", 8), ("z", 16), ("c", 32)])


@pytest.mark.parametrize(
    ("cell", "people"),
    [("b", 2), ("a", 3), ("c", 32), (None, 4), ("*", 36), ("x", 0)],
)
def test_a_cell_covers_the_people_who_read_so_at_its_highest_level(cell: str | None, people: int) -> None:
    assert covered([(cell, 5)]) == [(5, people)]


def test_a_full_domain_release_stands_beside_its_population_as_it_would_be_released() -> None:
    """The people of a class that has no row are told, too; those whose value no table has are of none."""
    holes: dict[str, Hole] = {
        "texts": Joined((Name("value_1"), Name("cell_0")), " as "),
        "staged": Name("staged"),
        "generalized": Joined((Name("dimension", "level_1"), Name("cell_0")), " as "),
        "population": Name("population"),
        "members": Statement("verify/population_classes#member", table=Name("dimension"), value=Name("value_1")),
        "cells": Name("cell_0"),
    }
    staged = ("value_1 varchar, size bigint", [("a", 5), ("a", 5), ("x", 1)])
    tables = {"dimension": DIMENSION, "population": POPULATION, "staged": staged}
    rows = asked("verify/population_classes", tables, holes)
    assert sorted(rows, key=str) == [("*", 0, 36), ("a", 10, 3), ("x", 1, 0)]


def test_every_class_has_its_people_and_a_missing_cell_that_no_value_reads_as_has_none() -> None:
    assert sorted(covered([("b", 2), ("b", 3), ("x", 1), ("c", 4)])) == [(1, 0), (4, 32), (5, 2)]
    assert covered([(None, 5)], without_missing=True) == [(5, 0)]


def covered(staged: Sequence[tuple[str | None, int]], *, without_missing: bool = False) -> list[tuple[Any, ...]]:
    """The classes of cells with so many rows, and the people whom they cover."""
    shape, members = DIMENSION
    tables = {
        "dimension": (shape, [row for row in members if row[1] is not None or not without_missing]),
        "population": POPULATION,
        "staged": ("value_1 varchar, size bigint", staged),
    }
    at, cell, known, table = Name("at_0"), Name("cell_0"), Name("known_0"), Name("dimension")
    levels = Joined((Number(0), Number(1)), ", ")
    texts = Joined((Name("dimension", "level_0"), Name("dimension", "level_1")), ", ")
    pieces: dict[str, Hole] = {"at": at, "cell": cell, "known": known, "levels": levels, "texts": texts, "table": table}

    def piece(path: str, *holes: str) -> Statement:
        return Statement(path, **{hole: pieces[hole] for hole in holes})

    holes: dict[str, Hole] = {
        "texts": Joined((Name("value_1"), Name("cell_0")), " as "),
        "staged": Name("staged"),
        "cells": cell,
        "levels": Joined((piece("verify/covered#level", "known"), at), " as "),
        "known": lines([piece("verify/covered#known", "known", "levels", "texts", "table", "cell")]),
        "at": at,
        "generalized": Joined((piece("verify/covered#generalized", "levels", "texts", "at"), cell), " as "),
        "population": Name("population"),
        "members": Statement("verify/population_classes#member", table=table, value=Name("value_1")),
        "match": piece("verify/covered#same", "at", "cell"),
    }
    return asked("verify/covered", tables, holes)
