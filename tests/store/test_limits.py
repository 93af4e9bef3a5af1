"""What clients and servers take: texts, names, types, settings, time and rights."""

from __future__ import annotations

import sqlite3
from collections import Counter
from pathlib import Path

import pandas
import pytest

import starcloak as sc
from starcloak.base.errors import InputError, OutputError, VerificationError
from tests import servers, weighed
from tests.daily import SERVERS, some_daily
from tests.people import TYPES, Server, client, job, people, released, run, scripted

# Scripts, in the databases' own clients.

TEXTS = [
    "a\rb", "a\r\nb", "\r\n", "a\r", "a\n", "\0", "a\0b'", "a//b", "x\n//\ny", "\\g", "\\! ls \\", "\\", "'", "\\'",
    "x\ndelimiter ;;\ny", "\ufeffa", "a\u2028b", "a\x85b", "a\x1ab", ":n :'n' :\"n\"", "a\n\\echo hi\n\\q\nb", "a;\nb;",
    "-- a /* b", "`y`", "x\n.quit\n.bail on\ny", "x\ngo\n/\nquit\n\\r\nsource x\n", "\U0001f600",
    "x\n# y\nz", "$$", "%s", "{a}",
]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("server", "algorithm"), some_daily(SERVERS, ["witness", "kaca"], each=2), indirect=["server"])
def test_a_script_brings_every_text_to_its_client(server: Server, algorithm: str) -> None:
    texts = [text for text in TEXTS if server.name != "postgresql" or "\0" not in text]
    rows = [(str(number // 3 % 2), text, text) for number, text in enumerate(texts * 3)]
    frame = pandas.DataFrame([*rows, ("2", "alone", "x"), ("2", None, None)], columns=["zip", "text", "kept"])
    server.fill("people", frame, dict.fromkeys(frame.columns, "varchar(99)"))
    described = {
        "source": {"url": server.url, "table": "people"},
        "quasi_identifiers": {"zip": "suppress", "text": "suppress"},
        "keep": ["kept"],
        "requirement": {"k": 2} if algorithm == "kaca" else {"k": 3, "suppression": 0.5},
        "algorithm": {"name": algorithm},
        "output": {"table": "cohort"},
    }
    script = run(weighed.by_height(described, {"text": 9})).sql()
    expected = Counter(server.rows("select * from cohort"))
    assert len({text for _, text, _ in expected}) >= len(texts)  # they are there as they are
    server.execute("drop table cohort")
    done = scripted(client(server), script)
    assert (done.returncode, done.stderr) == (0, "")
    assert Counter(server.rows("select * from cohort")) == expected


NAMES = [
    "it's", "a//b", "x\n//\ny", "x\ndelimiter ;;\ny", "a\\", "\\g", "a\n\\q\nb", "a\n.quit\nb", ":n", "-- a", "/* a",
    "$$", "a\nselect 1; drop table people; --", "a\rselect 1; drop table people; --", "\ufeffa", "a\u2028b", "`y`",
    "x\n# y",
]  # fmt: skip


@pytest.mark.sampled(3)
def test_no_name_leaves_the_comments_of_a_script_or_the_quotes(server: Server) -> None:
    frame = pandas.DataFrame({name: [str(row % 3) for row in range(30)] for name in NAMES})
    table = server.quoted("peo\nple';\ndrop table people; --")
    server.fill("people", frame, dict.fromkeys(NAMES, "varchar(9)"))
    server.execute(f"create table {table} as select * from people")
    described = {
        "source": {"url": server.url, "table": "peo\nple';\ndrop table people; --"},
        "quasi_identifiers": dict.fromkeys(NAMES, "suppress"),
        "requirement": {"qids": [{"attributes": [name], "k": 10} for name in NAMES]},
        "output": {"table": "cohort"},
        "algorithm": {"name": "datafly"},
    }
    script = sc.compile(described)
    done = scripted(client(server), script)
    assert (done.returncode, done.stderr) == (0, "")
    assert server.rows("select count(*) from cohort") == server.rows("select count(*) from people") == [(30,)]
    assert list(pandas.read_sql("select * from cohort", server.engine()).columns) == NAMES


@pytest.mark.sampled(3)
def test_what_a_client_would_change_in_a_name_is_refused_by_compile_alone(server: Server) -> None:
    frame = people(40).rename(columns={"illness": "ill\r\nness"})
    server.fill("people", frame, {**TYPES, "ill\r\nness": "varchar(99)"})
    described = job(server, sensitive=["ill\r\nness"])
    release = run(described)
    if server.name == "postgresql":
        expected = Counter(server.rows("select * from cohort"))
        server.execute("drop table cohort")
        assert scripted(client(server), release.sql()).returncode == 0
        assert Counter(server.rows("select * from cohort")) == expected
        return
    for text in (release.sql, lambda: sc.compile(described)):
        with pytest.raises(OutputError, match="use run in place of a script"):
            text()


def test_a_script_ends_its_client_with_an_error_and_no_option_is_needed(server: Server) -> None:
    command = client(server)
    if command is None:
        pytest.skip("the database's own client is not installed")
    bare = [part for part in command if part not in ("-v", "ON_ERROR_STOP=1")]
    server.fill("people", people(60), TYPES)
    script = sc.compile(job(server))
    assert scripted(bare, script).returncode == 0
    server.execute("drop table cohort", "insert into people values ('x', 20, '53700', 'f', 'flu')")
    done = scripted(bare, script)
    assert done.returncode != 0 and "not the source" in done.stderr
    assert server.tables() == {"people", "starcloak_releases"}


@pytest.mark.any_database
def test_many_long_texts_go_to_a_client_in_statements_that_it_takes(server: Server) -> None:
    rows = 120 if server.name == "mariadb" else 40  # more than its clients take in one, or than a statement has
    frame = pandas.DataFrame({"text": [f"{number}{'x' * 200_000}" for number in range(rows)], "zip": "1"})
    server.fill("people", frame, {"text": "longtext" if server.name == "mariadb" else "text", "zip": "varchar(9)"})
    described = {
        "source": {"url": server.url, "table": "people"},
        "quasi_identifiers": {"text": "suppress", "zip": "suppress"},
        "requirement": {"k": 1},
        "algorithm": {"name": "kaca"},
        "output": {"table": "cohort"},
    }
    script = sc.compile(described)
    assert max(map(len, script.split("\n\n"))) < 4_000_000
    if server.name == "mariadb":
        server.execute("set global max_allowed_packet = 16777216")
    done = scripted(client(server), script)
    assert (done.returncode, done.stderr) == (0, "")
    assert server.rows("select count(*), count(distinct text) from cohort") == [(rows, rows)]


# One clear line each.

ODD_NAMES = {
    "postgresql": ["x" * 64, "é" * 32, "a.b.c", "pg_catalog.x", "information_schema.x", "pg_temp.x", "nowhere.x"],
    "mariadb": [
        "x" * 65,
        "cohort\t",
        "cohort ",
        "\U0001f600",
        "#mysql50#x",
        "mysql.x",
        "information_schema.x",
        "a.b.c",
    ],
    "sqlite": ["sqlite_stat1", "temp.x", "nowhere.x", "SQLite_x", "a.b.c"],
}


@pytest.mark.sampled(3)
def test_names_that_no_table_can_have_are_refused_before_the_search(server: Server) -> None:
    server.fill("people", people(40), TYPES)
    for name in [*ODD_NAMES[server.name], "starcloak_x", "STARCLOAK_releases"]:
        seen: list[str] = []
        with pytest.raises(OutputError, match=r"another (name|schema)") as error:
            run(job(server, output={"table": name}), seen.append)
        assert "\n" not in str(error.value)
        assert not any("count(*) as frequency" in sql for sql in seen), name
    assert server.tables() == {"people"}


@pytest.mark.any_database
def test_names_that_a_table_may_have_are_taken_as_they_are(server: Server) -> None:
    server.fill("people", people(40), TYPES)
    names = [
        "select",
        "%s",
        "$k",
        "{a}",
        "`",
        "'",
        "\\",
        'a"b',
        " x",
        "co\nhort",
        "tab\tle",
        "#sql-x",
        "é" * 31,
        "x" * 63,
    ]
    for name in names:
        asked = job(server, output={"table": name}, insight="off")
        for _ in range(1 + (name in ("`", 'a"b', "x" * 63))):  # which is then replaced
            sc.run(asked, force=True, joint=False)
    assert server.tables() == {"people", "starcloak_releases", *names}


@pytest.mark.sampled(3)
def test_a_value_that_the_target_does_not_hold_is_refused_in_one_line(server: Server) -> None:
    for value in (float("-inf"), -0.0, "a\0b"):
        frame = people(40).drop(columns="name").assign(extra=[value] * 20 + [value] * 20)
        described = job(
            server, source=None, identifiers=[], keep=["extra"], output={"url": server.url, "table": "cohort"}
        )
        lacking = {"postgresql": ["a\0b"], "mariadb": [float("-inf"), -0.0], "sqlite": [-0.0]}
        if value not in lacking[server.name]:
            sc.run(described, frame=frame)
            assert len(server.rows("select * from cohort")) == 40
            server.execute("drop table cohort", "drop table starcloak_releases")
            continue
        with pytest.raises(OutputError, match=r"cannot store .*, as in column 'extra': replace this value") as error:
            sc.run(described, frame=frame)
        assert "\n" not in str(error.value)
        assert server.tables() == set()


def test_a_table_that_mariadb_cannot_make_is_one_clear_line(mariadb: Server) -> None:
    names = [f"c{number}" for number in range(150)]
    shape = ", ".join(f"{name} char(60)" for name in names)
    mariadb.execute(
        f"create table people (zip varchar(9), {shape}) engine = aria", "insert into people (zip) values (1), (1)"
    )
    described = job(mariadb, 2, quasi_identifiers={"zip": "suppress"}, identifiers=[], sensitive=[], keep=names)
    with pytest.raises(InputError, match="does not support so many or so wide columns"):
        run(described)
    names = [f"column_{number}" for number in range(2_100)]
    wide = pandas.DataFrame({"zip": ["1", "1"], **dict.fromkeys(names, "a")})
    sent = described | {"source": None, "keep": names, "output": {"url": mariadb.url, "table": "cohort"}}
    with pytest.raises(InputError, match="does not support so many or so wide columns"):
        sc.run(sent, frame=wide)
    high = people(40).rename(columns={"zip": "zip😀"})
    sent = job(mariadb, 2, source=None, output={"url": mariadb.url, "table": "cohort"})
    sent["quasi_identifiers"] = {name: "suppress" for name in ("age", "zip😀", "sex")}
    with pytest.raises(OutputError, match="a character above U\\+FFFF, which test does not allow: rename the column"):
        sc.run(sent, frame=high)
    mariadb.fill("people", people(40), TYPES)
    with (
        mariadb.setting("innodb_force_primary_key", "on"),
        pytest.raises(OutputError, match="requires a primary key in every table"),
    ):
        run(job(mariadb))
    assert mariadb.tables() == {"people"}


SETTINGS = {
    "sql_mode": "'EMPTY_STRING_IS_NULL,PAD_CHAR_TO_FULL_LENGTH,NO_UNSIGNED_SUBTRACTION,ORACLE'",
    "sql_select_limit": "3",
    "max_join_size": "1",
    "max_sort_length": "8",
    "character_set_server": "'latin1'",
    "collation_server": "'latin1_general_ci'",
    "default_storage_engine": "'Aria'",
    "div_precision_increment": "0",
    "tx_isolation": "'SERIALIZABLE'",
    "autocommit": "off",
    "completion_type": "'CHAIN'",
    "time_zone": "'+05:00'",
    "sql_safe_updates": "on",
    "sql_auto_is_null": "on",
}


def test_what_a_mariadb_server_has_for_everybody_changes_no_release_and_no_script(mariadb: Server) -> None:
    frame = people(60)
    frame.loc[:4, "illness"] = ""
    mariadb.fill("people", frame, TYPES)
    described = job(mariadb, insight="off")
    script = run(described).sql()
    expected = released(mariadb)
    for name, value in SETTINGS.items():
        with mariadb.setting(name, value):
            mariadb.execute("drop table cohort", "commit")
            sc.run(described, force=True, joint=False)
            assert whole(mariadb) == expected, name
            mariadb.execute("drop table cohort", "commit")
            assert scripted(client(mariadb), script).returncode == 0, name
            assert whole(mariadb) == expected, name
            server_wide = sc.check({"url": mariadb.url, "table": "cohort"}, ["age", "zip", "sex"], 4)
            assert server_wide.holds and server_wide.rows == 60, name


def test_a_check_that_cannot_count_long_texts_says_why(mariadb: Server) -> None:
    """The message blamed a change of the table, and another run would have ended alike."""
    texts = ["x" * 5000 + "yzw"[7 * row % 3] for row in range(60)]
    mariadb.fill(
        "notes", pandas.DataFrame({"note": texts, "ward": ["a", "b"] * 30}), {"note": "longtext", "ward": "text"}
    )
    place = {"url": mariadb.url, "table": "notes"}
    assert sc.check(place, "note", 2).qids[0].k == 20
    qids = [{"attributes": [name], "k": 2} for name in ("note", "ward")]
    with pytest.raises(VerificationError, match="if it did not, shorten texts of more than 4,096 bytes"):
        sc.check(place, qids=qids)


def test_an_engine_without_long_texts_is_told(mariadb: Server) -> None:
    mariadb.fill("people", people(40), TYPES)
    with (
        mariadb.setting("default_tmp_storage_engine", "MEMORY"),
        pytest.raises(InputError, match="does not support long texts: set default_storage_engine and"),
    ):
        run(job(mariadb))
    run(job(mariadb))


@pytest.mark.long
def test_a_log_of_statements_alone_is_told() -> None:
    if servers.mariadb_program() is None:
        pytest.skip("MariaDB is not installed: apt-get install mariadb-server")
    with servers.mariadb("--log-bin=log", "--binlog-format=statement") as url:
        server = Server("mariadb", url)
        server.fill("people", people(40), TYPES)
        with pytest.raises(InputError, match="set binlog_format to mixed or row there"):
            run(job(server))
        server.execute("set global binlog_format = mixed")
        run(job(server))


def whole(server: Server) -> Counter[tuple[str, ...]]:
    with server.engine().connect() as connection:
        cursor = connection.connection.cursor()
        cursor.execute("set session sql_select_limit = 1000, sql_big_selects = 1")
        cursor.execute("select age, zip, sex, illness from cohort")
        return Counter(tuple(map(str, row)) for row in cursor.fetchall())


def test_a_server_that_gives_no_time_or_no_right_to_write_is_told(postgresql: Server) -> None:
    postgresql.fill("people", people(40), TYPES)
    postgresql.execute("drop role if exists hurried", "create role hurried superuser login password 'secretpw8'")
    hurried = postgresql.as_user("hurried")
    for setting, told in {
        "statement_timeout = 1": "statement_timeout",
        "default_transaction_read_only = on": "read-only",
    }.items():
        postgresql.execute(f"alter role hurried set {setting}")
        with pytest.raises(InputError, match=told) as error:
            run(job(hurried))
        assert "\n" not in str(error.value)
        postgresql.execute("alter role hurried reset all")
    run(job(hurried))
    postgresql.execute("drop owned by hurried", "drop role hurried")


def test_a_mariadb_that_gives_no_time_or_no_right_to_write_is_told(mariadb: Server) -> None:
    mariadb.fill("people", people(40), TYPES)
    mariadb.execute(
        "drop user if exists clerk@'127.0.0.1'",
        "create user clerk@'127.0.0.1' identified by 'secretpw8'",
        "grant all on test.* to clerk@'127.0.0.1'",
    )
    clerk = mariadb.as_user("clerk")

    def asked(options: str = "") -> None:
        run(job(Server("mariadb", clerk.url + options)))

    cure = "?init_command=set tx_read_only=0"
    for setting, told in (
        ("read_only", "read-only"),
        ("tx_read_only", rf"are read-only by default.*: add \{cure} to the url$"),
    ):
        with mariadb.setting(setting, "on"):
            with pytest.raises(InputError, match=told) as error:
                asked()
            assert "\n" not in str(error.value)
            if setting == "tx_read_only":
                asked(cure)
    mariadb.execute("drop table cohort", "alter user clerk@'127.0.0.1' with max_statement_time 0.0001")
    cure = "?init_command=set max_statement_time=0"
    with pytest.raises(
        InputError, match=rf"too little time .*: raise max_statement_time, such as by \{cure} in"
    ) as error:
        asked()
    assert "\n" not in str(error.value)
    asked(cure)
    mariadb.execute("drop table cohort, starcloak_releases")
    mariadb.execute("drop user clerk@'127.0.0.1'")
    assert mariadb.tables() == {"people"}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("count", [1500, 2000])
def test_a_table_of_sqlite_with_as_many_columns_as_one_can_have_is_read(count: int, work: Path) -> None:
    with sqlite3.connect("wide.sqlite") as connection:
        connection.execute(f"create table wide ({', '.join(f'c{number} text' for number in range(count))})")
        connection.execute("insert into wide (c0, c7) values ('a', 'x'), ('a', 'y'), ('a', 'z')")
    connection.close()
    source = {"url": "sqlite:///wide.sqlite", "table": "wide"}
    assert sc.check(source, ["c0"], 3).holds
    kept = [f"c{number}" for number in range(1, count)]
    described = {"source": source, "quasi_identifiers": {"c0": "suppress"}, "keep": kept, "requirement": {"k": 3}}
    made = sc.run({**described, "insight": "off"}).to_pandas()
    assert (len(made.columns), sorted(made["c7"])) == (count, ["x", "y", "z"])
