"""Cells that somebody can tell apart are told apart: in the source, in what stands published, in what is staged.

Every type of every database, with two values of it that are equal or read the same somewhere, but not everywhere.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest

import starcloak as sc
from starcloak.base.column import Column
from starcloak.base.errors import InputError, OutputError, SourceError, VerificationError
from starcloak.releases.targets.database_table import DatabaseTable
from starcloak.releases.targets.duckdb_table import DuckDBTable
from starcloak.releases.targets.file import File
from starcloak.releases.targets.memory import Memory
from starcloak.releases.targets.target import Target
from starcloak.sources.file_formats import file_rows
from starcloak.statements.statement import Statement
from starcloak.store.resources import Resources
from starcloak.store.session import Session
from starcloak.verify import invariants
from starcloak.verify.claim import Claim
from starcloak.verify.recount import Reading
from tests.daily import SERVERS
from tests.people import Server
from tests.verify.pairs import DUCKDB, KEPT, NOT_IN_A_FRAME, NOT_IN_PARQUET, PLAIN, UNIONS, Pair


@dataclass
class Place:
    """A database with people, and where their release goes."""

    database: str
    execute: Callable[..., None]
    source: dict[str, Any]
    output: dict[str, Any] | None
    kept: list[Pair] = field(default_factory=list)
    plain: list[Pair] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.kept = self.kept or KEPT[self.database]
        self.plain = self.plain or PLAIN[self.database]

    @property
    def columns(self) -> dict[str, Pair]:
        named = {f"q{number}": pair for number, pair in enumerate(self.plain)}
        return named | {f"v{number}": pair for number, pair in enumerate(self.kept)}

    def fill(self) -> None:
        shape = ", ".join(f"{name} {kind}" for name, (kind, _, _) in self.columns.items())
        ones = ", ".join(one for _, one, _ in self.columns.values())
        self.execute("drop table if exists people", f"create table people (n integer, {shape})")
        self.execute(*(f"insert into people values ({number}, {ones})" for number in (1, 2, 3)))

    def job(self, algorithm: str = "witness") -> dict[str, Any]:
        return {
            "source": self.source,
            "quasi_identifiers": {name: "suppress" for name in self.columns if name.startswith("q")},
            "keep": ["n", *(name for name in self.columns if name.startswith("v"))],
            "requirement": {"k": 1},
            "algorithm": {"name": algorithm},
            "output": self.output,
        }

    def changed(self, table: str, column: str, value: str) -> list[str]:
        """The statements that give one row another cell."""
        if self.database != "duckdb":
            return [f"update {table} set {column} = {value} where n = 2"]
        # An update would leave a cell that is equal as it is.
        kind = self.columns[column][0]
        return [
            f"create or replace temporary table changed as "
            f"select * replace (cast({value} as {kind}) as {column}) from {table} where n = 2",
            f"delete from {table} where n = 2",
            f"insert into {table} select * from changed",
        ]


def on_server(server: Server) -> Place:
    if server.name == "postgresql":
        server.execute(
            "create extension if not exists hstore",
            "create extension if not exists citext",
            "drop type if exists exact_pair, exact_folded, exact_mood cascade",
            "create type exact_pair as (a numeric, b text)",
            "create type exact_folded as (a numeric, b text)",
            "create or replace function exact_fold(exact_folded) returns text language sql immutable "
            "as $$ select ($1).b $$",
            "create cast (exact_folded as text) with function exact_fold(exact_folded)",
            "create type exact_mood as enum ('x', 'y')",
        )
    source = {"url": server.url, "table": "people"}
    return Place(server.name, server.execute, source, {"table": "cohort"})


def on_file(folder: Path, output: dict[str, Any] | None, kept: list[Pair]) -> Place:
    def execute(*statements: str) -> None:
        with duckdb.connect(str(folder / "hospital.duckdb")) as connection:
            for statement in statements:
                connection.execute(statement)

    source = {"url": f"duckdb:///{folder / 'hospital.duckdb'}", "table": "people"}
    return Place("duckdb", execute, source, output, kept)


OUTPUTS: dict[str, dict[str, Any] | None] = {
    "table": {"table": "cohort"},
    "csv": {"path": "cohort.csv"},
    "parquet": {"path": "cohort.parquet"},
    "memory": None,
}


@pytest.fixture(params=[*OUTPUTS, *SERVERS])
def place(request: pytest.FixtureRequest) -> Place:
    """A place of each kind, with people."""
    if request.param in OUTPUTS:
        work: Path = request.getfixturevalue("work")
        kept = DUCKDB + UNIONS
        if request.param == "csv":
            kept = DUCKDB
        if request.param == "parquet":
            kept = [pair for pair in kept if not pair[0].startswith(NOT_IN_PARQUET)]
        if request.param == "memory":
            kept = [pair for pair in kept if not pair[0].startswith(NOT_IN_A_FRAME)]
        found = on_file(work, OUTPUTS[request.param], kept)
    else:
        server: Server = request.getfixturevalue(request.param)
        for table in server.tables():
            server.execute(f"drop table {server.quoted(table)}")
        found = on_server(server)
    found.fill()
    return found


class Ran(Exception):
    """A run has something to do."""


@contextmanager
def nothing_to_do() -> Iterator[Callable[[dict[str, Any]], bool]]:
    """Tells whether a run would do nothing, but does not do the rest of it."""

    def ran(*_: Any, **__: Any) -> None:
        raise Ran

    def unchanged(described: dict[str, Any]) -> bool:
        try:
            return sc.run(described, resources=Resources(threads=1)).result.unchanged
        except (Ran, SourceError):
            return False

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("starcloak.releases.run.propose", ran)
        yield unchanged


def unseen(place: Place, table: str) -> list[Pair]:
    """The pairs of which a cell of a table may become the other one, and a run has nothing to do."""
    job = place.job()
    sc.run(job)
    missed, undo = [], list[str]()
    with nothing_to_do() as unchanged:
        assert unchanged(job)
        for column, (kind, one, other) in place.columns.items():
            place.execute(*undo, *place.changed(table, column, other))
            if unchanged(job):
                missed.append((kind, one, other))
            undo = place.changed(table, column, one)
        place.execute(*undo)
        assert unchanged(job)
    return missed


# A file's bytes and what is in memory are made again every time.
@pytest.mark.sampled(4)
@pytest.mark.parametrize("place", ["table", *SERVERS], indirect=True)
def test_a_cell_of_the_source_that_changed_is_seen(place: Place) -> None:
    assert unseen(place, "people") == []


@pytest.mark.sampled(4)
@pytest.mark.parametrize("place", ["table", *SERVERS], indirect=True)
def test_a_cell_of_the_published_release_that_changed_is_seen(place: Place) -> None:
    assert unseen(place, "cohort") == []


def forge(goal: Target, session: Session, place: Place, column: str, value: str) -> None:
    """Give one row of a staged release another cell."""
    match goal:
        case DatabaseTable():
            for statement in place.changed(goal.staged.sql(), column, value):
                goal.database.command(statement)
        case Memory():
            for statement in place.changed(goal.table.sql(), column, value):
                session.command(statement)
        case DuckDBTable():
            for statement in place.changed(goal.table.sql(), column, value):
                session.command(statement)
        case File():
            staged = goal.sealed.path
            rows = file_rows(staged).sql()
            value = value if goal.is_parquet else f"cast(cast({value} as {place.columns[column][0]}) as varchar)"
            options = "format parquet" if goal.is_parquet else "format csv, header, nullstr ''"
            kind = place.columns[column][0] if goal.is_parquet else "varchar"
            with duckdb.connect() as connection:
                connection.execute("set timezone = 'UTC'")
                connection.execute(
                    f"create table forged as select * replace (cast(case when n::integer = 2 then {value} "
                    f"else {column} end as {kind}) as {column}) from ({rows})"
                )
                connection.execute(f"copy forged to '{staged.with_suffix('.forged')}' ({options})")
            staged.write_bytes(staged.with_suffix(".forged").read_bytes())


@contextmanager
def verifying(forged: Callable[[Target, Session, Callable[[], bool]], None]) -> Iterator[None]:
    """A run calls ``forged`` when it has staged a release, with what tells whether the verifier refuses it now."""
    honest, goals = invariants.verify, list[Target]()
    stages = {kind: kind.stage for kind in (File, DuckDBTable, Memory, DatabaseTable)}

    def stage(self: Target, session: Session, release: Statement) -> None:
        goals.append(self)
        next(stages[kind] for kind in type(self).__mro__ if kind in stages)(self, session, release)

    def verified(session: Session, _: Statement, claim: Claim) -> Reading:
        (goal,) = goals

        def is_refused() -> bool:
            try:
                honest(session, goal.read_back(session), claim)
                return False
            except VerificationError:
                return True

        before = goal.sealed.path.read_bytes() if isinstance(goal, File) else b""
        forged(goal, session, is_refused)
        if isinstance(goal, File):
            goal.sealed.path.write_bytes(before)
        return honest(session, goal.read_back(session), claim)

    with pytest.MonkeyPatch.context() as patched:
        for kind in stages:
            patched.setattr(kind, "stage", stage)
        patched.setattr(invariants, "verify", verified)
        yield


@pytest.mark.sampled(2)
@pytest.mark.parametrize("algorithm", ["witness", pytest.param("mondrian", marks=pytest.mark.long)])
def test_a_cell_of_the_staged_release_that_was_forged_is_refused(place: Place, algorithm: str) -> None:
    missed = []

    def forged(goal: Target, session: Session, is_refused: Callable[[], bool]) -> None:
        for column, (kind, one, other) in place.columns.items():
            forge(goal, session, place, column, other)
            if not is_refused():
                missed.append((kind, one, other))
            forge(goal, session, place, column, one)

    with verifying(forged):
        sc.run(place.job(algorithm), force=True)
    assert missed == []


SENT = pandas.DataFrame(
    {
        "n": [1, 2, 3],
        "q": ["a"] * 3,
        "truth": [True] * 3,
        "plain": [True] * 3,
        "day": pandas.to_datetime(["2001-02-03"] * 3).date,
        "moment": pandas.to_datetime(["2001-02-03 04:05:06.7"] * 3).as_unit("us"),
        "number": [0.3] * 3,
        "cost": [Decimal("1.250")] * 3,
        "word": ["1"] * 3,
    }
)


# Cells of another database than the source's, and what they may be forged into.
INTO = {
    "postgresql": {"number": ["0.1::float8 + 0.2"], "word": ["'1 '", "null"], "cost": ["1.251"], "truth": ["null"]},
    "mariadb": {"number": ["0.1e0 + 0.2e0"], "word": ["'1 '"], "truth": ["2", "null"], "plain": ["2"], "n": ["4"]},
    "sqlite": {
        "number": ["0.1 + 0.2", "'0.3x'"],
        "word": ["x'31'", "'1 '"],
        "truth": ["2", "1.5", "'true'"],
        "plain": ["2"],
        "cost": ["'1.25'", "1.25", "'1.2501'"],
        "day": ["'2001-2-3'", "'2001-02-03 00:00:00'"],
        "moment": ["'2001-02-03 04:05:06.700000'", "'2001-02-03T04:05:06.7'"],
        "n": ["2.5", "x'32'"],
    },
}


@pytest.mark.sampled(3)
def test_a_cell_that_was_sent_to_a_database_and_forged_is_refused(server: Server) -> None:
    """Also one that is equal in the type of the release, but not for who reads it there."""
    job = {
        "quasi_identifiers": {"q": "suppress", "plain": "suppress"},
        "keep": [name for name in SENT.columns if name not in ("q", "plain")],
        "requirement": {"k": 1},
        "output": {"url": server.url, "table": "cohort"},
    }
    missed = []

    def forged(goal: Target, session: Session, is_refused: Callable[[], bool]) -> None:
        assert isinstance(goal, DatabaseTable)
        for column, values in INTO[server.name].items():
            for value in values:
                staged = goal.staged.sql()
                if server.name == "postgresql":
                    goal.database.command("savepoint honest")
                goal.database.command(f"create temporary table honest as select * from {staged}")
                goal.database.command(f"update {staged} set {column} = {value} where n = 2")
                if not is_refused():
                    missed.append((column, value))
                goal.database.command(f"delete from {staged}")
                goal.database.command(f"insert into {staged} select * from honest")
                goal.database.command("drop table honest")

    with verifying(forged):
        sc.run(job, frame=SENT)
    assert missed == []
    read = server.rows("select n, number, word, cost from cohort order by n")
    assert [(n, number, word, str(cost)) for n, number, word, cost in read] == [
        (n, 0.3, "1", "1.250") for n in (1, 2, 3)
    ]


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("postgresql", ["alter table {0} alter n type text", "alter table {0} alter q type varchar(9)"]),
        ("mariadb", ["alter table {0} modify n text", "alter table {0} modify n double"]),
    ],
)
def test_a_column_of_another_type_is_another_column(
    name: str, changes: list[str], request: pytest.FixtureRequest
) -> None:
    server: Server = request.getfixturevalue(name)
    server.execute("drop table if exists cohort", "drop table if exists starcloak_releases")
    server.fill("people", SENT[["n", "q"]], {"n": "integer", "q": "varchar(9)"})
    job = {
        "source": {"url": server.url, "table": "people"},
        "quasi_identifiers": {"q": "suppress"},
        "keep": ["n"],
        "requirement": {"k": 1},
        "output": {"table": "cohort"},
    }
    refused = []

    def forged(goal: Target, session: Session, is_refused: Callable[[], bool]) -> None:
        assert isinstance(goal, DatabaseTable)
        goal.database.command(changes[0].format(goal.staged.sql()))
        refused.append(is_refused())
        goal.database.command(f"alter table {goal.staged.sql()} {back}")

    back = {"postgresql": "alter n type integer using n::integer", "mariadb": "modify n integer"}[name]
    with verifying(forged):
        sc.run(job)
    assert refused == [True]
    with nothing_to_do() as unchanged:
        assert unchanged(job)
        server.execute(changes[0].format("cohort"))
        assert not unchanged(job)


@pytest.mark.sampled(3)
def test_a_row_less_is_seen_where_no_cell_is_kept(server: Server) -> None:
    """The tuples that stand there are those that were released; one of them is less frequent."""
    server.fill("people", pandas.DataFrame({"q": ["a"] * 4 + ["b"] * 4}), {"q": "varchar(9)"})
    job = {
        "source": {"url": server.url, "table": "people"},
        "quasi_identifiers": {"q": "suppress"},
        "requirement": {"k": 2},
        "output": {"table": "cohort"},
    }
    sc.run(job)
    with nothing_to_do() as unchanged:
        assert unchanged(job)
        server.execute("delete from cohort where q = 'a'", "insert into cohort (q) values ('a'), ('a'), ('a')")
        assert not unchanged(job)
        server.execute("insert into cohort (q) values ('a')")
        assert unchanged(job)


def test_a_column_of_which_every_value_was_left_out_is_of_any_type(sqlite: Server) -> None:
    """A column of SQLite has the types of its cells: without a number, that of whole numbers is none."""
    sqlite.fill("people", pandas.DataFrame({"q": [7, None, None], "v": [None, 1, 2]}), {"q": "", "v": ""})
    job = {
        "source": {"url": sqlite.url, "table": "people"},
        "quasi_identifiers": {"q": "suppress"},
        "keep": ["v"],
        "requirement": {"k": 2, "suppression": "0.34"},
        "objective": {"minimize": "height"},
        "output": {"table": "cohort"},
    }
    sc.run(job)
    assert sorted(sqlite.rows("select * from cohort")) == [(None, 1), (None, 2)]


def test_texts_that_are_one_in_unicode_are_refused(mariadb: Server) -> None:
    """5C and 815F are two characters of Shift JIS: a class of both would be no class."""
    mariadb.execute("drop table if exists people", "drop table if exists cohort")
    mariadb.execute(
        "create table people (q varchar(9) character set sjis, v varchar(9) character set ascii)",
        "insert into people values (_sjis x'5c', 'a'), (_sjis x'815f', 'a')",
    )
    table = {"url": mariadb.url, "table": "people"}
    job = {
        "source": table,
        "quasi_identifiers": {"q": "suppress"},
        "keep": ["v"],
        "requirement": {"k": 2},
        "output": {"table": "cohort"},
    }
    for tried in (lambda: sc.check(table, ["q"], k=2), lambda: sc.run(job)):
        with pytest.raises(SourceError, match="column 'q' has texts in sjis that change in Unicode"):
            tried()
    mariadb.execute("update people set q = 'a'")
    assert sc.run(job).k == 2
    mariadb.execute(
        "alter table people modify v varbinary(9)",
        "update people set v = x'ff'",
        "alter table people modify v varchar(9) character set ascii",
    )
    with pytest.raises(SourceError, match="column 'v' has texts in ascii"):
        sc.run(job)


def test_a_cell_that_nears_what_the_server_takes_in_one_is_compared(mariadb: Server) -> None:
    """Where a function would make more of it, its result is missing, as if the cell were."""
    mariadb.execute("drop table if exists people", "drop table if exists cohort")
    with mariadb.setting("max_allowed_packet", "1048576"):
        mariadb.execute(
            "create table people (n integer, q varchar(9), t longtext, b longblob)",
            *(f"insert into people values ({n}, 'a', repeat('x', 1048576), repeat('x', 1048576))" for n in (1, 2)),
        )
        job = {
            "source": {"url": mariadb.url, "table": "people"},
            "quasi_identifiers": {"q": "suppress"},
            "keep": ["n", "t", "b"],
            "requirement": {"k": 1},
            "output": {"table": "cohort"},
        }
        sc.run(job)
        with nothing_to_do() as unchanged:
            assert unchanged(job)
            for column in ("t", "b"):
                mariadb.execute(f"update people set {column} = concat(left({column}, 1048575), 'y') where n = 2")
                assert not unchanged(job)
                mariadb.execute(f"update people set {column} = repeat('x', 1048576)")
                assert unchanged(job)


def test_negative_zero_of_a_quasi_identifier_is_refused(sqlite: Server) -> None:
    """It is equal to zero, and a class of both would be no class."""
    sqlite.execute("create table people (q)", "insert into people values (0.0), (-0.0)")
    with pytest.raises(SourceError, match="'q' has 1 values that are NaN, infinite or negative zero"):
        sc.check({"url": sqlite.url, "table": "people"}, ["q"], k=2)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("value", "outputs"),
    [
        ("1::variant", OUTPUTS),
        ("[1::variant]", OUTPUTS),
        ("[union_value(a := 1)]", OUTPUTS),
        ("union_value(a := [union_value(b := 1)])", OUTPUTS),
        ("union_value(a := 1)", ["csv", "parquet", "memory"]),
        ("{'b': 1::hugeint}", ["parquet"]),
        ("interval '1 day'", ["parquet"]),
        ("[interval '1 day']", ["parquet", "memory"]),
        ("'1'::bit", ["parquet", "memory"]),
        ("1::uhugeint", ["parquet", "memory"]),
        ("[1, 2]::integer[2]", ["parquet"]),
        ("'12:00:00+01'::timetz", ["parquet", "memory"]),
        ("'POINT(0 0)'::geometry", ["parquet", "memory"]),
        ("'1'::bignum", ["parquet", "memory"]),
        ("[{'b': '1'::bignum}]", ["parquet", "memory"]),
    ],
)
def test_a_column_whose_cells_would_not_stay_as_they_are_is_refused_by_name(
    value: str, outputs: list[str], work: Path
) -> None:
    with duckdb.connect("hospital.duckdb") as connection:
        connection.execute(f"""create table people as select 'x' as "variant", {value} as odd""")
    source = {"url": "duckdb:///hospital.duckdb", "table": "people"}
    for name, output in OUTPUTS.items():
        job = {
            "source": source,
            "quasi_identifiers": {"variant": "suppress"},
            "keep": ["odd"],
            "requirement": {"k": 1},
            "output": output,
        }
        if name not in outputs:
            sc.run(job)
            continue
        with pytest.raises(InputError, match=r"column 'odd' .*: cast the column in a query"):
            sc.run(job)


@pytest.mark.parametrize("of", ["{}", "[{}]"])
def test_a_frame_keeps_times_of_whole_microseconds_alone(of: str, work: Path) -> None:
    def run(*times: str) -> list[object]:
        cells = ", ".join("('x', " + of.format(f"'{time}'::time_ns") + ")" for time in times)
        with duckdb.connect("hospital.duckdb") as connection:
            connection.execute(f"create or replace table people as from (values {cells}) as people (zip, odd)")
        job = {
            "source": {"url": "duckdb:///hospital.duckdb", "table": "people"},
            "quasi_identifiers": {"zip": "suppress"},
            "keep": ["odd"],
            "requirement": {"k": 2},
            "output": OUTPUTS["memory"],
        }
        return sorted(sc.run(job).to_arrow()["odd"].to_pylist(), key=str)

    times = [datetime.time(12), datetime.time(12, 0, 0, 1)]
    assert run("12:00:00", "12:00:00.000001") == (times if of == "{}" else [[time] for time in times])
    with pytest.raises(OutputError, match=r"cannot keep times with nanoseconds, as in column 'odd': replace"):
        run("12:00:00", "12:00:00.000001001")


def test_names_of_types_are_no_types() -> None:
    assert not Column("x", """STRUCT("UNION(" INTEGER, e ENUM('VARIANT', 'it''s'), "a""b VARIANT" BIT)""").holds(
        "UNION|VARI"
    )
    assert Column("x", 'STRUCT("a" BIT)[]').holds(r"\bBIT\b")
