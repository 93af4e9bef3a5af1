"""What travels between a database and the working store arrives as it is, or is refused."""

from __future__ import annotations

import datetime
import struct
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pyarrow
import pytest
import sqlalchemy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import starcloak as sc
from starcloak.base.errors import OutputError, SourceError, VerificationError
from starcloak.commands import cli
from starcloak.statements.statement import Name, Statement, Type
from starcloak.store.databases import batches, registry
from starcloak.store.databases.database import Database
from starcloak.store.databases.url import Url
from starcloak.store.session import Session
from starcloak.store.tables import Table
from tests.people import Server, run

pytestmark = pytest.mark.sampled(3)
HOME = Name("home")
MARK = "\ufeff"


def came_home(server: Server, table: str) -> list[tuple[Any, ...]]:
    """The rows of a table, by way of the working store."""
    with Session() as session:
        database = Url(server.url).connect(session)
        rows = Statement("store/relation", relation=Name(table))
        database.gather(HOME, rows, database.describe(rows))
        columns = session.arrow(Statement("store/relation", relation=HOME)).columns
        return list(zip(*(column.to_pylist() for column in columns), strict=True))


PIECES = [
    MARK, "", " ", "a", "A", "\x01", "\x7f", "\n", "\r", "\r\n", "\t", ",", ";", '"', '""', "'", "\\", "\\N", "\\.",
    "NULL", "null", "%s", "$1", "{x}", "é", "e\u0301", "\u2028", "\u00a0", "\U0001f600", "\u0000",
]  # fmt: skip


def texts(server: str) -> st.SearchStrategy[str]:
    known = st.sampled_from([piece for piece in PIECES if server != "postgresql" or "\0" not in piece])
    return st.lists(known | st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=4).map("".join)


def whole(bits: int) -> st.SearchStrategy[int]:
    return st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


DECIMALS = st.decimals(
    min_value=Decimal(-(10**28) + 1), max_value=Decimal(10**28 - 1), places=10, allow_nan=False, allow_infinity=False
)
MOMENTS = st.datetimes(datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31, 23, 59, 59, 999999))
DOUBLES = st.floats(allow_nan=False, allow_infinity=False)
SINGLES = st.floats(width=32, allow_nan=False, allow_infinity=False)
# Each type with its values, and what the driver's own value of it comes home as.
Kind = tuple[str, st.SearchStrategy[Any], Callable[[Any], Any]]


def as_it_is(value: Any) -> Any:
    return value


def single(value: float) -> float:
    (found,) = struct.unpack("f", struct.pack("f", value))
    return float(found)


KINDS: dict[str, list[Kind]] = {
    "postgresql": [
        ("text", texts("postgresql"), as_it_is),
        ("varchar(40)", texts("postgresql"), as_it_is),
        ('text collate "de-x-icu"', texts("postgresql"), as_it_is),
        ("smallint", whole(16), as_it_is),
        ("integer", whole(32), as_it_is),
        ("bigint", whole(64), as_it_is),
        ("numeric(38, 10)", DECIMALS, as_it_is),
        ("boolean", st.booleans(), as_it_is),
        ("real", st.floats(width=32), single),
        ("double precision", st.floats(), as_it_is),
        ("date", st.dates(), as_it_is),
        ("time", st.times(), as_it_is),
        ("timestamp", MOMENTS, as_it_is),
        ("timestamptz", MOMENTS.map(lambda moment: moment.replace(tzinfo=datetime.UTC)), as_it_is),
        ("uuid", st.uuids(), str),
        ("bytea", st.binary(max_size=4), lambda value: "\\x" + value.hex()),
    ],
    "mariadb": [
        ("longtext", texts("mariadb"), as_it_is),
        ("varchar(40)", texts("mariadb"), as_it_is),
        ("tinyint", whole(8), as_it_is),
        ("smallint", whole(16), as_it_is),
        ("mediumint", whole(24), as_it_is),
        ("integer", whole(32), as_it_is),
        ("bigint", whole(64), as_it_is),
        ("bigint unsigned", st.integers(0, 2**64 - 1), as_it_is),
        ("decimal(38, 10)", DECIMALS, as_it_is),
        ("double", DOUBLES, as_it_is),
        ("float", SINGLES, as_it_is),
        ("date", st.dates(), as_it_is),
        ("datetime(6)", MOMENTS, as_it_is),
        ("year", st.integers(1901, 2155), as_it_is),
        ("time(6)", st.timedeltas(datetime.timedelta(0), datetime.timedelta(hours=838)), str),
        ("blob", st.binary(max_size=4), str),
    ],
    "sqlite": [
        ("text", texts("sqlite"), as_it_is),
        ("integer", whole(64), as_it_is),
        ("real", st.floats(allow_nan=False), as_it_is),
        ("blob", st.binary(max_size=4), str),
    ],
}  # fmt: skip


HOSTILE = settings(
    max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None
)


def told(value: Any) -> str:
    """A value with its type, so that 1 is not 1.0, NaN is itself and -0.0 is not 0.0."""
    if isinstance(value, datetime.datetime) and value.tzinfo:
        return repr(value.astimezone(datetime.UTC))
    return repr(value)


@HOSTILE
@given(data=st.data())
def test_every_value_comes_home_as_the_driver_has_it(server: Server, data: st.DataObject) -> None:
    kinds = KINDS[server.name]
    row = st.tuples(*(st.none() | values for _, values, _ in kinds))
    rows = data.draw(st.lists(row, min_size=1, max_size=12))
    names = [f"c{number}" for number in range(len(kinds))]
    types = dict(zip(names, (kind for kind, *_ in kinds), strict=True))
    server.fill("hostile", pandas.DataFrame(rows, columns=names, dtype=object), types)
    # Of a single-precision number, MariaDB's own text has six digits.
    asked = [f"cast({name} as double)" if kind == "float" else name for name, kind in types.items()]
    driver = server.rows(f"select {', '.join(asked)} from hostile")
    expected = Counter(
        tuple(told(value if value is None else home(value)) for value, (*_, home) in zip(row, kinds, strict=True))
        for row in driver
    )
    with pytest.MonkeyPatch.context() as patched:
        together = data.draw(st.sampled_from([1, 3, 20_000]))  # rows in a batch, or about so many
        patched.setattr(batches, "_ROWS", together)
        patched.setattr("starcloak.store.databases.postgresql.database._BYTES", together * 100)
        assert Counter(tuple(map(told, row)) for row in came_home(server, "hostile")) == expected


# What a release or a hierarchy sends: the type here, its values, and its type there.
SENT: list[tuple[str, str, Callable[[str], st.SearchStrategy[Any]]]] = [
    ("VARCHAR", "string", texts),
    ("BIGINT", "int64", lambda _: whole(64)),
    ("DOUBLE", "float64", lambda server: DOUBLES if server == "postgresql" else DOUBLES.map(lambda cell: cell or 0.0)),
]


@HOSTILE
@given(data=st.data())
def test_every_value_is_sent_as_it_is(server: Server, data: st.DataObject) -> None:
    row = st.tuples(*(st.none() | values(server.name) for *_, values in SENT))
    rows = data.draw(st.lists(row, min_size=1, max_size=12))
    names = [f"c{number}" for number in range(len(SENT))]
    arrays = [
        pyarrow.array(values, type=getattr(pyarrow, arrow)())
        for values, (_, arrow, _) in zip(zip(*rows, strict=True), SENT, strict=True)
    ]
    with Session() as session:
        database = Url(server.url).connect(session)
        database.schema = database.current_schema()
        database.lock("sent")
        database.begin(None)
        session.connection.register("sent", pyarrow.table(arrays, names=names))
        shape = tuple((name, Type(kind)) for name, (kind, *_) in zip(names, SENT, strict=True))
        (there,) = database.carry(
            [Table(Name("sent"), shape, Statement("store/relation", relation=Name("sent")))]
        ).values()
        try:
            found = database.run(Statement("store/relation", relation=there))
        finally:
            database.drop_carried()
    assert Counter(tuple(map(told, row)) for row in found) == Counter(tuple(map(told, row)) for row in rows)


LOST = [
    ("postgresql", "a\0b", "NUL"),
    ("mariadb", float("nan"), "NaN"),
    ("mariadb", float("-inf"), "infinit[ey]"),
    ("mariadb", -0.0, "negative zero"),
    ("sqlite", float("nan"), "NaN"),
    ("sqlite", -0.0, "negative zero"),
]


@pytest.mark.parametrize(("server", "value", "told"), LOST, indirect=["server"])
def test_what_a_database_does_not_keep_is_not_sent(server: Server, value: Any, told: str) -> None:
    cells = pyarrow.array([value, value, None])
    frame = pandas.DataFrame({"a": ["y"] * 3, "b": pandas.array(cells, dtype=pandas.ArrowDtype(cells.type))})
    described = {"quasi_identifiers": {"a": "suppress"}, "keep": ["b"], "requirement": {"k": 2}}
    with pytest.raises(OutputError, match=f"cannot store .*{told}.*, as in column 'b': replace this value"):
        sc.run({**described, "output": {"url": server.url, "table": "cohort"}}, frame=frame)
    assert server.tables() == set()


def test_texts_that_differ_in_a_mark_are_two_classes(server: Server) -> None:
    for number in range(12):
        frame = pandas.DataFrame({"a": [f"{MARK}v{number}", f"v{number}", *(["z"] * 4)]})
        server.fill("marked", frame, {"a": "varchar(20)"})
        assert not sc.check({"url": server.url, "table": "marked"}, ["a"], 2).holds
        assert sc.check({"url": server.url, "table": "marked"}, ["a"], 1).qids[0].classes == 3


def test_each_qid_of_a_release_has_its_k_where_texts_differ_in_a_mark(server: Server) -> None:
    for number in (7, 14, 46, 49)[: 4 if server.name == "postgresql" else 1]:  # a mark begins all that it sends
        frame = pandas.DataFrame(
            [(f"{MARK}x{number}", "1"), (f"x{number}", "2"), ("y", "1"), ("y", "2")], columns=["a", "b"]
        )
        server.fill("marked", frame, dict.fromkeys(frame, "varchar(20)"))
        run(
            {
                "source": {"url": server.url, "table": "marked"},
                "quasi_identifiers": {"a": "suppress", "b": "suppress"},
                "requirement": {"qids": [{"attributes": ["a"], "k": 2}, {"attributes": ["b"], "k": 2}]},
                "output": {"table": "cohort"},
            }
        )
        assert min(Counter(server.rows("select a from cohort")).values()) >= 2


def test_a_source_of_one_column_with_missing_values_leaves_its_database(server: Server, tmp_path: Path) -> None:
    frame = pandas.DataFrame({"a": ["x", None, "x", None, "", ""]}, dtype=object)
    server.fill("single", frame, {"a": "varchar(20)"})
    described = {
        "source": {"url": server.url, "table": "single"},
        "quasi_identifiers": {"a": "suppress"},
        "requirement": {"k": 2},
        "output": {"path": str(tmp_path / "out.parquet")},
    }
    assert run(described).result.released_rows == 6
    cells = parquet.read_table(tmp_path / "out.parquet")["a"].to_pylist()
    assert sorted(cells, key=str) == ["", "", None, None, "x", "x"]


def test_rows_of_one_column_come_home_whatever_they_begin_with(server: Server) -> None:
    values = [MARK, None, "", None, f"{MARK}x", "\n", '"', ","]
    for first in values:
        server.fill("single", pandas.DataFrame({"a": [first, *values]}, dtype=object), {"a": "varchar(20)"})
        assert Counter(came_home(server, "single")) == Counter((value,) for value in [first, *values])


# What a way home may do to classes, a batch at a time.
def stripped(batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
    """A mark at the start of a text is gone."""
    arrays = [
        pyarrow.compute.utf8_ltrim(column, MARK) if pyarrow.types.is_string(column.type) else column
        for column in batch.columns
    ]
    return pyarrow.record_batch(arrays, names=batch.schema.names)


def doubled(batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
    return batch.take(pyarrow.array([*range(batch.num_rows), 0]))


def shortened(batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
    return batch.slice(1)


def merged(batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
    """Two classes become one of both their rows."""
    sizes = next(name for name in ("size", "frequency") if name in batch.schema.names)
    values = batch.column(sizes).to_pylist()
    sized = pyarrow.array([values[0] + values[1], *values[2:]], pyarrow.int64())
    return batch.slice(1).set_column(batch.schema.names.index(sizes), sizes, sized)


FAULTS = [stripped, doubled, shortened, merged]


@pytest.fixture(params=FAULTS, ids=lambda fault: fault.__name__)
def faulty(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Has rows come home with a fault, those of statements with a text."""

    def begin(told: str) -> None:
        for kind in (kind for kind in registry.kinds().values() if issubclass(kind, Database)):

            def stream(
                self: Database, sql: str, columns: Sequence[Any], ever: Any = kind._stream
            ) -> Iterator[pyarrow.RecordBatch]:
                for batch in ever(self, sql, columns):
                    yield request.param(batch) if told in sql else batch

            monkeypatch.setattr(kind, "_stream", stream)

    return begin


ROWS = pandas.DataFrame(
    [(f"{MARK}x", "1"), ("x", "1"), ("y", "1"), ("y", "1"), (f"{MARK}x", "2"), ("x", "2"), ("y", "2"), ("y", "2")],
    columns=["a", "b"],
)


@pytest.mark.sampled(3)
def test_classes_that_a_way_home_changed_have_no_verdict(server: Server, faulty: Callable[[str], None]) -> None:
    server.fill("marked", ROWS, dict.fromkeys(ROWS, "varchar(20)"))
    faulty("as size")
    for qids in ([{"attributes": ["a"], "k": 2}], [{"attributes": ["a"], "k": 2}, {"attributes": ["b", "a"], "k": 1}]):
        with pytest.raises(VerificationError, match="differ from the rows that the database counted"):
            sc.check({"url": server.url, "table": "marked"}, qids=qids)


def test_a_frequency_set_that_a_way_home_changed_is_searched_for_nothing(
    server: Server, faulty: Callable[[str], None], request: pytest.FixtureRequest
) -> None:
    server.fill("marked", ROWS, dict.fromkeys(ROWS, "varchar(20)"))
    faulty("as frequency")
    with pytest.raises((VerificationError, SourceError)):
        run(released_by(server, [["a"], ["b"]]))
    assert "cohort" not in server.tables()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("qids", [[["a"], ["b"]], [["a", "b"]]], ids=["several", "one"])
def test_a_release_that_a_way_home_changed_is_not_published(
    server: Server, faulty: Callable[[str], None], qids: list[list[str]]
) -> None:
    server.fill("marked", ROWS, dict.fromkeys(ROWS, "varchar(20)"))
    faulty("as size")
    with pytest.raises(VerificationError):
        run(released_by(server, qids))
    assert "cohort" not in server.tables()


def released_by(server: Server, qids: list[list[str]]) -> dict[str, Any]:
    return {
        "source": {"url": server.url, "table": "marked"},
        "quasi_identifiers": {"a": "suppress", "b": "suppress"},
        "requirement": {"qids": [{"attributes": attributes, "k": 1} for attributes in qids]},
        "output": {"table": "cohort"},
    }


def with_query(server: Server, **options: Any) -> str:
    """The URL with the server's place, and more, after its question mark."""
    url = sqlalchemy.make_url(server.url)
    place = {"host": url.host, "port": str(url.port), **options}
    bare = sqlalchemy.URL.create(url.drivername, url.username, url.password, database=url.database, query=place)
    return bare.render_as_string(hide_password=False)


@pytest.mark.parametrize("name", ["postgresql", "mariadb"])
def test_a_url_may_have_host_and_port_as_options(name: str, request: pytest.FixtureRequest) -> None:
    server: Server = request.getfixturevalue(name)
    server.fill("single", pandas.DataFrame({"a": ["x", "x"]}), {"a": "varchar(20)"})
    assert sc.check({"url": with_query(server), "table": "single"}, ["a"], 2).holds


@pytest.mark.parametrize("options", [{"charset": "latin1"}, {"use_unicode": "0"}, {"cursorclass": "x"}])
def test_no_option_of_a_url_changes_what_a_text_is(mariadb: Server, options: dict[str, str]) -> None:
    mariadb.fill("single", pandas.DataFrame({"a": ["é", "é", "\u20ac"]}), {"a": "varchar(20) character set utf8mb4"})
    with Session() as session:
        database = Url(with_query(mariadb, **options)).connect(session)
        rows = Statement("store/relation", relation=Name("single"))
        database.gather(HOME, rows, database.describe(rows))
        found = session.run(Statement("store/relation", relation=HOME))
    assert sorted(found) == [("é",), ("é",), ("\u20ac",)]


ODD_OPTIONS = [
    {"nonsense": "1"}, {"port": "many"}, {"host": ("127.0.0.1", "127.0.0.1"), "port": ("1", "2")}, {"charset": "bogus"},
    {"read_timeout": "x"}, {"ssl_ca": "/nowhere/ca.pem"}, {"row_factory": "x", "conv": "x"}, {"prepare_threshold": "x"},
]  # fmt: skip


@pytest.mark.parametrize("options", ODD_OPTIONS, ids=lambda options: "-".join(options))
@pytest.mark.parametrize("name", ["postgresql", "mariadb"])
def test_odd_options_of_a_url_work_or_are_one_line(
    name: str, options: dict[str, Any], request: pytest.FixtureRequest
) -> None:
    server: Server = request.getfixturevalue(name)
    server.fill("single", pandas.DataFrame({"a": ["x", "x"]}), {"a": "varchar(20)"})
    with suppress(SourceError):
        assert sc.check({"url": with_query(server, **options), "table": "single"}, ["a"], 2).holds


@pytest.mark.parametrize(
    "url", ["sqlite:///{}?mode=ro", "sqlite://owner:secretpw7@somewhere/x", "sqlite:///", "sqlite://"]
)
def test_an_odd_url_of_sqlite_is_one_line(sqlite: Server, url: str) -> None:
    with pytest.raises(SourceError, match=r"SQLite|not there"):
        sc.check({"url": url.format(sqlalchemy.make_url(sqlite.url).database), "table": "single"}, ["a"], 2)


# Values that Python or Arrow cannot hold, by the type of their column; the first of a type is tried in every way.
UNREADABLE = {
    "postgresql": [
        ("date", "'infinity'"), ("date", "'-infinity'"), ("date", "'0044-03-15 BC'"), ("date", "'10000-01-01'"),
        ("timestamp", "'infinity'"), ("timestamp", "'0001-01-01 BC'"), ("timestamptz", "'10000-01-01 00:00:00Z'"),
        ("timestamptz", "'-infinity'"), ("time", "'24:00:00'"), ("numeric(38, 10)", "'NaN'"),
    ],
    "mariadb": [
        ("date", "'0000-00-00'"), ("date", "'2020-00-00'"), ("date", "'0000-05-01'"), ("date", "'2020-05-00'"),
        ("datetime", "'0000-00-00 00:00:00'"), ("datetime(6)", "'2020-00-01 00:00:00'"),
        ("timestamp null", "'0000-00-00 00:00:00'"),
    ],
    "sqlite": [("text", "cast(x'ff41' as text)"), ("text", "cast(x'eda080' as text)")],
}  # fmt: skip


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("server", "kind", "value"),
    [(name, kind, value) for name, values in UNREADABLE.items() for kind, value in values],
    indirect=["server"],
)
def test_what_cannot_be_read_is_refused_by_its_column(server: Server, tmp_path: Path, kind: str, value: str) -> None:
    server.execute(f"create table odd (x {kind}, q integer)")
    modes = ["set sql_mode = ''"] if server.name == "mariadb" else []
    server.execute(*modes, *(f"insert into odd values ({value}, 1)" for _ in range(3)))
    place = {"url": server.url, "table": "odd"}
    as_kept = {"source": place, "quasi_identifiers": {"q": "suppress"}, "keep": ["x"], "requirement": {"k": 2}}
    as_other = {"source": place, "quasi_identifiers": {"x": "suppress"}, "keep": ["q"], "requirement": {"k": 2}}
    file, table = {"path": str(tmp_path / "out.parquet")}, {"table": "cohort"}
    attempts: list[Callable[[], Any]] = [
        lambda: sc.check(place, ["x"], 2),
        lambda: run({**as_kept, "output": file}),
        lambda: run({**as_other, "output": table}),
        lambda: sc.check(place, ["q"], 2, l_diversity=[{"attribute": "x", "l": 2}]),
        lambda: sc.compile({**as_other, "output": table}),
    ]
    first = next(each for other, each in UNREADABLE[server.name] if other == kind)
    for attempt in attempts if value == first else attempts[:2]:
        with pytest.raises(SourceError, match=r"column 'x' has (dates|texts|numbers)"):
            attempt()
    assert not list(tmp_path.glob("out*"))
    assert server.tables() == {"odd"}
    # A kept cell that does not leave its database is read by nobody here: it is released as it is.
    release = run({**as_kept, "output": table})
    cell = "hex(x)" if server.name == "sqlite" else "cast(x as char(30))"
    assert server.rows(f"select {cell} from cohort") == server.rows(f"select {cell} from odd")
    with pytest.raises(SourceError, match=r"column 'x' has (dates|texts|numbers)"):
        release.to_pandas()


def test_a_defect_is_one_line_and_no_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], work: Path
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("SECRETx7")

    monkeypatch.setattr("starcloak.commands.check_table.check", broken)
    monkeypatch.setattr("sys.argv", ["starcloak", "check", "rows.csv", "--qi", "a", "--k", "1"])
    Path("rows.csv").write_text("a\n1\n")
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 3
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "a defect of starcloak: ValueError in pipeline.py" in told
    assert "SECRETx7" not in told


WRITES = {
    "postgresql": (
        "drop function if exists writes(text)",
        "create function writes(text) returns text language sql volatile as "
        "'insert into written values ($1) returning a'",
        "drop function if exists plans(text)",
        "create function plans(text) returns text language sql immutable as 'select writes($1)'",
    ),
    "mariadb": (
        "drop function if exists writes",
        "create function writes(given text) returns text modifies sql data "
        "begin insert into written values (given); return given; end",
    ),
}
CALLS = [
    ("postgresql", "select writes(a) as a, b from calm"),
    ("postgresql", "select a, b from calm where writes('x') = 'x'"),
    ("postgresql", "select plans('x') as a, b from calm"),
    ("postgresql", "select a, b from calm where a in (select writes('x'))"),
    ("postgresql", "select cast(nextval('counted') as text) as a, b from calm"),
    ("postgresql", "select a, b from calm) as query) as x; insert into written values ('x'); select * from (select 1"),
    ("mariadb", "select writes(a) as a, b from calm"),
    ("mariadb", "select writes('x') as a, 1 as b"),
    ("mariadb", "select a, b from calm where writes('x') = 'x'"),
    ("mariadb", "select cast(nextval(counted) as char(9)) as a, b from calm"),
    ("mariadb", "select a, b from calm) as query) as x; insert into written values ('x'); select * from (select 1"),
]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("server", "query"), CALLS, indirect=["server"])
def test_a_source_that_writes_is_refused_and_what_it_wrote_is_undone(
    server: Server, tmp_path: Path, query: str
) -> None:
    server.fill("calm", pandas.DataFrame({"a": ["y", "y"], "b": [1, 1]}), {"a": "varchar(9)", "b": "integer"})
    server.execute("create table written (a varchar(9))", *WRITES[server.name])
    server.execute("drop sequence if exists counted", "create sequence counted")
    try:
        place = {"url": server.url, "query": query}
        described = {"source": place, "quasi_identifiers": {"a": "suppress"}, "keep": ["b"], "requirement": {"k": 2}}
        attempts: list[Callable[[], Any]] = [
            lambda: sc.check(place, ["a"], 2),
            lambda: run({**described, "output": {"path": str(tmp_path / "out.csv")}}),
            lambda: run({**described, "output": {"table": "cohort"}}),
            lambda: sc.compile({**described, "output": {"table": "cohort"}}),
        ]
        for attempt in attempts:
            with pytest.raises(SourceError, match=r"would write to the database|cannot be read"):
                attempt()
        assert not server.rows("select * from written")
        assert server.rows(
            "select nextval('counted')" if server.name == "postgresql" else "select nextval(counted)"
        ) == [(1,)]
        assert server.tables() == {"calm", "written"}
    finally:
        server.execute("drop sequence counted")


def test_to_read_postgresql_select_is_enough_and_its_lack_is_told_as_that(postgresql: Server, tmp_path: Path) -> None:
    postgresql.execute(
        "drop table if exists calm",
        "drop role if exists reader",
        "create role reader login password 'secretpw8'",
        "revoke create on schema public from public",
        "revoke temporary on database postgres from public",
    )
    postgresql.fill("calm", pandas.DataFrame({"a": ["y", "y"]}), {"a": "varchar(9)"})
    place = {"url": postgresql.as_user("reader").url, "table": "calm"}
    described = {"source": place, "quasi_identifiers": {"a": "suppress"}, "requirement": {"k": 2}}
    readings: list[Callable[[], Any]] = [
        lambda: sc.check(place, ["a"], 2),
        lambda: run({**described, "output": {"path": str(tmp_path / "out.csv")}}),
    ]
    for reading in readings:
        with pytest.raises(SourceError, match=r"grant SELECT on the source and USAGE on its schema$"):
            reading()
    postgresql.execute("grant select on calm to reader")
    for reading in readings:
        reading()
    postgresql.execute("drop table calm", "drop role reader")


def test_to_read_mariadb_select_is_enough_and_a_run_copies(mariadb: Server, tmp_path: Path) -> None:
    mariadb.execute(
        "drop user if exists reader@'127.0.0.1'", "create user reader@'127.0.0.1' identified by 'secretpw8'"
    )
    mariadb.fill("calm", pandas.DataFrame({"a": ["y", "y"], "b": [1, 1]}), {"a": "varchar(9)", "b": "integer"})
    mariadb.fill("other", pandas.DataFrame({"a": ["y"]}), {"a": "varchar(9)"})
    mariadb.execute("grant select on test.other to reader@'127.0.0.1'")
    place = {"url": mariadb.as_user("reader").url, "table": "calm"}
    described = {"source": place, "quasi_identifiers": {"a": "suppress"}, "keep": ["b"], "requirement": {"k": 2}}

    def released_to_file() -> sc.Release:
        return run({**described, "output": {"path": str(tmp_path / "out.csv")}})

    with pytest.raises(SourceError, match=r"grant SELECT on the source$"):
        sc.check(place, ["a"], 2)
    mariadb.execute("grant select on test.calm to reader@'127.0.0.1'")
    sc.check(place, ["a"], 2)
    with pytest.raises(SourceError, match=r"SELECT on the source and CREATE TEMPORARY TABLES in the url's database$"):
        released_to_file()
    mariadb.execute("grant create temporary tables on test.* to reader@'127.0.0.1'")
    assert released_to_file().k == 2
    mariadb.execute("drop user reader@'127.0.0.1'")


@pytest.mark.parametrize(
    "query",
    [
        "with changed as (insert into calm values ('z') returning a) select a from changed",
        "with changed as (delete from calm returning a) select a from changed",
        "select cast(nextval('counted') as varchar) as a from calm",
    ],
)
def test_a_query_on_a_duckdb_file_writes_nothing(tmp_path: Path, query: str) -> None:
    file = tmp_path / "calm.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute("create table calm as select 'y' as a from range(4)")
        connection.execute("create sequence counted")
    before = file.read_bytes()
    with pytest.raises(SourceError, match="fails"):
        sc.check({"url": f"duckdb:///{file}", "query": query}, ["a"], 2)
    assert file.read_bytes() == before
