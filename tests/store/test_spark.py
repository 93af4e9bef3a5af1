"""What Spark does otherwise than other databases: its types and names, files that change, views that publish."""

from __future__ import annotations

import json
import logging
import random
import re
import socket
import subprocess
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import starcloak as sc
from starcloak.base.errors import InputError, OutputError, SourceError, StarcloakError
from starcloak.search.lattice import starting_node
from starcloak.search.witness import samples, search
from starcloak.star import remote_star
from starcloak.store.databases.database import Lost
from starcloak.store.databases.spark.database import OF_CONNECT, Spark, patience
from starcloak.store.resources import Resources
from tests import process, sparks
from tests.people import TYPES, job, people, released, run
from tests.sparks import SparkServer
from tests.store.test_databases import compare
from tests.store.test_distant import as_if_at_home


@pytest.fixture
def server(spark: SparkServer) -> SparkServer:
    return spark


def kept(server: SparkServer, columns: str) -> dict[str, Any]:
    """A job on a table whose other columns are kept."""
    return {
        "source": {"url": server.url, "table": "people"},
        "quasi_identifiers": {"zip": {"digits": 2}},
        "keep": columns.split(","),
        "requirement": {"k": 2},
        "output": {"table": "cohort"},
    }


def test_every_type_that_is_kept_is_kept_exactly(server: SparkServer) -> None:
    cells = {
        "whole": ("tinyint", ["-128", "127", "null", "0"]),
        "long": ("bigint", ["9223372036854775807", "9223372036854775806", "-9223372036854775808", "null"]),
        "truth": ("boolean", ["true", "false", "null", "true"]),
        "single": ("float", ["0.1", "-0.0", "'NaN'", "'-Infinity'"]),
        "real": ("double", ["0.1", "-0.0", "0.0", "1e-320"]),
        "exact": ("decimal(38,10)", ["1234567890123456789012345678.0000000001", "0", "null", "-1.10"]),
        "day": ("date", ["'0001-01-01'", "'9999-12-31'", "null", "'1582-10-10'"]),
        "moment": ("timestamp", ["'2024-03-31 02:30:00.123456+02:00'", "null", "'1900-01-01'", "'1970-01-01'"]),
        "clock": ("timestamp_ntz", ["'2024-03-31 02:30:00.123456'", "null", "'0001-01-01'", "'9999-12-31'"]),
        "bytes": ("binary", ["x'00ff'", "x''", "null", "x'41'"]),
        "text": ("string", ["'a'", "''", "null", "'a '"]),
        "padded": ("string collate utf8_lcase", ["'B'", "'b'", "null", "'ß'"]),
    }  # fmt: skip
    names = ", ".join(cells)
    rows = (
        ", ".join(f"cast({values[row]} as {kind}) as {name}" for name, (kind, values) in cells.items())
        for row in range(4)
    )
    union = " union all ".join(f"select '1{number // 2}' as zip, {row}" for number, row in enumerate(rows))
    server.execute(f"create table people as {union}")
    release = run(kept(server, names.replace(" ", "")))
    assert (release.k, release.result.released_rows) == (2, 4)
    texts = ", ".join(f"hex({name})" if name == "bytes" else f"cast({name} as string)" for name in cells)
    before, after = (Counter(server.rows(f"select {texts} from {table}")) for table in ("people", "cohort"))
    assert before == after
    types = [server.rows(f"select typeof(struct({names})) from {table} limit 1") for table in ("people", "cohort")]
    assert types[0][0][0].replace(" collate UTF8_LCASE", "") == types[1][0][0]


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        ("array(zip)", "column 'cell' is of type array<string>, whose values Spark does not compare exactly"),
        ("map(zip, zip)", "column 'cell' is of type map<string,string>"),
        ("named_struct('a', zip)", "column 'cell' is of type struct<a:string>"),
        ("parse_json('1')", "column 'cell' is of type variant"),
    ],
)
def test_what_is_not_told_apart_exactly_is_refused_by_its_column(server: SparkServer, cell: str, told: str) -> None:
    server.execute(f"create table people as select '11' as zip, {cell.replace('zip', chr(39) + 'x' + chr(39))} as cell")
    with pytest.raises(SourceError) as refused:
        run(kept(server, "cell"))
    assert told in str(refused.value)


def test_numbers_that_cannot_be_told_apart_are_no_quasi_identifiers(server: SparkServer) -> None:
    server.execute(
        "create table people as select cast(x as double) as x from values ('NaN'), ('-0.0'), ('Infinity') t(x)"
    )
    with pytest.raises(SourceError, match="'x' has 3 values that are NaN, infinite or negative zero"):
        sc.check({"url": server.url, "table": "people"}, ["x"], k=1)


def test_what_a_recipient_can_tell_apart_is_counted_apart(server: SparkServer) -> None:
    """Collations, missing values and sums beyond 64 bits: whatever is one to Spark is not one here."""
    server.execute(
        "create table people (name string collate utf8_lcase, half string)",
        "insert into people values ('Ann', null), ('ANN', null), ('ann ', 'x'), ('ann', 'x')",
    )
    place = {"url": server.url, "table": "people"}
    assert server.rows("select count(distinct name) from people") == [(2,)]
    assert sc.check(place, ["name"], k=1).holds and not sc.check(place, ["name"], k=2).holds
    assert sc.check(place, ["half"], k=2).holds and not sc.check(place, ["half", "name"], k=2).holds


def test_names_may_have_any_characters(server: SparkServer) -> None:
    names = ["a b", 'qu"ote', "back`tick", "end\\", "dot.ted", ":k", "$run", "it's", "%s", "é{x}", "from"]
    cells = ", ".join(f"'{number}' as {server.quoted(name)}" for number, name in enumerate(names))
    server.execute(f"create table people as select {cells} from range(4)")
    described = kept(server, "")
    described |= {"quasi_identifiers": {name: "suppress" for name in names[:6]}, "keep": names[6:]}
    assert run(described).k == 4
    assert server.rows("select * from cohort") == [tuple(map(str, range(len(names))))] * 4
    for table in ("co-hort", "cohört", "a b"):
        with pytest.raises(OutputError, match="characters other than letters, digits and _"):
            run({**described, "output": {"table": table}})


def test_what_reads_like_a_variable_of_sparks_is_a_name_or_a_value_and_nothing_else(server: SparkServer) -> None:
    """`a${x}` was `a` to it: of another column a check told k = 4, and a script released rows of `a` in its place."""
    rows = server.session.range(12).selectExpr(
        "case when id < 5 then 'a$' || '{x}' when id < 10 then 'a' else 'b' end as zip", "id as own"
    )
    rows.withColumnRenamed("own", "zip${x}").write.saveAsTable("people")
    table = {"url": server.url, "table": "people"}
    assert not sc.check(table, ["zip${x}"], k=2).holds and sc.check(table, ["zip"], k=2).holds
    tree = {"P": ["a${x}", "b"], "Q": ["a"]}
    described = {**kept(server, "zip${x}"), "quasi_identifiers": {"zip": {"tree": tree}}, "requirement": {"k": 5}}
    run(described)
    found = {(zip_, own) for zip_, own in server.rows("select * from cohort")}
    assert found == {("Q" if 5 <= own < 10 else "P", own) for own in range(12)}
    script = sc.compile({**described, "output": {"table": "written"}})
    server.execute(*(each for each in script.split(";\n\n") if each.strip()))
    assert set(server.rows("select * from written")) == found


def test_the_order_of_a_release_is_not_the_sources(server: SparkServer) -> None:
    server.execute("create table people as select '11' as zip, id from range(200)")
    run(kept(server, "id"))
    ids = [number for (number,) in server.rows("select id from cohort")]
    assert sorted(ids) == list(range(200)) and ids != sorted(ids)


def test_more_than_a_driver_holds_is_refused_by_the_setting_that_bounds_it(server: SparkServer) -> None:
    """What comes home is compressed; of what differs in every row that is not enough."""
    server.execute("create table people as select sha(cast(id as string)) as zip, 'a' as kind from range(300000)")
    place = {"url": server.url, "table": "people"}
    with pytest.raises(
        SourceError, match=r"may send at once \(spark\.driver\.maxResultSize\): raise this setting, or leave out"
    ):
        sc.check(place, ["zip"], k=2)
    query = "select substr(zip, 1, 4) as zip, repeat('long ', 20) as kind from people"
    assert sc.check({"url": server.url, "query": query}, ["zip", "kind"], k=1).holds


class Meanwhile:
    """Something that is done once, before a statement is run whose text has a word in it."""

    def __init__(self, word: str, done: Any) -> None:
        self.word, self.done, self.times = word, done, 0

    def __call__(self, statement: str) -> None:
        if self.word in statement and not self.times:
            self.times += 1
            self.done()


def test_a_source_that_changes_is_refused_and_one_that_grows_is_read_as_it_was(server: SparkServer) -> None:
    server.fill("people", people(60), TYPES)
    grows = Meanwhile("releases/script#publish", lambda: server.execute("insert into people select * from people"))
    release = run(job(server), grows)
    assert (grows.times, release.result.rows, server.rows("select count(*) from cohort")) == (1, 60, [(60,)])
    old = released(server)
    changes = Meanwhile("releases/script#publish", lambda: server.fill("people", people(60, seed=2), TYPES))
    with pytest.raises(InputError, match="is gone or cannot be read: if it changed while it was read, run again"):
        run(job(server, 5), changes)
    assert changes.times == 1 and released(server) == old
    run(job(server, 5))
    assert len(server.own_tables()) == 2


def test_a_query_that_yields_other_rows_every_time_yields_the_same_ones_within_a_run(server: SparkServer) -> None:
    """What a run begins with has its own seed for them."""
    server.execute("create table people as select id from range(500)")
    query = "select cast(cast(rand() * 9 as int) + 10 as string) as zip, id from people"
    release = run({**kept(server, "id"), "source": {"url": server.url, "query": query}})
    assert release.result.released_rows == 500
    assert sc.check({"url": server.url, "table": "cohort"}, ["zip"], k=release.k).holds


def test_a_reader_sees_the_old_release_or_the_new_one(server: SparkServer) -> None:
    server.fill("people", people(60), TYPES)
    run(job(server))
    seen: list[Any] = []
    ends = threading.Event()

    def read() -> None:
        other = SparkServer(server.name, server.url, server.cluster)
        while not ends.is_set():
            try:
                seen.append(Counter(other.rows("select age, zip, sex, illness from cohort")))
            except Exception as error:
                seen.append(error)

    versions = [Counter(server.rows("select age, zip, sex, illness from cohort"))]
    reader = threading.Thread(target=read)
    reader.start()
    for k in (12, 3):
        run(job(server, k))
        versions.append(Counter(server.rows("select age, zip, sex, illness from cohort")))
    ends.set()
    reader.join()
    assert len(seen) > 3 and all(each in versions for each in seen)


def test_few_actions_are_started(server: SparkServer) -> None:
    server.fill("people", people(60), TYPES)
    before = server.cluster.actions()
    run(job(server))
    assert 0 < server.cluster.actions() - before <= 12


def mostly_alone(server: SparkServer) -> dict[str, Any]:
    """A job on a table whose combinations are nearly all of one row, as a million rows of a lake are."""
    chance = random.Random(7)
    frame = people(1500).assign(
        zip=[f"{chance.randrange(10**5):05}" for _ in range(1500)],
        born=[
            f"19{chance.randrange(50, 90)}-0{chance.randrange(1, 9)}-{chance.randrange(10, 29)}" for _ in range(1500)
        ],
    )
    server.fill("people", frame, {**TYPES, "born": "date"})
    described = job(server)
    described["quasi_identifiers"]["born"] = {"dates": ["month", "year", "decade"]}
    return described


def test_few_actions_are_started_where_combinations_are_too_many_to_come_home(
    server: SparkServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    described = mostly_alone(server)
    monkeypatch.setattr(remote_star, "AT_HOME", 400)
    monkeypatch.setattr(search, "_LARGEST", 800)
    monkeypatch.setattr(samples, "_SAMPLED", 2000)
    before, counted = server.cluster.actions(), list[int]()
    traced = as_if_at_home(server, described, monkeypatch, then=lambda: counted.append(server.cluster.actions()))
    actions = counted[0] - before
    assert 0 < actions <= 12, "\n".join(each[:120] for each in traced if each.startswith("/*"))


def test_few_actions_are_started_where_a_sweep_begins_above_the_leaves(
    server: SparkServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    described = {**mostly_alone(server), "algorithm": {"name": "sweep"}}
    home = run(described).result
    monkeypatch.setattr(remote_star, "AT_HOME", 1000)
    monkeypatch.setattr(starting_node, "_SURELY", 100)
    before = server.cluster.actions()
    found = run(described).result
    assert 0 < server.cluster.actions() - before <= 12
    assert found.search.sweep is not None and found.search.sweep.tuples <= 1000
    sizes = [count for (count,) in server.rows("select count(*) from cohort group by age, zip, sex, born")]
    assert min(sizes) >= 4 and sum(sizes) == 1500
    assert found.measures.loss < 1.25 * home.measures.loss


def test_no_value_is_told_where_spark_quotes_one(server: SparkServer, capfd: pytest.CaptureFixture[str]) -> None:
    server.execute("create table people as select 'SECRETx7' as zip, 1 as id")
    query = "select zip, cast(zip as int) as id from people"
    with pytest.raises(StarcloakError) as refused:
        run({**kept(server, "id"), "source": {"url": server.url, "query": query}})
    told = capfd.readouterr()
    assert "SECRET" not in str(refused.value) + told.out + told.err


def test_no_value_is_told_where_a_data_frame_of_the_users_quotes_one(
    server: SparkServer, capfd: pytest.CaptureFixture[str]
) -> None:
    from pyspark.sql import SparkSession

    session = SparkSession.builder.remote(server.url).create()
    cells = session.sql("select 'SECRETx7' as zip, 1 as id")
    cells.select("zip", cells["zip"].cast("int").alias("id")).createOrReplaceTempView("mine")
    with pytest.raises(StarcloakError) as refused:
        sc.run({**kept(server, "id"), "source": {"table": "mine"}}, spark=session)
    told = capfd.readouterr()
    assert "SECRET" not in str(refused.value) + told.out + told.err
    session.stop()


def test_a_url_has_a_host_and_a_port_and_nothing_else() -> None:
    pytest.importorskip("pyspark")
    for url in ("sc://127.0.0.1:1/;token=secretpw7", "spark://user:secretpw7@127.0.0.1:1", "sc:///people"):
        with pytest.raises(SourceError, match="make a session and give it") as refused:
            sc.check({"url": url, "table": "people"}, ["zip"], k=2)
        assert "secretpw7" not in str(refused.value)
    for url in ("sc://127.0.0.1:1", "spark://127.0.0.1:1"):
        with pytest.raises(
            SourceError, match=r"127\.0\.0\.1:1 cannot be reached: check the url, and that Spark runs there"
        ):
            sc.check({"url": url, "table": "people"}, ["zip"], k=2)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of what PySpark leaves open
def test_a_master_needs_java_in_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark")
    for name in OF_CONNECT:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"spark://127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(SourceError, match=r"needs Java 17, which does not start here: .* use Spark Connect"):
            sc.check({"url": url, "table": "people"}, ["zip"], k=2)


@pytest.mark.parametrize("name", OF_CONNECT)
def test_a_master_is_refused_where_sessions_are_of_connect(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.setenv(name, "sc://127.0.0.1:1")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"spark://127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(SourceError, match=r"this process has sessions of Spark Connect, .*: give sc://host:port"):
            sc.check({"url": url, "table": "people"}, ["zip"], k=2)


@pytest.mark.parametrize("path", ["parquet.`/lake/visits`", "orc.`s3a://lake/visits.orc`", "/lake/visits.parquet"])
def test_a_path_is_no_place_for_a_release(path: str) -> None:
    described = {"source": {"url": "sc://127.0.0.1:1", "table": "people"}, "quasi_identifiers": {"zip": "suppress"}}
    with pytest.raises(OutputError, match=r"is a path, and its files cannot be replaced in one step: give a table"):
        sc.run({**described, "requirement": {"k": 2}, "output": {"table": path}})


def test_a_session_of_the_users_has_its_own_views_and_settings(server: SparkServer) -> None:
    from pyspark.sql import SparkSession

    session = SparkSession.builder.remote(server.url).create()
    session.createDataFrame(people(60)).createOrReplaceTempView("mine")
    session.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    session.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MILLIS")
    described = job(server, source={"table": "mine"})
    release = sc.run(described, spark=session, resources=Resources(threads=1))
    assert release.result.rows == 60 and len(release.to_pandas()) == 60
    assert session.conf.get("spark.sql.session.timeZone") == "Asia/Tokyo"
    assert session.sql("select count(*) from mine").collect()[0][0] == 60
    moments = "select '11' as zip, timestamp '2020-01-01 00:00:00.123456' as at from range(3)"
    sc.run({**kept(server, "at"), "source": {"query": moments}, "output": {"table": "moments"}}, spark=session)
    assert server.rows("select distinct date_format(at, 'SSSSSS') from moments") == [("123456",)]
    session.stop()


def test_the_process_of_a_session_is_left_as_it_was(server: SparkServer, work: Path) -> None:
    from pyspark.sql import SparkSession

    session = SparkSession.builder.remote(server.url).create()
    session.createDataFrame(people(60)).createOrReplaceTempView("mine")
    described = job(server, source={"table": "mine"})
    sc.run(described, spark=session)  # what a library does when it is imported is its own
    before = process.state()
    sc.run(described, spark=session, force=True)
    with pytest.raises(StarcloakError):
        sc.run({**described, "requirement": {"k": 61}}, spark=session)
    with pytest.raises(KeyboardInterrupt):
        sc.run(described, spark=session, force=True, resources=Resources(progress=interrupt))
    changed = process.changes(before, process.state())
    assert not changed.keys() - {"threads", "descriptors"}  # those of the client, for its next request
    assert not logging.getLogger("SQLQueryContextLogger").disabled
    session.stop()


def interrupt(_: str) -> None:
    raise KeyboardInterrupt


def test_a_server_that_does_not_answer_is_told_by_its_error_and_no_warning() -> None:
    pytest.importorskip("pyspark")
    from pyspark.sql.connect.client.retries import Retrying

    class Unavailable(Exception):
        pass

    policy = patience()
    policy.can_retry = lambda error: isinstance(error, Unavailable)
    filters = list(warnings.filters)
    with pytest.raises(Unavailable):  # a warning is an error in tests
        for attempt in Retrying(policy, sleep=lambda _: None):
            with attempt:
                raise Unavailable
    assert filters == list(warnings.filters)


_IN_ITS_OWN_PROCESS = """
import sys, json, starcloak as sc
master, path = sys.argv[1:]
job = {
    "source": {"url": master, "query": f"select zip, id from parquet.`{path}`"},
    "quasi_identifiers": {"zip": {"digits": 2}}, "keep": ["id"], "requirement": {"k": 3},
}
first = sc.run(job)
from pyspark.sql import SparkSession
session = SparkSession.builder.master(master).getOrCreate()
session.read.parquet(path).createOrReplaceTempView("mine")
second = sc.run({**job, "source": {"table": "mine"}, "output": {"table": "cohort"}}, spark=session)
released = session.sql("select count(*) from cohort").collect()[0][0]
warned = any("in memory" in warning for warning in second.result.warnings)
print(json.dumps([first.k, len(first.to_pandas()), second.k, released, warned]))
session.stop()
"""


def test_a_master_is_a_source_by_a_session_in_the_process(server: SparkServer) -> None:
    path = str(server.cluster.folder / "visits")
    server.session.sql("select cast(10 + id % 3 as string) as zip, id from range(9)").write.parquet(path)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _IN_ITS_OWN_PROCESS, server.cluster.master, path],
        capture_output=True,
        text=True,
        check=False,
        cwd=server.cluster.folder,
        env=server.cluster.environment,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [3, 9, 3, 9, True]


def test_spark_sql_runs_a_script_which_publishes_its_release_and_no_other_rows(server: SparkServer) -> None:
    """The client goes on after an error, as a notebook does: what publishes recounts, too."""
    server.fill("people", people(60), TYPES)
    described = job(server)
    script = sc.compile(described)
    path = str(server.cluster.folder / "people")
    server.session.sql("select * from people").write.parquet(path)
    own = re.findall("(?:cache table|temporary view) (`starcloak_[a-z_]+`)", script)
    steps = [
        f"create table people using parquet as select * from parquet.`{path}`;",
        f"insert into people select * from parquet.`{path}` where age = 31;",
        script,
        *(f"drop view {name};" for name in own),
        f"insert overwrite people select * from parquet.`{path}`;",
        script,
        "select concat_ws('|', 'released', age, zip, coalesce(sex, 'None'), illness) from cohort;",
    ]
    done = server.cluster.spark_sql("\n".join(steps))
    assert done.stderr.count("not the source that this script was made for: its rows have changed") >= 2, done.stderr
    rows = [tuple(line.split("|")[1:]) for line in done.stdout.splitlines() if line.startswith("released|")]
    run(described)
    assert Counter(rows) == released(server)


def test_random_jobs_release_the_rows_of_the_working_store(server: SparkServer) -> None:
    for seed in range(20):
        compare(server, seed)


@pytest.mark.long
def test_1000_random_jobs_release_the_rows_of_the_working_store(server: SparkServer) -> None:
    for seed in range(1000):
        compare(server, seed)


def test_a_release_stays_whose_publication_is_not_answered(
    server: SparkServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection is lost after the view was changed, and the view cannot be asked what it shows."""
    server.fill("people", people(60), TYPES)
    run(job(server))
    perform = Spark.perform

    def lost(*_: Any) -> str:
        raise Lost("the connection was lost")

    def unanswered(self: Spark, statement: Any, binds: Any = None) -> None:
        perform(self, statement, binds)
        if getattr(statement, "path", "") == "store/shown#show_another":
            patched.setattr(Spark, "table_shown", lost)
            raise Lost("the connection was lost")

    with monkeypatch.context() as patched, pytest.raises(Lost):
        patched.setattr(Spark, "perform", unanswered)
        run(job(server, 9))
    assert sum((released(server) or Counter()).values()) == 60
    assert sc.check({"url": server.url, "table": "cohort"}, ["age", "zip", "sex"], k=9).holds


KILLED = [
    "star/frequency/distant#rows", "count(*) as frequency", "rows of the working store go to", "store/shown#views",
    "releases/script#publish", "count(*) as size", "companions/insight/kept",
    "store/ledger#entry", "store/ledger#entered", "store/shown#show_another", "store/shown#note:",
]  # fmt: skip


def kill_at(server: SparkServer, name: str, word: str) -> None:
    """Kill a process of Spark's before a statement, and hold the old release against what is there after that."""
    killed = Meanwhile(word, lambda: server.cluster.kill(name))
    with pytest.raises(StarcloakError):
        run(job(server, 9), killed)
    assert killed.times == 1
    server.cluster.start()
    vars(server).pop("session", None)


@pytest.fixture(scope="module")
def lasting() -> Iterator[SparkServer]:
    """Spark whose catalog outlives its driver."""
    if (lacking := sparks.lacking()) is not None:
        pytest.skip(lacking)
    with sparks.cluster(has_metastore=True) as cluster:
        yield SparkServer("spark", cluster.connect, cluster)


@pytest.mark.long
@pytest.mark.parametrize("word", [each for each in KILLED if each != "store/shown#note:"])
def test_a_driver_that_is_killed_leaves_the_old_release(lasting: SparkServer, word: str) -> None:
    server = lasting
    server.clear()
    server.fill("people", people(60), TYPES)
    run(job(server))
    old, tables = released(server), server.own_tables()
    kill_at(server, "connect", word)
    assert released(server) == old and tables <= server.own_tables()
    run(job(server, 5))
    ledger = server.rows("select k from starcloak_releases order by number")
    assert len(ledger) == 2 and len(server.own_tables()) == 2


@pytest.mark.long
def test_a_driver_that_is_killed_after_a_publication_leaves_the_new_release(lasting: SparkServer) -> None:
    """The view shows it already, and the ledger keeps it: later releases are held against it."""
    server = lasting
    server.clear()
    server.fill("people", people(60), TYPES)
    run(job(server))
    killed = Meanwhile("store/shown#note:", lambda: server.cluster.kill("connect"))
    release = run(job(server, 9), killed)
    assert killed.times == 1
    server.cluster.start()
    vars(server).pop("session", None)
    assert sum((released(server) or Counter()).values()) == release.result.released_rows == 60
    assert sc.check({"url": server.url, "table": "cohort"}, ["age", "zip", "sex"], k=9).holds
    for k in (5, 4):
        run(job(server, k))
    ledger = [k for (k,) in server.rows("select k from starcloak_releases order by number")]
    assert len(ledger) == 4 and ledger[1] == release.k, ledger
    assert len(server.own_tables()) == 2


@pytest.mark.parametrize(
    "word",
    [
        "releases/script#publish",
        *(pytest.param(each, marks=pytest.mark.long) for each in KILLED if each != "releases/script#publish"),
    ],
)
def test_a_worker_that_is_killed_costs_no_row(server: SparkServer, word: str) -> None:
    server.fill("people", people(60), TYPES)
    run(job(server))
    worker = Meanwhile(word, lambda: server.cluster.kill("worker-1"))
    release = run(job(server, 9), worker)
    assert worker.times == 1 and sum((released(server) or Counter()).values()) == release.result.released_rows == 60
    assert len(server.rows("select k from starcloak_releases")) == 2
    server.cluster.start()
    run(job(server, 5))
    assert len(server.own_tables()) == 2  # what is shown, and what was shown before


def test_exact_sums_are_of_more_than_64_bits_in_decimals_alone(server: SparkServer) -> None:
    """Spark raises where a sum of bigint has no place; the checksum of kept cells is a sum of halves of hashes."""
    server.execute("create table people as select '11' as zip, cast(id as decimal(38)) as id from range(1000)")
    assert run(kept(server, "id")).result.released_rows == 1000
    assert server.rows("select sum(id) from cohort") == [(Decimal(499500),)]
