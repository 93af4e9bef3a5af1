"""The data tests of dbt against an oracle in exact numbers: compiled by dbt once, run on random tables."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

from starcloak.base import installation
from starcloak.job import load_requirement
from tests.exports.test_dbt import dbt, needs_dbt
from tests.privacy import histograms
from tests.privacy.histograms import MODELS, Histogram, equal, of, ordered

Holds = Callable[[Histogram, Histogram], bool]
Table = list[tuple[Any, Any, Any]]

TEXTS = histograms.ORDER
NUMBERS = ["-2", "0.5", "3", "10"]
#: Whose bound the tests take with a margin of floating point, with one that is as much narrower.
NEAR: dict[str, Holds] = {
    "entropy 2": histograms.entropy("2.00000001"),
    "entropy 1.5": histograms.entropy("1.50000001"),
    "beta": histograms.beta("0.49999999"),
    "enhanced beta": lambda counts, table: False,
    "delta": histograms.delta("0.99"),
    "delta 1.5": histograms.delta("1.49"),
    "entropy of all": histograms.entropy("2.00000001", of=histograms.every),
    "beta of present": histograms.of_present(histograms.beta("0.49999999")),
    "delta of present": histograms.of_present(histograms.delta("0.99")),
}
ASKED: dict[str, tuple[list[Any], dict[str, Any], Holds]] = {
    **{name: (TEXTS, model, holds) for name, (model, holds) in MODELS.items() if name != "hierarchical"},
    **{f"equal {t}": (TEXTS, of("t_closeness", t=t), equal(t)) for t in ("0", "0.3", "0.5")},
    **{
        f"ordered {t} of {len(order)}": (
            TEXTS,
            of("t_closeness", t=t, distance="ordered", order=order),
            ordered(t, order),
        )
        for t in ("0", "0.1", "0.3", "0.5")
        # In two orders, and among values that no row has.
        for order in (TEXTS, [TEXTS[3], "nobody's", TEXTS[0], TEXTS[2], TEXTS[1], "it's"])
    },
    **{
        f"numbers {t}": (NUMBERS, of("t_closeness", t=t, distance="ordered"), ordered(t, NUMBERS))
        for t in ("0", "0.2", "0.3")
    },
}


def classes(rows: Table) -> list[Histogram]:
    found: dict[Any, Histogram] = defaultdict(Counter)
    for *group, value in rows:
        found[tuple(group)][value] += 1
    return list(found.values())


def tables(values: list[Any], drawn: random.Random, count: int) -> list[Table]:
    """Tables of some classes, many of them alike, since others hardly ever satisfy anything."""
    made = []
    for _ in range(count):
        some = drawn.choices(values, k=drawn.randint(1, 12))
        rows = [
            (one, drawn.choice([two, two, None]), drawn.choice([value, value, value, drawn.choice(values)]))
            for one, two in [("a", 1), ("b", 1), (None, 2)][: drawn.randint(1, 3)]
            for value in some * drawn.choice([1, 1, 2])
        ]
        if drawn.random() < 0.5:
            rows = [(one, 1, value) for one, _, value in rows]
        made.append(rows)
    return made


def refuse_macros(queries: list[str], people: str) -> None:
    """Each of some tests is an error in a database with a macro by the name of a built-in function, one of four."""
    database, _, _ = people.partition(".")
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute(f"attach ':memory:' as {database}; create schema if not exists {people.rpartition('.')[0]}")
        connection.execute(f"create table {people} as select 'a' as one, 1 as two, '1' as disease")
        connection.execute("create macro own(x) as x")
        for query in queries:
            connection.execute(query).fetchall()
        for at, macro in enumerate(("count(x) as 99", "count_star() as 99", "sum(x) as 99", "lower(x) as 'x'")):
            connection.execute(f"create macro {macro}")
            for query in queries[at::4]:
                with pytest.raises(duckdb.Error, match=r"[Mm]acro"):
                    connection.execute(query).fetchall()
            connection.execute(f"drop macro {macro.partition('(')[0]}")


@pytest.mark.sampled(3, among="dbt")
@needs_dbt
@pytest.mark.parametrize("count", [8, pytest.param(150, marks=pytest.mark.long)])
def test_the_tests_of_dbt_say_what_an_oracle_says(count: int, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBT_SEND_ANONYMOUS_USAGE_STATS", "false")
    Path("dbt_project.yml").write_text("name: clinic\nversion: 1.0.0\nprofile: clinic\n")
    target = {"type": "duckdb", "path": "hospital.duckdb", "threads": 1}
    Path("profiles.yml").write_text(yaml.safe_dump({"clinic": {"target": "here", "outputs": {"here": target}}}))
    Path("packages.yml").write_text(yaml.safe_dump({"packages": [{"local": str(installation.sql() / "dbt")}]}))
    Path("models").mkdir()
    named = {f"asked_{number}": name for number, name in enumerate(ASKED)}
    tests = []
    for number, name in named.items():
        (model,) = (each for each in load_requirement({"k": 1, **ASKED[name][1]}).models if each.key != "k")
        ((kind, test),) = model.dbt_test(["one", "two"]).items()
        tests.append({kind: {**test, "name": number}})
    tests.append({"starcloak.k_anonymous": {"name": "of_rows", "arguments": {"quasi_identifiers": ["one"], "k": 2}}})
    Path("models/people.sql").write_text("select 'a' as one, 1 as two, 'b' as disease\n")
    Path("models/people.yml").write_text(yaml.safe_dump({"models": [{"name": "people", "data_tests": tests}]}))
    deps, compiled = dbt(["deps"], ["compile"])
    assert deps[0] and compiled[0], compiled
    texts = {path.stem: path.read_text() for path in Path("target/compiled").rglob("asked_*.sql")}
    assert texts.keys() == named.keys()

    drawn, told, functions = random.Random(23), Counter[tuple[str, bool]](), "system.main.duckdb_functions()"
    for values in (TEXTS, NUMBERS):
        with duckdb.connect(config={"threads": 1}) as connection:
            connection.execute(
                "attach ':memory:' as hospital; create table hospital.people (one text, two int, disease text)"
            )
            asked = {number: name for number, name in named.items() if ASKED[name][0] is values}
            for number in asked:  # planned once, and without looking at thousands of functions, as below
                plain = texts[number].replace(functions, f"(from {functions} limit 0)")
                assert plain != texts[number]
                connection.execute(f"prepare {number} as {plain}")
            for rows in tables(values, drawn, count):
                connection.execute("delete from hospital.people")
                connection.executemany("insert into hospital.people values (?, ?, ?)", rows)
                found = classes(rows)
                table = Counter(value for *_, value in rows)
                for number, name in asked.items():
                    holds = ASKED[name][2]
                    passes = connection.execute(f"execute {number}").fetchall() == []
                    told[name, passes] += 1
                    if name in NEAR:
                        assert not passes or all(holds(each, table) for each in found), (name, rows)
                        assert passes or not all(NEAR[name](each, table) for each in found), (name, rows)
                    else:
                        assert passes == all(holds(each, table) for each in found), (name, rows)
        # A value that is no number has no place.
    with duckdb.connect() as connection:
        connection.execute("attach ':memory:' as hospital")
        for strange in ("nan", "inf", "-inf", None, "1.0"):
            connection.execute("create or replace table hospital.people (one text, two int, disease text)")
            connection.executemany("insert into hospital.people values ('a', 1, ?)", [[strange], ["1"], ["2"]])
            for number, name in named.items():
                if name.startswith("numbers"):
                    assert connection.execute(texts[number]).fetchall() != [], (name, strange)
    texts["of_rows"] = next(Path("target/compiled").rglob("of_rows.sql")).read_text()
    refuse_macros([*texts.values()], "hospital.main.people")
    # Each test was seen to pass and to fail.
    assert {name for name, _ in told} == {name for name, passes in told if passes} == set(ASKED)
    assert {name for name, passes in told if not passes} == set(ASKED)
