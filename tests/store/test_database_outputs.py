"""Releases that go from databases elsewhere or come there, dimension tables that stay, runs with nothing to do."""

from __future__ import annotations

import itertools
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas
import pytest
from click.testing import CliRunner

import starcloak as sc
from starcloak.base.errors import OutputError, SourceError
from starcloak.commands.cli import cli
from starcloak.store.resources import Resources
from tests.people import TYPES, Server, job, people, released, run
from tests.store.breaking import ALGORITHMS, as_texts, at, comes_to_its_end, fail, run_after_kill
from tests.traces import bare


@pytest.mark.parametrize(
    "algorithm",
    [ALGORITHMS[0], pytest.param(ALGORITHMS[1], marks=pytest.mark.long)],
    ids=lambda algorithm: algorithm["name"],
)
@pytest.mark.any_database
def test_a_release_of_a_database_goes_to_a_file_or_a_frame(
    server: Server, algorithm: dict[str, Any], tmp_path: Path
) -> None:
    frame = people(120)
    server.fill("people", frame, TYPES)
    described = job(server, algorithm=algorithm)
    expected = as_texts(sc.run({**described, "source": None, "output": None}, frame=frame).to_pandas())
    outputs: list[Any] = [None, {"path": str(tmp_path / "r.parquet")}, {"path": str(tmp_path / "r.csv")}]
    outputs.append({"url": f"duckdb:///{tmp_path / 'r.duckdb'}", "table": "cohort"})
    for output in outputs:
        release = run({**described, "output": output})
        assert as_texts(release.to_pandas()) == expected
        assert server.tables() == {"people"}
        if output is not None:
            with pytest.raises(OutputError, match="a script runs in one database"):
                release.sql()
            with pytest.raises(OutputError, match="a script runs in one database"):
                sc.compile({**described, "output": output})


def odd() -> pandas.DataFrame:
    """A value of each type that goes to a database, and of each that might change on the way."""
    frame = people(90).drop(columns="name")
    frame["day"] = pandas.to_datetime(frame["age"].map(lambda age: f"19{age}-02-03")).dt.date
    frame["when"] = pandas.to_datetime("2001-02-03 04:05:06.700000").as_unit("us")
    frame["price"] = [0.1 + row / 3 for row in range(90)]
    frame["well"] = frame["age"] % 2 == 0
    frame["cost"] = [Decimal(row) / 8 for row in range(90)]
    frame["text"] = [["", None, "\\N", '"', "a\nb,", "007", "1e3", " "][row % 8] for row in range(90)]
    return frame


@pytest.mark.any_database
def test_a_release_of_a_frame_goes_to_a_table(server: Server) -> None:
    frame = odd()
    described = job(server, source=None, identifiers=[], output={"url": server.url, "table": "cohort"})
    described["quasi_identifiers"] |= {"day": {"dates": ["year", "decade"]}}
    described["keep"] = ["when", "price", "well", "cost", "text"]
    for k in (4, 2):  # the second one replaces the first
        described["requirement"] = {"k": k}
        release = sc.run(described, frame=frame)
        here = sc.run({**described, "output": None}, frame=frame)
        assert release.k == here.k and release.measures == here.measures
        assert server.tables() == {"cohort", "starcloak_releases"}
        names = ", ".join(server.quoted(name) for name in ("age", "zip", "sex", "illness", "text"))
        plain = here.to_pandas()[["age", "zip", "sex", "illness", "text"]]
        assert Counter(tuple(map(str, row)) for row in server.rows(f"select {names} from cohort")) == as_texts(plain)
    with pytest.raises(OutputError, match="a script runs in one database"):
        release.sql()
    assert server.rows("select count(*) from starcloak_releases") == [(2,)]


def test_a_type_that_a_database_does_not_have_is_refused(sqlite: Server) -> None:
    described = job(sqlite, source=None, keep=["extra"], output={"url": sqlite.url, "table": "cohort"})
    with pytest.raises(OutputError, match=r"hospital.sqlite cannot store column 'extra' of type .* unchanged: cast"):
        sc.run(described, frame=people(40).assign(extra=pandas.Timedelta(days=1)))
    assert not sqlite.tables()


def test_a_second_release_of_a_source_elsewhere_is_warned_of(sqlite: Server, tmp_path: Path) -> None:
    def is_warned(folder: str, table: str) -> bool:
        path = tmp_path / folder / "people.csv"
        path.parent.mkdir(exist_ok=True)
        people(40).to_csv(path, index=False)
        described = job(sqlite, source={"path": str(path)}, output={"url": sqlite.url, "table": table})
        return any("released before" in warning for warning in run(described).result.warnings)

    assert [is_warned("here", "one"), is_warned("here", "two"), is_warned("there", "three")] == [False, True, False]


def test_another_path_of_the_file_of_the_source_is_the_same_database(sqlite: Server) -> None:
    """By two connections, the one that reads would keep the other one from its commit."""
    sqlite.fill("people", people(40), TYPES)
    folder, _, name = sqlite.url.rpartition("/")
    run(job(sqlite, output={"url": f"{folder}/./{name}", "table": "cohort"}))
    assert sqlite.rows("select count(*) from cohort") == [(40,)]


def test_rows_are_sent_to_mariadb_many_at_a_time(mariadb: Server) -> None:
    def inserts() -> int:
        return int(mariadb.rows("show global status like 'Com_insert'")[0][1])

    before = inserts()
    output = {"url": mariadb.url, "table": "cohort"}
    sc.run(job(mariadb, source=None, output=output), frame=people(400))
    assert mariadb.rows("select count(*) from cohort") == [(400,)] and inserts() - before < 40


def test_what_a_database_refuses_to_write_is_one_clear_line(sqlite: Server) -> None:
    sqlite.fill("people", people(40), TYPES)
    run(job(sqlite, 2))
    old = released(sqlite)
    sqlite.execute("create trigger stop before insert on starcloak_releases begin select raise(abort, 'no'); end")
    with pytest.raises(
        OutputError, match=r"refused store/ledger#entry .*: check the rights of the user there, and"
    ) as error:
        run(job(sqlite, 8))
    assert "\n" not in str(error.value)
    assert released(sqlite) == old


@pytest.mark.any_database
def test_diversity_is_counted_on_numbers_that_became_texts(server: Server) -> None:
    server.fill("people", people(120), TYPES)
    described = job(server, 2, requirement={"k": 2, "l_diversity": [{"attribute": "illness", "l": 3}]})
    for algorithm in ALGORITHMS:
        release = run({**described, "algorithm": algorithm})
        (qid,) = release.result.requirement.qids
        rows = server.rows("select age, zip, sex, illness from cohort")
        diversity = {row[:3]: set[Any]() for row in rows}
        for row in rows:
            diversity[row[:3]] |= {row[3]} - {None}
        assert [model.achieved for model in qid.models] == [min(map(len, diversity.values()))]


@pytest.mark.sampled(3)
def test_decimals_of_a_frame_keep_their_digits(server: Server) -> None:
    exact = [Decimal(f"{whole}.{at:018}") for at, whole in enumerate(["1", "1", "9" * 20, "9" * 20, "0", "-40"], 1)]
    frame = pandas.DataFrame({"sex": ["f", "m"] * 3, "cost": exact})
    described = {"quasi_identifiers": {"sex": "suppress"}, "keep": ["cost"], "requirement": {"k": 2}}
    for _ in range(2):  # the second time into a table that is there
        sc.run({**described, "output": {"url": server.url, "table": "cohort"}}, frame=frame)
        assert sorted(Decimal(cost) for (cost,) in server.rows("select cost from cohort")) == sorted(exact)
        frame = frame[::-1]


@pytest.mark.any_database
def test_a_table_of_a_frame_is_the_old_release_or_the_new(server: Server) -> None:
    described = job(server, k=2, source=None, output={"url": server.url, "table": "cohort"})
    sc.run(described, frame=people(60, seed=2))
    new = released(server)
    sc.run(described, frame=people(60))
    old = released(server)
    for point in itertools.count(start=5, step=6):
        try:
            sc.run(described, frame=people(60, seed=2), resources=Resources(trace=at(point, fail)))
            break
        except RuntimeError:
            published = released(server) == new  # then what is left to do is sweeping, which the next run does
            assert published or released(server) == old
            assert published or server.tables() == {"cohort", "starcloak_releases"}
    assert point > 10
    assert released(server) == new
    assert server.tables() == {"cohort", "starcloak_releases"}
    assert new != old


def test_a_release_goes_from_one_database_to_another(postgresql: Server, sqlite: Server) -> None:
    postgresql.execute("drop table if exists people, cohort, starcloak_releases cascade")
    for one, other in ((postgresql, sqlite), (sqlite, postgresql)):
        one.fill("people", people(60), TYPES)
        run(job(one, output={"url": other.url, "table": "cohort"}))
        run(job(one))
        assert released(other) == released(one)
        for server in (one, other):
            server.execute("drop table cohort", "drop table starcloak_releases")


def test_what_another_place_would_change_is_refused(postgresql: Server, tmp_path: Path) -> None:
    postgresql.execute("drop table if exists people, cohort, starcloak_releases cascade")
    postgresql.fill("people", people(60), TYPES)
    postgresql.execute("alter table people add column extra json")
    output = {"path": str(tmp_path / "r.csv")}
    with pytest.raises(SourceError, match="'extra' is of type json, which cannot be read without loss"):
        run(job(postgresql, keep=["extra"], output=output))
    frame = people(60).assign(extra=[[1]] * 60)
    with pytest.raises(SourceError, match="'extra' holds Python objects of type list: convert it"):
        sc.run(job(postgresql, source=None, keep=["extra"], output={"url": postgresql.url, "table": "x"}), frame=frame)
    long = "x" * 64  # cut by PostgreSQL
    with pytest.raises(OutputError, match="shorten"):
        frame = people(60).assign(**{long: 1})
        sc.run(job(postgresql, source=None, keep=[long], output={"url": postgresql.url, "table": "x"}), frame=frame)
    assert postgresql.tables() == {"people"} and not (tmp_path / "r.csv").exists()


def test_dimension_tables_are_kept_in_databases_only(tmp_path: Path) -> None:
    described = job(Server("", ""), source=None, output={"path": str(tmp_path / "r.csv")}, keep_dimensions=True)
    with pytest.raises(OutputError, match="leave keep_dimensions out"):
        sc.run(described, frame=people(40))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.any_database
def test_a_run_in_one_database_with_nothing_changed_is_a_no_op(server: Server) -> None:
    frame = people(60)
    frame.loc[:3, ["age", "zip", "sex"]] = [25, "53701", "f"]
    frame.loc[:3, "illness"] = ["flu", "cold", None, "b"]
    server.fill("people", frame, TYPES)
    described = job(server, 2, keep=["name"], identifiers=[])

    def unchanged(**more: Any) -> bool:
        return run({**described, **more}, force=False).result.unchanged

    assert [unchanged(), unchanged()] == [False, True]
    seen: list[str] = []
    before, entries = released(server), server.rows("select * from starcloak_releases")
    run(described, seen.append, force=False)
    written = [sql for sql in seen if bare(sql).startswith(("insert", "delete", "create table"))]
    assert [sql for sql in written if '_source"\n' not in sql] == []  # MariaDB's copy of the source
    assert (released(server), server.rows("select * from starcloak_releases")) == (before, entries)
    server.fill("people", frame[::-1], TYPES)
    assert unchanged()
    for change in (
        "update people set illness = '' where illness is null",
        # Two people of one class exchange what is kept: every column by itself has the values that it had.
        "update people set illness = case name when 'SECRETx7 0' then 'cold' else 'flu' end "
        "where name in ('SECRETx7 0', 'SECRETx7 1')",
        "insert into people select * from people",
        "delete from cohort where illness = 'cold'",
        "drop table cohort",
    ):
        server.execute(change)
        assert not unchanged(), change
    assert unchanged()
    assert not unchanged(requirement={"k": 3})
    assert [unchanged(keep_dimensions=True) for _ in range(2)] == [False, False]


@pytest.mark.any_database
def test_a_no_op_knows_dimension_tables_and_leaves_nothing_of_a_killed_run(server: Server) -> None:
    server.fill("people", people(60), TYPES)
    server.fill(
        "sexes",
        pandas.DataFrame({"leaf": ["f", "m", "F", None], "top": ["*"] * 4}),
        dict.fromkeys(("leaf", "top"), "varchar(9)"),
    )
    hierarchies = {"age": "suppress", "sex": {"table": "sexes"}}
    described = job(server, 2, quasi_identifiers=hierarchies, identifiers=["name", "zip"])

    def unchanged() -> bool:
        return run(described, force=False).result.unchanged

    assert [unchanged(), unchanged()] == [False, True]
    for point in itertools.count(start=8, step=13):
        if comes_to_its_end(server, described, "kill", point):
            break
        run_after_kill(described, force=False)
        assert server.tables() == {"people", "sexes", "cohort", "starcloak_releases"}
    assert point > 16
    server.execute("update sexes set top = 'any'")
    assert [unchanged(), unchanged()] == [False, True]


@pytest.mark.any_database
def test_a_run_between_two_places_with_nothing_changed_is_a_no_op(server: Server, tmp_path: Path) -> None:
    frame = people(60)
    server.fill("people", frame, TYPES)
    described = job(server, 2, output={"path": str(tmp_path / "r.csv")})

    def unchanged() -> bool:
        return run(described, force=False).result.unchanged

    assert [unchanged(), unchanged()] == [False, True]
    released = (tmp_path / "r.csv").read_text()
    server.execute("update people set name = 'another'")  # which is not released
    assert unchanged()
    for change in ("update people set illness = 'measles' where age < 30", "insert into people select * from people"):
        server.execute(change)
        assert [unchanged(), unchanged()] == [False, True]
        assert (tmp_path / "r.csv").read_text() != released
    (tmp_path / "r.csv").write_text(released)
    with pytest.raises(OutputError, match="was changed after its run"):
        unchanged()


@pytest.mark.any_database
def test_a_run_of_a_frame_to_a_table_with_nothing_changed_is_a_no_op(server: Server) -> None:
    frame = odd()
    described = job(server, source=None, identifiers=[], output={"url": server.url, "table": "cohort"})
    described["keep"] = ["day", "when", "price", "well", "cost", "text"]

    def unchanged(frame: pandas.DataFrame) -> bool:
        return sc.run(described, frame=frame, resources=Resources(threads=1)).result.unchanged

    assert [unchanged(frame), unchanged(frame), unchanged(frame[::-1])] == [False, True, True]
    assert not unchanged(frame.assign(price=[*frame["price"][1:], 0.25]))
    assert not unchanged(frame)
    for change in ("update cohort set illness = 'x' where price < 5", "delete from cohort where price < 5"):
        server.execute(change)
        assert [unchanged(frame), unchanged(frame)] == [False, True]
    server.execute("drop table cohort")
    assert [unchanged(frame), unchanged(frame)] == [False, True]


@pytest.mark.parametrize(
    "change",
    [
        "update cohort set illness = 'HIV' where illness = 'cold'",  # every count is what it was
        "alter table cohort rename column illness to disease",
    ],
)
@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.any_database
def test_a_table_with_other_cells_has_no_report(server: Server, work: Path, elsewhere: bool, change: str) -> None:
    frame = people(40)
    server.fill("people", frame, TYPES)
    frame.to_csv("people.csv", index=False)
    source = {"source": {"path": "people.csv"}} if elsewhere else {}
    sc.run(job(server, output={"url": server.url, "table": "cohort"}, **source))
    command = ["report", server.url, "--table", "cohort", "--into", "r.html"]
    assert CliRunner().invoke(cli, command).exit_code == 0
    Path("r.html").unlink()
    server.execute(change)
    refused = CliRunner().invoke(cli, command).exception
    assert isinstance(refused, SourceError) and "was changed after its run" in str(refused)
    assert not Path("r.html").exists()


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("variable", "value"),
    [("sql_select_limit", "5"), ("max_join_size", "10"), ("optimizer_switch", "'derived_merge=off'")],
)
def test_a_servers_own_settings_neither_cut_an_answer_nor_refuse_a_run(
    mariadb: Server, variable: str, value: str
) -> None:
    mariadb.fill("people", people(60), TYPES)
    with mariadb.setting(variable, value):
        assert run(job(mariadb)).result.rows == 60
        assert sc.check({"url": mariadb.url, "table": "cohort"}, ["age", "zip", "sex"], k=4).rows == 60
